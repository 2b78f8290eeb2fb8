/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each family's forward pass against PyTorch's, and what sets the families apart. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "attn-error.h"
#include "attn-family.h"
#include "model-fixture.h"

typedef struct
{
  const char *name; /* of the folder with the checkpoint */
  const char *position_scheme;
  gboolean has_rotary;
  gboolean has_query_key_norm;
  gboolean is_causal;
  gsize n_key_heads;
  gsize n_positions;
} Family;

static const Family families[] = {
  { "llama", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-biased", "rotary", TRUE, FALSE, TRUE, 1, 64 },
  { "llama-linear", "rotary, linear scaling", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-dynamic", "rotary, dynamic scaling", TRUE, FALSE, TRUE, 2, 12 },
  { "llama-llama3", "rotary, llama3 scaling", TRUE, FALSE, TRUE, 1, 64 },
  { "llama-yarn", "rotary, YaRN scaling", TRUE, FALSE, TRUE, 1, 256 },
  { "llama-longrope", "rotary, LongRoPE scaling", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-fp8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-int8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-gptq", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-gptq2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-gptq3", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-gptq8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-awq", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-zeros", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-bytes", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mlx", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mlx6", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mlx-mixed", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-nf4", "rotary", TRUE, FALSE, TRUE, 1, 64 },
  { "llama-fp4", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-bnb8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-fbgemm", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-fp8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-blocks", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-int8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mxfp8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mxfp4", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-nvfp4", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-modelopt", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-gptq-rules", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-auto-round", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-awq-plain", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-compressed-groups", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-modelopt-mixed", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-mlx-floats", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "llama-sharded", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "mistral", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen3", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "mixtral", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen2_moe", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen2_moe-dense", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "qwen3_moe", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "qwen3_moe-mlx", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "mixtral-mlx", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "gpt_oss", "rotary, YaRN scaling", TRUE, FALSE, TRUE, 2, 256 },
  { "gpt_oss-mxfp4", "rotary, YaRN scaling", TRUE, FALSE, TRUE, 2, 256 },
  { "gpt_neox", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "gpt_neox-sequential", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "phi", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "phi-normed", "rotary", TRUE, TRUE, TRUE, 2, 32 },
  { "gptj", "rotary", TRUE, FALSE, TRUE, 4, 32 },
  { "opt", "learned", FALSE, FALSE, TRUE, 4, 32 },
  { "opt-post-norm", "learned", FALSE, FALSE, TRUE, 4, 32 },
  { "bloom", "ALiBi", FALSE, FALSE, TRUE, 5, 32 },
  { "bloom-normed", "ALiBi", FALSE, FALSE, TRUE, 5, 32 },
  { "mpt-biased", "ALiBi", FALSE, FALSE, TRUE, 4, 32 },
  { "gemma", "rotary", TRUE, FALSE, TRUE, 1, 64 },
  { "gemma2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "gemma3", "rotary, linear scaling", TRUE, TRUE, TRUE, 2, 64 },
  { "gemma3-both-ways", "rotary", TRUE, TRUE, FALSE, 2, 64 },
  { "gemma4", "rotary, scaled by frequency", TRUE, TRUE, TRUE, 2, 64 },
  { "gemma4-experts", "rotary, scaled by frequency", TRUE, TRUE, TRUE, 2, 64 },
  { "gemma4-mlx", "rotary, scaled by frequency", TRUE, TRUE, TRUE, 2, 64 },
  { "olmo2", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "olmo3", "rotary, YaRN scaling", TRUE, TRUE, TRUE, 2, 256 },
  { "gpt_neo", "learned", FALSE, FALSE, TRUE, 4, 32 },
  { "smollm3", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "granite", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "starcoder2", "rotary", TRUE, FALSE, TRUE, 2, 32 },
  { "phi3", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "phi3-longrope", "rotary, LongRoPE scaling", TRUE, FALSE, TRUE, 2, 64 },
  { "phi3-fp8", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "phi3-modelopt", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "olmo", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "stablelm", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "stablelm-parallel", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "glm", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "glm4", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "cohere", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "cohere2", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "minicpm", "rotary", TRUE, FALSE, TRUE, 2, 64 },
  { "falcon", "rotary", TRUE, FALSE, TRUE, 1, 2048 },
  { "falcon-new", "rotary", TRUE, FALSE, TRUE, 2, 2048 },
  { "falcon-new-one-norm", "rotary", TRUE, FALSE, TRUE, 2, 2048 },
  { "falcon-alibi", "ALiBi", FALSE, FALSE, TRUE, 5, 2048 },
  { "mpt", "ALiBi", FALSE, FALSE, TRUE, 5, 32 },
  { "gpt_bigcode", "learned", FALSE, FALSE, TRUE, 1, 24 },
  { "gpt_bigcode-heads", "learned", FALSE, FALSE, TRUE, 4, 24 },
  { "deepseek_v2", "rotary, YaRN scaling", TRUE, FALSE, TRUE, 4, 256 },
  { "deepseek_v2-groups", "rotary", TRUE, FALSE, TRUE, 4, 64 },
  { "deepseek_v3", "rotary, YaRN scaling", TRUE, FALSE, TRUE, 4, 256 },
  { "deepseek_v3-halves", "rotary", TRUE, FALSE, TRUE, 4, 64 },
  { "glm4_moe_lite", "rotary", TRUE, FALSE, TRUE, 4, 64 },
  { "qwen3_next", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "qwen3_5", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "qwen3_5_moe", "rotary", TRUE, TRUE, TRUE, 2, 64 },
  { "bert", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "roberta", "learned", FALSE, FALSE, FALSE, 4, 18 },
  { "roberta-relu", "learned", FALSE, FALSE, FALSE, 4, 18 },
  { "distilbert", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "albert", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "albert-wide", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "albert-groups", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "electra", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "electra-even", "learned", FALSE, FALSE, FALSE, 4, 20 },
  { "modernbert", "rotary", TRUE, FALSE, FALSE, 4, 64 },
  { "modernbert-biased", "rotary", TRUE, FALSE, FALSE, 4, 64 },
  { "modernbert-normed", "rotary", TRUE, FALSE, FALSE, 4, 64 },
  { "esm", "rotary", TRUE, FALSE, FALSE, 4, 24 },
  { "esm-absolute", "learned", FALSE, FALSE, FALSE, 4, 24 },
  { "esm-undropped", "rotary", TRUE, FALSE, FALSE, 4, 24 },
  { "t5-encoder", "relative", FALSE, FALSE, FALSE, 4, 1 << 20 },
};

/* Without a window in the layer at hand. */
static const char * const rotary_names[] = { "llama", "qwen3", "gpt_neox", "phi", "gptj", "gemma" };

static void
test_golden (gconstpointer data)
{
  const Family *family = data;

  check_golden (family->name, 4);
}

static void
test_info (gconstpointer data)
{
  const Family *family = data;
  g_autoptr (AttnModel) model = open_fixture (family->name);
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autofree guint32 *ids = g_new0 (guint32, family->n_positions + 1);

  g_assert_true (g_str_has_prefix (family->name, info->family));
  g_assert_cmpstr (info->position_scheme, ==, family->position_scheme);
  g_assert_cmpint (info->has_rotary, ==, family->has_rotary);
  g_assert_cmpint (info->has_query_key_norm, ==, family->has_query_key_norm);
  g_assert_cmpint (info->is_causal, ==, family->is_causal);
  g_assert_cmpuint (info->n_key_heads, ==, family->n_key_heads);
  g_assert_cmpuint (info->n_positions, ==, family->n_positions);
  g_assert_true (attn_model_check_ids (model, ids, family->n_positions, NULL));
  g_assert_false (attn_model_check_ids (model, ids, family->n_positions + 1, NULL));
  g_assert_cmpuint (attn_model_estimate_memory (model, 8), >, 0);
}

/* Weights of @layer after the interventions in @text, by a forward pass of its own. */
static AttnTensor *
run (AttnModel  *model,
     const char *text,
     gsize       layer)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, G_N_ELEMENTS (ids), interventions,
                                               ATTN_QUANTITY_WEIGHTS, NULL);

  return attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
}

/* The largest difference to 1 / (i + 1) in row i. */
static double
measure_unevenness (const AttnTensor *weights)
{
  gsize n_tokens = weights->shape[2];
  double largest = 0.0;

  for (gsize row = 0; row < weights->shape[0] * n_tokens; row++)
    for (gsize column = 0; column <= row % n_tokens; column++)
      largest = MAX (largest, fabs (weights->data[row * n_tokens + column] -
                                    1.0 / (double) (row % n_tokens + 1)));
  return largest;
}

/* All keys are the same there, but not before they are turned. 1e-6: the rounding of equal scores'
 * softmax. */
static void
test_token_mean_of_rotated_key_is_uniform (gconstpointer name)
{
  g_autoptr (AttnModel) model = open_fixture (name);
  g_autoptr (AttnTensor) rotated = run (model, "key/mean-token@rotated/1/all/all", 1);
  g_autoptr (AttnTensor) projection = run (model, "key/mean-token/1/all/all", 1);

  g_assert_cmpfloat (measure_unevenness (rotated), <, 1e-6);
  g_assert_cmpfloat (measure_unevenness (projection), >, 0.01);
}

/* The norm divides by the length that scaling changed; what remains is its epsilon, 1e-5 of a mean
 * square around 1. */
static void
test_query_key_norm_undoes_scaling (void)
{
  g_autoptr (AttnModel) model = open_fixture ("qwen3");
  g_autoptr (AttnTensor) baseline = run (model, "baseline", 1);
  g_autoptr (AttnTensor) projection = run (model, "query/scale=0.5/1/all/all", 1);
  g_autoptr (AttnTensor) normed = run (model, "query/scale=0.5@normed/1/all/all", 1);

  g_assert_cmpfloat (compare_tensors (projection, baseline), <, 1e-3);
  g_assert_cmpfloat (compare_tensors (normed, baseline), >, 0.05);
}

/* The four ways to the weights of a layer agree where a norm, a cap, a slope or a window stands
 * behind the scaled scores, and where key heads are shared. 2e-6: the scores' last bits. */
static void
test_ways_agree (gconstpointer name)
{
  static const char * const texts[] = {
    "baseline",
    "query/scale=0.3/1/all/all",
    "key/scale=0.3/1/1/all",
    "key/scale=0.3@rotated/1/0/all",
    "query/scale=0.3/1/0,2/all key/scale=0.5@rotated/1/1/all",
    "key/mean-head@rotated/1/2-3/all",
    "key/mean-token/1/all/all",
    "query/scale=0.3/0/all/all",
    "value/mean-token/1/all/all",
    "key/zero/1/1/all",
    "query/zero@rotated/1/0/all",
    "value/zero/0/all/all",
  };
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
  g_autoptr (AttnModel) model = open_fixture (name);
  g_autoptr (AttnTrace) baseline =
      compute_trace (model, ids, G_N_ELEMENTS (ids), NULL,
                     ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_SCORES, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const AttnModelInfo *info = attn_model_get_info (model);
      if (strstr (texts[i], "@rotated") != NULL && !info->has_rotary)
        continue;
      if (strstr (texts[i], "2") != NULL && info->n_heads < 4)
        continue;
      /* Nothing is there to change. */
      if (strstr (texts[i], "/0/all/all") != NULL && !attn_model_has_map (model, 0))
        continue;
      g_autoptr (GPtrArray) interventions = interventions_from_text (texts[i]);
      g_autoptr (AttnTensor) whole = run (model, texts[i], 1);
      g_autoptr (AttnTensor) quick = compute_weights (baseline, 1, "all", interventions);

      g_assert_cmpfloat (compare_tensors (whole, quick), <, 2e-6);
    }
}

/* Four maps from two key heads; a key head changes both of the query heads that it serves. */
static void
test_grouped_heads (void)
{
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (AttnTensor) baseline = run (model, "baseline", 0);
  g_autoptr (AttnTensor) changed = run (model, "key/scale=0.1/0/3/all", 0);

  g_assert_cmpuint (baseline->shape[0], ==, 4);
  for (gsize head = 0; head < 4; head++)
    {
      g_autoptr (AttnTensor) a = attn_tensor_slice (baseline, head);
      g_autoptr (AttnTensor) b = attn_tensor_slice (changed, head);

      if (head < 2)
        g_assert_cmpfloat (compare_tensors (a, b), ==, 0.0);
      else
        g_assert_cmpfloat (compare_tensors (a, b), >, 0.01);
    }
}

/* A window of 4: keys further back are exactly 0, in the layers that have it. */
static void
test_window (void)
{
  g_autoptr (AttnModel) model = open_fixture ("gemma2");

  for (gsize layer = 0; layer < 3; layer++)
    {
      g_autoptr (AttnTensor) weights = run (model, "baseline", layer);
      gsize n_tokens = weights->shape[2];

      for (gsize row = 4; row < n_tokens; row++)
        for (gsize column = 0; column <= row; column++)
          g_assert_cmpint (weights->data[row * n_tokens + column] > 0.0f, ==,
                           layer % 2 == 1 || column + 4 > row);
    }
}

/* A score of each head that no key has takes its share of a row; scaling the others moves it. */
static void
test_sinks (void)
{
  g_autoptr (AttnModel) model = open_fixture ("gpt_oss");
  g_autoptr (AttnTensor) weights = run (model, "baseline", 1);
  g_autoptr (AttnTensor) uniform = run (model, "query/zero/1/all/all", 1);
  gsize n_tokens = weights->shape[2];

  g_assert_true (attn_model_get_info (model)->has_sinks);
  for (gsize head = 0; head < weights->shape[0]; head++)
    {
      double first = uniform->data[head * n_tokens * n_tokens];

      for (gsize row = 0; row < n_tokens; row++)
        {
          const float *cells = weights->data + (head * n_tokens + row) * n_tokens;
          const float *even = uniform->data + (head * n_tokens + row) * n_tokens;
          double sum = 0.0;

          for (gsize column = 0; column < n_tokens; column++)
            sum += cells[column];
          g_assert_cmpfloat (sum, <, 0.99995);
          g_assert_cmpfloat (sum, >, 0.0);
          /* All scores are 0: e^0 of each key beside e^s, which the first row tells. */
          g_assert_cmpfloat (fabs (1.0 / even[0] - 1.0 / first - (double) row), <, 1e-4);
        }
    }
}

/* Nothing is left to make larger where all tokens are masked. */
static void
test_all_masked (void)
{
  const guint32 ids[] = { 4, 4, 4 };
  g_autoptr (AttnModel) model = open_fixture ("esm");
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_WEIGHTS, NULL);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);

  for (gsize row = 0; row < weights->shape[0] * 3; row++)
    g_assert_cmpfloat (fabs ((double) weights->data[3 * row] + weights->data[3 * row + 1] +
                             weights->data[3 * row + 2] - 1.0),
                       <, 1e-5);
}

/* What the model says of it. */
static void
test_get_window (void)
{
  g_autoptr (AttnModel) mixed = open_fixture ("gemma2");
  g_autoptr (AttnModel) all = open_fixture ("mistral");
  g_autoptr (AttnModel) upper = open_fixture ("qwen2");
  g_autoptr (AttnModel) none = open_fixture ("llama");

  g_assert_cmpuint (attn_model_get_window (mixed, 0), ==, 4);
  g_assert_cmpuint (attn_model_get_window (mixed, 1), ==, 0);
  g_assert_cmpuint (attn_model_get_window (mixed, 2), ==, 4);
  g_assert_cmpuint (attn_model_get_window (all, 1), ==, 4);
  g_assert_cmpuint (attn_model_get_window (upper, 0), ==, 0);
  g_assert_cmpuint (attn_model_get_window (upper, 1), ==, 5);
  g_assert_cmpuint (attn_model_get_window (none, 0), ==, 0);
}

/* An encoder sees both ways, and a checkpoint without its head has no logits, but attention. */
static void
test_without_head (void)
{
  g_autoptr (GError) error = NULL;
  const guint32 ids[] = { 3, 1, 4 };
  Copy copy = copy_fixture ("bert");
  AttnTraceRequest request = { ids, 3, NULL, ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_LOGITS, NULL };

  rename_tensor (&copy, "model.safetensors", "cls.predictions.bias", "cls.predictions.bia5");
  g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "no language-model head found"));

  request.keep = ATTN_QUANTITY_WEIGHTS;
  g_clear_error (&error);
  g_autoptr (AttnTrace) trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 0);
  g_assert_cmpfloat (weights->data[1], >, 0.0f);
  remove_checkpoint (copy.directory);
}

/* Names as the first BERT checkpoints have them. */
static void
test_old_norm_names (void)
{
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("bert");

  rename_tensor (&copy, "model.safetensors", "bert.embeddings.LayerNorm.weight\"",
                 "bert.embeddings.LayerNorm.gamma\" ");
  rename_tensor (&copy, "model.safetensors", "bert.embeddings.LayerNorm.bias\"",
                 "bert.embeddings.LayerNorm.beta\"");
  g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  remove_checkpoint (copy.directory);
}

/* Members of config.json that would change the result in ways that are not followed, and those that
 * make no sense. */
static void
test_config_refused (void)
{
  static const struct
  {
    const char *name;
    const char *member;
    int code;
    const char *part;
  } cases[] = {
    { "llama", "\"rope_scaling\": {\"rope_type\": \"ntk\", \"factor\": 4.0}",
      ATTN_ERROR_UNSUPPORTED,
      "ntk found, expected default, linear, dynamic, llama3, yarn, longrope or proportional" },
    { "llama-yarn", "\"rope_theta\": 1", ATTN_ERROR_LIMIT, "“rope_theta”: 1 found" },
    { "llama", "\"rope_scaling\": {\"type\": \"yarn\", \"beta_fast\": 1}", ATTN_ERROR_LIMIT,
      "“beta_slow”: 1 found, expected less than “beta_fast”, 1" },
    { "llama", "\"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [1, 1]}",
      ATTN_ERROR_SHAPE, "“short_factor”: 2 numbers found, expected 4" },
    { "llama",
      "\"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [1, 1, 0, 1], "
      "\"long_factor\": []}",
      ATTN_ERROR_LIMIT, "“short_factor”: 0 found as number 2" },
    { "llama", "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0}", ATTN_ERROR_LIMIT,
      "“factor”: 0 found" },
    { "llama", "\"rope_scaling\": 3", ATTN_ERROR_FORMAT, "“rope_scaling”" },
    { "llama", "\"rope_theta\": -1", ATTN_ERROR_LIMIT, "“rope_theta”: -1 found" },
    { "llama", "\"head_dim\": 7", ATTN_ERROR_SHAPE, "width 7 found, expected an even number" },
    { "llama", "\"head_dim\": 16777216", ATTN_ERROR_LIMIT, "heads of width 16777216 found" },
    { "llama", "\"num_key_value_heads\": 3", ATTN_ERROR_SHAPE, "3 key/value heads found" },
    { "llama", "\"num_key_value_heads\": 4", ATTN_ERROR_SHAPE, "k_proj.weight" },
    { "llama", "\"attention_bias\": true", ATTN_ERROR_FORMAT, "q_proj.bias" },
    { "llama", "\"num_hidden_layers\": 1", ATTN_ERROR_FORMAT,
      "tensor “layers.1.self_attn.o_proj.weight” found, expected no more than the 1 layers" },
    { "gemma2", "\"layer_types\": [\"full_attention\"]", ATTN_ERROR_SHAPE,
      "1 found, expected one for each of the 3 layers" },
    { "gemma3",
      "\"layer_types\": [\"full_attention\", \"linear_attention\", \"full_attention\", "
      "\"full_attention\"]",
      ATTN_ERROR_UNSUPPORTED, "linear_attention found for layer 1, expected full_attention or" },
    { "qwen3", "\"layer_types\": [\"sliding_attention\", \"full_attention\"]",
      ATTN_ERROR_UNSUPPORTED, "sliding_attention found for layer 0, expected full_attention" },
    { "gemma3", "\"rope_local_base_freq\": 0", ATTN_ERROR_LIMIT,
      "“rope_local_base_freq”: 0 found" },
    { "gemma2", "\"attn_logit_softcapping\": -3", ATTN_ERROR_LIMIT, "-3 found" },
    { "bert", "\"position_embedding_type\": \"relative_key\"", ATTN_ERROR_UNSUPPORTED,
      "relative_key found" },
    { "esm", "\"position_embedding_type\": \"relative_key\"", ATTN_ERROR_UNSUPPORTED,
      "relative_key found, expected one of absolute, rotary" },
    { "esm", "\"is_folding_model\": true", ATTN_ERROR_UNSUPPORTED,
      "“is_folding_model”: true found, expected false" },
    { "esm", "\"mask_token_id\": null", ATTN_ERROR_FORMAT,
      "no “mask_token_id” found, expected the token that “token_dropout” counts" },
    { "esm", "\"mask_token_id\": 33", ATTN_ERROR_LIMIT, "33 found, expected 0 to 32" },
    { "roberta", "\"pad_token_id\": 19", ATTN_ERROR_LIMIT,
      "20 found, expected more than the 20 before the first position" },
    { "falcon", "\"apply_residual_connection_post_layernorm\": true", ATTN_ERROR_UNSUPPORTED,
      "true found, expected false" },
    { "smollm3", "\"no_rope_layers\": [1]", ATTN_ERROR_SHAPE,
      "“no_rope_layers”: 1 found, expected one for each of the 4 layers" },
    { "gpt_neo", "\"attention_types\": [[[\"global\"], 2]]", ATTN_ERROR_SHAPE,
      "“attention_types”: 2 found, expected one for each of the 3 layers" },
    { "llama-fp8", "\"quantization_config\": {\"weight_block_size\": [128, 128]}",
      ATTN_ERROR_SHAPE, "expected [1, 1], one for each block of 128 x 128" },
    { "llama-fp8", "\"quantization_config\": {\"weight_block_size\": [0, 1]}", ATTN_ERROR_LIMIT,
      "“weight_block_size”: 0 found" },
    { "llama-fp8", "\"quantization_config\": {\"quant_method\": \"torchao\"}",
      ATTN_ERROR_UNSUPPORTED, "“quant_method”: torchao found, expected fp8" },
    { "llama-fp8", "\"quantization_config\": {\"quant_method\": \"quanto\"}",
      ATTN_ERROR_UNSUPPORTED, "“quant_method”: quanto found, expected fp8" },
    { "llama-fp8", "\"quantization_config\": {\"quant_method\": \"aqlm\"}",
      ATTN_ERROR_UNSUPPORTED, "“quant_method”: aqlm found, expected fp8" },
    { "llama-fp8",
      "\"quantization_config\": {\"quant_method\": \"compressed-tensors\", "
      "\"transform_config\": {\"config_groups\": {}}}",
      ATTN_ERROR_UNSUPPORTED, "“transform_config” found, expected none" },
    { "llama-gptq", "\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 8}",
      ATTN_ERROR_SHAPE, ".qweight: shape [4, 32] found, expected [8, 32]" },
    { "llama-gptq", "\"quantization_config\": {\"quant_method\": \"gptq\", \"group_size\": 8}",
      ATTN_ERROR_SHAPE, ".scales: shape [2, 32] found, expected [4, 32]" },
    { "llama-gptq",
      "\"quantization_config\": "
      "{\"quant_method\": \"gptq\", \"checkpoint_format\": \"marlin\"}",
      ATTN_ERROR_UNSUPPORTED, "“checkpoint_format”: marlin found, expected gptq, gptq_v2" },
    { "llama-awq", "\"quantization_config\": {\"quant_method\": \"awq\", \"version\": \"gemv\"}",
      ATTN_ERROR_UNSUPPORTED, "“version”: gemv found, expected gemm" },
    { "llama-auto-round",
      "\"quantization_config\": "
      "{\"quant_method\": \"auto-round\", \"packing_format\": \"auto_round\"}",
      ATTN_ERROR_UNSUPPORTED, "“packing_format”: auto_round found, expected auto_round:auto_gptq" },
    { "llama-auto-round",
      "\"quantization_config\": {\"quant_method\": \"auto-round\", \"data_type\": \"mx_fp\"}",
      ATTN_ERROR_UNSUPPORTED, "“data_type”: mx_fp found, expected int" },
    { "llama-mlx", "\"quantization\": {\"bits\": 7, \"group_size\": 8}", ATTN_ERROR_UNSUPPORTED,
      "“bits”: 7 found, expected one of 2, 3, 4, 5, 6, 8" },
    { "llama-mlx",
      "\"quantization\": {\"bits\": 4, \"group_size\": 8, \"lm_head\": {\"bits\": 8}}",
      ATTN_ERROR_SHAPE, "lm_head.scales: shape [31, 4] found, expected [31, 1]" },
    { "llama-mlx",
      "\"quantization\": {\"bits\": 4, \"lm_head\": {\"mode\": \"mxfp6\"}}",
      ATTN_ERROR_UNSUPPORTED, "“mode”: mxfp6 found, expected affine, mxfp4, nvfp4, mxfp8" },
    { "llama-biased", "\"attention_bias\": false", ATTN_ERROR_UNSUPPORTED,
      ".bias” found, which would be left out" },
    { "gpt_oss", "\"num_local_experts\": 7", ATTN_ERROR_SHAPE,
      "mlp.router.weight”: shape [6, 32]" },
    { "gpt_oss-mxfp4", "\"intermediate_size\": 32", ATTN_ERROR_SHAPE,
      "experts.down_proj”: shape [6, 32, 64] found, expected [6, 32, 32]" },
    { "gpt_oss", "\"swiglu_limit\": 0", ATTN_ERROR_LIMIT, "“swiglu_limit”: 0 found" },
    { "granite", "\"logits_scaling\": 0", ATTN_ERROR_LIMIT, "“logits_scaling”: 0 found" },
    { "olmo2", "\"num_key_value_heads\": 4", ATTN_ERROR_SHAPE, "k_proj.weight" },
    { "qwen3_moe", "\"num_experts\": 8", ATTN_ERROR_SHAPE,
      "mlp.gate.weight”: shape [7, 32] found, expected [8, 32]" },
    { "qwen3_moe", "\"num_experts_per_tok\": 8", ATTN_ERROR_LIMIT, "8 found, expected" },
    { "mixtral", "\"num_local_experts\": 0", ATTN_ERROR_LIMIT, "0 found, expected" },
    { "qwen2_moe-dense", "\"mlp_only_layers\": []", ATTN_ERROR_FORMAT,
      "no tensor “layers.3.mlp.shared_expert.gate_proj.weight” found" },
    { "qwen3", "\"hidden_act\": \"relu6\"", ATTN_ERROR_UNSUPPORTED, "relu6 found" },
    { "t5-encoder", "\"relative_attention_num_buckets\": 3", ATTN_ERROR_LIMIT,
      "“relative_attention_num_buckets”: 3 found" },
    { "t5-encoder", "\"relative_attention_max_distance\": 11", ATTN_ERROR_LIMIT,
      "“relative_attention_max_distance”: 11 found" },
    { "t5-encoder", "\"feed_forward_proj\": \"gated-sine\"", ATTN_ERROR_UNSUPPORTED,
      "“feed_forward_proj”: sine found" },
    { "t5-encoder", "\"feed_forward_proj\": \"relu\"", ATTN_ERROR_UNSUPPORTED,
      "wi_0.weight” found, which would be left out" },
    { "qwen3", "\"model_type\": \"xlnet\"", ATTN_ERROR_UNSUPPORTED,
      "xlnet found, expected one of llama, mistral, qwen2, qwen3, mixtral" },
    { "phi3", "\"intermediate_size\": 20", ATTN_ERROR_SHAPE,
      "mlp.gate_up_proj.weight”: shape [80, 32] found, expected [40, 32]" },
    { "phi3", "\"num_key_value_heads\": 4", ATTN_ERROR_SHAPE,
      "qkv_proj.weight”: shape [64, 32] found, expected [96, 32]" },
    { "phi3-fp8", "\"quantization_config\": {\"weight_block_size\": [17, 12]}",
      ATTN_ERROR_UNSUPPORTED, "a scale for each 17 rows found, expected a number that divides" },
    { "phi3-longrope", "\"original_max_position_embeddings\": 0", ATTN_ERROR_LIMIT, "0 found" },
    { "olmo", "\"clip_qkv\": 0", ATTN_ERROR_LIMIT, "“clip_qkv”: 0 found" },
    { "stablelm", "\"qk_layernorm\": true", ATTN_ERROR_FORMAT,
      "no tensor “layers.0.self_attn.q_layernorm.norms.0.weight” found" },
    { "stablelm-parallel", "\"use_parallel_residual\": false", ATTN_ERROR_FORMAT,
      "no tensor “layers.0.post_attention_layernorm.weight” found" },
    { "glm", "\"partial_rotary_factor\": 0.1", ATTN_ERROR_SHAPE, "of width 1 found" },
    { "cohere", "\"num_key_value_heads\": 1", ATTN_ERROR_SHAPE, "k_proj.weight" },
    { "cohere", "\"logit_scale\": 0", ATTN_ERROR_LIMIT, "“logit_scale”: 0 found" },
    { "cohere2", "\"sliding_window_pattern\": 0", ATTN_ERROR_LIMIT, "0 found" },
    { "minicpm", "\"dim_model_base\": 0", ATTN_ERROR_LIMIT, "“dim_model_base”: 0 found" },
    { "falcon", "\"multi_query\": false", ATTN_ERROR_SHAPE,
      "query_key_value.weight”: shape [48, 32] found, expected [96, 32]" },
    { "falcon-new", "\"num_ln_in_parallel_attn\": 3", ATTN_ERROR_LIMIT, "3 found" },
    { "mpt", "\"no_bias\": false", ATTN_ERROR_FORMAT, "no tensor “norm_f.bias” found" },
    { "mpt-biased", "\"no_bias\": true", ATTN_ERROR_UNSUPPORTED,
      ".bias” found, which would be left out" },
    { "mpt", "\"attn_config\": {\"alibi\": false}", ATTN_ERROR_UNSUPPORTED,
      "“alibi”: false found, expected true" },
    { "mpt", "\"attn_config\": {\"qk_ln\": true}", ATTN_ERROR_UNSUPPORTED, "true found" },
    { "mpt", "\"attn_config\": {\"alibi_bias_max\": 0}", ATTN_ERROR_LIMIT, "0 found" },
    { "gpt_bigcode", "\"multi_query\": 1", ATTN_ERROR_FORMAT, "“multi_query”" },
    { "deepseek_v2", "\"qk_rope_head_dim\": 3", ATTN_ERROR_SHAPE, "of width 3 found" },
    { "deepseek_v2", "\"v_head_dim\": 16777216", ATTN_ERROR_LIMIT,
      "heads of width 16777216 found" },
    { "deepseek_v2", "\"kv_lora_rank\": 13", ATTN_ERROR_SHAPE,
      "kv_a_proj_with_mqa.weight”: shape [18, 32] found, expected [17, 32]" },
    { "deepseek_v2", "\"q_lora_rank\": 8", ATTN_ERROR_SHAPE,
      "self_attn.q_b_proj.weight”: shape [40, 32] found, expected [40, 8]" },
    { "deepseek_v3", "\"n_group\": 4", ATTN_ERROR_SHAPE,
      "4 groups found, expected a number that divides the 6 experts" },
    { "deepseek_v3", "\"topk_group\": 4", ATTN_ERROR_LIMIT, "“topk_group”: 4 found" },
    { "deepseek_v3", "\"num_hidden_layers\": 2", ATTN_ERROR_FORMAT, "expected no more than the 2" },
    { "glm4_moe_lite", "\"mlp_layer_types\": [\"sparse\"]", ATTN_ERROR_FORMAT,
      "no tensor “layers.0.mlp.shared_experts.gate_proj.weight” found" },
    { "qwen3_next", "\"full_attention_interval\": 5", ATTN_ERROR_UNSUPPORTED,
      "linear attention found in each of the 4 layers, expected attention weights" },
    { "qwen3_next", "\"full_attention_interval\": 0", ATTN_ERROR_LIMIT, "0 found, expected 1" },
    { "qwen3_next", "\"linear_num_key_heads\": 3", ATTN_ERROR_SHAPE,
      "4 value heads of linear attention found, expected a multiple of the 3 key heads" },
    { "qwen3_next", "\"linear_key_head_dim\": 7", ATTN_ERROR_SHAPE,
      "in_proj_qkvz.weight”: shape [104, 32] found, expected [108, 32]" },
    { "qwen3_next", "\"linear_value_head_dim\": 40000", ATTN_ERROR_LIMIT, "40000 found" },
    { "qwen3_next", "\"linear_conv_kernel_dim\": 4", ATTN_ERROR_SHAPE,
      "conv1d.weight”: shape [64, 1, 3] found, expected [64, 1, 4]" },
    { "qwen3_next", "\"num_hidden_layers\": 2", ATTN_ERROR_FORMAT, "expected no more than the 2" },
    { "qwen3_next", "\"attn_output_gate\": false", ATTN_ERROR_UNSUPPORTED,
      "“attn_output_gate”: false found, expected true" },
    { "qwen3_5", "\"layer_types\": [\"linear_attention\"]", ATTN_ERROR_SHAPE,
      "“layer_types”: 1 found, expected one for each of the 5 layers" },
    { "qwen3_5", "\"layer_types\": [\"mamba\", 1, {}, [], null]", ATTN_ERROR_UNSUPPORTED,
      "mamba found for layer 0, expected full_attention or linear_attention" },
    { "qwen3_5_moe", "\"moe_intermediate_size\": 10", ATTN_ERROR_SHAPE,
      "mlp.experts.gate_up_proj”: shape [6, 40, 32] found, expected [6, 20, 32]" },
    { "albert", "\"num_hidden_groups\": 2", ATTN_ERROR_FORMAT,
      "no tensor “encoder.albert_layer_groups.1.albert_layers.0.attention.LayerNorm.weight”" },
    { "albert", "\"num_hidden_groups\": 4", ATTN_ERROR_LIMIT, "“num_hidden_groups”: 4 found" },
    { "albert", "\"inner_group_num\": 2", ATTN_ERROR_FORMAT, "albert_layers.1.attention" },
    { "albert-groups", "\"num_hidden_groups\": 2", ATTN_ERROR_FORMAT,
      "“encoder.albert_layer_groups.2.albert_layers.0.attention.dense.weight” found" },
    { "albert-groups", "\"inner_group_num\": 1", ATTN_ERROR_UNSUPPORTED,
      ".albert_layers.1.attention" },
    { "albert", "\"embedding_size\": 32", ATTN_ERROR_SHAPE,
      "word_embeddings.weight”: shape [31, 20] found, expected [31, 32]" },
    { "electra", "\"num_hidden_layers\": 2", ATTN_ERROR_FORMAT, "expected no more than the 2" },
    { "modernbert", "\"norm_bias\": true", ATTN_ERROR_FORMAT,
      "no tensor “embeddings.norm.bias” found" },
    { "modernbert-normed", "\"norm_bias\": false", ATTN_ERROR_UNSUPPORTED,
      "_norm.bias” found, which would be left out" },
    { "modernbert", "\"classifier_activation\": \"silu\"", ATTN_ERROR_UNSUPPORTED,
      "“classifier_activation”: silu found, expected one of gelu" },
    { "modernbert", "\"local_attention\": 0", ATTN_ERROR_LIMIT, "“local_attention”: 0 found" },
    { "modernbert", "\"mlp_bias\": true", ATTN_ERROR_FORMAT, "no tensor “layers.0.mlp.Wi.bias”" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Copy copy = copy_fixture (cases[i].name);

      set_member (&copy, cases[i].member);
      g_assert_null (attn_model_open (copy.directory, &error));
      if (strstr (error->message, cases[i].part) == NULL)
        g_test_message ("“%s” lacks “%s”", error->message, cases[i].part);
      g_assert_error (error, ATTN_ERROR, cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].part));
      remove_checkpoint (copy.directory);
    }
}

/* DeepSeek V3 comes with a layer that predicts the token after the next. */
static void
test_surplus_layers (void)
{
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("deepseek_v3");

  set_member (&copy, "\"num_hidden_layers\": 2, \"num_nextn_predict_layers\": 1");
  g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attn_model_get_info (model)->n_layers, ==, 2);
  remove_checkpoint (copy.directory);
}

/* Other spellings of the same. */
static void
test_config_aliases (void)
{
  static const struct
  {
    const char *name;
    const char *member;
  } cases[] = {
    { "llama", "\"rope_scaling\": null" },
    { "llama", "\"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 10000.0}" },
    { "llama", "\"pad_token_id\": -1" },
    { "llama", "\"head_dim\": null" },
    { "gemma2", "\"layer_types\": [\"sliding_attention\", \"full_attention\", "
                "\"sliding_attention\"]" },
    { "gemma3", "\"layer_types\": [\"sliding_attention\", \"sliding_attention\", "
                "\"full_attention\", \"sliding_attention\"]" },
    { "gemma3",
      "\"rope_scaling\": {\"full_attention\": {\"rope_type\": \"linear\", \"factor\": 4.0, "
      "\"rope_theta\": 5000}, \"sliding_attention\": {\"rope_theta\": 50}}, "
      "\"rope_local_base_freq\": 7" },
    { "gemma", "\"hidden_activation\": null" },
    { "mistral", "\"head_dim\": 8" },
    { "gpt_oss", "\"swiglu_limit\": 7.0, \"swiglu_alpha\": 1.702, \"num_experts\": null" },
    { "gpt_neox", "\"rope_parameters\": {\"partial_rotary_factor\": 0.25}" },
    { "gpt_bigcode", "\"num_key_value_heads\": 1" },
    { "qwen2_moe", "\"mlp_bias\": true" }, /* of layers without experts, of which there is none */
    { "modernbert", "\"layer_types\": [\"full_attention\", \"sliding_attention\", "
                    "\"sliding_attention\", \"full_attention\"], "
                    "\"rope_parameters\": {\"full_attention\": {\"rope_theta\": 5000.0}, "
                    "\"sliding_attention\": {\"rope_theta\": 10000.0}}" },
    { "cohere2", "\"layer_types\": [\"sliding_attention\", \"sliding_attention\", "
                 "\"full_attention\", \"sliding_attention\"]" },
    { "smollm3", "\"no_rope_layers\": [1, 0, 1, 1, 1]" },
  };
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Copy copy = copy_fixture (cases[i].name);
      g_autoptr (AttnModel) plain = open_fixture (cases[i].name);

      set_member (&copy, cases[i].member);
      g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTrace) a = compute_trace (plain, ids, 10, NULL, ATTN_QUANTITY_LOGITS, NULL);
      g_autoptr (AttnTrace) b = compute_trace (model, ids, 10, NULL, ATTN_QUANTITY_LOGITS, NULL);
      g_autoptr (AttnTensor) expected = attn_trace_get (a, ATTN_QUANTITY_LOGITS, 0);
      g_autoptr (AttnTensor) found = attn_trace_get (b, ATTN_QUANTITY_LOGITS, 0);
      g_assert_cmpfloat (compare_tensors (expected, found), ==, 0.0);
      remove_checkpoint (copy.directory);
    }
}

/* A model of pictures and text says of the text apart what the text's own model says. */
static void
test_nested_config (void)
{
  g_autoptr (GError) error = NULL;
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  Copy copy = copy_fixture ("gemma3");
  g_autofree char *path = g_build_filename (copy.directory, "config.json", NULL);
  g_autoptr (AttnModel) plain = open_fixture ("gemma3");
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autofree char *nested =
      g_strdup_printf ("{\"model_type\": \"gemma3\", \"hidden_size\": 7, "
                       "\"text_config\": %s}",
                       text);
  g_assert_true (g_file_set_contents (path, nested, -1, NULL));
  g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTrace) a = compute_trace (plain, ids, 6, NULL, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTrace) b = compute_trace (model, ids, 6, NULL, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTensor) expected = attn_trace_get (a, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) found = attn_trace_get (b, ATTN_QUANTITY_LOGITS, 0);
  g_assert_cmpfloat (compare_tensors (expected, found), ==, 0.0);
  remove_checkpoint (copy.directory);
}

/* What Granite's configurations leave out is 1, not the usual root of the head width. */
static void
test_granite_without_multiplier (void)
{
  static const char * const members[] = { "\"attention_multiplier\": 1.0",
                                          "\"attention_multiplier\": null" };
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  AttnTensor *weights[2];

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      Copy copy = copy_fixture ("granite");

      set_member (&copy, members[i]);
      g_autoptr (AttnModel) model = attn_model_open (copy.directory, NULL);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, 6, NULL, ATTN_QUANTITY_WEIGHTS, NULL);
      weights[i] = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);
      remove_checkpoint (copy.directory);
    }
  g_assert_cmpfloat (compare_tensors (weights[0], weights[1]), ==, 0.0);
  attn_tensor_unref (weights[0]);
  attn_tensor_unref (weights[1]);
}

static void
append_family_names (GString  *text,
                     gboolean  is_gguf)
{
  const char * const *names =
      is_gguf ? attn_family_get_names (TRUE) : attn_model_get_families ();

  for (gsize i = 0; names[i] != NULL; i++)
    g_string_append_printf (text, "%s`%s`", i > 0 ? ", " : "", names[i]);
}

/* What the README names is what the table has, whatever its lines. */
static void
test_readme (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "README.md", NULL);
  g_autoptr (GString) expected = g_string_new ("Families of models: ");
  g_autofree char *readme = NULL;

  g_assert_true (g_file_get_contents (path, &readme, NULL, NULL));
  append_family_names (expected, FALSE);
  g_string_append (expected, "; as GGUF ");
  append_family_names (expected, TRUE);
  g_string_append (expected, ". Any other is refused by name.");
  g_strdelimit (readme, "\n", ' ');
  if (strstr (readme, expected->str) == NULL)
    g_test_message ("README.md lacks: %s", expected->str);
  g_assert_nonnull (strstr (readme, expected->str));
}

/* Whatever stands in config.json, the outcome is an error or a model that computes. */
static void
test_config_mutations (gconstpointer name)
{
  static const char letters[] = "0123456789-.eE{}[]\",: ntf\\u\x80";
  g_autoptr (GRand) rand = g_rand_new_with_seed (47);
  const guint32 ids[] = { 1, 2, 3, 4 };
  Copy copy = copy_fixture (name);
  g_autofree char *path = g_build_filename (copy.directory, "config.json", NULL);
  g_autofree char *original = NULL;
  guint n_opened = 0;
  gsize length;

  g_assert_true (g_file_get_contents (path, &original, &length, NULL));
  guint n_mutations = g_test_thorough () ? 10000 : 300;
  for (guint i = 0; i < n_mutations; i++)
    {
      g_autofree char *json = g_memdup2 (original, length + 1);
      g_autoptr (GError) error = NULL;

      for (gint n = g_rand_int_range (rand, 1, 3); n > 0; n--)
        json[g_rand_int_range (rand, 0, (gint32) length)] =
            letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
      g_assert_true (g_file_set_contents_full (path, json, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
      g_assert_true ((model != NULL) != (error != NULL));
      if (model == NULL)
        continue;
      n_opened++;
      AttnTraceRequest request = { ids, 4, NULL, ATTN_QUANTITY_LOGITS, NULL };
      AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
      g_assert_true ((trace != NULL) != (error != NULL));
      g_clear_pointer (&trace, attn_trace_unref);
    }
  g_assert_cmpuint (n_opened, >, 0);
  g_assert_cmpuint (n_opened, <, n_mutations);
  g_test_message ("%u of %u opened", n_opened, n_mutations);
  remove_checkpoint (copy.directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/families/query-key-norm-undoes-scaling",
                   test_query_key_norm_undoes_scaling);
  g_test_add_func ("/model/families/grouped-heads", test_grouped_heads);
  g_test_add_func ("/model/families/window", test_window);
  g_test_add_func ("/model/families/sinks", test_sinks);
  g_test_add_func ("/model/families/all-masked", test_all_masked);
  g_test_add_func ("/model/families/get-window", test_get_window);
  g_test_add_func ("/model/families/without-head", test_without_head);
  g_test_add_func ("/model/families/old-norm-names", test_old_norm_names);
  g_test_add_func ("/model/families/config-refused", test_config_refused);
  g_test_add_func ("/model/families/surplus-layers", test_surplus_layers);
  g_test_add_func ("/model/families/config-aliases", test_config_aliases);
  g_test_add_func ("/model/families/nested-config", test_nested_config);
  g_test_add_func ("/model/families/granite-without-multiplier", test_granite_without_multiplier);
  g_test_add_func ("/model/families/readme", test_readme);
  for (gsize i = 0; i < G_N_ELEMENTS (rotary_names); i++)
    {
      g_autofree char *path = g_strdup_printf (
          "/model/families/token-mean-of-rotated-key-is-uniform/%s", rotary_names[i]);
      g_test_add_data_func (path, rotary_names[i], test_token_mean_of_rotated_key_is_uniform);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *ways = g_strdup_printf ("/model/families/ways-agree/%s", families[i].name);
      g_test_add_data_func (ways, families[i].name, test_ways_agree);

      g_autofree char *mutations =
          g_strdup_printf ("/model/families/config-mutations/%s", families[i].name);
      g_test_add_data_func (mutations, families[i].name, test_config_mutations);

      g_autofree char *golden = g_strdup_printf ("/model/families/golden/%s", families[i].name);
      g_autofree char *info = g_strdup_printf ("/model/families/info/%s", families[i].name);

      g_test_add_data_func (golden, &families[i], test_golden);
      g_test_add_data_func (info, &families[i], test_info);
    }
  return g_test_run ();
}
