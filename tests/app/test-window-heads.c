/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Another head by a key or typed, and back; the baseline while its key is held; a panel that is
 * enlarged. */

#include "config.h"

#include <string.h>

#include "attn-epsilon-slider.h"
#include "attn-head-place.h"
#include "attn-readout.h"
#include "window-fixture.h"

static void
assert_place (int         layer,
              int         head,
              const char *subtitle)
{
  const AttnStudy *study = attn_session_get_study (window->session);

  g_assert_cmpint (study->layer, ==, layer);
  g_assert_cmpint (study->head, ==, head);
  wait_for_figure (window);
  g_assert_cmpstr (gtk_label_get_label (window->document_subtitle), ==, subtitle);
}

/* The popover that is open, somewhere above the figure. */
static GtkWidget *
find_popover (void)
{
  for (GtkWidget *parent = GTK_WIDGET (window->view); parent != NULL;
       parent = gtk_widget_get_parent (parent))
    for (GtkWidget *child = gtk_widget_get_first_child (parent); child != NULL;
         child = gtk_widget_get_next_sibling (child))
      if (GTK_IS_POPOVER (child) && gtk_widget_get_visible (child))
        return child;
  g_assert_not_reached ();
}

/* The words of the title say by which rule the head was chosen, and go with it. */
static void
test_title_says_the_rule (gpointer      *fixture,
                          gconstpointer  preset)
{
  GtkWidget *subtitle = GTK_WIDGET (window->document_subtitle);
  const char *rule = gtk_widget_get_tooltip_text (subtitle);

  g_assert_nonnull (rule);
  g_assert_nonnull (strstr (rule, "largest sink score for the shown texts"));
  g_autofree char *told = gtk_test_accessible_check_property (
      GTK_ACCESSIBLE (subtitle), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, rule);
  g_assert_null (told);
  activate ("head-next");
  wait_for_figure (window);
  g_assert_null (gtk_widget_get_tooltip_text (subtitle));
  activate ("view-back");
  wait_for_figure (window);
  g_assert_nonnull (gtk_widget_get_tooltip_text (subtitle));
}

static void
test_another_head_and_back (gpointer      *fixture,
                            gconstpointer  preset)
{
  assert_place (-1, -1, "L1 H2 · ★ strongest sink · rose");
  activate ("head-next");
  assert_place (1, 3, "L1 H3 · rose");
  activate ("layer-previous");
  assert_place (0, 3, "L0 H3 · rose");
  activate ("view-back");
  assert_place (1, 3, "L1 H3 · rose");
  activate ("view-back");
  assert_place (-1, -1, "L1 H2 · ★ strongest sink · rose");
  activate ("view-forward");
  assert_place (1, 3, "L1 H3 · rose");
  g_action_group_activate_action (G_ACTION_GROUP (window), "type-head",
                                  g_variant_new_string ("L"));
  GtkWidget *entry = find_widget (find_popover (), GTK_TYPE_ENTRY);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "L");
  gtk_editable_set_text (GTK_EDITABLE (entry), "L9");
  g_signal_emit_by_name (entry, "activate");
  assert_place (1, 3, "L1 H3 · rose");
  gtk_editable_set_text (GTK_EDITABLE (entry), "L2 H0");
  g_signal_emit_by_name (entry, "activate");
  assert_place (2, 0, "L2 H0 · rose");
}

static void
assert_numbers (const char *layer,
                const char *head)
{
  AttnBinder *binder = attn_strip_get_binder (window->strip);

  g_assert_nonnull (find_label (attn_binder_find (binder, "layer"), layer));
  g_assert_nonnull (find_label (attn_binder_find (binder, "head"), head));
}

/* The strongest sink is marked where it is reached by hand, too, and its list has the way back. */
static void
test_strongest_sink_by_hand (gpointer      *fixture,
                             gconstpointer  preset)
{
  AttnBinder *binder = attn_strip_get_binder (window->strip);

  wait_for_figure (window);
  assert_numbers ("1 ★", "2 ★");
  activate ("head-next");
  assert_place (1, 3, "L1 H3 · rose");
  assert_numbers ("1 ★", "3");
  activate ("head-previous");
  assert_place (1, 2, "L1 H2 · ★ strongest sink · rose");
  assert_numbers ("1 ★", "2 ★");
  activate ("layer-next");
  assert_place (2, 2, "L2 H2 · rose");
  GtkDropDown *layers = attn_binder_find (binder, "layer");
  g_assert_cmpstr (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (layers)),
                                               0),
                   ==, "★ Strongest sink");
  gtk_drop_down_set_selected (layers, 0);
  assert_place (-1, -1, "L1 H2 · ★ strongest sink · rose");
  assert_numbers ("1 ★", "2 ★");
}

/* Where a star stands at a number without words, one sentence explains it, that of the title; in
 * the title the words stand behind a star. */
static void
test_star_is_explained_where_it_stands (gpointer      *fixture,
                                        gconstpointer  preset)
{
  static const char * const ids[] = { "layer", "layer_name", "layer_initial",
                                      "head", "head_name", "head_initial" };
  AttnBinder *binder = attn_strip_get_binder (window->strip);
  const char *rule = attn_head_place_explain_strongest ();

  wait_for_figure (window);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (window->document_subtitle)), ==, rule);
  g_assert_true (g_str_has_prefix (rule, "★ "));
  g_assert_nonnull (strstr (gtk_label_get_label (window->document_subtitle), "★ strongest sink"));
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const char *tip = gtk_widget_get_tooltip_text (attn_binder_find (binder, ids[i]));

      g_assert_true (g_str_has_suffix (tip, rule));
      if (i % 3 == 0)
        gtk_test_accessible_assert_property (attn_binder_find (binder, ids[i]),
                                             GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tip);
    }
}

static void
test_back_to_the_overview (gpointer      *fixture,
                           gconstpointer  preset)
{
  AttnStudy *overview = attn_study_copy (attn_session_get_study (window->session));

  go_to (5, 0, 0);
  g_signal_emit_by_name (window->reading, "clicked");
  assert_place (1, 1, "L1 H1 · rose");
  activate ("view-back");
  wait_for_figure (window);
  g_assert_true (attn_study_equal (overview, attn_session_get_study (window->session)));
  attn_study_unref (overview);
}

static void
assert_way_back (const char *name)
{
  g_autofree char *tooltip = g_strdup_printf ("Back to %s (Alt+Left)", name);

  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window->back_pill)));
  g_assert_true (g_str_has_prefix (tooltip, gtk_label_get_label (window->back_name)));
  g_assert_true (g_str_has_suffix (gtk_label_get_label (window->back_name), name));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (window->back_pill)), ==, tooltip);
}

/* The way back is in sight as long as there is one, and leads past what was shown of the head and
 * past others; a preset that was shown before is none. */
static void
test_way_back_is_in_sight (gpointer      *fixture,
                           gconstpointer  preset)
{
  g_autoptr (AttnStudy) overview = attn_study_copy (attn_session_get_study (window->session));

  wait_for_figure (window);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window->back_pill)));
  activate ("zoom-in");
  activate ("zoom-fit");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window->back_pill)));
  go_to (5, 0, 0);
  g_signal_emit_by_name (window->reading, "clicked");
  assert_place (1, 1, "L1 H1 · rose");
  assert_way_back ("All Heads");
  activate ("zoom-in");
  activate ("head-next");
  wait_for_figure (window);
  /* The scores of all heads may be computed by then, or not yet. */
  const AttnResult *result = attn_session_get_result (window->session);
  assert_place (1, 2,
                result->is_layer_strongest && result->is_head_strongest
                    ? "L1 H2 · ★ strongest sink · rose"
                    : "L1 H2 · rose");
  assert_way_back ("All Heads");
  gtk_widget_activate (GTK_WIDGET (window->back_pill));
  WAIT_UNTIL (!gtk_widget_get_visible (GTK_WIDGET (window->back_pill)));
  wait_for_figure (window);
  g_assert_true (attn_study_equal (overview, attn_session_get_study (window->session)));
}

/* A note about a head goes when another one is shown, or the same of another text; one about what
 * was done stays. */
static void
test_note_goes_with_its_head (gpointer      *fixture,
                              gconstpointer  preset)
{
  wait_for_figure (window);
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-extreme-head",
                                  g_variant_new_string ("induction"));
  WAIT_UNTIL (window->note != NULL);
  wait_for_figure (window);
  g_assert_nonnull (strstr (window->note, "Most induction-like head"));
  g_assert_nonnull (find_label_with (window->readout, "Most induction-like head"));
  /* The panels have an operation, and inputs of their own; what was measured is said. */
  g_assert_nonnull (find_label_with (window->readout, " · Input 1 of 3, without any operation"));
  assert_way_back ("strongest sink");
  activate ("layer-previous");
  g_assert_null (window->note);
  g_assert_null (find_label_with (window->readout, "Most induction-like head"));
  wait_for_figure (window);
  activate ("copy-command");
  g_assert_nonnull (strstr (window->note, "Copied the figure as a command for a shell: att"));
  g_assert_true (
      g_str_has_prefix (gtk_widget_get_tooltip_text (window->readout), "attention-grid "));
  activate ("layer-next");
  g_assert_nonnull (strstr (window->note, "Copied"));
  wait_for_figure (window);
}

/* Each measure of the map is explained. */
static void
test_measures_of_the_map_are_explained (gpointer      *fixture,
                                        gconstpointer  preset)
{
  activate ("head-map");
  GtkListBox *measures = find_widget (find_popover (), GTK_TYPE_LIST_BOX);
  GtkListBoxRow *row;
  int n = 0;

  for (; (row = gtk_list_box_get_row_at_index (measures, n)) != NULL; n++)
    g_assert_cmpuint (strlen (gtk_widget_get_tooltip_text (GTK_WIDGET (row))), >, 40);
  g_assert_cmpint (n, ==, ATTN_HEAD_MEASURE_CHANGE + 1);
  row = gtk_list_box_get_row_at_index (measures, ATTN_HEAD_MEASURE_INDUCTION);
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (GTK_WIDGET (row)), "induction head"));
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
}

static gboolean
shows_label (GtkWidget  *popover,
             const char *text)
{
  GtkLabel *label = find_label (popover, text);

  return label != NULL && gtk_widget_get_child_visible (GTK_WIDGET (label));
}

/* The map tells which input it measures and that the weights are those without an operation, which
 * a head that is opened has; the change is that of the panel of the cursor. */
static void
test_map_tells_what_it_measures (gpointer      *fixture,
                                 gconstpointer  preset)
{
  static const char source[] = "Input 2 of 3, without any operation; a click opens the head with "
                               "the operation";
  static const char change[] = "Input 2, Key: operation against the baseline";

  wait_for_figure (window);
  go_to (4, 0, 0);
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  GtkListBox *measures = find_widget (popover, GTK_TYPE_LIST_BOX);
  g_assert_true (shows_label (popover, source));
  gtk_test_accessible_assert_property (popover, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, source);
  gtk_list_box_select_row (
      measures, gtk_list_box_get_row_at_index (measures, ATTN_HEAD_MEASURE_CHANGE));
  g_assert_true (shows_label (popover, change));
  gtk_test_accessible_assert_property (measures, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, change);
  gtk_list_box_select_row (
      measures, gtk_list_box_get_row_at_index (measures, ATTN_HEAD_MEASURE_INDUCTION));
  g_assert_true (shows_label (popover, source));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* Returns the button of the open map that has this tooltip. */
static GtkWidget *
find_step (GtkWidget  *widget,
           const char *tooltip)
{
  GtkWidget *found = GTK_IS_BUTTON (widget) &&
                             g_strcmp0 (gtk_widget_get_tooltip_text (widget), tooltip) == 0
                         ? widget
                         : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_step (child, tooltip);
  return found;
}

static gboolean
has_new_map (AttnHeadMap *before)
{
  return attn_session_get_head_map (window->session) != before;
}

/* The map of any input of the figure can be seen, of the same column, and tells which it is of. */
static void
test_map_steps_through_the_inputs (gpointer      *fixture,
                                   gconstpointer  preset)
{
  static const char source[] = "Input %d of 3, without any operation; a click opens the head with "
                               "the operation";

  wait_for_figure (window);
  go_to (4, 0, 0);
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  GtkWidget *before = find_step (popover, "Previous input");
  GtkWidget *after = find_step (popover, "Next input");
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);
  g_autoptr (AttnHeadMap) second =
      attn_head_map_ref (attn_session_get_head_map (window->session));

  g_assert_true (gtk_widget_get_mapped (after) && gtk_widget_get_sensitive (before));
  g_signal_emit_by_name (after, "clicked");
  g_autofree char *third_source = g_strdup_printf (source, 3);
  g_assert_true (shows_label (popover, third_source));
  g_assert_nonnull (find_label (popover, "Computing"));
  g_assert_false (gtk_widget_get_sensitive (after));
  WAIT_UNTIL (has_new_map (second));
  g_assert_null (find_label (popover, "Computing"));
  g_autoptr (AttnHeadMap) third =
      attn_head_map_ref (attn_session_get_head_map (window->session));
  g_assert_cmpfloat (third->values[ATTN_HEAD_MEASURE_ENTROPY][0], !=,
                     second->values[ATTN_HEAD_MEASURE_ENTROPY][0]);

  g_signal_emit_by_name (before, "clicked");
  g_signal_emit_by_name (before, "clicked");
  g_autofree char *first_source = g_strdup_printf (source, 1);
  g_assert_true (shows_label (popover, first_source));
  g_assert_false (gtk_widget_get_sensitive (before));
  GtkListBox *measures = find_widget (popover, GTK_TYPE_LIST_BOX);
  gtk_list_box_select_row (
      measures, gtk_list_box_get_row_at_index (measures, ATTN_HEAD_MEASURE_CHANGE));
  g_assert_true (shows_label (popover, "Input 1, Key: operation against the baseline"));
  gtk_list_box_select_row (
      measures, gtk_list_box_get_row_at_index (measures, ATTN_HEAD_MEASURE_INDUCTION));
  WAIT_UNTIL (has_new_map (third));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
assert_source_of_new_map (const char *source)
{
  activate ("head-map");
  g_assert_true (shows_label (find_popover (), source));
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);
}

/* The map is of the input that one has stepped to when it is opened anew, until the figure has no
 * such input any more or the cursor has gone to another panel. */
static void
test_map_keeps_its_input (gpointer      *fixture,
                          gconstpointer  preset)
{
  static const char rest[] = "without any operation; a click opens the head with the operation";
  g_autofree char *own = g_strdup_printf ("Input 1 of 3, %s", rest);
  g_autofree char *third = g_strdup_printf ("Input 3 of 3, %s", rest);

  wait_for_figure (window);
  go_to (1, 0, 0);
  assert_source_of_new_map (own);
  for (guint i = 0; i < 2; i++)
    g_signal_emit_by_name (find_step (find_popover (), "Next input"), "clicked");
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  assert_source_of_new_map (third);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  activate ("head-next");
  wait_for_figure (window);
  assert_source_of_new_map (third);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));

  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));
  g_ptr_array_set_size (study->inputs, 2);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_autofree char *first = g_strdup_printf ("Input 1 of 2, %s", rest);
  assert_source_of_new_map (first);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  attn_session_undo (window->session);
  wait_for_figure (window);
  go_to (3, 0, 0);
  g_autofree char *second = g_strdup_printf ("Input 2 of 3, %s", rest);
  assert_source_of_new_map (second);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
}

/* Returns the distance of the map from the left side of its popover. */
static double
get_map_x (GtkWidget *popover)
{
  GtkWidget *area = find_widget (popover, GTK_TYPE_DRAWING_AREA);
  graphene_rect_t bounds;

  gtk_test_widget_wait_for_draw (popover);
  g_assert_true (gtk_widget_compute_bounds (area, popover, &bounds));
  return bounds.origin.x;
}

/* Tells whether the line below the map names the head with the largest value, which a dot marks. */
static gboolean
shows_largest (GtkWidget *popover)
{
  const AttnHeadMap *map = attn_session_get_head_map (window->session);

  if (map == NULL)
    return FALSE;
  g_autofree gsize *order = attn_head_map_sort (map, ATTN_HEAD_MEASURE_SINK);
  g_autofree char *value =
      attn_readout_format_number (map->values[ATTN_HEAD_MEASURE_SINK][order[0]]);
  g_autofree char *text = g_strdup_printf ("● Largest: L%zu H%zu · %s", order[0] / map->n_heads,
                                           order[0] % map->n_heads, value);
  return find_label (popover, text) != NULL;
}

/* The map stays where it is while the line below it changes: a click opens the head that was
 * pointed at. */
static void
test_map_stays_under_the_pointer (gpointer      *fixture,
                                  gconstpointer  preset)
{
  wait_for_figure (window);
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  GtkWidget *area = find_widget (popover, GTK_TYPE_DRAWING_AREA);
  GtkWidget *sorted = find_widget (popover, GTK_TYPE_CHECK_BUTTON);
  g_autoptr (GPtrArray) motions = find_controllers (area, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  WAIT_UNTIL (shows_largest (popover));
  g_assert_cmpuint (motions->len, ==, 1);
  for (guint try = 0; try < 2; try++)
    {
      gtk_check_button_set_active (GTK_CHECK_BUTTON (sorted), try == 1);
      double x = get_map_x (popover);
      g_signal_emit_by_name (motions->pdata[0], "motion", gtk_widget_get_width (area) / 2.0, 40.0);
      g_assert_false (shows_largest (popover));
      g_assert_cmpfloat_with_epsilon (get_map_x (popover), x, 0.5);
      g_signal_emit_by_name (motions->pdata[0], "motion", -1.0, -1.0);
    }
  gtk_check_button_set_active (GTK_CHECK_BUTTON (sorted), FALSE);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* A figure of one input has no steps. */
static void
test_map_of_one_input_has_no_steps (gpointer      *fixture,
                                    gconstpointer  preset)
{
  wait_for_figure (window);
  activate ("head-map");
  GtkWidget *popover = find_popover ();

  g_assert_false (gtk_widget_get_mapped (find_step (popover, "Next input")));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* The operation of the panels stays chosen in a map of weights, which has none. */
static void
test_map_of_weights_has_no_operation (gpointer      *fixture,
                                      gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_nonnull (find_label_with (window->strip, "Heads are measured without any operation"));
  g_assert_null (find_label_with (window->strip, "is computed by itself"));
}

static void
assert_steps (gboolean has_previous,
              gboolean has_next)
{
  static const char * const names[] = { "head-previous", "layer-previous", "head-next",
                                        "layer-next" };
  static const char * const buttons[] = { "head_previous", "layer_previous", "head_next",
                                          "layer_next" };
  AttnBinder *binder = attn_strip_get_binder (window->strip);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gboolean is_enabled = i < 2 ? has_previous : has_next;

      g_assert_cmpint (g_action_group_get_action_enabled (G_ACTION_GROUP (window), names[i]), ==,
                       is_enabled);
      g_assert_cmpint (gtk_widget_get_sensitive (attn_binder_find (binder, buttons[i])), ==,
                       is_enabled);
    }
}

/* The keys and the buttons of the strip go on as long as there is a head, and no further. */
static void
test_steps_end_with_the_model (gpointer      *fixture,
                               gconstpointer  preset)
{
  assert_steps (TRUE, TRUE);
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-head",
                                  g_variant_new ("(ii)", 0, 0));
  assert_place (0, 0, "L0 H0 · rose");
  assert_steps (FALSE, TRUE);
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-head",
                                  g_variant_new ("(ii)", 2, 3));
  assert_place (2, 3, "L2 H3 · rose");
  assert_steps (TRUE, FALSE);
}

/* The map of the heads points at its button. */
static void
test_map_points_at_its_button (gpointer      *fixture,
                               gconstpointer  preset)
{
  GtkWidget *button = attn_binder_find (attn_strip_get_binder (window->strip), "head_map");
  GtkWidget *popover;
  GdkRectangle place;
  graphene_rect_t bounds;

  activate ("head-map");
  popover = find_popover ();
  g_assert_true (gtk_popover_get_pointing_to (GTK_POPOVER (popover), &place));
  g_assert_true (
      gtk_widget_compute_bounds (button, gtk_widget_get_parent (popover), &bounds));
  /* places are whole pixels */
  g_assert_cmpfloat_with_epsilon (place.x, bounds.origin.x, 1);
  g_assert_cmpfloat_with_epsilon (place.y, bounds.origin.y, 1);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* GTK 4.8 loses the first click after a popover within a popover has closed. */
static void
assert_opens_no_popover (GtkWidget *popover)
{
  GtkWidget *child = gtk_widget_get_first_child (popover);

  g_assert_nonnull (child);
  g_assert_null (find_widget (child, GTK_TYPE_DROP_DOWN));
  g_assert_null (find_widget (child, GTK_TYPE_MENU_BUTTON));
  g_assert_null (find_widget (child, GTK_TYPE_POPOVER));
}

static void
press (GtkWidget *widget,
       guint      key)
{
  g_autoptr (GPtrArray) keys = find_controllers (widget, GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_taken = FALSE;

  g_assert_cmpuint (keys->len, ==, 1);
  g_signal_emit_by_name (keys->pdata[0], "key-pressed", key, 0, 0, &is_taken);
  g_assert_true (is_taken);
}

/* The first head of the sorted map is the one with the largest value of the chosen measure, and
 * opens. */
static void
test_measure_of_the_map_is_chosen (gpointer      *fixture,
                                   gconstpointer  preset)
{
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  GtkListBox *measures = find_widget (popover, GTK_TYPE_LIST_BOX);
  GtkWidget *area = find_widget (popover, GTK_TYPE_DRAWING_AREA);
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);
  AttnHeadMap *map = attn_session_get_head_map (window->session);
  g_autofree gsize *order = attn_head_map_sort (map, ATTN_HEAD_MEASURE_INDUCTION);
  g_autofree gsize *sinks = attn_head_map_sort (map, ATTN_HEAD_MEASURE_SINK);

  assert_opens_no_popover (popover);
  /* of the model that comes along, whose strongest sink is another head */
  g_assert_cmpuint (order[0], !=, sinks[0]);
  gtk_list_box_select_row (measures, gtk_list_box_get_row_at_index (
                                         measures, ATTN_HEAD_MEASURE_INDUCTION));
  gtk_check_button_set_active (find_widget (popover, GTK_TYPE_CHECK_BUTTON), TRUE);
  g_autofree char *largest = g_strdup_printf ("Row by row from the largest: L%zu H%zu · ",
                                              order[0] / map->n_heads, order[0] % map->n_heads);
  g_assert_nonnull (find_label_with (popover, largest));
  press (area, GDK_KEY_Right);
  press (area, GDK_KEY_Return);
  g_autofree char *subtitle = g_strdup_printf ("L%zu H%zu · rose", order[0] / map->n_heads,
                                               order[0] % map->n_heads);
  assert_place ((int) (order[0] / map->n_heads), (int) (order[0] % map->n_heads), subtitle);
}

/* The head that is described stays the same when the map is sorted, and when it is no longer. */
static void
test_sorting_keeps_the_head (gpointer      *fixture,
                             gconstpointer  preset)
{
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  GtkCheckButton *sorted = find_widget (popover, GTK_TYPE_CHECK_BUTTON);
  GtkWidget *area = find_widget (popover, GTK_TYPE_DRAWING_AREA);
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);

  press (area, GDK_KEY_Down);
  press (area, GDK_KEY_Down);
  press (area, GDK_KEY_Right);
  g_assert_nonnull (find_label_with (popover, "L1 H1 · "));
  gtk_check_button_set_active (sorted, TRUE);
  g_assert_nonnull (find_label_with (popover, "L1 H1 · "));
  gtk_list_box_select_row (find_widget (popover, GTK_TYPE_LIST_BOX),
                           gtk_list_box_get_row_at_index (find_widget (popover, GTK_TYPE_LIST_BOX),
                                                          ATTN_HEAD_MEASURE_INDUCTION));
  g_assert_nonnull (find_label_with (popover, "L1 H1 · "));
  gtk_check_button_set_active (sorted, FALSE);
  g_assert_nonnull (find_label_with (popover, "L1 H1 · "));
  press (area, GDK_KEY_Return);
  assert_place (1, 1, "L1 H1 · rose");
}

/* The map begins with the measure and the order that it had when it was last open. */
static void
test_map_keeps_its_measure (gpointer      *fixture,
                            gconstpointer  preset)
{
  activate ("head-map");
  GtkListBox *measures = find_widget (find_popover (), GTK_TYPE_LIST_BOX);
  gtk_list_box_select_row (measures, gtk_list_box_get_row_at_index (
                                         measures, ATTN_HEAD_MEASURE_INDUCTION));
  gtk_check_button_set_active (find_widget (find_popover (), GTK_TYPE_CHECK_BUTTON), TRUE);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  activate ("head-map");
  GtkWidget *popover = find_popover ();
  measures = find_widget (popover, GTK_TYPE_LIST_BOX);
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);

  g_assert_cmpint (gtk_list_box_row_get_index (gtk_list_box_get_selected_row (measures)), ==,
                   ATTN_HEAD_MEASURE_INDUCTION);
  g_assert_true (gtk_check_button_get_active (find_widget (popover, GTK_TYPE_CHECK_BUTTON)));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

static GtkListBox *
find_order_of_the_atlas (void)
{
  GtkWidget *label = GTK_WIDGET (find_label_with (find_popover (), "Atlas: by layer and head"));

  return GTK_LIST_BOX (gtk_widget_get_ancestor (label, GTK_TYPE_LIST_BOX));
}

/* An order of the atlas ends when a head is opened, and is not chosen any more afterwards. */
static void
test_order_of_the_atlas_is_the_figures (gpointer      *fixture,
                                        gconstpointer  preset)
{
  activate ("head-map");
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);
  GtkListBox *orders = find_order_of_the_atlas ();
  gtk_list_box_select_row (orders, gtk_list_box_get_row_at_index (orders, 1));
  g_assert_true (attn_reading_is_arranged (window->reading));
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  activate ("head-map");
  orders = find_order_of_the_atlas ();
  g_assert_cmpint (gtk_list_box_row_get_index (gtk_list_box_get_selected_row (orders)), ==, 1);
  gtk_popover_popdown (GTK_POPOVER (find_popover ()));
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-head",
                                  g_variant_new ("(ii)", 2, 1));
  assert_place (2, 1, "L2 H1 · rose");
  activate ("view-back");
  wait_for_figure (window);
  g_assert_false (attn_reading_is_arranged (window->reading));
  activate ("head-map");
  orders = find_order_of_the_atlas ();
  g_assert_cmpint (gtk_list_box_row_get_index (gtk_list_box_get_selected_row (orders)), ==, 0);
}

/* Another head's group is reached without a second popover. */
static void
test_head_of_the_groups_is_chosen (gpointer      *fixture,
                                   gconstpointer  preset)
{
  activate ("edit-groups");
  GtkWidget *popover = find_popover ();
  GtkWidget *tokens = find_widget (popover, GTK_TYPE_FLOW_BOX);
  GtkToggleButton *first = find_widget (tokens, GTK_TYPE_TOGGLE_BUTTON);
  GtkSpinButton *head = find_widget (popover, GTK_TYPE_SPIN_BUTTON);
  const char *names[] = { "is", "am", "the" };

  assert_opens_no_popover (popover);
  g_assert_false (gtk_toggle_button_get_active (first)); /* the start token, of no group */
  gtk_spin_button_set_value (head, 1);
  for (gsize i = 0, place = 0; i < 6; i++)
    {
      GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (
          gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (tokens), (int) i)));

      if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (child)))
        g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (child)), ==, names[place++]);
    }
  /* there are four heads, and no fifth */
  gtk_spin_button_set_value (head, 9);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (head), ==, 3);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* A head of the map is opened in the grid that is shown; where that has all heads, alone. */
static void
test_map_of_the_heads (gpointer      *fixture,
                       gconstpointer  preset)
{
  activate ("head-map");
  WAIT_UNTIL (attn_session_get_head_map (window->session) != NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "go-to-head",
                                  g_variant_new ("(ii)", 2, 1));
  assert_place (2, 1, "L2 H1 · rose");
  gboolean was_atlas = g_str_equal (preset, "head-atlas");
  AttnGrid *grid = attn_reading_get (window->reading).grid;
  g_assert_cmpuint (grid->n_rows * grid->n_columns, ==, was_atlas ? 1 : 9);
}

/* What a pill says stands below the figure, which has a caption at its lower edge, and does not
 * move it. @height: of the figure without the pill */
static void
assert_covers_nothing (gpointer pill,
                       int      height)
{
  GtkWidget *view = GTK_WIDGET (window->view);
  double x, y;

  for (guint i = 0; i < 2; i++)
    gtk_test_widget_wait_for_draw (view);
  g_assert_true (gtk_widget_get_visible (pill));
  g_assert_true (gtk_widget_translate_coordinates (pill, view, 0, 0, &x, &y));
  g_assert_cmpfloat (y, >=, gtk_widget_get_height (view));
  g_assert_cmpint (gtk_widget_get_height (view), ==, height);
}

static double
get_corner (void)
{
  return attn_panel_get_value (attn_reading_get (window->reading).grid->cells[0].panel, 3, 0);
}

static void
test_baseline_while_it_is_held (gpointer      *fixture,
                                gconstpointer  preset)
{
  AttnGrid *grid = attn_session_get_result (window->session)->grid;
  double modified = get_corner ();
  int height = gtk_widget_get_height (GTK_WIDGET (window->view));

  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (TRUE));
  g_assert_cmpfloat (get_corner (), ==, attn_panel_get_value (grid->cells[0].baseline, 3, 0));
  g_assert_cmpfloat (get_corner (), !=, modified);
  assert_covers_nothing (window->baseline_pill, height);
  activate ("head-next");
  wait_for_figure (window);
  grid = attn_session_get_result (window->session)->grid;
  g_assert_cmpfloat (get_corner (), ==, attn_panel_get_value (grid->cells[0].baseline, 3, 0));
  activate ("head-previous");
  wait_for_figure (window);
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (FALSE));
  g_assert_cmpfloat (get_corner (), ==, modified);
}

/* A column of the baseline is to be compared with: the others show what the operations do. */
static void
test_baseline_column_ends_the_baseline (gpointer      *fixture,
                                        gconstpointer  preset)
{
  AttnBinder *binder = attn_strip_get_binder (window->strip);
  GtkToggleButton *column = GTK_TOGGLE_BUTTON (attn_binder_find (binder, "baseline-column"));

  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (TRUE));
  gtk_toggle_button_set_active (column, TRUE);
  g_assert_true (attn_study_shows_baseline_column (attn_session_get_study (window->session)));
  g_assert_false (attn_window_shows_baseline (window));
  wait_for_figure (window);
  /* With the column there it is shown all the same where it is asked for. */
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (TRUE));
  activate ("head-next");
  wait_for_figure (window);
  g_assert_true (attn_window_shows_baseline (window));
  g_action_group_change_action_state (G_ACTION_GROUP (window), "baseline",
                                      g_variant_new_boolean (FALSE));
}

static void
test_panel_is_enlarged (gpointer      *fixture,
                        gconstpointer  preset)
{
  int height = gtk_widget_get_height (GTK_WIDGET (window->view));

  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window->place_pill)));
  go_to (4, 2, 1);
  g_signal_emit_by_name (window->reading, "double-clicked");
  g_assert_cmpint (attn_reading_get (window->reading).views->maximized, ==, 4);
  g_assert_cmpstr (gtk_button_get_label (window->place_pill), ==, "Input 2, Key · All Panels");
  attn_reading_do (window->reading, ATTN_COMMAND_ZOOM, 2, 0);
  g_assert_true (g_str_has_suffix (gtk_button_get_label (window->place_pill), " · Fit"));
  assert_covers_nothing (window->place_pill, height);
  activate ("zoom-fit");
  g_signal_emit_by_name (window->reading, "double-clicked");
  g_assert_cmpint (attn_reading_get (window->reading).views->maximized, ==, -1);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window->place_pill)));
}

/* A key does what a click does: an atlas of effects is named after the operation. */
static void
test_key_of_an_operation_settles_the_figure (gpointer      *fixture,
                                             gconstpointer  data)
{
  const char *names[] = { "scale", "mean", "zero" };
  const AttnHeadMeasure measures[] = { ATTN_HEAD_MEASURE_EFFECT_SCALE,
                                       ATTN_HEAD_MEASURE_EFFECT_MEAN,
                                       ATTN_HEAD_MEASURE_EFFECT_ZERO };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (window), "operation",
                                      g_variant_new_string (names[i]));
      g_assert_cmpint (attn_session_get_study (window->session)->measure, ==, measures[i]);
      wait_for_figure (window);
      /* Without a component it is the output of each head that ε multiplies. */
      if (measures[i] == ATTN_HEAD_MEASURE_EFFECT_SCALE)
        g_assert_true (gtk_widget_is_sensitive (find_widget (window, ATTN_TYPE_EPSILON_SLIDER)));
    }
}

/* The hint says what pointing does: only an atlas of panels shows a head large. */
static void
test_hint_is_that_of_the_figure (gpointer      *fixture,
                                 gconstpointer  preset)
{
  const char *hint = gtk_label_get_label (window->readout_note);
  gboolean is_atlas = g_str_equal (preset, "head-atlas");

  g_assert_cmpstr (hint, ==, is_atlas ? "Point at a head to see it large; click it to open it; "
                                        "scroll to zoom"
                                      : "Point at a head to read it; click it to open it; "
                                        "scroll to zoom");
  if (is_atlas)
    return;
  go_to (0, 1, 2);
  g_assert_cmpstr (gtk_label_get_label (window->readout_cell), ==, "Layer 1, head 2");
}

static const char *
get_number (const char *id)
{
  return g_object_get_data (find_id (window, id), "text");
}

/* A figure of all heads of its layers does not become that of the one head before it; of a document
 * with one head, caption and strip say the same. */
static void
test_head_of_the_reduction (gpointer      *fixture,
                            gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  study->layer = 0;
  study->head = 1;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_cmpstr (get_number ("head"), ==, "1");
  attn_window_load_preset (window, "layer-token");
  wait_for_figure (window);
  g_assert_cmpstr (get_number ("head"), ==, "all");
  g_assert_nonnull (strstr (attn_session_get_result (window->session)->grid->caption,
                            "mean over 4 heads"));
  /* The head that was chosen is not lost on the way. */
  attn_window_load_preset (window, "single");
  wait_for_figure (window);
  g_assert_cmpstr (get_number ("layer"), ==, "0");
  g_assert_cmpstr (get_number ("head"), ==, "1");
  attn_window_load_preset (window, "layer-token");

  study = attn_study_copy (attn_session_get_study (window->session));
  study->head = 2;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_cmpstr (get_number ("head"), ==, "2");
  g_assert_cmpstr (get_number ("layer"), ==, "all");
  g_assert_nonnull (strstr (attn_session_get_result (window->session)->grid->caption, "head 2"));
}

#define ADD(name, preset, function) ADD_TO ("/app/window-heads/", name, preset, function)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("title-says-the-rule", "mean-operation", test_title_says_the_rule);
  ADD ("another-head-and-back", "mean-operation", test_another_head_and_back);
  ADD ("strongest-sink-by-hand", "mean-operation", test_strongest_sink_by_hand);
  ADD ("star-is-explained-where-it-stands", "mean-operation",
       test_star_is_explained_where_it_stands);
  ADD ("back-to-the-overview", "head-atlas", test_back_to_the_overview);
  ADD ("way-back-is-in-sight", "head-atlas", test_way_back_is_in_sight);
  ADD ("note-goes-with-its-head", "mean-operation", test_note_goes_with_its_head);
  ADD ("measures-of-the-map-are-explained", "mean-operation",
       test_measures_of_the_map_are_explained);
  ADD ("map-tells-what-it-measures", "mean-operation", test_map_tells_what_it_measures);
  ADD ("map-steps-through-the-inputs", "mean-operation", test_map_steps_through_the_inputs);
  ADD ("map-keeps-its-input", "mean-operation", test_map_keeps_its_input);
  ADD ("map-of-one-input-has-no-steps", "single", test_map_of_one_input_has_no_steps);
  ADD ("map-of-weights-has-no-operation", "sink-rate", test_map_of_weights_has_no_operation);
  ADD ("map-stays-under-the-pointer", "mean-operation", test_map_stays_under_the_pointer);
  ADD ("steps-end-with-the-model", "mean-operation", test_steps_end_with_the_model);
  ADD ("map-points-at-its-button", "mean-operation", test_map_points_at_its_button);
  ADD ("measure-of-the-map-is-chosen", "mean-operation", test_measure_of_the_map_is_chosen);
  ADD ("map-keeps-its-measure", "mean-operation", test_map_keeps_its_measure);
  ADD ("sorting-keeps-the-head", "mean-operation", test_sorting_keeps_the_head);
  ADD ("order-of-the-atlas-is-the-figures", "head-atlas", test_order_of_the_atlas_is_the_figures);
  ADD ("head-of-the-groups-is-chosen", "head-groups", test_head_of_the_groups_is_chosen);
  ADD ("hint-is-that-of-the-figure-atlas", "head-atlas", test_hint_is_that_of_the_figure);
  ADD ("hint-is-that-of-the-figure-map", "score-atlas", test_hint_is_that_of_the_figure);
  ADD ("head-of-the-reduction", "mean-operation", test_head_of_the_reduction);
  ADD ("map-of-the-heads", "mean-operation", test_map_of_the_heads);
  ADD ("map-of-the-heads-of-the-atlas", "head-atlas", test_map_of_the_heads);
  ADD ("baseline-while-it-is-held", "mean-operation", test_baseline_while_it_is_held);
  ADD ("baseline-column-ends-the-baseline", "mean-operation",
       test_baseline_column_ends_the_baseline);
  ADD ("panel-is-enlarged", "mean-operation", test_panel_is_enlarged);
  ADD ("key-of-an-operation-settles-the-figure", "score-atlas",
       test_key_of_an_operation_settles_the_figure);
  return fixture_run (application);
}
