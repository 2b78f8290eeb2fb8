/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Everything is computed in double precision, in a fixed order and in one thread, without library
 * kernels, whose rounding differs between processors. Matrices have as many rows and columns as
 * there are texts. */

#include "config.h"

#include "attn-angles.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Largest number of QR iterations for one eigenvalue. Two or three are usual. */
#define MOST_ITERATIONS 64

/* Number of partial sums of a scalar product, which the processor can add in parallel in an order
 * that stays fixed. */
#define N_LANES 4

/* -- Eigenvectors of a symmetric matrix -- */

static double
multiply (const double *x,
          const double *y,
          gsize         n)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* Reduces a symmetric matrix to tridiagonal form by Householder reflections (Golub & Van Loan,
 * section 8.3.1). @a: [n, n]: on return the reflection vectors, that of column k in row k after the
 * diagonal; @diagonal: (out): [n]; @beside: (out): [n - 1], the numbers beside the diagonal */
static void
reduce_to_tridiagonal (gsize   n,
                       double *a,
                       double *diagonal,
                       double *beside)
{
  g_autofree double *p = g_new0 (double, n);

  for (gsize k = 0; k + 1 < n; k++)
    {
      double *v = a + k * n;
      double length = sqrt (multiply (v + k + 1, v + k + 1, n - k - 1));
      double first = v[k + 1] >= 0.0 ? -length : length;

      diagonal[k] = v[k];
      if (k + 2 == n)
        first = v[k + 1];
      beside[k] = first;
      v[k + 1] -= first;
      double norm = sqrt (multiply (v + k + 1, v + k + 1, n - k - 1));
      for (gsize i = k + 1; i < n; i++)
        v[i] = norm > 0.0 ? v[i] / norm : 0.0;
      for (gsize i = k + 1; i < n; i++)
        p[i] = multiply (a + i * n + k + 1, v + k + 1, n - k - 1);
      double share = multiply (p + k + 1, v + k + 1, n - k - 1);
      for (gsize i = k + 1; i < n; i++)
        p[i] = 2.0 * (p[i] - share * v[i]);
      for (gsize i = k + 1; i < n; i++)
        for (gsize j = k + 1; j < n; j++)
          a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
  diagonal[n - 1] = a[n * n - 1];
}

/* Multiplies the reflections that reduce_to_tridiagonal() left in @a. @vectors: (out): [n, n], the
 * product, transposed */
static void
gather_reflections (gsize         n,
                    const double *a,
                    double       *vectors)
{
  for (gsize i = 0; i < n * n; i++)
    vectors[i] = i / n == i % n ? 1.0 : 0.0;
  for (gsize k = n - 1; k-- > 0;)
    {
      const double *v = a + k * n;

      for (gsize i = k + 1; i < n; i++)
        {
          double *row = vectors + i * n;
          double share = 2.0 * multiply (row + k + 1, v + k + 1, n - k - 1);

          for (gsize j = k + 1; j < n; j++)
            row[j] -= share * v[j];
        }
    }
}

static double
choose_shift (double before,
              double last,
              double beside)
{
  double half = (before - last) / 2.0;
  double root = hypot (half, beside);

  return last - beside * beside / (half + (half >= 0.0 ? root : -root));
}

/* Performs one implicit QR step with Wilkinson's shift on the rows from @low to @high (Golub & Van
 * Loan, algorithm 8.3.2). */
static void
step_down (gsize   n,
           gsize   low,
           gsize   high,
           double *diagonal,
           double *beside,
           double *vectors)
{
  double x = diagonal[low] - choose_shift (diagonal[high - 1], diagonal[high], beside[high - 1]);
  double z = beside[low];

  for (gsize k = low; k < high; k++)
    {
      double length = hypot (x, z);
      double c = length > 0.0 ? x / length : 1.0;
      double s = length > 0.0 ? z / length : 0.0;
      double a = diagonal[k];
      double b = diagonal[k + 1];
      double e = beside[k];

      if (k > low)
        beside[k - 1] = length;
      diagonal[k] = c * c * a + 2.0 * c * s * e + s * s * b;
      diagonal[k + 1] = s * s * a - 2.0 * c * s * e + c * c * b;
      beside[k] = (c * c - s * s) * e + c * s * (b - a);
      x = beside[k];
      if (k + 1 < high)
        {
          z = s * beside[k + 1];
          beside[k + 1] *= c;
        }
      for (gsize i = 0; i < n; i++)
        {
          double p = vectors[k * n + i];
          double q = vectors[(k + 1) * n + i];

          vectors[k * n + i] = c * p + s * q;
          vectors[(k + 1) * n + i] = c * q - s * p;
        }
    }
}

/* Finds all eigenvalues and eigenvectors of a symmetric matrix. @a: [n, n], overwritten; @values:
 * (out): [n], unsorted; @vectors: (out): [n, n], one eigenvector a row */
static void
find_eigenvectors (gsize   n,
                   double *a,
                   double *values,
                   double *vectors)
{
  g_autofree double *beside = g_new0 (double, n);
  gsize n_left = MOST_ITERATIONS;

  reduce_to_tridiagonal (n, a, values, beside);
  gather_reflections (n, a, vectors);
  for (gsize high = n - 1; high > 0;)
    {
      gsize low = high;

      while (low > 0 && fabs (beside[low - 1]) >
                            DBL_EPSILON * (fabs (values[low - 1]) + fabs (values[low])))
        low--;
      if (low == high || n_left == 0)
        {
          high--;
          n_left = MOST_ITERATIONS;
          continue;
        }
      step_down (n, low, high, values, beside, vectors);
      n_left--;
    }
}

/* -- Spaces -- */

static double
multiply_rows (const float *x,
               const float *y,
               gsize        n)
{
  double sums[N_LANES] = { 0.0 };
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      sums[lane] += (double) x[i + lane] * y[i + lane];
  for (; i < n; i++)
    sums[0] += (double) x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/**
 * attn_angles_find_space:
 * @rows: (array length=n_rows): the rows of the matrix, @n_columns numbers each
 * @rank: r, number of vectors to find, at most @n_rows
 *
 * Finds the left singular vectors of the matrix as the eigenvectors of its product with its
 * transpose, those with the largest eigenvalues first.
 *
 * Returns: (transfer full) (array): [r, n_rows], the first r left singular vectors
 */
double *
attn_angles_find_space (gsize                n_rows,
                        gsize                n_columns,
                        const float * const *rows,
                        gsize                rank)
{
  gsize n = n_rows;
  gsize n_all = n * n;
  gsize n_kept = rank * n;
  g_autofree double *gram = g_new (double, n_all);
  g_autofree double *values = g_new (double, n);
  g_autofree double *vectors = g_new (double, n_all);
  double *space = g_new0 (double, n_kept);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      gram[i * n + j] = gram[j * n + i] = multiply_rows (rows[i], rows[j], n_columns);
  find_eigenvectors (n, gram, values, vectors);
  for (gsize k = 0; k < MIN (rank, n); k++)
    {
      gsize largest = 0;

      for (gsize i = 1; i < n; i++)
        if (values[i] > values[largest])
          largest = i;
      values[largest] = -INFINITY;
      for (gsize i = 0; i < n; i++)
        space[k * n + i] = vectors[largest * n + i];
    }
  return space;
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      user_data)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/* Returns the singular values of the matrix with @rank rows of @n numbers, in ascending order. */
static double *
find_singular_values (gsize         rank,
                      gsize         n,
                      const double *vectors)
{
  gsize n_all = rank * rank;
  g_autofree double *gram = g_new (double, n_all);
  g_autofree double *ignored = g_new (double, n_all);
  double *values = g_new (double, rank);

  for (gsize i = 0; i < rank; i++)
    for (gsize j = 0; j < rank; j++)
      gram[i * rank + j] = multiply (vectors + i * n, vectors + j * n, n);
  find_eigenvectors (rank, gram, values, ignored);
  for (gsize i = 0; i < rank; i++)
    values[i] = sqrt (MAX (values[i], 0.0));
  g_qsort_with_data (values, (gint) rank, sizeof *values, compare, NULL);
  return values;
}

/**
 * attn_angles_measure:
 * @a: [r, n_rows], vectors of [func@attn_angles_find_space] for one matrix
 * @b: [r, n_rows], likewise for another matrix
 *
 * The cosines of the angles are the singular values of the product of @a and @b; the sines are
 * those of the part of @b that is orthogonal to @a (Björck & Golub 1973). The sines make small
 * angles exact.
 *
 * Returns: the sum of the r principal angles between both spaces, in degrees; exactly 0 if @a and
 *   @b have the same bits
 */
double
attn_angles_measure (gsize         n_rows,
                     gsize         rank,
                     const double *a,
                     const double *b)
{
  if (memcmp (a, b, rank * n_rows * sizeof *a) == 0)
    return 0.0;

  gsize n_all = rank * rank;
  g_autofree double *product = g_new (double, n_all);
  g_autofree double *rest = g_memdup2 (b, rank * n_rows * sizeof *b);
  double sum = 0.0;

  for (gsize i = 0; i < rank; i++)
    for (gsize j = 0; j < rank; j++)
      {
        double share = multiply (b + i * n_rows, a + j * n_rows, n_rows);

        product[i * rank + j] = share;
        for (gsize k = 0; k < n_rows; k++)
          rest[i * n_rows + k] -= share * a[j * n_rows + k];
      }
  g_autofree double *cosines = find_singular_values (rank, rank, product);
  g_autofree double *sines = find_singular_values (rank, n_rows, rest);
  for (gsize i = 0; i < rank; i++)
    sum += atan2 (sines[i], cosines[rank - 1 - i]) * (180.0 / G_PI);
  return sum;
}
