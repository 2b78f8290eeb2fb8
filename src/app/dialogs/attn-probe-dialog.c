/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-probe-dialog.h"

#include <glib/gi18n.h>

#include "attn-drop-down.h"
#include "attn-file-chooser.h"
#include "attn-key-guard.h"
#include "attn-probe-file.h"
#include "attn-save.h"
#include "attn-task.h"
#include "attn-template.h"
#include "attn-text.h"
#include "attn-workspace.h"

/**
 * AttnProbeDialog:
 * @task: (nullable): computes the probe, while it does
 */
struct _AttnProbeDialog
{
  GtkWindow parent_instance;

  char *table;
  AttnModelReference *model;
  AttnFraming framing;
  GStrv names;
  AttnTask *task;

  /* Template widgets */
  GtkLabel *table_name;
  GtkWidget *choices;
  GtkDropDown *question;
  GtkDropDown *answer;
  GtkDropDown *exact_answer;
  GtkDropDown *label;
  GtkDropDown *quantity;
  GtkSpinButton *folds;
  GtkLabel *note;
  GtkProgressBar *progress;
  GtkWidget *compute;
};

G_DEFINE_FINAL_TYPE (AttnProbeDialog, attn_probe_dialog, GTK_TYPE_WINDOW)

enum
{
  SIGNAL_WRITTEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- The work --- */

/* The probe that a thread computes, and the path to which it is written. */
typedef struct
{
  AttnProbeSpec spec;
  AttnModelReference *model;
  char *path;
  GError *error; /* (nullable): error for which the probe could not be computed */
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  attn_probe_spec_clear (&work->spec);
  attn_model_reference_free (work->model);
  g_free (work->path);
  g_clear_error (&work->error);
  g_free (work);
}

static void
work_run (gpointer  data,
          AttnTask *task,
          gpointer  place)
{
  Work *work = data;
  const AttnProgress progress = attn_task_get_progress (task);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnModel *model = attn_workspace_open_model (workspace, work->model, NULL, &work->error);
  g_autoptr (AttnProbe) probe =
      model != NULL ? attn_probe_run (&work->spec, model, &progress,
                                      attn_task_get_cancellable (task), &work->error)
                    : NULL;
  g_autoptr (GBytes) bytes =
      probe != NULL ? attn_probe_serialize (probe, work->path, &work->error) : NULL;

  if (bytes != NULL)
    attn_save_bytes (work->path, bytes, &work->error);
}

/* Disables the controls while a probe is computed. */
static void
sync_state (AttnProbeDialog *self)
{
  gboolean is_busy = self->task != NULL;

  gtk_widget_set_sensitive (self->choices, !is_busy);
  gtk_widget_set_sensitive (self->compute, !is_busy);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), is_busy);
}

/* Shows an error below the controls. @text: (nullable): %NULL for none */
static void
show_note (AttnProbeDialog *self,
           const char      *text)
{
  gtk_label_set_label (self->note, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), text != NULL);
}

static void
work_deliver (gpointer owner,
              gpointer data)
{
  g_autoptr (AttnProbeDialog) self = g_object_ref (owner);
  Work *work = data;

  sync_state (self);
  if (work->error != NULL)
    {
      g_autofree char *text = attn_text_capitalise (work->error->message);

      show_note (self, text);
    }
  else
    {
      g_signal_emit (self, signals[SIGNAL_WRITTEN], 0, work->path);
      gtk_window_destroy (GTK_WINDOW (self));
    }
  work_free (work);
}

static void
work_report (gpointer    owner,
             const char *stage,
             double      fraction)
{
  AttnProbeDialog *self = owner;

  gtk_progress_bar_set_text (self->progress, stage);
  gtk_progress_bar_set_fraction (self->progress, fraction);
}

static const AttnTaskKind work_kind = {
  .run = work_run,
  .deliver = work_deliver,
  .free = work_free,
  .report = work_report,
};

/* --- What is asked for --- */

/* Returns the drop-down that chooses a column of the table. */
static GtkDropDown *
get_column (AttnProbeDialog *self,
            AttnProbeColumn  column)
{
  GtkDropDown * const drop_downs[] = { self->question, self->answer, self->exact_answer,
                                       self->label };

  return drop_downs[column];
}

/**
 * attn_probe_dialog_compute:
 * @path: (type filename): path of the file to write, which ends in .npz
 *
 * Begins to compute the probe of the chosen columns and quantity in a thread. When its file is
 * written, the signal "written" is emitted with @path, and the dialog closes.
 */
void
attn_probe_dialog_compute (AttnProbeDialog *self,
                           const char      *path)
{
  Work *work = g_new0 (Work, 1);

  attn_probe_spec_init (&work->spec);
  work->spec.table = g_strdup (self->table);
  work->spec.framing = self->framing;
  work->spec.quantity = (AttnProbeQuantity) gtk_drop_down_get_selected (self->quantity);
  work->spec.n_folds = (gsize) gtk_spin_button_get_value_as_int (self->folds);
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    {
      g_free (work->spec.columns[i]);
      work->spec.columns[i] =
          g_strdup (self->names[gtk_drop_down_get_selected (get_column (self, i))]);
    }
  work->model = attn_model_reference_copy (self->model);
  work->path = g_strdup (path);
  show_note (self, NULL);
  work_report (self, "", 0);
  attn_task_start (&work_kind, self, work, TRUE, &self->task);
  sync_state (self);
}

static void
path_chosen_cb (gpointer        object,
                GFile          *file,
                GtkFileChooser *chooser)
{
  g_autofree char *path = g_file_get_path (file);

  if (path != NULL)
    attn_probe_dialog_compute (object, path);
}

/* Asks for the path of the probe before it is computed, so that the user is asked about replacing a
 * file before the long work. */
static void
choose_path_cb (AttnProbeDialog *self)
{
  const AttnFileKind kinds[] = { { _("Probes (NPZ)"), "npz" }, { NULL } };
  GtkFileChooser *chooser = attn_file_chooser_new (
      _("Save Probe"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Compute"), kinds);

  gtk_file_chooser_set_current_name (chooser, "probe.npz");
  attn_file_chooser_show (chooser, path_chosen_cb, self);
}

/* Cancels the computation of a probe when the dialog is closed: a partial probe is of no use. */
static gboolean
close_cb (AttnProbeDialog *self)
{
  attn_task_give_up (&self->task);
  return FALSE;
}

/* Fills each drop-down with the names of the table's columns. Selects the column with the name that
 * is expected, else the column whose index is that of the drop-down. */
static void
fill_columns (AttnProbeDialog *self)
{
  guint n_names = g_strv_length (self->names);

  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    {
      g_autoptr (GtkStringList) names =
          gtk_string_list_new ((const char * const *) self->names);
      GtkDropDown *drop_down = get_column (self, i);
      guint chosen = MIN ((guint) i, n_names - 1);

      for (guint k = n_names; k-- > 0;)
        if (g_str_equal (self->names[k], attn_probe_column_names[i]))
          chosen = k;
      gtk_drop_down_set_model (drop_down, G_LIST_MODEL (names));
      gtk_drop_down_set_selected (drop_down, chosen);
    }
}

static void
label_controls (AttnProbeDialog *self)
{
  attn_drop_down_set_label (self->question, _("Column of the questions"));
  attn_drop_down_set_label (self->answer, _("Column of the answers"));
  attn_drop_down_set_label (self->exact_answer, _("Column of the exact answers"));
  attn_drop_down_set_label (self->label, _("Column of the labels"));
  attn_drop_down_set_label (self->quantity, _("What is probed"));
}

/* --- The class --- */

static void
attn_probe_dialog_dispose (GObject *object)
{
  AttnProbeDialog *self = ATTN_PROBE_DIALOG (object);

  attn_task_give_up (&self->task);
  g_clear_pointer (&self->table, g_free);
  g_clear_pointer (&self->model, attn_model_reference_free);
  g_clear_pointer (&self->names, g_strfreev);

  G_OBJECT_CLASS (attn_probe_dialog_parent_class)->dispose (object);
}

static void
attn_probe_dialog_class_init (AttnProbeDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_probe_dialog_dispose;

  /**
   * AttnProbeDialog::written:
   * @path: the file of the probe
   */
  signals[SIGNAL_WRITTEN] =
      g_signal_new ("written", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_STRING);

  attn_template_set (widget_class, "probe-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, table_name);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, choices);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, question);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, answer);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, exact_answer);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, label);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, quantity);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, folds);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, note);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, progress);
  gtk_widget_class_bind_template_child (widget_class, AttnProbeDialog, compute);
  gtk_widget_class_bind_template_callback (widget_class, choose_path_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_cb);
}

static void
attn_probe_dialog_init (AttnProbeDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  label_controls (self);
  attn_key_guard_install (GTK_WINDOW (self));
}

/**
 * attn_probe_dialog_new:
 * @parent: (nullable): a window to stand above
 * @table: (type filename): path of the table of answers
 * @names: (transfer full): names of the table's columns, see [func@attn_probe_table_list_columns]
 * @model: the model to be probed
 * @framing: what is put around each text before the model reads it, such as special tokens
 *
 * Returns: the dialog, not shown yet
 */
AttnProbeDialog *
attn_probe_dialog_new (GtkWindow                *parent,
                       const char               *table,
                       GStrv                     names,
                       const AttnModelReference *model,
                       AttnFraming               framing)
{
  g_autofree char *name = g_filename_display_basename (table);
  AttnProbeDialog *self = g_object_new (ATTN_TYPE_PROBE_DIALOG, "transient-for", parent, NULL);

  self->table = g_strdup (table);
  self->model = attn_model_reference_copy (model);
  self->framing = framing;
  self->names = names;
  gtk_label_set_label (self->table_name, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->table_name), name);
  fill_columns (self);
  sync_state (self);
  return self;
}
