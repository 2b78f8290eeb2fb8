/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where things are in a figure, for many sizes and contents. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <pango/pango.h>

#include "attn-lettering.h"
#include "figure-fixture.h"

/* Boxes that share an edge do not overlap; a tenth of a point is not seen. */
#define TOLERANCE 0.1

typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
} Box;

static Box
get_text_box (const AttnScene *scene,
              const AttnMark  *mark)
{
  double width = attn_lettering_measure (attn_scene_get_style (scene)->font_family, mark->markup,
                                         mark->font_size);
  double ascent = ATTN_LETTERING_ASCENT * mark->font_size;
  double descent = ATTN_LETTERING_DESCENT * mark->font_size;
  double start = mark->anchor == ATTN_ANCHOR_START ? 0
                 : mark->anchor == ATTN_ANCHOR_END ? -width
                                                   : -width / 2;
  double x = mark->rectangle.x;
  double y = mark->rectangle.y;

  if (mark->angle == 0)
    return (Box) { x + start, y - ascent, x + start + width, y + descent };
  g_assert_cmpfloat (mark->angle, ==, 90);
  return (Box) { x - ascent, y - start - width, x + descent, y - start };
}

static void
assert_inside (const AttnScene *scene,
               Box              box)
{
  g_assert_cmpfloat (box.left, >=, -TOLERANCE);
  g_assert_cmpfloat (box.top, >=, -TOLERANCE);
  g_assert_cmpfloat (box.right, <=, attn_scene_get_width (scene) + TOLERANCE);
  g_assert_cmpfloat (box.bottom, <=, attn_scene_get_height (scene) + TOLERANCE);
}

static gboolean
boxes_overlap (Box a,
               Box b)
{
  return a.left < b.right - TOLERANCE && b.left < a.right - TOLERANCE &&
         a.top < b.bottom - TOLERANCE && b.top < a.bottom - TOLERANCE;
}

/* Text against text and against panels; numbers stand in their panel. */
static void
check_scene (const AttnScene *scene)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (Box));
  g_autoptr (GArray) panels = g_array_new (FALSE, FALSE, sizeof (Box));

  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;

      if (mark->kind == ATTN_MARK_TEXT)
        {
          Box box = get_text_box (scene, mark);

          assert_inside (scene, box);
          if (!g_str_equal (mark->role, "value"))
            g_array_append_val (boxes, box);
        }
      else
        {
          Box box = { r->x, r->y, r->x + r->width, r->y + r->height };

          assert_inside (scene, box);
          if (mark->kind == ATTN_MARK_HEATMAP || mark->kind == ATTN_MARK_COLORBAR)
            {
              g_assert_cmpfloat (r->width, >, 0);
              g_assert_cmpfloat (r->height, >, 0);
              g_array_append_val (panels, box);
            }
        }
    }
  for (guint i = 0; i < boxes->len; i++)
    {
      for (guint j = i + 1; j < boxes->len; j++)
        g_assert_false (boxes_overlap (g_array_index (boxes, Box, i),
                                       g_array_index (boxes, Box, j)));
      for (guint j = 0; j < panels->len; j++)
        g_assert_false (boxes_overlap (g_array_index (boxes, Box, i),
                                       g_array_index (panels, Box, j)));
    }
}

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
      for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
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
  g_assert_true (attn_scene_get_heatmap (scene, 0, &first, NULL));
  g_assert_true (attn_scene_get_heatmap (scene, 8, &last, NULL));
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

  g_assert_true (attn_scene_get_heatmap (scene, 0, &first, NULL));
  g_assert_cmpfloat_with_epsilon (first.width, first.height, 1e-9);
  for (int group = 0; group < 9; group++)
    {
      g_assert_true (attn_scene_get_heatmap (scene, group, &other, NULL));
      g_assert_cmpfloat_with_epsilon (other.width, first.width, 1e-9);
      g_assert_cmpfloat_with_epsilon (other.height, first.height, 1e-9);
      /* Nothing moves while one zooms. */
      g_assert_true (attn_scene_get_heatmap (zoomed, group, &first, NULL));
      g_assert_cmpmem (&first, sizeof first, &other, sizeof other);
    }
  /* Rows 5 to 7 and columns 5 to 7 have their middle in the viewport; numbers have room. */
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "row-label"), ==, 3 * 3);
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "column-label"), ==, 3 * 3);
  g_assert_cmpuint (count_role (zoomed, ATTN_MARK_TEXT, "value"), >=, 9 * 3);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "value"), ==, 0);
}

/* A label stands at every token as long as it can be read, and at every other or fifth one after
 * that. */
static void
test_labels_are_thinned_out (void)
{
  const struct
  {
    gsize n_tokens;
    gsize n_labels;
  } cases[] = { { 5, 5 }, { 30, 30 }, { 40, 40 }, { 90, 45 }, { 200, 40 }, { 512, 52 } };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, cases[i].n_tokens);
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 500, 480);

      check_scene (scene);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), ==, cases[i].n_labels);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, cases[i].n_labels);
    }
}

/* A token of 40 letters between the ones that are shown takes no room from the panel; where one can
 * zoom in, not more than an ordinary one. */
static void
test_hidden_labels_take_no_room (void)
{
  const double heights[] = { 0, 480 };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnGrid) plain = figure_fixture_grid (1, 1, 90);
  g_autoptr (AttnGrid) hidden = figure_fixture_grid (1, 1, 90);
  g_autoptr (AttnGrid) shown = figure_fixture_grid (1, 1, 90);
  AttnGrid *grids[] = { hidden, shown };

  /* Every second or fifth label is shown, and so never that of 41. */
  for (gsize i = 0; i < 2; i++)
    {
      AttnPanel *panel = grids[i]->cells[0].panel;
      g_auto (GStrv) labels = g_strdupv ((char **) attn_panel_get_row_labels (panel));

      g_free (labels[40 + 1 - i]);
      labels[40 + 1 - i] = g_strnfill (40, 'm');
      grids[i]->cells[0].panel =
          attn_panel_new (attn_panel_get_values (panel), ATTN_MASK_CAUSAL,
                          (const char * const *) labels, (const char * const *) labels);
      attn_panel_unref (panel);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (plain, &style, &fit, 500, heights[i]);
      g_autoptr (AttnScene) with_hidden =
          attn_layout_figure (hidden, &style, &fit, 500, heights[i]);
      g_autoptr (AttnScene) with_shown = attn_layout_figure (shown, &style, &fit, 500, heights[i]);
      double side = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width;
      double hidden_side = find_mark (with_hidden, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width;
      double shown_side = find_mark (with_shown, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width;

      check_scene (with_hidden);
      check_scene (with_shown);
      g_assert_cmpfloat (shown_side, <, side - 30);
      if (heights[i] > 0)
        g_assert_cmpfloat (hidden_side, >, shown_side + 30);
      else
        g_assert_cmpfloat (hidden_side, ==, side);
    }
}

/* Room that long labels take makes the cells smaller after the labels have their size. */
static void
test_long_labels_are_not_thinned_out (void)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  gsize n_empty = 2;

  grid->cells[0].panel =
      figure_fixture_panel (30, 30, ATTN_MASK_CAUSAL, figure_fixture_nasty_labels,
                            figure_fixture_n_nasty_labels);
  for (double size = 440; size < 700; size += 7)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, size, size);

      check_scene (scene);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), ==, 30 - n_empty);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 30 - n_empty);
    }
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
  g_assert_false (attn_scene_get_heatmap (scene, 6, NULL, NULL));
  for (int i = 0; i < (int) G_N_ELEMENTS (shapes); i++)
    {
      AttnRectangle rectangle;

      /* Cells are square up to 4:1, and stretched beyond. */
      g_assert_true (attn_scene_get_heatmap (scene, i, &rectangle, NULL));
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
  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      g_assert_true (mark->kind == ATTN_MARK_HEATMAP || mark->kind == ATTN_MARK_RECTANGLE);
    }
}

static void
test_ticks (void)
{
  const struct
  {
    double low;
    double high;
    double tick;
    const char *first;
    const char *last;
    gsize n;
  } cases[] = {
    { 0.5, 1, 0.1, "0.5", "1.0", 6 },
    { -1, 1, 0.5, "-1.0", "1.0", 5 },
    { 0, 0.1, 0.025, "0.000", "0.100", 5 },
    { -0.3, 0.3, 0.3, "-0.3", "0.3", 3 },
    { 0, 1e-9, 5e-10, "0", "1e-9", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 5);
      AttnStyle style = attn_style_default ();
      AttnViewport fit = ATTN_VIEWPORT_FIT;

      style.low = cases[i].low;
      style.high = cases[i].high;
      style.tick = cases[i].tick;
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      check_scene (scene);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "tick"), ==, cases[i].n);
      g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "tick", 0)->markup, ==, cases[i].first);
      g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "tick", cases[i].n - 1)->markup, ==,
                       cases[i].last);
    }

  /* Ranges and steps that make no sense draw no ticks, and end. */
  const double bad[][3] = {
    { 1, 0, 0.2 },
    { 0, 1, 0 },
    { 0, 1, -1 },
    { 0, 1, 1e-12 },
    { NAN, 1, 0.2 },
    { 0, INFINITY, 0.2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 5);
      AttnStyle style = attn_style_default ();
      AttnViewport fit = ATTN_VIEWPORT_FIT;

      style.low = bad[i][0];
      style.high = bad[i][1];
      style.tick = bad[i][2];
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "tick"), ==, 0);
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
      g_assert_true (attn_scene_get_heatmap (scene, 0, NULL, &viewport));
      g_assert_cmpfloat (viewport.x, >=, 0);
      g_assert_cmpfloat (viewport.x + viewport.width, <=, 1 + 1e-12);
      g_assert_cmpfloat (viewport.width, >, 0);
    }
}

/* The axes of a figure that is not queries and keys. */
static void
test_axis_titles (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 8);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (guint has_titles = 0; has_titles < 2; has_titles++)
    {
      gsize n_found = 0;

      if (has_titles)
        {
          grid->row_title = g_strdup ("Layer <1>");
          grid->column_title = g_strdup ("Token");
        }
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          n_found += g_strcmp0 (mark->markup, has_titles ? "Layer &lt;1&gt;" : "Query") == 0 &&
                     mark->angle == 90;
          n_found += g_strcmp0 (mark->markup, has_titles ? "Token" : "Key") == 0;
        }
      g_assert_cmpuint (n_found, ==, 2);
    }
}

/* Thumbnails that are too small for titles have a heading for each row and column, all of them
 * on the page and none over another. */
static void
test_headings (void)
{
  static const double widths[] = { 900, 300, 150, 90 };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (6, 8, 10);
  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  grid->row_headings = g_strsplit ("L0 L1 L2 L3 L4 L5", " ", -1);
  grid->column_headings = g_strsplit ("H0 H1 H2 H3 H4 H5 H6 Head7", " ", -1);
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, widths[i], 0);
      gsize n_headings = count_role (scene, ATTN_MARK_TEXT, "heading");
      double end = 0;

      g_assert_cmpint (n_headings == 0, ==, count_role (scene, ATTN_MARK_TEXT, "title") > 0);
      if (i > 1)
        g_assert_cmpuint (n_headings, >, 0);
      for (gsize k = 0; k < attn_scene_get_n_marks (scene); k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (!g_str_equal (mark->role, "heading") || mark->anchor != ATTN_ANCHOR_MIDDLE)
            continue;
          double half =
              attn_lettering_measure (style.font_family, mark->markup, mark->font_size) / 2;
          g_assert_cmpfloat (mark->rectangle.x - half, >=, end);
          end = mark->rectangle.x + half;
        }
      g_assert_cmpfloat (end, <=, attn_scene_get_width (scene) + 1e-6);
    }
  style.shows_titles = FALSE;
  g_autoptr (AttnScene) without = attn_layout_figure (grid, &style, &viewport, 150, 0);
  g_assert_cmpuint (count_role (without, ATTN_MARK_TEXT, "heading"), ==, 0);
}

/* A caption too long for the page goes on in further lines, of which each fits and all words are
 * there, in italics where they were. */
static void
test_long_caption_is_wrapped (void)
{
  static const double widths[] = { 0, 600, 300, 240 };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 8);

  g_free (grid->caption);
  grid->caption = g_strdup ("Attention of the last token, <i>mean over all of the heads</i> and "
                            "relative to the largest of its layer");
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, widths[i], 0);
      g_autoptr (GString) all = g_string_new (NULL);
      gsize n_lines = 0;
      double bottom = 0;

      for (gsize k = 0; k < attn_scene_get_n_marks (scene); k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (!g_str_equal (mark->role, "caption"))
            continue;
          double half =
              attn_lettering_measure (style.font_family, mark->markup, mark->font_size) / 2;
          g_assert_cmpfloat (mark->rectangle.x - half, >=, 0);
          g_assert_cmpfloat (mark->rectangle.x + half, <=, attn_scene_get_width (scene));
          g_assert_cmpfloat (mark->rectangle.y, >=, bottom + mark->font_size);
          bottom = mark->rectangle.y;
          g_string_append_printf (all, "%s%s", n_lines > 0 ? " " : "", mark->markup);
          n_lines++;
        }
      g_assert_cmpfloat (bottom, <, attn_scene_get_height (scene));
      g_assert_cmpuint (n_lines, >=, i > 1 ? 2 : 1);
      g_assert_cmpuint (n_lines, <=, 3);
      g_autofree char *joined = g_strdup (all->str);
      g_auto (GStrv) pieces = g_strsplit (joined, "</i> <i>", -1);
      g_autofree char *text = g_strjoinv (" ", pieces);
      g_assert_cmpstr (text, ==, grid->caption);
    }
}

/* On a page that is as large as the figure, or has room left, long tokens are not cut. */
static void
test_long_labels_use_the_page (void)
{
  static const double sizes[][2] = { { 0, 0 }, { 900, 320 } };
  static const char * const labels[] = { "antidisestablish", "counterrevolutio" };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      grid->cells[0].panel = figure_fixture_panel (6, 6, ATTN_MASK_CAUSAL, labels, 2);
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &fit, sizes[i][0], sizes[i][1]);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), ==, 6);
      for (gsize k = 0; k < attn_scene_get_n_marks (scene); k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (g_str_equal (mark->role, "row-label"))
            g_assert_null (strstr (mark->markup, "…"));
        }
    }
}

/* A panel of many rows and few columns is narrow by itself, not for want of room: it keeps its
 * labels and axis titles, in a window as at natural size. */
static void
test_high_panel_keeps_its_labels (void)
{
  static const double sizes[][2] = { { 0, 0 }, { 490, 440 }, { 170, 0 } };
  static const char * const labels[] = { "exact_first", "-1" };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      grid->cells[0].panel = figure_fixture_panel (32, 8, ATTN_MASK_NONE, labels, 2);
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &fit, sizes[i][0], sizes[i][1]);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), >, 4);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 8);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "axis-label"), ==, 2);
      check_scene (scene);
    }
}

/* Few columns have all their headings, if need be on two lines, or none. */
static void
test_few_headings_are_complete (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 15);
  gsize n_wrapped = 0;

  grid->column_headings = g_strsplit ("Baseline|Modified|Baseline − Modified", "|", -1);
  for (double width = 60; width < 400; width += 20)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, width, 0);
      gsize n = count_role (scene, ATTN_MARK_TEXT, "heading");

      g_assert_true (n == 0 || n == 3 || n == 4);
      /* The page is as high as it needs: the caption stays longer than anything else. */
      if (width >= 140)
        g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "caption"), >, 0);
      n_wrapped += n == 4;
      for (gsize k = 0; k < attn_scene_get_n_marks (scene); k++)
        if (g_str_equal (attn_scene_get_mark (scene, k)->role, "heading"))
          g_assert_null (strstr (attn_scene_get_mark (scene, k)->markup, "…"));
    }
  g_assert_cmpuint (n_wrapped, >, 0);
}

/* A low colour bar has few ticks, but one at each end. */
static void
test_low_colorbar_has_both_ends (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 1);

  for (double width = 200; width < 500; width += 20)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, width, 0);
      gsize n_ends = 0;

      if (count_role (scene, ATTN_MARK_COLORBAR, "colorbar") == 0)
        continue;
      for (gsize k = 0; k < attn_scene_get_n_marks (scene); k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (mark->kind == ATTN_MARK_TEXT && g_str_equal (mark->role, "tick"))
            n_ends += g_str_equal (mark->markup, "0.0") || g_str_equal (mark->markup, "1.0");
        }
      g_assert_cmpuint (n_ends, ==, 2);
    }
}

static gsize
count_ticks_below (const AttnScene     *scene,
                   const AttnRectangle *bar)
{
  gsize n = 0;

  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;

      n += mark->kind == ATTN_MARK_LINE && g_str_equal (mark->role, "tick") &&
           fabs (r->y - bar->y - bar->height) < TOLERANCE && r->x > bar->x - TOLERANCE &&
           r->x < bar->x + bar->width + TOLERANCE;
    }
  return n;
}

/* In the column of a paper, bars that would take a third of it lie below the panels, each with two
 * numbers and more; in a wide figure they stand at the right. */
static void
test_bars_lie_below_narrow_panels (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 8);
  const double widths[] = { 113, 241, 510 };
  const gboolean is_level[ATTN_N_RANGE_SCOPES][3] = {
    [ATTN_RANGE_SCOPE_GRID] = { TRUE, FALSE, FALSE },
    [ATTN_RANGE_SCOPE_ROW] = { TRUE, FALSE, FALSE },
    [ATTN_RANGE_SCOPE_PANEL] = { TRUE, TRUE, FALSE },
  };
  const gsize n_bars[ATTN_N_RANGE_SCOPES] = { 1, 3, 9 };

  style.range = ATTN_RANGE_DATA;
  for (guint scope = 0; scope < ATTN_N_RANGE_SCOPES; scope++)
    for (guint w = 0; w < G_N_ELEMENTS (widths); w++)
      {
        style.range_scope = scope;
        g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, widths[w], 0);

        check_scene (scene);
        g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, n_bars[scope]);
        for (gsize i = 0; i < n_bars[scope]; i++)
          {
            const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", i);
            gsize last = scope == ATTN_RANGE_SCOPE_GRID  ? 8
                         : scope == ATTN_RANGE_SCOPE_ROW ? 3 * i + 2
                                                         : i;
            const AttnRectangle *panel =
                &find_mark (scene, ATTN_MARK_HEATMAP, "cells", last)->rectangle;

            g_assert_cmpfloat (bar->angle, ==, is_level[scope][w] ? 90 : 0);
            if (!is_level[scope][w])
              {
                g_assert_cmpfloat (bar->rectangle.x, >, panel->x + panel->width);
                continue;
              }
            g_assert_cmpfloat (bar->rectangle.y, >, panel->y + panel->height);
            g_assert_cmpfloat_with_epsilon (bar->rectangle.x + bar->rectangle.width,
                                            panel->x + panel->width, TOLERANCE);
            /* one of 9 mm may have room for the upper end alone */
            g_assert_cmpuint (count_ticks_below (scene, &bar->rectangle), >=,
                              bar->rectangle.width < 26 ? 1 : 2);
          }
      }
}

/* The bar of the differences lies below these, that of the weights below the others. */
static void
test_level_bars_of_a_comparison (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 8);

  grid->cells[2].is_difference = TRUE;
  for (double width = 113; width < 260; width += 21)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, width, 0);
      const AttnRectangle *panels[3];

      check_scene (scene);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, 2);
      for (guint i = 0; i < 3; i++)
        panels[i] = &find_mark (scene, ATTN_MARK_HEATMAP, "cells", i)->rectangle;
      const AttnRectangle *weights =
          &find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0)->rectangle;
      const AttnRectangle *differences =
          &find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 1)->rectangle;
      /* a triangle at an end takes a few points of the bar */
      g_assert_cmpfloat_with_epsilon (weights->x, panels[0]->x, 5);
      g_assert_cmpfloat_with_epsilon (weights->x + weights->width, panels[1]->x + panels[1]->width,
                                      5);
      g_assert_cmpfloat_with_epsilon (differences->x, panels[2]->x, 5);
      g_assert_cmpfloat (differences->y, ==, weights->y);
    }
}

/* Text stays in proportion to a page narrower than a paper's column, as far as it can be read. */
static void
test_text_of_narrow_pages (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 4);
  const double widths[] = { 60, 113, 241, 0 };
  const double sizes[] = { 6, 113 / 18.0, 9, 9 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, widths[i], 0);
      const AttnMark *tick = find_mark (scene, ATTN_MARK_TEXT, "tick", 0);

      g_assert_nonnull (tick);
      g_assert_cmpfloat_with_epsilon (tick->font_size, sizes[i], TOLERANCE);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/layout/nothing-overlaps", test_nothing_overlaps);
  g_test_add_func ("/figure/layout/nasty-labels", test_nasty_labels);
  g_test_add_func ("/figure/layout/contents", test_contents);
  g_test_add_func ("/figure/layout/panels-are-alike", test_panels_are_alike);
  g_test_add_func ("/figure/layout/labels-are-thinned-out", test_labels_are_thinned_out);
  g_test_add_func ("/figure/layout/hidden-labels-take-no-room", test_hidden_labels_take_no_room);
  g_test_add_func ("/figure/layout/long-labels-are-not-thinned-out",
                   test_long_labels_are_not_thinned_out);
  g_test_add_func ("/figure/layout/odd-grids", test_odd_grids);
  g_test_add_func ("/figure/layout/switched-off", test_what_is_switched_off);
  g_test_add_func ("/figure/layout/ticks", test_ticks);
  g_test_add_func ("/figure/layout/order-of-dropping", test_order_of_dropping);
  g_test_add_func ("/figure/layout/viewport-out-of-bounds", test_viewport_out_of_bounds);
  g_test_add_func ("/figure/layout/axis-titles", test_axis_titles);
  g_test_add_func ("/figure/layout/headings", test_headings);
  g_test_add_func ("/figure/layout/long-caption-is-wrapped", test_long_caption_is_wrapped);
  g_test_add_func ("/figure/layout/long-labels-use-the-page", test_long_labels_use_the_page);
  g_test_add_func ("/figure/layout/high-panel-keeps-its-labels", test_high_panel_keeps_its_labels);
  g_test_add_func ("/figure/layout/few-headings-are-complete", test_few_headings_are_complete);
  g_test_add_func ("/figure/layout/low-colorbar-has-both-ends", test_low_colorbar_has_both_ends);
  g_test_add_func ("/figure/layout/bars-lie-below-narrow-panels",
                   test_bars_lie_below_narrow_panels);
  g_test_add_func ("/figure/layout/level-bars-of-a-comparison", test_level_bars_of_a_comparison);
  g_test_add_func ("/figure/layout/text-of-narrow-pages", test_text_of_narrow_pages);
  return g_test_run ();
}
