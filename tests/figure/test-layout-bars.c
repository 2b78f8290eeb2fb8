/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where colour bars and their ticks are in a figure. */

#include "config.h"

#include <math.h>

#include "attn-lettering.h"
#include "figure-fixture.h"

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
    { -1, 1, 0.5, "−1.0", "1.0", 5 },
    { 0, 0.1, 0.025, "0.000", "0.100", 5 },
    { -0.3, 0.3, 0.3, "−0.3", "0.3", 3 },
    { 0, 1e-9, 5e-10, "0", "1e-9", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 5);
      AttnStyle style = attn_style_default ();
      AttnViewport fit = ATTN_VIEWPORT_FIT;

      style.range = ATTN_RANGE_FIXED;
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

      style.range = ATTN_RANGE_FIXED;
      style.low = bad[i][0];
      style.high = bad[i][1];
      style.tick = bad[i][2];
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "tick"), ==, 0);
    }
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
      for (gsize k = 0; k < scene->marks->len; k++)
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

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;

      n += mark->kind == ATTN_MARK_LINE && g_str_equal (mark->role, "tick") &&
           fabs (r->y - bar->y - bar->height) < LAYOUT_TOLERANCE &&
           r->x > bar->x - LAYOUT_TOLERANCE &&
           r->x < bar->x + bar->width + LAYOUT_TOLERANCE;
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
    [ATTN_RANGE_SCOPE_GRID] = { TRUE, TRUE, FALSE },
    [ATTN_RANGE_SCOPE_ROW] = { TRUE, TRUE, FALSE },
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
                                            panel->x + panel->width, LAYOUT_TOLERANCE);
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

/* In a window the colour bars stand where they leave more to the panels: below a row of panels in a
 * high window, beside it in a low one. */
static void
test_bars_leave_room_to_the_panels (void)
{
  static const double heights[] = { 300, 120 };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 8);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.largest_label = style.font_size;
  for (gsize i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 320, heights[i]);
      const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0);

      g_assert_nonnull (bar);
      g_assert_cmpint (bar->rectangle.width > bar->rectangle.height, ==, i == 0);
      check_scene (scene);
    }
}

/* Colour bars lie below the panels for the sake of their label only where that has more room there:
 * beside panels above each other a long one has. */
static void
test_label_lies_where_it_has_more_room (void)
{
  static const char label[] = "Norm of the Residual Stream after each of the Layers, Divided by "
                              "the Largest of the Text";
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  for (gsize n_rows = 1; n_rows <= 4; n_rows += 3)
    for (double width = n_rows == 1 ? 350 : 170; width < 500; width += 10)
      {
        g_autoptr (AttnGrid) grid = figure_fixture_grid (n_rows, 1, 8);
        gsize n_labels = 0;

        g_free (grid->value_label);
        grid->value_label = g_strdup (label);
        g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, width, 0);
        check_scene (scene);
        for (guint i = 0; i < scene->marks->len; i++)
          {
            const AttnMark *mark = attn_scene_get_mark (scene, i);

            if (!g_str_equal (mark->role, "axis-label") || !g_str_has_prefix (mark->markup, label))
              continue;
            g_assert_cmpfloat (mark->angle, ==, n_rows == 1 ? 0 : 90);
            n_labels++;
          }
        g_assert_cmpuint (n_labels, ==, 1);
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/layout/ticks", test_ticks);
  g_test_add_func ("/figure/layout/low-colorbar-has-both-ends", test_low_colorbar_has_both_ends);
  g_test_add_func ("/figure/layout/bars-lie-below-narrow-panels",
                   test_bars_lie_below_narrow_panels);
  g_test_add_func ("/figure/layout/level-bars-of-a-comparison", test_level_bars_of_a_comparison);
  g_test_add_func ("/figure/layout/bars-leave-room-to-the-panels",
                   test_bars_leave_room_to_the_panels);
  g_test_add_func ("/figure/layout/label-lies-where-it-has-more-room",
                   test_label_lies_where_it_has_more_room);
  return g_test_run ();
}
