/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a figure cuts, joins, thins out and leaves away where it has little room: the column of a
 * paper is 241 points wide. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-left-out.h"
#include "attn-lettering.h"
#include "figure-fixture.h"

/* A tenth of a point is not seen. */
#define TOLERANCE 0.1

static AttnScene *
lay_out (AttnGrid        *grid,
         const AttnStyle *style,
         double           width,
         double           height)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  return attn_layout_figure (grid, style, &fit, width, height);
}

static AttnPanel *
make_panel (gsize        n_rows,
            gsize        n_columns,
            const float *values,
            AttnMask     mask)
{
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  memcpy (tensor->data, values, n_rows * n_columns * sizeof *values);
  return attn_panel_new (tensor, mask, NULL, NULL);
}

/* A matrix of two colours with a diagram of the same tokens, of which each has one head. */
static AttnGrid *
make_groups (gsize               n_heads,
             gsize               n_tokens,
             const char * const *labels,
             gsize               n_labels)
{
  AttnGrid *grid = attn_grid_new (1, 1);
  g_autofree gsize *numbers = g_new (gsize, n_heads);
  g_autofree const char **tokens = g_new0 (const char *, n_tokens + 1);

  for (gsize i = 0; i < n_heads; i++)
    numbers[i] = i;
  for (gsize i = 0; i < n_tokens; i++)
    tokens[i] = labels[i % n_labels];
  grid->cells[0].panel =
      figure_fixture_panel (n_tokens, n_tokens, ATTN_MASK_NONE, labels, n_labels);
  grid->diagram = attn_diagram_new (numbers, n_heads, tokens);
  for (gsize i = 0; i < n_tokens; i++)
    attn_diagram_add_link (grid->diagram, i % n_heads, i, 1);
  grid->has_top_labels = TRUE;
  grid->is_binary = TRUE;
  return grid;
}

/* In the column of a paper a panel of 15 tokens has all its labels, three beside each other and
 * three by three at least every few of them, whole, and all that can be read. */
static void
test_column_of_a_paper_has_labels (void)
{
  static const gsize sizes[][2] = { { 1, 1 }, { 1, 3 }, { 3, 3 } };
  AttnStyle style = attn_style_default ();

  style.font_size = 7;
  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (sizes[k][0], sizes[k][1], 15);
      g_autoptr (AttnScene) scene = lay_out (grid, &style, 241, 0);
      gsize n_rows = count_role (scene, ATTN_MARK_TEXT, "row-label");
      gsize n_columns = count_role (scene, ATTN_MARK_TEXT, "column-label");

      g_assert_cmpuint (n_rows, >=, k == 0 ? 15 : 3 * sizes[k][0]);
      g_assert_cmpuint (n_columns, >=, k == 0 ? 15 : 3 * sizes[k][1]);
      g_assert_cmpfloat (attn_scene_get_smallest_text (scene), >=, 5);
      for (gsize i = 0; i < n_rows; i++)
        g_assert_null (strstr (find_mark (scene, ATTN_MARK_TEXT, "row-label", i)->markup, "…"));
    }
}

/* A narrow page cuts the tokens in their boxes rather than leave the diagram away; the boxes hold
 * what is written in them. */
static void
test_tokens_of_the_diagram_are_cut (void)
{
  static const char * const labels[] = { "disestablish", "counterrevol" };
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = make_groups (3, 4, labels, 2);
  g_autoptr (AttnScene) wide = lay_out (grid, &style, 510, 0);
  g_autoptr (AttnScene) narrow = lay_out (grid, &style, 241, 0);

  g_assert_cmpuint (count_role (wide, ATTN_MARK_TEXT, "token-label"), ==, 4);
  g_assert_cmpuint (count_role (narrow, ATTN_MARK_TEXT, "token-label"), ==, 4);
  for (gsize i = 0; i < 4; i++)
    {
      const AttnMark *label = find_mark (narrow, ATTN_MARK_TEXT, "token-label", i);
      const AttnMark *box = find_mark (narrow, ATTN_MARK_RECTANGLE, "token", i);

      g_assert_null (strstr (find_mark (wide, ATTN_MARK_TEXT, "token-label", i)->markup, "…"));
      g_assert_true (g_str_has_suffix (label->markup, "…"));
      g_assert_cmpfloat (attn_lettering_measure (style.font_family, label->markup,
                                                 label->font_size),
                         <, box->rectangle.width);
    }
  /* The rest of the page is left to the matrix. */
  const AttnRectangle *last = &find_mark (narrow, ATTN_MARK_RECTANGLE, "token", 0)->rectangle;
  g_assert_cmpfloat (last->x + last->width, <, 0.55 * 241);
}

/* Slivers for many tokens join where gaps between them would be narrower than pixels, and stay
 * apart where these can be seen. */
static void
test_slivers_join (void)
{
  const gsize n_tokens[] = { 40, 400 };
  AttnStyle style = attn_style_default ();

  for (guint i = 0; i < G_N_ELEMENTS (n_tokens); i++)
    {
      g_autoptr (AttnGrid) grid = make_groups (3, n_tokens[i], figure_fixture_plain_labels,
                                               figure_fixture_n_plain_labels);
      g_autoptr (AttnScene) scene = lay_out (grid, &style, 510, 0);
      const AttnMark *first = find_mark (scene, ATTN_MARK_RECTANGLE, "token", 0);
      const AttnMark *second = find_mark (scene, ATTN_MARK_RECTANGLE, "token", 1);
      double pitch = second->rectangle.y - first->rectangle.y;

      g_assert_true (first->is_filled);
      g_assert_true ((pitch < 2) == (i == 1));
      if (i == 0)
        g_assert_cmpfloat (first->rectangle.height, <, 0.9 * pitch);
      else
        g_assert_cmpfloat_with_epsilon (first->rectangle.height, pitch, 1e-9);
    }
}

/* The diagram has the tokens at the heights of the rows: the labels of these go first, those of the
 * columns, which take only height, stay. */
static void
test_columns_beside_a_diagram_keep_labels (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = make_groups (3, 5, figure_fixture_plain_labels, 5);
  g_autoptr (AttnScene) wide = lay_out (grid, &style, 510, 0);
  g_autoptr (AttnScene) narrow = lay_out (grid, &style, 241, 0);
  const AttnMark *panel = find_mark (narrow, ATTN_MARK_HEATMAP, "cells", 0);

  g_assert_cmpuint (count_role (wide, ATTN_MARK_TEXT, "row-label"), ==, 5);
  g_assert_cmpuint (count_role (wide, ATTN_MARK_TEXT, "column-label"), ==, 5);
  g_assert_cmpuint (count_role (narrow, ATTN_MARK_TEXT, "row-label"), ==, 0);
  g_assert_cmpuint (count_role (narrow, ATTN_MARK_TEXT, "column-label"), ==, 5);
  for (gsize i = 0; i < 5; i++)
    {
      const AttnMark *box = find_mark (narrow, ATTN_MARK_RECTANGLE, "token", i);
      double middle = panel->rectangle.y + (i + 0.5) * panel->rectangle.height / 5;

      g_assert_cmpfloat_with_epsilon (box->rectangle.y + box->rectangle.height / 2, middle,
                                      TOLERANCE);
      g_assert_cmpfloat (find_mark (narrow, ATTN_MARK_TEXT, "column-label", i)->rectangle.y, <,
                         panel->rectangle.y);
    }
}

/* The colours that are on no bar are explained once, in a line below the bars and their label. */
static void
test_key_of_level_bars (void)
{
  const float values[] = { 1, 0, 0, NAN, 0.5f, 0, 0.2f, 0.3f, 0.5f };
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 3);

  grid->value_label = g_strdup ("Attention Weight");
  for (gsize i = 0; i < 3; i++)
    grid->cells[i].panel = make_panel (3, 3, values, ATTN_MASK_CAUSAL);
  style.has_masked_color = TRUE;
  style.range_scope = ATTN_RANGE_SCOPE_PANEL;
  for (guint is_shown = 0; is_shown < 2; is_shown++)
    {
      style.shows_key = is_shown;
      g_autoptr (AttnScene) scene = lay_out (grid, &style, 241, 0);
      const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0);
      const AttnMark *label = find_mark (scene, ATTN_MARK_TEXT, "axis-label", 0);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, 3);
      g_assert_cmpfloat (bar->angle, ==, 90);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "key"), ==, 2 * is_shown);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_RECTANGLE, "key"), ==, 2 * is_shown);
      if (!is_shown)
        continue;
      const AttnMark *masked = find_mark (scene, ATTN_MARK_TEXT, "key", 0);
      const AttnMark *nan = find_mark (scene, ATTN_MARK_TEXT, "key", 1);
      double end = masked->rectangle.x + attn_lettering_measure (style.font_family, masked->markup,
                                                                 masked->font_size);
      g_assert_cmpstr (masked->markup, ==, "Masked");
      g_assert_cmpstr (nan->markup, ==, "NaN");
      g_assert_true (attn_rgb_equal (find_mark (scene, ATTN_MARK_RECTANGLE, "key", 0)->color,
                                     style.masked_color));
      g_assert_cmpfloat (masked->rectangle.y, ==, nan->rectangle.y);
      g_assert_cmpfloat (masked->rectangle.y - masked->font_size, >, label->rectangle.y);
      g_assert_cmpfloat (find_mark (scene, ATTN_MARK_RECTANGLE, "key", 1)->rectangle.x, >, end);
      g_assert_cmpfloat (nan->rectangle.y, <, scene->height);
    }
}

/* Numbers below a bar are at equal distances and at both of its ends: rather fewer than one that is
 * missing among the others. */
static void
test_level_ticks_are_even (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 8);
  gsize n_seen = 0;

  style.shows_tokens = FALSE;
  /* The bar of the weights lies below two panels, beside that of the differences. */
  grid->cells[2].is_difference = TRUE;
  for (double width = 90; width < 260; width += 3)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0);
      gsize n = 0;

      if (bar == NULL || bar->angle != 90)
        continue;
      n_seen++;
      const AttnRectangle *r = &bar->rectangle;
      while (find_mark (scene, ATTN_MARK_LINE, "tick", n)->rectangle.x <
             r->x + r->width + TOLERANCE)
        n++;
      g_assert_cmpuint (n, >=, 2);
      for (gsize i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon (find_mark (scene, ATTN_MARK_LINE, "tick", i)->rectangle.x,
                                        r->x + i * r->width / (n - 1), TOLERANCE);
    }
  g_assert_cmpuint (n_seen, >, 0);
}

/* "Query" and "Key" stay as long as the panels have half of a narrow page, and never stand beside
 * headings that may say the same. */
static void
test_axis_titles_go (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) lone = figure_fixture_grid (1, 1, 8);
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 40);
  gsize n_headed = 0;

  for (gsize i = 0; i < 9; i++)
    {
      g_free (grid->cells[i].title);
      grid->cells[i].title = g_strdup ("Modifying the <i>Query</i> with a very small ε");
    }
  grid->row_headings = g_strsplit ("Query|Key|Value", "|", -1);
  grid->column_headings = g_strsplit ("1e-1|1e-2|1e-3", "|", -1);
  g_clear_pointer (&lone->value_label, g_free);
  g_clear_pointer (&grid->value_label, g_free);

  g_autoptr (AttnScene) column = lay_out (lone, &style, 241, 0);
  g_assert_cmpuint (count_role (column, ATTN_MARK_TEXT, "axis-label"), ==, 2);
  g_autoptr (AttnScene) stamp = lay_out (lone, &style, 45, 45);
  g_assert_cmpuint (count_role (stamp, ATTN_MARK_TEXT, "axis-label"), ==, 0);

  for (double width = 100; width < 420; width += 10)
    {
      g_autoptr (AttnScene) headed = lay_out (grid, &style, width, 0);

      if (count_role (headed, ATTN_MARK_TEXT, "heading") == 0 ||
          count_role (headed, ATTN_MARK_TEXT, "row-label") > 0)
        continue;
      n_headed++;
      g_assert_cmpuint (count_role (headed, ATTN_MARK_TEXT, "axis-label"), ==, 0);
    }
  g_assert_cmpuint (n_headed, >, 0);
}

/* In a window "Query" and "Key" stay where the figure leaves some of its height, however low its
 * panels are. */
static void
test_axis_titles_of_low_panels_stay (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 15);

  style.largest_label = style.font_size;
  g_clear_pointer (&grid->value_label, g_free);
  for (double width = 360; width < 640; width += 8)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, width);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "axis-label"), ==, 2);
      check_scene (scene);
    }
}

/* Where numbers have room, every cell has its own: the longest and those below 0, too. */
static void
test_every_cell_has_its_number (void)
{
  const float values[] = { 0.98f, -0.00012f, 1.8e-5f, -0.5f, 0.00055f, -0.04f, 0, 1, 0.123f };
  AttnStyle style = attn_style_default ();
  gsize n_styles[2] = { 0, 0 };

  for (guint is_difference = 0; is_difference < 2; is_difference++)
    for (double width = 120; width < 500; width += 4)
      {
        g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

        grid->cells[0].panel = make_panel (3, 3, values, ATTN_MASK_NONE);
        grid->cells[0].is_difference = is_difference;
        style.low = -1;
        style.tick = 0.5;
        g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
        gsize n = count_role (scene, ATTN_MARK_TEXT, "value");
        double side = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width / 3;

        g_assert_true (n == 0 || n == 9);
        for (gsize i = 0; i < n; i++)
          {
            const AttnMark *mark = find_mark (scene, ATTN_MARK_TEXT, "value", i);

            g_assert_cmpfloat (attn_lettering_measure (style.font_family, mark->markup,
                                                       mark->font_size),
                               <, side);
          }
        if (n > 0)
          n_styles[g_str_equal (find_mark (scene, ATTN_MARK_TEXT, "value", 1)->markup, "0.00")]++;
      }
  /* both the short and the long numbers have been seen */
  g_assert_cmpuint (n_styles[0], >, 0);
  g_assert_cmpuint (n_styles[1], >, 0);
}

/* Numbers that have no room with all their decimals have fewer before they have none. */
static void
test_large_numbers_are_rounded (void)
{
  const float values[] = { 12.34f, 0.56f, 7.89f, 1234.5f };
  static const char * const first[] = { "12.34", "12.3", "12" };
  AttnStyle style = attn_style_default ();
  gsize n_seen[G_N_ELEMENTS (first)] = { 0 };

  style.high = 2000;
  for (double width = 60; width < 300; width += 1)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      grid->cells[0].panel = make_panel (1, 4, values, ATTN_MASK_NONE);
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      const AttnMark *mark = find_mark (scene, ATTN_MARK_TEXT, "value", 0);

      for (gsize i = 0; mark != NULL && i < G_N_ELEMENTS (first); i++)
        n_seen[i] += g_str_equal (mark->markup, first[i]);
      check_scene (scene);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    g_assert_cmpuint (n_seen[i], >, 0);
}

/* A number that is longer than the others makes all of its panel smaller or leaves all out. */
static void
test_numbers_of_a_panel_stay_together (void)
{
  const float values[] = { 1, 123456.7f, 0.5f, -0.25f };
  AttnStyle style = attn_style_default ();
  double smallest = 100;

  style.high = 10;
  for (double width = 60; width < 400; width += 3)
    {
      g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

      grid->cells[0].panel = make_panel (2, 2, values, ATTN_MASK_NONE);
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      gsize n = count_role (scene, ATTN_MARK_TEXT, "value");

      g_assert_true (n == 0 || n == 4);
      for (gsize i = 0; i < n; i++)
        {
          double size = find_mark (scene, ATTN_MARK_TEXT, "value", i)->font_size;

          smallest = MIN (smallest, size);
          g_assert_cmpfloat (size, ==, find_mark (scene, ATTN_MARK_TEXT, "value", 0)->font_size);
        }
    }
  g_assert_cmpfloat (smallest, <, 0.8 * style.font_size);
}

/* All titles of a figure have one size, however narrow it is. */
static void
test_titles_have_one_size (void)
{
  AttnStyle style = attn_style_default ();
  gsize n_seen = 0;

  for (double width = 60; width < 500; width += 10)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 5);

      g_free (grid->cells[0].title);
      grid->cells[0].title = g_strdup ("Sink");
      g_free (grid->cells[2].title);
      grid->cells[2].title = g_strdup ("Duplicate Token (of all weight)");
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      gsize n = count_role (scene, ATTN_MARK_TEXT, "title");

      for (gsize i = 1; i < n; i++)
        g_assert_cmpfloat (find_mark (scene, ATTN_MARK_TEXT, "title", i)->font_size, ==,
                           find_mark (scene, ATTN_MARK_TEXT, "title", 0)->font_size);
      n_seen += n == 3;
    }
  g_assert_cmpuint (n_seen, >, 10);
}

/* Columns that are narrow because the page is low stand apart, so that each has its heading. */
static void
test_columns_stand_apart_for_headings (void)
{
  static const char * const headings[] = { "Baseline", "query mean", "value mean",
                                           "counterfactual" };
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (10, 4, 3);

  grid->row_headings = g_new0 (char *, 11);
  grid->column_headings = g_new0 (char *, 5);
  for (gsize i = 0; i < 10; i++)
    grid->row_headings[i] = g_strdup ("Statistic");
  for (gsize i = 0; i < 4; i++)
    grid->column_headings[i] = g_strdup (headings[i]);
  g_autoptr (AttnScene) wide = lay_out (grid, &style, 700, 450);
  g_autoptr (AttnScene) narrow = lay_out (grid, &style, 140, 450);
  g_assert_cmpuint (count_role (wide, ATTN_MARK_TEXT, "heading"), ==, 14);
  g_assert_cmpuint (count_role (narrow, ATTN_MARK_TEXT, "heading"), <=, 10);
}

/* Small numbers have no exponents beside large ones, and exponents where all are small. */
static void
test_numbers_have_one_notation (void)
{
  const float mixed[16] = { 0.98f, 1e-3f, 1e-7f };
  const float small[16] = { 2e-5f, 1e-6f, 1.2e-7f };
  /* Two decimals of the span of 1 in small cells, three in large ones */
  static const char * const expected[2][2][4] = {
    { { "0.98", "0.00", "0.00", "0.00" }, { "0.980", "0.001", "0.000", "0.000" } },
    { { "2e-5", "1e-6", "1e-7", "0.00" }, { "2.0e-5", "1.0e-6", "1.2e-7", "0.000" } },
  };
  AttnStyle style = attn_style_default ();

  for (guint is_small = 0; is_small < 2; is_small++)
    for (guint is_large = 0; is_large < 2; is_large++)
      {
        g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
        g_autoptr (AttnScene) scene = NULL;

        grid->cells[0].panel = make_panel (4, 4, is_small ? small : mixed, ATTN_MASK_NONE);
        for (double width = is_large ? 500 : 60;
             scene == NULL || count_role (scene, ATTN_MARK_TEXT, "value") < 16; width += 2)
          {
            g_clear_pointer (&scene, attn_scene_free);
            scene = lay_out (grid, &style, width, 0);
          }
        for (guint i = 0; i < 4; i++)
          g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "value", i)->markup, ==,
                           expected[is_small][is_large][i]);
      }
}

/* Many rows make the labels small; columns wide enough for that all keep theirs. */
static void
test_few_columns_of_many_rows_keep_labels (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  gsize n_between = 0;

  grid->cells[0].panel = figure_fixture_panel (32, 14, ATTN_MASK_NONE, figure_fixture_plain_labels,
                                               figure_fixture_n_plain_labels);
  grid->aspect = 1;
  for (double width = 120; width < 241; width += 2)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      const AttnMark *panel = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0);
      const AttnMark *label = find_mark (scene, ATTN_MARK_TEXT, "column-label", 0);
      double pitch = panel->rectangle.width / 14;

      if (label == NULL || pitch < 5 / 0.8 + 0.01)
        continue;
      n_between += pitch < 6 / 0.8;
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 14);
      g_assert_cmpfloat (label->font_size, >=, 5);
      g_assert_cmpfloat (label->font_size, <=, 0.8 * pitch + TOLERANCE);
    }
  g_assert_cmpuint (n_between, >, 0);
}

/* Where the key of two colours is depends on the page alone, not on how many tokens there are. */
static void
test_place_of_key (void)
{
  const gsize n_tokens[] = { 2, 5, 6, 20, 60, 150 };
  const double widths[] = { 170, 241, 510, 0 };

  for (gsize w = 0; w < G_N_ELEMENTS (widths); w++)
    for (gsize i = 0; i < G_N_ELEMENTS (n_tokens); i++)
      {
        g_autoptr (AttnGrid) grid = make_groups (3, n_tokens[i], figure_fixture_plain_labels,
                                                 figure_fixture_n_plain_labels);
        AttnStyle style = attn_style_default ();
        g_autoptr (AttnScene) scene = lay_out (grid, &style, widths[w], 0);
        const AttnRectangle *panel =
            &find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0)->rectangle;
        const AttnRectangle *key = &find_mark (scene, ATTN_MARK_RECTANGLE, "key", 0)->rectangle;
        gboolean is_below = widths[w] > 0 && widths[w] < 300;

        if (is_below)
          g_assert_cmpfloat (key->y, >, panel->y + panel->height);
        else
          g_assert_cmpfloat (key->x, >, panel->x + panel->width);
      }
}

/* On every colour of every map, the number in a cell has a contrast of 4.5 to 1 at least, and the
 * other of black and white would stand out less: two colours as light as one another have the same
 * ink. The threshold is rounded to a thousandth, which is 2 % of the contrast there. */
static void
test_numbers_stand_out (void)
{
  float values[256];
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);

  for (guint i = 0; i < 256; i++)
    values[i] = i / 255.0f;
  grid->cells[0].panel = make_panel (16, 16, values, ATTN_MASK_NONE);
  for (style.colormap = 0; style.colormap < ATTN_N_COLORMAPS; style.colormap++)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, 900, 900);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "value"), ==, 256);
      for (gsize i = 0; i < 256; i++)
        {
          AttnRgb ink = find_mark (scene, ATTN_MARK_TEXT, "value", i)->color;
          double a = get_luminance (ink);
          double b = get_luminance (get_cell_color (scene, 0, i / 16, i % 16));

          double contrast = (MAX (a, b) + 0.05) / (MIN (a, b) + 0.05);

          g_assert_cmpfloat (contrast, >=, 4.5);
          g_assert_cmpfloat (contrast, >=, 0.98 * MAX (1.05 / (b + 0.05), (b + 0.05) / 0.05));
        }
    }
}

static void
assert_left_out (AttnGrid        *grid,
                 const AttnStyle *style,
                 double           width,
                 const char      *expected)
{
  g_autoptr (AttnScene) scene = lay_out (grid, style, width, 0);
  g_autofree char *list = attn_scene_list_left_out (scene, TRUE);

  g_assert_cmpstr (list, ==, expected);
  g_assert_cmpfloat (attn_scene_get_smallest_text (scene), >=, 5);
}

/* What the style asks for and is not there is named, and nothing else. */
static void
test_what_is_left_out_is_named (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  g_autoptr (AttnGrid) one = figure_fixture_grid (1, 1, 15);
  g_autoptr (AttnGrid) many = figure_fixture_grid (1, 1, 120);
  AttnStyle style = attn_style_default ();

  assert_left_out (one, &style, 600, NULL);
  assert_left_out (one, &style, 241, "numbers in the cells");
  style.shows_values = FALSE;
  assert_left_out (one, &style, 241, NULL);
  assert_left_out (many, &style, 241, "some of the token labels");
  assert_left_out (grid, &style, 80,
                   "titles, the caption, token labels, the names of the axes");
  assert_left_out (grid, &style, 120, "token labels, the ends of long texts");
  style.shows_tokens = FALSE;
  assert_left_out (grid, &style, 80, "titles, the caption");
}

/* Headings say what the usual titles say. Titles that the user wrote may say something else, so
 * that it is said where headings take their place. */
static void
test_lost_titles_of_the_user_are_said (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  gsize n_headed = 0;

  grid->row_headings = g_strsplit ("Input 1,Input 2,Input 3", ",", -1);
  grid->column_headings = g_strsplit ("Query,Key,Value", ",", -1);
  for (double width = 120; width < 600; width += 20)
    {
      grid->has_own_titles = FALSE;
      g_autoptr (AttnScene) usual = lay_out (grid, &style, width, 0);
      g_autofree char *left_out = attn_scene_list_left_out (usual, FALSE);
      g_assert_true (left_out == NULL || strstr (left_out, "titles") == NULL);

      grid->has_own_titles = TRUE;
      g_autoptr (AttnScene) scene = lay_out (grid, &style, width, 0);
      g_autofree char *list = attn_scene_list_left_out (scene, FALSE);
      gboolean has_titles = count_role (scene, ATTN_MARK_TEXT, "title") > 0;
      g_assert_true ((list != NULL && g_str_has_prefix (list, "your own titles")) == !has_titles);
      n_headed += !has_titles;
    }
  g_assert_cmpuint (n_headed, >, 0);
}

/* Where one side has no labels at all, it is said which. */
static void
test_labels_of_one_side_are_said (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 8);
  AttnStyle style = attn_style_default ();
  gsize n_one_sided = 0;

  style.largest_label = style.font_size;
  for (double height = 40; height < 300; height += 2)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, 400, height);
      g_autofree char *list = attn_scene_list_left_out (scene, FALSE);

      if ((count_role (scene, ATTN_MARK_TEXT, "row-label") > 0) ==
          (count_role (scene, ATTN_MARK_TEXT, "column-label") > 0))
        continue;
      n_one_sided++;
      g_assert_nonnull (list);
      g_assert_nonnull (strstr (list, count_role (scene, ATTN_MARK_TEXT, "row-label") > 0
                                          ? "the labels of the columns"
                                          : "the labels of the rows"));
      g_assert_null (strstr (list, "some of the token labels"));
    }
  g_assert_cmpuint (n_one_sided, >, 0);
}

/* A figure of one row is no higher than its panels and the words around them need, at any width. */
static void
test_a_row_keeps_its_proportions (void)
{
  const double widths[] = { 241, 323, 510, 0 };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 15);
  AttnStyle style = attn_style_default ();

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &style, widths[i], 0);
      const AttnRectangle *panel =
          &find_mark (scene, ATTN_MARK_HEATMAP, "cells", 2)->rectangle;

      g_assert_cmpfloat_with_epsilon (panel->width, panel->height, TOLERANCE);
      g_assert_cmpfloat (3 * panel->width, >, 0.5 * scene->width);
      g_assert_cmpfloat (scene->height, <, panel->height + 15 * style.font_size);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/narrow/tokens-of-the-diagram-are-cut",
                   test_tokens_of_the_diagram_are_cut);
  g_test_add_func ("/figure/narrow/column-of-a-paper-has-labels",
                   test_column_of_a_paper_has_labels);
  g_test_add_func ("/figure/narrow/slivers-join", test_slivers_join);
  g_test_add_func ("/figure/narrow/columns-beside-a-diagram-keep-labels",
                   test_columns_beside_a_diagram_keep_labels);
  g_test_add_func ("/figure/narrow/key-of-level-bars", test_key_of_level_bars);
  g_test_add_func ("/figure/narrow/level-ticks-are-even", test_level_ticks_are_even);
  g_test_add_func ("/figure/narrow/axis-titles-go", test_axis_titles_go);
  g_test_add_func ("/figure/narrow/columns-stand-apart-for-headings",
                   test_columns_stand_apart_for_headings);
  g_test_add_func ("/figure/narrow/titles-have-one-size", test_titles_have_one_size);
  g_test_add_func ("/figure/narrow/numbers-of-a-panel-stay-together",
                   test_numbers_of_a_panel_stay_together);
  g_test_add_func ("/figure/narrow/every-cell-has-its-number", test_every_cell_has_its_number);
  g_test_add_func ("/figure/narrow/numbers-have-one-notation", test_numbers_have_one_notation);
  g_test_add_func ("/figure/narrow/few-columns-of-many-rows-keep-labels",
                   test_few_columns_of_many_rows_keep_labels);
  g_test_add_func ("/figure/narrow/place-of-key", test_place_of_key);
  g_test_add_func ("/figure/narrow/numbers-stand-out", test_numbers_stand_out);
  g_test_add_func ("/figure/narrow/what-is-left-out-is-named", test_what_is_left_out_is_named);
  g_test_add_func ("/figure/narrow/lost-titles-of-the-user-are-said",
                   test_lost_titles_of_the_user_are_said);
  g_test_add_func ("/figure/narrow/labels-of-one-side-are-said", test_labels_of_one_side_are_said);
  g_test_add_func ("/figure/narrow/axis-titles-of-low-panels-stay",
                   test_axis_titles_of_low_panels_stay);
  g_test_add_func ("/figure/narrow/large-numbers-are-rounded", test_large_numbers_are_rounded);
  g_test_add_func ("/figure/narrow/a-row-keeps-its-proportions",
                   test_a_row_keeps_its_proportions);
  return g_test_run ();
}
