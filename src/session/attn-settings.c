/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-settings.h"

#include <pango/pango.h>

#include "attn-memory.h"
#include "attn-threads.h"

/* Limits of the font size in points, in the settings as in a study: a font description of the
 * settings could have any size. */
#define MIN_FONT_SIZE 1
#define MAX_FONT_SIZE 200

/* GSettings ends the program if a key is missing in the schema, so all keys are checked. */
static const char * const keys[] = {
  "window-width",
  "window-height",
  "is-maximized",
  "export-format",
  "new-study-colormap",
  "new-study-range",
  "new-study-low",
  "new-study-high",
  "new-study-digits",
  "new-study-font",
  "new-study-special-tokens",
  "threads",
  "memory-limit",
  "color-scheme",
};

/* Tells whether the schema has all keys. An installed schema can be of another version of the
 * program. */
static gboolean
has_all_keys (GSettingsSchema *schema)
{
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (!g_settings_schema_has_key (schema, keys[i]))
      return FALSE;
  return TRUE;
}

static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default ();
  GSettingsSchema *schema = NULL;

  if (installed != NULL)
    schema = g_settings_schema_source_lookup (installed, ATTN_APP_ID, TRUE);
  if (schema != NULL && has_all_keys (schema))
    return schema;
  g_clear_pointer (&schema, g_settings_schema_unref);

  g_autofree char *compiled = attn_data_find ("gschemas.compiled");
  if (compiled == NULL)
    return NULL;
  g_autofree char *directory = g_path_get_dirname (compiled);
  g_autoptr (GSettingsSchemaSource) source =
      g_settings_schema_source_new_from_directory (directory, installed, FALSE, NULL);
  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, ATTN_APP_ID, FALSE);
  if (schema != NULL && !has_all_keys (schema))
    g_clear_pointer (&schema, g_settings_schema_unref);
  return schema;
}

/**
 * attn_settings_new:
 *
 * Returns: (transfer full) (nullable): the settings; %NULL where the schema is neither installed
 *   nor in the build tree, and the program then runs without settings
 */
GSettings *
attn_settings_new (void)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();

  return schema != NULL ? g_settings_new_full (schema, NULL, NULL) : NULL;
}

static void
apply_range (GSettings *settings,
             AttnStyle *style)
{
  g_autofree char *range = g_settings_get_string (settings, "new-study-range");
  double low = g_settings_get_double (settings, "new-study-low");
  double high = g_settings_get_double (settings, "new-study-high");

  if (g_str_equal (range, "data"))
    style->range = ATTN_RANGE_DATA;
  else if (g_str_equal (range, "clipped"))
    style->range = ATTN_RANGE_CLIPPED;
  else if (g_str_equal (range, "fixed") && low < high)
    {
      style->range = ATTN_RANGE_FIXED;
      style->low = low;
      style->high = high;
      style->tick = (high - low) / 5;
    }
}

static void
apply_font (GSettings *settings,
            AttnStyle *style)
{
  g_autofree char *text = g_settings_get_string (settings, "new-study-font");
  PangoFontDescription *font = pango_font_description_from_string (text);

  if (text[0] != '\0' && pango_font_description_get_family (font) != NULL)
    style->font_family = g_intern_string (pango_font_description_get_family (font));
  if (text[0] != '\0' && pango_font_description_get_size (font) > 0)
    style->font_size = CLAMP ((double) pango_font_description_get_size (font) / PANGO_SCALE,
                              MIN_FONT_SIZE, MAX_FONT_SIZE);
  pango_font_description_free (font);
}

/**
 * attn_settings_apply_to_study:
 * @settings: (nullable): the user's settings; %NULL changes nothing
 * @study: a new study, as its preset defines it
 *
 * Applies the settings for new studies: colormap, range, digits, font and special tokens.
 */
void
attn_settings_apply_to_study (GSettings *settings,
                              AttnStudy *study)
{
  AttnColormap colormap;

  if (settings == NULL)
    return;
  g_autofree char *name = g_settings_get_string (settings, "new-study-colormap");
  if (name[0] != '\0' && attn_colormap_parse (name, &colormap, NULL))
    study->style.colormap = colormap;
  if (g_settings_get_int (settings, "new-study-digits") > 0)
    study->style.n_digits = g_settings_get_int (settings, "new-study-digits");
  apply_range (settings, &study->style);
  apply_font (settings, &study->style);
  if (!g_settings_get_boolean (settings, "new-study-special-tokens"))
    study->adds_special_tokens = FALSE;
}

/**
 * attn_settings_apply_to_machine:
 * @settings: (nullable): the user's settings; %NULL changes nothing
 *
 * Applies the settings for the number of threads that compute and the memory limit.
 */
void
attn_settings_apply_to_machine (GSettings *settings)
{
  if (settings == NULL)
    return;
  attn_threads_set (g_settings_get_int (settings, "threads"));
  attn_memory_set_limit (g_settings_get_double (settings, "memory-limit") * 1e9);
}
