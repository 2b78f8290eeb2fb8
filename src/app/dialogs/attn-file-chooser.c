/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Choosers for opening a file or folder and for saving. A chooser is never freed but used again for
 * the same question: GTK 4.8 crashes if the folder that it lists changes after it was freed
 * (browse_files_model_row_changed_cb). Reused, it also opens in the last folder. */

#include "config.h"

#include "attn-file-chooser.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-found-models.h"
#include "attn-inquiry.h"

/* Closed choosers that can be used again (element-type GtkFileChooserNative), each with the text of
 * its question as its data "question". */
static GPtrArray *idle_choosers;

/* Returns (transfer full): the path that the user meant. A name without an ending gets @suffix. If
 * the ending is there twice, one is removed: GTK selects only "name" in "name.json", so that typing
 * "other.json" over it gives "other.json.json". */
static char *
dup_meant_path (const char *path,
                const char *suffix)
{
  const char *dot = strrchr (suffix, '.');
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *ending = g_strconcat (".", dot != NULL ? dot + 1 : suffix, NULL);
  g_autofree char *twice = g_strconcat (ending, ending, NULL);

  if (strchr (name, '.') == NULL)
    return g_strconcat (path, ".", suffix, NULL);
  return g_strndup (path, strlen (path) - (g_str_has_suffix (name, twice) ? strlen (ending) : 0));
}

/* Shows the chooser again with the corrected path, so that it asks before a file of that name is
 * replaced. */
static void
ask_again (GtkFileChooser *chooser,
           const char     *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *directory = g_path_get_dirname (path);
  g_autoptr (GFile) folder = g_file_new_for_path (directory);

  gtk_file_chooser_set_current_folder (chooser, folder, NULL);
  gtk_file_chooser_set_current_name (chooser, name);
  g_object_set_data (G_OBJECT (chooser), "asks-again", chooser);
}

/* A path that differs from the one that was typed (see dup_meant_path()). A thread looks whether
 * there is a file of that name already. */
typedef struct
{
  GtkFileChooser *chooser;
  AttnFileChosenFunc chosen;
  char *path;
  gboolean is_there;
} Completed;

static void
completed_run (gpointer data)
{
  Completed *completed = data;

  completed->is_there = g_file_test (completed->path, G_FILE_TEST_EXISTS);
}

static void
completed_free (gpointer data)
{
  Completed *completed = data;

  g_free (completed->path);
  g_free (completed);
}

static gboolean put_back_cb (gpointer chooser);

static void
completed_take (gpointer owner,
                gpointer data)
{
  const Completed *completed = data;
  g_autoptr (GFile) file = g_file_new_for_path (completed->path);

  g_object_set_data (G_OBJECT (completed->chooser), "is-looking", NULL);
  if (completed->is_there)
    ask_again (completed->chooser, completed->path);
  else
    completed->chosen (owner, file, completed->chooser);
  if (g_object_get_data (G_OBJECT (completed->chooser), "is-hiding") == NULL)
    put_back_cb (completed->chooser);
}

static void
response_cb (GObject        *object,
             int             response,
             GtkFileChooser *chooser)
{
  static const AttnInquiry inquiry = { completed_run, completed_take, completed_free };
  AttnFileChosenFunc chosen = (AttnFileChosenFunc) g_object_get_data (G_OBJECT (chooser), "chosen");
  g_autoptr (GFile) file = gtk_file_chooser_get_file (chooser);
  GtkFileFilter *filter = gtk_file_chooser_get_filter (chooser);
  const char *suffix = filter != NULL ? g_object_get_data (G_OBJECT (filter), "suffix") : NULL;

  if (response != GTK_RESPONSE_ACCEPT || file == NULL)
    return;
  g_autofree char *path = g_file_get_path (file);
  gboolean is_completed = gtk_file_chooser_get_action (chooser) == GTK_FILE_CHOOSER_ACTION_SAVE &&
                          suffix != NULL && path != NULL;
  g_autofree char *meant = is_completed ? dup_meant_path (path, suffix) : g_strdup (path);
  if (g_strcmp0 (meant, path) == 0)
    {
      chosen (object, file, chooser);
      return;
    }
  Completed *completed = g_new0 (Completed, 1);
  completed->chooser = chooser;
  completed->chosen = chosen;
  completed->path = g_steal_pointer (&meant);
  g_object_set_data (G_OBJECT (chooser), "is-looking", chooser);
  attn_inquiry_start (&inquiry, object, completed);
}

/* Adds a closed chooser to the idle ones, without the parent window and the signal handlers of its
 * last use. */
static gboolean
put_back_cb (gpointer chooser)
{
  GtkWindow *parent = gtk_native_dialog_get_transient_for (chooser);

  g_object_set_data (chooser, "is-hiding", NULL);
  /* A thread still looks for the typed file, and its answer needs the parent window. */
  if (g_object_get_data (chooser, "is-looking") != NULL)
    return G_SOURCE_REMOVE;
  if (g_object_steal_data (chooser, "asks-again") != NULL)
    {
      gtk_native_dialog_show (chooser);
      return G_SOURCE_REMOVE;
    }
  if (parent != NULL)
    g_signal_handlers_disconnect_by_func (parent, gtk_native_dialog_hide, chooser);
  gtk_native_dialog_set_transient_for (chooser, NULL);
  g_signal_handlers_disconnect_matched (chooser, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, response_cb,
                                        NULL);
  g_ptr_array_add (idle_choosers, chooser);
  return G_SOURCE_REMOVE;
}

/* The chooser is hidden before it emits its response: it is added to the idle ones in an idle
 * callback, after all handlers of the response have run. */
static void
visible_cb (GtkNativeDialog *chooser)
{
  if (gtk_native_dialog_get_visible (chooser))
    return;
  g_object_set_data (G_OBJECT (chooser), "is-hiding", chooser);
  g_idle_add (put_back_cb, chooser);
}

static void
add_kind (GtkFileChooser     *chooser,
          const AttnFileKind *kind)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, kind->name);
  g_auto (GStrv) suffixes = kind->suffix != NULL ? g_strsplit (kind->suffix, " ", -1) : NULL;

  for (gsize i = 0; suffixes != NULL && suffixes[i] != NULL; i++)
    gtk_file_filter_add_suffix (filter, suffixes[i]);
  if (suffixes == NULL)
    gtk_file_filter_add_pattern (filter, "*");
  g_object_set_data_full (G_OBJECT (filter), "suffix", g_strdup (kind->suffix), g_free);
  gtk_file_chooser_add_filter (chooser, filter);
}

/**
 * attn_file_chooser_new:
 * @parent: (nullable): the window that asks
 * @kinds: (nullable) (array zero-terminated): kinds of files that can be chosen; ended by a kind
 *   without a name
 *
 * Returns: (transfer none): a chooser, to be shown by attn_file_chooser_show()
 */
GtkFileChooser *
attn_file_chooser_new (const char           *title,
                       GtkWindow            *parent,
                       GtkFileChooserAction  action,
                       const char           *accept_label,
                       const AttnFileKind   *kinds)
{
  g_autoptr (GString) question = g_string_new (title);
  GtkFileChooserNative *chooser;

  g_string_append_printf (question, "\n%d", action);
  for (const AttnFileKind *kind = kinds; kind != NULL && kind->name != NULL; kind++)
    g_string_append_printf (question, "\n%s", kind->name);
  if (idle_choosers == NULL)
    idle_choosers = g_ptr_array_new ();
  for (guint i = 0; i < idle_choosers->len; i++)
    {
      chooser = g_ptr_array_index (idle_choosers, i);
      if (g_strcmp0 (g_object_get_data (G_OBJECT (chooser), "question"), question->str) == 0)
        {
          g_ptr_array_remove_index_fast (idle_choosers, i);
          gtk_native_dialog_set_transient_for (GTK_NATIVE_DIALOG (chooser), parent);
          return GTK_FILE_CHOOSER (chooser);
        }
    }
  chooser = gtk_file_chooser_native_new (title, parent, action, accept_label, _("_Cancel"));
  for (const AttnFileKind *kind = kinds; kind != NULL && kind->name != NULL; kind++)
    add_kind (GTK_FILE_CHOOSER (chooser), kind);
  g_object_set_data_full (G_OBJECT (chooser), "question",
                          g_string_free (g_steal_pointer (&question), FALSE), g_free);
  g_signal_connect (chooser, "notify::visible", G_CALLBACK (visible_cb), NULL);
  return GTK_FILE_CHOOSER (chooser);
}

/**
 * attn_file_chooser_show:
 * @chooser: shown until the user answers it or its window is closed; must not be used once that is
 *   done and @chosen has returned
 * @chosen: called when the user has chosen a file, if @object still exists; not if the user cancels
 * @object: a #GObject, passed to @chosen
 */
void
attn_file_chooser_show (GtkFileChooser     *chooser,
                        AttnFileChosenFunc  chosen,
                        gpointer            object)
{
  GtkNativeDialog *dialog = GTK_NATIVE_DIALOG (chooser);
  GtkWindow *parent = gtk_native_dialog_get_transient_for (dialog);

  gtk_native_dialog_set_modal (dialog, TRUE);
  g_object_set_data (G_OBJECT (chooser), "chosen", (gpointer) chosen);
  g_signal_connect_object (chooser, "response", G_CALLBACK (response_cb), object,
                           G_CONNECT_SWAPPED);
  if (parent != NULL)
    g_signal_connect_object (parent, "destroy", G_CALLBACK (gtk_native_dialog_hide), chooser,
                             G_CONNECT_SWAPPED);
  gtk_native_dialog_show (dialog);
}

static void
open_any (gpointer              widget,
          const char           *title,
          GtkFileChooserAction  action,
          const AttnFileKind   *kinds,
          const char * const   *shortcuts,
          AttnFileChosenFunc    chosen)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWindow *parent = GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL;
  GtkFileChooser *chooser = attn_file_chooser_new (title, parent, action, _("_Open"), kinds);

  for (gsize i = 0; shortcuts != NULL && shortcuts[i] != NULL; i++)
    {
      g_autoptr (GFile) folder = g_file_new_for_path (shortcuts[i]);

      /* A chooser that is used again has the shortcut already, and a second call fails
       * harmlessly. */
      gtk_file_chooser_add_shortcut_folder (chooser, folder, NULL);
    }
  attn_file_chooser_show (chooser, chosen, widget);
}

/**
 * attn_file_chooser_open:
 * @widget: a widget in the window that asks
 * @kinds: (nullable) (array zero-terminated): kinds of files that can be chosen; ended by a kind
 *   without a name
 * @chosen: called with @widget when the user has chosen a file or folder
 */
void
attn_file_chooser_open (gpointer              widget,
                        const char           *title,
                        GtkFileChooserAction  action,
                        const AttnFileKind   *kinds,
                        AttnFileChosenFunc    chosen)
{
  open_any (widget, title, action, kinds, NULL, chosen);
}

/**
 * attn_file_chooser_open_model:
 *
 * Asks as [func@attn_file_chooser_open] does, and lists, at the side of the chooser, the folders in
 * which other programs keep models.
 */
void
attn_file_chooser_open_model (gpointer              widget,
                              const char           *title,
                              GtkFileChooserAction  action,
                              const AttnFileKind   *kinds,
                              AttnFileChosenFunc    chosen)
{
  g_auto (GStrv) folders = attn_found_models_list_folders ();

  open_any (widget, title, action, kinds, (const char * const *) folders, chosen);
}

/**
 * attn_file_chooser_open_texts:
 * @widget: a widget in the window that asks
 * @chosen: called with @widget when the user has chosen the texts of a survey
 */
void
attn_file_chooser_open_texts (gpointer           widget,
                              AttnFileChosenFunc chosen)
{
  const AttnFileKind kinds[] = {
    { _("Texts or token ids (.txt, .jsonl, .csv, .fasta, .npy, .npz)"),
      "txt jsonl csv fasta fa faa npy npz" },
    { _("All files"), NULL },
    { NULL },
  };
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (widget));

  attn_file_chooser_show (attn_file_chooser_new (_("Choose Texts for the Survey: One Text a Line "
                                                   "of .txt, or .jsonl, .csv, .fasta"),
                                                 parent, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                 _("_Survey These Texts"), kinds),
                          chosen, widget);
}
