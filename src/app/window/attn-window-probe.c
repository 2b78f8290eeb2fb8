/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Creates a probe from a table of answers. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-probe-dialog.h"
#include "attn-probe-file.h"

/* Returns the model on display, or for a file of probes the model that was probed. (transfer
 * full) */
static AttnModelReference *
dup_model (AttnWindow *self)
{
  const AttnModelReference *shown = &attn_session_get_study (self->session)->model;
  AttnModel *model = attn_session_get_model (self->session);
  AttnModelReference *probed = model != NULL && attn_model_get_info (model)->is_probe
                                   ? attn_probe_map_dup_model (shown)
                                   : NULL;

  return probed != NULL ? probed : attn_model_reference_copy (shown);
}

static void
written_cb (AttnWindow *self,
            const char *path)
{
  attn_window_open_path (self, path);
}

static void
table_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModelReference) model = dup_model (self);
  g_autofree char *path = g_file_get_path (file);
  AttnFraming framing = attn_study_get_framing (attn_session_get_study (self->session));
  AttnProbeDialog *dialog =
      path != NULL ? attn_probe_dialog_new (GTK_WINDOW (self), path, model, framing, &error) : NULL;

  if (dialog != NULL)
    {
      g_signal_connect_object (dialog, "written", G_CALLBACK (written_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_window_present (GTK_WINDOW (dialog));
    }
  else if (path != NULL)
    {
      g_autofree char *name = g_filename_display_basename (path);

      attn_window_show_open_error (self, name, error);
    }
}

static void
new_probe (AttnWindow *self)
{
  const AttnFileKind kinds[] = {
    { _("Tables (CSV)"), "csv" },
    { _("Tables (TSV)"), "tsv" },
    { NULL },
  };

  attn_file_chooser_open (self, _("Choose a Table of Answers"), GTK_FILE_CHOOSER_ACTION_OPEN,
                          kinds, table_chosen_cb);
}

/**
 * attn_window_add_probe:
 *
 * Adds the action of probes.
 */
void
attn_window_add_probe (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "new-probe", G_CALLBACK (new_probe) },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
}
