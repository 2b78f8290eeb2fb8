/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels: ranks, masks, and reduced levels that lose no peak. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-panel.h"

static AttnPanel *
new_panel (gsize        n_rows,
           gsize        n_columns,
           AttnMask     mask,
           const float *values)
{
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  if (values != NULL)
    memcpy (tensor->data, values, n_rows * n_columns * sizeof *values);
  return attn_panel_new (tensor, mask, NULL, NULL);
}

static void
test_rank (void)
{
  const float values[] = { 0.1f, 0.4f, 0.4f, NAN, 0.05f };
  g_autoptr (AttnPanel) panel = new_panel (1, 5, ATTN_MASK_NONE, values);
  const gsize expected[] = { 3, 1, 1, 0, 4 };

  for (gsize i = 0; i < 5; i++)
    g_assert_cmpuint (attn_panel_get_rank (panel, 0, i), ==, expected[i]);
}

/* A masked cell has no rank and takes none from others, whatever it holds. */
static void
test_rank_causal (void)
{
  const float values[] = { 0.2f, 9, 9, 0.3f, 0.1f, 9, 0.2f, 0.1f, 0.7f };
  g_autoptr (AttnPanel) panel = new_panel (3, 3, ATTN_MASK_CAUSAL, values);
  const gsize expected[] = { 1, 0, 0, 1, 2, 0, 2, 3, 1 };

  for (gsize row = 0; row < 3; row++)
    for (gsize column = 0; column < 3; column++)
      {
        g_assert_cmpuint (attn_panel_get_rank (panel, row, column), ==, expected[row * 3 + column]);
        g_assert_true (!attn_panel_is_visible (panel, row, column) == (column > row));
      }
}

static void
test_lone_peak (void)
{
  /* Odd sizes: the last row and column have no partner to be reduced with. */
  const gsize n_rows = 37;
  const gsize n_columns = 101;
  const gsize peaks[][2] = { { 0, 0 }, { 36, 100 }, { 36, 0 }, { 0, 100 }, { 17, 63 } };

  for (guint i = 0; i < G_N_ELEMENTS (peaks); i++)
    {
      g_autofree float *values = g_new0 (float, n_rows *n_columns);
      values[peaks[i][0] * n_columns + peaks[i][1]] = 0.9f;
      g_autoptr (AttnPanel) panel = new_panel (n_rows, n_columns, ATTN_MASK_NONE, values);

      for (guint level = 0; level <= 8; level++)
        {
          AttnTensor *reduced = attn_panel_get_level (panel, level);
          gsize row = peaks[i][0] >> level;
          gsize column = peaks[i][1] >> level;

          g_assert_cmpfloat (reduced->data[row * reduced->shape[1] + column], ==, 0.9f);
        }
    }
}

static void
test_level_shapes (void)
{
  g_autoptr (AttnPanel) panel = new_panel (5, 1, ATTN_MASK_NONE, NULL);
  const gsize rows[] = { 5, 3, 2, 1, 1 };

  g_assert_true (attn_panel_get_level (panel, 0) == attn_panel_get_values (panel));
  for (guint level = 0; level < G_N_ELEMENTS (rows); level++)
    {
      g_assert_cmpuint (attn_panel_get_level (panel, level)->shape[0], ==, rows[level]);
      g_assert_cmpuint (attn_panel_get_level (panel, level)->shape[1], ==, 1);
    }
  g_assert_true (attn_panel_get_level (panel, 1000) == attn_panel_get_level (panel, 3));
}

/* A number beside a NaN stays visible; only where all are NaN is the level NaN. */
static void
test_level_of_nan (void)
{
  const float values[] = { NAN, -2, NAN, NAN, NAN, NAN, NAN, NAN };
  g_autoptr (AttnPanel) panel = new_panel (2, 4, ATTN_MASK_NONE, values);
  AttnTensor *level = attn_panel_get_level (panel, 1);

  g_assert_cmpfloat (level->data[0], ==, -2);
  g_assert_true (isnan (level->data[1]));
  g_assert_cmpfloat (attn_panel_get_level (panel, 2)->data[0], ==, -2);
}

/* What a level shows of masked cells is nothing, whatever they hold; against a loop over the cells,
 * at an odd size, under a triangle and under a window with rows that see nothing. */
static void
test_level_of_masked (void)
{
  const gsize n_rows = 37;
  const gsize n_columns = 41;
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (guint i = 0; i < 4; i++)
    {
      gboolean is_window = i % 2 != 0;
      gboolean is_signed = i >= 2;
      g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
      g_autoptr (AttnTensor) zeros = attn_tensor_new (2, shape, NULL);
      AttnSpan spans[37];

      for (gsize row = 0; row < n_rows; row++)
        {
          spans[row] = is_window && row % 16 < 3
                           ? (AttnSpan) { 0, 0 }
                           : (AttnSpan) { is_window && row > 6 ? row - 6 : 0, row + 1 };
          for (gsize column = 0; column < n_columns; column++)
            values->data[row * n_columns + column] =
                column < spans[row].first || column >= spans[row].end
                    ? (column % 3 == 0 ? NAN : column % 3 == 1 ? 9
                                                               : -9)
                    : (float) g_rand_double_range (rand, -2, is_signed ? 2 : -1);
        }
      g_autoptr (AttnPanel) plain = attn_panel_new_with_visibility (values, spans, NULL, NULL);
      g_autoptr (AttnPanel) none = attn_panel_new_with_visibility (zeros, spans, NULL, NULL);
      g_autoptr (AttnPanel) panel = is_signed ? attn_panel_new_difference (plain, none, NULL)
                                              : attn_panel_ref (plain);

      for (guint level = 1; level < 6; level++)
        {
          const AttnTensor *reduced = attn_panel_get_level (panel, level);

          for (gsize row = 0; row < reduced->shape[0]; row++)
            for (gsize column = 0; column < reduced->shape[1]; column++)
              {
                float expected = NAN;

                for (gsize y = row << level; y < MIN ((row + 1) << level, n_rows); y++)
                  for (gsize x = column << level; x < MIN ((column + 1) << level, n_columns); x++)
                    if (attn_panel_is_visible (panel, y, x))
                      {
                        float value = attn_panel_get_value (panel, y, x);

                        expected = is_signed ? attn_panel_pick_farther (expected, value)
                                             : fmaxf (expected, value);
                      }
                g_assert_cmpfloat (reduced->data[row * reduced->shape[1] + column], ==,
                                   isnan (expected) ? 0 : expected);
              }
        }
    }
}

/* Extents and the first level against a loop over the cells, with rows long enough for registers of
 * each width: weights above 0, zeros among them, numbers below 0, and NaN in single cells and in
 * whole blocks. */
static void
test_extent_and_level_of_long_rows (void)
{
  enum
  {
    SIDE = 70
  };
  const gsize shape[] = { SIDE, SIDE };

  for (guint kind = 0; kind < 4; kind++)
    {
      g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
      g_autoptr (GRand) rand = g_rand_new_with_seed (kind);
      AttnExtent expected = ATTN_EXTENT_EMPTY;
      AttnExtent extent;

      for (gsize i = 0; i < SIDE * SIDE; i++)
        values->data[i] = (float) g_rand_double_range (rand, kind == 2 ? -1 : 0x1p-9, 1);
      if (kind == 1)
        for (gsize i = 3; i < SIDE * SIDE; i += 29)
          values->data[i] = 0;
      if (kind == 3)
        for (gsize i = 0; i < SIDE * SIDE; i++)
          if (i % 41 == 7 || (i % SIDE >= 60 && i / SIDE >= 30))
            values->data[i] = NAN;
      for (gsize i = 0; i < SIDE * SIDE; i++)
        {
          expected.lowest = fminf (expected.lowest, values->data[i]);
          expected.highest = fmaxf (expected.highest, values->data[i]);
          if (values->data[i] > 0)
            expected.lowest_positive = fminf (expected.lowest_positive, values->data[i]);
        }

      g_autoptr (AttnPanel) panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
      attn_panel_get_extent (panel, &extent);
      g_assert_cmpfloat (extent.lowest, ==, expected.lowest);
      g_assert_cmpfloat (extent.highest, ==, expected.highest);
      g_assert_cmpfloat (extent.lowest_positive, ==, expected.lowest_positive);
      g_assert_cmpint (extent.has_nan, ==, kind == 3);

      const AttnTensor *level = attn_panel_get_level (panel, 1);
      for (gsize row = 0; row < SIDE / 2; row++)
        for (gsize column = 0; column < SIDE / 2; column++)
          {
            const float *upper = values->data + 2 * row * SIDE + 2 * column;
            float largest =
                fmaxf (fmaxf (upper[0], upper[1]), fmaxf (upper[SIDE], upper[SIDE + 1]));
            float reduced = level->data[row * (SIDE / 2) + column];

            g_assert_true (reduced == largest || (isnan (reduced) && isnan (largest)));
          }
    }
}

/* The same values whenever it is called. */
static AttnPanel *
new_uneven (gsize    n_rows,
            gsize    n_columns,
            AttnMask mask,
            gboolean is_difference)
{
  g_autofree float *values = g_new (float, n_rows *n_columns);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (gsize i = 0; i < n_rows * n_columns; i++)
    values[i] = i % 97 == 5 ? NAN : (float) g_rand_double_range (rand, -1.0, 1.0);
  AttnPanel *panel = new_panel (n_rows, n_columns, mask, values);
  if (!is_difference)
    return panel;

  g_autofree float *zeros = g_new0 (float, n_rows *n_columns);
  g_autoptr (AttnPanel) minuend = panel;
  g_autoptr (AttnPanel) subtrahend = new_panel (n_rows, n_columns, mask, zeros);
  return attn_panel_new_difference (minuend, subtrahend, NULL);
}

/* Stripe by stripe, from the last to the first, a panel learns what it finds out by itself when it
 * is asked: the same bits. */
static void
test_scan (void)
{
  const gsize sizes[][2] = { { 1, 1 }, { 1, 70 }, { 64, 64 }, { 65, 3 }, { 130, 257 } };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (sizes); i++)
    {
      const gsize *size = sizes[i / 4];
      AttnMask mask = i % 2 == 0 ? ATTN_MASK_NONE : ATTN_MASK_CAUSAL;
      g_autoptr (AttnPanel) asked = new_uneven (size[0], size[1], mask, i % 4 >= 2);
      g_autoptr (AttnPanel) scanned = new_uneven (size[0], size[1], mask, i % 4 >= 2);
      AttnPanelScan *scan = attn_panel_scan_new (scanned);
      AttnExtent extent, same;

      g_assert_nonnull (scan);
      for (gsize stripe = attn_panel_scan_count_stripes (scan); stripe > 0; stripe--)
        attn_panel_scan_stripe (scan, stripe - 1);
      attn_panel_scan_finish (scan);

      attn_panel_get_extent (asked, &extent);
      attn_panel_get_extent (scanned, &same);
      g_assert_cmpfloat (extent.lowest, ==, same.lowest);
      g_assert_cmpfloat (extent.highest, ==, same.highest);
      g_assert_cmpfloat (extent.lowest_positive, ==, same.lowest_positive);
      g_assert_cmpint (extent.has_nan, ==, same.has_nan);
      g_assert_cmpint (extent.has_masked, ==, same.has_masked);
      for (guint level = 1; level < 10; level++)
        {
          const AttnTensor *a = attn_panel_get_level (asked, level);
          const AttnTensor *b = attn_panel_get_level (scanned, level);

          g_assert_cmpuint (a->shape[0], ==, b->shape[0]);
          g_assert_cmpuint (a->shape[1], ==, b->shape[1]);
          g_assert_cmpmem (a->data, attn_tensor_get_n_elements (a) * sizeof (float), b->data,
                           attn_tensor_get_n_elements (b) * sizeof (float));
        }
      if (size[0] > 1) /* a single cell has no level to be known by */
        g_assert_null (attn_panel_scan_new (scanned));
    }
}

static void
test_labels (void)
{
  const gsize shape[] = { 2, 1 };
  const char * const rows[] = { "the", "the", NULL };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnPanel) panel = attn_panel_new (tensor, ATTN_MASK_NONE, rows, NULL);

  g_assert_cmpstrv (attn_panel_get_row_labels (panel), rows);
  g_assert_null (attn_panel_get_column_labels (panel));
}

static void
test_visibility (void)
{
  const gsize shape[] = { 3, 4 };
  const AttnSpan spans[] = { { 0, 0 }, { 0, 2 }, { 1, 9 } };
  const AttnSpan causal[] = { { 0, 1 }, { 0, 2 }, { 0, 3 } };
  const AttnSpan all[] = { { 0, 4 }, { 0, 4 }, { 0, 4 } };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnPanel) panel = attn_panel_new_with_visibility (tensor, spans, NULL, NULL);
  g_autoptr (AttnPanel) triangle = attn_panel_new_with_visibility (tensor, causal, NULL, NULL);
  g_autoptr (AttnPanel) full = attn_panel_new_with_visibility (tensor, all, NULL, NULL);

  tensor->data[5] = 0.5f;
  tensor->data[6] = 0.7f;
  g_assert_cmpint (attn_panel_get_mask (panel), ==, ATTN_MASK_SPANS);
  g_assert_cmpint (attn_panel_get_mask (triangle), ==, ATTN_MASK_CAUSAL);
  g_assert_cmpint (attn_panel_get_mask (full), ==, ATTN_MASK_NONE);
  g_assert_cmpuint (attn_panel_get_visible (panel, 2).first, ==, 1);
  g_assert_cmpuint (attn_panel_get_visible (panel, 2).end, ==, 4);
  g_assert_false (attn_panel_is_visible (panel, 0, 0));
  g_assert_true (attn_panel_is_visible (panel, 1, 1));
  g_assert_false (attn_panel_is_visible (panel, 1, 2));
  g_assert_false (attn_panel_is_visible (panel, 2, 0));
  g_assert_cmpuint (attn_panel_get_rank (panel, 1, 1), ==, 1); /* what is masked takes no rank */
  g_assert_true (attn_panel_is_any_visible (panel, 0, 2, 0, 1));
  g_assert_false (attn_panel_is_any_visible (panel, 0, 2, 2, 4));
  g_assert_false (attn_panel_is_any_visible (triangle, 0, 2, 2, 4));
  g_assert_true (attn_panel_is_any_visible (triangle, 0, 3, 2, 4));
  g_assert_true (attn_panel_has_masked (panel));
  g_assert_false (attn_panel_has_masked (full));
}

/* Of a difference, a loss stays as visible as a gain. */
static void
test_difference (void)
{
  const float after[] = { 0.1f, 0.3f, 0.3f, 0.2f, 0, 0.5f, 0.25f, 0.25f, NAN };
  const float before[] = { 0.1f, 0.9f, 0.2f, 0.9f, 0, 0.5f, 0.5f, 0.0f, 1 };
  g_autoptr (AttnPanel) a = new_panel (3, 3, ATTN_MASK_CAUSAL, after);
  g_autoptr (AttnPanel) b = new_panel (3, 3, ATTN_MASK_NONE, before);
  g_autoptr (AttnPanel) panel = attn_panel_new_difference (a, b, NULL);
  AttnTensor *level = attn_panel_get_level (panel, 1);

  g_assert_true (attn_panel_is_signed (panel));
  g_assert_false (attn_panel_is_signed (a));
  g_assert_cmpint (attn_panel_get_mask (panel), ==, ATTN_MASK_CAUSAL);
  g_assert_cmpfloat (attn_panel_get_value (panel, 1, 0), ==, 0.2f - 0.9f);
  g_assert_cmpfloat (attn_panel_get_value (panel, 0, 1), ==, 0); /* masked */
  g_assert_cmpfloat (level->data[0], ==, 0.2f - 0.9f);
  g_assert_cmpfloat (level->data[1], ==, 0);     /* masked */
  g_assert_cmpfloat (level->data[2], ==, 0.25f); /* as far from 0 as the other: the gain */
  g_assert_true (isnan (level->data[3]));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/panel/rank-with-ties-and-nan", test_rank);
  g_test_add_func ("/core/panel/rank-under-a-causal-mask", test_rank_causal);
  g_test_add_func ("/core/panel/lone-peak-stays-at-every-level", test_lone_peak);
  g_test_add_func ("/core/panel/level-shapes", test_level_shapes);
  g_test_add_func ("/core/panel/level-of-nan", test_level_of_nan);
  g_test_add_func ("/core/panel/level-of-masked", test_level_of_masked);
  g_test_add_func ("/core/panel/extent-and-level-of-long-rows", test_extent_and_level_of_long_rows);
  g_test_add_func ("/core/panel/labels", test_labels);
  g_test_add_func ("/core/panel/visibility", test_visibility);
  g_test_add_func ("/core/panel/scan", test_scan);
  g_test_add_func ("/core/panel/difference", test_difference);
  return g_test_run ();
}
