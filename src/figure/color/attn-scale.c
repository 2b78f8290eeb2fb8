/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-scale.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-text.h"

/* The share of the colour bar's length by which a tick may exceed its ends, because of rounding. */
#define TICK_EPSILON 1e-9

/* The largest multiple of a step that is used for ticks; doubles hold whole numbers up to it
 * exactly. */
#define MAX_MULTIPLE 1e12

/* The largest factor around 1 up to which a scale of ratios has ticks at powers of 2, not of 10. */
#define LARGEST_BINARY_RATIO 64.0

/* The bounds outside of which ticks of a logarithmic or percentile scale are labelled in powers of
 * ten. */
#define SMALLEST_PLAIN 1e-3
#define LARGEST_PLAIN  1e4

const char * const attn_scale_kind_names[] = {
  [ATTN_SCALE_LINEAR] = "linear",
  [ATTN_SCALE_LOG] = "log",
  [ATTN_SCALE_RATIO] = "ratio",
  [ATTN_SCALE_SYMMETRIC] = "symmetric",
  [ATTN_SCALE_PERCENTILE] = "percentile",
  NULL,
};

const char * const attn_range_kind_names[] = {
  [ATTN_RANGE_FIXED] = "fixed",
  [ATTN_RANGE_DATA] = "data",
  [ATTN_RANGE_CLIPPED] = "clipped",
  [ATTN_RANGE_VISIBLE] = "visible",
  [ATTN_RANGE_AUTOMATIC] = "automatic",
  NULL,
};

/**
 * attn_quantiles_new:
 * @sorted: ascending, without NaN
 * @n_values: at least 1
 *
 * A knot whose rank falls between two values lies on the straight line that joins these.
 *
 * Returns: (transfer full): in an atomically reference-counted box
 */
AttnQuantiles *
attn_quantiles_new (const float *sorted,
                    gsize        n_values)
{
  g_return_val_if_fail (n_values > 0, NULL);

  AttnQuantiles *quantiles = g_atomic_rc_box_new (AttnQuantiles);
  for (guint i = 0; i < ATTN_N_QUANTILES; i++)
    {
      double rank = (double) i / (ATTN_N_QUANTILES - 1) * (n_values - 1);
      gsize below = (gsize) rank;
      gsize above = MIN (below + 1, n_values - 1);
      double t = rank - below;

      quantiles->knots[i] = sorted[below] == sorted[above]
                                ? sorted[below]
                                : (1 - t) * sorted[below] + t * sorted[above];
    }
  return quantiles;
}

/**
 * attn_scale_new:
 * @low: value at the lower end; above 0 for %ATTN_SCALE_LOG and %ATTN_SCALE_RATIO
 * @high: value at the upper end
 * @quantiles: (nullable): for %ATTN_SCALE_PERCENTILE, which goes from the first to the last; kept
 *   alive by the caller
 *
 * %ATTN_SCALE_RATIO and %ATTN_SCALE_SYMMETRIC grow at one end so that 1 or 0 is in the middle.
 */
AttnScale
attn_scale_new (AttnScaleKind  kind,
                double         low,
                double         high,
                AttnQuantiles *quantiles)
{
  AttnScale scale = { .kind = kind, .quantiles = quantiles };

  if (kind == ATTN_SCALE_PERCENTILE && quantiles != NULL)
    {
      low = quantiles->knots[0];
      high = quantiles->knots[ATTN_N_QUANTILES - 1];
    }
  else if (kind == ATTN_SCALE_SYMMETRIC)
    {
      high = MAX (fabs (low), fabs (high));
      low = -high;
    }
  else if (kind == ATTN_SCALE_RATIO)
    {
      high = MAX (MAX (high, 1 / high), MAX (low, 1 / low));
      low = 1 / high;
    }

  gboolean is_log = kind == ATTN_SCALE_LOG || kind == ATTN_SCALE_RATIO;
  scale.low = low;
  scale.high = high;
  scale.offset = is_log ? log (low) : low;
  if (high > low && isfinite (scale.offset))
    scale.factor = 1 / ((is_log ? log (high) : high) - scale.offset);
  return scale;
}

/* Counts the quantiles (knots of a percentile scale) less than @value, or also those equal to it if
 * @counts_equal. */
static guint
count_knots (const AttnQuantiles *quantiles,
             double               value,
             gboolean             counts_equal)
{
  guint low = 0;
  guint high = ATTN_N_QUANTILES;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      double knot = quantiles->knots[middle];

      if (knot < value || (counts_equal && knot == value))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Returns the rank of a value as a fraction. Equal values have the middle of their ranks. */
static double
get_rank (const AttnQuantiles *quantiles,
          double               value)
{
  const double *knots = quantiles->knots;
  const double last = ATTN_N_QUANTILES - 1;
  guint below = count_knots (quantiles, value, FALSE);
  guint end = count_knots (quantiles, value, TRUE);

  if (below == ATTN_N_QUANTILES)
    return 1;
  if (end == 0)
    return 0;
  if (end > below)
    return (below + end - 1) / 2.0 / last;
  return (below - 1 + (value - knots[below - 1]) / (knots[below] - knots[below - 1])) / last;
}

/**
 * attn_scale_get_curved_position:
 *
 * Does the work of [func@attn_scale_get_position] for scales that are neither linear nor symmetric.
 */
double
attn_scale_get_curved_position (const AttnScale *scale,
                                double           value)
{
  if (isnan (value))
    return value;
  if (scale->kind == ATTN_SCALE_PERCENTILE && scale->quantiles != NULL)
    return get_rank (scale->quantiles, value);
  if (!(scale->factor > 0))
    return value >= scale->low;
  if (scale->kind == ATTN_SCALE_PERCENTILE)
    return (value - scale->offset) * scale->factor;
  return value > 0 ? (log (value) - scale->offset) * scale->factor : -INFINITY;
}

/* Formats the label of a tick. @conversion: as of printf(): f for "0.050", e for "5.0e-2", in which
 * 0 is "0" */
static void
format_tick (AttnTick *tick,
             char      conversion,
             int       n_decimals)
{
  gboolean is_zero = conversion == 'e' && tick->value == 0;
  char format[16];

  g_snprintf (format, sizeof format, "%%.%d%c", is_zero ? 0 : n_decimals,
              is_zero ? 'f' : conversion);
  g_ascii_formatd (tick->label, sizeof tick->label, format, tick->value);
  attn_text_trim_exponent (tick->label);
}

static void
format_ticks (GArray *ticks,
              char    conversion,
              int     n_decimals)
{
  for (guint i = 0; i < ticks->len; i++)
    format_tick (&g_array_index (ticks, AttnTick, i), conversion, n_decimals);
}

/* Formats ticks with exponents, with the fewest digits that distinguish all of them. */
static void
format_powers (GArray *ticks)
{
  int n_decimals = 0;

  for (guint i = 0; i < ticks->len; i++)
    {
      AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double slip = fabs (tick->value) * 1e-9;

      for (; n_decimals < 6; n_decimals++)
        {
          format_tick (tick, 'e', n_decimals);
          if (fabs (g_ascii_strtod (tick->label, NULL) - tick->value) <= slip)
            break;
        }
    }
  format_ticks (ticks, 'e', n_decimals);
}

static void
add_tick (GArray          *ticks,
          const AttnScale *scale,
          double           value)
{
  AttnTick tick = { .value = value, .position = attn_scale_get_position (scale, value) };

  if (!(tick.position > -TICK_EPSILON && tick.position < 1 + TICK_EPSILON))
    return;
  tick.position = CLAMP (tick.position, 0, 1);
  g_array_append_val (ticks, tick);
}

/* Adds ticks of a linear scale at multiples of the smallest of 1, 2, 5, 10, 20, ... that gives at
 * most @max_ticks. */
static void
add_straight_ticks (GArray          *ticks,
                    const AttnScale *scale,
                    guint            max_ticks)
{
  const double mantissas[] = { 1, 2, 5 };
  double span = scale->high - scale->low;
  int power = (int) floor (log10 (span / max_ticks)) - 1;
  double step = 0;
  int decimals = 0;

  for (guint i = 0; i < 12; i++)
    {
      int exponent = power + (int) i / 3;

      /* Positive powers of ten are exact as doubles, negative ones are not: a division rounds only
       * once. */
      step = exponent >= 0 ? mantissas[i % 3] * pow (10, exponent)
                           : mantissas[i % 3] / pow (10, -exponent);
      decimals = MAX (-exponent, 0);
      if (floor (scale->high / step + 1e-9) - ceil (scale->low / step - 1e-9) + 1 <= max_ticks)
        break;
    }

  double first = ceil (scale->low / step - 1e-9);
  double last = floor (scale->high / step + 1e-9);
  double largest = MAX (fabs (scale->low), fabs (scale->high));
  /* The ends of the scale differ only in their last digits: multiples of the step cannot be
   * represented. */
  if (largest / step > MAX_MULTIPLE)
    return;
  for (double i = first; i <= last; i++)
    add_tick (ticks, scale, i == 0 ? 0 : i * step);
  /* Ticks of weights have at least one decimal: "1.0" as well as "0.5". */
  if (largest <= 1)
    decimals = MAX (decimals, 1);
  if (decimals > 6 || largest >= 1e6)
    format_powers (ticks);
  else
    format_ticks (ticks, 'f', decimals);
}

/* Adds ticks at every @stride-th power of @base, and if @has_between, also at 2 and 5 times each
 * power. */
static void
add_powers (GArray          *ticks,
            const AttnScale *scale,
            double           base,
            int              stride,
            gboolean         has_between)
{
  int first = (int) ceil (log (scale->low) / log (base) - 1e-9);
  int last = (int) floor (log (scale->high) / log (base) + 1e-9);

  /* Exponents are counted from 0, so that 1, the middle of a scale of ratios, has a tick. */
  for (int i = first - 1; i <= last; i++)
    {
      double power = i >= 0 ? pow (base, i) : 1 / pow (base, -i);

      if (i >= first && i % stride == 0)
        add_tick (ticks, scale, power);
      if (has_between)
        {
          add_tick (ticks, scale, 2 * power);
          add_tick (ticks, scale, 5 * power);
        }
    }
}

/* Adds ticks at powers of @base: at every nth if there are too many, also at 2 and 5 times powers
 * of ten if there are few. */
static void
add_log_ticks (GArray          *ticks,
               const AttnScale *scale,
               double           base,
               guint            max_ticks)
{
  int n = (int) (floor (log (scale->high) / log (base) + 1e-9) -
                 ceil (log (scale->low) / log (base) - 1e-9)) +
          1;
  int stride = MAX ((n + (int) max_ticks - 1) / (int) max_ticks, 1);
  gboolean has_between = base == 10 && 3 * (n + 1) <= (int) max_ticks;

  add_powers (ticks, scale, base, stride, has_between);
  if (scale->low < SMALLEST_PLAIN * (1 - 1e-9) || scale->high >= LARGEST_PLAIN)
    format_powers (ticks);
  else
    format_ticks (ticks, 'g', 6);
}

/* Formats ticks with as many decimals as two digits of the smallest nonzero value need. */
static void
format_percentiles (GArray *ticks)
{
  double smallest = INFINITY;
  double largest = 0;

  for (guint i = 0; i < ticks->len; i++)
    {
      double size = fabs (g_array_index (ticks, AttnTick, i).value);

      if (size > 0)
        smallest = MIN (smallest, size);
      largest = MAX (largest, size);
    }
  gboolean is_plain = isinf (smallest) || (smallest >= SMALLEST_PLAIN && largest < LARGEST_PLAIN);
  int n_decimals = isinf (smallest) ? 1 : CLAMP (1 - (int) floor (log10 (smallest)), 0, 4);
  format_ticks (ticks, is_plain ? 'f' : 'e', is_plain ? n_decimals : 1);
}

/* Adds ticks at the values of equally spaced ranks. A value at several of these ranks has one
 * tick. */
static void
add_percentile_ticks (GArray          *ticks,
                      const AttnScale *scale,
                      guint            max_ticks)
{
  guint n_steps = max_ticks >= 6 ? 5 : max_ticks >= 5 ? 4
                                   : max_ticks >= 3   ? 2
                                                      : 1;

  for (guint i = 0; i <= n_steps; i++)
    {
      double rank = (double) i / n_steps * (ATTN_N_QUANTILES - 1);
      guint knot = MIN ((guint) rank, ATTN_N_QUANTILES - 2);
      const double *knots = scale->quantiles->knots + knot;
      AttnTick tick = {
        .value = knots[0] + (rank - knot) * (knots[1] - knots[0]),
        .position = (double) i / n_steps,
      };

      g_array_append_val (ticks, tick);
    }
  format_percentiles (ticks);
  for (guint i = 1; i < ticks->len;)
    if (g_str_equal (g_array_index (ticks, AttnTick, i).label,
                     g_array_index (ticks, AttnTick, i - 1).label))
      g_array_remove_index (ticks, i);
    else
      i++;
}

/**
 * attn_scale_get_ticks:
 * @max_ticks: how many there is room for, at least 2
 *
 * Steps of 1, 2 or 5 on a straight scale; powers of ten on a logarithmic one, with 2 and 5 between
 * them where there is room; powers of two around 1 on a ratio's; values at equal shares of the
 * ranks on a percentile's. All are written alike: with as many decimals, or all as "5e-1" where the
 * smallest or the largest would be unwieldy; logarithmic ones as short as they are.
 *
 * Returns: (transfer full) (element-type AttnTick): in ascending order; none where the range is
 *   empty or not finite
 */
GArray *
attn_scale_get_ticks (const AttnScale *scale,
                      guint            max_ticks)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (AttnTick));
  guint n = CLAMP (max_ticks, 2, 1000);

  if (scale->kind == ATTN_SCALE_PERCENTILE && scale->quantiles != NULL)
    {
      add_percentile_ticks (ticks, scale, n);
      return ticks;
    }
  if (!(scale->factor > 0) || !isfinite (scale->high - scale->low))
    return ticks;
  switch (scale->kind)
    {
    case ATTN_SCALE_LOG:
      add_log_ticks (ticks, scale, 10, n);
      if (ticks->len < 2)
        {
          g_array_set_size (ticks, 0);
          add_straight_ticks (ticks, scale, n);
        }
      break;
    case ATTN_SCALE_RATIO:
      add_log_ticks (ticks, scale, scale->high <= LARGEST_BINARY_RATIO ? 2 : 10, n);
      break;
    case ATTN_SCALE_LINEAR:
    case ATTN_SCALE_SYMMETRIC:
    case ATTN_SCALE_PERCENTILE:
    default:
      add_straight_ticks (ticks, scale, n);
      break;
    }
  return ticks;
}
