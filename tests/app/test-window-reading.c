/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What reading the figure does to the study: heads opened from the overview, groups edited in the
 * diagram, pins and regions, rows left out. */

#include "config.h"

#include <glib/gstdio.h>

#include "attn-heading.h"
#include "attn-markup.h"
#include "attn-number-table.h"
#include "attn-groups-popover.h"
#include "attn-readout.h"
#include "attn-token-chips.h"
#include "window-fixture.h"

static void
test_head_opens_from_the_overview (gpointer      *fixture,
                                   gconstpointer  preset)
{
  const AttnModelInfo *info =
      attn_model_get_info (attn_session_get_result (window->session)->model);

  go_to ((int) info->n_heads + 1, 3, 2);
  g_signal_emit_by_name (window->reading, "clicked");
  g_assert_cmpint (get_shown_study ()->layer, ==, 1);
  g_assert_cmpint (get_shown_study ()->head, ==, 1);
  wait_for_figure (window);
  AttnGrid *grid = attn_reading_get (window->reading).grid;
  g_assert_cmpuint (grid->n_rows * grid->n_columns, ==, 1);
  activate ("undo");
  wait_for_figure (window);
  grid = attn_reading_get (window->reading).grid;
  g_assert_cmpuint (grid->n_rows, ==, info->n_layers);
}

/* Another measure computes another map, whose cells open their heads; undo leads back. */
static void
test_head_opens_from_the_atlas (gpointer      *fixture,
                                gconstpointer  preset)
{
  AttnPanel *panel = attn_reading_get (window->reading).grid->cells[0].panel;
  float effect = attn_panel_get_value (panel, 1, 3);

  gtk_drop_down_set_selected (find_id (window, "measure"), ATTN_HEAD_MEASURE_SINK);
  g_assert_cmpint (get_shown_study ()->measure, ==, ATTN_HEAD_MEASURE_SINK);
  wait_for_figure (window);
  panel = attn_reading_get (window->reading).grid->cells[0].panel;
  g_assert_cmpfloat (attn_panel_get_value (panel, 1, 3), !=, effect);
  go_to (0, 1, 2);
  g_signal_emit_by_name (window->reading, "clicked");
  g_assert_cmpint (get_shown_study ()->layer, ==, 1);
  g_assert_cmpint (get_shown_study ()->head, ==, 2);
  wait_for_figure (window);
  activate ("undo");
  wait_for_figure (window);
  g_assert_cmpint (get_shown_study ()->figure, ==, ATTN_FIGURE_SCORE_ATLAS);
}

/* A cell of the patch map opens the second input with that patch. */
static void
test_patch_opens_from_the_map (gpointer      *fixture,
                               gconstpointer  preset)
{
  go_to (0, 1, 6);
  g_signal_emit_by_name (window->reading, "clicked");
  g_assert_cmpuint (get_shown_study ()->extra_interventions->len, ==, 1);
  wait_for_figure (window);
  g_assert_cmpuint (attn_reading_get (window->reading).grid->n_columns, ==, 3);
}

/* The middle of the box of a token, in points. */
static void
locate_token (int     token,
              double *x,
              double *y)
{
  const AttnScene *scene = attn_reading_get_places (window->reading).scene;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->group == ATTN_GROUP_DIAGRAM && mark->kind == ATTN_MARK_RECTANGLE &&
          mark->token == token)
        {
          *x = mark->rectangle.x + mark->rectangle.width / 2;
          *y = mark->rectangle.y + mark->rectangle.height / 2;
          return;
        }
    }
  g_assert_not_reached ();
}

static guint
count_tokens (guint group)
{
  const AttnGroup *assigned = g_ptr_array_index (get_shown_study ()->groups.assigned, group);

  return g_strv_length (assigned->tokens);
}

static void
test_click_in_the_diagram_changes_a_group (gpointer      *fixture,
                                           gconstpointer  preset)
{
  guint before = count_tokens (0);
  double x, y;

  locate_token (4, &x, &y);
  g_signal_emit_by_name (window->reading, "beside-clicked", x, y);
  g_assert_cmpuint (count_tokens (0), ==, before + 1);
  wait_for_figure (window);
  locate_token (4, &x, &y);
  g_signal_emit_by_name (window->reading, "beside-clicked", x, y);
  g_assert_cmpuint (count_tokens (0), ==, before);
  activate ("undo");
  g_assert_cmpuint (count_tokens (0), ==, before + 1);
  wait_for_figure (window);
}

static GtkToggleButton *
find_toggle (GtkWidget  *widget,
             const char *label)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_TOGGLE_BUTTON (child) &&
          g_strcmp0 (gtk_button_get_label (GTK_BUTTON (child)), label) == 0)
        return GTK_TOGGLE_BUTTON (child);
      GtkToggleButton *found = find_toggle (child, label);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A token of no group is not in the diagram, but among those to choose from. */
static void
test_groups_are_edited_in_a_popover (gpointer      *fixture,
                                     gconstpointer  preset)
{
  guint before = count_tokens (0);
  gsize n_tokens = attn_reading_get (window->reading).grid->diagram->n_tokens;

  activate ("edit-groups");
  GtkWidget *popover = find_widget (window, ATTN_TYPE_GROUPS_POPOVER);
  g_assert_nonnull (popover);
  GtkToggleButton *button = find_toggle (popover, "<s>");
  g_assert_nonnull (button);
  g_assert_false (gtk_toggle_button_get_active (button));
  g_assert_true (gtk_toggle_button_get_active (find_toggle (popover, "It")));

  gtk_toggle_button_set_active (button, TRUE);
  g_assert_cmpuint (count_tokens (0), ==, before + 1);
  wait_for_figure (window);
  g_assert_cmpuint (attn_reading_get (window->reading).grid->diagram->n_tokens, ==, n_tokens + 1);
  g_assert_true (gtk_toggle_button_get_active (button));

  activate ("undo");
  g_assert_cmpuint (count_tokens (0), ==, before);
  wait_for_figure (window);
  g_assert_false (gtk_toggle_button_get_active (button));
  gtk_popover_popdown (GTK_POPOVER (popover));
  WAIT_UNTIL (find_widget (window, ATTN_TYPE_GROUPS_POPOVER) == NULL);
}

static void
test_pin_is_named_and_undone (gpointer      *fixture,
                              gconstpointer  preset)
{
  go_to (4, 3, 1);
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "remove-region"));
  activate ("pin");
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 1);
  const AttnStudyRegion *pin = g_ptr_array_index (get_shown_study ()->regions, 0);
  g_assert_cmpuint (pin->panel, ==, 4);
  g_assert_true (pin->region.is_pin);
  g_assert_cmpuint (pin->region.first_row, ==, 3);
  g_assert_nonnull (strstr (pin->region.name, " → "));
  wait_for_figure (window);
  g_assert_cmpuint (attn_reading_get (window->reading).grid->cells[4].n_regions, ==, 1);
  /* Pinned again it is pinned no more. */
  activate ("pin");
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 0);
  activate ("undo");
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 1);
  wait_for_figure (window);
  g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "remove-region"));
  activate ("remove-region");
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 0);
  wait_for_figure (window);
}

/* Rows are known by where they stand in the input, also those that are chosen among fewer. */
static void
test_rows_are_left_out (gpointer      *fixture,
                        gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());

  study->n_last_queries = 5;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  AttnPanel *panel = attn_reading_get (window->reading).grid->cells[0].panel;
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 5);
  gsize position = attn_panel_get_row_position (panel, 2);
  g_assert_cmpuint (position, ==, attn_panel_get_n_columns (panel) - 3);
  go_to (0, 2, 0);
  activate ("show-selected-rows");
  g_assert_cmpuint (attn_index_set_get_first (get_shown_study ()->queries), ==, position);
  g_assert_cmpuint (get_shown_study ()->n_last_queries, ==, 0);
  wait_for_figure (window);
  activate ("show-all-rows");
  g_assert_null (get_shown_study ()->queries);
  wait_for_figure (window);
}

/* Rows that a table of layers and tokens averages are no choice of rows to show. */
static void
test_averaged_rows_stay (gpointer      *fixture,
                         gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());

  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = attn_index_set_new_range (3, 5);
  study->n_last_queries = 2;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "show-all-rows"));
  activate ("show-all-rows");
  g_assert_nonnull (get_shown_study ()->queries);
  g_assert_cmpuint (get_shown_study ()->n_last_queries, ==, 2);
}

static const AttnRegion *
get_region (void)
{
  return &((const AttnStudyRegion *) g_ptr_array_index (get_shown_study ()->regions, 0))->region;
}

/* Drawn, moved and removed: each is a step that can be undone, with the name that it had. */
static void
test_moved_region_is_undone (gpointer      *fixture,
                             gconstpointer  preset)
{
  AttnRegionEdit edit = {
    .kind = ATTN_REGION_EDIT_ADD,
    .group = 4,
    .region = { .first_row = 2, .last_row = 5, .first_column = 0, .last_column = 1 },
  };

  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 1);
  g_autofree char *name = g_strdup (get_region ()->name);
  wait_for_figure (window);
  edit.kind = ATTN_REGION_EDIT_CHANGE;
  edit.region.last_column = 3;
  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  g_assert_cmpuint (get_region ()->last_column, ==, 3);
  wait_for_figure (window);
  edit.kind = ATTN_REGION_EDIT_REMOVE;
  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 0);
  wait_for_figure (window);

  activate ("undo");
  g_assert_cmpuint (get_region ()->last_column, ==, 3);
  activate ("undo");
  g_assert_cmpuint (get_region ()->last_column, ==, 1);
  g_assert_cmpstr (get_region ()->name, ==, name);
  activate ("undo");
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 0);
  wait_for_figure (window);
}

/* A pin goes with its panel, and comes back with it where the change is undone. */
static void
test_pin_without_a_place (gpointer      *fixture,
                          gconstpointer  preset)
{
  go_to (8, 3, 1);
  activate ("pin");
  go_to (0, 2, 1);
  activate ("pin");
  wait_for_figure (window);
  gtk_check_button_set_active (find_id (window, "components:value"), FALSE);
  wait_for_figure (window);
  AttnGrid *grid = attn_reading_get (window->reading).grid;
  g_assert_cmpuint (grid->n_rows * grid->n_columns, ==, 6);
  g_assert_cmpuint (grid->cells[0].n_regions, ==, 1);
  g_assert_cmpuint (get_shown_study ()->regions->len, ==, 1);
  activate ("undo");
  wait_for_figure (window);
  grid = attn_reading_get (window->reading).grid;
  g_assert_cmpuint (grid->cells[8].n_regions, ==, 1);
}

/* Scrolling the inspector with the pointer over the number of rows must not leave rows out. */
static void
test_wheel_leaves_rows_alone (gpointer      *fixture,
                              gconstpointer  preset)
{
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));

  GtkWidget *spin = GTK_WIDGET (gtk_widget_get_template_child (
      GTK_WIDGET (window->inspector), ATTN_TYPE_INSPECTOR, "n_last"));
  g_autoptr (GPtrArray) scrolling = find_controllers (spin, GTK_TYPE_EVENT_CONTROLLER_SCROLL);
  g_assert_cmpuint (scrolling->len, ==, 0);
}

/* What a table of the first section has in a row, from 0 for the headings, and a column. */
static const char *
get_text (int row,
          int column)
{
  GtkGrid *table = find_widget (window->inspector, ATTN_TYPE_NUMBER_TABLE);

  return gtk_label_get_label (GTK_LABEL (gtk_grid_get_child_at (table, column, row)));
}

/* The columns are named for what they hold. */
static void
test_columns_of_a_comparison (gpointer      *fixture,
                              gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());
  AttnGrid *grid = attn_reading_get (window->reading).grid;

  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  go_to (2, 3, 0);
  g_autofree char *modified = attn_readout_format_short (
      attn_panel_get_value (grid->cells[1].panel, 3, 0));
  g_autofree char *baseline = attn_readout_format_short (
      attn_panel_get_value (grid->cells[0].panel, 3, 0));
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_NOW), ==, "Modified");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_NOW), ==, modified);
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_BASELINE), ==, "Baseline");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_BASELINE), ==, baseline);

  study->compared = ATTN_DIMENSION_HEAD;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  go_to (2, 3, 0);
  grid = attn_reading_get (window->reading).grid;
  g_autofree char *second = attn_readout_format_short (
      attn_panel_get_value (grid->cells[1].panel, 3, 0));
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_NOW), ==, "H1");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_NOW), ==, second);
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_BASELINE), ==, "H0");
}

/* What is on the screen is what is said. */
static void
test_columns_of_a_baseline (gpointer      *fixture,
                            gconstpointer  preset)
{
  AttnGrid *grid = attn_reading_get (window->reading).grid;

  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (TRUE));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  go_to (1, 3, 0);
  g_autofree char *baseline = attn_readout_format_short (
      attn_panel_get_value (grid->cells[1].baseline, 3, 0));
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_NOW), ==, "Baseline");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_NOW), ==, baseline);
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_BASELINE), ==, "");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_BASELINE), ==, "");
  g_assert_cmpstr (attn_reading_get (window->reading).grid->caption, ==,
                   ATTN_GRID_BASELINE_CAPTION);
  g_autofree char *text = attn_readout_describe_value (attn_reading_get (window->reading).grid,
                                                       attn_reading_get (window->reading).hit);
  g_assert_true (g_str_has_prefix (text, "Baseline "));

  activate ("copy-figure");
  g_autofree char *copied = read_copied_text (window);
  g_assert_nonnull (strstr (copied, ", Baseline\n"));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (FALSE));
  g_assert_cmpstr (get_text (0, ATTN_NUMBER_NOW), ==, "Modified");
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_BASELINE), ==, baseline);
}

static gboolean
is_shown (const char *child)
{
  return gtk_widget_get_visible (GTK_WIDGET (gtk_widget_get_template_child (
      GTK_WIDGET (window->inspector), ATTN_TYPE_INSPECTOR, child)));
}

/* A score is told where the weights are those of one softmax, and distances of distributions. */
static void
test_scores_of_a_head (gpointer      *fixture,
                       gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());

  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  go_to (0, 3, 0);
  g_assert_cmpstr (get_text (3, ATTN_NUMBER_NOW), ==, "0.00");
  g_assert_true (is_shown ("distances"));
  study->head = ATTN_HEAD_MEAN;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_NOW), !=, "—");
  g_assert_cmpstr (get_text (3, ATTN_NUMBER_NOW), ==, "—");
  attn_window_load_preset (window, "layer-token");
  wait_for_figure (window);
  go_to (0, 1, 1);
  g_assert_cmpstr (get_text (1, ATTN_NUMBER_NOW), !=, "—");
  g_assert_cmpstr (get_text (3, ATTN_NUMBER_NOW), ==, "—");
  g_assert_false (is_shown ("distances"));
  g_assert_false (is_shown ("changes"));
}

/* The mean of a region is that of the figure that is shown, also of a region of many cells. */
static void
test_regions_are_measured (gpointer      *fixture,
                           gconstpointer  preset)
{
  AttnRegionEdit edit = {
    .kind = ATTN_REGION_EDIT_ADD,
    .region = { .first_row = 0, .last_row = 0, .first_column = 0, .last_column = 0 },
  };

  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  wait_for_figure (window);
  GtkWidget *list = GTK_WIDGET (gtk_widget_get_template_child (
      GTK_WIDGET (window->inspector), ATTN_TYPE_INSPECTOR, "regions"));
  g_assert_nonnull (find_label (list, "Mean 1.000 · largest 1.000 · 1 cell"));
  edit.kind = ATTN_REGION_EDIT_CHANGE;
  edit.region.last_column = 3;
  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  wait_for_figure (window);
  /* The first query sees itself and no other key. */
  g_assert_nonnull (find_label (list, "Mean 1.000 · largest 1.000 · 1 cell"));
  edit.region.first_column = 1;
  g_signal_emit_by_name (window->reading, "region-edited", &edit);
  wait_for_figure (window);
  g_assert_nonnull (find_label (list, "All masked"));
}

static void
test_cell_is_copied (gpointer      *fixture,
                     gconstpointer  preset)
{
  go_to (4, 2, 1);
  activate ("copy-cell");
  g_autofree char *text = read_copied_text (window);
  g_assert_true (g_str_has_prefix (text, "L1 H2 · Mean of Key · "));
  g_assert_nonnull (strstr (text, ": query 2 “"));
  g_assert_nonnull (strstr (text, "”: weight 0."));
}

/* Where the figure has headings in place of titles, the titles of their panels are told at them; at
 * a panel there are none, nor where the study has none. */
static void
test_headings_tell_the_titles (gpointer      *fixture,
                               gconstpointer  data)
{
  AttnPlaces places = attn_reading_get_places (window->reading);
  g_autoptr (GArray) headings = attn_places_list_titles (&places);
  AttnRectangle box, panel;

  g_assert_cmpuint (headings->len, ==, 6);
  g_assert_true (gtk_widget_get_has_tooltip (GTK_WIDGET (window->view)));
  for (int group = 0; group < 9; group++)
    {
      g_autofree char *title =
          attn_markup_to_text (attn_session_get_result (window->session)->grid->cells[group].title);
      guint n_told = 0;

      for (guint i = 0; i < headings->len; i++)
        {
          const AttnRectangle *place = &g_array_index (headings, AttnRectangle, i);
          g_autofree char *text = attn_heading_describe (
              window->reading, place->x + place->width / 2, place->y + place->height / 2, &box);
          g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

          g_assert_cmpuint (g_strv_length (lines), ==, 4);
          n_told += g_strv_contains ((const char * const *) lines, title);
        }
      g_assert_cmpuint (n_told, ==, 2); /* that of its row and that of its column */
    }
  g_assert_true (attn_places_get_panel (&places, 4, &panel));
  g_assert_null (attn_heading_describe (window->reading, panel.x + panel.width / 2,
                                        panel.y + panel.height / 2, &box));

  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  AttnRectangle first = g_array_index (headings, AttnRectangle, 0);
  study->style.shows_titles = FALSE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_null (attn_heading_describe (window->reading, first.x + first.width / 2,
                                        first.y + first.height / 2, &box));
}

#define ADD(name, preset, function) ADD_TO ("/app/window-reading/", name, preset, function)

/* A token pointed at in the side bar is marked in the figure; a drag over several chooses them, and
 * their sum is told below the figure. */
static void
test_chips_choose_tokens (gpointer      *fixture,
                          gconstpointer  data)
{
  GtkWidget *chips = find_widget (window->sidebar, ATTN_TYPE_TOKEN_CHIPS);
  g_autoptr (GPtrArray) motions = find_controllers (chips, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  g_autoptr (GPtrArray) drags = find_controllers (chips, GTK_TYPE_GESTURE_DRAG);
  int x = 0, to_x;

  gtk_test_widget_wait_for_draw (chips);
  while (attn_token_chips_find (ATTN_TOKEN_CHIPS (chips), x, 5) != 2)
    x++;
  for (to_x = x; attn_token_chips_find (ATTN_TOKEN_CHIPS (chips), to_x, 5) != 4;)
    to_x++;
  g_signal_emit_by_name (motions->pdata[0], "motion", (double) x, 5.0);
  g_assert_cmpint (attn_reading_get (window->reading).token, ==, 2);
  g_signal_emit_by_name (motions->pdata[0], "leave");
  g_assert_cmpint (attn_reading_get (window->reading).token, ==, -1);

  g_signal_emit_by_name (drags->pdata[0], "drag-begin", (double) x, 5.0);
  g_signal_emit_by_name (drags->pdata[0], "drag-update", (double) to_x - x, 0.0);
  g_assert_true (attn_reading_get (window->reading).selection->is_column);
  g_assert_true (
      g_str_has_prefix (gtk_label_get_label (window->readout_panel), "Columns 2-4: sum"));
  /* Rows that are chosen are no columns to leave out. */
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window),
                                                     "show-selected-rows"));

  /* Where words are joined, each of their pieces stands for the word: of “rose,” both. */
  AttnStudy *study = attn_study_copy (get_shown_study ());
  study->joins_words = TRUE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  while (attn_token_chips_find (ATTN_TOKEN_CHIPS (chips), x, 5) != 6)
    x++;
  g_signal_emit_by_name (motions->pdata[0], "motion", (double) x, 5.0);
  g_assert_cmpint (attn_reading_get (window->reading).token, ==, 5);
  g_signal_emit_by_name (drags->pdata[0], "drag-begin", (double) x, 5.0);
  g_assert_true (attn_selection_has (attn_reading_get (window->reading).selection, 5));
}

/* A patch that is clicked is whose attention the picture shows; clicked again, it is the first
 * token's, which the palette has, too. The matrix is one setting away, and back. */
static void
test_click_on_a_patch (gpointer      *fixture,
                       gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "dinov2", NULL);
  g_autofree char *image =
      g_test_build_filename (G_TEST_DIST, "picture", "landscape.png", NULL);

  attn_model_reference_set (&study->model, model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_picture (image, FALSE));
  study->layer = study->head = 0;
  study->is_over_picture = TRUE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_nonnull (attn_session_get_result (window->session)->grid->cells[0].image);
  /* The second row of five columns, behind [CLS]. */
  go_to (0, 1, 2);
  g_signal_emit_by_name (window->reading, "clicked");
  wait_for_figure (window);
  g_assert_cmpuint (attn_index_set_get_first (get_shown_study ()->queries), ==, 8);
  g_assert_nonnull (
      strstr (attn_session_get_result (window->session)->grid->caption, "Query: 1,2"));
  go_to (0, 1, 2);
  g_signal_emit_by_name (window->reading, "clicked");
  wait_for_figure (window);
  g_assert_null (get_shown_study ()->queries);
  g_assert_nonnull (
      strstr (attn_session_get_result (window->session)->grid->caption, "Query: [CLS]"));
  g_action_group_activate_action (G_ACTION_GROUP (window), "choose-query",
                                  g_variant_new_uint32 (3));
  wait_for_figure (window);
  g_assert_cmpuint (attn_index_set_get_first (get_shown_study ()->queries), ==, 3);
  activate ("undo");
  wait_for_figure (window);
  g_assert_null (get_shown_study ()->queries);

  GtkCheckButton *over =
      attn_binder_find (attn_sidebar_get_binder (window->sidebar), "over-picture");
  gtk_check_button_set_active (over, FALSE);
  wait_for_figure (window);
  AttnResult *result = attn_session_get_result (window->session);
  g_assert_null (result->grid->cells[0].image);
  g_assert_cmpuint (attn_panel_get_n_rows (result->grid->cells[0].panel), ==, 21);
}

/* A picture of the clipboard becomes an input, which is kept as a file. */
static void
test_picture_is_pasted (gpointer      *fixture,
                        gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "dinov2", NULL);
  g_autofree char *image =
      g_test_build_filename (G_TEST_DIST, "picture", "landscape.png", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (image);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_file (file, &error);
  const AttnInput *input;

  g_assert_no_error (error);
  attn_model_reference_set (&study->model, model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_picture (image, FALSE));
  study->layer = study->head = 0;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (window)), texture);
  activate ("paste-picture");
  while (get_shown_study ()->inputs->len == 1)
    g_main_context_iteration (NULL, TRUE);
  wait_for_figure (window);
  input = get_shown_study ()->inputs->pdata[1];
  g_assert_true (g_str_has_suffix (input->images[0], ".png"));
  g_assert_cmpstr (input->images[0], !=, image);
  g_assert_true (g_file_test (input->images[0], G_FILE_TEST_IS_REGULAR));
  g_unlink (input->images[0]);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("head-opens-from-the-atlas", "score-atlas", test_head_opens_from_the_atlas);
  ADD ("patch-opens-from-the-map", "patch-map", test_patch_opens_from_the_map);
  ADD ("head-opens-from-the-overview", "head-atlas", test_head_opens_from_the_overview);
  ADD ("click-in-the-diagram-changes-a-group", "head-groups",
       test_click_in_the_diagram_changes_a_group);
  ADD ("groups-are-edited-in-a-popover", "head-groups", test_groups_are_edited_in_a_popover);
  ADD ("moved-region-is-undone", "mean-operation", test_moved_region_is_undone);
  ADD ("pin-is-named-and-undone", "mean-operation", test_pin_is_named_and_undone);
  ADD ("pin-without-a-place", "mean-operation", test_pin_without_a_place);
  ADD ("wheel-leaves-rows-alone", "mean-operation", test_wheel_leaves_rows_alone);
  ADD ("columns-of-a-comparison", "compare", test_columns_of_a_comparison);
  ADD ("columns-of-a-baseline", "mean-operation", test_columns_of_a_baseline);
  ADD ("scores-of-a-head", "single", test_scores_of_a_head);
  ADD ("headings-tell-the-titles", "mean-operation", test_headings_tell_the_titles);
  ADD ("regions-are-measured", "mean-operation", test_regions_are_measured);
  ADD ("cell-is-copied", "mean-operation", test_cell_is_copied);
  ADD ("click-on-a-patch", "single", test_click_on_a_patch);
  ADD ("picture-is-pasted", "single", test_picture_is_pasted);
  ADD ("chips-choose-tokens", "mean-operation", test_chips_choose_tokens);
  ADD ("rows-are-left-out", "mean-operation", test_rows_are_left_out);
  ADD ("averaged-rows-stay", "layer-token", test_averaged_rows_stay);
  return fixture_run (application);
}
