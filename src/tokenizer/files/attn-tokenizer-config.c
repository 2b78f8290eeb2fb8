/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"

/**
 * attn_tokenizer_config_load:
 * @config: (out caller-allocates): the configuration, without members if there is no such file
 * @beside: a file in the same directory
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 *
 * Loads the tokenizer_config.json of Hugging Face that lies beside a file.
 */
gboolean
attn_tokenizer_config_load (AttnTokenizerConfig  *config,
                            const char           *beside,
                            GError              **error)
{
  g_autofree char *directory = g_path_get_dirname (beside);
  g_autofree char *path = g_build_filename (directory, "tokenizer_config.json", NULL);
  g_autoptr (JsonObject) empty = json_object_new ();
  g_autoptr (JsonNode) node = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    node = attn_json_load (path, error);
  else
    node = json_node_init_object (json_node_alloc (), empty);
  if (node == NULL)
    return FALSE;
  config->where = g_filename_display_name (path);
  config->values = attn_tokenizer_component_begin (node, config->where, _("configuration"));
  if (config->values.object != NULL)
    json_object_ref (config->values.object);
  return attn_json_finish (&config->values, error);
}

void
attn_tokenizer_config_clear (AttnTokenizerConfig *config)
{
  g_clear_pointer (&config->values.object, json_object_unref);
  g_clear_error (&config->values.error);
  g_clear_pointer (&config->where, g_free);
}

/**
 * attn_tokenizer_config_get_token:
 *
 * Returns: (transfer none): the text of the token that @member is, such as "bos_token", or
 *   @fallback without that member. In the file that member is a string, or an object with the text
 *   as its "content".
 */
const char *
attn_tokenizer_config_get_token (AttnTokenizerConfig *config,
                                 const char          *member,
                                 const char          *fallback)
{
  JsonNode *node = json_object_get_member (config->values.object, member);
  const char *content;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return attn_json_read_string (&config->values, member, fallback);
  content = attn_json_read_inner_string (&config->values, member, "content");
  return content != NULL ? content : fallback;
}

/* Appends an added token to @added, in the form of a tokenizer.json: the members of @node, with @id
 * as "id" and @content, unless it is NULL, as "content". */
static gboolean
add_added (AttnTokenizerConfig  *config,
           JsonArray            *added,
           const char           *id,
           const char           *content,
           JsonNode             *node,
           GError              **error)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node)
                           ? json_node_get_object (node)
                           : NULL;
  g_autoptr (JsonObject) token = json_object_new ();
  guint64 number;

  if (!g_ascii_string_to_unsigned (id, 10, 0, G_MAXINT32, &number, NULL))
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: added token %s found, expected an id"),
                      config->where, id);
  g_autoptr (GList) members = object != NULL ? json_object_get_members (object) : NULL;
  for (GList *l = members; l != NULL; l = l->next)
    json_object_set_member (token, l->data, json_object_dup_member (object, l->data));
  json_object_set_int_member (token, "id", (gint64) number);
  if (content != NULL)
    json_object_set_string_member (token, "content", content);
  json_array_add_object_element (added, g_steal_pointer (&token));
  return TRUE;
}

/* Loads added tokens from a map of their texts to ids: {"<mask>": 30000, ...}. A token is special
 * if the configuration names it as one, such as its "mask_token". */
static gboolean
load_added_tokens (AttnTokenizerConfig  *config,
                   const char           *path,
                   JsonArray            *added,
                   GError              **error)
{
  static const char * const specials[] = { "bos_token", "eos_token", "unk_token", "sep_token",
                                           "pad_token", "cls_token", "mask_token" };
  g_autoptr (JsonNode) node = attn_json_load (path, error);
  g_autofree char *where = g_filename_display_name (path);

  if (node == NULL)
    return FALSE;
  AttnJsonReader json = attn_tokenizer_component_begin (node, where, _("list of added tokens"));
  if (!attn_json_finish (&json, error))
    return FALSE;
  JsonObject *ids = json.object;
  g_autoptr (GList) contents = json_object_get_members (ids);
  for (GList *l = contents; l != NULL; l = l->next)
    {
      g_autoptr (JsonObject) object = json_object_new ();
      g_autoptr (JsonNode) options = json_node_init_object (json_node_alloc (), object);
      JsonNode *id = json_object_get_member (ids, l->data);
      g_autofree char *text = json_to_string (id, FALSE);
      gboolean is_special = FALSE;

      for (gsize i = 0; i < G_N_ELEMENTS (specials); i++)
        is_special |=
            json_object_has_member (config->values.object, specials[i]) &&
            g_str_equal (attn_tokenizer_config_get_token (config, specials[i], ""), l->data);
      json_object_set_boolean_member (object, "special", is_special);
      if (!add_added (config, added, text, l->data, options, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_tokenizer_config_load_added:
 * @beside: path of a vocabulary's file
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the files reports
 *
 * Reads the tokens that the checkpoint adds to its vocabulary from “added_tokens_decoder” of its
 * configuration, or else from an added_tokens.json.
 *
 * Returns: (transfer full) (nullable): the tokens in the form that they have in a tokenizer.json
 */
JsonArray *
attn_tokenizer_config_load_added (const char  *beside,
                                  GError     **error)
{
  g_auto (AttnTokenizerConfig) config = { 0 };
  g_autoptr (JsonArray) added = json_array_new ();
  g_autofree char *directory = g_path_get_dirname (beside);
  g_autofree char *path = g_build_filename (directory, "added_tokens.json", NULL);

  if (!attn_tokenizer_config_load (&config, beside, error))
    return NULL;
  JsonObject *decoder = attn_json_read_object (&config.values, "added_tokens_decoder");
  if (!attn_json_finish (&config.values, error))
    return NULL;
  g_autoptr (GList) ids = decoder != NULL ? json_object_get_members (decoder) : NULL;
  for (GList *l = ids; l != NULL; l = l->next)
    if (!add_added (&config, added, l->data, NULL, json_object_get_member (decoder, l->data),
                    error))
      return NULL;
  if (decoder == NULL && g_file_test (path, G_FILE_TEST_EXISTS) &&
      !load_added_tokens (&config, path, added, error))
    return NULL;
  if (!attn_json_finish (&config.values, error))
    return NULL;
  return g_steal_pointer (&added);
}
