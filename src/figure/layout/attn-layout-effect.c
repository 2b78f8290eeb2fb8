/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bars beside the rows of a panel, for the effects of an intervention on the prediction. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes of the bars beside a panel, relative to the size of text. */
#define COLUMN_WIDTH 4.6 /* width of a column of bars */
#define COLUMN_GAP   0.6

/* The width of a bar, as a share of the distance between rows. If rows are closer than CLOSEST_BAR,
 * in points, bars have no gaps. */
#define BAR_SHARE   0.72
#define CLOSEST_BAR 3.0

/* The distance in points between rows below which several rows share a bar, that of their largest
 * value. */
#define SMALLEST_PITCH 0.75
#define TICK_WIDTH     1.0

/* The largest share of the page's width for the bars beside the panels. */
#define LARGEST_SHARE 0.34

double
attn_layout_get_strip_width (const AttnLayoutInput *in)
{
  return in->grid->n_strip_columns * (COLUMN_WIDTH + COLUMN_GAP) * in->style.font_size;
}

/* Tells whether the page has room for the bars beside the panels, computed or still to be
 * computed. */
gboolean
attn_layout_has_strip (const AttnLayoutInput *in)
{
  return in->grid->n_strip_columns != 0 &&
         (in->page_width <= 0 || attn_layout_get_strip_width (in) * in->grid->n_columns <=
                                     LARGEST_SHARE * in->page_width);
}

/* Returns the width of the bars that stand at the right of each panel. */
double
attn_layout_get_strip_room (const AttnLayoutFit *fit)
{
  return fit->shown.strip ? attn_layout_get_strip_width (fit->in) : 0;
}

/* Returns the height of the numbers and the title of the axis below the bars beside a panel. */
double
attn_layout_get_strip_labels (const AttnLayoutFit *fit)
{
  return fit->shown.strip
             ? ATTN_LAYOUT_LABEL_GAP + 2 * fit->in->style.font_size * ATTN_LETTERING_HEIGHT
             : 0;
}

static void
extend (const double *values,
        gsize         n,
        double       *low,
        double       *high)
{
  for (gsize i = 0; values != NULL && i < n; i++)
    if (isfinite (values[i]))
      {
        *low = MIN (*low, values[i]);
        *high = MAX (*high, values[i]);
      }
}

/* Computes the ends of the axis of a column of bars, the same beside all panels. It always contains
 * 0. */
static void
find_axis (const AttnGrid *grid,
           gsize           column,
           double         *low,
           double         *high)
{
  *low = *high = 0;
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      const AttnBars *strip = grid->cells[i].strip;

      if (strip == NULL || column >= strip->n_columns)
        continue;
      extend (strip->columns[column].bars, strip->n_rows, low, high);
      extend (strip->columns[column].ticks, strip->n_rows, low, high);
    }
}

/* Returns the value farthest from 0 among those of @n rows from @row on, which share a bar; NaN if
 * no row has a value. */
static double
get_farthest (const double *values,
              gsize         row,
              gsize         n_rows,
              gsize         n)
{
  double farthest = NAN;

  for (gsize i = row; i < MIN (row + n, n_rows); i++)
    if (isfinite (values[i]) && !(fabs (values[i]) <= fabs (farthest)))
      farthest = values[i];
  return farthest;
}

/* Adds one column of bars within @room, for the rows that the viewport of the panel shows. */
static void
add_column (const AttnLayoutInput *in,
            AttnScene             *scene,
            int                    group,
            const AttnRectangle   *room,
            gsize                  index)
{
  const AttnBars *strip = in->grid->cells[group].strip;
  const AttnBarColumn *column = &strip->columns[index];
  const AttnViewport *view = &in->viewports[group];
  double pitch = room->height / (view->height * strip->n_rows);
  gsize step = pitch < SMALLEST_PITCH ? (gsize) ceil (SMALLEST_PITCH / pitch) : 1;
  gsize first = (gsize) (view->y * strip->n_rows) / step * step;
  gsize end = MIN ((gsize) ceil ((view->y + view->height) * strip->n_rows), strip->n_rows);
  double share = pitch * step < CLOSEST_BAR ? 1 : BAR_SHARE;
  AttnRgb color = attn_style_get_distinct (&in->style, index);
  double low, high;

  find_axis (in->grid, index, &low, &high);
  double unit = high > low ? room->width / (high - low) : 0;
  double zero = room->x - low * unit;
  for (gsize row = first; row < end; row += step)
    {
      double value = get_farthest (column->bars, row, strip->n_rows, step);
      double top = room->y + (row - view->y * strip->n_rows + step * (1 - share) / 2) * pitch;
      double bottom = MIN (top + step * share * pitch, room->y + room->height);
      AttnRectangle bar = { zero + MIN (value, 0) * unit, MAX (top, room->y), fabs (value) * unit,
                            0 };

      bar.height = bottom - bar.y;
      if (bar.height <= 0)
        continue;
      if (isfinite (value) && bar.width > 0)
        attn_layout_add_bar_mark (scene, group, &bar, color);
      double tick =
          column->ticks != NULL ? get_farthest (column->ticks, row, strip->n_rows, step) : NAN;
      if (!isfinite (tick))
        continue;
      AttnMark *line = attn_scene_add_line (scene, group, "bar-tick", zero + tick * unit, bar.y, 0,
                                            bar.height);
      line->line_width = TICK_WIDTH;
    }
  attn_scene_add_line (scene, group, "bar-axis", zero, room->y, 0, room->height);

  double size = in->style.font_size;
  double y = room->y + room->height + ATTN_LAYOUT_LABEL_GAP;
  g_autofree char *from = attn_layout_format_number (low);
  g_autofree char *to = attn_layout_format_number (high);
  g_autofree char *markup = attn_markup_from_text (column->name);
  double name_size = size;
  char *name = attn_layout_fit_text (in->style.font_family, markup,
                                     room->width + COLUMN_GAP / 4 * size, &name_size);
  attn_layout_add_small_text (scene, group, from, room->x, y + size * ATTN_LETTERING_ASCENT,
                              size * 0.85,
                              ATTN_ANCHOR_START);
  if (high > low)
    attn_layout_add_small_text (scene, group, to, room->x + room->width,
                                y + size * ATTN_LETTERING_ASCENT,
                                size * 0.85, ATTN_ANCHOR_END);
  attn_scene_add_text (scene, group, "axis-label", name, room->x + room->width / 2,
                       y + size * (ATTN_LETTERING_HEIGHT + ATTN_LETTERING_ASCENT), name_size,
                       ATTN_ANCHOR_MIDDLE, 0);
}

/* Adds the bars beside a panel. */
void
attn_layout_add_beside (const AttnLayoutPlaces *at,
                        AttnScene              *scene,
                        gsize                   row,
                        gsize                   column)
{
  const AttnLayoutInput *in = at->in;
  const AttnLayoutShown *shown = &at->fit->shown;
  double size = in->style.font_size;
  int group = (int) (row * in->grid->n_columns + column);
  const AttnGridCell *cell = &in->grid->cells[group];
  AttnRectangle panel = attn_layout_get_panel_rectangle (at, row, column);

  for (gsize i = 0; shown->strip && cell->strip != NULL && i < cell->strip->n_columns; i++)
    {
      const AttnRectangle room = {
        panel.x + panel.width + (COLUMN_GAP + i * (COLUMN_WIDTH + COLUMN_GAP)) * size, panel.y,
        COLUMN_WIDTH * size, panel.height
      };

      add_column (in, scene, group, &room, i);
    }
}
