/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokenizer.json of Hugging Face. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-spaces.h"
#include "attn-subword-json.h"
#include "attn-tokenizer-private.h"

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

/* Bytes spelled in the byte-level alphabet make sense to BPE only. */
static gboolean
check_byte_level (const AttnTokenizer  *tokenizer,
                  const char           *where,
                  GError              **error)
{
  if (!attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer) ||
      g_str_equal (tokenizer->subword->kind, "byte-level BPE"))
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: pre-tokenizer ByteLevel with model %s found, expected BPE"), where,
               tokenizer->subword->kind);
  return FALSE;
}

static AttnDecoderDefault
find_default_decoder (const AttnTokenizer *tokenizer)
{
  guint32 id;

  if (attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer))
    return ATTN_DECODER_BYTE_LEVEL;
  if (g_str_equal (tokenizer->subword->kind, "WordPiece"))
    return ATTN_DECODER_WORDPIECE;
  return attn_vocabulary_lookup (tokenizer->vocabulary, ATTN_SPACE, &id) ? ATTN_DECODER_SPACES : ATTN_DECODER_PLAIN;
}

static gboolean
read_text_stages (AttnTokenizer  *tokenizer,
                  JsonObject     *root,
                  const char     *where,
                  GError        **error)
{
  tokenizer->normalizer = attn_normalizer_new (json_object_get_member (root, "normalizer"), where,
                                               error);
  if (tokenizer->normalizer == NULL)
    return FALSE;
  tokenizer->pre_tokenizer = attn_pre_tokenizer_new (json_object_get_member (root, "pre_tokenizer"),
                                                     where, error);
  return tokenizer->pre_tokenizer != NULL;
}

static gboolean
read_token_stages (AttnTokenizer  *tokenizer,
                   JsonObject     *root,
                   const char     *where,
                   GError        **error)
{
  JsonArray *added;

  tokenizer->subword = attn_subword_new_from_json (
      json_object_get_member (root, "model"),
      attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer), where, tokenizer->vocabulary,
      error);
  if (tokenizer->subword == NULL || !check_byte_level (tokenizer, where, error) ||
      !attn_json_get_array (root, where, "added_tokens", &added, error))
    return FALSE;
  tokenizer->added_tokens = attn_added_tokens_new (added, where, tokenizer->vocabulary, error);
  if (tokenizer->added_tokens == NULL)
    return FALSE;
  tokenizer->post_processor = attn_post_processor_new (
      json_object_get_member (root, "post_processor"), where, tokenizer->vocabulary, error);
  if (tokenizer->post_processor == NULL)
    return FALSE;
  tokenizer->decoder = attn_decoder_new (json_object_get_member (root, "decoder"),
                                         find_default_decoder (tokenizer), where, error);
  return tokenizer->decoder != NULL;
}

/**
 * attn_tokenizer_read_json:
 * @path: a tokenizer.json
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a component that is
 *   not known, and what reading the file reports
 */
AttnTokenizer *
attn_tokenizer_read_json (const char  *path,
                          GError     **error)
{
  g_autoptr (JsonNode) node = attn_json_load (path, error);
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_empty ();
  JsonObject *root;

  if (node == NULL || !attn_component_get_object (node, path, _("tokenizer"), &root, error) ||
      !check_version (root, path, error) || !read_text_stages (tokenizer, root, path, error) ||
      !read_token_stages (tokenizer, root, path, error) ||
      !attn_tokenizer_finish (tokenizer, error))
    return NULL;
  return g_steal_pointer (&tokenizer);
}
