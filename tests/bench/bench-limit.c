/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The time that OpenBLAS alone needs for the matrix products of a forward pass. */

#include "config.h"

#include <cblas.h>
#include <time.h>

#include "attn-blas.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "bench.h"

/* Rows of a block of scores: the causal half, cut no more finely than is of use. */
#define BLOCK_ROWS ((gsize) 128)
/* OpenBLAS's threads spin after a product for as many cycles as a program sets, some 100 ms, before
 * they sleep. They do so when all threads together take less than a tenth of a processor for this
 * long, twice. */
#define SETTLE_MS 10.0
/* For this long all threads work before what is measured next: processors that slept for a while
 * are slower at first. */
#define WARM_MS 30.0
/* How often each way to share the products is tried before one is chosen. */
#define N_TRIALS 5
/* More than any cache holds: 1 GiB. */
#define MAX_WEIGHTS ((gsize) 1 << 28)

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
          gsize  m,
          gsize  n,
          gsize  k)
{
  if (limit->at + n * k > limit->n_weights)
    limit->at = 0;
  Product product = { m, n, k,
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
  gsize d = get_head_width (shape);
  gsize width = shape->n_heads * d;
  gsize stride = width + 2 * d * shape->n_key_heads;
  float *scores = limit->scores + (head * n_tokens + row) * n_tokens;
  const float *key = limit->x + width;

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) n_rows, (int) (row + n_rows), (int) d,
               0.125f, limit->x + row * stride + head * d, (int) stride, key, (int) stride, 0.0f,
               scores, (int) n_tokens);
  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) n_rows, (int) d,
               (int) (row + n_rows), 1.0f, scores, (int) n_tokens, key, (int) stride, 0.0f,
               limit->out + row * width + head * d, (int) width);
}

/* One product of each expert that tokens go through, for gate and up together. */
static void
multiply_experts (Limit *limit,
                  gsize  layer)
{
  const Shape *shape = limit->shape;
  const gsize *n_rows = limit->expert_rows + layer * shape->n_experts;

  multiply (limit, limit->n_tokens, shape->n_experts, shape->width);
  for (gsize expert = 0; expert < shape->n_experts; expert++)
    if (n_rows[expert] > 0)
      {
        multiply (limit, n_rows[expert], 2 * shape->mlp_width, shape->width);
        multiply (limit, n_rows[expert], shape->width, shape->mlp_width);
      }
}

static void
run_products (Limit *limit)
{
  const Shape *shape = limit->shape;
  gsize n_tokens = limit->n_tokens;
  gsize d = get_head_width (shape);
  gsize n_queries = shape->n_heads * d;
  gsize n_blocks = (limit->n_tokens + BLOCK_ROWS - 1) / BLOCK_ROWS;

  limit->at = 0;
  for (gsize layer = limit->first_layer; layer < shape->n_layers; layer++)
    {
      multiply (limit, n_tokens, n_queries + 2 * shape->n_key_heads * d, shape->width);
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
      multiply (limit, n_tokens, shape->width, n_queries);
      if (shape->n_experts > 0)
        {
          multiply_experts (limit, layer);
          continue;
        }
      multiply (limit, n_tokens, shape->mlp_width, shape->width);
      if (shape->family == SHAPE_LLAMA)
        multiply (limit, n_tokens, shape->mlp_width, shape->width);
      multiply (limit, n_tokens, shape->width, shape->mlp_width);
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

/**
 * limit_init:
 * @shape: kept, not copied; up to the last layer that counts
 * @has_logits: whether all of the last layer counts, and the logits
 *
 * What a pass with the weights of all heads kept multiplies. A shape with experts needs
 * @limit->expert_rows besides.
 */
void
limit_init (Limit       *limit,
            const Shape *shape,
            gsize        n_tokens,
            gboolean     has_logits)
{
  gsize n_queries = shape->n_heads * get_head_width (shape);
  gsize n_qkv = n_queries + 2 * shape->n_key_heads * get_head_width (shape);
  gsize n_experts = MAX (shape->n_experts, 1);
  gsize widest = MAX (2 * shape->mlp_width, n_qkv);
  gsize n_layer = shape->width * (n_queries + n_qkv +
                                  (shape->family == SHAPE_GPT2 ? 2 : 3) * n_experts *
                                      shape->mlp_width);

  *limit = (Limit) { .shape = shape, .n_tokens = n_tokens, .has_logits = has_logits };
  limit->n_weights = MIN (3 * n_layer, MAX_WEIGHTS);
  if (has_logits)
    limit->n_weights = MAX (limit->n_weights, shape->vocabulary_size * shape->width);
  limit->x = make_operand (n_tokens * widest);
  limit->weights = make_operand (limit->n_weights);
  limit->out = make_operand (n_tokens * widest);
  limit->scores = make_operand (MAX (shape->n_heads * n_tokens * n_tokens,
                                     has_logits ? n_tokens * shape->vocabulary_size : 0));
}

void
limit_clear (Limit *limit)
{
  g_free (limit->x);
  g_free (limit->weights);
  g_free (limit->out);
  g_free (limit->scores);
}

static double
get_processor_ms (void)
{
  struct timespec used;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double) used.tv_sec * 1e3 + (double) used.tv_nsec * 1e-6;
}

static void
work_a_while (gsize    task,
              gsize    worker,
              gpointer user_data)
{
  const double *end = user_data;

  while (now_ms () < *end)
    ;
}

/* Waits until OpenBLAS's threads sleep, which would take processors from what is measured next, and
 * begins with processors that are awake, as the products did. */
static void
settle (void)
{
  for (int n_quiet = 0; n_quiet < 2;)
    {
      double before = get_processor_ms ();

      g_usleep ((gulong) (SETTLE_MS * 1e3));
      n_quiet = get_processor_ms () - before < SETTLE_MS / 10.0 ? n_quiet + 1 : 0;
    }

  double end = now_ms () + WARM_MS;
  attn_parallel_run (attn_threads_get (), attn_threads_get (), work_a_while, &end);
}

static double
time_way (Limit    *limit,
          gboolean  is_by_slabs)
{
  limit->is_by_slabs = is_by_slabs;
  openblas_set_num_threads (is_by_slabs ? 1 : (int) attn_threads_get ());
  double begin = now_ms ();
  run_products (limit);
  double end = now_ms ();
  openblas_set_num_threads (1);
  if (!is_by_slabs)
    settle ();
  return end - begin;
}

/**
 * time_limit:
 *
 * The way to share the products over the threads is OpenBLAS's own, or a slab of the columns for
 * each thread: whichever was faster when both were tried at the first call. The smaller of both
 * times at each call would be below either: where single times vary by a tenth, by 6 %.
 *
 * Returns: milliseconds of the products
 */
double
time_limit (Limit *limit)
{
  if (!limit->is_chosen)
    {
      g_autoptr (GArray) own = series_new ();
      g_autoptr (GArray) by_slabs = series_new ();

      for (int i = 0; i < N_TRIALS; i++)
        {
          series_add (own, time_way (limit, FALSE));
          series_add (by_slabs, time_way (limit, TRUE));
        }
      limit->is_by_slabs = series_get_median (by_slabs) < series_get_median (own);
      limit->is_chosen = TRUE;
    }
  return time_way (limit, limit->is_by_slabs);
}
