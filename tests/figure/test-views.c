/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels that show a part of their own, a panel alone, and the labels of pins. */

#include "config.h"

#include <string.h>

#include "attn-layout.h"
#include "figure-fixture.h"
#include "attn-lettering.h"
#include "attn-range.h"

#define N_TOKENS 8

/* Values from 0 to @highest. */
static AttnPanel *
make_labelled_panel (float               highest,
                     const char * const *labels)
{
  gsize shape[2] = { N_TOKENS, N_TOKENS };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < N_TOKENS * N_TOKENS; i++)
    tensor->data[i] = highest * i / (N_TOKENS * N_TOKENS - 1);
  return attn_panel_new (tensor, ATTN_MASK_NONE, labels, labels);
}

/* @highest differs from panel to panel. */
static AttnPanel *
make_panel (float highest)
{
  static const char * const labels[] = { "a", "b", "c", "d", "e", "f", "g", "h", NULL };

  return make_labelled_panel (highest, labels);
}

static AttnGrid *
make_grid (void)
{
  AttnGrid *grid = attn_grid_new (1, 2);

  grid->cells[0].panel = make_panel (0.25f);
  grid->cells[1].panel = make_panel (1.0f);
  return grid;
}

static guint
count_marks (AttnScene  *scene,
             int         group,
             const char *role)
{
  guint n = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      n += mark->group == group && g_strcmp0 (mark->role, role) == 0;
    }
  return n;
}

static void
test_each_panel_shows_its_part (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnStyle style = attn_style_default ();
  AttnViewport views[] = { ATTN_VIEWPORT_FIT, { 0.5, 0.25, 0.5, 0.5 } };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) together = attn_layout_figure (grid, &style, &fit, 600, 400);
  g_autoptr (AttnScene) apart =
      attn_layout_figure_views (grid, &style, &ATTN_VIEWPORT_FIT, views, 600, 400);
  AttnViewport first, second;

  first = attn_scene_get_heatmap (apart, 0)->viewport;
  second = attn_scene_get_heatmap (apart, 1)->viewport;
  g_assert_true (attn_viewport_equal (&first, &views[0]));
  g_assert_true (attn_viewport_equal (&second, &views[1]));
  /* Rows that are not the same have labels of their own. */
  g_assert_cmpuint (count_marks (together, 1, "row-label"), ==, 0);
  g_assert_cmpuint (count_marks (apart, 0, "row-label"), ==, N_TOKENS);
  g_assert_cmpuint (count_marks (apart, 1, "row-label"), ==, N_TOKENS / 2);
}

static void
test_panel_alone_keeps_its_colors (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  g_autoptr (AttnGrid) alone = attn_grid_take_panel (grid, 0);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.range = ATTN_RANGE_DATA;
  for (AttnRangeScope scope = ATTN_RANGE_SCOPE_GRID; scope <= ATTN_RANGE_SCOPE_PANEL; scope++)
    {
      style.range_scope = scope;
      g_autoptr (AttnScene) all = attn_layout_figure (grid, &style, &fit, 600, 400);
      g_autoptr (AttnScene) one = attn_layout_figure (alone, &style, &fit, 600, 400);
      for (gsize i = 0; i < N_TOKENS; i++)
        {
          AttnRgb before = get_cell_color (all, 0, i, i);
          AttnRgb after = get_cell_color (one, 0, i, i);
          g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
        }
    }
}

static const AttnMark *
find_colorbar (AttnScene *scene)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    if (attn_scene_get_mark (scene, i)->kind == ATTN_MARK_COLORBAR)
      return attn_scene_get_mark (scene, i);
  g_assert_not_reached ();
}

/* Where labels of rows stand between the panels, there is more room for the titles of the others
 * than for those beside the colour bar. */
static void
test_titles_end_before_the_colorbar (void)
{
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  const AttnViewport part = { 0.5, 0.25, 0.5, 0.5 };
  const AttnViewport views[] = { fit, fit, part, fit };
  static const char * const labels[] = { "gardener", "gardener", "gardener", "gardener", "gardener",
                                         "gardener", "gardener", "gardener", NULL };
  g_autoptr (AttnGrid) grid = attn_grid_new (2, 2);
  AttnStyle style = attn_style_default ();
  guint n_titles = 0;

  for (gsize i = 0; i < 4; i++)
    {
      grid->cells[i].panel = make_labelled_panel (1, labels);
      grid->cells[i].title = g_strdup ("A title as wide as the panel below it, and more");
    }
  g_autoptr (AttnScene) scene =
      attn_layout_figure_views (grid, &style, &ATTN_VIEWPORT_FIT, views, 500, 500);
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_strcmp0 (mark->role, "title") != 0)
        continue;
      g_assert_cmpfloat (
          mark->rectangle.x +
              attn_lettering_measure (style.font_family, mark->markup, mark->font_size) / 2,
          <, find_colorbar (scene)->rectangle.x);
      n_titles++;
    }
  g_assert_cmpuint (n_titles, ==, 4);
}

/* The ends of the colour bar are those of the cells in view, whether all panels show the same part
 * or each its own, and of nothing else where a panel stands alone; the panels stay where they
 * are. */
static void
test_visible_range_follows_the_viewport (void)
{
  const AttnViewport upper = { 0, 0, 1, 0.5 };
  const AttnViewport views[] = { { 0, 0.5, 0.25, 0.25 }, { 0.5, 0, 0.5, 0.125 } };
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  const double n = N_TOKENS * N_TOKENS - 1;
  /* The values are float32. */
  const double tolerance = 1e-6;
  g_autoptr (AttnGrid) grid = make_grid ();
  g_autoptr (AttnGrid) alone = attn_grid_take_panel (grid, 0);
  AttnStyle style = attn_style_default ();
  AttnRectangle before, after;

  style.range = ATTN_RANGE_VISIBLE;
  g_autoptr (AttnScene) whole = attn_layout_figure (grid, &style, &fit, 600, 400);
  g_autoptr (AttnScene) half = attn_layout_figure (grid, &style, &upper, 600, 400);
  g_autoptr (AttnScene) apart =
      attn_layout_figure_views (grid, &style, &ATTN_VIEWPORT_FIT, views, 600, 400);
  g_autoptr (AttnScene) one = attn_layout_figure (alone, &style, &upper, 600, 400);

  g_assert_cmpfloat_with_epsilon (find_colorbar (whole)->scale.low, 0, tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (whole)->scale.high, 1, tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (half)->scale.low, 0, tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (half)->scale.high, 31 / n, tolerance);
  /* Rows 4 and 5, columns 0 and 1 of the first, row 0, columns 4 to 7 of the second. */
  g_assert_cmpfloat_with_epsilon (find_colorbar (apart)->scale.low, 4 / n, tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (apart)->scale.high, 0.25 * 41 / n, tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (one)->scale.high, 0.25 * 31 / n, tolerance);
  g_assert_cmpuint (count_marks (half, -1, "overflow"), ==, 0);
  before = attn_scene_get_heatmap (whole, 1)->rectangle;
  after = attn_scene_get_heatmap (half, 1)->rectangle;
  g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
}

static void
test_pins_have_labels (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnRegion named = { (char *) "a → <h>", 0, 0, 7, 7, TRUE };
  AttnRegion unnamed = { NULL, 3, 3, 3, 3, TRUE };
  AttnRegion region = { (char *) "Region", 1, 2, 1, 2, FALSE };
  AttnRectangle panel;
  guint n_texts = 0;

  attn_grid_add_region (grid, 0, 1, &named);
  attn_grid_add_region (grid, 0, 1, &unnamed);
  attn_grid_add_region (grid, 0, 1, &region);
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 600, 400);
  panel = attn_scene_get_heatmap (scene, 1)->rectangle;
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_strcmp0 (mark->role, "pin-label") != 0)
        continue;
      if (mark->kind == ATTN_MARK_TEXT)
        {
          n_texts++;
          /* 7 / 63 of 1 */
          g_assert_cmpstr (mark->markup, ==, "a → &lt;h&gt; 0.11");
        }
      else
        {
          g_assert_cmpfloat (mark->rectangle.x, >=, panel.x);
          g_assert_cmpfloat (mark->rectangle.x + mark->rectangle.width, <=, panel.x + panel.width);
          g_assert_cmpfloat (mark->rectangle.y, >=, panel.y);
        }
    }
  g_assert_cmpuint (n_texts, ==, 1);
}

/* Labels of cells beside each other hide neither each other nor a marked cell, in the corner of the
 * panel either. */
static void
test_labels_of_neighbours_lie_apart (void)
{
  static const gsize firsts[] = { 0, 6 };
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (gsize k = 0; k < G_N_ELEMENTS (firsts); k++)
    {
      g_autoptr (AttnGrid) grid = make_grid ();
      g_autoptr (GPtrArray) boxes = g_ptr_array_new ();

      for (gsize i = 0; i < 4; i++)
        {
          gsize row = firsts[k] + i / 2, column = firsts[k] + i % 2;
          AttnRegion pin = { (char *) "rose → rose", row, row, column, column, TRUE };

          attn_grid_add_region (grid, 0, 1, &pin);
        }
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 600, 400);
      for (gsize i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          if (g_strcmp0 (mark->role, "pin") == 0 ||
              (g_strcmp0 (mark->role, "pin-label") == 0 && mark->kind == ATTN_MARK_RECTANGLE &&
               !mark->is_filled))
            g_ptr_array_add (boxes, (gpointer) &mark->rectangle);
        }
      g_assert_cmpuint (boxes->len, ==, 8);
      for (guint i = 0; i < boxes->len; i++)
        for (guint j = MAX (i + 1, 4); j < boxes->len; j++)
          {
            const AttnRectangle *a = boxes->pdata[i], *b = boxes->pdata[j];

            g_assert_true (a->x + a->width <= b->x + LAYOUT_TOLERANCE ||
                           b->x + b->width <= a->x + LAYOUT_TOLERANCE ||
                           a->y + a->height <= b->y + LAYOUT_TOLERANCE ||
                           b->y + b->height <= a->y + LAYOUT_TOLERANCE);
          }
    }
}

/* What is zoomed out of view has no label. */
static void
test_pins_out_of_view_have_none (void)
{
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnStyle style = attn_style_default ();
  AttnViewport corner = { 0.5, 0.5, 0.5, 0.5 };
  AttnRegion pin = { (char *) "a → b", 0, 0, 1, 1, TRUE };

  attn_grid_add_region (grid, 0, 0, &pin);
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &corner, 600, 400);
  g_assert_cmpuint (count_marks (scene, 0, "pin-label"), ==, 0);
}

#define N_LONG ((gsize) 300)

static gboolean
read_long_rows (gpointer   data,
                gsize      first_row,
                gsize      n_rows,
                float     *rows,
                GError   **error)
{
  guint *n_reads = data;

  ++*n_reads;
  for (gsize i = 0; i < n_rows * N_LONG; i++)
    rows[i] = (float) (first_row * N_LONG + i) / (N_LONG * N_LONG);
  return TRUE;
}

/* Of a long panel the cells that are there to be drawn are asked, not its source. */
static void
test_visible_range_of_a_long_panel (void)
{
  const AttnViewport viewport = { 0.5, 0.5, 0.1, 0.1 };
  const AttnSpan part = { 140, 190 };
  guint n_reads = 0;
  const AttnRowSource source = { read_long_rows, &n_reads, NULL };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  /* The values are float32. */
  const double tolerance = 1e-6;

  attn_panel_set_max_cells (2000);
  AttnPanel *panel =
      attn_panel_new_long (N_LONG, N_LONG, &source, ATTN_MASK_NONE, NULL, NULL, NULL);
  grid->cells[0].panel = panel;
  attn_panel_set_max_cells (0);
  style.range = ATTN_RANGE_VISIBLE;
  g_assert_true (attn_panel_load_tile (panel, 0, part, part, NULL, NULL, NULL, NULL));
  g_assert_true (attn_panel_load (panel, NULL, NULL, NULL));
  n_reads = 0;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 600, 400);
  g_assert_cmpfloat_with_epsilon (find_colorbar (scene)->scale.low,
                                  150.0 * 301 / (N_LONG * N_LONG), tolerance);
  g_assert_cmpfloat_with_epsilon (find_colorbar (scene)->scale.high,
                                  179.0 * 301 / (N_LONG * N_LONG), tolerance);
  g_assert_cmpuint (n_reads, ==, 0);
}

/* What ranks and ratios need of a long panel is prepared once; a layout reads nothing any more. */
static void
test_prepared_ranges_of_a_long_panel (void)
{
  static const AttnScaleKind kinds[] = { ATTN_SCALE_LINEAR, ATTN_SCALE_PERCENTILE,
                                         ATTN_SCALE_RATIO };
  const AttnViewport viewport = { 0.5, 0.5, 0.1, 0.1 };
  guint n_reads = 0;
  const AttnRowSource source = { read_long_rows, &n_reads, NULL };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_autoptr (AttnGrid) small = make_grid ();
  const AttnStyle plain = attn_style_default ();

  attn_panel_set_max_cells (2000);
  grid->cells[0].panel =
      attn_panel_new_long (N_LONG, N_LONG, &source, ATTN_MASK_NONE, NULL, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      AttnStyle style = plain;

      style.scale = kinds[i];
      g_assert_true (attn_range_needs_pass (grid, &style, &plain) ==
                     (kinds[i] != ATTN_SCALE_LINEAR));
      g_assert_false (attn_range_needs_pass (small, &style, &plain));
      n_reads = 0;
      attn_range_prepare (grid, &style);
      g_assert_cmpuint (n_reads, >, 0);
      n_reads = 0;
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 600, 400);
      g_autoptr (AttnGrid) alone = attn_grid_take_panel (grid, 0);
      g_autoptr (AttnScene) one = attn_layout_figure (alone, &style, &viewport, 600, 400);
      g_assert_nonnull (scene);
      g_assert_nonnull (one);
      g_assert_cmpuint (n_reads, ==, 0);
    }
  attn_panel_set_max_cells (0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/views/each-panel-shows-its-part", test_each_panel_shows_its_part);
  g_test_add_func ("/figure/views/panel-alone-keeps-its-colors",
                   test_panel_alone_keeps_its_colors);
  g_test_add_func ("/figure/views/titles-end-before-the-colorbar",
                   test_titles_end_before_the_colorbar);
  g_test_add_func ("/figure/views/visible-range-follows-the-viewport",
                   test_visible_range_follows_the_viewport);
  g_test_add_func ("/figure/views/visible-range-of-a-long-panel",
                   test_visible_range_of_a_long_panel);
  g_test_add_func ("/figure/views/prepared-ranges-of-a-long-panel",
                   test_prepared_ranges_of_a_long_panel);
  g_test_add_func ("/figure/views/pins-have-labels", test_pins_have_labels);
  g_test_add_func ("/figure/views/labels-of-neighbours-lie-apart",
                   test_labels_of_neighbours_lie_apart);
  g_test_add_func ("/figure/views/pins-out-of-view-have-none", test_pins_out_of_view_have_none);
  return g_test_run ();
}
