/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar: its controls say what the study says, and the study what they do. */

#include "config.h"

#include <glib/gstdio.h>

#include "attn-application.h"
#include "sidebar-fixture.h"

/* What is on or off has colours of its own; what is graded has those of the map. */
static void
test_on_and_off_have_no_map (Fixture       *fixture,
                             gconstpointer  data)
{
  g_assert_null (find_labelled (fixture, "Colour map"));
  AttnStudy *study = attn_study_copy (get_study (fixture));
  study->groups.is_graded = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_nonnull (find_labelled (fixture, "Colour map"));
  wait_for_result (fixture);
}

/* So that the focus may go from a field, whose number is taken then, to the button of one. */
static void
test_rows_of_models_stay (Fixture       *fixture,
                          gconstpointer  data)
{
  AttnStudy *study = attn_study_copy (get_study (fixture));
  GtkWidget *list = find_id (fixture->sidebar, "model_list");

  g_ptr_array_add (study->other_models, attn_model_reference_new ("other", NULL));
  attn_session_edit (fixture->session, study, NULL);
  g_assert_nonnull (gtk_widget_get_first_child (list));
  g_autoptr (GtkWidget) row = g_object_ref (gtk_widget_get_first_child (list));

  study = attn_study_copy (get_study (fixture));
  study->style.font_size += 1;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_true (gtk_widget_get_first_child (list) == row);

  study = attn_study_copy (get_study (fixture));
  g_ptr_array_set_size (study->other_models, 0);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_null (gtk_widget_get_first_child (list));
}

static void
unfold_all (GtkWidget *widget)
{
  if (GTK_IS_EXPANDER (widget))
    gtk_expander_set_expanded (GTK_EXPANDER (widget), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    unfold_all (child);
}

/* The template of a preset is shown while it is in force, as what is typed is always. */
static void
test_title_is_the_one_in_force (Fixture       *fixture,
                                gconstpointer  data)
{
  unfold_all (GTK_WIDGET (fixture->sidebar));
  GtkEditable *entry = find_labelled (fixture, "Title");
  AttnStudy *study = attn_study_copy (get_study (fixture));

  g_assert_cmpstr (gtk_editable_get_text (entry), ==, study->title);
  study->operation = ATTN_OPERATION_ZERO;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "");

  study = attn_study_copy (get_study (fixture));
  g_free (study->title);
  study->title = g_strdup ("{component}");
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "{component}");
  wait_for_result (fixture);
}

/* With the window's other parts, 436 pixels, a window of 800 holds it also in a large font. */
static void
test_large_font_fits (Fixture       *fixture,
                      gconstpointer  data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *font = NULL;
  int width;

  g_object_get (settings, "gtk-font-name", &font, NULL);
  g_object_set (settings, "gtk-font-name", "Sans 15", NULL);
  gtk_widget_measure (GTK_WIDGET (fixture->sidebar), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL,
                      NULL, NULL);
  g_object_set (settings, "gtk-font-name", font, NULL);
  g_assert_cmpint (width, <=, 800 - 436);
}

/* The boxes of what is ticked stand below one another, also where the words beside one wrap. */
static void
test_ticks_are_aligned (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autoptr (GPtrArray) buttons = find_all (fixture->sidebar, GTK_TYPE_CHECK_BUTTON);
  float first = -1;
  guint n = 0;

  wait_for_result (fixture);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->sidebar));
  for (guint i = 0; i < buttons->len; i++)
    {
      graphene_rect_t box;

      if (!gtk_widget_get_mapped (buttons->pdata[i]))
        continue;
      g_assert_true (gtk_widget_compute_bounds (gtk_widget_get_first_child (buttons->pdata[i]),
                                                GTK_WIDGET (fixture->sidebar), &box));
      g_test_message ("%s: %g", gtk_buildable_get_buildable_id (buttons->pdata[i]), box.origin.x);
      first = n++ == 0 ? box.origin.x : first;
      g_assert_cmpfloat (box.origin.x, ==, first);
    }
  g_assert_cmpuint (n, >, 1);
}

static void
test_only_what_applies_shows (Fixture       *fixture,
                              gconstpointer  data)
{
  g_assert_true (gtk_widget_is_sensitive (find_control (fixture, "head")));
  g_assert_null (find_labelled (fixture, "Heads"));
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);
  g_assert_false (gtk_widget_is_sensitive (find_control (fixture, "head")));
  g_assert_nonnull (find_labelled (fixture, "Heads"));
  wait_for_result (fixture);
  g_assert_cmpuint (attn_session_get_result (fixture->session)->grid->n_rows, ==, 4);
}

static void
test_numbers_are_checked (Fixture       *fixture,
                          gconstpointer  data)
{
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);

  GtkEditable *heads = find_labelled (fixture, "Heads");
  gtk_editable_set_text (heads, "1,x");
  g_signal_emit_by_name (heads, "activate");
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (get_study (fixture)->heads);
  gtk_editable_set_text (heads, "1,3");
  g_signal_emit_by_name (heads, "activate");
  g_assert_cmpuint (attn_index_set_count (get_study (fixture)->heads, 4), ==, 2);
  gtk_editable_set_text (heads, "");
  g_signal_emit_by_name (heads, "activate");
  g_assert_null (get_study (fixture)->heads);
}

/* The first key goes unless another one is named. */
static void
test_first_key_is_hidden (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autoptr (GPtrArray) checks = NULL;

  gtk_expander_set_expanded (find_nth (fixture->sidebar, GTK_TYPE_EXPANDER, 0), TRUE);
  checks = find_all (fixture->sidebar, GTK_TYPE_CHECK_BUTTON);
  for (guint i = 0; i < checks->len; i++)
    if (g_strcmp0 (gtk_check_button_get_label (checks->pdata[i]), "Hide ke_ys") == 0)
      gtk_check_button_set_active (checks->pdata[i], TRUE);
  g_assert_true (get_study (fixture)->hides_keys);
  g_assert_true (attn_index_set_contains (get_study (fixture)->hidden_keys, 0));
  g_assert_false (attn_index_set_contains (get_study (fixture)->hidden_keys, 1));
  wait_for_result (fixture);
  g_assert_cmpuint (
      attn_panel_get_n_columns (attn_session_get_result (fixture->session)->grid->cells[0].panel),
      ==, 14);
}

/* Pictures alone have no special tokens, and nothing answers them. */
static void
test_rows_of_texts (Fixture       *fixture,
                    gconstpointer  data)
{
  static const char * const rows[] = { "special_tokens_row", "continuation_row" };

  for (guint k = 0; k < 2; k++)
    {
      AttnStudy *study = attn_study_copy (get_study (fixture));

      g_ptr_array_set_size (study->inputs, 0);
      g_ptr_array_add (study->inputs, k == 0 ? attn_input_new_picture ("/none.png", FALSE)
                                             : attn_input_new_text ("A rose", 0));
      attn_session_edit (fixture->session, study, NULL);
      for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
        g_assert_cmpint (gtk_widget_get_visible (find_id (fixture->sidebar, rows[i])), ==, k);
    }
  wait_for_result (fixture);
}

/* A study's position is chosen in the list before the text is read, and may be beyond it. */
static void
test_effect_at_a_token (Fixture       *fixture,
                        gconstpointer  data)
{
  GtkDropDown *at = find_id (fixture->sidebar, "at");
  AttnStudy *study = attn_study_copy (get_study (fixture));

  study->effect_at = 5;
  attn_session_edit (fixture->session, study, NULL);
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (at);
  g_assert_cmpstr (gtk_string_object_get_string (chosen), ==, "Token 5");
  wait_for_result (fixture);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (at)), ==, 2 + 15);
  gtk_drop_down_set_selected (at, 2 + 7);
  g_assert_cmpint (get_study (fixture)->effect_at, ==, 7);
  gtk_drop_down_set_selected (at, 1);
  g_assert_cmpint (get_study (fixture)->effect_at, ==, ATTN_AT_LAST);
  wait_for_result (fixture);
}

/* Tells @widget that the focus is gone from it, or from what is in it. */
static void
leave (gpointer widget)
{
  g_autoptr (GPtrArray) focus = find_controllers (widget, GTK_TYPE_EVENT_CONTROLLER_FOCUS);

  for (guint i = 0; i < focus->len; i++)
    g_signal_emit_by_name (focus->pdata[i], "leave");
}

static gpointer
find_entry (Fixture    *fixture,
            const char *text)
{
  g_autoptr (GPtrArray) entries = find_all (fixture->sidebar, GTK_TYPE_ENTRY);

  for (guint i = 0; i < entries->len; i++)
    if (g_str_equal (gtk_editable_get_text (entries->pdata[i]), text))
      return entries->pdata[i];
  g_assert_not_reached ();
}

/* From 0…1 to 2…3: on the way between the ends it makes no sense, and nothing is said. */
static void
test_both_ends_are_typed (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkEditable *low = find_entry (fixture, "0");
  GtkEditable *high = find_entry (fixture, "1");
  GtkWidget *both = gtk_widget_get_parent (GTK_WIDGET (low));

  gtk_editable_set_text (low, "2");
  leave (low);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  g_assert_cmpfloat (get_study (fixture)->style.low, ==, 0);
  leave (both);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  gtk_editable_set_text (high, "3");
  leave (high);
  g_assert_cmpfloat (get_study (fixture)->style.low, ==, 2);
  g_assert_cmpfloat (get_study (fixture)->style.high, ==, 3);
  leave (both);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
}

/* The ends are asked for where they are fixed, and nothing else shows them. */
static void
test_ends_show_where_they_count (Fixture       *fixture,
                                 gconstpointer  data)
{
  GtkWidget *high = find_entry (fixture, "1");

  g_assert_true (gtk_widget_is_visible (high));
  for (guint i = ATTN_RANGE_DATA; i <= ATTN_RANGE_VISIBLE; i++)
    {
      gtk_drop_down_set_selected (find_labelled (fixture, "Range"), i);
      g_assert_false (gtk_widget_is_visible (high));
    }
  gtk_drop_down_set_selected (find_labelled (fixture, "Range"), ATTN_RANGE_FIXED);
  g_assert_true (gtk_widget_is_visible (high));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (high)), ==, "1");
}

static void
test_range_steps_by_keys (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkWidget *high = find_entry (fixture, "1");
  g_autoptr (GPtrArray) keys = find_controllers (high, GTK_TYPE_EVENT_CONTROLLER_KEY);

  for (guint i = 0; i < keys->len; i++)
    {
      gboolean is_handled;

      g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_Down, 0, 0, &is_handled);
    }
  /* 19 x 0.05. */
  g_assert_cmpfloat_with_epsilon (get_study (fixture)->style.high, 0.95, 1e-12);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (high)), ==, "0.95");
}

/* As long as nothing is known of a model, what is done stands in the place of its details. */
static void
test_work_is_said (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  AttnStudy *study = attn_study_copy (get_study (fixture));

  g_signal_emit_by_name (fixture->session, "progress", "Patching", 0.5);
  g_assert_false (shows_text (fixture, "Patching"));
  attn_model_reference_set (&study->model, directory);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_true (shows_text (fixture, "Opening…"));
  g_signal_emit_by_name (fixture->session, "progress", "Patching", 0.5);
  g_assert_true (shows_text (fixture, "Patching"));
  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_assert_false (shows_text (fixture, "Patching"));
  g_rmdir (directory);
}

/* The wheel moves the side bar; no number changes under it. */
static void
test_wheel_leaves_numbers_alone (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autoptr (AttnStudy) before = attn_study_copy (get_study (fixture));
  g_autoptr (GPtrArray) numbers = NULL;

  for (guint i = 0; i < 2; i++)
    gtk_expander_set_expanded (find_nth (fixture->sidebar, GTK_TYPE_EXPANDER, i), TRUE);
  numbers = find_all (fixture->sidebar, GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpuint (numbers->len, >, 1);
  for (guint i = 0; i < numbers->len; i++)
    {
      g_autoptr (GPtrArray) scrolling =
          find_controllers (numbers->pdata[i], GTK_TYPE_EVENT_CONTROLLER_SCROLL);

      for (guint k = 0; k < scrolling->len; k++)
        {
          gboolean is_handled;

          g_signal_emit_by_name (scrolling->pdata[k], "scroll", 0.0, -1.0, &is_handled);
        }
    }
  g_assert_true (attn_study_equal (before, get_study (fixture)));
}

/* A model whose inputs are ids says why. */
static void
test_lack_of_a_tokenizer_is_said (Fixture       *fixture,
                                  gconstpointer  data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  GtkLabel *details = find_id (fixture->sidebar, "model_details");
  g_autoptr (GError) error = NULL;

  g_assert_null (strstr (gtk_label_get_label (details), "no tokenizer"));
  attn_session_open_path (fixture->session, path, &error);
  g_assert_no_error (error);
  WAIT_UNTIL (strstr (gtk_label_get_label (details), "no tokenizer") != NULL);
  wait_for_result (fixture);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("on-and-off-have-no-map", "head-groups", test_on_and_off_have_no_map);
  ADD ("rows-of-models-stay", "epsilon", test_rows_of_models_stay);
  ADD ("title-is-the-one-in-force", "mean-operation", test_title_is_the_one_in_force);
  ADD ("large-font-fits", "epsilon", test_large_font_fits);
  ADD ("ticks-are-aligned", "layer-token", test_ticks_are_aligned);
  ADD ("only-what-applies-shows", "mean-operation", test_only_what_applies_shows);
  ADD ("numbers-are-checked", "mean-operation", test_numbers_are_checked);
  ADD ("effect-at-a-token", "score-atlas", test_effect_at_a_token);
  ADD ("rows-of-texts", "mean-operation", test_rows_of_texts);
  ADD ("first-key-is-hidden", "mean-operation", test_first_key_is_hidden);
  ADD ("both-ends-are-typed", "mean-operation", test_both_ends_are_typed);
  ADD ("ends-show-where-they-count", "mean-operation", test_ends_show_where_they_count);
  ADD ("range-steps-by-keys", "mean-operation", test_range_steps_by_keys);
  ADD ("work-is-said", "mean-operation", test_work_is_said);
  ADD ("lack-of-a-tokenizer-is-said", "single", test_lack_of_a_tokenizer_is_said);
  ADD ("wheel-leaves-numbers-alone", "mean-operation", test_wheel_leaves_numbers_alone);
  return g_test_run ();
}
