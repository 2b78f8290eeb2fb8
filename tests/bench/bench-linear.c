/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products with quantised weights, beside the same products with weights in BF16. */

#include "config.h"

#include <string.h>

#include "attn-linear.h"
#include "attn-packed.h"
#include "attn-threads.h"
#include "bench.h"

#define N_LAYERS 4

/* Those of a layer of the Llama, each with memory of its own, so that no cache has them. */
typedef struct
{
  const char *name;
  GPtrArray *arrays; /* element-type AttnArray, [n_out, n_in] */
} Weights;

/* How matrices are stored: a type, perhaps with a scale for each block, or codes of 4 bits. */
typedef struct
{
  const char *name;
  AttnDtype dtype;
  AttnDtype scale_dtype;
  gsize n_rows; /* of a block; 0 without scales */
  gsize n_columns;
  gboolean is_packed;
  AttnPackedOrder order;
} Form;

static AttnArray *
make_array (AttnDtype dtype,
            gsize     n_rows,
            gsize     n_columns)
{
  static guint32 state = 2463534242;
  const gsize shape[] = { n_rows, n_columns };
  gsize n_block_elements, n_block_bytes;

  attn_dtype_get_block (dtype, &n_block_elements, &n_block_bytes);
  gsize n_bytes = n_rows * n_columns / n_block_elements * n_block_bytes;
  guint8 *data = g_malloc (n_bytes);
  /* Any bytes but those of infinities, subnormals and NaN. */
  for (gsize k = 0; k < n_bytes; k++)
    {
      state = state * 1664525 + 1013904223;
      data[k] = (guint8) (0x30 + (state >> 24) % 9);
    }
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n_bytes);
  return attn_array_new ("w", dtype, 2, shape, bytes, NULL);
}

static AttnArray *
make_packed (const Form  *form,
             const gsize *size)
{
  gsize n_out = size[0], n_in = size[1], group = form->n_columns;
  gboolean is_turned = form->order <= ATTN_PACKED_INTERLEAVED;
  gboolean is_down = form->order == ATTN_PACKED_DOWN, is_flat = form->order == ATTN_PACKED_FLAT;
  g_autoptr (AttnArray) words =
      is_flat ? make_array (ATTN_DTYPE_U8, n_out * n_in / 2, 1)
              : make_array (ATTN_DTYPE_I32, is_down ? n_in / 8 : is_turned ? n_in
                                                                           : n_out,
                            is_down ? n_out : is_turned ? n_out / 8
                                                        : n_in / 8);
  g_autoptr (AttnArray) scales =
      is_flat     ? make_array (ATTN_DTYPE_F32, n_out * n_in / group, 1)
      : is_turned ? make_array (ATTN_DTYPE_F16, n_in / group, n_out)
                  : make_array (ATTN_DTYPE_F16, n_out, n_in / group);
  g_autoptr (AttnArray) zeros = make_array (ATTN_DTYPE_I32, n_in / group, n_out / 8);
  g_autoptr (AttnArray) table = make_array (ATTN_DTYPE_F32, 16, 1);
  const AttnPacking packing = {
    .order = form->order,
    .bits = 4,
    .group_size = group,
    .zero = is_turned ? 1 : 8,
    .words = words,
    .scales = scales,
    .zeros = is_turned ? zeros : NULL,
    .table = is_flat ? table : NULL,
    .nested_size = 1,
  };

  return attn_packed_new ("w", &packing, n_out, n_in, NULL);
}

static AttnArray *
make_matrix (const Form  *form,
             const gsize *size)
{
  if (form->is_packed)
    return make_packed (form, size);
  AttnArray *array = make_array (form->dtype, size[0], size[1]);
  if (form->n_rows > 0)
    {
      g_autoptr (AttnArray) scales =
          make_array (form->scale_dtype, (size[0] + form->n_rows - 1) / form->n_rows,
                      (size[1] + form->n_columns - 1) / form->n_columns);

      attn_array_set_scales (array, scales, form->n_rows, form->n_columns, NULL);
    }
  return array;
}

static Weights
make_weights (const Shape *shape,
              const Form  *form)
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
  Weights weights = { form->name,
                      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_array_free) };

  for (gsize i = 0; i < N_LAYERS * G_N_ELEMENTS (sizes); i++)
    g_ptr_array_add (weights.arrays, make_matrix (form, sizes[i % G_N_ELEMENTS (sizes)]));
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
                                           weights->name, n_rows, N_LAYERS);

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
  static const Form bf16 = { "BF16", ATTN_DTYPE_BF16 };
  static const Form forms[] = {
    { "Q8_0", ATTN_DTYPE_Q8_0 },
    { "Q4_0", ATTN_DTYPE_Q4_0 },
    { "Q4_K", ATTN_DTYPE_Q4_K },
    { "Q6_K", ATTN_DTYPE_Q6_K },
    { "MXFP4", ATTN_DTYPE_MXFP4 },
    { "FP8 in blocks", ATTN_DTYPE_F8_E4M3, ATTN_DTYPE_F32, 128, 128 },
    { "NVFP4", ATTN_DTYPE_F4, ATTN_DTYPE_F8_E4M3, 1, 16 },
    { "GPTQ", .n_columns = 128, .is_packed = TRUE, .order = ATTN_PACKED_DOWN },
    { "AWQ", .n_columns = 128, .is_packed = TRUE, .order = ATTN_PACKED_INTERLEAVED },
    { "compressed-tensors", .n_columns = 128, .is_packed = TRUE, .order = ATTN_PACKED_ACROSS },
    { "MLX", .n_columns = 64, .is_packed = TRUE, .order = ATTN_PACKED_ACROSS },
    { "nf4", .n_columns = 64, .is_packed = TRUE, .order = ATTN_PACKED_FLAT },
  };
  const Weights plain = make_weights (&llama_1b, &bf16);

  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      const Weights weights = make_weights (&llama_1b, &forms[i]);

      measure (&llama_1b, &weights, &plain, 16);
      measure (&llama_1b, &weights, &plain, 128);
      g_ptr_array_unref (weights.arrays);
    }
  g_ptr_array_unref (plain.arrays);
  return 0;
}
