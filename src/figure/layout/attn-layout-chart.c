/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lays out the charts below all panels: curves, points, bars. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Sizes of the parts of charts, relative to the size of text. */
#define CHART_GAP    1.2
#define KEY_GAP      0.4  /* gap between the key and its chart */
#define TICK_ROOM    2.9  /* room beside a chart for a number of usual length, in sizes of text */
#define CHART_WIDTH  17.0 /* smallest width of a chart that has others beside it, in sizes of
                           * text */
#define SCREEN_WIDTH 12.5 /* smallest width of such a chart on a page of bounded height, in sizes of
                           * text */
#define LARGEST_PART 0.3  /* largest height of a row of charts, as a share of the page's height */
#define FEWEST_LINES 5.0

/* The largest share of the height of the curves for the legend, whose entries are set in as many
 * columns as this height needs. */
#define LARGEST_LEGEND 0.45

/* Sizes in points. */
#define CURVE_WIDTH 1.4
#define MARK_WIDTH  0.6
#define POINT_SIZE  2.6
#define HEAD_SIZE   3.6 /* size of a point that marks a cell */
#define CHOSEN_SIZE 8.0 /* size of the ring around a chosen point of a chart, points */
#define SAMPLE_GAP  3.0
#define LEGEND_SIZE 0.85 /* relative to the size of text */
#define NUMBER_SIZE 0.85 /* size of the numbers of the axes, relative to the size of text */
#define NUMBER_GAP  5.0  /* distance from the chart to the numbers at its sides, points */

/* The width of a bar of a chart, as a share of the distance to the next bar. */
#define BAR_SHARE 0.86

/* The range of an axis, and the step between its numbers. */
typedef struct
{
  double low;
  double high;
  double step; /* distance between two numbers of an axis with a linear scale */
} Axis;

typedef struct
{
  const AttnLayoutPlaces *at;
  AttnScene *scene;
  const AttnChart *chart;
  const AttnLayoutKey *key;
  AttnRectangle room; /* where the curves alone are drawn */
  Axis x;             /* axis along the bottom of the chart; in logarithms, unless the chart is
                       * linear */
  Axis sides[2];      /* axes at the left and at the right */
  double beside[2];   /* widths for the numbers of the left and the right axis, points */
} Plot;

/* Counts the charts that fit in a row. */
static gsize
count_columns (const AttnLayoutInput *in)
{
  gsize n = in->grid->charts != NULL ? in->grid->charts->len : 1;
  double width = (in->page_height > 0 ? SCREEN_WIDTH : CHART_WIDTH) * in->style.font_size;
  gsize n_fitting = in->page_width > 0 ? (gsize) MAX (in->page_width / width, 1) : 2;
  gsize n_rows = (n + MIN (n, n_fitting) - 1) / MIN (n, n_fitting);

  return (n + n_rows - 1) / n_rows;
}

static double
get_curve_height (const AttnLayoutInput *in)
{
  double n_lines = in->grid->charts != NULL ? 0 : 7;

  for (guint i = 0; in->grid->charts != NULL && i < in->grid->charts->len; i++)
    n_lines = MAX (n_lines, ((const AttnChart *) in->grid->charts->pdata[i])->n_lines);
  double height = n_lines * in->style.font_size;
  if (in->page_height <= 0 || n_lines <= 7)
    return height;
  return CLAMP (LARGEST_PART * in->page_height, FEWEST_LINES * in->style.font_size, height);
}

/* Counts the lines of the legend. */
static gsize
count_legend_lines (const AttnLayoutInput *in,
                    gsize                  n_curves)
{
  double line = LEGEND_SIZE * in->style.font_size * ATTN_LETTERING_HEIGHT;
  gsize n_fitting = (gsize) MAX (LARGEST_LEGEND * get_curve_height (in) / line, 1);
  gsize n_columns = (n_curves + n_fitting - 1) / n_fitting;

  return (n_curves + n_columns - 1) / n_columns;
}

/* Returns the width left for the curves of a chart that, with its numbers and titles, takes
 * @width. */
static double
get_curve_width (const AttnLayoutInput *in,
                 double                 width)
{
  return MAX (width - 2 * TICK_ROOM * in->style.font_size, 1);
}

/* Returns the height of the key above a chart of @width; only a chart without others has a key.
 * Until the chart is computed, room for one line is kept if it will have several curves. */
static double
get_key_height (const AttnLayoutNeeds *needs,
                double                 width)
{
  const AttnLayoutInput *in = needs->in;

  if (in->grid->charts == NULL)
    return in->grid->has_key ? attn_layout_key_get_line (in) : 0;
  return attn_layout_key_get_height (&needs->key, get_curve_width (in, width));
}

/* Returns the height of a row of charts without keys. */
static double
get_row_height (const AttnLayoutInput *in)
{
  return get_curve_height (in) +
         in->style.font_size * (CHART_GAP + 2 * ATTN_LETTERING_HEIGHT) +
         2 * ATTN_LAYOUT_LABEL_GAP;
}

/* Returns the height of the charts without a key. */
static double
get_rows_height (const AttnLayoutInput *in)
{
  gsize n = in->grid->charts != NULL ? in->grid->charts->len : 1;
  gsize n_columns = count_columns (in);

  return (n + n_columns - 1) / n_columns * get_row_height (in);
}

/* Returns the height that the charts need with a key of one line. It is known before the charts are
 * computed: they are shown if there is room for it. */
double
attn_layout_get_least_chart_height (const AttnLayoutInput *in)
{
  return get_rows_height (in) + (in->grid->has_key ? attn_layout_key_get_line (in) : 0);
}

/* Returns the height of the charts below all panels, 0 if none are shown. */
double
attn_layout_get_chart_room (const AttnLayoutFit *fit)
{
  const AttnLayoutInput *in = fit->in;
  gsize n = in->grid->n_columns;
  double width = n * (fit->slot_width + attn_layout_get_strip_room (fit)) +
                 (n - 1) * (fit->needs->gap_x + attn_layout_get_inner_room (fit));

  for (gsize i = 1; i < n; i++)
    width += fit->row_room[i];
  return fit->shown.chart ? get_rows_height (in) + get_key_height (fit->needs, width) : 0;
}

/* --- Axes --- */

/* Returns @value rounded up to 1, 2 or 5 times a power of ten; 1 for 0. */
static double
round_up (double value)
{
  double power = value > 0 ? pow (10, floor (log10 (value))) : 1;

  return value <= power * (1 + 1e-9) ? power
         : value <= 2 * power        ? 2 * power
         : value <= 5 * power        ? 5 * power
                                     : 10 * power;
}

static void
extend (Axis         *axis,
        const double *values,
        gsize         n)
{
  for (gsize i = 0; i < n; i++)
    if (isfinite (values[i]))
      {
        axis->low = MIN (axis->low, values[i]);
        axis->high = MAX (axis->high, values[i]);
      }
}

/* Computes an axis with round numbers at both ends, between which all values lie. */
static Axis
find_round (const double *values,
            gsize         n)
{
  Axis axis = { INFINITY, -INFINITY, 1 };

  extend (&axis, values, n);
  if (!(axis.high >= axis.low))
    return (Axis) { 0, 1, 0.5 };
  axis.step = round_up (MAX ((axis.high - axis.low) / 4, 1e-9 * MAX (fabs (axis.high), 1e-3)));
  axis.low = floor (axis.low / axis.step + 1e-9) * axis.step;
  axis.high = MAX (ceil (axis.high / axis.step - 1e-9) * axis.step, axis.low + axis.step);
  return axis;
}

static void
find_axes (Plot *plot)
{
  const AttnChart *chart = plot->chart;

  plot->sides[0] = (Axis) { 0, 0, 0 };
  plot->sides[1] = (Axis) { 0, 0, 0 };
  for (gsize i = 0; i < chart->n_curves; i++)
    extend (&plot->sides[chart->curves[i].is_right], chart->curves[i].values, chart->n);
  double step = round_up (plot->sides[0].high / 4);
  if (chart->kind == ATTN_CHART_CURVES && plot->sides[0].high <= 1)
    plot->sides[0].high = 1;
  else if (chart->kind == ATTN_CHART_CURVES)
    plot->sides[0].high = ceil (plot->sides[0].high / step - 1e-9) * step;
  else
    plot->sides[0].high = round_up (plot->sides[0].high);
  plot->sides[1].high = round_up (plot->sides[1].high);
  if (chart->kind == ATTN_CHART_POINTS)
    plot->sides[0] = find_round (chart->curves[0].values, chart->n);
  for (gsize side = 0; side < 2; side++)
    if (chart->kind != ATTN_CHART_POINTS)
      plot->sides[side].step = plot->sides[side].high / 2;
  if (chart->kind == ATTN_CHART_CURVES && plot->sides[0].high > 1)
    plot->sides[0].step = step;
  /* Bars show counts, so that a step below 1 between the numbers of their axis makes no sense. */
  if (chart->kind == ATTN_CHART_BARS && floor (plot->sides[0].step) < plot->sides[0].step)
    plot->sides[0].step = MAX (plot->sides[0].high, 1);
  /* The legend is above the curves: the axis goes on upwards so far that there is room for it. */
  if (chart->has_legend)
    {
      const AttnLayoutInput *in = plot->at->in;
      double height = ((double) count_legend_lines (in, chart->n_curves) + 0.5) * LEGEND_SIZE *
                      in->style.font_size * ATTN_LETTERING_HEIGHT;

      plot->sides[0].high /= 1 - MIN (height / plot->room.height, 0.6);
    }

  if (chart->kind == ATTN_CHART_POINTS)
    plot->x = find_round (chart->x, chart->n);
  else if (chart->is_linear)
    {
      double end = chart->kind == ATTN_CHART_BARS ? chart->x_end : chart->x[chart->n - 1];

      plot->x = (Axis) { chart->x[0], end, round_up ((end - chart->x[0]) / 4) };
    }
  else
    plot->x = (Axis) { log10 (chart->x[0]), log10 (chart->x[chart->n - 1]), 1 };
}

static double
get_share (const Axis *axis,
           double      value)
{
  return axis->high != axis->low ? (value - axis->low) / (axis->high - axis->low) : 0;
}

static double
get_x (const Plot *plot,
       double      value)
{
  return plot->room.x +
         get_share (&plot->x, plot->chart->is_linear ? value : log10 (value)) * plot->room.width;
}

static double
get_y (const Plot *plot,
       gboolean    is_right,
       double      value)
{
  return plot->room.y + plot->room.height * (1 - get_share (&plot->sides[is_right], value));
}

/* Returns the number with index @i of the axis at a side as text, and its value; NULL after the
 * last. */
static char *
format_side (const Plot *plot,
             gboolean    is_right,
             gsize       i,
             double     *value)
{
  const Axis *axis = &plot->sides[is_right];

  *value = axis->low + i * axis->step;
  if (*value > axis->high * (1 + 1e-9) + 1e-9)
    return NULL;
  return plot->chart->kind == ATTN_CHART_BARS ? g_strdup_printf ("%.0f", *value)
                                              : attn_layout_format_number (*value);
}

/* Makes room for numbers at a side of a chart that are longer than usual, such as "0.0025". */
static void
fit_side (Plot     *plot,
          gboolean  is_right)
{
  const AttnStyle *style = &plot->at->in->style;
  double usual = TICK_ROOM * style->font_size;
  double value;

  plot->beside[is_right] = usual;
  if (plot->chart->titles[is_right] == NULL)
    return;
  for (gsize i = 0;; i++)
    {
      g_autofree char *text = format_side (plot, is_right, i, &value);

      if (text == NULL)
        break;
      double width =
          attn_lettering_measure (style->font_family, text, NUMBER_SIZE * style->font_size);
      plot->beside[is_right] = MAX (plot->beside[is_right], NUMBER_GAP + width);
    }
  plot->room.width = MAX (plot->room.width - (plot->beside[is_right] - usual), 1);
  if (!is_right)
    plot->room.x += plot->beside[is_right] - usual;
}

static void
add_side (const Plot *plot,
          gboolean    is_right)
{
  double size = plot->at->in->style.font_size * NUMBER_SIZE;
  double x = is_right ? plot->room.x + plot->room.width : plot->room.x;
  double last = INFINITY;

  for (gsize i = 0;; i++)
    {
      double value;
      g_autofree char *text = format_side (plot, is_right, i, &value);

      if (text == NULL)
        break;
      double y = get_y (plot, is_right, value);
      attn_scene_add_line (plot->scene, -1, "tick", x, y, is_right ? 3 : -3, 0);
      if (last - y < size)
        continue;
      last = y;
      attn_layout_add_small_text (plot->scene, -1, text, x + (is_right ? NUMBER_GAP : -NUMBER_GAP),
                                  y + size * ATTN_LETTERING_DIGIT_MIDDLE, size,
                                  is_right ? ATTN_ANCHOR_START : ATTN_ANCHOR_END);
    }
}

/* Adds a number below the chart, unless it would overlap the number at its left. @end: (inout): the
 * right end of the last number */
static void
add_below (const Plot *plot,
           const char *text,
           double      x,
           double     *end)
{
  const AttnRectangle *room = &plot->room;
  double size = plot->at->in->style.font_size;
  double half = attn_lettering_measure (plot->at->in->style.font_family, text, size * 0.85) / 2;
  double y = room->y + room->height;

  attn_scene_add_line (plot->scene, -1, "tick", x, y, 0, ATTN_LAYOUT_TICK_LENGTH);
  /* Numbers below the ends of the axis keep clear of the numbers at the sides. */
  double middle = CLAMP (x, room->x + half - NUMBER_GAP / 2,
                         MAX (room->x + room->width - half + NUMBER_GAP / 2, room->x + half));
  if (middle - half < *end + size / 3)
    return;
  *end = middle + half;
  attn_layout_add_small_text (plot->scene, -1, text, middle,
                              y + ATTN_LAYOUT_TICK_LENGTH + size * ATTN_LETTERING_ASCENT,
                              size * 0.85, ATTN_ANCHOR_MIDDLE);
}

/* Adds numbers below the chart, at round places or powers of ten, as many as fit, and the title of
 * the axis. */
static void
add_bottom (const Plot *plot)
{
  const AttnRectangle *room = &plot->room;
  const Axis *axis = &plot->x;
  double size = plot->at->in->style.font_size;
  double length = axis->high - axis->low;
  double end = -INFINITY;

  if (plot->chart->is_linear)
    for (double value = ceil (axis->low / axis->step - 1e-9) * axis->step;
         value <= axis->high + 1e-9 * fabs (axis->high); value += axis->step)
      {
        g_autofree char *text = attn_layout_format_number (fabs (value) < 1e-12 ? 0 : value);

        add_below (plot, text, room->x + get_share (axis, value) * room->width, &end);
      }
  for (int i = 0; !plot->chart->is_linear && i <= (int) ceil (fabs (length)); i++)
    {
      double power = length < 0 ? floor (axis->low + 1e-9) - i : ceil (axis->low - 1e-9) + i;
      double share = get_share (axis, power);
      g_autofree char *text = attn_text_format_epsilon (pow (10, power));

      if (share >= -1e-9 && share <= 1 + 1e-9)
        add_below (plot, text, room->x + share * room->width, &end);
    }

  g_autofree char *title = g_strdup (plot->chart->x_title);
  attn_layout_add_small_text (plot->scene, -1, title, room->x + room->width / 2,
                              room->y + room->height + ATTN_LAYOUT_TICK_LENGTH +
                                  size * (ATTN_LETTERING_HEIGHT + ATTN_LETTERING_ASCENT),
                              size, ATTN_ANCHOR_MIDDLE);
}

/* --- What is plotted --- */

static AttnMark *
add_point (AttnScene *scene,
           double     x,
           double     y,
           double     size,
           AttnRgb    color)
{
  const AttnRectangle point = { x - size / 2, y - size / 2, size, size };
  AttnMark *mark = attn_layout_add_bar_mark (scene, -1, &point, color);

  mark->role = "curve";
  return mark;
}

/* Sets colour, dashes and points of a curve, by which a key or a legend names it. */
static void
set_look (const Plot *plot,
          gsize       curve,
          AttnMark   *mark)
{
  const AttnChart *chart = plot->chart;

  mark->line_width = CURVE_WIDTH;
  if (plot->key->n > 0 && !plot->key->is_counted)
    attn_layout_key_set_look (plot->key, plot->key->of_curve[curve], mark);
  else if (chart->has_legend)
    attn_layout_set_distinct (&plot->scene->style, curve, curve / ATTN_N_DISTINCT, mark);
  else
    attn_layout_set_distinct (&plot->scene->style, chart->curves[curve].is_right, 0, mark);
}

/* Adds a curve as one mark, interrupted where it has no values. A curve with a legend runs on over
 * missing values, and is a single point if it has one value only. */
static void
add_curve (const Plot *plot,
           gsize       index)
{
  const AttnChart *chart = plot->chart;
  const AttnCurve *curve = &chart->curves[index];
  AttnMark *mark = attn_scene_add (plot->scene, ATTN_MARK_CURVE, -1, "curve");
  /* Every second curve has squares, so that two curves can be told apart without colours. */
  gboolean has_points = curve->is_right || (chart->has_legend && index % 2 == 1);
  gsize n_values = 0;

  set_look (plot, index, mark);
  mark->points = g_new (AttnPoint, chart->n);
  for (gsize i = 0; i < chart->n; i++)
    {
      AttnPoint point = { get_x (plot, chart->x[i]),
                          get_y (plot, curve->is_right, curve->values[i]) };

      n_values += isfinite (point.y);
      if (isfinite (point.y))
        mark->points[mark->n_points++] = point;
      else if (!chart->has_legend)
        mark->points[mark->n_points++] = (AttnPoint) { point.x, NAN };
    }
  for (gsize i = 0; i < mark->n_points; i++)
    if (!isnan (mark->points[i].y) && (has_points || (chart->has_legend && n_values == 1)))
      add_point (plot->scene, mark->points[i].x, mark->points[i].y,
                 has_points ? POINT_SIZE : CURVE_WIDTH, mark->color);
}

static void
add_points (const Plot *plot)
{
  const AttnChart *chart = plot->chart;
  const double *values = chart->curves[0].values;

  for (gsize i = 0; i < chart->n; i++)
    {
      double x = get_x (plot, chart->x[i]);
      double y = get_y (plot, FALSE, values[i]);

      if (!isfinite (x) || !isfinite (y))
        continue;
      AttnRgb color =
          attn_style_get_distinct (&plot->scene->style, (gssize) i == chart->chosen);
      AttnMark *mark = add_point (plot->scene, x, y, HEAD_SIZE, color);
      mark->role = "point";
      mark->head = (int) (i / chart->n_columns);
      mark->token = (int) (i % chart->n_columns);
      mark->region = chart->group;
      if ((gssize) i != chart->chosen)
        continue;
      const AttnRectangle ring = { x - CHOSEN_SIZE / 2, y - CHOSEN_SIZE / 2, CHOSEN_SIZE,
                                   CHOSEN_SIZE };
      attn_layout_add_frame (plot->scene, -1, &ring);
    }
}

static void
add_bars (const Plot *plot)
{
  const AttnChart *chart = plot->chart;
  double bottom = plot->room.y + plot->room.height;
  AttnRgb color = attn_style_get_distinct (&plot->scene->style, 0);

  for (gsize i = 0; i < chart->n; i++)
    {
      double left = get_x (plot, chart->x[i]);
      double right = get_x (plot, i + 1 < chart->n ? chart->x[i + 1] : chart->x_end);
      double y = get_y (plot, FALSE, chart->curves[0].values[i]);
      const AttnRectangle bar = { left, y, (right - left) * BAR_SHARE, bottom - y };

      if (bar.height > 0)
        attn_layout_add_bar_mark (plot->scene, -1, &bar, color);
    }
}

static void
add_legend (const Plot *plot)
{
  const AttnChart *chart = plot->chart;
  const AttnLayoutInput *in = plot->at->in;
  double size = in->style.font_size * LEGEND_SIZE;
  gsize n_lines = count_legend_lines (in, chart->n_curves);
  double width = plot->room.width / (double) ((chart->n_curves + n_lines - 1) / n_lines);

  for (gsize i = 0; i < chart->n_curves; i++)
    {
      double y = plot->room.y + ((double) (i % n_lines) + 0.8) * size * ATTN_LETTERING_HEIGHT;
      double x = plot->room.x + (double) (i / n_lines) * width + size / 2;
      double text_size = size;
      g_autofree char *markup = attn_markup_from_text (chart->curves[i].name);
      char *name = attn_layout_fit_text (in->style.font_family, markup,
                                         width - 2.5 * size, &text_size);
      AttnMark *sample = attn_scene_add_line (plot->scene, -1, "curve", x, y, size, 0);

      set_look (plot, i, sample);
      attn_scene_add_text (plot->scene, -1, "axis-label", name, x + 1.5 * size,
                           y + size * ATTN_LETTERING_MIDDLE, text_size, ATTN_ANCHOR_START, 0);
    }
}

/* Adds the title of the axis at a side. If there is no legend, a sample of the curve's line is
 * beside the title. */
static void
add_side_title (const Plot *plot,
                gboolean    is_right)
{
  const AttnRectangle *room = &plot->room;
  double size = plot->at->in->style.font_size;
  double x = is_right ? room->x + room->width + plot->beside[1] + size * ATTN_LETTERING_HEIGHT
                      : room->x - plot->beside[0] - size * ATTN_LETTERING_DESCENT;
  double middle = room->y + room->height / 2;
  gboolean has_sample = plot->chart->kind == ATTN_CHART_CURVES && !plot->chart->has_legend;
  double sample_room = has_sample ? SAMPLE_GAP + size : 0;
  double above = room->height / 2 + CHART_GAP * size;
  g_autofree char *markup = attn_markup_from_text (plot->chart->titles[is_right]);
  char *text = attn_layout_fit_text (plot->at->in->style.font_family, markup,
                                     room->height + 2 * size - sample_room, &size);
  double half = attn_lettering_measure (plot->at->in->style.font_family, text, size) / 2;

  /* A title with a sample of its curve is moved down, to stay below the parts above the chart. */
  middle += CLAMP (half + sample_room - above, 0, sample_room / 2);
  attn_scene_add_text (plot->scene, -1, "axis-label", text, x, middle, size, ATTN_ANCHOR_MIDDLE,
                       90);
  if (!has_sample)
    return;
  AttnMark *sample =
      attn_scene_add_line (plot->scene, -1, "curve", x - size * ATTN_LETTERING_MIDDLE,
                           middle - half - SAMPLE_GAP, 0, -size);
  sample->line_width = CURVE_WIDTH;
  /* A sample beside a title has no colour if the key names curves by colours: curves of the right
   * axis then differ from those of the left by their points alone. */
  if (plot->key->n == 0 || plot->key->is_counted)
    sample->color = attn_style_get_distinct (&plot->scene->style, is_right);
  if (is_right)
    add_point (plot->scene, sample->rectangle.x, sample->rectangle.y - size / 2, POINT_SIZE,
               sample->color);
}

static void
add_chart (const AttnLayoutPlaces *at,
           AttnScene              *scene,
           const AttnChart        *chart,
           const AttnRectangle    *place)
{
  Plot plot = { .at = at,
                .scene = scene,
                .chart = chart,
                .key = &at->needs->key,
                .room = *place };
  double size = at->in->style.font_size;
  double key_height = place->height - get_row_height (at->in);

  plot.room.y += CHART_GAP * size + key_height;
  plot.room.height = get_curve_height (at->in);
  plot.room.x += TICK_ROOM * size;
  plot.room.width -= TICK_ROOM * size * (chart->titles[1] != NULL ? 2 : 1.3);
  plot.room.width = MAX (plot.room.width, 1);
  find_axes (&plot);
  fit_side (&plot, FALSE);
  fit_side (&plot, TRUE);

  attn_layout_add_frame (scene, -1, &plot.room);
  for (gsize i = 0; i < chart->n_marks; i++)
    {
      double x = get_x (&plot, chart->marks[i]);

      if (x < plot.room.x || x > plot.room.x + plot.room.width)
        continue;
      AttnMark *line =
          attn_scene_add_line (scene, -1, "tick", x, plot.room.y, 0, plot.room.height);
      line->line_width = MARK_WIDTH;
    }
  if (chart->kind == ATTN_CHART_BARS)
    add_bars (&plot);
  else if (chart->kind == ATTN_CHART_POINTS)
    add_points (&plot);
  else
    for (gsize i = 0; i < chart->n_curves; i++)
      add_curve (&plot, i);
  if (chart->has_legend)
    add_legend (&plot);
  if (key_height > 0 && plot.key->n > 0)
    {
      const AttnRectangle key = { plot.room.x, plot.room.y - key_height - KEY_GAP * size,
                                  plot.room.width, key_height };

      attn_layout_key_add (plot.key, scene, &key);
    }
  for (guint side = 0; side < 2; side++)
    if (chart->titles[side] != NULL)
      {
        add_side_title (&plot, side == 1);
        add_side (&plot, side == 1);
      }
  add_bottom (&plot);
}

/* Adds the charts below the panels, as many in a row as fit. */
void
attn_layout_add_charts (const AttnLayoutPlaces *at,
                        AttnScene              *scene)
{
  const GPtrArray *charts = at->in->grid->charts;
  gsize n_columns = count_columns (at->in);
  double size = at->in->style.font_size;
  /* Charts in a row need room for the numbers and the title at the left of each. */
  double gap = n_columns > 1 ? TICK_ROOM * size : 0;
  AttnRectangle all = at->chart;

  /* Several charts use the whole width of the page. */
  if (charts->len > 1)
    {
      all.x = at->needs->margin + size * ATTN_LETTERING_HEIGHT;
      all.width = at->width - 2 * all.x;
    }
  else
    {
      /* A single chart is as wide as the panels, but its titles stay on the page. */
      const AttnChart *chart = charts->pdata[0];
      double after = chart->titles[1] != NULL
                         ? size * (ATTN_LETTERING_HEIGHT + ATTN_LETTERING_DESCENT)
                         : 0;
      double left = MAX (all.x, at->needs->margin + size * ATTN_LETTERING_HEIGHT);

      all.width = MIN (all.x + all.width, at->width - at->needs->margin - after) - left;
      all.x = left;
    }
  for (gsize i = 0; i < charts->len; i++)
    {
      double width = (all.width - (n_columns - 1) * gap) / n_columns;
      double height = charts->len == 1 ? all.height : get_row_height (at->in);
      const AttnRectangle place = { all.x + i % n_columns * (width + gap),
                                    all.y + i / n_columns * height, width, height };

      add_chart (at, scene, charts->pdata[i], &place);
    }
}
