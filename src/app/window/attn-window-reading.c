/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Actions on the figure: searching for tokens, moving the view, pins and regions (marks on cells),
 * and which rows are shown. */

#include "config.h"

#include "attn-patches.h"
#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-groups-popover.h"
#include "attn-head-groups.h"
#include "attn-head-place.h"
#include "attn-index-set.h"
#include "attn-map-figure.h"
#include "attn-panel-name.h"
#include "attn-popover.h"
#include "attn-readout.h"
#include "attn-single.h"
#include "attn-study-edits.h"
#include "attn-survey-figure.h"

#define BOTH_PANES_WIDTH 900 /* pixels */

#define ZOOM_FACTOR 1.5

/* --- Moving within the figure ----------------------------------------------------------------- */

/* The actions that run a command of the figure view, with the command and its amount. */
static const struct
{
  const char *action;
  AttnCommand command;
  double amount;
} commands[] = {
  { "zoom-in", ATTN_COMMAND_ZOOM, ZOOM_FACTOR },
  { "zoom-out", ATTN_COMMAND_ZOOM, 1 / ZOOM_FACTOR },
  { "zoom-fit", ATTN_COMMAND_FIT, 0 },
  { "zoom-one-to-one", ATTN_COMMAND_PIXELS, 0 },
  { "view-back", ATTN_COMMAND_BACK, 0 },
  { "view-forward", ATTN_COMMAND_FORWARD, 0 },
  { "pin", ATTN_COMMAND_PIN, 0 },
  { "remove-region", ATTN_COMMAND_REMOVE, 0 },
  { "leave", ATTN_COMMAND_ESCAPE, 0 },
};

static void
do_command (AttnReading *reading,
            GVariant    *parameter,
            GAction     *action)
{
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (g_action_get_name (action), commands[i].action))
      attn_reading_do (reading, commands[i].command, commands[i].amount, 0);
}

static void
set_linked (AttnReading *reading,
            GVariant    *value)
{
  attn_reading_do (reading, ATTN_COMMAND_LINK, g_variant_get_boolean (value), 0);
}

static void
set_maximized (AttnReading *reading,
               GVariant    *value)
{
  if (g_variant_get_boolean (value) != (attn_reading_get (reading).views->maximized >= 0))
    attn_reading_do (reading, ATTN_COMMAND_MAXIMIZE, 0, 0);
}

static void
set_tool (AttnWindow      *self,
          AttnReadingTool  tool,
          GVariant        *is_on)
{
  attn_reading_set_tool (self->reading,
                         g_variant_get_boolean (is_on) ? tool : ATTN_READING_TOOL_MOVE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
zoom_rectangle (AttnWindow *self,
                GVariant   *value)
{
  set_tool (self, ATTN_READING_TOOL_ZOOM, value);
}

static void
draw_regions (AttnWindow *self,
              GVariant   *value)
{
  set_tool (self, ATTN_READING_TOOL_REGION, value);
}

/* Updates the actions and the hint when another tool (moving, zooming, drawing regions) is
 * chosen. */
static void
tool_changed_cb (AttnWindow *self)
{
  attn_window_sync_reading (self);
  attn_window_show_hint (self);
}

/* --- Pins and regions ------------------------------------------------------------------------- */

/* Returns the name for a new region or pin, or for a pin that has been moved; %NULL if the user has
 * named that pin, or if the edit changes no name. */
static char *
make_name (AttnWindow           *self,
           const AttnStudy      *study,
           const AttnRegionEdit *edit)
{
  AttnGrid *grid = attn_reading_get (self->reading).grid;

  if (edit->kind == ATTN_REGION_EDIT_CHANGE && edit->region.is_pin)
    {
      const AttnGridCell *cell = &grid->cells[edit->group];
      const AttnRegion *old = &cell->regions[edit->index];
      g_autofree char *name =
          attn_study_edits_name_pin (cell->panel, old->first_row, old->first_column);

      if (g_strcmp0 (name, old->name) != 0)
        return NULL;
    }
  else if (edit->kind != ATTN_REGION_EDIT_ADD)
    return NULL;
  if (edit->region.is_pin)
    return attn_study_edits_name_pin (grid->cells[edit->group].panel, edit->region.first_row,
                                      edit->region.first_column);
  return attn_study_edits_name_region (study);
}

static void
region_edited_cb (AttnWindow           *self,
                  const AttnRegionEdit *edit)
{
  g_autoptr (AttnStudy) study = attn_window_copy_study (self);
  g_autofree char *name = make_name (self, study, edit);

  if (attn_study_edits_apply (study, attn_reading_get (self->reading).grid, edit, name))
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

/* --- Opening a head from an overview ---------------------------------------------------------- */

static void
open_head (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  AttnCellCursor cursor = attn_reading_get (self->reading).cursor;

  /* A map whose cells are still being computed can be opened, too; opening a head ends the
   * computation of the map. */
  if (self->shows_unfinished)
    result = attn_session_get_unfinished (self->session);
  if (cursor.group < 0 || result == NULL ||
      !(self->shows_unfinished || attn_session_is_current (self->session)) ||
      attn_cell_cursor_get_panel (result->grid, cursor.group) == NULL)
    return;
  attn_window_leave_figure (self);
  if (result->survey != NULL)
    {
      attn_session_edit (self->session,
                         attn_survey_figure_choose (result, cursor.group, cursor.row,
                                                    cursor.column),
                         NULL);
      /* The inspector lists the texts of the chosen cell. */
      g_action_group_change_action_state (G_ACTION_GROUP (self), "inspector",
                                          g_variant_new_boolean (TRUE));
      return;
    }
  if (attn_study_get_traits (result->study)->has_own_map)
    {
      attn_session_edit (self->session, attn_map_figure_open (result, cursor.row, cursor.column),
                         NULL);
      return;
    }
  attn_session_edit (self->session, attn_study_new_single (result, cursor.group), NULL);
}

/**
 * attn_window_choose_query:
 * @query: position of a token in the input
 *
 * Makes the panels that are drawn over a picture show where this token looks. If it is the query
 * already, the choice is taken back, and the panels show the first query.
 */
void
attn_window_choose_query (AttnWindow *self,
                          gsize       query)
{
  AttnStudy *study = attn_window_copy_study (self);
  g_autoptr (AttnIndexSet) chosen = attn_index_set_new_range (query, query);
  gboolean is_chosen = study->n_last_queries == 0 && study->queries != NULL &&
                       attn_index_set_equal (study->queries, chosen);

  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = is_chosen ? NULL : g_steal_pointer (&chosen);
  study->n_last_queries = 0;
  attn_session_edit (self->session, study, NULL);
}

/* Makes the patch under the pointer the query, if panels are drawn over a picture. */
static void
choose_patch (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  AttnCellCursor cursor = attn_reading_get (self->reading).cursor;

  if (result == NULL || cursor.group < 0 || !attn_session_is_current (self->session) ||
      !attn_study_get_traits (result->study)->has_grid ||
      !attn_patches_are_shown (result->study, result->model))
    return;
  AttnPanel *panel = attn_cell_cursor_get_panel (result->grid, cursor.group);
  if (panel == NULL)
    return;
  const AttnTokens *tokens = result->inputs[result->cells[cursor.group].input];
  attn_window_choose_query (
      self, attn_patches_find_token (result->model, tokens, &result->grid->cells[cursor.group],
                                     cursor.row, cursor.column));
}

static void
clicked_cb (AttnWindow *self)
{
  if (attn_window_is_overview (self))
    open_head (self);
  else
    choose_patch (self);
}

static void
activated_cb (AttnWindow *self)
{
  if (attn_window_is_overview (self))
    open_head (self);
  else
    attn_reading_do (self->reading, ATTN_COMMAND_PIN, 0, 0);
}

/* Enlarges a panel, or shows all panels again. A single panel is fitted to the view. In an
 * overview, whose cells open at a click, the first of the two clicks has opened the panel
 * already. */
static void
double_clicked_cb (AttnWindow *self)
{
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  gboolean has_several = grid != NULL && grid->n_rows * grid->n_columns > 1;

  if (!attn_window_is_overview (self) && attn_session_is_current (self->session))
    attn_reading_do (self->reading, has_several ? ATTN_COMMAND_MAXIMIZE : ATTN_COMMAND_FIT, 0, 0);
}

/* Opens the popover for the groups of tokens of the head that was clicked last, beside the box of
 * that head in the diagram. */
static void
open_groups (AttnWindow *self)
{
  const AttnScene *scene = attn_reading_get_places (self->reading).scene;
  AttnGrid *grid = scene != NULL ? scene->grid : NULL;
  GdkRectangle place = { 0, 0, 1, 1 };

  if (grid == NULL || grid->diagram == NULL || grid->diagram->n_heads == 0)
    return;

  int head = CLAMP (self->diagram_head, 0, (int) grid->diagram->n_heads - 1);
  double scale = gtk_widget_get_width (GTK_WIDGET (self->view)) / scene->width;
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *box = &mark->rectangle;

      if (mark->group == ATTN_GROUP_DIAGRAM && mark->kind == ATTN_MARK_RECTANGLE &&
          mark->head == head)
        place = (GdkRectangle) { (int) (box->x * scale),
                                 (int) (box->y * scale),
                                 (int) (box->width * scale),
                                 (int) (box->height * scale) };
    }
  attn_groups_popover_open (GTK_WIDGET (self->view), &place, self->session,
                            grid->diagram->heads[head].number);
}

/* Handles a click on the diagram. On the box of a head, opens the group of tokens assigned to it.
 * On the box of a token or a line to it, adds the token to the group of the line's head, or of the
 * head that was clicked last, or removes it. */
static void
beside_clicked_cb (AttnWindow *self,
                   double      x,
                   double      y)
{
  const AttnScene *scene = attn_reading_get_places (self->reading).scene;
  AttnGrid *grid = scene->grid;
  AttnDiagram *diagram = grid != NULL ? grid->diagram : NULL;
  int head, token;

  if (diagram == NULL || attn_groups_popover_get_result (self->session) == NULL ||
      !attn_scene_hit_diagram (scene, x, y, ATTN_DIAGRAM_REACH, &head, &token))
    return;
  if (token < 0)
    {
      self->diagram_head = head;
      open_groups (self);
      return;
    }
  if (head < 0)
    head = MIN (self->diagram_head, (int) diagram->n_heads - 1);
  if (head < 0)
    return;

  AttnStudy *study = attn_window_copy_study (self);
  attn_groups_toggle_shown (study, attn_session_get_result (self->session), head, token);
  attn_session_edit (self->session, study, NULL);
}

/* --- The menu of a cell ----------------------------------------------------------------------- */

static void
menu_asked_cb (AttnWindow *self,
               double      x,
               double      y)
{
  const GdkRectangle place = { (int) x, (int) y, 1, 1 };
  GtkWidget *menu;

  if (attn_reading_get (self->reading).grid == NULL)
    return;
  AttnPlaces places = attn_reading_get_places (self->reading);
  double position;
  gboolean is_bar = attn_places_find_bar (&places, x, y, &position) != NULL;
  menu = gtk_popover_menu_new_from_model (is_bar ? self->scale_menu : self->cell_menu);
  gtk_popover_set_has_arrow (GTK_POPOVER (menu), FALSE);
  gtk_widget_set_halign (menu, GTK_ALIGN_START);
  g_signal_connect_object (menu, "closed", G_CALLBACK (gtk_widget_grab_focus), self->view,
                           G_CONNECT_SWAPPED);
  attn_popover_open (GTK_POPOVER (menu), GTK_WIDGET (self->view), &place);
}

/* Copies the readout of the cell under the cursor as text: layer and head, what is done to the
 * model, position and value. */
static void
copy_cell (AttnWindow *self)
{
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  const AttnHit *hit = attn_reading_get (self->reading).hit;

  if (grid == NULL || hit == NULL)
    return;

  g_autofree char *cell = attn_readout_describe_cell (grid, hit);
  g_autofree char *value = attn_readout_describe_value (grid, hit);
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *place =
      result != NULL ? attn_head_place_describe (result->study, result, FALSE) : g_strdup ("");
  const char *operation = grid->cells[hit->group].operation;
  g_autofree char *text =
      g_strconcat (place, *place != '\0' ? " · " : "", operation != NULL ? operation : "",
                   operation != NULL ? " · " : "", cell, ": ", value, NULL);
  g_autoptr (GdkContentProvider) content = attn_window_offer_text (text);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (self)), content);
  attn_window_show_note (self, _("Copied the cell as text"));
}

/* --- The choice of rows that are shown -------------------------------------------------------- */

static void
show_selected_rows (AttnWindow *self)
{
  const AttnSelection *selection = attn_reading_get (self->reading).selection;
  AttnPanel *panel = attn_cell_cursor_get_panel (attn_reading_get (self->reading).grid,
                                                 selection->group);
  g_autoptr (AttnStudy) study = attn_window_copy_study (self);

  if (panel == NULL)
    return;

  gsize n_rows = attn_panel_get_n_rows (panel);
  g_autofree gsize *positions = g_new (gsize, n_rows);
  for (gsize i = 0; i < n_rows; i++)
    positions[i] = attn_panel_get_row_position (panel, i);
  g_autofree char *text = attn_selection_to_string (selection, positions);
  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = attn_index_set_parse (text, NULL);
  study->n_last_queries = 0;
  if (study->queries != NULL)
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
show_all_rows (AttnWindow *self)
{
  AttnStudy *study = attn_window_copy_study (self);

  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->n_last_queries = 0;
  attn_session_edit (self->session, study, NULL);
}

/* --- Searching for tokens --------------------------------------------------------------------- */

/* Shows the number of tokens that the search has found. @place: number of the found token at the
 * cursor, from 1, in its panel; 0 if the cursor is at none */
static void
show_search_state (AttnWindow *self,
                   gsize       place)
{
  const char *text = gtk_editable_get_text (self->search_entry);
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  gboolean has_several = grid != NULL && grid->n_rows * grid->n_columns > 1;
  gsize n_panels;
  gsize n = attn_reading_count_found (self->reading, &n_panels);
  g_autofree char *state = NULL;

  if (*text == '\0')
    state = g_strdup ("");
  else if (n_panels == 0)
    state = g_strdup (_("Not found"));
  else if (place == 0 && has_several)
    /* Translators: where tokens were found */
    state = g_strdup_printf (
        g_dngettext (NULL, "In %zu panel", "In %zu panels", (gulong) n_panels), n_panels);
  else if (place == 0)
    state = g_strdup_printf (g_dngettext (NULL, "%zu token", "%zu tokens", (gulong) n), n);
  else if (has_several)
    /* Translators: number of the found token at the cursor, and how many were found in the panel */
    state = g_strdup_printf (_("%zu of %zu in this panel"), place, n);
  else
    /* Translators: number of the found token at the cursor, and how many were found */
    state = g_strdup_printf (_("%zu of %zu"), place, n);
  gtk_label_set_label (self->search_state, state);
}

/* Searches for tokens in the figure. */
static void
search (AttnWindow *self)
{
  attn_reading_search (self->reading, gtk_search_bar_get_search_mode (self->search_bar)
                                          ? gtk_editable_get_text (self->search_entry)
                                          : NULL);
}

static void
search_changed_cb (AttnWindow *self)
{
  search (self);
  show_search_state (self, 0);
}

/* Searches again when the figure changes, as another figure has other tokens. */
static void
result_changed_cb (AttnWindow *self)
{
  if (gtk_search_bar_get_search_mode (self->search_bar))
    search_changed_cb (self);
}

static void
step_search (AttnWindow *self,
             int         direction)
{
  if (!gtk_search_bar_get_search_mode (self->search_bar))
    {
      gtk_search_bar_set_search_mode (self->search_bar, TRUE);
      gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
    }
  search (self);
  show_search_state (self, attn_reading_search_step (self->reading, direction));
}

static void
find (AttnWindow *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  gtk_editable_select_region (self->search_entry, 0, -1);
}

/**
 * attn_window_find_next:
 *
 * Moves the cursor to the next token that the search has found; opens the search bar if it is
 * closed.
 */
void
attn_window_find_next (AttnWindow *self)
{
  step_search (self, 1);
}

/**
 * attn_window_find_previous:
 *
 * Moves the cursor to the previous token that the search has found; opens the search bar if it is
 * closed.
 */
void
attn_window_find_previous (AttnWindow *self)
{
  step_search (self, -1);
}

/* Removes the marks of the found tokens when the search bar is closed, and returns the focus to the
 * figure. */
static void
search_mode_cb (AttnWindow *self)
{
  search_changed_cb (self);
  if (!gtk_search_bar_get_search_mode (self->search_bar))
    gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* --- The inspector beside the figure ---------------------------------------------------------- */

/**
 * attn_window_adapt_panes:
 *
 * Hides the sidebar of controls while the inspector is open in a window that is too narrow for both
 * beside the figure.
 */
void
attn_window_adapt_panes (AttnWindow *self)
{
  gtk_widget_set_visible (gtk_paned_get_start_child (self->panes),
                          self->width >= BOTH_PANES_WIDTH || self->inspector == NULL ||
                              !gtk_widget_get_visible (GTK_WIDGET (self->inspector)));
}

static void
set_inspector (AttnWindow    *self,
               GVariant      *value,
               GSimpleAction *action)
{
  g_simple_action_set_state (action, value);
  gtk_widget_set_visible (GTK_WIDGET (attn_window_get_inspector (self)),
                          g_variant_get_boolean (value));
  attn_window_adapt_panes (self);
  if (self->settings != NULL)
    g_settings_set_boolean (self->settings, "shows-inspector", g_variant_get_boolean (value));
}

/* Shows which part of the figure is visible, on a button that returns to the whole. */
static void
sync_place (AttnWindow *self)
{
  const AttnViews *views = attn_reading_get (self->reading).views;
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  g_autofree char *place = grid != NULL ? attn_readout_describe_view (grid, views) : NULL;
  gboolean is_zoomed = place != NULL;

  if (!is_zoomed && grid != NULL && views->maximized >= 0)
    {
      g_autofree char *name = attn_panel_name_translate (grid->cells[views->maximized].name);

      /* Translators: the name of the panel that is shown alone, and what a click does */
      place = g_strdup_printf (_("%s · All Panels"), name);
    }
  if (gtk_widget_get_visible (GTK_WIDGET (self->place_pill)) != (place != NULL))
    {
      gtk_widget_set_visible (GTK_WIDGET (self->place_pill), place != NULL);
      attn_window_sync_readout (self);
    }
  if (place == NULL || g_strcmp0 (gtk_button_get_label (self->place_pill), place) == 0)
    return;
  gtk_button_set_label (self->place_pill, place);
  /* A text that is too long is cut at its start: its end says what a click does. */
  gtk_label_set_ellipsize (GTK_LABEL (gtk_button_get_child (self->place_pill)),
                           PANGO_ELLIPSIZE_START);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->place_pill), place);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->place_pill),
                                  is_zoomed ? "win.zoom-fit" : "win.maximize-panel");
}

/**
 * attn_window_sync_reading:
 *
 * Updates the states of the actions on the figure, and which of them are enabled.
 */
void
attn_window_sync_reading (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnReadingState state = attn_reading_get (self->reading);
  AttnGrid *grid = state.grid;
  AttnReadingTool tool = state.tool;
  gboolean has_cursor = state.cursor.group >= 0;
  gboolean has_several = grid != NULL && grid->n_rows * grid->n_columns > 1;

  sync_place (self);
  attn_actions_set_state (self, "link-panels",
                          g_variant_new_boolean (state.views->own == NULL));
  attn_actions_set_state (self, "maximize-panel",
                          g_variant_new_boolean (state.views->maximized >= 0));
  attn_actions_set_state (self, "zoom-rectangle",
                          g_variant_new_boolean (tool == ATTN_READING_TOOL_ZOOM));
  attn_actions_set_state (self, "draw-regions",
                          g_variant_new_boolean (tool == ATTN_READING_TOOL_REGION));
  const AttnAddition *addition = attn_session_get_addition (self->session);
  /* The action of Escape, which cancels work whose progress is shown, is disabled while a tool is
   * chosen: Escape then leaves the tool. */
  attn_actions_enable (self, "escape",
                       tool == ATTN_READING_TOOL_MOVE &&
                           ((addition != NULL && addition->is_running) ||
                            attn_work_bar_is_shown (self->job_bar) ||
                            attn_work_bar_is_shown (self->export_bar)));
  attn_actions_enable (self, "zoom-in", grid != NULL);
  attn_actions_enable (self, "zoom-out", grid != NULL);
  attn_actions_enable (self, "zoom-fit", grid != NULL);
  attn_actions_enable (self, "view-back", attn_reading_can (self->reading, ATTN_COMMAND_BACK));
  attn_actions_enable (self, "view-forward",
                       attn_reading_can (self->reading, ATTN_COMMAND_FORWARD));
  attn_actions_enable (self, "zoom-one-to-one", grid != NULL);
  attn_actions_enable (self, "maximize-panel", has_several);
  attn_actions_enable (self, "link-panels", has_several);
  attn_actions_enable (self, "find", grid != NULL);
  attn_actions_enable (self, "remove-region",
                       attn_reading_can (self->reading, ATTN_COMMAND_REMOVE));
  attn_actions_enable (self, "copy-cell", has_cursor);
  attn_actions_enable (self, "open-head",
                       has_cursor && has_several && attn_study_get_traits (study)->has_grid);
  attn_actions_enable (self, "edit-groups",
                       grid != NULL && grid->diagram != NULL &&
                           attn_groups_popover_get_result (self->session) != NULL);
  attn_actions_enable (
      self, "show-selected-rows",
      attn_study_get_traits (study)->has_grid &&
          state.selection->group >= 0 && !state.selection->is_column);
  /* There are no rows to show in a figure without a layer, such as a table of layers and tokens:
   * such a table averages over rows. */
  attn_actions_enable (self, "show-all-rows",
                       attn_study_get_traits (study)->has_layer &&
                           (study->queries != NULL || study->n_last_queries > 0));
}

/**
 * attn_window_add_reading:
 *
 * Adds the actions on the figure, and connects the figure, the search bar and the inspector with
 * the window.
 */
void
attn_window_add_reading (AttnWindow *self)
{
  static const AttnAction reading_actions[] = {
    { "link-panels", G_CALLBACK (set_linked), NULL, "true" },
    { "maximize-panel", G_CALLBACK (set_maximized), NULL, "false" },
  };
  static const AttnAction actions[] = {
    { "zoom-rectangle", G_CALLBACK (zoom_rectangle), NULL, "false" },
    { "draw-regions", G_CALLBACK (draw_regions), NULL, "false" },
    { "copy-cell", G_CALLBACK (copy_cell) },
    { "open-head", G_CALLBACK (open_head) },
    { "edit-groups", G_CALLBACK (open_groups) },
    { "show-selected-rows", G_CALLBACK (show_selected_rows) },
    { "show-all-rows", G_CALLBACK (show_all_rows) },
    { "find", G_CALLBACK (find) },
    { "find-next", G_CALLBACK (attn_window_find_next) },
    { "find-previous", G_CALLBACK (attn_window_find_previous) },
    { "inspector", G_CALLBACK (set_inspector), NULL, "false" },
  };
  static const struct
  {
    const char *signal;
    GCallback callback;
  } told[] = {
    { "viewport-changed", G_CALLBACK (attn_window_sync_reading) },
    { "cursor-changed", G_CALLBACK (attn_window_sync_reading) },
    { "cursor-changed", G_CALLBACK (attn_window_sync_chosen) },
    { "tool-changed", G_CALLBACK (tool_changed_cb) },
    { "region-edited", G_CALLBACK (region_edited_cb) },
    { "clicked", G_CALLBACK (clicked_cb) },
    { "beside-clicked", G_CALLBACK (beside_clicked_cb) },
    { "menu-asked", G_CALLBACK (menu_asked_cb) },
    { "activated", G_CALLBACK (activated_cb) },
    { "double-clicked", G_CALLBACK (double_clicked_cb) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    attn_actions_add (self, &(AttnAction) { commands[i].action, G_CALLBACK (do_command) }, 1,
                      self->reading);
  attn_actions_add (self, reading_actions, G_N_ELEMENTS (reading_actions), self->reading);
  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    g_signal_connect_object (self->reading, told[i].signal, told[i].callback, self,
                             G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_bar, "notify::search-mode-enabled",
                           G_CALLBACK (search_mode_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (search_changed_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_search_bar_connect_entry (self->search_bar, self->search_entry);
  if (self->settings != NULL && g_settings_get_boolean (self->settings, "shows-inspector"))
    g_action_group_change_action_state (G_ACTION_GROUP (self), "inspector",
                                        g_variant_new_boolean (TRUE));
  attn_window_sync_reading (self);
}
