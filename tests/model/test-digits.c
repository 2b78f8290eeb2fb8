/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products of rows of Q4_K and Q6_K in integers, by each way of adding: a processor uses the
 * quickest that it has. They are static, so that their file is a part of this one. */

#include "config.h"

#include "attn-linear-digits.c"

#include "attn-quant.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define N_ROWS 300

typedef struct
{
  const char *name;
  void (*decode) (const guint8 *source, gsize n_blocks, float * restrict out);
  AttnArrangeFunc arrange;
  AttnDotFunc ways[3];
  gsize n_bytes;
  gsize places[2]; /* of a block's scales of 16 bits, as bytes */
} Type;

static const Type types[] = {
  { "q4-k",
    attn_quant_decode_q4_k,
    attn_linear_arrange_q4_k,
    { dot_q4_k_pairs, dot_q4_k_vnni, dot_q4_k_vnni_512 },
    Q4_K_BYTES,
    { 0, 2 } },
  { "q6-k",
    attn_quant_decode_q6_k,
    attn_linear_arrange_q6_k,
    { dot_q6_k_pairs, dot_q6_k_vnni, dot_q6_k_vnni_512 },
    Q6_K_BYTES,
    { 208, 208 } },
};

/* Tells which of the ways the processor has. */
static gboolean
has_way (gsize way)
{
  return way == 0   ? __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
         : way == 1 ? has_avx_vnni ()
                    : __builtin_cpu_supports ("avx512vnni") && __builtin_cpu_supports ("avx512vl");
}

/* Any bits, but for the scales, which are between 0.03 and 0.12. */
static guint8 *
make_row (const Type *type,
          gsize       n_blocks)
{
  gsize n_bytes = n_blocks * type->n_bytes;
  guint8 *row = g_malloc (n_bytes + AHEAD);

  for (gsize i = 0; i < n_bytes; i++)
    row[i] = (guint8) g_test_rand_int ();
  for (gsize i = 0; i < n_blocks; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (type->places); k++)
      row[i * type->n_bytes + type->places[k] + 1] = (guint8) (0x28 + g_test_rand_int_range (0, 8));
  return row;
}

static void
test_ways (gconstpointer data)
{
  const Type *type = data;
  const float sizes[] = { 1.0f, 1e-30f, 1e15f };

  if (!has_way (0))
    {
      g_test_skip ("no AVX2");
      return;
    }
  for (gsize i = 0; i < N_ROWS; i++)
    {
      gsize n = BLOCK * (1 + i % 9);
      float *x = g_aligned_alloc (n, sizeof *x, LINE);
      float *arranged = g_aligned_alloc (n + n / 16, sizeof *x, LINE);
      g_autofree float *weights = g_new (float, n);
      g_autofree guint8 *row = make_row (type, n / BLOCK);
      double sum = 0.0, magnitude = 0.0;

      for (gsize k = 0; k < n; k++)
        x[k] = (float) g_test_rand_double_range (-1.0, 1.0) * sizes[i % G_N_ELEMENTS (sizes)];
      type->decode (row, n / BLOCK, weights);
      for (gsize k = 0; k < n; k++)
        {
          sum += (double) x[k] * weights[k];
          magnitude += fabs ((double) x[k] * weights[k]);
        }
      type->arrange (x, n, arranged);
      float first = type->ways[0](arranged, row, n);
      /* Each number is off by up to 2^-24 of the largest of its block, which is about twice the
       * mean here, and each addition of up to nine blocks by as much. */
      g_assert_cmpfloat (fabs (first - sum), <=, 4e-7 * magnitude);
      for (gsize way = 1; way < G_N_ELEMENTS (type->ways); way++)
        if (has_way (way))
          {
            float other = type->ways[way](arranged, row, n);

            g_assert_cmpmem (&other, sizeof other, &first, sizeof first);
          }
      g_aligned_free (arranged);
      g_aligned_free (x);
    }
}

#endif

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#if defined(__x86_64__) && defined(__GNUC__)
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/model/digits/%s", types[i].name);

      g_test_add_data_func (path, &types[i], test_ways);
    }
#endif
  return g_test_run ();
}
