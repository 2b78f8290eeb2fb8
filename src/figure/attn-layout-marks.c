/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>
#include <string.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Text that is too wide shrinks down to this share of its size before it is cut. */
#define SMALLEST_SHRINK 0.65

/* A caption goes on in another line before it becomes small. */
#define CAPTION_SHRINK    0.7
#define MAX_CAPTION_LINES 3
/* Where that costs only paper. */
#define MAX_FREE_LINES 20

/* So few columns are no series of which every second could be named; their headings may take two
 * lines, this much smaller. */
#define MAX_WRAPPED_HEADINGS 4
#define HEADING_SHRINK       0.8

#define TICK_WIDTH   0.5
#define REGION_WIDTH 1.5
#define PIN_WIDTH    2.0

/* Lines between the cells of two colours, darker than both; where they are narrower than this, in
 * points, there are none. */
#define CELL_LINE_WIDTH 0.5
#define CELL_LINE_COLOR ((AttnRgb) { 0x1e, 0x1e, 0x1e })
#define SMALLEST_LINED  5.0

/* Numbers in cells, in points and relative to the token labels. */
#define SMALLEST_VALUE 6.0
#define VALUE_RATIO    0.95
#define VALUE_MARGIN   3.0

/* No viewport is smaller: beyond this, doubles run out of digits. */
#define SMALLEST_VIEWPORT 1e-6

/* Relative luminance at which black and white text stand out equally (WCAG 2: contrast (L + 0.05) /
 * 0.05 equals 1.05 / (L + 0.05)). */
#define MIDDLE_LUMINANCE 0.179

AttnViewport
attn_layout_check_viewport (const AttnViewport *viewport)
{
  AttnViewport checked = *viewport;

  if (!isfinite (checked.x) || !isfinite (checked.y) || !isfinite (checked.width) ||
      !isfinite (checked.height))
    return ATTN_VIEWPORT_FIT;
  checked.width = MAX (checked.width, SMALLEST_VIEWPORT);
  checked.height = MAX (checked.height, SMALLEST_VIEWPORT);
  return attn_viewport_clamp (checked);
}

/* What of a panel is shown: of each its own part, or the same of all. */
AttnViewport
attn_layout_get_viewport (const AttnLayout *layout,
                          gsize             group)
{
  return layout->viewports != NULL ? attn_layout_check_viewport (&layout->viewports[group])
                                   : layout->viewport;
}

/* The label of a row or column as markup: the token, or its index where there are no tokens. */
char *
attn_layout_get_label (const char * const *labels,
                       gsize               index)
{
  if (labels == NULL)
    return g_strdup_printf ("%" G_GSIZE_FORMAT, index);
  return attn_markup_from_text (labels[index]);
}

/* Which of the ranges belongs to a panel. */
gsize
attn_layout_get_range (const AttnLayout *layout,
                       gsize             row,
                       gsize             column)
{
  switch (layout->style.range_scope)
    {
    case ATTN_RANGE_SCOPE_ROW:
      return row;
    case ATTN_RANGE_SCOPE_PANEL:
      return row * layout->grid->n_columns + column;
    case ATTN_RANGE_SCOPE_GRID:
    default:
      return 0;
    }
}

/* The scale of a panel. */
const AttnRange *
attn_layout_get_scale (const AttnLayout *layout,
                       gsize             row,
                       gsize             column)
{
  gsize range = attn_layout_get_range (layout, row, column);

  return layout->grid->cells[row * layout->grid->n_columns + column].is_difference
             ? &layout->difference_ranges[range]
             : &layout->ranges[range];
}

AttnMark *
attn_layout_add_text (AttnScene  *scene,
                      int         group,
                      const char *role,
                      char       *markup,
                      double      x,
                      double      y,
                      double      size,
                      AttnAnchor  anchor,
                      double      angle)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TEXT, group, role);

  mark->markup = markup;
  mark->rectangle.x = x;
  mark->rectangle.y = y;
  mark->font_size = size;
  mark->anchor = anchor;
  mark->angle = angle;
  return mark;
}

void
attn_layout_add_line (AttnScene  *scene,
                      int         group,
                      const char *role,
                      double      x,
                      double      y,
                      double      dx,
                      double      dy)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, group, role);

  mark->rectangle = (AttnRectangle) { x, y, dx, dy };
  mark->line_width = TICK_WIDTH;
}

/* Text that shrinks a little and is then cut to fit @width. */
char *
attn_layout_fit_text (const AttnLayout *layout,
                      const char       *markup,
                      double            width,
                      double           *size)
{
  const char *family = layout->style.font_family;
  g_autofree char *normal = attn_markup_normalize (markup);
  double needed = attn_lettering_measure (family, normal, *size);

  if (needed > width)
    *size = MAX (*size * width / needed, *size * SMALLEST_SHRINK);
  return attn_lettering_ellipsize (family, normal, *size, width);
}

/* A panel in its slot: as large as its aspect allows, in the middle. */
AttnRectangle
attn_layout_get_panel_rectangle (const AttnLayout *layout,
                                 AttnPanel        *panel,
                                 gsize             row,
                                 gsize             column)
{
  double aspect = attn_layout_get_aspect (layout, panel);
  double width = MIN (layout->slot_width, layout->slot_height * aspect);
  double height = MIN (layout->slot_height, layout->slot_width / aspect);

  return (AttnRectangle) {
    .x = layout->slot_x[column] + (layout->slot_width - width) / 2,
    .y = layout->slot_y[row] + (layout->slot_height - height) / 2,
    .width = width,
    .height = height,
  };
}

/* Room for a title centred over its panel: up to the middle between two panels, and within the
 * page. */
static double
get_title_width (const AttnLayout *layout,
                 gsize             column)
{
  double center = layout->slot_x[column] + layout->slot_width / 2;
  double width = 2 * MIN (center, layout->width - center) - layout->margin;

  if (column > 0)
    width = MIN (width, layout->slot_x[column] - layout->slot_x[column - 1] - 6);
  if (column + 1 < layout->grid->n_columns)
    width = MIN (width, layout->slot_x[column + 1] - layout->slot_x[column] - 6);
  return MAX (width, 0);
}

/* How much smaller titles are than they should be, so that the widest of them fits. */
static double
get_title_shrink (const AttnLayout *layout)
{
  double shrink = 1;

  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    {
      const char *title = layout->grid->cells[i].title;

      if (title == NULL || layout->grid->cells[i].panel == NULL)
        continue;
      g_autofree char *normal = attn_markup_normalize (title);
      double needed =
          attn_lettering_measure (layout->style.font_family, normal, layout->title_size);
      double width = get_title_width (layout, i % layout->grid->n_columns);
      if (needed > width)
        shrink = MIN (shrink, width / needed);
    }
  return shrink;
}

/* Whether titles are too wide for their panels at any size that can be read. */
gboolean
attn_layout_are_titles_cut (const AttnLayout *layout)
{
  return get_title_shrink (layout) < SMALLEST_SHRINK;
}

/* All titles have one size: the one that the widest of them needs. */
static double
get_title_size (const AttnLayout *layout)
{
  return layout->title_size * MAX (get_title_shrink (layout), SMALLEST_SHRINK);
}

/* 1, 2, 5, 10, 20, ...: the step at which labels @pitch apart have room. */
gsize
attn_layout_get_label_step (double pitch,
                            double needed)
{
  static const gsize factors[] = { 2, 5, 10 };
  gsize decade = 1;

  if (pitch >= needed - 1e-6)
    return 1;
  while (decade < G_MAXSIZE / 100)
    {
      for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
        if (decade * factors[i] * pitch >= needed - 1e-6)
          return decade * factors[i];
      decade *= 10;
    }
  return decade;
}

/* Rows or columns of which the middle is within the shown part. */
static void
get_visible_range (double  start,
                   double  extent,
                   gsize   n,
                   gsize  *first,
                   gsize  *end)
{
  double from = ceil (start * n - 0.5 - 1e-9);
  double to = floor ((start + extent) * n - 0.5 + 1e-9) + 1;

  *first = (gsize) CLAMP (from, 0, n);
  *end = (gsize) CLAMP (to, *first, n);
}

static void
add_row_labels (const AttnLayout    *layout,
                AttnScene           *scene,
                int                  group,
                AttnPanel           *panel,
                const AttnRectangle *rectangle,
                double               room)
{
  const char * const *labels = attn_panel_get_row_labels (panel);
  gsize n = attn_panel_get_n_rows (panel);
  AttnViewport viewport = attn_layout_get_viewport (layout, group);
  double pitch = rectangle->height / (viewport.height * n);
  gsize unit = MAX (layout->grid->row_step, 1);
  gsize step = unit * attn_layout_get_label_step (
                          unit * pitch, layout->label_size / ATTN_LAYOUT_LABEL_PITCH);
  double x = rectangle->x - ATTN_LAYOUT_LABEL_GAP;
  gsize first, end;

  get_visible_range (viewport.y, viewport.height, n, &first, &end);
  for (gsize row = (first + step - 1) / step * step; row < end; row += step)
    {
      double y = rectangle->y + (row + 0.5 - viewport.y * n) * pitch;
      g_autofree char *markup = attn_layout_get_label (labels, row);

      if (step > 1)
        attn_layout_add_line (scene, group, "tick", rectangle->x - 2, y, 2, 0);
      if (*markup == '\0')
        continue;
      char *label = attn_lettering_ellipsize (layout->style.font_family, markup, layout->label_size,
                                              room - ATTN_LAYOUT_LABEL_GAP);
      attn_layout_add_text (scene, group, "row-label", label, x,
                            y + layout->label_size * ATTN_LETTERING_MIDDLE, layout->label_size,
                            ATTN_ANCHOR_END, 0);
    }
}

static void
add_column_labels (const AttnLayout    *layout,
                   AttnScene           *scene,
                   int                  group,
                   AttnPanel           *panel,
                   const AttnRectangle *rectangle,
                   double               room)
{
  const char * const *labels = attn_panel_get_column_labels (panel);
  gsize n = attn_panel_get_n_columns (panel);
  AttnViewport viewport = attn_layout_get_viewport (layout, group);
  double pitch = rectangle->width / (viewport.width * n);
  gsize step = attn_layout_get_label_step (pitch, layout->label_size / ATTN_LAYOUT_LABEL_PITCH);
  gboolean is_top = layout->grid->has_top_labels;
  double y = is_top ? rectangle->y - ATTN_LAYOUT_LABEL_GAP
                    : rectangle->y + rectangle->height + ATTN_LAYOUT_LABEL_GAP;
  gsize first, end;

  get_visible_range (viewport.x, viewport.width, n, &first, &end);
  for (gsize column = (first + step - 1) / step * step; column < end; column += step)
    {
      double x = rectangle->x + (column + 0.5 - viewport.x * n) * pitch;
      g_autofree char *markup = attn_layout_get_label (labels, column);

      if (step > 1)
        attn_layout_add_line (scene, group, "tick", x,
                              is_top ? rectangle->y - 2 : y - ATTN_LAYOUT_LABEL_GAP, 0, 2);
      if (*markup == '\0')
        continue;
      if (layout->has_flat_labels)
        {
          attn_layout_add_text (scene, group, "column-label", g_steal_pointer (&markup), x,
                                is_top ? y - layout->label_size * ATTN_LETTERING_DESCENT
                                       : y + layout->label_size * ATTN_LETTERING_ASCENT,
                                layout->label_size, ATTN_ANCHOR_MIDDLE, 0);
          continue;
        }
      char *label = attn_lettering_ellipsize (layout->style.font_family, markup, layout->label_size,
                                              room - ATTN_LAYOUT_LABEL_GAP);
      attn_layout_add_text (scene, group, "column-label", label,
                            x + layout->label_size * ATTN_LETTERING_MIDDLE, y, layout->label_size,
                            is_top ? ATTN_ANCHOR_START : ATTN_ANCHOR_END, 90);
    }
}

static double
to_linear (guint8 channel)
{
  double c = channel / 255.0;

  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

/* Black or white, whichever stands out from @color (sRGB, WCAG 2 relative luminance). */
AttnRgb
attn_layout_get_text_color (AttnRgb color)
{
  double luminance = 0.2126 * to_linear (color.red) + 0.7152 * to_linear (color.green) +
                     0.0722 * to_linear (color.blue);

  return luminance > MIDDLE_LUMINANCE ? (AttnRgb) { 0, 0, 0 } : (AttnRgb) { 255, 255, 255 };
}

/* The number in a cell: in large cells with as many significant digits as asked for, else with as
 * many decimals, and one digit and an exponent where that would be 0. NULL if it does not fit. */
static char *
format_value (double   value,
              guint    n_digits,
              gboolean is_large,
              double   n_fitting)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char format[16];
  char *text;

  if (is_large || !isfinite (value))
    text = attn_text_format_weight (value, n_digits);
  else
    {
      gboolean is_small = value != 0 && fabs (value) * pow (10, n_digits) < 0.5;

      g_snprintf (format, sizeof format, is_small ? "%%.0e" : "%%.%uf", n_digits);
      text = g_strdup (g_ascii_formatd (buffer, sizeof buffer, format, value));
    }
  if (strlen (text) > n_fitting)
    g_clear_pointer (&text, g_free);
  return text;
}

static void
add_values (const AttnLayout *layout,
            AttnScene        *scene,
            const AttnMark   *heatmap)
{
  AttnPanel *panel = heatmap->panel;
  const AttnViewport *viewport = &heatmap->viewport;
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  guint n_digits = CLAMP (layout->style.n_digits, 1, 9);
  double cell_width = heatmap->rectangle.width / (viewport->width * n_columns);
  double cell_height = heatmap->rectangle.height / (viewport->height * n_rows);
  double digit_width = attn_lettering_measure (layout->style.font_family, "0", 1);
  AttnRgb palette[ATTN_PALETTE_SIZE];
  double size = MIN (layout->style.font_size * VALUE_RATIO,
                     (cell_width - VALUE_MARGIN) / ((n_digits + 2) * digit_width));

  size = MIN (size, cell_height / 1.4);
  if (size < SMALLEST_VALUE)
    return;

  attn_style_get_palette (heatmap->style, palette);
  gboolean is_large = cell_width - 1 >= (n_digits + 4) * size * digit_width;
  gsize end_row = MIN ((gsize) ceil ((viewport->y + viewport->height) * n_rows), n_rows);
  gsize end_column = MIN ((gsize) ceil ((viewport->x + viewport->width) * n_columns), n_columns);
  for (gsize row = (gsize) (viewport->y * n_rows); row < end_row; row++)
    for (gsize column = (gsize) (viewport->x * n_columns); column < end_column; column++)
      {
        AttnRectangle cell;
        float value = attn_panel_get_value (panel, row, column);

        if (!attn_panel_is_visible (panel, row, column) ||
            !attn_scene_get_cell (scene, heatmap->group, row, column, &cell) ||
            cell.height < size * 1.2)
          continue;
        char *text =
            format_value (value, n_digits, is_large, (cell.width - 1) / (size * digit_width));
        if (text == NULL)
          continue;
        AttnMark *mark =
            attn_layout_add_text (scene, heatmap->group, "value", text, cell.x + cell.width / 2,
                                  cell.y + cell.height / 2 + size * ATTN_LETTERING_DIGIT_MIDDLE,
                                  size, ATTN_ANCHOR_MIDDLE, 0);
        mark->color =
            attn_layout_get_text_color (palette[attn_mark_get_index (heatmap, row, column)]);
      }
}

/* The rectangle of a region, cut off where the viewport ends; the cut has no line. */
static void
add_region (AttnScene        *scene,
            const AttnMark   *heatmap,
            const AttnRegion *region,
            gsize             index)
{
  const AttnViewport *viewport = &heatmap->viewport;
  const AttnRectangle *panel = &heatmap->rectangle;
  gsize n_rows = attn_panel_get_n_rows (heatmap->panel);
  gsize n_columns = attn_panel_get_n_columns (heatmap->panel);
  double edges[4] = {
    (double) MIN (region->first_column, n_columns - 1) / n_columns,
    (double) (MIN (region->last_column, n_columns - 1) + 1) / n_columns,
    (double) MIN (region->first_row, n_rows - 1) / n_rows,
    (double) (MIN (region->last_row, n_rows - 1) + 1) / n_rows,
  };
  AttnSides sides = ATTN_SIDE_ALL;

  for (guint i = 0; i < 4; i++)
    edges[i] = i < 2 ? (edges[i] - viewport->x) / viewport->width
                     : (edges[i] - viewport->y) / viewport->height;
  if (!(edges[0] < 1 - 1e-9 && edges[1] > 1e-9 && edges[0] < edges[1]) ||
      !(edges[2] < 1 - 1e-9 && edges[3] > 1e-9 && edges[2] < edges[3]))
    return;
  if (edges[0] < -1e-9)
    sides &= ~ATTN_SIDE_LEFT;
  if (edges[1] > 1 + 1e-9)
    sides &= ~ATTN_SIDE_RIGHT;
  if (edges[2] < -1e-9)
    sides &= ~ATTN_SIDE_TOP;
  if (edges[3] > 1 + 1e-9)
    sides &= ~ATTN_SIDE_BOTTOM;
  for (guint i = 0; i < 4; i++)
    edges[i] = CLAMP (edges[i], 0, 1);

  AttnMark *mark =
      attn_scene_add (scene, ATTN_MARK_REGION, heatmap->group, region->is_pin ? "pin" : "region");
  mark->rectangle = (AttnRectangle) {
    panel->x + edges[0] * panel->width,
    panel->y + edges[2] * panel->height,
    (edges[1] - edges[0]) * panel->width,
    (edges[3] - edges[2]) * panel->height,
  };
  mark->color = (AttnRgb) { 0, 0, 0 };
  mark->line_width = region->is_pin ? PIN_WIDTH : REGION_WIDTH;
  mark->sides = sides;
  mark->region = index;
}

/* Between the cells as far as they are shown, so that they can be counted. */
static void
add_cell_lines (AttnScene      *scene,
                const AttnMark *heatmap)
{
  const AttnViewport *viewport = &heatmap->viewport;
  const AttnRectangle *panel = &heatmap->rectangle;
  gsize n_rows = attn_panel_get_n_rows (heatmap->panel);
  gsize n_columns = attn_panel_get_n_columns (heatmap->panel);
  double width = panel->width / (viewport->width * n_columns);
  double height = panel->height / (viewport->height * n_rows);

  if (MIN (width, height) < SMALLEST_LINED)
    return;
  for (gsize i = 1; i < n_rows + n_columns; i++)
    {
      gboolean is_column = i < n_columns;
      double x = ((double) i / n_columns - viewport->x) / viewport->width;
      double y = (((double) i - n_columns) / n_rows - viewport->y) / viewport->height;

      if (i == n_columns || (is_column ? x <= 0 || x >= 1 : y <= 0 || y >= 1))
        continue;
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, heatmap->group, "cell-line");
      mark->rectangle =
          is_column ? (AttnRectangle) { panel->x + x * panel->width, panel->y, 0, panel->height }
                    : (AttnRectangle) { panel->x, panel->y + y * panel->height, panel->width, 0 };
      mark->line_width = CELL_LINE_WIDTH;
      mark->color = CELL_LINE_COLOR;
    }
}

static void
add_panel (const AttnLayout *layout,
           AttnScene        *scene,
           gsize             row,
           gsize             column,
           double            title_size)
{
  gsize group = row * layout->grid->n_columns + column;
  const AttnGridCell *cell = &layout->grid->cells[group];

  if (cell->panel == NULL)
    return;

  AttnRectangle rectangle = attn_layout_get_panel_rectangle (layout, cell->panel, row, column);
  AttnMark *heatmap =
      cell->is_difference ? attn_scene_add_difference (scene, ATTN_MARK_HEATMAP, group, "cells")
                          : attn_scene_add (scene, ATTN_MARK_HEATMAP, group, "cells");
  heatmap->rectangle = rectangle;
  heatmap->panel = attn_panel_ref (cell->panel);
  heatmap->viewport = attn_layout_get_viewport (layout, group);
  heatmap->scale = attn_layout_get_scale (layout, row, column)->scale;
  if (heatmap->scale.quantiles != NULL)
    attn_quantiles_ref (heatmap->scale.quantiles);
  AttnPanel *drawn = attn_range_get_drawn (layout->grid, group, heatmap->scale.kind);
  if (drawn != cell->panel)
    heatmap->drawn = attn_panel_ref (drawn);
  if (layout->style.shows_values)
    add_values (layout, scene, heatmap);
  if (layout->grid->is_binary)
    add_cell_lines (scene, heatmap);

  AttnMark *frame = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "frame");
  frame->rectangle = rectangle;
  frame->line_width = ATTN_LAYOUT_FRAME_WIDTH;
  for (gsize i = 0; i < cell->n_regions; i++)
    add_region (scene, heatmap, &cell->regions[i], i);
  attn_layout_add_pin_labels (layout, scene, heatmap, cell);

  if (layout->shows_titles && cell->title != NULL)
    {
      double size = title_size;
      char *title =
          attn_layout_fit_text (layout, cell->title, get_title_width (layout, column), &size);
      attn_layout_add_text (scene, group, "title", title, rectangle.x + rectangle.width / 2,
                            rectangle.y - ATTN_LAYOUT_TITLE_GAP - size * ATTN_LETTERING_DESCENT -
                                (layout->grid->has_top_labels ? layout->column_room[row] : 0),
                            size, ATTN_ANCHOR_MIDDLE, 0);
    }
  if (layout->shows_tokens && layout->has_row_labels[group])
    add_row_labels (layout, scene, group, cell->panel, &rectangle, layout->row_room[column]);
  if (layout->shows_tokens && layout->has_column_labels[group])
    add_column_labels (layout, scene, group, cell->panel, &rectangle, layout->column_room[row]);
}

/* What the axes are. The words of a figure belong to the paper, not to the window: not translated.
 */
static void
add_axis_titles (const AttnLayout *layout,
                 AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->axis_title_size;
  double right = layout->slot_x[grid->n_columns - 1] + layout->slot_width;
  double bottom = layout->slot_y[grid->n_rows - 1] + layout->slot_height;

  char *row_title = attn_markup_from_text (grid->row_title != NULL ? grid->row_title : "Query");
  attn_layout_add_text (scene, -1, "axis-label", row_title,
                        layout->left + size * ATTN_LETTERING_ASCENT,
                        (layout->slot_y[0] + bottom) / 2, size, ATTN_ANCHOR_MIDDLE, 90);
  char *column_title =
      attn_markup_from_text (grid->column_title != NULL ? grid->column_title : "Key");
  attn_layout_add_text (scene, -1, "axis-label", column_title, (layout->slot_x[0] + right) / 2,
                        layout->axis_title_y, size, ATTN_ANCHOR_MIDDLE, 0);
}

/* What headings of columns @pitch apart have between them. */
static double
get_heading_room (const AttnLayout *layout,
                  double            pitch)
{
  return pitch - layout->style.font_size / 3;
}

static double
get_widest_heading (const AttnLayout *layout,
                    double            size)
{
  const AttnGrid *grid = layout->grid;
  double widest = 0;

  for (gsize column = 0; column < grid->n_columns; column++)
    {
      g_autofree char *markup = attn_markup_from_text (grid->column_headings[column]);

      widest =
          MAX (widest, attn_lettering_measure (layout->style.font_family, markup, size));
    }
  return widest;
}

/* The lines of a heading, each no wider than @room; NULL where two do not do. */
static char **
wrap_heading (const AttnLayout *layout,
              gsize             column,
              double            size,
              double            room)
{
  const char *family = layout->style.font_family;
  g_autofree char *markup = attn_markup_from_text (layout->grid->column_headings[column]);
  g_auto (GStrv) lines = attn_lettering_wrap (family, markup, size, room, 2);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "…") != NULL && strstr (markup, lines[i]) == NULL)
      return NULL;
  return g_steal_pointer (&lines);
}

/* 2 where only that makes the headings of all columns fit. */
gsize
attn_layout_count_heading_lines (const AttnLayout *layout,
                                 double            pitch)
{
  double size = layout->style.font_size;
  double room = get_heading_room (layout, pitch);

  if (layout->grid->n_columns > MAX_WRAPPED_HEADINGS ||
      get_widest_heading (layout, size) * SMALLEST_SHRINK <= room)
    return 1;
  for (gsize column = 0; column < layout->grid->n_columns; column++)
    {
      g_auto (GStrv) lines = wrap_heading (layout, column, size * HEADING_SHRINK, room);

      if (lines == NULL)
        return 1;
    }
  return 2;
}

/* Smaller where that makes the headings of all columns fit, else every so many has one. */
static double
get_heading_size (const AttnLayout *layout,
                  gsize            *step)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->style.font_size;
  double pitch = grid->n_columns > 1 ? layout->slot_x[1] - layout->slot_x[0] : layout->slot_width;
  double widest = get_widest_heading (layout, size);
  /* Those at the ends are bounded by the page. */
  double first = layout->slot_x[0] + layout->slot_width / 2;
  double last = layout->slot_x[grid->n_columns - 1] + layout->slot_width / 2;
  double room =
      MIN (get_heading_room (layout, pitch), 2 * MIN (first, layout->width - last));

  *step = 1;
  if (layout->n_heading_lines > 1)
    return size * HEADING_SHRINK;
  if (room >= widest * SMALLEST_SHRINK)
    return size * MIN (1, room / MAX (widest, 1));
  *step = attn_layout_get_label_step (pitch, widest + size / 3);
  return size;
}

/* Whether so few columns would have a heading that nobody learns what the others are. */
gboolean
attn_layout_are_headings_cut (const AttnLayout *layout)
{
  gsize step;
  double size = get_heading_size (layout, &step);
  double first = layout->slot_x[0] + layout->slot_width / 2;
  double last = layout->slot_x[layout->grid->n_columns - 1] + layout->slot_width / 2;

  if (layout->n_heading_lines > 1)
    for (gsize i = 0; i < 2; i++)
      {
        g_auto (GStrv) lines = wrap_heading (layout, i == 0 ? 0 : layout->grid->n_columns - 1, size,
                                             2 * (i == 0 ? first : layout->width - last));

        if (lines == NULL || g_strv_length (lines) > layout->n_heading_lines)
          return TRUE;
      }
  return step > 1 && (step >= layout->grid->n_columns ||
                      layout->grid->n_columns <= MAX_WRAPPED_HEADINGS);
}

static void
add_column_headings (const AttnLayout *layout,
                     AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  gsize step;
  double size = get_heading_size (layout, &step);
  double y = layout->slot_y[0] - ATTN_LAYOUT_LABEL_GAP -
             layout->style.font_size * ATTN_LETTERING_DESCENT;
  double room = get_heading_room (layout, layout->slot_width + layout->gap_x);

  for (gsize column = 0; column < grid->n_columns; column += step)
    {
      double x = layout->slot_x[column] + layout->slot_width / 2;
      double own_size = size;
      g_auto (GStrv) lines =
          layout->n_heading_lines > 1 ? wrap_heading (layout, column, size, room) : NULL;
      guint n = lines != NULL ? g_strv_length (lines) : 0;

      for (guint i = 0; i < n; i++)
        attn_layout_add_text (scene, -1, "heading", g_strdup (lines[i]), x,
                              y - (n - 1 - i) * size * ATTN_LETTERING_HEIGHT, size,
                              ATTN_ANCHOR_MIDDLE, 0);
      if (n > 0)
        continue;
      g_autofree char *markup = attn_markup_from_text (grid->column_headings[column]);
      char *text = attn_layout_fit_text (layout, markup, 2 * MIN (x, layout->width - x), &own_size);

      attn_layout_add_text (scene, -1, "heading", text, x, y, own_size, ATTN_ANCHOR_MIDDLE, 0);
    }
}

/* Beside the rows; where they are too many, every so many has one. */
static void
add_row_headings (const AttnLayout *layout,
                  AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->style.font_size;
  double x = layout->slot_x[0] - layout->row_room[0] - ATTN_LAYOUT_LABEL_GAP;
  double pitch = grid->n_rows > 1 ? layout->slot_y[1] - layout->slot_y[0] : layout->slot_height;
  gsize step = attn_layout_get_label_step (pitch, size * ATTN_LETTERING_HEIGHT);

  for (gsize row = 0; row < grid->n_rows; row += step)
    attn_layout_add_text (scene, -1, "heading", attn_markup_from_text (grid->row_headings[row]), x,
                          layout->slot_y[row] + layout->slot_height / 2 +
                              size * ATTN_LETTERING_MIDDLE,
                          size, ATTN_ANCHOR_END, 0);
}

/* The caption as it fits @width: a little smaller, else on several lines. */
char **
attn_layout_wrap_caption (const AttnLayout *layout,
                          double            width,
                          double           *size)
{
  double needed = layout->caption_width * layout->caption_size;
  double shrink = needed > width ? width / needed : 1;

  *size = layout->caption_size * MAX (shrink, CAPTION_SHRINK);
  /* By rounding, a text that has just been made to fit might not. */
  return attn_lettering_wrap (layout->style.font_family, layout->grid->caption, *size,
                              width * 1.0001,
                              layout->page_height > 0 ? MAX_CAPTION_LINES : MAX_FREE_LINES);
}

/* Centred below the panels and the diagram; a caption too wide for that moves towards the middle of
 * the page. */
static void
add_caption (const AttnLayout *layout,
             AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double right = layout->slot_x[grid->n_columns - 1] + layout->slot_width;
  double left = layout->shows_diagram ? layout->diagram.x : layout->slot_x[0];
  double center = (left + right) / 2;
  double size = layout->caption_size;
  double page = layout->width - 2 * layout->margin;
  double half = 0;
  g_auto (GStrv) lines = attn_layout_wrap_caption (layout, page, &size);

  for (gsize i = 0; lines[i] != NULL; i++)
    half = MAX (half, attn_lettering_measure (layout->style.font_family, lines[i], size) / 2);
  center = CLAMP (center, layout->margin + half,
                  MAX (layout->width - layout->margin - half, layout->margin + half));
  for (gsize i = 0; lines[i] != NULL; i++)
    attn_layout_add_text (scene, -1, "caption", g_steal_pointer (&lines[i]), center,
                          layout->caption_y + i * layout->caption_size * ATTN_LETTERING_HEIGHT,
                          size, ATTN_ANCHOR_MIDDLE, 0);
}

/* Fills a scene with the marks of @layout. */
AttnScene *
attn_layout_make_scene (const AttnLayout *layout)
{
  const AttnGrid *grid = layout->grid;
  AttnScene *scene = attn_scene_new (layout->width, layout->height, &layout->style, layout->grid);
  double title_size = layout->shows_titles ? get_title_size (layout) : 0;

  if (layout->shows_diagram)
    attn_layout_add_diagram (layout, scene);
  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize column = 0; column < grid->n_columns; column++)
      add_panel (layout, scene, row, column, title_size);
  if (layout->column_heading_room > 0)
    add_column_headings (layout, scene);
  if (layout->shows_headings && grid->row_headings != NULL)
    add_row_headings (layout, scene);
  if (layout->shows_axis_titles)
    add_axis_titles (layout, scene);
  if (layout->shows_caption)
    add_caption (layout, scene);
  if (layout->shows_colorbar)
    attn_layout_add_colorbars (layout, scene);
  return scene;
}
