/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The types of fields that say how a figure looks. */

#include "config.h"

#include "attn-study-table.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-colormap.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-viewport.h"

/* --- The colour map --- */

/* A map that does not come with the program brings its colours, see below. */
static gboolean
read_colormap (const AttnField  *field,
               JsonObject       *object,
               const char       *where,
               const char       *name,
               gpointer          member,
               GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  if (json_object_has_member (object, "colors") || attn_colormap_parse (text, member, error))
    return TRUE;
  g_prefix_error (error, "%s: “%s”: ", where, name);
  return FALSE;
}

static void
write_colormap (const AttnField *field,
                gconstpointer    member,
                AttnJsonWriter  *writer,
                const char      *name)
{
  attn_json_writer_add_string (writer, name,
                               attn_colormap_get_name (*(const AttnColormap *) member));
}

/* The name of a map, or the file of one. */
static gboolean
parse_colormap (const AttnField  *field,
                const char       *text,
                gpointer          member,
                GError          **error)
{
  if (g_str_has_suffix (text, ".csv") || strchr (text, G_DIR_SEPARATOR) != NULL)
    return attn_colormap_load_csv (text, member, error);
  return attn_colormap_parse (text, member, error);
}

const AttnFieldType attn_field_colormap = {
  .size = sizeof (AttnColormap),
  .read = read_colormap,
  .write = write_colormap,
  .parse = parse_colormap,
};

/* The map is known by the name beside its colours from here on. */
static gboolean
read_colors (const AttnField  *field,
             JsonObject       *object,
             const char       *where,
             const char       *name,
             gpointer          member,
             GError          **error)
{
  JsonArray *array;
  const char *map;

  if (!attn_json_get_array (object, where, name, &array, error) ||
      !attn_json_get_string (object, where, "colormap", "study", &map, error))
    return FALSE;
  guint n_colors = json_array_get_length (array);
  if (n_colors < 2 || n_colors > ATTN_COLORMAP_MAX_COLORS)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “colors”: %u found, expected 2 to %d"), where,
                      n_colors, ATTN_COLORMAP_MAX_COLORS);
  g_autofree double *colors = g_new (double, 3 * (gsize) n_colors);
  for (guint i = 0; i < n_colors; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      AttnRgb color;

      if (json_node_get_value_type (node) != G_TYPE_STRING ||
          !attn_rgb_parse (json_node_get_string (node), &color))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: “colors”: element %u is no colour, expected one such as #1f77b4"),
                          where, i);
      colors[3 * i] = color.red / 255.0;
      colors[3 * i + 1] = color.green / 255.0;
      colors[3 * i + 2] = color.blue / 255.0;
    }
  if (attn_colormap_register (map, colors, n_colors, member, error))
    return TRUE;
  g_prefix_error (error, "%s: ", where);
  return FALSE;
}

static void
write_colors (const AttnField *field,
              gconstpointer    member,
              AttnJsonWriter  *writer,
              const char      *name)
{
  const AttnRgb *table = attn_colormap_get_table (*(const AttnColormap *) member);

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    attn_field_color.write (field, &table[i], writer, NULL);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_colors = {
  .size = sizeof (AttnColormap), .read = read_colors, .write = write_colors
};

/* --- What is shown of the panels --- */

static gboolean
read_view (JsonArray     *array,
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
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: “view”: no part of a panel found, expected left, top, width and "
                        "height from 0 to 1"),
                      where);
  *viewport =
      attn_viewport_clamp ((AttnViewport) { numbers[0], numbers[1], numbers[2], numbers[3] });
  return TRUE;
}

static void
write_view (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  const AttnViewport *viewport = member;
  const double numbers[] = { viewport->x, viewport->y, viewport->width, viewport->height };

  attn_json_writer_begin_array (writer, name);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    attn_json_writer_add_number (writer, NULL, numbers[i]);
  attn_json_writer_end_array (writer);
}

static gboolean
read_viewport (const AttnField  *field,
               JsonObject       *object,
               const char       *where,
               const char       *name,
               gpointer          member,
               GError          **error)
{
  JsonArray *array;

  return attn_json_get_array (object, where, name, &array, error) &&
         read_view (array, where, member, error);
}

static gboolean
viewport_equal (const AttnField *field,
                gconstpointer    a,
                gconstpointer    b)
{
  return attn_viewport_equal (a, b);
}

const AttnFieldType attn_field_viewport = {
  .equal = viewport_equal, .read = read_viewport, .write = write_view
};

static void
clear_views (const AttnField *field,
             gpointer         member)
{
  g_clear_pointer ((GArray **) member, g_array_unref);
}

static void
copy_views (const AttnField *field,
            gconstpointer    from,
            gpointer         to)
{
  GArray *views = *(GArray * const *) from;

  *(GArray **) to = views != NULL ? g_array_copy (views) : NULL;
}

static gboolean
views_equal (const AttnField *field,
             gconstpointer    a,
             gconstpointer    b)
{
  const GArray *first = *(GArray * const *) a;
  const GArray *second = *(GArray * const *) b;

  if (first == NULL || second == NULL || first->len != second->len)
    return first == second;
  for (guint i = 0; i < first->len; i++)
    if (!attn_viewport_equal (&g_array_index (first, AttnViewport, i),
                              &g_array_index (second, AttnViewport, i)))
      return FALSE;
  return TRUE;
}

static gboolean
read_views (const AttnField  *field,
            JsonObject       *object,
            const char       *where,
            const char       *name,
            gpointer          member,
            GError          **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “%s”", where, name);
  JsonArray *array;

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  guint n_views = json_array_get_length (array);
  if (n_views > field->maximum)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: “%s”: %u elements found, expected at most %u"), where, name, n_views,
                      (guint) field->maximum);
  GArray *views = g_array_sized_new (FALSE, FALSE, sizeof (AttnViewport), n_views);
  *(GArray **) member = views;
  for (guint i = 0; i < n_views; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autoptr (JsonArray) none = json_array_new ();
      AttnViewport viewport;

      if (!read_view (JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : none, place,
                      &viewport, error))
        return FALSE;
      g_array_append_val (views, viewport);
    }
  return TRUE;
}

static void
write_views (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  const GArray *views = *(GArray * const *) member;

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < views->len; i++)
    write_view (field, &g_array_index (views, AttnViewport, i), writer, NULL);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_views = {
  .clear = clear_views,
  .copy = copy_views,
  .equal = views_equal,
  .read = read_views,
  .write = write_views,
};
