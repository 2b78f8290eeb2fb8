/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass with all attention weights kept, beside the time that OpenBLAS alone needs for
 * the same matrix products. */

#include "config.h"

#include <cblas.h>
#include <string.h>

#include "attn-attention.h"
#include "attn-blas.h"
#include "attn-effect-meter.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace.h"
#include "bench.h"

/* Rows of a block of scores in the limit: the causal half, cut no more finely than is of use. */
#define BLOCK_ROWS ((gsize) 128)
/* What OpenBLAS's threads spin for before they sleep is less than this. */
#define SETTLE_MICROSECONDS 60000

/* Part of the names of what is to be measured, where not all is. */
static const char *wanted;

/* Operands of the products: big enough for each, their contents of no matter. */
typedef struct
{
  const Shape *shape;
  gsize n_tokens;
  gboolean has_logits;
  float *x;       /* [T, widest] */
  float *weights; /* three layers' worth and the embedding, walked through */
  gsize n_weights;
  gsize at;
  float *out;    /* [T, widest] */
  float *scores; /* [H, BLOCK_ROWS or T, T] */
  gboolean is_by_slabs;
  gsize first_layer; /* what is below is known */
} Limit;

typedef struct
{
  gsize m;
  gsize n;
  gsize k;
  const float *a;
  const float *b;
  float *c;
  gboolean is_input_major;
  gsize n_slabs;
} Product;

static void
multiply_slab (gsize    task,
               gsize    worker,
               gpointer user_data)
{
  const Product *p = user_data;
  gsize width = (p->n + p->n_slabs - 1) / p->n_slabs;
  gsize begin = task * width;
  gsize n = MIN (width, p->n - begin);

  if (p->is_input_major)
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) p->m, (int) n, (int) p->k, 1.0f,
                 p->a, (int) p->k, p->b + begin, (int) p->n, 0.0f, p->c + begin, (int) p->n);
  else
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) p->m, (int) n, (int) p->k, 1.0f,
                 p->a, (int) p->k, p->b + begin * p->k, (int) p->k, 0.0f, p->c + begin, (int) p->n);
}

static void
multiply (Limit *limit,
          gsize  n,
          gsize  k)
{
  if (limit->at + n * k > limit->n_weights)
    limit->at = 0;
  Product product = { limit->n_tokens, n, k,
                      limit->x, limit->weights + limit->at,
                      limit->out, limit->shape->family == SHAPE_GPT2, 1 };

  limit->at += n * k;
  if (!limit->is_by_slabs)
    {
      multiply_slab (0, 0, &product);
      return;
    }
  product.n_slabs = attn_threads_get ();
  attn_parallel_run (product.n_slabs, product.n_slabs, multiply_slab, &product);
}

static void
multiply_block (gsize    task,
                gsize    worker,
                gpointer user_data)
{
  const Limit *limit = user_data;
  const Shape *shape = limit->shape;
  gsize n_tokens = limit->n_tokens;
  gsize n_blocks = (n_tokens + BLOCK_ROWS - 1) / BLOCK_ROWS;
  gsize head = task / n_blocks;
  gsize row = (n_blocks - 1 - task % n_blocks) * BLOCK_ROWS;
  gsize n_rows = MIN (BLOCK_ROWS, n_tokens - row);
  gsize d = shape->width / shape->n_heads;
  gsize stride = shape->width + 2 * d * shape->n_key_heads;
  float *scores = limit->scores + (head * n_tokens + row) * n_tokens;
  const float *key = limit->x + shape->width;

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) n_rows, (int) (row + n_rows), (int) d,
               0.125f, limit->x + row * stride + head * d, (int) stride, key, (int) stride, 0.0f,
               scores, (int) n_tokens);
  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) n_rows, (int) d,
               (int) (row + n_rows), 1.0f, scores, (int) n_tokens, key, (int) stride, 0.0f,
               limit->out + row * shape->width + head * d, (int) shape->width);
}

static void
run_products (Limit *limit)
{
  const Shape *shape = limit->shape;
  gsize d = shape->width / shape->n_heads;
  gsize n_blocks = (limit->n_tokens + BLOCK_ROWS - 1) / BLOCK_ROWS;

  limit->at = 0;
  for (gsize layer = limit->first_layer; layer < shape->n_layers; layer++)
    {
      multiply (limit, shape->width + 2 * shape->n_key_heads * d, shape->width);
      /* A head and block at a time over as many threads, which is faster than OpenBLAS's own way
       * of sharing products this small. */
      if (!limit->is_by_slabs)
        openblas_set_num_threads (1);
      attn_parallel_run (shape->n_heads * n_blocks, attn_threads_get (), multiply_block, limit);
      if (!limit->is_by_slabs)
        openblas_set_num_threads ((int) attn_threads_get ());
      /* The weights of the last layer need nothing behind them. */
      if (layer + 1 == shape->n_layers && !limit->has_logits)
        break;
      multiply (limit, shape->width, shape->width);
      multiply (limit, shape->inner_width, shape->width);
      if (shape->family == SHAPE_LLAMA)
        multiply (limit, shape->inner_width, shape->width);
      multiply (limit, shape->width, shape->inner_width);
    }
  if (limit->has_logits)
    {
      Product product = { limit->n_tokens, shape->vocabulary_size, shape->width, limit->x,
                          limit->weights, limit->scores, FALSE, 1 };

      if (limit->is_by_slabs)
        product.n_slabs = attn_threads_get ();
      attn_parallel_run (product.n_slabs, product.n_slabs, multiply_slab, &product);
    }
}

static float *
make_operand (gsize n)
{
  float *data = g_new (float, n);
  guint32 state = 88675123;

  for (gsize i = 0; i < n; i++)
    {
      state = state * 1664525 + 1013904223;
      data[i] = (float) (state >> 8) * 0x1p-24f - 0.5f;
    }
  return data;
}

static void
limit_init (Limit       *limit,
            const Shape *shape,
            gsize        n_tokens,
            gboolean     has_logits)
{
  gsize d = shape->width / shape->n_heads;
  gsize widest = MAX (shape->inner_width, shape->width + 2 * d * shape->n_key_heads);
  gsize n_layer = shape->width * (2 * shape->width + 2 * d * shape->n_key_heads +
                                  (shape->family == SHAPE_LLAMA ? 3 : 2) * shape->inner_width);

  *limit = (Limit) { .shape = shape, .n_tokens = n_tokens, .has_logits = has_logits };
  limit->n_weights = 3 * n_layer;
  if (has_logits)
    limit->n_weights = MAX (limit->n_weights, shape->vocabulary_size * shape->width);
  limit->x = make_operand (n_tokens * widest);
  limit->weights = make_operand (limit->n_weights);
  limit->out = make_operand (n_tokens * widest);
  limit->scores = make_operand (MAX (shape->n_heads * n_tokens * n_tokens,
                                     has_logits ? n_tokens * shape->vocabulary_size : 0));
}

static void
limit_clear (Limit *limit)
{
  g_free (limit->x);
  g_free (limit->weights);
  g_free (limit->out);
  g_free (limit->scores);
}

/* The faster of two ways to share the products over the threads: OpenBLAS's own, and a slab of the
 * columns for each thread. */
static double
time_limit (Limit *limit)
{
  double times[2];

  for (int i = 0; i < 2; i++)
    {
      limit->is_by_slabs = i == 1;
      openblas_set_num_threads (i == 1 ? 1 : (int) attn_threads_get ());
      double begin = now_ms ();
      run_products (limit);
      times[i] = now_ms () - begin;
      openblas_set_num_threads (1);
      g_usleep (SETTLE_MICROSECONDS);
    }
  return MIN (times[0], times[1]);
}

static double
time_pass (AttnModel     *model,
           const guint32 *ids,
           gsize          n_ids,
           AttnQuantity   keep)
{
  AttnTraceRequest request = { .ids = ids, .n_ids = n_ids, .keep = keep };
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  double end = now_ms ();

  if (trace == NULL)
    g_error ("%s", error->message);
  attn_trace_unref (trace);
  return end - begin;
}

static void
measure (AttnModel   *model,
         const Shape *shape,
         const char  *name,
         AttnDtype    dtype,
         gsize        n_tokens,
         gboolean     has_logits)
{
  g_autofree char *title =
      g_strdup_printf ("%s, %s, %zu tokens%s", name, attn_dtype_get_name (dtype), n_tokens,
                       has_logits ? ", with logits" : "");
  g_autofree guint32 *ids = random_ids (n_tokens, shape->vocabulary_size, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  AttnQuantity keep = ATTN_QUANTITY_WEIGHTS | (has_logits ? ATTN_QUANTITY_LOGITS : 0);
  Limit limit;

  if (wanted != NULL && strstr (title, wanted) == NULL)
    return;
  limit_init (&limit, shape, n_tokens, has_logits);
  time_pass (model, ids, n_tokens, keep);
  double begin = now_ms ();
  for (int i = 0; i < 3 || (i < 25 && now_ms () - begin < 2000.0); i++)
    {
      series_add (limits, time_limit (&limit));
      series_add (values, time_pass (model, ids, n_tokens, keep));
    }
  limit_clear (&limit);

  Figure figure = {
    .group = "forward",
    .name = title,
    .unit = "ms",
    .values = values,
    .limits = limits,
    .limit_name = "same products by cblas_sgemm",
    .bound = dtype == ATTN_DTYPE_F32 && n_tokens >= 128 ? "1.25 x" : NULL,
  };
  print_figure (&figure);
}

/* A score atlas by zero: all heads, one after the other. A run is a head of each layer. */
static void
measure_atlas (AttnModel   *model,
               const Shape *shape,
               gsize        n_tokens)
{
  g_autofree char *title =
      g_strdup_printf ("GPT-2 small, F32, effect of zero on each of %zu heads, %zu tokens",
                       shape->n_layers * shape->n_heads, n_tokens);
  g_autofree guint32 *ids = random_ids (n_tokens, shape->vocabulary_size, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnEffectMeter) meter = NULL;
  Limit limit;

  if (wanted != NULL && strstr (title, wanted) == NULL)
    return;
  meter = attn_effect_meter_new (model, ids, n_tokens, NULL, NULL, &error);
  limit_init (&limit, shape, n_tokens, TRUE);
  for (gsize head = 0; head < shape->n_heads; head++)
    {
      double value = 0.0, products = 0.0;

      for (gsize layer = 0; layer < shape->n_layers; layer++)
        {
          g_autoptr (GPtrArray) interventions = g_ptr_array_new ();
          g_autoptr (AttnIntervention) zero =
              attn_intervention_new (ATTN_COMPONENT_OUTPUT, ATTN_OPERATION_ZERO, 0);
          AttnMeanEffect effect;

          zero->layers = attn_index_set_new_range (layer, layer);
          zero->heads = attn_index_set_new_range (head, head);
          g_ptr_array_add (interventions, zero);
          limit.first_layer = layer;
          products += time_limit (&limit);
          double begin = now_ms ();
          if (!attn_effect_meter_compute (meter, interventions, &effect, NULL, &error))
            g_error ("%s", error->message);
          value += now_ms () - begin;
        }
      series_add (values, value);
      series_add (limits, products);
    }
  limit_clear (&limit);

  Figure figure = {
    .group = "forward",
    .name = title,
    .unit = "ms",
    .values = values,
    .limits = limits,
    .limit_name = "same products by cblas_sgemm",
    .bound = "1.3 x",
  };
  print_figure (&figure);
}

static void
measure_model (const Shape *shape,
               const char  *name,
               AttnDtype    dtype,
               const gsize *lengths,
               gsize        n_lengths)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_model (shape, dtype);
  AttnModel *model = attn_model_open (directory, &error);

  if (model == NULL)
    g_error ("%s", error->message);
  if (shape->family == SHAPE_GPT2 && dtype == ATTN_DTYPE_F32)
    measure_atlas (model, shape, 128);
  for (gsize i = 0; i < n_lengths; i++)
    {
      measure (model, shape, name, dtype, lengths[i], FALSE);
      if (shape->family == SHAPE_GPT2 && dtype == ATTN_DTYPE_F32 &&
          (lengths[i] == 128 || lengths[i] == 1024))
        measure (model, shape, name, dtype, lengths[i], TRUE);
    }
  attn_model_unref (model);
  remove_model (directory);
}

int
main (int    argc,
      char **argv)
{
  static const gsize lengths[] = { 16, 128, 512, 1024, 2048 };
  static const AttnDtype dtypes[] = { ATTN_DTYPE_F32, ATTN_DTYPE_BF16 };
  gsize n_lengths = G_N_ELEMENTS (lengths);
  Shape llama = llama_1b;

  wanted = argc > 1 ? argv[1] : NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    measure_model (&gpt2_small, "GPT-2 small", dtypes[i], lengths, n_lengths);

  /* A model at a time: 4.4 GB of float32 on the disk, mapped. */
  if (is_full_run ())
    for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
      measure_model (&llama, "Llama 1.1B", dtypes[i], lengths, n_lengths - 1);
  else
    print_note ("forward",
                "The Llama has 4 of its 22 layers, which are alike, and up to 512 tokens; "
                "--full runs all 22, up to 1024 tokens, and the 4 up to 2048.");
  llama.n_layers = 4;
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    measure_model (&llama, "Llama 1.1B, 4 layers", dtypes[i], lengths,
                   is_full_run () ? n_lengths : 3);
  return 0;
}
