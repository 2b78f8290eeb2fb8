/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads ids of tokens that the files of a checkpoint name for generation, such as those that end an
 * answer. */

#include "config.h"

#include "attn-end-tokens.h"

#include <glib/gi18n-lib.h>

#include "attn-array.h"
#include "attn-gguf.h"
#include "attn-json.h"
#include "attn-model-private.h"

/* The limit for ids of tokens that need not be in the vocabulary. */
#define ANY_TOKEN ((gsize) G_MAXUINT32 + 1)

/* Adds the token id that a member holds to @ids. @n_tokens: the limit below which the id must be */
static gboolean
add_token (gsize        n_tokens,
           JsonNode    *node,
           const char  *where,
           const char  *member,
           GArray      *ids,
           GError     **error)
{
  gint64 number = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64
                      ? json_node_get_int (node)
                      : -1;
  guint32 id = (guint32) number;

  if (number < 0 || (guint64) number >= n_tokens)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %s: something else found, expected token ids from 0 to %zu"), where,
                      member, n_tokens - 1);
  g_array_append_val (ids, id);
  return TRUE;
}

/* Adds to @ids the token ids of a member that may be null, a number or a list of numbers. */
static gboolean
add_member (gsize        n_tokens,
            JsonObject  *object,
            const char  *where,
            const char  *member,
            GArray      *ids,
            GError     **error)
{
  JsonNode *node = json_object_get_member (object, member);

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return add_token (n_tokens, node, where, member, ids, error);
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!add_token (n_tokens, json_array_get_element (array, i), where, member, ids, error))
      return FALSE;
  return TRUE;
}

/* Adds to @ids the tokens of a member that is a list of words, each of which is a list of a single
 * token id. */
static gboolean
add_words (gsize        n_tokens,
           JsonObject  *object,
           const char  *where,
           const char  *member,
           GArray      *ids,
           GError     **error)
{
  JsonNode *node = json_object_get_member (object, member);
  JsonArray *array =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *word = json_array_get_element (array, i);
      JsonArray *tokens = JSON_NODE_HOLDS_ARRAY (word) ? json_node_get_array (word) : NULL;

      if (tokens == NULL || json_array_get_length (tokens) != 1)
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          _("%s: %s: a word of %u tokens found, expected one token each"), where,
                          member, tokens != NULL ? json_array_get_length (tokens) : 0);
      if (!add_token (n_tokens, json_array_get_element (tokens, 0), where, member, ids, error))
        return FALSE;
    }
  return node == NULL || array != NULL || JSON_NODE_HOLDS_NULL (node) ||
         add_token (n_tokens, node, where, member, ids, error);
}

typedef gboolean (*AddFunc) (gsize n_tokens,
                             JsonObject *object,
                             const char *where,
                             const char *member,
                             GArray *ids,
                             GError **error);

/* Adds to @ids the tokens that a member of the JSON file @name names, by add_member() or
 * add_words(). Does nothing if the checkpoint has no such file. */
static gboolean
add_file (const AttnModel  *model,
          const char       *name,
          const char       *member,
          AddFunc           add,
          gsize             n_tokens,
          GArray           *ids,
          GError          **error)
{
  g_autofree char *path = g_build_filename (model->path, name, NULL);
  g_autofree char *where = g_filename_display_name (path);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (JsonNode) root = attn_json_load (path, error);
  return root != NULL && (!JSON_NODE_HOLDS_OBJECT (root) ||
                          add (n_tokens, json_node_get_object (root), where, member, ids, error));
}

/* Adds to @ids the tokens that end a text, a turn or a message by the metadata of a GGUF file. */
static gboolean
add_gguf (const AttnModel  *model,
          GArray           *ids,
          GError          **error)
{
  static const char * const keys[] = { "tokenizer.ggml.eos_token_id",
                                       "tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id" };
  g_autoptr (AttnArrayFile) file = attn_array_file_load (model->path, error);
  g_autofree char *where = g_filename_display_name (model->path);
  const AttnGgufMetadata *metadata = file != NULL ? attn_array_file_get_gguf (file) : NULL;

  if (metadata == NULL)
    return file != NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (!add_member (ANY_TOKEN, attn_gguf_metadata_get_values (metadata), where, keys[i], ids,
                     error))
      return FALSE;
  return TRUE;
}

static gboolean
add_files (const AttnModel  *model,
           const char       *member,
           AddFunc           add,
           gsize             n_tokens,
           GArray           *ids,
           GError          **error)
{
  gsize n_before = ids->len;

  return !g_file_test (model->path, G_FILE_TEST_IS_DIR) ||
         (add_file (model, "generation_config.json", member, add, n_tokens, ids, error) &&
          (ids->len > n_before ||
           add_file (model, "config.json", member, add, n_tokens, ids, error)));
}

/**
 * attn_model_list_tokens:
 * @model: a model that is no recording
 * @member: member of generation_config.json or, if it has none of the name, of config.json: a token
 *   id, a list of ids, or null
 * @ids: (element-type guint32): array to which the ids are added; none for a GGUF file, which has
 *   no such members
 * @error: return location: %ATTN_ERROR_FORMAT for a value that is no token id, errors of
 *   [func@attn_json_load]
 */
gboolean
attn_model_list_tokens (const AttnModel  *model,
                        const char       *member,
                        GArray           *ids,
                        GError          **error)
{
  return add_files (model, member, add_member, model->info.vocabulary_size, ids, error);
}

/**
 * attn_model_list_single_tokens:
 * @member: as for [func@attn_model_list_tokens], but a list of words, each a list of token ids
 * @ids: (element-type guint32): array to which the ids are added
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a word of more than one token, errors of
 *   [func@attn_model_list_tokens]
 *
 * Adds the tokens of words of one token, as `bad_words_ids` has them.
 */
gboolean
attn_model_list_single_tokens (const AttnModel  *model,
                               const char       *member,
                               GArray           *ids,
                               GError          **error)
{
  return add_files (model, member, add_words, model->info.vocabulary_size, ids, error);
}

/**
 * attn_model_list_end_tokens:
 * @model: a model that is no recording
 * @ids: (out) (transfer full) (element-type guint32): ids of the tokens that end an answer; empty
 *   if the checkpoint names none
 * @error: return location: %ATTN_ERROR_FORMAT for a value that is no token id, errors of
 *   [func@attn_json_load]
 *
 * Reads `eos_token_id` of generation_config.json or, if that names none, of config.json; for a GGUF
 * file the tokens in its metadata that end a text, a turn or a message. Tokens outside of the
 * vocabulary, which a tokenizer may have more of than the model, are left out: no answer has them.
 */
gboolean
attn_model_list_end_tokens (const AttnModel  *model,
                            GArray          **ids,
                            GError          **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean is_done = g_file_test (model->path, G_FILE_TEST_IS_DIR)
                         ? add_files (model, "eos_token_id", add_member, ANY_TOKEN, list, error)
                         : add_gguf (model, list, error);

  for (guint i = list->len; i > 0; i--)
    if (g_array_index (list, guint32, i - 1) >= model->info.vocabulary_size)
      g_array_remove_index (list, i - 1);
  *ids = is_done ? g_steal_pointer (&list) : NULL;
  return is_done;
}
