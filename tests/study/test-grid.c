/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Grids of any dimensions: each cell is what the model gives, whatever stands beside it. */

#include "config.h"

#include <string.h>

#include "attn-single.h"
#include "study-fixture.h"

static void
set_component (AttnStudy     *study,
               AttnComponent  component)
{
  memset (study->components, 0, sizeof study->components);
  study->components[component] = TRUE;
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
      g_autoptr (AttnTensor) weights = fixture_compute_weights (result, 0, NULL, layer);

      for (gsize head = 0; head < info->n_heads; head++)
        {
          gsize index = layer * info->n_heads + head;
          g_autofree char *title = g_strdup_printf ("L%zu H%zu", layer, head);

          fixture_assert_panel (fixture_get_panel (result, layer, head), weights, head);
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
  g_autoptr (AttnTensor) weights = fixture_compute_weights (result, 0, NULL, 2);
  fixture_assert_panel (fixture_get_panel (result, 1, 1), weights, 3);
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
        g_autoptr (AttnTensor) weights = fixture_compute_weights (result, 0, list, layer);

        fixture_assert_panel (fixture_get_panel (result, layer, column), weights, 1);
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
  study->axis = ATTN_AXIS_FEATURE;
  study->acts_on_shown_layer = FALSE;
  study->acts_on_shown_head = FALSE;
  set_component (study, ATTN_COMPONENT_VALUE);
  g_clear_pointer (&study->title, g_free);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (GPtrArray) list = make_list (
      attn_intervention_new_mean (ATTN_COMPONENT_VALUE, ATTN_AXIS_FEATURE, ATTN_SITE_PROJECTION));
  for (gsize layer = 0; layer < 3; layer++)
    {
      g_autoptr (AttnTensor) weights = fixture_compute_weights (result, 0, list, layer);

      for (gsize head = 0; head < 4; head++)
        fixture_assert_panel (fixture_get_panel (result, layer, head), weights, head);
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
        g_autoptr (AttnTensor) weights = fixture_compute_weights (result, input, list, 1);

        fixture_assert_panel (fixture_get_panel (result, input, column), weights, 0);
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
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  fixture_check_warm_equals_fresh (study, edit_at_random, 20261122);
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
                                      attn_panel_get_value (b, row, column), FIXTURE_TOLERANCE);
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
  g_test_add_func ("/study/grid/warm-workspace-equals-fresh", test_warm_equals_fresh);
  g_test_add_func ("/study/grid/single", test_single);
  return g_test_run ();
}
