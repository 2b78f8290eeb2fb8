/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-head-place.h"
#include "attn-question.h"
#include "attn-recent.h"
#include "attn-tooltip.h"

/* The suffix of a file that holds a study; its end tells other programs that the file is JSON. */
#define STUDY_SUFFIX "attention.json"

#define QUESTION "model-question"
#define AUTOSAVE "autosave"

/**
 * attn_window_dup_document_name:
 * @path: (nullable): path of a study's file; %NULL for a study that has not been saved
 *
 * Returns: (transfer full): the name of the file without its folder and without the suffix of
 *   studies, or “New Study”
 */
char *
attn_window_dup_document_name (const char *path)
{
  char *name = path != NULL ? g_filename_display_basename (path) : g_strdup (_("New Study"));

  if (strlen (name) > strlen ("." STUDY_SUFFIX) && g_str_has_suffix (name, "." STUDY_SUFFIX))
    name[strlen (name) - strlen ("." STUDY_SUFFIX)] = '\0';
  return name;
}

/* Explains the window's subtitle if the program chose the layer and the head on display for their
 * strongest sink. */
static void
explain_place (AttnWindow *self,
               gboolean    is_strongest)
{
  GtkWidget *subtitle = GTK_WIDGET (self->document_subtitle);
  const char *rule = attn_head_place_explain_strongest ();

  if (is_strongest == (gtk_widget_get_tooltip_text (subtitle) != NULL))
    return;
  attn_tooltip_set (subtitle, is_strongest ? rule : NULL);
  if (is_strongest)
    gtk_accessible_update_property (GTK_ACCESSIBLE (subtitle), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    rule, -1);
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (subtitle), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}

static void
sync_title (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const char *path = attn_session_get_document (self->session)->path;
  g_autofree char *place =
      result != NULL ? attn_head_place_describe (result->study, result, TRUE) : NULL;
  g_autofree char *subtitle =
      result == NULL   ? g_strdup ("")
      : *place != '\0' ? g_strdup_printf ("%s · %s", place, attn_model_get_name (result->model))
                       : g_strdup (attn_model_get_name (result->model));
  gboolean is_changed = attn_session_is_changed (self->session);
  g_autofree char *name = attn_window_dup_document_name (path);
  g_autofree char *marked = g_strconcat (is_changed ? "• " : "", name, NULL);
  /* Translators: the name of a study and the program */
  g_autofree char *title = g_strdup_printf (_("%s — Attention Grid"), marked);
  g_autofree char *file = path != NULL ? g_filename_display_name (path)
                                       : g_strdup (_("Not saved yet; Ctrl+S saves it"));
  g_autofree char *tooltip =
      is_changed ? g_strdup_printf (_("%s\nWith unsaved changes"), file)
                 : g_strdup (file);

  if (result != NULL)
    attn_model_info_set_model (self->model_info, result->model);
  explain_place (self,
                 result != NULL && attn_head_place_is_strongest (result->study, result));
  /* Unchanged texts are not set again, so that GTK does not lay out the header bar again: the title
   * is updated in every frame while a slider moves. */
  if (g_strcmp0 (gtk_window_get_title (GTK_WINDOW (self)), title) == 0 &&
      g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (self->document_title)), tooltip) == 0 &&
      g_str_equal (gtk_label_get_label (self->document_subtitle), subtitle))
    return;
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_label_set_label (self->document_title, marked);
  attn_tooltip_set (GTK_WIDGET (self->document_title), tooltip);
  gtk_label_set_label (self->document_subtitle, subtitle);
  gtk_widget_set_visible (GTK_WIDGET (self->document_subtitle), result != NULL);
}

static void
ask_about_model (AttnWindow     *self,
                 GtkMessageType  type,
                 const char     *title,
                 const char     *text,
                 const char     *use)
{
  const AttnNotice notice = {
    .id = QUESTION,
    .type = type,
    .title = title,
    .text = text,
    .actions = { { _("_Locate…"), "win.locate-model" }, { use, "win.accept-model" } },
    .close_action = "win.drop-question",
  };

  attn_notices_show (self->notices, &notice);
}

static void
sync_question (AttnWindow *self)
{
  AttnModelQuestion question = attn_session_get_question (self->session);
  g_autofree char *display = question.path != NULL ? g_filename_display_name (question.path) : NULL;
  g_autofree char *name = attn_window_dup_document_name (question.document);
  g_autofree char *title = g_strdup_printf (_("Where Is the Model of “%s”?"), name);
  g_autofree char *text = NULL;

  switch (question.kind)
    {
    case ATTN_MODEL_QUESTION_MISSING:
      text = g_strdup_printf (_("%s: not found, expected the model that the study was made with."),
                              display);
      ask_about_model (self, GTK_MESSAGE_QUESTION, title, text, _("_Use the Open Model"));
      break;
    case ATTN_MODEL_QUESTION_CHANGED:
      text = g_strdup_printf (_("%s: fingerprint %.12s… found, expected the study’s %.12s…; what "
                                "is shown may differ from what was saved."),
                              display, question.found, question.expected);
      ask_about_model (self, GTK_MESSAGE_WARNING, _("The Study Was Made With Another Model"), text,
                       _("_Use It Anyway"));
      break;
    case ATTN_MODEL_QUESTION_NONE:
    default:
      attn_notices_hide (self->notices, QUESTION);
      break;
    }
}

/**
 * attn_window_sync_document:
 *
 * Shows the title of the session's study in the header bar, and its question about the model in a
 * notice.
 */
void
attn_window_sync_document (AttnWindow *self)
{
  sync_title (self);
  sync_question (self);
}

/* Replaces the string at @place by a copy of @text. Returns %TRUE if the two differ. */
static gboolean
take_other (char       **place,
            const char  *text)
{
  if (text == NULL || g_strcmp0 (*place, text) == 0)
    return FALSE;
  g_free (*place);
  *place = g_strdup (text);
  return TRUE;
}

/**
 * attn_window_remember_recent:
 *
 * Adds the file of the study and that of its model to the list of recent files, unless they were
 * added last.
 */
void
attn_window_remember_recent (AttnWindow *self)
{
  const char *path = attn_session_get_document (self->session)->path;
  const char *model = attn_session_get_study (self->session)->model.path;

  if (take_other (&self->recent_model, model))
    attn_recent_add_later (model);
  if (take_other (&self->recent_path, path))
    attn_recent_add_later (path);
}

static gboolean
close_cb (gpointer user_data)
{
  gtk_window_close (user_data);
  return G_SOURCE_REMOVE;
}

/**
 * attn_window_close_later:
 *
 * Has the main loop close the window when it is idle, in the same way as if the user closed it.
 */
void
attn_window_close_later (AttnWindow *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, close_cb, g_object_ref (self), g_object_unref);
}

/* Closes the window without asking about unsaved changes. The main loop closes it when idle, as GTK
 * is still handling the key press in the dialog that asked. */
static void
close_for_good (AttnWindow *self)
{
  self->is_closing = TRUE;
  attn_window_close_later (self);
}

static void ask_before_replacing (AttnWindow *self);

/**
 * Saving:
 * @others: paths of the studies that other windows show
 * @same: (nullable): the path in @others that leads to the file to be written, which then is not
 *   written
 *
 * A study that a thread writes to its file.
 */
typedef struct
{
  AttnSaving *saving;
  GStrv others;
  const char *same;
} Saving;

static void
saving_run (gpointer  data,
            AttnTask *task,
            gpointer  place)
{
  Saving *saving = data;

  saving->same = attn_document_file_find_same (attn_saving_get_path (saving->saving),
                                               (const char * const *) saving->others);
  if (saving->same == NULL)
    attn_saving_run (saving->saving);
}

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  attn_saving_free (saving->saving);
  g_strfreev (saving->others);
  g_free (saving);
}

/* Tells the user whether saving has succeeded, in a note or in an error notice. Returns: whether
 * the study is saved */
static gboolean
take_saved (AttnWindow   *self,
            const Saving *saving)
{
  const AttnNoticeAction again = { _("Save _As…"), "win.save-as" };
  g_autofree char *name = g_filename_display_name (attn_saving_get_path (saving->saving));
  g_autoptr (GError) error = NULL;

  if (saving->same != NULL)
    g_set_error (&error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("%s: found open in another window, expected another file"), name);
  if (error != NULL || !attn_session_end_saving (self->session, saving->saving, &error))
    {
      attn_notices_show_error (self->notices, ATTN_NOTICE_SAVE, _("The Study Could Not Be Saved"),
                               error, &again, 1);
      return FALSE;
    }

  g_autofree char *note = g_strdup_printf (_("Saved to %s"), name);
  attn_window_remember_recent (self);
  attn_window_show_note (self, note);
  return TRUE;
}

static void start_saving (AttnWindow *self, const char *path, gboolean keeps_others);

/* Ends a saving of the study. Saves again if the user asked for that while the thread wrote, or
 * closes the window if the user asked for that. */
static void
saving_deliver (gpointer owner,
                gpointer data)
{
  AttnWindow *self = owner;
  const Saving *saving = data;
  g_autofree char *next_path = g_steal_pointer (&self->next_path);

  g_clear_handle_id (&self->saving_timeout, g_source_remove);
  attn_notices_hide (self->notices, ATTN_NOTICE_SAVE);
  if (attn_saving_is_overtaken (saving->saving))
    ask_before_replacing (self);
  else if (!take_saved (self, saving))
    self->closes_after_saving = FALSE;
  else if (next_path != NULL)
    start_saving (self, next_path, self->next_keeps);
  else if (self->closes_after_saving)
    attn_window_close_later (self);
  saving_free (data);
}

static gboolean
saving_is_slow_cb (gpointer user_data)
{
  AttnWindow *self = user_data;
  const Saving *saving = attn_task_get_data (self->saving);
  g_autofree char *name = g_filename_display_name (attn_saving_get_path (saving->saving));
  g_autofree char *text =
      g_strdup_printf (_("%s: not written yet, as its disk or network has not answered."), name);
  const AttnNotice notice = {
    .id = ATTN_NOTICE_SAVE,
    .type = GTK_MESSAGE_INFO,
    .title = _("Waiting for a Disk"),
    .text = text,
  };

  self->saving_timeout = 0;
  attn_notices_show (self->notices, &notice);
  return G_SOURCE_REMOVE;
}

/* Has a thread write the study to @path; if it is still writing an earlier state, after that, so
 * that the file holds the latest state in the end. @keeps_others: see
 * [func@attn_session_begin_saving] */
static void
start_saving (AttnWindow *self,
              const char *path,
              gboolean    keeps_others)
{
  static const AttnTaskKind task_kind = {
    .run = saving_run,
    .deliver = saving_deliver,
    .free = saving_free,
  };

  if (self->saving != NULL)
    {
      g_free (self->next_path);
      self->next_path = g_strdup (path);
      self->next_keeps = keeps_others;
      return;
    }
  Saving *saving = g_new0 (Saving, 1);
  saving->saving = attn_session_begin_saving (self->session, path, keeps_others);
  saving->others = attn_window_list_documents (self, self);
  attn_task_start (&task_kind, self, saving, TRUE, &self->saving);
  self->saving_timeout = g_timeout_add (ATTN_SLOW_DISK_MS, saving_is_slow_cb, self);
}

static void
save_as_chosen_cb (gpointer        self,
                   GFile          *file,
                   GtkFileChooser *chooser)
{
  g_autofree char *path = g_file_get_path (file);

  if (path != NULL)
    start_saving (self, path, FALSE);
}

static void
choose_where_to_save (AttnWindow *self)
{
  const AttnFileKind kinds[] = { { _("Studies (JSON)"), STUDY_SUFFIX }, { NULL } };
  GtkFileChooser *chooser = attn_file_chooser_new (
      _("Save Study"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), kinds);
  const AttnStudy *study = attn_session_get_study (self->session);
  const char *path = attn_session_get_document (self->session)->path;
  g_autofree char *name =
      path != NULL ? g_path_get_basename (path)
                   : g_strdup_printf ("%s." STUDY_SUFFIX,
                                      study->preset != NULL ? study->preset : "study");

  if (path != NULL)
    {
      g_autofree char *directory = g_path_get_dirname (path);
      g_autoptr (GFile) folder = g_file_new_for_path (directory);

      gtk_file_chooser_set_current_folder (chooser, folder, NULL);
    }
  gtk_file_chooser_set_current_name (chooser, name);
  attn_file_chooser_show (chooser, save_as_chosen_cb, self);
}

static void
overtaken_answered_cb (gpointer window,
                       int      response,
                       gpointer data)
{
  AttnWindow *self = window;

  if (response == GTK_RESPONSE_ACCEPT)
    choose_where_to_save (self);
  else if (response == GTK_RESPONSE_REJECT)
    start_saving (self, attn_session_get_document (self->session)->path, FALSE);
}

/* Asks before replacing a file that another program has changed. */
static void
ask_before_replacing (AttnWindow *self)
{
  const AttnQuestionAnswer answers[] = {
    { _("Save Any_way"), GTK_RESPONSE_REJECT, ATTN_ANSWER_DESTRUCTIVE },
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("Save _As…"), GTK_RESPONSE_ACCEPT },
    { NULL },
  };
  g_autofree char *name =
      attn_window_dup_document_name (attn_session_get_document (self->session)->path);
  g_autofree char *title =
      g_strdup_printf (_("Replace “%s”, Which Another Program Has Changed?"), name);

  attn_question_ask (GTK_WINDOW (self), title,
                     _("The file is not what it was when the study was opened or saved last. "
                       "Saving it here anyway loses what is in the file now."),
                     answers, overtaken_answered_cb, NULL, NULL);
}

/* Saves the study to its file. Asks the user for a file if the study has none, and before a file is
 * replaced that another program has changed. */
static void
save (AttnWindow *self,
      gboolean    closes)
{
  self->closes_after_saving = closes;
  if (attn_session_get_document (self->session)->path == NULL)
    choose_where_to_save (self);
  else
    start_saving (self, attn_session_get_document (self->session)->path, TRUE);
}

static void
closing_answered_cb (gpointer self,
                     int      response,
                     gpointer data)
{
  if (response == GTK_RESPONSE_REJECT)
    close_for_good (self);
  else if (response == GTK_RESPONSE_ACCEPT)
    save (self, TRUE);
}

/**
 * attn_window_ask_before_closing:
 *
 * Returns: whether the window is to stay open for now: there are unsaved changes, and a dialog asks
 *   what to do with them, or the study is still being saved
 */
gboolean
attn_window_ask_before_closing (AttnWindow *self)
{
  const AttnQuestionAnswer answers[] = {
    { _("_Discard"), GTK_RESPONSE_REJECT, ATTN_ANSWER_DESTRUCTIVE },
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("_Save"), GTK_RESPONSE_ACCEPT, ATTN_ANSWER_SUGGESTED },
    { NULL },
  };

  if (self->is_closing || !attn_session_is_changed (self->session))
    return FALSE;
  /* The window stays open until the study is saved, then closes by itself. If the user closes it
   * again during the saving, a question is asked. */
  if (self->saving != NULL && !self->closes_after_saving)
    {
      self->closes_after_saving = TRUE;
      return TRUE;
    }

  g_autofree char *name =
      attn_window_dup_document_name (attn_session_get_document (self->session)->path);
  g_autofree char *title = g_strdup_printf (_("Save the Changes to “%s”?"), name);
  attn_question_ask (GTK_WINDOW (self), title, _("Unsaved changes will be lost."), answers,
                     closing_answered_cb, NULL, NULL);
  return TRUE;
}

/* --- The copy that is kept of unsaved changes ------------------------------------------------- */

static void
not_kept_cb (AttnWindow   *self,
             const GError *error)
{
  const AttnNoticeAction save = { _("Save _As…"), "win.save-as" };

  attn_notices_show_error (self->notices, AUTOSAVE, _("The Study Is Not Kept in Case of a Crash"),
                           error, &save, 1);
}

static void
kept_again_cb (AttnWindow *self)
{
  attn_notices_hide (self->notices, AUTOSAVE);
}

/* --- Actions on the document ------------------------------------------------------------------ */

static void
save_here (AttnWindow *self)
{
  save (self, FALSE);
}

static void
save_as (AttnWindow *self)
{
  self->closes_after_saving = FALSE;
  choose_where_to_save (self);
}

static void
locate_chosen_cb (gpointer        object,
                  GFile          *file,
                  GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  g_autofree char *path = g_file_get_path (file);

  if (path != NULL)
    attn_session_locate_model (self->session, path);
}

static void
locate_model (AttnWindow *self)
{
  AttnModelQuestion question = attn_session_get_question (self->session);
  gboolean is_file =
      question.path != NULL && attn_array_format_has (question.path, ATTN_ARRAY_FORMAT_MODEL);

  if (question.kind == ATTN_MODEL_QUESTION_NONE)
    return;
  attn_file_chooser_open_model (self, _("Locate the Model"),
                                is_file ? GTK_FILE_CHOOSER_ACTION_OPEN
                                        : GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                NULL, locate_chosen_cb);
}

/**
 * attn_window_add_documents:
 *
 * Adds the actions of the study and its model. From now on changes of the study are autosaved, for
 * the case of a crash; the window says so if that fails.
 */
void
attn_window_add_documents (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "save", G_CALLBACK (save_here) },
    { "save-as", G_CALLBACK (save_as) },
    { "locate-model", G_CALLBACK (locate_model) },
  };
  static const AttnAction session_actions[] = {
    { "accept-model", G_CALLBACK (attn_session_accept_model) },
    { "drop-question", G_CALLBACK (attn_session_drop_question) },
  };
  g_autofree char *directory = attn_autosave_dup_directory ();

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
  attn_actions_add (self, session_actions, G_N_ELEMENTS (session_actions), self->session);
  self->autosave = attn_autosave_new (self->session, directory);
  g_signal_connect_object (self->autosave, "failed", G_CALLBACK (not_kept_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->autosave, "mended", G_CALLBACK (kept_again_cb), self,
                           G_CONNECT_SWAPPED);
}
