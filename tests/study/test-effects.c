/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a study shows of the prediction beside its panels. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-result-data.h"
#include "study-fixture.h"

static AttnResult *
run (const AttnStudy *study,
     AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  AttnResult *result = attn_effects_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* A value changes no weight of its layer, but what the model says: the preset tells that story, in
 * numbers, bars, curves, JSON and arrays. */
static void
test_preset_tells_its_story (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = run (study, workspace);
  const AttnGridCell *cell = &result->grid->cells[0];
  const AttnOutcome *outcome = attn_result_get_outcome (result, 0);
  const AttnChart *chart = result->grid->charts->pdata[0];

  g_assert_cmpfloat (result->measures[0].largest_difference, ==, 0);
  g_assert_cmpfloat (outcome->logit_difference[0], >, 7);
  g_assert_cmpfloat (outcome->logit_difference[1], <, outcome->logit_difference[0] / 2);
  g_assert_cmpfloat (outcome->loss[1], >, outcome->loss[0]);
  g_assert_cmpstr (result->grid->number_names[2], ==, "Last Logit Diff.");
  g_autofree char *before = g_strdup_printf ("%.3g → ", outcome->logit_difference[0]);
  g_assert_true (g_str_has_prefix (cell->numbers[2], before));
  g_assert_cmpstr (result->grid->number_names[0], ==, "Mean KL (bits)");
  g_assert_cmpstr (result->grid->number_names[1], ==, "Mean Loss (bits)");
  g_assert_cmpstr (cell->strip->columns[0].name, ==, "KL (bits)");
  g_assert_cmpstr (chart->titles[1], ==, "Mean KL (bits)");
  g_assert_nonnull (strstr (result->grid->caption, "“␣Paris” − “␣Rome”, Last at “␣is”"));
  g_assert_cmpuint (cell->strip->n_columns, ==, 3);
  for (gsize i = 0; i < outcome->n; i++)
    g_assert_cmpfloat (cell->strip->columns[0].bars[i], ==, outcome->positions[i].kl);

  g_assert_cmpfloat (chart->x[0], ==, 1e-3);
  g_assert_cmpfloat (chart->x[chart->n - 1], ==, 1);
  g_assert_cmpfloat (chart->curves[1].values[0], ==, outcome->kl);
  g_assert_cmpfloat (chart->curves[1].values[chart->n - 1], ==, 0);
  for (gsize i = 0; i < chart->n; i++)
    g_assert_cmpfloat (chart->curves[0].values[i], ==, result->measures[0].sink_score);

  g_autofree char *json = attn_result_to_json (result);
  g_autoptr (AttnArrayFile) arrays = attn_result_to_arrays (result, ATTN_ALL_PANELS, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (json, "\"logit-difference\""));
  g_assert_nonnull (strstr (json, "\"epsilons\""));
  g_assert_cmpuint (attn_array_file_lookup (arrays, "panel_0_0_loss")->shape[1], ==, outcome->n);
  g_assert_cmpuint (attn_array_file_lookup (arrays, "curves")->shape[1], ==, chart->n);
}

/* The weights come first, then the numbers, then the curves; nothing is computed that the study
 * does not show. */
static void
test_weights_come_first (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) plain = attn_study_copy (study);

  if (!fixture_has_model ())
    return;
  memset (plain->effects, 0, sizeof plain->effects);
  g_autoptr (AttnResult) nothing = fixture_run (plain, workspace);
  g_assert_false (attn_effects_are_missing (nothing));

  g_autoptr (AttnResult) weights = fixture_run (study, workspace);
  g_assert_true (attn_effects_are_missing (weights));
  g_assert_true (weights->grid->number_names != NULL);
  g_assert_null (weights->grid->cells[0].numbers);
  /* What only looks different lacks the same. */
  g_autoptr (AttnStudy) restyled = attn_study_copy (study);
  restyled->style.shows_values = !restyled->style.shows_values;
  g_autoptr (AttnResult) other = attn_result_restyle (weights, restyled);
  g_assert_true (attn_effects_are_missing (other));

  g_autoptr (AttnResult) numbers = attn_effects_add (other, workspace, NULL, NULL, NULL);
  g_assert_true (attn_effects_are_missing (numbers));
  g_assert_nonnull (numbers->grid->cells[0].numbers);
  g_assert_null (numbers->grid->charts);
  g_assert_true (numbers->grid->cells[0].panel == weights->grid->cells[0].panel);
  g_autoptr (AttnResult) all = attn_effects_add (numbers, workspace, NULL, NULL, NULL);
  g_assert_false (attn_effects_are_missing (all));
  g_autoptr (AttnResult) again = attn_result_restyle (all, study);
  g_assert_false (attn_effects_are_missing (again));
  g_assert_nonnull (again->grid->charts);
}

/* A number before and after has as many digits as tell the two apart; one that stays says so. */
static void
test_changes_have_their_digits (void)
{
  static const double factors[] = { 1, 0.999 };
  g_autoptr (AttnStudy) study = fixture_load ("effect");

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

      g_array_index (study->epsilons, double, 0) = factors[i];
      g_autoptr (AttnResult) result = run (study, workspace);
      const char *loss = result->grid->cells[0].numbers[1];
      g_auto (GStrv) sides = g_strsplit (loss, " → ", 2);

      g_assert_cmpuint (g_strv_length (sides), ==, 2);
      g_assert_cmpstr (sides[0], !=, sides[1]);
      g_assert_true (g_str_equal (sides[1], "same") == (factors[i] == 1));
    }
}

/* The bars beside the rows are explained in a sentence that nothing is missing from. */
static void
test_bars_are_explained (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = run (study, workspace);
  g_assert_cmpstr (result->grid->bars_note, ==,
                   "Bars: Effect on the Prediction, Lines: Baseline");
}

/* Without a change there is nothing to compare but a loss; panels of a comparison have their own,
 * their difference none. */
static void
test_baseline_has_a_loss (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->effects[ATTN_SHOWN_NUMBERS] = study->effects[ATTN_SHOWN_STRIP] = TRUE;
  study->operation = ATTN_OPERATION_ZERO;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  g_autoptr (AttnResult) result = run (study, workspace);
  g_assert_cmpstr (result->grid->number_names[0], ==, "Mean KL (bits)");
  g_assert_cmpstr (result->grid->cells[0].numbers[0], ==, "–");
  g_assert_null (strstr (result->grid->cells[0].numbers[1], "→"));
  g_assert_nonnull (strstr (result->grid->cells[1].numbers[1], "→"));
  g_assert_null (result->grid->cells[2].numbers);
  g_assert_null (attn_result_get_outcome (result, 2));
  g_assert_cmpfloat (attn_result_get_outcome (result, 0)->kl, ==, 0);
  g_assert_cmpfloat (attn_result_get_outcome (result, 1)->kl, >, 0);
  g_assert_null (result->grid->charts);
}

/* The bar of a word is the mean over its pieces. */
static void
test_words_have_the_mean (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->effects[ATTN_SHOWN_CURVE] = FALSE;
  study->joins_words = TRUE;
  fixture_set_inputs (study, "A rose is xylophone.", "one");
  g_autoptr (AttnResult) result = run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  gsize n_rows = attn_panel_get_n_rows (panel);
  const AttnOutcome *outcome = attn_result_get_outcome (result, 0);
  double sum = 0, joined = 0;

  g_assert_cmpuint (n_rows, <, outcome->n);
  for (gsize i = 0; i < outcome->n; i++)
    sum += outcome->positions[i].kl;
  for (gsize row = 0; row < n_rows; row++)
    {
      gsize position = attn_panel_get_row_position (panel, row);
      gsize end = row + 1 < n_rows ? attn_panel_get_row_position (panel, row + 1) : outcome->n;

      joined += result->grid->cells[0].strip->columns[0].bars[row] * (end - position);
    }
  g_assert_cmpfloat_with_epsilon (joined, sum, 1e-9);
}

/* A text that is no token is refused in a sentence that says so. */
static void
test_bad_token_is_refused (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  g_free (study->versus);
  study->versus = g_strdup ("xylophone");
  g_assert_null (attn_effects_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "xylophone"));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/effects/preset-tells-its-story", test_preset_tells_its_story);
  g_test_add_func ("/study/effects/weights-come-first", test_weights_come_first);
  g_test_add_func ("/study/effects/changes-have-their-digits", test_changes_have_their_digits);
  g_test_add_func ("/study/effects/bars-are-explained", test_bars_are_explained);
  g_test_add_func ("/study/effects/baseline-has-a-loss", test_baseline_has_a_loss);
  g_test_add_func ("/study/effects/words-have-the-mean", test_words_have_the_mean);
  g_test_add_func ("/study/effects/bad-token-is-refused", test_bad_token_is_refused);
  return g_test_run ();
}
