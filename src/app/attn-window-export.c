/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-export-dialog.h"
#include "attn-save.h"

/* Of a picture on the clipboard, dots per inch. */
#define CLIPBOARD_RESOLUTION 150

/**
 * Export:
 *
 * What the thread that writes a file is given: immutable values only.
 */
typedef struct
{
  AttnResult *result;
  AttnExportKind kind;
  gssize panel;
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
  g_autoptr (GBytes) bytes = attn_export_kind_make (
      export->kind, export->result, export->result->study, export->panel, &error);

  if (bytes != NULL && attn_save_bytes (export->path, bytes, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
show_export_error (AttnWindow   *self,
                   const GError *error)
{
  const AttnNoticeAction again = { _("_Export Again…"), "win.export" };

  attn_window_show_problem (self, ATTN_NOTICE_EXPORT, _("The Figure Could Not Be Exported"), error,
                            &again);
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
      show_export_error (self, error);
      return;
    }
  attn_notices_hide (self->notices, ATTN_NOTICE_EXPORT);
  g_autofree char *name = g_filename_display_name (export->path);
  g_autofree char *note = g_strdup_printf (_("Exported to %s"), name);
  attn_window_show_note (self, note);
}

static void
start_export (AttnWindow     *self,
              const char     *path,
              AttnExportKind  kind,
              gssize          panel)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, exported_cb, NULL);
  Export *export = g_new0 (Export, 1);

  export->result = attn_result_ref (attn_session_get_result (self->session));
  export->kind = kind;
  export->panel = panel;
  export->path = g_strdup (path);
  g_task_set_task_data (task, export, (GDestroyNotify) export_free);
  g_task_run_in_thread (task, export_thread_func);
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
  g_autofree char *path = attn_window_complete_path (chooser, file);
  if (!attn_export_kind_parse (path, &kind, &error))
    show_export_error (self, error);
  else if (attn_session_get_result (self->session) != NULL)
    start_export (self, path, kind, panel);
  gtk_window_destroy (dialog);
}

static void
add_kind_filter (GtkFileChooser *chooser,
                 AttnExportKind  kind)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  const char *suffix = attn_export_kind_get_suffix (kind);

  gtk_file_filter_set_name (filter, attn_export_kind_get_title (kind));
  gtk_file_filter_add_suffix (filter, suffix);
  g_object_set_data (G_OBJECT (filter), "suffix", (gpointer) suffix);
  gtk_file_chooser_add_filter (chooser, filter);
}

static void
choose_file_cb (AttnWindow       *self,
                AttnExportDialog *dialog)
{
  AttnResult *result = attn_session_get_result (self->session);
  AttnExportKind kind = attn_export_dialog_get_kind (dialog);
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (
      _("Export Figure"), GTK_WINDOW (dialog), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"),
      _("_Cancel"));
  const char *preset = result->study->preset != NULL ? result->study->preset : "figure";
  g_autofree char *name =
      g_strdup_printf ("%s-%s.%s", preset, attn_model_get_name (result->model),
                       attn_export_kind_get_suffix (kind));

  add_kind_filter (GTK_FILE_CHOOSER (chooser), kind);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
  attn_file_chooser_show (chooser, export_chosen_cb, self);
}

/**
 * attn_window_choose_export:
 *
 * Asks how the figure is to be exported, then where to.
 */
void
attn_window_choose_export (AttnWindow *self)
{
  AttnViewport shown = attn_figure_view_get_viewport (self->view);
  AttnExportDialog *dialog =
      attn_export_dialog_new (GTK_WINDOW (self), self->session, &shown, self->settings);

  g_signal_connect_object (dialog, "choose-file", G_CALLBACK (choose_file_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* --- Clipboard ------------------------------------------------------------------------------------*/

/**
 * Copy:
 * @panel: index of the panel, or %ATTN_ALL_PANELS for the figure
 *
 * What the thread that fills the clipboard is given, and what it made.
 */
typedef struct
{
  AttnResult *result;
  gssize panel;
  GBytes *png;
  GBytes *svg;
  char *text;
} Copy;

static void
copy_free (Copy *copy)
{
  attn_result_unref (copy->result);
  g_clear_pointer (&copy->png, g_bytes_unref);
  g_clear_pointer (&copy->svg, g_bytes_unref);
  g_free (copy->text);
  g_free (copy);
}

/* The panels below each other, each under its name. */
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
  return attn_result_export (result, study, format, error);
}

static void
copy_thread_func (GTask        *task,
                  gpointer      source_object,
                  gpointer      task_data,
                  GCancellable *cancellable)
{
  Copy *copy = task_data;
  GError *error = NULL;

  copy->png = draw (copy->result, copy->panel, ATTN_EXPORT_PNG, &error);
  if (copy->png != NULL)
    copy->svg = draw (copy->result, copy->panel, ATTN_EXPORT_SVG, &error);
  if (copy->svg == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  copy->text = tabulate (copy->result, copy->panel);
  g_task_return_boolean (task, TRUE);
}

static void
copied_cb (GObject      *object,
           GAsyncResult *async_result,
           gpointer      user_data)
{
  AttnWindow *self = ATTN_WINDOW (object);
  Copy *copy = g_task_get_task_data (G_TASK (async_result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (g_task_propagate_boolean (G_TASK (async_result), &error))
    texture = gdk_texture_new_from_bytes (copy->png, &error);
  if (texture == NULL)
    {
      show_export_error (self, error);
      return;
    }

  GdkContentProvider *contents[] = {
    gdk_content_provider_new_typed (GDK_TYPE_TEXTURE, texture),
    gdk_content_provider_new_for_bytes ("image/svg+xml", copy->svg),
    gdk_content_provider_new_typed (G_TYPE_STRING, copy->text),
  };
  g_autoptr (GdkContentProvider) all =
      gdk_content_provider_new_union (contents, G_N_ELEMENTS (contents));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (self)), all);
  attn_window_show_note (self, copy->panel == ATTN_ALL_PANELS
                                   ? _("Copied the figure: as a picture, and its weights as a table")
                                   : _("Copied the panel: as a picture, and its weights as a table"));
}

/* Under the pointer, else the one that the keyboard reads. */
static gssize
find_panel (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const AttnHit *hit = attn_figure_view_get_hit (self->view);
  int group = hit != NULL ? hit->group : attn_figure_view_get_cursor (self->view).group;
  gsize n_panels = result != NULL ? result->grid->n_rows * result->grid->n_columns : 0;

  return group >= 0 && (gsize) group < n_panels && result->grid->cells[group].panel != NULL
             ? group
             : ATTN_ALL_PANELS;
}

/**
 * attn_window_copy:
 * @whole: the figure; off copies the panel under the pointer or the cell cursor, if there is one
 *
 * Puts a picture, a drawing and the weights as a table on the clipboard; who pastes takes what it
 * can use.
 */
void
attn_window_copy (AttnWindow *self,
                  gboolean    whole)
{
  AttnResult *result = attn_session_get_result (self->session);
  gssize panel = whole ? ATTN_ALL_PANELS : find_panel (self);

  if (result == NULL)
    return;

  g_autoptr (GTask) task = g_task_new (self, NULL, copied_cb, NULL);
  Copy *copy = g_new0 (Copy, 1);
  copy->result = attn_result_ref (result);
  copy->panel = panel;
  g_task_set_task_data (task, copy, (GDestroyNotify) copy_free);
  g_task_run_in_thread (task, copy_thread_func);
}
