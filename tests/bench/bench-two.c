/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An encoder and its decoder, with the attention weights of the one that looks at the other kept,
 * beside the time that OpenBLAS alone needs for the same matrix products. */

#include "config.h"

#include <cblas.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../save-arrays.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace.h"
#include "bench.h"

/* T5-base. */
#define WIDTH        ((gsize) 768)
#define MLP_WIDTH    ((gsize) 3072)
#define N_HEADS      ((gsize) 12)
#define HEAD_WIDTH   ((gsize) 64)
#define N_VOCABULARY ((gsize) 32128)
#define N_BUCKETS    ((gsize) 32)
#define N_SOURCE     ((gsize) 128)
#define N_TARGET     ((gsize) 32)

/* Floats of weights, no two products behind one another share: more than any cache holds. */
#define N_WEIGHTS ((gsize) 1 << 26)

/* -- The model -- */

static void
add (AttnArrayFile *file,
     GBytes        *numbers,
     const char    *name,
     gsize          n_rows,
     gsize          n_columns)
{
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (GBytes) bytes =
      g_bytes_new_from_bytes (numbers, 0, n_rows * MAX (n_columns, 1) * sizeof (float));
  g_autoptr (GError) error = NULL;
  AttnArray *array =
      attn_array_new (name, ATTN_DTYPE_F32, n_columns > 0 ? 2 : 1, shape, bytes, &error);

  if (array == NULL || !attn_array_file_add (file, array, &error))
    g_error ("%s", error->message);
}

static void
add_stack (AttnArrayFile *file,
           GBytes        *numbers,
           const char    *stack,
           gsize          n_layers)
{
  gboolean is_decoder = g_str_equal (stack, "decoder");
  const char * const attentions[] = { "SelfAttention", "EncDecAttention" };
  const char * const parts[] = { "q", "k", "v", "o" };
  gsize n_halves = is_decoder ? 2 : 1;
  g_autofree char *bias = g_strdup_printf (
      "%s.block.0.layer.0.SelfAttention.relative_attention_bias.weight", stack);
  g_autofree char *norm = g_strdup_printf ("%s.final_layer_norm.weight", stack);

  add (file, numbers, bias, N_BUCKETS, N_HEADS);
  add (file, numbers, norm, WIDTH, 0);
  for (gsize layer = 0; layer < n_layers; layer++)
    for (gsize half = 0; half <= n_halves; half++)
      {
        g_autofree char *prefix = g_strdup_printf ("%s.block.%zu.layer.%zu.", stack, layer, half);
        g_autofree char *own_norm = g_strconcat (prefix, "layer_norm.weight", NULL);
        g_autofree char *up = g_strconcat (prefix, "DenseReluDense.wi.weight", NULL);
        g_autofree char *down = g_strconcat (prefix, "DenseReluDense.wo.weight", NULL);

        add (file, numbers, own_norm, WIDTH, 0);
        for (gsize i = 0; half < n_halves && i < G_N_ELEMENTS (parts); i++)
          {
            g_autofree char *name =
                g_strconcat (prefix, attentions[half], ".", parts[i], ".weight", NULL);

            add (file, numbers, name, WIDTH, WIDTH);
          }
        if (half < n_halves)
          continue;
        add (file, numbers, up, MLP_WIDTH, WIDTH);
        add (file, numbers, down, WIDTH, MLP_WIDTH);
      }
}

/* Small numbers, of which each tensor has the first ones. */
static GBytes *
make_numbers (gsize n)
{
  float *data = g_new (float, n);
  guint32 state = 2463534242u;

  for (gsize i = 0; i < n; i++)
    {
      state = state * 1664525u + 1013904223u;
      data[i] = ((float) (state >> 8) * 0x1p-24f - 0.5f) * 0.07f;
    }
  return g_bytes_new_take (data, n * sizeof *data);
}

/* Returns: (transfer full): the folder of a checkpoint with so many layers in each stack */
static char *
write_t5 (gsize n_layers)
{
  g_autoptr (GError) error = NULL;
  char *directory = g_dir_make_tmp ("attn-bench-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *config_path = g_build_filename (directory, "config.json", NULL);
  g_autoptr (GBytes) numbers = make_numbers (N_VOCABULARY * WIDTH);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  g_autofree char *config = g_strdup_printf (
      "{\"model_type\": \"t5\", \"d_model\": %zu, \"d_kv\": %zu, \"d_ff\": %zu, \"num_layers\": "
      "%zu, \"num_decoder_layers\": %zu, \"num_heads\": %zu, \"vocab_size\": %zu, "
      "\"relative_attention_num_buckets\": %zu, \"feed_forward_proj\": \"relu\", "
      "\"decoder_start_token_id\": 0}",
      WIDTH, HEAD_WIDTH, MLP_WIDTH, n_layers, n_layers, N_HEADS, N_VOCABULARY, N_BUCKETS);

  add (file, numbers, "shared.weight", N_VOCABULARY, WIDTH);
  add_stack (file, numbers, "encoder", n_layers);
  add_stack (file, numbers, "decoder", n_layers);
  if (!save_arrays (file, path, &error) ||
      !g_file_set_contents (config_path, config, -1, &error))
    g_error ("%s", error->message);
  return directory;
}

/* -- Its products -- */

typedef struct
{
  float *x;
  float *weights;
  float *out;
  gsize at;
  gsize m, n, k; /* of the product at hand */
  gsize n_keys;
} Products;

static void
multiply_slab (gsize    task,
               gsize    worker,
               gpointer user_data)
{
  const Products *p = user_data;
  gsize n_slabs = attn_threads_get ();
  gsize width = (p->n + n_slabs - 1) / n_slabs;
  gsize begin = task * width;

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) p->m, (int) MIN (width, p->n - begin),
               (int) p->k, 1.0f, p->x, (int) p->k, p->weights + p->at + begin * p->k, (int) p->k,
               0.0f, p->out + begin, (int) p->n);
}

static void
multiply (Products *p,
          gsize     m,
          gsize     n,
          gsize     k)
{
  if (p->at + n * k > N_WEIGHTS)
    p->at = 0;
  p->m = m;
  p->n = n;
  p->k = k;
  attn_parallel_run (attn_threads_get (), attn_threads_get (), multiply_slab, p);
  p->at += n * k;
}

/* Scores of a head, and what they make of the values. */
static void
attend_head (gsize    head,
             gsize    worker,
             gpointer user_data)
{
  const Products *p = user_data;
  float *scores = p->out + head * p->m * p->n_keys;

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) p->m, (int) p->n_keys,
               (int) HEAD_WIDTH, 1.0f, p->x + head * HEAD_WIDTH, (int) WIDTH,
               p->weights + head * HEAD_WIDTH, (int) WIDTH, 0.0f, scores, (int) p->n_keys);
  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) p->m, (int) HEAD_WIDTH,
               (int) p->n_keys, 1.0f, scores, (int) p->n_keys, p->weights + head * HEAD_WIDTH,
               (int) WIDTH, 0.0f, p->x + head * HEAD_WIDTH, (int) WIDTH);
}

/* @n_keys: of another sequence, or the tokens themselves */
static void
run_attention (Products *p,
               gsize     n_tokens,
               gsize     n_keys)
{
  multiply (p, n_tokens, n_keys == n_tokens ? 3 * WIDTH : WIDTH, WIDTH);
  if (n_keys != n_tokens)
    multiply (p, n_keys, 2 * WIDTH, WIDTH);
  p->m = n_tokens;
  p->n_keys = n_keys;
  attn_parallel_run (N_HEADS, attn_threads_get (), attend_head, p);
  multiply (p, n_tokens, WIDTH, WIDTH);
}

static double
time_products (Products *p,
               gsize     n_layers)
{
  double begin = now_ms ();

  p->at = 0;
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      run_attention (p, N_SOURCE, N_SOURCE);
      multiply (p, N_SOURCE, MLP_WIDTH, WIDTH);
      multiply (p, N_SOURCE, WIDTH, MLP_WIDTH);
    }
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      run_attention (p, N_TARGET, N_TARGET);
      run_attention (p, N_TARGET, N_SOURCE);
      multiply (p, N_TARGET, MLP_WIDTH, WIDTH);
      multiply (p, N_TARGET, WIDTH, MLP_WIDTH);
    }
  multiply (p, N_TARGET, N_VOCABULARY, WIDTH);
  return now_ms () - begin;
}

/* -- Both -- */

/* The encoder runs again with each source that is bound. */
static double
time_pass (AttnModel        *model,
           const AttnTokens *source,
           const guint32    *target)
{
  const AttnTraceRequest request = { .ids = target,
                                     .n_ids = N_TARGET,
                                     .keep = ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_LOGITS };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) bound = attn_model_bind (model, source);
  double begin = now_ms ();
  g_autoptr (AttnTrace) trace = attn_trace_compute (bound, &request, NULL, NULL, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  return now_ms () - begin;
}

static void
measure (gsize n_layers)
{
  char *directory = write_t5 (n_layers);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, "cross", &error);
  g_autofree guint32 *ids = random_ids (N_SOURCE, N_VOCABULARY, 1);
  g_autofree guint32 *target = random_ids (N_TARGET, N_VOCABULARY, 2);
  g_autoptr (AttnTokens) source = attn_tokens_new_from_ids (ids, N_SOURCE, NULL);
  g_autofree char *title = g_strdup_printf (
      "T5-base, %zu + %zu layers, F32, %zu + %zu tokens, with logits", n_layers, n_layers,
      N_SOURCE, N_TARGET);
  g_autoptr (GBytes) numbers = make_numbers (N_WEIGHTS);
  g_autoptr (GBytes) rows = make_numbers (N_SOURCE * MLP_WIDTH);
  g_autofree float *out =
      g_new0 (float, MAX (N_TARGET * N_VOCABULARY, N_SOURCE * MLP_WIDTH));
  g_autofree float *x = g_memdup2 (g_bytes_get_data (rows, NULL), g_bytes_get_size (rows));
  Products products = { .x = x, .weights = (float *) g_bytes_get_data (numbers, NULL), .out = out };
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();

  if (model == NULL)
    g_error ("%s", error->message);
  time_pass (model, source, target);
  double begin = now_ms ();
  while (!is_enough (begin, values->len))
    {
      series_add (limits, time_products (&products, n_layers));
      series_add (values, time_pass (model, source, target));
    }

  const Figure figure = { "two", title, "ms", values, limits, "same products by cblas_sgemm",
                          "1.15 x" };
  print_figure (&figure);
  remove_model (directory);
}

int
main (int    argc,
      char **argv)
{
  openblas_set_num_threads (1);
  if (!is_full_run ())
    print_note ("two", "T5-base has 4 of its 12 layers in each stack, which are alike; --full runs "
                       "all.");
  measure (is_full_run () ? 12 : 4);
  return 0;
}
