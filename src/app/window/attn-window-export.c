/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli.h"
#include "attn-edits.h"
#include "attn-export-dialog.h"
#include "attn-inquiry.h"
#include "attn-question.h"
#include "attn-save.h"
#include "attn-sweep.h"
#include "attn-tooltip.h"

/* The resolution of a picture on the clipboard, dots per inch. */
#define CLIPBOARD_RESOLUTION 150

/**
 * Export:
 * @result: (nullable): result whose figure or numbers are written; immutable
 * @study: (nullable): study whose figures along ε, a sweep, are written instead of @result
 * @survey: (nullable): survey that is written instead of @result
 * @is_written: whether the file has been written; if it has not, @error is set
 *
 * Input and outcome of the thread that writes a file.
 */
typedef struct
{
  AttnResult *result;
  AttnExportKind kind;
  gssize panel;
  const AttnStudy *study;
  AttnSurveyData *survey;
  char *path;

  gboolean is_written;
  GError *error;
} Export;

static Export *
export_new (const char *path)
{
  Export *export = g_new0 (Export, 1);

  export->path = g_strdup (path);
  return export;
}

static void
export_free (gpointer data)
{
  Export *export = data;

  g_clear_pointer (&export->result, attn_result_unref);
  g_clear_pointer (&export->study, attn_study_unref);
  g_clear_pointer (&export->survey, attn_survey_data_unref);
  g_clear_error (&export->error);
  g_free (export->path);
  g_free (export);
}

static gboolean
write_figure (Export        *export,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr (GBytes) bytes = attn_export_kind_make (
      export->kind, export->result, export->result->study, export->panel, error);

  return bytes != NULL && !g_cancellable_set_error_if_cancelled (cancellable, error) &&
         attn_save_bytes (export->path, bytes, error);
}

static void
export_run (gpointer  data,
            AttnTask *task,
            gpointer  place)
{
  Export *export = data;
  AttnProgress progress = attn_task_get_progress (task);
  GCancellable *cancellable = attn_task_get_cancellable (task);
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  export->is_written =
      export->survey != NULL ? attn_survey_data_save (export->survey, export->path, &export->error)
      : export->study != NULL
          ? attn_sweep_export (export->study, &range, export->path, workspace, &progress,
                               cancellable, &export->error)
          : write_figure (export, cancellable, &export->error);
}

static void
export_report (gpointer    owner,
               const char *stage,
               double      fraction)
{
  AttnWindow *self = owner;

  /* The user may have closed the window before the task ended. */
  if (self->session != NULL)
    attn_work_bar_report (self->export_bar, stage, fraction);
}

static void
show_export_error (AttnWindow   *self,
                   const GError *error)
{
  const AttnNoticeAction again = { _("_Export Again…"), "win.export" };

  attn_notices_show_error (self->notices, ATTN_NOTICE_EXPORT, _("The Figure Could Not Be Exported"),
                           error, &again, 1);
}

/**
 * attn_window_sync_export:
 *
 * Enables the actions of exporting and copying that are possible now. A figure can be exported only
 * when it is that of the current study, not of an earlier one that is shown until the new figure is
 * computed.
 */
void
attn_window_sync_export (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  gboolean has_figure = result != NULL && !self->is_stale;
  gboolean is_exporting = self->exporting != NULL;

  attn_actions_enable (self, "export", has_figure && !is_exporting);
  attn_actions_enable (self, "export-sweep",
                       !is_exporting &&
                           attn_study_has_factor (attn_session_get_study (self->session)));
  attn_actions_enable (self, "save-survey",
                       !is_exporting && result != NULL && result->survey != NULL);
  attn_actions_enable (self, "cancel-export", is_exporting);
  attn_actions_enable (self, "copy", has_figure);
  attn_actions_enable (self, "copy-figure", has_figure);
  attn_tooltip_set (
      self->export_button,
      self->shows_unfinished ? _("Not yet: the figure fills in")
      : self->is_stale
          ? _("Not yet: the figure shown is that of an earlier study")
          : _("Save the figure as SVG, PDF, PNG or web page, or its weights as NumPy, CSV or "
              "JSON"));
}

/* Remembers the figure that has been written, for the command that draws it. */
static void
keep_exported (AttnWindow   *self,
               const Export *export)
{
  if (export->result == NULL || !attn_export_kind_is_figure (export->kind))
    return;
  g_clear_pointer (&self->exported, attn_study_unref);
  g_clear_pointer (&self->exported_name, g_free);
  g_clear_pointer (&self->exported_document, g_free);
  self->exported = attn_study_ref (export->result->study);
  self->exported_name = g_filename_display_basename (export->path);
  self->exported_document = g_strdup (attn_session_get_document (self->session)->path);
}

static void
show_exported (AttnWindow   *self,
               const Export *export)
{
  gboolean closes = self->closes_after_export;

  self->closes_after_export = FALSE;
  attn_work_bar_stop (self->export_bar);
  attn_window_sync_export (self);
  attn_notices_hide (self->notices, ATTN_NOTICE_EXPORT);
  if (!export->is_written)
    {
      /* The export has failed or was canceled: the window stays open even if it was to close after
       * the export. */
      self->is_closing = FALSE;
      if (g_error_matches (export->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return;
      if (export->survey == NULL)
        show_export_error (self, export->error);
      else
        attn_notices_show_error (self->notices, ATTN_NOTICE_EXPORT, _("Could Not Save the Survey"),
                                 export->error, NULL, 0);
      return;
    }
  keep_exported (self, export);
  if (closes)
    attn_window_close_later (self);
  g_autofree char *name = g_filename_display_name (export->path);
  g_autofree char *note = export->survey != NULL ? g_strdup (_("The survey was saved"))
                                                 : g_strdup_printf (_("Exported to %s"), name);
  attn_window_show_file_note (self, note, export->path);
}

static void
export_deliver (gpointer owner,
                gpointer data)
{
  g_autoptr (AttnWindow) self = owner;

  g_application_release (g_application_get_default ());
  /* The user may have closed the window before the export ended. */
  if (self->session != NULL)
    show_exported (self, data);
  export_free (data);
}

static const AttnTaskKind export_kind = {
  .run = export_run,
  .deliver = export_deliver,
  .free = export_free,
  .report = export_report,
};

/* Starts an export, one at a time: the actions that start one are disabled until it ends. The
 * window and the application stay alive until then. Takes ownership of @export. */
static void
start_export (AttnWindow *self,
              Export     *export)
{
  attn_task_start (&export_kind, g_object_ref (self), export, TRUE, &self->exporting);
  g_application_hold (g_application_get_default ());
  attn_work_bar_start (self->export_bar, _("Exporting"));
  attn_window_sync_export (self);
}

/**
 * attn_window_cancel_export:
 *
 * Cancels the export that is under way, if there is one. A file that is not yet complete is not
 * written.
 */
void
attn_window_cancel_export (AttnWindow *self)
{
  if (self->exporting != NULL)
    attn_task_cancel (self->exporting);
}

/**
 * attn_window_wait_for_export:
 *
 * Called when the user closes the window. If an export is under way, a notice says so, and the
 * window closes by itself when the file is written. If the user closes it a second time it closes
 * at once.
 *
 * Returns: whether the window is to stay open
 */
gboolean
attn_window_wait_for_export (AttnWindow *self)
{
  const AttnNotice notice = {
    .id = ATTN_NOTICE_EXPORT,
    .type = GTK_MESSAGE_INFO,
    .title = _("The Window Closes When the Export Is Written"),
    .text = _("Close it again to cancel the export."),
    .actions = { { _("_Cancel the Export"), "win.cancel-export" } },
  };

  if (self->exporting == NULL || self->closes_after_export)
    return FALSE;
  self->closes_after_export = TRUE;
  attn_notices_show (self->notices, &notice);
  return TRUE;
}

/**
 * attn_window_export:
 * @result: result of the current study, whose size, colours or fonts may differ from those in the
 *   window
 * @path: the file to write
 * @panel: index of a panel, for a kind of export that needs one, see
 *   [func@attn_export_kind_needs_panel]
 *
 * Writes @result to @path in a thread. To be called only while no other export is under way.
 */
void
attn_window_export (AttnWindow     *self,
                    AttnResult     *result,
                    const char     *path,
                    AttnExportKind  kind,
                    gssize          panel)
{
  Export *export = export_new (path);

  export->result = attn_result_ref (result);
  export->kind = kind;
  export->panel = panel;
  start_export (self, export);
}

/* Keeps the choices of the export dialog for the next export, even if nothing is exported. */
static gboolean
keep_choices_cb (AttnWindow       *self,
                 AttnExportDialog *dialog)
{
  g_clear_pointer (&self->export_before, attn_study_unref);
  g_clear_pointer (&self->export_chosen, attn_study_unref);
  self->export_before = attn_study_ref (attn_session_get_shown (self->session));
  self->export_chosen = attn_study_ref (attn_export_dialog_get_study (dialog));
  return FALSE;
}

static void
export_chosen_cb (gpointer        object,
                  GFile          *file,
                  GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  g_autoptr (GError) error = NULL;
  GtkWindow *dialog = gtk_native_dialog_get_transient_for (GTK_NATIVE_DIALOG (chooser));
  AttnExportKind kind;

  if (!ATTN_IS_EXPORT_DIALOG (dialog))
    return;
  gssize panel = attn_export_dialog_get_panel (ATTN_EXPORT_DIALOG (dialog));
  g_autofree char *path = g_file_get_path (file);
  if (!attn_export_kind_parse (path, &kind, &error))
    show_export_error (self, error);
  else if (attn_session_is_complete (self->session) && self->exporting == NULL)
    {
      g_autoptr (AttnResult) result =
          attn_export_dialog_dup_result (ATTN_EXPORT_DIALOG (dialog));

      keep_choices_cb (self, ATTN_EXPORT_DIALOG (dialog));
      attn_window_export (self, result, path, kind, panel);
    }
  gtk_window_destroy (dialog);
}

/* Returns the name for the file of an export until the user chooses another name. */
static char *
name_export (AttnWindow     *self,
             AttnExportKind  kind)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *stem =
      attn_export_dup_name (result->study, self->preset, attn_model_get_name (result->model),
                            attn_session_get_document (self->session)->path);

  return g_strdup_printf ("%s.%s", stem, attn_export_kind_get_suffix (kind));
}

static void
choose_file_cb (AttnWindow       *self,
                AttnExportDialog *dialog)
{
  AttnExportKind kind = attn_export_dialog_get_kind (dialog);
  const AttnFileKind kinds[] = {
    { attn_export_kind_get_title (kind), attn_export_kind_get_suffix (kind) }, { NULL }
  };
  GtkFileChooser *chooser =
      attn_file_chooser_new (_("Export Figure"), GTK_WINDOW (dialog), GTK_FILE_CHOOSER_ACTION_SAVE,
                             _("_Export"), kinds);
  g_autofree char *name = name_export (self, kind);

  gtk_file_chooser_set_current_name (chooser, name);
  attn_file_chooser_show (chooser, export_chosen_cb, self);
}

/* Copies the shell command that draws the figure of a study into a file. Settings that the figure
 * does not use are left out, such as factors ε of an earlier figure. */
static void
copy_line (AttnWindow      *self,
           const AttnStudy *of,
           const char      *file)
{
  g_autoptr (AttnStudy) study = attn_study_copy (of);
  attn_edits_drop_unused_epsilons (study);
  g_autofree char *line = attn_cli_print_command_to (study, file);
  g_autoptr (GdkContentProvider) content = attn_window_offer_text (line);

  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (self)), content);
  attn_window_show_copied (self,
                           attn_window_shows_baseline (self)
                               ? _("Copied the command of the modified figure")
                               : _("Copied the figure as a command for a shell"),
                           line);
}

/* Copies the shell command that draws the figure that the dialog would export. */
static void
copy_command_cb (AttnWindow       *self,
                 AttnExportDialog *dialog)
{
  g_autofree char *name = name_export (self, attn_export_dialog_get_kind (dialog));

  copy_line (self, attn_export_dialog_get_study (dialog), name);
}

/* Asks the user how to export the figure, then for the path of the file. */
static void
choose_export (AttnWindow *self)
{
  const AttnViews *views = attn_reading_get (self->reading).views;
  AttnExportDialog *dialog = attn_export_dialog_new (
      GTK_WINDOW (self), self->session, self->export_before, self->export_chosen, &views->shared,
      attn_views_dup_own (views), attn_window_shows_baseline (self), self->settings);

  g_signal_connect_object (dialog, "close-request", G_CALLBACK (keep_choices_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "choose-file", G_CALLBACK (choose_file_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "copy-command", G_CALLBACK (copy_command_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/**
 * attn_window_save_survey:
 * @survey: immutable
 * @path: the file to write
 *
 * Writes a survey in a thread; nothing happens if an export is under way already.
 */
void
attn_window_save_survey (AttnWindow     *self,
                         AttnSurveyData *survey,
                         const char     *path)
{
  if (self->exporting != NULL)
    return;
  Export *export = export_new (path);
  export->survey = attn_survey_data_ref (survey);
  start_export (self, export);
}

/* --- Sweep --- */

/* Completes the path of a sweep by a place for the number of each step's file; not the path of an
 * SVG, a single file which holds the whole sweep as an animation. */
static char *
complete_sweep_path (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *dot = strrchr (path, '.');
  AttnExportFormat format;

  if (attn_sweep_check_path (path, NULL) || !attn_export_parse_format (path, &format, NULL) ||
      strchr (slash != NULL ? slash : path, '%') != NULL)
    return g_strdup (path);
  return g_strdup_printf ("%.*s-%%03d%s", (int) (dot - path), path, dot);
}

static void
start_sweep (AttnWindow *self,
             const char *path)
{
  if (self->exporting != NULL)
    return;
  Export *export = export_new (path);
  export->study = attn_study_ref (attn_session_get_study (self->session));
  start_export (self, export);
}

static void
replace_answered_cb (gpointer self,
                     int      response,
                     gpointer path)
{
  if (response == GTK_RESPONSE_ACCEPT)
    start_sweep (self, path);
}

/* Asks before the files of a sweep's steps are replaced; the file chooser has only asked about the
 * name without a number. */
static void
ask_before_replacing (AttnWindow *self,
                      const char *path,
                      const char *first)
{
  const AttnQuestionAnswer answers[] = {
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("_Replace"), GTK_RESPONSE_ACCEPT, ATTN_ANSWER_DESTRUCTIVE },
    { NULL },
  };
  g_autofree char *name = g_filename_display_basename (first);
  g_autofree char *text =
      g_strdup_printf (_("“%s” is there already, perhaps with the steps after it."), name);

  attn_question_ask (GTK_WINDOW (self), _("Replace the Files of Another Sweep?"), text, answers,
                     replace_answered_cb, g_strdup (path), g_free);
}

/* The path of a sweep and that of its first step's file; a thread looks whether the file of the
 * first step exists. */
typedef struct
{
  char *path;
  char *first;
  gboolean is_there;
} Steps;

static void
steps_run (gpointer data)
{
  Steps *steps = data;

  steps->is_there = g_file_test (steps->first, G_FILE_TEST_EXISTS);
}

static void
steps_free (gpointer data)
{
  Steps *steps = data;

  g_free (steps->path);
  g_free (steps->first);
  g_free (steps);
}

static void
steps_take (gpointer owner,
            gpointer data)
{
  AttnWindow *self = owner;
  const Steps *steps = data;

  if (self->session == NULL)
    return;
  if (steps->is_there)
    ask_before_replacing (self, steps->path, steps->first);
  else
    start_sweep (self, steps->path);
}

static void
sweep_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  static const AttnInquiry inquiry = { steps_run, steps_take, steps_free };
  AttnWindow *self = object;
  g_autofree char *chosen = g_file_get_path (file);
  g_autofree char *path = chosen != NULL ? complete_sweep_path (chosen) : NULL;
  g_autoptr (GError) error = NULL;

  if (path == NULL || self->exporting != NULL)
    return;
  if (!attn_sweep_check_path (path, &error))
    {
      show_export_error (self, error);
      return;
    }
  g_autofree char *first = attn_sweep_build_path (path, 0);
  /* The sweep is one file, with the chosen name: the file chooser has already asked about replacing
   * it. */
  if (g_str_equal (first, chosen))
    {
      start_sweep (self, path);
      return;
    }
  Steps *steps = g_new0 (Steps, 1);
  steps->path = g_steal_pointer (&path);
  steps->first = g_steal_pointer (&first);
  attn_inquiry_start (&inquiry, self, steps);
}

/* Asks for the files of a sweep, one figure for each ε. */
static void
choose_sweep (AttnWindow *self)
{
  GtkFileChooser *chooser = attn_file_chooser_new (
      _("Export the Sweep"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), NULL);

  gtk_file_chooser_set_current_name (chooser, "sweep.svg");
  attn_file_chooser_show (chooser, sweep_chosen_cb, self);
}

/* --- Copies on the clipboard ------------------------------------------------------------------ */

/**
 * Copy:
 * @panel: index of the panel, or %ATTN_ALL_PANELS for the figure
 *
 * Input and output of the thread that fills the clipboard.
 */
typedef struct
{
  AttnResult *result;
  gssize panel;
  GBytes *png;
  GBytes *svg;
  char *text;
  GError *error; /* (nullable) */
} Copy;

static void
copy_free (gpointer data)
{
  Copy *copy = data;

  attn_result_unref (copy->result);
  g_clear_pointer (&copy->png, g_bytes_unref);
  g_clear_pointer (&copy->svg, g_bytes_unref);
  g_free (copy->text);
  g_clear_error (&copy->error);
  g_free (copy);
}

/* Returns the numbers of a panel as a table or, for %ATTN_ALL_PANELS, those of all panels, one
 * below the other, each below its name. */
static char *
tabulate (const AttnResult *result,
          gssize            panel)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    {
      const AttnGridCell *cell = &result->grid->cells[i];

      if ((panel != ATTN_ALL_PANELS && i != (gsize) panel) || cell->panel == NULL)
        continue;
      g_autofree char *table = attn_panel_to_text (cell->panel);
      if (panel == ATTN_ALL_PANELS)
        g_string_append_printf (text, "%s%s\n", text->len > 0 ? "\n" : "", cell->name);
      g_string_append (text, table);
    }
  return g_string_free (text, FALSE);
}

static GBytes *
draw (const AttnResult  *result,
      gssize             panel,
      AttnExportFormat   format,
      GError           **error)
{
  if (panel != ATTN_ALL_PANELS)
    return attn_export_panel (result, panel, format, error);

  g_autoptr (AttnStudy) study = attn_study_copy (result->study);
  study->page.resolution = CLIPBOARD_RESOLUTION;
  return attn_result_export (result, study, format, NULL, error);
}

static void
copy_run (gpointer  data,
          AttnTask *task,
          gpointer  place)
{
  Copy *copy = data;

  copy->png = draw (copy->result, copy->panel, ATTN_EXPORT_PNG, &copy->error);
  if (copy->png != NULL)
    copy->svg = draw (copy->result, copy->panel, ATTN_EXPORT_SVG, &copy->error);
  if (copy->svg != NULL)
    copy->text = tabulate (copy->result, copy->panel);
}

/**
 * attn_window_offer_text:
 *
 * Returns: (transfer full): the text as bytes for the clipboard. GTK would write a string to its
 *   reader in the main thread and wait until that has read it: for ever if the reader is this
 *   program and the text has a megabyte.
 */
GdkContentProvider *
attn_window_offer_text (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  GdkContentProvider *types[] = {
    gdk_content_provider_new_for_bytes ("text/plain;charset=utf-8", bytes),
    gdk_content_provider_new_for_bytes ("text/plain", bytes),
  };

  return gdk_content_provider_new_union (types, G_N_ELEMENTS (types));
}

/* Fills the clipboard with the picture, drawing and table of @copy. @copy: completed without
 * error */
static void
fill_clipboard (AttnWindow *self,
                const Copy *copy,
                GdkTexture *texture)
{
  GdkContentProvider *contents[] = {
    gdk_content_provider_new_typed (GDK_TYPE_TEXTURE, texture),
    gdk_content_provider_new_for_bytes ("image/svg+xml", copy->svg),
    attn_window_offer_text (copy->text),
  };
  g_autoptr (GdkContentProvider) all =
      gdk_content_provider_new_union (contents, G_N_ELEMENTS (contents));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (self)), all);
  attn_window_show_note (self,
                         copy->panel == ATTN_ALL_PANELS
                             ? _("Copied the figure: as a picture, and its weights as a table")
                             : _("Copied the panel: as a picture, and its weights as a table"));
}

static void
copy_deliver (gpointer owner,
              gpointer data)
{
  Copy *copy = data;
  g_autoptr (GdkTexture) texture =
      copy->error == NULL ? gdk_texture_new_from_bytes (copy->png, &copy->error) : NULL;

  if (texture != NULL)
    fill_clipboard (owner, copy, texture);
  else
    show_export_error (owner, copy->error);
  copy_free (copy);
}

static const AttnTaskKind copy_kind = {
  .run = copy_run,
  .deliver = copy_deliver,
  .free = copy_free,
};

/* Returns the panel under the pointer, else the panel with the keyboard's cursor. */
static gssize
find_panel (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const AttnHit *hit = attn_reading_get (self->reading).hit;
  int group = hit != NULL ? hit->group : attn_reading_get (self->reading).cursor.group;
  gsize n_panels = result != NULL ? result->grid->n_rows * result->grid->n_columns : 0;

  return group >= 0 && (gsize) group < n_panels && result->grid->cells[group].panel != NULL
             ? group
             : ATTN_ALL_PANELS;
}

/* Copies to the clipboard in three formats: a picture (PNG), a drawing (SVG) and the weights as a
 * table; the application that pastes chooses one. If the window still shows the figure of an
 * earlier study, copying waits for the new figure. @whole: %TRUE to copy the whole figure, %FALSE
 * the panel under the pointer or the cell cursor, if there is one */
static void
copy (AttnWindow *self,
      gboolean    whole)
{
  self->waits_to_copy = !attn_session_is_complete (self->session);
  self->copies_whole = whole;
  if (self->waits_to_copy)
    return;

  AttnResult *result = attn_session_get_result (self->session);
  Copy *data = g_new0 (Copy, 1);
  data->result = attn_window_shows_baseline (self) ? attn_result_take_baseline (result)
                                                   : attn_result_ref (result);
  data->panel = whole ? ATTN_ALL_PANELS : find_panel (self);
  attn_task_start (&copy_kind, self, data, TRUE, &self->copying);
}

static void
copy_panel (AttnWindow *self)
{
  copy (self, FALSE);
}

static void
copy_figure (AttnWindow *self)
{
  copy (self, TRUE);
}

/* Returns the name of the file that the command writes: that of the last export, or for the figure
 * of another document or preset one of the same format. */
static char *
name_figure (AttnWindow      *self,
             const AttnStudy *study)
{
  AttnExportKind kind;

  if (self->exported == NULL || !attn_export_kind_parse (self->exported_name, &kind, NULL))
    return g_strdup ("figure.svg");
  if (g_strcmp0 (self->exported->preset, study->preset) != 0 ||
      g_strcmp0 (self->exported_document,
                 attn_session_get_document (self->session)->path) != 0)
    return g_strdup_printf ("figure.%s", attn_export_kind_get_suffix (kind));
  return g_strdup (self->exported_name);
}

/* Copies the shell command that draws the figure of the study, as it would be exported now: if it
 * has been exported before, in that format, and with the page and the style that were chosen. */
static void
copy_command (AttnWindow *self)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_shown (self->session));
  if (self->exported != NULL && self->export_before != NULL && self->export_chosen != NULL)
    attn_edits_keep_export (study, self->export_before, self->export_chosen);
  g_autofree char *file = name_figure (self, study);

  copy_line (self, study, file);
}

/**
 * attn_window_copy_at_last:
 *
 * Copies the figure or panel that the user asked for while the figure was being computed. Called
 * when it is.
 */
void
attn_window_copy_at_last (AttnWindow *self)
{
  if (self->waits_to_copy)
    copy (self, self->copies_whole);
}

/**
 * attn_window_add_export:
 *
 * Adds the actions of exporting and copying.
 */
void
attn_window_add_export (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "export", G_CALLBACK (choose_export) },
    { "export-sweep", G_CALLBACK (choose_sweep) },
    { "cancel-export", G_CALLBACK (attn_window_cancel_export) },
    { "copy", G_CALLBACK (copy_panel) },
    { "copy-figure", G_CALLBACK (copy_figure) },
    { "copy-command", G_CALLBACK (copy_command) },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
}
