/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A control that has the focus but was scrolled out of sight, and a key that sets it off; keys
 * while a button of the pointer is held; a click while the window is laid out. */

#include "config.h"

#include "app-fixture.h"
#include "attn-key-guard.h"

#define PATIENCE (20 * G_USEC_PER_SEC)

typedef struct
{
  GtkWidget *window;
  GtkWidget *control;
  GtkAdjustment *adjustment;
} Fixture;

/* Taller than any screen, so that what lies above the view lies above the screen too. */
#define REST_HEIGHT 6000

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  static const char * const choices[] = { "One", "Two", NULL };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *rest = gtk_label_new ("Rest");
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  fixture->window = gtk_window_new ();
  fixture->control = gtk_drop_down_new_from_strings (choices);
  fixture->adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  gtk_widget_set_size_request (rest, 100, REST_HEIGHT);
  gtk_box_append (GTK_BOX (box), fixture->control);
  gtk_box_append (GTK_BOX (box), rest);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  gtk_window_set_child (GTK_WINDOW (fixture->window), scrolled);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 300, 300);
  attn_key_guard_install (GTK_WINDOW (fixture->window));
  gtk_window_present (GTK_WINDOW (fixture->window));
  WAIT_UNTIL (gtk_adjustment_get_upper (fixture->adjustment) >= REST_HEIGHT);
  gtk_widget_grab_focus (fixture->control);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
}

/* Where the control stands in the window. */
static double
get_top (Fixture *fixture)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (fixture->control, fixture->window, &bounds));
  return bounds.origin.y;
}

static void
scroll_away (Fixture *fixture)
{
  gtk_adjustment_set_value (fixture->adjustment, REST_HEIGHT / 2);
  WAIT_UNTIL (get_top (fixture) <= -REST_HEIGHT / 4);
}

static gboolean
is_open (Fixture *fixture)
{
  GtkWidget *popover = gtk_widget_get_last_child (fixture->control);

  g_assert_true (GTK_IS_POPOVER (popover));
  return gtk_widget_get_visible (popover);
}

static gboolean
is_in_view (Fixture *fixture)
{
  return gtk_adjustment_get_value (fixture->adjustment) == 0;
}

/* Presses the space bar until what is awaited comes about. */
static void
press_space (Fixture *fixture, gboolean (*is_done) (Fixture *fixture))
{
  const char * const words[] = { "xdotool", "mousemove", "150", "150", "key", "space", NULL };
  gint64 end = g_get_monotonic_time () + PATIENCE;
  g_autoptr (GError) error = NULL;

  g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
  while (!is_done (fixture) && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_true (is_done (fixture));
}

static void
test_key_shows_before_it_sets_off (Fixture       *fixture,
                                   gconstpointer  data)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");

  if (xdotool == NULL)
    {
      g_test_skip ("xdotool is not installed");
      return;
    }
  scroll_away (fixture);
  press_space (fixture, is_in_view);
  g_assert_false (is_open (fixture));
  WAIT_UNTIL (get_top (fixture) >= 0);
  press_space (fixture, is_open);
}

static void
test_what_is_seen_stays (Fixture       *fixture,
                         gconstpointer  data)
{
  g_assert_false (attn_key_guard_show_focus (GTK_WINDOW (fixture->window)));
  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  scroll_away (fixture);
  g_assert_false (attn_key_guard_show_focus (GTK_WINDOW (fixture->window)));
  g_assert_cmpfloat (gtk_adjustment_get_value (fixture->adjustment), ==, REST_HEIGHT / 2);
}

/* Whether the window keeps a key from what has the focus. */
static gboolean
is_kept_back (Fixture         *fixture,
              guint            keyval,
              GdkModifierType  state)
{
  g_autoptr (GPtrArray) keys = find_controllers (fixture->window, GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_handled = FALSE;

  for (guint i = 0; i < keys->len && !is_handled; i++)
    if (gtk_event_controller_get_propagation_phase (keys->pdata[i]) == GTK_PHASE_CAPTURE)
      g_signal_emit_by_name (keys->pdata[i], "key-pressed", keyval, 0, state, &is_handled);
  return is_handled;
}

static void
test_keys_wait_for_the_button (Fixture       *fixture,
                               gconstpointer  data)
{
  g_assert_true (is_kept_back (fixture, GDK_KEY_F10, GDK_BUTTON1_MASK));
  g_assert_true (is_kept_back (fixture, GDK_KEY_space, GDK_BUTTON3_MASK));
  g_assert_false (is_kept_back (fixture, GDK_KEY_Escape, GDK_BUTTON1_MASK));
  g_assert_false (is_kept_back (fixture, GDK_KEY_F10, GDK_SHIFT_MASK));
}

static void
test_typing_goes_on_beside_the_button (Fixture       *fixture,
                                       gconstpointer  data)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_box_append (GTK_BOX (gtk_widget_get_parent (fixture->control)), entry);
  gtk_widget_grab_focus (entry);
  g_assert_false (is_kept_back (fixture, GDK_KEY_a, GDK_BUTTON1_MASK));
  g_assert_false (is_kept_back (fixture, GDK_KEY_space, GDK_BUTTON1_MASK));
  g_assert_false (is_kept_back (fixture, GDK_KEY_BackSpace, GDK_BUTTON1_MASK));
  g_assert_true (is_kept_back (fixture, GDK_KEY_p, GDK_BUTTON1_MASK | GDK_CONTROL_MASK));
  g_assert_true (is_kept_back (fixture, GDK_KEY_F10, GDK_BUTTON1_MASK));
}

/* --- A click and a layout --------------------------------------------------------------------- */

/* Less urgent than all that GTK does by itself */
#define WHEN_IDLE (G_PRIORITY_LOW + 100)

/* Returns the source that brings the events of the X server. */
static GSource *
find_events (void)
{
  for (guint id = 1; id < 100000; id++)
    {
      GSource *source = g_main_context_find_source_by_id (NULL, id);
      const char *name = source != NULL ? g_source_get_name (source) : NULL;

      if (name != NULL && g_str_has_prefix (name, "GDK X11 Event source"))
        return source;
    }
  return NULL;
}

/* Presses or releases the first button of the pointer at the middle of @widget. */
static void
point_at (GtkWidget  *widget,
          const char *button)
{
  GtkNative *native = gtk_widget_get_native (widget);
  graphene_rect_t bounds;
  double left, top;
  g_autoptr (GError) error = NULL;

  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (native), &bounds));
  gtk_native_get_surface_transform (native, &left, &top);
  /* The window itself stands in the corner of the screen, for nobody manages it. */
  if (GTK_IS_POPOVER (native))
    {
      GdkPopup *popup = GDK_POPUP (gtk_native_get_surface (native));

      left += gdk_popup_get_position_x (popup);
      top += gdk_popup_get_position_y (popup);
    }
  g_autofree char *x = g_strdup_printf ("%.0f", left + bounds.origin.x + bounds.size.width / 2);
  g_autofree char *y = g_strdup_printf ("%.0f", top + bounds.origin.y + bounds.size.height / 2);
  const char *words[] = { "xdotool", "mousemove", x, y, button, "1", NULL };
  g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
}

static gboolean
is_pressed (GtkWidget *widget)
{
  return (gtk_widget_get_state_flags (widget) & GTK_STATE_FLAG_ACTIVE) != 0;
}

static void
count (guint *n)
{
  ++*n;
}

static gboolean
count_once (gpointer n)
{
  count (n);
  return G_SOURCE_REMOVE;
}

static gboolean
go_on (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* Lets GTK lay out a widget, and do all that follows from it, before it reads what the X server has
 * sent. */
static void
lay_out_before_events (GtkWidget *widget,
                       GSource   *events)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (widget);
  guint n_layouts = 0, n_flushes = 0;
  gulong layout =
      g_signal_connect_data (clock, "layout", G_CALLBACK (count), &n_layouts, NULL,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gulong flush =
      g_signal_connect_data (clock, "flush-events", G_CALLBACK (count), &n_flushes, NULL,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  guint busy = g_idle_add_full (WHEN_IDLE, go_on, NULL, NULL);
  guint n_idle = 0;

  g_source_set_priority (events, WHEN_IDLE + 1);
  gtk_widget_queue_resize (widget);
  WAIT_UNTIL (n_layouts > 0);
  /* GTK asks for the pointer in an idle callback that comes before this one. */
  g_idle_add_full (GDK_PRIORITY_REDRAW + 30, count_once, &n_idle, NULL);
  WAIT_UNTIL (n_idle > 0);
  n_flushes = 0;
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS);
  WAIT_UNTIL (n_flushes > 0);
  g_source_set_priority (events, GDK_PRIORITY_EVENTS);
  g_source_remove (busy);
  g_signal_handler_disconnect (clock, layout);
  g_signal_handler_disconnect (clock, flush);
}

/* Clicks a check button again and again, each time with a layout between the press and the release,
 * and asserts that each click counts. */
static void
assert_clicks_count (GtkWidget *check,
                     GSource   *events)
{
  for (guint i = 1; i <= 3; i++)
    {
      point_at (check, "mousedown");
      WAIT_UNTIL (is_pressed (check));
      point_at (check, "mouseup");
      lay_out_before_events (check, events);
      WAIT_UNTIL (!is_pressed (check));
      g_assert_cmpint (gtk_check_button_get_active (GTK_CHECK_BUTTON (check)), ==, i % 2 == 1);
    }
}

/* A press whose release is not read yet counts, though what it is on is laid out meanwhile, in a
 * window and in a popover of it. */
static void
test_click_outlives_a_layout (void)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  GSource *events = find_events ();
  GtkWidget *window, *box, *check, *popover, *inside;

  if (xdotool == NULL || events == NULL)
    {
      g_test_skip ("xdotool is not installed, or the display is none of X");
      return;
    }
  window = gtk_window_new ();
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  check = gtk_check_button_new_with_label ("Query");
  popover = gtk_popover_new ();
  inside = gtk_check_button_new_with_label ("Key");
  gtk_widget_set_margin_start (check, 40);
  gtk_widget_set_margin_top (check, 40);
  gtk_box_append (GTK_BOX (box), check);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_popover_set_child (GTK_POPOVER (popover), inside);
  gtk_widget_set_parent (popover, box);
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 200);
  attn_key_guard_install (GTK_WINDOW (window));
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  assert_clicks_count (check, events);
  gtk_popover_popup (GTK_POPOVER (popover));
  WAIT_UNTIL (gtk_widget_get_mapped (inside));
  gtk_test_widget_wait_for_draw (window);
  assert_clicks_count (inside, events);
  gtk_popover_popdown (GTK_POPOVER (popover));
  gtk_widget_unparent (popover);
  gtk_window_destroy (GTK_WINDOW (window));
}

#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)

/* The arrow keys pass over what a folded expander holds, and go into it when it is unfolded. */
static void
test_folded_expander_is_passed_over (void)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *expander = gtk_expander_new ("More");
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *inside = gtk_button_new_with_label ("Inside");
  GtkWidget *last = gtk_button_new_with_label ("Last");

  gtk_box_append (GTK_BOX (content), inside);
  gtk_box_append (GTK_BOX (content), gtk_button_new_with_label ("Below"));
  gtk_expander_set_child (GTK_EXPANDER (expander), content);
  gtk_box_append (GTK_BOX (box), expander);
  gtk_box_append (GTK_BOX (box), last);
  gtk_window_set_child (GTK_WINDOW (window), box);
  attn_key_guard_install (GTK_WINDOW (window));
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  gtk_widget_grab_focus (expander);
  g_assert_true (gtk_widget_child_focus (window, GTK_DIR_DOWN));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == last);
  g_assert_true (gtk_widget_child_focus (window, GTK_DIR_UP));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == expander);
  gtk_expander_set_expanded (GTK_EXPANDER (expander), TRUE);
  gtk_test_widget_wait_for_draw (window);
  g_assert_true (gtk_widget_child_focus (window, GTK_DIR_DOWN));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == inside);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  /* The first, before keys open a list: GTK alone, without a window manager, then counts presses in
   * the next window that were none. */
  g_test_add_func ("/app/key-guard/click-outlives-a-layout", test_click_outlives_a_layout);
  ADD ("/app/key-guard/key-shows-before-it-sets-off", test_key_shows_before_it_sets_off);
  ADD ("/app/key-guard/what-is-seen-stays", test_what_is_seen_stays);
  ADD ("/app/key-guard/keys-wait-for-the-button", test_keys_wait_for_the_button);
  ADD ("/app/key-guard/typing-goes-on-beside-the-button", test_typing_goes_on_beside_the_button);
  g_test_add_func ("/app/key-guard/folded-expander-is-passed-over",
                   test_folded_expander_is_passed_over);
  return g_test_run ();
}
