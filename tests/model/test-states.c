/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a pass leaves behind beside the attention weights, against what make_states.py computes. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-maps.h"
#include "model-fixture.h"

/* Sums of some dozen float32 products in another order than float64, relative to the largest. */
#define TOLERANCE 1e-5

typedef struct
{
  AttnModel *model;
  AttnArrayFile *expected;
  guint32 *ids;
  gsize n_ids;
} States;

static void
clear_states (States *states)
{
  attn_model_unref (states->model);
  attn_array_file_unref (states->expected);
  g_free (states->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (States, clear_states)

static AttnTensor *
load (const States *states,
      const char   *name,
      const char   *quantity)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *full_name = g_strdup_printf ("%s/%s", name, quantity);
  AttnTensor *tensor =
      attn_array_to_tensor (attn_array_file_lookup (states->expected, full_name), &error);

  g_assert_no_error (error);
  return tensor;
}

static void
open_states (States     *states,
             const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "states.safetensors", NULL);

  states->model = open_fixture (name);
  states->expected = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) ids =
      attn_array_to_tensor (attn_array_file_lookup (states->expected, "ids"), &error);
  g_assert_no_error (error);
  states->n_ids = ids->shape[0];
  states->ids = g_new (guint32, states->n_ids);
  for (gsize i = 0; i < states->n_ids; i++)
    states->ids[i] = (guint32) ids->data[i];
}

/* @found: the part of @expected from @offset on; NaN in the same places */
static void
assert_close (const AttnTensor *found,
              const AttnTensor *expected,
              gsize             offset,
              const char       *what)
{
  gsize n = attn_tensor_get_n_elements (found);
  double largest = 0.0;

  g_assert_cmpuint (offset + n, <=, attn_tensor_get_n_elements (expected));
  for (gsize i = 0; i < n; i++)
    if (isfinite (expected->data[offset + i]))
      largest = MAX (largest, fabs (expected->data[offset + i]));
  for (gsize i = 0; i < n; i++)
    {
      float value = expected->data[offset + i];

      if (isnan (value) ? !isnan (found->data[i])
                        : !(fabs (found->data[i] - value) <= TOLERANCE * largest))
        g_error ("%s: %g found at %zu, expected %g of %g", what, found->data[i], i, value,
                 largest);
    }
}

static const struct
{
  const char *name;
  AttnQuantity quantity;
} kept[] = {
  { "residual", ATTN_QUANTITY_RESIDUAL },
  { "output", ATTN_QUANTITY_OUTPUT },
  { "attention", ATTN_QUANTITY_ATTENTION },
  { "mlp", ATTN_QUANTITY_MLP },
};

static const char * const cases[] = {
  "baseline",
  "value/scale=0.3/0/all/all",
  "query/scale=0.3/1/1/all",
  "output/zero/0/1/all",
  "residual/mean-token/1/all/all",
  "inner/zero/0/all/all",
};

/* Each case as a pass of its own and from the layers that the baseline has. */
static void
test_kept (gconstpointer name)
{
  g_auto (States) states = { 0 };
  AttnQuantity keep = ATTN_QUANTITY_FINAL;

  open_states (&states, name);
  gsize n_layers = attn_model_get_info (states.model)->n_layers;
  for (gsize k = 0; k < G_N_ELEMENTS (kept); k++)
    keep |= kept[k].quantity;
  g_autoptr (AttnTrace) baseline =
      compute_trace (states.model, states.ids, states.n_ids, NULL, keep, NULL);
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      const char *text = cases[i / 2];
      g_autoptr (GPtrArray) interventions =
          g_str_equal (text, "baseline") ? NULL : interventions_from_text (text);
      g_autoptr (AttnTrace) trace = compute_trace (states.model, states.ids, states.n_ids,
                                                   interventions, keep, i % 2 ? baseline : NULL);

      for (gsize k = 0; k < G_N_ELEMENTS (kept); k++)
        {
          g_autoptr (AttnTensor) expected = load (&states, text, kept[k].name);
          gsize first = i % 2 && interventions != NULL ? 1 : 0;

          for (gsize layer = first; layer < n_layers; layer++)
            {
              g_autoptr (AttnTensor) found = attn_trace_get (trace, kept[k].quantity, layer);

              g_assert_nonnull (found);
              assert_close (found, expected, layer * attn_tensor_get_n_elements (found), text);
            }
        }
      g_autoptr (AttnTensor) expected = load (&states, text, "residual");
      g_autoptr (AttnTensor) final = attn_trace_get (trace, ATTN_QUANTITY_FINAL, 0);
      assert_close (final, expected, n_layers * attn_tensor_get_n_elements (final), text);
    }
}

/* What is looked at changes nothing: the same bits with and without. */
static void
test_keeping_changes_nothing (gconstpointer name)
{
  g_auto (States) states = { 0 };

  open_states (&states, name);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) interventions =
          i == 0 ? NULL : interventions_from_text (cases[i]);
      g_autoptr (AttnTrace) plain = compute_trace (states.model, states.ids, states.n_ids,
                                                   interventions, ATTN_QUANTITY_FINAL, NULL);
      g_autoptr (AttnTrace) looked =
          compute_trace (states.model, states.ids, states.n_ids, interventions,
                         ATTN_QUANTITY_FINAL | ATTN_QUANTITIES_BEHIND_MAPS, NULL);
      g_autoptr (AttnTensor) a = attn_trace_get (plain, ATTN_QUANTITY_FINAL, 0);
      g_autoptr (AttnTensor) b = attn_trace_get (looked, ATTN_QUANTITY_FINAL, 0);
      gsize n_bytes = attn_tensor_get_n_elements (a) * sizeof (float);

      g_assert_cmpmem (a->data, n_bytes, b->data, n_bytes);
    }
}

/* The last layer alone: it is run to its end for what the MLP adds, and those above are not run. */
static void
test_one_layer (gconstpointer name)
{
  g_auto (States) states = { 0 };

  open_states (&states, name);
  for (gsize layer = 0; layer < 2; layer++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
      const AttnTraceRequest request = {
        .ids = states.ids,
        .n_ids = states.n_ids,
        .keep = ATTN_QUANTITY_MLP | ATTN_QUANTITY_OUTPUT,
        .layers = layers,
      };
      g_autoptr (AttnTrace) trace =
          attn_trace_compute (states.model, &request, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTensor) mlp = attn_trace_get (trace, ATTN_QUANTITY_MLP, layer);
      g_autoptr (AttnTensor) output = attn_trace_get (trace, ATTN_QUANTITY_OUTPUT, layer);
      g_autoptr (AttnTensor) expected_mlp = load (&states, "baseline", "mlp");
      g_autoptr (AttnTensor) expected_output = load (&states, "baseline", "output");

      assert_close (mlp, expected_mlp, layer * attn_tensor_get_n_elements (mlp), "mlp");
      assert_close (output, expected_output, layer * attn_tensor_get_n_elements (output),
                    "output");
    }
}

static AttnMaps *
make_maps (const States *states,
           AttnMapKind   kind,
           GPtrArray    *interventions)
{
  g_autoptr (GError) error = NULL;
  const AttnMapSpec spec = { kind, -1, -1 };
  AttnMaps *maps = attn_maps_new (&spec, states->model, states->ids, states->n_ids, interventions,
                                  NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return maps;
}

static AttnTensor *
compute_map (AttnMaps *maps,
             gsize     layer,
             int       head)
{
  g_autoptr (GError) error = NULL;
  AttnTensor *map = attn_maps_compute (maps, layer, head, &error);

  g_assert_no_error (error);
  return map;
}

static void
test_maps (gconstpointer name)
{
  static const struct
  {
    const char *name;
    AttnMapKind kind;
  } specs[] = { { "cosine", ATTN_MAP_COSINE }, { "norms", ATTN_MAP_NORMS } };
  g_auto (States) states = { 0 };

  open_states (&states, name);
  const AttnModelInfo *info = attn_model_get_info (states.model);
  for (gsize i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (specs); i++)
    {
      const char *text = cases[i / G_N_ELEMENTS (specs)];
      gsize k = i % G_N_ELEMENTS (specs);
      g_autoptr (GPtrArray) interventions =
          g_str_equal (text, "baseline") ? NULL : interventions_from_text (text);
      g_autoptr (AttnMaps) maps = make_maps (&states, specs[k].kind, interventions);
      g_autoptr (AttnTensor) expected = load (&states, text, specs[k].name);

      for (gsize layer = 0; layer < info->n_layers; layer++)
        for (gsize head = 0; head < info->n_heads; head++)
          {
            g_autoptr (AttnTensor) map = compute_map (maps, layer, (int) head);

            assert_close (map, expected,
                          (layer * info->n_heads + head) * attn_tensor_get_n_elements (map), text);
          }
    }
}

/* Cosine times norms is the score, where the model adds nothing else. */
static void
test_product_is_the_score (gconstpointer name)
{
  g_auto (States) states = { 0 };

  open_states (&states, name);
  g_autoptr (AttnMaps) cosines = make_maps (&states, ATTN_MAP_COSINE, NULL);
  g_autoptr (AttnMaps) norms = make_maps (&states, ATTN_MAP_NORMS, NULL);
  g_autoptr (AttnMaps) scores = make_maps (&states, ATTN_MAP_SCORES, NULL);
  g_autoptr (AttnTensor) cosine = compute_map (cosines, 1, 3);
  g_autoptr (AttnTensor) norm = compute_map (norms, 1, 3);
  g_autoptr (AttnTensor) score = compute_map (scores, 1, 3);

  for (gsize i = 0; i < attn_tensor_get_n_elements (cosine); i++)
    norm->data[i] *= cosine->data[i];
  assert_close (norm, score, 0, "score");
}

/* ε shortens the queries and leaves their direction; zeros have none. */
static void
test_scaled_and_zero (void)
{
  g_auto (States) states = { 0 };

  open_states (&states, "llama");
  g_autoptr (GPtrArray) scale = interventions_from_text ("query/scale=1e-10/1/all/all");
  g_autoptr (GPtrArray) zero = interventions_from_text ("key/zero/1/all/all");
  g_autoptr (AttnMaps) before = make_maps (&states, ATTN_MAP_COSINE, NULL);
  g_autoptr (AttnMaps) after = make_maps (&states, ATTN_MAP_COSINE, scale);
  g_autoptr (AttnMaps) gone = make_maps (&states, ATTN_MAP_COSINE, zero);
  g_autoptr (AttnMaps) norms = make_maps (&states, ATTN_MAP_NORMS, zero);
  g_autoptr (AttnTensor) a = compute_map (before, 1, 2);
  g_autoptr (AttnTensor) b = compute_map (after, 1, 2);
  g_autoptr (AttnTensor) none = compute_map (gone, 1, 2);
  g_autoptr (AttnTensor) nothing = compute_map (norms, 1, 2);

  assert_close (b, a, 0, "scaled");
  g_assert_true (isnan (none->data[0]));
  g_assert_cmpfloat (nothing->data[0], ==, 0.0f);
}

int
main (int    argc,
      char **argv)
{
  static const char * const names[] = { "gpt2-prefixed", "llama", "gemma2", "gpt_neox", "bert" };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } tests[] = {
    { "kept", test_kept },
    { "keeping-changes-nothing", test_keeping_changes_nothing },
    { "one-layer", test_one_layer },
    { "maps", test_maps },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (tests); i++)
    {
      const char *name = names[i / G_N_ELEMENTS (tests)];
      gsize k = i % G_N_ELEMENTS (tests);
      g_autofree char *path = g_strdup_printf ("/model/states/%s/%s", tests[k].name, name);

      g_test_add_data_func (path, name, tests[k].func);
    }
  g_test_add_data_func ("/model/states/product/gpt2", "gpt2-prefixed", test_product_is_the_score);
  g_test_add_data_func ("/model/states/product/llama", "llama", test_product_is_the_score);
  g_test_add_func ("/model/states/scaled-and-zero", test_scaled_and_zero);
  return g_test_run ();
}
