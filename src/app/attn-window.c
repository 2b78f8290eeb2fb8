/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-readout.h"
#include "attn-settings.h"
#include "attn-startup.h"

/* Shorter work is not worth a progress bar. */
#define PROGRESS_DELAY_MS 150

#define FIRST_PRESET "mean-operation"

G_DEFINE_FINAL_TYPE (AttnWindow, attn_window, GTK_TYPE_APPLICATION_WINDOW)

/**
 * attn_window_show_error:
 * @error: in one sentence what went wrong
 *
 * Says so above the figure until it is closed. Everything else stays as it is.
 */
void
attn_window_show_error (AttnWindow   *self,
                        const GError *error)
{
  gtk_label_set_label (self->info_text, error->message);
  gtk_info_bar_set_revealed (self->info_bar, TRUE);
}

static void
show_error_cb (AttnWindow   *self,
               const GError *error)
{
  attn_window_show_error (self, error);
}

static void
close_message_cb (AttnWindow *self)
{
  gtk_info_bar_set_revealed (self->info_bar, FALSE);
}

/**
 * attn_window_show_note:
 * @note: plain text
 *
 * Stands in place of the readout until a cell is pointed at.
 */
void
attn_window_show_note (AttnWindow *self,
                       const char *note)
{
  gtk_label_set_label (self->readout_cell, note);
  gtk_label_set_label (self->readout_value, "");
  gtk_label_set_label (self->readout_panel, "");
}

static void
hit_changed_cb (AttnWindow *self)
{
  AttnScene *scene = attn_figure_view_get_scene (self->view);
  const AttnHit *hit = attn_figure_view_get_hit (self->view);

  if (hit == NULL || scene == NULL)
    {
      attn_window_show_note (self, _("Point at a cell to read it; scroll to zoom, drag to move"));
      return;
    }

  g_autofree char *cell = attn_readout_describe_cell (attn_scene_get_grid (scene), hit);
  g_autofree char *value = attn_readout_describe_value (attn_scene_get_grid (scene), hit);
  gtk_label_set_label (self->readout_cell, cell);
  gtk_label_set_label (self->readout_value, value);

  AttnResult *result = attn_session_get_result (self->session);
  if (result == NULL || result->grid != attn_scene_get_grid (scene))
    return;
  g_autofree char *panel = attn_readout_describe_panel (&result->measures[hit->group]);
  gtk_label_set_label (self->readout_panel, panel);
}

static void
painted_cb (AttnWindow *self)
{
  attn_startup_trace (GTK_WIDGET (self->view));
}

static void
hide_progress (AttnWindow *self)
{
  g_clear_handle_id (&self->progress_timeout, g_source_remove);
  gtk_revealer_set_reveal_child (self->progress_revealer, FALSE);
  gtk_widget_set_can_target (GTK_WIDGET (self->progress_revealer), FALSE);
}

static gboolean
progress_timeout_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->progress_timeout = 0;
  gtk_revealer_set_reveal_child (self->progress_revealer, TRUE);
  gtk_widget_set_can_target (GTK_WIDGET (self->progress_revealer), TRUE);
  return G_SOURCE_REMOVE;
}

static void
busy_changed_cb (AttnWindow *self)
{
  if (!attn_session_is_busy (self->session))
    hide_progress (self);
  else if (self->progress_timeout == 0 && !gtk_revealer_get_reveal_child (self->progress_revealer))
    {
      gtk_progress_bar_set_text (self->progress, _("Computing"));
      gtk_progress_bar_set_fraction (self->progress, 0);
      self->progress_timeout = g_timeout_add (PROGRESS_DELAY_MS, progress_timeout_cb, self);
    }
  attn_window_sync_actions (self);
}

static void
progress_cb (AttnWindow *self,
             const char *stage,
             double      fraction)
{
  gtk_progress_bar_set_text (self->progress, stage);
  gtk_progress_bar_set_fraction (self->progress, CLAMP (fraction, 0, 1));
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
  attn_figure_view_set_figure (self->view, result->grid,
                               &attn_session_get_study (self->session)->style);
  gtk_stack_set_visible_child_name (self->stack, "figure");
}

/* Colours change at once; all else waits for the result, so that nothing is laid out twice. */
static void
study_changed_cb (AttnWindow *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  AttnScene *scene = attn_figure_view_get_scene (self->view);
  const AttnStyle *shown = scene != NULL ? attn_scene_get_style (scene) : NULL;

  sync_preset (self);
  attn_window_sync_actions (self);
  if (shown != NULL && (shown->colormap != style->colormap || shown->low != style->low ||
                        shown->high != style->high))
    show_figure (self);
}

static void
result_changed_cb (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  /* Translators: the name of a model and the program */
  g_autofree char *title =
      g_strdup_printf (_("%s — Attention Grid"), attn_model_get_name (result->model));

  gtk_window_set_title (GTK_WINDOW (self), title);
  show_figure (self);
  attn_window_sync_actions (self);
}

static void
failed_cb (AttnWindow   *self,
           const GError *error)
{
  attn_window_show_error (self, error);
  if (attn_session_get_result (self->session) == NULL)
    gtk_stack_set_visible_child_name (self->stack, "empty");
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

static void
fill_presets (AttnWindow *self)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  for (gsize i = 0; i < n_presets; i++)
    gtk_string_list_append (titles, _(presets[i].title));
  gtk_drop_down_set_model (self->presets, G_LIST_MODEL (titles));
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

  if (self->settings != NULL)
    {
      gtk_window_get_default_size (window, &width, &height);
      g_settings_set_int (self->settings, "window-width", width);
      g_settings_set_int (self->settings, "window-height", height);
      g_settings_set_boolean (self->settings, "is-maximized", gtk_window_is_maximized (window));
      g_settings_set_string (self->settings, "colormap", attn_colormap_get_name (attn_session_get_study (self->session)->style.colormap));
    }
  return GTK_WINDOW_CLASS (attn_window_parent_class)->close_request (window);
}

static void
attn_window_dispose (GObject *object)
{
  AttnWindow *self = ATTN_WINDOW (object);

  g_clear_handle_id (&self->progress_timeout, g_source_remove);
  g_clear_object (&self->chooser);
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
  window_class->close_request = attn_window_close_request;

  g_type_ensure (ATTN_TYPE_FIGURE_VIEW);
  g_type_ensure (ATTN_TYPE_SIDEBAR);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/attentiongrid/AttentionGrid/window.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, view);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, presets);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, info_bar);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, info_text);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, progress_revealer);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, progress);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_cell);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_value);
  gtk_widget_class_bind_template_child (widget_class, AttnWindow, readout_panel);
  gtk_widget_class_bind_template_callback (widget_class, show_error_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_message_cb);
  gtk_widget_class_bind_template_callback (widget_class, hit_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, painted_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_selected_cb);
}

static void
connect_session (AttnWindow *self)
{
  g_signal_connect_object (self->session, "study-changed", G_CALLBACK (study_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "busy-changed", G_CALLBACK (busy_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "failed", G_CALLBACK (failed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
attn_window_init (AttnWindow *self)
{
  AttnSession *session = attn_session_new ();

  self->is_syncing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_presets (self);
  attn_sidebar_label_drop_down (self->presets, _("Preset"));
  self->is_syncing = FALSE;
  self->session = session;
  load_settings (self);
  attn_window_add_actions (self);
  attn_window_add_drop (self);
  attn_window_load_preset (self, FIRST_PRESET);
  attn_sidebar_set_session (self->sidebar, session);
  connect_session (self);
  study_changed_cb (self);
  busy_changed_cb (self);
  hit_changed_cb (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

AttnWindow *
attn_window_new (GtkApplication *application)
{
  return g_object_new (ATTN_TYPE_WINDOW, "application", application, NULL);
}
