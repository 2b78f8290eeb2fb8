/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure view in a window of its own, driven through its controllers. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "app-fixture.h"
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
  g_autoptr (AttnGrid) grid = make_grid ();

  view = attn_figure_view_new ();
  window = open_figure_view (view, grid);
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  close_figure_view (window, view);
}

static GtkEventController *
find_controller (GType type)
{
  g_autoptr (GPtrArray) controllers = find_controllers (view, type);

  g_assert_cmpuint (controllers->len, >, 0);
  return controllers->pdata[0];
}

static GtkEventController *
find_click (guint button)
{
  g_autoptr (GPtrArray) clicks = find_controllers (view, GTK_TYPE_GESTURE_CLICK);

  for (guint i = 0; i < clicks->len; i++)
    if (gtk_gesture_single_get_button (clicks->pdata[i]) == button)
      return clicks->pdata[i];
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

/* The scale of a pinch is that since the fingers came down, not since the last event. */
static void
test_pinch_zooms_from_where_it_began (gpointer      *fixture,
                                      gconstpointer  data)
{
  GtkEventController *pinch = find_controller (GTK_TYPE_GESTURE_ZOOM);

  g_signal_emit_by_name (pinch, "begin", NULL);
  g_signal_emit_by_name (pinch, "scale-changed", 1.5);
  g_signal_emit_by_name (pinch, "scale-changed", 2.0);
  AttnViewport twice = attn_figure_view_get_viewport (view);
  g_assert_cmpfloat_with_epsilon (twice.width, 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (twice.height, 0.5, 1e-9);
  g_signal_emit_by_name (pinch, "scale-changed", 1.0);
  AttnViewport once = attn_figure_view_get_viewport (view);
  g_assert_true (attn_viewport_is_fit (&once));

  g_signal_emit_by_name (pinch, "scale-changed", 2.0);
  g_signal_emit_by_name (pinch, "end", NULL);
  g_signal_emit_by_name (pinch, "begin", NULL);
  g_signal_emit_by_name (pinch, "scale-changed", 2.0);
  AttnViewport again = attn_figure_view_get_viewport (view);
  g_assert_cmpfloat_with_epsilon (again.width, 0.25, 1e-9);
}

static void
test_double_click_fits (gpointer      *fixture,
                        gconstpointer  data)
{
  GtkEventController *click = find_click (GDK_BUTTON_PRIMARY);

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

/* Presses a key with the focus on the figure: whether it was taken. */
static gboolean
press (guint           key,
       GdkModifierType state)
{
  g_autoptr (GPtrArray) controllers = find_controllers (view, GTK_TYPE_SHORTCUT_CONTROLLER);
  gboolean is_taken = FALSE;

  for (guint i = 0; i < controllers->len && !is_taken; i++)
    {
      GListModel *shortcuts = controllers->pdata[i];

      for (guint k = 0; k < g_list_model_get_n_items (shortcuts); k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (shortcuts, k);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);

          if (!GTK_IS_KEYVAL_TRIGGER (trigger) ||
              gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) != key ||
              gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)) != state)
            continue;
          is_taken = gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0,
                                                   GTK_WIDGET (view),
                                                   gtk_shortcut_get_arguments (shortcut));
          break;
        }
    }
  return is_taken;
}

static void
assert_cursor (int   group,
               gsize row,
               gsize column)
{
  AttnCellCursor cursor = attn_figure_view_get_cursor (view);

  g_assert_cmpint (cursor.group, ==, group);
  g_assert_cmpuint (cursor.row, ==, row);
  g_assert_cmpuint (cursor.column, ==, column);
}

static void
click_at (double x,
          double y,
          int    n_press)
{
  GtkEventController *click = find_click (GDK_BUTTON_PRIMARY);
  GtkEventController *drag = find_controller (GTK_TYPE_GESTURE_DRAG);

  g_signal_emit_by_name (click, "pressed", n_press, x, y);
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  g_signal_emit_by_name (drag, "drag-end", 0.0, 0.0);
  g_signal_emit_by_name (click, "released", n_press, x, y);
}

static void
drag_by (double x,
         double y,
         double dx,
         double dy)
{
  GtkEventController *click = find_click (GDK_BUTTON_PRIMARY);
  GtkEventController *drag = find_controller (GTK_TYPE_GESTURE_DRAG);

  g_signal_emit_by_name (click, "pressed", 1, x, y);
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  g_signal_emit_by_name (drag, "drag-update", dx / 2, dy / 2);
  g_signal_emit_by_name (drag, "drag-update", dx, dy);
  g_signal_emit_by_name (drag, "drag-end", dx, dy);
  g_signal_emit_by_name (click, "released", 1, x + dx, y + dy);
}

/* Every key of the cursor, and what assistive technology is told of where it is. */
static void
test_cursor_moves_by_keys (gpointer      *fixture,
                           gconstpointer  data)
{
  press (GDK_KEY_Down, 0);
  assert_cursor (0, 0, 0);
  press (GDK_KEY_Down, 0);
  press (GDK_KEY_Down, GDK_CONTROL_MASK);
  press (GDK_KEY_Right, 0);
  assert_cursor (0, 11, 1);
  gtk_test_accessible_assert_property (
      view, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
      "Panel 0: query 11 “t11” → key 1 “t1”: weight 0.02000 · baseline 0.02000 · "
      "difference 0.000 · rank 11 of 12");
  press (GDK_KEY_End, 0);
  assert_cursor (0, 11, 11);
  press (GDK_KEY_Home, GDK_CONTROL_MASK);
  assert_cursor (0, 0, 0);
  g_assert_true (press (GDK_KEY_Tab, 0));
  assert_cursor (1, 0, 0);
  press (GDK_KEY_Page_Down, GDK_CONTROL_MASK);
  assert_cursor (3, 0, 0);
  press (GDK_KEY_Page_Down, 0);
  assert_cursor (3, 11, 0);
  /* From the last panel on to the next widget. */
  g_assert_false (press (GDK_KEY_Tab, 0));
  g_assert_true (press (GDK_KEY_Tab, GDK_SHIFT_MASK));
  assert_cursor (2, 11, 0);
  press (GDK_KEY_Escape, 0);
  g_assert_null (attn_figure_view_get_hit (view));
}

static void
test_cursor_is_kept_in_view (gpointer      *fixture,
                             gconstpointer  data)
{
  AttnRectangle cell;

  attn_figure_view_zoom (view, 3);
  press (GDK_KEY_Down, 0);
  press (GDK_KEY_End, GDK_CONTROL_MASK);
  assert_cursor (0, 11, 11);
  g_assert_true (attn_scene_get_cell (attn_figure_view_get_scene (view), 0, 11, 11, &cell));
  AttnViewport viewport = attn_figure_view_get_viewport (view);
  g_assert_cmpfloat_with_epsilon (viewport.width, 1.0 / 3, 1e-9);
  press (GDK_KEY_plus, 0);
  g_assert_true (attn_scene_get_cell (attn_figure_view_get_scene (view), 0, 11, 11, &cell));
}

static void
test_click_chooses_and_drag_does_not (gpointer      *fixture,
                                      gconstpointer  data)
{
  double x, y;
  gsize n;

  locate (1, 6, 3, &x, &y);
  click_at (x, y, 1);
  assert_cursor (1, 6, 3);
  attn_row_selection_get_rows (attn_figure_view_get_selection (view), &n);
  g_assert_cmpuint (n, ==, 1);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  attn_row_selection_get_rows (attn_figure_view_get_selection (view), &n);
  g_assert_cmpuint (n, ==, 3);
  press (GDK_KEY_space, 0);
  attn_row_selection_get_rows (attn_figure_view_get_selection (view), &n);
  g_assert_cmpuint (n, ==, 2);
  drag_by (x, y, 30, 30);
  assert_cursor (1, 8, 3);
}

static double menu_x, menu_y;
static guint n_menus;

static void
menu_asked_cb (AttnFigureView *asked,
               double          x,
               double          y)
{
  menu_x = x;
  menu_y = y;
  n_menus++;
}

/* Of the cell that was clicked, with the chosen rows if it is of one of them; by keys, below the
 * cell of the cursor. */
static void
test_menu_is_of_a_cell (gpointer      *fixture,
                        gconstpointer  data)
{
  double x, y;
  gsize n;

  n_menus = 0;
  g_signal_connect (view, "menu-asked", G_CALLBACK (menu_asked_cb), NULL);
  locate (2, 5, 3, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  g_assert_cmpuint (n_menus, ==, 1);
  g_assert_cmpfloat (menu_x, ==, x);
  assert_cursor (2, 5, 3);
  assert_hit (2, 5, 3);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  locate (2, 5, 1, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  attn_row_selection_get_rows (attn_figure_view_get_selection (view), &n);
  g_assert_cmpuint (n, ==, 2);
  locate (2, 9, 1, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  attn_row_selection_get_rows (attn_figure_view_get_selection (view), &n);
  g_assert_cmpuint (n, ==, 1);
  press (GDK_KEY_Menu, 0);
  g_assert_cmpuint (n_menus, ==, 4);
  g_assert_cmpfloat_with_epsilon (menu_x, x, 1);
  g_assert_cmpfloat (menu_y, >, y);
}

static void
test_figure_keeps_what_is_read (gpointer      *fixture,
                                gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  AttnCellCursor cursor = { 3, 7, 5 };
  g_autoptr (AttnGrid) same = make_grid ();
  g_autoptr (AttnGrid) fewer = attn_grid_new (1, 1);

  attn_figure_view_set_cursor (view, &cursor);
  attn_figure_view_set_figure (view, same, &style);
  assert_cursor (3, 7, 5);
  fewer->cells[0].panel = make_panel (0);
  attn_figure_view_set_figure (view, fewer, &style);
  assert_cursor (-1, 0, 0);
  g_assert_cmpint (
      attn_row_selection_get_group (attn_figure_view_get_selection (view)), ==, -1);
}

static void
test_one_panel_moves_alone (gpointer      *fixture,
                            gconstpointer  data)
{
  AttnViewport first, second;
  double x, y;

  attn_figure_view_set_linked (view, FALSE);
  locate (1, 4, 4, &x, &y);
  point_at (x, y);
  scroll (-1);
  scroll (-1);
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 0, NULL, &first));
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 1, NULL, &second));
  g_assert_true (attn_viewport_is_fit (&first));
  g_assert_false (attn_viewport_is_fit (&second));
  /* Together again, all show what the one under the pointer does. */
  attn_figure_view_set_linked (view, TRUE);
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 0, NULL, &first));
  g_assert_true (attn_viewport_equal (&first, &second));
}

static void
test_panel_is_maximised_and_back (gpointer      *fixture,
                                  gconstpointer  data)
{
  AttnCellCursor cursor = { 2, 3, 1 };
  AttnRectangle small, large;
  double x, y;

  attn_figure_view_get_scene (view);
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 2, &small, NULL));
  attn_figure_view_set_cursor (view, &cursor);
  attn_figure_view_toggle_maximized (view);
  g_assert_cmpint (attn_figure_view_get_maximized (view), ==, 2);
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 0, &large, NULL));
  g_assert_cmpfloat (large.width, >, 1.5 * small.width);
  /* A cell under the pointer is still one of the third panel. */
  locate (0, 5, 2, &x, &y);
  point_at (x, y);
  assert_hit (2, 5, 2);
  press (GDK_KEY_Tab, 0);
  g_assert_cmpint (attn_figure_view_get_maximized (view), ==, 3);
  press (GDK_KEY_Escape, 0);
  g_assert_cmpint (attn_figure_view_get_maximized (view), ==, -1);
  attn_figure_view_go_back (view);
  g_assert_cmpint (attn_figure_view_get_maximized (view), ==, 3);
}

/* Whole pixels: the raster of every cell is as wide as that of its neighbour. */
static void
test_cells_of_whole_pixels (gpointer      *fixture,
                            gconstpointer  data)
{
  AttnRectangle panel;
  AttnViewport viewport;

  press (GDK_KEY_Down, 0);
  attn_figure_view_zoom_to_pixels (view);
  g_assert_true (attn_scene_get_heatmap (attn_figure_view_get_scene (view), 0, &panel, &viewport));
  double pixels =
      panel.width * attn_figure_view_get_scale (view) / (viewport.width * N_TOKENS);
  g_assert_cmpfloat_with_epsilon (pixels, round (pixels), 1e-6);
  g_assert_cmpfloat (pixels, >=, panel.width * attn_figure_view_get_scale (view) / N_TOKENS - 1e-6);
}

static void
test_rectangle_is_zoomed_to_and_back (gpointer      *fixture,
                                      gconstpointer  data)
{
  double x, y, end_x, end_y;

  locate (0, 2, 3, &x, &y);
  locate (0, 7, 8, &end_x, &end_y);
  attn_figure_view_set_tool (view, ATTN_FIGURE_TOOL_ZOOM);
  drag_by (x, y, end_x - x, end_y - y);
  AttnViewport viewport = attn_figure_view_get_viewport (view);
  /* From the middle of one cell to the middle of another; layout is in whole points at most. */
  g_assert_cmpfloat_with_epsilon (viewport.x, 3.5 / N_TOKENS, 1e-6);
  g_assert_cmpfloat_with_epsilon (viewport.y, 2.5 / N_TOKENS, 1e-6);
  g_assert_cmpfloat_with_epsilon (viewport.width, 5.0 / N_TOKENS, 1e-6);
  g_assert_cmpint (attn_figure_view_get_tool (view), ==, ATTN_FIGURE_TOOL_MOVE);
  attn_figure_view_go_back (view);
  viewport = attn_figure_view_get_viewport (view);
  g_assert_true (attn_viewport_is_fit (&viewport));
  attn_figure_view_go_forward (view);
  viewport = attn_figure_view_get_viewport (view);
  g_assert_false (attn_viewport_is_fit (&viewport));
}

/* What is thrown moves on, comes to rest, and then costs no frame. */
static void
test_throw_ends (gpointer      *fixture,
                 gconstpointer  data)
{
  GtkEventController *drag = find_controller (GTK_TYPE_GESTURE_DRAG);
  gint64 end = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;
  double x, y;

  locate (0, 6, 6, &x, &y);
  point_at (x, y);
  for (guint i = 0; i < 4; i++)
    scroll (-1);
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  for (guint i = 1; i <= 5; i++)
    {
      g_signal_emit_by_name (drag, "drag-update", 2.0 * i, 2.0 * i);
      g_usleep (5000);
    }
  AttnViewport before = attn_figure_view_get_viewport (view);
  g_signal_emit_by_name (drag, "drag-end", 10.0, 10.0);
  g_assert_true (attn_figure_view_is_moving (view));
  while (attn_figure_view_is_moving (view) && g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (attn_figure_view_is_moving (view));
  AttnViewport after = attn_figure_view_get_viewport (view);
  g_assert_cmpfloat (after.x, <, before.x);
}

static AttnRegionEdit last_edit;
static guint n_edits;

static void
region_edited_cb (AttnFigureView       *figure,
                  const AttnRegionEdit *edit)
{
  last_edit = *edit;
  n_edits++;
}

static void
test_region_is_drawn_and_resized (gpointer      *fixture,
                                  gconstpointer  data)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = make_grid ();
  AttnRectangle place;
  AttnSides sides;
  double x, y, end_x, end_y;

  n_edits = 0;
  g_signal_connect (view, "region-edited", G_CALLBACK (region_edited_cb), NULL);
  attn_figure_view_set_tool (view, ATTN_FIGURE_TOOL_REGION);
  locate (1, 6, 5, &x, &y);
  locate (1, 3, 2, &end_x, &end_y);
  drag_by (x, y, end_x - x, end_y - y);
  g_assert_cmpuint (n_edits, ==, 1);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_ADD);
  g_assert_cmpint (last_edit.group, ==, 1);
  g_assert_cmpuint (last_edit.region.first_row, ==, 3);
  g_assert_cmpuint (last_edit.region.last_column, ==, 5);

  attn_grid_add_region (grid, 0, 1, &last_edit.region);
  attn_figure_view_set_figure (view, grid, &style);
  g_assert_true (attn_figure_view_get_picked (view, NULL, NULL));
  g_assert_true (attn_scene_get_region (attn_figure_view_get_scene (view), 1, 0, &place, &sides));
  x = (place.x + place.width) * attn_figure_view_get_scale (view);
  y = (place.y + place.height) * attn_figure_view_get_scale (view);
  locate (1, 8, 9, &end_x, &end_y);
  drag_by (x, y, end_x - x, end_y - y);
  g_assert_cmpuint (n_edits, ==, 2);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_CHANGE);
  g_assert_cmpuint (last_edit.region.first_row, ==, 3);
  g_assert_cmpuint (last_edit.region.last_row, ==, 8);
  g_assert_cmpuint (last_edit.region.last_column, ==, 9);
  press (GDK_KEY_Delete, 0);
  g_assert_cmpuint (n_edits, ==, 3);
  g_assert_cmpint (last_edit.kind, ==, ATTN_REGION_EDIT_REMOVE);
  g_assert_cmpuint (last_edit.index, ==, 0);
}

static void
test_region_and_pin_by_keys (gpointer      *fixture,
                             gconstpointer  data)
{
  n_edits = 0;
  g_signal_connect (view, "region-edited", G_CALLBACK (region_edited_cb), NULL);
  press (GDK_KEY_Down, 0);
  attn_figure_view_toggle_pin (view);
  g_assert_cmpuint (n_edits, ==, 1);
  g_assert_true (last_edit.region.is_pin);
  attn_figure_view_set_tool (view, ATTN_FIGURE_TOOL_REGION);
  press (GDK_KEY_Return, 0);
  press (GDK_KEY_Down, 0);
  press (GDK_KEY_Right, 0);
  press (GDK_KEY_Return, 0);
  g_assert_cmpuint (n_edits, ==, 2);
  g_assert_false (last_edit.region.is_pin);
  g_assert_cmpuint (last_edit.region.last_row, ==, 1);
  g_assert_cmpuint (last_edit.region.last_column, ==, 1);
  /* Escape leaves what is half drawn, and then the tool. */
  press (GDK_KEY_Return, 0);
  press (GDK_KEY_Escape, 0);
  g_assert_cmpint (attn_figure_view_get_tool (view), ==, ATTN_FIGURE_TOOL_REGION);
  press (GDK_KEY_Escape, 0);
  g_assert_cmpint (attn_figure_view_get_tool (view), ==, ATTN_FIGURE_TOOL_MOVE);
  g_assert_cmpuint (n_edits, ==, 2);
}

static void
test_search_goes_to_tokens (gpointer      *fixture,
                            gconstpointer  data)
{
  /* t1, t10, t11 */
  g_assert_cmpuint (attn_figure_view_search (view, "T1"), ==, 3);
  g_assert_cmpuint (attn_figure_view_search_step (view, 1), ==, 1);
  assert_cursor (0, 1, 1);
  g_assert_cmpuint (attn_figure_view_search_step (view, 1), ==, 2);
  assert_cursor (0, 10, 10);
  g_assert_cmpuint (attn_figure_view_search_step (view, -1), ==, 1);
  g_assert_cmpuint (attn_figure_view_search (view, "nowhere"), ==, 0);
  g_assert_cmpuint (attn_figure_view_search_step (view, 1), ==, 0);
  assert_cursor (0, 1, 1);
  attn_figure_view_search (view, NULL);
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
  ADD ("pinch-zooms-from-where-it-began", test_pinch_zooms_from_where_it_began);
  ADD ("double-click-fits", test_double_click_fits);
  ADD ("new-figure-is-read-at-once", test_new_figure_is_read_at_once);
  ADD ("cursor-moves-by-keys", test_cursor_moves_by_keys);
  ADD ("cursor-is-kept-in-view", test_cursor_is_kept_in_view);
  ADD ("click-chooses-and-drag-does-not", test_click_chooses_and_drag_does_not);
  ADD ("menu-is-of-a-cell", test_menu_is_of_a_cell);
  ADD ("figure-keeps-what-is-read", test_figure_keeps_what_is_read);
  ADD ("one-panel-moves-alone", test_one_panel_moves_alone);
  ADD ("panel-is-maximised-and-back", test_panel_is_maximised_and_back);
  ADD ("cells-of-whole-pixels", test_cells_of_whole_pixels);
  ADD ("rectangle-is-zoomed-to-and-back", test_rectangle_is_zoomed_to_and_back);
  ADD ("throw-ends", test_throw_ends);
  ADD ("region-is-drawn-and-resized", test_region_is_drawn_and_resized);
  ADD ("region-and-pin-by-keys", test_region_and_pin_by_keys);
  ADD ("search-goes-to-tokens", test_search_goes_to_tokens);
  return g_test_run ();
}
