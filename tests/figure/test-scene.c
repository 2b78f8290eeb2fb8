/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Viewport arithmetic and hit tests, without drawing. */

#include "config.h"

#include <math.h>

#include "figure-fixture.h"

static const AttnViewport viewports[] = {
  { 0, 0, 1, 1 },
  { 0.1, 0.2, 0.5, 0.5 },
  { 0.713, 0.05, 0.1234, 0.2 },
  { 0.99, 0.99, 0.01, 0.01 },
  { 0.3333, 0.6667, 1.0 / 3, 0.21 },
};
static const double sizes[][2] = { { 300, 200 }, { 640.5, 480.25 }, { 1000, 700 }, { 0, 0 } };
static const double scales[] = { 1, 1.25, 1.5, 2, 2.7 };

static void
test_viewport (void)
{
  AttnViewport viewport = ATTN_VIEWPORT_FIT;

  /* The point under the pointer stays. */
  AttnViewport zoomed = attn_viewport_zoom (viewport, 4, 0.3, 0.6, 0.001);
  g_assert_cmpfloat_with_epsilon (zoomed.width, 0.25, 1e-12);
  g_assert_cmpfloat_with_epsilon (zoomed.x + 0.3 * zoomed.width, 0.3, 1e-12);
  g_assert_cmpfloat_with_epsilon (zoomed.y + 0.6 * zoomed.height, 0.6, 1e-12);
  /* Out again is the whole panel, and never more. */
  viewport = attn_viewport_zoom (zoomed, 0.01, 0, 0, 0.001);
  g_assert_true (attn_viewport_is_fit (&viewport));
  g_assert_false (attn_viewport_is_fit (&zoomed));
  /* Never closer than the limit, never beyond the edge. */
  viewport = attn_viewport_zoom (zoomed, 1e9, 1, 1, 0.05);
  g_assert_cmpfloat (viewport.width, ==, 0.05);
  viewport = attn_viewport_pan (viewport, 1000, -1000);
  g_assert_cmpfloat_with_epsilon (viewport.x, 0.95, 1e-12);
  g_assert_cmpfloat (viewport.y, ==, 0);
}

static void
check_cell_centers (const AttnScene *scene,
                    AttnGrid        *grid,
                    double           scale)
{
  for (int group = 0; group < (int) (grid->n_rows * grid->n_columns); group++)
    for (gsize row = 0; row < attn_panel_get_n_rows (grid->cells[group].panel); row++)
      for (gsize column = 0; column < attn_panel_get_n_columns (grid->cells[group].panel); column++)
        {
          AttnRectangle cell;
          AttnHit hit;

          /* A sliver at the panel's edge may have no pixel of its own. */
          if (!attn_scene_get_cell (scene, group, row, column, &cell) ||
              cell.width * scale < 1.01 || cell.height * scale < 1.01)
            continue;
          double x = cell.x + cell.width / 2;
          double y = cell.y + cell.height / 2;
          g_assert_cmpint (attn_scene_find_heatmap (scene, x, y), ==, group);
          g_assert_true (attn_scene_hit (scene, x, y, scale, &hit));
          g_assert_cmpint (hit.group, ==, group);
          if (hit.n_rows == 1 && hit.n_columns == 1)
            {
              g_assert_cmpuint (hit.row, ==, row);
              g_assert_cmpuint (hit.column, ==, column);
            }
        }
}

static void
test_hit_gives_the_cell_back (void)
{
  const gsize n_tokens[] = { 1, 2, 15, 61 };

  for (guint n = 0; n < G_N_ELEMENTS (n_tokens); n++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, n_tokens[n]);
      AttnStyle style = attn_style_default ();

      for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
        for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
          {
            g_autoptr (AttnScene) scene =
                attn_layout_figure (grid, &style, &viewports[v], sizes[s][0], sizes[s][1]);
            for (guint r = 0; r < G_N_ELEMENTS (scales); r++)
              check_cell_centers (scene, grid, scales[r]);
          }
    }
}

static void
test_cells_tile_the_panel (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 15);
  AttnStyle style = attn_style_default ();

  for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewports[v], 640.5, 480.25);
      AttnRectangle panel, cell;
      AttnViewport viewport;
      double area = 0;

      panel = attn_scene_get_heatmap (scene, 0)->rectangle;
      viewport = attn_scene_get_heatmap (scene, 0)->viewport;
      g_assert_cmpfloat_with_epsilon (viewport.width, viewports[v].width, 1e-12);
      for (gsize row = 0; row < 15; row++)
        for (gsize column = 0; column < 15; column++)
          if (attn_scene_get_cell (scene, 0, row, column, &cell))
            {
              g_assert_cmpfloat (cell.x, >=, panel.x - 1e-9);
              g_assert_cmpfloat (cell.y, >=, panel.y - 1e-9);
              g_assert_cmpfloat (cell.x + cell.width, <=, panel.x + panel.width + 1e-9);
              g_assert_cmpfloat (cell.y + cell.height, <=, panel.y + panel.height + 1e-9);
              area += cell.width * cell.height;
            }
      /* 225 products of doubles. */
      g_assert_cmpfloat_with_epsilon (area, panel.width * panel.height, 1e-6);
      g_assert_false (attn_scene_get_cell (scene, 0, 15, 0, &cell));
      g_assert_false (attn_scene_get_cell (scene, 1, 0, 0, &cell));
    }
}

static void
test_outside (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 640, 480);
  AttnRectangle panel;
  AttnHit hit;

  panel = attn_scene_get_heatmap (scene, 0)->rectangle;
  g_assert_false (attn_scene_hit (scene, panel.x - 0.01, panel.y + 1, 1, &hit));
  g_assert_false (attn_scene_hit (scene, panel.x + panel.width, panel.y + 1, 1, &hit));
  g_assert_false (attn_scene_hit (scene, -1e9, NAN, 1, &hit));
  g_assert_true (attn_scene_hit (scene, panel.x, panel.y, 1, &hit));
  g_assert_cmpuint (hit.row, ==, 0);
  g_assert_cmpuint (hit.column, ==, 0);
  g_assert_cmpint (attn_scene_find_heatmap (scene, 0, 0), ==, -1);
}

/* Many cells under a pixel: the largest of them is what one hovers, wherever it is. */
static void
test_largest_of_many (void)
{
  const gsize places[][2] = {
    { 0, 0 }, { 4095, 4095 }, { 1234, 777 }, { 2048, 2047 }, { 0, 4095 }
  };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_lone_cell (4096, places[i][0], places[i][1], 0.9f);
      AttnStyle style = attn_style_default ();
      AttnViewport fit = ATTN_VIEWPORT_FIT;
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 480, 400);
      AttnRectangle cell;
      AttnHit hit;

      g_assert_true (attn_scene_get_cell (scene, 0, places[i][0], places[i][1], &cell));
      g_assert_true (attn_scene_hit (scene, cell.x + cell.width / 2, cell.y + cell.height / 2, 1,
                                     &hit));
      g_assert_cmpuint (hit.row, ==, places[i][0]);
      g_assert_cmpuint (hit.column, ==, places[i][1]);
      g_assert_cmpuint (hit.n_rows, >, 1);
      g_assert_cmpuint (hit.n_columns, >, 1);
      /* At most twice what one pixel covers: it is rounded outwards to cells of a reduced level. */
      AttnRectangle panel;
      panel = attn_scene_get_heatmap (scene, 0)->rectangle;
      g_assert_cmpfloat (hit.n_columns, <=, 3 * 4096 / panel.width);
    }
}

static void
test_not_a_number (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_lone_cell (64, 3, 5, NAN);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnRectangle cell;
  AttnHit hit;

  style.shows_tokens = style.shows_colorbar = FALSE;
  /* Alone it is found as itself, among others the numbers win. */
  g_autoptr (AttnScene) large = attn_layout_figure (grid, &style, &fit, 600, 600);
  g_assert_true (attn_scene_get_cell (large, 0, 3, 5, &cell));
  g_assert_true (attn_scene_hit (large, cell.x + 1, cell.y + 1, 1, &hit));
  g_assert_cmpuint (hit.row, ==, 3);
  g_assert_cmpuint (hit.column, ==, 5);
  g_autoptr (AttnScene) small = attn_layout_figure (grid, &style, &fit, 20, 20);
  g_assert_true (attn_scene_get_cell (small, 0, 3, 5, &cell));
  g_assert_true (attn_scene_hit (small, cell.x, cell.y, 1, &hit));
  g_assert_cmpuint (hit.n_rows, >, 1);
  g_assert_false (isnan (attn_panel_get_value (grid->cells[0].panel, hit.row, hit.column)));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/viewport/zoom-and-pan", test_viewport);
  g_test_add_func ("/figure/scene/hit-gives-the-cell-back", test_hit_gives_the_cell_back);
  g_test_add_func ("/figure/scene/cells-tile-the-panel", test_cells_tile_the_panel);
  g_test_add_func ("/figure/scene/outside-of-panels", test_outside);
  g_test_add_func ("/figure/scene/hit-is-the-largest-of-many", test_largest_of_many);
  g_test_add_func ("/figure/scene/not-a-number", test_not_a_number);
  return g_test_run ();
}
