/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a change does to the prediction: a line of numbers below a panel, bars beside its rows,
 * curves below all panels. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Relative to the size of text. */
#define COLUMN_WIDTH 4.6 /* of bars */
#define COLUMN_GAP   0.6
#define CHART_HEIGHT 7.0 /* of the curves alone */
#define CHART_GAP    1.2
#define TICK_ROOM    2.9 /* of a number beside the chart */

/* Of the distance from a bar to the next; closer than this, in points, they have no gaps. */
#define BAR_SHARE   0.72
#define CLOSEST_BAR 3.0

/* Points. Of rows closer than the first the largest stands for all. */
#define SMALLEST_PITCH 0.75
#define TICK_WIDTH     1.0
#define CURVE_WIDTH    1.4
#define MARK_WIDTH     0.6
#define POINT_SIZE     2.6
#define SAMPLE_GAP     3.0
#define NUMBER_GAP     5.0 /* from the chart to a number beside it */

static char *
format_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.2g", value);
  attn_text_trim_exponent (buffer);
  return *buffer == '-' ? g_strconcat ("−", buffer + 1, NULL) : g_strdup (buffer);
}

double
attn_layout_get_strip_width (const AttnLayoutInput *in)
{
  return in->grid->n_strip_columns * (COLUMN_WIDTH + COLUMN_GAP) * in->style.font_size;
}

/* With what stands below the curves. */
double
attn_layout_get_chart_height (const AttnLayoutInput *in)
{
  return in->style.font_size * (CHART_GAP + CHART_HEIGHT + 2 * ATTN_LETTERING_HEIGHT) +
         2 * ATTN_LAYOUT_LABEL_GAP;
}

/* Right of each panel. */
double
attn_layout_get_strip_room (const AttnLayoutFit *fit)
{
  return fit->shown.strip ? attn_layout_get_strip_width (fit->in) : 0;
}

/* Below the bars: where their axis ends, and what they are. */
double
attn_layout_get_strip_labels (const AttnLayoutFit *fit)
{
  return fit->shown.strip
             ? ATTN_LAYOUT_LABEL_GAP + 2 * fit->in->style.font_size * ATTN_LETTERING_HEIGHT
             : 0;
}

/* Below each row of panels. */
double
attn_layout_get_numbers_room (const AttnLayoutFit *fit)
{
  return fit->shown.numbers
             ? ATTN_LAYOUT_LABEL_GAP + fit->in->style.font_size * ATTN_LETTERING_HEIGHT
             : 0;
}

/* Below all panels. */
double
attn_layout_get_chart_room (const AttnLayoutFit *fit)
{
  return fit->shown.chart ? attn_layout_get_chart_height (fit->in) : 0;
}

static AttnMark *
add_bar (AttnScene           *scene,
         int                  group,
         const AttnRectangle *rectangle,
         AttnRgb              color)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "bar");

  mark->rectangle = *rectangle;
  mark->is_filled = TRUE;
  mark->color = color;
  return mark;
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

/* The ends of the axis that the same column has beside all panels, 0 within them. */
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

static void
add_small_text (AttnScene  *scene,
                int         group,
                const char *text,
                double      x,
                double      y,
                double      size,
                AttnAnchor  anchor)
{
  attn_layout_add_text (scene, group, "axis-label", attn_markup_from_text (text), x, y, size,
                        anchor, 0);
}

/* Of the rows from @row on that share a bar, the value that is farthest from 0. */
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

/* One column of bars within @room, of which the panel's viewport shows the rows that it shows of
 * the panel. */
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
  AttnRgb color = attn_diagram_get_color (index);
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
        add_bar (scene, group, &bar, color);
      double tick =
          column->ticks != NULL ? get_farthest (column->ticks, row, strip->n_rows, step) : NAN;
      if (!isfinite (tick))
        continue;
      AttnMark *line = attn_layout_add_line (scene, group, "bar-tick", zero + tick * unit, bar.y, 0,
                                             bar.height);
      line->line_width = TICK_WIDTH;
    }
  attn_layout_add_line (scene, group, "tick", zero, room->y, 0, room->height);

  double size = in->style.font_size;
  double y = room->y + room->height + ATTN_LAYOUT_LABEL_GAP;
  g_autofree char *from = format_number (low);
  g_autofree char *to = format_number (high);
  g_autofree char *markup = attn_markup_from_text (column->name);
  double name_size = size;
  char *name = attn_layout_fit_text (in->style.font_family, markup,
                                     room->width + COLUMN_GAP * size, &name_size);
  add_small_text (scene, group, from, room->x, y + size * ATTN_LETTERING_ASCENT, size * 0.85,
                  ATTN_ANCHOR_START);
  if (high > low)
    add_small_text (scene, group, to, room->x + room->width, y + size * ATTN_LETTERING_ASCENT,
                    size * 0.85, ATTN_ANCHOR_END);
  attn_layout_add_text (scene, group, "axis-label", name, room->x + room->width / 2,
                        y + size * (ATTN_LETTERING_HEIGHT + ATTN_LETTERING_ASCENT), name_size,
                        ATTN_ANCHOR_MIDDLE, 0);
}

/* The bars beside a panel and the line below it. */
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
  if (!shown->numbers || cell->numbers == NULL)
    return;
  /* Beside others up to the middle between them, alone up to the ends of the page. */
  double strip_room = attn_layout_get_strip_room (at->fit);
  double middle = panel.x + (panel.width + strip_room) / 2;
  double width = in->grid->n_columns > 1 ? at->fit->slot_width + strip_room + at->needs->gap_x
                                         : 2 * MIN (middle, at->width - middle);
  char *text = attn_layout_fit_text (in->style.font_family, cell->numbers, width, &size);
  attn_layout_add_text (scene, group, "numbers", text, middle, at->numbers_y[row], size,
                        ATTN_ANCHOR_MIDDLE, 0);
}

/* A number at one of the axes of the chart. */
static void
add_axis_number (AttnScene           *scene,
                 const AttnRectangle *room,
                 double               share,
                 double               value,
                 double               size,
                 gboolean             is_right)
{
  g_autofree char *text = format_number (value);
  double x = is_right ? room->x + room->width : room->x;
  double y = room->y + room->height * (1 - share);

  attn_layout_add_line (scene, -1, "tick", x, y, is_right ? 3 : -3, 0);
  add_small_text (scene, -1, text, x + (is_right ? NUMBER_GAP : -NUMBER_GAP),
                  y + size * ATTN_LETTERING_DIGIT_MIDDLE,
                  size, is_right ? ATTN_ANCHOR_START : ATTN_ANCHOR_END);
}

static void
add_point (AttnScene *scene,
           double     x,
           double     y,
           AttnRgb    color)
{
  const AttnRectangle point = { x - POINT_SIZE / 2, y - POINT_SIZE / 2, POINT_SIZE, POINT_SIZE };

  add_bar (scene, -1, &point, color)->role = "curve";
}

static void
add_curve (AttnScene           *scene,
           const AttnChart     *chart,
           const AttnCurve     *curve,
           const double        *x,
           const AttnRectangle *room,
           double               high)
{
  AttnPoint last = { NAN, NAN };
  AttnRgb color = attn_diagram_get_color (curve->is_right);

  for (gsize i = 0; i < chart->n; i++)
    {
      AttnPoint point = { room->x + x[i] * room->width,
                          room->y + room->height * (1 - curve->values[i] / high) };

      if (isfinite (point.y) && isfinite (last.y))
        {
          AttnMark *line = attn_layout_add_line (scene, -1, "curve", last.x, last.y,
                                                 point.x - last.x, point.y - last.y);
          line->line_width = CURVE_WIDTH;
          line->color = color;
        }
      /* Squares tell the one from the other without colours. */
      if (isfinite (point.y) && curve->is_right)
        add_point (scene, point.x, point.y, color);
      last = point;
    }
}

/* The smallest of 1, 2 and 5 times a power of ten that is not below @value; 1 for 0. */
static double
round_up (double value)
{
  double power = value > 0 ? pow (10, floor (log10 (value))) : 1;

  return value <= power * (1 + 1e-9) ? power
         : value <= 2 * power        ? 2 * power
         : value <= 5 * power        ? 5 * power
                                     : 10 * power;
}

/* Curves over a logarithmic scale: at the left from 0 to 1, at the right from 0 to the largest. */
void
attn_layout_add_chart (const AttnLayoutPlaces *at,
                       AttnScene              *scene)
{
  const AttnChart *chart = at->in->grid->chart;
  double size = at->in->style.font_size;
  AttnRectangle room = at->chart;
  double lows[2] = { 0, 0 }, highs[2] = { 0, 0 };
  g_autofree double *x = g_new (double, chart->n);
  double first = log10 (chart->x[0]);
  double length = log10 (chart->x[chart->n - 1]) - first;

  room.y += CHART_GAP * size;
  room.height = CHART_HEIGHT * size;
  room.x += TICK_ROOM * size;
  room.width = MAX (room.width - 2 * TICK_ROOM * size, 1);
  for (gsize i = 0; i < chart->n; i++)
    x[i] = length != 0 ? (log10 (chart->x[i]) - first) / length : 0;
  for (gsize i = 0; i < chart->n_curves; i++)
    extend (chart->curves[i].values, chart->n, &lows[chart->curves[i].is_right],
            &highs[chart->curves[i].is_right]);
  highs[0] = MAX (highs[0], 1);
  highs[1] = round_up (highs[1]);

  attn_layout_add_frame (scene, -1, &room);
  for (gsize i = 0; i < chart->n_marks; i++)
    {
      double share = length != 0 ? (log10 (chart->marks[i]) - first) / length : 0;

      if (share < 0 || share > 1)
        continue;
      AttnMark *line = attn_layout_add_line (scene, -1, "tick", room.x + share * room.width, room.y,
                                             0, room.height);
      line->line_width = MARK_WIDTH;
    }
  for (gsize i = 0; i < chart->n_curves; i++)
    add_curve (scene, chart, &chart->curves[i], x, &room, highs[chart->curves[i].is_right]);
  for (gsize side = 0; side < 2; side++)
    {
      double title_x = side ? room.x + room.width + TICK_ROOM * size + size * ATTN_LETTERING_HEIGHT
                            : room.x - TICK_ROOM * size - size * ATTN_LETTERING_DESCENT;
      char *text = attn_markup_from_text (chart->titles[side]);
      double half = attn_lettering_measure (at->in->style.font_family, text, size) / 2;
      double middle = room.y + room.height / 2;

      attn_layout_add_text (scene, -1, "axis-label", text, title_x, middle, size,
                            ATTN_ANCHOR_MIDDLE, 90);
      /* A piece of the curves stands for them. */
      AttnMark *sample =
          attn_layout_add_line (scene, -1, "curve", title_x - size * ATTN_LETTERING_MIDDLE,
                                middle - half - SAMPLE_GAP, 0, -size);
      sample->line_width = CURVE_WIDTH;
      sample->color = attn_diagram_get_color (side);
      if (side == 1)
        add_point (scene, sample->rectangle.x, sample->rectangle.y - size / 2, sample->color);
      for (gsize i = 0; i <= 2; i++)
        add_axis_number (scene, &room, i / 2.0, highs[side] * i / 2, size * 0.85, side == 1);
    }

  /* Powers of ten, as many as have room. */
  double y = room.y + room.height;
  double end = -INFINITY;
  gboolean is_falling = length < 0;
  for (int i = 0; i <= (int) ceil (fabs (length)); i++)
    {
      double power = is_falling ? floor (first + 1e-9) - i : ceil (first - 1e-9) + i;
      double share = length != 0 ? (power - first) / length : 0;
      double middle = room.x + share * room.width;
      g_autofree char *text = attn_text_format_factor (pow (10, power));
      double half = attn_lettering_measure (at->in->style.font_family, text, size * 0.85) / 2;

      if (share < -1e-9 || share > 1 + 1e-9)
        continue;
      attn_layout_add_line (scene, -1, "tick", middle, y, 0, ATTN_LAYOUT_TICK_LENGTH);
      /* Those at the ends keep away from the numbers at the sides. */
      middle = CLAMP (middle, room.x + half - NUMBER_GAP / 2,
                      MAX (room.x + room.width - half + NUMBER_GAP / 2, room.x + half));
      if (middle - half < end + size / 3)
        continue;
      end = middle + half;
      add_small_text (scene, -1, text, middle,
                      y + ATTN_LAYOUT_TICK_LENGTH + size * ATTN_LETTERING_ASCENT, size * 0.85,
                      ATTN_ANCHOR_MIDDLE);
    }
  add_small_text (scene, -1, chart->x_title, room.x + room.width / 2,
                  y + ATTN_LAYOUT_TICK_LENGTH +
                      size * (ATTN_LETTERING_HEIGHT + ATTN_LETTERING_ASCENT),
                  size, ATTN_ANCHOR_MIDDLE);
}
