/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-key-guard.h"
#include "attn-preset-list.h"
#include "attn-readout.h"
#include "attn-settings.h"
#include "attn-startup.h"

#define FIRST_PRESET "mean-operation"
#define NOTE_SECONDS 8 /* in which anyone has seen it */

/* A figure that follows the hand is late by less than this. */
#define STALE_MS 500

G_DEFINE_FINAL_TYPE (AttnWindow, attn_window, GTK_TYPE_APPLICATION_WINDOW)

/* A message that begins with a word begins with a capital; one that begins with a path or the name
 * of a tensor stays as it is. */
static char *
capitalise (const char *message)
{
  const char *end = message;

  while (g_ascii_islower (*end))
    end++;
  if (end == message || (*end != ' ' && *end != ':'))
    return g_strdup (message);
  return g_strdup_printf ("%c%s", g_ascii_toupper (message[0]), message + 1);
}

/* @actions: [ATTN_NOTICE_MAX_ACTIONS], the last ones may be empty */
static void
show_problem (AttnWindow             *self,
              const char             *id,
              const char             *title,
              const GError           *error,
              const AttnNoticeAction *actions)
{
  g_autofree char *text = capitalise (error->message);
  AttnNotice notice = {
    .id = id,
    .type = GTK_MESSAGE_ERROR,
    .title = title,
    .text = text,
  };

  memcpy (notice.actions, actions, sizeof notice.actions);
  attn_notices_show (self->notices, &notice);
}

/**
 * attn_window_show_problem:
 * @id: what it is about
 * @title: what went wrong, in a few words
 * @error: the same in one sentence
 * @action: (nullable): what can be done about it
 *
 * Says so above the figure until it is closed or mended. Everything else stays as it is.
 */
void
attn_window_show_problem (AttnWindow             *self,
                          const char             *id,
                          const char             *title,
                          const GError           *error,
                          const AttnNoticeAction *action)
{
  AttnNoticeAction actions[ATTN_NOTICE_MAX_ACTIONS] = { 0 };

  if (action != NULL)
    actions[0] = *action;
  show_problem (self, id, title, error, actions);
}

static void
show_error_cb (AttnWindow   *self,
               const GError *error)
{
  attn_window_show_problem (self, ATTN_NOTICE_ENTRY, _("That Cannot Be Used"), error, NULL);
}

/* What is not a reading may take more lines than one, but for the link that stands beside it. */
static void
set_readout (AttnWindow *self,
             const char *cell,
             const char *value,
             const char *panel)
{
  gboolean is_note = *value == '\0' && !gtk_widget_get_visible (GTK_WIDGET (self->note_link));

  gtk_label_set_label (self->readout_note, is_note ? cell : "");
  gtk_label_set_label (self->readout_cell, is_note ? "" : cell);
  gtk_label_set_label (self->readout_value, value);
  gtk_label_set_label (self->readout_panel, panel);
  gtk_stack_set_visible_child (self->readout_pages,
                               is_note ? GTK_WIDGET (self->readout_note) : self->readout_reading);
}

static gboolean
has_tool (AttnWindow *self)
{
  return attn_reading_get_tool (self->reading) != ATTN_FIGURE_TOOL_MOVE;
}

/* What one can do with the figure: what dragging does, while that is something else. */
static const char *
get_hint (AttnWindow *self)
{
  AttnFigureTool tool = attn_reading_get_tool (self->reading);

  if (tool == ATTN_FIGURE_TOOL_REGION)
    return _("Drag over cells to draw a region, or press Return at two of its corners; Escape "
             "ends it");
  if (tool == ATTN_FIGURE_TOOL_ZOOM)
    return _("Drag over what is to be shown; Escape leaves it as it is");
  if (attn_reading_get_grid (self->reading) == NULL)
    return "";
  if (attn_window_is_overview (self))
    return _("Point at a cell to read it; click it to open its head");
  return _("Point at a cell to read it; scroll to zoom, drag to move");
}

/* A new note stays in the last line beside what is read: the pointer is often on the figure already
 * when the dialog is gone that the note is about. */
static void
hit_changed_cb (AttnWindow *self)
{
  AttnGrid *grid = attn_reading_get_grid (self->reading);
  const AttnHit *hit = attn_reading_get_hit (self->reading);

  if (hit == NULL || grid == NULL)
    {
      set_readout (self, self->note != NULL ? self->note : get_hint (self), "", "");
      return;
    }

  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *cell = attn_readout_describe_cell (grid, hit);
  g_autofree char *value = attn_readout_describe_value (grid, hit);
  g_autofree char *panel = result != NULL && result->grid == grid
                               ? attn_readout_describe_panel (&result->measures[hit->group])
                               : NULL;
  set_readout (self, cell, value,
               self->note != NULL ? self->note
               : has_tool (self)  ? get_hint (self)
               : panel != NULL    ? panel
                                  : "");
}

static void
forget_note (AttnWindow *self)
{
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  g_clear_pointer (&self->note, g_free);
  gtk_widget_hide (GTK_WIDGET (self->note_link));
}

/**
 * attn_window_show_hint:
 *
 * Says what the tool that was taken does, in place of the readout until a cell is pointed at and
 * below it as long as it is the tool; reads again once there is none.
 */
void
attn_window_show_hint (AttnWindow *self)
{
  if (!has_tool (self))
    {
      hit_changed_cb (self);
      return;
    }
  forget_note (self);
  set_readout (self, get_hint (self), "", "");
}

static gboolean
note_is_old_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->note_timeout = 0;
  forget_note (self);
  if (attn_reading_get_hit (self->reading) != NULL || has_tool (self))
    hit_changed_cb (self);
  return G_SOURCE_REMOVE;
}

/**
 * attn_window_show_note:
 * @note: plain text
 *
 * Stands in place of the readout until a cell is pointed at, and for %NOTE_SECONDS in any case.
 */
void
attn_window_show_note (AttnWindow *self,
                       const char *note)
{
  g_free (self->note);
  self->note = g_strdup (note);
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  self->note_timeout = g_timeout_add_seconds (NOTE_SECONDS, note_is_old_cb, self);
  gtk_widget_hide (GTK_WIDGET (self->note_link));
  set_readout (self, note, "", "");
}

/**
 * attn_window_show_file_note:
 * @path: of a file that was written
 *
 * The same with a link to the folder of the file.
 */
void
attn_window_show_file_note (AttnWindow *self,
                            const char *note,
                            const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *uri = g_filename_to_uri (directory, NULL, NULL);

  attn_window_show_note (self, note);
  if (uri == NULL)
    return;
  g_autofree char *link =
      g_markup_printf_escaped ("<a href=\"%s\">%s</a>", uri, _("Open Folder"));
  gtk_label_set_markup (self->note_link, link);
  gtk_widget_show (GTK_WIDGET (self->note_link));
  set_readout (self, note, "", "");
}

/* The readout has a place of its own size, so that nothing shifts when it changes. */
static void
keep_readout_place (AttnWindow *self)
{
  g_autofree char *value = attn_readout_dup_widest_value ();
  g_autofree char *panel = attn_readout_dup_widest_panel ();

  gtk_label_set_label (self->widest_value, value);
  gtk_label_set_label (self->widest_panel, panel);
}

static void
painted_cb (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autoptr (GError) error = NULL;

  attn_startup_trace (GTK_WIDGET (self->view));
  if (result == NULL || self->told_of_change == result->grid ||
      attn_grid_check (result->grid, &error))
    return;
  /* What is shown from near is read when it is looked at. */
  self->told_of_change = result->grid;
  attn_window_show_problem (self, ATTN_NOTICE_COMPUTE, _("The Figure Could Not Be Computed"), error,
                            NULL);
}

static void
set_stale (AttnWindow *self,
           gboolean    is_stale)
{
  g_clear_handle_id (&self->stale_timeout, g_source_remove);
  self->is_stale = is_stale;
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_STATE_BUSY, is_stale,
                               -1);
  if (is_stale)
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

/* A figure of an earlier study stays to be seen, faded until there is the one of this study. */
static void
sync_stale (AttnWindow *self)
{
  if (attn_session_get_result (self->session) == NULL || attn_session_is_current (self->session))
    set_stale (self, FALSE);
  else if (self->stale_timeout == 0 && !self->is_stale)
    self->stale_timeout = g_timeout_add (STALE_MS, is_stale_cb, self);
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
    }
  if (!attn_session_is_busy (self->session) && attn_session_get_result (self->session) == NULL)
    gtk_stack_set_visible_child_name (self->stack, "empty");
  attn_window_sync_actions (self);
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
}

/* The panels of the last result in the look of the present study, which may be ahead of it. */
static void
show_figure (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);

  if (result == NULL)
    return;
  gboolean is_first = attn_reading_get_grid (self->reading) == NULL;
  attn_reading_set_figure (self->reading, result->grid,
                           &attn_session_get_study (self->session)->style);
  gtk_stack_set_visible_child_name (self->stack, "figure");
  if (is_first)
    hit_changed_cb (self);
}

/* Colours change at once; all else waits for the result, so that nothing is laid out twice. */
static void
study_changed_cb (AttnWindow *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  const AttnScene *scene = attn_reading_get_scene (self->reading);
  const AttnStyle *shown = scene != NULL ? &scene->style : NULL;

  sync_preset (self);
  attn_notices_hide (self->notices, ATTN_NOTICE_ENTRY);
  attn_window_sync_document (self);
  sync_stale (self);
  attn_window_sync_actions (self);
  if (shown != NULL && (shown->colormap != style->colormap || shown->low != style->low ||
                        shown->high != style->high))
    show_figure (self);
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

/* A document shows what its study says, wherever one looked before. */
static void
opened_cb (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  attn_reading_set_views (self->reading, &study->viewport, study->views);
}

/* Groups that were assigned may not be those of the input, whose tokens are known then. */
static gboolean
may_find_groups (AttnWindow   *self,
                 const GError *error)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  return study->figure == ATTN_FIGURE_HEAD_GROUPS &&
         study->groups.rule == ATTN_GROUP_RULE_ASSIGNED &&
         g_error_matches (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT) &&
         attn_session_get_tokens (self->session, 0) != NULL;
}

static void
failed_cb (AttnWindow   *self,
           const GError *error)
{
  const AttnNoticeAction open = { _("_Open Another…"), "win.open" };
  AttnNoticeAction actions[ATTN_NOTICE_MAX_ACTIONS] = { 0 };
  gsize n = 0;

  if (attn_session_is_opening (self->session))
    {
      attn_window_show_problem (self, ATTN_NOTICE_OPEN, _("That Could Not Be Opened"), error,
                                &open);
      return;
    }
  if (may_find_groups (self, error))
    actions[n++] = (AttnNoticeAction) { _("_Find Groups"), "win.find-groups" };
  if (attn_session_can_undo (self->session))
    actions[n++] = (AttnNoticeAction) { _("_Undo"), "win.undo" };
  show_problem (self, ATTN_NOTICE_COMPUTE, _("The Figure Could Not Be Computed"), error, actions);
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
}

/* Before the header cuts off a word, one button does with its symbol. What it would ask for
 * unfolded is tried, and only when it asks for something else than it did, so that nothing goes
 * round in circles. */
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
       int         width)
{
  self->width = width;
  attn_window_adapt_panes (self);
  adapt_header (self);
}

/* Another layout follows before anything is painted where this folds or unfolds something. */
static void
laid_out_cb (AttnWindow *self,
             int         width,
             int         height)
{
  double shadow, above;

  gtk_native_get_surface_transform (GTK_NATIVE (self), &shadow, &above);
  adapt (self, width - 2 * (int) shadow);
}

/* It asks for no more than the size that it is to have. */
static void
attn_window_realize (GtkWidget *widget)
{
  AttnWindow *self = ATTN_WINDOW (widget);
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  adapt (self, width);
  GTK_WIDGET_CLASS (attn_window_parent_class)->realize (widget);
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (self)), "layout",
                           G_CALLBACK (laid_out_cb), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
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
      g_settings_set_int (self->settings, "window-width", width);
      g_settings_set_int (self->settings, "window-height", height);
      g_settings_set_boolean (self->settings, "is-maximized", gtk_window_is_maximized (window));
    }
  return GTK_WINDOW_CLASS (attn_window_parent_class)->close_request (window);
}

static void
attn_window_dispose (GObject *object)
{
  AttnWindow *self = ATTN_WINDOW (object);

  attn_window_cancel_export (self);
  g_clear_object (&self->export_cancellable);
  g_clear_object (&self->autosave);
  g_clear_handle_id (&self->stale_timeout, g_source_remove);
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  g_clear_pointer (&self->note, g_free);
  g_clear_pointer (&self->leftovers, g_ptr_array_unref);
  g_clear_pointer (&self->recent_model, g_free);
  g_clear_pointer (&self->recent_path, g_free);
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
  g_type_ensure (ATTN_TYPE_INSPECTOR);
  g_type_ensure (ATTN_TYPE_MODEL_INFO);
  g_type_ensure (ATTN_TYPE_NOTICES);
  g_type_ensure (ATTN_TYPE_SIDEBAR);
  g_type_ensure (ATTN_TYPE_WORK_BAR);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/attentiongrid/AttentionGrid/window.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, view);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, presets);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, notices);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, document_title);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, document_subtitle);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, model_info);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, open_button);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_button);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_label);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_symbol);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, recent_section);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, clear_section);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, job_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, export_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_pages);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_reading);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_note);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_cell);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, note_link);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_value);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, widest_value);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, widest_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_entry);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, search_state);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, cell_menu);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, inspector);
  gtk_widget_class_bind_template_callback (widget_class, attn_window_find_next);
  gtk_widget_class_bind_template_callback (widget_class, attn_window_find_previous);
  gtk_widget_class_bind_template_callback (widget_class, show_error_cb);
  gtk_widget_class_bind_template_callback (widget_class, painted_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_selected_cb);
}

static void
connect_session (AttnWindow *self)
{
  g_signal_connect_object (self->reading, "hit-changed", G_CALLBACK (hit_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "document-changed",
                           G_CALLBACK (attn_window_sync_document), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "study-changed", G_CALLBACK (study_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "opened", G_CALLBACK (opened_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->job_bar, "shown-changed", G_CALLBACK (attn_window_sync_reading),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->export_bar, "shown-changed",
                           G_CALLBACK (attn_window_sync_reading), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "busy-changed", G_CALLBACK (busy_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "failed", G_CALLBACK (failed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
}

/* Ctrl+C belongs to the text where text is edited, and to the figure elsewhere. */
static void
add_copy_shortcut (AttnWindow *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkShortcut *shortcut = gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("<Control>c"),
                                            gtk_named_action_new ("win.copy"));

  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
  gtk_widget_add_controller (GTK_WIDGET (self->view), controller);
}

static void
attn_window_init (AttnWindow *self)
{
  AttnSession *session = attn_session_new ();

  self->is_syncing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->reading = attn_figure_view_get_reading (self->view);
  keep_readout_place (self);
  attn_preset_list_fill (self->presets);
  attn_sidebar_label_drop_down (self->presets, _("Preset"));
  self->is_syncing = FALSE;
  self->session = session;
  load_settings (self);
  attn_window_add_actions (self);
  attn_window_add_document_actions (self);
  attn_window_add_reading (self);
  attn_window_add_drop (self);
  attn_window_add_recent (self);
  add_copy_shortcut (self);
  attn_key_guard_install (GTK_WINDOW (self));
  attn_window_load_preset (self, FIRST_PRESET);
  attn_sidebar_set_session (self->sidebar, session);
  connect_session (self);
  attn_window_add_autosave (self);
  study_changed_cb (self);
  busy_changed_cb (self);
  hit_changed_cb (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

AttnWindow *
attn_window_new (GtkApplication *application)
{
  AttnWindow *self = g_object_new (ATTN_TYPE_WINDOW, "application", application, NULL);
  g_autoptr (GError) error = NULL;

  if (!attn_export_check_fonts (&error))
    {
      /* Without a font the window shows boxes for letters. */
      g_printerr ("attention-grid: %s\n", error->message);
      attn_window_show_problem (self, ATTN_NOTICE_FONTS, _("No Font Was Found"), error, NULL);
    }
  return self;
}
