/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-stream.h"

#include <float.h>
#include <math.h>

/* The most steps of the bisection that finds an eigenvalue. A double has 53 bits, and the first
 * interval is wider than the largest eigenvalue. */
#define MAX_STEPS 80

static double
multiply (const float *a,
          const float *b,
          gsize        n)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

/**
 * attn_stream_measure_norms:
 * @stream: [T, D]
 * @norms: (out caller-allocates) (array): [T], ‖h_t‖, the length of each token's vector
 */
void
attn_stream_measure_norms (const AttnTensor *stream,
                           float            *norms)
{
  gsize width = stream->shape[1];

  for (gsize i = 0; i < stream->shape[0]; i++)
    {
      const float *row = stream->data + i * width;

      norms[i] = (float) sqrt (multiply (row, row, width));
    }
}

/**
 * attn_stream_measure_cosines:
 * @stream: [T, D]
 * @reference: k, number of the token that the others are compared with
 * @cosines: (out caller-allocates) (array): [T], cos (h_t, h_k); NaN for a vector of zeros
 *
 * Tokens whose cosine to the first is beyond 0.9 are sinks of the second kind (arXiv 2512.22213).
 */
void
attn_stream_measure_cosines (const AttnTensor *stream,
                             gsize             reference,
                             float            *cosines)
{
  gsize width = stream->shape[1];
  const float *other = stream->data + reference * width;
  double other_square = multiply (other, other, width);

  for (gsize i = 0; i < stream->shape[0]; i++)
    {
      const float *row = stream->data + i * width;
      double square = multiply (row, row, width);
      double cosine = multiply (row, other, width) / sqrt (square) / sqrt (other_square);

      cosines[i] = square > 0.0 && other_square > 0.0 ? (float) CLAMP (cosine, -1.0, 1.0) : NAN;
    }
}

/**
 * attn_stream_find_largest:
 * @stream: [T, D]
 * @largest: (out caller-allocates) (array): [T], the largest |channel|, as massive activations have
 *   it (Sun et al. 2024, arXiv 2402.17762)
 * @channels: (out caller-allocates) (array): [T], the number of that channel, the first of equals
 */
void
attn_stream_find_largest (const AttnTensor *stream,
                          float            *largest,
                          guint32          *channels)
{
  gsize width = stream->shape[1];

  for (gsize i = 0; i < stream->shape[0]; i++)
    {
      largest[i] = 0.0f;
      channels[i] = 0;
      for (gsize k = 0; k < width; k++)
        {
          float size = fabsf (stream->data[i * width + k]);

          if (size > largest[i])
            {
              largest[i] = size;
              channels[i] = (guint32) k;
            }
        }
    }
}

/* Computes the products of all rows with each other, or of all columns if there are fewer: [n,
 * n]. */
static double *
multiply_by_itself (const AttnTensor *stream,
                    gsize            *n)
{
  gsize n_rows = stream->shape[0];
  gsize width = stream->shape[1];

  *n = MIN (n_rows, width);
  double *gram = g_new0 (double, *n **n);
  if (n_rows <= width)
    {
      for (gsize i = 0; i < n_rows; i++)
        for (gsize k = 0; k <= i; k++)
          gram[i * *n + k] = gram[k * *n + i] =
              multiply (stream->data + i * width, stream->data + k * width, width);
      return gram;
    }
  for (gsize row = 0; row < n_rows; row++)
    for (gsize i = 0; i < width; i++)
      {
        double factor = stream->data[row * width + i];

        for (gsize k = 0; k < width; k++)
          gram[i * width + k] += factor * stream->data[row * width + k];
      }
  return gram;
}

/* Reduces the symmetric @a to tridiagonal form with the same eigenvalues, by Householder
 * reflections (Golub & Van Loan, Matrix Computations, 8.3.1). Overwrites @a. @between: the squares
 * of the numbers beside the diagonal */
static void
make_tridiagonal (double *a,
                  gsize   n,
                  double *diagonal,
                  double *between)
{
  g_autofree double *v = g_new (double, n);
  g_autofree double *w = g_new (double, n);

  for (gsize k = 0; k + 1 < n; k++)
    {
      double square = 0.0, tail = 0.0, product = 0.0;

      for (gsize i = k + 1; i < n; i++)
        {
          v[i] = a[i * n + k];
          square += v[i] * v[i];
          tail += i > k + 1 ? v[i] * v[i] : 0.0;
        }
      between[k] = square;
      if (tail == 0.0)
        continue;
      v[k + 1] += v[k + 1] > 0.0 ? sqrt (square) : -sqrt (square);
      double factor = 2.0 / (tail + v[k + 1] * v[k + 1]);
      for (gsize i = k + 1; i < n; i++)
        {
          double sum = 0.0;

          for (gsize j = k + 1; j < n; j++)
            sum += a[i * n + j] * v[j];
          w[i] = factor * sum;
          product += w[i] * v[i];
        }
      for (gsize i = k + 1; i < n; i++)
        w[i] -= factor * product / 2.0 * v[i];
      for (gsize i = k + 1; i < n; i++)
        for (gsize j = k + 1; j < n; j++)
          a[i * n + j] -= v[i] * w[j] + w[i] * v[j];
    }
  for (gsize i = 0; i < n; i++)
    diagonal[i] = a[i * n + i];
}

/* Counts the eigenvalues below @x by the signs of the Sturm sequence. @least: the magnitude below
 * which a number of the sequence counts as negative */
static gsize
count_below (const double *diagonal,
             const double *between,
             gsize         n,
             double        x,
             double        least)
{
  gsize n_below = 0;
  double q = 1.0;

  for (gsize i = 0; i < n; i++)
    {
      q = diagonal[i] - x - (i > 0 ? between[i - 1] / q : 0.0);
      if (fabs (q) < least)
        q = -least;
      n_below += q < 0.0;
    }
  return n_below;
}

/**
 * attn_stream_measure_entropy:
 * @stream: [T, D]
 *
 * The matrix entropy −Σ p ln p in nats, p_j = σ_j² / Σ σ² of the singular values σ, as arXiv
 * 2510.06477 has it. They are the roots of the eigenvalues of the products of the rows, found by
 * bisection. Time grows with the third power of T, or of D where that is smaller.
 *
 * Returns: the entropy, from 0 to ln min (T, D); NaN for zeros alone
 */
double
attn_stream_measure_entropy (const AttnTensor *stream)
{
  gsize n;
  g_autofree double *gram = multiply_by_itself (stream, &n);
  g_autofree double *diagonal = g_new (double, n);
  g_autofree double *between = g_new0 (double, n);
  double sum = 0.0, entropy = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += gram[i * n + i];
  if (!(sum > 0.0) || !isfinite (sum))
    return NAN;
  for (gsize i = 0; i < n * n; i++)
    gram[i] /= sum;
  make_tridiagonal (gram, n, diagonal, between);
  for (gsize i = 0; i < n; i++)
    {
      double low = 0.0, high = 1.0 + 1e-9;

      for (gsize step = 0; step < MAX_STEPS && high - low > DBL_EPSILON * high; step++)
        {
          double middle = (low + high) / 2.0;

          if (count_below (diagonal, between, n, middle, DBL_MIN) > i)
            high = middle;
          else
            low = middle;
        }
      double share = (low + high) / 2.0;
      if (share > DBL_EPSILON)
        entropy -= share * log (share);
    }
  return MAX (entropy, 0.0);
}
