/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GGUF files as models: the same figures as the checkpoints that they were made from, and files
 * that are wrong. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "../format/gguf-fixture.h"
#include "attn-error.h"
#include "gguf-model.h"
#include "model-fixture.h"

static const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };

/* A checkpoint as it is and as a GGUF file beside it. */
typedef struct
{
  Copy copy;
  char *path;
} Pair;

static void
write_bytes (const char       *path,
             const GByteArray *bytes)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (path, (const char *) bytes->data, bytes->len, G_FILE_SET_CONTENTS_NONE,
                            0600, &error);
  g_assert_no_error (error);
}

/* @member: (nullable): what config.json says otherwise */
/* A model without biases has no tensors of them: they are put beside the layers. */
static void
move_biases (const Copy *copy)
{
  static const char * const stems[] = { "q_a_proj", "kv_a_proj_with_mqa", "o_proj" };

  for (gsize i = 0; i < 3 * G_N_ELEMENTS (stems); i++)
    {
      g_autofree char *from = g_strdup_printf ("model.layers.%zu.self_attn.%s.bias", i / 3,
                                               stems[i % 3]);
      g_autofree char *to = g_strdup_printf ("other.layers.%zu.self_attn.%s.bias", i / 3,
                                             stems[i % 3]);

      rename_tensor (copy, "model.safetensors", from, to);
    }
}

static Pair
make_pair (const char       *name,
           const char       *member,
           const GgufRecipe *recipe,
           gboolean          is_snapped)
{
  Pair pair = { .copy = copy_fixture (name) };

  pair.path = g_build_filename (pair.copy.directory, "a model.gguf", NULL);
  if (member != NULL)
    set_member (&pair.copy, member);
  if (is_snapped)
    gguf_snap (pair.copy.directory);
  g_autoptr (GByteArray) bytes = gguf_convert (pair.copy.directory, recipe);
  write_bytes (pair.path, bytes);
  if (member != NULL && strstr (member, "\"attention_bias\": false") != NULL)
    move_biases (&pair.copy);
  return pair;
}

static void
remove_pair (Pair *pair)
{
  remove_checkpoint (pair->copy.directory);
  g_free (pair->path);
}

typedef struct
{
  const char *label;
  const char *name;
  const char *member;
  GgufRecipe recipe;
} Case;

/* Those whose configuration a GGUF file can hold. */
static const Case golden_cases[] = {
  { .label = "gpt2", .name = "gpt2-prefixed" },
  { .label = "llama", .name = "llama" },
  { .label = "llama-biased", .name = "llama-biased" },
  { .label = "llama-linear", .name = "llama-linear" },
  { .label = "llama-llama3", .name = "llama-llama3" },
  { .label = "llama-yarn", .name = "llama-yarn" },
  { .label = "qwen3", .name = "qwen3" },
  { .label = "gemma", .name = "gemma" },
  { .label = "gemma2", .name = "gemma2", .recipe = { .writes_scale = TRUE } },
  { .label = "qwen2_moe", .name = "qwen2_moe" },
  { .label = "qwen3_moe", .name = "qwen3_moe" },
  { .label = "gpt_oss", .name = "gpt_oss" },
  { .label = "olmo2", .name = "olmo2" },
  { .label = "olmo3", .name = "olmo3" },
  { .label = "granite", .name = "granite" },
  { .label = "gemma3", .name = "gemma3", .recipe = { .writes_scale = TRUE } },
  { .label = "gemma4", .name = "gemma4" },
  { .label = "gemma4-experts", .name = "gemma4-experts" },
  { .label = "phi3", .name = "phi3" },
  { .label = "phi3-longrope", .name = "phi3-longrope" },
  { .label = "olmo", .name = "olmo" },
  { .label = "stablelm", .name = "stablelm" },
  { .label = "stablelm-parallel", .name = "stablelm-parallel" },
  { .label = "glm", .name = "glm" },
  { .label = "glm4", .name = "glm4" },
  { .label = "cohere", .name = "cohere" },
  { .label = "cohere2", .name = "cohere2" },
  { .label = "minicpm", .name = "minicpm" },
  { .label = "falcon", .name = "falcon" },
  { .label = "falcon-new", .name = "falcon-new" },
  { .label = "falcon-new-one-norm", .name = "falcon-new-one-norm" },
  { .label = "mpt", .name = "mpt" },
  { .label = "gpt_bigcode", .name = "gpt_bigcode" },
  { .label = "phi", .name = "phi" },
  { .label = "phi-fused", .name = "phi", .recipe = { .fuses_qkv = TRUE } },
  { .label = "gpt_neox", .name = "gpt_neox" },
  { .label = "gpt_neox-sequential", .name = "gpt_neox-sequential" },
  { .label = "bloom", .name = "bloom" },
  { .label = "bert", .name = "bert" },
  { .label = "deepseek_v3", .name = "deepseek_v3" },
  { .label = "deepseek_v3-split", .name = "deepseek_v3", .recipe = { .splits_latents = TRUE } },
  { .label = "glm4_moe_lite", .name = "glm4_moe_lite", .recipe = { .splits_latents = TRUE } },
  { .label = "qwen2_moe-fused", .name = "qwen2_moe", .recipe = { .fuses_experts = TRUE } },
  { .label = "deepseek_v3-fused", .name = "deepseek_v3", .recipe = { .fuses_experts = TRUE } },
  { .label = "llama-scaled", .name = "llama", .recipe = { .scales_weights = TRUE } },
  { .label = "phi-scaled",
    .name = "phi",
    .recipe = { .fuses_qkv = TRUE, .scales_weights = TRUE } },
  { .label = "phi3-scaled", .name = "phi3", .recipe = { .scales_weights = TRUE } },
  { .label = "gpt_oss-scaled", .name = "gpt_oss", .recipe = { .scales_weights = TRUE } },
  { .label = "qwen2_moe-scaled", .name = "qwen2_moe", .recipe = { .scales_weights = TRUE } },
  { .label = "qwen3_moe-fused-scaled",
    .name = "qwen3_moe",
    .recipe = { .fuses_experts = TRUE, .scales_weights = TRUE } },
  { .label = "modernbert", .name = "modernbert" },
  { .label = "modernbert-biased", .name = "modernbert-biased" },
  { .label = "qwen3_next", .name = "qwen3_next" },
};

/* Those that a GGUF file changes, and those that PyTorch has not computed. */
static const Case changed_cases[] = {
  { "qwen2-without-window", "qwen2", "\"use_sliding_window\": false", { 0 } },
  { "mistral-without-window", "mistral", "\"sliding_window\": null", { 0 } },
  { "starcoder2-without-window", "starcoder2", "\"sliding_window\": null", { 0 } },
  { "smollm3-by-interval", "smollm3", "\"no_rope_layers\": null", { 0 } },
  { "mixtral-without-window", "mixtral", "\"sliding_window\": null", { 0 } },
  { "qwen3_5", "qwen3_5", "\"layer_types\": null, \"full_attention_interval\": 2", { 0 } },
  { "qwen3_5_moe-tied", "qwen3_5_moe", "\"tie_word_embeddings\": true", { 0 } },
  { "gemma2-head-width", "gemma2", "\"query_pre_attn_scalar\": 12", { 0 } },
  { "llama-yarn-longer", "llama", "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 8.0, "
                                  "\"original_max_position_embeddings\": 16}",
    { 0 } },
  { "deepseek_v2-one-magnitude",
    "deepseek_v2",
    "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, \"beta_fast\": 4.0, "
    "\"mscale\": 0.9, \"mscale_all_dim\": 0.9, \"original_max_position_embeddings\": 64}",
    { .splits_latents = TRUE } },
  { "deepseek_v2-groups-unbiased", "deepseek_v2-groups", "\"attention_bias\": false", { 0 } },
  { "deepseek_v3-paired",
    "deepseek_v3-halves",
    "\"rope_interleave\": true",
    { .splits_latents = TRUE } },
};

static const char * const quantised_names[] = { "llama", "qwen3", "gemma",
                                                "phi", "bert", "qwen3_moe",
                                                "phi3", "falcon-new", "deepseek_v3" };

static void
test_golden (gconstpointer data)
{
  const Case *test = data;
  Pair pair = make_pair (test->name, test->member, &test->recipe, FALSE);
  g_autoptr (AttnModel) model = open_model (pair.path);

  check_golden_model (model, test->name, 4);
  remove_pair (&pair);
}

static double
compare (AttnTrace    *a,
         AttnTrace    *b,
         AttnQuantity  quantity,
         gsize         layer)
{
  g_autoptr (AttnTensor) x = attn_trace_get (a, quantity, layer);
  g_autoptr (AttnTensor) y = attn_trace_get (b, quantity, layer);

  return compare_tensors (x, y);
}

/* All that a layer has. 5e-5: numbers up to 10, and the weights of Gemma's norms are rounded once
 * more where 1 is added to them. A key whose features are all their mean, which is near 0, is what
 * a norm of keys makes of its rounding: 2.5e-5 to 7.2e-5 in Gemma 4, by processor and compiler; ten
 * times the tolerance of the others is a thousandth of such a key. */
static void
assert_same (AttnModel  *a,
             AttnModel  *b,
             const char *text)
{
  static const AttnQuantity quantities[] = {
    ATTN_QUANTITY_RESIDUAL,
    ATTN_QUANTITY_QUERY,
    ATTN_QUANTITY_KEY,
    ATTN_QUANTITY_VALUE,
    ATTN_QUANTITY_SCORES,
    ATTN_QUANTITY_WEIGHTS,
  };
  AttnQuantity all = everything & ~(AttnQuantity) ATTN_QUANTITY_LOGITS;
  double tolerance = g_str_has_prefix (text, "key/mean-feature") ? 5e-4 : 5e-5;
  g_autoptr (GPtrArray) interventions = interventions_from_text (text);
  g_autoptr (AttnTrace) x = compute_trace (a, ids, G_N_ELEMENTS (ids), interventions, all, NULL);
  g_autoptr (AttnTrace) y = compute_trace (b, ids, G_N_ELEMENTS (ids), interventions, all, NULL);

  for (gsize layer = 0; layer < attn_model_get_info (a)->n_layers; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (quantities); i++)
      if (i == 0 || attn_model_has_map (a, layer))
        g_assert_cmpfloat (compare (x, y, quantities[i], layer), <, tolerance);
}

/* Queries and keys come in the order of the checkpoint, too. */
static void
assert_same_models (AttnModel *a,
                    AttnModel *b)
{
  static const char * const texts[] = {
    "baseline",
    "query/mean-token/0/all/all",
    "key/mean-head/0/all/all",
    "key/mean-feature/all/all/all",
    "key/scale=0.3/0/0/all",
    "query/scale=0.5@rotated/1/1/all",
  };

  g_assert_cmpuint (attn_model_get_info (a)->n_layers, ==, attn_model_get_info (b)->n_layers);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if ((strstr (texts[i], "rotated") == NULL || attn_model_get_info (a)->has_rotary) &&
        (strstr (texts[i], "/0/") == NULL || attn_model_has_map (a, 0)))
      assert_same (a, b, texts[i]);
}

static void
test_same_as_checkpoint (gconstpointer data)
{
  const Case *test = data;
  Pair pair = make_pair (test->name, test->member, &test->recipe, FALSE);
  g_autoptr (AttnModel) plain = open_model (pair.copy.directory);
  g_autoptr (AttnModel) model = open_model (pair.path);

  assert_same_models (plain, model);
  /* The file holds the outcome of Llama 3's rule, not the rule. */
  g_assert_cmpstr (attn_model_get_info (model)->position_scheme, ==,
                   g_str_equal (test->name, "llama-llama3")
                       ? "rotary, scaled by frequency"
                       : attn_model_get_info (plain)->position_scheme);
  g_assert_cmpuint (attn_model_get_info (plain)->n_positions, ==,
                    attn_model_get_info (model)->n_positions);
  remove_pair (&pair);
}

/* Q8_0 of a checkpoint whose numbers Q8_0 can hold is that checkpoint; the numbers as they were are
 * off by up to half a step, 1/254 of the largest of their block, which moves no weight here by more
 * than 0.05. */
static void
test_quantised (gconstpointer name)
{
  const GgufRecipe recipe = { .type = GGML_Q8_0 };
  Pair exact = make_pair (name, NULL, &recipe, TRUE);
  Pair rounded = make_pair (name, NULL, &recipe, FALSE);
  g_autoptr (AttnModel) plain = open_model (exact.copy.directory);
  g_autoptr (AttnModel) model = open_model (exact.path);
  g_autoptr (AttnModel) original = open_model (rounded.copy.directory);
  g_autoptr (AttnModel) near = open_model (rounded.path);

  /* The rows of the others' output are no whole blocks. */
  g_assert_cmpstr (attn_model_get_info (model)->dtype, ==,
                   attn_model_get_info (model)->head_width % 8 == 0 ? "Q8_0" : "F32");
  assert_same_models (plain, model);

  AttnQuantity keep = ATTN_QUANTITY_WEIGHTS;
  g_autoptr (AttnTrace) a = compute_trace (original, ids, G_N_ELEMENTS (ids), NULL, keep, NULL);
  g_autoptr (AttnTrace) b = compute_trace (near, ids, G_N_ELEMENTS (ids), NULL, keep, NULL);
  for (gsize layer = 0; layer < attn_model_get_info (model)->n_layers; layer++)
    {
      double error = compare (a, b, ATTN_QUANTITY_WEIGHTS, layer);

      g_test_message ("%s, layer %zu: weights off by %g", (const char *) name, layer, error);
      g_assert_cmpfloat (error, <, 0.05);
      g_assert_cmpfloat (error, >, 0.0);
    }
  remove_pair (&exact);
  remove_pair (&rounded);
}

/* By the file, by a directory without other weights, and under a name that says nothing. */
static void
test_where_it_lies (void)
{
  g_autoptr (GError) error = NULL;
  const GgufRecipe recipe = { 0 };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autofree char *config = g_build_filename (pair.copy.directory, "config.json", NULL);
  g_autofree char *weights = g_build_filename (pair.copy.directory, "model.safetensors", NULL);
  g_autofree char *other = g_build_filename (pair.copy.directory, "b.gguf", NULL);
  g_autofree char *blob = g_build_filename (pair.copy.directory, "sha256-0123", NULL);
  g_autoptr (AttnModel) model = open_model (pair.path);
  const AttnModelInfo *info = attn_model_get_info (model);

  g_assert_cmpstr (attn_model_get_name (model), ==, "a model");
  g_assert_cmpstr (attn_model_get_path (model), ==, pair.path);
  g_assert_cmpstr (info->family, ==, "llama");
  g_assert_cmpstr (info->dtype, ==, "F32");
  g_assert_cmpuint (info->n_key_heads, ==, 2);
  g_assert_cmpuint (info->n_positions, ==, 64);
  g_assert_cmpuint (info->vocabulary_size, ==, 31);
  g_assert_null (attn_model_get_tokenizer (model, &error));
  g_assert_nonnull (strstr (error->message, "a model.gguf: no tokenizer found"));
  g_clear_error (&error);

  g_unlink (config);
  g_unlink (weights);
  g_autoptr (AttnModel) from_directory = open_model (pair.copy.directory);
  g_assert_cmpstr (attn_model_get_path (from_directory), ==, pair.path);
  g_assert_cmpstr (attn_model_get_fingerprint (from_directory), ==,
                   attn_model_get_fingerprint (model));

  g_assert_cmpint (g_rename (pair.path, blob), ==, 0);
  g_autoptr (AttnModel) from_blob = open_model (blob);
  g_assert_cmpstr (attn_model_get_name (from_blob), ==, "sha256-0123");
  g_assert_cmpstr (attn_model_get_fingerprint (from_blob), ==, attn_model_get_fingerprint (model));

  g_assert_true (g_file_set_contents (pair.path, "", 0, NULL));
  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_null (attn_model_open (pair.copy.directory, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "2 GGUF files found"));
  g_assert_nonnull (strstr (error->message, "a model.gguf, b.gguf"));
  remove_pair (&pair);
}

static guint
add_tokenizer (GByteArray *pairs)
{
  gguf_put_key (pairs, "tokenizer.ggml.model", GGUF_STRING);
  gguf_put_string (pairs, "gpt2");
  gguf_put_array (pairs, "tokenizer.ggml.tokens", GGUF_STRING, 31);
  for (guint i = 0; i < 31; i++)
    {
      const char piece[] = { (char) ('A' + i), '\0' };

      gguf_put_string (pairs, piece);
    }
  return 2;
}

/* The file's own, whatever lies beside it. */
static void
test_tokenizer (void)
{
  g_autoptr (GError) error = NULL;
  const GgufRecipe recipe = { .extra = add_tokenizer };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autofree char *other = g_build_filename (pair.copy.directory, "tokenizer.json", NULL);
  g_autoptr (AttnModel) model = open_model (pair.path);

  g_assert_true (g_file_set_contents (other, "{}", -1, NULL));
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attn_tokenizer_get_size (tokenizer), ==, 31);
  g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, 2), ==, "C");
  remove_pair (&pair);
}

static void
flip_byte (const char *path,
           gsize       at)
{
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  data[at == G_MAXSIZE ? length - 4 : at] ^= 1;
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
}

/* A change of the metadata, and one of the weights. */
static void
test_fingerprint (void)
{
  const GgufRecipe recipe = { 0 };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autoptr (AttnModel) model = open_model (pair.path);

  flip_byte (pair.path, G_MAXSIZE);
  g_autoptr (AttnModel) other_weights = open_model (pair.path);
  g_assert_cmpstr (attn_model_get_fingerprint (model), !=,
                   attn_model_get_fingerprint (other_weights));
  flip_byte (pair.path, G_MAXSIZE);

  g_autofree char *data = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (pair.path, &data, &length, NULL));
  const char *at = memmem (data, length, "layer_norm_rms_epsilon", 22);
  flip_byte (pair.path, (gsize) (at - data) + 22 + 4);
  g_autoptr (AttnModel) other_epsilon = open_model (pair.path);
  g_assert_cmpstr (attn_model_get_fingerprint (model), !=,
                   attn_model_get_fingerprint (other_epsilon));
  remove_pair (&pair);
}

static guint
add_number (GByteArray *pairs,
            const char *key,
            float       value)
{
  gguf_put_key (pairs, key, GGUF_F32);
  gguf_put_f32 (pairs, value);
  return 1;
}

/* Frequencies stretched by linear scaling, and products of queries and keys times 1.5². */
static guint
add_unmixed_yarn (GByteArray *pairs)
{
  gguf_put_key (pairs, "llama.rope.scaling.type", GGUF_STRING);
  gguf_put_string (pairs, "yarn");
  return 1 + add_number (pairs, "llama.rope.scaling.factor", 4.0f) +
         add_number (pairs, "llama.rope.scaling.yarn_ext_factor", 0.0f) +
         add_number (pairs, "llama.rope.scaling.yarn_attn_factor", 1.2f) +
         add_number (pairs, "llama.rope.scaling.attn_factor", 1.25f);
}

static void
test_yarn_without_mixing (void)
{
  const GgufRecipe recipe = { .extra = add_unmixed_yarn };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autoptr (AttnModel) model = open_model (pair.path);
  g_autoptr (GPtrArray) scaled = interventions_from_text ("query/scale=2.25@rotated/0/all/all");
  set_member (&pair.copy, "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}");
  g_autoptr (AttnModel) plain = open_model (pair.copy.directory);
  g_autoptr (AttnTrace) x =
      compute_trace (plain, ids, G_N_ELEMENTS (ids), scaled, ATTN_QUANTITY_WEIGHTS, NULL);
  g_autoptr (AttnTrace) y =
      compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_WEIGHTS, NULL);

  g_assert_cmpfloat (compare (x, y, ATTN_QUANTITY_WEIGHTS, 0), <, 2e-5);
  remove_pair (&pair);
}

static void
put_delta_layers (GByteArray *pairs,
                  const char *key,
                  guint       n_layers)
{
  gguf_put_array (pairs, key, GGUF_BOOL, n_layers);
  for (guint i = 0; i < n_layers; i++)
    gguf_put (pairs, i % 2 == 0, 1);
}

static guint
add_delta_layers (GByteArray *pairs)
{
  put_delta_layers (pairs, "qwen35.attention.recurrent_layers", 5);
  return 1;
}

static guint
add_few_delta_layers (GByteArray *pairs)
{
  put_delta_layers (pairs, "qwen35.attention.recurrent_layers", 4);
  return 1;
}

static guint
add_other_delta_layers (GByteArray *pairs)
{
  put_delta_layers (pairs, "llama.attention.recurrent_layers", 2);
  return 1;
}

static guint
add_unknown (GByteArray *pairs)
{
  return add_number (pairs, "llama.attention.clamp_kqv", 3.0f);
}

static guint
add_experts (GByteArray *pairs)
{
  gguf_put_key (pairs, "llama.expert_count", GGUF_U32);
  gguf_put (pairs, 8, 4);
  return 1;
}

static guint
add_qwen2_experts (GByteArray *pairs)
{
  gguf_put_key (pairs, "qwen2.expert_count", GGUF_U32);
  gguf_put (pairs, 8, 4);
  return 1;
}

static guint
add_wide_values (GByteArray *pairs)
{
  gguf_put_key (pairs, "llama.attention.value_length", GGUF_U32);
  gguf_put (pairs, 16, 4);
  return 1;
}

static guint
add_longrope (GByteArray *pairs)
{
  gguf_put_key (pairs, "llama.rope.scaling.type", GGUF_STRING);
  gguf_put_string (pairs, "longrope");
  return 1;
}

static guint
add_wide_heads (GByteArray *pairs)
{
  gguf_put_key (pairs, "llama.attention.key_length", GGUF_U32);
  gguf_put (pairs, 16, 4);
  return 1;
}

static void
assert_refused (const char *path,
                int         code,
                const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_model_open (path, &error));
  if (strstr (error->message, part) == NULL)
    g_test_message ("“%s” lacks “%s”", error->message, part);
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_nonnull (strstr (error->message, part));
}

/* Two parts, by either or by their directory; without the second, or with a name that does not say
 * what it is, none opens. */
static void
test_parts (void)
{
  g_autoptr (GError) error = NULL;
  const GgufRecipe first = { .split_count = 2 };
  const GgufRecipe second = { .split_count = 2, .split_number = 1 };
  Pair pair = make_pair ("llama", NULL, &first, FALSE);
  char *paths[2];
  g_autoptr (GByteArray) bytes = gguf_convert (pair.copy.directory, &second);
  g_autoptr (AttnModel) plain = open_model (pair.copy.directory);
  g_autofree char *config = g_build_filename (pair.copy.directory, "config.json", NULL);
  g_autofree char *weights = g_build_filename (pair.copy.directory, "model.safetensors", NULL);

  for (gsize i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("m-0000%zu-of-00002.gguf", i + 1);
      paths[i] = g_build_filename (pair.copy.directory, name, NULL);
    }
  assert_refused (pair.path, ATTN_ERROR_FORMAT, "the first of 2 parts found");
  g_assert_cmpint (g_rename (pair.path, paths[0]), ==, 0);
  g_assert_null (attn_model_open (paths[0], &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "m-00002-of-00002.gguf: no such file found"));

  write_bytes (paths[1], bytes);
  g_autoptr (AttnModel) one = open_model (paths[0]);
  g_autoptr (AttnModel) other = open_model (paths[1]);
  g_assert_cmpstr (attn_model_get_name (one), ==, "m");
  g_assert_cmpstr (attn_model_get_fingerprint (one), ==, attn_model_get_fingerprint (other));
  assert_same_models (plain, one);
  g_unlink (config);
  g_unlink (weights);
  g_autoptr (AttnModel) both = open_model (pair.copy.directory);
  g_assert_cmpstr (attn_model_get_path (both), ==, paths[0]);
  for (gsize i = 0; i < 2; i++)
    {
      g_unlink (paths[i]);
      g_free (paths[i]);
    }
  remove_pair (&pair);
}

static void
test_refused (void)
{
  static const struct
  {
    GgufRecipe recipe;
    int code;
    const char *part;
  } cases[] = {
    { { .architecture = "mamba" },
      ATTN_ERROR_UNSUPPORTED,
      "mamba found, expected one of llama, qwen2, qwen3, qwen2moe, qwen3moe, gpt-oss, " },
    { { .split_count = 3 },
      ATTN_ERROR_FORMAT,
      "the first of 3 parts found, expected a name that ends in “-00001-of-00003.gguf”" },
    { { .extra = add_experts },
      ATTN_ERROR_FORMAT,
      "no tensor “blk.0.ffn_gate_inp.weight” found" },
    { { .architecture = "qwen2", .extra = add_qwen2_experts },
      ATTN_ERROR_UNSUPPORTED,
      "“qwen2.expert_count”: a mixture of 8 experts found" },
    { { .extra = add_unknown },
      ATTN_ERROR_UNSUPPORTED,
      "“llama.attention.clamp_kqv” found, expected only keys whose effect is known" },
    { { .extra = add_other_delta_layers },
      ATTN_ERROR_UNSUPPORTED,
      "“llama.attention.recurrent_layers” found, expected only keys whose effect is known" },
    { { .extra = add_wide_values },
      ATTN_ERROR_UNSUPPORTED,
      "“llama.attention.value_length”: 16 found, expected 8" },
    { { .extra = add_longrope },
      ATTN_ERROR_UNSUPPORTED,
      "longrope found, expected none, linear or yarn" },
    { { .extra = add_wide_heads },
      ATTN_ERROR_UNSUPPORTED,
      "width 8 found, expected the head width, 16" },
    { { .architecture = "gpt2" },
      ATTN_ERROR_FORMAT,
      "no “gpt2.attention.layer_norm_epsilon” found" },
    { { .architecture = "qwen3" },
      ATTN_ERROR_FORMAT,
      "no tensor “blk.0.attn_q_norm.weight” found" },
    { { .architecture = "deepseek2" },
      ATTN_ERROR_FORMAT,
      "no “deepseek2.attention.kv_lora_rank” found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Pair pair = make_pair ("llama", NULL, &cases[i].recipe, FALSE);

      assert_refused (pair.path, cases[i].code, cases[i].part);
      remove_pair (&pair);
    }
}

/* Layers of linear attention by a list, where an interval would say otherwise. */
static void
test_delta_layers (void)
{
  const GgufRecipe recipe = { .extra = add_delta_layers };
  const GgufRecipe few = { .extra = add_few_delta_layers };
  Pair pair = make_pair ("qwen3_5", NULL, &recipe, FALSE);
  Pair other = make_pair ("qwen3_5", NULL, &few, FALSE);
  g_autoptr (AttnModel) plain = open_model (pair.copy.directory);
  g_autoptr (AttnModel) model = open_model (pair.path);

  assert_same_models (plain, model);
  assert_refused (other.path, ATTN_ERROR_SHAPE,
                  "“qwen35.attention.recurrent_layers”: 4 found, expected one for each of the 5");
  remove_pair (&pair);
  remove_pair (&other);
}

/* One text in the file for another of the same length. */
static void
test_refused_names (void)
{
  static const struct
  {
    const char *from;
    const char *to;
    int code;
    const char *part;
  } cases[] = {
    { "general.architecture", "general.architectura", ATTN_ERROR_FORMAT,
      "no “general.architecture” found, expected one of llama" },
    { "llama.block_count", "llama.block_cound", ATTN_ERROR_FORMAT,
      "no “llama.block_count” found" },
    { "blk.1.attn_k.weight", "blk.1.attn_x.weight", ATTN_ERROR_FORMAT,
      "no tensor “blk.1.attn_k.weight” found, expected one of shape [16, 32]" },
    { "output.weight", "outpux.weight", ATTN_ERROR_UNSUPPORTED, "tensor “outpux.weight” found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const GgufRecipe recipe = { 0 };
      Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
      g_autofree char *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (pair.path, &data, &length, NULL));
      char *at = data;
      /* Not the end of another name: the length stands before it, as 64 bits. */
      do
        at = memmem (at + 1, (gsize) (data + length - at - 1), cases[i].from,
                     strlen (cases[i].from));
      while (at != NULL && at[-1] != '\0');
      g_assert_nonnull (at);
      memcpy (at, cases[i].to, strlen (cases[i].to));
      g_assert_true (g_file_set_contents (pair.path, data, (gssize) length, NULL));
      assert_refused (pair.path, cases[i].code, cases[i].part);
      remove_pair (&pair);
    }
}

static void
test_not_gguf (void)
{
  const GgufRecipe recipe = { 0 };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autofree char *weights = g_build_filename (pair.copy.directory, "model.safetensors", NULL);

  g_assert_cmpint (g_rename (weights, pair.path), ==, 0);
  assert_refused (pair.path, ATTN_ERROR_FORMAT, "expected those of the GGUF format");
  remove_pair (&pair);
}

/* Either an error or a model that computes; never both, never neither. Returns whether the weights
 * of attention are those given. */
static gboolean
try_file (const char      *path,
          const AttnTrace *expected,
          guint           *n_opened)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (path, &error);
  const guint32 few[] = { 1, 2, 3 };
  AttnTraceRequest request = { few, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL };

  g_assert_true ((model != NULL) != (error != NULL));
  if (model == NULL)
    return FALSE;
  (*n_opened)++;
  g_autoptr (AttnTrace) trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  g_assert_true ((trace != NULL) != (error != NULL));
  if (trace == NULL)
    return FALSE;
  gsize layer = attn_index_set_get_first (attn_model_get_info (model)->mapped_layers);
  g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
  g_autoptr (AttnTensor) right = attn_trace_get (expected, ATTN_QUANTITY_WEIGHTS, layer);
  return right != NULL && found->n_dims == right->n_dims &&
         memcmp (found->shape, right->shape, sizeof *found->shape * found->n_dims) == 0 &&
         memcmp (found->data, right->data,
                 attn_tensor_get_n_elements (found) * sizeof (float)) == 0;
}

/* Cut anywhere in the metadata, between the tensors and within them, it does not open. */
static void
test_truncation (void)
{
  const GgufRecipe recipe = { .type = GGML_Q8_0 };
  Pair pair = make_pair ("llama", NULL, &recipe, FALSE);
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (pair.path, &data, &length, NULL));
  for (gsize n = 0; n < length; n += n < 1024 ? 7 : 997)
    {
      g_autoptr (GError) error = NULL;

      /* That flag does not shorten a file. */
      g_unlink (pair.path);
      g_assert_true (g_file_set_contents_full (pair.path, data, (gssize) n,
                                               G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      g_assert_null (attn_model_open (pair.path, &error));
      g_assert_nonnull (error);
    }
  remove_pair (&pair);
}

/* Mutations of what stands before the tensors. */
static void
test_mutations (gconstpointer name)
{
  const GgufRecipe recipe = {
    .splits_latents = g_str_equal (name, "deepseek_v3"),
    .fuses_experts = g_str_equal (name, "qwen3_moe"),
    .scales_weights = g_str_equal (name, "qwen3_moe") || g_str_equal (name, "phi3"),
    .extra = g_str_equal (name, "qwen3_5") ? add_delta_layers : NULL,
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (53);
  Pair pair = make_pair (name, NULL, &recipe, FALSE);
  g_autofree char *data = NULL;
  gsize length;
  const guint32 few[] = { 1, 2, 3 };
  g_autoptr (AttnModel) model = open_model (pair.path);
  g_autoptr (AttnTrace) trace = compute_trace (model, few, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL);
  guint n_opened = 0;

  g_assert_true (g_file_get_contents (pair.path, &data, &length, NULL));
  const char *last = NULL;
  for (const char *at = data; (at = memmem (at + 1, (gsize) (data + length - at - 1), "blk.", 4));)
    last = at;
  guint n_mutations = g_test_thorough () ? 10000 : 400;
  for (guint i = 0; i < n_mutations; i++)
    {
      g_autofree char *mutated = g_memdup2 (data, length);

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        mutated[g_rand_int_range (rand, 0, (gint32) (last - data) + 60)] ^=
            (char) (1 << g_rand_int_range (rand, 0, 8));
      g_assert_true (g_file_set_contents_full (pair.path, mutated, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      try_file (pair.path, trace, &n_opened);
    }
  g_assert_cmpuint (n_opened, <, n_mutations);
  g_test_message ("%u of %u opened", n_opened, n_mutations);

  g_assert_true (g_file_set_contents (pair.path, data, (gssize) length, NULL));
  g_assert_true (try_file (pair.path, trace, &n_opened));
  remove_pair (&pair);
}

/* The same of either of two parts. */
static void
test_part_mutations (void)
{
  const GgufRecipe recipes[] = { { .split_count = 2 }, { .split_count = 2, .split_number = 1 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (59);
  Pair pair = make_pair ("llama", NULL, &recipes[0], FALSE);
  g_autoptr (AttnModel) plain = open_model (pair.copy.directory);
  const guint32 few[] = { 1, 2, 3 };
  g_autoptr (AttnTrace) trace = compute_trace (plain, few, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL);
  GByteArray *bytes[2];
  char *paths[2];
  guint n_mutations = g_test_thorough () ? 10000 : 200, n_opened = 0;

  for (gsize i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("m-0000%zu-of-00002.gguf", i + 1);

      paths[i] = g_build_filename (pair.copy.directory, name, NULL);
      bytes[i] = gguf_convert (pair.copy.directory, &recipes[i]);
      write_bytes (paths[i], bytes[i]);
    }
  g_assert_true (try_file (paths[0], trace, &n_opened));
  for (guint i = 0; i < n_mutations; i++)
    {
      gsize part = i % 2;
      g_autoptr (GByteArray) mutated =
          g_byte_array_new_take (g_memdup2 (bytes[part]->data, bytes[part]->len), bytes[part]->len);

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        mutated->data[g_rand_int_range (rand, 0, MIN (2000, (gint32) mutated->len))] ^=
            (guint8) (1 << g_rand_int_range (rand, 0, 8));
      write_bytes (paths[part], mutated);
      try_file (paths[part], trace, &n_opened);
      write_bytes (paths[part], bytes[part]);
    }
  g_assert_cmpuint (n_opened, <, n_mutations);
  g_test_message ("%u of %u opened", n_opened, n_mutations);
  for (gsize i = 0; i < 2; i++)
    {
      g_unlink (paths[i]);
      g_free (paths[i]);
      g_byte_array_unref (bytes[i]);
    }
  remove_pair (&pair);
}

static void
add_cases (const char    *path,
           const Case    *cases,
           gsize          n_cases,
           GTestDataFunc  test)
{
  for (gsize i = 0; i < n_cases; i++)
    {
      g_autofree char *full = g_strconcat (path, cases[i].label, NULL);
      g_test_add_data_func (full, &cases[i], test);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("/model/gguf/golden/", golden_cases, G_N_ELEMENTS (golden_cases), test_golden);
  add_cases ("/model/gguf/same-as-checkpoint/", golden_cases, G_N_ELEMENTS (golden_cases),
             test_same_as_checkpoint);
  add_cases ("/model/gguf/same-as-checkpoint/", changed_cases, G_N_ELEMENTS (changed_cases),
             test_same_as_checkpoint);
  for (gsize i = 0; i < G_N_ELEMENTS (quantised_names); i++)
    {
      g_autofree char *path = g_strconcat ("/model/gguf/quantised/", quantised_names[i], NULL);
      g_test_add_data_func (path, quantised_names[i], test_quantised);
    }
  g_test_add_func ("/model/gguf/where-it-lies", test_where_it_lies);
  g_test_add_func ("/model/gguf/tokenizer", test_tokenizer);
  g_test_add_func ("/model/gguf/fingerprint", test_fingerprint);
  g_test_add_func ("/model/gguf/yarn-without-mixing", test_yarn_without_mixing);
  g_test_add_func ("/model/gguf/parts", test_parts);
  g_test_add_func ("/model/gguf/delta-layers", test_delta_layers);
  g_test_add_func ("/model/gguf/refused", test_refused);
  g_test_add_func ("/model/gguf/refused-names", test_refused_names);
  g_test_add_func ("/model/gguf/not-gguf", test_not_gguf);
  g_test_add_func ("/model/gguf/truncation", test_truncation);
  g_test_add_data_func ("/model/gguf/mutations/llama", "llama", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/gemma2", "gemma2", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/gemma3", "gemma3", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/gemma4", "gemma4", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/gemma4-experts", "gemma4-experts", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/qwen2_moe", "qwen2_moe", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/qwen3_moe-fused-scaled", "qwen3_moe",
                        test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/phi3-scaled", "phi3", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/qwen3_next", "qwen3_next", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/qwen3_5", "qwen3_5", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/qwen3_5_moe", "qwen3_5_moe", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/bert", "bert", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/deepseek_v3", "deepseek_v3", test_mutations);
  g_test_add_data_func ("/model/gguf/mutations/glm4_moe_lite", "glm4_moe_lite", test_mutations);
  g_test_add_func ("/model/gguf/mutations/parts", test_part_mutations);
  return g_test_run ();
}
