/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-config.h"

#include "attn-component.h"
#include "attn-json.h"

#include <glib/gi18n-lib.h>

#define FILE_NAME "tokenizer_config.json"

/**
 * attn_tokenizer_config_load:
 * @config: (out caller-allocates): the configuration, empty where there is none
 * @beside: a file in the same directory
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 */
gboolean
attn_tokenizer_config_load (AttnTokenizerConfig  *config,
                            const char           *beside,
                            GError              **error)
{
  g_autofree char *directory = g_path_get_dirname (beside);

  g_autofree char *path = g_build_filename (directory, FILE_NAME, NULL);

  *config = (AttnTokenizerConfig) { .where = g_filename_display_name (path) };
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  config->node = attn_json_load (path, error);
  return config->node != NULL &&
         attn_component_get_object (config->node, config->where, _("configuration"),
                                    &config->object, error);
}

void
attn_tokenizer_config_clear (AttnTokenizerConfig *config)
{
  g_clear_pointer (&config->where, g_free);
  g_clear_pointer (&config->node, json_node_unref);
  config->object = NULL;
}

/**
 * attn_tokenizer_config_get_boolean:
 * @error: return location for %ATTN_ERROR_FORMAT, for a member of another type
 */
gboolean
attn_tokenizer_config_get_boolean (const AttnTokenizerConfig  *config,
                                   const char                 *member,
                                   gboolean                    fallback,
                                   gboolean                   *value,
                                   GError                    **error)
{
  *value = fallback;
  return config->object == NULL ||
         attn_json_get_boolean (config->object, config->where, member, fallback, value, error);
}

/**
 * attn_tokenizer_config_get_string:
 * @value: (out) (transfer none): the string; a token may be an object with its "content"
 * @error: return location for %ATTN_ERROR_FORMAT, for a member of another type
 */
gboolean
attn_tokenizer_config_get_string (const AttnTokenizerConfig  *config,
                                  const char                 *member,
                                  const char                 *fallback,
                                  const char                **value,
                                  GError                    **error)
{
  JsonNode *node;

  *value = fallback;
  if (config->object == NULL)
    return TRUE;
  node = json_object_get_member (config->object, member);
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return attn_json_get_string (json_node_get_object (node), config->where, "content", fallback,
                                 value, error);
  return attn_json_get_string (config->object, config->where, member, fallback, value, error);
}
