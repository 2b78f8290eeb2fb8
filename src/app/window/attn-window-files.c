/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-edits.h"
#include "attn-errands.h"
#include "attn-error.h"
#include "attn-found-models.h"
#include "attn-inputs-reader.h"
#include "attn-inquiry.h"
#include "attn-question.h"
#include "attn-task.h"
#include "attn-recent.h"

/* Sets, for the file of @reference among the models that the study compares with, which array is
 * read from it and whether its first row is a header. */
static void
edit_others (AttnWindow               *self,
             const AttnModelReference *reference)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  for (guint i = 0; i < study->other_models->len; i++)
    {
      AttnModelReference *other = g_ptr_array_index (study->other_models, i);

      if (g_strcmp0 (other->path, reference->path) != 0 || other->array != NULL)
        continue;
      other->array = g_strdup (reference->array);
      other->header = reference->header;
    }
  attn_session_edit (self->session, study, NULL);
}

/* A table of numbers of which the user is asked whether its first row is a header. @is_other:
 * whether the study compares its own model with this file; if not, the file is to be opened as the
 * model */
typedef struct
{
  char *path;
  gboolean is_other;
} AskedTable;

static void
free_asked_table (gpointer data)
{
  AskedTable *asked = data;

  g_free (asked->path);
  g_free (asked);
}

static void
header_answered_cb (gpointer window,
                    int      response,
                    gpointer data)
{
  AttnWindow *self = window;
  const AskedTable *asked = data;
  const AttnModelReference named = { .path = asked->path, .header = (AttnTableHeader) response };

  if (response <= ATTN_TABLE_HEADER_AUTO || response > ATTN_TABLE_HEADER_BOTH)
    return;
  if (asked->is_other)
    edit_others (self, &named);
  else
    attn_session_open_table (self->session, asked->path, named.header);
}

/* Asks whether the first row and column of a table are names or data: if they are 0, 1, 2 …, they
 * could be both. Reads the table by the answer. */
static void
ask_header (AttnWindow *self,
            const char *path,
            gboolean    is_other)
{
  const AttnQuestionAnswer answers[] = {
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("_None"), ATTN_TABLE_HEADER_NONE },
    { _("First _Column"), ATTN_TABLE_HEADER_COLUMN },
    { _("_Both"), ATTN_TABLE_HEADER_BOTH },
    { _("First _Row"), ATTN_TABLE_HEADER_ROW, ATTN_ANSWER_SUGGESTED },
    { NULL },
  };
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *title = g_strdup_printf (_("What Are the Headers of “%s”?"), name);
  AskedTable *asked = g_new0 (AskedTable, 1);

  asked->path = g_strdup (path);
  asked->is_other = is_other;

  attn_question_ask (GTK_WINDOW (self), title,
                     _("Its first row or column counts from 0: that can name columns or rows, or "
                       "be a part of the matrix."),
                     answers, header_answered_cb, asked, free_asked_table);
}

/* A file of several arrays of which the user is asked which to read. */
typedef struct
{
  char *path;
  gboolean is_other; /* see AskedTable */
  GStrv names;
  GtkSingleSelection *selection; /* one text for each of @names */
} AskedArrays;

static void
free_asked (gpointer data)
{
  AskedArrays *asked = data;

  g_free (asked->path);
  g_strfreev (asked->names);
  g_object_unref (asked->selection);
  g_free (asked);
}

static void
array_answered_cb (gpointer window,
                   int      response,
                   gpointer data)
{
  AttnWindow *self = window;
  const AskedArrays *asked = data;
  guint index = gtk_single_selection_get_selected (asked->selection);

  if (response != GTK_RESPONSE_ACCEPT || index == GTK_INVALID_LIST_POSITION)
    return;
  const AttnModelReference named = { .path = asked->path, .array = asked->names[index] };
  if (asked->is_other)
    edit_others (self, &named);
  else
    attn_session_open_array (self->session, named.path, named.array);
}

static void
array_activated_cb (GtkListView *list,
                    guint        position,
                    gpointer     user_data)
{
  gtk_dialog_response (GTK_DIALOG (gtk_widget_get_root (GTK_WIDGET (list))), GTK_RESPONSE_ACCEPT);
}

static void
set_up_array_cb (GtkSignalListItemFactory *factory,
                 GtkListItem              *item,
                 gpointer                  user_data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 48);
  gtk_list_item_set_child (item, label);
}

static void
bind_array_cb (GtkSignalListItemFactory *factory,
               GtkListItem              *item,
               gpointer                  user_data)
{
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
  gtk_widget_set_tooltip_text (gtk_list_item_get_child (item), text);
}

/* Lists the arrays in a file of arrays, with their shapes. */
static AskedArrays *
list_arrays (const char          *path,
             const AttnArrayFile *file)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  GtkStringList *texts = gtk_string_list_new (NULL);
  AskedArrays *asked = g_new0 (AskedArrays, 1);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (array->dtype == ATTN_DTYPE_UNICODE || array->n_dims == 0)
        continue;
      g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);
      gtk_string_list_take (texts, g_strdup_printf ("%s  %s", array->name, shape));
      g_strv_builder_add (names, array->name);
    }
  asked->path = g_strdup (path);
  asked->names = g_strv_builder_end (names);
  asked->selection = gtk_single_selection_new (G_LIST_MODEL (texts));
  return asked;
}

/* A file of several arrays that a thread lists. @is_other: see AskedTable */
typedef struct
{
  char *path;
  gboolean is_other;
  AttnArrayFile *file; /* (nullable) */
  GError *error;
} Outline;

static void
outline_run (gpointer data)
{
  Outline *outline = data;

  outline->file = attn_array_file_outline (outline->path, &outline->error);
}

static void
outline_free (gpointer data)
{
  Outline *outline = data;

  g_free (outline->path);
  g_clear_pointer (&outline->file, attn_array_file_unref);
  g_clear_error (&outline->error);
  g_free (outline);
}

/* Asks the user which of the listed arrays to read, as none has a name by which it is known, such
 * as "attention"; reads the chosen one. */
static void
outline_take (gpointer owner,
              gpointer data)
{
  AttnWindow *self = owner;
  const Outline *outline = data;
  const AttnQuestionAnswer answers[] = {
    { _("_Cancel"), GTK_RESPONSE_CANCEL },
    { _("_Open"), GTK_RESPONSE_ACCEPT, ATTN_ANSWER_SUGGESTED },
    { NULL },
  };
  g_autofree char *name = g_filename_display_basename (outline->path);
  g_autofree char *title = g_strdup_printf (_("Which Array of “%s”?"), name);

  if (self->session == NULL)
    return;
  if (outline->file == NULL)
    {
      attn_window_show_open_error (self, name, outline->error);
      return;
    }

  AskedArrays *asked = list_arrays (outline->path, outline->file);
  asked->is_other = outline->is_other;
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *list =
      gtk_list_view_new (g_object_ref (GTK_SELECTION_MODEL (asked->selection)), factory);
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (set_up_array_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_array_cb), NULL);
  g_signal_connect (list, "activate", G_CALLBACK (array_activated_cb), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), list);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 160);
  attn_question_ask_with (GTK_WINDOW (self), title,
                          _("None of its arrays is called attention, or query and key."), scrolled,
                          answers, array_answered_cb, asked, free_asked);
}

static void
ask_array (AttnWindow *self,
           const char *path,
           gboolean    is_other)
{
  static const AttnInquiry inquiry = { outline_run, outline_take, outline_free };
  Outline *outline = g_new0 (Outline, 1);

  outline->path = g_strdup (path);
  outline->is_other = is_other;
  attn_inquiry_start (&inquiry, self, outline);
}

/**
 * attn_window_ask_reading:
 * @path: path of a file that can be read in several ways
 * @is_other: whether the study compares its model with the file; if not, the file is opened as the
 *   model
 *
 * Asks the user how to read the file, which array or whether with a header, and reads it by the
 * answer.
 */
void
attn_window_ask_reading (AttnWindow *self,
                         const char *path,
                         gboolean    is_other)
{
  if (attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT))
    ask_header (self, path, is_other);
  else
    ask_array (self, path, is_other);
}

/**
 * attn_window_ask_reading_of_others:
 * @error: why a figure could not be computed
 *
 * If the error says that a file can be read in several ways, asks how, of the first such file that
 * the study compares with.
 */
void
attn_window_ask_reading_of_others (AttnWindow   *self,
                                   const GError *error)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  if (!g_error_matches (error, ATTN_ERROR, ATTN_ERROR_AMBIGUOUS))
    return;
  for (guint i = 0; i < study->other_models->len; i++)
    {
      const AttnModelReference *other = g_ptr_array_index (study->other_models, i);
      g_autofree char *where =
          other->path != NULL ? g_filename_display_name (other->path) : g_strdup ("");

      if (other->path == NULL || other->array != NULL || !g_str_has_prefix (error->message, where))
        continue;
      attn_window_ask_reading (self, other->path, TRUE);
      return;
    }
}

/**
 * attn_window_open:
 * @file: a checkpoint directory or file, a study, or a text, which becomes an input of the study
 */
void
attn_window_open (AttnWindow *window,
                  GFile      *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autoptr (GError) error = NULL;

  if (attn_inputs_reader_takes (file) && attn_session_takes_inputs (window->session))
    {
      attn_inputs_section_load (attn_window_get_inputs (window), file);
      return;
    }
  if (path != NULL)
    {
      attn_window_open_path (window, path);
      return;
    }

  g_autofree char *uri = g_file_get_uri (file);
  g_set_error (&error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: a remote place found, expected a file or directory of this computer"), uri);
  g_autofree char *name = g_path_get_basename (uri);
  attn_window_show_open_error (window, name, error);
}

/* Returns the name of a recent file, with its folder behind it if another of @paths has the same
 * name. */
static char *
dup_recent_name (GStrv paths,
                 guint index)
{
  g_autofree char *name = g_filename_display_basename (paths[index]);

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *other = g_filename_display_basename (paths[i]);

      if (i == index || !g_str_equal (name, other))
        continue;
      g_autofree char *directory = g_path_get_dirname (paths[index]);
      g_autofree char *folder = g_filename_display_basename (directory);
      return g_strdup_printf ("%s (%s)", name, folder);
    }
  return g_steal_pointer (&name);
}

static void
append_path (GMenu      *menu,
             const char *name,
             const char *path)
{
  /* Doubles underscores, as a single one would be a mnemonic. */
  g_auto (GStrv) parts = g_strsplit (name, "_", -1);
  g_autofree char *label = g_strjoinv ("__", parts);
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.open-recent", "^ay", path);
  g_menu_append_item (menu, item);
}

/* Fills the menu with the models that other programs have stored on this computer. */
static void
fill_found (AttnWindow *self)
{
  const GPtrArray *models = self->found_models;
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) section = NULL;

  g_menu_remove_all (self->found_section);
  for (guint i = 0; i < models->len; i++)
    {
      const AttnFoundModel *model = models->pdata[i];
      const AttnFoundModel *last = i > 0 ? models->pdata[i - 1] : NULL;

      if (last == NULL || last->program != model->program)
        {
          g_clear_object (&section);
          section = g_menu_new ();
          g_menu_append_section (menu, model->program, G_MENU_MODEL (section));
        }
      append_path (section, model->name, model->path);
    }
  if (models->len > 0)
    g_menu_append_submenu (self->found_section, _("Models on This _Computer"),
                           G_MENU_MODEL (menu));
}

static void
search_run (gpointer  data,
            AttnTask *task,
            gpointer  place)
{
  GPtrArray **models = data;

  *models = attn_found_models_list ();
}

static void
search_free (gpointer data)
{
  GPtrArray **models = data;

  g_clear_pointer (models, g_ptr_array_unref);
  g_free (models);
}

/* Takes the models that the thread has found. The menu is filled anew only if the models have
 * changed, as it may be open. */
static void
search_deliver (gpointer owner,
                gpointer data)
{
  AttnWindow *self = owner;
  GPtrArray **models = data;

  if (!attn_found_models_equal (self->found_models, *models))
    {
      g_clear_pointer (&self->found_models, g_ptr_array_unref);
      self->found_models = g_steal_pointer (models);
      fill_found (self);
    }
  search_free (data);
}

/* Searches for models in a thread, as the folders may be on a network file system. */
static void
search_models (AttnWindow *self)
{
  static const AttnTaskKind task_kind = {
    .run = search_run,
    .deliver = search_deliver,
    .free = search_free,
  };

  if (self->searching == NULL)
    attn_task_start (&task_kind, self, g_new0 (GPtrArray *, 1), TRUE, &self->searching);
}

/* Fills the menu with the recent files. The menu is filled anew only if the files have changed, as
 * it may be open. @paths: (transfer full) */
static void
fill_recent (AttnWindow *self,
             GStrv       paths)
{
  if (self->recent_paths != NULL &&
      g_strv_equal ((const char * const *) paths, (const char * const *) self->recent_paths))
    {
      g_strfreev (paths);
      return;
    }
  g_strfreev (self->recent_paths);
  self->recent_paths = paths;
  g_menu_remove_all (self->recent_section);
  g_menu_remove_all (self->clear_section);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *name = dup_recent_name (paths, i);

      append_path (self->recent_section, name, paths[i]);
    }
  if (paths[0] != NULL)
    g_menu_append (self->clear_section, _("_Clear the List"), "win.clear-recent");
}

static void
list_run (gpointer  data,
          AttnTask *task,
          gpointer  place)
{
  GStrv *paths = data;

  *paths = attn_recent_get ();
}

static void
list_free (gpointer data)
{
  GStrv *paths = data;

  g_strfreev (*paths);
  g_free (paths);
}

static void
list_deliver (gpointer owner,
              gpointer data)
{
  GStrv *paths = data;

  fill_recent (owner, g_steal_pointer (paths));
  list_free (data);
}

/* Lists the recent files that still exist, in a thread as this accesses the disk. Called whenever
 * the menu opens, as another window may have added a file. */
static void
list_recent (AttnWindow *self)
{
  static const AttnTaskKind task_kind = {
    .run = list_run,
    .deliver = list_deliver,
    .free = list_free,
  };

  attn_task_give_up (&self->listing);
  g_autoptr (AttnTask) task =
      attn_task_new (&task_kind, self, g_new0 (GStrv, 1), &self->listing);
  attn_errands_run (task);
}

static void
fill_recent_cb (GtkMenuButton *button,
                gpointer       user_data)
{
  search_models (user_data);
  list_recent (user_data);
}

static void
open_recent (AttnWindow *self,
             GVariant   *path)
{
  attn_window_open_path (self, g_variant_get_bytestring (path));
}

static void
clear_recent (AttnWindow *self)
{
  attn_recent_clear_later ();
  fill_recent (self, g_new0 (char *, 1));
}

/* Opens files that were dropped or chosen together. Texts become inputs. The first model or study
 * is opened in this window, each further one in a window of its own. */
static void
take_files (AttnWindow *self,
            GSList     *files)
{
  gboolean is_taken = FALSE;

  for (GSList *node = files; node != NULL; node = node->next)
    {
      gboolean is_input = attn_inputs_reader_takes (node->data) &&
                          attn_session_takes_inputs (self->session);

      if (is_taken && !is_input)
        attn_window_open_elsewhere (self, node->data);
      else
        attn_window_open (self, node->data);
      is_taken |= !is_input;
    }
}

static void
open_chosen_cb (gpointer        self,
                GFile          *file,
                GtkFileChooser *chooser)
{
  GSList files = { .data = file };

  take_files (self, &files);
}

static void
choose_folder (AttnWindow *self)
{
  attn_file_chooser_open_model (self, _("Open a Model Folder"),
                                GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, open_chosen_cb);
}

static void
choose_file (AttnWindow *self)
{
  const AttnFileKind documents[] = {
    { _("Studies (JSON)"), "json" },
    { _("Exported figures (SVG)"), "svg" },
    { _("Exported figures (web page)"), "html" },
  };
  const AttnFileKind all = { _("All files"), NULL };
  g_autoptr (GArray) kinds = g_array_new (TRUE, FALSE, sizeof (AttnFileKind));

  g_array_append_val (kinds, all);
  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    if (format->open_title != NULL)
      {
        AttnFileKind kind = { _(format->open_title), format->suffix + 1 };

        g_array_append_val (kinds, kind);
      }
  g_array_append_vals (kinds, documents, G_N_ELEMENTS (documents));
  attn_file_chooser_open_model (self, _("Open a Model or Study File"), GTK_FILE_CHOOSER_ACTION_OPEN,
                                (const AttnFileKind *) kinds->data, open_chosen_cb);
}

static void
paste_picture (AttnWindow *self)
{
  attn_inputs_section_paste (attn_window_get_inputs (self));
}

/* Returns the model of the session if its texts may have pictures in them, else %NULL. */
static const AttnModelInfo *
get_seeing (AttnWindow *self)
{
  AttnModel *model = attn_session_get_model (self->session);
  const AttnModelInfo *info = model != NULL ? attn_model_get_info (model) : NULL;

  return info != NULL && info->sees && info->picture_text != NULL ? info : NULL;
}

static void
picture_chosen_cb (gpointer        object,
                   GFile          *file,
                   GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  const AttnModelInfo *info = get_seeing (self);
  g_autofree char *path = g_file_get_path (file);

  if (info == NULL || path == NULL)
    return;
  AttnStudy *study = attn_window_copy_study (self);
  attn_edits_join_picture (study, info, self->picture_input, path);
  attn_session_edit (self->session, study, NULL);
}

static void
add_picture (AttnWindow *self,
             GVariant   *input)
{
  const AttnFileKind kinds[] = {
    { _("All files"), NULL },
    { "PNG", "png" },
    { "JPEG", "jpg" },
    { "WebP", "webp" },
    { NULL },
  };

  self->picture_input = g_variant_get_uint32 (input);
  attn_file_chooser_open (self, _("Choose a Picture"), GTK_FILE_CHOOSER_ACTION_OPEN, kinds,
                          picture_chosen_cb);
}

static void
remove_picture (AttnWindow *self,
                GVariant   *input)
{
  const AttnModelInfo *info = get_seeing (self);

  if (info == NULL)
    return;
  AttnStudy *study = attn_window_copy_study (self);
  attn_edits_part_picture (study, info, g_variant_get_uint32 (input));
  attn_session_edit (self->session, study, NULL);
}

static gboolean
drop_cb (AttnWindow   *self,
         const GValue *value)
{
  g_autoptr (GSList) files = NULL;

  if (G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    files = gdk_file_list_get_files (g_value_get_boxed (value));
  else if (G_VALUE_HOLDS (value, G_TYPE_FILE))
    files = g_slist_append (NULL, g_value_get_object (value));
  take_files (self, files);
  return files != NULL;
}

/**
 * attn_window_add_files:
 *
 * Adds the actions that open files, updates the menu of files whenever the user opens it, for which
 * GTK 4.8 has no signal, and takes files that are dropped on the window.
 */
void
attn_window_add_files (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "open", G_CALLBACK (choose_file) },
    { "open-folder", G_CALLBACK (choose_folder) },
    { "open-recent", G_CALLBACK (open_recent), "ay" },
    { "cancel-opening", G_CALLBACK (attn_window_cancel_opening) },
    { "clear-recent", G_CALLBACK (clear_recent) },
    { "paste-picture", G_CALLBACK (paste_picture) },
    { "add-picture", G_CALLBACK (add_picture), "u" },
    { "remove-picture", G_CALLBACK (remove_picture), "u" },
  };
  GType types[] = { GDK_TYPE_FILE_LIST, G_TYPE_FILE };
  GtkDropTarget *target = gtk_drop_target_new (G_TYPE_INVALID, GDK_ACTION_COPY);

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
  search_models (self);
  list_recent (self);
  gtk_menu_button_set_create_popup_func (self->open_button, fill_recent_cb, self, NULL);
  gtk_drop_target_set_gtypes (target, types, G_N_ELEMENTS (types));
  g_signal_connect_swapped (target, "drop", G_CALLBACK (drop_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
