/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adapters: a model with one is the model that it was merged into by make_adapters.py. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../format/gguf-fixture.h"
#include "attn-error.h"
#include "attn-gguf.h"
#include "attn-linear.h"
#include "attn-maps.h"
#include "attn-model.h"
#include "attn-threads.h"
#include "gguf-model.h"
#include "model-fixture.h"

static const guint32 ids[] = { 1, 7, 3, 29, 12, 5, 30, 2, 7, 19, 11 };

/* Each is a folder of “adapters”, and the fixture that it is of. */
static const char * const cases[][2] = {
  { "llama", "llama" },
  { "llama-stabilised", "llama" },
  { "llama-dora", "llama" },
  { "llama-biased", "llama-biased" },
  { "llama-many", "llama" },
  { "gpt2", "gpt2-prefixed" },
  { "gpt2-tied", "gpt2-prefixed" },
  { "gpt2-dora", "gpt2-bare" },
  { "phi3", "phi3" },
  { "phi3-dora", "phi3" },
  { "mixtral", "mixtral" },
  { "llama-nf4", "llama-nf4" },
  { "llama-nf4-dora", "llama-nf4" },
  { "llama-gptq", "llama-gptq" },
  { "llama-by-mlx", "llama" },
  { "llama-by-mlx-dora", "llama" },
  { "llama-by-mlx-full", "llama" },
  { "llama-mlx-by-mlx", "llama-mlx" },
  { "phi3-by-mlx", "phi3" },
};

/* Likewise, of models of two sequences. */
static const char * const pairs_of_stacks[][2] = {
  { "t5", "t5" },
  { "bart", "bart" },
};

static char *
get_adapter (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "model", "adapters", name, NULL);
}

static AttnArrayFile *
load_arrays (const char *folder,
             const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/* Tells whether the tensor, or what else there is of its quantised matrix, has another in its
 * place; a bias is by itself. */
static gboolean
is_merged (const AttnArrayFile *merged,
           const char          *name)
{
  const char *quantised = strstr (name, ".weight.");
  const char *last = strrchr (name, '.');
  const char *dot = quantised != NULL ? quantised : last != NULL ? last
                                                                 : name;
  g_autofree char *stem = g_strndup (name, (gsize) (dot - name));
  g_autofree char *weight = g_strconcat (stem, ".weight", NULL);

  if (attn_array_file_lookup (merged, name) != NULL)
    return TRUE;
  return strcmp (dot, ".bias") != 0 && attn_array_file_lookup (merged, weight) != NULL;
}

/* The fixture with the tensors of merged.safetensors in the place of its own. */
static Copy
merge (const char * const names[2])
{
  Copy copy = copy_fixture (names[1]);
  g_autofree char *adapter = get_adapter (names[0]);
  g_autofree char *path = g_build_filename (copy.directory, "model.safetensors", NULL);
  g_autoptr (AttnArrayFile) own = load_arrays (copy.directory, "model.safetensors");
  g_autoptr (AttnArrayFile) merged = load_arrays (adapter, "merged.safetensors");
  g_autoptr (AttnArrayFile) all = attn_array_file_new (NULL);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *files[] = { merged, own };
  gsize length;

  for (gsize k = 0; k < G_N_ELEMENTS (files); k++)
    for (gsize i = 0; i < attn_array_file_get_n_arrays (files[k]); i++)
      {
        const AttnArray *array = attn_array_file_get_nth (files[k], i);

        if (files[k] == merged || !is_merged (merged, array->name))
          g_assert_true (attn_array_file_add (all, attn_array_share (array), NULL));
      }
  set_member (&copy, "\"quantization_config\": null");
  set_member (&copy, "\"quantization\": null");
  g_autoptr (GBytes) bytes = attn_array_file_serialize (all, path, &error);
  g_assert_no_error (error);
  const char *data = g_bytes_get_data (bytes, &length);
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  return copy;
}

static AttnModel *
open_adapted (const char *path,
              const char *name)
{
  g_autofree char *adapter = get_adapter (name);
  const AttnModelReference reference = { .path = (char *) path, .adapter = adapter };
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open_reference (&reference, NULL, &error);

  g_assert_no_error (error);
  return model;
}

static AttnModel *
open_case (const char * const names[2])
{
  g_autofree char *base = g_test_build_filename (G_TEST_DIST, "model", names[1], NULL);

  return open_adapted (base, names[0]);
}

static double *
to_doubles (const AttnTensor *tensor)
{
  gsize n = attn_tensor_get_n_elements (tensor);
  double *values = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    values[i] = tensor->data[i];
  return values;
}

static double
compare (const AttnTensor *found,
         const AttnTensor *expected)
{
  g_autofree double *values = to_doubles (expected);

  g_assert_cmpuint (attn_tensor_get_n_elements (found), ==, attn_tensor_get_n_elements (expected));
  return largest_error (found, values);
}

static double
compare_logits (const AttnTrace *found,
                const AttnTrace *expected)
{
  g_autoptr (AttnTensor) logits = attn_trace_get (found, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) other = attn_trace_get (expected, ATTN_QUANTITY_LOGITS, 0);

  return compare (logits, other);
}

/* Weights differ by less than 2e-5 and logits by less than 1e-4: both add up in another order. */
static void
check_same (AttnModel  *found,
            AttnModel  *expected,
            const char *operation,
            const char *what)
{
  g_autoptr (GPtrArray) interventions =
      operation != NULL ? interventions_from_text (operation) : NULL;
  const AttnModelInfo *info = attn_model_get_info (expected);
  AttnQuantity quantities = info->has_logits ? everything : ATTN_QUANTITY_WEIGHTS;
  g_autoptr (AttnTrace) trace =
      compute_trace (found, ids, G_N_ELEMENTS (ids), interventions, quantities, NULL);
  g_autoptr (AttnTrace) other =
      compute_trace (expected, ids, G_N_ELEMENTS (ids), interventions, quantities, NULL);

  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
      g_autoptr (AttnTensor) other_weights = attn_trace_get (other, ATTN_QUANTITY_WEIGHTS, layer);
      double error = compare (weights, other_weights);

      if (!(error < 2e-5))
        g_error ("%s, layer %zu: weights off by %g", what, layer, error);
    }
  double error = info->has_logits ? compare_logits (trace, other) : 0.0;
  if (!(error < 1e-4))
    g_error ("%s: logits off by %g", what, error);
}

static void
test_merged (gconstpointer data)
{
  const char * const *names = data;
  Copy copy = merge (names);
  g_autoptr (AttnModel) expected = open_model (copy.directory);
  g_autoptr (AttnModel) found = open_case (names);
  g_autoptr (AttnModel) base = open_fixture (names[1]);

  check_same (found, expected, NULL, names[0]);
  check_same (found, expected, "query/mean-feature/all/all/all", names[0]);
  check_same (found, expected, "key/scale=0.1/1/all/all", names[0]);
  check_same (found, expected, "value/scale=0.5/0/0/all", names[0]);
  g_assert_cmpstr (attn_model_get_fingerprint (found), !=, attn_model_get_fingerprint (base));
  g_assert_nonnull (strstr (attn_model_get_name (found), " + "));
  remove_checkpoint (copy.directory);
}

/* The model of one attention, with its source where it has any. */
static AttnModel *
open_stack (const char *path,
            const char *adapter,
            const char *attention)
{
  const AttnModelReference reference = { .path = (char *) path, .adapter = (char *) adapter };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open_reference (&reference, attention, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) source = attn_tokens_new_from_ids (ids + 4, 7, NULL);

  return attn_model_get_info (model)->needs_source ? attn_model_bind (model, source)
                                                   : g_steal_pointer (&model);
}

/* An adapter of an encoder and a decoder changes both, and what the decoder takes of the
 * encoder. */
static void
test_two_sequences (gconstpointer data)
{
  static const char * const attentions[] = { "encoder", "decoder", "cross" };
  const char * const *names = data;
  Copy copy = merge (names);
  g_autofree char *base = g_test_build_filename (G_TEST_DIST, "model", names[1], NULL);
  g_autofree char *adapter = get_adapter (names[0]);

  for (gsize i = 0; i < G_N_ELEMENTS (attentions); i++)
    {
      g_autoptr (AttnModel) expected = open_stack (copy.directory, NULL, attentions[i]);
      g_autoptr (AttnModel) found = open_stack (base, adapter, attentions[i]);
      g_autoptr (AttnModel) plain = open_stack (base, NULL, attentions[i]);
      g_autoptr (AttnTrace) trace =
          compute_trace (found, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_WEIGHTS, NULL);
      g_autoptr (AttnTrace) other =
          compute_trace (plain, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_WEIGHTS, NULL);
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);
      g_autoptr (AttnTensor) plain_weights = attn_trace_get (other, ATTN_QUANTITY_WEIGHTS, 1);

      check_same (found, expected, NULL, attentions[i]);
      check_same (found, expected, "query/mean-feature/all/all/all", attentions[i]);
      check_same (found, expected, "key/scale=0.1/1/all/all", attentions[i]);
      g_assert_cmpfloat (compare (weights, plain_weights), >, 1e-2);
    }
  remove_checkpoint (copy.directory);
}

/* The change shows. */
static void
test_base_is_another (void)
{
  g_autoptr (AttnModel) base = open_fixture ("llama");
  g_autoptr (AttnModel) changed = open_case (cases[0]);
  g_autoptr (AttnTrace) trace =
      compute_trace (base, ids, G_N_ELEMENTS (ids), NULL, everything, NULL);
  g_autoptr (AttnTrace) other =
      compute_trace (changed, ids, G_N_ELEMENTS (ids), NULL, everything, NULL);

  g_assert_cmpfloat (compare_logits (trace, other), >, 0.1);
}

static void
test_threads_alike (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnModel) model = open_case (cases[i]);
      g_autoptr (AttnModel) again = open_case (cases[i]);

      attn_threads_set (1);
      g_autoptr (AttnTrace) one =
          compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, everything, NULL);
      attn_threads_set (3);
      g_autoptr (AttnTrace) three =
          compute_trace (again, ids, G_N_ELEMENTS (ids), NULL, everything, NULL);
      g_assert_cmpfloat (compare_logits (one, three), ==, 0);
    }
  attn_threads_set (2);
}

/* The folder of an adapter opens with the model that it names. */
static void
test_folder_opens (void)
{
  g_autofree char *folder = get_adapter ("llama");
  g_autofree char *file = g_build_filename (folder, "adapter_config.json", NULL);
  g_autoptr (AttnModel) expected = open_case (cases[0]);
  g_autoptr (AttnModel) by_folder = open_model (folder);
  g_autoptr (AttnModel) by_file = open_model (file);

  g_assert_true (attn_model_is_adapter (folder));
  check_same (by_folder, expected, NULL, "folder");
  g_assert_cmpstr (attn_model_get_fingerprint (by_folder), ==,
                   attn_model_get_fingerprint (expected));
  g_assert_cmpstr (attn_model_get_fingerprint (by_file), ==,
                   attn_model_get_fingerprint (expected));
  g_assert_cmpstr (attn_model_get_name (by_folder), ==, "llama + llama");
}

/* Tensors that torch.save wrote are read like those of safetensors. */
static void
test_pickled (void)
{
  Copy copy = copy_fixture ("llama");
  g_autofree char *folder = get_adapter ("llama");
  g_autofree char *config = g_build_filename (folder, "adapter_config.json", NULL);
  g_autofree char *weights =
      g_test_build_filename (G_TEST_DIST, "model", "pickled", "adapter_model.bin", NULL);
  const char *from[] = { config, weights };
  g_autoptr (AttnModel) expected = open_case (cases[0]);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (from); i++)
    {
      g_autofree char *name = g_path_get_basename (from[i]);
      g_autofree char *to = g_build_filename (copy.directory, name, NULL);
      g_autofree char *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (from[i], &data, &length, NULL));
      g_assert_true (g_file_set_contents (to, data, (gssize) length, NULL));
    }
  const AttnModelReference reference = { .path = copy.directory, .adapter = copy.directory };
  g_autoptr (AttnModel) found = attn_model_open_reference (&reference, NULL, &error);
  g_assert_no_error (error);
  check_same (found, expected, NULL, "pickled");
  remove_checkpoint (copy.directory);
}

/* In one folder with its model, it is asked for by name. */
static void
test_beside_its_model (void)
{
  static const char * const names[] = { "adapter_config.json", "adapter_model.safetensors" };
  Copy copy = copy_fixture ("llama");
  g_autofree char *adapter = get_adapter ("llama");
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refusal = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = g_build_filename (adapter, names[i], NULL);
      g_autofree char *to = g_build_filename (copy.directory, names[i], NULL);
      g_autofree char *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (from, &data, &length, NULL));
      g_assert_true (g_file_set_contents (to, data, (gssize) length, NULL));
    }
  g_assert_false (attn_model_is_adapter (copy.directory));
  g_assert_null (attn_model_open (copy.directory, &refusal));
  g_assert_error (refusal, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (refusal->message, "--adapter"));

  const AttnModelReference reference = { .path = copy.directory, .adapter = copy.directory };
  g_autoptr (AttnModel) found = attn_model_open_reference (&reference, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnModel) expected = open_case (cases[0]);
  check_same (found, expected, NULL, "beside");
  remove_checkpoint (copy.directory);
}

/* A base that is quantised, or that lies in llama.cpp's order of rows, is read as ever. */
static void
test_gguf (void)
{
  const char * const * const pairs[] = { cases[0], cases[2] };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      Copy copy = merge (pairs[i]);
      g_autoptr (AttnModel) expected = open_model (copy.directory);
      g_autofree char *base = g_test_build_filename (G_TEST_DIST, "model", pairs[i][1], NULL);
      g_autofree char *path = g_build_filename (copy.directory, "base.gguf", NULL);
      const GgufRecipe recipe = { .type = 0 };
      g_autoptr (GByteArray) gguf = gguf_convert (base, &recipe);

      g_assert_true (
          g_file_set_contents (path, (const char *) gguf->data, (gssize) gguf->len, NULL));
      g_autoptr (AttnModel) found = open_adapted (path, pairs[i][0]);
      check_same (found, expected, NULL, pairs[i][0]);
      remove_checkpoint (copy.directory);
    }
}

/* @base + @merged - @original, where these have it, else @base. */
static AttnArray *
move_change (const AttnArray     *base,
             const AttnArrayFile *original,
             const AttnArrayFile *merged)
{
  const AttnArray *after = attn_array_file_lookup (merged, base->name);

  if (after == NULL)
    return attn_array_share (base);
  g_autoptr (AttnTensor) sum = attn_array_to_tensor (base, NULL);
  g_autoptr (AttnTensor) old = attn_array_to_tensor (
      attn_array_file_lookup (original, base->name), NULL);
  g_autoptr (AttnTensor) new = attn_array_to_tensor (after, NULL);
  for (gsize i = 0; i < attn_tensor_get_n_elements (sum); i++)
    sum->data[i] += new->data[i] - old->data[i];
  return attn_array_new_from_tensor (base->name, sum);
}

/* The same change of a model whose numbers Q8_0 holds as they are. */
static void
test_quantised_gguf (void)
{
  Copy copy = copy_fixture ("llama");
  g_autofree char *fixture = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  g_autofree char *adapter = get_adapter ("llama");
  g_autofree char *path = g_build_filename (copy.directory, "base.gguf", NULL);
  g_autofree char *weights = g_build_filename (copy.directory, "model.safetensors", NULL);
  const GgufRecipe recipe = { .type = GGML_Q8_0 };
  g_autoptr (AttnArrayFile) all = attn_array_file_new (NULL);
  gsize length;

  gguf_snap (copy.directory);
  g_autoptr (GByteArray) gguf = gguf_convert (copy.directory, &recipe);
  g_assert_true (
      g_file_set_contents (path, (const char *) gguf->data, (gssize) gguf->len, NULL));
  g_autoptr (AttnArrayFile) original = load_arrays (fixture, "model.safetensors");
  g_autoptr (AttnArrayFile) base = load_arrays (copy.directory, "model.safetensors");
  g_autoptr (AttnArrayFile) merged = load_arrays (adapter, "merged.safetensors");
  for (gsize i = 0; i < attn_array_file_get_n_arrays (base); i++)
    g_assert_true (attn_array_file_add (
        all, move_change (attn_array_file_get_nth (base, i), original, merged), NULL));
  g_autoptr (GBytes) bytes = attn_array_file_serialize (all, weights, NULL);
  const char *data = g_bytes_get_data (bytes, &length);
  g_assert_true (g_file_set_contents (weights, data, (gssize) length, NULL));

  g_autoptr (AttnModel) expected = open_model (weights);
  g_autoptr (AttnModel) found = open_adapted (path, "llama");
  check_same (found, expected, NULL, "Q8_0");
  remove_checkpoint (copy.directory);
}

/* What the output projection and the embedding are read for by themselves. */
static void
test_quantities (void)
{
  const char * const * const pairs[] = { cases[1], cases[2], cases[5] };
  const AttnMapSpec spec = { ATTN_MAP_LOGIT, 3, 5 };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      Copy copy = merge (pairs[i]);
      g_autoptr (AttnModel) expected = open_model (copy.directory);
      g_autoptr (AttnModel) found = open_case (pairs[i]);
      g_autoptr (GError) error = NULL;
      AttnModel *models[] = { found, expected };
      AttnTensor *maps[2] = { NULL };

      for (gsize k = 0; k < G_N_ELEMENTS (models); k++)
        {
          g_autoptr (AttnMaps) computer =
              attn_maps_new (&spec, models[k], ids, G_N_ELEMENTS (ids), NULL, NULL, NULL, NULL,
                             NULL, &error);

          g_assert_no_error (error);
          maps[k] = attn_maps_compute (computer, 1, 0, &error);
          g_assert_no_error (error);
        }
      g_assert_cmpfloat (compare (maps[0], maps[1]), <, 1e-4);
      attn_tensor_unref (maps[0]);
      attn_tensor_unref (maps[1]);
      remove_checkpoint (copy.directory);
    }
}

/* -- What is refused -- */

static Copy
copy_adapter (const char *name)
{
  g_autofree char *inner = g_build_filename ("adapters", name, NULL);

  return copy_fixture (inner);
}

/* Opens the copy with the fixture "llama". */
static void
assert_refused (const Copy *copy,
                int         code,
                const char *part)
{
  g_autofree char *base = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  const AttnModelReference reference = { .path = base, .adapter = copy->directory };
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_model_open_reference (&reference, NULL, &error));
  g_assert_error (error, ATTN_ERROR, code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” found, expected “%s”", error->message, part);
  remove_checkpoint (copy->directory);
}

static void
set_config (const Copy *copy,
            const char *member)
{
  g_autofree char *from = g_build_filename (copy->directory, "adapter_config.json", NULL);
  g_autofree char *to = g_build_filename (copy->directory, "config.json", NULL);

  g_assert_cmpint (g_rename (from, to), ==, 0);
  set_member (copy, member);
  g_assert_cmpint (g_rename (to, from), ==, 0);
}

static void
test_refused_settings (void)
{
  static const struct
  {
    const char *adapter;
    const char *member;
    int code;
    const char *part;
  } refused[] = {
    { "llama", "\"peft_type\": \"PREFIX_TUNING\"", ATTN_ERROR_UNSUPPORTED, "PREFIX_TUNING" },
    { "llama", "\"peft_type\": \"IA3\"", ATTN_ERROR_UNSUPPORTED, "“IA3” found, expected LORA" },
    { "llama", "\"peft_type\": \"PROMPT_TUNING\"", ATTN_ERROR_UNSUPPORTED, "PROMPT_TUNING" },
    { "llama", "\"peft_type\": 3", ATTN_ERROR_FORMAT, "peft_type" },
    { "llama", "\"r\": 0", ATTN_ERROR_LIMIT, "“r”" },
    { "llama", "\"r\": 3", ATTN_ERROR_SHAPE, "with the rank 3" },
    { "llama", "\"use_dora\": true", ATTN_ERROR_FORMAT, "no magnitudes" },
    { "llama", "\"rank_pattern\": {\"(\": 2}", ATTN_ERROR_FORMAT, "rank_pattern" },
    { "llama", "\"alpha_pattern\": {\"q_proj\": \"x\"}", ATTN_ERROR_FORMAT, "alpha_pattern" },
    { "llama", "\"init_lora_weights\": \"pissa_niter_4\"", ATTN_ERROR_UNSUPPORTED,
      "pissa_niter_4" },
    { "llama", "\"lora_bias\": true", ATTN_ERROR_UNSUPPORTED, "lora_bias" },
    { "llama", "\"layer_replication\": [[0, 2]]", ATTN_ERROR_UNSUPPORTED, "layer_replication" },
    { "llama-by-mlx", "\"fine_tune_type\": \"prefix\"", ATTN_ERROR_UNSUPPORTED,
      "“fine_tune_type”: prefix found, expected lora, dora, full" },
    { "llama-by-mlx", "\"fine_tune_type\": \"dora\"", ATTN_ERROR_FORMAT, "no magnitudes" },
    { "llama-by-mlx", "\"lora_parameters\": {\"rank\": 3, \"scale\": 1}", ATTN_ERROR_SHAPE,
      "lora_a: shape [32, 4] found, expected [in, 3]" },
    { "llama-by-mlx", "\"lora_parameters\": {\"rank\": 4, \"scale\": \"1\"}", ATTN_ERROR_FORMAT,
      "“scale”" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      Copy copy = copy_adapter (refused[i].adapter);

      set_config (&copy, refused[i].member);
      assert_refused (&copy, refused[i].code, refused[i].part);
    }
}

/* Tensors that change no matrix of the model, or only half of one, are named. */
static void
test_refused_tensors (void)
{
  static const struct
  {
    const char *from;
    const char *to;
    const char *part;
  } renamed[] = {
    { "layers.0.mlp.up_proj.lora_B.weight", "layers.7.mlp.up_proj.lora_B.weight",
      "one of two tensors of" },
    { "layers.0.mlp.up_proj.lora_A.weight", "layers.0.mlp.up_proj.lora_C.weight",
      "one of two tensors of" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (renamed); i++)
    {
      Copy copy = copy_adapter ("llama");
      g_autofree char *from = g_strconcat ("base_model.model.model.", renamed[i].from, NULL);
      g_autofree char *to = g_strconcat ("base_model.model.model.", renamed[i].to, NULL);

      rename_tensor (&copy, "adapter_model.safetensors", from, to);
      assert_refused (&copy, ATTN_ERROR_FORMAT, renamed[i].part);
    }

  Copy both = copy_adapter ("llama");
  rename_tensor (&both, "adapter_model.safetensors", "layers.0.self_attn.k_proj.lora_A",
                 "layers.0.self_attn.p_proj.lora_A");
  rename_tensor (&both, "adapter_model.safetensors", "layers.0.self_attn.k_proj.lora_B",
                 "layers.0.self_attn.p_proj.lora_B");
  assert_refused (&both, ATTN_ERROR_UNSUPPORTED, "layers.0.self_attn.p_proj.lora_A.weight” found");
  Copy other = copy_adapter ("mixtral");
  assert_refused (&other, ATTN_ERROR_UNSUPPORTED, "block_sparse_moe");
  Copy shapes = copy_adapter ("llama-biased");
  assert_refused (&shapes, ATTN_ERROR_SHAPE, "inputs and");
}

static void
test_missing_base (void)
{
  Copy copy = copy_adapter ("llama");
  g_autoptr (GError) error = NULL;

  set_config (&copy, "\"base_model_name_or_path\": \"nobody/nothing\"");
  g_assert_null (attn_model_open (copy.directory, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "nobody/nothing"));
  g_assert_nonnull (strstr (error->message, "--model"));
  remove_checkpoint (copy.directory);
}

/* A model of the Hugging Face cache, as its main state and as another. */
static void
test_cached_base (void)
{
  Copy copy = copy_adapter ("llama");
  Copy base = copy_fixture ("llama");
  g_autofree char *hub = g_dir_make_tmp ("attn-hub-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (hub, "models--some--llama", NULL);
  g_autofree char *snapshots = g_build_filename (folder, "snapshots", NULL);
  g_autofree char *snapshot = g_build_filename (snapshots, "abc", NULL);
  g_autofree char *refs = g_build_filename (folder, "refs", NULL);
  g_autofree char *ref = g_build_filename (refs, "main", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (snapshots, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (refs, 0700), ==, 0);
  g_assert_true (g_file_set_contents (ref, "abc\n", -1, NULL));
  g_assert_cmpint (g_rename (base.directory, snapshot), ==, 0);
  g_setenv ("HF_HUB_CACHE", hub, TRUE);
  set_config (&copy, "\"base_model_name_or_path\": \"some/llama\"");
  g_autoptr (AttnModel) by_main = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  set_config (&copy, "\"revision\": \"abc\"");
  g_autoptr (AttnModel) by_commit = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (attn_model_get_fingerprint (by_main), !=,
                   attn_model_get_fingerprint (by_commit));
  set_config (&copy, "\"revision\": \"another\"");
  g_assert_null (attn_model_open (copy.directory, NULL));
  g_unsetenv ("HF_HUB_CACHE");
  remove_checkpoint (copy.directory);
  remove_checkpoint (g_steal_pointer (&snapshot));
  g_free (base.directory);
  g_remove (ref);
  g_rmdir (refs);
  g_rmdir (snapshots);
  g_rmdir (folder);
  g_rmdir (hub);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  attn_threads_set (2);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/model/adapters/merged/", cases[i][0], NULL);

      g_test_add_data_func (path, cases[i], test_merged);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (pairs_of_stacks); i++)
    {
      g_autofree char *path =
          g_strconcat ("/model/adapters/two-sequences/", pairs_of_stacks[i][0], NULL);

      g_test_add_data_func (path, pairs_of_stacks[i], test_two_sequences);
    }
  g_test_add_func ("/model/adapters/base-is-another", test_base_is_another);
  g_test_add_func ("/model/adapters/threads-alike", test_threads_alike);
  g_test_add_func ("/model/adapters/folder-opens", test_folder_opens);
  g_test_add_func ("/model/adapters/pickled", test_pickled);
  g_test_add_func ("/model/adapters/beside-its-model", test_beside_its_model);
  g_test_add_func ("/model/adapters/gguf", test_gguf);
  g_test_add_func ("/model/adapters/quantised-gguf", test_quantised_gguf);
  g_test_add_func ("/model/adapters/quantities", test_quantities);
  g_test_add_func ("/model/adapters/refused-settings", test_refused_settings);
  g_test_add_func ("/model/adapters/refused-tensors", test_refused_tensors);
  g_test_add_func ("/model/adapters/missing-base", test_missing_base);
  g_test_add_func ("/model/adapters/cached-base", test_cached_base);
  return g_test_run ();
}
