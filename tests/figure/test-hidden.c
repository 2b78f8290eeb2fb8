/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Labels that are left out for want of room take none beside those that are shown. */

#include "config.h"

#include <string.h>

#include "attn-lettering.h"
#include "figure-fixture.h"

#define N_TOKENS 150

/* A tenth of a point is not seen. */
#define TOLERANCE 0.1

static const AttnViewport fit = ATTN_VIEWPORT_FIT;

/* One head and @n tokens "a", of which the one at @at is @name. The matrix has no labels, so that
 * the diagram alone decides. */
static AttnGrid *
make_diagram (gsize       n,
              gsize       at,
              const char *name)
{
  const gsize number = 0;
  AttnGrid *grid = attn_grid_new (1, 1);
  g_auto (GStrv) tokens = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    tokens[i] = g_strdup (i == at ? name : "a");
  grid->cells[0].panel = figure_fixture_panel (n, n, ATTN_MASK_NONE, NULL, 0);
  grid->diagram = attn_diagram_new (&number, 1, (const char * const *) tokens);
  attn_diagram_add_link (grid->diagram, 0, 0, 1);
  grid->is_binary = TRUE;
  return grid;
}

/* From the slivers of the tokens to the matrix. */
static double
measure_room (const AttnScene *scene)
{
  const AttnMark *token = find_mark (scene, ATTN_MARK_RECTANGLE, "token", 0);
  const AttnMark *panel = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0);

  return panel->rectangle.x - token->rectangle.x;
}

static void
test_tokens_of_a_diagram (void)
{
  const char *name = "photosynthesis";
  const double sizes[][2] = { { 0, 0 }, { 500, 0 }, { 700, 400 } };
  AttnStyle style = attn_style_default ();

  style.shows_tokens = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      double width = sizes[i][0];
      double height = sizes[i][1];
      g_autoptr (AttnGrid) hidden = make_diagram (N_TOKENS, 1, name);
      g_autoptr (AttnGrid) shown = make_diagram (N_TOKENS, 0, name);
      g_autoptr (AttnGrid) plain = make_diagram (N_TOKENS, 0, "a");
      g_autoptr (AttnScene) a = attn_layout_figure (hidden, &style, &fit, width, height);
      g_autoptr (AttnScene) b = attn_layout_figure (shown, &style, &fit, width, height);
      g_autoptr (AttnScene) c = attn_layout_figure (plain, &style, &fit, width, height);

      g_assert_false (has_text (a, name));
      g_assert_true (has_text (b, name)); /* and in full */
      g_assert_cmpfloat_with_epsilon (measure_room (a), measure_room (c), TOLERANCE);
      g_assert_cmpfloat (measure_room (b), >, measure_room (c) + 20);
    }
}

/* A box that shows its token has room for it at both sides. */
static void
test_boxes_hold_their_tokens (void)
{
  const char *name = "photosynthesis";
  g_autoptr (AttnGrid) grid = make_diagram (5, 1, name);
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  const AttnMark *box = find_mark (scene, ATTN_MARK_RECTANGLE, "token", 1);
  const AttnMark *label = find_mark (scene, ATTN_MARK_TEXT, "token-label", 1);

  g_assert_cmpstr (label->markup, ==, name);
  g_assert_cmpfloat (attn_lettering_measure (style.font_family, name, label->font_size), <,
                     box->rectangle.width);
}

/* Thumbnails without titles: @n_rows rows, each with a heading. */
static AttnGrid *
make_rows (gsize       n_rows,
           gsize       at,
           const char *name)
{
  AttnGrid *grid = attn_grid_new (n_rows, 2);

  grid->row_headings = g_new0 (char *, n_rows + 1);
  for (gsize i = 0; i < n_rows; i++)
    grid->row_headings[i] = g_strdup (i == at ? name : "L");
  for (gsize i = 0; i < 2 * n_rows; i++)
    {
      grid->cells[i].panel = figure_fixture_panel (4, 4, ATTN_MASK_NONE, NULL, 0);
      grid->cells[i].title = g_strdup ("a title that thumbnails have no room for");
    }
  return grid;
}

static void
test_headings_of_rows (void)
{
  const char *name = "photosynthesis";
  const gsize n_rows = 60;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) hidden = make_rows (n_rows, 1, name);
  g_autoptr (AttnGrid) shown = make_rows (n_rows, 0, name);
  g_autoptr (AttnGrid) plain = make_rows (n_rows, 0, "L");
  g_autoptr (AttnScene) a = attn_layout_figure (hidden, &style, &fit, 500, 500);
  g_autoptr (AttnScene) b = attn_layout_figure (shown, &style, &fit, 500, 500);
  g_autoptr (AttnScene) c = attn_layout_figure (plain, &style, &fit, 500, 500);
  double x[3];
  const AttnScene *scenes[] = { a, b, c };

  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpuint (count_role (scenes[i], ATTN_MARK_TEXT, "heading"), <, n_rows);
      /* The figure is in the middle of the page: what is in front of it counts half. */
      x[i] = find_mark (scenes[i], ATTN_MARK_HEATMAP, "cells", 0)->rectangle.x;
    }
  g_assert_false (has_text (a, name));
  g_assert_true (has_text (b, name));
  g_assert_cmpfloat_with_epsilon (x[0], x[2], TOLERANCE);
  g_assert_cmpfloat (x[1], >, x[2] + 20);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/hidden/tokens-of-a-diagram", test_tokens_of_a_diagram);
  g_test_add_func ("/figure/hidden/boxes-hold-their-tokens", test_boxes_hold_their_tokens);
  g_test_add_func ("/figure/hidden/headings-of-rows", test_headings_of_rows);
  return g_test_run ();
}
