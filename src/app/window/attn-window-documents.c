/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-question.h"
#include "attn-recent.h"

/* JSON by its last part, a study by the whole. */
#define STUDY_SUFFIX "attention.json"

/* Characters of a text that tell it from others. */
#define MAX_FIRST_WORDS 24

#define QUESTION  "model-question"
#define LEFTOVERS "leftovers"
#define DAMAGED   "damaged"
#define AUTOSAVE  "autosave"

/* Without what is the same at the end of every study. */
static char *
dup_document_name (const char *path)
{
  char *name = path != NULL ? g_filename_display_basename (path) : g_strdup (_("New Study"));

  if (strlen (name) > strlen ("." STUDY_SUFFIX) && g_str_has_suffix (name, "." STUDY_SUFFIX))
    name[strlen (name) - strlen ("." STUDY_SUFFIX)] = '\0';
  return name;
}

static void
sync_title (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const char *path = attn_session_get_path (self->session);
  const char *model = result != NULL ? attn_model_get_name (result->model) : "";
  gboolean is_changed = attn_session_is_changed (self->session);
  g_autofree char *name = dup_document_name (path);
  g_autofree char *marked = g_strconcat (is_changed ? "• " : "", name, NULL);
  /* Translators: the name of a study and the program */
  g_autofree char *title = g_strdup_printf (_("%s — Attention Grid"), marked);
  g_autofree char *place = path != NULL ? g_filename_display_name (path)
                                        : g_strdup (_("Not in a file yet; Ctrl+S saves it"));
  g_autofree char *tooltip =
      is_changed ? g_strdup_printf (_("%s\nWith changes that are not saved"), place)
                 : g_strdup (place);

  if (result != NULL)
    attn_model_info_set_model (self->model_info, result->model);
  /* Every frame of a slider comes here: the header bar is laid out anew only if it says something
   * else. */
  if (g_strcmp0 (gtk_window_get_title (GTK_WINDOW (self)), title) == 0 &&
      g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (self->document_title)), tooltip) == 0 &&
      g_str_equal (gtk_label_get_label (self->document_subtitle), model))
    return;
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_label_set_label (self->document_title, marked);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->document_title), tooltip);
  gtk_label_set_label (self->document_subtitle, model);
  gtk_widget_set_visible (GTK_WIDGET (self->document_subtitle), result != NULL);
}

static void
ask_for_missing_model (AttnWindow *self,
                       const char *path,
                       const char *document)
{
  g_autofree char *name = dup_document_name (document);
  g_autofree char *display = g_filename_display_name (path);
  g_autofree char *title = g_strdup_printf (_("Where Is the Model of “%s”?"), name);
  g_autofree char *text =
      g_strdup_printf (_("%s: not found, expected the model that the study was made with."), display);
  const AttnNotice notice = {
    .id = QUESTION,
    .type = GTK_MESSAGE_QUESTION,
    .title = title,
    .text = text,
    .actions = { { _("_Locate…"), "win.locate-model" },
                 { _("_Use the Open Model"), "win.accept-model" } },
    .close_action = "win.drop-question",
  };

  attn_notices_show (self->notices, &notice);
}

static void
ask_about_changed_model (AttnWindow *self,
                         const char *path)
{
  const char *expected, *found;

  attn_session_get_fingerprints (self->session, &expected, &found);
  g_autofree char *display = g_filename_display_name (path);
  g_autofree char *text = g_strdup_printf (
      _("%s: fingerprint %.12s… found, expected the study’s %.12s…; what is shown may differ from "
        "what was saved."),
      display, found, expected);
  const AttnNotice notice = {
    .id = QUESTION,
    .type = GTK_MESSAGE_WARNING,
    .title = _("The Study Was Made With Another Model"),
    .text = text,
    .actions = { { _("_Locate…"), "win.locate-model" },
                 { _("_Use It Anyway"), "win.accept-model" } },
    .close_action = "win.drop-question",
  };

  attn_notices_show (self->notices, &notice);
}

static void
sync_question (AttnWindow *self)
{
  const char *path, *document;

  switch (attn_session_get_question (self->session, &path, &document))
    {
    case ATTN_MODEL_QUESTION_MISSING:
      ask_for_missing_model (self, path, document);
      break;
    case ATTN_MODEL_QUESTION_CHANGED:
      ask_about_changed_model (self, path);
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
 * Makes the title and the question about the model say what the session says.
 */
void
attn_window_sync_document (AttnWindow *self)
{
  sync_title (self);
  sync_question (self);
}

/* Whether @text is something else than before. */
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
 * Puts what is open on the list of what was opened last.
 */
void
attn_window_remember_recent (AttnWindow *self)
{
  const char *path = attn_session_get_path (self->session);
  const char *model = attn_session_get_study (self->session)->model_path;

  if (take_other (&self->recent_model, model))
    attn_recent_add (model);
  if (take_other (&self->recent_path, path))
    attn_recent_add (path);
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
 * Closes the window from the main loop, as the user would.
 */
void
attn_window_close_later (AttnWindow *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, close_cb, g_object_ref (self), g_object_unref);
}

/* Once the dialog that said so is gone: GTK still handles its key press. */
static void
close_for_good (AttnWindow *self)
{
  self->is_closing = TRUE;
  attn_window_close_later (self);
}

static gboolean
save_to (AttnWindow *self,
         const char *path)
{
  const AttnNoticeAction again = { _("Save _As…"), "win.save-as" };
  AttnWindow *other =
      attn_window_find_document (gtk_window_get_application (GTK_WINDOW (self)), path, self);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GError) error = NULL;

  if (other != NULL)
    g_set_error (&error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("%s: found open in another window, expected another file"), name);
  if (other != NULL || !attn_session_save (self->session, path, &error))
    {
      attn_window_show_problem (self, ATTN_NOTICE_SAVE, _("The Study Could Not Be Saved"), error,
                                &again);
      return FALSE;
    }

  g_autofree char *note = g_strdup_printf (_("Saved to %s"), name);
  attn_notices_hide (self->notices, ATTN_NOTICE_SAVE);
  attn_window_remember_recent (self);
  attn_window_show_note (self, note);
  return TRUE;
}

static void
save_as_chosen_cb (gpointer        object,
                   GFile          *file,
                   GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  gboolean closes = g_object_get_data (G_OBJECT (chooser), "closes") != NULL;
  g_autofree char *path = g_file_get_path (file);

  if (save_to (self, path) && closes)
    close_for_good (self);
}

static void
choose_where_to_save (AttnWindow *self,
                      gboolean    closes)
{
  const AttnFileKind kinds[] = { { _("Studies (JSON)"), STUDY_SUFFIX }, { NULL } };
  GtkFileChooser *chooser = attn_file_chooser_new (
      _("Save Study"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), kinds);
  const AttnStudy *study = attn_session_get_study (self->session);
  const char *path = attn_session_get_path (self->session);
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
  g_object_set_data (G_OBJECT (chooser), "closes", closes ? self : NULL);
  attn_file_chooser_show (chooser, save_as_chosen_cb, self);
}

static void
save_in_place (AttnWindow *self,
               gboolean    closes)
{
  if (save_to (self, attn_session_get_path (self->session)) && closes)
    close_for_good (self);
}

static void
overtaken_answered_cb (GtkWindow *window,
                       int        response,
                       gpointer   closes)
{
  AttnWindow *self = ATTN_WINDOW (window);

  if (response == GTK_RESPONSE_ACCEPT)
    choose_where_to_save (self, GPOINTER_TO_INT (closes));
  else if (response == GTK_RESPONSE_REJECT)
    save_in_place (self, GPOINTER_TO_INT (closes));
}

/* What another program has written is not replaced unasked. */
static void
ask_before_replacing (AttnWindow *self,
                      gboolean    closes)
{
  const AttnAnswer answers[] = {
    { _("Save Any_way"), GTK_RESPONSE_REJECT, ATTN_ANSWER_DESTRUCTIVE },
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("Save _As…"), GTK_RESPONSE_ACCEPT },
    { NULL },
  };
  g_autofree char *name = dup_document_name (attn_session_get_path (self->session));
  g_autofree char *title =
      g_strdup_printf (_("Replace “%s”, Which Another Program Has Changed?"), name);

  attn_question_ask (GTK_WINDOW (self), title,
                     _("The file is not what it was when the study was opened or saved last. Saving "
                       "it here anyway loses what is in the file now."),
                     answers, overtaken_answered_cb, GINT_TO_POINTER (closes), NULL);
}

/* Where the study lives; what is in the way of that is asked about. */
static void
save (AttnWindow *self,
      gboolean    closes)
{
  if (attn_session_get_path (self->session) == NULL)
    choose_where_to_save (self, closes);
  else if (attn_session_is_overtaken (self->session))
    ask_before_replacing (self, closes);
  else
    save_in_place (self, closes);
}

static void
closing_answered_cb (GtkWindow *window,
                     int        response,
                     gpointer   data)
{
  if (response == GTK_RESPONSE_REJECT)
    close_for_good (ATTN_WINDOW (window));
  else if (response == GTK_RESPONSE_ACCEPT)
    save (ATTN_WINDOW (window), TRUE);
}

/**
 * attn_window_ask_before_closing:
 *
 * Returns: whether the window is to stay open, since there are changes and it was not yet said what
 *   becomes of them; that is asked
 */
gboolean
attn_window_ask_before_closing (AttnWindow *self)
{
  const AttnAnswer answers[] = {
    { _("_Discard"), GTK_RESPONSE_REJECT, ATTN_ANSWER_DESTRUCTIVE },
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("_Save"), GTK_RESPONSE_ACCEPT, ATTN_ANSWER_SUGGESTED },
    { NULL },
  };

  if (self->is_closing || !attn_session_is_changed (self->session))
    return FALSE;

  g_autofree char *name = dup_document_name (attn_session_get_path (self->session));
  g_autofree char *title = g_strdup_printf (_("Save the Changes to “%s”?"), name);
  attn_question_ask (GTK_WINDOW (self), title, _("What is not saved is lost."), answers,
                     closing_answered_cb, NULL, NULL);
  return TRUE;
}

/* --- What is kept ---------------------------------------------------------------------------------*/

static void
not_kept_cb (AttnWindow   *self,
             const GError *error)
{
  const AttnNoticeAction save = { _("Save _As…"), "win.save-as" };

  attn_window_show_problem (self, AUTOSAVE, _("The Study Is Not Kept in Case of a Crash"), error,
                            &save);
}

static void
kept_again_cb (AttnWindow *self)
{
  attn_notices_hide (self->notices, AUTOSAVE);
}

/**
 * attn_window_add_autosave:
 *
 * Keeps the study from now on, and says where it cannot.
 */
void
attn_window_add_autosave (AttnWindow *self)
{
  g_autofree char *directory = attn_autosave_dup_directory ();

  self->autosave = attn_autosave_new (self->session, directory);
  g_signal_connect_object (self->autosave, "failed", G_CALLBACK (not_kept_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->autosave, "mended", G_CALLBACK (kept_again_cb), self,
                           G_CONNECT_SWAPPED);
}

/* --- What an earlier run left ---------------------------------------------------------------------*/

static void
tell_about_damaged (AttnWindow *self,
                    GPtrArray  *damaged)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < damaged->len; i++)
    {
      g_autofree char *name = g_filename_display_name (g_ptr_array_index (damaged, i));

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  g_autofree char *text =
      g_strdup_printf (_("%s: found damaged, expected what was open last time; the file stays."),
                       names->str);
  const AttnNotice notice = {
    .id = DAMAGED,
    .type = GTK_MESSAGE_WARNING,
    .title = _("What Was Open Could Not Be Restored"),
    .text = text,
  };
  attn_notices_show (self->notices, &notice);
}

/* "A rose is a rose, and a…" */
static char *
dup_first_words (const char *text)
{
  const char *end = text;
  glong length = 0;

  for (const char *p = text; *p != '\0' && length <= MAX_FIRST_WORDS; length++)
    {
      p = g_utf8_next_char (p);
      if (length < MAX_FIRST_WORDS && (*p == '\0' || g_unichar_isspace (g_utf8_get_char (p))))
        end = p;
    }
  /* A word that is as long as that, or a language without spaces. */
  if (end == text)
    end = g_utf8_offset_to_pointer (text, MIN (length, MAX_FIRST_WORDS));
  g_autofree char *words = g_strndup (text, end - text);
  return g_strconcat (g_strstrip (words), *end != '\0' ? "…" : "", NULL);
}

/* What is in no file has its preset and the first words of its first text, lest two read alike. */
static char *
dup_leftover_name (const AttnLeftover *leftover)
{
  const AttnStudy *study = leftover->study;
  const AttnInput *input =
      study->inputs->len > 0 ? g_ptr_array_index (study->inputs, 0) : NULL;
  GString *name;
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  if (leftover->path != NULL)
    return dup_document_name (leftover->path);
  name = g_string_new (_("New Study"));
  for (gsize i = 0; i < n_presets; i++)
    if (g_strcmp0 (presets[i].name, study->preset) == 0)
      g_string_append_printf (name, " — %s", _(presets[i].title));
  if (input != NULL && input->text != NULL && *input->text != '\0')
    {
      g_autofree char *words = dup_first_words (input->text);

      g_string_append_printf (name, " — %s", words);
    }
  return g_string_free (name, FALSE);
}

/**
 * attn_window_offer_leftovers:
 *
 * If the program ended without being closed, offers what was open then.
 */
void
attn_window_offer_leftovers (AttnWindow *window)
{
  g_autofree char *directory = attn_autosave_dup_directory ();
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) leftovers = attn_leftovers_find (directory, damaged);
  g_autoptr (GString) names = g_string_new (NULL);

  if (damaged->len > 0)
    tell_about_damaged (window, damaged);
  if (leftovers->len == 0)
    return;
  for (guint i = 0; i < leftovers->len; i++)
    {
      const AttnLeftover *leftover = g_ptr_array_index (leftovers, i);
      g_autofree char *name = dup_leftover_name (leftover);
      g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (leftover->time);
      g_autofree char *when = g_date_time_format (time, "%x %R");

      if (i > 0)
        g_string_append (names, ", ");
      /* Translators: the name of a study, and when it was kept */
      g_string_append_printf (names, _("“%s” (%s)"), name, when);
    }

  g_autofree char *text = g_strdup_printf (
      ngettext ("This study was open and is kept: %s.", "These studies were open and are kept: %s.",
                leftovers->len),
      names->str);
  const AttnNotice notice = {
    .id = LEFTOVERS,
    .type = GTK_MESSAGE_QUESTION,
    .title = _("The Program Did Not Close Properly Last Time"),
    .text = text,
    .actions = { { _("_Restore"), "win.restore" }, { _("_Discard"), "win.discard-leftovers" } },
    .close_action = "win.leave-leftovers",
  };
  window->leftovers = g_steal_pointer (&leftovers);
  attn_notices_show (window->notices, &notice);
}

/* Its file goes once the window that shows it has one of its own; if it cannot have one, the next
 * start offers it again. */
static void
restore_leftover (AttnWindow   *self,
                  AttnLeftover *leftover)
{
  const char *path, *document;

  attn_session_restore (self->session, attn_study_copy (leftover->study), leftover->path,
                        leftover->etag, leftover->is_changed);
  if (attn_session_get_question (self->session, &path, &document) == ATTN_MODEL_QUESTION_MISSING)
    return;
  if (attn_autosave_flush (self->autosave))
    attn_leftover_discard (leftover);
}

/* What shows a document goes on showing it. */
static gboolean
has_nothing_to_lose (AttnWindow *self)
{
  return !attn_session_is_changed (self->session) && attn_session_get_path (self->session) == NULL;
}

static void
restore_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (GPtrArray) leftovers = g_steal_pointer (&self->leftovers);

  for (guint i = 0; leftovers != NULL && i < leftovers->len; i++)
    {
      AttnWindow *window = self;

      if (i > 0 || !has_nothing_to_lose (self))
        {
          window = attn_window_new (gtk_window_get_application (GTK_WINDOW (self)));
          gtk_window_present (GTK_WINDOW (window));
        }
      restore_leftover (window, g_ptr_array_index (leftovers, i));
    }
  attn_notices_hide (self->notices, LEFTOVERS);
}

static void
discard_leftovers_cb (GSimpleAction *action,
                      GVariant      *parameter,
                      gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (GPtrArray) leftovers = g_steal_pointer (&self->leftovers);

  for (guint i = 0; leftovers != NULL && i < leftovers->len; i++)
    attn_leftover_discard (g_ptr_array_index (leftovers, i));
  attn_notices_hide (self->notices, LEFTOVERS);
}

/* The next start offers them again. */
static void
leave_leftovers_cb (GSimpleAction *action,
                    GVariant      *parameter,
                    gpointer       user_data)
{
  AttnWindow *self = user_data;

  g_clear_pointer (&self->leftovers, g_ptr_array_unref);
}

/* --- Actions --------------------------------------------------------------------------------------*/

static void
save_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  save (user_data, FALSE);
}

static void
save_as_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  choose_where_to_save (user_data, FALSE);
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
locate_model_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  AttnWindow *self = user_data;
  const char *path, *document;
  AttnModelQuestion question = attn_session_get_question (self->session, &path, &document);
  gboolean is_file = path != NULL && attn_array_format_has (path, ATTN_ARRAY_FORMAT_MODEL);

  if (question == ATTN_MODEL_QUESTION_NONE)
    return;
  attn_file_chooser_show (
      attn_file_chooser_new (_("Locate the Model"), GTK_WINDOW (self),
                             is_file ? GTK_FILE_CHOOSER_ACTION_OPEN
                                     : GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                             _("_Open"), NULL),
      locate_chosen_cb, self);
}

static void
accept_model_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_session_accept_model (self->session);
}

static void
drop_question_cb (GSimpleAction *action,
                  GVariant      *parameter,
                  gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_session_drop_question (self->session);
}

static const GActionEntry entries[] = {
  { "save", save_cb },
  { "save-as", save_as_cb },
  { "locate-model", locate_model_cb },
  { "accept-model", accept_model_cb },
  { "drop-question", drop_question_cb },
  { "restore", restore_cb },
  { "discard-leftovers", discard_leftovers_cb },
  { "leave-leftovers", leave_leftovers_cb },
};

void
attn_window_add_document_actions (AttnWindow *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
