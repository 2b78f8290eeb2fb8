/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-recent.h"
#include "attn-settings.h"
#include "attn-tooltip.h"
#include "attn-view-range.h"

static AttnStudy *
copy_study (AttnWindow *self)
{
  return attn_study_copy (attn_session_get_study (self->session));
}

/* An input that is not the preset's own was written by the user and stays. */
static void
keep_inputs (AttnStudy       *study,
             const AttnStudy *old,
             const AttnStudy *origin)
{
  for (guint i = 0; origin != NULL && i < old->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (old->inputs, i);
      const AttnInput *own = i < origin->inputs->len ? g_ptr_array_index (origin->inputs, i) : NULL;

      if (own != NULL && input->ids == NULL && g_strcmp0 (input->text, own->text) == 0)
        continue;
      if (i < study->inputs->len)
        {
          attn_input_free (g_ptr_array_index (study->inputs, i));
          g_ptr_array_index (study->inputs, i) = attn_input_copy (input);
        }
      else
        g_ptr_array_add (study->inputs, attn_input_copy (input));
    }
}

/* The same of how it looks: a preset has colours of its own unless the user has chosen others. */
static void
keep_look (AttnStyle       *style,
           const AttnStyle *old,
           const AttnStyle *origin)
{
  if (origin == NULL || old->colormap != origin->colormap)
    style->colormap = old->colormap;
  if (origin == NULL || old->font_family != origin->font_family)
    style->font_family = old->font_family;
  if (origin == NULL || old->font_size != origin->font_size)
    style->font_size = old->font_size;
  if (origin == NULL || old->n_digits != origin->n_digits)
    style->n_digits = old->n_digits;
}

static void
keep_choices (AttnStudy       *study,
              const AttnStudy *old)
{
  g_autoptr (AttnStudy) origin = old->preset != NULL ? attn_presets_load (old->preset, NULL) : NULL;

  g_free (study->model_path);
  study->model_path = g_strdup (old->model_path);
  study->adds_special_tokens = old->adds_special_tokens;
  study->layer = old->layer;
  study->head = old->head;
  keep_look (&study->style, &old->style, origin != NULL ? &origin->style : NULL);
  keep_inputs (study, old, origin);
}

/**
 * attn_window_load_preset:
 * @name: of a preset
 *
 * Shows the preset with the model, the inputs and the colours that the user has chosen.
 */
void
attn_window_load_preset (AttnWindow *self,
                         const char *name)
{
  const AttnStudy *old = attn_session_get_study (self->session);
  AttnModel *model = attn_session_get_model (self->session);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load (name, &error);

  if (study == NULL)
    {
      attn_window_show_problem (self, ATTN_NOTICE_OPEN, _("That Could Not Be Opened"), error, NULL);
      return;
    }
  attn_settings_apply_to_study (self->settings, study);
  if (old->inputs->len == 0)
    {
      attn_session_open (self->session, study);
      return;
    }
  keep_choices (study, old);
  if (model != NULL)
    attn_edits_fit_inputs (study, attn_model_get_info (model));
  attn_session_edit (self->session, study, NULL);
  attn_reading_do (self->reading, ATTN_COMMAND_FIT, 0, 0);
}

static void
preset_cb (GSimpleAction *action,
           GVariant      *value,
           gpointer       user_data)
{
  attn_window_load_preset (user_data, g_variant_get_string (value, NULL));
}

static void
choose_preset_cb (GSimpleAction *action,
                  GVariant      *parameter,
                  gpointer       user_data)
{
  AttnWindow *self = user_data;

  gtk_widget_grab_focus (GTK_WIDGET (self->presets));
  gtk_widget_activate (GTK_WIDGET (self->presets));
}

/* Where each component has its own panels, at least one takes part. */
static void
component_cb (GSimpleAction *action,
              GVariant      *value,
              gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (AttnStudy) study = copy_study (self);
  AttnComponent component;
  guint n = 0;

  if (!attn_names_parse (attn_component_names, g_action_get_name (G_ACTION (action)), &component, NULL))
    return;
  study->components[component] = g_variant_get_boolean (value);
  for (guint i = 0; i < ATTN_N_COMPONENTS; i++)
    n += study->components[i];
  if (n > 0 || !attn_edits_varies (study, ATTN_DIMENSION_COMPONENT))
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
axis_cb (GSimpleAction *action,
         GVariant      *value,
         gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (AttnStudy) study = copy_study (self);

  if (attn_names_parse (attn_axis_names, g_variant_get_string (value, NULL), &study->axis, NULL))
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
site_cb (GSimpleAction *action,
         GVariant      *value,
         gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (AttnStudy) study = copy_study (self);

  if (attn_names_parse (attn_site_names, g_variant_get_string (value, NULL), &study->site, NULL))
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
colormap_cb (GSimpleAction *action,
             GVariant      *value,
             gpointer       user_data)
{
  AttnWindow *self = user_data;
  g_autoptr (AttnStudy) study = copy_study (self);

  if (attn_colormap_parse (g_variant_get_string (value, NULL), &study->style.colormap, NULL))
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
special_tokens_cb (GSimpleAction *action,
                   GVariant      *value,
                   gpointer       user_data)
{
  AttnWindow *self = user_data;
  AttnStudy *study = copy_study (self);

  study->adds_special_tokens = g_variant_get_boolean (value);
  attn_session_edit (self->session, study, NULL);
}

static void
find_groups_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  AttnWindow *self = user_data;
  AttnStudy *study = copy_study (self);

  attn_edits_find_groups (study);
  attn_session_edit (self->session, study, NULL);
}

static void
open_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  attn_window_choose_model (user_data);
}

static void
open_file_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  attn_window_choose_file (user_data);
}

static void
open_default_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_session_open_path (self->session, NULL, NULL);
}

static void
open_recent_cb (GSimpleAction *action,
                GVariant      *path,
                gpointer       user_data)
{
  attn_window_open_path (user_data, g_variant_get_bytestring (path));
}

static void
clear_recent_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  attn_recent_clear ();
  attn_window_fill_recent (user_data);
}

static void
export_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  attn_window_choose_export (user_data);
}

static void
export_sweep_cb (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       user_data)
{
  attn_window_choose_sweep (user_data);
}

static void
cancel_export_cb (GSimpleAction *action,
                  GVariant      *parameter,
                  gpointer       user_data)
{
  attn_window_cancel_export (user_data);
}

static void
copy_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  attn_window_copy (user_data, FALSE);
}

static void
copy_figure_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  attn_window_copy (user_data, TRUE);
}

static void
add_input_cb (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_sidebar_add_input (self->sidebar);
}

static void
undo_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_session_undo (self->session);
}

static void
redo_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  AttnWindow *self = user_data;

  attn_session_redo (self->session);
}

static void
cancel_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  AttnWindow *self = user_data;

  if (attn_session_is_busy (self->session))
    attn_session_cancel (self->session);
  else
    attn_window_cancel_export (self);
}

/* A logarithmic scale has no 0: so many powers of ten are as many as one can tell apart. */
#define LOG_SPAN 1e-6

static void
range_of_view_cb (GSimpleAction *action,
                  GVariant      *parameter,
                  gpointer       user_data)
{
  AttnWindow *self = user_data;
  const AttnViews *views = attn_reading_get_views (self->reading);
  AttnGrid *grid = attn_reading_get_grid (self->reading);
  double low, high;

  if (grid == NULL ||
      !attn_view_range_find (grid, views->maximized, &views->shared, &low, &high))
    return;
  AttnStudy *study = copy_study (self);
  study->style.range = ATTN_RANGE_FIXED;
  study->style.low = study->style.scale == ATTN_SCALE_LOG ? MAX (low, high * LOG_SPAN) : low;
  study->style.high = high;
  study->style.tick = (high - study->style.low) / 5;
  attn_session_edit (self->session, study, NULL);
}

static const GActionEntry entries[] = {
  { "open", open_cb },
  { "open-file", open_file_cb },
  { "open-default", open_default_cb },
  { "open-recent", open_recent_cb, "ay" },
  { "clear-recent", clear_recent_cb },
  { "export", export_cb },
  { "export-sweep", export_sweep_cb },
  { "cancel-export", cancel_export_cb },
  { "copy", copy_cb },
  { "copy-figure", copy_figure_cb },
  { "undo", undo_cb },
  { "redo", redo_cb },
  { "cancel", cancel_cb },
  { "escape", cancel_cb },
  { "add-input", add_input_cb },
  { "find-groups", find_groups_cb },
  { "range-of-view", range_of_view_cb },
  { "choose-preset", choose_preset_cb },
  { "preset", NULL, "s", "''", preset_cb },
  { "query", NULL, NULL, "false", component_cb },
  { "key", NULL, NULL, "false", component_cb },
  { "value", NULL, NULL, "false", component_cb },
  { "axis", NULL, "s", "''", axis_cb },
  { "site", NULL, "s", "''", site_cb },
  { "colormap", NULL, "s", "''", colormap_cb },
  { "special-tokens", NULL, NULL, "false", special_tokens_cb },
};

void
attn_window_add_actions (AttnWindow *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}

static void
set_state (AttnWindow *self,
           const char *name,
           GVariant   *state)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);
  g_autoptr (GVariant) old = g_action_get_state (action);
  g_autoptr (GVariant) new = g_variant_ref_sink (state);

  if (!g_variant_equal (old, new))
    g_simple_action_set_state (G_SIMPLE_ACTION (action), new);
}

static void
set_enabled (AttnWindow *self,
             const char *name,
             gboolean    is_enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), is_enabled);
}

/* What is written is the figure of the study, not one of an earlier study that is still shown. */
static void
sync_export (AttnWindow *self)
{
  gboolean has_figure = attn_session_get_result (self->session) != NULL && !self->is_stale;

  set_enabled (self, "export", has_figure && self->export_cancellable == NULL);
  set_enabled (self, "copy", has_figure);
  set_enabled (self, "copy-figure", has_figure);
  attn_tooltip_set (
      self->export_button,
      self->is_stale ? _("Not yet: the figure shown is that of an earlier study")
                     : _("Save the figure as SVG, PDF or PNG, or its weights as NumPy, CSV or JSON"));
}

/* Makes the actions' states, and so the buttons, say what the study says. */
void
attn_window_sync_actions (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gboolean has_result = attn_session_get_result (self->session) != NULL;
  gboolean is_exporting = self->export_cancellable != NULL;

  for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
    set_state (self, attn_component_names[i], g_variant_new_boolean (study->components[i]));
  set_state (self, "preset", g_variant_new_string (study->preset != NULL ? study->preset : ""));
  set_state (self, "axis", g_variant_new_string (attn_axis_names[study->axis]));
  set_state (self, "site", g_variant_new_string (attn_site_names[study->site]));
  set_state (self, "colormap",
             g_variant_new_string (attn_colormap_get_name (study->style.colormap)));
  set_state (self, "special-tokens", g_variant_new_boolean (study->adds_special_tokens));
  set_enabled (self, "find-groups",
               study->figure == ATTN_FIGURE_HEAD_GROUPS &&
                   study->groups.rule == ATTN_GROUP_RULE_ASSIGNED);
  set_enabled (self, "undo", attn_session_can_undo (self->session));
  set_enabled (self, "redo", attn_session_can_redo (self->session));
  set_enabled (self, "cancel", attn_session_is_busy (self->session) || is_exporting);
  set_enabled (self, "cancel-export", is_exporting);
  set_enabled (self, "export-sweep", attn_sweep_is_possible (study) && !is_exporting);
  sync_export (self);
  set_enabled (self, "zoom-in", has_result);
  set_enabled (self, "zoom-out", has_result);
  set_enabled (self, "zoom-fit", has_result);
  /* The ends of the other scales are not weights. */
  set_enabled (self, "range-of-view",
               has_result && study->figure == ATTN_FIGURE_GRID &&
                   study->style.scale != ATTN_SCALE_RATIO &&
                   study->style.scale != ATTN_SCALE_PERCENTILE);
  set_enabled (self, "add-input", attn_sidebar_takes_inputs (self->sidebar));
  attn_window_sync_reading (self);
}
