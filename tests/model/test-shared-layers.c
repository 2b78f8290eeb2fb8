/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layers that have the keys and values of a layer below, and heads of another width. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "attn-batch.h"
#include "attn-error.h"
#include "attn-source.h"
#include "attn-threads.h"
#include "model-fixture.h"

#define N_TOKENS 48

static guint32 ids[N_TOKENS];

static AttnTensor *
compute_logits (AttnModel  *model,
                const char *text)
{
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, N_TOKENS, interventions, ATTN_QUANTITY_LOGITS, NULL);

  return attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
}

static AttnTensor *
run_weights (AttnModel  *model,
             const char *text,
             gsize       layer)
{
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, N_TOKENS, interventions, ATTN_QUANTITY_WEIGHTS, NULL);

  return attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
}

/* Layer 4 has the keys and values of layer 2, layers 3 and 5 those of layer 1, which are of another
 * width. */
static void
test_kept (void)
{
  g_autoptr (AttnModel) model = open_fixture ("gemma4");
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, N_TOKENS, NULL, everything, NULL);
  static const gsize sources[] = { 0, 1, 2, 1, 2, 1 };
  static const gsize widths[] = { 6, 10, 6, 10, 6, 10 };

  for (gsize layer = 0; layer < 6; layer++)
    for (gsize i = 0; i < 2; i++)
      {
        AttnQuantity quantity = i == 0 ? ATTN_QUANTITY_KEY : ATTN_QUANTITY_VALUE;
        g_autoptr (AttnTensor) own = attn_trace_get (trace, quantity, layer);
        g_autoptr (AttnTensor) source = attn_trace_get (trace, quantity, sources[layer]);

        g_assert_cmpuint (own->shape[0], ==, 2);
        g_assert_cmpuint (own->shape[2], ==, widths[layer]);
        g_assert_cmpfloat (compare_tensors (own, source), ==, 0.0);
      }
  g_assert_cmpuint (attn_model_get_window (model, 4), ==, 4);
  g_assert_cmpuint (attn_model_get_window (model, 5), ==, 0);
}

/* From the residual streams of a trace, from its scores, and by a pass of its own. 2e-6: the last
 * bits of scores. */
static void
test_ways_agree (void)
{
  static const char * const texts[] = {
    "baseline",
    "query/scale=0.3/4/all/all",
    "key/scale=0.3@rotated/4/all/all",
    "key/mean-token@rotated/4/1/all",
    "key/scale=0.3@normed/2/all/all",
    "key/mean-feature/all/all/all",
    "value/mean-head/2/0/1-4",
    "residual/zero/3/all/2",
    "query/zero/3/all/all key/zero@rotated/4/all/all",
  };
  g_autoptr (AttnModel) model = open_fixture ("gemma4");
  AttnQuantity keep = ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_SCORES;
  g_autoptr (AttnTrace) baseline = compute_trace (model, ids, N_TOKENS, NULL, keep, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gsize layer = 3; layer < 6; layer++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GPtrArray) interventions = interventions_from_text (texts[i]);
        g_autoptr (AttnTensor) whole = run_weights (model, texts[i], layer);
        g_autoptr (AttnTensor) quick = compute_weights (baseline, layer, "all", interventions);
        g_autoptr (AttnTrace) changed =
            compute_trace (model, ids, N_TOKENS, interventions, ATTN_QUANTITY_RESIDUAL, baseline);
        g_autoptr (AttnTensor) one =
            attn_trace_compute_layer (changed, layer, NULL, interventions, NULL, &error);

        g_assert_no_error (error);
        g_assert_cmpfloat (compare_tensors (whole, quick), <, 2e-6);
        g_assert_cmpfloat (compare_tensors (whole, one), <, 2e-6);
      }
}

/* Keys changed where they are made change the layers that have them, too; where nothing is made
 * there is nothing to change, which is said. */
static void
test_sites (void)
{
  static const struct
  {
    const char *text;
    const char *message; /* NULL if it can be made */
  } cases[] = {
    { "key/scale=0.3/4/all/all",
      "site projection: layer 4 with the keys and values of layer 2 found, expected that layer, or "
      "site rotated" },
    { "value/zero@normed/3,5/all/all",
      "site normed: layer 3 with the keys and values of layer 1 found, expected that layer, or "
      "site rotated" },
    { "key/scale=0.3/2,4/all/all", NULL },
    { "value/zero@rotated/3/all/all", NULL },
    { "query/zero/4/all/all", NULL },
    { "output/zero/4/all/all", NULL },
  };
  g_autoptr (AttnModel) model = open_fixture ("gemma4");
  g_autoptr (AttnTensor) before = run_weights (model, "baseline", 4);
  g_autoptr (AttnTensor) after = run_weights (model, "key/mean-token@rotated/2/all/all", 4);
  g_autoptr (AttnTensor) some = compute_logits (model, "key/mean-head/1-2/all/all");
  g_autoptr (AttnTensor) more = compute_logits (model, "key/mean-head/1-5/all/all");

  g_assert_cmpfloat (compare_tensors (before, after), >, 0.01);
  g_assert_cmpfloat (compare_tensors (some, more), ==, 0.0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) interventions = interventions_from_text (cases[i].text);

      g_assert_cmpint (attn_interventions_check (interventions, model, N_TOKENS, &error), ==,
                       cases[i].message == NULL);
      g_assert_cmpstr (error != NULL ? error->message : NULL, ==, cases[i].message);
    }
}

/* A patch of all that a text leaves behind makes it the other text. */
static void
test_patches (void)
{
  static const char * const texts[] = { "residual/patch/4/all/all", "key/patch/all/all/all",
                                        "value/patch@rotated/3-4/all/all" };
  g_autoptr (AttnModel) model = open_fixture ("gemma4");
  g_autoptr (AttnTensor) baseline = compute_logits (model, "baseline");

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint is_other = 0; is_other < 2; is_other++)
      {
        guint32 others[N_TOKENS];
        g_autoptr (GPtrArray) patches = interventions_from_text (texts[i]);

        for (guint k = 0; k < N_TOKENS; k++)
          others[k] = is_other ? (ids[k] + k) % 31 : ids[k];
        AttnIntervention *patch = patches->pdata[0];
        patch->source = attn_source_new (model, others, N_TOKENS);
        g_autoptr (AttnTrace) trace =
            compute_trace (model, ids, N_TOKENS, patches, ATTN_QUANTITY_LOGITS, NULL);
        g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
        double difference = compare_tensors (found, baseline);

        g_assert_true (is_other ? difference > 0.01 : difference < 1e-5);
      }
}

/* A longer text goes on from what a shorter one left. 1e-4: products of other numbers of
 * rows, and numbers up to 20; 6.4e-5 was seen with the kernels of OpenBLAS for old processors. */
static void
test_text_goes_on (void)
{
  static const char * const names[] = { "gemma4", "gemma4-experts" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      AttnTraceRequest request = { ids, 40, NULL, ATTN_QUANTITIES_TO_CONTINUE, NULL };
      g_autoptr (AttnTrace) first = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
      request.n_ids = N_TOKENS;
      g_autoptr (AttnTrace) whole = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
      g_autoptr (AttnTrace) longer =
          attn_trace_compute (model, &request, first, NULL, NULL, &error);
      g_assert_no_error (error);

      for (gsize layer = 0; layer < attn_model_get_info (model)->n_layers; layer++)
        {
          g_autoptr (AttnTensor) a = attn_trace_get (whole, ATTN_QUANTITY_RESIDUAL, layer);
          g_autoptr (AttnTensor) b = attn_trace_get (longer, ATTN_QUANTITY_RESIDUAL, layer);
          g_autoptr (AttnTensor) c = attn_trace_get (whole, ATTN_QUANTITY_KEY, layer);
          g_autoptr (AttnTensor) d = attn_trace_get (longer, ATTN_QUANTITY_KEY, layer);

          g_assert_cmpfloat (compare_tensors (a, b), <, 1e-4);
          g_assert_cmpfloat (compare_tensors (c, d), <, 1e-4);
        }
    }
}

static void
test_threads (void)
{
  static const char * const names[] = { "gemma4", "gemma4-experts" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      g_autoptr (AttnTensor) first = NULL;

      for (guint n = 1; n <= 4; n *= 2)
        {
          attn_threads_set (n);
          g_autoptr (AttnTensor) found = compute_logits (model, "baseline");

          if (first == NULL)
            first = attn_tensor_ref (found);
          g_assert_cmpfloat (compare_tensors (first, found), ==, 0.0);
        }
    }
}

static void
compare_states (const AttnStates *states,
                gpointer          user_data)
{
  AttnTrace **alone = user_data;
  const AttnVectors *vectors = &states->vectors;
  g_autoptr (AttnTensor) kept =
      attn_trace_get (alone[states->text], states->quantity, states->layer);

  for (gsize head = 0; head < vectors->n_heads; head++)
    for (gsize token = 0; token < vectors->n_tokens; token++)
      for (gsize i = 0; i < vectors->width; i++)
        g_assert_cmpfloat_with_epsilon (
            attn_vectors_get (vectors, head, token)[i],
            kept->data[(head * vectors->n_tokens + token) * vectors->width + i], 1e-4);
}

static void
ignore_rows (const AttnWeightsRows *rows,
             gpointer               user_data)
{
}

/* Two texts at once are what each is alone. 1e-4: products of other numbers of rows, and numbers up
 * to 20. */
static void
test_batch (void)
{
  static const char * const names[] = { "gemma4", "gemma4-experts" };
  static const gsize ends[] = { 19, N_TOKENS };
  const guint seen = ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      g_autoptr (AttnTrace) first = compute_trace (model, ids, 19, NULL, seen, NULL);
      g_autoptr (AttnTrace) second =
          compute_trace (model, ids + 19, N_TOKENS - 19, NULL, seen, NULL);
      AttnTrace *alone[] = { first, second };
      AttnBatch batch = { .ids = ids,
                          .ends = ends,
                          .n_texts = 2,
                          .look = ignore_rows,
                          .see = compare_states,
                          .user_data = alone,
                          .seen = seen };

      g_assert_true (attn_batch_run (model, &batch, NULL, &error));
      g_assert_no_error (error);
    }
}

/* Other words of config.json for the same, and what makes no sense. */
static void
test_config (void)
{
  static const struct
  {
    const char *name;
    const char *member;
    const char *part; /* of the message, NULL for the same model */
  } cases[] = {
    { "gemma4",
      "\"global_head_dim\": null, \"per_layer_config\": {\"01\": {\"head_dim\": 10}, "
      "\"3\": {\"head_dim\": 10}, \"5\": {\"head_dim\": 10}}",
      NULL },
    { "gemma4-experts",
      "\"num_global_key_value_heads\": null, \"per_layer_config\": "
      "{\"3\": {\"head_dim\": 10, \"num_key_value_heads\": 1}}",
      NULL },
    { "gemma4", "\"use_bidirectional_attention\": \"vision\"", NULL },
    { "gemma4", "\"use_bidirectional_attention\": \"all\"", "all found, expected one of vision" },
    { "gemma4", "\"per_layer_config\": {\"7\": {}}", "“7” found, expected numbers of layers" },
    { "gemma4", "\"per_layer_config\": {\"1\": {\"skip\": []}}",
      "“skip” found, expected head_dim or num_key_value_heads" },
    { "gemma4", "\"per_layer_config\": {\"1\": {\"head_dim\": 10}}",
      "heads of width 6 found in layer 3, expected 10" },
    { "gemma4", "\"num_kv_shared_layers\": 6", "6 found, expected a layer below layer 0" },
    { "gemma4", "\"num_kv_shared_layers\": 7", "“num_kv_shared_layers”: 7 found" },
    { "gemma4", "\"num_kv_shared_layers\": 2", "no tensor “layers.3.self_attn.k_proj.weight”" },
    { "gemma4", "\"use_double_wide_mlp\": false", "shape [40, 32] found, expected [20, 32]" },
    { "gemma4", "\"hidden_size_per_layer_input\": 4", "shape [31, 30] found, expected [31, 24]" },
    { "gemma4", "\"vocab_size\": 32", "shape [31, 32] found, expected [32, 32]" },
    { "gemma4", "\"global_head_dim\": 16777216", "heads of width 16777216 found" },
    { "gemma4", "\"global_head_dim\": 9", "of width 9 found" },
    { "gemma4", "\"enable_moe_block\": true", "no tensor “layers.0.router.proj.weight”" },
    { "gemma4-experts", "\"attention_k_eq_v\": false", "layers.3.self_attn.k_proj.weight" },
    { "gemma4-experts", "\"top_k_experts\": 7", "“top_k_experts”: 7 found" },
    { "gemma4-experts", "\"num_global_key_value_heads\": 3", "3 key/value heads found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) plain = open_fixture (cases[i].name);
      Copy copy = copy_fixture (cases[i].name);

      set_member (&copy, cases[i].member);
      g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
      if (cases[i].part != NULL)
        {
          g_assert_nonnull (error);
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, cases[i].part));
        }
      else
        {
          g_assert_no_error (error);
          g_autoptr (AttnTensor) a = compute_logits (plain, "baseline");
          g_autoptr (AttnTensor) b = compute_logits (model, "baseline");
          g_assert_cmpfloat (compare_tensors (a, b), ==, 0.0);
        }
      remove_checkpoint (copy.directory);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < N_TOKENS; i++)
    ids[i] = i * i * 7 % 31;
  g_test_add_func ("/model/shared-layers/kept", test_kept);
  g_test_add_func ("/model/shared-layers/ways-agree", test_ways_agree);
  g_test_add_func ("/model/shared-layers/sites", test_sites);
  g_test_add_func ("/model/shared-layers/patches", test_patches);
  g_test_add_func ("/model/shared-layers/text-goes-on", test_text_goes_on);
  g_test_add_func ("/model/shared-layers/threads", test_threads);
  g_test_add_func ("/model/shared-layers/batch", test_batch);
  g_test_add_func ("/model/shared-layers/config", test_config);
  return g_test_run ();
}
