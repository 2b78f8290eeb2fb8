/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The marks of a panel: cells, numbers in cells, labels, regions. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>
#include <string.h>

#include "attn-contrast.h"
#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* The length of ticks of a panel, in points. They are drawn if only some rows or columns have a
 * label. */
#define TICK_LENGTH 2.0

#define REGION_WIDTH 1.5
#define PIN_WIDTH    2.0

/* Lines between the cells of an on/off figure, darker than its two colours. Cells narrower than
 * SMALLEST_LINED, in points, have no lines between them. */
#define CELL_LINE_WIDTH 0.5
#define CELL_LINE_COLOR ((AttnRgb) { 0x1e, 0x1e, 0x1e })
#define SMALLEST_LINED  5.0

/* Numbers in cells: the smallest size in points, and the size relative to the token labels. */
#define SMALLEST_VALUE 6.0
#define VALUE_RATIO    0.95
#define VALUE_MARGIN   3.0

/* Finds the rows or columns of a panel whose middle is visible. */
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
add_row_label (const AttnLayoutFit *fit,
               AttnScene           *scene,
               int                  group,
               const AttnRectangle *panel,
               const char          *markup,
               double               size,
               double               y,
               double               room)
{
  attn_scene_add_text (scene, group, "row-label",
                       attn_lettering_ellipsize (fit->in->style.font_family, markup, size,
                                                 room - ATTN_LAYOUT_LABEL_GAP),
                       panel->x - ATTN_LAYOUT_LABEL_GAP, y + size * ATTN_LETTERING_MIDDLE, size,
                       ATTN_ANCHOR_END, 0);
}

static void
add_column_label (const AttnLayoutFit *fit,
                  AttnScene           *scene,
                  int                  group,
                  const AttnRectangle *panel,
                  const char          *markup,
                  AttnLayoutWriting    writing,
                  double               x,
                  double               room)
{
  const char *family = fit->in->style.font_family;
  double size = writing.size;
  gboolean is_top = fit->in->grid->has_top_labels;
  double y = is_top ? panel->y - ATTN_LAYOUT_LABEL_GAP
                    : panel->y + panel->height + ATTN_LAYOUT_LABEL_GAP;

  if (writing.is_flat)
    {
      double half = attn_lettering_measure (family, markup, size) / 2;

      /* A label that would reach beyond the edge of the page is moved onto the page. */
      x = MAX (MIN (x, scene->width - half), half);
      attn_scene_add_text (scene, group, "column-label", g_strdup (markup), x,
                           is_top ? y - size * ATTN_LETTERING_DESCENT
                                  : y + size * ATTN_LETTERING_ASCENT,
                           size, ATTN_ANCHOR_MIDDLE, 0);
      return;
    }
  attn_scene_add_text (
      scene, group, "column-label",
      attn_lettering_ellipsize (family, markup, size, room - ATTN_LAYOUT_LABEL_GAP),
      x + size * ATTN_LETTERING_MIDDLE, y, size, is_top ? ATTN_ANCHOR_START : ATTN_ANCHOR_END, 90);
}

/* The visible labels of a panel. */
typedef struct
{
  const AttnLayoutLabels *labels;
  double from; /* place where the first of all labels begins, visible or not, in points */
  double pitch;
  gsize first;
  gsize end;
} ShownLabels;

static ShownLabels
find_shown_labels (const AttnLayoutFit *fit,
                   gsize                group,
                   const AttnRectangle *rectangle,
                   gboolean             is_column)
{
  const AttnViewport *viewport = &fit->in->viewports[group];
  double start = is_column ? viewport->x : viewport->y;
  double extent = is_column ? viewport->width : viewport->height;
  ShownLabels shown = {
    .labels = is_column ? &fit->needs->column_labels[group] : &fit->needs->row_labels[group],
  };

  if (shown.labels->n == 0)
    return shown;
  shown.pitch = (is_column ? rectangle->width : rectangle->height) / (extent * shown.labels->n);
  shown.from = (is_column ? rectangle->x : rectangle->y) - start * shown.labels->n * shown.pitch;
  get_visible_range (start, extent, shown.labels->n, &shown.first, &shown.end);
  return shown;
}

/* Finds the largest size, up to that of the style, at which all visible labels fit between their
 * neighbours and into the room beside the panel: one size for all panels, or that of panel @group
 * if each shows a part of its own. @is_flat: labels of columns are horizontal */
static double
find_fitting_size (const AttnLayoutPlaces *at,
                   gsize                   group,
                   gboolean                is_column,
                   gboolean                is_flat)
{
  const AttnLayoutFit *fit = at->fit;
  const AttnGrid *grid = at->in->grid;
  const char *family = at->in->style.font_family;
  double size = attn_layout_get_largest_label (&at->in->style);

  for (gsize i = 0; i < grid->n_rows * grid->n_columns && size > fit->label_size; i++)
    {
      if (grid->cells[i].panel == NULL || (at->in->has_views && i != group))
        continue;
      AttnRectangle panel =
          attn_layout_get_panel_rectangle (at, i / grid->n_columns, i % grid->n_columns);
      ShownLabels shown = find_shown_labels (fit, i, &panel, is_column);
      double room = (is_column ? fit->column_room[i / grid->n_columns]
                               : fit->row_room[i % grid->n_columns]) -
                    ATTN_LAYOUT_LABEL_GAP;
      double length = is_flat ? shown.pitch - ATTN_LAYOUT_FLAT_GAP : room;

      if (shown.labels->n == 0)
        continue;
      size = MIN (size, is_flat ? room / ATTN_LETTERING_HEIGHT
                                : shown.pitch * ATTN_LAYOUT_LABEL_PITCH);
      for (gsize k = shown.first; k < shown.end && size > fit->label_size; k++)
        {
          g_autofree char *markup = attn_layout_get_label (shown.labels, k);

          size = MIN (size, length / MAX (attn_lettering_measure (family, markup, 1), 1e-3));
        }
    }
  return MAX (size, fit->label_size);
}

/* Chooses the size of labels. In a window labels grow when the cells are zoomed, and labels of
 * columns become horizontal if that does not make them smaller. */
static AttnLayoutWriting
find_writing (const AttnLayoutPlaces *at,
              gsize                   group,
              gboolean                is_column)
{
  const AttnLayoutFit *fit = at->fit;
  AttnLayoutWriting writing = { fit->label_size, is_column && fit->has_flat_labels };

  if (at->in->style.largest_label <= 0)
    return writing;
  writing.size = find_fitting_size (at, group, is_column, writing.is_flat);
  if (!is_column || writing.is_flat)
    return writing;
  double level = find_fitting_size (at, group, TRUE, TRUE);
  return level > fit->label_size && level >= writing.size ? (AttnLayoutWriting) { level, TRUE }
                                                          : writing;
}

/* Adds the labels beside the visible rows or below the visible columns. If only some labels have
 * room, ticks show their rows or columns. */
static void
add_labels (const AttnLayoutFit *fit,
            AttnScene           *scene,
            int                  group,
            const AttnRectangle *rectangle,
            gboolean             is_column,
            AttnLayoutWriting    writing,
            double               room)
{
  const AttnGrid *grid = fit->in->grid;
  ShownLabels labels = find_shown_labels (fit, group, rectangle, is_column);
  gsize step;
  double edge =
      grid->has_top_labels ? rectangle->y - TICK_LENGTH : rectangle->y + rectangle->height;

  if (labels.labels->n == 0)
    return;
  step = attn_layout_get_token_step (
      labels.pitch, writing.size,
      is_column ? 1 : attn_layout_get_row_unit (grid, labels.labels->n));
  for (gsize i = (labels.first + step - 1) / step * step; i < labels.end; i += step)
    {
      double middle = labels.from + (i + 0.5) * labels.pitch;
      g_autofree char *markup = attn_layout_get_label (labels.labels, i);

      if (step > 1 && is_column)
        attn_scene_add_line (scene, group, "tick", middle, edge, 0, TICK_LENGTH);
      else if (step > 1)
        attn_scene_add_line (scene, group, "tick", rectangle->x - TICK_LENGTH, middle,
                             TICK_LENGTH, 0);
      if (*markup == '\0')
        continue;
      if (is_column)
        add_column_label (fit, scene, group, rectangle, markup, writing, middle, room);
      else
        add_row_label (fit, scene, group, rectangle, markup, writing.size, middle, room);
    }
}

/* The notation of all numbers in the cells of a panel: one number of decimals, so that 0.84 never
 * stands beside 0.00076, or exponents in all of them. */
typedef struct
{
  guint n_decimals;
  guint n_digits; /* significant digits of numbers with exponents */
  gboolean has_exponents;
  gboolean is_count;
  gboolean lacks_nan;
} Notation;

/* Returns the number of decimals in large cells: @n_digits as in small ones, or so many more that
 * they tell about a thousandth of the scale's span if @n_digits is 2, or the lower end of a
 * logarithmic scale. Panels that share a scale have the same. */
static guint
count_decimals (const AttnScale *scale,
                guint            n_digits)
{
  gboolean is_log = scale->kind == ATTN_SCALE_LOG || scale->kind == ATTN_SCALE_RATIO;
  double span = is_log ? scale->low : scale->high - scale->low;

  if (!(span > 0) || !isfinite (span))
    return n_digits;
  double n_decimals = is_log ? n_digits - floor (log10 (span)) : n_digits + 1 - rint (log10 (span));
  return (guint) CLAMP (n_decimals, n_digits, n_digits + 3);
}

/* Formats the number in a cell. A number that is too small for the notation is written as 0. */
static char *
format_value (double          value,
              const Notation *notation)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char format[16];

  if (notation->is_count && isfinite (value))
    return g_strdup_printf ("%.0f", value);
  if (!isfinite (value))
    return attn_text_format_weight (value, notation->n_digits);
  if (notation->has_exponents && value != 0)
    g_snprintf (format, sizeof format, "%%.%ue", notation->n_digits - 1);
  else
    g_snprintf (format, sizeof format, "%%.%uf", notation->n_decimals);
  char *text = g_strdup (g_ascii_formatd (buffer, sizeof buffer, format, value));
  attn_text_trim_exponent (text);
  if (*text == '-' && g_ascii_strtod (text, NULL) == 0)
    memmove (text, text + 1, strlen (text));
  return text;
}

/* The visible cells of a panel. */
typedef struct
{
  gsize first_row;
  gsize end_row;
  gsize first_column;
  gsize end_column;
} Shown;

static gboolean
are_all_below (AttnPanel   *panel,
               const Shown *shown,
               double       least)
{
  for (gsize row = shown->first_row; row < shown->end_row; row++)
    for (gsize column = shown->first_column; column < shown->end_column; column++)
      if (attn_panel_is_visible (panel, row, column) &&
          fabs (attn_panel_get_value (panel, row, column)) >= least)
        return FALSE;
  return TRUE;
}

/* Tells whether the numbers in the cells are counts: whole, none negative, and not only 0 and 1,
 * which weights can be as well. */
static gboolean
are_counts (AttnPanel   *panel,
            const Shown *shown)
{
  gboolean has_more = FALSE;

  for (gsize row = shown->first_row; row < shown->end_row; row++)
    for (gsize column = shown->first_column; column < shown->end_column; column++)
      {
        double value = attn_panel_get_value (panel, row, column);

        if (isnan (value) || !attn_panel_is_visible (panel, row, column))
          continue;
        if (!(value >= 0 && value < 1e6 && value == floor (value)))
          return FALSE;
        has_more |= value > 1;
      }
  return has_more;
}

/* Returns the length of a number in digits. A minus sign in front counts as @sign digits. */
static double
get_length (const char *text,
            double      sign)
{
  return strlen (text) - (*text == '-' ? 1 - sign : 0);
}

/* Formats the numbers in the visible cells, by row and column; %NULL in masked ones. @width: of a
 * cell, in digits of size 1. @size: (inout): of the text, reduced if the longest number only fits
 * then */
static GPtrArray *
format_values (AttnPanel      *panel,
               const Shown    *shown,
               const Notation *notation,
               double          width,
               double          sign,
               double         *size)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);

  for (gsize row = shown->first_row; row < shown->end_row; row++)
    for (gsize column = shown->first_column; column < shown->end_column; column++)
      {
        double value = attn_panel_get_value (panel, row, column);
        char *text = attn_panel_is_visible (panel, row, column) &&
                             !(notation->lacks_nan && isnan (value))
                         ? format_value (value, notation)
                         : NULL;

        g_ptr_array_add (texts, text);
        if (text != NULL)
          *size = MIN (*size, width / get_length (text, sign));
      }
  return texts;
}

/* Formats the numbers in cells as format_values() does, with fewer decimals if they do not fit
 * otherwise. Returns: (transfer full) (nullable): %NULL if no legible number fits */
static GPtrArray *
fit_values (AttnPanel   *panel,
            const Shown *shown,
            Notation    *notation,
            double       width,
            double       sign,
            double      *size)
{
  gboolean may_round = !notation->is_count && !notation->has_exponents;
  double largest = *size;

  for (;; notation->n_decimals--)
    {
      *size = largest;
      GPtrArray *texts = format_values (panel, shown, notation, width, sign, size);

      if (*size >= SMALLEST_VALUE)
        return texts;
      g_ptr_array_unref (texts);
      if (!may_round || notation->n_decimals == 0)
        return NULL;
    }
}

/* Adds the numbers in the cells. Either all cells of a panel have one or none, except for cells
 * that its edge cuts. @names: (nullable): of the cells, above their numbers */
static void
add_values (const AttnStyle *style,
            AttnScene       *scene,
            const AttnMark  *heatmap,
            GStrv            names,
            gboolean         lacks_nan)
{
  AttnPanel *panel = heatmap->panel;
  const AttnViewport *viewport = &heatmap->viewport;
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  guint n_digits = CLAMP (style->n_digits, 1, 9);
  double cell_width = heatmap->rectangle.width / (viewport->width * n_columns);
  double cell_height = heatmap->rectangle.height / (viewport->height * n_rows);
  double digit_width = attn_lettering_measure (style->font_family, "0", 1);
  double sign = attn_lettering_measure (style->font_family, ATTN_LAYOUT_MINUS, 1) / digit_width;
  double n_signs = heatmap->scale.low < 0 ? sign : 0;
  AttnRgb palette[ATTN_PALETTE_SIZE];
  double size = MIN (style->font_size * VALUE_RATIO,
                     (cell_width - VALUE_MARGIN) / ((n_digits + 2 + n_signs) * digit_width));

  size = MIN (size, cell_height / (names != NULL && style->shows_values ? 2.8 : 1.4));
  if (size < SMALLEST_VALUE)
    return;

  attn_style_get_palette (heatmap->style, palette);
  /* A cell is large if it is as wide as the longest number without exponent, 0.00012. */
  gboolean is_large = cell_width - 1 >= (n_digits + 5 + n_signs) * size * digit_width;
  Notation notation = {
    .n_decimals = is_large ? count_decimals (&heatmap->scale, n_digits) : n_digits,
    .n_digits = is_large ? n_digits : 1,
    .lacks_nan = lacks_nan,
  };
  const Shown shown = {
    (gsize) (viewport->y * n_rows),
    MIN ((gsize) ceil ((viewport->y + viewport->height) * n_rows), n_rows),
    (gsize) (viewport->x * n_columns),
    MIN ((gsize) ceil ((viewport->x + viewport->width) * n_columns), n_columns),
  };
  notation.is_count = are_counts (panel, &shown);
  double least = 0.5 * pow (10, -(double) notation.n_decimals);
  notation.has_exponents = are_all_below (panel, &shown, least);
  double value_size = size;
  g_autoptr (GPtrArray) texts = NULL;
  if (style->shows_values)
    texts = fit_values (panel, &shown, &notation, (cell_width - 1) / digit_width, sign,
                        &value_size);
  gsize next = 0;
  for (gsize row = shown.first_row; row < shown.end_row; row++)
    for (gsize column = shown.first_column; column < shown.end_column; column++)
      {
        AttnRectangle cell;
        AttnRgb color =
            attn_contrast_get_text (palette[attn_mark_get_index (heatmap, row, column)]);
        const char *text = texts != NULL ? texts->pdata[next++] : NULL;

        if (!attn_panel_is_visible (panel, row, column) ||
            !attn_scene_get_cell (scene, heatmap->group, row, column, &cell) ||
            cell.height < size * 1.2)
          continue;
        double middle = cell.y + cell.height / 2 + value_size * ATTN_LETTERING_DIGIT_MIDDLE;
        if (names != NULL)
          {
            const char *name = names[row * n_columns + column];
            double y = cell.y + cell.height / 2 + size * ATTN_LETTERING_DIGIT_MIDDLE;

            if (texts != NULL)
              y -= 0.65 * size;
            if (attn_lettering_measure (style->font_family, name, size) < cell.width - 1)
              attn_scene_add_text (scene, heatmap->group, "name", g_strdup (name),
                                   cell.x + cell.width / 2, y, size, ATTN_ANCHOR_MIDDLE, 0)
                  ->color = color;
            middle += 0.65 * size;
          }
        /* A cell that is cut by the edge of the panel has no number. */
        if (text == NULL ||
            get_length (text, sign) * value_size * digit_width > cell.width - 1 + 1e-6)
          continue;
        attn_scene_add_text (scene, heatmap->group, "value", attn_layout_set_minus (text),
                             cell.x + cell.width / 2, middle, value_size, ATTN_ANCHOR_MIDDLE, 0)
            ->color = color;
      }
}

/* Adds the rectangle of a region, cut off at the edge of the viewport, without a line there. */
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

/* Adds lines between the visible cells of an on/off figure, so that the cells can be counted. */
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
      AttnMark *mark = attn_scene_add_line (
          scene, heatmap->group, "cell-line", panel->x + (is_column ? x * panel->width : 0),
          panel->y + (is_column ? 0 : y * panel->height), is_column ? 0 : panel->width,
          is_column ? panel->height : 0);
      mark->line_width = CELL_LINE_WIDTH;
      mark->color = CELL_LINE_COLOR;
    }
}

/* Chooses the sizes and directions of a panel's labels. @group: index of a panel, used only if each
 * panel shows a part of its own. @writings: (out): for labels of rows, and of columns */
void
attn_layout_find_writings (const AttnLayoutPlaces *at,
                           gsize                   group,
                           AttnLayoutWriting       writings[2])
{
  for (guint is_column = 0; is_column < 2; is_column++)
    writings[is_column] = find_writing (at, group, is_column != 0);
}

void
attn_layout_add_panel (const AttnLayoutPlaces  *at,
                       AttnScene               *scene,
                       gsize                    row,
                       gsize                    column,
                       double                   title_size,
                       const AttnLayoutWriting  writings[2])
{
  const AttnLayoutInput *in = at->in;
  const AttnLayoutFit *fit = at->fit;
  gsize group = row * in->grid->n_columns + column;
  const AttnGridCell *cell = &in->grid->cells[group];

  if (cell->panel == NULL)
    return;

  AttnRectangle rectangle = attn_layout_get_panel_rectangle (at, row, column);
  AttnMark *heatmap = attn_scene_add_values (
      scene, ATTN_MARK_HEATMAP, group, "cells",
      &attn_layout_scales_get (&at->needs->scales, row, column)->scale, cell->is_difference);
  heatmap->rectangle = rectangle;
  heatmap->panel = attn_panel_ref (cell->panel);
  heatmap->viewport = in->viewports[group];
  AttnPanel *drawn = attn_range_get_drawn (in->grid, group, heatmap->scale.kind);
  if (drawn != cell->panel)
    heatmap->drawn = attn_panel_ref (drawn);
  if (cell->image != NULL)
    attn_layout_add_picture (&in->style, scene, heatmap, cell->image);
  /* Numbers would hide the picture that the cells lie on. */
  if ((in->style.shows_values && cell->image == NULL) || cell->cell_names != NULL)
    add_values (&in->style, scene, heatmap, cell->cell_names, in->grid->nan_name != NULL);
  if (in->grid->is_binary)
    add_cell_lines (scene, heatmap);
  attn_layout_add_frame (scene, group, &rectangle);
  for (gsize i = 0; i < cell->n_regions; i++)
    add_region (scene, heatmap, &cell->regions[i], i);
  attn_layout_add_pin_labels (fit, scene, heatmap, cell);

  if (fit->shown.titles && cell->title != NULL)
    {
      g_autofree char *normal = attn_markup_normalize (cell->title);
      char *title = attn_lettering_ellipsize (in->style.font_family, normal, title_size,
                                              attn_layout_get_title_width (at, column));
      attn_scene_add_text (scene, group, "title", title, rectangle.x + rectangle.width / 2,
                           rectangle.y - attn_layout_get_title_gap (&in->style) -
                               title_size * ATTN_LETTERING_DESCENT -
                               (in->grid->has_top_labels ? fit->column_room[row] : 0),
                           title_size, ATTN_ANCHOR_MIDDLE, 0);
    }
  attn_layout_add_beside (at, scene, row, column);
  if (fit->shown.row_tokens)
    add_labels (fit, scene, group, &rectangle, FALSE, writings[0], fit->row_room[column]);
  if (fit->shown.tokens)
    add_labels (fit, scene, group, &rectangle, TRUE, writings[1], fit->column_room[row]);
}
