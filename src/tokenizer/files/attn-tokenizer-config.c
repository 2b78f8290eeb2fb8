/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-config.h"

#include <glib/gi18n-lib.h>

#include "attn-component.h"
#include "attn-json.h"

/**
 * attn_tokenizer_config_load:
 * @beside: a file in the same directory
 * @where: (out) (transfer full): what messages about it begin with
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 *
 * Returns: (transfer full) (nullable): the configuration, empty where there is no file
 */
JsonObject *
attn_tokenizer_config_load (const char  *beside,
                            char       **where,
                            GError     **error)
{
  g_autofree char *directory = g_path_get_dirname (beside);
  g_autofree char *path = g_build_filename (directory, "tokenizer_config.json", NULL);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object;

  *where = g_filename_display_name (path);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return json_object_new ();
  node = attn_json_load (path, error);
  return node != NULL &&
                 attn_component_get_object (node, *where, _("configuration"), &object, error)
             ? json_object_ref (object)
             : NULL;
}

/**
 * attn_tokenizer_config_get_token:
 * @where: what messages begin with
 * @token: (out) (transfer none): the string; a token may be an object with its "content"
 * @error: return location for %ATTN_ERROR_FORMAT, for a member of another type
 */
gboolean
attn_tokenizer_config_get_token (JsonObject  *config,
                                 const char  *where,
                                 const char  *member,
                                 const char  *fallback,
                                 const char **token,
                                 GError     **error)
{
  JsonNode *node = json_object_get_member (config, member);
  gboolean is_object = node != NULL && JSON_NODE_HOLDS_OBJECT (node);

  return attn_json_get_string (is_object ? json_node_get_object (node) : config, where,
                               is_object ? "content" : member, fallback, token, error);
}
