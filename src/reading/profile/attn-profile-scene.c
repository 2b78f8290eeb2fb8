/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile-scene.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes in pixels. */
#define CHART_HEIGHT   56
#define CHART_GAP      8
#define MARK_GAP       2
#define MARK_SIZE      5
#define COLUMN_GAP     6
#define SMALLEST_LABEL 40
#define SMALLEST_BAR   24
#define BASELINE_WIDTH 2

#define LABEL_SHARE   0.62 /* share of the labels in the width beside the numbers; more if a label
                            * needs it */
#define DIM_OPACITY   0.7
#define AXIS_OPACITY  0.35
#define FOCUS_OPACITY 0.25

typedef struct
{
  const AttnProfilePlan *plan;
  const AttnProfile *profile;
  AttnScene *scene;
  AttnRgb accent;
  double low; /* the smallest of the values and 0 */
  double high;

  /* The columns of the list, pixels */
  double label_width;
  double bar_left;
  double bar_width;
  double numbers; /* width of both columns of numbers */
} Chart;

/* Formats a number as the locale does, with three decimals or, if these were all 0, with an
 * exponent. */
static char *
format_number (double value)
{
  if (value == 0 || !isfinite (value) || fabs (value) >= 5e-4)
    return isnan (value) ? g_strdup ("NaN") : g_strdup_printf ("%.3f", value);

  int exponent = (int) floor (log10 (fabs (value)) + 1e-9);
  return g_strdup_printf ("%.0fe%d", value / pow (10, exponent), exponent);
}

static void
include (Chart        *chart,
         const double *values)
{
  for (gsize i = 0; values != NULL && i < chart->profile->n; i++)
    if (!isnan (values[i]))
      {
        chart->low = MIN (chart->low, values[i]);
        chart->high = MAX (chart->high, values[i]);
      }
}

static AttnMark *
add_area (const Chart *chart,
          const char  *role,
          AttnRgb      color,
          double       x,
          double       y,
          double       width,
          double       height)
{
  AttnMark *mark = attn_scene_add (chart->scene, ATTN_MARK_RECTANGLE, -1, role);

  mark->rectangle = (AttnRectangle) { x, y, width, height };
  mark->color = color;
  mark->is_filled = TRUE;
  return mark;
}

/* --- The chart of a profile ------------------------------------------------------------------- */

/* Returns the value farthest from 0 among the values that share a pixel, so that a single large
 * value stays visible. */
static double
get_farthest (const double *values,
              gsize         first,
              gsize         end)
{
  double farthest = 0;

  for (gsize i = first; i < end; i++)
    if (fabs (values[i]) > fabs (farthest))
      farthest = values[i];
  return farthest;
}

/* Adds the values of the profile as bars, and a line at the values of the baseline. */
static void
add_chart (const Chart *chart)
{
  const AttnProfile *profile = chart->profile;
  AttnRgb foreground = chart->scene->style.foreground;
  gsize n_bars = MIN (profile->n, (gsize) chart->plan->width);
  double pitch = chart->plan->width / n_bars;
  double gap = pitch >= 6 ? 2 : pitch >= 3 ? 1
                                           : 0;
  double scale = CHART_HEIGHT / (chart->high - chart->low);
  double zero = chart->high * scale;

  for (gsize i = 0; i < n_bars; i++)
    {
      gsize first = i * profile->n / n_bars;
      gsize end = (i + 1) * profile->n / n_bars;
      double left = floor (i * pitch);
      double width = MAX (floor ((i + 1) * pitch) - gap - left, 1);
      double value = get_farthest (profile->values, first, end) * scale;
      double old = profile->baseline != NULL ? get_farthest (profile->baseline, first, end) : 0;

      add_area (chart, "bar", chart->accent, left, zero - MAX (value, 0), width, fabs (value));
      if (old != 0)
        add_area (chart, "baseline", foreground, left,
                  CLAMP (round (zero - old * scale) - 1, 0, CHART_HEIGHT - BASELINE_WIDTH), width,
                  BASELINE_WIDTH);
      if (chart->plan->mark >= (gssize) first && chart->plan->mark < (gssize) end)
        {
          AttnMark *mark = attn_scene_add (chart->scene, ATTN_MARK_TRIANGLE, -1, "cursor");

          mark->color = foreground;
          mark->rectangle = (AttnRectangle) { left + width / 2 - MARK_SIZE,
                                              CHART_HEIGHT + MARK_GAP, 2 * MARK_SIZE, MARK_SIZE };
        }
    }
  add_area (chart, "tick", foreground, 0, floor (zero) - (chart->low < 0 ? 0 : 1),
            chart->plan->width, 1)
      ->opacity = AXIS_OPACITY;
}

/* --- The list of largest values --------------------------------------------------------------- */

/* Sets the widths of the list's columns. Labels that are names are wider than tokens, and leave
 * less to the bars. */
static void
set_columns (Chart *chart)
{
  const AttnProfilePlan *plan = chart->plan;
  const AttnStyle *style = &chart->scene->style;
  double widest = 0;

  for (gsize line = 0; line < plan->n_top; line++)
    {
      g_autofree char *name = attn_profile_dup_name (chart->profile, plan->top[line]);
      g_autofree char *markup = attn_markup_from_text (name);

      widest =
          MAX (widest, attn_lettering_measure (style->font_family, markup, style->font_size));
    }
  chart->numbers = plan->number_width;
  if (chart->profile->baseline != NULL)
    chart->numbers += COLUMN_GAP + plan->number_width;
  double rest = plan->width - chart->numbers - 2 * COLUMN_GAP;
  chart->label_width = MAX (rest * LABEL_SHARE, MIN (widest, rest - SMALLEST_BAR));
  chart->label_width = MAX (chart->label_width, SMALLEST_LABEL);
  chart->bar_left = chart->label_width + COLUMN_GAP;
  chart->bar_width = MAX (rest - chart->label_width, SMALLEST_BAR);
}

static void
add_number (const Chart *chart,
            double       value,
            double       right,
            double       y,
            double       opacity)
{
  attn_scene_add_text (chart->scene, -1, "value", format_number (value), right,
                       y + chart->plan->baseline, chart->scene->style.font_size, ATTN_ANCHOR_END, 0)
      ->opacity = opacity;
}

/* Adds a line of the list: token, bar, number before the intervention, and the number now. */
static void
add_line (const Chart *chart,
          gsize        line)
{
  const AttnProfilePlan *plan = chart->plan;
  const AttnProfile *profile = chart->profile;
  const AttnStyle *style = &chart->scene->style;
  gsize index = plan->top[line];
  gboolean is_marked = plan->mark == (gssize) index;
  double y = attn_profile_scene_get_height (line, plan->line_height);
  g_autofree char *name = attn_profile_dup_name (profile, index);
  g_autofree char *whole = attn_markup_from_text (name);
  char *label = attn_lettering_ellipsize_middle (style->font_family, whole, style->font_size,
                                                 chart->label_width);

  if (plan->focus == (int) line)
    add_area (chart, "ground", chart->accent, 0, y, plan->width, plan->line_height)->opacity =
        FOCUS_OPACITY;
  if (is_marked)
    add_area (chart, "cursor", style->foreground, 0, y + plan->line_height - 2,
              attn_lettering_measure (style->font_family, label, style->font_size), 1);
  attn_scene_add_text (chart->scene, -1, "row-label", label, 0, y + plan->baseline,
                       style->font_size, ATTN_ANCHOR_START, 0)
      ->opacity = is_marked ? 1 : DIM_OPACITY;

  double scale = chart->bar_width / MAX (chart->high, -chart->low);
  double quarter = floor (plan->line_height / 4);
  double height = plan->line_height - 2 * quarter;
  add_area (chart, "bar", chart->accent, chart->bar_left, y + quarter,
            MAX (fabs (profile->values[index]) * scale, 1), height);
  if (profile->baseline != NULL)
    {
      double old = round (fabs (profile->baseline[index]) * scale);

      if (!isnan (old))
        add_area (chart, "baseline", style->foreground,
                  chart->bar_left + MIN (old, chart->bar_width - BASELINE_WIDTH), y + quarter - 2,
                  BASELINE_WIDTH, height + 4);
      add_number (chart, profile->baseline[index],
                  plan->width - chart->numbers + plan->number_width, y, DIM_OPACITY);
    }
  add_number (chart, profile->values[index], plan->width, y, 1);
}

/**
 * attn_profile_scene_get_height:
 * @line_height: pixels
 *
 * Returns: the height in pixels of the chart and a list of @n_lines
 */
double
attn_profile_scene_get_height (gsize  n_lines,
                               double line_height)
{
  return CHART_HEIGHT + CHART_GAP + n_lines * line_height;
}

/**
 * attn_profile_scene_new:
 * @style: font, and colour of the text
 * @accent: colour of the bars
 * @profile: a profile that [func@attn_profile_read] has filled
 *
 * Returns: (transfer full): a scene in pixels
 */
AttnScene *
attn_profile_scene_new (const AttnProfilePlan *plan,
                        const AttnStyle       *style,
                        AttnRgb                accent,
                        const AttnProfile     *profile)
{
  g_autoptr (AttnScene) scene =
      attn_scene_new (plan->width, attn_profile_scene_get_height (plan->n_top, plan->line_height),
                      style, NULL);
  Chart chart = { .plan = plan, .profile = profile, .scene = scene, .accent = accent };

  include (&chart, profile->values);
  include (&chart, profile->baseline);
  if (chart.low == chart.high)
    chart.high = chart.low + 1;
  add_chart (&chart);
  set_columns (&chart);
  for (gsize line = 0; line < plan->n_top; line++)
    add_line (&chart, line);
  return g_steal_pointer (&scene);
}

/**
 * attn_profile_scene_hit:
 * @x: pixels
 * @y: pixels
 * @index: (out): index of the value at that point; if a bar stands for several values, one of these
 */
gboolean
attn_profile_scene_hit (const AttnProfilePlan *plan,
                        const AttnProfile     *profile,
                        double                 x,
                        double                 y,
                        gsize                 *index)
{
  double top = attn_profile_scene_get_height (0, plan->line_height);

  if (profile->n == 0 || plan->width <= 0)
    return FALSE;
  if (y < top)
    {
      *index = (gsize) CLAMP (x / plan->width * profile->n, 0, profile->n - 1);
      return TRUE;
    }

  gsize line = (gsize) ((y - top) / plan->line_height);
  if (line >= plan->n_top)
    return FALSE;
  *index = plan->top[line];
  return TRUE;
}
