/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-text.h"

/* A label of a tick as long as most labels: room for it is kept while the scale follows the
 * viewport. */
#define LONG_TICK "0.005"

#define MAX_MORE_TICKS 4

/* Tells whether ticks are at multiples of the style's step, counted from the low end of its
 * range. */
static gboolean
has_own_ticks (const AttnStyle *style,
               const AttnRange *range)
{
  return style->scale == ATTN_SCALE_LINEAR && range->is_fixed;
}

/* Returns the number of decimals that ticks at the style's step need: 0.2 needs one, 0.25 two.
 * Returns -1 if they need exponents. */
static int
count_decimals (const AttnStyle *style)
{
  double power = 10;

  for (int n_decimals = 1; n_decimals <= 6; n_decimals++, power *= 10)
    {
      double tick = style->tick * power;
      double low = style->low * power;

      if (fabs (tick - round (tick)) < 1e-6 * MAX (fabs (tick), 1) &&
          fabs (low - round (low)) < 1e-6 * MAX (fabs (low), 1) && fabs (round (tick)) >= 1)
        return fabs (style->high) < 1e6 && fabs (style->low) < 1e6 ? n_decimals : -1;
    }
  return -1;
}

/* Gives the label of a tick a minus sign in place of a hyphen, and writes 1e0 as 1. */
static void
finish_tick (AttnTick *tick)
{
  g_autofree char *label = attn_layout_set_minus (tick->label);

  g_strlcpy (tick->label, g_str_equal (label, "1e0") ? "1" : label, sizeof tick->label);
}

/* Computes about @n ticks for a scale that is not linear or whose ends come from the data. */
static GArray *
get_ticks (const AttnScale *scale,
           guint            n)
{
  GArray *ticks = attn_scale_get_ticks (scale, n);

  for (guint i = 0; i < ticks->len; i++)
    finish_tick (&g_array_index (ticks, AttnTick, i));
  return ticks;
}

/* Formats the label of a tick as "0.0", "0.2", always with a decimal point. */
static void
format_own_tick (const AttnStyle *style,
                 AttnTick        *tick)
{
  double value = tick->value;
  char format[16];
  int n_decimals = count_decimals (style);

  if (fabs (value) < fabs (style->high - style->low) * 1e-9)
    value = 0;
  if (n_decimals < 0)
    g_strlcpy (format, "%.3g", sizeof format);
  else
    g_snprintf (format, sizeof format, "%%.%df", n_decimals);
  g_ascii_formatd (tick->label, sizeof tick->label, format, value);
  attn_text_trim_exponent (tick->label);
  finish_tick (tick);
}

/* Computes ticks at every multiple of the style's step or, if such ticks are closer than @needed
 * points, at every second, third, ... multiple. */
static GArray *
get_own_ticks (const AttnStyle *style,
               double           length,
               double           needed)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (AttnTick));
  AttnScale scale = attn_style_get_scale (style);
  double span = style->high - style->low;

  if (!(style->tick > 0) || !(span > 0) || !isfinite (span) || span / style->tick > 1e6)
    return ticks;

  gsize step = attn_layout_get_label_step (style->tick / span * length, needed);
  gsize n_ticks = (gsize) floor (span / style->tick + 1e-6) + 1;
  /* A somewhat larger step between ticks is better if it gives both ends of the scale a tick. */
  for (gsize coarser = step; coarser < n_ticks && coarser <= 3 * step; coarser++)
    if ((n_ticks - 1) % coarser == 0)
      {
        step = coarser;
        break;
      }
  for (gsize i = 0; i < n_ticks; i += step)
    {
      AttnTick tick = { .value = style->low + i * style->tick };

      tick.position = attn_scale_get_position (&scale, tick.value);
      format_own_tick (style, &tick);
      g_array_append_val (ticks, tick);
    }
  return ticks;
}

/* Computes the ticks of a colour bar that is @length points long, in ascending order, about @needed
 * points apart. (element-type AttnTick) */
GArray *
attn_layout_scales_get_ticks (const AttnStyle *style,
                              const AttnRange *range,
                              double           length,
                              double           needed)
{
  const AttnScale *scale = &range->scale;

  if (has_own_ticks (style, range))
    return get_own_ticks (style, length, needed);

  guint n = (guint) CLAMP (length / needed, 2, ATTN_LAYOUT_MAX_TICKS);
  GArray *ticks = get_ticks (scale, n);
  /* A single tick says nothing about the scale: more ticks are tried, and ticks that overlap are
   * left out. */
  for (guint more = 1; ticks->len < 2 && more <= MAX_MORE_TICKS; more++)
    {
      g_array_unref (ticks);
      ticks = get_ticks (scale, n + more);
    }
  return ticks;
}

/* Tells whether the key below the colour bar has the colour of NaN or of masked cells. */
gboolean
attn_layout_scales_has_key (const AttnLayoutScales *scales,
                            const AttnRange        *range,
                            gboolean                is_masked)
{
  const AttnStyle *style = scales->styles[FALSE];

  if (!is_masked && scales->in->grid->nan_name != NULL)
    return range->has_nan;
  if (!style->shows_key)
    return FALSE;
  return is_masked ? range->has_masked && style->has_masked_color : range->has_nan;
}

/* Returns the name that the key gives to the colour of NaN. */
const char *
attn_layout_scales_get_nan_name (const AttnLayoutScales *scales)
{
  const char *name = scales->in->grid->nan_name;

  return name != NULL ? name : ATTN_LAYOUT_KEY_NAN;
}

/* Returns the range of the panel in a cell of the grid, with its scale. */
const AttnRange *
attn_layout_scales_get (const AttnLayoutScales *scales,
                        gsize                   row,
                        gsize                   column)
{
  const AttnGrid *grid = scales->in->grid;
  gsize index = row * grid->n_columns + column;
  AttnRangeScope scope = scales->in->style.range_scope;
  gsize range = scope == ATTN_RANGE_SCOPE_PANEL ? index : scope == ATTN_RANGE_SCOPE_ROW ? row
                                                                                        : 0;

  return &scales->ranges[grid->cells[index].is_difference][range];
}

static double
measure_tick (const AttnLayoutScales *scales,
              const char             *label)
{
  const AttnStyle *style = scales->styles[FALSE];

  return attn_lettering_measure (style->font_family, label, style->font_size);
}

static double
measure_ticks (const AttnLayoutScales *scales,
               gboolean                is_difference)
{
  const AttnStyle *style = scales->styles[is_difference];
  const double values[] = { style->low, style->high, style->low + style->tick };
  double widest = 0;

  for (gsize i = 0; i < scales->n_ranges; i++)
    {
      const AttnRange *range = &scales->ranges[is_difference][i];

      for (guint v = 0; v < G_N_ELEMENTS (values) && has_own_ticks (style, range); v++)
        {
          AttnTick tick = { .value = values[v] };

          format_own_tick (style, &tick);
          widest = MAX (widest, measure_tick (scales, tick.label));
        }
      if (!has_own_ticks (style, range))
        {
          g_autoptr (GArray) ticks = get_ticks (&range->scale, ATTN_LAYOUT_MAX_TICKS);

          for (guint t = 0; t < ticks->len; t++)
            widest = MAX (widest, measure_tick (scales, g_array_index (ticks, AttnTick, t).label));
        }
      if (attn_layout_scales_has_key (scales, range, FALSE))
        widest = MAX (widest, measure_tick (scales, attn_layout_scales_get_nan_name (scales)));
      if (attn_layout_scales_has_key (scales, range, TRUE))
        widest = MAX (widest, measure_tick (scales, ATTN_LAYOUT_KEY_MASKED));
    }
  return widest;
}

static double
find_tick_width (const AttnLayoutScales *scales)
{
  if (scales->in->grid->is_binary)
    return MAX (measure_tick (scales, ATTN_LAYOUT_KEY_ON),
                measure_tick (scales, ATTN_LAYOUT_KEY_OFF));

  double weights = measure_ticks (scales, FALSE);
  /* Room for a long label is kept, so that nothing moves while the ends of the scale follow the
   * viewport. */
  if (scales->in->style.range == ATTN_RANGE_VISIBLE)
    weights = MAX (weights, measure_tick (scales, LONG_TICK));

  if (!scales->is_used[TRUE])
    return weights;
  double differences = measure_ticks (scales, TRUE);
  return scales->is_used[FALSE] ? MAX (weights, differences) : differences;
}

/* Computes the colour scales, each from the panels that share it. Free with
 * attn_layout_scales_clear(). */
AttnLayoutScales
attn_layout_scales_new (const AttnLayoutInput *in)
{
  /* A grid that is a part of another has the scales of the whole grid, unless the range comes from
   * the visible values. */
  gboolean is_whole = in->grid->whole != NULL && in->style.range != ATTN_RANGE_VISIBLE;
  AttnGrid *grid = is_whole ? in->grid->whole : in->grid;
  gsize n_cells = grid->n_rows * grid->n_columns;
  gsize n_ranges = attn_range_count (grid, &in->style);
  gsize n_shared = n_cells / n_ranges;
  gsize first = is_whole ? in->grid->group / n_shared : 0;
  g_autofree AttnViewport *fits = g_new (AttnViewport, n_cells);
  const AttnViewport *viewports = is_whole ? fits : in->viewports;
  AttnLayoutScales scales = {
    .in = in,
    .styles = { &in->style, &in->difference_style },
    .n_ranges = in->grid->n_rows * in->grid->n_columns < n_cells ? 1 : n_ranges,
  };

  for (gsize i = 0; i < n_cells; i++)
    fits[i] = ATTN_VIEWPORT_FIT;
  for (guint kind = 0; kind < 2; kind++)
    {
      scales.ranges[kind] = attn_layout_allocate (in, scales.n_ranges, sizeof (AttnRange));
      for (gsize i = 0; i < scales.n_ranges; i++)
        attn_range_resolve (grid, (first + i) * n_shared, n_shared, kind, scales.styles[kind],
                            viewports, &scales.ranges[kind][i]);
    }
  for (gsize i = 0; i < in->grid->n_rows * in->grid->n_columns; i++)
    if (in->grid->cells[i].panel != NULL)
      scales.is_used[in->grid->cells[i].is_difference] = TRUE;
  scales.n_bars = scales.is_used[FALSE] && scales.is_used[TRUE] &&
                          in->style.range_scope != ATTN_RANGE_SCOPE_PANEL
                      ? 2
                      : 1;
  scales.tick_width = find_tick_width (&scales);
  return scales;
}

void
attn_layout_scales_clear (AttnLayoutScales *scales)
{
  for (guint kind = 0; kind < 2; kind++)
    for (gsize i = 0; i < scales->n_ranges; i++)
      attn_range_clear (&scales->ranges[kind][i]);
}
