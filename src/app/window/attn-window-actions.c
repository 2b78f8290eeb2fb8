/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-settings.h"
#include "attn-view-range.h"

/**
 * attn_window_load_preset:
 * @name: the name of a preset
 *
 * Shows the preset with the model, the inputs and the colours that the user has chosen. In a study
 * that did not begin as a preset it is not known which inputs the user has typed: if they are those
 * of no preset, a note says that the inputs of the preset replace them. Inputs of the preset that
 * the user has removed stay away, unless the preset needs them or is the one that is shown: chosen
 * again it brings them back, and a note says so.
 */
void
attn_window_load_preset (AttnWindow *self,
                         const char *name)
{
  const AttnStudy *old = attn_session_get_study (self->session);
  const GPtrArray *undo = attn_session_get_document (self->session)->undo;
  gboolean takes_inputs =
      attn_presets_get_origin (old) == NULL && !attn_presets_have_inputs (old);
  gboolean is_again = g_strcmp0 (old->preset, name) == 0;
  guint n_old = old->inputs->len;
  AttnModel *model = attn_session_get_model (self->session);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load (name, &error);

  if (study == NULL)
    {
      attn_window_show_open_error (self, name, error);
      return;
    }
  attn_settings_apply_to_study (self->settings, study);
  if (old->inputs->len == 0)
    {
      attn_session_open (self->session, study);
      return;
    }
  g_clear_pointer (&self->came_from, attn_study_unref);
  attn_edits_keep_choices (study, old, undo);
  if (!is_again)
    attn_edits_leave_removed_out (study, old, undo);
  attn_window_leave_survey (self, study);
  if (model != NULL)
    attn_edits_fit_inputs (study, attn_model_get_info (model));
  gboolean brings_back = is_again && study->inputs->len > n_old;
  attn_session_edit (self->session, study, NULL);
  if (takes_inputs)
    attn_window_show_figure_note (self,
                                  _("These are the inputs of the preset: undo brings yours back"));
  else if (brings_back)
    attn_window_show_figure_note (self, _("The inputs of the preset are back: undo removes them "
                                          "again"));
}

/* Compares the base model, the model with its adapter, and their difference: in the grid of panels
 * that the study has, or in the preset “compare” if it shows no such grid. */
static void
compare_with_base (AttnWindow *self)
{
  const AttnStudy *old = attn_session_get_study (self->session);
  AttnStudy *study = attn_study_get_traits (old)->has_grid ? attn_study_copy (old)
                                                           : attn_presets_load ("compare", NULL);

  if (study == NULL)
    return;
  if (!attn_study_get_traits (old)->has_grid)
    attn_edits_keep_choices (study, old, attn_session_get_document (self->session)->undo);
  if (attn_edits_compare_with_base (study))
    attn_session_edit (self->session, study, NULL);
  else
    attn_study_unref (study);
}

static void
choose_preset (AttnWindow *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->presets));
  gtk_widget_activate (GTK_WIDGET (self->presets));
}

static void
set_special_tokens (AttnWindow *self,
                    GVariant   *value)
{
  AttnStudy *study = attn_window_copy_study (self);

  study->adds_special_tokens = g_variant_get_boolean (value);
  attn_session_edit (self->session, study, NULL);
}

static void
find_groups (AttnWindow *self)
{
  AttnStudy *study = attn_window_copy_study (self);

  attn_edits_find_groups (study);
  attn_session_edit (self->session, study, NULL);
}

static void
open_default (AttnWindow *self)
{
  attn_session_open_path (self->session, NULL, NULL);
}

/* The lower end of the range of a logarithmic colour scale, as a fraction of the upper end: such a
 * scale has no 0. */
#define LOG_SPAN 1e-6

#define NOTICE_DIM "dim"

static void
take_range_of_view (AttnWindow *self)
{
  const AttnViews *views = attn_reading_get (self->reading).views;
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  double low, high;

  if (grid == NULL ||
      !attn_view_range_find (grid, views->maximized, &views->shared, &low, &high))
    return;
  AttnStudy *study = attn_window_copy_study (self);
  study->style.range = ATTN_RANGE_FIXED;
  study->style.low = study->style.scale == ATTN_SCALE_LOG ? MAX (low, high * LOG_SPAN) : low;
  study->style.high = high;
  study->style.tick = (high - study->style.low) / 5;
  attn_session_edit (self->session, study, NULL);
}

/* Sets the range of the colours, as the user has asked by a drag or a double click on the colour
 * bar of the figure. */
static void
range_asked_cb (AttnWindow *self,
                double      low,
                double      high)
{
  if (low >= high)
    {
      g_action_group_activate_action (G_ACTION_GROUP (self), "range-of-view", NULL);
      return;
    }
  AttnStudy *study = attn_window_copy_study (self);
  study->style.range = ATTN_RANGE_FIXED;
  study->style.low = low;
  study->style.high = high;
  study->style.tick = (high - low) / 5;
  attn_session_edit (self->session, study, "color-range");
}

/* Sets the colour scale. A scale that is not linear gets a range that is computed from the weights,
 * and masked cells get a colour if the study has none for them. */
static void
set_color_scale (AttnWindow *self,
                 GVariant   *value)
{
  g_autoptr (AttnStudy) study = attn_window_copy_study (self);
  AttnStyle *style = &study->style;

  if (!attn_text_parse_name (attn_scale_kind_names, g_variant_get_string (value, NULL),
                             &style->scale, NULL))
    return;
  if (style->scale != ATTN_SCALE_LINEAR)
    {
      style->range = ATTN_RANGE_DATA;
      style->has_masked_color = TRUE;
    }
  attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

/* Offers another colour scale in a notice if nearly all weights have the same colour, as with long
 * inputs. */
static void
sync_dim (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const AttnNotice notice = {
    .id = NOTICE_DIM,
    .type = GTK_MESSAGE_INFO,
    .title = _("Nearly All Weights Have One Colour"),
    .text = _("They lie below a twentieth of the range."),
    .actions = { { _("_Logarithmic Scale"), "win.color-scale::log" },
                 { _("_Ratio to Uniform"), "win.color-scale::ratio" } },
  };
  gboolean is_dim = attn_study_get_traits (result->study)->has_grid &&
                    attn_view_range_is_dim (result->grid, &result->study->style);

  if (is_dim && !self->is_dim)
    attn_notices_show (self->notices, &notice);
  else if (!is_dim)
    attn_notices_hide (self->notices, NOTICE_DIM);
  self->is_dim = is_dim;
}

/* Cancels the work whose progress is shown: the answer that the model is generating, else the
 * computation of the figure, else an export. */
static void
escape (AttnWindow *self)
{
  const AttnAddition *addition = attn_session_get_addition (self->session);

  if (addition != NULL && addition->is_running)
    attn_session_stop_addition (self->session);
  else if (attn_session_is_busy (self->session))
    attn_session_cancel (self->session);
  else
    attn_window_cancel_export (self);
}

/* Has the model continue the text of the input that is being edited, else of the input shown in the
 * panel under the pointer. */
static void
let_go_on (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const AttnHit *hit = attn_reading_get (self->reading).hit;
  gsize n_cells = result != NULL && attn_study_get_traits (result->study)->has_grid
                      ? result->grid->n_rows * result->grid->n_columns
                      : 0;
  gsize input = hit != NULL && (gsize) hit->group < n_cells ? result->cells[hit->group].input : 0;

  attn_inputs_section_continue (attn_window_get_inputs (self), (guint) input);
}

static void
add_input (AttnWindow *self)
{
  attn_inputs_section_add (attn_window_get_inputs (self));
}

/* Shows the window of keyboard shortcuts. It is created on first use: at the start of the program
 * it took a twentieth of the time to the first figure. */
static void
show_shortcuts (AttnWindow *self)
{
  GtkApplicationWindow *window = GTK_APPLICATION_WINDOW (self);

  if (gtk_application_window_get_help_overlay (window) == NULL)
    {
      g_autoptr (GtkBuilder) builder =
          gtk_builder_new_from_resource ("/io/github/attentiongrid/AttentionGrid/help-overlay.ui");

      gtk_application_window_set_help_overlay (
          window, GTK_SHORTCUTS_WINDOW (gtk_builder_get_object (builder, "help_overlay")));
    }
  gtk_window_present (GTK_WINDOW (gtk_application_window_get_help_overlay (window)));
}

/**
 * attn_window_add_actions:
 *
 * Adds the actions of this file, most of which edit the study, and those of the session: undo,
 * redo.
 */
void
attn_window_add_actions (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "open-default", G_CALLBACK (open_default) },
    { "escape", G_CALLBACK (escape) },
    { "add-input", G_CALLBACK (add_input) },
    { "continue", G_CALLBACK (let_go_on) },
    { "find-groups", G_CALLBACK (find_groups) },
    { "compare-with-base", G_CALLBACK (compare_with_base) },
    { "range-of-view", G_CALLBACK (take_range_of_view) },
    { "choose-preset", G_CALLBACK (choose_preset) },
    { "show-help-overlay", G_CALLBACK (show_shortcuts) },
    { "color-scale", G_CALLBACK (set_color_scale), "s", "''" },
    { "special-tokens", G_CALLBACK (set_special_tokens), NULL, "false" },
  };
  static const AttnAction session_actions[] = {
    { "undo", G_CALLBACK (attn_session_undo) },
    { "redo", G_CALLBACK (attn_session_redo) },
    { "cancel", G_CALLBACK (attn_session_cancel) },
    { "keep-answer", G_CALLBACK (attn_session_keep_addition) },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
  attn_actions_add (self, session_actions, G_N_ELEMENTS (session_actions), self->session);
  g_signal_connect_object (self->reading, "range-asked", G_CALLBACK (range_asked_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "result-changed", G_CALLBACK (sync_dim), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

/**
 * attn_window_sync_actions:
 *
 * Sets the states of the actions, which buttons and menus show, to the values in the study, and
 * enables those that are possible.
 */
void
attn_window_sync_actions (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gboolean has_result = attn_session_get_result (self->session) != NULL;

  attn_actions_set_state (self, "color-scale",
                          g_variant_new_string (attn_scale_kind_names[study->style.scale]));
  attn_actions_set_state (self, "special-tokens",
                          g_variant_new_boolean (study->adds_special_tokens));
  attn_actions_enable (self, "find-groups", attn_study_assigns_groups (study));
  attn_actions_enable (self, "undo", attn_session_can_undo (self->session));
  attn_actions_enable (self, "redo", attn_session_can_redo (self->session));
  attn_actions_enable (self, "cancel", attn_session_is_busy (self->session));
  /* The range of the colours cannot be taken from the weights in view if the scale is one of ratios
   * or percentiles: the ends of such a range are not weights. */
  attn_actions_enable (self, "range-of-view",
                       has_result && attn_study_get_traits (study)->has_grid &&
                           study->style.scale != ATTN_SCALE_RATIO &&
                           study->style.scale != ATTN_SCALE_PERCENTILE);
  attn_actions_enable (self, "add-input",
                       attn_session_takes_inputs (self->session));
  const AttnAddition *addition = attn_session_get_addition (self->session);
  attn_actions_enable (self, "keep-answer", addition != NULL && addition->answer != NULL);
  attn_actions_enable (
      self, "continue",
      !attn_session_is_recorded (self->session) &&
          !attn_study_asks_question (study));
  attn_window_sync_heads (self);
  attn_window_sync_export (self);
  attn_window_sync_reading (self);
}
