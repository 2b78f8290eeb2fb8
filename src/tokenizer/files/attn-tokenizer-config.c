/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-config.h"

#include <glib/gi18n-lib.h>

#include "attn-json.h"

/**
 * attn_tokenizer_config_load:
 * @config: (out caller-allocates): the configuration
 * @beside: a file in the same directory
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 */
gboolean
attn_tokenizer_config_load (AttnTokenizerConfig  *config,
                            const char           *beside,
                            GError              **error)
{
  g_autofree char *directory = g_path_get_dirname (beside);
  g_autofree char *path = g_build_filename (directory, "tokenizer_config.json", NULL);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    node = attn_json_load (path, error);
  else
    node = json_node_init_object (json_node_alloc (), json_object_new ());
  config->where = g_filename_display_name (path);
  if (node != NULL)
    attn_component_get_object (node, config->where, _("configuration"), &object, error);
  config->values = (AttnComponent) { object != NULL ? json_object_ref (object) : NULL,
                                     config->where };
  return object != NULL;
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
 * Returns: (transfer none): the member, a string or an object with its "content"
 */
const char *
attn_tokenizer_config_get_token (AttnTokenizerConfig *config,
                                 const char          *member,
                                 const char          *fallback)
{
  JsonNode *node = json_object_get_member (config->values.object, member);
  const char *content;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return attn_component_get_string (&config->values, member, fallback);
  content = attn_component_get_inner_string (&config->values, member, "content");
  return content != NULL ? content : fallback;
}
