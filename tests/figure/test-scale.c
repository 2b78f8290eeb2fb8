/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Value scales against plain references, their ticks, and the ranges that come from the data. */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn-text.h"
#include "attn-error.h"
#include "attn-painter.h"
#include "attn-range.h"
#include "figure-fixture.h"

static AttnPanel *
make_panel (gsize        n_rows,
            gsize        n_columns,
            AttnMask     mask,
            const float *data)
{
  gsize shape[2] = { n_rows, n_columns };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  memcpy (values->data, data, n_rows * n_columns * sizeof *data);
  return attn_panel_new (values, mask, NULL, NULL);
}

/* One panel of 40 x 40 values over many decades, causal. */
static AttnGrid *
make_wide_grid (void)
{
  AttnGrid *grid = attn_grid_new (1, 1);
  gsize shape[2] = { 40, 40 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  for (gsize row = 0; row < 40; row++)
    for (gsize column = 0; column <= row; column++)
      values->data[row * 40 + column] = (float) exp (-(double) ((row * 37 + column * 11) % 97) / 9);
  grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_CAUSAL, NULL, NULL);
  return grid;
}

static AttnRange
resolve (AttnGrid      *grid,
         AttnScaleKind  kind,
         AttnRangeKind  range_kind,
         double         low,
         double         high)
{
  AttnStyle style = attn_style_default ();
  AttnRange range;

  style.scale = kind;
  style.range = range_kind;
  style.low = low;
  style.high = high;
  style.clip = 5;
  attn_range_resolve (grid, 0, grid->n_rows * grid->n_columns, FALSE, &style, NULL, &range);
  return range;
}

static void
assert_near (double value,
             double expected)
{
  /* A few roundings of doubles. */
  g_assert_cmpfloat_with_epsilon (value, expected, 1e-12 * MAX (fabs (expected), 1));
}

static void
test_positions (void)
{
  AttnScale linear = attn_scale_new (ATTN_SCALE_LINEAR, -2, 6, NULL);
  AttnScale logarithmic = attn_scale_new (ATTN_SCALE_LOG, 1e-4, 1, NULL);
  AttnScale ratio = attn_scale_new (ATTN_SCALE_RATIO, 0.5, 8, NULL);
  AttnScale symmetric = attn_scale_new (ATTN_SCALE_SYMMETRIC, -0.1, 0.4, NULL);

  assert_near (attn_scale_get_position (&linear, 0), 0.25);
  assert_near (attn_scale_get_position (&linear, 8), 1.25);
  assert_near (attn_scale_get_position (&logarithmic, 0.01), 0.5);
  assert_near (attn_scale_get_position (&logarithmic, 1e-5), -0.25);
  g_assert_cmpfloat (attn_scale_get_position (&logarithmic, 0), ==, -INFINITY);
  g_assert_cmpfloat (attn_scale_get_position (&logarithmic, -1), ==, -INFINITY);
  assert_near (ratio.low, 0.125);
  assert_near (attn_scale_get_position (&ratio, 1), 0.5);
  assert_near (attn_scale_get_position (&ratio, 4), 0.5 + 1.0 / 3);
  assert_near (attn_scale_get_position (&ratio, 0.25), 0.5 - 1.0 / 3);
  assert_near (symmetric.low, -0.4);
  assert_near (attn_scale_get_position (&symmetric, 0), 0.5);
  assert_near (attn_scale_get_position (&symmetric, 0.2), 0.75);
  for (guint kind = 0; kind < ATTN_N_SCALES; kind++)
    {
      AttnScale scale = attn_scale_new (kind, 0.1, 0.9, NULL);
      AttnScale empty = attn_scale_new (kind, 0, 0, NULL);

      g_assert_true (isnan (attn_scale_get_position (&scale, NAN)));
      g_assert_cmpuint (attn_scale_get_index (&scale, NAN), ==, ATTN_PALETTE_NAN);
      g_assert_cmpuint (attn_scale_get_index (&empty, NAN), ==, ATTN_PALETTE_NAN);
      g_assert_cmpuint (attn_scale_get_index (&scale, INFINITY), ==, 255);
      g_assert_cmpuint (attn_scale_get_index (&scale, -INFINITY), ==, 0);
      /* Whatever the scale, an index is one of the palette's. */
      g_assert_cmpuint (attn_scale_get_index (&empty, 0.3), <, ATTN_PALETTE_SIZE);
    }
}

/* The rank of a value by counting: equal values share the middle of their ranks. */
static double
count_rank (AttnPanel *panel,
            float      value)
{
  gsize n_less = 0, n_equal = 0, n = 0;

  for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
    for (gsize column = 0; column < attn_panel_get_n_columns (panel); column++)
      if (attn_panel_is_visible (panel, row, column))
        {
          float other = attn_panel_get_value (panel, row, column);

          n_less += other < value;
          n_equal += other == value;
          n++;
        }
  return (n_less + (n_equal - 1) / 2.0) / (n - 1);
}

static void
test_percentile (void)
{
  g_autoptr (AttnGrid) grid = make_wide_grid ();
  AttnPanel *panel = grid->cells[0].panel;
  g_auto (AttnRange) range = resolve (grid, ATTN_SCALE_PERCENTILE, ATTN_RANGE_FIXED, 0, 1);
  double last = -1;

  for (gsize row = 0; row < 40; row++)
    for (gsize column = 0; column <= row; column++)
      {
        float value = attn_panel_get_value (panel, row, column);
        double position = attn_scale_get_position (&range.scale, value);

        /* The table has a knot at every 256th of the ranks, which cuts a group of equal values at
         * each of its ends. */
        g_assert_cmpfloat_with_epsilon (position, count_rank (panel, value), 1.0 / 256);
      }
  for (double value = 0; value < 1.2; value += 0.001)
    {
      double position = attn_scale_get_position (&range.scale, value);

      g_assert_cmpfloat (position, >=, last);
      last = position;
    }
  g_assert_false (range.has_under || range.has_over);

  /* All the same: the middle. */
  const float same[4] = { 0.3f, 0.3f, 0.3f, 0.3f };
  g_autoptr (AttnGrid) flat = attn_grid_new (1, 1);
  flat->cells[0].panel = make_panel (2, 2, ATTN_MASK_NONE, same);
  g_auto (AttnRange) flat_range = resolve (flat, ATTN_SCALE_PERCENTILE, ATTN_RANGE_DATA, 0, 1);
  assert_near (attn_scale_get_position (&flat_range.scale, 0.3f), 0.5);
}

static int
compare_floats (gconstpointer a,
                gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* Both signs, so that the order of a float's bits is not enough. */
static void
test_clipped (void)
{
  const gsize n = 300;
  g_autofree float *data = g_new (float, n *n);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  for (gsize i = 0; i < n * n; i++)
    data[i] = (float) (((i * 7919) % (n * n)) / 1000.0 - 40);
  data[5] = NAN;
  data[6] = INFINITY;
  data[7] = -INFINITY;
  grid->cells[0].panel = make_panel (n, n, ATTN_MASK_NONE, data);
  g_auto (AttnRange) range = resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_CLIPPED, 0, 1);
  g_auto (AttnRange) whole = resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_DATA, 0, 1);

  data[5] = data[n * n - 1];
  data[6] = data[n * n - 2];
  data[7] = data[n * n - 3];
  qsort (data, n * n - 3, sizeof *data, compare_floats);
  /* Linear between two values 0.001 apart. */
  g_assert_cmpfloat_with_epsilon (range.scale.low, data[(gsize) (0.05 * (n * n - 4))], 1.1e-3);
  g_assert_cmpfloat_with_epsilon (range.scale.high, data[(gsize) (0.95 * (n * n - 4))], 1.1e-3);
  g_assert_cmpfloat (whole.scale.low, ==, data[0]);
  g_assert_cmpfloat (whole.scale.high, ==, data[n * n - 4]);
  g_assert_true (range.has_under && range.has_over && range.has_nan && !range.has_masked);
  g_assert_true (whole.has_under && whole.has_over);
}

/* Ends that a figure has by itself give way where they are those of other numbers. */
static void
test_automatic_range (void)
{
  const float shares[9] = { 1, 0, 0, 0.75f, 0.25f, 0, 0.9f, 0.1f, 0 };
  const float small[9] = { 0.002f, 0.1f, 0.2f, 0.29f, 0.05f, 0.07f, 0.11f, 0.12f, 0.25f };
  const float bytes[9] = { 0, 17, 33, 255, 128, 64, 200, 90, 12 };
  const float logarithms[9] = { -12, -1, -3, -0.5f, -7, -2, -2.5f, -4, -6 };
  const struct
  {
    const float *values;
    double low;
    double expected_low;
    double expected_high;
    gboolean is_fixed;
  } cases[] = {
    { shares, 0.5, 0.5, 1, TRUE }, /* a third lies within */
    { small, 0, 0, 1, TRUE },
    { small, 0.5, 0.002f, 0.29f, FALSE },
    { bytes, 0.5, 0, 255, FALSE },
    { logarithms, 0, -12, -0.5, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      grid->cells[0].panel = make_panel (3, 3, ATTN_MASK_NONE, cases[i].values);
      g_auto (AttnRange) range =
          resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_AUTOMATIC, cases[i].low, 1);
      g_auto (AttnRange) fixed =
          resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_FIXED, cases[i].low, 1);
      g_assert_cmpint (range.is_fixed, ==, cases[i].is_fixed);
      g_assert_cmpfloat (range.scale.low, ==, cases[i].expected_low);
      g_assert_cmpfloat (range.scale.high, ==, cases[i].expected_high);
      g_assert_true (fixed.is_fixed && fixed.scale.low == cases[i].low && fixed.scale.high == 1);
    }
}

static void
test_data_ranges (void)
{
  const float weights[9] = { 1, 0, 0, 0.75f, 0.25f, 0, 0.9f, 0.1f, 0 };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  grid->cells[0].panel = make_panel (3, 3, ATTN_MASK_CAUSAL, weights);
  g_auto (AttnRange) fixed = resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_FIXED, 0, 1);
  g_assert_false (fixed.has_under || fixed.has_over || fixed.has_nan);
  g_assert_true (fixed.has_masked);
  g_auto (AttnRange) narrow = resolve (grid, ATTN_SCALE_LINEAR, ATTN_RANGE_FIXED, 0.2, 0.8);
  g_assert_true (narrow.has_under && narrow.has_over);

  g_auto (AttnRange) logarithmic = resolve (grid, ATTN_SCALE_LOG, ATTN_RANGE_FIXED, 0, 1);
  g_assert_cmpfloat (logarithmic.scale.low, ==, 0.1f);
  g_assert_cmpfloat (logarithmic.scale.high, ==, 1);
  g_assert_true (logarithmic.has_under); /* the last cell is 0 and not masked */

  /* 0.9 of three keys is 2.7 times uniform; 0.75 of two 1.5. */
  g_auto (AttnRange) ratio = resolve (grid, ATTN_SCALE_RATIO, ATTN_RANGE_FIXED, 0, 1);
  AttnPanel *drawn = attn_range_get_drawn (grid, 0, ATTN_SCALE_RATIO);
  g_assert_cmpfloat (attn_panel_get_value (drawn, 0, 0), ==, 1);
  g_assert_cmpfloat (attn_panel_get_value (drawn, 1, 0), ==, 1.5f);
  g_assert_cmpfloat (attn_panel_get_value (drawn, 2, 0), ==, 0.9f * 3);
  assert_near (ratio.scale.high, 0.9f * 3);
  assert_near (ratio.scale.low, 1 / ratio.scale.high);

  g_auto (AttnRange) symmetric = resolve (grid, ATTN_SCALE_SYMMETRIC, ATTN_RANGE_DATA, 0, 1);
  g_assert_cmpfloat (symmetric.scale.low, ==, -1);

  /* Nothing but zeros, nothing but NaN: a range nevertheless. */
  const float zeros[4] = { 0 };
  const float nothing[4] = { NAN, NAN, NAN, NAN };
  for (guint kind = 0; kind < ATTN_N_SCALES; kind++)
    for (guint i = 0; i < 2; i++)
      {
        g_autoptr (AttnGrid) empty = attn_grid_new (1, 2);

        empty->cells[1].panel = make_panel (2, 2, ATTN_MASK_NONE, i == 0 ? zeros : nothing);
        for (guint from = 0; from < ATTN_N_RANGES; from++)
          {
            g_auto (AttnRange) range = resolve (empty, kind, from, 0, 1);

            g_assert_true (isfinite (range.scale.low) && isfinite (range.scale.high));
            g_assert_true (range.scale.high > range.scale.low ||
                           range.scale.kind == ATTN_SCALE_PERCENTILE);
            g_assert_cmpint (range.has_nan, ==, i == 1);
          }
      }
}

static char *
join_ticks (const AttnScale *scale,
            guint            max_ticks)
{
  g_autoptr (GArray) ticks = attn_scale_get_ticks (scale, max_ticks);
  GString *text = g_string_new (NULL);
  double last = -1;

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);

      g_assert_cmpfloat (tick->position, >, last);
      g_assert_cmpfloat (tick->position, <=, 1);
      if (scale->kind != ATTN_SCALE_PERCENTILE)
        assert_near (attn_scale_get_position (scale, tick->value), tick->position);
      last = tick->position;
      g_string_append_printf (text, i == 0 ? "%s" : " %s", tick->label);
    }
  return g_string_free (text, FALSE);
}

static void
test_ticks (void)
{
  const struct
  {
    AttnScaleKind kind;
    double low;
    double high;
    guint n;
    const char *expected;
  } cases[] = {
    { ATTN_SCALE_LINEAR, 0, 1, 10, "0.0 0.2 0.4 0.6 0.8 1.0" },
    { ATTN_SCALE_LINEAR, 0, 1, 11, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0" },
    { ATTN_SCALE_LINEAR, 0.03, 0.11, 6, "0.04 0.06 0.08 0.10" },
    { ATTN_SCALE_LINEAR, -7, 23, 5, "0 10 20" },
    { ATTN_SCALE_LINEAR, 0, 3e7, 4, "0 1e7 2e7 3e7" },
    { ATTN_SCALE_LINEAR, 0, 2.5e7, 6, "0 5.0e6 1.0e7 1.5e7 2.0e7 2.5e7" },
    { ATTN_SCALE_LINEAR, 0, 1, 2, "0.0 1.0" },
    { ATTN_SCALE_LINEAR, 1, 1, 10, "" },
    { ATTN_SCALE_LINEAR, 0, INFINITY, 10, "" },
    { ATTN_SCALE_SYMMETRIC, -0.3, 0.4, 5, "-0.4 -0.2 0.0 0.2 0.4" },
    { ATTN_SCALE_LOG, 1e-6, 1, 10, "1e-6 1e-5 1e-4 1e-3 1e-2 1e-1 1e0" },
    { ATTN_SCALE_LOG, 1e-6, 1, 4, "1e-6 1e-4 1e-2 1e0" },
    { ATTN_SCALE_LOG, 0.013, 1.2, 10, "0.02 0.05 0.1 0.2 0.5 1" },
    { ATTN_SCALE_LOG, 0.31, 0.42, 10, "0.32 0.34 0.36 0.38 0.40 0.42" },
    { ATTN_SCALE_LOG, 1, 1e12, 5, "1e0 1e3 1e6 1e9 1e12" },
    /* A lower end of 0.1 widens the scale to 10 at the upper end. */
    { ATTN_SCALE_RATIO, 0.1, 8, 10, "0.125 0.25 0.5 1 2 4 8" },
    { ATTN_SCALE_RATIO, 0.001, 1000, 10, "0.001 0.01 0.1 1 10 100 1000" },
    { ATTN_SCALE_RATIO, 0.1, 8, 3, "0.125 1 8" },
    { ATTN_SCALE_LOG, 0.0002, 1, 9, "1e-3 1e-2 1e-1 1e0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AttnScale scale = attn_scale_new (cases[i].kind, cases[i].low, cases[i].high, NULL);
      g_autofree char *ticks = join_ticks (&scale, cases[i].n);

      g_assert_cmpstr (ticks, ==, cases[i].expected);
    }

  const float sorted[5] = { 0, 0, 0.25f, 0.5f, 1 };
  g_autoptr (AttnQuantiles) quantiles = attn_quantiles_new (sorted, 5);
  AttnScale percentile = attn_scale_new (ATTN_SCALE_PERCENTILE, 0, 1, quantiles);
  g_autofree char *ticks = join_ticks (&percentile, 5);
  g_assert_cmpstr (ticks, ==, "0.00 0.25 0.50 1.00");

  /* No room for a tick between two neighbours among the numbers, and no end of looking for one. */
  AttnScale hair = attn_scale_new (ATTN_SCALE_LINEAR, 1e9, nextafter (1e9, 2e9), NULL);
  g_autofree char *none = join_ticks (&hair, 10);
  g_assert_cmpstr (none, ==, "");
  AttnScale log_hair = attn_scale_new (ATTN_SCALE_LOG, 3, nextafter (3, 4), NULL);
  g_autofree char *none_either = join_ticks (&log_hair, 10);
  g_assert_cmpstr (none_either, ==, "");

  /* Ends and rooms of every size: never more ticks than asked for, never none of a good range. */
  for (double high = 1e-30; high < 1e30; high *= 7.3)
    for (guint n = 2; n < 14; n++)
      {
        AttnScale scale = attn_scale_new (ATTN_SCALE_LINEAR, -high / 3, high, NULL);
        g_autoptr (GArray) some = attn_scale_get_ticks (&scale, n);

        g_assert_cmpuint (some->len, >=, 1);
        g_assert_cmpuint (some->len, <=, n);
      }
}

static void
test_names (void)
{
  for (guint i = 0; i < ATTN_N_SCALES; i++)
    {
      AttnScaleKind kind;

      g_assert_true (attn_text_parse_name (attn_scale_kind_names, attn_scale_kind_names[i], &kind,
                                           NULL));
      g_assert_cmpuint (kind, ==, i);
    }
  for (guint i = 0; i < ATTN_N_RANGES; i++)
    {
      AttnRangeKind kind;

      g_assert_true (attn_text_parse_name (attn_range_kind_names, attn_range_kind_names[i], &kind,
                                           NULL));
      g_assert_cmpuint (kind, ==, i);
    }

  g_autoptr (GError) error = NULL;
  AttnScaleKind kind;
  g_assert_false (attn_text_parse_name (attn_scale_kind_names, "cubic", &kind, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "linear, log, ratio, symmetric, percentile"));
}

/* The screen, for every kind of scale: each pixel has the colour of the cell that is hit there. */
static void
test_painted (void)
{
  const double sizes[] = { 300, 60 }; /* magnified, reduced */

  for (guint kind = 0; kind < ATTN_N_SCALES; kind++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autoptr (AttnGrid) grid = make_wide_grid ();
        g_autoptr (AttnPainter) painter = attn_painter_new ();
        AttnStyle style = attn_style_default ();
        AttnViewport fit = ATTN_VIEWPORT_FIT;
        gsize n_checked = 0;

        style.scale = kind;
        style.shows_values = style.shows_colorbar = style.shows_tokens = FALSE;
        style.has_background = style.has_masked_color = style.is_reversed = TRUE;
        g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, sizes[s], sizes[s]);
        cairo_surface_t *surface =
            cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) sizes[s], (int) sizes[s]);
        cairo_t *cr = cairo_create (surface);
        attn_painter_draw (painter, scene, cr, 1);
        cairo_destroy (cr);
        cairo_surface_flush (surface);
        for (int y = 0; y < sizes[s]; y++)
          for (int x = 0; x < sizes[s]; x++)
            {
              const guint8 *line = cairo_image_surface_get_data (surface) +
                                   y * cairo_image_surface_get_stride (surface);
              guint32 pixel = ((const guint32 *) line)[x];
              AttnHit hit;

              if (!attn_scene_hit (scene, x + 0.5, y + 0.5, 1, &hit))
                continue;
              AttnRgb color = get_cell_color (scene, hit.group, hit.row, hit.column);
              g_assert_cmphex (pixel & 0xffffff, ==,
                               (guint) color.red << 16 | color.green << 8 | color.blue);
              n_checked++;
            }
        cairo_surface_destroy (surface);
        g_assert_cmpuint (n_checked, >, 1000);
      }
}

static void
test_overflow_and_key (void)
{
  const float odd[9] = { 1, 0, 0, NAN, 1.5f, 0, 0.5f, -0.5f, 0 };
  const float even[9] = { 1, 0, 0, 0.5f, 0.5f, 0, 1.0000001f, 0, 0 };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint is_odd = 0; is_odd < 2; is_odd++)
    for (guint flags = 0; flags < 8; flags++)
      {
        g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

        grid->cells[0].panel = make_panel (3, 3, ATTN_MASK_CAUSAL, is_odd ? odd : even);
        style.marks_overflow = (flags & 1) != 0;
        style.shows_key = (flags & 2) != 0;
        style.has_masked_color = (flags & 4) != 0;
        g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);

        /* Rounding beyond the end is no overflow. */
        g_assert_cmpuint (count_role (scene, ATTN_MARK_TRIANGLE, "overflow"), ==,
                          is_odd && style.marks_overflow ? 2 : 0);
        g_assert_cmpint (has_text (scene, "NaN") && style.shows_key, ==, is_odd && style.shows_key);
        g_assert_cmpint (has_text (scene, "Masked"), ==, style.shows_key && style.has_masked_color);
      }
}

/* Without one colour for all, each row or panel has its own ends, and says which. */
static void
test_scopes (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (2, 2);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint i = 0; i < 4; i++)
    {
      const float values[4] = { 0, i + 1.0f, 0.5f, 0.25f };

      grid->cells[i].panel = make_panel (2, 2, ATTN_MASK_NONE, values);
    }
  style.range = ATTN_RANGE_DATA;
  const double highest[3][4] = { { 4, 4, 4, 4 }, { 2, 2, 4, 4 }, { 1, 2, 3, 4 } };
  const gsize n_bars[3] = { 1, 2, 4 };
  for (guint scope = 0; scope < 3; scope++)
    {
      style.range_scope = scope;
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 500, 400);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, n_bars[scope]);
      for (int group = 0; group < 4; group++)
        {
          AttnScale scale;

          scale = attn_scene_get_heatmap (scene, group)->scale;
          g_assert_cmpfloat (scale.high, ==, highest[scope][group]);
        }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/scale/positions", test_positions);
  g_test_add_func ("/figure/scale/percentile-is-the-rank", test_percentile);
  g_test_add_func ("/figure/scale/clipped-range-is-a-percentile", test_clipped);
  g_test_add_func ("/figure/scale/ranges-from-the-data", test_data_ranges);
  g_test_add_func ("/figure/scale/automatic-range", test_automatic_range);
  g_test_add_func ("/figure/scale/ticks", test_ticks);
  g_test_add_func ("/figure/scale/names", test_names);
  g_test_add_func ("/figure/scale/painted-as-hit", test_painted);
  g_test_add_func ("/figure/scale/overflow-and-key-only-where-they-occur", test_overflow_and_key);
  g_test_add_func ("/figure/scale/shared-by-all-a-row-or-none", test_scopes);
  return g_test_run ();
}
