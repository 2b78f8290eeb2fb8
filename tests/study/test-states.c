/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures of what a pass leaves behind, against what make_states.py computes. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-array.h"
#include "attn-error.h"
#include "study-fixture.h"

/* Sums of some dozen float32 products in another order than float64, relative to the largest. */
#define TOLERANCE 1e-5

static AttnArrayFile *
open_states (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "states.safetensors", NULL);
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

static AttnTensor *
load (const AttnArrayFile *file,
      const char          *name,
      const char          *quantity)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *full_name =
      name != NULL ? g_strdup_printf ("%s/%s", name, quantity) : g_strdup (quantity);
  AttnTensor *tensor = attn_array_to_tensor (attn_array_file_lookup (file, full_name), &error);

  g_assert_no_error (error);
  return tensor;
}

/* A figure of the tokens that the expected numbers are of. */
static AttnStudy *
load_study (const char          *preset,
            const char          *model,
            const AttnArrayFile *file)
{
  AttnStudy *study = fixture_load (preset);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", model, NULL);
  g_autoptr (AttnTensor) numbers = load (file, NULL, "ids");
  g_autofree guint32 *ids = g_new (guint32, numbers->shape[0]);

  for (gsize i = 0; i < numbers->shape[0]; i++)
    ids[i] = (guint32) numbers->data[i];
  attn_model_reference_set (&study->model, path);
  fixture_set_ids (study, ids, numbers->shape[0]);
  return study;
}

/* Multiplies the value of layer 0 by 0.3: the case "value/scale=0.3/0/all/all". */
static void
add_scale (AttnStudy *study)
{
  AttnIntervention *scale =
      attn_intervention_new (ATTN_COMPONENT_VALUE, ATTN_OPERATION_SCALE, ATTN_SITE_PROJECTION);

  scale->factor = 0.3;
  scale->layers = attn_index_set_new_range (0, 0);
  g_ptr_array_add (study->extra_interventions, scale);
}

static void
assert_panel (AttnPanel        *panel,
              const AttnTensor *expected,
              const char       *what)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  double largest = 0.0;

  g_assert_cmpuint (n_rows * n_columns, ==, attn_tensor_get_n_elements (expected));
  for (gsize i = 0; i < n_rows * n_columns; i++)
    largest = MAX (largest, fabs (expected->data[i]));
  for (gsize i = 0; i < n_rows * n_columns; i++)
    {
      double value = attn_panel_get_value (panel, i / n_columns, i % n_columns);

      if (!(fabs (value - expected->data[i]) <= TOLERANCE * largest))
        g_error ("%s: %g found at %zu, expected %g", what, value, i, expected->data[i]);
    }
}

/* Of the model as it is and after an operation, which B takes back. */
static void
test_atlas_of_norms (gconstpointer model)
{
  static const char * const names[] = { "output-norm", "query-norm", "key-norm", "value-norm" };
  g_autoptr (AttnArrayFile) file = open_states (model);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnStudy) study = load_study ("score-atlas", model, file);
      g_autoptr (AttnTensor) before = load (file, "baseline", names[i]);
      g_autoptr (AttnTensor) after = load (file, "value/scale=0.3/0/all/all", names[i]);

      study->measure = ATTN_HEAD_MEASURE_OUTPUT_NORM + i;
      g_assert_cmpstr (attn_head_measure_names[study->measure], ==, names[i]);
      g_autoptr (AttnResult) plain = fixture_run (study, workspace);
      assert_panel (plain->grid->cells[0].panel, before, names[i]);
      add_scale (study);
      g_autoptr (AttnResult) changed = fixture_run (study, workspace);
      assert_panel (changed->grid->cells[0].panel, after, names[i]);
      assert_panel (changed->grid->cells[0].baseline, before, names[i]);
      study->sorts_heads = TRUE;
      g_autoptr (AttnResult) sorted = attn_result_restyle (changed, study);
      double first = attn_panel_get_value (sorted->grid->cells[0].panel, 0, 0);
      for (gsize k = 0; k < attn_tensor_get_n_elements (after); k++)
        g_assert_cmpfloat (after->data[k], <=, first * (1.0 + TOLERANCE));
    }
}

static const struct
{
  const char *name;
  AttnState state;
} states[] = {
  { "stream-norm", ATTN_STATE_NORM },
  { "stream-cosine", ATTN_STATE_COSINE },
  { "stream-largest", ATTN_STATE_LARGEST },
};

static void
assert_curve (const AttnChart  *chart,
              gsize             curve,
              const AttnTensor *expected)
{
  g_assert_cmpuint (chart->n, ==, attn_tensor_get_n_elements (expected));
  for (gsize i = 0; i < chart->n; i++)
    g_assert_cmpfloat_with_epsilon (chart->curves[curve].values[i], expected->data[i],
                                    TOLERANCE * (1.0 + fabs (expected->data[i])));
}

/* The stream before each layer and behind the last; matrix entropies below it; the massive channel
 * by name. */
static void
test_states_of_the_stream (gconstpointer model)
{
  g_autoptr (AttnArrayFile) file = open_states (model);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  const char *changed = "value/scale=0.3/0/all/all";

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    {
      g_autoptr (AttnStudy) study = load_study ("state", model, file);
      g_autoptr (AttnTensor) before = load (file, "baseline", states[i].name);
      g_autoptr (AttnTensor) after = load (file, changed, states[i].name);
      g_autoptr (AttnTensor) entropy = load (file, "baseline", "entropy");
      g_autoptr (AttnTensor) other_entropy = load (file, changed, "entropy");
      g_autoptr (AttnTensor) channels = load (file, changed, "stream-channel");

      study->state = states[i].state;
      attn_study_fit_state (study);
      g_autoptr (AttnResult) plain = fixture_run (study, workspace);
      g_assert_cmpuint (plain->grid->n_columns, ==, 1);
      assert_panel (plain->grid->cells[0].panel, before, states[i].name);
      assert_curve (plain->grid->charts->pdata[0], 0, entropy);
      add_scale (study);
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      const AttnGridCell *cells = result->grid->cells;
      g_assert_cmpuint (result->grid->n_columns, ==, 3);
      assert_panel (cells[0].panel, before, states[i].name);
      assert_panel (cells[1].panel, after, states[i].name);
      assert_panel (cells[1].baseline, before, states[i].name);
      g_assert_true (cells[2].is_difference);
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (cells[2].panel, 1, 2),
                                      attn_panel_get_value (cells[1].panel, 1, 2) -
                                          attn_panel_get_value (cells[0].panel, 1, 2),
                                      1e-6);
      assert_curve (result->grid->charts->pdata[0], 1, other_entropy);
      g_assert_true (g_str_has_suffix (result->grid->caption,
                                       ". Modified: <i>Value</i> × 0.3, layer 0"));
      g_assert_null (cells[0].operation);
      g_assert_cmpstr (cells[1].operation, ==, "Value × 0.3, layer 0");
      g_assert_true ((cells[1].cell_numbers != NULL) == (study->state == ATTN_STATE_LARGEST));
      for (gsize k = 0; cells[1].cell_numbers != NULL && k < attn_tensor_get_n_elements (after);
           k++)
        g_assert_cmpuint (cells[1].cell_numbers[k], ==, (guint) channels->data[k]);
    }
}

/* Lengths of what attention and MLP add. */
static void
test_states_that_are_added (gconstpointer model)
{
  static const char * const names[] = { "attention", "mlp" };
  g_autoptr (AttnArrayFile) file = open_states (model);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnStudy) study = load_study ("state", model, file);
      g_autoptr (AttnTensor) vectors = load (file, "baseline", names[i]);
      gsize n = vectors->shape[1];
      gsize width = vectors->shape[2];

      study->state = ATTN_STATE_ATTENTION + i;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      for (gsize row = 0; row < vectors->shape[0] * n; row++)
        {
          double square = 0.0;

          for (gsize k = 0; k < width; k++)
            square += pow (vectors->data[row * width + k], 2.0);
          g_assert_cmpfloat_with_epsilon (
              attn_panel_get_value (result->grid->cells[0].panel, row / n, row % n),
              sqrt (square), TOLERANCE * sqrt (square));
        }
    }
}

/* A token beyond the text, and what has no residual stream. */
static void
test_states_refused (void)
{
  g_autoptr (AttnArrayFile) file = open_states ("llama");
  g_autoptr (AttnStudy) study = load_study ("state", "llama", file);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->state = ATTN_STATE_COSINE;
  study->state_token = 99;
  fixture_assert_fails (study, workspace, ATTN_ERROR_ARGUMENT, "--state-token: 99 found",
                        "expected 0 to");
}

int
main (int    argc,
      char **argv)
{
  static const char * const names[] = { "gpt2-prefixed", "llama" };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } tests[] = {
    { "atlas-of-norms", test_atlas_of_norms },
    { "stream", test_states_of_the_stream },
    { "added", test_states_that_are_added },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (tests); i++)
    {
      const char *name = names[i / G_N_ELEMENTS (tests)];
      gsize k = i % G_N_ELEMENTS (tests);
      g_autofree char *path = g_strdup_printf ("/study/states/%s/%s", tests[k].name, name);

      g_test_add_data_func (path, name, tests[k].func);
    }
  g_test_add_func ("/study/states/refused", test_states_refused);
  return g_test_run ();
}
