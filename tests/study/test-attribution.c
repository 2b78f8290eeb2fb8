/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure of heads that matter over a data set, and the way from a head to its texts. */

#include "config.h"

#include <math.h>

#include <glib/gstdio.h>

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-survey-figure.h"
#include "attn-survey-texts.h"
#include "study-fixture.h"

#define STEPS 2

static const char texts[] = "A rose is a rose.\n"
                            "The milk is once again the milk of the gardener, and it is red.\n"
                            "\n"
                            "A cat sat on a mat. A cat sat on a mat. A cat sat on a mat.\n";

typedef struct
{
  char *path;
  AttnStudy *study;
  AttnWorkspace *workspace;
  AttnResult *result;
} Fixture;

static AttnResult *
run (const AttnStudy *study,
     AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  AttnResult *result = attn_effects_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attribution-XXXXXX", &error);
  const double epsilon = 1e-5;

  g_assert_no_error (error);
  fixture->path = g_build_filename (directory, "texts.txt", NULL);
  g_assert_true (g_file_set_contents (fixture->path, texts, -1, &error));
  fixture->study = fixture_load ("survey");
  attn_study_set_texts (fixture->study, fixture->path);
  fixture->study->operation = ATTN_OPERATION_SCALE;
  fixture->study->components[ATTN_COMPONENT_QUERY] = TRUE;
  g_array_set_size (fixture->study->epsilons, 0);
  g_array_append_val (fixture->study->epsilons, epsilon);
  memset (fixture->study->survey.statistics, 0, sizeof fixture->study->survey.statistics);
  fixture->study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] = TRUE;
  fixture->study->survey.steps = STEPS;
  fixture->study->survey.condition = 0;
  fixture->workspace = attn_workspace_new ();
  fixture->result = run (fixture->study, fixture->workspace);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *directory = g_path_get_dirname (fixture->path);

  attn_result_unref (fixture->result);
  attn_workspace_free (fixture->workspace);
  attn_study_unref (fixture->study);
  g_unlink (fixture->path);
  g_rmdir (directory);
  g_free (fixture->path);
}

/* KL, angle and counts along the rows, a step a column; the head that was chosen is outlined. */
static void
test_maps (Fixture       *fixture,
           gconstpointer  user_data)
{
  const AttnSurveyData *data = fixture->result->survey;
  const AttnAttribution *attribution = data->attribution;
  const AttnGrid *grid = fixture->result->grid;

  g_assert_cmpuint (grid->n_rows, ==, 3);
  g_assert_cmpuint (grid->n_columns, ==, STEPS);
  g_assert_cmpuint (attribution->n_chosen, ==, STEPS);
  g_assert_cmpuint (attribution->texts->len, ==, 3);
  for (gsize step = 0; step < STEPS; step++)
    {
      g_autofree guint64 *counts = attn_attribution_count_first (attribution, step);

      for (gsize cell = 0; cell < attribution->n_cells; cell++)
        {
          gsize layer = cell / data->n_heads;
          gsize head = cell % data->n_heads;
          gsize index = step * attribution->n_cells + cell;
          float kl = attn_panel_get_value (grid->cells[step].panel, layer, head);
          float angle = attn_panel_get_value (grid->cells[STEPS + step].panel, layer, head);
          float count = attn_panel_get_value (grid->cells[2 * STEPS + step].panel, layer, head);

          if (attn_attribution_is_chosen (attribution, step, cell))
            {
              g_assert_true (isnan (kl) && isnan (angle) && isnan (count));
              continue;
            }
          g_assert_cmpfloat (count, ==, (float) counts[cell]);
          g_assert_cmpfloat (
              kl, ==,
              (float) attn_tally_get_mean (data->tallies[ATTN_STATISTIC_ATTRIBUTION], index));
          g_assert_cmpfloat (angle, ==, (float) attribution->angles[index]);
          g_assert_cmpfloat (
              attribution->angles[index], <=,
              attribution->angles[step * attribution->n_cells + attribution->chosen[step]]);
        }
    }
  const AttnGridCell *first = &grid->cells[0];
  const AttnRegion *outline = &first->regions[first->n_regions - 1];
  g_assert_cmpuint (outline->first_row, ==, attribution->chosen[0] / data->n_heads);
  g_assert_cmpuint (outline->first_column, ==, attribution->chosen[0] % data->n_heads);
}

/* A click on any of its maps makes the charts about the head, and leads to its texts. */
static void
test_way_back (Fixture       *fixture,
               gconstpointer  user_data)
{
  const AttnSurveyData *data = fixture->result->survey;
  g_autoptr (GError) error = NULL;

  for (gsize step = 0; step < STEPS; step++)
    {
      g_autoptr (AttnStudy) chosen =
          attn_survey_figure_choose (fixture->result, (int) (STEPS + step), 0, 1);
      g_assert_cmpint (chosen->survey.statistic, ==, ATTN_STATISTIC_ATTRIBUTION);
      g_assert_cmpuint (chosen->survey.condition, ==, step);
      g_autoptr (AttnResult) result = run (chosen, fixture->workspace);
      g_assert_true (result->survey == data);
      g_autoptr (AttnResult) more =
          attn_survey_texts_add (result, fixture->workspace, NULL, &error);
      g_assert_no_error (error);
      const AttnSurveyText *top = &more->texts->texts[0];
      gsize cell = step * data->attribution->n_cells + 1;

      for (guint i = 0; i < data->attribution->texts->len; i++)
        g_assert_cmpfloat (((AttnAttributionText *) data->attribution->texts->pdata[i])->kl[cell],
                           <=, top->found.value);
      /* What is done to the head, with those that stay changed. */
      g_autoptr (AttnStudy) opened = attn_survey_texts_open (more, 0);
      g_assert_cmpint (opened->layer, ==, 0);
      g_assert_cmpint (opened->head, ==, 1);
      if (step == 0)
        {
          g_assert_true (opened->components[ATTN_COMPONENT_QUERY]);
          g_assert_true (attn_index_set_contains (opened->scope_heads, 1));
          g_assert_false (attn_index_set_contains (opened->scope_heads, 0));
        }
      else
        g_assert_cmpuint (opened->extra_interventions->len, ==, step + 1);
    }
}

/* The same from the file, in the place of a model; a part has no angles. */
static void
test_file (Fixture       *fixture,
           gconstpointer  user_data)
{
  g_autofree char *directory = g_path_get_dirname (fixture->path);
  g_autofree char *file = g_build_filename (directory, "survey.npz", NULL);
  g_autoptr (AttnStudy) shown = fixture_load ("survey");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_survey_data_save (fixture->result->survey, file, &error));
  attn_model_reference_set (&shown->model, file);
  g_autoptr (AttnResult) loaded = run (shown, fixture->workspace);
  const AttnGrid *before = fixture->result->grid;
  const AttnGrid *after = loaded->grid;
  g_assert_cmpuint (after->n_rows * after->n_columns, ==, before->n_rows * before->n_columns);
  for (gsize i = 0; i < after->n_rows * after->n_columns; i++)
    {
      float a = attn_panel_get_value (before->cells[i].panel, 2, 1);
      float b = attn_panel_get_value (after->cells[i].panel, 2, 1);

      g_assert_true (a == b || (isnan (a) && isnan (b)));
    }
  g_assert_cmpstr (after->caption, ==, before->caption);
  g_unlink (file);
}

static void
check_error (const AttnStudy *study,
             AttnWorkspace   *workspace,
             const char      *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_effects_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (g_strstr_len (error->message, -1, words));
}

static void
test_errors (Fixture       *fixture,
             gconstpointer  user_data)
{
  const double epsilon = 0.5;
  g_autoptr (AttnStudy) more = attn_study_copy (fixture->study);
  g_autoptr (AttnStudy) factors = attn_study_copy (fixture->study);
  g_autoptr (AttnStudy) none = attn_study_copy (fixture->study);

  more->survey.statistics[ATTN_STATISTIC_SINK] = TRUE;
  check_error (more, fixture->workspace, "1 other statistics");
  g_array_append_val (factors->epsilons, epsilon);
  check_error (factors, fixture->workspace, "2 operations");
  none->components[ATTN_COMPONENT_QUERY] = FALSE;
  check_error (none, fixture->workspace, "0 operations");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/study/attribution/maps", Fixture, NULL, set_up, test_maps, tear_down);
  g_test_add ("/study/attribution/way-back", Fixture, NULL, set_up, test_way_back, tear_down);
  g_test_add ("/study/attribution/file", Fixture, NULL, set_up, test_file, tear_down);
  g_test_add ("/study/attribution/errors", Fixture, NULL, set_up, test_errors, tear_down);
  return g_test_run ();
}
