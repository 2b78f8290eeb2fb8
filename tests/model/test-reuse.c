/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A change computes what it changes and nothing else, and gives what computing all of it gives. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-effect-meter.h"
#include "attn-error.h"
#include "attn-linear-private.h"
#include "attn-memory.h"
#include "attn-trace-rows.h"
#include "model-fixture.h"

#define N_LAYERS 4
#define N_TOKENS 160

/* What a matrix product of other sizes may round in another way, over four layers. */
#define TOLERANCE 1e-5

typedef struct
{
  char *directory;
  AttnModel *model;
  guint32 ids[N_TOKENS];
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  Recipe recipe = plain_recipe;

  recipe.n_layers = N_LAYERS;
  recipe.n_positions = N_TOKENS;
  fixture->directory = write_checkpoint (&recipe);
  fixture->model = open_model (fixture->directory);
  for (guint i = 0; i < N_TOKENS; i++)
    fixture->ids[i] = (i * 7 + i / 11) % 50;
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  attn_model_unref (fixture->model);
  remove_checkpoint (fixture->directory);
}

static AttnTrace *
compute (const Fixture   *fixture,
         gsize            n_ids,
         AttnQuantity     keep,
         AttnIndexSet    *layers,
         const AttnTrace *baseline)
{
  g_autoptr (GError) error = NULL;
  AttnTraceRequest request = { fixture->ids, n_ids, NULL, keep, layers };
  AttnTrace *trace = attn_trace_compute (fixture->model, &request, baseline, NULL, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static void
assert_near (const AttnTensor *found,
             const AttnTensor *expected)
{
  g_assert_cmpuint (attn_tensor_get_n_elements (found), ==, attn_tensor_get_n_elements (expected));
  for (gsize i = 0; i < attn_tensor_get_n_elements (found); i++)
    g_assert_cmpfloat_with_epsilon (found->data[i], expected->data[i],
                                    TOLERANCE * fmax (fabs (expected->data[i]), 1.0));
}

static void
assert_same_traces (const AttnTrace *found,
                    const AttnTrace *expected)
{
  static const AttnQuantity quantities[] = { ATTN_QUANTITY_RESIDUAL, ATTN_QUANTITY_KEY,
                                             ATTN_QUANTITY_VALUE };
  g_autoptr (AttnTensor) sinks = attn_trace_get_sink_scores (found);
  g_autoptr (AttnTensor) expected_sinks = attn_trace_get_sink_scores (expected);

  assert_near (sinks, expected_sinks);
  for (gsize layer = 0; layer < N_LAYERS; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (quantities); i++)
      {
        g_autoptr (AttnTensor) a = attn_trace_get (found, quantities[i], layer);
        g_autoptr (AttnTensor) b = attn_trace_get (expected, quantities[i], layer);

        assert_near (a, b);
      }
}

/* The last tokens changed, some added, some taken away. */
static void
test_text_goes_on (Fixture       *fixture,
                   gconstpointer  data)
{
  static const struct
  {
    gsize n_before;
    gsize n_now;
    gsize first_other;
  } cases[] = { { 150, 150, 149 }, { 120, 160, 120 }, { 150, 133, 60 }, { 100, 90, 90 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnTrace) before =
          compute (fixture, cases[i].n_before, ATTN_QUANTITIES_TO_CONTINUE, NULL, NULL);

      for (gsize k = cases[i].first_other; k < cases[i].n_now; k++)
        fixture->ids[k] = (fixture->ids[k] + 1) % 50;
      g_autoptr (AttnTrace) fresh =
          compute (fixture, cases[i].n_now, ATTN_QUANTITIES_TO_CONTINUE, NULL, NULL);
      g_autoptr (AttnTrace) continued =
          compute (fixture, cases[i].n_now, ATTN_QUANTITIES_TO_CONTINUE, NULL, before);
      assert_same_traces (continued, fresh);
    }
}

/* What stands before the change is taken over and not computed: a mark set there comes along. */
static void
test_prefix_is_not_computed (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autoptr (AttnTrace) before = compute (fixture, 150, ATTN_QUANTITIES_TO_CONTINUE, NULL, NULL);
  g_autoptr (AttnTensor) residual = attn_trace_get (before, ATTN_QUANTITY_RESIDUAL, 2);

  residual->data[99 * 32] = 123.0f;
  residual->data[100 * 32] = 123.0f;
  fixture->ids[100] = (fixture->ids[100] + 1) % 50;
  g_autoptr (AttnTrace) continued =
      compute (fixture, 150, ATTN_QUANTITIES_TO_CONTINUE, NULL, before);
  g_autoptr (AttnTensor) found = attn_trace_get (continued, ATTN_QUANTITY_RESIDUAL, 2);
  g_assert_cmpfloat (found->data[99 * 32], ==, 123.0f);
  g_assert_cmpfloat (found->data[100 * 32], !=, 123.0f);

  /* A short beginning in common is not worth it. */
  fixture->ids[3] = (fixture->ids[3] + 1) % 50;
  g_autoptr (AttnTrace) other = compute (fixture, 150, ATTN_QUANTITIES_TO_CONTINUE, NULL, before);
  g_autoptr (AttnTensor) own = attn_trace_get (other, ATTN_QUANTITY_RESIDUAL, 2);
  g_assert_cmpfloat (own->data[99 * 32], !=, 123.0f);
}

static void
count_cb (const char *stage,
          double      fraction,
          gpointer    user_data)
{
  ++*(guint *) user_data;
}

/* Layers below the first that a change touches come from the trace. */
static void
test_layers_below_are_not_computed (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autoptr (AttnTrace) baseline = compute (fixture, 40, ATTN_QUANTITY_RESIDUAL, NULL, NULL);

  for (gsize layer = 0; layer < N_LAYERS - 1; layer++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) interventions =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
      AttnIntervention *intervention =
          attn_intervention_new_scale (ATTN_COMPONENT_VALUE, 0.5, ATTN_SITE_PROJECTION);
      guint n_computed = 0;
      AttnProgress progress = { count_cb, &n_computed };

      intervention->layers = attn_index_set_new_range (layer, layer);
      g_ptr_array_add (interventions, intervention);
      g_autoptr (AttnTensor) weights = attn_trace_compute_weights (
          baseline, N_LAYERS - 1, NULL, interventions, &progress, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n_computed, ==, N_LAYERS - layer);
    }
}

/* A deeper layer goes on from what the trace has and shares it. */
static void
test_deeper_layer_goes_on (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) lower = attn_index_set_new_range (0, 1);
  g_autoptr (AttnTrace) fresh = compute (fixture, 50, ATTN_QUANTITIES_TO_CONTINUE, NULL, NULL);
  g_autoptr (AttnTrace) first = compute (fixture, 50, ATTN_QUANTITIES_TO_CONTINUE, lower, NULL);
  guint n_computed = 0;
  AttnProgress progress = { count_cb, &n_computed };
  AttnTraceRequest request = { fixture->ids, 50, NULL, ATTN_QUANTITIES_TO_CONTINUE, NULL };
  g_autoptr (AttnTrace) whole =
      attn_trace_compute (fixture->model, &request, first, &progress, NULL, &error);
  g_autoptr (AttnTensor) a = attn_trace_get (first, ATTN_QUANTITY_KEY, 1);
  g_autoptr (AttnTensor) b = attn_trace_get (whole, ATTN_QUANTITY_KEY, 1);

  g_assert_no_error (error);
  assert_same_traces (whole, fresh);
  g_assert_true (a == b);
  g_assert_cmpuint (n_computed, ==, 3); /* from layer 1, whose residual stream is the last known */
}

/* Some rows of a map are those of the whole, whatever is done to the model. */
static void
test_rows (Fixture       *fixture,
           gconstpointer  data)
{
  static const struct
  {
    AttnComponent component;
    gsize layer;
    gboolean is_mean;
  } cases[] = { { ATTN_COMPONENT_QUERY, 2, FALSE },
                { ATTN_COMPONENT_KEY, 2, TRUE },
                { ATTN_COMPONENT_VALUE, 0, FALSE } };
  static const gsize rows[][2] = { { 0, 1 }, { 149, 1 }, { 20, 130 }, { 60, 7 } };
  g_autoptr (AttnTrace) baseline = compute (fixture, 150, ATTN_QUANTITY_RESIDUAL, NULL, NULL);
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (1, 2);

  for (gsize i = 0; i <= G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) interventions =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

      if (i < G_N_ELEMENTS (cases))
        {
          AttnIntervention *intervention =
              cases[i].is_mean ? attn_intervention_new_mean (cases[i].component, ATTN_AXIS_FEATURE,
                                                             ATTN_SITE_PROJECTION)
                               : attn_intervention_new_scale (cases[i].component, 0.25,
                                                              ATTN_SITE_PROJECTION);

          intervention->layers = attn_index_set_new_range (cases[i].layer, cases[i].layer);
          g_ptr_array_add (interventions, intervention);
        }
      g_autoptr (AttnTensor) whole =
          attn_trace_compute_weights (baseline, 2, heads, interventions, NULL, NULL, &error);
      g_assert_no_error (error);
      for (gsize k = 0; k < G_N_ELEMENTS (rows); k++)
        {
          for (int head = 0; head < 2; head++)
            {
              g_autoptr (AttnTraceRows) source =
                  attn_trace_rows_new (baseline, 2, 1 + head, interventions, NULL, NULL, &error);
              g_autofree float *some = g_new (float, rows[k][1] * 150);

              g_assert_no_error (error);
              g_assert_true (
                  attn_trace_rows_compute (source, rows[k][0], rows[k][1], some, &error));
              for (gsize cell = 0; cell < rows[k][1] * 150; cell++)
                g_assert_cmpfloat_with_epsilon (
                    some[cell], whole->data[(head * 150 + rows[k][0]) * 150 + cell], TOLERANCE);
            }
        }
    }
}

/* Where the maps of all heads are more than may be kept, one head is computed by itself, and so is
 * the mean. */
static void
test_within_budget (Fixture       *fixture,
                    gconstpointer  data)
{
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    {
      g_test_skip ("weights in the other order of bytes take more than this to be converted");
      return;
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) head = attn_index_set_new_range (3, 3);
  g_autoptr (GPtrArray) interventions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  g_autoptr (AttnTrace) roomy = compute (fixture, 160, ATTN_QUANTITY_RESIDUAL, NULL, NULL);
  g_autoptr (AttnTrace) tight = compute (fixture, 160, ATTN_QUANTITY_RESIDUAL, NULL, NULL);

  g_ptr_array_add (interventions, attn_intervention_new_scale (ATTN_COMPONENT_KEY, 0.1,
                                                               ATTN_SITE_PROJECTION));
  ((AttnIntervention *) interventions->pdata[0])->layers = attn_index_set_new_range (2, 2);
  for (int i = 0; i < 2; i++)
    {
      GPtrArray *some = i == 0 ? NULL : interventions;
      g_autoptr (AttnTensor) expected =
          attn_trace_compute_weights (roomy, 2, head, some, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) mean = attn_trace_compute_mean (roomy, 2, some, NULL, NULL, &error);
      g_assert_no_error (error);

      /* Four maps are 400 kB: more than an eighth of this. */
      attn_memory_set_limit (3000000);
      g_autoptr (AttnTensor) found =
          attn_trace_compute_weights (tight, 2, head, some, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) tight_mean =
          attn_trace_compute_mean (tight, 2, some, NULL, NULL, &error);
      g_assert_no_error (error);
      attn_memory_set_limit (0);
      assert_near (found, expected);
      assert_near (tight_mean, mean);
    }
}

/* The mean over the heads, held against their weights. */
static void
test_mean (Fixture       *fixture,
           gconstpointer  data)
{
  g_autoptr (AttnTrace) baseline = compute (fixture, 150, ATTN_QUANTITY_RESIDUAL, NULL, NULL);

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) interventions =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
      AttnIntervention *intervention =
          i == 1 ? attn_intervention_new_scale (ATTN_COMPONENT_QUERY, 0.3, ATTN_SITE_PROJECTION)
                 : attn_intervention_new_mean (ATTN_COMPONENT_QUERY, ATTN_AXIS_FEATURE,
                                               ATTN_SITE_PROJECTION);

      /* Half of the heads: the others keep their factor of 1. */
      intervention->layers = attn_index_set_new_range (1, 1);
      intervention->heads = attn_index_set_new_range (0, 1);
      g_ptr_array_add (interventions, intervention);
      if (i == 0)
        g_ptr_array_set_size (interventions, 0);
      g_autoptr (AttnTensor) all =
          attn_trace_compute_weights (baseline, 1, NULL, interventions, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) mean =
          attn_trace_compute_mean (baseline, 1, interventions, NULL, NULL, &error);
      g_assert_no_error (error);
      for (gsize cell = 0; cell < 150 * 150; cell++)
        {
          double sum = 0.0;

          for (gsize head = 0; head < 4; head++)
            sum += all->data[head * 150 * 150 + cell];
          /* Four weights of at most 1, added in float32. */
          g_assert_cmpfloat_with_epsilon (mean->data[cell], sum / 4.0, 1e-6);
        }
    }
}

/* Multiplications of the linear layers for each token of the fixture's model: those of a whole
 * layer, and those of a layer of which only the scores are wanted. */
#define WIDTH      ((gsize) 32)
#define MLP_WIDTH  ((gsize) 128)
#define PROJECTION (3 * WIDTH * WIDTH)
#define LAYER      (PROJECTION + WIDTH * WIDTH + 2 * WIDTH * MLP_WIDTH)

/* Since the last call. */
static gsize
count_multiplications (void)
{
  static gsize before;
  gsize now = attn_linear_get_n_multiplications ();
  gsize n = now - before;

  before = now;
  return n;
}

/* Of a text that begins as the old one did, the tokens behind the first other one. */
static void
test_text_is_counted (Fixture       *fixture,
                      gconstpointer  data)
{
  count_multiplications ();
  g_autoptr (AttnTrace) before = compute (fixture, 150, ATTN_QUANTITIES_TO_CONTINUE, NULL, NULL);
  g_assert_cmpuint (count_multiplications (), ==, 150 * ((N_LAYERS - 1) * LAYER + PROJECTION));

  fixture->ids[140] = (fixture->ids[140] + 1) % 50;
  g_autoptr (AttnTrace) later =
      compute (fixture, 155, ATTN_QUANTITIES_TO_CONTINUE, NULL, before);
  g_assert_cmpuint (count_multiplications (), ==, 15 * ((N_LAYERS - 1) * LAYER + PROJECTION));
}

/* Up to the deepest layer that is asked for, and no further. */
static void
test_depth_is_counted (Fixture       *fixture,
                       gconstpointer  data)
{
  for (gsize layer = 0; layer < N_LAYERS; layer++)
    {
      g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);

      count_multiplications ();
      g_autoptr (AttnTrace) trace = compute (fixture, 20, ATTN_QUANTITY_WEIGHTS, layers, NULL);
      g_assert_cmpuint (count_multiplications (), ==, 20 * (layer * LAYER + PROJECTION));
    }
}

static gsize
count_for_weights (AttnTrace  *baseline,
                   gsize       layer,
                   const char *text)
{
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);

  count_multiplications ();
  g_autoptr (AttnTensor) weights = compute_weights (baseline, layer, "1", interventions);
  return count_multiplications ();
}

/* Weights come from a trace of residual streams: a projection for a layer that is looked at first,
 * nothing for what is done to that layer's own queries, keys or values, and for what is done below
 * it the layers from there on. */
static void
test_changes_are_counted (Fixture       *fixture,
                          gconstpointer  data)
{
  static const char * const own_changes[] = {
    "query/scale=0.3/2/all/all",
    "key/scale=0.3/2/1/all",
    "query/mean-feature/2/all/all",
    "key/mean-token/2/1/3-5",
    "value/mean-head/2/all/all",
    "value/scale=0.3/3/all/all",
  };
  static const char * const changes[] = { "value/scale=0.3/0/all/all", "key/scale=0.3/1/all/all" };
  g_autoptr (AttnTrace) baseline = compute (fixture, 40, ATTN_QUANTITY_RESIDUAL, NULL, NULL);

  g_assert_cmpuint (count_for_weights (baseline, 2, "baseline"), ==, 40 * PROJECTION);
  g_assert_cmpuint (count_for_weights (baseline, 2, "baseline"), ==, 0);
  /* Scores for the first, queries and keys for another. */
  g_assert_cmpuint (count_for_weights (baseline, 2, own_changes[0]), ==, 40 * PROJECTION);
  g_assert_cmpuint (count_for_weights (baseline, 2, own_changes[2]), ==, 40 * PROJECTION);
  for (gsize i = 0; i < G_N_ELEMENTS (own_changes); i++)
    g_assert_cmpuint (count_for_weights (baseline, 2, own_changes[i]), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    g_assert_cmpuint (count_for_weights (baseline, 2, changes[i]), ==,
                      40 * ((2 - i) * LAYER + PROJECTION));
}

/* What a head does to the prediction: its layer and those above it, and the logits. */
static void
test_effects_are_counted (Fixture       *fixture,
                          gconstpointer  data)
{
  gsize n_logits = WIDTH * attn_model_get_info (fixture->model)->vocabulary_size;
  g_autoptr (AttnEffectMeter) meter =
      attn_effect_meter_new (fixture->model, fixture->ids, 40, (AttnSpan) { 0, 40 }, NULL,
                             NULL, NULL);

  for (gsize layer = 0; layer < N_LAYERS; layer++)
    {
      g_autofree char *text = g_strdup_printf ("output/zero/%zu/1/all", layer);
      g_autoptr (GPtrArray) interventions = interventions_from_text (text);
      AttnMeanEffect effect;

      count_multiplications ();
      g_assert_true (attn_effect_meter_compute (meter, interventions, &effect, NULL, NULL));
      g_assert_cmpuint (count_multiplications (), ==,
                        40 * ((N_LAYERS - layer) * LAYER + n_logits));
      g_assert_cmpfloat (effect.kl, >, 0.0);
    }
}

#define ADD(name, function) \
  g_test_add ("/model/reuse/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("text-goes-on", test_text_goes_on);
  ADD ("prefix-is-not-computed", test_prefix_is_not_computed);
  ADD ("layers-below-are-not-computed", test_layers_below_are_not_computed);
  ADD ("deeper-layer-goes-on", test_deeper_layer_goes_on);
  ADD ("rows", test_rows);
  ADD ("within-budget", test_within_budget);
  ADD ("mean", test_mean);
  ADD ("text-is-counted", test_text_is_counted);
  ADD ("depth-is-counted", test_depth_is_counted);
  ADD ("changes-are-counted", test_changes_are_counted);
  ADD ("effects-are-counted", test_effects_are_counted);
  return g_test_run ();
}
