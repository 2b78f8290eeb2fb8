/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The strip above the figure: what has to be at hand is, in every preset, and the slider of ε. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app-fixture.h"
#include "attn-edits.h"
#include "attn-epsilon-slider.h"
#include "attn-help.h"
#include "attn-study-table.h"

static GtkApplication *application;

static AttnWindow *
open_sized (const char *preset,
            int         width,
            int         height)
{
  AttnWindow *window = attn_window_new (application);

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_present (GTK_WINDOW (window));
  attn_window_load_preset (window, preset);
  wait_for_figure (window);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  iterate ();
  return window;
}

/* Whether it shows, whole and inside the window. */
static gboolean
is_in_sight (AttnWindow *window,
             const char *id)
{
  GtkWidget *widget = find_id (window, id);
  graphene_rect_t bounds;

  g_assert_nonnull (widget);
  if (!gtk_widget_get_mapped (widget) ||
      gtk_widget_get_native (widget) != GTK_NATIVE (window) ||
      !gtk_widget_compute_bounds (widget, GTK_WIDGET (window), &bounds))
    return FALSE;
  return bounds.origin.x >= 0 && bounds.origin.y >= 0 && bounds.size.width > 1 &&
         bounds.size.height > 1 &&
         bounds.origin.x + bounds.size.width <= gtk_widget_get_width (GTK_WIDGET (window)) &&
         bounds.origin.y + bounds.size.height <= gtk_widget_get_height (GTK_WIDGET (window));
}

static void
assert_in_sight (AttnWindow         *window,
                 const char * const *ids)
{
  for (gsize i = 0; ids[i] != NULL; i++)
    if (!is_in_sight (window, ids[i]))
      g_error ("%s is not in sight in %s", ids[i],
               attn_session_get_study (window->session)->preset);
}

static const char * const always[] = { "components:query", "components:key", "components:value",
                                       "layer", "head", "baseline",
                                       "more_operations", "reach", NULL };
static const char * const with_room[] = { "operation:mean", "operation:scale", "layer_previous",
                                          "layer_next", "head_previous", "head_next",
                                          "baseline-column", NULL };

/* A slider of ε, or a click on Scale away from one, where the figure is of an operation. */
static void
test_all_is_at_hand (void)
{
  static const int sizes[][2] = { { 1280, 860 }, { 800, 600 } };
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      AttnWindow *window = open_sized ("mean-operation", sizes[k][0], sizes[k][1]);

      for (gsize i = 0; i < n_presets; i++)
        {
          attn_window_load_preset (window, presets[i].name);
          wait_for_figure (window);
          gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
          assert_in_sight (window, always);
          if (sizes[k][0] > 1000)
            assert_in_sight (window, with_room);
          if (!attn_study_shows_operation (attn_session_get_study (window->session)))
            {
              g_assert_true (is_in_sight (window, "parameter_note"));
              g_assert_false (gtk_widget_is_sensitive (find_id (window, "operation:scale")));
              continue;
            }
          if (!is_in_sight (window, "epsilons"))
            gtk_toggle_button_set_active (find_id (window, "operation:scale"), TRUE);
          wait_for_figure (window);
          WAIT_UNTIL (is_in_sight (window, "epsilons"));
          g_assert_nonnull (find_widget (find_id (window, "epsilons"), GTK_TYPE_SCALE));
        }
      close_window (window);
    }
}

/* What was counted has no ε; what is shown of it has a baseline. */
static void
test_survey_file_has_no_operation (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "strip-survey.npz", NULL);
  AttnWindow *window = open_sized ("survey", 1280, 860);
  g_autoptr (GError) error = NULL;

  g_assert_true (is_in_sight (window, "epsilons"));
  g_assert_true (attn_survey_data_save (attn_session_get_result (window->session)->survey, path,
                                        &error));
  g_assert_true (attn_session_open_path (window->session, path, &error));
  g_assert_no_error (error);
  wait_for_figure (window);
  WAIT_UNTIL (is_in_sight (window, "parameter_note"));
  g_assert_false (is_in_sight (window, "epsilons"));
  g_assert_false (gtk_widget_is_sensitive (find_id (window, "components:query")));
  g_assert_true (gtk_widget_is_sensitive (find_id (window, "baseline_group")));
  close_window (window);
  g_unlink (path);
}

/* Words go first, then what only saves a click; operation, components, layer, head and baseline
 * stay. All comes back. */
static void
test_narrow_strip_yields_in_order (void)
{
  static const char * const stays[] = { "components:query", "components:key", "components:value",
                                        "layer", "head", "baseline",
                                        "more_operations", "reach", NULL };
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  GtkWidget *operations = find_id (window, "operation_group"),
            *mean = find_id (window, "operation:mean"),
            *column = find_id (window, "baseline-column"), *menu = find_id (window, "menu_box"),
            *map = find_id (window, "head_map");

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.inspector", NULL));
  WAIT_UNTIL (is_in_sight (window, "layer_initial") && is_in_sight (window, "layer_next"));
  g_assert_false (is_in_sight (window, "layer_name"));
  assert_in_sight (window, stays);
  g_assert_cmpstr (gtk_label_get_label (find_id (window, "reach_word")), ==, "Where");
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.inspector", NULL));
  WAIT_UNTIL (is_in_sight (window, "layer_name"));

  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  WAIT_UNTIL (gtk_widget_is_ancestor (mean, find_id (window, "operation_menu")));
  WAIT_UNTIL (is_in_sight (window, "baseline"));
  assert_in_sight (window, stays);
  g_assert_true (is_in_sight (window, "head_map"));
  g_assert_false (is_in_sight (window, "reach_label"));
  g_assert_cmpstr (gtk_label_get_label (find_id (window, "reach_word")), ==, "Where");
  g_assert_cmpstr (gtk_check_button_get_label (find_id (window, "components:key")), ==, "K");
  /* The operation is said by its name, and another moves nothing. */
  g_assert_cmpstr (gtk_label_get_label (find_id (window, "more_operations_label")), ==, "Mean");
  int before = gtk_widget_get_width (operations);
  gtk_toggle_button_set_active (find_id (window, "operation:scale"), TRUE);
  wait_for_figure (window);
  WAIT_UNTIL (is_in_sight (window, "epsilons"));
  g_assert_cmpint (gtk_widget_get_width (operations), ==, before);
  gtk_toggle_button_set_active (find_id (window, "operation:mean"), TRUE);
  wait_for_figure (window);

  gtk_window_set_default_size (GTK_WINDOW (window), 740, 600);
  WAIT_UNTIL (gtk_widget_is_ancestor (map, menu));
  assert_in_sight (window, stays);
  g_assert_true (gtk_widget_is_ancestor (column, menu));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (column)), ==, "Baseline as a column");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (map)), ==, "Map of the heads");

  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 860);
  WAIT_UNTIL (is_in_sight (window, "layer_name"));
  assert_in_sight (window, stays);
  assert_in_sight (window, with_room);
  g_assert_false (is_in_sight (window, "reach_word"));
  g_assert_true (gtk_widget_get_parent (operations) == GTK_WIDGET (window->strip));
  g_assert_cmpstr (gtk_check_button_get_label (find_id (window, "components:key")), ==, "_Key");
  close_window (window);
}

/* The name of each button is said at every width: on it, or where it is an icon, first in its
 * tooltip. */
static void
test_buttons_have_one_name (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1180, 860);
  GtkWidget *map = find_id (window, "head_map"), *column = find_id (window, "baseline-column"),
            *reach = find_id (window, "reach");

  g_assert_null (find_label (map, "Map"));
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (
          g_str_has_prefix (gtk_widget_get_tooltip_text (map), "Map of the heads: "));
      g_assert_true (
          g_str_has_prefix (gtk_widget_get_tooltip_text (column), "Baseline as a column: "));
      g_assert_true (g_str_has_prefix (gtk_widget_get_tooltip_text (reach), "Where: "));
      g_assert_true (
          g_str_has_prefix (gtk_label_get_label (find_id (window, "reach_label")), "Where: "));
      gtk_window_set_default_size (GTK_WINDOW (window), 1280, 860);
      WAIT_UNTIL (find_label (map, "Map") != NULL && find_label (column, "Beside") != NULL);
    }
  close_window (window);
}

/* What a mean does is said to the end in a small window, and the strip is as high as before. */
static void
test_meaning_is_read_to_the_end (void)
{
  AttnWindow *window = open_sized ("mean-operation", 800, 600);
  GtkLabel *meaning = find_id (window, "axis_meaning");
  int height = gtk_widget_get_height (GTK_WIDGET (window->strip));

  /* The introduction goes with the first action. */
  gtk_check_button_set_active (find_id (window, "components:value"), FALSE);
  wait_for_figure (window);
  gtk_label_set_label (meaning, "Query / Key / Value (dieser Head): Jeder Vektor wird zum "
                                "Mittelwert über die Heads");
  WAIT_UNTIL (gtk_widget_get_mapped (GTK_WIDGET (meaning)) &&
              gtk_widget_get_width (GTK_WIDGET (meaning)) > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <, 900);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (meaning)));
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (window->strip)), ==, height);
  close_window (window);
}

/* Of the baseline the introduction is not true. */
static void
test_introduction_is_not_of_the_baseline (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  GtkStack *words = find_id (window, "axis_words");

  wait_for_figure (window);
  g_assert_true (gtk_stack_get_visible_child (words) == find_id (window, "introduction"));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (TRUE));
  g_assert_true (gtk_stack_get_visible_child (words) == find_id (window, "axis_meaning"));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (FALSE));
  g_assert_true (gtk_stack_get_visible_child (words) == find_id (window, "introduction"));
  close_window (window);
}

/* What the introduction said is found again in the help. */
static void
test_introduction_is_in_the_help (void)
{
  AttnWindow *window = open_sized ("mean-operation", 800, 600);
  const char *introduction = gtk_label_get_label (find_id (window, "introduction"));
  GtkWindow *help = attn_help_new (GTK_WINDOW (window));

  g_assert_nonnull (find_label (help, "First steps"));
  g_assert_nonnull (find_label (help, introduction));
  gtk_window_destroy (help);
  close_window (window);
}

/* Before the words yield, their button has all the room that it asks for, however narrow the strip
 * is: GTK 4.18 complains of less. */
static void
test_button_has_its_room_before_words_yield (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  GtkWidget *strip = GTK_WIDGET (window->strip), *reach = find_id (window, "reach");
  graphene_rect_t bounds;
  int least, needed, height;

  g_assert_true (is_in_sight (window, "reach_label"));
  gtk_widget_measure (strip, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (reach, GTK_ORIENTATION_HORIZONTAL, -1, &needed, NULL, NULL, NULL);
  for (int width = least; width <= 1280; width++)
    {
      gtk_widget_measure (strip, GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
      gtk_widget_allocate (strip, width, height, -1, NULL);
      g_assert_true (gtk_widget_compute_bounds (reach, strip, &bounds));
      g_assert_cmpfloat (bounds.size.width, >=, needed);
      g_assert_cmpfloat (bounds.origin.x + bounds.size.width, <=, gtk_widget_get_width (strip));
    }
  close_window (window);
}

/* The pointer of xdotool; the window stands in the corner of the screen, for nobody manages it. */
static void
point_at (GtkWidget  *widget,
          const char *button)
{
  GtkNative *native = gtk_widget_get_native (widget);
  g_autofree char *x = NULL, *y = NULL;
  graphene_rect_t bounds;
  double left, top;
  g_autoptr (GError) error = NULL;

  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (native), &bounds));
  gtk_native_get_surface_transform (native, &left, &top);
  x = g_strdup_printf ("%.0f", left + bounds.origin.x + bounds.size.width / 2);
  y = g_strdup_printf ("%.0f", top + bounds.origin.y + bounds.size.height / 2);
  const char *words[] = { "xdotool", "mousemove", x, y, button, "1", NULL };
  g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
}

static gboolean
is_active (gpointer widget)
{
  return (gtk_widget_get_state_flags (widget) & GTK_STATE_FLAG_ACTIVE) != 0;
}

/* What a button is held on stays where it is, or GTK would count it as pressed for good. */
static void
test_stays_while_pressed (void)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  AttnWindow *window;
  GtkWidget *operations, *scale, *menu;

  if (xdotool == NULL)
    {
      g_test_skip ("xdotool is not installed");
      return;
    }
  window = open_sized ("mean-operation", 1280, 860);
  operations = find_id (window, "operation_group");
  scale = find_id (window, "operation:scale");
  menu = find_id (window, "operation_menu");
  point_at (scale, "mousedown");
  WAIT_UNTIL (is_active (scale) && is_active (window->strip));
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  WAIT_UNTIL (gtk_widget_get_width (GTK_WIDGET (window)) < 1000);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  iterate ();
  g_assert_true (is_active (scale) && gtk_widget_get_mapped (scale));
  g_assert_true (gtk_widget_get_parent (operations) == GTK_WIDGET (window->strip));
  point_at (scale, "mouseup");
  WAIT_UNTIL (gtk_widget_is_ancestor (scale, menu));
  g_assert_false (is_active (scale) || is_active (window->strip) || is_active (window));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (scale)));
  wait_for_figure (window);
  WAIT_UNTIL (is_in_sight (window, "baseline"));
  close_window (window);
}

/* One button for all operations says the one that is chosen. */
static void
test_folded_operations (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1010, 700);
  GtkLabel *label = find_id (window, "more_operations_label");
  GtkWidget *menu = find_id (window, "operation_menu"),
            *scale = find_id (window, "operation:scale");

  for (int width = 1010; !gtk_widget_is_ancestor (scale, menu); width -= 10)
    {
      g_assert_cmpint (width, >, 800);
      gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      iterate ();
    }
  g_assert_true (is_in_sight (window, "more_operations_label"));
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Mean");
  gtk_menu_button_popup (find_id (window, "more_operations"));
  WAIT_UNTIL (gtk_widget_get_mapped (scale));
  WAIT_UNTIL (gtk_window_get_focus (GTK_WINDOW (window)) == find_id (window, "operation:mean"));
  g_signal_emit_by_name (scale, "clicked");
  WAIT_UNTIL (!gtk_widget_get_mapped (scale));
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Scale");
  g_assert_false (gtk_widget_has_css_class (find_id (window, "more_operations"), "chosen"));
  wait_for_figure (window);
  close_window (window);
}

/* The room that the strip needs at least does not depend on whether there is more at the moment. */
static void
test_minimum_is_one (void)
{
  AttnWindow *window = open_sized ("layer-token", 1280, 860);
  GtkWidget *strip = find_id (window, "strip"), *label = find_id (window, "reach_label");
  int with_words, without_words;

  gtk_widget_set_visible (label, TRUE);
  gtk_widget_measure (strip, GTK_ORIENTATION_HORIZONTAL, -1, &with_words, NULL, NULL, NULL);
  gtk_widget_set_visible (label, FALSE);
  gtk_widget_measure (strip, GTK_ORIENTATION_HORIZONTAL, -1, &without_words, NULL, NULL, NULL);
  g_assert_cmpint (with_words, ==, without_words);
  close_window (window);
}

/* Another preset leaves the controls where they are. */
static void
test_presets_do_not_move_it (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);
  GtkWidget *head = find_id (window, "head");
  graphene_rect_t before, after;

  g_assert_true (gtk_widget_compute_bounds (head, GTK_WIDGET (window), &before));
  int height = gtk_widget_get_height (GTK_WIDGET (window->strip));
  for (gsize i = 0; i < n_presets; i++)
    {
      attn_window_load_preset (window, presets[i].name);
      wait_for_figure (window);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      g_assert_true (gtk_widget_compute_bounds (head, GTK_WIDGET (window), &after));
      g_test_message ("%s", presets[i].name);
      g_assert_cmpfloat (after.origin.x, ==, before.origin.x);
      g_assert_cmpfloat (after.origin.y, ==, before.origin.y);
      g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (window->strip)), ==, height);
    }
  close_window (window);
}

/* In one step from the start, which one step takes back. */
static void
test_only_the_key (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  GtkWidget *group = find_id (window, "component_group");
  g_autoptr (GPtrArray) keys = find_controllers (group, GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_handled = FALSE;

  g_assert_true (gtk_widget_grab_focus (find_id (window, "components:key")));
  for (guint i = 0; i < keys->len && !is_handled; i++)
    g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_space, 0, GDK_CONTROL_MASK,
                           &is_handled);
  const gboolean *components = attn_session_get_study (window->session)->components;
  g_assert_true (components[ATTN_COMPONENT_KEY]);
  g_assert_false (components[ATTN_COMPONENT_QUERY] || components[ATTN_COMPONENT_VALUE]);
  attn_session_undo (window->session);
  g_assert_true (gtk_check_button_get_active (find_id (window, "components:query")));
  wait_for_figure (window);
  close_window (window);
}

/* A study whose layer and head are chosen says them before anything is computed. */
static void
test_what_is_chosen_is_said (void)
{
  AttnWindow *window = open_sized ("single", 1280, 860);
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  study->layer = 7;
  study->head = 11;
  attn_session_edit (window->session, study, NULL);
  g_assert_nonnull (find_label (find_id (window, "layer"), "7"));
  g_assert_nonnull (find_label (find_id (window, "head"), "11"));
  g_assert_cmpuint (gtk_drop_down_get_selected (find_id (window, "layer")), ==, 8);
  attn_session_undo (window->session);
  wait_for_figure (window);
  close_window (window);
}

/* The layer and the head that show are said, whoever chose them, and are where a step begins. */
static void
test_steps_begin_at_what_shows (void)
{
  AttnWindow *window = open_sized ("single", 1280, 860);
  AttnResult *result = attn_session_get_result (window->session);
  int head = result->head;
  g_autofree char *text = g_strdup_printf ("%d ★", head);

  g_assert_nonnull (find_label (find_id (window, "head"), text));
  const char *action = head > 0 ? "win.head-previous" : "win.head-next";
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window->strip), action, NULL));
  wait_for_figure (window);
  g_autofree char *other = g_strdup_printf ("%d", head + (head > 0 ? -1 : 1));
  g_assert_nonnull (find_label (find_id (window, "head"), other));
  g_assert_cmpint (attn_session_get_study (window->session)->head, ==, atoi (other));
  close_window (window);
}

static const AttnIntervention *
get_further (AttnWindow *window)
{
  const GPtrArray *further = attn_session_get_study (window->session)->extra_interventions;

  g_assert_cmpuint (further->len, ==, 1);
  return g_ptr_array_index (further, 0);
}

static GtkWidget *
find_control (GtkWidget  *list,
              const char *name)
{
  GtkWidget *row = gtk_widget_get_first_child (list);

  for (GtkWidget *line = gtk_widget_get_first_child (row); line != NULL;
       line = gtk_widget_get_next_sibling (line))
    for (GtkWidget *control = gtk_widget_get_first_child (line); control != NULL;
         control = gtk_widget_get_next_sibling (control))
      {
        const AttnField *field = g_object_get_data (G_OBJECT (control), "field");

        if (field != NULL && g_str_equal (field->name, name))
          return control;
      }
  g_assert_not_reached ();
}

/* Chooses as a click does, without a second popover. */
static void
choose (GtkWidget  *list,
        const char *name,
        int         place)
{
  GtkWidget *control = find_control (list, name);
  GtkListBox *words = find_widget (control, GTK_TYPE_LIST_BOX);

  g_assert_null (find_widget (control, GTK_TYPE_POPOVER));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (words)));
  gtk_toggle_button_set_active (find_widget (control, GTK_TYPE_TOGGLE_BUTTON), TRUE);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (words)));
  g_signal_emit_by_name (words, "row-activated", gtk_list_box_get_row_at_index (words, place));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (words)));
}

/* The query is scaled while the key is meaned: added, changed, taken back and removed. */
static void
test_further_operation (void)
{
  AttnWindow *window = open_sized ("compare", 1280, 860);
  GtkWidget *list = find_id (window, "operations");
  AttnResult *result = attn_session_get_result (window->session);
  AttnPanel *before = attn_panel_ref (result->grid->cells[1].panel);

  gtk_menu_button_popup (find_id (window, "reach"));
  g_signal_emit_by_name (find_id (window, "add_operation"), "clicked");
  g_assert_cmpint (get_further (window)->operation, ==, ATTN_OPERATION_MEAN);
  /* The key is scaled in this preset. */
  g_assert_cmpint (get_further (window)->component, ==, ATTN_COMPONENT_QUERY);
  g_assert_true (g_str_has_suffix (gtk_label_get_label (find_id (window, "reach_label")),
                                   "+ 1 operation"));
  wait_for_figure (window);
  AttnPanel *after = attn_session_get_result (window->session)->grid->cells[1].panel;
  g_assert_cmpfloat (attn_panel_get_value (after, 5, 0), !=, attn_panel_get_value (before, 5, 0));

  choose (list, "component", ATTN_COMPONENT_VALUE);
  g_assert_cmpint (get_further (window)->component, ==, ATTN_COMPONENT_VALUE);
  attn_session_undo (window->session);
  g_assert_cmpint (get_further (window)->component, ==, ATTN_COMPONENT_QUERY);
  GtkEditable *entry = GTK_EDITABLE (find_control (list, "layers"));
  gtk_editable_set_text (entry, "0-9x");
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"));
  gtk_editable_set_text (entry, "");
  g_signal_emit_by_name (entry, "activate");
  g_assert_null (get_further (window)->layers);
  attn_session_undo (window->session);
  attn_session_undo (window->session);
  g_assert_null (gtk_widget_get_first_child (list));
  gtk_menu_button_popdown (find_id (window, "reach"));
  wait_for_figure (window);
  attn_panel_unref (before);
  close_window (window);
}

/* Tokens, or marks between them, in a row of the two texts of the first operation. */
static guint
count_in_row (GtkWidget *list,
              int        row)
{
  GtkScrolledWindow *pairs =
      GTK_SCROLLED_WINDOW (gtk_widget_get_last_child (gtk_widget_get_first_child (list)));
  GtkWidget *grid =
      gtk_viewport_get_child (GTK_VIEWPORT (gtk_scrolled_window_get_child (pairs)));
  guint n = 0;

  for (int column = 1; column < 64; column++)
    n += gtk_grid_get_child_at (GTK_GRID (grid), column, row) != NULL;
  return n;
}

/* A cut is of scores and begins with the first key; a patch is from another input and says which
 * tokens become which; what cannot be is not offered. */
static void
test_patch_and_cut (void)
{
  AttnWindow *window = open_sized ("mean-operation", 1280, 860);
  GtkWidget *list = find_id (window, "operations");

  gtk_menu_button_popup (find_id (window, "reach"));
  g_signal_emit_by_name (find_id (window, "add_operation"), "clicked");
  choose (list, "operation", ATTN_OPERATION_CUT);
  g_assert_cmpint (get_further (window)->component, ==, ATTN_COMPONENT_SCORES);
  g_assert_false (gtk_widget_get_visible (find_control (list, "site")));
  g_assert_true (gtk_widget_get_visible (find_control (list, "keys")));
  wait_for_figure (window);
  AttnResult *result = attn_session_get_result (window->session);
  AttnPanel *panel = result->grid->cells[0].panel;
  g_assert_cmpfloat (attn_panel_get_value (panel, 5, 0), ==, 0.0);
  g_assert_cmpfloat (attn_panel_get_value (panel, 0, 0), ==, 1.0);

  choose (list, "component", ATTN_COMPONENT_RESIDUAL);
  g_assert_cmpint (get_further (window)->operation, ==, ATTN_OPERATION_ZERO);
  g_assert_false (gtk_widget_get_visible (find_control (list, "heads")));
  choose (list, "operation", ATTN_OPERATION_PATCH);
  g_assert_cmpuint (get_further (window)->input, ==, 1);
  g_assert_true (gtk_widget_get_visible (find_control (list, "input")));
  wait_for_figure (window);
  guint n_there = (guint) attn_session_get_tokens (window->session, 1)->n_tokens;
  guint n_here = (guint) attn_session_get_tokens (window->session, 0)->n_tokens;
  g_assert_cmpuint (count_in_row (list, 0), ==, n_there);
  /* The cut left out the first query. */
  g_assert_cmpuint (count_in_row (list, 1), ==, MIN (n_here, n_there) - 1);
  g_assert_cmpuint (count_in_row (list, 2), ==, n_here);
  gtk_editable_set_text (GTK_EDITABLE (find_control (list, "positions")), "2=3");
  g_signal_emit_by_name (find_control (list, "positions"), "activate");
  g_assert_cmpuint (get_further (window)->pairs->len, ==, 1);
  g_assert_cmpuint (count_in_row (list, 0), ==, n_there);
  g_assert_cmpuint (count_in_row (list, 1), ==, 1);
  g_assert_cmpuint (count_in_row (list, 2), ==, n_here);
  attn_session_undo (window->session);
  g_assert_null (get_further (window)->pairs);
  gtk_menu_button_popdown (find_id (window, "reach"));
  wait_for_figure (window);
  close_window (window);
}

static const AttnStudy *
get_study (AttnWindow *window)
{
  return attn_session_get_study (window->session);
}

static void
enter (AttnWindow *window,
       const char *id,
       const char *text)
{
  gtk_editable_set_text (find_id (window, id), text);
  g_signal_emit_by_name (find_id (window, id), "activate");
}

/* The strip's own: a patch from the second input, both texts beside it; a cut of the first key,
 * which has no component. */
static void
test_own_patch_and_cut (void)
{
  AttnWindow *window = open_sized ("single", 1280, 860);
  GtkToggleButton *patch = find_id (window, "operation:patch");
  GtkToggleButton *cut = find_id (window, "operation:cut");

  gtk_toggle_button_set_active (patch, TRUE);
  WAIT_UNTIL (is_in_sight (window, "patch_hint"));
  g_assert_cmpuint (get_study (window)->patch_input, ==, 0);
  AttnStudy *study = attn_study_copy (get_study (window));
  attn_edits_duplicate_input (study, 0);
  study->patch_input = 1;
  attn_session_edit (window->session, study, NULL);
  gtk_check_button_set_active (find_id (window, "components:key"), TRUE);
  wait_for_figure (window);
  WAIT_UNTIL (is_in_sight (window, "patch_pairs") && !is_in_sight (window, "patch_hint"));
  g_assert_cmpuint (gtk_drop_down_get_selected (find_id (window, "patch-input")), ==, 1);
  enter (window, "patch-positions", "2=3");
  g_assert_cmpuint (get_study (window)->patch_pairs->len, ==, 1);
  wait_for_figure (window);
  enter (window, "patch-positions", "2-3=3");
  g_assert_true (gtk_widget_has_css_class (find_id (window, "patch-positions"), "error"));
  enter (window, "patch-positions", "");
  g_assert_null (get_study (window)->patch_pairs);
  wait_for_figure (window);

  gtk_toggle_button_set_active (cut, TRUE);
  wait_for_figure (window);
  g_assert_false (gtk_widget_is_sensitive (find_id (window, "components:key")));
  AttnPanel *panel = attn_session_get_result (window->session)->grid->cells[0].panel;
  g_assert_cmpfloat (attn_panel_get_value (panel, 5, 0), ==, 0.0);
  g_assert_cmpfloat (attn_panel_get_value (panel, 0, 0), ==, 1.0);
  enter (window, "scope.tokens:cut", "4");
  enter (window, "cut-keys", "1-2");
  wait_for_figure (window);
  panel = attn_session_get_result (window->session)->grid->cells[0].panel;
  g_assert_cmpfloat (attn_panel_get_value (panel, 4, 1), ==, 0.0);
  g_assert_cmpfloat (attn_panel_get_value (panel, 5, 1), >, 0.0);
  attn_session_undo (window->session);
  g_assert_true (attn_index_set_contains (get_study (window)->cut_keys, 0));
  wait_for_figure (window);
  close_window (window);
}

/* Texts of different lengths are paired only where it is said which token becomes which. */
static void
test_patch_of_another_length_is_explained (void)
{
  AttnWindow *window = open_sized ("single", 1280, 860);
  AttnStudy *study = attn_study_copy (get_study (window));

  attn_edits_duplicate_input (study, 0);
  attn_input_free (study->inputs->pdata[1]);
  study->inputs->pdata[1] = attn_input_new_text ("A rose is a rose.", 0);
  study->operation = ATTN_OPERATION_PATCH;
  study->patch_input = 1;
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (window->session, study, NULL);
  WAIT_UNTIL (is_in_sight (window, "patch_pairs"));
  GtkWidget *pairs = find_id (window, "patch_pairs");
  g_assert_nonnull (find_label_with (pairs, "type which becomes which, such as 0-"));
  g_assert_null (find_label (pairs, "="));
  g_assert_true (g_str_has_prefix (
      gtk_entry_get_placeholder_text (find_id (window, "patch-positions")), "0-"));
  enter (window, "patch-positions", "1-2=1-2");
  wait_for_figure (window);
  g_assert_null (find_label_with (pairs, "type which becomes which"));
  g_assert_nonnull (find_label (pairs, "="));
  close_window (window);
}

/* --- The slider --- */

typedef struct
{
  AttnWindow *window;
  AttnEpsilonSlider *slider;
  GtkGesture *drag;
} Hand;

static Hand
open_slider (const char *preset)
{
  Hand hand = { open_sized (preset, 1280, 860) };

  gtk_check_button_set_active (find_id (hand.window, "components:key"), TRUE);
  wait_for_figure (hand.window);
  hand.slider = find_widget (hand.window, ATTN_TYPE_EPSILON_SLIDER);
  g_autoptr (GPtrArray) drags = find_controllers (hand.slider, GTK_TYPE_GESTURE_DRAG);
  g_assert_cmpuint (drags->len, ==, 1);
  hand.drag = drags->pdata[0];
  return hand;
}

static double
get_epsilon (const Hand *hand,
             guint       i)
{
  return g_array_index (attn_session_get_study (hand->window->session)->epsilons, double, i);
}

static double
find_x (const Hand *hand,
        double      epsilon)
{
  double start;
  AttnEpsilonTrack track = attn_epsilon_slider_get_track (hand->slider, &start);

  return start + attn_epsilon_track_get_x (&track, epsilon);
}

/* By so many pixels a step, as a pointer does. */
static void
drag (const Hand *hand,
      double      from,
      double      to)
{
  double x = find_x (hand, from);
  double way = round (find_x (hand, to) - x);
  double y = gtk_widget_get_height (GTK_WIDGET (hand->slider)) / 2.0;

  g_signal_emit_by_name (hand->drag, "drag-begin", x, y);
  for (int i = 1; i <= 10; i++)
    g_signal_emit_by_name (hand->drag, "drag-update", way * i / 10, 0.0);
  g_signal_emit_by_name (hand->drag, "drag-end", way, 0.0);
  iterate ();
}

static void
test_drag_sets_epsilon (void)
{
  Hand hand = open_slider ("single");

  drag (&hand, 0.5, 0.7);
  g_assert_cmpfloat (fabs (get_epsilon (&hand, 0) / 0.7 - 1), <, 0.02);
  /* However many places it had, it is one step. */
  attn_session_undo (hand.window->session);
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 0.5);
  /* 1 holds it. */
  drag (&hand, 0.5, 0.99);
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 1);
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* The words below the track say where a sink ends, and stand beside that place. */
static void
test_words_of_an_end_are_pressed (void)
{
  Hand hand = open_slider ("single");
  AttnSession *session = hand.window->session;

  WAIT_UNTIL (attn_session_get_sweep (session) != NULL && attn_session_is_complete (session));
  AttnSweep *sweep = attn_session_get_sweep (session);
  double end = attn_sweep_find_end (sweep, &sweep->panels[0]);
  double height = gtk_widget_get_height (GTK_WIDGET (hand.slider));

  for (int side = -1; side <= 1; side += 2)
    {
      double x = find_x (&hand, end) + side * 40;

      /* On the track the handle goes to the pointer. */
      g_signal_emit_by_name (hand.drag, "drag-begin", x, height / 2);
      g_signal_emit_by_name (hand.drag, "drag-end", 0.0, 0.0);
      g_assert_cmpfloat (fabs (get_epsilon (&hand, 0) / end - 1), >, 0.1);
      g_signal_emit_by_name (hand.drag, "drag-begin", x, height - 3);
      g_signal_emit_by_name (hand.drag, "drag-end", 0.0, 0.0);
      g_assert_cmpfloat (fabs (get_epsilon (&hand, 0) / end - 1), <, 0.01);
    }
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* Under the hand the track is as it was; let go at its end, there is more of it. */
static void
test_track_grows_when_let_go (void)
{
  Hand hand = open_slider ("single");
  double start;

  g_assert_cmpfloat (attn_epsilon_slider_get_track (hand.slider, &start).low, ==, -3);
  drag (&hand, 0.5, 1e-3);
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 1e-3);
  g_assert_cmpfloat (attn_epsilon_slider_get_track (hand.slider, &start).low, ==, -12);
  drag (&hand, 1e-3, 1e-9);
  g_assert_cmpfloat_with_epsilon (log10 (get_epsilon (&hand, 0)), -9, 0.1);
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* While ε plays, the track has all of it from the first step on, and is as it was afterwards. */
static void
test_track_is_whole_while_playing (void)
{
  Hand hand = open_slider ("single");
  AttnSession *session = hand.window->session;
  const double steps[] = { 0.9, 1e-2, 1e-6, 0.5 };
  double start;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      AttnStudy *study = attn_study_copy (attn_session_get_study (session));

      g_array_index (study->epsilons, double, 0) = steps[i];
      attn_session_edit (session, study, ATTN_STEP_PLAY);
      /* The last step is back where it began. */
      WAIT_UNTIL (attn_epsilon_slider_get_track (hand.slider, &start).low == (i < 3 ? -12 : -3));
    }
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* Each handle is moved for itself; beside them, the next one comes. */
static void
test_several_handles (void)
{
  Hand hand = open_slider ("epsilon");

  drag (&hand, 1e-3, 0.1);
  g_assert_cmpfloat_with_epsilon (get_epsilon (&hand, 1), 0.1, 0.01);
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 0.5);
  g_assert_cmpuint (attn_epsilon_slider_get_active (hand.slider), ==, 1);
  drag (&hand, 1e-8, 1e-8);
  g_assert_cmpfloat_with_epsilon (log10 (get_epsilon (&hand, 2)), -8, 0.05);
  gtk_widget_activate_action (GTK_WIDGET (hand.slider), "epsilon.remove", NULL);
  g_assert_cmpuint (attn_session_get_study (hand.window->session)->epsilons->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (get_epsilon (&hand, 1), 0.1, 0.01);
  gtk_widget_activate_action (GTK_WIDGET (hand.slider), "epsilon.add", NULL);
  g_assert_cmpuint (attn_session_get_study (hand.window->session)->epsilons->len, ==, 3);
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* "5.2e-1" for 5.2e-11 would be another number. */
static void
assert_is_whole (GtkEditable *entry)
{
  GtkWidget *text = GTK_WIDGET (gtk_editable_get_delegate (entry));
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (text, gtk_editable_get_text (entry));
  int width;

  gtk_test_widget_wait_for_draw (text);
  pango_layout_get_pixel_size (layout, &width, NULL);
  g_assert_cmpint (width, <=, gtk_widget_get_width (text));
}

static void
test_number_is_typed (void)
{
  Hand hand = open_slider ("single");
  GtkEditable *entry = find_widget (hand.slider, GTK_TYPE_ENTRY);

  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "0.5");
  gtk_editable_set_text (entry, "7e-1");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 0.7);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "0.7");
  assert_is_whole (entry);
  gtk_editable_set_text (entry, "5.2e-11");
  g_signal_emit_by_name (entry, "activate");
  wait_for_figure (hand.window);
  assert_is_whole (entry);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "5.2e-11");
  gtk_editable_set_text (entry, "0.7");
  g_signal_emit_by_name (entry, "activate");
  gtk_editable_set_text (entry, "-1");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpfloat (get_epsilon (&hand, 0), ==, 0.7);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"));
  attn_session_undo (hand.window->session);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "0.5");
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"));
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* The wheel moves the handle next to the pointer by a step. */
static void
test_wheel_moves_it (void)
{
  Hand hand = open_slider ("single");
  g_autoptr (GPtrArray) wheels = find_controllers (hand.slider, GTK_TYPE_EVENT_CONTROLLER_SCROLL);
  gboolean is_handled;

  g_signal_emit_by_name (wheels->pdata[0], "scroll", 0.0, 1.0, &is_handled);
  g_assert_true (is_handled);
  g_assert_cmpfloat (get_epsilon (&hand, 0), <, 0.5);
  g_assert_cmpfloat (get_epsilon (&hand, 0), >, 0.4);
  wait_for_figure (hand.window);
  close_window (hand.window);
}

/* What assistive technology is told of a handle. */
static void
test_handle_speaks (void)
{
  Hand hand = open_slider ("epsilon");
  GtkWidget *scale = find_widget (hand.slider, GTK_TYPE_SCALE);

  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (scale)), ==,
                   GTK_ACCESSIBLE_ROLE_SLIDER);
  gtk_test_accessible_assert_property (scale, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "ε of column 1, slider");
  gtk_test_accessible_assert_property (scale, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "0.5");
  gtk_range_set_value (GTK_RANGE (scale), -1);
  g_assert_cmpfloat_with_epsilon (get_epsilon (&hand, 0), 0.1, 1e-12);
  gtk_test_accessible_assert_property (scale, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "0.1");
  wait_for_figure (hand.window);
  /* The number of its column is the one in the figure, where that begins with the baseline. */
  gtk_toggle_button_set_active (find_id (hand.window, "baseline-column"), TRUE);
  wait_for_figure (hand.window);
  gtk_test_accessible_assert_property (scale, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "ε of column 2, slider");
  close_window (hand.window);
  hand = open_slider ("compare");
  gtk_test_accessible_assert_property (find_widget (hand.slider, GTK_TYPE_SCALE),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "ε, slider");
  close_window (hand.window);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add_func ("/app/strip/buttons-have-one-name", test_buttons_have_one_name);
  g_test_add_func ("/app/strip/all-is-at-hand", test_all_is_at_hand);
  g_test_add_func ("/app/strip/survey-file-has-no-operation", test_survey_file_has_no_operation);
  g_test_add_func ("/app/strip/yields-in-order", test_narrow_strip_yields_in_order);
  g_test_add_func ("/app/strip/introduction-is-not-of-the-baseline",
                   test_introduction_is_not_of_the_baseline);
  g_test_add_func ("/app/strip/introduction-is-in-the-help", test_introduction_is_in_the_help);
  g_test_add_func ("/app/strip/meaning-is-read-to-the-end", test_meaning_is_read_to_the_end);
  g_test_add_func ("/app/strip/button-has-its-room", test_button_has_its_room_before_words_yield);
  g_test_add_func ("/app/strip/folded-operations", test_folded_operations);
  g_test_add_func ("/app/strip/stays-while-pressed", test_stays_while_pressed);
  g_test_add_func ("/app/strip/minimum-is-one", test_minimum_is_one);
  g_test_add_func ("/app/strip/track-is-whole-while-playing", test_track_is_whole_while_playing);
  g_test_add_func ("/app/strip/presets-do-not-move-it", test_presets_do_not_move_it);
  g_test_add_func ("/app/strip/only-the-key", test_only_the_key);
  g_test_add_func ("/app/strip/steps-begin-at-what-shows", test_steps_begin_at_what_shows);
  g_test_add_func ("/app/strip/further-operation", test_further_operation);
  g_test_add_func ("/app/strip/what-is-chosen-is-said", test_what_is_chosen_is_said);
  g_test_add_func ("/app/strip/patch-and-cut", test_patch_and_cut);
  g_test_add_func ("/app/strip/own-patch-and-cut", test_own_patch_and_cut);
  g_test_add_func ("/app/strip/patch-of-another-length-is-explained",
                   test_patch_of_another_length_is_explained);
  g_test_add_func ("/app/strip/drag-sets-epsilon", test_drag_sets_epsilon);
  g_test_add_func ("/app/strip/words-of-an-end-are-pressed", test_words_of_an_end_are_pressed);
  g_test_add_func ("/app/strip/track-grows-when-let-go", test_track_grows_when_let_go);
  g_test_add_func ("/app/strip/several-handles", test_several_handles);
  g_test_add_func ("/app/strip/number-is-typed", test_number_is_typed);
  g_test_add_func ("/app/strip/wheel-moves-it", test_wheel_moves_it);
  g_test_add_func ("/app/strip/handle-speaks", test_handle_speaks);
  return fixture_run (application);
}
