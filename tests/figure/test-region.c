/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions: where they are drawn, what of them the pointer finds, what becomes of them in a file. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-painter.h"
#include "attn-svg.h"
#include "figure-fixture.h"

static AttnGrid *
make_grid (void)
{
  AttnGrid *grid = figure_fixture_grid (1, 2, 10);

  attn_grid_add_region (grid, 0, 0, &(AttnRegion) { "first answer", 2, 5, 3, 6, FALSE });
  attn_grid_add_region (grid, 0, 0, &(AttnRegion) { "pin", 8, 8, 1, 1, TRUE });
  attn_grid_add_region (grid, 0, 1, &(AttnRegion) { "first answer", 0, 99, 9, 99, FALSE });
  return grid;
}

static AttnScene *
make_scene (AttnGrid           *grid,
            const AttnViewport *viewport)
{
  AttnStyle style = attn_style_default ();

  style.has_background = TRUE;
  style.shows_values = FALSE;
  return attn_layout_figure (grid, &style, viewport, 600, 360);
}

static void
test_place (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = make_scene (grid, &fit);
  AttnRectangle box, first, last;

  box = attn_scene_get_region (scene, 0, 0)->rectangle;
  g_assert_cmpuint (attn_scene_get_region (scene, 0, 0)->sides, ==, ATTN_SIDE_ALL);
  g_assert_true (attn_scene_get_cell (scene, 0, 2, 3, &first));
  g_assert_true (attn_scene_get_cell (scene, 0, 5, 6, &last));
  g_assert_cmpfloat_with_epsilon (box.x, first.x, 1e-9);
  g_assert_cmpfloat_with_epsilon (box.y, first.y, 1e-9);
  g_assert_cmpfloat_with_epsilon (box.x + box.width, last.x + last.width, 1e-9);
  g_assert_cmpfloat_with_epsilon (box.y + box.height, last.y + last.height, 1e-9);

  /* Beyond the panel is its last row and column. */
  box = attn_scene_get_region (scene, 1, 0)->rectangle;
  g_assert_true (attn_scene_get_cell (scene, 1, 9, 9, &last));
  g_assert_cmpfloat_with_epsilon (box.x, last.x, 1e-9);
  g_assert_cmpfloat_with_epsilon (box.y + box.height, last.y + last.height, 1e-9);
  g_assert_null (attn_scene_get_region (scene, 1, 1));

  /* What the viewport cuts off has no side; what it does not show is not there. */
  AttnViewport left_half = { 0, 0, 0.5, 1 };
  g_autoptr (AttnScene) cut = make_scene (grid, &left_half);
  AttnRectangle panel;
  panel = attn_scene_get_heatmap (cut, 0)->rectangle;
  box = attn_scene_get_region (cut, 0, 0)->rectangle;
  g_assert_cmpuint (attn_scene_get_region (cut, 0, 0)->sides, ==, ATTN_SIDE_ALL & ~ATTN_SIDE_RIGHT);
  g_assert_cmpfloat_with_epsilon (box.x + box.width, panel.x + panel.width, 1e-9);
  g_assert_null (attn_scene_get_region (cut, 1, 0));
  AttnViewport inside = { 0.4, 0.3, 0.1, 0.1 };
  g_autoptr (AttnScene) within = make_scene (grid, &inside);
  box = attn_scene_get_region (within, 0, 0)->rectangle;
  g_assert_cmpuint (attn_scene_get_region (within, 0, 0)->sides, ==, 0);
}

static void
test_hit (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = make_scene (grid, &fit);
  const AttnSides handles[3][3] = {
    { ATTN_SIDE_TOP | ATTN_SIDE_LEFT, ATTN_SIDE_TOP, ATTN_SIDE_TOP | ATTN_SIDE_RIGHT },
    { ATTN_SIDE_LEFT, 0, ATTN_SIDE_RIGHT },
    { ATTN_SIDE_BOTTOM | ATTN_SIDE_LEFT, ATTN_SIDE_BOTTOM, ATTN_SIDE_BOTTOM | ATTN_SIDE_RIGHT },
  };
  AttnRectangle box;
  AttnRegionHit hit;

  box = attn_scene_get_region (scene, 0, 0)->rectangle;
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++)
      for (int d = -2; d <= 2; d += 2)
        {
          double x = box.x + box.width * column / 2 + d;
          double y = box.y + box.height * row / 2 - d;

          g_assert_true (attn_scene_hit_region (scene, x, y, 3, &hit));
          g_assert_cmpint (hit.group, ==, 0);
          g_assert_cmpuint (hit.region, ==, 0);
          g_assert_cmpuint (hit.sides, ==, handles[row][column]);
        }
  g_assert_false (attn_scene_hit_region (scene, box.x - 4, box.y - 4, 3, &hit));
  box = attn_scene_get_region (scene, 0, 1)->rectangle;
  g_assert_true (attn_scene_hit_region (scene, box.x, box.y, 3, &hit));
  g_assert_cmpuint (hit.region, ==, 1);
  g_assert_cmpuint (hit.sides, ==, 0);

  /* A side comes before the inside of a region that lies over it; of two, the upper one. */
  attn_grid_add_region (grid, 0, 0, &(AttnRegion) { "over", 0, 9, 0, 9, FALSE });
  g_autoptr (AttnScene) covered = make_scene (grid, &fit);
  box = attn_scene_get_region (covered, 0, 0)->rectangle;
  g_assert_true (attn_scene_hit_region (covered, box.x, box.y + box.height / 2, 3, &hit));
  g_assert_cmpuint (hit.region, ==, 0);
  g_assert_cmpuint (hit.sides, ==, ATTN_SIDE_LEFT);
  double x = box.x + box.width / 2;
  g_assert_true (attn_scene_hit_region (covered, x, box.y + box.height / 2, 3, &hit));
  g_assert_cmpuint (hit.region, ==, 2);
  g_assert_cmpuint (hit.sides, ==, 0);

  /* A side that is cut off cannot be taken. */
  AttnViewport left_half = { 0, 0, 0.5, 1 };
  g_autoptr (AttnGrid) plain = make_grid ();
  g_autoptr (AttnScene) cut = make_scene (plain, &left_half);
  box = attn_scene_get_region (cut, 0, 0)->rectangle;
  x = box.x + box.width - 1;
  g_assert_true (attn_scene_hit_region (cut, x, box.y + box.height / 2, 3, &hit));
  g_assert_cmpuint (hit.sides, ==, 0);
}

static gboolean
is_black (cairo_surface_t *surface,
          double           x,
          double           y)
{
  const guint8 *line =
      cairo_image_surface_get_data (surface) + (int) y * cairo_image_surface_get_stride (surface);

  return (((const guint32 *) line)[(int) x] & 0xffffff) == 0;
}

/* Black along its sides and nowhere else; the cells within keep their colours. */
static void
test_painted (void)
{
  const double scales[] = { 1, 1.5, 2 };
  const AttnViewport viewports[] = { { 0, 0, 1, 1 }, { 0.1, 0.1, 0.45, 0.9 } };

  for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
    for (guint s = 0; s < G_N_ELEMENTS (scales); s++)
      {
        g_autoptr (AttnGrid) grid = make_grid ();
        g_autoptr (AttnScene) scene = make_scene (grid, &viewports[v]);
        g_autoptr (AttnPainter) painter = attn_painter_new ();
        double scale = scales[s];
        AttnRectangle box, cell;
        AttnSides sides;
        cairo_surface_t *surface =
            cairo_image_surface_create (CAIRO_FORMAT_RGB24, 600 * scale, 360 * scale);
        cairo_t *cr = cairo_create (surface);

        cairo_scale (cr, scale, scale);
        attn_painter_draw (painter, scene, cr, scale);
        cairo_surface_flush (surface);
        box = attn_scene_get_region (scene, 0, 0)->rectangle;
        sides = attn_scene_get_region (scene, 0, 0)->sides;
        double x = (box.x + box.width * 0.37) * scale;
        double y = (box.y + box.height * 0.37) * scale;
        /* The line is 1.5 points wide and on whole pixels: the pixel after the edge is part of it.
         */
        g_assert_true (is_black (surface, ceil (box.x * scale - 0.5), y));
        g_assert_true (is_black (surface, x, ceil (box.y * scale - 0.5)));
        g_assert_true (is_black (surface, x, ceil ((box.y + box.height) * scale - 0.5)));
        if ((sides & ATTN_SIDE_RIGHT) != 0)
          g_assert_true (is_black (surface, ceil ((box.x + box.width) * scale - 0.5), y));
        else
          g_assert_false (is_black (surface, (box.x + box.width) * scale - 2, y));
        for (gsize row = 2; row <= 5; row++)
          {
            g_assert_true (attn_scene_get_cell (scene, 0, row, 4, &cell));
            g_assert_false (is_black (surface, (cell.x + cell.width / 2) * scale,
                                      (cell.y + cell.height / 2) * scale));
          }
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
}

static void
test_svg (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnViewport left_half = { 0, 0, 0.5, 1 };

  attn_grid_add_region (grid, 0, 1, &(AttnRegion) { "first-answer", 1, 1, 1, 1, FALSE });
  attn_grid_add_region (grid, 0, 1, &(AttnRegion) { "<\"é\x01&", 1, 1, 1, 1, FALSE });
  attn_grid_add_region (grid, 0, 1, &(AttnRegion) { NULL, 1, 1, 1, 1, FALSE });
  g_autoptr (AttnScene) scene = make_scene (grid, &fit);
  g_autoptr (GBytes) svg = attn_svg_write (scene, NULL, NULL, NULL, NULL);
  g_autofree char *text = g_strndup (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg));

  /* An id of its own for each, whatever the names; the name as it is for the reader. */
  g_assert_cmpuint (count_text (text, "<g class=\"region\" id=\"region-first-answer\">\n"
                                      "<title>first answer</title>\n<rect "),
                    ==, 1);
  g_assert_cmpuint (count_text (text, "id=\"region-first-answer-2\""), ==, 1);
  g_assert_cmpuint (count_text (text, "id=\"region-first-answer-3\""), ==, 1);
  g_assert_cmpuint (count_text (text, "id=\"region------\">\n<title>&lt;&quot;é"), ==, 1);
  g_assert_cmpuint (count_text (text, "id=\"region\""), ==, 1);
  g_assert_cmpuint (count_text (text, "<g class=\"pin\" id=\"pin-pin\">"), ==, 1);

  /* Cut off by the viewport: three sides, none of them beyond the panel. */
  g_autoptr (AttnScene) cut = make_scene (grid, &left_half);
  g_autoptr (GBytes) cut_svg = attn_svg_write (cut, NULL, NULL, NULL, NULL);
  g_autofree char *cut_text =
      g_strndup (g_bytes_get_data (cut_svg, NULL), g_bytes_get_size (cut_svg));
  const char *path = strstr (cut_text, "<path stroke-linecap=\"square\" d=\"");
  g_assert_nonnull (path);
  g_autofree char *sides = g_strndup (path, strcspn (path, ">"));
  g_assert_cmpuint (count_text (sides, "M"), ==, 3);

  GMarkupParser nothing = { NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&nothing, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_markup_parse_context_parse (context, text, -1, &error);
  g_assert_no_error (error);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/region/stands-around-its-cells", test_place);
  g_test_add_func ("/figure/region/hit-and-handles", test_hit);
  g_test_add_func ("/figure/region/painted-black", test_painted);
  g_test_add_func ("/figure/region/object-of-its-own-in-svg", test_svg);
  return g_test_run ();
}
