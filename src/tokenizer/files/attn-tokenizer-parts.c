/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-parts.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-bpe.h"
#include "attn-error.h"
#include "attn-merges.h"
#include "attn-spaces.h"
#include "attn-tokenizer-private.h"
#include "attn-unigram.h"
#include "attn-wordpiece.h"

/* BERT, tokenization.py, WordpieceTokenizer: longer words are unknown. */
#define WORDPIECE_MAX_CHARACTERS 100

/**
 * attn_tokenizer_source_init:
 * @source: (out caller-allocates): a file of which nothing is read, without special tokens
 */
void
attn_tokenizer_source_init (AttnTokenizerSource *source,
                            const char          *path)
{
  *source = (AttnTokenizerSource) {
    .path = path,
    .where = g_filename_display_name (path),
    .strings = g_string_chunk_new (1 << 16),
    .pieces = g_ptr_array_new (),
    .merges = g_ptr_array_new (),
    .scores = g_array_new (FALSE, FALSE, sizeof (float)),
    .types = g_byte_array_new (),
    .parts.unknown_id = ATTN_TOKENIZER_NO_ID,
    .parts.begin_id = ATTN_TOKENIZER_NO_ID,
    .parts.end_id = ATTN_TOKENIZER_NO_ID,
  };
}

void
attn_tokenizer_source_clear (AttnTokenizerSource *source)
{
  g_free (source->where);
  g_string_chunk_free (source->strings);
  g_ptr_array_unref (source->pieces);
  g_ptr_array_unref (source->merges);
  g_array_unref (source->scores);
  g_byte_array_unref (source->types);
  g_clear_pointer (&source->parts.charsmap, g_bytes_unref);
}

/**
 * attn_tokenizer_source_find:
 *
 * Returns: the first id of the piece, or %ATTN_TOKENIZER_NO_ID
 */
guint32
attn_tokenizer_source_find (const AttnTokenizerSource *source,
                            const char                *piece)
{
  for (guint32 id = 0; id < source->pieces->len; id++)
    if (g_strcmp0 (source->pieces->pdata[id], piece) == 0)
      return id;
  return ATTN_TOKENIZER_NO_ID;
}

/**
 * attn_tokenizer_source_get_parts:
 *
 * Returns: (transfer none): what was read; valid until more is
 */
const AttnTokenizerParts *
attn_tokenizer_source_get_parts (AttnTokenizerSource *source)
{
  AttnTokenizerParts *parts = &source->parts;

  parts->n_pieces = source->pieces->len;
  parts->pieces = (const char * const *) source->pieces->pdata;
  parts->n_merges = source->merges->len;
  parts->merges = (const char * const *) source->merges->pdata;
  parts->scores = source->scores->len > 0 ? (const float *) source->scores->data : NULL;
  parts->types = source->types->len > 0 ? source->types->data : NULL;
  return parts;
}

static AttnPieceType
get_type (const AttnTokenizerParts *parts,
          gsize                     id)
{
  return parts->types != NULL ? parts->types[id] : ATTN_PIECE_NORMAL;
}

static gboolean
is_sentencepiece (const AttnTokenizerParts *parts)
{
  return parts->model == ATTN_TOKENIZER_SCORED_BPE || parts->model == ATTN_TOKENIZER_UNIGRAM;
}

static gboolean
add_pieces (AttnTokenizer             *tokenizer,
            const AttnTokenizerParts  *parts,
            const char                *where,
            GError                   **error)
{
  for (gsize id = 0; id < parts->n_pieces; id++)
    {
      const char *piece = parts->pieces[id];

      if (piece != NULL && !g_utf8_validate (piece, -1, NULL))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: token %zu that is not UTF-8 found, expected UTF-8"), where, id);
      if (piece != NULL && !attn_vocabulary_add (tokenizer->vocabulary, where, piece, id, error))
        return FALSE;
    }
  if (attn_vocabulary_get_size (tokenizer->vocabulary) > 0)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: vocabulary without tokens found, expected at least one"), where);
}

static gboolean
check_scores (const AttnTokenizerParts  *parts,
              const char                *where,
              GError                   **error)
{
  if (!is_sentencepiece (parts))
    return TRUE;
  if (parts->scores == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: vocabulary without scores found, expected one for each token"), where);
  for (gsize id = 0; id < parts->n_pieces; id++)
    if (!isfinite (parts->scores[id]))
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: score %g of token %zu found, expected a finite number"), where,
                        parts->scores[id], id);
  return TRUE;
}

static gboolean
check_types (const AttnTokenizerParts  *parts,
             const char                *where,
             GError                   **error)
{
  for (gsize id = 0; id < parts->n_pieces; id++)
    if (get_type (parts, id) < ATTN_PIECE_NORMAL || get_type (parts, id) > ATTN_PIECE_BYTE)
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: type %d of token %zu found, expected 1 to 6"), where,
                        get_type (parts, id), id);
  return TRUE;
}

static gboolean
check_id (const AttnTokenizer  *tokenizer,
          guint32               id,
          const char           *where,
          GError              **error)
{
  if (attn_vocabulary_get_piece (tokenizer->vocabulary, id) != NULL)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: special token %u found, expected one of the vocabulary"), where, id);
}

static gboolean
set_normalizer (AttnTokenizer             *tokenizer,
                const AttnTokenizerParts  *parts,
                const char                *where,
                GError                   **error)
{
  const AttnBertOptions options = {
    .cleans_text = TRUE,
    .spaces_chinese = !parts->joins_chinese,
    .strips_accents = parts->strips_accents || (parts->lowercases && !parts->keeps_accents),
    .lowercases = parts->lowercases,
  };
  AttnCharsmap *charsmap;

  tokenizer->normalizer = attn_normalizer_new (NULL, where, error);
  if (parts->model == ATTN_TOKENIZER_WORDPIECE)
    attn_normalizer_append_bert (tokenizer->normalizer, &options);
  if (parts->model == ATTN_TOKENIZER_BYTE_LEVEL_BPE && parts->composes)
    attn_normalizer_append_nfc (tokenizer->normalizer);
  if (!is_sentencepiece (parts))
    return TRUE;

  if (parts->charsmap != NULL && g_bytes_get_size (parts->charsmap) > 0)
    {
      charsmap = attn_charsmap_new (parts->charsmap, where, error);
      if (charsmap == NULL)
        return FALSE;
      attn_normalizer_append_charsmap (tokenizer->normalizer, charsmap);
    }
  return !parts->removes_extra_spaces ||
         (attn_normalizer_append_replace (tokenizer->normalizer, " {2,}", " ", where, error) &&
          attn_normalizer_append_replace (tokenizer->normalizer, "\\A | \\z", "", where, error));
}

static gboolean
set_pre_tokenizer (AttnTokenizer             *tokenizer,
                   const AttnTokenizerParts  *parts,
                   const char                *where,
                   GError                   **error)
{
  tokenizer->pre_tokenizer = attn_pre_tokenizer_new (NULL, where, error);
  if (parts->model == ATTN_TOKENIZER_WORDPIECE)
    return attn_pre_tokenizer_append_bert (tokenizer->pre_tokenizer, where, error);
  if (is_sentencepiece (parts))
    return attn_pre_tokenizer_append_metaspace (
        tokenizer->pre_tokenizer, ATTN_SPACE,
        parts->adds_prefix_space ? ATTN_PREFIX_DUMMY : ATTN_PREFIX_NEVER, FALSE, where, error);

  for (gsize i = 0; parts->patterns != NULL && parts->patterns[i] != NULL; i++)
    if (!attn_pre_tokenizer_append_split (tokenizer->pre_tokenizer, parts->patterns[i],
                                          ATTN_SPLIT_ISOLATED, where, error))
      return FALSE;
  return attn_pre_tokenizer_append_byte_level (tokenizer->pre_tokenizer, parts->adds_prefix_space,
                                               parts->patterns == NULL, where, error);
}

static AttnBpeOptions
get_bpe_options (const AttnTokenizerParts *parts)
{
  return (AttnBpeOptions) {
    .is_byte_level = parts->model == ATTN_TOKENIZER_BYTE_LEVEL_BPE,
    .has_byte_fallback = parts->has_byte_fallback,
    .fuses_unknown = is_sentencepiece (parts),
    .ignores_merges = parts->ignores_merges && parts->model == ATTN_TOKENIZER_BYTE_LEVEL_BPE,
    .unknown_id = parts->unknown_id,
  };
}

static AttnSubword *
new_bpe (const AttnTokenizerParts  *parts,
         const AttnVocabulary      *vocabulary,
         const char                *where,
         GError                   **error)
{
  const AttnBpeOptions options = get_bpe_options (parts);
  AttnPairMap *merges;

  if (options.is_byte_level)
    merges = attn_merges_new_from_strings (parts->merges, parts->n_merges, where, vocabulary,
                                           error);
  else
    merges = attn_merges_new_from_scores (vocabulary, parts->scores, parts->types);
  return merges != NULL ? attn_bpe_new (vocabulary, merges, &options, parts->types) : NULL;
}

static AttnSubword *
new_unigram (const AttnTokenizerParts *parts,
             const AttnVocabulary     *vocabulary)
{
  g_autofree double *scores = g_new (double, parts->n_pieces);

  for (gsize id = 0; id < parts->n_pieces; id++)
    scores[id] = parts->scores[id];
  return attn_unigram_new (vocabulary, scores, parts->unknown_id, parts->has_byte_fallback,
                           parts->types);
}

static gboolean
set_subword (AttnTokenizer             *tokenizer,
             const AttnTokenizerParts  *parts,
             const char                *where,
             GError                   **error)
{
  switch (parts->model)
    {
    case ATTN_TOKENIZER_UNIGRAM:
      tokenizer->subword = new_unigram (parts, tokenizer->vocabulary);
      break;
    case ATTN_TOKENIZER_WORDPIECE:
      tokenizer->subword = attn_wordpiece_new (tokenizer->vocabulary, "##", parts->unknown_id,
                                               WORDPIECE_MAX_CHARACTERS, parts->types);
      break;
    case ATTN_TOKENIZER_BYTE_LEVEL_BPE:
    case ATTN_TOKENIZER_SCORED_BPE:
      tokenizer->subword = new_bpe (parts, tokenizer->vocabulary, where, error);
      break;
    }
  return tokenizer->subword != NULL;
}

/* Special tokens are found in the text as given. What the user defined is too, unless the model
 * itself looks for it. */
static gboolean
set_added_tokens (AttnTokenizer             *tokenizer,
                  const AttnTokenizerParts  *parts,
                  const char                *where,
                  GError                   **error)
{
  tokenizer->added_tokens = attn_added_tokens_new (NULL, where, tokenizer->vocabulary, error);
  for (guint32 id = 0; id < parts->n_pieces; id++)
    {
      AttnPieceType type = get_type (parts, id);
      AttnAddedToken token = { .id = id, .content = (char *) parts->pieces[id] };

      token.is_special = type == ATTN_PIECE_CONTROL || type == ATTN_PIECE_UNKNOWN;
      if (parts->pieces[id] == NULL ||
          !(token.is_special || (type == ATTN_PIECE_USER_DEFINED && !is_sentencepiece (parts))))
        continue;
      if (!attn_added_tokens_append (tokenizer->added_tokens, &token, where, tokenizer->vocabulary,
                                     error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
append_id (const AttnTokenizer  *tokenizer,
           GArray               *ids,
           guint32               id,
           const char           *where,
           GError              **error)
{
  if (id == ATTN_TOKENIZER_NO_ID)
    return TRUE;
  g_array_append_val (ids, id);
  return check_id (tokenizer, id, where, error);
}

static gboolean
set_outer_stages (AttnTokenizer             *tokenizer,
                  const AttnTokenizerParts  *parts,
                  const char                *where,
                  GError                   **error)
{
  static const AttnDecoderDefault decoders[] = {
    [ATTN_TOKENIZER_BYTE_LEVEL_BPE] = ATTN_DECODER_BYTE_LEVEL,
    [ATTN_TOKENIZER_SCORED_BPE] = ATTN_DECODER_SPACES,
    [ATTN_TOKENIZER_UNIGRAM] = ATTN_DECODER_SPACES,
    [ATTN_TOKENIZER_WORDPIECE] = ATTN_DECODER_WORDPIECE,
  };
  AttnDecoderDefault decoder = decoders[parts->model];
  AttnPostProcessor *processor =
      attn_post_processor_new (NULL, where, tokenizer->vocabulary, error);

  tokenizer->post_processor = processor;
  if (decoder == ATTN_DECODER_SPACES && !parts->adds_prefix_space)
    decoder = ATTN_DECODER_ALL_SPACES;
  tokenizer->decoder = attn_decoder_new (NULL, decoder, where, error);
  return append_id (tokenizer, processor->prefix, parts->begin_id, where, error) &&
         append_id (tokenizer, processor->suffix, parts->end_id, where, error);
}

/**
 * attn_tokenizer_new_from_parts:
 * @where: what they were read from, for messages
 * @error: return location for %ATTN_ERROR_FORMAT, for parts that do not fit each other, and
 *   %ATTN_ERROR_UNSUPPORTED for a pattern that cannot be done
 *
 * Returns: (transfer full) (nullable): the tokenizer
 */
AttnTokenizer *
attn_tokenizer_new_from_parts (const AttnTokenizerParts  *parts,
                               const char                *where,
                               GError                   **error)
{
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_empty ();

  if (!check_scores (parts, where, error) || !check_types (parts, where, error) ||
      !add_pieces (tokenizer, parts, where, error) ||
      (parts->unknown_id != ATTN_TOKENIZER_NO_ID &&
       !check_id (tokenizer, parts->unknown_id, where, error)) ||
      !set_normalizer (tokenizer, parts, where, error) ||
      !set_pre_tokenizer (tokenizer, parts, where, error) ||
      !set_subword (tokenizer, parts, where, error) ||
      !set_added_tokens (tokenizer, parts, where, error) ||
      !set_outer_stages (tokenizer, parts, where, error) ||
      !attn_tokenizer_finish (tokenizer, error))
    return NULL;
  return g_steal_pointer (&tokenizer);
}

/**
 * attn_tokenizer_outline_parts:
 * @outline: (out caller-allocates): what [func@attn_tokenizer_new_from_parts] would make of @parts;
 *   those that do not fit each other are not found
 */
void
attn_tokenizer_outline_parts (const AttnTokenizerParts *parts,
                              AttnTokenizerOutline     *outline)
{
  const AttnBpeOptions options = get_bpe_options (parts);

  outline->kind = attn_bpe_get_kind (&options);
  if (parts->model == ATTN_TOKENIZER_UNIGRAM)
    outline->kind = ATTN_SUBWORD_UNIGRAM;
  else if (parts->model == ATTN_TOKENIZER_WORDPIECE)
    outline->kind = ATTN_SUBWORD_WORDPIECE;
  outline->size = parts->n_pieces;
  while (outline->size > 0 && parts->pieces[outline->size - 1] == NULL)
    outline->size--;
}
