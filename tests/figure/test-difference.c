/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels of differences: colours, a scale and a colour bar of their own. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-painter.h"
#include "figure-fixture.h"

static AttnPanel *
make_panel (gsize        n,
            const float *values)
{
  const gsize shape[] = { n, n };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  memcpy (tensor->data, values, n * n * sizeof *values);
  return attn_panel_new (tensor, ATTN_MASK_NONE, NULL, NULL);
}

/* A, B and B - A. */
static AttnGrid *
make_comparison (void)
{
  const float a[] = { 1, 0, 0.5f, 0.5f };
  const float b[] = { 1, 0, 0.25f, 0.75f };
  AttnGrid *grid = attn_grid_new (1, 3);

  grid->value_label = g_strdup ("Attention Weight");
  grid->cells[0].panel = make_panel (2, a);
  grid->cells[1].panel = make_panel (2, b);
  grid->cells[2].minuend = attn_panel_ref (grid->cells[1].panel);
  grid->cells[2].baseline = attn_panel_ref (grid->cells[0].panel);
  grid->cells[2].panel =
      attn_panel_new_difference (grid->cells[1].panel, grid->cells[0].panel, NULL);
  grid->cells[2].is_difference = TRUE;
  return grid;
}

static AttnScene *
lay_out (AttnGrid       *grid,
         AttnRangeScope  scope)
{
  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  style.range_scope = scope;
  return attn_layout_figure (grid, &style, &viewport, 0, 0);
}

static gsize
count_marks (const AttnScene *scene,
             AttnMarkKind     kind,
             const char      *markup)
{
  gsize n = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      n += mark->kind == kind && (markup == NULL || g_str_equal (mark->markup, markup));
    }
  return n;
}

static void
test_scale (void)
{
  g_autoptr (AttnGrid) grid = make_comparison ();
  g_autoptr (AttnScene) scene = lay_out (grid, ATTN_RANGE_SCOPE_GRID);
  AttnScale scale;

  scale = attn_scene_get_heatmap (scene, 2)->scale;
  g_assert_cmpint (scale.kind, ==, ATTN_SCALE_SYMMETRIC);
  g_assert_cmpfloat (attn_scale_get_position (&scale, 0), ==, 0.5);
  g_assert_cmpfloat_with_epsilon (attn_scale_get_position (&scale, -0.25), 0, 1e-9);
  g_assert_cmpfloat_with_epsilon (attn_scale_get_position (&scale, 0.25), 1, 1e-9);
  scale = attn_scene_get_heatmap (scene, 0)->scale;
  g_assert_cmpfloat (scale.low, ==, 0);
  g_assert_cmpfloat (scale.high, ==, 1);
}

static void
test_colors (void)
{
  g_autoptr (AttnGrid) grid = make_comparison ();
  g_autoptr (AttnScene) scene = lay_out (grid, ATTN_RANGE_SCOPE_GRID);
  AttnRgb zero = get_cell_color (scene, 2, 0, 0);
  AttnRgb loss = get_cell_color (scene, 2, 1, 0);
  AttnRgb gain = get_cell_color (scene, 2, 1, 1);
  const AttnRgb *weights = attn_colormap_get_table (ATTN_COLORMAP_COOLWARM, FALSE);

  /* The middle of RdBu is 247 in all channels; 256 colours have none exactly there. */
  g_assert_cmpuint (MIN (MIN (zero.red, zero.green), zero.blue), >=, 243);
  g_assert_cmpuint (gain.red, >, gain.blue);
  g_assert_cmpuint (loss.blue, >, loss.red);
  g_assert_true (attn_rgb_equal (get_cell_color (scene, 0, 0, 0), weights[ATTN_COLORMAP_SIZE - 1]));
}

static void
test_bars (void)
{
  g_autoptr (AttnGrid) grid = make_comparison ();
  g_autoptr (AttnGrid) plain = figure_fixture_grid (1, 3, 5);
  g_autoptr (AttnScene) shared = lay_out (grid, ATTN_RANGE_SCOPE_GRID);
  g_autoptr (AttnScene) each = lay_out (grid, ATTN_RANGE_SCOPE_PANEL);
  g_autoptr (AttnScene) one = lay_out (plain, ATTN_RANGE_SCOPE_GRID);

  g_assert_cmpuint (count_marks (shared, ATTN_MARK_COLORBAR, NULL), ==, 2);
  g_assert_cmpuint (count_marks (shared, ATTN_MARK_TEXT, "Attention Weight"), ==, 1);
  g_assert_cmpuint (count_marks (shared, ATTN_MARK_TEXT, "Difference"), ==, 1);
  g_assert_cmpuint (count_marks (each, ATTN_MARK_COLORBAR, NULL), ==, 3);
  g_assert_cmpuint (count_marks (one, ATTN_MARK_COLORBAR, NULL), ==, 1);
  g_assert_cmpuint (count_marks (one, ATTN_MARK_TEXT, "Difference"), ==, 0);

  /* Nothing but differences has one bar. */
  for (gsize i = 0; i < 2; i++)
    g_clear_pointer (&grid->cells[i].panel, attn_panel_unref);
  g_autoptr (AttnScene) only = lay_out (grid, ATTN_RANGE_SCOPE_GRID);
  g_assert_cmpuint (count_marks (only, ATTN_MARK_COLORBAR, NULL), ==, 1);
  g_assert_cmpuint (count_marks (only, ATTN_MARK_TEXT, "Difference"), ==, 1);
}

/* Where many cells share a pixel, a lone loss is as visible as a lone gain, and the pointer finds
 * it. */
static void
test_lone_loss (void)
{
  const gsize n = 512;
  const gsize shape[] = { n, n };
  g_autoptr (AttnTensor) zeros = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnTensor) peak = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnRectangle rectangle;
  AttnHit hit;

  peak->data[301 * n + 77] = 0.9f;
  g_autoptr (AttnPanel) a = attn_panel_new (zeros, ATTN_MASK_NONE, NULL, NULL);
  g_autoptr (AttnPanel) b = attn_panel_new (peak, ATTN_MASK_NONE, NULL, NULL);
  grid->cells[0].panel = attn_panel_new_difference (a, b, NULL);
  grid->cells[0].is_difference = TRUE;

  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 120, 120);
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 120, 120);
  cairo_t *cr = cairo_create (surface);

  rectangle = attn_scene_get_heatmap (scene, 0)->rectangle;
  double x = rectangle.x + 77.5 / n * rectangle.width;
  double y = rectangle.y + 301.5 / n * rectangle.height;
  g_assert_true (attn_scene_hit (scene, x, y, 1, &hit));
  g_assert_cmpuint (hit.row, ==, 301);
  g_assert_cmpuint (hit.column, ==, 77);
  g_assert_cmpuint (hit.n_rows, >, 1);

  attn_painter_draw (painter, scene, cr, 1);
  cairo_surface_flush (surface);
  const guint32 *line = (const guint32 *) (cairo_image_surface_get_data (surface) +
                                           (gsize) y * cairo_image_surface_get_stride (surface));
  AttnRgb expected = get_cell_color (scene, 0, 301, 77);
  g_assert_cmphex (line[(gsize) x] & 0xffffff, ==,
                   (guint32) expected.red << 16 | (guint32) expected.green << 8 | expected.blue);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* A sliding window: what is masked left of it has the colour of masked cells, on pixels and in SVG.
 */
static void
test_masked_window (void)
{
  const gsize n = 6;
  const gsize shape[] = { n, n };
  const AttnSpan spans[] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 }, { 3, 5 }, { 4, 6 } };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  AttnRectangle cell;

  style.has_masked_color = TRUE;
  style.masked_color = (AttnRgb) { 10, 200, 30 };
  grid->cells[0].panel = attn_panel_new_with_visibility (tensor, spans, NULL, NULL);
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 0, 0);
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 500, 500);
  cairo_t *cr = cairo_create (surface);

  attn_painter_draw (painter, scene, cr, 1);
  cairo_surface_flush (surface);
  for (gsize row = 0; row < n; row++)
    for (gsize column = 0; column < n; column++)
      {
        gboolean is_masked = column < spans[row].first || column >= spans[row].end;

        g_assert_true (attn_scene_get_cell (scene, 0, row, column, &cell));
        const guint32 *line =
            (const guint32 *) (cairo_image_surface_get_data (surface) +
                               (gsize) (cell.y + cell.height / 2) *
                                   cairo_image_surface_get_stride (surface));
        g_assert_cmpint ((line[(gsize) (cell.x + cell.width / 2)] & 0xffffff) == 0x0ac81e, ==,
                         is_masked);
        g_assert_cmpint (attn_rgb_equal (get_cell_color (scene, 0, row, column),
                                         style.masked_color),
                         ==, is_masked);
      }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/difference/scale", test_scale);
  g_test_add_func ("/figure/difference/colors", test_colors);
  g_test_add_func ("/figure/difference/bars", test_bars);
  g_test_add_func ("/figure/difference/lone-loss", test_lone_loss);
  g_test_add_func ("/figure/difference/masked-window", test_masked_window);
  return g_test_run ();
}
