/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-added-tokens.h"
#include "attn-bpe.h"
#include "attn-byte-level.h"
#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-label.h"
#include "attn-memory.h"
#include "attn-normalizer.h"
#include "attn-post-processor.h"
#include "attn-pre-tokenizer.h"
#include "attn-tokenizer-path.h"
#include "attn-tokens-private.h"

/* What a token costs beside its bytes: the struct, a pointer, and a short label on the heap. */
#define BYTES_PER_TOKEN (sizeof (AttnToken) + sizeof (char *) + 32)

enum
{
  MODEL_BPE,
};

static const char *const models[] = {
  [MODEL_BPE] = "BPE",
  NULL,
};

/**
 * AttnTokenizer:
 *
 * A pipeline: added tokens are found in the text as given; the stretches between them are
 * normalized, cut into words by the pre-tokenizer and into pieces by the subword model; the
 * post-processor puts special tokens around the whole. Immutable and reference-counted; any number
 * of threads may use one at once.
 */
struct _AttnTokenizer
{
  gatomicrefcount ref_count;
  AttnVocabulary *vocabulary;
  AttnAddedTokens *added_tokens;
  AttnNormalizer *normalizer;
  AttnPreTokenizer *pre_tokenizer;
  AttnSubword *subword;
  AttnPostProcessor *post_processor;
};

/* One text on its way through the pipeline. */
typedef struct
{
  const AttnTokenizer *tokenizer;
  const char *text;     /* the original */
  AttnMappedText *part; /* the stretch that is being worked on, normalized */
  GArray *tokens;       /* AttnToken, offsets in the original */
} Encoder;

/**
 * attn_tokenizer_exists:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file
 *
 * Returns: whether there is a file that [func@attn_tokenizer_load] would read
 */
gboolean
attn_tokenizer_exists (const char *path)
{
  g_autofree char *file = attn_tokenizer_path_find (path);

  return g_file_test (file, G_FILE_TEST_IS_REGULAR);
}

static gboolean
read_model (AttnTokenizer  *tokenizer,
            JsonObject     *root,
            const char     *where,
            GError        **error)
{
  JsonObject *model, *pieces;
  gboolean has_type;

  if (!attn_component_get_object (json_object_get_member (root, "model"), where, _("model"), &model,
                                  error))
    return FALSE;
  /* Files of the first versions leave the type out; only BPE has merges. */
  has_type = json_object_has_member (model, "type") || !json_object_has_member (model, "merges");
  if (has_type && attn_component_find_type (model, where, _("model"), models, error) < 0)
    return FALSE;

  if (!attn_json_get_object (model, where, "vocab", &pieces, error))
    return FALSE;
  if (pieces == NULL || json_object_get_size (pieces) == 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: model without a vocabulary found, expected tokens with their ids"),
                   where);
      return FALSE;
    }
  if (!attn_vocabulary_add_object (tokenizer->vocabulary, where, pieces, error))
    return FALSE;
  tokenizer->subword = attn_bpe_new (model, where, tokenizer->vocabulary, error);
  return tokenizer->subword != NULL;
}

/* Tokens that are looked for in normalized text are normalized as it is. */
static gboolean
set_normalized_patterns (AttnTokenizer  *tokenizer,
                         GError        **error)
{
  for (guint i = 0; i < attn_added_tokens_get_n (tokenizer->added_tokens); i++)
    {
      const AttnAddedToken *token = attn_added_tokens_get_nth (tokenizer->added_tokens, i);
      g_auto (AttnMappedText) pattern = { 0 };

      if (!token->is_normalized)
        continue;
      attn_mapped_text_init (&pattern, token->content, strlen (token->content), 0);
      if (!attn_normalizer_apply (tokenizer->normalizer, &pattern, error))
        return FALSE;
      attn_added_tokens_set_pattern (tokenizer->added_tokens, i, pattern.text, pattern.length);
    }
  return TRUE;
}

static gboolean
check_version (JsonObject  *root,
               const char  *where,
               GError     **error)
{
  const char *version;

  if (!attn_json_get_string (root, where, "version", "1.0", &version, error))
    return FALSE;
  if (g_str_equal (version, "1.0"))
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: version “%s” of the format found, expected “1.0”"), where, version);
  return FALSE;
}

static gboolean
read_stages (AttnTokenizer  *tokenizer,
             JsonObject     *root,
             const char     *where,
             GError        **error)
{
  JsonArray *added;

  if (!check_version (root, where, error))
    return FALSE;
  tokenizer->normalizer = attn_normalizer_new (json_object_get_member (root, "normalizer"), where,
                                               error);
  if (tokenizer->normalizer == NULL)
    return FALSE;
  tokenizer->pre_tokenizer = attn_pre_tokenizer_new (json_object_get_member (root, "pre_tokenizer"),
                                                     where, error);
  if (tokenizer->pre_tokenizer == NULL)
    return FALSE;
  if (!attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer))
    {
      g_set_error (
          error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
          _("%s: BPE without the pre-tokenizer “ByteLevel” found, expected byte-level BPE"),
          where);
      return FALSE;
    }

  if (!read_model (tokenizer, root, where, error) ||
      !attn_json_get_array (root, where, "added_tokens", &added, error))
    return FALSE;
  tokenizer->added_tokens = attn_added_tokens_new (added, where, tokenizer->vocabulary, error);
  if (tokenizer->added_tokens == NULL || !set_normalized_patterns (tokenizer, error))
    return FALSE;
  tokenizer->post_processor = attn_post_processor_new (
      json_object_get_member (root, "post_processor"), where, tokenizer->vocabulary, error);
  return tokenizer->post_processor != NULL;
}

/**
 * attn_tokenizer_load:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a component that is
 *   not known (it is named), and what reading the file reports
 *
 * Reads a Hugging Face tokenizer.json.
 *
 * Returns: (transfer full) (nullable): the tokenizer
 */
AttnTokenizer *
attn_tokenizer_load (const char  *path,
                     GError     **error)
{
  g_autofree char *file = attn_tokenizer_path_find (path);
  g_autoptr (JsonNode) node = attn_json_load (file, error);
  g_autoptr (AttnTokenizer) tokenizer = NULL;
  JsonObject *root;

  if (node == NULL || !attn_component_get_object (node, file, _("tokenizer"), &root, error))
    return NULL;

  tokenizer = g_new0 (AttnTokenizer, 1);
  g_atomic_ref_count_init (&tokenizer->ref_count);
  tokenizer->vocabulary = attn_vocabulary_new ();
  if (!read_stages (tokenizer, root, file, error))
    return NULL;
  return g_steal_pointer (&tokenizer);
}

AttnTokenizer *
attn_tokenizer_ref (AttnTokenizer *tokenizer)
{
  g_atomic_ref_count_inc (&tokenizer->ref_count);
  return tokenizer;
}

void
attn_tokenizer_unref (AttnTokenizer *tokenizer)
{
  if (!g_atomic_ref_count_dec (&tokenizer->ref_count))
    return;
  if (tokenizer->subword != NULL)
    tokenizer->subword->free (tokenizer->subword);
  g_clear_pointer (&tokenizer->post_processor, attn_post_processor_free);
  g_clear_pointer (&tokenizer->pre_tokenizer, attn_pre_tokenizer_free);
  g_clear_pointer (&tokenizer->normalizer, attn_normalizer_free);
  g_clear_pointer (&tokenizer->added_tokens, attn_added_tokens_free);
  attn_vocabulary_free (tokenizer->vocabulary);
  g_free (tokenizer);
}

/**
 * attn_tokenizer_get_kind:
 *
 * Returns: what it is, for people: "byte-level BPE"
 */
const char *
attn_tokenizer_get_kind (const AttnTokenizer *tokenizer)
{
  return tokenizer->subword->kind;
}

/**
 * attn_tokenizer_get_size:
 *
 * Returns: one more than the largest id, added tokens included
 */
gsize
attn_tokenizer_get_size (const AttnTokenizer *tokenizer)
{
  return attn_vocabulary_get_size (tokenizer->vocabulary);
}

/**
 * attn_tokenizer_get_piece:
 *
 * Returns: (nullable) (transfer none): the token as the vocabulary spells it, such as "Ġis"; %NULL
 *   for an id that it does not have
 */
const char *
attn_tokenizer_get_piece (const AttnTokenizer *tokenizer,
                          guint32              id)
{
  return attn_vocabulary_get_piece (tokenizer->vocabulary, id);
}

/* Appends the bytes that @id stands for; FALSE where there is no such token. */
static gboolean
append_bytes (const AttnTokenizer *tokenizer,
              guint32              id,
              GString             *bytes)
{
  const char *piece = attn_vocabulary_get_piece (tokenizer->vocabulary, id);

  if (piece == NULL)
    return FALSE;
  /* Added tokens are spelled as they are, and so is a piece that is not in the alphabet. */
  if (attn_added_tokens_lookup (tokenizer->added_tokens, id) != NULL ||
      !attn_byte_level_decode (piece, bytes))
    g_string_append (bytes, piece);
  return TRUE;
}

/* Labels of tokens; @scratch is a buffer. */
static char *
dup_label (const AttnTokenizer *tokenizer,
           guint32              id,
           GString             *scratch)
{
  g_string_truncate (scratch, 0);
  if (!append_bytes (tokenizer, id, scratch) || scratch->len == 0)
    return attn_label_new_number (id);
  return attn_label_new (scratch->str, scratch->len);
}

/* Takes @tokens. */
static AttnTokens *
new_tokens (const AttnTokenizer *tokenizer,
            GArray              *tokens)
{
  g_autoptr (GString) scratch = g_string_new (NULL);
  char **labels = g_new0 (char *, (gsize) tokens->len + 1);

  for (guint i = 0; i < tokens->len; i++)
    {
      AttnToken *token = &g_array_index (tokens, AttnToken, i);
      const AttnAddedToken *added = attn_added_tokens_lookup (tokenizer->added_tokens, token->id);

      token->is_special = added != NULL && added->is_special;
      labels[i] = dup_label (tokenizer, token->id, scratch);
    }
  return attn_tokens_new_take (tokens, labels);
}

static void
append_added (Encoder              *encoder,
              const AttnAddedToken *added,
              gsize                 begin,
              gsize                 end)
{
  AttnToken token = { added->id, begin, end, FALSE };

  g_array_append_val (encoder->tokens, token);
}

/* Words and pieces of a stretch without added tokens. */
static gboolean
encode_stretch (Encoder         *encoder,
                AttnMappedText  *stretch,
                GError         **error)
{
  const AttnTokenizer *tokenizer = encoder->tokenizer;
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (AttnSpan));
  guint n_before = encoder->tokens->len;

  if (!attn_pre_tokenizer_split (tokenizer->pre_tokenizer, stretch, words, error) ||
      !tokenizer->subword->encode (tokenizer->subword, stretch->text,
                                   (const AttnSpan *) words->data, words->len, encoder->tokens,
                                   error))
    return FALSE;
  for (guint i = n_before; i < encoder->tokens->len; i++)
    {
      AttnToken *token = &g_array_index (encoder->tokens, AttnToken, i);

      attn_mapped_text_get_origin (stretch, token->begin, token->end, &token->begin, &token->end);
    }
  return TRUE;
}

/* A stretch of normalized text between two tokens that are looked for in it, or such a token. */
static gboolean
encode_normalized (gsize                  begin,
                   gsize                  end,
                   const AttnAddedToken  *added,
                   gpointer               user_data,
                   GError               **error)
{
  Encoder *encoder = user_data;
  g_auto (AttnMappedText) stretch = { 0 };
  gsize origin_begin, origin_end;

  if (added != NULL)
    {
      attn_mapped_text_get_origin (encoder->part, begin, end, &origin_begin, &origin_end);
      append_added (encoder, added, origin_begin, origin_end);
      return TRUE;
    }
  attn_mapped_text_init_slice (&stretch, encoder->part, begin, end);
  return encode_stretch (encoder, &stretch, error);
}

/* A stretch of the text as given between two tokens that are looked for in it, or such a token. */
static gboolean
encode_raw (gsize                  begin,
            gsize                  end,
            const AttnAddedToken  *added,
            gpointer               user_data,
            GError               **error)
{
  Encoder *encoder = user_data;
  const AttnTokenizer *tokenizer = encoder->tokenizer;
  g_auto (AttnMappedText) part = { 0 };

  if (added != NULL)
    {
      append_added (encoder, added, begin, end);
      return TRUE;
    }
  attn_mapped_text_init (&part, encoder->text + begin, end - begin, begin);
  if (!attn_normalizer_apply (tokenizer->normalizer, &part, error))
    return FALSE;
  encoder->part = &part;
  return attn_added_tokens_split (tokenizer->added_tokens, TRUE, part.text, part.length,
                                  encode_normalized, encoder, error);
}

/* UTF-8 with NUL as a character like any other. */
static gboolean
check_text (const char  *text,
            gsize        length,
            GError     **error)
{
  const char *end = text + length;
  const char *valid = text;

  if (length > ATTN_MAPPED_TEXT_MAX_LENGTH)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("text: %" G_GSIZE_FORMAT " bytes found, expected at most %" G_GSIZE_FORMAT),
                   length, ATTN_MAPPED_TEXT_MAX_LENGTH);
      return FALSE;
    }
  while (!g_utf8_validate_len (valid, end - valid, &valid) && *valid == '\0')
    valid++;
  if (valid == end)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("text: byte 0x%02X at %" G_GSIZE_FORMAT " found, expected UTF-8"), (guint8) *valid,
               (gsize) (valid - text));
  return FALSE;
}

static void
append_ids (GArray       *tokens,
            const GArray *ids,
            gsize         position)
{
  for (guint i = 0; i < ids->len; i++)
    {
      AttnToken token = { g_array_index (ids, guint32, i), position, position, FALSE };

      g_array_append_val (tokens, token);
    }
}

/**
 * attn_tokenizer_encode:
 * @text: (array length=length): text in UTF-8
 * @length: bytes of @text, or -1 where it is NUL-terminated
 * @add_special_tokens: whether to put the tokens around the text that the tokenizer adds by itself
 * @error: return location for %ATTN_ERROR_FORMAT, where @text is not UTF-8 or has a byte that no
 *   token stands for; %ATTN_ERROR_LIMIT for 2 GiB or more; %ATTN_ERROR_MEMORY
 *
 * A special token typed in the text is that token. Time grows as n log n with the longest word,
 * linearly with the rest.
 *
 * Returns: (transfer full) (nullable): the tokens, none for an empty text
 */
AttnTokens *
attn_tokenizer_encode (const AttnTokenizer  *tokenizer,
                       const char           *text,
                       gssize                length,
                       gboolean              add_special_tokens,
                       GError              **error)
{
  gsize n_bytes = length < 0 ? strlen (text) : (gsize) length;
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (AttnToken));
  Encoder encoder = { tokenizer, text, NULL, tokens };

  if (!check_text (text, n_bytes, error) ||
      !attn_memory_check (n_bytes * BYTES_PER_TOKEN, _("the tokens of the text"), error))
    return NULL;

  if (add_special_tokens)
    append_ids (tokens, tokenizer->post_processor->prefix, 0);
  if (!attn_added_tokens_split (tokenizer->added_tokens, FALSE, text, n_bytes, encode_raw, &encoder,
                                error))
    return NULL;
  if (add_special_tokens)
    append_ids (tokens, tokenizer->post_processor->suffix, n_bytes);
  return new_tokens (tokenizer, g_steal_pointer (&tokens));
}

/**
 * attn_tokenizer_label_ids:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Tokens begin and end where [func@attn_tokenizer_decode] has their bytes. An id that the
 * vocabulary does not have, as in models whose embedding was padded, is labelled with its number,
 * "#50300".
 *
 * Returns: (transfer full) (nullable): the ids as tokens
 */
AttnTokens *
attn_tokenizer_label_ids (const AttnTokenizer  *tokenizer,
                          const guint32        *ids,
                          gsize                 n_ids,
                          GError              **error)
{
  g_autoptr (GArray) tokens = NULL;
  g_autoptr (GString) bytes = g_string_new (NULL);
  gsize position = 0;

  if (!attn_memory_check (n_ids > G_MAXUINT32 ? G_MAXSIZE : n_ids * BYTES_PER_TOKEN,
                          _("the tokens"), error))
    return NULL;
  tokens = g_array_sized_new (FALSE, FALSE, sizeof (AttnToken), n_ids);
  for (gsize i = 0; i < n_ids; i++)
    {
      g_string_truncate (bytes, 0);
      append_bytes (tokenizer, ids[i], bytes);

      AttnToken token = { ids[i], position, position + bytes->len, FALSE };
      g_array_append_val (tokens, token);
      position = token.end;
    }
  return new_tokens (tokenizer, g_steal_pointer (&tokens));
}

/**
 * attn_tokenizer_decode:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_ARGUMENT, for an id that the vocabulary does not have
 *
 * Returns: (transfer full) (nullable): the bytes that the ids stand for, special tokens by their
 *   text; they need not be UTF-8. The decoding of what was encoded is the text, but for what the
 *   tokenizer changes in it: a normalizer, a space put in front, spaces that an added token takes.
 */
GBytes *
attn_tokenizer_decode (const AttnTokenizer  *tokenizer,
                       const guint32        *ids,
                       gsize                 n_ids,
                       GError              **error)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  for (gsize i = 0; i < n_ids; i++)
    if (!append_bytes (tokenizer, ids[i], bytes))
      {
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                     _("token id %u found, expected one of the vocabulary's %" G_GSIZE_FORMAT),
                     ids[i], attn_tokenizer_get_size (tokenizer));
        return NULL;
      }
  return g_string_free_to_bytes (g_steal_pointer (&bytes));
}
