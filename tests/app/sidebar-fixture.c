/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "sidebar-fixture.h"

#include "attn-worker.h"

/* The widgets of a type that show, depth first. */
static void
collect (GtkWidget *widget,
         GType      type,
         GPtrArray *found)
{
  if (!gtk_widget_get_visible (widget))
    return;
  if (g_type_is_a (G_OBJECT_TYPE (widget), type))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, type, found);
}

/* The widgets of a type in @widget that show. */
GPtrArray *
find_all (gpointer widget,
          GType    type)
{
  GPtrArray *found = g_ptr_array_new ();

  collect (widget, type, found);
  return found;
}

/* The one with this number among them, which has to be there. */
gpointer
find_nth (gpointer widget,
          GType    type,
          guint    n)
{
  g_autoptr (GPtrArray) found = find_all (widget, type);

  g_assert_cmpuint (found->len, >, n);
  return g_ptr_array_index (found, n);
}

/* The control that a label is for; NULL where the label does not show. */
gpointer
find_labelled (Fixture    *fixture,
               const char *text)
{
  g_autoptr (GPtrArray) labels = find_all (fixture->window, GTK_TYPE_LABEL);

  for (guint i = 0; i < labels->len; i++)
    {
      GtkLabel *label = labels->pdata[i];

      if (g_str_equal (gtk_label_get_text (label), text) &&
          gtk_label_get_mnemonic_widget (label) != NULL)
        return gtk_label_get_mnemonic_widget (label);
    }
  return NULL;
}

/* The control of the strip with this id, whether it shows or not. */
gpointer
find_control (Fixture    *fixture,
              const char *id)
{
  GtkWidget *found = find_id (fixture->strip, id);

  g_assert_nonnull (found);
  return found;
}

/* The menu of the strip, in which the scope is. */
void
open_reach (Fixture *fixture)
{
  gtk_menu_button_popup (find_control (fixture, "reach"));
  WAIT_UNTIL (gtk_widget_get_mapped (find_control (fixture, "scope")));
}

const AttnStudy *
get_study (Fixture *fixture)
{
  return attn_session_get_study (fixture->session);
}

void
wait_for_result (Fixture *fixture)
{
  WAIT_UNTIL (attn_session_is_current (fixture->session));
}

/* With NULL what was wrong is gone. */
static void
failed_cb (Fixture      *fixture,
           const GError *error)
{
  fixture->n_failures += error != NULL;
}

void
set_up_sidebar (Fixture       *fixture,
                gconstpointer  preset)
{
  fixture->session = attn_session_new ();
  attn_session_open (fixture->session, attn_presets_load (preset, NULL));
  show_sidebar (fixture);
}

/* Of the session. */
void
show_sidebar (Fixture *fixture)
{
  fixture->n_failures = 0;
  fixture->failure = NULL;
  fixture->sidebar = g_object_new (ATTN_TYPE_SIDEBAR, NULL);
  fixture->strip = g_object_new (ATTN_TYPE_STRIP, NULL);
  g_signal_connect_swapped (fixture->sidebar, "failed", G_CALLBACK (failed_cb), fixture);
  g_signal_connect_swapped (fixture->strip, "failed", G_CALLBACK (failed_cb), fixture);
  attn_sidebar_set_session (fixture->sidebar, fixture->session, NULL);
  attn_strip_set_session (fixture->strip, fixture->session);
  fixture->window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_default_size (fixture->window, 300, 600);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (fixture->strip));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (fixture->sidebar));
  gtk_window_set_child (fixture->window, box);
  gtk_window_present (fixture->window);
  wait_for_result (fixture);
}

void
tear_down_sidebar (Fixture       *fixture,
                   gconstpointer  data)
{
  g_object_add_weak_pointer (G_OBJECT (fixture->sidebar), (gpointer *) &fixture->sidebar);
  g_object_add_weak_pointer (G_OBJECT (fixture->strip), (gpointer *) &fixture->strip);
  gtk_menu_button_popdown (find_control (fixture, "reach"));
  iterate ();
  gtk_window_destroy (fixture->window);
  WAIT_UNTIL (fixture->sidebar == NULL && fixture->strip == NULL);
  g_assert_finalize_object (fixture->session);
  attn_worker_wait_for_threads ();
}

/* Whether a label that shows says @text. */
gboolean
shows_text (Fixture    *fixture,
            const char *text)
{
  g_autoptr (GPtrArray) labels = find_all (fixture->sidebar, GTK_TYPE_LABEL);

  for (guint i = 0; i < labels->len; i++)
    if (g_str_equal (gtk_label_get_text (labels->pdata[i]), text))
      return TRUE;
  return FALSE;
}
