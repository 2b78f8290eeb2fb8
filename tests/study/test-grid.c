/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Grids of any dimensions: each cell is what the model gives, whatever stands beside it. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-result-data.h"
#include "study-fixture.h"

#define N_EDITS 60

/* Two ways to the same weights differ in the order of their sums only. */
#define TOLERANCE 2e-6

static void
set_component (AttnStudy     *study,
               AttnComponent  component)
{
  memset (study->components, 0, sizeof study->components);
  study->components[component] = TRUE;
}

static void
set_inputs (AttnStudy  *study,
            const char *first,
            const char *second)
{
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text (first, 0));
  if (second != NULL)
    g_ptr_array_add (study->inputs, attn_input_new_text (second, 0));
}

/* [H, T, T] of a layer after @interventions, by a forward pass of its own. */
static AttnTensor *
compute_weights (const AttnResult *result,
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

static void
assert_panel_is (AttnPanel        *panel,
                 const AttnTensor *weights,
                 gsize             head)
{
  gsize n = weights->shape[1];

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, n);
  for (gsize row = 0; row < n; row++)
    for (gsize column = 0; column < n; column++)
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, row, column),
                                      weights->data[(head * n + row) * n + column], TOLERANCE);
}

static GPtrArray *
make_list (AttnIntervention *intervention)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  g_ptr_array_add (list, intervention);
  return list;
}

static void
test_atlas (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  const AttnModelInfo *info = attn_model_get_info (result->model);
  g_assert_cmpuint (result->grid->n_rows, ==, info->n_layers);
  g_assert_cmpuint (result->grid->n_columns, ==, info->n_heads);
  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      g_autoptr (AttnTensor) weights = compute_weights (result, 0, NULL, layer);

      for (gsize head = 0; head < info->n_heads; head++)
        {
          gsize index = layer * info->n_heads + head;
          g_autofree char *title = g_strdup_printf ("L%zu H%zu", layer, head);

          assert_panel_is (fixture_get_panel (result, layer, head), weights, head);
          g_assert_cmpstr (result->grid->cells[index].title, ==, title);
          g_assert_cmpuint (result->cells[index].layer, ==, layer);
          g_assert_cmpint (result->cells[index].head, ==, head);
        }
    }
  /* This head was trained into the model that ships: each token looks at the one before. */
  g_assert_cmpfloat (result->measures[0].previous_token, >, 0.9);
  g_assert_cmpfloat (result->measures[6].previous_token, <, 0.2);
}

static void
test_some_layers_and_heads (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layers = attn_index_set_parse ("0,2", NULL);
  study->heads = attn_index_set_parse ("1,3", NULL);
  study->rows = ATTN_DIMENSION_HEAD;
  study->columns = ATTN_DIMENSION_LAYER;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 2);
  g_assert_cmpuint (result->grid->n_columns, ==, 2);
  g_autoptr (AttnTensor) weights = compute_weights (result, 0, NULL, 2);
  assert_panel_is (fixture_get_panel (result, 1, 1), weights, 3);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 1)->title, ==, "L2 H3");
}

/* The scope is the layer of each panel. */
static void
test_layers_by_epsilon (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->rows = ATTN_DIMENSION_LAYER;
  study->head = 1;
  set_component (study, ATTN_COMPONENT_KEY);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 3);
  for (gsize layer = 0; layer < 3; layer++)
    for (gsize column = 0; column < 3; column++)
      {
        AttnIntervention *scale = attn_intervention_new_scale (
            ATTN_COMPONENT_KEY, g_array_index (study->epsilons, double, column),
            ATTN_SITE_PROJECTION);
        scale->layers = attn_index_set_new_range (layer, layer);
        g_autoptr (GPtrArray) list = make_list (scale);
        g_autoptr (AttnTensor) weights = compute_weights (result, 0, list, layer);

        assert_panel_is (fixture_get_panel (result, layer, column), weights, 1);
      }
}

/* What is done in all layers comes from one pass; the heads' mean and the first layer, too. */
static void
test_layers_above (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->rows = ATTN_DIMENSION_LAYER;
  study->columns = ATTN_DIMENSION_HEAD;
  study->acts_on_shown_layer = FALSE;
  set_component (study, ATTN_COMPONENT_VALUE);
  g_clear_pointer (&study->title, g_free);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (GPtrArray) list = make_list (
      attn_intervention_new_mean (ATTN_COMPONENT_VALUE, ATTN_AXIS_FEATURE, ATTN_SITE_PROJECTION));
  for (gsize layer = 0; layer < 3; layer++)
    {
      g_autoptr (AttnTensor) weights = compute_weights (result, 0, list, layer);

      for (gsize head = 0; head < 4; head++)
        assert_panel_is (fixture_get_panel (result, layer, head), weights, head);
    }
  g_assert_true (fixture_get_panel (result, 0, 2) == fixture_get_baseline (result, 0, 2));
  g_assert_cmpfloat (result->measures[5].largest_difference, >, 1e-4);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 2, 1)->title, ==, "Layer 2, head 1");
}

static void
test_axes (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  const AttnAxis axes[] = { ATTN_AXIS_FEATURE, ATTN_AXIS_HEAD };

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->head = 0;
  study->columns = ATTN_DIMENSION_AXIS;
  study->axes[ATTN_AXIS_FEATURE] = TRUE;
  study->axes[ATTN_AXIS_HEAD] = TRUE;
  set_component (study, ATTN_COMPONENT_QUERY);
  g_clear_pointer (&study->title, g_free);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_columns, ==, 2);
  for (gsize input = 0; input < 3; input++)
    for (gsize column = 0; column < 2; column++)
      {
        AttnIntervention *mean =
            attn_intervention_new_mean (ATTN_COMPONENT_QUERY, axes[column], ATTN_SITE_PROJECTION);
        mean->layers = attn_index_set_new_range (1, 1);
        g_autoptr (GPtrArray) list = make_list (mean);
        g_autoptr (AttnTensor) weights = compute_weights (result, input, list, 1);

        assert_panel_is (fixture_get_panel (result, input, column), weights, 0);
      }
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 1, 1)->title, ==, "Input 2, Mean over Heads");
}

/* Where layers change and the head is open, each layer shows its own strongest sink. */
static void
test_strongest_sink_of_each_layer (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->columns = ATTN_DIMENSION_LAYER;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize layer = 0; layer < 3; layer++)
    for (int head = 0; head < 4; head++)
      {
        g_autoptr (AttnStudy) one = attn_study_copy (study);
        one->columns = ATTN_DIMENSION_NONE;
        one->layer = layer;
        one->head = head;
        g_autoptr (AttnResult) other = fixture_run (one, workspace);

        /* The scores of a trace are sums in another order. */
        g_assert_cmpfloat (other->measures[0].sink_score, <=,
                           result->measures[layer].sink_score + 1e-6);
      }
}

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
  assert_difference (attn_grid_get_cell (result->grid, 0, 2), a, b);
  g_assert_cmpfloat_with_epsilon (result->measures[2].total_variation,
                                  result->measures[1].total_variation, 1e-7);
  g_assert_cmpstr (attn_grid_get_cell (result->grid, 0, 2)->title, ==, "Baseline − Modified");

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
  } cases[] = {
    { ATTN_DIMENSION_LAYER, "0,2", NULL, 2, 1, 0, "Layer 0 − Layer 2" },
    { ATTN_DIMENSION_HEAD, NULL, "1,3", 1, 3, 0, "Head 1 − Head 3" },
    { ATTN_DIMENSION_INPUT, NULL, NULL, 1, 1, 1, "Input 1 − Input 2" },
  };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("compare");

      set_inputs (study, "A rose is a rose.", "A list is a list.");
      memset (study->components, 0, sizeof study->components);
      study->layer = 1;
      study->head = 1;
      study->compared = cases[i].compared;
      study->layers = cases[i].layers != NULL ? attn_index_set_parse (cases[i].layers, NULL) : NULL;
      study->heads = cases[i].heads != NULL ? attn_index_set_parse (cases[i].heads, NULL) : NULL;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_autoptr (AttnTensor) weights =
          compute_weights (result, cases[i].input_of_b, NULL, cases[i].layer_of_b);

      assert_panel_is (fixture_get_panel (result, 0, 1), weights, cases[i].head_of_b);
      assert_difference (attn_grid_get_cell (result->grid, 0, 2), fixture_get_panel (result, 0, 0),
                         fixture_get_panel (result, 0, 1));
      g_assert_cmpstr (attn_grid_get_cell (result->grid, 0, 2)->title, ==, cases[i].title);
    }
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
                         fixture_get_panel (result, layer, 0),
                         fixture_get_panel (result, layer, 1));
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
  g_autofree char *both = g_strdup_printf ("%s − %s", a, b);
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
        study->model_path = g_strdup (path);
      else
        g_ptr_array_add (study->other_models, attn_model_reference_new (path, NULL));
    }
  study->compared = ATTN_DIMENSION_MODEL;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpstr (result->grid->cells[0].title, ==, "rose (before)");
  g_assert_cmpstr (result->grid->cells[2].title, ==, "rose (before) − rose (after)");
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (directory, places[i], NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_unlink (path), ==, 0);
      g_assert_cmpint (g_rmdir (parent), ==, 0);
    }
  g_rmdir (directory);
}

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
  g_assert_true (attn_array_file_save (file, path, &error));
  g_assert_no_error (error);
  study->model_path = g_strdup (path);
  set_inputs (study, "one", "two");
  study->rows = ATTN_DIMENSION_INPUT;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 1);
  g_assert_cmpuint (result->n_inputs, ==, 1);
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, 3);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (result, 0, 0), 2, 1), ==, 0.25f);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_rmdir (directory);
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
  g_autoptr (GBytes) whole = attn_result_export (result, study, ATTN_EXPORT_SVG, &error);
  g_autoptr (GBytes) part = attn_result_export (restyled, zoomed, ATTN_EXPORT_SVG, &error);
  g_assert_no_error (error);
  gsize length;
  const char *svg = g_bytes_get_data (part, &length);
  g_assert_false (g_bytes_equal (whole, part));
  g_autoptr (AttnStudy) opened = attn_study_from_svg ("a.svg", svg, length, &error);
  g_assert_no_error (error);
  g_assert_true (attn_study_equal (opened, zoomed));
  g_autoptr (AttnResult) again = fixture_run (opened, workspace);
  g_autoptr (GBytes) same = attn_result_export (again, opened, ATTN_EXPORT_SVG, &error);
  g_assert_true (g_bytes_equal (part, same));

  /* As many as there were panels once. */
  g_array_set_size (zoomed->views, 2);
  g_autoptr (GBytes) other = attn_result_export (result, zoomed, ATTN_EXPORT_PNG, &error);
  g_autoptr (GBytes) plain = attn_result_export (result, study, ATTN_EXPORT_PNG, &error);
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
  set_inputs (study, "A rose is a rose.", NULL);
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

/* What a difference is made of goes with the figure and with its data, for whatever is compared. */
static void
test_differences_are_written (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("compare");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  set_inputs (study, "A rose is a rose.", "A list is a list.");
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

/* Anything that a grid can be made of, once. */
static void
edit_at_random (AttnStudy *study,
                GRand     *random)
{
  static const char * const sets[] = { "0", "1-2", "0,2", "0-2" };

  switch (g_rand_int_range (random, 0, 10))
    {
    case 0:
      study->rows = g_rand_int_range (random, ATTN_DIMENSION_NONE, ATTN_DIMENSION_SITE);
      break;
    case 1:
      study->columns = g_rand_int_range (random, ATTN_DIMENSION_NONE, ATTN_DIMENSION_SITE);
      break;
    case 2:
      study->columns = ATTN_DIMENSION_COMPARISON;
      break;
    case 3:
      g_clear_pointer (&study->layers, attn_index_set_unref);
      if (g_rand_boolean (random))
        study->layers = attn_index_set_parse (sets[g_rand_int_range (random, 0, 4)], NULL);
      break;
    case 4:
      g_clear_pointer (&study->heads, attn_index_set_unref);
      if (g_rand_boolean (random))
        study->heads = attn_index_set_parse (sets[g_rand_int_range (random, 0, 4)], NULL);
      break;
    case 5:
      study->head = g_rand_int_range (random, -2, 4);
      break;
    case 6:
      study->layer = g_rand_int_range (random, -1, 3);
      break;
    case 7:
      study->acts_on_shown_layer ^= TRUE;
      break;
    case 8:
      study->joins_words ^= TRUE;
      study->shows_differences = g_rand_boolean (random);
      break;
    default:
      study->hides_keys ^= TRUE;
      study->renormalises = g_rand_boolean (random);
      break;
    }
  if (study->rows == study->columns)
    study->rows = ATTN_DIMENSION_NONE;
}

static void
test_warm_equals_fresh (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20261122);
  g_autoptr (AttnWorkspace) warm = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  for (guint i = 0; i < N_EDITS; i++)
    {
      edit_at_random (study, random);
      g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
      g_autoptr (AttnResult) expected = fixture_run (study, fresh);
      g_autoptr (AttnResult) result = fixture_run (study, warm);

      fixture_assert_same (expected, result);
    }
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

  /* The difference of the two says the same the other way round. */
  g_autoptr (GArray) difference = attn_result_get_changes (result, 2, 1);
  g_assert_cmpfloat (g_array_index (difference, AttnChange, 0).difference, ==,
                     -g_array_index (all, AttnChange, 0).difference);
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
  set_inputs (study, "The unbelievable gardener is in the garden.", NULL);
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

static void
assert_same_values (AttnPanel *a,
                    AttnPanel *b)
{
  g_assert_cmpuint (attn_panel_get_n_rows (a), ==, attn_panel_get_n_rows (b));
  g_assert_cmpuint (attn_panel_get_n_columns (a), ==, attn_panel_get_n_columns (b));
  for (gsize row = 0; row < attn_panel_get_n_rows (a); row++)
    for (gsize column = 0; column < attn_panel_get_n_columns (a); column++)
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (a, row, column),
                                      attn_panel_get_value (b, row, column), TOLERANCE);
}

/* The study of one panel shows that panel. */
static void
test_single (void)
{
  static const char * const presets[] = { "epsilon", "mean-operation", "compare", "head-atlas" };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i]);
      AttnRegion region = { NULL, 1, 2, 1, 2, FALSE };

      g_ptr_array_add (study->regions, attn_study_region_new (2, &region));
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      for (gsize k = 0; k < result->grid->n_rows * result->grid->n_columns; k++)
        {
          g_autoptr (AttnStudy) single = attn_study_new_single (result, k);
          g_autoptr (AttnResult) alone = fixture_run (single, workspace);
          gsize last = alone->grid->n_rows * alone->grid->n_columns - 1;

          g_assert_cmpuint (last, ==, result->cells[k].side == ATTN_CELL_DIFFERENCE ? 2 : 0);
          assert_same_values (alone->grid->cells[last].panel, result->grid->cells[k].panel);
          assert_same_values (alone->grid->cells[last].baseline, result->grid->cells[k].baseline);
          g_assert_cmpuint (alone->grid->cells[0].n_regions, ==, k == 2);
        }
    }
}

static void
assert_fails (AttnStudy     *study,
              AttnWorkspace *workspace,
              int            code,
              const char    *first,
              const char    *second)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
}

static void
break_layers (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_LAYER;
  study->layers = attn_index_set_new_range (1, 3);
}

static void
break_heads (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_HEAD;
  study->heads = attn_index_set_new_range (9, 9);
}

static void
break_sites (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_SITE;
}

static void
use_missing_site (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_SITE;
  study->sites[ATTN_SITE_ROTATED] = TRUE;
}

static void
compare_one_input (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_INPUT;
}

static void
compare_lengths (AttnStudy *study)
{
  set_inputs (study, "A rose is a rose.", "It is I.");
  study->compared = ATTN_DIMENSION_INPUT;
}

static void
compare_what_changes (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_LAYER;
  study->compared = ATTN_DIMENSION_LAYER;
}

static void
compare_axes (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_AXIS;
}

static void
compare_no_model (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_MODEL;
}

static void
hide_all (AttnStudy *study)
{
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 14);
}

static void
hide_missing (AttnStudy *study)
{
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (99, 99);
}

static void
show_missing_query (AttnStudy *study)
{
  study->queries = attn_index_set_new_range (3, 77);
}

/* Each is refused in a sentence that names what is wrong, and the workspace goes on. */
static void
test_errors (void)
{
  static const struct
  {
    void (*edit) (AttnStudy *study);
    const char *first;
    const char *second;
  } edits[] = {
    { break_layers, "layers", "1-3" },
    { break_heads, "heads", "9" },
    { break_sites, "site", "at least one" },
    { use_missing_site, "rotated", "" },
    { compare_one_input, "input", "two" },
    { compare_lengths, "7 tokens", "5 in input 2" },
    { compare_what_changes, "layer", "rows or columns" },
    { compare_axes, "axis", "intervention" },
    { compare_no_model, "one model", "two" },
    { hide_all, "15 keys", "left" },
    { hide_missing, "hidden keys", "99" },
    { show_missing_query, "queries", "77" },
  };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("compare");

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) before = fixture_run (study, workspace);
  for (gsize i = 0; i < G_N_ELEMENTS (edits); i++)
    {
      g_autoptr (AttnStudy) bad = attn_study_copy (study);

      edits[i].edit (bad);
      assert_fails (bad, workspace, ATTN_ERROR_ARGUMENT, edits[i].first, edits[i].second);
      g_autoptr (AttnResult) after = fixture_run (study, workspace);
      fixture_assert_same (before, after);
    }
}

static void
test_memory (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  gsize limit = attn_memory_get_limit ();

  if (!fixture_has_model ())
    return;
  /* Opens the model with all the memory there is. */
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  attn_memory_set_limit (12 * 15 * 15 * sizeof (float) - 1);
  assert_fails (study, workspace, ATTN_ERROR_MEMORY, "panels", "");
  attn_memory_set_limit (limit);
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
  study->scope_heads = attn_index_set_new_range (1, 1);
  g_autoptr (AttnResult) means = fixture_run (study, workspace);
  g_assert_true (
      g_str_has_suffix (means->grid->caption, ". Mean over Tokens, in all layers, in head 1"));

  g_clear_pointer (&study->title, g_free);
  g_clear_pointer (&study->caption, g_free);
  g_autoptr (AttnResult) plain = fixture_run (study, workspace);
  g_assert_cmpstr (
      plain->grid->caption, ==,
      "Layer 1, head 2, Mean of the Component. Mean over Tokens, in all layers, in head "
      "1");

  g_autoptr (AttnStudy) factors = fixture_load ("epsilon");
  factors->layer = 1;
  factors->head = 2;
  factors->rows = ATTN_DIMENSION_NONE;
  g_clear_pointer (&factors->title, g_free);
  g_clear_pointer (&factors->caption, g_free);
  g_autoptr (AttnResult) scaled = fixture_run (factors, workspace);
  g_assert_cmpstr (scaled->grid->caption, ==,
                   "Layer 1, head 2, ε on <i>Query</i>, <i>Key</i> and <i>Value</i>");
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

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/grid/atlas", test_atlas);
  g_test_add_func ("/study/grid/some-layers-and-heads", test_some_layers_and_heads);
  g_test_add_func ("/study/grid/layers-by-epsilon", test_layers_by_epsilon);
  g_test_add_func ("/study/grid/layers-above", test_layers_above);
  g_test_add_func ("/study/grid/axes", test_axes);
  g_test_add_func ("/study/grid/strongest-sink-of-each-layer", test_strongest_sink_of_each_layer);
  g_test_add_func ("/study/grid/compared-layers-name-their-heads",
                   test_compared_layers_name_their_heads);
  g_test_add_func ("/study/grid/models-of-one-name", test_models_of_one_name);
  g_test_add_func ("/study/grid/recording", test_recording);
  g_test_add_func ("/study/grid/views-are-exported", test_views_are_exported);
  g_test_add_func ("/study/grid/positions", test_positions);
  g_test_add_func ("/study/grid/differences-are-written", test_differences_are_written);
  g_test_add_func ("/study/grid/compare-interventions", test_compare_interventions);
  g_test_add_func ("/study/grid/compare-layers-heads-inputs", test_compare_layers_heads_inputs);
  g_test_add_func ("/study/grid/models", test_models);
  g_test_add_func ("/study/grid/warm-workspace-equals-fresh", test_warm_equals_fresh);
  g_test_add_func ("/study/grid/differences", test_differences);
  g_test_add_func ("/study/grid/changes", test_changes);
  g_test_add_func ("/study/grid/row-distance", test_row_distance);
  g_test_add_func ("/study/grid/words-and-hidden-keys", test_words_and_hidden_keys);
  g_test_add_func ("/study/grid/single", test_single);
  g_test_add_func ("/study/grid/errors", test_errors);
  g_test_add_func ("/study/grid/memory", test_memory);
  g_test_add_func ("/study/grid/templates", test_templates);
  g_test_add_func ("/study/grid/caption-names-what-is-done", test_caption_names_what_is_done);
  return g_test_run ();
}
