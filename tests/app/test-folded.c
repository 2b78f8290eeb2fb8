/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sections of the side bar that fold, and the keyboard. */

#include "config.h"

#include "app-fixture.h"
#include "attn-application.h"
#include "attn-sidebar.h"
#include "attn-worker.h"

/* Goes into a section in both ways that the keyboard enters it from below: by the places of
 * controls and by their order. */
static void
enter_from_below (GtkExpander *section)
{
  static const GtkDirectionType directions[] = { GTK_DIR_UP, GTK_DIR_TAB_BACKWARD };
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (section)));

  for (int is_expanded = FALSE; is_expanded <= TRUE; is_expanded++)
    for (gsize i = 0; i < G_N_ELEMENTS (directions); i++)
      {
        gtk_expander_set_expanded (section, is_expanded);
        gtk_window_set_focus (window, NULL);
        g_assert_true (gtk_widget_child_focus (GTK_WIDGET (section), directions[i]));
        g_assert_true ((gtk_window_get_focus (window) == GTK_WIDGET (section)) == !is_expanded);
      }
  gtk_expander_set_expanded (section, FALSE);
}

static guint
enter_all_from_below (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_EXPANDER (widget) && gtk_widget_get_mapped (widget))
    {
      enter_from_below (GTK_EXPANDER (widget));
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += enter_all_from_below (child);
  return n;
}

/* GTK 4.8 goes into what is folded away, too, and complains that it has no place. */
static void
test_keyboard_passes_what_is_folded (void)
{
  g_autoptr (AttnSession) session = attn_session_new ();
  GtkWidget *sidebar = g_object_new (ATTN_TYPE_SIDEBAR, NULL);
  GtkWidget *window = gtk_window_new ();

  attn_session_open (session, attn_presets_load ("mean-operation", NULL));
  attn_sidebar_set_session (ATTN_SIDEBAR (sidebar), session, NULL);
  gtk_window_set_child (GTK_WINDOW (window), sidebar);
  gtk_window_present (GTK_WINDOW (window));
  g_assert_cmpuint (enter_all_from_below (sidebar), >, 0);
  gtk_window_destroy (GTK_WINDOW (window));
  g_clear_object (&session);
  attn_worker_wait_for_threads ();
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  g_test_add_func ("/app/folded/keyboard-passes-what-is-folded",
                   test_keyboard_passes_what_is_folded);
  return g_test_run ();
}
