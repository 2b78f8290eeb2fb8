/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of the fields of a study that are colours or colour maps. */

#include "config.h"

#include "attn-study-table.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-colormap.h"
#include "attn-error.h"

static void
write_color (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  const AttnRgb *color = member;
  g_autofree char *text = g_strdup_printf ("#%02x%02x%02x", color->red, color->green, color->blue);

  attn_json_writer_add_string (writer, name, text);
}

static gboolean
parse_color (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  return attn_rgb_parse (text, member) ||
         attn_field_fail (text, _("a colour such as #1f77b4"), error);
}

const AttnFieldType attn_field_color = {
  .size = sizeof (AttnRgb), .json = G_TYPE_STRING, .write = write_color, .parse = parse_color
};

/* Parses the name of a built-in colour map, or loads the colour map from a CSV file. */
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

/* Reads the name of a colour map. A name that is not built in is accepted if "colors" is given as
 * well, which read_colors() reads. */
static gboolean
read_colormap (const AttnField  *field,
               JsonObject       *object,
               JsonNode         *node,
               gpointer          member,
               GError          **error)
{
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return attn_field_fail_node (node, _("a string"), error);
  return json_object_has_member (object, "colors") ||
         attn_colormap_parse (json_node_get_string (node), member, error);
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

const AttnFieldType attn_field_colormap = {
  .size = sizeof (AttnColormap),
  .read = read_colormap,
  .write = write_colormap,
  .parse = parse_colormap,
};

/* Reads the colours of a colour map and registers them under the name in "colormap". */
static gboolean
read_colors (const AttnField  *field,
             JsonObject       *object,
             JsonNode         *node,
             gpointer          member,
             GError          **error)
{
  const AttnField element = { .type = &attn_field_color };
  const char *map = json_object_get_string_member_with_default (object, "colormap",
                                                                "study");
  JsonArray *array = attn_field_get_array (node, error);
  guint n_colors = array != NULL ? json_array_get_length (array) : 0;

  if (array == NULL)
    return FALSE;
  if (n_colors < 2 || n_colors > ATTN_COLORMAP_MAX_COLORS)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%u found, expected 2 to %d"), n_colors,
                      ATTN_COLORMAP_MAX_COLORS);
  g_autofree double *colors = g_new (double, 3 * (gsize) n_colors);
  for (guint i = 0; i < n_colors; i++)
    {
      AttnRgb color;

      if (!attn_field_read (&element, NULL, json_array_get_element (array, i), &color, error))
        {
          g_prefix_error (error, "[%u]: ", i);
          return FALSE;
        }
      colors[3 * i] = color.red / 255.0;
      colors[3 * i + 1] = color.green / 255.0;
      colors[3 * i + 2] = color.blue / 255.0;
    }
  return attn_colormap_register (map, colors, n_colors, member, error);
}

static void
write_colors (const AttnField *field,
              gconstpointer    member,
              AttnJsonWriter  *writer,
              const char      *name)
{
  const AttnRgb *table = attn_colormap_get_table (*(const AttnColormap *) member, FALSE);

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    write_color (field, &table[i], writer, NULL);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_colors = {
  .size = sizeof (AttnColormap), .read = read_colors, .write = write_colors
};
