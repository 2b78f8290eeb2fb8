/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products with quantised weights, beside the same products with weights in BF16. */

#include "config.h"

#include <string.h>

#include "attn-linear.h"
#include "attn-threads.h"
#include "bench.h"

#define N_LAYERS 4

/* Those of a layer of the Llama, each with memory of its own, so that no cache has them. */
typedef struct
{
  AttnDtype dtype;
  GPtrArray *arrays; /* element-type AttnArray, [n_out, n_in] */
} Weights;

static Weights
make_weights (const Shape *shape,
              AttnDtype    dtype)
{
  const gsize n_keys = shape->width / shape->n_heads * shape->n_key_heads;
  const gsize sizes[][2] = {
    { shape->width, shape->width },
    { n_keys, shape->width },
    { n_keys, shape->width },
    { shape->width, shape->width },
    { shape->mlp_width, shape->width },
    { shape->mlp_width, shape->width },
    { shape->width, shape->mlp_width },
  };
  Weights weights = { dtype, g_ptr_array_new_with_free_func ((GDestroyNotify) attn_array_free) };
  gsize n_block_elements, n_block_bytes;
  guint32 state = 2463534242;

  attn_dtype_get_block (dtype, &n_block_elements, &n_block_bytes);
  for (gsize i = 0; i < N_LAYERS * G_N_ELEMENTS (sizes); i++)
    {
      const gsize *size = sizes[i % G_N_ELEMENTS (sizes)];
      gsize n_bytes = size[0] * size[1] / n_block_elements * n_block_bytes;
      guint8 *data = g_malloc (n_bytes);

      /* Any bytes but those of infinities, subnormals and NaN. */
      for (gsize k = 0; k < n_bytes; k++)
        {
          state = state * 1664525 + 1013904223;
          data[k] = (guint8) (0x30 + (state >> 24) % 9);
        }
      g_autoptr (GBytes) bytes = g_bytes_new_take (data, n_bytes);
      g_ptr_array_add (weights.arrays, attn_array_new ("w", dtype, 2, size, bytes, NULL));
    }
  return weights;
}

static double
time_products (const Weights *weights,
               const float   *x,
               gsize          n_rows,
               float         *out,
               float         *scratch)
{
  double begin = now_ms ();

  for (guint i = 0; i < weights->arrays->len; i++)
    {
      const AttnArray *array = weights->arrays->pdata[i];
      const AttnLinear linear = {
        .x = x,
        .n_rows = n_rows,
        .n_in = array->shape[1],
        .n_out = array->shape[0],
        .array = array,
        .scratch = scratch,
        .n_scratch = ATTN_LINEAR_TILE,
        .out = out,
        .out_stride = array->shape[0],
      };

      attn_linear_run (&linear, attn_threads_get ());
    }
  return now_ms () - begin;
}

static void
measure (const Shape   *shape,
         const Weights *weights,
         const Weights *plain,
         gsize          n_rows)
{
  gsize n = n_rows * shape->mlp_width;
  g_autofree float *x = g_new (float, n);
  g_autofree float *out = g_new (float, n);
  g_autofree float *scratch = g_new (float, attn_threads_get () * ATTN_LINEAR_TILE);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autofree char *name = g_strdup_printf ("%s, %zu tokens, %d layers of Llama 1.1B",
                                           attn_dtype_get_name (weights->dtype), n_rows, N_LAYERS);

  for (gsize i = 0; i < n; i++)
    x[i] = (float) (i % 17) * 0.1f - 0.8f;
  for (int round = 0; round < 12; round++)
    {
      double value = time_products (weights, x, n_rows, out, scratch);
      double limit = time_products (plain, x, n_rows, out, scratch);

      if (round > 1)
        {
          series_add (values, value);
          series_add (limits, limit);
        }
    }
  Figure figure = { "linear", name, "ms", values, limits, "BF16", "1.15 x" };
  print_figure (&figure);
}

int
main (int    argc,
      char **argv)
{
  static const AttnDtype dtypes[] = {
    ATTN_DTYPE_Q8_0,
    ATTN_DTYPE_Q4_0,
    ATTN_DTYPE_Q4_K,
    ATTN_DTYPE_Q6_K,
    ATTN_DTYPE_MXFP4,
  };
  const Weights plain = make_weights (&llama_1b, ATTN_DTYPE_BF16);

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      const Weights weights = make_weights (&llama_1b, dtypes[i]);

      measure (&llama_1b, &weights, &plain, 16);
      measure (&llama_1b, &weights, &plain, 128);
      g_ptr_array_unref (weights.arrays);
    }
  g_ptr_array_unref (plain.arrays);
  return 0;
}
