/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-drop-down.h"
#include "attn-edits.h"
#include "attn-error.h"
#include "attn-key-guard.h"
#include "attn-preset-list.h"
#include "attn-settings.h"
#include "attn-startup.h"
#include "attn-study-table.h"
#include "attn-template.h"

#define FIRST_PRESET "mean-operation"

/* The number of characters of the title that are shown if the header bar has little room. */
#define TITLE_CHARS 9

/* The milliseconds after which a figure of an earlier study is faded. While a slider is dragged the
 * next figure is there earlier, so that nothing fades. */
#define STALE_MS 500

G_DEFINE_FINAL_TYPE (AttnWindow, attn_window, GTK_TYPE_APPLICATION_WINDOW)

/* Places the notices over the readout at the bottom, at least as tall as the readout, so that no
 * part of it is seen beside them. */
static gboolean
place_notices_cb (AttnWindow   *self,
                  GtkWidget    *notices,
                  GdkRectangle *place,
                  GtkWidget    *overlay)
{
  graphene_rect_t covered;
  int natural;

  if (!gtk_widget_compute_bounds (self->readout, overlay, &covered))
    return FALSE;
  place->x = 0;
  place->width = gtk_widget_get_width (overlay);
  gtk_widget_measure (notices, GTK_ORIENTATION_VERTICAL, place->width, NULL, &natural, NULL, NULL);
  place->height = natural > 0 ? MAX (natural, (int) covered.size.height) : 0;
  place->y = gtk_widget_get_height (overlay) - place->height;
  return TRUE;
}

static void
painted_cb (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autoptr (GError) error = NULL;

  attn_startup_trace (GTK_WIDGET (self->view));
  attn_window_build_behind_frame (self);
  if (result == NULL || self->told_of_change == result->grid ||
      attn_grid_check (result->grid, &error))
    return;
  /* A panel's weights are read from its file when it is drawn: only then is it known that the file
   * has changed on the disk. */
  self->told_of_change = result->grid;
  attn_notices_show_error (self->notices, ATTN_NOTICE_COMPUTE,
                           _("The Figure Could Not Be Computed"), error, NULL, 0);
}

static void
set_stale (AttnWindow *self,
           gboolean    is_stale)
{
  g_clear_handle_id (&self->stale_timeout, g_source_remove);
  self->is_stale = is_stale;
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_STATE_BUSY, is_stale,
                               -1);
  if (is_stale && !self->shows_unfinished)
    gtk_widget_add_css_class (GTK_WIDGET (self->view), "stale");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->view), "stale");
}

static gboolean
is_stale_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->stale_timeout = 0;
  set_stale (self, TRUE);
  attn_window_sync_actions (self);
  return G_SOURCE_REMOVE;
}

/* If the figure is that of an earlier study, fades it after %STALE_MS until the new figure is
 * computed. */
static void
sync_stale (AttnWindow *self)
{
  if (attn_session_get_result (self->session) == NULL || attn_session_is_current (self->session))
    set_stale (self, FALSE);
  else if (self->stale_timeout == 0 && !self->is_stale)
    self->stale_timeout = g_timeout_add (STALE_MS, is_stale_cb, self);
}

static void
progress_cb (AttnWindow *self,
             const char *stage,
             double      fraction)
{
  attn_work_bar_report (self->job_bar, stage, fraction);
}

static void
sync_preset (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  guint selected = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < n_presets; i++)
    if (g_strcmp0 (presets[i].name, study->preset) == 0)
      selected = i;
  self->is_syncing = TRUE;
  gtk_drop_down_set_selected (self->presets, selected);
  self->is_syncing = FALSE;

  if (self->preset == NULL || g_strcmp0 (self->preset->preset, study->preset) != 0)
    {
      g_clear_pointer (&self->preset, attn_study_unref);
      if (selected != GTK_INVALID_LIST_POSITION)
        self->preset = attn_presets_load (study->preset, NULL);
    }
  attn_preset_list_show_changed (self->presets, self->preset != NULL &&
                                                    !attn_study_does_as (study, self->preset));
}

/* Returns the study whose look (colours, sizes) @result is drawn with: the current study, unless
 * its figure is of another kind than that of @result, with other numbers. */
static const AttnStudy *
get_look (AttnWindow *self,
          AttnResult *result)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  return result != NULL && result->study->figure != study->figure ? result->study : study;
}

/* Shows the panels of the last result or, if a figure is shown while it is computed, those of the
 * next result that are computed already. */
static void
show_figure (AttnWindow *self)
{
  AttnResult *result = attn_session_get_unfinished (self->session);

  self->shows_unfinished = result != NULL;
  if (result == NULL)
    result = attn_session_get_result (self->session);
  if (result == NULL)
    return;
  AttnStyle style = get_look (self, result)->style;
  gboolean is_first = attn_reading_get (self->reading).grid == NULL;
  /* Cells that are not computed yet are drawn as masked. */
  style.has_masked_color |= self->shows_unfinished;
  attn_reading_set_figure (self->reading, result->grid, &style);
  gtk_stack_set_visible_child_name (self->stack, "figure");
  if (is_first)
    attn_window_sync_readout (self);
}

/* Tells whether the figure is drawn in other colours than the study asks for. */
static gboolean
has_other_colors (AttnWindow *self)
{
  const AttnStyle *style =
      &get_look (self, attn_session_get_result (self->session))->style;
  const AttnScene *scene = attn_reading_get_places (self->reading).scene;

  return scene != NULL &&
         (scene->style.colormap != style->colormap || scene->style.low != style->low ||
          scene->style.high != style->high);
}

/* Removes the notice that a text is cut once the inputs are others. */
static void
sync_cut (AttnWindow *self)
{
  const GPtrArray *now = attn_session_get_study (self->session)->inputs;

  if (self->cut == NULL)
    return;
  const GPtrArray *then = self->cut->inputs;
  gboolean is_same = then->len == now->len;
  for (guint i = 0; i < then->len && is_same; i++)
    is_same = attn_input_equal (then->pdata[i], now->pdata[i]);
  if (is_same)
    return;
  g_clear_pointer (&self->cut, attn_study_unref);
  attn_notices_hide (self->notices, ATTN_NOTICE_TOKENS);
}

/* Updates the colours of the figure at once. All other changes of the figure wait for the result of
 * the new study, so that the figure is laid out only once. */
static void
study_changed_cb (AttnWindow *self)
{
  /* The colours are compared first: the actions below drop the scene, with its colours, if the head
   * or the grid is another. */
  gboolean is_recolored = has_other_colors (self);

  sync_preset (self);
  attn_notices_hide (self->notices, ATTN_NOTICE_ENTRY);
  attn_window_sync_document (self);
  sync_stale (self);
  attn_window_sync_actions (self);
  attn_window_sync_note (self);
  sync_cut (self);
  if (is_recolored)
    show_figure (self);
}

static void
busy_changed_cb (AttnWindow *self)
{
  if (attn_session_is_busy (self->session))
    attn_work_bar_start (self->job_bar, _("Computing"));
  else
    {
      self->waits_to_copy = FALSE;
      attn_work_bar_stop (self->job_bar);
      attn_reading_drop_pending (self->reading);
      if (self->shows_unfinished)
        show_figure (self);
    }
  if (!attn_session_is_busy (self->session) && attn_session_get_result (self->session) == NULL)
    gtk_stack_set_visible_child_name (self->stack, "empty");
  attn_window_sync_actions (self);
}

static void
result_changed_cb (AttnWindow *self)
{
  show_figure (self);
  set_stale (self, FALSE);
  sync_stale (self);
  attn_notices_hide (self->notices, ATTN_NOTICE_COMPUTE);
  attn_window_sync_document (self);
  attn_window_sync_actions (self);
  attn_window_remember_recent (self);
  attn_window_copy_at_last (self);
}

/* Shows a figure that is computed cell by cell. It cannot be exported yet, but it is not faded, as
 * it belongs to the current study. */
static void
unfinished_cb (AttnWindow *self)
{
  show_figure (self);
  set_stale (self, TRUE);
  attn_window_sync_export (self);
}

/* Sets the view of the figure (zoom and position) that an opened study was saved with. */
static void
opened_cb (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  g_clear_pointer (&self->came_from, attn_study_unref);
  attn_reading_set_views (self->reading, &study->viewport, study->views);
  attn_window_sync_heads (self);
}

/* Tells whether the computation may have failed because the groups of tokens assigned to heads do
 * not match the input; the tokens must be known, so that groups can be found. */
static gboolean
may_find_groups (AttnWindow   *self,
                 const GError *error)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  return attn_study_assigns_groups (study) &&
         g_error_matches (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT) &&
         attn_session_get_tokens (self->session, 0) != NULL;
}

/* Returns a copy of the study whose input is cut to the number of positions of the model, or %NULL
 * if it has no more tokens than that. (transfer full) (nullable) */
static AttnStudy *
limit_tokens (AttnWindow *self)
{
  AttnModel *model = attn_session_get_model (self->session);
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));

  return model != NULL && attn_edits_limit_tokens (study, model) ? g_steal_pointer (&study) : NULL;
}

static void
use_first_tokens (AttnWindow *self)
{
  AttnStudy *study = limit_tokens (self);

  if (study != NULL)
    attn_session_edit (self->session, study, NULL);
}

/* Shows the first tokens of a text that is too long in an opened document, and a notice about
 * it. */
static void
show_first_tokens (AttnWindow   *self,
                   AttnStudy    *study,
                   gsize         n,
                   const GError *error)
{
  g_autofree char *title = g_strdup_printf (_("The First %zu Tokens Are Shown"), n);

  attn_session_edit (self->session, study, NULL);
  g_clear_pointer (&self->cut, attn_study_unref);
  self->cut = attn_study_ref (attn_session_get_study (self->session));
  attn_notices_show (self->notices, &(AttnNotice) { .id = ATTN_NOTICE_TOKENS,
                                                    .type = GTK_MESSAGE_WARNING,
                                                    .title = title,
                                                    .text = error->message });
}

/* Explains on the page that stands in place of a figure why there is none yet, and offers the
 * action that helps. */
static void
explain_empty (AttnWindow   *self,
               const GError *error,
               gboolean      lacks_input)
{
  g_autofree char *text = attn_text_capitalise (error->message);

  gtk_label_set_label (self->empty_text, text);
  gtk_button_set_label (self->empty_button, _("_Add Input"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->empty_button), "win.add-input");
  gtk_widget_set_visible (GTK_WIDGET (self->empty_button), lacks_input);
}

static void
failed_cb (AttnWindow   *self,
           const GError *error)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnNoticeAction actions[2];
  g_autofree char *first = NULL;
  gsize n = 0;

  if (attn_session_is_opening (self->session))
    {
      const char *path = attn_session_get_asked_model (self->session)->path;
      g_autofree char *name =
          path != NULL ? g_filename_display_basename (path) : g_strdup (_("The built-in model"));

      if (path == NULL || !g_error_matches (error, ATTN_ERROR, ATTN_ERROR_AMBIGUOUS))
        attn_window_show_open_error (self, name, error);
      else
        attn_window_ask_reading (self, path, FALSE);
      return;
    }
  AttnStudy *limited =
      g_error_matches (error, ATTN_ERROR, ATTN_ERROR_LIMIT) ? limit_tokens (self) : NULL;
  if (limited != NULL)
    {
      gsize n_positions =
          attn_model_get_info (attn_session_get_model (self->session))->n_positions;

      if (attn_session_get_document (self->session)->undo->len == 0)
        {
          show_first_tokens (self, limited, n_positions, error);
          return;
        }
      attn_study_unref (limited);
      first = g_strdup_printf (_("Use the _First %zu"), n_positions);
      actions[n++] = (AttnNoticeAction) { first, "win.use-first-tokens" };
    }
  gboolean lacks_input = study->inputs->len == 1 &&
                         attn_study_changes_along (study, ATTN_DIMENSION_INPUT) &&
                         study->compared == ATTN_DIMENSION_INPUT;
  if (attn_session_get_model (self->session) != NULL)
    explain_empty (self, error, lacks_input);
  if (lacks_input)
    actions[n++] = (AttnNoticeAction) { _("_Add Input"), "win.add-input" };
  if (may_find_groups (self, error))
    actions[n++] = (AttnNoticeAction) { _("_Find Groups"), "win.find-groups" };
  if (attn_session_get_document (self->session)->undo->len > 0 && n < G_N_ELEMENTS (actions))
    actions[n++] = (AttnNoticeAction) { _("_Undo"), "win.undo" };
  attn_notices_show_error (self->notices, ATTN_NOTICE_COMPUTE,
                           _("The Figure Could Not Be Computed"), error, actions, n);
  attn_window_ask_reading_of_others (self, error);
}

static void
preset_selected_cb (AttnWindow *self)
{
  guint selected = gtk_drop_down_get_selected (self->presets);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  if (!self->is_syncing && self->session != NULL && selected < n_presets)
    attn_window_load_preset (self, presets[selected].name);
}

static int
measure_header (AttnWindow *self)
{
  int natural;

  gtk_widget_measure (gtk_window_get_titlebar (GTK_WINDOW (self)), GTK_ORIENTATION_HORIZONTAL, -1,
                      NULL, &natural, NULL, NULL);
  return natural;
}

static void
fold_header (AttnWindow *self,
             gboolean    is_folded)
{
  gtk_widget_set_visible (self->export_label, !is_folded);
  gtk_widget_set_visible (self->export_symbol, is_folded);
  /* If the header bar has too little room, the title of the document is shortened, not the name of
   * the preset. */
  gtk_label_set_max_width_chars (self->document_title, is_folded ? TITLE_CHARS : -1);
  gtk_label_set_max_width_chars (self->document_subtitle, is_folded ? TITLE_CHARS : -1);
}

/* Replaces the label of the export button by an icon if the header would not fit otherwise. The
 * unfolded width is measured only if the natural width has changed, so that this does not loop. */
static void
adapt_header (AttnWindow *self)
{
  if (measure_header (self) == self->header_natural && self->width == self->header_width)
    return;
  fold_header (self, FALSE);
  fold_header (self, measure_header (self) > self->width);
  self->header_natural = measure_header (self);
  self->header_width = self->width;
}

static void
adapt (AttnWindow *self,
       int         width,
       int         height)
{
  self->width = width;
  attn_window_adapt_readout (self, height);
  attn_window_adapt_panes (self);
  adapt_header (self);
}

/* Adapts the window to its size. If header, panes or strip change, GTK lays the window out again
 * before it paints. */
static void
laid_out_cb (AttnWindow *self,
             int         width,
             int         height)
{
  double shadow, above;

  gtk_native_get_surface_transform (GTK_NATIVE (self), &shadow, &above);
  adapt (self, width - 2 * (int) shadow, height - 2 * (int) shadow);
  attn_strip_settle (self->strip);
}

/* Adapts the window to its default size first, so that its minimal size is no larger. */
static void
attn_window_realize (GtkWidget *widget)
{
  AttnWindow *self = ATTN_WINDOW (widget);
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  adapt (self, width, height);
  GTK_WIDGET_CLASS (attn_window_parent_class)->realize (widget);
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (self)), "layout",
                           G_CALLBACK (laid_out_cb), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (gtk_widget_get_frame_clock (widget), "before-paint",
                           G_CALLBACK (attn_session_begin_frame), self->session, G_CONNECT_SWAPPED);
}

static void
load_settings (AttnWindow *self)
{
  self->settings = attn_settings_new ();
  if (self->settings == NULL)
    return;
  gtk_window_set_default_size (GTK_WINDOW (self),
                               g_settings_get_int (self->settings, "window-width"),
                               g_settings_get_int (self->settings, "window-height"));
  if (g_settings_get_boolean (self->settings, "is-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
}

static gboolean
attn_window_close_request (GtkWindow *window)
{
  AttnWindow *self = ATTN_WINDOW (window);
  int width, height;

  if (attn_window_ask_before_closing (self) || attn_window_wait_for_export (self))
    return TRUE;
  if (self->settings != NULL)
    {
      gtk_window_get_default_size (window, &width, &height);
      /* The size is clamped to the range that the schema of the settings allows. */
      g_settings_set_int (self->settings, "window-width", CLAMP (width, 200, 16384));
      g_settings_set_int (self->settings, "window-height", CLAMP (height, 200, 16384));
      g_settings_set_boolean (self->settings, "is-maximized", gtk_window_is_maximized (window));
    }
  return GTK_WINDOW_CLASS (attn_window_parent_class)->close_request (window);
}

static void
attn_window_dispose (GObject *object)
{
  AttnWindow *self = ATTN_WINDOW (object);

  attn_window_cancel_export (self);
  attn_task_give_up (&self->copying);
  attn_task_give_up (&self->summing);
  attn_task_give_up (&self->searching);
  attn_task_give_up (&self->listing);
  attn_task_give_up (&self->opening);
  g_clear_handle_id (&self->opening_timeout, g_source_remove);
  attn_task_give_up (&self->saving);
  g_clear_handle_id (&self->saving_timeout, g_source_remove);
  g_clear_pointer (&self->next_path, g_free);
  attn_task_give_up (&self->finding);
  g_clear_pointer (&self->chosen, g_free);
  g_clear_pointer (&self->leftovers, g_ptr_array_unref);
  g_clear_object (&self->autosave);
  g_clear_handle_id (&self->building, g_source_remove);
  g_clear_handle_id (&self->showing, g_source_remove);
  g_clear_handle_id (&self->stale_timeout, g_source_remove);
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  g_clear_pointer (&self->note, g_free);
  g_clear_pointer (&self->note_study, attn_study_unref);
  g_clear_pointer (&self->export_before, attn_study_unref);
  g_clear_pointer (&self->export_chosen, attn_study_unref);
  g_clear_pointer (&self->exported, attn_study_unref);
  g_clear_pointer (&self->exported_name, g_free);
  g_clear_pointer (&self->exported_document, g_free);
  g_clear_pointer (&self->cut, attn_study_unref);
  g_clear_pointer (&self->shown_study, attn_study_unref);
  g_clear_pointer (&self->came_from, attn_study_unref);
  g_clear_pointer (&self->preset, attn_study_unref);
  g_clear_pointer (&self->shown_place, g_free);
  g_clear_pointer (&self->recent_model, g_free);
  g_clear_pointer (&self->recent_path, g_free);
  g_clear_pointer (&self->recent_paths, g_strfreev);
  g_clear_pointer (&self->found_models, g_ptr_array_unref);
  g_clear_object (&self->settings);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_window_parent_class)->dispose (object);
}

static void
attn_window_class_init (AttnWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GtkWindowClass *window_class = GTK_WINDOW_CLASS (klass);

  object_class->dispose = attn_window_dispose;
  widget_class->realize = attn_window_realize;
  window_class->close_request = attn_window_close_request;

  g_type_ensure (ATTN_TYPE_FIGURE_VIEW);
  g_type_ensure (ATTN_TYPE_MODEL_INFO);
  g_type_ensure (ATTN_TYPE_NOTICES);
  g_type_ensure (ATTN_TYPE_STRIP);
  g_type_ensure (ATTN_TYPE_WORK_BAR);
  attn_template_set (widget_class, "window.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, panes);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, figure_panes);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, strip);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, view);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, presets);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, notices);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, document_title);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, document_subtitle);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, model_info);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, open_button);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_button);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_label);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_symbol);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, recent_section);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, clear_section);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, found_section);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, empty_text);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, empty_button);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, back_pill);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, back_name);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, baseline_pill);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, place_pill);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, job_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_pages);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_reading);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_note);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_cell);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, note_link);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_lines);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_numbers);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_said);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_value);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, panel_lines);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, widest_value);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, widest_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_entry);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_state);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, open_menu);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, view_menu);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, primary_menu);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, cell_menu);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, scale_menu);
  attn_window_bind_keys (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, attn_window_find_next);
  gtk_widget_class_bind_template_callback (widget_class, attn_window_find_previous);
  gtk_widget_class_bind_template_callback (widget_class, attn_window_show_typed_error);
  gtk_widget_class_bind_template_callback (widget_class, painted_cb);
  gtk_widget_class_bind_template_callback (widget_class, place_notices_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_selected_cb);
}

static void
connect_session (AttnWindow *self)
{
  static const struct
  {
    const char *signal;
    GCallback callback;
  } told[] = {
    { "document-changed", G_CALLBACK (attn_window_sync_document) },
    { "study-changed", G_CALLBACK (study_changed_cb) },
    { "result-changed", G_CALLBACK (result_changed_cb) },
    { "opened", G_CALLBACK (opened_cb) },
    { "unfinished", G_CALLBACK (unfinished_cb) },
    { "busy-changed", G_CALLBACK (busy_changed_cb) },
    { "addition-changed", G_CALLBACK (attn_window_sync_actions) },
    { "failed", G_CALLBACK (failed_cb) },
    { "progress", G_CALLBACK (progress_cb) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    g_signal_connect_object (self->session, told[i].signal, told[i].callback, self,
                             G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reading, "hit-changed", G_CALLBACK (attn_window_sync_readout),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reading, "scene-changed", G_CALLBACK (attn_window_sync_hint), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->job_bar, "shown-changed", G_CALLBACK (attn_window_sync_reading),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->export_bar, "shown-changed",
                           G_CALLBACK (attn_window_sync_reading), self, G_CONNECT_SWAPPED);
}

/* Adds Ctrl+C and Ctrl+V for the figure. In a text entry that has the focus these keys copy and
 * paste text. */
static void
add_copy_shortcut (AttnWindow *self)
{
  static const char * const keys[][2] = { { "<Control>c", "win.copy" },
                                          { "<Control>v", "win.paste-picture" } };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i][0]),
                          gtk_named_action_new (keys[i][1])));
  gtk_widget_add_controller (GTK_WIDGET (self->view), controller);
}

static void
attn_window_init (AttnWindow *self)
{
  AttnSession *session = attn_session_new ();

  self->is_syncing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->reading = attn_figure_view_get_reading (self->view);
  attn_window_keep_readout_place (self);
  attn_preset_list_fill (self->presets);
  attn_work_bar_set_action (self->job_bar, "win.cancel");
  attn_work_bar_set_action (self->export_bar, "win.cancel-export");
  attn_drop_down_set_label (self->presets, _("Preset"));
  self->is_syncing = FALSE;
  self->session = session;
  load_settings (self);
  attn_window_add_actions (self);
  attn_actions_add (self, &(AttnAction) { "use-first-tokens", G_CALLBACK (use_first_tokens) }, 1,
                    self);
  attn_window_add_heads (self);
  attn_window_add_reading (self);
  attn_window_add_files (self);
  attn_window_add_survey (self);
  attn_window_add_probe (self);
  attn_window_add_export (self);
  attn_window_add_palette (self);
  add_copy_shortcut (self);
  attn_key_guard_install (GTK_WINDOW (self));
  attn_window_add_panes (self);
  attn_window_load_preset (self, FIRST_PRESET);
  attn_strip_set_session (self->strip, session);
  connect_session (self);
  attn_window_add_documents (self);
  study_changed_cb (self);
  busy_changed_cb (self);
  attn_window_sync_readout (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/**
 * attn_window_new:
 * @application: the application that the window belongs to
 *
 * Returns: (transfer none): a window that computes the first preset
 */
AttnWindow *
attn_window_new (GtkApplication *application)
{
  return g_object_new (ATTN_TYPE_WINDOW, "application", application, NULL);
}
