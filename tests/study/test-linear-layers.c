/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures of a model some of whose layers have no attention weights. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-head-map.h"
#include "attn-survey-spec.h"
#include "attn-survey.h"
#include "study-fixture.h"

#define LAYER_0 "layer 0: linear attention found, which has no attention weights"

/* Layers 1 and 3 of 4 have them. */
static AttnStudy *
load (const char *preset)
{
  AttnStudy *study = fixture_load (preset);
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "qwen3_next", NULL);

  attn_model_reference_set (&study->model, path);
  study->groups.rule = ATTN_GROUP_RULE_SHARE; /* not words of a text */
  g_ptr_array_set_size (study->inputs, 0);
  for (gsize i = 0; i < 2; i++)
    g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids) - i, 0));
  return study;
}

static void
test_grid_passes_over_them (void)
{
  g_autoptr (AttnStudy) study = load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);

  g_assert_cmpuint (result->grid->n_rows, ==, 2);
  for (gsize i = 0; i < 8; i++)
    g_assert_cmpuint (result->cells[i].layer, ==, i < 4 ? 1 : 3);
}

static void
test_strongest_sink_is_of_a_layer_with_weights (void)
{
  g_autoptr (AttnStudy) study = load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnStudy) groups = load ("head-groups");
  g_autoptr (AttnResult) grouped = fixture_run (groups, workspace);

  g_assert_cmpuint (result->layer % 2, ==, 1);
  g_assert_cmpuint (grouped->layer % 2, ==, 1);
}

static void
test_named_layer_is_refused (void)
{
  static const char * const presets[] = { "single", "head-groups", "head-atlas" };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = load (presets[i]);

      study->layer = 0;
      g_clear_pointer (&study->layers, attn_index_set_unref);
      study->layers = attn_index_set_new_range (0, 1);
      fixture_assert_fails (study, workspace, ATTN_ERROR_ARGUMENT, LAYER_0,
                            "expected one of the layers 1,3");
    }
}

static void
test_maps_of_heads_have_gaps (void)
{
  g_autoptr (AttnStudy) study = load ("score-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  for (AttnHeadMeasure measure = 0; measure < ATTN_N_HEAD_MEASURES; measure++)
    {
      g_autoptr (AttnStudy) measured = attn_study_copy (study);

      measured->measure = measure;
      attn_study_fit_measure (measured);
      g_autoptr (AttnResult) result = fixture_run (measured, workspace);
      const AttnTensor *values = attn_panel_get_values (fixture_get_panel (result, 0, 0));
      for (gsize i = 0; i < 16; i++)
        g_assert_cmpint (isnan (values->data[i]) != 0, ==, i / 4 % 2 == 0);
      g_assert_nonnull (strstr (result->grid->caption, "No Attention Weights in Layers 0,2"));
    }
}

static void
test_survey_is_of_layers_with_weights (void)
{
  g_autoptr (AttnStudy) study = load ("survey");
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (study->model.path, &error);

  g_assert_no_error (error);
  g_clear_pointer (&study->survey.texts, g_free);
  study->survey.n_random = 2;
  study->survey.length = 4;
  AttnSurveySpec *spec = attn_survey_spec_new (study, model, &error);
  g_assert_no_error (error);
  g_autofree char *layers = attn_index_set_to_string (spec->layers);
  g_assert_cmpstr (layers, ==, "1,3");
  attn_survey_spec_free (spec);

  study->layers = attn_index_set_new_range (0, 1);
  spec = attn_survey_spec_new (study, model, &error);
  g_assert_null (attn_survey_new (spec, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, LAYER_0));
  g_clear_error (&error);

  /* Norms of the residual stream are there in each. */
  spec->statistics = 1u << ATTN_STATISTIC_RESIDUAL_NORM;
  AttnSurvey *survey = attn_survey_new (spec, NULL, &error);
  g_assert_no_error (error);
  attn_survey_free (survey);
  attn_survey_spec_free (spec);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/linear-layers/grid-passes-over-them", test_grid_passes_over_them);
  g_test_add_func ("/study/linear-layers/strongest-sink-is-of-a-layer-with-weights",
                   test_strongest_sink_is_of_a_layer_with_weights);
  g_test_add_func ("/study/linear-layers/named-layer-is-refused", test_named_layer_is_refused);
  g_test_add_func ("/study/linear-layers/maps-of-heads-have-gaps", test_maps_of_heads_have_gaps);
  g_test_add_func ("/study/linear-layers/survey-is-of-layers-with-weights",
                   test_survey_is_of_layers_with_weights);
  return g_test_run ();
}
