/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "study-fixture.h"

#include <string.h>

#include "attn-error.h"

#define N_EDITS 60

/* Whether the model that ships with the program is there; skips the test if not. */
gboolean
fixture_has_model (void)
{
  g_autofree char *directory = attn_data_find_model ();
  g_autofree char *weights =
      directory != NULL ? g_build_filename (directory, "model.safetensors", NULL) : NULL;

  if (weights != NULL && g_file_test (weights, G_FILE_TEST_EXISTS))
    return TRUE;
  g_test_skip ("the shipped model is not there");
  return FALSE;
}

AttnStudy *
fixture_load (const char *preset)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load (preset, &error);

  g_assert_no_error (error);
  return study;
}

AttnResult *
fixture_run (const AttnStudy *study,
             AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  /* The result keeps the one that it is given, and tests go on to change theirs. */
  g_autoptr (AttnStudy) given = attn_study_copy (study);
  AttnResult *result = attn_job_run (given, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
  return result;
}

AttnResult *
fixture_run_once (const AttnStudy *study)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  return fixture_run (study, workspace);
}

AttnPanel *
fixture_get_panel (const AttnResult *result,
                   gsize             row,
                   gsize             column)
{
  return attn_grid_get_cell (result->grid, row, column)->panel;
}

AttnPanel *
fixture_get_baseline (const AttnResult *result,
                      gsize             row,
                      gsize             column)
{
  return attn_grid_get_cell (result->grid, row, column)->baseline;
}

/* All that is done to the model in a panel, in order; "" for the baseline. */
char *
fixture_describe_interventions (const AttnResult *result,
                                gsize             index)
{
  g_autoptr (GPtrArray) interventions =
      attn_cell_build_interventions (&result->cells[index], result->study);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < interventions->len; i++)
    {
      g_autofree char *part = attn_intervention_to_string (g_ptr_array_index (interventions, i));

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", part);
    }
  return g_string_free (text, FALSE);
}

static void
assert_same_panel (AttnPanel *a,
                   AttnPanel *b)
{
  const AttnTensor *x = attn_panel_get_values (a);
  const AttnTensor *y = attn_panel_get_values (b);

  g_assert_cmpuint (x->shape[0], ==, y->shape[0]);
  g_assert_cmpmem (x->data, attn_tensor_get_n_elements (x) * sizeof (float), y->data,
                   attn_tensor_get_n_elements (y) * sizeof (float));
}

/* Bit for bit, texts and measures included. */
void
fixture_assert_same (const AttnResult *a,
                     const AttnResult *b)
{
  g_autofree char *a_metadata = attn_result_to_metadata (a, a->study);
  g_autofree char *b_metadata = attn_result_to_metadata (b, b->study);
  gsize n_cells = a->grid->n_rows * a->grid->n_columns;

  g_assert_cmpstr (a_metadata, ==, b_metadata);
  g_assert_cmpuint (a->layer, ==, b->layer);
  g_assert_cmpint (a->head, ==, b->head);
  g_assert_cmpuint (n_cells, ==, b->grid->n_rows * b->grid->n_columns);
  for (gsize i = 0; i < n_cells; i++)
    {
      assert_same_panel (a->grid->cells[i].panel, b->grid->cells[i].panel);
      assert_same_panel (a->grid->cells[i].baseline, b->grid->cells[i].baseline);
      g_assert_cmpstr (a->grid->cells[i].title, ==, b->grid->cells[i].title);
    }
  g_assert_cmpmem (a->measures, n_cells * sizeof *a->measures, b->measures,
                   n_cells * sizeof *b->measures);
}

/* Takes one or two texts; @second: (nullable) */
void
fixture_set_inputs (AttnStudy  *study,
                    const char *first,
                    const char *second)
{
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text (first, 0));
  if (second != NULL)
    g_ptr_array_add (study->inputs, attn_input_new_text (second, 0));
}

/* One input, of token ids. */
void
fixture_set_ids (AttnStudy     *study,
                 const guint32 *ids,
                 gsize          n)
{
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n, 0));
}

/* [H, T, T] of a layer after @interventions, by a forward pass of its own. */
AttnTensor *
fixture_compute_weights (const AttnResult *result,
                         gsize             input,
                         GPtrArray        *interventions,
                         gsize             layer)
{
  const AttnTokens *tokens = result->inputs[input];
  g_autofree guint32 *ids = g_new (guint32, tokens->n_tokens);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    ids[i] = tokens->tokens[i].id;
  AttnTraceRequest request = {
    .ids = ids,
    .n_ids = tokens->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
  };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (result->model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
}

/* That @panel is a head of @weights, which are [H, T, T]. */
void
fixture_assert_panel (AttnPanel        *panel,
                      const AttnTensor *weights,
                      gsize             head)
{
  gsize n = weights->shape[1];

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, n);
  for (gsize row = 0; row < n; row++)
    for (gsize column = 0; column < n; column++)
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, row, column),
                                      weights->data[(head * n + row) * n + column],
                                      FIXTURE_TOLERANCE);
}

/* The workspace makes a job quicker and nothing else: after any sequence of edits it gives the bits
 * that a fresh one gives. */
void
fixture_check_warm_equals_fresh (AttnStudy   *study,
                                 FixtureEdit  edit,
                                 guint32      seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (AttnWorkspace) warm = attn_workspace_new ();

  for (guint i = 0; i < N_EDITS; i++)
    {
      edit (study, random);
      g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
      g_autoptr (AttnResult) expected = fixture_run (study, fresh);
      g_autoptr (AttnResult) result = fixture_run (study, warm);

      fixture_assert_same (expected, result);
    }
}

/* The error has @code and says @first and @second. */
void
fixture_assert_fails (const AttnStudy *study,
                      AttnWorkspace   *workspace,
                      int              code,
                      const char      *first,
                      const char      *second)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
}

/* Each of the edits of @study is refused, and the workspace goes on as if it had not been. */
void
fixture_check_refused (const AttnStudy      *study,
                       const FixtureBadEdit *edits,
                       gsize                 n_edits)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) before = fixture_run (study, workspace);

  for (gsize i = 0; i < n_edits; i++)
    {
      g_autoptr (AttnStudy) bad = attn_study_copy (study);

      edits[i].edit (bad);
      fixture_assert_fails (bad, workspace, edits[i].code, edits[i].first, edits[i].second);
      g_autoptr (AttnResult) after = fixture_run (study, workspace);
      fixture_assert_same (before, after);
    }
}
