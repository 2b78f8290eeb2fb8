/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Weights that are read while others are computed with: results are the same however much of them
 * stays in memory, only what is needed is read, and nothing goes on after the end. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "../bus-error.h"
#include "../resident.h"
#include "../save-arrays.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "model-fixture.h"

#define N_IDS     20
#define N_EXPERTS ((gsize) 8)
#define WIDTH     ((gsize) 512)

/* Matrices of a mebibyte and more. */
static const Recipe recipe = {
  .n_layers = 3,
  .n_heads = 4,
  .width = WIDTH,
  .mlp_width = 2 * WIDTH,
  .n_positions = N_IDS,
  .vocabulary_size = 50,
  .dtype = ATTN_DTYPE_F32,
  .extra = "\"n_inner\": 1024,",
  .seed = 5,
};

#define N_LAYER_BYTES (8 * WIDTH * WIDTH * sizeof (float))

static AttnTrace *
try_trace (AttnModel           *model,
           const AttnProgress  *progress,
           GCancellable        *cancellable,
           GError             **error)
{
  static guint32 ids[N_IDS];
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = N_IDS,
    .keep = ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_LOGITS,
  };

  for (guint32 i = 0; i < N_IDS; i++)
    ids[i] = i * 7 % 50;
  return attn_trace_compute (model, &request, NULL, progress, cancellable, error);
}

static void
assert_same_logits (AttnTrace *trace,
                    AttnTrace *expected)
{
  g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) logits = attn_trace_get (expected, ATTN_QUANTITY_LOGITS, 0);

  g_assert_cmpmem (found->data, attn_tensor_get_n_elements (found) * sizeof (float), logits->data,
                   attn_tensor_get_n_elements (logits) * sizeof (float));
}

static void
assert_same (AttnModel *model,
             AttnTrace *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTrace) trace = try_trace (model, NULL, NULL, &error);

  g_assert_no_error (error);
  assert_same_logits (trace, expected);
  wait_for_end_of_thread ("read-ahead");
}

/* Bytes of the weights in memory. */
static gsize
get_resident_weights (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/self/maps", &text, NULL, NULL))
    return 0;
  char *end = strstr (text, path);
  if (end == NULL)
    return 0;
  *end = '\0';
  char *line = strrchr (text, '\n');
  return get_resident (GSIZE_TO_POINTER (g_ascii_strtoull (line + 1, NULL, 16)), 0);
}

static void
test_memory_has_no_part (void)
{
  if (skip_without_advice ())
    return;
  char *directory = write_checkpoint (&recipe);
  g_autoptr (AttnModel) model = open_model (directory);
  g_autoptr (AttnModel) narrow = open_model (directory);
  g_autoptr (AttnTrace) trace = try_trace (model, NULL, NULL, NULL);

  g_assert_nonnull (trace);
  assert_same (model, trace);
  g_clear_pointer (&model, attn_model_unref);
  /* Room for a layer and a half, of which half is left to others. */
  attn_memory_set_limit (3 * N_LAYER_BYTES);
  assert_same (narrow, trace);
  g_assert_cmpuint (get_resident_weights (directory), <, 2 * N_LAYER_BYTES);
  assert_same (narrow, trace);
  g_assert_cmpuint (get_resident_weights (directory), <, 2 * N_LAYER_BYTES);
  attn_memory_set_limit (0);
  assert_same (narrow, trace);
  remove_checkpoint (directory);
}

typedef struct
{
  GCancellable *cancellable;
  int n_calls; /* until it is cancelled */
} Watch;

static void
watch_cb (const char *stage,
          double      fraction,
          gpointer    user_data)
{
  Watch *watch = user_data;

  if (watch->n_calls-- == 0)
    g_cancellable_cancel (watch->cancellable);
}

static void
test_cancel (void)
{
  char *directory = write_checkpoint (&recipe);

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (AttnModel) model = open_model (directory);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Watch watch = { cancellable, i };
      const AttnProgress progress = { watch_cb, &watch };
      g_autoptr (GError) error = NULL;

      g_assert_null (try_trace (model, &progress, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      wait_for_end_of_thread ("read-ahead");
    }
  remove_checkpoint (directory);
}

static void
test_cut_short (void)
{
  if (skip_without_bus_error_addresses ())
    return;
  char *directory = write_checkpoint (&recipe);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnModel) model = open_model (directory);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (truncate (path, 2 * N_LAYER_BYTES), ==, 0);
  g_assert_null (try_trace (model, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  wait_for_end_of_thread ("read-ahead");
  remove_checkpoint (directory);
}

static void
add_array (AttnArrayFile *file,
           const char    *name,
           gsize          n_rows,
           gsize          n_columns)
{
  const gsize shape[] = { n_rows, n_columns };
  gsize n = n_rows * MAX (n_columns, 1);
  float *data = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    data[i] = n_columns == 0 ? 1.0f : (float) (i * 2654435761u % 1000) * 1e-4f - 0.05f;
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n * sizeof *data);
  AttnArray *array =
      attn_array_new (name, ATTN_DTYPE_F32, n_columns > 0 ? 2 : 1, shape, bytes, NULL);
  g_assert_true (attn_array_file_add (file, array, NULL));
}

/* Two layers of experts of which each token goes through one. */
static char *
write_experts (void)
{
  static const char * const projections[] = { "q", "k", "v", "o" };
  g_autoptr (GError) error = NULL;
  char *directory = g_dir_make_tmp ("attn-model-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);

  g_assert_no_error (error);
  add_array (file, "model.embed_tokens.weight", 50, WIDTH);
  add_array (file, "model.norm.weight", WIDTH, 0);
  for (gsize layer = 0; layer < 2; layer++)
    {
      g_autofree char *prefix = g_strdup_printf ("model.layers.%zu", layer);
      g_autofree char *norm = g_strconcat (prefix, ".input_layernorm.weight", NULL);
      g_autofree char *inner = g_strconcat (prefix, ".post_attention_layernorm.weight", NULL);
      g_autofree char *gate = g_strconcat (prefix, ".block_sparse_moe.gate.weight", NULL);

      add_array (file, norm, WIDTH, 0);
      add_array (file, inner, WIDTH, 0);
      add_array (file, gate, N_EXPERTS, WIDTH);
      for (gsize i = 0; i < G_N_ELEMENTS (projections); i++)
        {
          g_autofree char *name =
              g_strdup_printf ("%s.self_attn.%s_proj.weight", prefix, projections[i]);

          add_array (file, name, WIDTH, WIDTH);
        }
      for (gsize expert = 0; expert < N_EXPERTS; expert++)
        for (int i = 1; i <= 3; i++)
          {
            g_autofree char *name = g_strdup_printf (
                "%s.block_sparse_moe.experts.%zu.w%d.weight", prefix, expert, i);

            add_array (file, name, WIDTH, WIDTH);
          }
    }
  g_assert_true (save_arrays (file, path, NULL));
  g_autofree char *config = write_config (
      directory,
      "{\"model_type\": \"mixtral\", \"hidden_size\": 512, \"intermediate_size\": 512,"
      " \"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 4,"
      " \"vocab_size\": 50, \"max_position_embeddings\": 64, \"num_local_experts\": 8,"
      " \"num_experts_per_tok\": 1, \"tie_word_embeddings\": true}");
  return directory;
}

/* Attention, at most an expert for each token, and what of others shares large pages with them. */
static void
test_only_chosen_experts (void)
{
  const guint32 ids[] = { 3, 7 };
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = G_N_ELEMENTS (ids),
    .keep = ATTN_QUANTITY_LOGITS,
  };
  char *directory = write_experts ();
  g_autoptr (AttnModel) model = open_model (directory);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (get_resident_weights (directory), <=,
                    2 * (6 + 2 * 7) * WIDTH * WIDTH * sizeof (float));
  g_autoptr (AttnTrace) again = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  assert_same_logits (again, trace);
  remove_checkpoint (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/reading/memory-has-no-part", test_memory_has_no_part);
  g_test_add_func ("/reading/cancel", test_cancel);
  g_test_add_func ("/reading/cut-short", test_cut_short);
  g_test_add_func ("/reading/only-chosen-experts", test_only_chosen_experts);

  return g_test_run ();
}
