/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A control that has the focus but was scrolled out of sight, and a key that sets it off; keys
 * while a button of the pointer is held. */

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
  ADD ("/app/key-guard/key-shows-before-it-sets-off", test_key_shows_before_it_sets_off);
  ADD ("/app/key-guard/what-is-seen-stays", test_what_is_seen_stays);
  ADD ("/app/key-guard/keys-wait-for-the-button", test_keys_wait_for_the_button);
  ADD ("/app/key-guard/typing-goes-on-beside-the-button", test_typing_goes_on_beside_the_button);
  g_test_add_func ("/app/key-guard/folded-expander-is-passed-over",
                   test_folded_expander_is_passed_over);
  return g_test_run ();
}
