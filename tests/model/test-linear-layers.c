/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layers of linear attention: they compute, and say that they have no attention weights. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-error.h"
#include "attn-maps.h"
#include "attn-source.h"
#include "attn-threads.h"
#include "model-fixture.h"

static const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };

static AttnTensor *
compute_logits (AttnModel     *model,
                const guint32 *tokens,
                gsize          n,
                const char    *text)
{
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, tokens, n, interventions, ATTN_QUANTITY_LOGITS, NULL);

  return attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
}

static void
assert_equal (const AttnTensor *a,
              const AttnTensor *b,
              gboolean          is_equal)
{
  gsize n_bytes = attn_tensor_get_n_elements (a) * sizeof (float);

  g_assert_cmpint (memcmp (a->data, b->data, n_bytes) == 0, ==, is_equal);
}

/* Everything of the layers with weights; of the others the residual stream. */
static void
test_kept (void)
{
  g_autoptr (AttnModel) model = open_fixture ("qwen3_next");
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, 10, NULL, everything, NULL);
  g_autoptr (AttnTrace) again = compute_trace (model, ids, 10, NULL, everything, trace);
  g_autoptr (AttnTensor) sinks = attn_trace_get_sink_scores (again);

  g_assert_false (attn_model_get_info (model)->can_continue);
  for (gsize layer = 0; layer < 4; layer++)
    {
      gboolean has_map = layer % 2 == 1;

      g_assert_cmpint (attn_model_has_map (model, layer), ==, has_map);
      g_assert_cmpint (isnan (sinks->data[layer * 4]) == 0, ==, has_map);
      for (AttnQuantity i = ATTN_QUANTITY_RESIDUAL; i <= ATTN_QUANTITY_WEIGHTS; i <<= 1)
        {
          g_autoptr (AttnTensor) first = attn_trace_get (trace, i, layer);
          g_autoptr (AttnTensor) second = attn_trace_get (again, i, layer);

          g_assert_cmpint (first != NULL, ==, has_map || i == ATTN_QUANTITY_RESIDUAL);
          g_assert_true (first == second);
        }
    }
}

static void
assert_says (GError *error)
{
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_cmpstr (error->message, ==,
                   "layer 2: linear attention found, which has no attention weights, expected one "
                   "of the layers 1,3");
  g_error_free (error);
}

static void
test_map_is_refused (void)
{
  const AttnMapSpec scores = { ATTN_MAP_SCORES, 0, 0 };
  const AttnMapSpec others[] = { { ATTN_MAP_ROLLOUT, 0, 0 },
                                 { ATTN_MAP_VALUE_NORM, 0, 0 },
                                 { ATTN_MAP_LOGIT, 3, -1 } };
  g_autoptr (AttnModel) model = open_fixture ("qwen3_next");
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, 10, NULL, everything, NULL);
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (2, 3);
  g_autoptr (GPtrArray) changes = interventions_from_text ("key/scale=0.3/2/all/all");
  GError *error = NULL;

  g_assert_null (attn_trace_compute_weights (trace, 2, NULL, NULL, NULL, NULL, &error));
  assert_says (g_steal_pointer (&error));
  g_assert_null (attn_trace_compute_mean (trace, 2, NULL, NULL, NULL, &error));
  assert_says (g_steal_pointer (&error));
  g_assert_null (attn_trace_compute_layer (trace, 2, NULL, NULL, NULL, &error));
  assert_says (g_steal_pointer (&error));
  g_assert_null (
      attn_maps_new (&scores, model, ids, 10, NULL, layers, NULL, NULL, NULL, &error));
  assert_says (g_steal_pointer (&error));
  g_assert_false (attn_interventions_check (changes, model, 10, &error));
  assert_says (g_steal_pointer (&error));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_assert_false (attn_map_check (&others[i], model, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      g_clear_error (&error);
    }
  AttnMaps *maps = attn_maps_new (&scores, model, ids, 10, NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  attn_maps_free (maps);
}

/* What is a head's passes over them; the stream and the MLP are there in every layer. */
static void
test_interventions (void)
{
  g_autoptr (AttnModel) model = open_fixture ("qwen3_next");
  g_autoptr (AttnTensor) baseline = compute_logits (model, ids, 10, "baseline");
  g_autoptr (AttnTensor) all = compute_logits (model, ids, 10, "output/zero/all/all/all");
  g_autoptr (AttnTensor) some = compute_logits (model, ids, 10, "output/zero/1,3/all/all");
  g_autoptr (AttnTensor) inner = compute_logits (model, ids, 10, "inner/zero/2/all/all");
  g_autoptr (AttnTensor) residual = compute_logits (model, ids, 10, "residual/zero/2/all/3");

  assert_equal (all, some, TRUE);
  assert_equal (baseline, all, FALSE);
  assert_equal (baseline, inner, FALSE);
  assert_equal (baseline, residual, FALSE);
}

/* A patch of the whole stream makes the other input of it, also where it begins in such a layer. */
static void
test_patches (void)
{
  const guint32 others[] = { 7, 7, 2, 8, 1, 0, 4, 30, 2, 2 };
  g_autoptr (AttnModel) model = open_fixture ("qwen3_next");
  g_autoptr (AttnTensor) expected = compute_logits (model, others, 10, "baseline");

  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) patches = interventions_from_text (
          i == 0 ? "residual/patch/2/all/all" : "output/patch/all/all/all");
      AttnIntervention *patch = patches->pdata[0];

      patch->source = attn_source_new (model, others, 10);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, 10, patches, ATTN_QUANTITY_LOGITS, NULL);
      g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);

      assert_equal (found, expected, i == 0);
    }
}

static void
test_threads (void)
{
  static const char * const names[] = { "qwen3_next", "qwen3_5", "qwen3_5_moe" };
  guint32 many[64];

  for (guint i = 0; i < 64; i++)
    many[i] = i * 7 % 31;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      g_autoptr (AttnTensor) first = NULL;

      for (guint n = 1; n <= 4; n *= 2)
        {
          attn_threads_set (n);
          g_autoptr (AttnTensor) found = compute_logits (model, many, 64, "baseline");

          if (first == NULL)
            first = attn_tensor_ref (found);
          assert_equal (first, found, TRUE);
        }
    }
}

/* No token sees those behind it: what a shorter text leaves is where the longer one stands. 2e-5 of
 * what is larger than 1: products of other numbers of rows, each kernel's in its own order. */
static void
test_causal (void)
{
  g_autoptr (AttnModel) model = open_fixture ("qwen3_5");
  g_autoptr (AttnTensor) whole = compute_logits (model, ids, 10, "baseline");

  for (gsize n = 1; n < 10; n++)
    {
      g_autoptr (AttnTensor) part = compute_logits (model, ids, n, "baseline");

      for (gsize i = 0; i < n * whole->shape[1]; i++)
        g_assert_cmpfloat_with_epsilon (part->data[i], whole->data[i],
                                        2e-5 * MAX (1.0, fabs ((double) whole->data[i])));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/linear-layers/kept", test_kept);
  g_test_add_func ("/model/linear-layers/map-is-refused", test_map_is_refused);
  g_test_add_func ("/model/linear-layers/interventions", test_interventions);
  g_test_add_func ("/model/linear-layers/patches", test_patches);
  g_test_add_func ("/model/linear-layers/threads", test_threads);
  g_test_add_func ("/model/linear-layers/causal", test_causal);
  return g_test_run ();
}
