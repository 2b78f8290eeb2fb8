/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The range of the part of the panels that is shown. */

#include "config.h"

#include <math.h>

#include "attn-view-range.h"

/* One causal panel of four tokens: row x 10 + column. */
static AttnGrid *
new_grid (void)
{
  const gsize shape[2] = { 4, 4 };
  static const char * const labels[] = { "a", "b", "c", "d", NULL };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  AttnGrid *grid = attn_grid_new (1, 1);

  for (gsize i = 0; i < 16; i++)
    values->data[i] = i % 4 > i / 4 ? 0 : i / 4 * 10 + i % 4;
  grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_CAUSAL, labels, labels);
  return grid;
}

static void
check (AttnGrid     *grid,
       AttnViewport  viewport,
       double        expected_low,
       double        expected_high)
{
  double low, high;

  g_assert_true (attn_view_range_find (grid, -1, &viewport, &low, &high));
  g_assert_cmpfloat (low, ==, expected_low);
  g_assert_cmpfloat (high, ==, expected_high);
}

static void
test_part (void)
{
  g_autoptr (AttnGrid) grid = new_grid ();

  check (grid, ATTN_VIEWPORT_FIT, 0, 33);
  /* Rows 2 and 3, columns 0 and 1. */
  check (grid, (AttnViewport) { 0, 0.5, 0.5, 0.5 }, 20, 31);
  /* Cells that show in part count. */
  check (grid, (AttnViewport) { 0, 0.3, 0.1, 0.6 }, 10, 30);
}

static void
test_masked_and_nan (void)
{
  g_autoptr (AttnGrid) grid = new_grid ();
  AttnViewport masked = { 0.5, 0, 0.5, 0.5 };
  double low, high;

  g_assert_false (attn_view_range_find (grid, -1, &masked, &low, &high));
  attn_panel_get_values (grid->cells[0].panel)->data[15] = NAN;
  check (grid, ATTN_VIEWPORT_FIT, 0, 32);
}

static void
test_one_panel_and_differences (void)
{
  g_autoptr (AttnGrid) grid = new_grid ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  double low, high;

  g_assert_true (attn_view_range_find (grid, 0, &fit, &low, &high));
  grid->cells[0].is_difference = TRUE;
  g_assert_false (attn_view_range_find (grid, 0, &fit, &low, &high));
}

/* Weights of long inputs of which nearly all are small; short ones show their diagonal. */
static void
test_one_colour (void)
{
  AttnStyle style = attn_style_default ();

  for (gsize n = 20; n <= 100; n += 80)
    {
      const gsize shape[2] = { n, n };
      g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      for (gsize i = 0; i < n * n; i++)
        values->data[i] = i % n <= i / n ? 1.0F / (i / n + 1) : 0;
      grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_CAUSAL, NULL, NULL);
      style.scale = ATTN_SCALE_LINEAR;
      style.high = 1;
      g_assert_true (attn_view_range_is_dim (grid, &style) == (n == 100));
      style.high = 0.05;
      g_assert_false (attn_view_range_is_dim (grid, &style));
      style.high = 1;
      style.scale = ATTN_SCALE_LOG;
      g_assert_false (attn_view_range_is_dim (grid, &style));
    }
}

/* What the hand holds stays under it, to two digits of the range. */
static void
test_dragged_bar (void)
{
  AttnScale scale = attn_scale_new (ATTN_SCALE_LINEAR, 0, 1, NULL);
  double low, high;

  g_assert_true (attn_view_range_drag (&scale, 0.8, 0.4, &low, &high));
  g_assert_cmpfloat (low, ==, 0);
  g_assert_cmpfloat (high, ==, 2);
  g_assert_true (attn_view_range_drag (&scale, 0.6, 1.2, &low, &high));
  g_assert_cmpfloat_with_epsilon (high, 0.5, 1e-12);
  g_assert_true (attn_view_range_drag (&scale, 0.2, 0.5, &low, &high));
  g_assert_cmpfloat (high, ==, 1);
  g_assert_cmpfloat_with_epsilon (low, -0.6, 1e-12);
  g_assert_false (attn_view_range_drag (&scale, 0.8, 0, &low, &high));
  scale = attn_scale_new (ATTN_SCALE_LOG, 1e-4, 1, NULL);
  g_assert_true (attn_view_range_drag (&scale, 0.25, 0.5, &low, &high));
  g_assert_cmpfloat_with_epsilon (log10 (low), -6, 1e-9);
  scale = attn_scale_new (ATTN_SCALE_RATIO, 0.1, 10, NULL);
  g_assert_false (attn_view_range_drag (&scale, 0.8, 0.4, &low, &high));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/view-range/part", test_part);
  g_test_add_func ("/app/view-range/masked-and-nan", test_masked_and_nan);
  g_test_add_func ("/app/view-range/one-colour", test_one_colour);
  g_test_add_func ("/app/view-range/dragged-bar", test_dragged_bar);
  g_test_add_func ("/app/view-range/one-panel-and-differences", test_one_panel_and_differences);
  return g_test_run ();
}
