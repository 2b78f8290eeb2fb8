/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-save.h"

/**
 * attn_window_open:
 * @file: a checkpoint directory or file, or a study
 *
 * What cannot be opened is told in the window, which otherwise stays as it was.
 */
void
attn_window_open (AttnWindow *window,
                  GFile      *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (file);

      g_set_error (&error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: a remote place found, expected a file or directory of this computer"),
                   uri);
    }
  if (error != NULL || !attn_session_open_path (window->session, path, &error))
    attn_window_show_error (window, error);
}

static void
open_response_cb (AttnWindow *self,
                  int         response)
{
  g_autoptr (GtkFileChooserNative) chooser = g_steal_pointer (&self->chooser);
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    attn_window_open (self, file);
}

static void
show_chooser (AttnWindow           *self,
              GtkFileChooserNative *chooser,
              GCallback             response_cb)
{
  g_clear_object (&self->chooser);
  self->chooser = chooser;
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  g_signal_connect_object (chooser, "response", response_cb, self, G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

void
attn_window_choose_model (AttnWindow *self)
{
  show_chooser (self,
                gtk_file_chooser_native_new (_("Open a Model Folder"), GTK_WINDOW (self),
                                             GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Open"),
                                             _("_Cancel")),
                G_CALLBACK (open_response_cb));
}

static void
add_filter (GtkFileChooserNative *chooser,
            const char           *name,
            const char           *suffix)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  if (suffix != NULL)
    gtk_file_filter_add_suffix (filter, suffix);
  else
    gtk_file_filter_add_pattern (filter, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
}

void
attn_window_choose_file (AttnWindow *self)
{
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new (_("Open a Model or Study File"), GTK_WINDOW (self),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));

  add_filter (chooser, _("All files"), NULL);
  add_filter (chooser, _("Weights (safetensors)"), "safetensors");
  add_filter (chooser, _("Studies (JSON)"), "json");
  show_chooser (self, chooser, G_CALLBACK (open_response_cb));
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

/**
 * Export:
 *
 * What the thread that writes a figure is given: immutable values only.
 */
typedef struct
{
  AttnResult *result;
  AttnStyle style;
  AttnViewport viewport;
  AttnExportFormat format;
  char *path;
} Export;

static void
export_free (Export *export)
{
  attn_result_unref (export->result);
  g_free (export->path);
  g_free (export);
}

static void
export_thread_func (GTask        *task,
                    gpointer      source_object,
                    gpointer      task_data,
                    GCancellable *cancellable)
{
  Export *export = task_data;
  GError *error = NULL;
  g_autoptr (GBytes) bytes = attn_result_export (export->result, &export->style, &export->viewport,
                                                 export->format, ATTN_EXPORT_RESOLUTION, &error);

  if (bytes != NULL && attn_save_bytes (export->path, bytes, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
exported_cb (GObject      *object,
             GAsyncResult *async_result,
             gpointer      user_data)
{
  AttnWindow *self = ATTN_WINDOW (object);
  Export *export = g_task_get_task_data (G_TASK (async_result));
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (async_result), &error))
    {
      attn_window_show_error (self, error);
      return;
    }
  g_autofree char *name = g_filename_display_name (export->path);
  g_autofree char *note = g_strdup_printf (_("Exported to %s"), name);
  attn_window_show_note (self, note);
}

static const char *
get_suffix (GtkFileChooser *chooser)
{
  GtkFileFilter *filter = gtk_file_chooser_get_filter (chooser);

  return filter != NULL ? g_object_get_data (G_OBJECT (filter), "suffix") : NULL;
}

/* A name without a suffix gets that of the filter. */
static char *
complete_path (GtkFileChooser *chooser,
               GFile          *file)
{
  g_autofree char *name = g_file_get_basename (file);
  const char *suffix = get_suffix (chooser);

  if (strchr (name, '.') != NULL || suffix == NULL)
    return g_file_get_path (file);
  g_autofree char *path = g_file_get_path (file);
  return g_strdup_printf ("%s.%s", path, suffix);
}

static void
export_response_cb (AttnWindow *self,
                    int         response)
{
  g_autoptr (GtkFileChooserNative) chooser = g_steal_pointer (&self->chooser);
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
  AttnResult *result = attn_session_get_result (self->session);
  g_autoptr (GError) error = NULL;
  AttnExportFormat format;

  if (response != GTK_RESPONSE_ACCEPT || file == NULL || result == NULL)
    return;
  g_autofree char *path = complete_path (GTK_FILE_CHOOSER (chooser), file);
  if (!attn_export_parse_format (path, &format, &error))
    {
      attn_window_show_error (self, error);
      return;
    }

  g_autoptr (GTask) task = g_task_new (self, NULL, exported_cb, NULL);
  Export *export = g_new0 (Export, 1);
  export->result = attn_result_ref (result);
  export->style = result->study->style;
  export->viewport = attn_figure_view_get_viewport (self->view);
  export->format = format;
  export->path = g_steal_pointer (&path);
  g_task_set_task_data (task, export, (GDestroyNotify) export_free);
  g_task_run_in_thread (task, export_thread_func);
}

/* The suffix in the proposed name follows the filter. */
static void
filter_changed_cb (GtkFileChooser *chooser)
{
  const char *suffix = get_suffix (chooser);
  g_autofree char *name = gtk_file_chooser_get_current_name (chooser);
  char *point = name != NULL ? strrchr (name, '.') : NULL;

  if (suffix == NULL || point == NULL || g_str_equal (point + 1, suffix))
    return;
  *point = '\0';

  g_autofree char *other = g_strdup_printf ("%s.%s", name, suffix);
  gtk_file_chooser_set_current_name (chooser, other);
}

void
attn_window_choose_export (AttnWindow *self)
{
  static const struct
  {
    const char *name;
    const char *suffix;
  } formats[] = {
    { N_("SVG drawing"), "svg" },
    { N_("PDF document"), "pdf" },
    { N_("PNG image"), "png" },
  };
  AttnResult *result = attn_session_get_result (self->session);
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new (_("Export Figure"), GTK_WINDOW (self),
                                   GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), _("_Cancel"));
  const char *preset = result->study->preset != NULL ? result->study->preset : "figure";
  g_autofree char *name =
      g_strdup_printf ("%s-%s.svg", preset, attn_model_get_name (result->model));

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

      gtk_file_filter_set_name (filter, _(formats[i].name));
      gtk_file_filter_add_suffix (filter, formats[i].suffix);
      g_object_set_data (G_OBJECT (filter), "suffix", (gpointer) formats[i].suffix);
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
    }
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
  g_signal_connect (chooser, "notify::filter", G_CALLBACK (filter_changed_cb), NULL);
  show_chooser (self, chooser, G_CALLBACK (export_response_cb));
}
