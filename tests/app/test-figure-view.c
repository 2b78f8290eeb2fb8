/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure view in a window of its own, driven through its controllers. */

#include "config.h"

#include "app-fixture.h"
#include "reading-fixture.h"

static GtkWindow *window;
static AttnFigureView *view;
static AttnReading *reading;

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  g_autoptr (AttnGrid) grid = reading_fixture_grid ();

  view = attn_figure_view_new ();
  reading = attn_figure_view_get_reading (view);
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

  g_assert_true (attn_scene_get_cell (attn_reading_get_places (reading).scene, group, row, column,
                                      &cell));
  *x = (cell.x + cell.width / 2) * attn_reading_get_places (reading).scale;
  *y = (cell.y + cell.height / 2) * attn_reading_get_places (reading).scale;
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
  const AttnHit *hit = attn_reading_get (reading).hit;

  g_assert_nonnull (hit);
  g_assert_cmpint (hit->group, ==, group);
  g_assert_cmpuint (hit->row, ==, row);
  g_assert_cmpuint (hit->column, ==, column);
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
      "difference +0.1000 · rank 3 of 5 in the row");
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
  AttnViewport viewport = attn_reading_get (reading).views->shared;
  g_assert_cmpfloat_with_epsilon (viewport.width, 2.0 / N_TOKENS, 1e-9);
  for (guint i = 0; i < 20; i++)
    scroll (1);
  viewport = attn_reading_get (reading).views->shared;
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
  AttnViewport twice = attn_reading_get (reading).views->shared;
  g_assert_cmpfloat_with_epsilon (twice.width, 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (twice.height, 0.5, 1e-9);
  g_signal_emit_by_name (pinch, "scale-changed", 1.0);
  AttnViewport once = attn_reading_get (reading).views->shared;
  g_assert_true (attn_viewport_is_fit (&once));

  g_signal_emit_by_name (pinch, "scale-changed", 2.0);
  g_signal_emit_by_name (pinch, "end", NULL);
  g_signal_emit_by_name (pinch, "begin", NULL);
  g_signal_emit_by_name (pinch, "scale-changed", 2.0);
  AttnViewport again = attn_reading_get (reading).views->shared;
  g_assert_cmpfloat_with_epsilon (again.width, 0.25, 1e-9);
}

static void
test_double_click_fits (gpointer      *fixture,
                        gconstpointer  data)
{
  GtkEventController *click = find_click (GDK_BUTTON_PRIMARY);

  attn_reading_do (reading, ATTN_COMMAND_ZOOM, 3, 0);
  AttnViewport viewport = attn_reading_get (reading).views->shared;
  g_assert_false (attn_viewport_is_fit (&viewport));
  g_signal_emit_by_name (click, "pressed", 1, 10.0, 10.0);
  viewport = attn_reading_get (reading).views->shared;
  g_assert_false (attn_viewport_is_fit (&viewport));
  g_signal_emit_by_name (click, "pressed", 2, 10.0, 10.0);
  viewport = attn_reading_get (reading).views->shared;
  g_assert_true (attn_viewport_is_fit (&viewport));
}

/* Presses a key with the focus on the figure: whether it was taken. */
static gboolean
press (guint           key,
       GdkModifierType state)
{
  return press_shortcut (view, key, state);
}

static void
assert_cursor (int   group,
               gsize row,
               gsize column)
{
  AttnCellCursor cursor = attn_reading_get (reading).cursor;

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
      "difference 0.000 · rank 11 of 12 in the row");
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
  g_assert_null (attn_reading_get (reading).hit);
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
  n = attn_reading_get (reading).selection->indices->len;
  g_assert_cmpuint (n, ==, 1);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  n = attn_reading_get (reading).selection->indices->len;
  g_assert_cmpuint (n, ==, 3);
  press (GDK_KEY_space, 0);
  n = attn_reading_get (reading).selection->indices->len;
  g_assert_cmpuint (n, ==, 2);
  drag_by (x, y, 30, 30);
  assert_cursor (1, 8, 3);
}

static double menu_x, menu_y;
static guint n_menus;

static void
menu_asked_cb (AttnReading *asked,
               double       x,
               double       y)
{
  menu_x = x;
  menu_y = y;
  n_menus++;
}

/* GTK gives a click up whose release comes before the next frame, and so does a fast finger. */
static void
test_tap_chooses (gpointer      *fixture,
                  gconstpointer  data)
{
  GtkEventController *click = find_click (GDK_BUTTON_PRIMARY);
  double x, y;

  locate (0, 3, 2, &x, &y);
  /* A release of a press elsewhere is none. */
  g_signal_emit_by_name (click, "unpaired-release", x, y, GDK_BUTTON_PRIMARY, NULL);
  g_assert_cmpint (attn_reading_get (reading).cursor.group, <, 0);
  g_signal_emit_by_name (click, "pressed", 1, x, y);
  g_signal_emit_by_name (click, "cancel", NULL);
  g_signal_emit_by_name (click, "unpaired-release", x, y, GDK_BUTTON_PRIMARY, NULL);
  g_assert_cmpint (attn_reading_get (reading).cursor.group, ==, 0);
  g_assert_cmpuint (attn_reading_get (reading).cursor.row, ==, 3);
  g_assert_cmpuint (attn_reading_get (reading).cursor.column, ==, 2);
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
  g_signal_connect (reading, "menu-asked", G_CALLBACK (menu_asked_cb), NULL);
  locate (2, 5, 3, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  g_assert_cmpuint (n_menus, ==, 1);
  g_assert_cmpfloat (menu_x, ==, x);
  assert_cursor (2, 5, 3);
  assert_hit (2, 5, 3);
  press (GDK_KEY_Down, GDK_SHIFT_MASK);
  locate (2, 5, 1, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  n = attn_reading_get (reading).selection->indices->len;
  g_assert_cmpuint (n, ==, 2);
  locate (2, 9, 1, &x, &y);
  g_signal_emit_by_name (find_click (GDK_BUTTON_SECONDARY), "pressed", 1, x, y);
  n = attn_reading_get (reading).selection->indices->len;
  g_assert_cmpuint (n, ==, 1);
  press (GDK_KEY_Menu, 0);
  g_assert_cmpuint (n_menus, ==, 4);
  g_assert_cmpfloat_with_epsilon (menu_x, x, 1);
  g_assert_cmpfloat (menu_y, >, y);
}

/* Drags a view from a point and lets it go while it moves. */
static void
throw_view (GtkEventController *drag,
            double              x,
            double              y)
{
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  for (guint i = 1; i <= 5; i++)
    {
      g_signal_emit_by_name (drag, "drag-update", 2.0 * i, 2.0 * i);
      g_usleep (5000);
    }
  g_signal_emit_by_name (drag, "drag-end", 10.0, 10.0);
}

/* What is thrown moves on, comes to rest, and then costs no frame. Where the machine is so busy
 * that the hand seems to have stood still, it is thrown again. */
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
  for (guint i = 0; i < 20 && !attn_reading_is_coasting (reading); i++)
    throw_view (drag, x, y);
  g_assert_true (attn_reading_is_coasting (reading));
  AttnViewport before = attn_reading_get (reading).views->shared;
  while (attn_reading_is_coasting (reading) && g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (attn_reading_is_coasting (reading));
  AttnViewport after = attn_reading_get (reading).views->shared;
  g_assert_cmpfloat (after.x, <, before.x);
}

static double
get_tick_size (void)
{
  const AttnScene *scene = attn_reading_get_places (reading).scene;

  for (guint i = 0; i < scene->marks->len; i++)
    if (g_str_equal (attn_scene_get_mark (scene, i)->role, "tick") &&
        attn_scene_get_mark (scene, i)->kind == ATTN_MARK_TEXT)
      return attn_scene_get_mark (scene, i)->font_size;
  g_assert_not_reached ();
}

/* A desktop with larger text has it in the figure, too. */
static void
test_large_text_is_large (gpointer      *fixture,
                          gconstpointer  data)
{
  GtkSettings *settings = gtk_widget_get_settings (GTK_WIDGET (view));
  double usual;
  int before;

  g_object_get (settings, "gtk-xft-dpi", &before, NULL);
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  usual = get_tick_size ();
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024 * 5 / 4, NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  g_assert_cmpfloat_with_epsilon (get_tick_size (), usual * 1.25, 0.01);
  g_object_set (settings, "gtk-xft-dpi", before, NULL);
}

#define ADD(name, function) \
  g_test_add ("/app/figure-view/" name, gpointer, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  ADD ("hover-is-told-to-assistive-technology", test_hover_is_told_to_assistive_technology);
  ADD ("zoom-keeps-the-cell-under-the-pointer", test_zoom_keeps_the_cell_under_the_pointer);
  ADD ("drag-moves-what-was-taken-hold-of", test_drag_moves_what_was_taken_hold_of);
  ADD ("pinch-zooms-from-where-it-began", test_pinch_zooms_from_where_it_began);
  ADD ("double-click-fits", test_double_click_fits);
  ADD ("cursor-moves-by-keys", test_cursor_moves_by_keys);
  ADD ("click-chooses-and-drag-does-not", test_click_chooses_and_drag_does_not);
  ADD ("tap-chooses", test_tap_chooses);
  ADD ("menu-is-of-a-cell", test_menu_is_of_a_cell);
  ADD ("throw-ends", test_throw_ends);
  ADD ("large-text-is-large", test_large_text_is_large);
  return g_test_run ();
}
