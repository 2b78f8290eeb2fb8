/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-parts.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-merges.h"
#include "attn-spaces.h"
#include "attn-tokenizer-private.h"

/* The longest word, in characters, that WordPiece cuts into pieces. Longer words become the unknown
 * token, as in BERT's tokenization.py, WordpieceTokenizer. */
#define WORDPIECE_MAX_CHARACTERS 100

/**
 * attn_tokenizer_parts_init:
 * @parts: (out caller-allocates): the parts of a file of which nothing has been read yet; without
 *   special tokens
 * @path: the tokenizer's file; the string is not copied and must outlive @parts
 */
void
attn_tokenizer_parts_init (AttnTokenizerParts *parts,
                           const char         *path)
{
  *parts = (AttnTokenizerParts) {
    .path = path,
    .where = g_filename_display_name (path),
    .strings = g_string_chunk_new (1 << 16),
    .pieces = g_ptr_array_new (),
    .merges = g_ptr_array_new (),
    .scores = g_array_new (FALSE, FALSE, sizeof (float)),
    .types = g_byte_array_new (),
    .unknown_id = ATTN_TOKENIZER_NO_ID,
    .begin_id = ATTN_TOKENIZER_NO_ID,
    .end_id = ATTN_TOKENIZER_NO_ID,
  };
}

void
attn_tokenizer_parts_clear (AttnTokenizerParts *parts)
{
  g_free (parts->where);
  g_string_chunk_free (parts->strings);
  g_ptr_array_unref (parts->pieces);
  g_ptr_array_unref (parts->merges);
  g_array_unref (parts->scores);
  g_byte_array_unref (parts->types);
  g_clear_pointer (&parts->added, json_array_unref);
  g_clear_pointer (&parts->charsmap, g_bytes_unref);
  attn_chat_clear (&parts->chat);
  g_clear_error (&parts->chat_error);
}

/**
 * attn_tokenizer_parts_find:
 *
 * Returns: the smallest id of a piece that is spelled @piece, or %ATTN_TOKENIZER_NO_ID
 */
guint32
attn_tokenizer_parts_find (const AttnTokenizerParts *parts,
                           const char               *piece)
{
  for (guint32 id = 0; id < parts->pieces->len; id++)
    if (g_strcmp0 (parts->pieces->pdata[id], piece) == 0)
      return id;
  return ATTN_TOKENIZER_NO_ID;
}

static gboolean
is_sentencepiece (const AttnTokenizerParts *parts)
{
  return parts->model == ATTN_TOKENIZER_SCORED_BPE || parts->model == ATTN_TOKENIZER_UNIGRAM;
}

static float
get_score (const AttnTokenizerParts *parts,
           gsize                     id)
{
  return g_array_index (parts->scores, float, id);
}

static gboolean
add_pieces (AttnTokenizer             *tokenizer,
            const AttnTokenizerParts  *parts,
            GError                   **error)
{
  const char *where = parts->where;
  gboolean has_scores = is_sentencepiece (parts) && !parts->has_merges;

  if (has_scores && parts->scores->len != parts->pieces->len)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: vocabulary without scores found, expected one for each token"), where);
  for (gsize id = 0; id < parts->pieces->len; id++)
    {
      const char *piece = parts->pieces->pdata[id];
      int type = parts->types->data[id];

      if (has_scores && !isfinite (get_score (parts, id)))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: score %g of token %zu found, expected a finite number"), where,
                          get_score (parts, id), id);
      if (type < ATTN_PIECE_NORMAL || type > ATTN_PIECE_BYTE)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: type %d of token %zu found, expected 1 to 6"), where, type, id);
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
check_id (const AttnTokenizer       *tokenizer,
          const AttnTokenizerParts  *parts,
          guint32                    id,
          GError                   **error)
{
  if (id == ATTN_TOKENIZER_NO_ID || attn_vocabulary_get_piece (tokenizer->vocabulary, id) != NULL)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: special token %u found, expected one of the vocabulary"), parts->where,
                    id);
}

static gboolean
set_normalizer (AttnTokenizer             *tokenizer,
                const AttnTokenizerParts  *parts,
                GError                   **error)
{
  const AttnBertOptions options = {
    .cleans_text = TRUE,
    .spaces_chinese = !parts->joins_chinese,
    .strips_accents = parts->strips_accents || (parts->lowercases && !parts->keeps_accents),
    .lowercases = parts->lowercases,
  };
  AttnNormalizer *normalizer = attn_normalizer_new (NULL, parts->where, error);
  AttnCharsmap *charsmap;

  tokenizer->normalizer = normalizer;
  if (parts->model == ATTN_TOKENIZER_WORDPIECE)
    attn_normalizer_append_bert (normalizer, &options);
  if (parts->model == ATTN_TOKENIZER_WORD_BPE)
    attn_normalizer_append_bert (normalizer,
                                 &(AttnBertOptions) { .lowercases = parts->lowercases });
  if (parts->model == ATTN_TOKENIZER_BYTE_LEVEL_BPE && parts->composes)
    attn_normalizer_append_form (normalizer, G_NORMALIZE_NFC);
  if (!is_sentencepiece (parts))
    return TRUE;

  if (parts->charsmap != NULL && g_bytes_get_size (parts->charsmap) > 0)
    {
      charsmap = attn_charsmap_new (parts->charsmap, parts->where, error);
      if (charsmap == NULL)
        return FALSE;
      /* User-defined tokens are not normalized by the charsmap. */
      attn_charsmap_protect (charsmap, attn_vocabulary_create_user_trie (tokenizer->vocabulary,
                                                                         parts->types->data));
      attn_normalizer_append_charsmap (normalizer, charsmap);
    }
  if (parts->removes_extra_spaces)
    {
      attn_normalizer_append_replace (normalizer, " {2,}", " ");
      attn_normalizer_append_replace (normalizer, "\\A | \\z", "");
    }
  return TRUE;
}

static gboolean
set_pre_tokenizer (AttnTokenizer             *tokenizer,
                   const AttnTokenizerParts  *parts,
                   GError                   **error)
{
  AttnPreTokenizer *pre_tokenizer = attn_pre_tokenizer_new (NULL, parts->where, error);

  tokenizer->pre_tokenizer = pre_tokenizer;
  if (parts->model == ATTN_TOKENIZER_WORDPIECE)
    attn_pre_tokenizer_append_bert (pre_tokenizer);
  else if (parts->model == ATTN_TOKENIZER_WORD_BPE)
    attn_pre_tokenizer_append_white_space (pre_tokenizer);
  else if (parts->model == ATTN_TOKENIZER_WORDLEVEL)
    attn_pre_tokenizer_append_spaces (pre_tokenizer);
  else if (is_sentencepiece (parts))
    attn_pre_tokenizer_append_metaspace (
        pre_tokenizer, ATTN_SPACE, parts->adds_prefix_space ? ATTN_PREFIX_DUMMY : ATTN_PREFIX_NEVER,
        FALSE);
  else
    {
      for (gsize i = 0; parts->patterns != NULL && parts->patterns[i] != NULL; i++)
        if (!attn_pre_tokenizer_append_split (pre_tokenizer, parts->patterns[i], parts->where,
                                              error))
          return FALSE;
      attn_pre_tokenizer_append_byte_level (pre_tokenizer, parts->adds_prefix_space,
                                            parts->patterns == NULL);
    }
  return TRUE;
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
new_subword (const AttnTokenizerParts  *parts,
             const AttnVocabulary      *vocabulary,
             GError                   **error)
{
  const AttnBpeOptions options = get_bpe_options (parts);
  const guint8 *types = parts->types->data;
  g_autofree double *scores = NULL;
  AttnPairMap *merges;

  switch (parts->model)
    {
    case ATTN_TOKENIZER_UNIGRAM:
      scores = g_new (double, parts->pieces->len);
      for (gsize id = 0; id < parts->pieces->len; id++)
        scores[id] = get_score (parts, id);
      return attn_unigram_new (vocabulary, scores, parts->unknown_id, parts->has_byte_fallback,
                               types);
    case ATTN_TOKENIZER_WORDPIECE:
      return attn_wordpiece_new (vocabulary, "##", parts->unknown_id, WORDPIECE_MAX_CHARACTERS,
                                 types);
    case ATTN_TOKENIZER_WORDLEVEL:
      return attn_wordlevel_new (vocabulary, parts->unknown_id);
    case ATTN_TOKENIZER_SCORED_BPE:
      if (!parts->has_merges)
        {
          merges =
              attn_merges_new_from_scores (vocabulary, (const float *) parts->scores->data, types);
          break;
        }
      G_GNUC_FALLTHROUGH;
    case ATTN_TOKENIZER_BYTE_LEVEL_BPE:
    case ATTN_TOKENIZER_WORD_BPE:
    default:
      merges = attn_merges_new_from_strings ((const char * const *) parts->merges->pdata,
                                             parts->merges->len, parts->where, vocabulary, error);
      break;
    }
  return merges != NULL ? attn_bpe_new (vocabulary, merges, &options, types) : NULL;
}

/* Creates the added tokens: those that the file lists as added, special pieces, and user-defined
 * pieces unless the subword model finds these itself, as SentencePiece does. */
static gboolean
set_added_tokens (AttnTokenizer             *tokenizer,
                  const AttnTokenizerParts  *parts,
                  GError                   **error)
{
  tokenizer->added_tokens =
      attn_added_tokens_new (parts->added, parts->where, tokenizer->vocabulary, error);
  if (tokenizer->added_tokens == NULL)
    return FALSE;
  for (guint32 id = 0; id < parts->pieces->len; id++)
    {
      AttnPieceType type = parts->types->data[id];
      AttnAddedToken token = { .id = id, .content = parts->pieces->pdata[id] };

      token.is_special = type == ATTN_PIECE_CONTROL || type == ATTN_PIECE_UNKNOWN;
      if (token.content == NULL || attn_added_tokens_lookup (tokenizer->added_tokens, id) != NULL ||
          !(token.is_special || (type == ATTN_PIECE_USER_DEFINED && !is_sentencepiece (parts))))
        continue;
      if (!attn_added_tokens_append (tokenizer->added_tokens, &token, parts->where,
                                     tokenizer->vocabulary, error))
        return FALSE;
    }
  return TRUE;
}

static void
append_id (GArray  *ids,
           guint32  id)
{
  if (id != ATTN_TOKENIZER_NO_ID)
    g_array_append_val (ids, id);
}

static void
set_outer_stages (AttnTokenizer            *tokenizer,
                  const AttnTokenizerParts *parts)
{
  static const AttnDecoderDefault decoders[] = {
    [ATTN_TOKENIZER_BYTE_LEVEL_BPE] = ATTN_DECODER_BYTE_LEVEL,
    [ATTN_TOKENIZER_SCORED_BPE] = ATTN_DECODER_SPACES,
    [ATTN_TOKENIZER_UNIGRAM] = ATTN_DECODER_SPACES,
    [ATTN_TOKENIZER_WORDPIECE] = ATTN_DECODER_WORDPIECE,
    [ATTN_TOKENIZER_WORD_BPE] = ATTN_DECODER_ALL_SPACES,
    [ATTN_TOKENIZER_WORDLEVEL] = ATTN_DECODER_PLAIN,
  };
  AttnDecoderDefault decoder = decoders[parts->model];

  if (decoder == ATTN_DECODER_SPACES && !parts->adds_prefix_space)
    decoder = ATTN_DECODER_ALL_SPACES;
  tokenizer->decoder = attn_decoder_new (NULL, decoder, parts->where, NULL);
  tokenizer->post_processor =
      attn_post_processor_new (NULL, parts->where, tokenizer->vocabulary, NULL);
  append_id (tokenizer->post_processor->prefix, parts->begin_id);
  append_id (tokenizer->post_processor->suffix, parts->end_id);
}

/**
 * attn_tokenizer_new_from_parts:
 * @error: return location for %ATTN_ERROR_FORMAT, for parts that do not fit each other, and
 *   %ATTN_ERROR_UNSUPPORTED for a regular expression in @patterns that cannot be compiled
 *
 * Returns: (transfer full) (nullable): the tokenizer
 */
AttnTokenizer *
attn_tokenizer_new_from_parts (const AttnTokenizerParts  *parts,
                               GError                   **error)
{
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_empty ();

  if (!add_pieces (tokenizer, parts, error) ||
      !check_id (tokenizer, parts, parts->unknown_id, error) ||
      !check_id (tokenizer, parts, parts->begin_id, error) ||
      !check_id (tokenizer, parts, parts->end_id, error) ||
      !set_normalizer (tokenizer, parts, error) || !set_pre_tokenizer (tokenizer, parts, error))
    return NULL;
  tokenizer->subword = new_subword (parts, tokenizer->vocabulary, error);
  if (tokenizer->subword == NULL || !set_added_tokens (tokenizer, parts, error))
    return NULL;
  set_outer_stages (tokenizer, parts);
  return attn_tokenizer_finish (tokenizer, error) ? g_steal_pointer (&tokenizer) : NULL;
}

/**
 * attn_tokenizer_outline_parts:
 * @outline: (out caller-allocates): kind and size of the tokenizer that
 *   [func@attn_tokenizer_new_from_parts] would make of @parts; it is not noticed if these do not
 *   fit each other
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
  else if (parts->model == ATTN_TOKENIZER_WORDLEVEL)
    outline->kind = ATTN_SUBWORD_WORDLEVEL;
  outline->size = parts->pieces->len;
  while (outline->size > 0 && parts->pieces->pdata[outline->size - 1] == NULL)
    outline->size--;
  for (guint i = 0; parts->added != NULL && i < json_array_get_length (parts->added); i++)
    outline->size =
        MAX (outline->size, 1 + (gsize) json_object_get_int_member (
                                    json_array_get_object_element (parts->added, i), "id"));
}
