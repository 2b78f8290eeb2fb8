/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A popover that goes when it is closed, and a pointer of xdotool that is just pressing on it. */

#include "config.h"

#include "app-fixture.h"
#include "attn-popover.h"

#define PATIENCE  (20 * G_USEC_PER_SEC)
#define QUIETNESS (G_USEC_PER_SEC / 5)

static void
move_pointer (const char *x,
              const char *button)
{
  const char *words[] = { "xdotool", "mousemove", x, "100", button, "1", NULL };
  g_autoptr (GError) error = NULL;

  if (button == NULL)
    words[5] = NULL;
  g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
}

/* Until nothing more comes from the X server. */
static void
settle (void)
{
  gint64 end = g_get_monotonic_time () + QUIETNESS;

  while (g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

static void
test_pressed_while_it_closes (void)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  const GdkRectangle place = { 100, 50, 1, 1 };
  GtkWidget *window = gtk_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *button = gtk_button_new_with_label ("Pressed");
  gint64 end = g_get_monotonic_time () + PATIENCE;

  if (xdotool == NULL)
    {
      g_test_skip ("xdotool is not installed");
      gtk_window_destroy (GTK_WINDOW (window));
      g_object_unref (g_object_ref_sink (popover));
      return;
    }
  gtk_widget_set_size_request (button, 150, 150);
  gtk_popover_set_child (GTK_POPOVER (popover), button);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 300);
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_object_add_weak_pointer (G_OBJECT (popover), (gpointer *) &popover);
  g_assert_true (attn_popover_open (GTK_POPOVER (popover), box, &place));
  settle ();
  g_assert_true (gtk_widget_get_mapped (popover));

  /* Pressed on the screen, and closed before the press is read. */
  move_pointer ("100", "mousedown");
  gtk_popover_popdown (GTK_POPOVER (popover));
  while (popover != NULL && g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (popover);
  move_pointer ("110", NULL);
  settle ();
  move_pointer ("120", "mouseup");
  settle ();
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A window that opens with a popover is not laid out yet: the button stands elsewhere then. */
static void
test_points_at_what_is_placed_later (void)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *button = gtk_button_new_with_label ("Pointed at");
  GtkWidget *words = gtk_label_new ("What is said");
  graphene_rect_t place;
  double left, top;

  gtk_widget_set_margin_start (button, 300);
  gtk_widget_set_margin_end (button, 300);
  gtk_box_append (GTK_BOX (box), button);
  gtk_popover_set_child (GTK_POPOVER (popover), words);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  g_assert_cmpint (gtk_widget_get_width (button), ==, 0);
  g_assert_true (attn_popover_open (GTK_POPOVER (popover), button, NULL));
  settle ();
  g_assert_true (gtk_widget_get_mapped (popover));
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (popover));
  int middle =
      gdk_popup_get_position_x (GDK_POPUP (surface)) + gdk_surface_get_width (surface) / 2;
  g_assert_true (gtk_widget_compute_bounds (button, window, &place));
  gtk_native_get_surface_transform (GTK_NATIVE (window), &left, &top);
  g_assert_cmpfloat_with_epsilon (left + place.origin.x + place.size.width / 2, middle,
                                  place.size.width / 4);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What GTK complains of by itself ends no test, and everything else does. */
static void
test_complaints (void)
{
  if (g_test_subprocess ())
    {
      g_log ("Gdk", G_LOG_LEVEL_CRITICAL, "another_function: assertion 'is_good' failed");
      return;
    }
  g_log ("Gdk", G_LOG_LEVEL_CRITICAL,
         "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE (surface)' failed");
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*another_function*");
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/app/popover/pressed-while-it-closes", test_pressed_while_it_closes);
  g_test_add_func ("/app/popover/points-at-what-is-placed-later",
                   test_points_at_what_is_placed_later);
  g_test_add_func ("/app/popover/complaints-of-gtk-alone", test_complaints);
  return g_test_run ();
}
