/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The functions of attn-measures.h are the reference: exact, one measure and one number at a time.
 * A panel of 1024 tokens has a million cells and the whole figure a frame of 16.7 ms, so here all
 * of them come from one pass over the visible cells, four at a time, in float32 along a row and
 * double across rows: seven digits. */

#include "config.h"

#include "attn-panel-measures.h"

#include <math.h>
#include <string.h>

#define N_LANES 4

typedef float Floats __attribute__ ((vector_size (N_LANES * sizeof (float))));
typedef gint32 Ints __attribute__ ((vector_size (N_LANES * sizeof (gint32))));

/* log2 of positive numbers. x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and ln (1 + f)
 * by the polynomial of Cephes' logf (S. Moshier, 1989), good to 1e-7. 0 gives some negative
 * number, which times 0 is 0. */
static inline Floats
log2_of (Floats x)
{
  Ints bits;

  memcpy (&bits, &x, sizeof bits);
  Ints exponent = (bits - 0x3f3504f3) >> 23;
  bits -= exponent << 23;

  Floats f;
  memcpy (&f, &bits, sizeof f);
  f -= 1.0f;
  Floats p = 7.0376836292e-2f * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  Floats ln = f - 0.5f * f * f + p * f * f * f;
  return ln * 1.44269504f + __builtin_convertvector(exponent, Floats);
}

static inline Floats
absolute (Floats x)
{
  Ints bits;

  memcpy (&bits, &x, sizeof bits);
  bits &= 0x7fffffff;
  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Neither is negative, and such numbers are in the order of their bits. */
static inline Floats
larger (Floats a,
        Floats b)
{
  Ints a_bits, b_bits;

  memcpy (&a_bits, &a, sizeof a);
  memcpy (&b_bits, &b, sizeof b);
  Ints is_larger = a_bits > b_bits;
  a_bits = (a_bits & is_larger) | (b_bits & ~is_larger);
  memcpy (&a, &a_bits, sizeof a);
  return a;
}

typedef struct
{
  Floats entropy;
  Floats variation;
  Floats largest;
} Sums;

/* One vector of a row. */
static inline void
add_cells (Sums   *sums,
           Floats  weights,
           Floats  before)
{
  Floats difference = absolute (weights - before);

  sums->entropy -= weights * log2_of (weights);
  sums->variation += difference;
  sums->largest = larger (difference, sums->largest);
}

static inline double
add_lanes (Floats lanes)
{
  double sum = 0;

  for (int i = 0; i < N_LANES; i++)
    sum += lanes[i];
  return sum;
}

/* The visible @n cells of a row; what fills the last vector is 0 on both sides and adds nothing. */
static void
measure_row (const float       *weights,
             const float       *before,
             gsize              n,
             AttnPanelMeasures *measures)
{
  Sums sums = { 0 };
  Floats a, b;
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    {
      memcpy (&a, weights + i, sizeof a);
      memcpy (&b, before + i, sizeof b);
      add_cells (&sums, a, b);
    }
  if (i < n)
    {
      a = b = (Floats) { 0 };
      memcpy (&a, weights + i, (n - i) * sizeof (float));
      memcpy (&b, before + i, (n - i) * sizeof (float));
      add_cells (&sums, a, b);
    }
  measures->mean_entropy += add_lanes (sums.entropy);
  measures->total_variation += add_lanes (sums.variation);
  for (int lane = 0; lane < N_LANES; lane++)
    measures->largest_difference = MAX (measures->largest_difference, sums.largest[lane]);
}

/**
 * attn_panel_measures_compute:
 * @panel: weights, [T, T]
 * @baseline: of the same size; @panel itself where nothing was done
 *
 * Returns: the measures as [func@attn_measure_sink_score] and its kin define them, to seven
 * digits. A NaN in a
 *   visible cell makes those that read it NaN.
 */
AttnPanelMeasures
attn_panel_measures_compute (AttnPanel *panel,
                             AttnPanel *baseline)
{
  const AttnTensor *weights = attn_panel_get_values (panel);
  const float *before = attn_panel_get_values (baseline)->data;
  gsize n_rows = weights->shape[0];
  gsize n_columns = weights->shape[1];
  AttnPanelMeasures measures = { 0 };

  for (gsize row = 0; row < n_rows; row++)
    {
      gsize n_visible =
          attn_panel_get_mask (panel) == ATTN_MASK_CAUSAL ? MIN (row + 1, n_columns) : n_columns;
      gsize offset = row * n_columns;

      measures.sink_score += weights->data[offset];
      measure_row (weights->data + offset, before + offset, n_visible, &measures);
    }
  measures.sink_score /= n_rows;
  measures.mean_entropy /= n_rows;
  if (measures.mean_entropy <= 0.0) /* -0, or the rounding of a row on one key */
    measures.mean_entropy = 0.0;
  measures.total_variation /= 2.0 * n_rows;
  if (isnan (measures.total_variation))
    measures.largest_difference = NAN;
  return measures;
}
