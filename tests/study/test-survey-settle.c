/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of a survey that asks which heads matter: one operation, and no other statistic. */

#include "config.h"

#include "attn-survey-settle.h"
#include "attn-job.h"

static AttnStudy *
load (void)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load ("survey", &error);

  g_assert_no_error (error);
  return study;
}

/* A survey that asks which heads matter, of queries times 1e-5. */
static AttnStudy *
load_attribution (void)
{
  g_autoptr (AttnStudy) before = load ();
  AttnStudy *study = attn_study_copy (before);

  study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] = TRUE;
  attn_survey_settle_attribution (study, before);
  return study;
}

static void
assert_scales (const AttnStudy *study,
               AttnComponent    component,
               double           factor)
{
  g_assert_cmpint (study->operation, ==, ATTN_OPERATION_SCALE);
  g_assert_cmpuint (study->extra_interventions->len, ==, 0);
  for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
    g_assert_cmpint (study->components[i], ==, i == component);
  g_assert_cmpuint (study->epsilons->len, ==, 1);
  g_assert_cmpfloat (g_array_index (study->epsilons, double, 0), ==, factor);
}

/* What was counted before gives way, and without an operation it is the published one. */
static void
test_heads_that_matter_are_alone (void)
{
  g_autoptr (AttnStudy) before = load ();

  before->survey.statistics[ATTN_STATISTIC_SINK] = TRUE;
  before->survey.statistics[ATTN_STATISTIC_ENTROPY] = TRUE;
  before->scope_heads = attn_index_set_new_range (1, 1);
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] = TRUE;
  attn_survey_settle_attribution (study, before);
  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    g_assert_cmpint (study->survey.statistics[i], ==, i == ATTN_STATISTIC_ATTRIBUTION);
  g_assert_cmpint (study->survey.statistic, ==, ATTN_STATISTIC_ATTRIBUTION);
  assert_scales (study, ATTN_COMPONENT_QUERY, 1e-5);
  g_assert_null (study->scope_heads);
}

static void
test_other_statistic_ends_it (void)
{
  g_autoptr (AttnStudy) before = load_attribution ();
  g_autoptr (AttnStudy) study = attn_study_copy (before);

  study->survey.statistics[ATTN_STATISTIC_ENTROPY] = TRUE;
  attn_survey_settle_attribution (study, before);
  g_assert_false (study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION]);
  g_assert_true (study->survey.statistics[ATTN_STATISTIC_ENTROPY]);
  g_assert_cmpint (study->survey.statistic, ==, ATTN_STATISTIC_ENTROPY);
}

/* A second ε, a second component and a change of the list take the place of the first. */
static void
test_second_operation_replaces_the_first (void)
{
  const double factor = 0.5;
  g_autoptr (AttnStudy) first = load_attribution ();
  g_autoptr (AttnStudy) second = attn_study_copy (first);

  g_array_append_val (second->epsilons, factor);
  attn_survey_settle_attribution (second, first);
  assert_scales (second, ATTN_COMPONENT_QUERY, factor);

  g_autoptr (AttnStudy) third = attn_study_copy (second);
  third->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_survey_settle_attribution (third, second);
  assert_scales (third, ATTN_COMPONENT_KEY, factor);

  g_autoptr (AttnStudy) fourth = attn_study_copy (third);
  g_ptr_array_add (fourth->extra_interventions,
                   attn_intervention_new_scale (ATTN_COMPONENT_OUTPUT, 0.25, ATTN_SITE_PROJECTION));
  attn_survey_settle_attribution (fourth, third);
  g_assert_cmpuint (fourth->extra_interventions->len, ==, 1);
  g_assert_false (attn_study_has_operation (fourth));

  /* An edit of something else leaves it. */
  g_autoptr (AttnStudy) fifth = attn_study_copy (fourth);
  fifth->survey.rank = 2;
  attn_survey_settle_attribution (fifth, fourth);
  g_assert_cmpuint (fifth->extra_interventions->len, ==, 1);
  g_assert_false (attn_study_has_operation (fifth));
}

static void
test_other_studies_stay_as_they_are (void)
{
  g_autoptr (AttnStudy) before = load ();
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_autoptr (AttnStudy) same = attn_study_copy (before);
  const double factor = 0.5;

  g_array_append_val (study->epsilons, factor);
  g_array_append_val (same->epsilons, factor);
  attn_survey_settle_attribution (study, before);
  g_assert_true (attn_study_equal (study, same));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/survey-settle/heads-that-matter-are-alone",
                   test_heads_that_matter_are_alone);
  g_test_add_func ("/study/survey-settle/other-statistic-ends-it", test_other_statistic_ends_it);
  g_test_add_func ("/study/survey-settle/second-operation-replaces-the-first",
                   test_second_operation_replaces_the_first);
  g_test_add_func ("/study/survey-settle/other-studies-stay-as-they-are",
                   test_other_studies_stay_as_they_are);
  return g_test_run ();
}
