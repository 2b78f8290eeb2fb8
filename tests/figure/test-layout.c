/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where things are in a figure, for many sizes and contents. */

#include "config.h"

#include <math.h>
#include <pango/pango.h>

#include "figure-fixture.h"

static void
test_nothing_overlaps (void)
{
  const double sizes[][2] = {
    { 300, 200 },
    { 200, 300 },
    { 420, 380 },
    { 640, 480 },
    { 900, 650 },
    { 1400, 800 },
    { 3000, 2000 },
    { 0, 0 },
    { 500, 0 },
    { 241, 0 },
    { 113, 0 },
    { 0, 500 },
    { 60, 40 },
  };
  const gsize shapes[][2] = { { 1, 1 }, { 1, 3 }, { 3, 3 }, { 2, 4 } };
  const gsize n_tokens[] = { 1, 4, 15, 30 };
  const AttnViewport viewports[] = { { 0, 0, 1, 1 }, { 0.21, 0.4, 0.3, 0.3 } };
  AttnStyle style = attn_style_default ();

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint g = 0; g < G_N_ELEMENTS (shapes); g++)
      for (guint n = 0; n < G_N_ELEMENTS (n_tokens); n++)
        for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
          {
            g_autoptr (AttnGrid) grid =
                figure_fixture_grid (shapes[g][0], shapes[g][1], n_tokens[n]);
            g_autoptr (AttnScene) scene =
                attn_layout_figure (grid, &style, &viewports[v], sizes[s][0], sizes[s][1]);
            check_scene (scene);
          }
}

static void
test_nasty_labels (void)
{
  const double sizes[][2] = { { 300, 200 }, { 500, 500 }, { 1200, 900 }, { 0, 0 } };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 2);

      for (guint i = 0; i < 2; i++)
        {
          grid->cells[i].panel =
              figure_fixture_panel (12, 12, ATTN_MASK_NONE, figure_fixture_nasty_labels,
                                    figure_fixture_n_nasty_labels);
          grid->cells[i].title = g_strdup (i == 0 ? "not <i>closed & broken"
                                                  : "a very long title that has no end in sight, "
                                                    "in <i>italics too</i>, and some more of it");
        }
      grid->caption = g_strdup ("1 < 2 & \x01");
      grid->value_label = g_strdup ("<Weight> & \"more\"");
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &fit, sizes[s][0], sizes[s][1]);
      check_scene (scene);
      for (gsize i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          if (mark->kind == ATTN_MARK_TEXT)
            g_assert_true (pango_parse_markup (mark->markup, -1, 0, NULL, NULL, NULL, NULL));
        }
    }
}

static void
test_contents (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  const char *ticks[] = { "0.0", "0.2", "0.4", "0.6", "0.8", "1.0" };

  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "title"), ==, 9);
  for (guint i = 0; i < 9; i++)
    g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "title", i)->markup, ==,
                     grid->cells[i].title);
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "caption", 0)->markup, ==, grid->caption);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "tick"), ==, G_N_ELEMENTS (ticks));
  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++)
    g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "tick", i)->markup, ==, ticks[i]);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "axis-label"), ==, 3);
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "axis-label", 0)->markup, ==, "Query");
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "axis-label", 1)->markup, ==, "Key");
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "axis-label", 2)->markup, ==,
                   "Attention Weight");
  g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, 1);
  /* All tokens are the same here: once at the left of each row, once below each column. */
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), ==, 3 * 15);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 3 * 15);

  /* The bar is as high as the grid, and its ticks are where their values are. */
  const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0);
  AttnRectangle first, last;
  first = attn_scene_get_heatmap (scene, 0)->rectangle;
  last = attn_scene_get_heatmap (scene, 8)->rectangle;
  g_assert_cmpfloat_with_epsilon (bar->rectangle.y, first.y, 1e-9);
  g_assert_cmpfloat_with_epsilon (bar->rectangle.y + bar->rectangle.height, last.y + last.height,
                                  1e-9);
  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++)
    g_assert_cmpfloat_with_epsilon (find_mark (scene, ATTN_MARK_LINE, "tick", i)->rectangle.y,
                                    bar->rectangle.y + bar->rectangle.height * (1 - 0.2 * i), 1e-9);
}

static void
test_panels_are_alike (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnViewport close = { 0.31, 0.31, 0.2, 0.2 };
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 900, 650);
  g_autoptr (AttnScene) zoomed = attn_layout_figure (grid, &style, &close, 900, 650);
  AttnRectangle first, other;

  first = attn_scene_get_heatmap (scene, 0)->rectangle;
  g_assert_cmpfloat_with_epsilon (first.width, first.height, 1e-9);
  for (int group = 0; group < 9; group++)
    {
      other = attn_scene_get_heatmap (scene, group)->rectangle;
      g_assert_cmpfloat_with_epsilon (other.width, first.width, 1e-9);
      g_assert_cmpfloat_with_epsilon (other.height, first.height, 1e-9);
      /* Nothing moves while one zooms. */
      first = attn_scene_get_heatmap (zoomed, group)->rectangle;
      g_assert_cmpmem (&first, sizeof first, &other, sizeof other);
    }
  /* Rows 5 to 7 and columns 5 to 7 have their middle in the viewport; numbers have room. */
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "row-label"), ==, 3 * 3);
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "column-label"), ==, 3 * 3);
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "value"), >=, 9 * 3);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "value"), ==, 0);
}

static void
test_odd_grids (void)
{
  const gsize shapes[][2] = {
    { 1, 1 }, { 30, 30 }, { 1, 4 }, { 300, 300 }, { 2, 100 }, { 100, 2 }
  };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnGrid) grid = attn_grid_new (2, 4);

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    grid->cells[i].panel =
        figure_fixture_panel (shapes[i][0], shapes[i][1], ATTN_MASK_NONE, NULL, 0);
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 1000, 600);
  check_scene (scene);
  g_assert_null (attn_scene_get_heatmap (scene, 6));
  for (int i = 0; i < (int) G_N_ELEMENTS (shapes); i++)
    {
      AttnRectangle rectangle;

      /* Cells are square up to 4:1, and stretched beyond. */
      rectangle = attn_scene_get_heatmap (scene, i)->rectangle;
      double aspect = CLAMP ((double) shapes[i][1] / shapes[i][0], 0.25, 4);
      g_assert_cmpfloat_with_epsilon (rectangle.width / rectangle.height, aspect, 1e-6);
    }

  g_autoptr (AttnGrid) empty = attn_grid_new (2, 2);
  g_autoptr (AttnScene) nothing = attn_layout_figure (empty, &style, &fit, 200, 200);
  g_assert_cmpint (attn_scene_find_heatmap (nothing, 100, 100), ==, -1);
}

static void
test_what_is_switched_off (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, 5);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.shows_titles = style.shows_caption = style.shows_colorbar = FALSE;
  style.shows_tokens = style.shows_values = FALSE;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 500, 500);
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      g_assert_true (mark->kind == ATTN_MARK_HEATMAP || mark->kind == ATTN_MARK_RECTANGLE);
    }
}

/* What is given up goes in the order that is promised. */
static void
test_order_of_dropping (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  gsize n_kinds = 5;

  for (double size = 900; size > 20; size *= 0.93)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, size * 1.3, size);
      gboolean has[] = {
        count_role (scene, ATTN_MARK_TEXT, "row-label") > 0,
        find_mark (scene, ATTN_MARK_TEXT, "axis-label", 0) != NULL &&
            g_str_equal (find_mark (scene, ATTN_MARK_TEXT, "axis-label", 0)->markup, "Query"),
        count_role (scene, ATTN_MARK_TEXT, "caption") > 0,
        count_role (scene, ATTN_MARK_TEXT, "title") > 0,
        count_role (scene, ATTN_MARK_COLORBAR, "colorbar") > 0,
      };
      gsize n = 0;

      for (guint i = 0; i < G_N_ELEMENTS (has); i++)
        {
          n += has[i];
          if (i > 0 && has[i - 1])
            g_assert_true (has[i]);
        }
      g_assert_cmpuint (n, <=, n_kinds);
      n_kinds = n;
      g_assert_cmpuint (count_role (scene, ATTN_MARK_HEATMAP, "cells"), ==, 9);
    }
  g_assert_cmpuint (n_kinds, ==, 0);
}

static void
test_viewport_out_of_bounds (void)
{
  const AttnViewport bad[] = {
    { NAN, 0, 1, 1 }, { -1, -1, 3, 3 }, { 0.5, 0.5, 0, 0 }, { 2, 2, 1e-30, 1 }
  };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 15);
  AttnStyle style = attn_style_default ();

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &bad[i], 400, 400);
      AttnViewport viewport;

      check_scene (scene);
      viewport = attn_scene_get_heatmap (scene, 0)->viewport;
      g_assert_cmpfloat (viewport.x, >=, 0);
      g_assert_cmpfloat (viewport.x + viewport.width, <=, 1 + 1e-12);
      g_assert_cmpfloat (viewport.width, >, 0);
    }
}

/* Each token says where it stands, if asked for. */
static void
test_positions_of_tokens (void)
{
  const gsize positions[] = { 3, 4, 8 };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 3);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  attn_panel_set_positions (grid->cells[0].panel, positions, positions);
  g_autoptr (AttnScene) plain = attn_layout_figure (grid, &style, &fit, 0, 0);
  style.shows_positions = TRUE;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  for (guint i = 0; i < 3; i++)
    for (guint is_column = 0; is_column < 2; is_column++)
      {
        const char *role = is_column ? "column-label" : "row-label";
        g_autofree char *expected =
            g_strdup_printf ("%" G_GSIZE_FORMAT " %s", positions[i],
                             find_mark (plain, ATTN_MARK_TEXT, role, i)->markup);

        g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, role, i)->markup, ==, expected);
      }
}

/* On a screen token labels are larger where there is room for that, and do not go where there is
 * little; on paper they are as large as asked for. */
static void
test_labels_on_a_screen (void)
{
  g_autoptr (AttnGrid) one = figure_fixture_grid (1, 1, 10);
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  g_autoptr (AttnGrid) row = figure_fixture_grid (1, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint is_screen = 0; is_screen < 2; is_screen++)
    {
      style.largest_label = is_screen ? 1.25 * style.font_size : 0;
      g_autoptr (AttnScene) large = attn_layout_figure (one, &style, &fit, 900, 650);
      g_assert_cmpfloat_with_epsilon (find_mark (large, ATTN_MARK_TEXT, "row-label", 0)->font_size,
                                      is_screen ? style.largest_label : style.font_size, 1e-9);
      g_autoptr (AttnScene) small = attn_layout_figure (grid, &style, &fit, 360, 245);
      g_assert_cmpint (count_role (small, ATTN_MARK_TEXT, "row-label") > 0, ==, is_screen);
      g_assert_cmpuint (count_role (small, ATTN_MARK_TEXT, "caption"), ==, 1);
      /* Below panels that are as wide as they can be, there is room. */
      g_autoptr (AttnScene) wide = attn_layout_figure (row, &style, &fit, 245, 200);
      g_assert_cmpuint (count_role (wide, ATTN_MARK_TEXT, "column-label"), >, 0);
      /* Beside thumbnails there are none. */
      g_autoptr (AttnScene) tiny = attn_layout_figure (grid, &style, &fit, 130, 90);
      g_assert_cmpuint (count_role (tiny, ATTN_MARK_TEXT, "row-label"), ==, 0);
    }
}

/* Below cells that are as wide as their labels, these lie level, and are as large as those of rows;
 * from afar they stand on end. */
static void
test_column_labels_from_near (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport views[] = { ATTN_VIEWPORT_FIT, { 0.4, 0.4, 0.2, 0.2 } };

  style.largest_label = 1.25 * style.font_size;
  for (guint is_near = 0; is_near < 2; is_near++)
    {
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &views[is_near], 900, 650);
      const AttnMark *label = find_mark (scene, ATTN_MARK_TEXT, "column-label", 0);

      g_assert_cmpfloat (label->angle, ==, is_near ? 0 : 90);
      g_assert_cmpfloat (label->font_size, >, is_near ? style.font_size : 0);
    }
}

/* Where each panel shows a part of its own, each has its labels, which grow with its own cells. */
static void
test_labels_of_an_enlarged_panel (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport views[2] = { ATTN_VIEWPORT_FIT, { 0.4, 0.4, 0.2, 0.2 } };
  double sizes[2] = { 0 };

  style.largest_label = 1.25 * style.font_size;
  g_autoptr (AttnScene) scene = attn_layout_figure_views (grid, &style, views, views, 900, 160);
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_strcmp0 (mark->role, "row-label") == 0)
        sizes[mark->group] = mark->font_size;
    }
  g_assert_cmpfloat (sizes[0], >, 0);
  g_assert_cmpfloat (sizes[0], <, style.font_size);
  g_assert_cmpfloat_with_epsilon (sizes[1], style.largest_label, 1e-9);
}

/* Lays out panels of ε as a screen shows them, of which those of the first column have @factor. */
static AttnScene *
lay_out_factor (const char *factor,
                double      width)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.largest_label = 1.25 * style.font_size;
  grid->row_headings = g_strsplit ("Query|Key|Value", "|", -1);
  grid->column_headings = g_strsplit ("ε = 1|ε = 1e-3|ε = 1e-6", "|", -1);
  for (gsize i = 0; i < 9; i++)
    {
      g_free (grid->cells[i].title);
      grid->cells[i].title =
          g_strdup_printf ("Modifying <i>Query</i> with ε = %s", i % 3 == 0 ? factor : "1e-3");
    }
  return attn_layout_figure (grid, &style, &fit, width, 500);
}

/* Wherever a handle of ε stands, neither do panels move nor titles become smaller or give way to
 * headings. */
static void
test_epsilon_moves_nothing (void)
{
  static const char * const factors[] = { "5e-1", "2.4e-1", "1e-10", "2.8e-11" };
  gsize n_with_titles = 0;
  gsize n_widths = 0;

  for (double width = 300; width < 900; width += 20, n_widths++)
    {
      g_autoptr (AttnScene) usual = lay_out_factor ("1", width);
      const AttnMark *title = find_mark (usual, ATTN_MARK_TEXT, "title", 0);
      const AttnRectangle *place =
          &find_mark (usual, ATTN_MARK_HEATMAP, "cells", 8)->rectangle;

      n_with_titles += title != NULL;
      for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
        {
          g_autoptr (AttnScene) scene = lay_out_factor (factors[i], width);
          const AttnMark *other = find_mark (scene, ATTN_MARK_TEXT, "title", 0);
          const AttnRectangle *there =
              &find_mark (scene, ATTN_MARK_HEATMAP, "cells", 8)->rectangle;

          g_assert_cmpfloat_with_epsilon (there->x, place->x, LAYOUT_TOLERANCE);
          g_assert_cmpfloat_with_epsilon (there->y, place->y, LAYOUT_TOLERANCE);
          g_assert_cmpfloat_with_epsilon (there->width, place->width, LAYOUT_TOLERANCE);
          g_assert_true ((other == NULL) == (title == NULL));
          if (title != NULL)
            g_assert_cmpfloat_with_epsilon (other->font_size, title->font_size, 1e-3);
        }
    }
  g_assert_cmpuint (n_with_titles, >, 0);
  g_assert_cmpuint (n_with_titles, <, n_widths);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/layout/epsilon-moves-nothing", test_epsilon_moves_nothing);
  g_test_add_func ("/figure/layout/nothing-overlaps", test_nothing_overlaps);
  g_test_add_func ("/figure/layout/nasty-labels", test_nasty_labels);
  g_test_add_func ("/figure/layout/contents", test_contents);
  g_test_add_func ("/figure/layout/panels-are-alike", test_panels_are_alike);
  g_test_add_func ("/figure/layout/odd-grids", test_odd_grids);
  g_test_add_func ("/figure/layout/switched-off", test_what_is_switched_off);
  g_test_add_func ("/figure/layout/order-of-dropping", test_order_of_dropping);
  g_test_add_func ("/figure/layout/positions-of-tokens", test_positions_of_tokens);
  g_test_add_func ("/figure/layout/labels-on-a-screen", test_labels_on_a_screen);
  g_test_add_func ("/figure/layout/column-labels-from-near", test_column_labels_from_near);
  g_test_add_func ("/figure/layout/labels-of-an-enlarged-panel", test_labels_of_an_enlarged_panel);
  g_test_add_func ("/figure/layout/viewport-out-of-bounds", test_viewport_out_of_bounds);
  return g_test_run ();
}
