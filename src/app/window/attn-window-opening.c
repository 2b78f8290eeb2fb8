/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opening of a path: a thread reads it, since a disk may not answer. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-wav.h"

/**
 * attn_window_show_open_error:
 * @name: name of the file or preset that could not be opened
 */
void
attn_window_show_open_error (AttnWindow   *self,
                             const char   *name,
                             const GError *error)
{
  const AttnNoticeAction another = { _("_Open Another…"), "win.open" };
  g_autofree char *title = g_strdup_printf (_("Could Not Open “%s”"), name);

  attn_notices_show_error (self->notices, ATTN_NOTICE_OPEN, title, error, &another, 1);
}

/* Returns: (transfer none) (nullable): the window of @node in the application's list, or %NULL if
 * it is no #AttnWindow or is @except */
static AttnWindow *
get_window (AttnWindow *self,
            GList      *node,
            AttnWindow *except)
{
  gboolean is_window = G_TYPE_CHECK_INSTANCE_TYPE (node->data, G_OBJECT_TYPE (self));
  AttnWindow *window = is_window && node->data != except ? node->data : NULL;

  return window != NULL && window->session != NULL ? window : NULL;
}

static GList *
get_windows (AttnWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  return application != NULL ? gtk_application_get_windows (application) : NULL;
}

/**
 * attn_window_list_documents:
 * @self: a window of the application
 * @except: (nullable): a window whose study is left out
 *
 * Returns: (transfer full) (array zero-terminated=1): the paths of the studies that windows show
 */
GStrv
attn_window_list_documents (AttnWindow *self,
                            AttnWindow *except)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();

  for (GList *node = get_windows (self); node != NULL; node = node->next)
    {
      AttnWindow *window = get_window (self, node, except);

      if (window != NULL && attn_session_get_document (window->session)->path != NULL)
        g_strv_builder_add (paths, attn_session_get_document (window->session)->path);
    }
  return g_strv_builder_end (paths);
}

/**
 * attn_window_find_document:
 * @self: a window of the application
 * @path: a path that attn_window_list_documents() has returned
 *
 * Returns: (transfer none) (nullable): the window that shows this study, if it still does
 */
AttnWindow *
attn_window_find_document (AttnWindow *self,
                           const char *path)
{
  for (GList *node = get_windows (self); node != NULL; node = node->next)
    {
      AttnWindow *window = get_window (self, node, NULL);

      if (window != NULL &&
          g_strcmp0 (attn_session_get_document (window->session)->path, path) == 0)
        return window;
    }
  return NULL;
}

/**
 * attn_window_open_elsewhere:
 *
 * Opens a file in a window of its own.
 */
void
attn_window_open_elsewhere (AttnWindow *self,
                            GFile      *file)
{
  g_application_open (G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self))), &file, 1, "");
}

/**
 * Opening:
 * @study: the study of the window when the user asked to open @path
 * @shown: paths of the studies that windows show
 * @same: (nullable): the path in @shown that leads to the same file as @path
 * @is_sound: whether the file is a sound, whatever its name ends with; it becomes an input
 * @file: (nullable): what was read from @path
 *
 * A path that is to be opened, and what a thread has read from it.
 */
typedef struct
{
  char *path;
  const AttnStudy *study;
  GStrv shown;
  const char *same;
  gboolean is_sound;
  AttnDocumentFile *file;
} Opening;

static void
opening_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Opening *opening = data;

  opening->same =
      attn_document_file_find_same (opening->path, (const char * const *) opening->shown);
  opening->is_sound = attn_wav_is_file (opening->path);
  opening->file = attn_document_file_read (opening->path, &opening->study->model);
}

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_free (opening->path);
  attn_study_unref (opening->study);
  g_strfreev (opening->shown);
  g_clear_pointer (&opening->file, attn_document_file_free);
  g_free (opening);
}

/* Shows what was read. If it is a study that another window shows already, that window comes to the
 * front. If this window has unsaved changes, a study is opened in a new window. */
static void
show_opened (AttnWindow    *self,
             const Opening *opening)
{
  gboolean is_changed = attn_session_is_changed (self->session);
  AttnWindow *shown =
      opening->same != NULL ? attn_window_find_document (self, opening->same) : NULL;
  g_autoptr (GError) error = NULL;

  if (opening->is_sound && attn_session_takes_inputs (self->session))
    {
      g_autoptr (GFile) file = g_file_new_for_path (opening->path);

      attn_inputs_section_load (attn_window_get_inputs (self), file);
    }
  else if (shown != NULL && (shown != self || is_changed))
    gtk_window_present (GTK_WINDOW (shown));
  else if (opening->file->is_document && is_changed)
    {
      g_autoptr (GFile) file = g_file_new_for_path (opening->path);

      attn_window_open_elsewhere (self, file);
    }
  else if (!attn_session_open_file (self->session, opening->file, &error))
    {
      g_autofree char *name = g_filename_display_basename (opening->path);

      attn_window_show_open_error (self, name, error);
    }
}

static void
opening_deliver (gpointer owner,
                 gpointer data)
{
  AttnWindow *self = owner;

  g_clear_handle_id (&self->opening_timeout, g_source_remove);
  attn_notices_hide (self->notices, ATTN_NOTICE_OPEN);
  show_opened (self, data);
  attn_session_go_on (self->session);
  opening_free (data);
}

static gboolean
opening_is_slow_cb (gpointer user_data)
{
  AttnWindow *self = user_data;
  const Opening *opening = attn_task_get_data (self->opening);
  g_autofree char *name = g_filename_display_name (opening->path);
  g_autofree char *text =
      g_strdup_printf (_("%s: not read yet, as its disk or network has not answered."), name);
  const AttnNotice notice = {
    .id = ATTN_NOTICE_OPEN,
    .type = GTK_MESSAGE_INFO,
    .title = _("Waiting for a Disk"),
    .text = text,
    .actions = { { _("_Cancel"), "win.cancel-opening" } },
    .close_action = "win.cancel-opening",
  };

  self->opening_timeout = 0;
  attn_notices_show (self->notices, &notice);
  return G_SOURCE_REMOVE;
}

/**
 * attn_window_open_path:
 * @path: a checkpoint directory or file, or a study
 *
 * Reads the path in a thread and opens it in this window; a study in a new one if this window has
 * unsaved changes. If another window shows the study already, that comes to the front. If the path
 * cannot be opened, the window says so and stays as it was. A path that is still being read for an
 * earlier call is not opened.
 */
void
attn_window_open_path (AttnWindow *self,
                       const char *path)
{
  static const AttnTaskKind task_kind = {
    .run = opening_run,
    .deliver = opening_deliver,
    .free = opening_free,
  };
  Opening *opening = g_new0 (Opening, 1);

  opening->path = g_strdup (path);
  opening->study = attn_study_ref (attn_session_get_study (self->session));
  opening->shown = attn_window_list_documents (self, NULL);
  attn_window_cancel_opening (self);
  attn_notices_hide (self->notices, ATTN_NOTICE_OPEN);
  attn_session_pause (self->session);
  attn_task_start (&task_kind, self, opening, TRUE, &self->opening);
  self->opening_timeout = g_timeout_add (ATTN_SLOW_DISK_MS, opening_is_slow_cb, self);
}

/**
 * attn_window_cancel_opening:
 *
 * Gives up what attn_window_open_path() is still reading: it is not opened.
 */
void
attn_window_cancel_opening (AttnWindow *self)
{
  if (self->opening == NULL)
    return;
  attn_task_give_up (&self->opening);
  attn_session_go_on (self->session);
  g_clear_handle_id (&self->opening_timeout, g_source_remove);
  attn_notices_hide (self->notices, ATTN_NOTICE_OPEN);
}
