/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where words are in a figure: labels, titles, headings and captions. */

#include "config.h"

#include <string.h>
#include <time.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "figure-fixture.h"

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
      for (gsize i = 0; i < scene->marks->len; i++)
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
      for (gsize k = 0; k < scene->marks->len; k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (!g_str_equal (mark->role, "heading") || mark->anchor != ATTN_ANCHOR_MIDDLE)
            continue;
          g_assert_cmpfloat (mark->angle, ==, 0); /* short ones of rows stand level */
          double half =
              attn_lettering_measure (style.font_family, mark->markup, mark->font_size) / 2;
          g_assert_cmpfloat (mark->rectangle.x - half, >=, end);
          end = mark->rectangle.x + half;
        }
      g_assert_cmpfloat (end, <=, scene->width + 1e-6);
    }
  style.shows_titles = FALSE;
  g_autoptr (AttnScene) without = attn_layout_figure (grid, &style, &viewport, 150, 0);
  g_assert_cmpuint (count_role (without, ATTN_MARK_TEXT, "heading"), ==, 0);
}

/* Letters that no font has are known, once each, and only they: these are no letters at all. */
static void
test_unknown_letters_are_listed (void)
{
  static const struct
  {
    const char *caption;
    const char *list;
  } cases[] = {
    { "Known <i>a&amp;b</i> é", NULL },
    { "a <i>\u0378</i> b \u0379\u0378", "U+0378 U+0379" },
    { "\u0378\u0379\u0380\u0381\u0382\u0383\u038b\u038d\u03a2",
      "U+0378 U+0379 U+0380 U+0381 U+0382 U+0383 U+038B U+038D …" },
  };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 4);

      g_free (grid->caption);
      grid->caption = g_strdup (cases[i].caption);
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_autofree char *list = attn_lettering_list_unknown (scene);
      g_assert_cmpstr (list, ==, cases[i].list);
    }
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
                            "relative to the largest shown in its layer");
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, widths[i], 0);
      g_autoptr (GString) all = g_string_new (NULL);
      gsize n_lines = 0;
      double bottom = 0;

      for (gsize k = 0; k < scene->marks->len; k++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, k);

          if (!g_str_equal (mark->role, "caption"))
            continue;
          double half =
              attn_lettering_measure (style.font_family, mark->markup, mark->font_size) / 2;
          g_assert_cmpfloat (mark->rectangle.x - half, >=, 0);
          g_assert_cmpfloat (mark->rectangle.x + half, <=, scene->width);
          g_assert_cmpfloat (mark->rectangle.y, >=, bottom + mark->font_size);
          bottom = mark->rectangle.y;
          g_string_append_printf (all, "%s%s", n_lines > 0 ? " " : "", mark->markup);
          n_lines++;
        }
      g_assert_cmpfloat (bottom, <, scene->height);
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
      for (gsize k = 0; k < scene->marks->len; k++)
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

/* A line of a caption begins with no sign and no unit, and ends with no sign, at any width at which
 * what belongs together has room; the words themselves stay as they are. */
static void
test_lines_of_captions_tear_nothing_apart (void)
{
  static const char * const captions[] = {
    "Logit Difference: “␣Paris” − “␣Rome”, Last at “␣is”. Bars: Effect on the Prediction",
    "Modifying Value of Layer 1 with ε = 1e-3, KL 0.25 bits, a Share of 40 %, and 3.5 nats.",
    "Wert in Schicht 1 mal ε = 0,001 – KL 0,25 bits, zu 40 % vom Sink, “␣der” − “␣die”",
    "Valeur × ε = 0,001 : KL de 0,25 bits, soit 40 % du puits, “␣le” − “␣la” ≥ 3 nats",
    "Valor por ε = 0,001 — KL de 0,25 bits, un 40 % del sumidero, “␣el” − “␣la” &lt; 3 nats",
    "層 1 の値に ε = 0.001 を掛ける。 KL 0.25 bits 、 40 % 、 “␣東京” − “␣京都” の差",
    "第 1 层的值乘以 ε = 0.001 ， KL 0.25 bits ， 占 40 % ， “␣北京” − “␣上海” 之差",
  };
  static const char * const glued[] = { "− ", "= ", "× ", "&lt; ", "≥ ", "– ", "— ",
                                        "% ", "bits", "nats" };
  AttnStyle style = attn_style_default ();
  gsize n_lines = 0;
  gsize n_calls = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (captions); i++)
    for (double width = 130; width < 500; width += 7, n_calls++)
      {
        g_auto (GStrv) lines =
            attn_lettering_wrap (style.font_family, captions[i], 10, width, 20);
        g_autofree char *joined = g_strjoinv (" ", lines);

        g_assert_cmpstr (joined, ==, captions[i]);
        for (gsize line = 0; lines[line] != NULL; line++, n_lines++)
          {
            g_assert_cmpfloat (attn_lettering_measure (style.font_family, lines[line], 10), <=,
                               width * 1.001);
            for (gsize k = 0; k < G_N_ELEMENTS (glued) && line > 0; k++)
              g_assert_false (g_str_has_prefix (lines[line], glued[k]));
            for (gsize k = 0; k < 5; k++)
              {
                g_autofree char *end = g_strchomp (g_strdup (glued[k]));

                g_assert_true (lines[line + 1] == NULL || !g_str_has_suffix (lines[line], end));
              }
          }
      }
  g_assert_cmpuint (n_lines, >, n_calls); /* some are broken */
  /* What has no room as a whole is torn apart rather than cut. */
  g_auto (GStrv) narrow = attn_lettering_wrap (style.font_family, "“␣Paris” − “␣Rome”", 10, 60, 20);
  g_assert_cmpuint (g_strv_length (narrow), ==, 2);
  g_assert_null (strstr (narrow[0], "…"));
}

/* Few columns have all their headings, if need be on some lines, or none. */
static void
test_few_headings_are_complete (void)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 3, 15);
  gsize n_wrapped = 0;

  grid->column_headings = g_strsplit ("Baseline|Modified|Modified − Baseline", "|", -1);
  for (double width = 60; width < 400; width += 20)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, width, 0);
      gsize n = count_role (scene, ATTN_MARK_TEXT, "heading");

      g_assert_true (n == 0 || (n >= 3 && n <= 5));
      /* The page is as high as it needs: the caption stays longer than anything else. */
      if (width >= 140)
        g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "caption"), >, 0);
      n_wrapped += n == 4;
      for (gsize k = 0; k < scene->marks->len; k++)
        if (g_str_equal (attn_scene_get_mark (scene, k)->role, "heading"))
          g_assert_null (strstr (attn_scene_get_mark (scene, k)->markup, "…"));
    }
  g_assert_cmpuint (n_wrapped, >, 0);
}

/* Conditions of a survey that say much: the columns stand as far apart as their headings need. */
static void
test_long_headings_are_complete (void)
{
  static const char * const headings[] = {
    "Baseline",
    "scores cut, keys 0",
    "key patch from input 1, positions 2=3",
    "residual patch from input 1, positions 1-3=1-3",
    "query mean feature",
    "value zero, tokens 0",
    NULL,
  };
  const struct
  {
    double width;
    double height;
  } pages[] = { { 0, 0 }, { 900, 0 }, { 970, 620 } };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = figure_fixture_grid (4, 6, 4);

  grid->column_headings = g_strdupv ((char **) headings);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &fit, pages[i].width, pages[i].height);

      g_test_message ("%g x %g", pages[i].width, pages[i].height);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "heading") +
                            count_role (scene, ATTN_MARK_TEXT, "title"),
                        >=, 6);
      for (gsize k = 0; k < scene->marks->len; k++)
        if (g_str_equal (attn_scene_get_mark (scene, k)->role, "heading"))
          g_assert_null (strstr (attn_scene_get_mark (scene, k)->markup, "…"));
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
      g_assert_cmpfloat_with_epsilon (tick->font_size, sizes[i], LAYOUT_TOLERANCE);
    }
}

static double
measure_all (gsize n)
{
  struct timespec start, end;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &start);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = g_strdup_printf ("token-%zu", i);

      g_assert_cmpfloat (attn_lettering_measure ("Sans", text, 10), >, 0);
    }
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &end);
  return end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec);
}

/* Nine inputs of 1,024 tokens: the next layout measures none of them again. */
static void
test_widths_are_remembered (void)
{
  const gsize n = 9 * 1024;
  double first = measure_all (n);

  g_assert_cmpfloat (measure_all (n), <, first / 3);
}

/* The same text, however it is written: with a parser or, where nothing asks for one, without. */
static void
test_markup_is_normalized (void)
{
  static const struct
  {
    const char *markup;
    const char *expected;
    const char *middle; /* of two characters behind the first */
  } cases[] = {
    { "plain > text", "plain &gt; text", "la" },
    { "two\r\nlines\tand\na tab", "two lines and a tab", "wo" },
    { "␣Paris\u2028", "␣Paris ", "Pa" },
    { "bad \xff \x01", "bad \uFFFD \uFFFD", "ad" },
    { "R &amp; D", "R &amp; D", " &amp;" },
    { "a <i>b &lt; c</i> <b>d</b>", "a <i>b &lt; c</i> d", " <i>b</i>" },
    { "a < b & c", "a &lt; b &amp; c", " &lt;" },
    { "", "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *normal = attn_markup_normalize (cases[i].markup);
      g_autoptr (GPtrArray) runs = attn_markup_parse (cases[i].markup);
      g_autofree char *middle = attn_markup_slice (runs, 1, 2);
      g_autofree char *behind = attn_markup_slice (runs, 100, 2);

      g_assert_cmpstr (normal, ==, cases[i].expected);
      g_assert_cmpstr (middle, ==, cases[i].middle);
      g_assert_cmpstr (behind, ==, "");
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/layout/unknown-letters-are-listed", test_unknown_letters_are_listed);
  g_test_add_func ("/figure/layout/labels-are-thinned-out", test_labels_are_thinned_out);
  g_test_add_func ("/figure/layout/hidden-labels-take-no-room", test_hidden_labels_take_no_room);
  g_test_add_func ("/figure/layout/long-labels-are-not-thinned-out",
                   test_long_labels_are_not_thinned_out);
  g_test_add_func ("/figure/layout/axis-titles", test_axis_titles);
  g_test_add_func ("/figure/layout/headings", test_headings);
  g_test_add_func ("/figure/layout/long-caption-is-wrapped", test_long_caption_is_wrapped);
  g_test_add_func ("/figure/layout/lines-of-captions-tear-nothing-apart",
                   test_lines_of_captions_tear_nothing_apart);
  g_test_add_func ("/figure/layout/long-labels-use-the-page", test_long_labels_use_the_page);
  g_test_add_func ("/figure/layout/high-panel-keeps-its-labels", test_high_panel_keeps_its_labels);
  g_test_add_func ("/figure/layout/few-headings-are-complete", test_few_headings_are_complete);
  g_test_add_func ("/figure/layout/long-headings-are-complete", test_long_headings_are_complete);
  g_test_add_func ("/figure/layout/text-of-narrow-pages", test_text_of_narrow_pages);
  g_test_add_func ("/figure/labels/markup-is-normalized", test_markup_is_normalized);
  g_test_add_func ("/figure/lettering/widths-are-remembered", test_widths_are_remembered);
  return g_test_run ();
}
