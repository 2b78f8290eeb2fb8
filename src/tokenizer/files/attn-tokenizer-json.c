/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the tokenizer.json format of Hugging Face. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"
#include "attn-spaces.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-private.h"
#include "attn-tokenizer-readers.h"

enum
{
  PIECES,
  MERGES,
};

static const char * const long_members[] = { [PIECES] = "vocab", [MERGES] = "merges", NULL };

/* A parsed tokenizer.json. The pieces and merges, which make up most of the file, are not part of
 * the tree @node but read separately, by @walks. */
typedef struct
{
  char *where; /* name of the file at the beginning of error messages */
  GBytes *bytes;
  JsonNode *node;
  AttnJsonReader json; /* reads the members of @node */
  AttnJsonWalk walks[G_N_ELEMENTS (long_members) - 1];
} Document;

static void
document_clear (Document *document)
{
  g_clear_pointer (&document->node, json_node_unref);
  g_clear_pointer (&document->bytes, g_bytes_unref);
  g_clear_pointer (&document->where, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Document, document_clear)

static gboolean
document_load (Document    *document,
               const char  *path,
               GError     **error)
{
  gsize length;

  document->where = g_filename_display_name (path);
  document->bytes = attn_file_read_text (path, error);
  if (document->bytes == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (document->bytes, &length);
  document->node = attn_json_parse_without (document->where, text, length, "model", long_members,
                                            document->walks, error);
  if (document->node == NULL)
    return FALSE;
  document->json = attn_tokenizer_component_begin (document->node, document->where, _("tokenizer"));
  const char *version = attn_json_read_string (&document->json, "version", "1.0");
  if (!g_str_equal (version, "1.0"))
    attn_json_fail (&document->json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: version “%s” of the format found, expected “1.0”"), document->where,
                    version);
  return attn_json_finish (&document->json, error);
}

/* Returns the description of a stage of the pipeline, such as "normalizer", or NULL if the file has
 * none. */
static JsonNode *
get_stage (const Document *document,
           const char     *name)
{
  return json_object_get_member (document->json.object, name);
}

/* Refuses the pre-tokenizer ByteLevel with any other model than byte-level BPE. */
static gboolean
check_byte_level (const AttnTokenizer  *tokenizer,
                  const char           *kind,
                  const char           *where,
                  GError              **error)
{
  if (!attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer) ||
      g_str_equal (kind, ATTN_SUBWORD_BYTE_LEVEL_BPE))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: pre-tokenizer ByteLevel with model %s found, expected BPE"), where,
                    kind);
}

static AttnDecoderDefault
find_default_decoder (const AttnTokenizer *tokenizer,
                      const char          *kind)
{
  guint32 id;

  if (attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer))
    return ATTN_DECODER_BYTE_LEVEL;
  if (g_str_equal (kind, ATTN_SUBWORD_WORDPIECE) || g_str_equal (kind, ATTN_SUBWORD_WORDLEVEL))
    return ATTN_DECODER_WORDPIECE;
  return attn_vocabulary_lookup (tokenizer->vocabulary, ATTN_SPACE, &id) ? ATTN_DECODER_SPACES
                                                                         : ATTN_DECODER_PLAIN;
}

static gboolean
read_text_stages (AttnTokenizer   *tokenizer,
                  const Document  *document,
                  GError         **error)
{
  tokenizer->normalizer =
      attn_normalizer_new (get_stage (document, "normalizer"), document->where, error);
  if (tokenizer->normalizer != NULL)
    tokenizer->pre_tokenizer =
        attn_pre_tokenizer_new (get_stage (document, "pre_tokenizer"), document->where, error);
  return tokenizer->pre_tokenizer != NULL;
}

/* Reads the stages of the pipeline that come after a subword model of @kind (added tokens,
 * post-processor, decoder). @knows_ids: whether the vocabulary already contains the pieces of the
 * model */
static gboolean
read_token_stages (AttnTokenizer  *tokenizer,
                   Document       *document,
                   const char     *kind,
                   gboolean        knows_ids,
                   GError        **error)
{
  const char *where = document->where;
  JsonArray *added = attn_json_read_array (&document->json, "added_tokens");

  if (!attn_json_finish (&document->json, error) ||
      !check_byte_level (tokenizer, kind, where, error))
    return FALSE;
  tokenizer->added_tokens = attn_added_tokens_new (added, where, tokenizer->vocabulary, error);
  if (tokenizer->added_tokens != NULL)
    tokenizer->post_processor =
        attn_post_processor_new (get_stage (document, "post_processor"), where,
                                 knows_ids ? tokenizer->vocabulary : NULL, error);
  if (tokenizer->post_processor != NULL)
    tokenizer->decoder = attn_decoder_new (get_stage (document, "decoder"),
                                           find_default_decoder (tokenizer, kind), where, error);
  return tokenizer->decoder != NULL;
}

/* Replaces the post-processor for tokenizer classes that take the special tokens around a text from
 * tokenizer_config.json, as update_post_processor() of transformers does. */
static gboolean
rebuild_ends (AttnTokenizer  *tokenizer,
              const char     *path,
              GError        **error)
{
  static const struct
  {
    const char *class_name;
    gboolean adds_begin;
    const char *begin;
    const char *end;
  } classes[] = {
    { "Llama", TRUE, "<s>", "</s>" },
    { "CodeLlama", TRUE, "<s>", "</s>" },
    { "Gemma", TRUE, "<bos>", "<eos>" },
    { "GPTNeoX", FALSE, "<|endoftext|>", "<|endoftext|>" },
  };
  g_auto (AttnTokenizerConfig) config = { 0 };
  const char *class_name;

  if (!attn_tokenizer_config_load (&config, path, error))
    return FALSE;
  class_name = attn_json_read_string (&config.values, "tokenizer_class", "");
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      if (!g_str_has_prefix (class_name, classes[i].class_name))
        continue;
      AttnPostProcessor *processor = tokenizer->post_processor;
      const struct
      {
        gboolean is_added;
        const char *token;
        GArray *ids;
      } ends[] = {
        { attn_json_read_boolean (&config.values, "add_bos_token", classes[i].adds_begin),
          attn_tokenizer_config_get_token (&config, "bos_token", classes[i].begin),
          processor->prefix },
        { attn_json_read_boolean (&config.values, "add_eos_token", FALSE),
          attn_tokenizer_config_get_token (&config, "eos_token", classes[i].end),
          processor->suffix },
      };

      for (gsize j = 0; j < G_N_ELEMENTS (ends); j++)
        {
          guint32 id;

          g_array_set_size (ends[j].ids, 0);
          if (!ends[j].is_added || config.values.error != NULL)
            continue;
          if (!attn_vocabulary_lookup (tokenizer->vocabulary, ends[j].token, &id))
            return attn_fail (error, ATTN_ERROR_FORMAT,
                              _("%s: vocabulary without “%s” found, expected that token"),
                              config.where, ends[j].token);
          g_array_append_val (ends[j].ids, id);
        }
    }
  return attn_json_finish (&config.values, error);
}

/**
 * attn_tokenizer_read_json:
 * @path: path of a tokenizer.json
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a component that is
 *   not known, and what reading the file reports
 *
 * Reads a tokenizer in the format of Hugging Face.
 */
AttnTokenizer *
attn_tokenizer_read_json (const char  *path,
                          GError     **error)
{
  g_auto (Document) document = { 0 };
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_empty ();

  if (!document_load (&document, path, error) || !read_text_stages (tokenizer, &document, error))
    return NULL;
  tokenizer->subword = attn_subword_new_from_json (
      get_stage (&document, "model"), &document.walks[PIECES],
      &document.walks[MERGES], attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer),
      tokenizer->vocabulary, error);
  if (tokenizer->subword == NULL ||
      !read_token_stages (tokenizer, &document, tokenizer->subword->kind, TRUE, error) ||
      !rebuild_ends (tokenizer, path, error) ||
      !attn_tokenizer_finish (tokenizer, error))
    return NULL;
  attn_decoder_set_word_end (tokenizer->decoder, tokenizer->subword->word_end);
  return g_steal_pointer (&tokenizer);
}

/**
 * attn_tokenizer_outline_json:
 * @path: path of a tokenizer.json
 * @outline: (out caller-allocates): kind and size of the tokenizer that
 *   [func@attn_tokenizer_read_json] would make of it
 * @error: return location for the errors of that function, but ids, pieces and merges are not
 *   compared with each other
 */
gboolean
attn_tokenizer_outline_json (const char            *path,
                             AttnTokenizerOutline  *outline,
                             GError               **error)
{
  g_auto (Document) document = { 0 };
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_empty ();

  if (!document_load (&document, path, error) || !read_text_stages (tokenizer, &document, error) ||
      !attn_subword_outline_json (
          get_stage (&document, "model"), &document.walks[PIECES],
          &document.walks[MERGES], attn_pre_tokenizer_is_byte_level (tokenizer->pre_tokenizer),
          &outline->kind, &outline->size, error) ||
      !read_token_stages (tokenizer, &document, outline->kind, FALSE, error))
    return FALSE;
  outline->size = MAX (outline->size, attn_vocabulary_get_size (tokenizer->vocabulary));
  return TRUE;
}
