/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure of a survey: maps, charts, and the way back to the texts. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-result-data.h"
#include "attn-survey-figure.h"
#include "attn-survey-spec.h"
#include "attn-survey-texts.h"
#include "study-fixture.h"

static const char texts[] = "A rose is a rose.\n"
                            "\n"
                            "The milk is once again the milk of the gardener, and it is red.\n"
                            "A cat sat on a mat. A cat sat on a mat. A cat sat on a mat.\n";

static AttnResult *
run (const AttnStudy *study,
     AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  AttnResult *result = attn_effects_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static char *
write_texts (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("survey-XXXXXX", &error);
  char *path = g_build_filename (directory, "texts.txt", NULL);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, texts, -1, &error));
  return path;
}

static void
remove_with_directory (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (directory);
}

static AttnStudy *
load_survey (const char *path)
{
  AttnStudy *study = fixture_load ("survey");

  attn_study_set_texts (study, path);
  study->components[ATTN_COMPONENT_QUERY] = TRUE;
  return study;
}

typedef struct
{
  char *path;
  AttnStudy *study;
  AttnWorkspace *workspace;
  AttnResult *result;
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->path = write_texts ();
  fixture->study = load_survey (fixture->path);
  fixture->workspace = attn_workspace_new ();
  fixture->result = run (fixture->study, fixture->workspace);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  attn_result_unref (fixture->result);
  attn_workspace_free (fixture->workspace);
  attn_study_unref (fixture->study);
  remove_with_directory (fixture->path);
  g_free (fixture->path);
}

/* A map of each statistic and condition, whose head on display has the largest value. */
static void
test_maps (Fixture       *fixture,
           gconstpointer  user_data)
{
  const AttnResult *result = fixture->result;
  const AttnSurveyData *data = result->survey;
  const AttnPanel *first = result->grid->cells[0].panel;

  g_assert_cmpuint (data->n_conditions, ==, 1 + 3);
  g_assert_cmpuint (result->grid->n_columns, ==, 4);
  /* Sink score and rate, entropy, distance, previous, duplicate, induction, variation, delimiters,
   * fixed offset. */
  g_assert_cmpuint (result->grid->n_rows, ==, 10);
  g_assert_cmpstr (result->grid->column_headings[1], ==, "query × 0.5");
  g_assert_cmpstr (result->grid->cells[3].name, ==, "Sink Score, query × 0.01");
  for (gsize layer = 0; layer < data->n_layers; layer++)
    for (gsize head = 0; head < data->n_heads; head++)
      {
        double mean = attn_tally_get_mean (data->tallies[ATTN_STATISTIC_SINK],
                                           layer * data->n_heads + head);

        g_assert_cmpfloat (attn_panel_get_value ((AttnPanel *) first, layer, head), ==,
                           (float) mean);
        g_assert_cmpfloat ((float) mean, <=,
                           attn_panel_get_value ((AttnPanel *) first, result->layer,
                                                 (gsize) result->head));
      }
  /* What is exported has the interventions of each condition, none for the baseline. */
  g_autofree char *metadata = attn_result_to_metadata (result, fixture->study);
  g_assert_nonnull (
      strstr (metadata, "\"name\":\"Sink Score, Baseline\",\"input\":0,\"interventions\":[]"));
  g_assert_nonnull (strstr (metadata, "\"name\":\"Sink Score, query × 0.01\",\"input\":0,"
                                      "\"interventions\":[\"query scale 1e-2 at projection\"]"));
  /* Of what does nothing nothing changes; the smaller ε, the more. */
  AttnPanel *variation[4];
  for (gsize i = 0; i < 4; i++)
    variation[i] = attn_grid_get_cell (result->grid, 7, i)->panel;
  g_assert_cmpfloat (attn_panel_get_value (variation[0], 1, 2), ==, 0);
  g_assert_cmpfloat (attn_panel_get_value (variation[1], 1, 2), <,
                     attn_panel_get_value (variation[3], 1, 2));
}

static const AttnChart *
find_chart (const AttnResult *result,
            const char       *x_title)
{
  for (guint i = 0; i < result->grid->charts->len; i++)
    {
      const AttnChart *chart = result->grid->charts->pdata[i];

      if (g_str_has_prefix (chart->x_title, x_title))
        return chart;
    }
  g_assert_not_reached ();
}

/* The charts say what the survey has counted. */
static void
test_charts (Fixture       *fixture,
             gconstpointer  user_data)
{
  const AttnResult *result = fixture->result;
  const AttnSurveyData *data = result->survey;
  const AttnChart *scatter = find_chart (result, "Entropy");
  const AttnChart *histogram = find_chart (result, "Sink Score");
  const AttnChart *factors = find_chart (result, "ε");
  const AttnChart *lengths = find_chart (result, "Tokens");
  gsize n_heads = data->n_layers * data->n_heads;
  double n_texts = 0;

  g_assert_cmpuint (scatter->n, ==, n_heads);
  g_assert_cmpint (scatter->chosen, ==,
                   (gssize) (result->layer * data->n_heads + (gsize) result->head));
  for (gsize i = 0; i < n_heads; i++)
    g_assert_cmpfloat (scatter->x[i], ==,
                       attn_tally_get_mean (data->tallies[ATTN_STATISTIC_ENTROPY], i));
  for (gsize i = 0; i < histogram->n; i++)
    n_texts += histogram->curves[0].values[i];
  g_assert_cmpfloat (n_texts, ==, 3); /* the empty one has no tokens but the tokenizer's own */
  g_assert_cmpuint (factors->n, ==, 4);
  g_assert_cmpfloat (factors->x[0], ==, 1);
  g_assert_cmpfloat (factors->x[3], ==, 0.01);
  g_assert_cmpfloat (factors->curves[1].values[0], ==, 1);
  g_assert_cmpstr (factors->curves[0].name, ==, "query × ε, all heads");
  /* Of all lengths together the rate is that of all texts. */
  double sum = 0;
  for (gsize i = 0; i < lengths->n; i++)
    if (data->length_texts[i] > 0)
      sum += lengths->curves[0].values[i] * (double) data->length_texts[i];
  g_assert_cmpfloat_with_epsilon (sum / 3, factors->curves[0].values[0], 1e-12);
}

/* A click chooses head, statistic and condition; nothing is counted again. */
static void
test_choice (Fixture       *fixture,
             gconstpointer  user_data)
{
  const AttnResult *result = fixture->result;
  g_autoptr (AttnStudy) other = attn_survey_figure_choose (result, 2 * 4 + 3, 2, 1);

  g_assert_cmpint (other->layer, ==, 2);
  g_assert_cmpint (other->head, ==, 1);
  g_assert_cmpint (other->survey.statistic, ==, ATTN_STATISTIC_ENTROPY);
  g_assert_cmpuint (other->survey.condition, ==, 3);
  g_autoptr (AttnResult) chosen = run (other, fixture->workspace);
  g_assert_true (chosen->survey == result->survey);
  g_assert_cmpuint (chosen->layer, ==, 2);
  g_assert_cmpint (chosen->head, ==, 1);
}

/* Norms stand by position: a click there chooses the layer and leaves the head; what a condition
 * does to the prediction stands below its first map. */
static void
test_positions (void)
{
  g_autofree char *path = write_texts ();
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->head = 1;
  study->layer = 0;
  study->survey.statistics[ATTN_STATISTIC_ENTROPY] = TRUE;
  study->survey.statistics[ATTN_STATISTIC_KEY_NORM] = TRUE;
  study->survey.statistics[ATTN_STATISTIC_KL] = TRUE;
  study->survey.statistics[ATTN_STATISTIC_LOSS] = TRUE;
  g_autoptr (AttnResult) result = run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 2);
  /* As many positions as the longest text has. */
  gsize n_positions = attn_panel_get_n_columns (result->grid->cells[4].panel);
  const AttnTally *norms = result->survey->tallies[ATTN_STATISTIC_KEY_NORM];
  g_assert_cmpuint (n_positions, <, result->survey->length);
  g_assert_cmpuint (attn_tally_get_count (norms, n_positions - 1), ==, 1);
  g_assert_cmpuint (attn_tally_get_count (norms, n_positions), ==, 0);
  gsize last = (result->survey->n_layers - 1) * result->survey->length;
  g_assert_cmpfloat (attn_panel_get_value (result->grid->cells[4].panel,
                                           result->survey->n_layers - 1, 2),
                     ==, (float) attn_tally_get_mean (norms, last + 2));
  g_assert_cmpuint (result->grid->cells[4].n_regions, ==, 0);
  /* The axis is named for both kinds of maps, a cell for its own. */
  g_assert_cmpstr (result->grid->column_title, ==, "Head, Position");
  g_assert_cmpstr (attn_grid_get_place_words (result->grid, 0), ==, "Layer %s, head %s");
  g_assert_cmpstr (attn_grid_get_place_words (result->grid, 4), ==, "Layer %s, position %s");
  const AttnGridCell *last_row = &result->grid->cells[result->grid->n_columns];
  g_assert_null (result->grid->cells[0].numbers);
  g_assert_cmpstr (result->grid->number_names[0], ==, "KL (bits)");
  g_assert_cmpstr (result->grid->number_names[1], ==, "Loss (bits)");
  g_assert_cmpstr (last_row[0].numbers[0], ==, "–");
  g_assert_cmpstr (last_row[1].numbers[0], !=, "–");
  g_assert_cmpstr (last_row[1].numbers[1], !=, last_row[0].numbers[1]);
  const AttnChart *effects = find_chart (result, "ε");
  const AttnTally *kl = result->survey->tallies[ATTN_STATISTIC_KL];
  const AttnTally *loss = result->survey->tallies[ATTN_STATISTIC_LOSS];
  g_assert_cmpuint (effects->n_curves, ==, 2);
  g_assert_cmpstr (effects->curves[0].name, ==, "query × ε, KL");
  g_assert_cmpstr (effects->curves[1].name, ==, "query × ε, loss");
  g_assert_cmpfloat (effects->curves[0].values[0], ==, 0);
  for (gsize i = 0; i < 4; i++)
    {
      g_assert_cmpfloat (effects->curves[0].values[i], ==, attn_tally_get_mean (kl, i));
      g_assert_cmpfloat (effects->curves[1].values[i], ==, attn_tally_get_mean (loss, i));
    }
  g_autoptr (AttnStudy) other = attn_survey_figure_choose (result, 4 + 2, 2, 40);
  g_assert_cmpint (other->layer, ==, 2);
  g_assert_cmpint (other->head, ==, 1);
  g_assert_cmpuint (other->survey.condition, ==, 2);
  g_assert_cmpint (other->survey.statistic, ==, study->survey.statistic);

  /* Nothing of the heads, nothing to draw. */
  g_autoptr (GError) error = NULL;
  study->survey.statistics[ATTN_STATISTIC_ENTROPY] = FALSE;
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  remove_with_directory (path);
}

/* Maps are arranged about square, with few places empty. */
static void
test_maps_leave_few_gaps (void)
{
  static const gsize shapes[][3] = {
    { 1, 1, 2 }, { 2, 1, 3 }, { 3, 2, 2 }, { 5, 2, 3 }, { 8, 3, 3 }, { 9, 3, 4 }
  };
  g_autofree char *path = write_texts ();
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->components[ATTN_COMPONENT_QUERY] = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      /* The sink rate follows the sink score, the first statistic. */
      for (guint k = 0; k < ATTN_N_STATISTICS; k++)
        study->survey.statistics[k] = k < shapes[i][0];
      g_autoptr (AttnResult) result = run (study, workspace);
      g_assert_cmpuint (result->grid->n_rows, ==, shapes[i][1]);
      g_assert_cmpuint (result->grid->n_columns, ==, shapes[i][2]);
    }
  remove_with_directory (path);
}

/* Two of the three texts repeat a token, and later positions are in fewer of them: the caption says
 * over how many texts a mean is. */
static void
test_counts (void)
{
  g_autofree char *path = write_texts ();
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "A rose.\nIt is it is red.\nA cat, a cat, a cat.\n", -1,
                                      &error));
  for (guint i = 0; i < ATTN_N_STATISTICS; i++)
    study->survey.statistics[i] = i == ATTN_STATISTIC_SINK || i == ATTN_STATISTIC_INDUCTION;
  g_autoptr (AttnResult) result = run (study, workspace);
  guint64 n = attn_tally_get_count (result->survey->tallies[ATTN_STATISTIC_INDUCTION], 0);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (result->grid->caption, ==,
                   "Mean over 3 Texts of up to 64 Tokens, Fewer for Induction: 2");

  study->survey.statistics[ATTN_STATISTIC_INDUCTION] = FALSE;
  g_autoptr (AttnResult) whole = run (study, workspace);
  g_assert_cmpstr (whole->grid->caption, ==, "Mean over 3 Texts of up to 64 Tokens");

  study->survey.statistics[ATTN_STATISTIC_QUERY_NORM] = TRUE;
  study->survey.statistics[ATTN_STATISTIC_KEY_NORM] = TRUE;
  g_autoptr (AttnResult) places = run (study, workspace);
  g_assert_cmpstr (places->grid->caption, ==,
                   "Mean over 3 Texts of up to 64 Tokens, Fewer for Query Norm, Key Norm: 1 to 3");
  remove_with_directory (path);
}

static AttnResult *
add_texts (const AttnResult *result,
           AttnWorkspace    *workspace)
{
  g_autoptr (GError) error = NULL;
  AttnResult *more = attn_survey_texts_add (result, workspace, NULL, &error);

  g_assert_no_error (error);
  g_assert_false (attn_survey_texts_are_missing (more));
  return more;
}

/* From the number to the text: the head there gives what the survey says. */
static void
check_way_back (const AttnResult *result,
                AttnWorkspace    *workspace)
{
  g_autoptr (AttnResult) more = add_texts (result, workspace);
  const AttnSurveyText *top = &more->texts->texts[0];

  g_assert_null (more->texts->message);
  g_assert_cmpint (top->found.place, ==, ATTN_TALLY_TOP);
  g_assert_nonnull (strstr (texts, "A rose"));
  g_assert_nonnull (top->label);
  g_autoptr (AttnStudy) opened = attn_survey_texts_open (more, 0);
  /* As text, which one can edit. */
  g_assert_nonnull (((AttnInput *) opened->inputs->pdata[0])->text);
  g_autoptr (AttnResult) single = run (opened, workspace);
  g_assert_cmpuint (single->layer, ==, result->layer);
  g_assert_cmpint (single->head, ==, result->head);
  g_assert_cmpfloat_with_epsilon (single->measures[0].sink_score, top->found.value, 1e-6);
}

static void
test_way_back (void)
{
  g_autofree char *path = write_texts ();
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *file = g_build_filename (directory, "survey.npz", NULL);
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnIntervention) zero = attn_intervention_new (
      ATTN_COMPONENT_MLP, ATTN_OPERATION_ZERO, ATTN_SITE_PROJECTION);
  g_autoptr (GError) error = NULL;

  zero->layers = attn_index_set_new_range (0, 1);
  g_ptr_array_add (study->extra_interventions, attn_intervention_copy (zero));
  study->survey.is_together = TRUE;
  study->survey.condition = 1;
  g_autoptr (AttnResult) together = run (study, workspace);
  check_way_back (together, workspace);
  study->survey.is_together = FALSE;
  g_ptr_array_set_size (study->extra_interventions, 0);
  /* A patch brings what it took from, whatever its number was. */
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text ("nothing", 0));
  g_ptr_array_add (study->inputs, attn_input_new_text ("The milk of a red rose is on the mat.", 0));
  AttnIntervention *patch = attn_intervention_parse (
      "residual patch from input 2, positions 3=2,1-2=4-5, layers 0");
  g_ptr_array_add (study->extra_interventions, patch);
  g_ptr_array_add (study->extra_interventions, attn_intervention_parse ("scores cut, keys 0"));
  for (guint condition = 1; condition < 3; condition++)
    {
      study->survey.condition = condition;
      g_autoptr (AttnResult) changed = run (study, workspace);
      check_way_back (changed, workspace);
      g_autoptr (AttnResult) more = add_texts (changed, workspace);
      g_autoptr (AttnStudy) opened = attn_survey_texts_open (more, 0);
      g_assert_cmpuint (opened->inputs->len, ==, 2);
    }
  g_ptr_array_set_size (study->extra_interventions, 0);
  study->survey.condition = 2;
  g_autoptr (AttnResult) result = run (study, workspace);
  check_way_back (result, workspace);

  /* The same from the file, in the place of a model. */
  g_assert_true (attn_survey_data_save (result->survey, file, &error));
  g_autoptr (AttnStudy) shown = fixture_load ("survey");
  shown->survey.condition = 2;
  attn_model_reference_set (&shown->model, file);
  g_autoptr (AttnResult) loaded = run (shown, workspace);
  g_assert_cmpuint (attn_model_get_info (loaded->model)->n_surveyed, ==, 4);
  g_assert_false (attn_survey_is_growing (loaded));
  check_way_back (loaded, workspace);

  /* Texts that have gone are told of, and nothing else is lost. */
  g_unlink (path);
  g_autoptr (AttnResult) without = add_texts (loaded, workspace);
  g_assert_nonnull (without->texts->message);
  g_assert_cmpuint (without->texts->texts[0].n_ids, ==, 0);
  /* A survey is no model. */
  g_autoptr (AttnStudy) single = fixture_load ("single");
  attn_model_reference_set (&single->model, file);
  g_assert_null (attn_job_run (single, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_unlink (file);
  remove_with_directory (path);
}

/* A file that is still written is read again only once there is more in it. */
static void
test_growth (void)
{
  g_autofree char *path = write_texts ();
  g_autofree char *file = g_strconcat (path, ".npz", NULL);
  g_autofree char *whole = g_strconcat (path, ".whole.npz", NULL);
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (AttnStudy) shown = fixture_load ("survey");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = run (study, workspace);
  g_autoptr (GError) error = NULL;
  guint8 *is_done = result->survey->done->data;

  *is_done = 0;
  g_assert_true (attn_survey_data_save (result->survey, file, &error));
  attn_model_reference_set (&shown->model, file);
  g_autoptr (AttnResult) begun = run (shown, workspace);
  g_assert_true (attn_survey_is_growing (begun));
  g_assert_false (attn_survey_has_grown (begun));

  /* As another process does: this one does not write to what it reads. */
  *is_done = 1;
  g_assert_true (attn_survey_data_save (result->survey, whole, &error));
  g_assert_cmpint (g_rename (whole, file), ==, 0);
  g_assert_true (attn_survey_has_grown (begun));
  g_autoptr (AttnResult) ended = run (shown, workspace);
  g_assert_false (attn_survey_is_growing (ended));

  g_unlink (file);
  remove_with_directory (path);
}

/* What is shown goes with the figure, as numbers. */
static void
test_numbers (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("survey");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = run (study, workspace);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (result, ATTN_ALL_PANELS, &error);
  g_autofree char *json = attn_result_to_json (result);

  g_assert_no_error (error);
  g_assert_nonnull (attn_array_file_lookup (file, "panel_0_0"));
  g_assert_cmpuint (attn_array_file_lookup (file, "chart_0_x")->shape[0], ==,
                    result->survey->n_layers * result->survey->n_heads);
  g_assert_nonnull (strstr (json, "\"charts\""));
}

static void
test_errors (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("survey");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  study->survey.n_random = 0;
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  study->survey.n_random = 1000000;
  g_assert_null (attn_job_run (study, workspace, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Summing a file takes seconds for gigabytes. */
static void
test_opening_is_cancelled (void)
{
  g_autofree char *path = write_texts ();
  g_autoptr (AttnStudy) study = load_survey (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnModel *model =
      attn_workspace_open_model (workspace, &study->model, study->attention, &error);
  AttnSurveySpec *spec = attn_survey_spec_new (study, model, &error);

  g_assert_no_error (error);
  g_cancellable_cancel (cancellable);
  g_assert_null (attn_survey_new (spec, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  attn_survey_spec_free (spec);
  remove_with_directory (path);
}

/* A text that stands for a tenth of the histogram's range is listed with the ends of that tenth, in
 * which its value is: it need not be in the same tenth of the texts. */
static void
test_tenths_are_those_of_the_range (void)
{
  g_autoptr (AttnTally) tally = attn_tally_new (1, 0, 1);
  AttnTallyText listed[ATTN_TALLY_TEXTS];
  const double values[] = { 0.553, 0.911 };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    attn_tally_add (tally, 0, i, values[i]);
  gsize n = attn_tally_list_texts (tally, 0, listed);
  g_assert_cmpuint (n, ==, 3 * G_N_ELEMENTS (values));
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      const AttnTallyText *text = &listed[n - G_N_ELEMENTS (values) + i];

      g_assert_cmpint (text->place, ==, ATTN_TALLY_TENTH);
      g_assert_cmpuint (text->number, ==, i);
      g_assert_cmpfloat (text->low, <=, values[i]);
      g_assert_cmpfloat (text->high, >, values[i]);
      g_assert_cmpfloat_with_epsilon (text->high - text->low, 0.1, 1e-9);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/study/survey/maps", Fixture, NULL, set_up, test_maps, tear_down);
  g_test_add ("/study/survey/charts", Fixture, NULL, set_up, test_charts, tear_down);
  g_test_add ("/study/survey/choice", Fixture, NULL, set_up, test_choice, tear_down);
  g_test_add_func ("/study/survey/tenths-are-those-of-the-range",
                   test_tenths_are_those_of_the_range);
  g_test_add_func ("/study/survey/positions", test_positions);
  g_test_add_func ("/study/survey/maps-leave-few-gaps", test_maps_leave_few_gaps);
  g_test_add_func ("/study/survey/counts", test_counts);
  g_test_add_func ("/study/survey/way-back", test_way_back);
  g_test_add_func ("/study/survey/growth", test_growth);
  g_test_add_func ("/study/survey/numbers", test_numbers);
  g_test_add_func ("/study/survey/errors", test_errors);
  g_test_add_func ("/study/survey/opening-is-cancelled", test_opening_is_cancelled);
  return g_test_run ();
}
