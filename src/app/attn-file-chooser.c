/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Asking for a file, a folder, or where to write: a dialog that keeps itself while it is needed. */

#include "config.h"

#include "attn-file-chooser.h"

/* How long a chooser outlives its answer, in seconds. That of GTK 4.8 is called back by the list of a
 * folder that is still being read when it has gone (browse_files_model_row_changed_cb), and crashes. */
#define SECONDS_TO_LINGER 10

static gboolean
linger_cb (gpointer chooser)
{
  return G_SOURCE_REMOVE;
}

static void
visible_cb (GtkNativeDialog *chooser)
{
  if (!gtk_native_dialog_get_visible (chooser))
    g_timeout_add_seconds_full (G_PRIORITY_DEFAULT, SECONDS_TO_LINGER, linger_cb, chooser,
                                g_object_unref);
}

static void
response_cb (GObject        *object,
             int             response,
             GtkFileChooser *chooser)
{
  AttnFileChosenFunc chosen = (AttnFileChosenFunc) g_object_get_data (G_OBJECT (chooser), "chosen");
  g_autoptr (GFile) file = gtk_file_chooser_get_file (chooser);

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    chosen (object, file, chooser);
}

/**
 * attn_file_chooser_show:
 * @chooser: (transfer full): shown until it is answered or its window goes
 * @chosen: called when a file was chosen and @object is still there
 * @object: a #GObject
 */
void
attn_file_chooser_show (GtkFileChooserNative *chooser,
                        AttnFileChosenFunc    chosen,
                        gpointer              object)
{
  GtkNativeDialog *dialog = GTK_NATIVE_DIALOG (chooser);
  GtkWindow *parent = gtk_native_dialog_get_transient_for (dialog);

  gtk_native_dialog_set_modal (dialog, TRUE);
  g_object_set_data (G_OBJECT (chooser), "chosen", (gpointer) chosen);
  g_signal_connect_object (chooser, "response", G_CALLBACK (response_cb), object,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (dialog);
  g_signal_connect (chooser, "notify::visible", G_CALLBACK (visible_cb), NULL);
  if (parent != NULL)
    g_signal_connect_object (parent, "destroy", G_CALLBACK (gtk_native_dialog_hide), chooser,
                             G_CONNECT_SWAPPED);
}
