/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a grid shows of its panels: rows, keys and views; and what it says of them. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "attn-cell.h"
#include "attn-error.h"
#include "attn-result-data.h"
#include "study-fixture.h"

/* The recorded tokens are the one input, however many the study has. */
static void
test_recording (void)
{
  static const float values[9] = { 1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5 };
  const gsize shape[] = { 1, 1, 3, 3 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autofree char *directory = g_dir_make_tmp ("grid-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "attention.npy", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) weights = attn_tensor_new (4, shape, NULL);
  g_autoptr (GError) error = NULL;

  memcpy (weights->data, values, sizeof values);
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor ("", weights), &error));
  g_assert_true (save_arrays (file, path, &error));
  g_assert_no_error (error);
  study->model.path = g_strdup (path);
  fixture_set_inputs (study, "one", "two");
  study->rows = ATTN_DIMENSION_INPUT;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 1);
  g_assert_cmpuint (result->n_inputs, ==, 1);
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, 3);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (result, 0, 0), 2, 1), ==, 0.25f);
  g_assert_false (result->measures[0].is_unnormalised);
  g_assert_false (result->grid->cells[0].lacks_distributions);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_rmdir (directory);
}

/* Rows that are no distributions have neither a sink score nor an entropy. */
static void
test_recorded_sums (void)
{
  static const float values[9] = { 1, 0, 0, 3, 0.5, 0, -4, 0.25, 0.5 };
  const gsize shape[] = { 1, 1, 3, 3 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autofree char *directory = g_dir_make_tmp ("grid-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "attention.npy", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (AttnTensor) weights = attn_tensor_new (4, shape, NULL);

  memcpy (weights->data, values, sizeof values);
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor ("", weights), NULL));
  g_assert_true (save_arrays (file, path, NULL));
  study->model.path = g_strdup (path);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_true (result->measures[0].is_unnormalised);
  g_assert_true (result->grid->cells[0].lacks_distributions);
  g_assert_true (isnan (result->measures[0].sink_score));
  g_assert_true (isnan (result->measures[0].mean_entropy));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_rmdir (directory);
}

/* What a head leaves to no key is a column of its own: with it a row has the sum 1, unless a key of
 * it is hidden. */
static void
test_sink (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "gpt_oss", NULL);
  fixture_set_ids (study, ids, G_N_ELEMENTS (ids));
  study->layer = 1;
  study->head = 2;
  for (guint n_hidden = 0; n_hidden < 2; n_hidden++)
    {
      study->hides_keys = n_hidden > 0;
      study->hidden_keys = n_hidden > 0 ? attn_index_set_new_range (1, 1) : NULL;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 7 - n_hidden);
      g_assert_cmpstr (attn_panel_get_column_labels (panel)[0], ==, "sink");
      g_assert_true (attn_panel_get_column_position (panel, 0) == ATTN_PANEL_NO_POSITION);
      g_assert_cmpuint (attn_panel_get_column_position (panel, 1), ==, 0);
      g_assert_cmpuint (attn_panel_get_column_position (panel, 2), ==, 1 + n_hidden);
      for (gsize row = 0; row < 6; row++)
        {
          double sum = 0.0;

          for (gsize column = 0; column < 7 - n_hidden; column++)
            sum += attn_panel_get_value (panel, row, column);
          g_assert_cmpfloat (attn_panel_get_value (panel, row, 0), >, 0.001f);
          g_assert_cmpfloat (fabs (sum - 1.0), <, n_hidden != 0 && row > 0 ? 1.0 : 1e-6);
          g_assert_cmpint (fabs (sum - 1.0) > 1e-6, ==, n_hidden > 0 && row > 0);
          g_assert_true (attn_panel_is_visible (panel, row, 0));
          g_assert_cmpint (attn_panel_is_visible (panel, row, 3), ==, row >= 2 + n_hidden);
        }
    }
}

/* The sink score, with what rows leave to no key if the study counts it. */
static void
test_counted_sink (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  double scores[2], share = 0.0, first = 0.0;

  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "gpt_oss", NULL);
  fixture_set_ids (study, ids, G_N_ELEMENTS (ids));
  study->layer = 1;
  study->head = 2;
  for (guint i = 0; i < 2; i++)
    {
      study->counts_sink = i > 0;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      scores[i] = result->measures[0].sink_score;
      for (gsize row = 0; i == 0 && row < 6; row++)
        {
          share += attn_panel_get_value (panel, row, 0) / 6.0;
          first += attn_panel_get_value (panel, row, 1) / 6.0;
        }
    }
  g_assert_cmpfloat (share, >, 0.01);
  g_assert_cmpfloat_with_epsilon (scores[0], first, 1e-6);
  g_assert_cmpfloat_with_epsilon (scores[1], first + share, 1e-6);
}

/* In a layer with a window of 4, the keys before it are masked between the sink and those seen, and
 * stay so where cells are taken together. */
static void
test_sink_before_window (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "gpt_oss", NULL);
  fixture_set_ids (study, ids, G_N_ELEMENTS (ids));
  study->layer = 0;
  study->head = 2;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  g_autoptr (AttnTensor) zeros = attn_tensor_new (2, (gsize[]) { 10, 11 }, NULL);
  g_autoptr (AttnPanel) other = attn_panel_new (zeros, ATTN_MASK_NONE, NULL, NULL);

  attn_panel_copy_holes (other, panel);
  for (gsize row = 0; row < 10; row++)
    for (gsize column = 0; column < 11; column++)
      {
        gboolean is_before = column > 0 && column + 3 <= row;

        g_assert_cmpint (attn_panel_is_visible (panel, row, column), ==,
                         column <= row + 1 && !is_before);
        g_assert_cmpint (attn_panel_is_visible (other, row, column), ==, !is_before);
      }
  g_assert_true (attn_panel_has_masked (panel));
  g_assert_false (attn_panel_is_any_visible (panel, 8, 10, 1, 6));
  g_assert_true (attn_panel_is_any_visible (panel, 8, 10, 0, 6));
  g_assert_true (attn_panel_is_any_visible (panel, 8, 10, 1, 7));
  AttnSpan hole = attn_panel_get_hole_at (panel, 1, (AttnSpan) { 4, 5 });
  g_assert_cmpuint (hole.first, ==, 1);
  g_assert_cmpuint (hole.end, ==, 3);
}

/* A window to both sides, in a layer that has it. */
static void
test_window_to_both_sides (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "modernbert", NULL);
  fixture_set_ids (study, ids, G_N_ELEMENTS (ids));
  study->head = 0;
  for (int layer = 0; layer < 2; layer++)
    {
      study->layer = layer;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      for (gsize row = 0; row < G_N_ELEMENTS (ids); row++)
        for (gsize column = 0; column < G_N_ELEMENTS (ids); column++)
          {
            gboolean is_near = column <= row + 3 && row <= column + 3;

            g_assert_cmpint (attn_panel_is_visible (panel, row, column), ==,
                             layer == 0 || is_near);
            g_assert_cmpint (attn_panel_get_value (panel, row, column) > 0.0f, ==,
                             layer == 0 || is_near);
          }
    }
}

/* A study whose panels do not show the same part exports each as it was zoomed. */
static void
test_views_are_exported (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnStudy) zoomed = attn_study_copy (study);
  zoomed->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  for (gsize i = 0; i < 3; i++)
    {
      AttnViewport part = { 0, 0, i == 1 ? 0.5 : 1, i == 1 ? 0.5 : 1 };
      g_array_append_val (zoomed->views, part);
    }

  g_autoptr (GError) error = NULL;
  g_autoptr (AttnResult) restyled = attn_result_restyle (result, zoomed);
  g_assert_nonnull (restyled);
  g_autoptr (GBytes) whole = attn_result_export (result, study, ATTN_EXPORT_SVG, NULL, &error);
  g_autoptr (GBytes) part = attn_result_export (restyled, zoomed, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  gsize length;
  const char *svg = g_bytes_get_data (part, &length);
  g_assert_false (g_bytes_equal (whole, part));
  g_autoptr (AttnStudy) opened = attn_study_from_svg ("a.svg", svg, length, &error);
  g_assert_no_error (error);
  g_assert_true (attn_study_equal (opened, zoomed));
  g_autoptr (AttnResult) again = fixture_run (opened, workspace);
  g_autoptr (GBytes) same = attn_result_export (again, opened, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_true (g_bytes_equal (part, same));

  /* As many as there were panels once. */
  g_autoptr (AttnStudy) fewer = attn_study_copy (zoomed);
  g_array_set_size (fewer->views, 2);
  g_autoptr (GBytes) other = attn_result_export (result, fewer, ATTN_EXPORT_PNG, NULL, &error);
  g_autoptr (GBytes) plain = attn_result_export (result, study, ATTN_EXPORT_PNG, NULL, &error);
  g_assert_cmpuint (g_bytes_get_size (other), >, 0);
  g_assert_cmpuint (g_bytes_get_size (plain), >, 0);
}

/* Hidden keys and queries are positions of tokens, and so is what stands at rows and columns. */
static void
test_positions (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  fixture_set_inputs (study, "A rose is a rose.", NULL);
  study->n_last_queries = 2;
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_parse ("0-1", NULL);
  AttnRegion pin = { .first_row = 5, .last_row = 5, .first_column = 3, .last_column = 3 };
  g_autoptr (AttnResult) all = fixture_run (study, workspace);
  gsize n = all->inputs[0]->n_tokens;
  pin.first_row = pin.last_row = n - 1;
  g_ptr_array_add (study->regions, attn_study_region_new (0, &pin));
  pin.first_column = pin.last_column = 1;
  g_ptr_array_add (study->regions, attn_study_region_new (0, &pin));
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  const AttnGridCell *place = &result->grid->cells[0];
  g_assert_cmpuint (attn_panel_get_row_position (place->panel, 1), ==, n - 1);
  g_assert_cmpuint (attn_panel_get_column_position (place->panel, 0), ==, 2);
  /* The other pin is on a key that is hidden. */
  g_assert_cmpuint (place->n_regions, ==, 1);
  g_assert_cmpuint (place->regions[0].first_row, ==, 1);
  g_assert_cmpuint (place->regions[0].first_column, ==, 1);

  g_autofree char *metadata = attn_result_to_metadata (result, study);
  g_autofree char *rows = g_strdup_printf ("\"rows\":[%zu,%zu],\"columns\":[3,3]", n - 1, n - 1);
  g_assert_nonnull (strstr (metadata, rows));
}

static double
sum_row (AttnPanel *panel,
         gsize      row)
{
  double sum = 0;

  for (gsize column = 0; column < attn_panel_get_n_columns (panel); column++)
    sum += attn_panel_get_value (panel, row, column);
  return sum;
}

static void
test_words_and_hidden_keys (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  fixture_set_inputs (study, "The unbelievable gardener is in the garden.", NULL);
  study->joins_words = TRUE;
  g_autoptr (AttnResult) words = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (words, 0, 0);
  static const char * const labels[] = { "<s>", "The", "unbelievable", "gardener", "is",
                                         "in", "the", "garden.", NULL };
  g_assert_cmpstrv (attn_panel_get_row_labels (panel), labels);
  g_assert_cmpstrv (attn_panel_get_column_labels (panel), labels);
  for (gsize row = 0; row < 8; row++)
    {
      g_assert_cmpfloat_with_epsilon (sum_row (panel, row), 1, 1e-6);
      g_assert_cmpuint (attn_panel_get_visible (panel, row).end, ==, row + 1);
    }

  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) hidden = fixture_run (study, workspace);
  AttnPanel *rest = fixture_get_panel (hidden, 0, 0);
  g_assert_cmpuint (attn_panel_get_n_columns (rest), ==, 7);
  g_assert_cmpuint (attn_panel_get_n_rows (rest), ==, 8);
  g_assert_cmpfloat (attn_panel_get_value (rest, 5, 2), ==, attn_panel_get_value (panel, 5, 3));
  g_assert_cmpstr (attn_panel_get_column_labels (rest)[0], ==, "The");
  g_assert_false (attn_panel_is_visible (rest, 0, 0));
  g_assert_true (attn_panel_is_visible (rest, 1, 0));
  g_assert_false (attn_panel_is_visible (rest, 1, 1));
  g_assert_true (g_str_has_suffix (hidden->grid->caption, ". Key 0 hidden"));

  study->renormalises = TRUE;
  g_autoptr (AttnResult) normed = fixture_run (study, workspace);
  AttnPanel *rows = fixture_get_panel (normed, 0, 0);
  /* The first query has nothing left. */
  g_assert_true (isnan (attn_panel_get_value (rows, 0, 0)));
  g_assert_cmpfloat_with_epsilon (sum_row (rows, 1), 1, 1e-6);
  study->n_last_queries = 3;
  g_autoptr (AttnResult) cut = fixture_run (study, workspace);
  AttnPanel *last = fixture_get_panel (cut, 0, 0);
  g_assert_cmpuint (attn_panel_get_n_rows (last), ==, 3);
  g_assert_cmpstr (attn_panel_get_row_labels (last)[0], ==, "in");
  for (gsize row = 0; row < 3; row++)
    g_assert_cmpfloat_with_epsilon (sum_row (last, row), 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (attn_panel_get_value (last, 0, 2),
                                  attn_panel_get_value (rest, 5, 2) / sum_row (rest, 5), 1e-6);
  g_assert_true (g_str_has_suffix (cut->grid->caption, "Key 0 hidden, rows renormalised"));
  /* Of the head, not of what is left of it. */
  g_assert_cmpmem (words->measures, 9 * sizeof *words->measures, cut->measures,
                   9 * sizeof *cut->measures);
}

/* Two query heads have one key head: what changes it changes both. */
static void
test_caption_names_shared_heads (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  fixture_set_ids (study, (const guint32[]) { 3, 1, 4 }, 3);
  study->acts_on_shown_head = FALSE;
  study->scope_heads = attn_index_set_parse ("0-1,3", NULL);
  g_autoptr (AttnResult) shared = fixture_run (study, workspace);
  g_assert_nonnull (
      strstr (shared->grid->caption, "Changed in heads 0-1,3 (and 2, of the same key head)"));

  g_clear_pointer (&study->scope_heads, attn_index_set_unref);
  study->scope_heads = attn_index_set_new_range (0, 1);
  g_autoptr (AttnResult) whole = fixture_run (study, workspace);
  g_assert_null (strstr (whole->grid->caption, "of the same key head"));
}

/* Compares the panels of two results, bit by bit. */
static void
assert_same_panels (const AttnResult *a,
                    const AttnResult *b)
{
  for (gsize i = 0; i < a->grid->n_rows * a->grid->n_columns; i++)
    {
      AttnPanel *panel = a->grid->cells[i].panel;
      AttnPanel *other = b->grid->cells[i].panel;

      for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
        for (gsize key = 0; key <= row; key++)
          g_assert_cmpfloat (attn_panel_get_value (panel, row, key), ==,
                             attn_panel_get_value (other, row, key));
    }
}

/* The operation goes with the head on display: as a list of that head would have it. */
static void
test_scope_follows_the_head (void)
{
  if (!fixture_has_model ())
    return;
  for (int head = 0; head < 4; head++)
    {
      g_autoptr (AttnStudy) shown = fixture_load ("mean-operation");
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

      shown->layer = 1;
      shown->head = head;
      g_assert_true (shown->acts_on_shown_head);
      g_autoptr (AttnStudy) listed = attn_study_copy (shown);
      listed->acts_on_shown_head = FALSE;
      listed->scope_heads = attn_index_set_new_range (head, head);
      g_autoptr (AttnResult) a = fixture_run (shown, workspace);
      g_autoptr (AttnResult) b = fixture_run (listed, workspace);
      g_autofree char *place = g_strdup_printf ("<i>Value</i>. Layer 1, head %d", head);
      g_autofree char *end = g_strdup_printf ("%s. Mean over Heads, in head %d", place, head);

      assert_same_panels (a, b);
      g_assert_true (g_str_has_suffix (b->grid->caption, end));
      g_assert_true (g_str_has_suffix (a->grid->caption, place));
    }
}

/* Within a layer the weights of a head come of its own queries and keys alone. */
static void
test_other_heads_leave_the_weights (void)
{
  g_autoptr (AttnStudy) all = fixture_load ("epsilon");
  g_autoptr (AttnStudy) shown = attn_study_copy (all);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  all->acts_on_shown_head = FALSE;
  g_autoptr (AttnResult) a = fixture_run (all, workspace);
  g_autoptr (AttnResult) b = fixture_run (shown, workspace);
  assert_same_panels (a, b);
}

/* Each panel of a grid of heads acts on its own; of their mean, on all. */
static void
test_scope_of_each_head (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->columns = ATTN_DIMENSION_HEAD;
  study->axis = ATTN_AXIS_HEAD;
  study->acts_on_shown_head = TRUE;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize i = 0; i < result->grid->n_columns; i++)
    {
      g_autoptr (AttnIndexSet) heads = attn_cell_dup_heads (&result->cells[i], study);

      g_assert_cmpuint (attn_index_set_get_first (heads), ==, i);
      g_assert_cmpuint (attn_index_set_count (heads, 4), ==, 1);
    }
  g_assert_nonnull (strstr (result->grid->caption, "Changed in the head shown"));

  const AttnCell mean = attn_cell_get_first (study, 1, ATTN_HEAD_MEAN);
  g_assert_null (attn_cell_dup_heads (&mean, study));
}

/* A cut and where it acts are one phrase, unless there is a further operation between them. */
static void
test_scope_of_a_cut (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = study->head = 1;
  study->rows = ATTN_DIMENSION_INPUT;
  study->operation = ATTN_OPERATION_CUT;
  study->cut_keys = attn_index_set_new_range (0, 0);
  study->acts_on_shown_head = FALSE;
  study->scope_heads = attn_index_set_new_range (2, 2);
  g_autoptr (AttnResult) cut = fixture_run (study, workspace);
  g_assert_true (g_str_has_suffix (cut->grid->caption, ", Key 0 cut in head 2"));

  AttnIntervention *further =
      attn_intervention_new (ATTN_COMPONENT_VALUE, ATTN_OPERATION_ZERO, ATTN_SITE_PROJECTION);
  g_ptr_array_add (study->extra_interventions, further);
  g_autoptr (AttnResult) both = fixture_run (study, workspace);
  g_assert_true (g_str_has_suffix (both->grid->caption, ". Cut in head 2"));
}

/* What is not as usual and no title says. */
static void
test_caption_names_what_is_done (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->head = 2;
  study->axis = ATTN_AXIS_TOKEN;
  study->acts_on_shown_layer = FALSE;
  study->acts_on_shown_head = FALSE;
  study->scope_heads = attn_index_set_new_range (1, 1);
  g_autoptr (AttnResult) means = fixture_run (study, workspace);
  g_assert_true (
      g_str_has_suffix (means->grid->caption, ". Mean over Tokens, in all layers, in head 1"));

  g_clear_pointer (&study->title, g_free);
  g_clear_pointer (&study->caption, g_free);
  g_autoptr (AttnResult) plain = fixture_run (study, workspace);
  g_assert_cmpstr (
      plain->grid->caption, ==,
      "Layer 1, head 2, Mean of <i>Query</i>, <i>Key</i> or <i>Value</i>. Mean over Tokens, in all "
      "layers, in head 1");

  g_autoptr (AttnStudy) factors = fixture_load ("epsilon");
  factors->layer = 1;
  factors->head = 2;
  factors->rows = ATTN_DIMENSION_NONE;
  factors->acts_on_shown_head = FALSE;
  g_clear_pointer (&factors->title, g_free);
  g_clear_pointer (&factors->caption, g_free);
  g_autoptr (AttnResult) scaled = fixture_run (factors, workspace);
  g_assert_cmpstr (scaled->grid->caption, ==,
                   "Layer 1, head 2, ε on <i>Query</i>, <i>Key</i> and <i>Value</i>");
  factors->operation = ATTN_OPERATION_ZERO;
  factors->columns = ATTN_DIMENSION_HEAD;
  g_autoptr (AttnResult) zeros = fixture_run (factors, workspace);
  g_assert_cmpstr (zeros->grid->caption, ==,
                   "Layer 1, <i>Query</i>, <i>Key</i> and <i>Value</i> = 0");
}

static void
assert_operation (const AttnStudy *study,
                  gsize            index,
                  const char      *expected)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);

  g_assert_cmpstr (result->grid->cells[index].operation, ==, expected);
}

/* Each panel says what is done to the model in it, unless its name does. */
static void
test_panels_say_what_is_done (void)
{
  g_autoptr (AttnStudy) means = fixture_load ("mean-operation");
  g_autoptr (AttnStudy) factors = fixture_load ("epsilon");
  g_autoptr (AttnStudy) single = fixture_load ("single");

  if (!fixture_has_model ())
    return;
  assert_operation (means, 4, "Mean of Key");
  means->axis = ATTN_AXIS_TOKEN;
  means->has_baseline_column = TRUE;
  assert_operation (means, 0, NULL);
  assert_operation (means, 1, "Mean of Query, mean over Tokens");

  assert_operation (factors, 4, NULL);
  factors->acts_on_shown_head = FALSE;
  factors->scope_tokens = attn_index_set_new_range (0, 0);
  assert_operation (factors, 4, "Changed at token 0");

  assert_operation (single, 0, NULL);
  single->operation = ATTN_OPERATION_SCALE;
  single->components[ATTN_COMPONENT_QUERY] = TRUE;
  g_array_index (single->epsilons, double, 0) = 0.5;
  assert_operation (single, 0, "Query with ε = 0.5");
}

static void
test_templates (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->head = 2;
  g_free (study->title);
  study->title = g_strdup ("{model} {layer} {head} {site} {axis} {operation} {tokens} {input}: "
                           "{intervention}");
  g_clear_pointer (&study->caption, g_free);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 1)->title, ==,
                   "rose 1 2 projection feature scale 10 1: <i>Key</i> with ε = 1e-3");
  g_assert_cmpstr (result->grid->caption, ==, "Layer 1, head 2");
  g_clear_pointer (&study->title, g_free);
  g_autoptr (AttnResult) made_up = fixture_run (study, workspace);
  g_assert_cmpstr (attn_grid_get_cell (made_up->grid, 1, 1)->title, ==, "<i>Key</i>, ε = 1e-3");
}

/* Quantities other than weights: their panels, what the figure says of them, the colours that fit,
 * and measures of the weights all the same. */
static void
test_quantities (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->head = 2;
  g_clear_pointer (&study->caption, g_free);
  g_autoptr (AttnResult) weights = fixture_run (study, workspace);
  study->quantity = ATTN_MAP_SCORES;
  attn_study_fit_quantity (study);
  g_autoptr (AttnResult) scores = fixture_run (study, workspace);
  g_assert_cmpstr (scores->grid->value_label, ==, "Attention Score");
  g_assert_true (scores->grid->cells[0].lacks_distributions);
  g_assert_false (weights->grid->cells[0].lacks_distributions);
  g_autoptr (AttnGrid) alone = attn_grid_take_panel (scores->grid, 4);
  g_assert_true (alone->cells[0].lacks_distributions);
  g_assert_true (g_str_has_suffix (scores->grid->caption, ". Scores before the Softmax"));
  g_assert_cmpint (study->style.range, ==, ATTN_RANGE_DATA);
  g_assert_true (study->style.has_masked_color);

  /* The softmax of a row of scores is the row of weights, before and after a factor. */
  for (gsize i = 0; i < 9; i++)
    {
      AttnPanel *score = scores->grid->cells[i].panel;
      AttnPanel *weight = weights->grid->cells[i].panel;
      double sum = 0.0;

      for (gsize column = 0; column <= 5; column++)
        sum += exp (attn_panel_get_value (score, 5, column));
      for (gsize column = 0; column <= 5; column++)
        g_assert_cmpfloat_with_epsilon (exp (attn_panel_get_value (score, 5, column)) / sum,
                                        attn_panel_get_value (weight, 5, column), 1e-5);
      g_assert_true (isnan (attn_panel_get_value (score, 5, 6)));
      g_assert_false (attn_panel_is_visible (score, 5, 6));
      g_assert_cmpfloat (scores->measures[i].sink_score, ==, weights->measures[i].sink_score);
    }

  /* Cosine times norms is the score, before and after; ε leaves the cosine as it was. */
  study->quantity = ATTN_MAP_COSINE;
  attn_study_fit_quantity (study);
  g_autoptr (AttnResult) cosines = fixture_run (study, workspace);
  g_assert_cmpint (study->style.scale, ==, ATTN_SCALE_SYMMETRIC);
  study->quantity = ATTN_MAP_NORMS;
  attn_study_fit_quantity (study);
  g_assert_cmpint (study->style.range, ==, ATTN_RANGE_DATA);
  g_autoptr (AttnResult) lengths = fixture_run (study, workspace);
  for (gsize i = 0; i < 9; i++)
    {
      AttnGridCell *cosine = &cosines->grid->cells[i];
      AttnPanel *length = lengths->grid->cells[i].panel;
      double score = attn_panel_get_value (scores->grid->cells[i].panel, 5, 3);

      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (cosine->panel, 5, 3) *
                                          attn_panel_get_value (length, 5, 3),
                                      score, 1e-5 * MAX (1.0, fabs (score)));
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (cosine->panel, 5, 3),
                                      attn_panel_get_value (cosine->baseline, 5, 3), 1e-5);
    }

  study->quantity = ATTN_MAP_VALUE_NORM;
  attn_study_fit_quantity (study);
  g_autoptr (AttnResult) norms = fixture_run (study, workspace);
  AttnGridCell *half = attn_grid_get_cell (norms->grid, 2, 0);
  /* A value without a bias is half as long; weights stay. */
  g_assert_cmpfloat_with_epsilon (
      attn_panel_get_value (half->panel, 5, 1),
      0.5 * attn_panel_get_value (half->baseline, 5, 1), 1e-6);
}

/* A token is a text of one token or an id; the last row has none that follows. */
static void
test_logit_of_token (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  study->quantity = ATTN_MAP_LOGIT;
  attn_study_fit_quantity (study);
  g_assert_cmpint (study->style.scale, ==, ATTN_SCALE_SYMMETRIC);
  g_autoptr (AttnResult) next = fixture_run (study, workspace);
  AttnPanel *panel = next->grid->cells[0].panel;
  gsize last = attn_panel_get_n_rows (panel) - 1;
  g_assert_cmpstr (next->grid->caption, ==, "Contribution to the Logit of the Next Token");
  g_assert_false (isnan (attn_panel_get_value (panel, last - 1, 0)));
  g_assert_true (isnan (attn_panel_get_value (panel, last, 0)));

  study->token = g_strdup (" rose");
  study->versus = g_strdup (".");
  g_autoptr (AttnResult) versus = fixture_run (study, workspace);
  g_assert_cmpstr (versus->grid->caption, ==,
                   "Contribution to the Logit of “␣rose” less that of “.”");
  g_assert_false (isnan (attn_panel_get_value (versus->grid->cells[0].panel, last, 0)));

  /* An id is the token that it stands for. */
  g_autoptr (AttnTokens) dot = attn_tokenizer_encode (
      attn_model_get_tokenizer (versus->model, NULL), ".", -1, FALSE, NULL);
  guint32 id = dot->tokens[0].id;
  g_free (study->versus);
  study->versus = g_strdup_printf ("%u", id);
  g_autoptr (AttnResult) by_id = fixture_run (study, workspace);
  g_assert_cmpstr (by_id->grid->caption, ==, versus->grid->caption);

  g_free (study->token);
  study->token = g_strdup ("two words");
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_true (g_str_has_prefix (error->message, "token “two words”: "));
  g_assert_null (strstr (error->message, "space"));
  g_clear_error (&error);

  /* A word that is one token within a text only. */
  g_free (study->token);
  study->token = g_strdup ("Paris");
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "such as “ Paris” with a space before it"));
}

/* Of all heads: rows sum to 1, and heads along the grid would be the same. */
static void
test_rollout (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  study->quantity = ATTN_MAP_ROLLOUT;
  study->rows = ATTN_DIMENSION_LAYER;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_false (result->grid->cells[0].lacks_distributions);
  for (gsize i = 0; i < result->grid->n_rows; i++)
    {
      AttnPanel *panel = result->grid->cells[i].panel;
      double sum = 0.0;

      for (gsize column = 0; column < attn_panel_get_n_columns (panel); column++)
        sum += attn_panel_get_value (panel, 4, column);
      g_assert_cmpfloat_with_epsilon (sum, 1.0, 1e-5);
      g_assert_cmpint (result->cells[i].head, ==, ATTN_HEAD_MEAN);
    }
  study->columns = ATTN_DIMENSION_HEAD;
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

/* The mean of the heads after scaled queries is that after scaled keys; cells that differ in ε
 * alone follow it in the same way. */
static void
test_cells_share_what_is_the_same (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->head = ATTN_HEAD_MEAN;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  gsize n_columns = result->grid->n_columns;
  g_assert_cmpuint (n_columns, ==, 3);
  for (gsize i = 0; i < n_columns; i++)
    {
      const AttnGridCell *query = &result->grid->cells[i], *key = query + n_columns;

      g_assert_true (attn_panel_get_values (query->panel)->data ==
                     attn_panel_get_values (key->panel)->data);
      g_assert_true (query->rescaling.heads == result->grid->cells[0].rescaling.heads);
      g_assert_true (query->rescaling.heads != key->rescaling.heads);
      g_assert_cmpfloat (query->rescaling.epsilon, ==, g_array_index (study->epsilons, double, i));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/grid/sink", test_sink);
  g_test_add_func ("/study/grid/counted-sink", test_counted_sink);
  g_test_add_func ("/study/grid/sink-before-window", test_sink_before_window);
  g_test_add_func ("/study/grid/window-to-both-sides", test_window_to_both_sides);
  g_test_add_func ("/study/grid/recording", test_recording);
  g_test_add_func ("/study/grid/recorded-sums", test_recorded_sums);
  g_test_add_func ("/study/grid/views-are-exported", test_views_are_exported);
  g_test_add_func ("/study/grid/positions", test_positions);
  g_test_add_func ("/study/grid/words-and-hidden-keys", test_words_and_hidden_keys);
  g_test_add_func ("/study/grid/templates", test_templates);
  g_test_add_func ("/study/grid/quantities", test_quantities);
  g_test_add_func ("/study/grid/logit-of-token", test_logit_of_token);
  g_test_add_func ("/study/grid/rollout", test_rollout);
  g_test_add_func ("/study/grid/panels-say-what-is-done", test_panels_say_what_is_done);
  g_test_add_func ("/study/grid/caption-names-what-is-done", test_caption_names_what_is_done);
  g_test_add_func ("/study/grid/caption-names-shared-heads",
                   test_caption_names_shared_heads);
  g_test_add_func ("/study/grid/scope-follows-the-head", test_scope_follows_the_head);
  g_test_add_func ("/study/grid/other-heads-leave-the-weights", test_other_heads_leave_the_weights);
  g_test_add_func ("/study/grid/scope-of-each-head", test_scope_of_each_head);
  g_test_add_func ("/study/grid/scope-of-a-cut", test_scope_of_a_cut);
  g_test_add_func ("/study/grid/cells-share-what-is-the-same", test_cells_share_what_is_the_same);
  return g_test_run ();
}
