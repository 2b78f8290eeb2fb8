/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure view in a window of its own, driven through its controllers. */

#include "config.h"

#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "attn-figure-view.h"
#include "attn-readout.h"

#define N_TOKENS 12

static GtkWindow *window;
static AttnFigureView *view;

/* Weight of row i, column j: falls along the row, different in each panel. */
static float
get_weight (gsize group,
            gsize row,
            gsize column)
{
  return column > row ? 0 : (float) ((column + 1.0) / 100 + group / 10.0);
}

static AttnPanel *
make_panel (gsize group)
{
  gsize shape[2] = { N_TOKENS, N_TOKENS };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_auto (GStrv) labels = g_new0 (char *, N_TOKENS + 1);

  for (gsize row = 0; row < N_TOKENS; row++)
    {
      labels[row] = g_strdup_printf ("t%" G_GSIZE_FORMAT, row);
      for (gsize column = 0; column < N_TOKENS; column++)
        tensor->data[row * N_TOKENS + column] = get_weight (group, row, column);
    }
  if (group == 3)
    tensor->data[0] = NAN;
  return attn_panel_new (tensor, ATTN_MASK_CAUSAL, (const char **) labels, (const char **) labels);
}

static AttnGrid *
make_grid (void)
{
  AttnGrid *grid = attn_grid_new (2, 2);

  for (gsize i = 0; i < 4; i++)
    {
      grid->cells[i].panel = make_panel (i);
      grid->cells[i].baseline = make_panel (0);
      grid->cells[i].name = g_strdup_printf ("Panel %" G_GSIZE_FORMAT, i);
    }
  return grid;
}

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = make_grid ();

  window = GTK_WINDOW (gtk_window_new ());
  view = attn_figure_view_new ();
  gtk_window_set_default_size (window, 700, 600);
  gtk_window_set_child (window, GTK_WIDGET (view));
  attn_figure_view_set_figure (view, grid, &style);
  gtk_window_present (window);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  AttnFigureView *last = g_object_ref (view);

  gtk_window_destroy (window);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_finalize_object (last);
}

static GtkEventController *
find_controller (GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_OBJECT_TYPE (controller) == type)
        return controller;
    }
  g_assert_not_reached ();
}

/* Where a cell stands, in widget pixels. */
static void
locate (int     group,
        gsize   row,
        gsize   column,
        double *x,
        double *y)
{
  AttnRectangle cell;

  g_assert_true (attn_scene_get_cell (attn_figure_view_get_scene (view), group, row, column,
                                      &cell));
  *x = (cell.x + cell.width / 2) * attn_figure_view_get_scale (view);
  *y = (cell.y + cell.height / 2) * attn_figure_view_get_scale (view);
}

static void
point_at (double x,
          double y)
{
  g_signal_emit_by_name (find_controller (GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", x, y);
}

static void
scroll (double dy)
{
  gboolean is_handled = FALSE;

  g_signal_emit_by_name (find_controller (GTK_TYPE_EVENT_CONTROLLER_SCROLL), "scroll", 0.0, dy,
                         &is_handled);
  g_assert_true (is_handled);
}

static void
assert_hit (int   group,
            gsize row,
            gsize column)
{
  const AttnHit *hit = attn_figure_view_get_hit (view);

  g_assert_nonnull (hit);
  g_assert_cmpint (hit->group, ==, group);
  g_assert_cmpuint (hit->row, ==, row);
  g_assert_cmpuint (hit->column, ==, column);
}

static void
test_hover_finds_every_cell (gpointer      *fixture,
                             gconstpointer  data)
{
  for (int group = 0; group < 4; group++)
    for (gsize row = 0; row < N_TOKENS; row++)
      for (gsize column = 0; column < N_TOKENS; column++)
        {
          double x, y;

          locate (group, row, column, &x, &y);
          point_at (x, y);
          assert_hit (group, row, column);
        }
  g_signal_emit_by_name (find_controller (GTK_TYPE_EVENT_CONTROLLER_MOTION), "leave");
  g_assert_null (attn_figure_view_get_hit (view));
}

static void
test_hover_is_told_to_assistive_technology (gpointer      *fixture,
                                            gconstpointer  data)
{
  double x, y;

  gtk_test_accessible_assert_role (view, GTK_ACCESSIBLE_ROLE_IMG);
  locate (1, 4, 2, &x, &y);
  point_at (x, y);
  gtk_test_accessible_assert_property (
      view, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
      "Panel 1: query 4 “t4” → key 2 “t2”: weight 0.1300 · baseline 0.03000 · "
      "difference +0.1000 · rank 3 of 5");
}

static void
test_readout_of_masked_and_nan (gpointer      *fixture,
                                gconstpointer  data)
{
  AttnGrid *grid = attn_scene_get_grid (attn_figure_view_get_scene (view));
  AttnHit masked = { .group = 0, .row = 2, .column = 5, .n_rows = 1, .n_columns = 1 };
  AttnHit nan = { .group = 3, .row = 0, .column = 0, .n_rows = 1, .n_columns = 1 };
  AttnHit several = { .group = 0, .row = 2, .column = 1, .n_rows = 3, .n_columns = 4 };
  g_autofree char *masked_text = attn_readout_describe_value (grid, &masked);
  g_autofree char *nan_text = attn_readout_describe_value (grid, &nan);
  g_autofree char *several_text = attn_readout_describe_value (grid, &several);

  g_assert_cmpstr (masked_text, ==, "masked: this query does not see this key");
  g_assert_cmpstr (nan_text, ==, "weight not a number");
  g_assert_cmpstr (several_text, ==,
                   "weight 0.02000 · baseline 0.02000 · difference 0.000 · rank 2 of 3"
                   " · largest of 3 × 4 cells");
}

static void
test_zoom_keeps_the_cell_under_the_pointer (gpointer      *fixture,
                                            gconstpointer  data)
{
  double x, y;

  locate (2, 7, 5, &x, &y);
  point_at (x, y);
  for (guint i = 0; i < 20; i++)
    {
      scroll (-1);
      assert_hit (2, 7, 5);
    }
  AttnViewport viewport = attn_figure_view_get_viewport (view);
  g_assert_cmpfloat_with_epsilon (viewport.width, 2.0 / N_TOKENS, 1e-9);
  for (guint i = 0; i < 20; i++)
    scroll (1);
  viewport = attn_figure_view_get_viewport (view);
  g_assert_true (attn_viewport_is_fit (&viewport));
  assert_hit (2, 7, 5);
}

static void
test_drag_moves_what_was_taken_hold_of (gpointer      *fixture,
                                        gconstpointer  data)
{
  GtkEventController *drag = find_controller (GTK_TYPE_GESTURE_DRAG);
  double x, y;

  locate (0, 6, 6, &x, &y);
  point_at (x, y);
  for (guint i = 0; i < 4; i++)
    scroll (-1);
  assert_hit (0, 6, 6);
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  g_signal_emit_by_name (drag, "drag-update", 25.0, -15.0);
  point_at (x + 25, y - 15);
  assert_hit (0, 6, 6);
  g_signal_emit_by_name (drag, "drag-end", 25.0, -15.0);
}

static void
test_double_click_fits (gpointer      *fixture,
                        gconstpointer  data)
{
  GtkEventController *click = find_controller (GTK_TYPE_GESTURE_CLICK);

  attn_figure_view_zoom (view, 3);
  AttnViewport viewport = attn_figure_view_get_viewport (view);
  g_assert_false (attn_viewport_is_fit (&viewport));
  g_signal_emit_by_name (click, "pressed", 1, 10.0, 10.0);
  viewport = attn_figure_view_get_viewport (view);
  g_assert_false (attn_viewport_is_fit (&viewport));
  g_signal_emit_by_name (click, "pressed", 2, 10.0, 10.0);
  viewport = attn_figure_view_get_viewport (view);
  g_assert_true (attn_viewport_is_fit (&viewport));
}

static void
test_readout_of_a_panel (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnPanelMeasures measures = { 0.5, 1.25, 0.75, 0.125 };
  g_autofree char *text = attn_readout_describe_panel (&measures);

  g_assert_cmpstr (text, ==,
                   "panel: sink score 0.5000 · entropy 1.250 bits · largest difference 0.7500 · "
                   "total variation 0.1250");
}

/* A figure of other panels under a pointer that rests: the readout is of the new one. */
static void
test_new_figure_is_read_at_once (gpointer      *fixture,
                                 gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  double x, y;

  locate (0, 3, 1, &x, &y);
  point_at (x, y);
  grid->cells[0].panel = make_panel (2);
  attn_figure_view_set_figure (view, grid, &style);
  const AttnHit *hit = attn_figure_view_get_hit (view);
  g_assert_true (hit == NULL || hit->group == 0);
  attn_figure_view_set_figure (view, NULL, &style);
  g_assert_null (attn_figure_view_get_hit (view));
}

#define ADD(name, function) \
  g_test_add ("/app/figure-view/" name, gpointer, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  ADD ("hover-finds-every-cell", test_hover_finds_every_cell);
  ADD ("hover-is-told-to-assistive-technology", test_hover_is_told_to_assistive_technology);
  ADD ("readout-of-masked-and-nan", test_readout_of_masked_and_nan);
  ADD ("readout-of-a-panel", test_readout_of_a_panel);
  ADD ("zoom-keeps-the-cell-under-the-pointer", test_zoom_keeps_the_cell_under_the_pointer);
  ADD ("drag-moves-what-was-taken-hold-of", test_drag_moves_what_was_taken_hold_of);
  ADD ("double-click-fits", test_double_click_fits);
  ADD ("new-figure-is-read-at-once", test_new_figure_is_read_at_once);
  return g_test_run ();
}
