/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A window with nothing in it, which says when it stood on the screen: what GTK needs by itself. */

#include "config.h"

#include <gtk/gtk.h>

#include "attn-startup.h"

static void
activate_cb (GtkApplication *application,
             gpointer        data)
{
  GtkWidget *window = gtk_application_window_new (application);

  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 860);
  g_signal_connect (window, "map", G_CALLBACK (attn_startup_trace), NULL);
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GtkApplication) application =
      gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);

  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
