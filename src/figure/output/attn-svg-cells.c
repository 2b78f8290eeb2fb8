/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the cells of a panel into an SVG: as paths, as an image, and as titles for the pointer. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-cairo.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-heatmap.h"
#include "attn-svg-private.h"
#include "attn-text.h"
#include "attn-visible.h"

/* The number of digits of a weight in the title of a cell. */
#define TITLE_DIGITS 4

/* The size of cells, in points, below which they have no titles: one pixel of the pointer at a
 * magnification of five, about the most that browsers offer. */
#define SMALLEST_TITLED 0.2

/* Counts the cells of a panel that are visible, at least in part. */
gsize
attn_svg_count_cells (const AttnMark *heatmap)
{
  AttnVisible visible = attn_visible_get (heatmap);

  return (visible.rows.end - visible.rows.first) * (visible.columns.end - visible.columns.first);
}

/* The visible cells of an SVG by colour: each colour has a path of runs (neighbouring cells of a
 * row), row by row. */
typedef struct
{
  GString *paths[ATTN_PALETTE_SIZE];
} CellPaths;

/* Returns the colour of a block of cells, which is one value of the tile. If all its cells are
 * masked, it has the colour of masked cells, or that of 0 if there is none. */
static guint
get_color_index (const AttnMark      *mark,
                 const AttnPanelTile *tile,
                 gsize                row,
                 gsize                column)
{
  AttnPanel *drawn = attn_mark_get_drawn (mark);
  const AttnTensor *values = tile->values;
  guint level = tile->level;

  if (!attn_panel_is_any_visible (
          drawn, row << level, MIN ((row + 1) << level, attn_panel_get_n_rows (drawn)),
          column << level, MIN ((column + 1) << level, attn_panel_get_n_columns (drawn))))
    return mark->style->has_masked_color ? ATTN_PALETTE_MASKED
                                         : attn_scale_get_index (&mark->scale, 0);
  return attn_scale_get_index (&mark->scale,
                               values->data[(row - tile->first_row) * values->shape[1] + column -
                                            tile->first_column]);
}

static void
add_runs_of_row (CellPaths           *cells,
                 const AttnMark      *mark,
                 const AttnPanelTile *tile,
                 gsize                row,
                 gsize                first_row,
                 gsize                first_column,
                 gsize                end_column)
{
  gsize start = first_column;

  while (start < end_column)
    {
      guint color = get_color_index (mark, tile, row, start);
      gsize end = start + 1;

      while (end < end_column && get_color_index (mark, tile, row, end) == color)
        end++;
      if (cells->paths[color] == NULL)
        cells->paths[color] = g_string_new (NULL);
      gsize x = start - first_column;
      g_string_append_printf (cells->paths[color],
                              "M%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "h%" G_GSIZE_FORMAT
                              "v1H%" G_GSIZE_FORMAT,
                              x, row - first_row, end - start, x);
      start = end;
    }
}

static void
write_cells (GString             *svg,
             const AttnPanelTile *tile,
             const AttnMark      *mark)
{
  guint level = tile->level;
  AttnVisible visible = attn_visible_get (mark);
  gsize first_row = visible.rows.first >> level;
  gsize first_column = visible.columns.first >> level;
  gsize end_row = ((visible.rows.end - 1) >> level) + 1;
  gsize end_column = ((visible.columns.end - 1) >> level) + 1;
  double block = (double) ((gsize) 1 << level);
  CellPaths cells = { { NULL } };
  AttnRgb palette[ATTN_PALETTE_SIZE];

  attn_style_get_palette (mark->style, palette);
  for (gsize row = first_row; row < end_row; row++)
    add_runs_of_row (&cells, mark, tile, row, first_row, first_column, end_column);

  g_string_append (svg, "<g class=\"cells\" shape-rendering=\"crispEdges\"");
  attn_svg_append_transform (
      svg, visible.x - (visible.columns.first - first_column * block) * visible.cell_width,
      visible.y - (visible.rows.first - first_row * block) * visible.cell_height,
      visible.cell_width * block, visible.cell_height * block);
  g_string_append (svg, ">\n");
  for (guint i = 0; i < ATTN_PALETTE_SIZE; i++)
    {
      if (cells.paths[i] == NULL)
        continue;
      g_string_append (svg, "<path");
      attn_svg_append_color (svg, "fill", palette[i]);
      g_string_append_printf (svg, " d=\"%s\"/>\n", cells.paths[i]->str);
      g_string_free (cells.paths[i], TRUE);
    }
  g_string_append (svg, "</g>\n");
}

static void
begin_clip (GString        *svg,
            const char     *id_prefix,
            const AttnMark *mark)
{
  g_string_append_printf (svg, "<clipPath id=\"%sclip-%d\"><rect", id_prefix, mark->group);
  attn_svg_append_rectangle (svg, mark->rectangle.x, mark->rectangle.y, mark->rectangle.width,
                             mark->rectangle.height);
  g_string_append_printf (svg, "/></clipPath>\n<g clip-path=\"url(#%sclip-%d)\">\n", id_prefix,
                          mark->group);
}

/* Writes the visible cells of a panel, clipped at its edges if the viewport ends within a cell. */
void
attn_svg_write_heatmap (GString        *svg,
                        const char     *id_prefix,
                        const AttnMark *mark)
{
  AttnVisible visible = attn_visible_get (mark);
  guint level = 0;

  while (((visible.rows.end - visible.rows.first) >> level) *
             ((visible.columns.end - visible.columns.first) >> level) >
         ATTN_SVG_MAX_CELLS)
    level++;

  g_auto (AttnPanelTile) tile = { 0 };
  attn_heatmap_take_tile (attn_mark_get_drawn (mark), level,
                          visible.rows, visible.columns, TRUE, &tile);
  if (tile.values == NULL)
    return;
  level = tile.level;
  if (level > 0)
    g_string_append_printf (svg, "<desc>Each cell is the %s of %u x %u.</desc>\n",
                            attn_panel_is_signed (mark->panel) ? "one farthest from 0" : "largest",
                            1u << level, 1u << level);

  gboolean is_cut = level > 0 || !attn_viewport_is_fit (&mark->viewport);
  if (is_cut)
    begin_clip (svg, id_prefix, mark);
  write_cells (svg, &tile, mark);
  if (is_cut)
    g_string_append (svg, "</g>\n");
}

static cairo_status_t
append_cb (void                *closure,
           const unsigned char *data,
           unsigned int         length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Writes the cells of a panel as one image in which every cell has the same whole number of pixels,
 * so that smoothing by a viewer only softens edges. */
gboolean
attn_svg_write_image (GString         *svg,
                      const char      *id_prefix,
                      const AttnMark  *mark,
                      gboolean         is_inline,
                      GError         **error)
{
  AttnVisible visible = attn_visible_get (mark);
  gsize n_columns = visible.columns.end - visible.columns.first;
  gsize n_rows = visible.rows.end - visible.rows.first;
  gboolean is_cut = !attn_viewport_is_fit (&mark->viewport);
  g_autoptr (GByteArray) png = g_byte_array_new ();

  gsize max_pixels = attn_heatmap_get_useful_pixels (mark, ATTN_SVG_MAX_IMAGE);
  if (!attn_memory_check (max_pixels * max_pixels * 6,
                          _("the figure as SVG"), error))
    return FALSE;

  g_autoptr (cairo_surface_t) surface =
      attn_heatmap_paint_cells (mark, &visible, max_pixels, ATTN_SVG_MAX_MAGNIFICATION);
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, append_cb, png);
  if (status != CAIRO_STATUS_SUCCESS)
    return attn_fail (error,
                      status == CAIRO_STATUS_NO_MEMORY ? ATTN_ERROR_MEMORY : ATTN_ERROR_LIMIT,
                      _("%s: Cairo says “%s”, expected that it can be drawn"), "SVG",
                      cairo_status_to_string (status));
  if (MAX (n_columns, n_rows) > max_pixels)
    attn_svg_append_element (svg, "desc", "Each pixel is the largest of the cells under it.");
  if (is_cut)
    begin_clip (svg, id_prefix, mark);
  g_autofree char *data = g_base64_encode (png->data, png->len);
  g_string_append (svg, "<image class=\"cells\"");
  attn_svg_append_rectangle (svg, visible.x, visible.y, n_columns * visible.cell_width,
                             n_rows * visible.cell_height);
  g_string_append (svg, " preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\"");
  if (!is_inline)
    g_string_append (svg, " style=\"image-rendering:pixelated\"");
  g_string_append (svg, " xlink:href=\"data:image/png;base64,");
  g_string_append (svg, data);
  g_string_append (svg, "\"/>\n");
  if (is_cut)
    g_string_append (svg, "</g>\n");
  return TRUE;
}

static void
append_label (GString            *text,
              const char * const *labels,
              gsize               index)
{
  if (labels != NULL)
    g_string_append (text, labels[index]);
  else
    g_string_append_printf (text, "%" G_GSIZE_FORMAT, index);
}

/* Tells whether the cells of a panel are large enough for the pointer to reach each. */
gboolean
attn_svg_has_titles (const AttnMark *mark)
{
  AttnVisible visible = attn_visible_get (mark);

  return visible.cell_width >= SMALLEST_TITLED && visible.cell_height >= SMALLEST_TITLED;
}

/* Writes an invisible rectangle over each cell that is not masked. When the pointer is over a cell,
 * a viewer shows the title of its rectangle: the query token, the key token and the weight. */
void
attn_svg_write_titles (GString        *svg,
                       const AttnMark *mark)
{
  AttnVisible visible = attn_visible_get (mark);

  g_string_append (svg, "<g class=\"hover\" fill=\"none\" pointer-events=\"all\"");
  attn_svg_append_transform (svg, visible.x, visible.y, visible.cell_width, visible.cell_height);
  g_string_append (svg, ">\n");
  for (gsize row = visible.rows.first; row < visible.rows.end; row++)
    for (gsize column = visible.columns.first; column < visible.columns.end; column++)
      {
        if (!attn_panel_is_visible (mark->panel, row, column))
          continue;

        g_autoptr (GString) text = g_string_new (NULL);
        float value = attn_panel_get_value (mark->panel, row, column);
        g_autofree char *number = isnan (value) ? g_strdup ("not a number")
                                                : attn_text_format_weight (value, TITLE_DIGITS);
        append_label (text, attn_panel_get_row_labels (mark->panel), row);
        g_string_append (text, " → ");
        append_label (text, attn_panel_get_column_labels (mark->panel), column);
        g_string_append_printf (text, ": %s", number);
        g_string_append_printf (svg,
                                "<path d=\"M%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "h1v1h-1z\">",
                                column - visible.columns.first, row - visible.rows.first);
        g_string_append (svg, "<title>");
        attn_svg_append_text (svg, text->str);
        g_string_append (svg, "</title></path>\n");
      }
  g_string_append (svg, "</g>\n");
}
