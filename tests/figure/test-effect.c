/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table below panels, bars beside them, curves below all. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-contrast.h"
#include "attn-layout.h"
#include "attn-left-out.h"
#include "attn-lettering.h"
#include "attn-svg.h"
#include "figure-fixture.h"

#define N_TOKENS 6

static GStrv
make_texts (const char *first,
            const char *second)
{
  const char *texts[] = { first, second, NULL };

  return g_strdupv ((char **) texts);
}

static AttnGrid *
make_grid (gsize n_rows,
           gsize n_columns)
{
  AttnGrid *grid = figure_fixture_grid (n_rows, n_columns, N_TOKENS);

  grid->number_names = make_texts ("KL (bits)", "Loss (bits)");
  grid->n_strip_columns = 2;
  grid->has_chart = TRUE;
  for (gsize i = 0; i < n_rows * n_columns; i++)
    {
      AttnBars *bars = attn_bars_new (N_TOKENS, 2);

      grid->cells[i].numbers = make_texts ("7.541", "1.85 → 2.04");
      grid->cells[i].strip = bars;
      bars->columns[0].name = g_strdup ("KL (bits)");
      bars->columns[1].name = g_strdup ("Loss (bits)");
      bars->columns[1].ticks = g_new0 (double, N_TOKENS);
      for (gsize row = 0; row < N_TOKENS; row++)
        {
          bars->columns[0].bars[row] = row;
          bars->columns[1].bars[row] = row + 1 < N_TOKENS ? 1.0 - row : NAN;
          bars->columns[1].ticks[row] = 0.5;
        }
    }
  AttnChart *chart = attn_chart_new (3, 2, 1);

  attn_grid_add_chart (grid, chart);
  chart->x_title = g_strdup ("ε");
  chart->titles[0] = g_strdup ("Sink Score");
  chart->titles[1] = g_strdup ("KL (bits)");
  chart->marks[0] = 0.01;
  for (gsize i = 0; i < 3; i++)
    {
      chart->x[i] = pow (10, -(double) i);
      chart->curves[0].values[i] = 1 - i / 4.0;
      chart->curves[1].values[i] = i;
    }
  chart->curves[1].is_right = TRUE;
  return grid;
}

static gboolean
has_text_with (const AttnScene *scene,
               const char      *part)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_TEXT && strstr (mark->markup, part) != NULL)
        return TRUE;
    }
  return FALSE;
}

static AttnScene *
lay_out (AttnGrid           *grid,
         const AttnViewport *viewport,
         double              width,
         double              height)
{
  const AttnStyle style = attn_style_default ();
  AttnScene *scene = attn_layout_figure (grid, &style, viewport, width, height);

  check_scene (scene);
  return scene;
}

/* Bars stand beside the rows that they are of, as long as their values; what is not a number has
 * none. */
static void
test_bars_are_beside_rows (void)
{
  g_autoptr (AttnGrid) grid = make_grid (1, 1);
  g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 0, 0);
  const AttnRectangle panel = attn_scene_get_heatmap (scene, 0)->rectangle;
  double pitch = panel.height / N_TOKENS;

  g_assert_cmpuint (count_role (scene, ATTN_MARK_RECTANGLE, "bar"), ==, 5 + 4);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_LINE, "bar-tick"), ==, N_TOKENS);
  const AttnMark *first = find_mark (scene, ATTN_MARK_RECTANGLE, "bar", 0);
  for (gsize i = 0; i < 5; i++)
    {
      const AttnRectangle *bar = &find_mark (scene, ATTN_MARK_RECTANGLE, "bar", i)->rectangle;

      g_assert_cmpfloat (bar->x, >, panel.x + panel.width);
      g_assert_cmpfloat_with_epsilon (bar->width, (i + 1) * first->rectangle.width, 1e-6);
      g_assert_cmpfloat_with_epsilon (bar->y + bar->height / 2, panel.y + (i + 1.5) * pitch, 1e-6);
    }
  /* Below 0 a bar ends at the line from which others begin. */
  const AttnRectangle *above = &find_mark (scene, ATTN_MARK_RECTANGLE, "bar", 5)->rectangle;
  const AttnRectangle *below = &find_mark (scene, ATTN_MARK_RECTANGLE, "bar", 6)->rectangle;
  g_assert_cmpfloat_with_epsilon (below->x + below->width, above->x, 1e-6);
  /* The lines of the bars are no ticks of labels that are left out. */
  g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);
  g_assert_true (left_out == NULL || strstr (left_out, "token labels") == NULL);
}

/* The bars show the rows that the panel shows, on the same axis. */
static void
test_bars_zoom_with_the_panel (void)
{
  const AttnViewport lower = { 0, 0.5, 1, 0.5 };
  g_autoptr (AttnGrid) grid = make_grid (1, 1);
  g_autoptr (AttnScene) whole = lay_out (grid, &ATTN_VIEWPORT_FIT, 0, 0);
  g_autoptr (AttnScene) scene = lay_out (grid, &lower, 0, 0);
  const AttnRectangle panel = attn_scene_get_heatmap (scene, 0)->rectangle;
  const AttnRectangle *bar = &find_mark (scene, ATTN_MARK_RECTANGLE, "bar", 0)->rectangle;

  g_assert_cmpfloat_with_epsilon (bar->y + bar->height / 2, panel.y + panel.height / 6, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      bar->width, find_mark (whole, ATTN_MARK_RECTANGLE, "bar", 2)->rectangle.width, 1e-6);
}

/* Nothing stands over anything, in a grid and on pages of all sizes; where there is no room for
 * bars and curves there are none, and the panels have it. */
static void
test_fits_pages (void)
{
  static const double widths[] = { 0, 1200, 700, 420, 240, 160 };
  static const double heights[] = { 0, 800, 560, 300, 0, 120 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    for (gsize n = 1; n <= 3; n++)
      {
        g_autoptr (AttnGrid) grid = make_grid (n, n);
        g_autoptr (AttnScene) scene =
            lay_out (grid, &ATTN_VIEWPORT_FIT, widths[i], heights[i]);

        g_assert_true (i >= 2 || count_role (scene, ATTN_MARK_CURVE, "curve") != 0);
        if (i == 5)
          g_assert_cmpuint (count_role (scene, ATTN_MARK_RECTANGLE, "bar"), ==, 0);
      }
}

/* Numbers of a panel end at one line below it, those of a quantity stand on one line across the
 * panels, with its name at the left; nothing is cut, and nothing is too small to be read. */
static void
test_numbers_are_a_table (void)
{
  static const double widths[] = { 0, 241, 340, 510 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (AttnGrid) grid = make_grid (2, 3);
      grid->n_strip_columns = 0;
      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, widths[i], 0);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "number-name"), ==, 2 * 2);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "numbers"), ==, 2 * 3 * 2);
      for (gsize panel = 0; panel < 6; panel++)
        {
          const AttnMark *kl = find_mark (scene, ATTN_MARK_TEXT, "numbers", 2 * panel);
          const AttnMark *loss = find_mark (scene, ATTN_MARK_TEXT, "numbers", 2 * panel + 1);
          const AttnMark *name =
              find_mark (scene, ATTN_MARK_TEXT, "number-name", panel / 3 * 2 + 1);

          g_assert_cmpstr (loss->markup, ==, "1.85 → 2.04");
          g_assert_cmpstr (name->markup, ==, "Loss (bits)");
          g_assert_cmpfloat (kl->rectangle.x, ==, loss->rectangle.x);
          g_assert_cmpfloat (name->rectangle.y, ==, loss->rectangle.y);
          g_assert_cmpfloat (name->rectangle.x, <, loss->rectangle.x);
          g_assert_cmpfloat (loss->font_size, >=, 5);
        }
    }
}

/* Where a change is too wide for its panel, it goes on in another line. */
static void
test_wide_changes_are_broken (void)
{
  g_autoptr (AttnGrid) grid = make_grid (1, 4);

  grid->n_strip_columns = 0;
  for (gsize i = 0; i < 4; i++)
    {
      g_strfreev (grid->cells[i].numbers);
      grid->cells[i].numbers = make_texts ("0.541", "0.00185 → 0.00204");
    }
  g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 241, 0);
  g_assert_true (has_text (scene, "0.00185 →"));
  g_assert_true (has_text (scene, "0.00204"));
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "number-name"), ==, 2);
}

/* Panels too small for any number have none, and that is said. */
static void
test_no_room_is_said (void)
{
  g_autoptr (AttnGrid) grid = make_grid (2, 12);

  grid->n_strip_columns = 0;
  g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 241, 0);
  g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "numbers"), ==, 0);
  g_assert_nonnull (strstr (left_out, "numbers below the panels"));
}

/* The caption speaks of bars where there are bars. */
static void
test_caption_names_bars_that_are_there (void)
{
  g_autoptr (AttnGrid) grid = make_grid (1, 1);

  grid->bars_note = g_strdup ("Bars: Effect");
  g_autoptr (AttnScene) wide = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
  g_autoptr (AttnScene) narrow = lay_out (grid, &ATTN_VIEWPORT_FIT, 200, 0);
  g_assert_cmpuint (count_role (wide, ATTN_MARK_RECTANGLE, "bar"), >, 0);
  g_assert_cmpuint (count_role (narrow, ATTN_MARK_RECTANGLE, "bar"), ==, 0);
  g_assert_true (has_text_with (wide, "Bars"));
  g_assert_false (has_text_with (narrow, "Bars"));
}

/* Several curves are named above their chart, where no curve is: those that nobody could tell apart
 * together, and so many that they have no colours of their own by their number. */
static void
test_curves_have_a_key (void)
{
  static const char * const names[] = { "Query", "Key", "Value" };

  for (gsize n = 3; n <= 30; n += 27)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, N_TOKENS);
      AttnChart *chart = attn_chart_new (3, 2 * n, 0);

      chart->x_title = g_strdup ("ε");
      chart->titles[0] = g_strdup ("Sink Score");
      chart->titles[1] = g_strdup ("KL (bits)");
      for (gsize i = 0; i < 2 * n; i++)
        {
          AttnCurve *curve = &chart->curves[i];
          gsize which = i / 2;

          curve->key = which < 3 ? g_strdup (names[which]) : g_strdup_printf ("L0 H%zu", which);
          curve->is_right = i % 2;
          /* Key is as Query, to the eye. */
          for (gsize j = 0; j < 3; j++)
            curve->values[j] = (which == 1 ? 0.0001 : (double) which / n) + 0.1 * j;
        }
      for (gsize j = 0; j < 3; j++)
        chart->x[j] = pow (10, (double) j - 2);
      attn_grid_add_chart (grid, chart);
      for (double width = 240; width <= 510; width += 90)
        {
          g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, width, 0);
          gsize n_lines = count_role (scene, ATTN_MARK_LINE, "key-line");
          const AttnMark *curve = find_mark (scene, ATTN_MARK_CURVE, "curve", 0);

          g_assert_nonnull (curve);
          g_assert_cmpuint (n_lines, ==, n == 3 ? 2 : 0);
          g_assert_true (has_text (scene, n == 3 ? "Query, Key" : "A curve for each of 30 panels"));
          g_assert_true (has_text (scene, "Value") == (n == 3));
          /* Each has the colour of its place among all. */
          if (n == 3)
            {
              AttnRgb color = attn_style_get_distinct (&scene->style, 2);
              const AttnMark *value = find_mark (scene, ATTN_MARK_LINE, "key-line", 1);

              g_assert_cmpmem (&value->color, sizeof color, &color, sizeof color);
            }
          for (guint i = 0; i < scene->marks->len; i++)
            {
              const AttnMark *mark = attn_scene_get_mark (scene, i);
              const AttnMark *key = find_mark (scene, ATTN_MARK_TEXT, "key", 0);

              for (gsize j = 0; mark->kind == ATTN_MARK_CURVE && j < mark->n_points; j++)
                g_assert_cmpfloat (mark->points[j].y, >, key->rectangle.y);
            }
        }
    }
}

/* A curve is one mark from end to end, with a gap where it has no value; drawn in pieces, it would
 * show its seams. */
static void
test_curve_is_one_mark (void)
{
  const AttnSvgOptions options = { 0 };
  g_autoptr (AttnGrid) grid = make_grid (1, 1);
  AttnChart *chart = grid->charts->pdata[0];

  chart->curves[0].values[1] = NAN;
  g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_CURVE, "curve"), ==, 2);
  /* The samples beside the titles of the axes. */
  g_assert_cmpuint (count_role (scene, ATTN_MARK_LINE, "curve"), ==, 2);
  for (gsize i = 0; i < 2; i++)
    {
      const AttnMark *curve = find_mark (scene, ATTN_MARK_CURVE, "curve", i);

      g_assert_cmpuint (curve->n_points, ==, chart->n);
      for (gsize j = 0; j < chart->n; j++)
        g_assert_true (isnan (curve->points[j].y) == (i == 0 && j == 1));
    }
  g_autoptr (GBytes) svg = attn_svg_write (scene, &options, NULL, NULL, NULL);
  g_autoptr (GString) text =
      g_string_new_len (g_bytes_get_data (svg, NULL), (gssize) g_bytes_get_size (svg));
  g_assert_cmpuint (g_string_replace (text, "<path class=\"curve\" d=\"M", "", 0), ==, 2);
  g_assert_cmpuint (g_string_replace (text, "fill=\"none\" stroke-linejoin=\"round\"", "", 0), ==,
                    2);
}

/* Numbers of many digits beside a chart stand between it and the title of their axis. */
static void
test_long_numbers_have_room (void)
{
  static const double largest[] = { 0.0025, 12345.0 };

  for (gsize i = 0; i < G_N_ELEMENTS (largest); i++)
    {
      g_autoptr (AttnGrid) grid = make_grid (1, 1);
      AttnChart *chart = grid->charts->pdata[0];

      for (gsize j = 0; j < chart->n; j++)
        chart->curves[1].values[j] = largest[i] * (double) j / (double) (chart->n - 1);
      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
      check_scene (scene);
    }
}

/* A curve with a legend that has one value is a point. */
static void
test_lone_value_is_seen (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, N_TOKENS);
  AttnChart *chart = attn_chart_new (4, 1, 0);

  chart->is_linear = chart->has_legend = TRUE;
  chart->x_title = g_strdup ("Layer");
  chart->titles[0] = g_strdup ("Rate");
  chart->curves[0].name = g_strdup ("All");
  for (gsize i = 0; i < 4; i++)
    {
      chart->x[i] = (double) i;
      chart->curves[0].values[i] = i == 2 ? 0.5 : NAN;
    }
  grid->has_chart = TRUE;
  attn_grid_add_chart (grid, chart);
  g_autoptr (AttnScene) lone = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
  g_assert_cmpuint (count_role (lone, ATTN_MARK_RECTANGLE, "curve"), ==, 1);
  /* Two are joined over what lies between. */
  chart->curves[0].values[0] = 0.25;
  g_autoptr (AttnScene) two = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
  g_assert_cmpuint (count_role (two, ATTN_MARK_RECTANGLE, "curve"), ==, 0);
  g_assert_cmpuint (find_mark (two, ATTN_MARK_CURVE, "curve", 0)->n_points, ==, 2);
}

/* The numbers beside curves above 1 are round: each stands where its value is. */
static void
test_numbers_of_an_axis_are_round (void)
{
  static const struct
  {
    double highest;
    const char *numbers[5];
  } axes[] = { { 2.17, { "0", "1", "2", "3" } },
               { 55.17, { "0", "20", "40", "60" } },
               { 0.5, { "0", "0.5", "1" } } };

  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, N_TOKENS);
      AttnChart *chart = attn_chart_new (2, 1, 0);
      gsize n = 0;

      chart->is_linear = TRUE;
      chart->x_title = g_strdup ("Layer");
      chart->titles[0] = g_strdup ("Norm");
      chart->x[1] = 5;
      chart->curves[0].values[1] = axes[i].highest;
      grid->has_chart = TRUE;
      attn_grid_add_chart (grid, chart);
      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
      const AttnMark *curve = find_mark (scene, ATTN_MARK_CURVE, "curve", 0);
      double bottom = curve->points[0].y, top = curve->points[1].y;
      for (gsize mark = 0; mark < scene->marks->len; mark++)
        {
          const AttnMark *text = attn_scene_get_mark (scene, mark);
          double middle = text->rectangle.y - text->font_size * ATTN_LETTERING_DIGIT_MIDDLE;

          if (text->kind != ATTN_MARK_TEXT || text->anchor != ATTN_ANCHOR_END ||
              text->group >= 0 || text->rectangle.y > bottom + text->font_size)
            continue;
          g_assert_cmpstr (text->markup, ==, axes[i].numbers[n++]);
          g_assert_cmpfloat_with_epsilon ((bottom - middle) / (bottom - top) * axes[i].highest,
                                          g_ascii_strtod (text->markup, NULL), 1e-6);
        }
      g_assert_null (axes[i].numbers[n]);
    }
}

static gboolean
look_alike (const AttnMark *a,
            const AttnMark *b)
{
  return memcmp (&a->color, &b->color, sizeof a->color) == 0 &&
         memcmp (a->dashes, b->dashes, sizeof a->dashes) == 0;
}

/* No two entries of a key look alike, however many panels there are, and each looks like its
 * curves. */
static void
test_no_two_curves_look_alike (void)
{
  const gsize n = 2 * ATTN_N_DISTINCT + 1;
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, N_TOKENS);
  AttnChart *chart = attn_chart_new (2, n, 0);
  gsize n_dashed = 0;

  chart->x_title = g_strdup ("ε");
  chart->titles[0] = g_strdup ("Sink Score");
  for (gsize i = 0; i < n; i++)
    {
      chart->curves[i].key = g_strdup_printf ("H%zu", i);
      /* Entries are the first, second and last of each round of colours, and what they resemble. */
      for (gsize j = 0; j < 2; j++)
        chart->curves[i].values[j] =
            i % ATTN_N_DISTINCT == 0   ? 0.1 + 0.2 * (double) (i / ATTN_N_DISTINCT)
            : i % ATTN_N_DISTINCT == 1 ? 0.7 + 0.1 * (double) (i / ATTN_N_DISTINCT)
                                       : 1;
    }
  chart->x[0] = 0.1;
  chart->x[1] = 1;
  grid->has_chart = TRUE;
  attn_grid_add_chart (grid, chart);
  g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 510, 0);
  gsize n_entries = count_role (scene, ATTN_MARK_LINE, "key-line");
  g_assert_cmpuint (n_entries, ==, 6);
  for (gsize i = 0; i < n_entries; i++)
    {
      const AttnMark *entry = find_mark (scene, ATTN_MARK_LINE, "key-line", i);

      n_dashed += entry->dashes[0] > 0;
      for (gsize j = 0; j < i; j++)
        g_assert_false (look_alike (entry, find_mark (scene, ATTN_MARK_LINE, "key-line", j)));
    }
  g_assert_cmpuint (n_dashed, ==, 3);
  static const gsize entries[] = { 0, 3, 5 };
  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    g_assert_true (look_alike (find_mark (scene, ATTN_MARK_CURVE, "curve", i * ATTN_N_DISTINCT),
                               find_mark (scene, ATTN_MARK_LINE, "key-line", entries[i])));
}

/* What is not known yet has its room: nothing moves when it comes. */
static void
test_room_is_kept (void)
{
  g_autoptr (AttnGrid) grid = make_grid (2, 2);
  g_autoptr (AttnGrid) waiting = figure_fixture_grid (2, 2, N_TOKENS);

  waiting->number_names = g_strdupv (grid->number_names);
  waiting->n_strip_columns = 2;
  waiting->has_chart = TRUE;
  g_autoptr (AttnScene) before = lay_out (waiting, &ATTN_VIEWPORT_FIT, 1000, 900);
  g_autoptr (AttnScene) after = lay_out (grid, &ATTN_VIEWPORT_FIT, 1000, 900);
  for (int i = 0; i < 4; i++)
    {
      const AttnRectangle a = attn_scene_get_heatmap (before, i)->rectangle;
      const AttnRectangle b = attn_scene_get_heatmap (after, i)->rectangle;

      g_assert_cmpfloat (a.x, ==, b.x);
      g_assert_cmpfloat (a.y, ==, b.y);
      g_assert_cmpfloat (a.width, ==, b.width);
    }
  g_assert_false (has_text (before, "7.541"));
  g_assert_true (has_text (after, "7.541"));
}

/* Names of axes that are not query and key, as those of a map, are missed, too. */
static void
test_axes_without_names_are_said (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, N_TOKENS);
  gsize n_said = 0;

  grid->row_title = g_strdup ("Layer");
  grid->column_title = g_strdup ("Token");
  for (double width = 40; width <= 400; width += 40)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, width, 0);
      g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);
      gboolean is_said = left_out != NULL && strstr (left_out, "the names of the axes") != NULL;

      g_assert_true (is_said != has_text (scene, "Token"));
      n_said += is_said;
    }
  g_assert_cmpuint (n_said, >, 0);
  g_assert_cmpuint (n_said, <, 10);
}

/* The label of the colour bar does not reach down to the charts; a page of any height has room for
 * it, below the panels if not beside them. Where it has none, that is said. */
static void
test_value_label_stays_above_charts (void)
{
  static const char label[] = "Norm of the Residual Stream";
  g_autoptr (AttnGrid) grid = make_grid (1, 3);
  gsize n_level = 0, n_without = 0;

  g_free (grid->value_label);
  grid->value_label = g_strdup (label);
  for (double width = 160; width < 900; width += 20)
    {
      gboolean is_bounded = (int) width % 40 == 0;
      g_autoptr (AttnScene) scene =
          lay_out (grid, &ATTN_VIEWPORT_FIT, width, is_bounded ? width / 3 : 0);
      const AttnMark *curve = find_mark (scene, ATTN_MARK_CURVE, "curve", 0);
      g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);
      gboolean is_said =
          left_out != NULL && strstr (left_out, "the colour bar") != NULL;
      gboolean has_label = FALSE;

      for (gsize i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          if (!g_str_equal (mark->role, "axis-label") || !g_str_equal (mark->markup, label))
            continue;
          has_label = TRUE;
          n_level += mark->angle == 0;
          if (mark->angle != 90 || curve == NULL)
            continue;
          double length =
              attn_lettering_measure (scene->style.font_family, label, mark->font_size);

          g_assert_cmpfloat (mark->rectangle.y + length / 2, <=,
                             curve->points[0].y + LAYOUT_TOLERANCE);
        }
      g_assert_true (is_said != has_label);
      g_assert_true (has_label || is_bounded);
      n_without += !has_label;
    }
  g_assert_cmpuint (n_level, >, 0);
  g_assert_cmpuint (n_without, >, 0);
}

static gboolean
lacks_charts (const AttnScene *scene)
{
  g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);

  return left_out != NULL && strstr (left_out, "the charts") != NULL;
}

/* Maps that nothing else tells apart keep their names, and charts below them go first. */
static void
test_names_before_charts (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 4, 3);
  AttnChart *chart = attn_chart_new (2, 1, 0);
  gsize n_both = 0;
  gsize n_named = 0;

  for (gsize i = 0; i < 12; i++)
    {
      g_free (grid->cells[i].title);
      grid->cells[i].title = g_strdup ("Sink Score");
    }
  attn_grid_add_chart (grid, chart);
  grid->has_chart = TRUE;
  chart->has_page = TRUE;
  chart->n_lines = 7;
  chart->x_title = g_strdup ("ε");
  chart->titles[0] = g_strdup ("Sink Rate");
  chart->x[0] = 0.1;
  chart->x[1] = 1;
  for (double height = 200; height < 700; height += 25)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 490, height);
      gboolean is_named = count_role (scene, ATTN_MARK_TEXT, "title") > 0;
      gboolean has_chart = !lacks_charts (scene);

      g_assert_true (is_named || !has_chart);
      n_both += is_named && has_chart;
      n_named += is_named && !has_chart;
    }
  g_assert_cmpuint (n_both, >, 0);
  g_assert_cmpuint (n_named, >, 0);
}

/* A count of 1 once had two marks called 0. */
static void
test_counts_are_whole (void)
{
  for (double count = 1; count <= 5; count++)
    {
      g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 3);
      AttnChart *chart = attn_chart_new (2, 1, 0);
      gsize n_zeros = 0;

      attn_grid_add_chart (grid, chart);
      grid->has_chart = TRUE;
      chart->kind = ATTN_CHART_BARS;
      chart->is_linear = TRUE;
      chart->has_page = TRUE;
      chart->n_lines = 7;
      chart->x_title = g_strdup ("Weight");
      chart->titles[0] = g_strdup ("Texts");
      chart->x[0] = 7;
      chart->x[1] = 8;
      chart->x_end = 9;
      chart->curves[0].values[0] = count;

      g_autoptr (AttnScene) scene = lay_out (grid, &ATTN_VIEWPORT_FIT, 490, 600);
      g_assert_false (lacks_charts (scene));
      for (gsize i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          n_zeros += mark->kind == ATTN_MARK_TEXT && g_str_equal (mark->markup, "0");
        }
      g_assert_cmpuint (n_zeros, ==, 1);
    }
}

/* Bars and curves in a dark window have the contrast of 3 : 1 that WCAG 2 (1.4.11) asks of
 * graphics, to the ground of GTK's dark windows. */
static void
test_curves_stand_out_on_dark (void)
{
  g_autoptr (AttnGrid) grid = make_grid (1, 1);
  double ground = get_luminance ((AttnRgb) { 0x35, 0x35, 0x35 });
  AttnStyle style = attn_style_default ();
  gsize n = 0;

  style.foreground = (AttnRgb) { 255, 255, 255 };
  g_autoptr (AttnScene) scene =
      attn_layout_figure (grid, &style, &ATTN_VIEWPORT_FIT, 1000, 900);
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_strcmp0 (mark->role, "bar") != 0 && g_strcmp0 (mark->role, "curve") != 0)
        continue;
      g_assert_cmpfloat (get_luminance (mark->color) + 0.05, >=, 3 * (ground + 0.05));
      n++;
    }
  g_assert_cmpuint (n, >, N_TOKENS);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/effect/bars-are-beside-rows", test_bars_are_beside_rows);
  g_test_add_func ("/figure/effect/bars-zoom-with-the-panel", test_bars_zoom_with_the_panel);
  g_test_add_func ("/figure/effect/fits-pages", test_fits_pages);
  g_test_add_func ("/figure/effect/numbers-are-a-table", test_numbers_are_a_table);
  g_test_add_func ("/figure/effect/wide-changes-are-broken", test_wide_changes_are_broken);
  g_test_add_func ("/figure/effect/no-room-is-said", test_no_room_is_said);
  g_test_add_func ("/figure/effect/caption-names-bars-that-are-there",
                   test_caption_names_bars_that_are_there);
  g_test_add_func ("/figure/effect/room-is-kept", test_room_is_kept);
  g_test_add_func ("/figure/effect/axes-without-names-are-said", test_axes_without_names_are_said);
  g_test_add_func ("/figure/effect/value-label-stays-above-charts",
                   test_value_label_stays_above_charts);
  g_test_add_func ("/figure/effect/curves-have-a-key", test_curves_have_a_key);
  g_test_add_func ("/figure/effect/curve-is-one-mark", test_curve_is_one_mark);
  g_test_add_func ("/figure/effect/long-numbers-have-room", test_long_numbers_have_room);
  g_test_add_func ("/figure/effect/lone-value-is-seen", test_lone_value_is_seen);
  g_test_add_func ("/figure/effect/numbers-of-an-axis-are-round",
                   test_numbers_of_an_axis_are_round);
  g_test_add_func ("/figure/effect/no-two-curves-look-alike", test_no_two_curves_look_alike);
  g_test_add_func ("/figure/effect/names-before-charts", test_names_before_charts);
  g_test_add_func ("/figure/effect/counts-are-whole", test_counts_are_whole);
  g_test_add_func ("/figure/effect/curves-stand-out-on-dark", test_curves_stand_out_on_dark);
  return g_test_run ();
}
