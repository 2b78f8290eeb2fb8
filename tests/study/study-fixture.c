/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "study-fixture.h"

#include <string.h>

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
  AttnResult *result = attn_job_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
  return result;
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
