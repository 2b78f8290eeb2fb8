/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the figure looks, as members of a study's JSON.
 *
 *   "style": { "colormap": "coolwarm", "low": 0, "high": 1, "tick": 0.2, "font": "Sans",
 *              "font-size": 9, "digits": 2, "foreground": "#000000", "background": "#ffffff",
 *              "has-background": false, "shows-titles": true, ..., and, where it is not as usual,
 *              "colors": ["#000000", ...] of a map that does not come with the program,
 *              "reversed": true,  "scale": "log",  "range": "data",  "range-scope": "row",
 *              "clip": 1,  "marks-overflow": false,  "masked-color": "#ebebeb",
 *              "shows-key": true }
 *   "view": [0.25, 0.25, 0.5, 0.5], left, top, width and height in fractions of a panel
 *   "views": [[0, 0, 1, 1], ...], the same of each panel, where they do not show the same part
 *   "page": { "width": 180, "height": 0, "unit": "mm", "resolution": 300, "outlines": false,
 *             "cell-titles": false, "path-cells": 300000 }
 *
 * The last three are written only where they are not as usual.
 */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-study-fields.h"
#include "attn-study-private.h"

/* Beyond float32 nothing can be on the colour bar. */
#define MAX_VALUE 1e38

/* As many panels as a grid can have. */
#define MAX_VIEWS 65536

static const char * const style_members[] = {
  "colormap", "colors", "reversed", "low", "high", "tick", "font", "font-size", "digits",
  "foreground", "background", "has-background", "shows-titles", "shows-caption", "shows-colorbar",
  "shows-tokens", "shows-values", "scale", "range", "range-scope", "clip", "marks-overflow",
  "masked-color", "shows-key", NULL
};
static const char * const page_members[] = {
  "width", "height", "unit", "resolution", "outlines", "cell-titles", "path-cells", NULL
};

ATTN_DEFINE_PARSE (colormap, AttnColormap)
ATTN_DEFINE_PARSE (scale_kind, AttnScaleKind)
ATTN_DEFINE_PARSE (range_kind, AttnRangeKind)
ATTN_DEFINE_PARSE (range_scope, AttnRangeScope)

static gboolean
parse_unit (const char  *text,
            int         *value,
            GError     **error)
{
  const char *names[ATTN_N_UNITS + 1] = { NULL };

  for (int i = 0; i < ATTN_N_UNITS; i++)
    names[i] = attn_unit_get_name (i);
  return attn_names_parse (names, text, value, error);
}

/* A map that does not come with the program brings its colours and is known by its name from here
 * on. */
static gboolean
read_own_colormap (JsonObject  *object,
                   const char  *where,
                   JsonArray   *array,
                   int         *colormap,
                   GError     **error)
{
  guint n_colors = json_array_get_length (array);
  g_autofree double *colors = g_new (double, 3 * (gsize) n_colors);
  AttnColormap registered;
  const char *name;

  if (!attn_json_get_string (object, where, "colormap", "study", &name, error))
    return FALSE;
  if (n_colors < 2 || n_colors > ATTN_COLORMAP_MAX_COLORS)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("%s: “colors”: %u found, expected 2 to %d"), where, n_colors,
                   ATTN_COLORMAP_MAX_COLORS);
      return FALSE;
    }
  for (guint i = 0; i < n_colors; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gboolean is_text = json_node_get_value_type (node) == G_TYPE_STRING;
      AttnRgb color;

      if (!attn_fields_parse_color (is_text ? json_node_get_string (node) : NULL, &color))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                       _("%s: “colors”: element %u is no colour, expected one such as #1f77b4"),
                       where, i);
          return FALSE;
        }
      colors[3 * i] = color.red / 255.0;
      colors[3 * i + 1] = color.green / 255.0;
      colors[3 * i + 2] = color.blue / 255.0;
    }
  if (!attn_colormap_register (name, colors, n_colors, &registered, error))
    {
      g_prefix_error (error, "%s: ", where);
      return FALSE;
    }
  *colormap = registered;
  return TRUE;
}

static gboolean
read_colormap (AttnStyle   *style,
               JsonObject  *object,
               const char  *where,
               GError     **error)
{
  int colormap = style->colormap;
  JsonArray *colors;

  if (!attn_json_get_array (object, where, "colors", &colors, error))
    return FALSE;
  if (colors != NULL
          ? !read_own_colormap (object, where, colors, &colormap, error)
          : !attn_fields_get_choice (object, where, "colormap", parse_colormap, &colormap, error))
    return FALSE;
  style->colormap = colormap;
  return attn_fields_get_flag (object, where, "reversed", &style->is_reversed, error);
}

static gboolean
read_numbers (AttnStyle   *style,
              JsonObject  *object,
              const char  *where,
              GError     **error)
{
  const char *font;
  gsize n_digits;

  if (!attn_fields_get_number (object, where, "low", -MAX_VALUE, MAX_VALUE, &style->low, error) ||
      !attn_fields_get_number (object, where, "high", -MAX_VALUE, MAX_VALUE, &style->high, error) ||
      !attn_fields_get_number (object, where, "tick", 1e-38, MAX_VALUE, &style->tick, error) ||
      !attn_fields_get_number (object, where, "clip", 0, 49, &style->clip, error) ||
      !attn_fields_get_number (object, where, "font-size", 1, 200, &style->font_size, error) ||
      !attn_json_get_size (object, where, "digits", 1, 9, style->n_digits, &n_digits, error) ||
      !attn_json_get_string (object, where, "font", style->font_family, &font, error))
    return FALSE;
  if (!(style->high > style->low) || (style->high - style->low) / style->tick > 1000)
    {
      g_set_error (
          error, ATTN_ERROR, ATTN_ERROR_LIMIT,
          _("%s: “low” %g, “high” %g, “tick” %g found, expected low below high and at most 1000 "
            "ticks"),
          where, style->low, style->high, style->tick);
      return FALSE;
    }
  style->n_digits = n_digits;
  style->font_family = g_intern_string (font);
  return TRUE;
}

static gboolean
read_scale (AttnStyle   *style,
            JsonObject  *object,
            const char  *where,
            GError     **error)
{
  int scale = style->scale;
  int range = style->range;
  int scope = style->range_scope;

  if (!attn_fields_get_choice (object, where, "scale", parse_scale_kind, &scale, error) ||
      !attn_fields_get_choice (object, where, "range", parse_range_kind, &range, error) ||
      !attn_fields_get_choice (object, where, "range-scope", parse_range_scope, &scope, error))
    return FALSE;
  style->scale = scale;
  style->range = range;
  style->range_scope = scope;
  style->has_masked_color = json_object_has_member (object, "masked-color");
  return attn_fields_get_color (object, where, "masked-color", &style->masked_color, error);
}

gboolean
attn_study_read_style (AttnStudy   *study,
                       JsonObject  *root,
                       const char  *where,
                       GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “style”", where);
  AttnStyle *style = &study->style;
  JsonObject *object;

  if (!attn_json_get_object (root, where, "style", &object, error))
    return FALSE;
  return object == NULL ||
         (attn_fields_check_members (object, place, style_members, error) &&
          read_colormap (style, object, place, error) &&
          read_numbers (style, object, place, error) && read_scale (style, object, place, error) &&
          attn_fields_get_color (object, place, "foreground", &style->foreground, error) &&
          attn_fields_get_color (object, place, "background", &style->background, error) &&
          attn_fields_get_flag (object, place, "has-background", &style->has_background, error) &&
          attn_fields_get_flag (object, place, "shows-titles", &style->shows_titles, error) &&
          attn_fields_get_flag (object, place, "shows-caption", &style->shows_caption, error) &&
          attn_fields_get_flag (object, place, "shows-colorbar", &style->shows_colorbar, error) &&
          attn_fields_get_flag (object, place, "shows-tokens", &style->shows_tokens, error) &&
          attn_fields_get_flag (object, place, "shows-values", &style->shows_values, error) &&
          attn_fields_get_flag (object, place, "marks-overflow", &style->marks_overflow, error) &&
          attn_fields_get_flag (object, place, "shows-key", &style->shows_key, error));
}

static void
add_color (AttnJsonWriter *writer,
           const char     *member,
           AttnRgb         color)
{
  g_autofree char *text = g_strdup_printf ("#%02x%02x%02x", color.red, color.green, color.blue);

  attn_json_writer_add_string (writer, member, text);
}

static void
add_own_colormap (AttnJsonWriter *writer,
                  AttnColormap    colormap)
{
  const AttnRgb *table = attn_colormap_get_table (colormap);

  attn_json_writer_begin_array (writer, "colors");
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    add_color (writer, NULL, table[i]);
  attn_json_writer_end_array (writer);
}

static void
add_scale (AttnJsonWriter  *writer,
           const AttnStyle *style)
{
  AttnStyle usual = attn_style_default ();

  if (style->scale != usual.scale)
    attn_json_writer_add_string (writer, "scale", attn_scale_kind_get_name (style->scale));
  if (style->range != usual.range)
    attn_json_writer_add_string (writer, "range", attn_range_kind_get_name (style->range));
  if (style->range_scope != usual.range_scope)
    attn_json_writer_add_string (writer, "range-scope",
                                 attn_range_scope_get_name (style->range_scope));
  if (style->clip != usual.clip)
    attn_json_writer_add_number (writer, "clip", style->clip);
  if (style->marks_overflow != usual.marks_overflow)
    attn_json_writer_add_boolean (writer, "marks-overflow", style->marks_overflow);
  if (style->has_masked_color)
    add_color (writer, "masked-color", style->masked_color);
  if (style->shows_key != usual.shows_key)
    attn_json_writer_add_boolean (writer, "shows-key", style->shows_key);
}

void
attn_study_write_style (const AttnStudy *study,
                        AttnJsonWriter  *writer)
{
  const AttnStyle *style = &study->style;

  attn_json_writer_begin_object (writer, "style");
  attn_json_writer_add_string (writer, "colormap", attn_colormap_get_name (style->colormap));
  if (style->colormap >= ATTN_N_COLORMAPS)
    add_own_colormap (writer, style->colormap);
  if (style->is_reversed)
    attn_json_writer_add_boolean (writer, "reversed", TRUE);
  attn_json_writer_add_number (writer, "low", style->low);
  attn_json_writer_add_number (writer, "high", style->high);
  attn_json_writer_add_number (writer, "tick", style->tick);
  attn_json_writer_add_string (writer, "font", style->font_family);
  attn_json_writer_add_number (writer, "font-size", style->font_size);
  attn_json_writer_add_integer (writer, "digits", style->n_digits);
  add_color (writer, "foreground", style->foreground);
  add_color (writer, "background", style->background);
  attn_json_writer_add_boolean (writer, "has-background", style->has_background);
  attn_json_writer_add_boolean (writer, "shows-titles", style->shows_titles);
  attn_json_writer_add_boolean (writer, "shows-caption", style->shows_caption);
  attn_json_writer_add_boolean (writer, "shows-colorbar", style->shows_colorbar);
  attn_json_writer_add_boolean (writer, "shows-tokens", style->shows_tokens);
  attn_json_writer_add_boolean (writer, "shows-values", style->shows_values);
  add_scale (writer, style);
  attn_json_writer_end_object (writer);
}

static gboolean
read_viewport (JsonArray     *array,
               const char    *where,
               AttnViewport  *viewport,
               GError       **error)
{
  double numbers[4] = { 0, 0, 0, 0 };
  gboolean is_valid = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (numbers) && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      GType type = json_node_get_value_type (node);

      numbers[i] = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? json_node_get_double (node) : -1;
      is_valid = is_valid && numbers[i] >= 0 && numbers[i] <= 1;
    }
  if (!is_valid || json_array_get_length (array) != G_N_ELEMENTS (numbers) || numbers[2] <= 0 ||
      numbers[3] <= 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: “view”: no part of a panel found, expected left, top, width and height "
                     "from 0 to 1"),
                   where);
      return FALSE;
    }
  *viewport =
      attn_viewport_clamp ((AttnViewport) { numbers[0], numbers[1], numbers[2], numbers[3] });
  return TRUE;
}

/* The parts of the panels, one by one. */
static gboolean
read_views (AttnStudy   *study,
            JsonArray   *array,
            const char  *where,
            GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “views”", where);
  guint n_views = json_array_get_length (array);

  if (n_views > MAX_VIEWS)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("%s: “%s”: %u elements found, expected at most %u"), where, "views", n_views,
                   (guint) MAX_VIEWS);
      return FALSE;
    }
  study->views = g_array_sized_new (FALSE, FALSE, sizeof (AttnViewport), n_views);
  for (guint i = 0; i < n_views; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autoptr (JsonArray) none = json_array_new ();
      AttnViewport viewport;

      if (!read_viewport (JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : none, place,
                          &viewport, error))
        return FALSE;
      g_array_append_val (study->views, viewport);
    }
  return TRUE;
}

gboolean
attn_study_read_view (AttnStudy   *study,
                      JsonObject  *root,
                      const char  *where,
                      GError     **error)
{
  JsonArray *view, *views;

  return attn_json_get_array (root, where, "view", &view, error) &&
         attn_json_get_array (root, where, "views", &views, error) &&
         (view == NULL || read_viewport (view, where, &study->viewport, error)) &&
         (views == NULL || read_views (study, views, where, error));
}

static void
add_viewport (AttnJsonWriter     *writer,
              const char         *member,
              const AttnViewport *viewport)
{
  attn_json_writer_begin_array (writer, member);
  attn_json_writer_add_number (writer, NULL, viewport->x);
  attn_json_writer_add_number (writer, NULL, viewport->y);
  attn_json_writer_add_number (writer, NULL, viewport->width);
  attn_json_writer_add_number (writer, NULL, viewport->height);
  attn_json_writer_end_array (writer);
}

void
attn_study_write_view (const AttnStudy *study,
                       AttnJsonWriter  *writer)
{
  if (!attn_viewport_is_fit (&study->viewport))
    add_viewport (writer, "view", &study->viewport);
  if (study->views == NULL)
    return;
  attn_json_writer_begin_array (writer, "views");
  for (guint i = 0; i < study->views->len; i++)
    add_viewport (writer, NULL, &g_array_index (study->views, AttnViewport, i));
  attn_json_writer_end_array (writer);
}

gboolean
attn_study_read_page (AttnStudy   *study,
                      JsonObject  *root,
                      const char  *where,
                      GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “page”", where);
  AttnExportOptions *page = &study->page;
  int unit = page->unit;
  JsonObject *object;

  if (!attn_json_get_object (root, where, "page", &object, error))
    return FALSE;
  if (object == NULL)
    return TRUE;
  if (!attn_fields_check_members (object, place, page_members, error) ||
      !attn_fields_get_number (object, place, "width", 0, 1e6, &page->width, error) ||
      !attn_fields_get_number (object, place, "height", 0, 1e6, &page->height, error) ||
      !attn_fields_get_choice (object, place, "unit", parse_unit, &unit, error) ||
      !attn_fields_get_number (object, place, "resolution", 1, 1e4, &page->resolution, error) ||
      !attn_fields_get_flag (object, place, "outlines", &page->outlines_text, error) ||
      !attn_fields_get_flag (object, place, "cell-titles", &page->has_cell_titles, error) ||
      !attn_fields_get_size (object, place, "path-cells", &page->max_path_cells, error))
    return FALSE;
  page->unit = unit;
  return TRUE;
}

void
attn_study_write_page (const AttnStudy *study,
                       AttnJsonWriter  *writer)
{
  const AttnExportOptions *page = &study->page;
  AttnExportOptions usual = attn_export_options_default (ATTN_EXPORT_SVG);

  if (attn_export_options_equal (page, &usual))
    return;
  attn_json_writer_begin_object (writer, "page");
  attn_json_writer_add_number (writer, "width", page->width);
  attn_json_writer_add_number (writer, "height", page->height);
  attn_json_writer_add_string (writer, "unit", attn_unit_get_name (page->unit));
  attn_json_writer_add_number (writer, "resolution", page->resolution);
  attn_json_writer_add_boolean (writer, "outlines", page->outlines_text);
  attn_json_writer_add_boolean (writer, "cell-titles", page->has_cell_titles);
  attn_json_writer_add_integer (writer, "path-cells", page->max_path_cells);
  attn_json_writer_end_object (writer);
}
