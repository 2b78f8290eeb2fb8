/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the painter puts on the pixels, against the scene's own answers. */

#include "config.h"

#include <math.h>

#include "attn-painter.h"
#include "figure-fixture.h"

static const AttnViewport viewports[] = {
  { 0, 0, 1, 1 },
  { 0.1, 0.2, 0.5, 0.5 },
  { 0.713, 0.05, 0.1234, 0.2 },
  { 0.95, 0.95, 0.05, 0.05 },
};
static const double scales[] = { 1, 1.5, 2, 1.37 };

/* As a GTK widget does it: a surface with the screen's factor, a matrix with the figure's. */
static cairo_surface_t *
paint (AttnPainter     *painter,
       const AttnScene *scene,
       double           screen_factor,
       double           scale)
{
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, ceil (scene->width * scale),
                                  ceil (scene->height * scale));
  cairo_surface_set_device_scale (surface, screen_factor, screen_factor);

  cairo_t *cr = cairo_create (surface);
  cairo_scale (cr, scale / screen_factor, scale / screen_factor);
  attn_painter_draw (painter, scene, cr, scale);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static AttnRgb
get_pixel (cairo_surface_t *surface,
           int              x,
           int              y)
{
  g_assert_cmpint (x, >=, 0);
  g_assert_cmpint (x, <, cairo_image_surface_get_width (surface));
  g_assert_cmpint (y, >=, 0);
  g_assert_cmpint (y, <, cairo_image_surface_get_height (surface));
  const guint8 *data = cairo_image_surface_get_data (surface);
  guint32 pixel = ((const guint32 *) (data + y * cairo_image_surface_get_stride (surface)))[x];
  return (AttnRgb) { pixel >> 16 & 0xff, pixel >> 8 & 0xff, pixel & 0xff };
}

/* Every pixel of every panel has the colour of the cell that the pointer finds there. */
static gsize
check_pixels (cairo_surface_t *surface,
              const AttnScene *scene,
              AttnGrid        *grid,
              double           scale)
{
  gsize n_checked = 0;

  for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
    for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
      {
        AttnHit hit;

        if (!attn_scene_hit (scene, (x + 0.5) / scale, (y + 0.5) / scale, scale, &hit))
          continue;
        float value = attn_panel_get_value (grid->cells[hit.group].panel, hit.row, hit.column);
        AttnRgb expected = get_style_color (&scene->style, value);
        g_assert_true (attn_rgb_equal (get_pixel (surface, x, y), expected));
        n_checked++;
      }
  return n_checked;
}

static void
check_grid (AttnGrid *grid,
            double    width,
            double    height)
{
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  AttnStyle style = attn_style_default ();

  style.has_background = TRUE;
  style.shows_values = FALSE;
  for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewports[v], width, height);

      for (guint s = 0; s < G_N_ELEMENTS (scales); s++)
        {
          double screen_factor = scales[s] == 2 ? 2 : 1;
          cairo_surface_t *surface = paint (painter, scene, screen_factor, scales[s]);

          g_assert_cmpuint (check_pixels (surface, scene, grid, scales[s]), >, 1000);
          cairo_surface_destroy (surface);
        }
    }
}

static void
test_every_pixel (void)
{
  g_autoptr (AttnGrid) small = figure_fixture_grid (2, 2, 15);
  g_autoptr (AttnGrid) large = figure_fixture_grid (1, 1, 700);

  check_grid (small, 320.5, 280.25);
  check_grid (large, 241, 199.7); /* reduced at the first viewports, magnified at the last */
}

static void
test_lone_cell_is_visible (void)
{
  const gsize places[][2] = {
    { 0, 0 }, { 4095, 4095 }, { 1234, 777 }, { 4095, 0 }, { 2049, 2048 }
  };
  const double lengths[] = { 60, 301.3, 900 };

  for (guint p = 0; p < G_N_ELEMENTS (places); p++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_lone_cell (4096, places[p][0], places[p][1], 0.9f);
      g_autoptr (AttnPainter) painter = attn_painter_new ();
      AttnStyle style = attn_style_default ();
      AttnRgb expected = get_style_color (&style, 0.9f);
      AttnViewport fit = ATTN_VIEWPORT_FIT;

      style.shows_colorbar = style.shows_tokens = FALSE;
      for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
        {
          g_autoptr (AttnScene) scene =
              attn_layout_figure (grid, &style, &fit, lengths[l], lengths[l]);
          cairo_surface_t *surface = paint (painter, scene, 1, 1);
          gsize n_pixels = 0;

          for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
            for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
              n_pixels += attn_rgb_equal (get_pixel (surface, x, y), expected);
          /* It may lie across the border of two pixels each way, not more. */
          g_assert_cmpuint (n_pixels, >=, 1);
          g_assert_cmpuint (n_pixels, <=, 4);
          cairo_surface_destroy (surface);
        }
    }
}

/* From the first colour at the left to the last at the right, the triangles pointing away from
 * it. */
static void
test_level_colorbar (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 8);
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.low = 0.2;
  style.high = 0.8;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 113, 0);
  cairo_surface_t *surface = paint (painter, scene, 1, 4);
  const AttnRgb *table = attn_style_get_table (&style);
  guint n_triangles = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;
      int y = (int) (4 * (r->y + r->height / 2));

      if (mark->kind == ATTN_MARK_COLORBAR)
        {
          g_assert_cmpfloat (mark->angle, ==, 90);
          for (guint k = 1; k < 8; k++)
            {
              int x = (int) (4 * (r->x + r->width * k / 8));
              double index = (x + 0.5 - 4 * r->x) / (4 * r->width) * ATTN_COLORMAP_SIZE;

              g_assert_true (attn_rgb_equal (get_pixel (surface, x, y), table[(guint) index]));
            }
        }
      else if (mark->kind == ATTN_MARK_TRIANGLE)
        {
          gboolean is_over = mark->angle == 270;
          double base = is_over ? r->x + 0.25 * r->width : r->x + 0.75 * r->width;

          g_assert_true (is_over || mark->angle == 90);
          g_assert_true (attn_rgb_equal (get_pixel (surface, (int) (4 * base), y),
                                         table[is_over ? ATTN_COLORMAP_SIZE - 1 : 0]));
          n_triangles++;
        }
    }
  g_assert_cmpuint (n_triangles, ==, 2);
  cairo_surface_destroy (surface);
}

static void
test_not_a_number (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_lone_cell (8, 3, 5, NAN);
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnRectangle cell;

  style.shows_values = FALSE;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 200, 200);
  cairo_surface_t *surface = paint (painter, scene, 1, 1);
  g_assert_true (attn_scene_get_cell (scene, 0, 3, 5, &cell));
  AttnRgb color = get_pixel (surface, cell.x + cell.width / 2, cell.y + cell.height / 2);
  g_assert_true (attn_rgb_equal (color, ATTN_COLOR_NAN));
  cairo_surface_destroy (surface);

  /* Where everything under a pixel is not a number, the pixel says so too. */
  gsize shape[2] = { 500, 500 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  for (gsize i = 0; i < 500 * 500; i++)
    values->data[i] = i / 500 < 250 ? NAN : i % 2 ? NAN
                                                  : 0.5f;
  g_autoptr (AttnGrid) half = attn_grid_new (1, 1);
  half->cells[0].panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
  g_autoptr (AttnScene) reduced = attn_layout_figure (half, &style, &fit, 200, 200);
  surface = paint (painter, reduced, 1, 1);
  check_pixels (surface, reduced, half, 1);
  AttnRectangle panel;
  panel = attn_scene_get_heatmap (reduced, 0)->rectangle;
  color = get_pixel (surface, panel.x + panel.width / 2, panel.y + panel.height / 4);
  g_assert_true (attn_rgb_equal (color, ATTN_COLOR_NAN));
  cairo_surface_destroy (surface);
}

/* Two panels of the same size that differ in every value. */
static AttnGrid *
make_pair (void)
{
  AttnGrid *grid = attn_grid_new (1, 2);
  gsize shape[2] = { 15, 15 };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  grid->cells[0].panel = figure_fixture_panel (15, 15, ATTN_MASK_NONE, NULL, 0);
  for (gsize i = 0; i < 15 * 15; i++)
    values->data[i] = 1 - attn_panel_get_value (grid->cells[0].panel, i / 15, i % 15);
  grid->cells[1].panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
  return grid;
}

/* The painter keeps pixels: a change of anything that they depend on must show. */
static void
test_cache_follows_changes (void)
{
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  g_autoptr (AttnGrid) grid = make_pair ();
  const struct
  {
    AttnColormap colormap;
    double low;
    double high;
    double width;
    AttnViewport viewport;
    gboolean is_swapped;
  } steps[] = {
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0, 0, 1, 1 }, FALSE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0, 0, 1, 1 }, FALSE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0, 0, 1, 1 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0.1, 0.2, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0.3, 0.2, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 300, { 0.3, 0.4, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0, 1, 301.7, { 0.3, 0.4, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0, 0.5, 301.7, { 0.3, 0.4, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_COOLWARM, 0.2, 0.5, 301.7, { 0.3, 0.4, 0.5, 0.5 }, TRUE },
    { ATTN_COLORMAP_MAGMA, 0.2, 0.5, 301.7, { 0.3, 0.4, 0.5, 0.5 }, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      AttnStyle style = attn_style_default ();

      style.has_background = TRUE;
      style.shows_values = style.shows_tokens = FALSE;
      style.colormap = steps[i].colormap;
      style.low = steps[i].low;
      style.high = steps[i].high;
      if (i > 0 && steps[i].is_swapped != steps[i - 1].is_swapped)
        {
          AttnPanel *panel = grid->cells[0].panel;
          grid->cells[0].panel = grid->cells[1].panel;
          grid->cells[1].panel = panel;
        }
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &steps[i].viewport, steps[i].width, 150);
      cairo_surface_t *surface = paint (painter, scene, 1, 1);
      g_assert_cmpuint (check_pixels (surface, scene, grid, 1), >, 1000);
      cairo_surface_destroy (surface);
    }
}

/* Lines on whole pixels, curves that are interrupted, dashes, and ink that what is below shines
 * through; without a panel. Black on white, so that a pixel is how much is left of the white. */
static void
test_lines (void)
{
  AttnStyle style = attn_style_default ();

  style.has_background = TRUE;
  for (int factor = 1; factor <= 2; factor++)
    {
      g_autoptr (AttnPainter) painter = attn_painter_new ();
      g_autoptr (AttnScene) scene = attn_scene_new (40, 30, &style, NULL);
      AttnMark *dashed = attn_scene_add_line (scene, -1, "tick", 0, 4.5, 40, 0);
      AttnMark *pale = attn_scene_add_line (scene, -1, "tick", 8.5, 10, 0, 8);
      AttnMark *text = attn_scene_add_text (scene, -1, "tick", g_strdup ("-"), 4, 10, 3,
                                            ATTN_ANCHOR_START, 0);
      AttnMark *curve = attn_scene_add (scene, ATTN_MARK_CURVE, -1, "curve");

      text->opacity = 0;
      dashed->line_width = pale->line_width = curve->line_width = 1;
      dashed->dashes[0] = 4;
      dashed->dashes[1] = 2;
      pale->opacity = 0.4;
      curve->n_points = 5;
      curve->points = g_new (AttnPoint, curve->n_points);
      for (gsize i = 0; i < curve->n_points; i++)
        curve->points[i] = (AttnPoint) { 8.0 * i, i == 2 ? NAN : 25.5 };
      cairo_surface_t *surface = paint (painter, scene, factor, factor);
      for (int x = 0; x < 40 * factor; x++)
        {
          int place = x / factor;

          g_assert_cmpint (get_pixel (surface, x, 4 * factor).red, ==, place % 6 < 4 ? 0 : 255);
          g_assert_cmpint (get_pixel (surface, x, 5 * factor).red, ==, 255);
          /* The third of five points is none, and takes the lines to both sides with it. */
          g_assert_cmpint (get_pixel (surface, x, 25 * factor).red, ==,
                           place < 8 || (place >= 24 && place < 32) ? 0 : 255);
          /* Eight bits round 0.6 of white to 153. */
          g_assert_cmpint (abs (get_pixel (surface, x, 14 * factor).red -
                                (place == 8 ? 153 : 255)),
                           <=, 1);
        }
      cairo_surface_destroy (surface);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/painter/every-pixel-shows-what-is-hit-there", test_every_pixel);
  g_test_add_func ("/figure/painter/lone-cell-is-visible", test_lone_cell_is_visible);
  g_test_add_func ("/figure/painter/level-colorbar", test_level_colorbar);
  g_test_add_func ("/figure/painter/not-a-number", test_not_a_number);
  g_test_add_func ("/figure/painter/cache-follows-changes", test_cache_follows_changes);
  g_test_add_func ("/figure/painter/lines-dashes-and-pale-ink", test_lines);
  return g_test_run ();
}
