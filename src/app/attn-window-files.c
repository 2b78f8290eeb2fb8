/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-recent.h"

static void
show_open_error (AttnWindow   *self,
                 const GError *error)
{
  const AttnNoticeAction another = { _("_Open Another…"), "win.open-file" };

  attn_window_show_problem (self, ATTN_NOTICE_OPEN, _("That Could Not Be Opened"), error, &another);
}

/* A study that is opened takes the place of one that has nothing to lose. */
static AttnWindow *
get_window_for (AttnWindow *self,
                const char *path)
{
  if (!attn_session_is_document (path) || !attn_session_is_changed (self->session))
    return self;

  AttnWindow *window = attn_window_new (gtk_window_get_application (GTK_WINDOW (self)));
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/**
 * attn_window_open_path:
 * @path: a checkpoint directory or file, or a study
 *
 * Opens a study in a new window if the one that is open has changes that are not saved, everything
 * else here. What cannot be opened is told in the window, which otherwise stays as it was.
 */
void
attn_window_open_path (AttnWindow *self,
                       const char *path)
{
  AttnWindow *window = get_window_for (self, path);
  g_autoptr (GError) error = NULL;

  attn_notices_hide (self->notices, ATTN_NOTICE_OPEN);
  if (!attn_session_open_path (window->session, path, &error))
    show_open_error (window, error);
}

/**
 * attn_window_open:
 * @file: a checkpoint directory or file, or a study
 */
void
attn_window_open (AttnWindow *window,
                  GFile      *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autoptr (GError) error = NULL;

  if (path != NULL)
    {
      attn_window_open_path (window, path);
      return;
    }

  g_autofree char *uri = g_file_get_uri (file);
  g_set_error (&error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: a remote place found, expected a file or directory of this computer"), uri);
  show_open_error (window, error);
}

/**
 * attn_window_fill_recent:
 *
 * Makes the menu offer what was opened last, here or in another window.
 */
void
attn_window_fill_recent (AttnWindow *self)
{
  g_auto (GStrv) paths = attn_recent_get ();

  g_menu_remove_all (self->recent_section);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (paths[i]);
      /* An underscore in a name is no mnemonic. */
      g_auto (GStrv) parts = g_strsplit (name, "_", -1);
      g_autofree char *label = g_strjoinv ("__", parts);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "win.open-recent", "^ay", paths[i]);
      g_menu_append_item (self->recent_section, item);
    }
  if (paths[0] != NULL)
    g_menu_append (self->recent_section, _("_Clear the List"), "win.clear-recent");
}

static void
open_chosen_cb (gpointer        self,
                GFile          *file,
                GtkFileChooser *chooser)
{
  attn_window_open (self, file);
}

void
attn_window_choose_model (AttnWindow *self)
{
  attn_file_chooser_show (
      attn_file_chooser_new (_("Open a Model Folder"), GTK_WINDOW (self),
                             GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Open"), NULL),
      open_chosen_cb, self);
}

void
attn_window_choose_file (AttnWindow *self)
{
  const AttnFileKind kinds[] = {
    { _("All files"), NULL },
    { _("Weights (safetensors)"), "safetensors" },
    { _("Weights (GGUF)"), "gguf" },
    { _("Studies (JSON)"), "json" },
    { _("Exported figures (SVG)"), "svg" },
    { NULL },
  };

  attn_file_chooser_show (attn_file_chooser_new (_("Open a Model or Study File"), GTK_WINDOW (self),
                                                 GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), kinds),
                          open_chosen_cb, self);
}

static gboolean
drop_cb (AttnWindow   *self,
         const GValue *value)
{
  if (G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    {
      g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));

      if (files == NULL)
        return FALSE;
      attn_window_open (self, files->data);
      return TRUE;
    }
  if (!G_VALUE_HOLDS (value, G_TYPE_FILE))
    return FALSE;
  attn_window_open (self, g_value_get_object (value));
  return TRUE;
}

void
attn_window_add_drop (AttnWindow *self)
{
  GType types[] = { GDK_TYPE_FILE_LIST, G_TYPE_FILE };
  GtkDropTarget *target = gtk_drop_target_new (G_TYPE_INVALID, GDK_ACTION_COPY);

  gtk_drop_target_set_gtypes (target, types, G_N_ELEMENTS (types));
  g_signal_connect_swapped (target, "drop", G_CALLBACK (drop_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
