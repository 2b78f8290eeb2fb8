/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-export-dialog.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-actions.h"
#include "attn-binder.h"
#include "attn-drop-down.h"
#include "attn-edits.h"
#include "attn-font-row.h"
#include "attn-key-guard.h"
#include "attn-task.h"
#include "attn-left-out.h"
#include "attn-lettering.h"
#include "attn-page-size.h"
#include "attn-painter.h"
#include "attn-panel-name.h"
#include "attn-signal.h"
#include "attn-template.h"
#include "attn-text.h"

/* The milliseconds without a change in the export dialog after which the size of the file is
 * computed. */
#define REST_MS 150

#define POINTS_PER_INCH 72.0
#define MM_PER_INCH     25.4

/* The size of a file in bytes from which the export dialog warns: larger files open slowly, and
 * journals refuse them. */
#define LARGE_FILE (10 * 1000 * 1000)

/* The margin around the page in the preview, in pixels. */
#define PREVIEW_MARGIN 6

struct _AttnExportDialog
{
  GtkWindow parent_instance;

  AttnSession *session;      /* session of the window, whose study the dialog does not change */
  AttnSession *draft;        /* session with a copy of the study, changed to the chosen page */
  const AttnStudy *followed; /* the study of the window that @draft was copied from last */
  gboolean shows_baseline;
  AttnBinder *binder;
  GSimpleActionGroup *actions;
  GSettings *settings; /* (nullable) */
  AttnViewport shown;  /* the part of the panels that the window shows */
  GArray *views;       /* (nullable): viewports of the panels, if they show different parts */
  gboolean is_syncing; /* whether the program, not the user, is setting the controls */

  /* The size of the file is computed by one task at a time; only the result of the last one is
   * shown. */
  guint rest_timeout;
  AttnTask *measuring;  /* (nullable): computes the size of the file */
  gboolean is_outdated; /* whether a choice changed while the task @measuring ran */
  AttnScene *scene;     /* (nullable): drawing of the page as last measured */
  AttnPainter *painter;

  /* Template widgets */
  GtkDropDown *kind;
  GtkDropDown *panel;
  AttnPageSize size;
  GtkDropDown *part;
  AttnFontRow *font;
  GtkLabel *summary;
  GtkWidget *preview;
  GtkWidget *export;
  GtkButton *copy_command;
};

enum
{
  SIGNAL_CHOOSE_FILE,
  SIGNAL_COPY_COMMAND,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnExportDialog, attn_export_dialog, GTK_TYPE_WINDOW)

static void start_measuring (AttnExportDialog *self);

/**
 * attn_export_dialog_get_kind:
 *
 * Returns: the format of the export that the user has chosen
 */
AttnExportKind
attn_export_dialog_get_kind (AttnExportDialog *dialog)
{
  guint selected = gtk_drop_down_get_selected (dialog->kind);

  return selected < attn_export_kind_get_n () ? selected : ATTN_EXPORT_SVG;
}

/**
 * attn_export_dialog_get_panel:
 *
 * Returns: the index of the panel that the user has chosen, for a format that holds a single panel
 */
gssize
attn_export_dialog_get_panel (AttnExportDialog *dialog)
{
  guint selected = gtk_drop_down_get_selected (dialog->panel);

  return selected != GTK_INVALID_LIST_POSITION ? (gssize) selected : 0;
}

/**
 * attn_export_dialog_get_study:
 *
 * Returns: (transfer none): the study as it is exported, with the page and the style that the user
 *   has chosen
 */
const AttnStudy *
attn_export_dialog_get_study (AttnExportDialog *dialog)
{
  return attn_session_get_study (dialog->draft);
}

/**
 * attn_export_dialog_dup_result:
 *
 * Returns: (transfer full): the result to be exported, with the page, font and texts that the user
 *   has chosen
 */
AttnResult *
attn_export_dialog_dup_result (AttnExportDialog *dialog)
{
  AttnResult *result = attn_session_get_result (dialog->draft);

  return dialog->shows_baseline ? attn_result_take_baseline (result) : attn_result_ref (result);
}

/* --- The size of the exported file ------------------------------------------------------------ */

/**
 * Measure:
 *
 * Input and output of the thread that makes the file in memory, to measure its size.
 */
typedef struct
{
  AttnResult *result;
  AttnExportKind kind;
  gssize panel;
  gsize n_bytes;
  AttnScene *scene; /* (nullable): drawing of the page, if a figure is exported */
  GError *error;    /* (nullable) */
} Measure;

static void
measure_free (gpointer data)
{
  Measure *measure = data;

  attn_result_unref (measure->result);
  g_clear_pointer (&measure->scene, attn_scene_free);
  g_clear_error (&measure->error);
  g_free (measure);
}

static void
measure_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Measure *measure = data;
  g_autoptr (GBytes) bytes =
      attn_export_kind_make (measure->kind, measure->result, measure->result->study,
                             measure->panel, &measure->error);

  if (bytes == NULL)
    return;
  measure->n_bytes = g_bytes_get_size (bytes);
  if (attn_export_kind_is_figure (measure->kind))
    measure->scene =
        attn_result_lay_out (measure->result, measure->result->study, &measure->error);
}

static char *
describe_page (const Measure *measure)
{
  double inches_wide = measure->scene->width / POINTS_PER_INCH;
  double inches_high = measure->scene->height / POINTS_PER_INCH;
  double resolution = measure->result->study->page.resolution;

  if (measure->kind == ATTN_EXPORT_PNG)
    return g_strdup_printf (_("%.0f × %.0f pixels"), inches_wide * resolution,
                            inches_high * resolution);
  return g_strdup_printf (_("%.0f × %.0f mm"), inches_wide * MM_PER_INCH,
                          inches_high * MM_PER_INCH);
}

/* Shows the size of the file, and the parts of the figure for which the page has no room. */
static void
show_measure (AttnExportDialog *self,
              const Measure    *measure)
{
  g_autofree char *size = g_format_size (measure->n_bytes);
  g_autoptr (GString) text = g_string_new (NULL);

  if (measure->scene == NULL)
    g_string_append_printf (text, _("File size: %s"), size);
  else
    {
      g_autofree char *page = describe_page (measure);
      g_autofree char *left_out = attn_scene_list_left_out (measure->scene, TRUE);
      g_autofree char *unknown = attn_lettering_list_unknown (measure->scene);

      /* Translators: the size of a page, such as “214 × 235 mm”, then that of the file */
      g_string_append_printf (text, _("Page %s · file %s · smallest text %.1f pt"), page, size,
                              attn_scene_get_smallest_text (measure->scene));
      if (left_out != NULL)
        {
          g_string_append_c (text, '\n');
          g_string_append_printf (text, _("No room for: %s"), left_out);
        }
      if (measure->kind == ATTN_EXPORT_SVG &&
          attn_svg_lacks_titles (measure->scene, &measure->result->study->page.svg))
        {
          g_string_append_c (text, '\n');
          g_string_append_printf (text, _("No room for: %s"),
                                  _("token pairs and weights under the pointer"));
        }
      if (unknown != NULL)
        {
          g_string_append_c (text, '\n');
          g_string_append_printf (text, _("No font has: %s"), unknown);
        }
    }
  if (measure->n_bytes >= LARGE_FILE)
    g_string_append_printf (text, "\n%s", _("A large file: it takes long to open."));
  gtk_widget_remove_css_class (GTK_WIDGET (self->summary), "error");
  gtk_label_set_label (self->summary, text->str);
}

static void
show_preview (AttnExportDialog *self,
              Measure          *measure)
{
  g_clear_pointer (&self->scene, attn_scene_free);
  self->scene = g_steal_pointer (&measure->scene);
  gtk_widget_queue_draw (self->preview);
}

/* Draws the page as large as fits in the preview. */
static void
draw_preview (GtkDrawingArea *area,
              cairo_t        *cr,
              int             width,
              int             height,
              gpointer        user_data)
{
  AttnExportDialog *self = user_data;
  const AttnScene *scene = self->scene;

  if (scene == NULL)
    return;
  double scale = MIN ((width - 2 * PREVIEW_MARGIN) / scene->width,
                      (height - 2 * PREVIEW_MARGIN) / scene->height);
  cairo_translate (cr, round ((width - scale * scene->width) / 2),
                   round ((height - scale * scene->height) / 2));
  cairo_scale (cr, scale, scale);
  attn_painter_draw (self->painter, scene, cr,
                     scale * gtk_widget_get_scale_factor (GTK_WIDGET (area)));
}

static void
show_complaint (AttnExportDialog *self,
                const char       *complaint)
{
  gtk_label_set_label (self->summary, complaint);
  gtk_widget_add_css_class (GTK_WIDGET (self->summary), "error");
}

static void
measure_deliver (gpointer owner,
                 gpointer data)
{
  AttnExportDialog *self = owner;
  Measure *measure = data;

  if (self->is_outdated)
    start_measuring (self);
  else if (measure->error == NULL)
    {
      show_measure (self, measure);
      show_preview (self, measure);
    }
  else
    show_complaint (self, measure->error->message);
  measure_free (measure);
}

static const AttnTaskKind measure_kind = {
  .run = measure_run,
  .deliver = measure_deliver,
  .free = measure_free,
};

static void
start_measuring (AttnExportDialog *self)
{
  if (self->measuring != NULL || !attn_session_is_complete (self->draft))
    {
      self->is_outdated = TRUE;
      return;
    }
  self->is_outdated = FALSE;

  Measure *measure = g_new0 (Measure, 1);
  measure->result = attn_export_dialog_dup_result (self);
  measure->kind = attn_export_dialog_get_kind (self);
  measure->panel = attn_export_dialog_get_panel (self);
  attn_task_start (&measure_kind, self, measure, TRUE, &self->measuring);
}

static gboolean
rested_cb (gpointer user_data)
{
  AttnExportDialog *self = user_data;

  self->rest_timeout = 0;
  start_measuring (self);
  return G_SOURCE_REMOVE;
}

static void
measure_soon (AttnExportDialog *self)
{
  self->is_outdated = TRUE;
  g_clear_handle_id (&self->rest_timeout, g_source_remove);
  self->rest_timeout = g_timeout_add (REST_MS, rested_cb, self);
}

/* --- From the study to the controls of the dialog and back ------------------------------------ */

/* Shows or hides a row. @id: id of a control in the row */
static void
set_row_visible (AttnExportDialog *self,
                 const char       *id,
                 gboolean          is_visible)
{
  GtkWidget *row = attn_binder_find (self->binder, id);

  /* The label of a row of the dialog is not inside the row, but the sibling before it in the
   * grid. */
  while (!GTK_IS_GRID (gtk_widget_get_parent (row)))
    row = gtk_widget_get_parent (row);
  gtk_widget_set_visible (row, is_visible);
  gtk_widget_set_visible (gtk_widget_get_prev_sibling (row), is_visible);
}

static void
sync_rows (AttnExportDialog *self)
{
  AttnExportKind kind = attn_export_dialog_get_kind (self);
  gboolean is_figure = attn_export_kind_is_figure (kind);

  set_row_visible (self, "panel", attn_export_kind_needs_panel (kind));
  set_row_visible (self, "page_columns", is_figure);
  set_row_visible (self, "width", is_figure);
  set_row_visible (self, "page.resolution",
                   is_figure && (kind == ATTN_EXPORT_PNG || self->size.unit == ATTN_UNIT_PIXELS));
  set_row_visible (self, "part", is_figure);
  set_row_visible (self, "font", is_figure);
  set_row_visible (self, "style.shows-titles", is_figure);
  set_row_visible (self, "page.outlines", kind == ATTN_EXPORT_SVG);
  gtk_widget_set_visible (self->preview, is_figure);
}

/* Tells whether the export shows the zoomed part of the panels, not all of them. */
static gboolean
is_zoomed (const AttnStudy *study)
{
  return study->views != NULL || !attn_viewport_is_fit (&study->viewport);
}

/* Sets the width of the page to one that is offered, and the size of text that belongs to it. */
static void
choose_columns (AttnExportDialog *self,
                GVariant         *chosen)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->draft));
  double usual = attn_session_get_study (self->session)->style.font_size;

  study->style.font_size =
      usual * attn_page_size_choose_column (&study->page, g_variant_get_int32 (chosen));
  attn_session_edit (self->draft, g_steal_pointer (&study), NULL);
}

static void
sync_controls (AttnExportDialog *self)
{
  const AttnStudy *study = attn_session_get_study (self->draft);

  attn_binder_sync (self->binder);
  self->is_syncing = TRUE;
  attn_page_size_show (&self->size, &study->page);
  gtk_drop_down_set_selected (self->part, is_zoomed (study) ? 1 : 0);
  attn_actions_set_state (self->actions, "columns",
                          g_variant_new_int32 (attn_page_size_find_column (&study->page)));
  attn_font_row_set_font (self->font, study->style.font_family, study->style.font_size);
  self->is_syncing = FALSE;
  sync_rows (self);
}

/* Allows the export only if the typed size is valid and the figure of the current study is
 * computed. */
static void
sync_export (AttnExportDialog *self)
{
  gboolean is_figure = attn_export_kind_is_figure (attn_export_dialog_get_kind (self));
  AttnExportOptions page = attn_session_get_study (self->draft)->page;
  gboolean is_good = !is_figure || attn_page_size_read (&self->size, &page);

  gtk_widget_set_sensitive (self->export, is_good && attn_session_is_complete (self->draft));
  attn_actions_enable (self->actions, "copy-command", is_figure && is_good);
  gtk_button_set_label (self->copy_command, _("Copy as Command"));
}

/* Sets the part of the panels to the chosen one. */
static void
choose_part (AttnExportDialog *self,
             AttnStudy        *study)
{
  gboolean asks_for_part = gtk_drop_down_get_selected (self->part) == 1;

  if (asks_for_part == is_zoomed (study))
    return;
  study->viewport = asks_for_part ? self->shown : ATTN_VIEWPORT_FIT;
  g_clear_pointer (&study->views, g_array_unref);
  if (asks_for_part && self->views != NULL)
    study->views = g_array_copy (self->views);
}

static gboolean
read_controls (AttnExportDialog *self,
               AttnStudy        *study)
{
  gboolean is_good = attn_page_size_read (&self->size, &study->page);

  choose_part (self, study);
  study->style.font_family = attn_font_row_get_family (self->font);
  study->style.font_size = attn_font_row_get_size (self->font);
  return is_good;
}

static void
changed_cb (AttnExportDialog *self)
{
  if (self->is_syncing || self->draft == NULL)
    return;

  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->draft));
  sync_export (self);
  if (!read_controls (self, study))
    {
      show_complaint (self, _("Width and height: expected a number above 0, or nothing for the "
                              "automatic size"));
      return;
    }
  attn_session_edit (self->draft, g_steal_pointer (&study), "export");
}

/* Updates the export dialog when the user chooses a format or a panel. */
static void
selected_cb (AttnExportDialog *self)
{
  AttnExportKind kind = attn_export_dialog_get_kind (self);

  if (self->is_syncing || self->draft == NULL)
    return;
  if (self->settings != NULL)
    g_settings_set_string (self->settings, "export-format", attn_export_kind_get_suffix (kind));
  sync_rows (self);
  sync_export (self);
  measure_soon (self);
}

static void
unit_selected_cb (AttnExportDialog *self)
{
  if (self->is_syncing || self->draft == NULL)
    return;
  self->is_syncing = TRUE;
  gboolean has_changed = attn_page_size_convert (
      &self->size, attn_session_get_study (self->draft)->page.resolution);
  self->is_syncing = FALSE;
  if (!has_changed)
    return;
  sync_rows (self);
  changed_cb (self);
}

/* Lists the panels of the figure. The chosen panel is kept as long as a panel has its name. */
static void
fill_panels (AttnExportDialog *self)
{
  const AttnGrid *grid = attn_session_get_result (self->draft)->grid;
  GListModel *listed = gtk_drop_down_get_model (self->panel);
  gsize n = grid->n_rows * grid->n_columns;
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  gboolean is_same = listed != NULL && g_list_model_get_n_items (listed) == n;
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (self->panel);
  guint kept = 0;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = attn_panel_name_translate (grid->cells[i].name);

      gtk_string_list_append (names, name);
      if (chosen != NULL && g_str_equal (gtk_string_object_get_string (chosen), name))
        kept = (guint) i;
      if (is_same)
        is_same = g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (listed), i), name);
    }
  if (is_same)
    return;
  gtk_drop_down_set_model (self->panel, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->panel, kept);
}

static void
study_changed_cb (AttnExportDialog *self)
{
  if (!self->is_syncing)
    sync_controls (self);
  sync_export (self);
  measure_soon (self);
}

static void
result_changed_cb (AttnExportDialog *self)
{
  fill_panels (self);
  sync_export (self);
  if (self->is_outdated && self->rest_timeout == 0)
    start_measuring (self);
}

/* Shows that a typed value is invalid. @error: (nullable): %NULL when the value has been
 * corrected */
static void
failed_cb (AttnExportDialog *self,
           const GError     *error)
{
  if (error != NULL)
    show_complaint (self, error->message);
}

/* --- The export dialog ------------------------------------------------------------------------ */

static void
fill_kinds (AttnExportDialog *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  g_autofree char *last =
      self->settings != NULL ? g_settings_get_string (self->settings, "export-format") : NULL;
  guint selected = 0;

  for (AttnExportKind i = 0; i < attn_export_kind_get_n (); i++)
    {
      g_autofree char *title = g_strdup_printf ("%s (.%s)", attn_export_kind_get_title (i),
                                                attn_export_kind_get_suffix (i));

      gtk_string_list_append (titles, title);
      if (g_strcmp0 (last, attn_export_kind_get_suffix (i)) == 0)
        selected = i;
    }
  gtk_drop_down_set_model (self->kind, G_LIST_MODEL (titles));
  gtk_drop_down_set_selected (self->kind, selected);
}

/* Names the check buttons for assistive technology: GTK 4.8 would include the underscore of the
 * mnemonic in their names. */
static void
label_controls (AttnExportDialog *self)
{
  static const char * const checks[] = { "style.shows-titles", "style.shows-caption",
                                         "style.shows-colorbar", "style.shows-tokens",
                                         "style.shows-values", "page.outlines",
                                         "page.cell-titles" };

  attn_drop_down_set_label (self->kind, _("Format"));
  attn_drop_down_set_label (self->panel, _("Panel"));
  attn_drop_down_set_label (self->part, _("Part"));
  for (gsize i = 0; i < G_N_ELEMENTS (checks); i++)
    {
      GtkWidget *check = attn_binder_find (self->binder, checks[i]);
      GtkLabel *label = GTK_LABEL (gtk_widget_get_last_child (check));

      gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      gtk_label_get_text (label), -1);
    }
}

static void
attn_export_dialog_dispose (GObject *object)
{
  AttnExportDialog *self = ATTN_EXPORT_DIALOG (object);

  g_clear_handle_id (&self->rest_timeout, g_source_remove);
  attn_task_give_up (&self->measuring);
  g_clear_pointer (&self->binder, attn_binder_free);
  g_clear_object (&self->session);
  g_clear_object (&self->draft);
  g_clear_pointer (&self->followed, attn_study_unref);
  g_clear_pointer (&self->scene, attn_scene_free);
  g_clear_pointer (&self->painter, attn_painter_free);
  g_clear_object (&self->settings);
  g_clear_object (&self->actions);
  g_clear_pointer (&self->views, g_array_unref);

  G_OBJECT_CLASS (attn_export_dialog_parent_class)->dispose (object);
}

static void
attn_export_dialog_class_init (AttnExportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_export_dialog_dispose;

  /* (): emitted when the user accepts the dialog: the window then asks for a file and writes it. */
  signals[SIGNAL_CHOOSE_FILE] = attn_signal_new (klass, "choose-file", 0);

  /* (): emitted when the user asks for the shell command that draws the same file. */
  signals[SIGNAL_COPY_COMMAND] = attn_signal_new (klass, "copy-command", 0);

  attn_template_set (widget_class, "export-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, kind);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, panel);
  gtk_widget_class_bind_template_child_full (widget_class, "width", FALSE,
                                             G_STRUCT_OFFSET (AttnExportDialog, size.width));
  gtk_widget_class_bind_template_child_full (widget_class, "height", FALSE,
                                             G_STRUCT_OFFSET (AttnExportDialog, size.height));
  gtk_widget_class_bind_template_child_full (widget_class, "unit_choice", FALSE,
                                             G_STRUCT_OFFSET (AttnExportDialog, size.unit_choice));
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, part);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, font);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, summary);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, preview);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, export);
  gtk_widget_class_bind_template_child (widget_class, AttnExportDialog, copy_command);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, unit_selected_cb);
}

static void
choose_file (AttnExportDialog *self)
{
  g_signal_emit (self, signals[SIGNAL_CHOOSE_FILE], 0);
}

static void
copy_command (AttnExportDialog *self)
{
  g_signal_emit (self, signals[SIGNAL_COPY_COMMAND], 0);
  gtk_button_set_label (self->copy_command, _("Copied"));
}

static void
attn_export_dialog_init (AttnExportDialog *self)
{
  const AttnAction actions[] = {
    { "choose-file", G_CALLBACK (choose_file) },
    { "copy-command", G_CALLBACK (copy_command) },
    { "columns", G_CALLBACK (choose_columns), "i", "0" },
  };

  self->painter = attn_painter_new ();
  self->actions = g_simple_action_group_new ();
  g_type_ensure (ATTN_TYPE_FONT_ROW);
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_actions_add (self->actions, actions, G_N_ELEMENTS (actions), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "export", G_ACTION_GROUP (self->actions));
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->preview), draw_preview, self, NULL);
  attn_key_guard_install (GTK_WINDOW (self));
  /* The default button has the focus, so that Return exports. With the focus on the first control,
   * a drop-down, Return would open its list. */
  gtk_window_set_focus (GTK_WINDOW (self), gtk_window_get_default_widget (GTK_WINDOW (self)));
}

/* Copies the study of the window, with the tokens that the model has generated, into the draft, and
 * applies all choices of the dialog. */
static void
follow_cb (AttnExportDialog *self)
{
  const AttnStudy *shown = attn_session_get_shown (self->session);
  AttnStudy *study = attn_study_copy (shown);

  attn_edits_keep_export (study, self->followed, attn_session_get_study (self->draft));
  choose_part (self, study);
  attn_study_unref (self->followed);
  self->followed = attn_study_ref (shown);
  attn_session_draft (self->draft, self->session, study);
}

/**
 * attn_export_dialog_new:
 * @parent: the window to stand above
 * @session: the session, which must have a result, to be exported; its study is not changed
 * @before: (nullable): the study of the window when the last dialog closed; %NULL for the first
 *   dialog
 * @chosen: (nullable): what that dialog made of it, which is chosen again
 * @shown: the part of the panels that the window shows
 * @views: (transfer full) (nullable) (element-type AttnViewport): the part that each panel shows,
 *   if they differ
 * @shows_baseline: whether the baseline of each panel is exported, as the window shows it
 * @settings: (nullable): settings that remember the last format
 */
AttnExportDialog *
attn_export_dialog_new (GtkWindow          *parent,
                        AttnSession        *session,
                        const AttnStudy    *before,
                        const AttnStudy    *chosen,
                        const AttnViewport *shown,
                        GArray             *views,
                        gboolean            shows_baseline,
                        GSettings          *settings)
{
  AttnExportDialog *self =
      g_object_new (ATTN_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  const AttnStudy *followed = attn_session_get_shown (session);
  AttnStudy *study = attn_study_copy (followed);

  self->followed = attn_study_ref (followed);
  self->shown = *shown;
  self->views = views;
  self->shows_baseline = shows_baseline;
  self->is_syncing = TRUE;
  g_set_object (&self->settings, settings);
  self->session = g_object_ref (session);
  self->draft = attn_session_new ();
  if (before != NULL && chosen != NULL)
    attn_edits_keep_export (study, before, chosen);
  attn_session_draft (self->draft, session, study);
  self->binder =
      attn_binder_new (GTK_WIDGET (self), self->draft, (AttnBinderFailFunc) failed_cb, self);
  label_controls (self);
  attn_page_size_set_up (&self->size);
  fill_kinds (self);
  fill_panels (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self->part),
                            views != NULL || !attn_viewport_is_fit (shown) ||
                                is_zoomed (attn_session_get_study (session)));
  g_signal_connect_object (session, "study-changed", G_CALLBACK (follow_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (follow_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->draft, "study-changed", G_CALLBACK (study_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->draft, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->draft, "failed", G_CALLBACK (failed_cb), self,
                           G_CONNECT_SWAPPED);
  sync_controls (self);
  sync_export (self);
  start_measuring (self);
  return self;
}
