/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The dialog that creates a probe, a classifier of a model's hidden states, from a table of
 * answers. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-inquiry.h"
#include "attn-probe-dialog.h"
#include "attn-probe-file.h"

static void
written_cb (AttnWindow *self,
            const char *path)
{
  attn_window_open_path (self, path);
}

/* A table of answers, of which a thread reads the columns, and the model to be probed. @is_probe:
 * whether the file on display is one of probes: the thread then replaces @model by the model that
 * these were made from */
typedef struct
{
  char *path;
  AttnModelReference *model;
  gboolean is_probe;
  GStrv names; /* (nullable): names of the columns of the table of answers */
  GError *error;
} Table;

static void
table_run (gpointer data)
{
  Table *table = data;
  AttnModelReference *probed = table->is_probe ? attn_probe_map_dup_model (table->model) : NULL;

  if (probed != NULL)
    {
      attn_model_reference_free (table->model);
      table->model = probed;
    }
  table->names = attn_probe_table_list_columns (table->path, &table->error);
}

static void
table_free (gpointer data)
{
  Table *table = data;

  g_free (table->path);
  attn_model_reference_free (table->model);
  g_strfreev (table->names);
  g_clear_error (&table->error);
  g_free (table);
}

static void
table_take (gpointer owner,
            gpointer data)
{
  AttnWindow *self = owner;
  Table *table = data;

  if (self->session == NULL)
    return;
  if (table->names == NULL)
    {
      g_autofree char *name = g_filename_display_basename (table->path);

      attn_window_show_open_error (self, name, table->error);
      return;
    }
  AttnProbeDialog *dialog = attn_probe_dialog_new (
      GTK_WINDOW (self), table->path, g_steal_pointer (&table->names), table->model,
      attn_study_get_framing (attn_session_get_study (self->session)));
  g_signal_connect_object (dialog, "written", G_CALLBACK (written_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
table_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  static const AttnInquiry inquiry = { table_run, table_take, table_free };
  AttnWindow *self = object;
  AttnModel *model = attn_session_get_model (self->session);
  Table *table;

  if (!g_file_is_native (file))
    return;
  table = g_new0 (Table, 1);
  table->path = g_file_get_path (file);
  table->model = attn_model_reference_copy (&attn_session_get_study (self->session)->model);
  table->is_probe = model != NULL && attn_model_get_info (model)->is_probe;
  attn_inquiry_start (&inquiry, self, table);
}

static void
new_probe (AttnWindow *self)
{
  const AttnFileKind kinds[] = {
    { _("Tables (.csv, .tsv)"), "csv tsv" },
    { _("All files"), NULL },
    { NULL },
  };

  attn_file_chooser_show (
      attn_file_chooser_new (_("Choose a Table for the Probe: One Question and Its Answer a Row"),
                             GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_OPEN, _("_Use This Table"),
                             kinds),
      table_chosen_cb, self);
}

/**
 * attn_window_add_probe:
 *
 * Adds the action that creates a probe.
 */
void
attn_window_add_probe (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "new-probe", G_CALLBACK (new_probe) },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
}
