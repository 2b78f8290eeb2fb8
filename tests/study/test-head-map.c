/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A number for each head of a model. */

#include "config.h"

#include <math.h>

#include "attn-head-map.h"
#include "study-fixture.h"

/* The same sums in another order, of float32 weights. */
#define TOLERANCE 1e-6

static AttnHeadMap *
run (const char *preset)
{
  g_autoptr (AttnStudy) study = fixture_load (preset);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnStudy) measured = attn_head_map_build_study (result, -1);
  g_autoptr (GError) error = NULL;
  AttnHeadMap *map = attn_head_map_run (measured, workspace, NULL, &error);

  g_assert_no_error (error);
  return map;
}

/* Against the panels of the atlas, which has no intervention. */
static void
test_measures_of_every_head (void)
{
  g_autoptr (AttnHeadMap) map = run ("head-atlas");
  g_autoptr (AttnStudy) study = fixture_load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);

  g_assert_cmpuint (map->n_layers * map->n_heads, ==,
                    result->grid->n_rows * result->grid->n_columns);
  for (gsize i = 0; i < map->n_layers * map->n_heads; i++)
    {
      AttnPanel *panel = result->grid->cells[i].panel;
      gsize n = attn_panel_get_n_rows (panel);
      double distance = 0;

      for (gsize row = 0; row < n; row++)
        for (gsize key = 0; key < row; key++)
          distance += (row - key) * attn_panel_get_value (panel, row, key) / n;
      g_assert_cmpfloat_with_epsilon (map->values[ATTN_HEAD_MEASURE_SINK][i],
                                      result->measures[i].sink_score, TOLERANCE);
      g_assert_cmpfloat_with_epsilon (map->values[ATTN_HEAD_MEASURE_ENTROPY][i],
                                      result->measures[i].mean_entropy, TOLERANCE);
      g_assert_cmpfloat_with_epsilon (map->values[ATTN_HEAD_MEASURE_DISTANCE][i], distance,
                                      10 * TOLERANCE);
      g_assert_cmpfloat_with_epsilon (map->values[ATTN_HEAD_MEASURE_PREVIOUS][i],
                                      result->measures[i].previous_token, TOLERANCE);
      g_assert_cmpfloat (map->values[ATTN_HEAD_MEASURE_CHANGE][i], ==, 0);
    }
}

/* The kinds of heads are those of the baseline, whatever is done to them: the strongest sink of the
 * shipped model is layer 1, head 2, which a mean of the query changes most. */
static void
test_order (void)
{
  g_autoptr (AttnHeadMap) map = run ("mean-operation");
  g_autofree gsize *order = attn_head_map_sort (map, ATTN_HEAD_MEASURE_SINK);
  const double *sinks = map->values[ATTN_HEAD_MEASURE_SINK];
  double low, high;

  g_assert_cmpuint (order[0], ==, 1 * map->n_heads + 2);
  for (gsize i = 1; i < map->n_layers * map->n_heads; i++)
    g_assert_cmpfloat (sinks[order[i - 1]], >=, sinks[order[i]]);
  attn_head_map_get_range (map, ATTN_HEAD_MEASURE_SINK, &low, &high);
  g_assert_cmpfloat (high, ==, sinks[order[0]]);
  g_assert_cmpfloat (low, ==, sinks[order[map->n_layers * map->n_heads - 1]]);
  g_assert_cmpfloat (map->values[ATTN_HEAD_MEASURE_CHANGE][order[0]], >, 0.3);
}

static void
test_values_that_are_missing (void)
{
  double values[] = { 1, NAN, 3, NAN };
  const AttnHeadMap map = { 2, 2, { values } };
  g_autofree gsize *order = attn_head_map_sort (&map, ATTN_HEAD_MEASURE_SINK);
  double low, high;

  g_assert_cmpuint (order[0], ==, 2);
  g_assert_cmpuint (order[1], ==, 0);
  attn_head_map_get_range (&map, ATTN_HEAD_MEASURE_SINK, &low, &high);
  g_assert_cmpfloat (low, ==, 1);
  g_assert_cmpfloat (high, ==, 3);
}

static void
test_cancelled (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("single");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnStudy) measured = attn_head_map_build_study (result, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (attn_head_map_run (measured, workspace, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fixture_has_model ())
    return 0;
  g_test_add_func ("/study/head-map/measures-of-every-head", test_measures_of_every_head);
  g_test_add_func ("/study/head-map/order", test_order);
  g_test_add_func ("/study/head-map/values-that-are-missing", test_values_that_are_missing);
  g_test_add_func ("/study/head-map/cancelled", test_cancelled);
  return g_test_run ();
}
