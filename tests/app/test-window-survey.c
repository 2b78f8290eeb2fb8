/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A survey in the window: its maps, the texts of a head, a text under its condition, and back; its
 * file; counting that is cancelled. */

#include "config.h"

#include <unistd.h>

#include "../remove-folder.h"
#include "app-fixture.h"
#include "attn-number-table.h"
#include "attn-texts-section.h"

static GtkApplication *application;
static AttnWindow *window;

static void
set_up (gpointer      *fixture,
        gconstpointer  preset)
{
  window = open_preset (application, "survey");
  if (!gtk_widget_get_visible (GTK_WIDGET (window->inspector)))
    g_action_group_activate_action (G_ACTION_GROUP (window), "inspector", NULL);
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  preset)
{
  close_window (window);
}

static const AttnStudy *
get_study (void)
{
  return attn_session_get_study (window->session);
}

/* Conditions of the survey's file that stands in the place of the model; 0 where none does. */
static gsize
count_surveyed (void)
{
  const AttnResult *result = attn_session_get_result (window->session);

  return result != NULL ? attn_model_get_info (result->model)->n_surveyed : 0;
}

/* The queries times each of the factors. */
static void
scale_queries (void)
{
  AttnStudy *study = attn_study_copy (get_study ());

  study->survey.n_random = 40;
  study->components[ATTN_COMPONENT_QUERY] = TRUE;
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
}

static void
click (int   group,
       gsize row,
       gsize column)
{
  const AttnCellCursor cursor = { group, row, column };

  attn_reading_set_cursor (window->reading, &cursor);
  g_signal_emit_by_name (window->reading, "clicked");
  wait_for_figure (window);
}

static GtkListBox *
find_texts (void)
{
  return find_widget (find_widget (window, ATTN_TYPE_TEXTS_SECTION), GTK_TYPE_LIST_BOX);
}

/* As soon as the list has those of the head that was clicked. */
static gboolean
open_text (void)
{
  GtkListBox *texts = find_texts ();
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (texts, 0);

  if (row != NULL)
    g_signal_emit_by_name (texts, "row-activated", row);
  return get_study ()->figure == ATTN_FIGURE_GRID;
}

static void
open_first_text (void)
{
  WAIT_UNTIL (open_text ());
  wait_for_figure (window);
}

static void
test_click_chooses_a_head (gpointer      *fixture,
                           gconstpointer  data)
{
  const AttnResult *result = attn_session_get_result (window->session);

  /* The scatter, the histogram and the lengths; there is no ε. */
  g_assert_cmpuint (result->grid->charts->len, ==, 2);
  g_assert_true (gtk_widget_get_visible (find_widget (window, ATTN_TYPE_TEXTS_SECTION)));
  click (2, 2, 1);
  g_assert_cmpint (get_study ()->layer, ==, 2);
  g_assert_cmpint (get_study ()->head, ==, 1);
  g_assert_cmpint (get_study ()->survey.statistic, ==, ATTN_STATISTIC_ENTROPY);
}

/* A survey without a curve says why at the switch that asks for curves, until it has one. */
static void
test_curves_say_what_they_lack (gpointer      *fixture,
                                gconstpointer  data)
{
  GtkWidget *curves = find_id (window->sidebar, "survey.charts:curves");

  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (curves)));
  g_assert_false (gtk_widget_get_sensitive (curves));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (curves), "nothing is scaled by ε"));
  scale_queries ();
  g_assert_cmpuint (attn_session_get_result (window->session)->grid->charts->len, >, 2);
  g_assert_true (gtk_widget_get_sensitive (curves));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (curves), "sink rate over ε"));
}

/* The texts are in the inspector, which a click on a head brings. */
static void
test_click_shows_the_texts (gpointer      *fixture,
                            gconstpointer  data)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), "inspector", NULL);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window->inspector)));
  click (2, 2, 1);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window->inspector)));
  WAIT_UNTIL (gtk_list_box_get_row_at_index (find_texts (), 0) != NULL);
  /* What was counted is called by its name. */
  GtkGrid *numbers = find_widget (window->inspector, ATTN_TYPE_NUMBER_TABLE);
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (gtk_grid_get_child_at (numbers, 0, 1))), ==,
                   "Entropy (bits)");
}

/* A text opens under the condition whose map was clicked, and Back leads to the survey. */
static void
test_text_and_back (gpointer      *fixture,
                    gconstpointer  data)
{
  scale_queries ();
  click (2, 1, 3);
  g_assert_cmpuint (get_study ()->survey.condition, ==, 2);
  g_autoptr (AttnStudy) survey = attn_study_copy (get_study ());
  double value = 0;

  WAIT_UNTIL (attn_session_get_result (window->session)->texts != NULL);
  value = attn_session_get_result (window->session)->texts->texts[0].found.value;
  open_first_text ();
  g_assert_cmpint (get_study ()->figure, ==, ATTN_FIGURE_GRID);
  g_assert_cmpint (get_study ()->layer, ==, 1);
  g_assert_cmpint (get_study ()->head, ==, 3);
  g_assert_true (get_study ()->components[ATTN_COMPONENT_QUERY]);
  g_assert_cmpfloat (g_array_index (get_study ()->epsilons, double, 0), ==, 0.1);
  g_assert_cmpfloat_with_epsilon (
      attn_session_get_result (window->session)->measures[0].sink_score, value, 1e-6);
  g_action_group_activate_action (G_ACTION_GROUP (window), "view-back", NULL);
  wait_for_figure (window);
  g_assert_true (attn_study_equal (survey, get_study ()));
  g_assert_nonnull (attn_session_get_result (window->session)->survey);
}

/* The file of a survey stands in the place of a model; its texts open with the model that was
 * surveyed. */
static void
test_file (gpointer      *fixture,
           gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-survey-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "survey.npz", NULL);

  scale_queries ();
  g_assert_true (
      attn_survey_data_save (attn_session_get_result (window->session)->survey, path, NULL));
  attn_window_open_path (window, path);
  WAIT_UNTIL (count_surveyed () == 4);
  wait_for_figure (window);
  click (3, 0, 2);
  open_first_text ();
  g_assert_cmpuint (count_surveyed (), ==, 0);
  const AttnResult *result = attn_session_get_result (window->session);
  g_assert_cmpuint (result->layer, ==, 0);
  g_assert_cmpint (result->head, ==, 2);
  g_assert_cmpfloat (g_array_index (get_study ()->epsilons, double, 0), ==, 0.01);
  g_action_group_activate_action (G_ACTION_GROUP (window), "view-back", NULL);
  wait_for_figure (window);
  g_assert_cmpuint (count_surveyed (), ==, 4);
  remove_folder (directory);
}

static char *
copy_sounds (void)
{
  static const char * const names[] = { "byte-8000.wav", "short-16000.wav" };
  char *directory = g_dir_make_tmp ("attn-survey-XXXXXX", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = g_test_build_filename (G_TEST_DIST, "sound", names[i], NULL);
      g_autofree char *to = g_build_filename (directory, names[i], NULL);
      g_assert_cmpint (symlink (from, to), ==, 0);
    }
  return directory;
}

/* Clicks a head of the sink score and opens the sound where it is largest. */
static void
open_first_sound (const char *directory)
{
  click (0, 1, 2);
  WAIT_UNTIL (attn_session_get_result (window->session)->texts != NULL);
  const AttnSurveyText *text = &attn_session_get_result (window->session)->texts->texts[0];
  double value = text->found.value;
  g_autofree char *path = g_strdup (text->file);

  g_assert_true (g_str_has_prefix (path, directory));
  open_first_text ();
  const AttnInput *input = g_ptr_array_index (get_study ()->inputs, 0);
  g_assert_cmpstr (input->audio, ==, path);
  g_assert_cmpstr (get_study ()->attention, ==, "encoder");
  g_assert_false (get_study ()->is_over_picture);
  const AttnResult *result = attn_session_get_result (window->session);
  g_assert_cmpuint (result->layer, ==, 1);
  g_assert_cmpint (result->head, ==, 2);
  g_assert_cmpfloat_with_epsilon (result->measures[0].sink_score, value, 1e-6);
}

/* A sound opens as the input, of a survey that the window counts and of a survey's file. */
static void
test_sound (gpointer      *fixture,
            gconstpointer  data)
{
  g_autofree char *directory = copy_sounds ();
  g_autofree char *file = g_build_filename (directory, "survey.npz", NULL);
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "whisper", NULL);
  AttnStudy *study = attn_study_copy (get_study ());

  attn_model_reference_set (&study->model, model);
  study->attention = g_strdup ("encoder");
  study->survey.texts = g_strdup (directory);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_true (
      attn_survey_data_save (attn_session_get_result (window->session)->survey, file, NULL));
  open_first_sound (directory);
  g_action_group_activate_action (G_ACTION_GROUP (window), "view-back", NULL);
  wait_for_figure (window);

  attn_window_open_path (window, file);
  WAIT_UNTIL (count_surveyed () == 1);
  wait_for_figure (window);
  open_first_sound (directory);
  remove_folder (directory);
}

/* What is cancelled leaves the figure that was there. */
static void
test_cancel (gpointer      *fixture,
             gconstpointer  data)
{
  AttnStudy *study = attn_study_copy (get_study ());

  study->survey.n_random = 100000000;
  attn_session_edit (window->session, study, NULL);
  WAIT_UNTIL (attn_session_is_busy (window->session));
  g_action_group_activate_action (G_ACTION_GROUP (window), "cancel", NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_assert_nonnull (attn_session_get_result (window->session));
}

#define ADD(name, function) \
  g_test_add ("/app/window-survey/" name, gpointer, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("click-chooses-a-head", test_click_chooses_a_head);
  ADD ("curves-say-what-they-lack", test_curves_say_what_they_lack);
  ADD ("click-shows-the-texts", test_click_shows_the_texts);
  ADD ("text-and-back", test_text_and_back);
  ADD ("file", test_file);
  ADD ("sound", test_sound);
  ADD ("cancel", test_cancel);
  return fixture_run (application);
}
