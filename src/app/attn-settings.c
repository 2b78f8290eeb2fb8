/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-settings.h"

#include "attn-study.h"

static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default ();
  GSettingsSchema *schema = NULL;

  if (installed != NULL)
    schema = g_settings_schema_source_lookup (installed, ATTN_APP_ID, TRUE);
  if (schema != NULL)
    return schema;

  g_autofree char *compiled = attn_data_find ("gschemas.compiled");
  if (compiled == NULL)
    return NULL;
  g_autofree char *directory = g_path_get_dirname (compiled);
  g_autoptr (GSettingsSchemaSource) source =
      g_settings_schema_source_new_from_directory (directory, installed, FALSE, NULL);
  return source != NULL ? g_settings_schema_source_lookup (source, ATTN_APP_ID, FALSE) : NULL;
}

/**
 * attn_settings_new:
 *
 * Returns: (transfer full) (nullable): the settings; %NULL where the schema is neither installed
 *   nor in the build tree: the program runs without
 */
GSettings *
attn_settings_new (void)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();

  return schema != NULL ? g_settings_new_full (schema, NULL, NULL) : NULL;
}
