/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Grids that compare: A, B and what they differ by, and differences to the baseline. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "attn-result-data.h"
#include "study-fixture.h"

static void
assert_difference (const AttnGridCell *place,
                   AttnPanel          *a,
                   AttnPanel          *b)
{
  g_assert_true (place->is_difference);
  g_assert_true (attn_panel_is_signed (place->panel));
  for (gsize row = 0; row < attn_panel_get_n_rows (a); row++)
    for (gsize column = 0; column < attn_panel_get_n_columns (a); column++)
      g_assert_cmpfloat (attn_panel_get_value (place->panel, row, column), ==,
                         attn_panel_get_value (a, row, column) -
                             attn_panel_get_value (b, row, column));
}

static void
test_compare_interventions (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *a = fixture_get_panel (result, 0, 0);
  AttnPanel *b = fixture_get_panel (result, 0, 1);
  g_assert_true (a == fixture_get_baseline (result, 0, 0));
  g_assert_true (a == fixture_get_baseline (result, 0, 1));
  g_assert_cmpfloat (result->measures[1].total_variation, >, 0.05);
  assert_difference (attn_grid_get_cell (result->grid, 0, 2), b, a);
  g_assert_null (result->grid->cells[2].minuend_name);
  g_assert_cmpfloat_with_epsilon (result->measures[2].total_variation,
                                  result->measures[1].total_variation, 1e-7);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 0, 2)->title, ==, "Modified − Baseline");

  g_autofree char *nothing = fixture_describe_interventions (result, 0);
  g_autofree char *scaled = fixture_describe_interventions (result, 1);
  g_assert_cmpstr (nothing, ==, "");
  g_assert_nonnull (strstr (scaled, "key scale"));
}

static void
test_compare_layers_heads_inputs (void)
{
  static const struct
  {
    AttnDimension compared;
    const char *layers;
    const char *heads;
    gsize layer_of_b;
    int head_of_b;
    gsize input_of_b;
    const char *title;
    const char *minuend_name;
    const char *baseline_name;
  } cases[] = {
    { ATTN_DIMENSION_LAYER, "0,2", NULL, 2, 1, 0, "Layer 2 − Layer 0", "L2", "L0" },
    { ATTN_DIMENSION_HEAD, NULL, "1,3", 1, 3, 0, "Head 3 − Head 1", "H3", "H1" },
    { ATTN_DIMENSION_INPUT, NULL, NULL, 1, 1, 1, "Input 2 − Input 1", "Input 2", "Input 1" },
  };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("compare");

      fixture_set_inputs (study, "A rose is a rose.", "A list is a list.");
      memset (study->components, 0, sizeof study->components);
      study->layer = 1;
      study->head = 1;
      study->compared = cases[i].compared;
      study->layers = cases[i].layers != NULL ? attn_index_set_parse (cases[i].layers, NULL) : NULL;
      study->heads = cases[i].heads != NULL ? attn_index_set_parse (cases[i].heads, NULL) : NULL;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_autoptr (AttnTensor) weights =
          fixture_compute_weights (result, cases[i].input_of_b, NULL, cases[i].layer_of_b);

      fixture_assert_panel (fixture_get_panel (result, 0, 1), weights, cases[i].head_of_b);
      const AttnGridCell *place = attn_grid_get_cell (result->grid, 0, 2);
      assert_difference (place, fixture_get_panel (result, 0, 1), fixture_get_panel (result, 0, 0));
      g_assert_cmpstr (place->title, ==, cases[i].title);
      g_assert_cmpstr (place->minuend_name, ==, cases[i].minuend_name);
      g_assert_cmpstr (place->baseline_name, ==, cases[i].baseline_name);
      g_assert_cmpuint (result->cells[2].layer, ==, cases[i].layer_of_b);
      g_assert_cmpint (result->cells[2].head, ==, cases[i].head_of_b);
      g_assert_cmpuint (result->cells[2].input, ==, cases[i].input_of_b);
      /* The measures are those of B. */
      g_assert_cmpfloat (result->measures[2].sink_score, ==, result->measures[1].sink_score);
    }
}

/* The input that a patch takes from is compared with itself, and is not called modified; the
 * heading of its column, which is that of the other inputs, too, says what these are. */
static void
test_source_is_not_modified (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_ptr_array_add (study->inputs, attn_input_copy (study->inputs->pdata[0]));
  study->rows = ATTN_DIMENSION_INPUT;
  study->operation = ATTN_OPERATION_PATCH;
  study->patch_input = 1;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 0, 1)->name, ==, "Input 1, Modified");
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 0)->name, ==, "Input 2, Baseline");
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 1)->name, ==, "Input 2, Source");
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 2)->name, ==, "Input 2, Source − Baseline");
  g_assert_cmpstr (result->grid->column_headings[1], ==, "Modified");
}

static void
test_models (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autofree char *path = attn_data_find_model ();
  g_ptr_array_add (study->other_models, attn_model_reference_new (path, NULL));
  study->compared = ATTN_DIMENSION_MODEL;
  study->rows = ATTN_DIMENSION_LAYER;
  study->head = 1;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize layer = 0; layer < 3; layer++)
    {
      assert_difference (attn_grid_get_cell (result->grid, layer, 2),
                         fixture_get_panel (result, layer, 1),
                         fixture_get_panel (result, layer, 0));
      g_assert_cmpfloat (result->measures[3 * layer + 2].largest_difference, ==, 0);
      g_assert_cmpuint (result->cells[3 * layer + 1].model, ==, 1);
    }

  /* What is exported names both. */
  g_autofree char *metadata = attn_result_to_metadata (result, study);
  g_autofree char *json = attn_result_to_json (result);
  const char *texts[] = { metadata, json };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *others = strstr (texts[i], "\"other-models\":[");

      g_assert_nonnull (others);
      g_assert_nonnull (strstr (others, attn_model_get_fingerprint (result->model)));
    }

  study->columns = ATTN_DIMENSION_MODEL;
  g_autoptr (AttnResult) beside = fixture_run (study, workspace);
  g_assert_cmpuint (beside->grid->n_columns, ==, 2);
  g_assert_cmpstr (attn_grid_get_cell (beside->grid, 0, 1)->title, ==, "Layer 0, rose (2)");
}

/* Where the head is left open, A and B have one each, and the titles say which. */
static void
test_compared_layers_name_their_heads (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->compared = ATTN_DIMENSION_LAYER;
  study->layers = attn_index_set_parse ("0,2", NULL);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autofree char *a =
      g_strdup_printf ("Layer 0, head %d", result->cells[0].head);
  g_autofree char *b = g_strdup_printf ("Layer 2, head %d", result->cells[1].head);
  g_autofree char *both = g_strdup_printf ("%s − %s", b, a);
  g_assert_cmpstr (result->grid->cells[0].title, ==, a);
  g_assert_cmpstr (result->grid->cells[1].title, ==, b);
  g_assert_cmpstr (result->grid->cells[2].title, ==, both);
  g_assert_cmpstr (result->grid->cells[2].name, ==, both);

  g_autofree char *heading = g_strdup_printf ("L2 H%d", result->cells[1].head);
  study->columns = ATTN_DIMENSION_LAYER;
  g_autoptr (AttnResult) beside = fixture_run (study, workspace);
  g_assert_cmpstr (beside->grid->column_headings[1], ==, heading);
}

/* Two models of the same name are told apart by the folders that they lie in. */
static void
test_models_of_one_name (void)
{
  static const char * const places[] = { "before/rose", "after/rose" };
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autofree char *directory = g_dir_make_tmp ("grid-XXXXXX", NULL);
  g_autofree char *model = attn_data_find_model ();

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (directory, places[i], NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_mkdir (parent, 0700), ==, 0);
      g_assert_cmpint (symlink (model, path), ==, 0);
      if (i == 0)
        study->model.path = g_strdup (path);
      else
        g_ptr_array_add (study->other_models, attn_model_reference_new (path, NULL));
    }
  study->compared = ATTN_DIMENSION_MODEL;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpstr (result->grid->cells[0].title, ==, "rose (before)");
  g_assert_cmpstr (result->grid->cells[2].title, ==, "rose (after) − rose (before)");
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (directory, places[i], NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_unlink (path), ==, 0);
      g_assert_cmpint (g_rmdir (parent), ==, 0);
    }
  g_rmdir (directory);
}

/* What a difference is made of goes with the figure and with its data, for whatever is compared. */
static void
test_differences_are_written (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  fixture_set_inputs (study, "A rose is a rose.", "A list is a list.");
  study->layer = 1;
  study->head = 1;
  study->compared = ATTN_DIMENSION_INPUT;
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autofree char *metadata = attn_result_to_metadata (result, result->study);
  g_autofree char *data = attn_result_to_json (result);
  g_autoptr (GArray) changes = attn_result_get_changes (result, 2, 1);
  const AttnChange *change = &g_array_index (changes, AttnChange, 0);
  /* Key 0 is hidden: the first column stands at 1. */
  g_autofree char *first = g_strdup_printf ("\"changes\":[{\"query\":%zu,\"key\":%zu,\"minuend\":",
                                            change->row, change->column + 1);

  g_assert_nonnull (strstr (metadata, "\"row-distances\":["));
  g_assert_nonnull (strstr (metadata, first));
  g_assert_nonnull (strstr (metadata, "\"column-positions\":[1,2,"));
  g_assert_nonnull (strstr (data, "\"row-distances\":["));
  g_assert_nonnull (strstr (data, first));

  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (result, ATTN_ALL_PANELS, &error);
  g_assert_no_error (error);
  const AttnArray *distances = attn_array_file_lookup (file, "panel_0_2_row_distances");
  g_autoptr (AttnTensor) values = attn_array_to_tensor (distances, &error);
  g_assert_no_error (error);
  for (gsize row = 0; row < values->shape[0]; row++)
    g_assert_cmpfloat (values->data[row], ==,
                       (float) attn_result_get_row_distance (result, 2, row));
  g_assert_null (attn_array_file_lookup (file, "panel_0_1_row_distances"));
  g_assert_nonnull (attn_array_file_lookup (file, "panel_0_1_column_positions"));
}

static void
test_differences (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) plain = fixture_run (study, workspace);
  study->shows_differences = TRUE;
  study->differences = attn_index_set_parse ("1,4", NULL);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize i = 0; i < 9; i++)
    {
      const AttnGridCell *place = &result->grid->cells[i];

      g_assert_cmpint (place->is_difference, ==, i == 1 || i == 4);
      if (place->is_difference)
        assert_difference (place, plain->grid->cells[i].panel, plain->grid->cells[i].baseline);
    }
  g_assert_cmpmem (plain->measures, 9 * sizeof *plain->measures, result->measures,
                   9 * sizeof *result->measures);

  g_clear_pointer (&study->differences, attn_index_set_unref);
  g_autoptr (AttnResult) all = fixture_run (study, workspace);
  for (gsize i = 0; i < 9; i++)
    g_assert_true (all->grid->cells[i].is_difference);
  g_assert_nonnull (strstr (all->grid->caption, "Differences to the Baseline"));
}

static void
test_changes (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (GArray) none = attn_result_get_changes (result, 0, 5);
  g_autoptr (GArray) few = attn_result_get_changes (result, 1, 7);
  g_autoptr (GArray) all = attn_result_get_changes (result, 1, 1000);
  AttnPanel *before = fixture_get_panel (result, 0, 0);
  AttnPanel *after = fixture_get_panel (result, 0, 1);
  gsize n = attn_panel_get_n_rows (after);
  gsize n_changed = 0;

  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (few->len, ==, 7);
  for (gsize row = 0; row < n; row++)
    for (gsize column = 0; column < n; column++)
      n_changed += attn_panel_get_value (before, row, column) !=
                   attn_panel_get_value (after, row, column);
  g_assert_cmpuint (all->len, ==, n_changed);
  for (guint i = 0; i < all->len; i++)
    {
      const AttnChange *change = &g_array_index (all, AttnChange, i);

      g_assert_cmpfloat (change->baseline, ==,
                         attn_panel_get_value (before, change->row, change->column));
      g_assert_cmpfloat (change->modified, ==,
                         attn_panel_get_value (after, change->row, change->column));
      g_assert_cmpfloat (change->difference, ==, change->modified - change->baseline);
      if (i > 0)
        g_assert_cmpfloat (fabs (change->difference), <=, fabs (change[-1].difference));
      if (i < few->len)
        g_assert_cmpmem (change, sizeof *change, &g_array_index (few, AttnChange, i),
                         sizeof *change);
    }

  /* The difference of the two says the same as the modified panel, and so do its cells. */
  g_autoptr (GArray) difference = attn_result_get_changes (result, 2, 1);
  const AttnChange *change = &g_array_index (difference, AttnChange, 0);
  g_assert_cmpmem (change, sizeof *change, all->data, sizeof *change);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (result, 0, 2), change->row,
                                           change->column),
                     ==, (float) change->difference);
}

static void
test_row_distance (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  double sum = 0;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  gsize n = attn_panel_get_n_rows (fixture_get_panel (result, 0, 1));
  for (gsize row = 0; row < n; row++)
    {
      g_assert_cmpfloat (attn_result_get_row_distance (result, 0, row), ==, 0);
      g_assert_cmpfloat (attn_result_get_row_distance (result, 1, row), ==,
                         attn_result_get_row_distance (result, 2, row));
      sum += attn_result_get_row_distance (result, 1, row);
    }
  /* Float32 sums along a row there, double ones here. */
  g_assert_cmpfloat_with_epsilon (sum / n, result->measures[1].total_variation, 1e-6);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/grid/compared-layers-name-their-heads",
                   test_compared_layers_name_their_heads);
  g_test_add_func ("/study/grid/models-of-one-name", test_models_of_one_name);
  g_test_add_func ("/study/grid/differences-are-written", test_differences_are_written);
  g_test_add_func ("/study/grid/compare-interventions", test_compare_interventions);
  g_test_add_func ("/study/grid/compare-layers-heads-inputs", test_compare_layers_heads_inputs);
  g_test_add_func ("/study/grid/source-is-not-modified", test_source_is_not_modified);
  g_test_add_func ("/study/grid/models", test_models);
  g_test_add_func ("/study/grid/differences", test_differences);
  g_test_add_func ("/study/grid/changes", test_changes);
  g_test_add_func ("/study/grid/row-distance", test_row_distance);
  return g_test_run ();
}
