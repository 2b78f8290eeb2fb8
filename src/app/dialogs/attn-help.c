/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-help.h"

#include "attn-blas.h"
#include "attn-threads.h"

/**
 * attn_help_new:
 * @parent: (nullable): a window to stand above
 *
 * Returns: (transfer none): the help, a window that explains what the program shows
 */
GtkWindow *
attn_help_new (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/attentiongrid/AttentionGrid/help.ui");
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "help"));

  gtk_window_set_transient_for (window, parent);
  return window;
}

/**
 * attn_help_dup_system:
 *
 * Returns: (transfer full): the system that the program runs on and its libraries, with their
 *   versions, one on each line
 */
char *
attn_help_dup_system (void)
{
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  GdkDisplay *display = gdk_display_get_default ();

  return g_strdup_printf ("%s%sGTK %u.%u.%u, %s\nGLib %u.%u.%u\ncairo %s\nPango %s\n"
                          "%s, %u threads\n",
                          os != NULL ? os : "", os != NULL ? "\n" : "", gtk_get_major_version (),
                          gtk_get_minor_version (), gtk_get_micro_version (),
                          display != NULL ? G_OBJECT_TYPE_NAME (display) : "no display",
                          glib_major_version, glib_minor_version, glib_micro_version,
                          cairo_version_string (), pango_version_string (),
                          attn_blas_get_config (), attn_threads_get ());
}
