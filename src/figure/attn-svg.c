/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-svg.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-markup.h"
#include "attn-memory.h"
#include "attn-visible.h"

/* A viewport that shows more cells than this is written at a reduced level, each cell the largest
 * of several: no viewer opens a file with millions of them. */
#define MAX_CELLS (1024 * 1024)

#define N_COLORS (ATTN_COLORMAP_SIZE + 1) /* the last one is not a number */

/* A run of cells, with the brackets around it, is at most this long. */
#define BYTES_PER_CELL 24

/* At most 3 decimals: a thousandth of a point is beyond any printer. */
static void
append_number (GString *svg,
               double   value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.3f", value);

  gsize length = strlen (buffer);
  while (length > 0 && buffer[length - 1] == '0')
    length--;
  if (length > 0 && buffer[length - 1] == '.')
    length--;
  buffer[length] = '\0';
  g_string_append (svg, g_str_equal (buffer, "-0") ? "0" : buffer);
}

/* The size of a cell is multiplied by the number of cells, and needs more digits than a position.
 */
static void
append_factor (GString *svg,
               double   value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (svg, g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

static void
append_attribute (GString    *svg,
                  const char *name,
                  double      value)
{
  g_string_append_printf (svg, " %s=\"", name);
  append_number (svg, value);
  g_string_append_c (svg, '"');
}

static void
append_color (GString    *svg,
              const char *name,
              AttnRgb     color)
{
  g_string_append_printf (svg, " %s=\"#%02x%02x%02x\"", name, color.red, color.green, color.blue);
}

static void
append_text (GString    *svg,
             const char *text)
{
  g_autofree char *clean = attn_markup_clean (text, -1);
  g_autofree char *escaped = g_markup_escape_text (clean, -1);

  g_string_append (svg, escaped);
}

static void
append_element (GString    *svg,
                const char *name,
                const char *text)
{
  g_string_append_printf (svg, "<%s>", name);
  append_text (svg, text);
  g_string_append_printf (svg, "</%s>\n", name);
}

/* The names that fontconfig knows, and those of CSS. */
static void
append_font_family (GString    *svg,
                    const char *family)
{
  g_string_append (svg, " font-family=\"");
  if (g_ascii_strcasecmp (family, "Sans") == 0 || g_ascii_strcasecmp (family, "sans-serif") == 0)
    g_string_append (svg, "sans-serif");
  else if (g_ascii_strcasecmp (family, "Serif") == 0)
    g_string_append (svg, "serif");
  else if (g_ascii_strcasecmp (family, "Monospace") == 0)
    g_string_append (svg, "monospace");
  else
    {
      g_string_append (svg, "'");
      append_text (svg, family);
      g_string_append (svg, "', sans-serif");
    }
  g_string_append_c (svg, '"');
}

static void
write_text (GString        *svg,
            const AttnMark *mark)
{
  static const char *anchors[] = { "start", "middle", "end" };
  g_autoptr (GPtrArray) runs = attn_markup_parse (mark->markup);

  g_string_append_printf (svg, "<text class=\"%s\"", mark->role);
  append_attribute (svg, "x", mark->rectangle.x);
  append_attribute (svg, "y", mark->rectangle.y);
  append_attribute (svg, "font-size", mark->font_size);
  g_string_append_printf (svg, " text-anchor=\"%s\"", anchors[mark->anchor]);
  append_color (svg, "fill", mark->color);
  if (mark->angle != 0)
    {
      g_string_append (svg, " transform=\"rotate(");
      append_number (svg, -mark->angle);
      g_string_append_c (svg, ' ');
      append_number (svg, mark->rectangle.x);
      g_string_append_c (svg, ' ');
      append_number (svg, mark->rectangle.y);
      g_string_append (svg, ")\"");
    }
  g_string_append_c (svg, '>');
  for (guint i = 0; i < runs->len; i++)
    {
      const AttnRun *run = g_ptr_array_index (runs, i);

      if (run->is_italic)
        g_string_append (svg, "<tspan font-style=\"italic\">");
      append_text (svg, run->text);
      if (run->is_italic)
        g_string_append (svg, "</tspan>");
    }
  g_string_append (svg, "</text>\n");
}

static void
write_line (GString        *svg,
            const AttnMark *mark)
{
  g_string_append_printf (svg, "<line class=\"%s\"", mark->role);
  append_attribute (svg, "x1", mark->rectangle.x);
  append_attribute (svg, "y1", mark->rectangle.y);
  append_attribute (svg, "x2", mark->rectangle.x + mark->rectangle.width);
  append_attribute (svg, "y2", mark->rectangle.y + mark->rectangle.height);
  append_color (svg, "stroke", mark->color);
  append_attribute (svg, "stroke-width", mark->line_width);
  g_string_append (svg, "/>\n");
}

/* A frame stands outside of its rectangle but for a quarter of its width, which leaves no gap. */
static void
write_rectangle (GString        *svg,
                 const AttnMark *mark)
{
  double half = mark->is_filled ? 0 : mark->line_width / 4;

  g_string_append_printf (svg, "<rect class=\"%s\"", mark->role);
  append_attribute (svg, "x", mark->rectangle.x - half);
  append_attribute (svg, "y", mark->rectangle.y - half);
  append_attribute (svg, "width", mark->rectangle.width + 2 * half);
  append_attribute (svg, "height", mark->rectangle.height + 2 * half);
  append_color (svg, "fill", mark->color);
  if (!mark->is_filled)
    {
      g_string_truncate (svg, svg->len - strlen (" fill=\"#000000\""));
      g_string_append (svg, " fill=\"none\"");
      append_color (svg, "stroke", mark->color);
      append_attribute (svg, "stroke-width", mark->line_width);
    }
  g_string_append (svg, "/>\n");
}

/* 256 steps from the lower to the upper end. */
static void
write_colorbar (GString         *svg,
                const AttnStyle *style,
                const AttnMark  *mark)
{
  const AttnRgb *table = attn_colormap_get_table (style->colormap);

  g_string_append (svg, "<g id=\"colorbar\" shape-rendering=\"crispEdges\" transform=\"translate(");
  append_number (svg, mark->rectangle.x);
  g_string_append_c (svg, ' ');
  append_number (svg, mark->rectangle.y + mark->rectangle.height);
  g_string_append (svg, ") scale(");
  append_factor (svg, mark->rectangle.width);
  g_string_append_c (svg, ' ');
  append_factor (svg, -mark->rectangle.height / ATTN_COLORMAP_SIZE);
  g_string_append (svg, ")\">\n");
  for (guint i = 0; i < ATTN_COLORMAP_SIZE;)
    {
      guint end = i + 1;

      while (end < ATTN_COLORMAP_SIZE && attn_rgb_equal (table[i], table[end]))
        end++;
      g_string_append (svg, "<path");
      append_color (svg, "fill", table[i]);
      g_string_append_printf (svg, " d=\"M0 %uh1V%uH0\"/>\n", i, end);
      i = end;
    }
  g_string_append (svg, "</g>\n");
}

/* Cells sorted by colour: for each colour a list of runs, in the order of the rows. */
typedef struct
{
  GString *paths[N_COLORS];
} CellPaths;

static guint
get_color_index (const AttnStyle *style,
                 float            value)
{
  double index = attn_style_get_position (style, value) * ATTN_COLORMAP_SIZE;

  return isnan (index) ? ATTN_COLORMAP_SIZE : (guint) CLAMP (index, 0, ATTN_COLORMAP_SIZE - 1);
}

static void
add_runs_of_row (CellPaths        *cells,
                 const AttnStyle  *style,
                 const AttnTensor *values,
                 gsize             row,
                 gsize             first_row,
                 gsize             first_column,
                 gsize             end_column)
{
  const float *line = values->data + row * values->shape[1];
  gsize start = first_column;

  while (start < end_column)
    {
      guint color = get_color_index (style, line[start]);
      gsize end = start + 1;

      while (end < end_column && get_color_index (style, line[end]) == color)
        end++;
      if (cells->paths[color] == NULL)
        cells->paths[color] = g_string_new (NULL);
      gsize x = start - first_column;
      g_string_append_printf (cells->paths[color],
                              "M%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "h%" G_GSIZE_FORMAT
                              "v1H%" G_GSIZE_FORMAT, x, row - first_row, end - start, x);
      start = end;
    }
}

static void
write_cells (GString          *svg,
             const AttnStyle  *style,
             const AttnTensor *values,
             const AttnMark   *mark,
             guint             level)
{
  AttnVisible visible = attn_visible_get (mark);
  gsize first_row = visible.first_row >> level;
  gsize first_column = visible.first_column >> level;
  gsize end_row = MIN (((visible.end_row - 1) >> level) + 1, values->shape[0]);
  gsize end_column = MIN (((visible.end_column - 1) >> level) + 1, values->shape[1]);
  double block = (double) ((gsize) 1 << level);
  CellPaths cells = { { NULL } };

  for (gsize row = first_row; row < end_row; row++)
    add_runs_of_row (&cells, style, values, row, first_row, first_column, end_column);

  g_string_append (svg, "<g class=\"cells\" shape-rendering=\"crispEdges\" transform=\"translate(");
  append_number (svg,
                 visible.x - (visible.first_column - first_column * block) * visible.cell_width);
  g_string_append_c (svg, ' ');
  append_number (svg, visible.y - (visible.first_row - first_row * block) * visible.cell_height);
  g_string_append (svg, ") scale(");
  append_factor (svg, visible.cell_width * block);
  g_string_append_c (svg, ' ');
  append_factor (svg, visible.cell_height * block);
  g_string_append (svg, ")\">\n");
  for (guint i = 0; i < N_COLORS; i++)
    {
      if (cells.paths[i] == NULL)
        continue;
      g_string_append (svg, "<path");
      append_color (svg, "fill",
                    i < ATTN_COLORMAP_SIZE ? attn_colormap_get_table (style->colormap)[i]
                                           : ATTN_COLOR_NAN);
      g_string_append_printf (svg, " d=\"%s\"/>\n", cells.paths[i]->str);
      g_string_free (cells.paths[i], TRUE);
    }
  g_string_append (svg, "</g>\n");
}

/* The cells of a panel, cut off at its edges where the viewport ends inside of a cell. */
static void
write_heatmap (GString         *svg,
               const AttnStyle *style,
               const AttnMark  *mark)
{
  AttnVisible visible = attn_visible_get (mark);
  guint level = 0;

  while (((visible.end_row - visible.first_row) >> level) *
         ((visible.end_column - visible.first_column) >> level) > MAX_CELLS)
    level++;

  AttnTensor *values = attn_panel_get_level (mark->panel, level);
  while (level > 0 &&
         values->shape[1] > ((attn_panel_get_n_columns (mark->panel) - 1) >> level) + 1)
    level--;
  if (level > 0)
    g_string_append_printf (svg, "<desc>Each cell is the largest of %u x %u.</desc>\n", 1u << level,
                            1u << level);

  gboolean is_cut = level > 0 || !attn_viewport_is_fit (&mark->viewport);
  if (is_cut)
    {
      g_string_append_printf (svg, "<clipPath id=\"clip-%d\"><rect", mark->group);
      append_attribute (svg, "x", mark->rectangle.x);
      append_attribute (svg, "y", mark->rectangle.y);
      append_attribute (svg, "width", mark->rectangle.width);
      append_attribute (svg, "height", mark->rectangle.height);
      g_string_append_printf (svg, "/></clipPath>\n<g clip-path=\"url(#clip-%d)\">\n", mark->group);
    }
  write_cells (svg, style, values, mark, level);
  if (is_cut)
    g_string_append (svg, "</g>\n");
}

static void
begin_panel (GString         *svg,
             const AttnScene *scene,
             int              group)
{
  AttnGrid *grid = attn_scene_get_grid (scene);

  if (grid == NULL || group >= (int) (grid->n_rows * grid->n_columns))
    {
      g_string_append_printf (svg, "<g id=\"panel-%d\">\n", group);
      return;
    }

  const AttnGridCell *cell = &grid->cells[group];
  g_string_append_printf (svg, "<g id=\"panel-%d-%d\">\n", group / (int) grid->n_columns,
                          group % (int) grid->n_columns);
  if (cell->name != NULL)
    append_element (svg, "title", cell->name);
}

static void
write_mark (GString         *svg,
            const AttnStyle *style,
            const AttnMark  *mark)
{
  switch (mark->kind)
    {
    case ATTN_MARK_HEATMAP:
      write_heatmap (svg, style, mark);
      break;
    case ATTN_MARK_TEXT:
      write_text (svg, mark);
      break;
    case ATTN_MARK_LINE:
      write_line (svg, mark);
      break;
    case ATTN_MARK_RECTANGLE:
      write_rectangle (svg, mark);
      break;
    case ATTN_MARK_COLORBAR:
      write_colorbar (svg, style, mark);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* Marks of one panel stand together in its group. */
static void
write_marks (GString         *svg,
             const AttnScene *scene)
{
  int group = -1;

  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->group != group)
        {
          if (group >= 0)
            g_string_append (svg, "</g>\n");
          if (mark->group >= 0)
            begin_panel (svg, scene, mark->group);
          group = mark->group;
        }
      write_mark (svg, attn_scene_get_style (scene), mark);
    }
  if (group >= 0)
    g_string_append (svg, "</g>\n");
}

static void
begin_document (GString         *svg,
                const AttnScene *scene)
{
  double width = attn_scene_get_width (scene);
  double height = attn_scene_get_height (scene);

  g_string_append (svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"");
  append_number (svg, width);
  g_string_append (svg, "pt\" height=\"");
  append_number (svg, height);
  g_string_append (svg, "pt\" viewBox=\"0 0 ");
  append_number (svg, width);
  g_string_append_c (svg, ' ');
  append_number (svg, height);
  g_string_append (svg, "\" xml:space=\"preserve\"");
  append_font_family (svg, attn_scene_get_style (scene)->font_family);
  g_string_append (svg, ">\n");
}

/* Memory for the cells at their worst: no two neighbours of one colour. */
static gboolean
check_memory (const AttnScene  *scene,
              GError          **error)
{
  gsize n_cells = 0;

  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_HEATMAP)
        {
          AttnVisible visible = attn_visible_get (mark);
          gsize n =
              (visible.end_row - visible.first_row) * (visible.end_column - visible.first_column);
          n_cells += MIN (n, 2 * MAX_CELLS);
        }
    }
  return attn_memory_check (n_cells * BYTES_PER_CELL, _("the figure as SVG"), error);
}

/**
 * attn_svg_write:
 * @scene: what to write
 * @title: (nullable): title of the document
 * @metadata: (nullable): text kept in <metadata>, such as the study as JSON
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Every cell that is visible stands in the file once, in whole cells of a coordinate system of its
 * panel, in a path with all cells of its colour: no seams, no blur. Text is text. Of a panel that
 * shows more than a million cells, each cell in the file is the largest of several, and a <desc>
 * says so. Numbers have at most 3 decimals, but for the size of a cell. The same scene gives the
 * same bytes.
 *
 * Returns: (transfer full): UTF-8
 */
GBytes *
attn_svg_write (const AttnScene  *scene,
                const char       *title,
                const char       *metadata,
                GError          **error)
{
  const AttnStyle *style = attn_scene_get_style (scene);

  if (!check_memory (scene, error))
    return NULL;

  GString *svg = g_string_sized_new (64 * 1024);
  begin_document (svg, scene);
  if (title != NULL)
    append_element (svg, "title", title);
  if (metadata != NULL)
    append_element (svg, "metadata", metadata);
  if (style->has_background)
    {
      g_string_append (svg, "<rect class=\"background\" width=\"100%\" height=\"100%\"");
      append_color (svg, "fill", style->background);
      g_string_append (svg, "/>\n");
    }
  write_marks (svg, scene);
  g_string_append (svg, "</svg>\n");
  return g_string_free_to_bytes (svg);
}
