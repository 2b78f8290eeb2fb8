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

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/view-range/part", test_part);
  g_test_add_func ("/app/view-range/masked-and-nan", test_masked_and_nan);
  g_test_add_func ("/app/view-range/one-panel-and-differences", test_one_panel_and_differences);
  return g_test_run ();
}
