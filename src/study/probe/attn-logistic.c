/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Logistic regression. The objective is that of scikit-learn's LogisticRegression with C = 1: ½
 * ‖w‖² plus, over the rows x with label y in {0, 1}, log (1 + exp (−(2y − 1) (w·x + b))). The
 * intercept b is free.
 *
 * It is minimised by Newton's method with an exact step and a search along it. With m trained rows
 * of width D, the coordinates c are w and b themselves if there are many rows, or else those of w =
 * Σ c_i x_i in the span of the rows, in which any minimum lies. In the span, the Hessian I + Xᵀ W X
 * is inverted by way of B = I + W^½ K W^½, K = X Xᵀ, which has no eigenvalue below 1 (Rasmussen &
 * Williams, Gaussian Processes for Machine Learning, algorithm 3.1). */

#include "config.h"

#include "attn-logistic.h"

#include <float.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-clones.h"
#include "attn-error.h"
#include "attn-memory.h"

/* Largest norm of the gradient at which a fit of the regression has converged. */
#define TOLERANCE 1e-6

/* Largest number of Newton steps of a fit, which usually takes a dozen. */
#define MAX_STEPS 200

/* Number of rows whose products are computed together while they are in the cache. */
#define TILE 16

/* Ratio of the number of rows to their width above which Newton steps are computed for the weights
 * rather than in the span of the rows. */
#define SPAN_SHARE 2

/* Number of partial sums that are accumulated in parallel, which lets the compiler vectorise. */
#define N_LANES 8

/**
 * AttnLogistic:
 * @rows: (array length=n_rows): rows of @width numbers each; not owned
 * @products: (nullable): [n_rows, n_rows], K, the dot products of rows; %NULL if there are many
 *   more rows than numbers in a row
 */
struct _AttnLogistic
{
  const float * const *rows;
  gsize n_rows;
  gsize width;
  double *products;
};

/**
 * Fit:
 * @n: number of trained rows
 * @m: number of coordinates: @n, or width + 1
 * @is_dual: whether the coordinates are in the span of the rows, with one for each row
 * @design: [n, m]: K, or X with a column of ones
 * @c: [m], the coordinates
 * @intercept: b, if it is not one of the coordinates
 * @penalty: ½ ‖w‖²
 * @margins: [n], w·x + b
 * @residuals: [n], y − p, where p is the probability of label 1
 * @roots: [n], square root of p (1 − p)
 * @gradient: [m], gradient; where @is_dual, the gradient of the weights is Xᵀ @gradient
 * @image: [n], K @gradient where @is_dual
 * @step: [m], the Newton step
 * @step_margins: [n], what the step adds to @margins
 * @others: [n], room for intermediate results
 * @matrix: [m, m], matrix of the linear system of the step, and its Cholesky factor
 * @columns: (nullable): [m, n], @design with its rows times @roots; %NULL where @is_dual
 */
typedef struct
{
  gsize n;
  gsize m;
  gboolean is_dual;
  guint8 *labels;
  double *design;
  double *c;
  double intercept;
  double penalty;
  double *margins;
  double *residuals;
  double *roots;
  double *gradient;
  double intercept_gradient;
  double *image;
  double *step;
  double intercept_step;
  double *step_margins;
  double *others;
  double *matrix;
  double *columns;
} Fit;

static void
clear_fit (Fit *fit)
{
  g_free (fit->labels);
  g_free (fit->design);
  g_free (fit->c);
  g_free (fit->margins);
  g_free (fit->residuals);
  g_free (fit->roots);
  g_free (fit->gradient);
  g_free (fit->image);
  g_free (fit->step);
  g_free (fit->step_margins);
  g_free (fit->others);
  g_free (fit->matrix);
  g_free (fit->columns);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fit, clear_fit)

/* --- Sums --- */

/* Adds partial sums in a fixed order, so that the result does not depend on the vector width of the
 * processor. */
static inline double
add_lanes (const double lanes[N_LANES])
{
  double sum = 0.0;

  for (gsize lane = 0; lane < N_LANES; lane++)
    sum += lanes[lane];
  return sum;
}

ATTN_CLONES (static, double, dot, (const double *a, const double *b, gsize n), (a, b, n))
{
  double lanes[N_LANES] = { 0.0 };
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] += a[i + lane] * b[i + lane];
  for (; i < n; i++)
    lanes[i % N_LANES] += a[i] * b[i];
  return add_lanes (lanes);
}

ATTN_CLONES (static, double, dot_floats, (const float *a, const float *b, gsize n), (a, b, n))
{
  double lanes[N_LANES] = { 0.0 };
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] += (double) a[i + lane] * b[i + lane];
  for (; i < n; i++)
    lanes[i % N_LANES] += (double) a[i] * b[i];
  return add_lanes (lanes);
}

/* Adds @a times @x to @y, vectors of @n numbers. */
ATTN_CLONES (static, void, add_multiple, (double *y, double a, const double *x, gsize n),
             (y, a, x, n))
{
  for (gsize i = 0; i < n; i++)
    y[i] += a * x[i];
}

/* --- Linear systems --- */

/* Computes the Cholesky factor L of matrix = L Lᵀ in its lower half. Returns FALSE if the matrix is
 * not positive definite. Works in tiles of rows, so that another row is read only once for all rows
 * of a tile. */
static gboolean
factorise (double *matrix,
           gsize   m)
{
  for (gsize first = 0; first < m; first += TILE)
    for (gsize j = 0; j < MIN (first + TILE, m); j++)
      for (gsize i = MAX (first, j); i < MIN (first + TILE, m); i++)
        {
          double *place = matrix + i * m + j;
          double rest = *place - dot (matrix + i * m, matrix + j * m, j);

          if (i == j && !(rest > 0.0))
            return FALSE;
          *place = i == j ? sqrt (rest) : rest / matrix[j * m + j];
        }
  return TRUE;
}

/* Solves L Lᵀ x = @x in place. */
static void
solve (const double *factor,
       gsize         m,
       double       *x)
{
  for (gsize i = 0; i < m; i++)
    x[i] = (x[i] - dot (factor + i * m, x, i)) / factor[i * m + i];
  for (gsize i = m; i-- > 0;)
    {
      x[i] /= factor[i * m + i];
      add_multiple (x, -x[i], factor + i * m, i);
    }
}

/* --- The objective --- */

/* Returns log (1 + exp (−z)) without overflow. */
static double
get_loss (double z)
{
  return z > 0.0 ? log1p (exp (-z)) : log1p (exp (z)) - z;
}

static double
get_probability (double margin)
{
  double e = exp (-fabs (margin));

  return margin >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

/* Returns the sum of the losses of the trained rows after a step of @length. */
static double
sum_losses (const Fit *fit,
            double     length)
{
  double sum = 0.0;

  for (gsize i = 0; i < fit->n; i++)
    {
      double margin = fit->margins[i] + length * fit->step_margins[i];

      sum += get_loss (fit->labels[i] ? margin : -margin);
    }
  return sum;
}

/* Computes margins, residuals and gradients at the current coordinates. Returns the norm of the
 * gradient. */
static double
differentiate (Fit *fit)
{
  gsize n_penalised = fit->is_dual ? fit->m : fit->m - 1;
  double squares = 0.0;

  fit->intercept_gradient = 0.0;
  for (gsize i = 0; i < fit->n; i++)
    {
      double margin = dot (fit->design + i * fit->m, fit->c, fit->m) + fit->intercept;
      double p = get_probability (margin);

      fit->margins[i] = margin;
      /* Computes y − p and p (1 − p) without subtracting numbers close to 1, which would lose
       * digits. */
      fit->residuals[i] = fit->labels[i] ? get_probability (-margin) : -p;
      fit->roots[i] = sqrt (p * get_probability (-margin));
    }
  if (fit->is_dual)
    {
      for (gsize i = 0; i < fit->n; i++)
        {
          fit->gradient[i] = fit->c[i] - fit->residuals[i];
          fit->intercept_gradient -= fit->residuals[i];
        }
      for (gsize i = 0; i < fit->n; i++)
        fit->image[i] = dot (fit->design + i * fit->m, fit->gradient, fit->m);
      squares = dot (fit->gradient, fit->image, fit->m);
      squares = MAX (squares, 0.0) + fit->intercept_gradient * fit->intercept_gradient;
      fit->penalty = 0.0;
      for (gsize i = 0; i < fit->n; i++)
        fit->penalty += 0.5 * fit->c[i] * (fit->margins[i] - fit->intercept);
      return sqrt (squares);
    }
  memcpy (fit->gradient, fit->c, n_penalised * sizeof *fit->c);
  fit->gradient[n_penalised] = 0.0;
  for (gsize i = 0; i < fit->n; i++)
    add_multiple (fit->gradient, -fit->residuals[i], fit->design + i * fit->m, fit->m);
  fit->penalty = 0.5 * dot (fit->c, fit->c, n_penalised);
  return sqrt (dot (fit->gradient, fit->gradient, fit->m));
}

/* Computes the Newton step in the span of the rows, by factorising B. */
static gboolean
find_dual_step (Fit *fit)
{
  gsize n = fit->n;
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      fit->matrix[i * n + j] =
          fit->roots[i] * fit->design[i * n + j] * fit->roots[j] + (i == j ? 1.0 : 0.0);
  if (!factorise (fit->matrix, n))
    return FALSE;

  /* Computes u, for which Xᵀ u = (I + Xᵀ W X)⁻¹ Xᵀ W 1; it gives the step of the intercept. */
  double *u = fit->others;
  memcpy (u, fit->roots, n * sizeof *u);
  solve (fit->matrix, n, u);
  for (gsize i = 0; i < n; i++)
    {
      u[i] *= fit->roots[i];
      sum += u[i];
      fit->step[i] = fit->roots[i] * fit->image[i];
    }
  if (!(sum > 0.0))
    return FALSE;
  solve (fit->matrix, n, fit->step);
  fit->intercept_step = (dot (u, fit->image, n) - fit->intercept_gradient) / sum;
  for (gsize i = 0; i < n; i++)
    fit->step[i] = fit->roots[i] * fit->step[i] - fit->gradient[i] - fit->intercept_step * u[i];
  return TRUE;
}

/* Computes the Newton step for the weights and the intercept. */
static gboolean
find_primal_step (Fit *fit)
{
  gsize m = fit->m;

  for (gsize row = 0; row < fit->n; row++)
    for (gsize k = 0; k < m; k++)
      fit->columns[k * fit->n + row] = fit->roots[row] * fit->design[row * m + k];
  for (gsize first = 0; first < m; first += TILE)
    for (gsize j = 0; j < MIN (first + TILE, m); j++)
      for (gsize i = MAX (first, j); i < MIN (first + TILE, m); i++)
        fit->matrix[i * m + j] =
            dot (fit->columns + i * fit->n, fit->columns + j * fit->n, fit->n) +
            (i == j && i + 1 < m ? 1.0 : 0.0);
  if (!factorise (fit->matrix, m))
    return FALSE;
  for (gsize i = 0; i < m; i++)
    fit->step[i] = -fit->gradient[i];
  solve (fit->matrix, m, fit->step);
  fit->intercept_step = 0.0;
  return TRUE;
}

/* Searches along the Newton step for a smaller objective. Returns FALSE if none is smaller by more
 * than rounding. */
static gboolean
go (Fit *fit)
{
  gsize n_penalised = fit->is_dual ? fit->m : fit->m - 1;
  double slope = fit->intercept_gradient * fit->intercept_step;
  double linear = 0.0;
  double square = 0.0;
  double length = 1.0;

  for (gsize i = 0; i < fit->n; i++)
    {
      double along = dot (fit->design + i * fit->m, fit->step, fit->m);

      fit->step_margins[i] = along + fit->intercept_step;
      if (!fit->is_dual)
        continue;
      slope += fit->gradient[i] * along;
      linear += fit->c[i] * along;
      square += fit->step[i] * along;
    }
  if (!fit->is_dual)
    {
      slope = dot (fit->gradient, fit->step, fit->m);
      linear = dot (fit->c, fit->step, n_penalised);
      square = dot (fit->step, fit->step, n_penalised);
    }

  double before = fit->penalty + sum_losses (fit, 0.0);
  for (int halving = 0; halving < 60; halving++, length /= 2.0)
    {
      double after = fit->penalty + length * linear + 0.5 * length * length * square +
                     sum_losses (fit, length);

      if (!(after <= before + 1e-4 * length * slope + 1e-13 * fabs (before)))
        continue;
      add_multiple (fit->c, length, fit->step, fit->m);
      fit->intercept += length * fit->intercept_step;
      return TRUE;
    }
  return FALSE;
}

/* Returns the norm of the gradient that rounding of its sums can leave at the minimum. */
static double
get_tolerance (const AttnLogistic *logistic,
               const guint8       *is_trained)
{
  double sum = 0.0;

  for (gsize i = 0; i < logistic->n_rows; i++)
    if (is_trained[i])
      sum += sqrt (dot_floats (logistic->rows[i], logistic->rows[i], logistic->width)) + 1.0;
  return MAX (TOLERANCE, 16.0 * DBL_EPSILON * sum);
}

/* --- Rows --- */

/**
 * attn_logistic_estimate:
 *
 * Returns: largest number of bytes that an #AttnLogistic of @n_rows rows and a fit of it take
 *   together
 */
gsize
attn_logistic_estimate (gsize n_rows,
                        gsize width)
{
  gsize m = n_rows / SPAN_SHARE > width ? width + 1 : n_rows;
  gsize squares;
  gsize design;

  if (!g_size_checked_mul (&squares, m, 2 * m) ||
      !g_size_checked_mul (&design, n_rows, 2 * m + 16) ||
      !g_size_checked_add (&squares, squares, design) ||
      !g_size_checked_mul (&squares, squares, sizeof (double)))
    return G_MAXSIZE;
  return squares;
}

/**
 * attn_logistic_new:
 * @rows: (array length=n_rows): rows of @width numbers each, which must outlive the returned object
 * @error: return location for %ATTN_ERROR_FORMAT: a number that is not finite; %ATTN_ERROR_MEMORY
 *
 * Prepares rows for any number of regressions, each of which is trained on some of them.
 *
 * Returns: (transfer full) (nullable): the prepared rows, for [func@attn_logistic_fit]
 */
AttnLogistic *
attn_logistic_new (const float * const  *rows,
                   gsize                 n_rows,
                   gsize                 width,
                   GError              **error)
{
  g_return_val_if_fail (n_rows > 0 && width > 0, NULL);

  if (!attn_memory_check (attn_logistic_estimate (n_rows, width), _("a regression"), error))
    return NULL;
  for (gsize i = 0; i < n_rows; i++)
    for (gsize k = 0; k < width; k++)
      if (!isfinite (rows[i][k]))
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("regression: %g found in row %zu, expected finite numbers"),
                               rows[i][k], i);

  AttnLogistic *logistic = g_new0 (AttnLogistic, 1);
  logistic->rows = rows;
  logistic->n_rows = n_rows;
  logistic->width = width;
  if (n_rows / SPAN_SHARE > width)
    return logistic;

  gsize n_products = n_rows * n_rows;
  logistic->products = g_new (double, n_products);
  for (gsize first = 0; first < n_rows; first += TILE)
    for (gsize j = 0; j < MIN (first + TILE, n_rows); j++)
      for (gsize i = MAX (first, j); i < MIN (first + TILE, n_rows); i++)
        logistic->products[i * n_rows + j] = logistic->products[j * n_rows + i] =
            dot_floats (rows[i], rows[j], width);
  return logistic;
}

void
attn_logistic_free (AttnLogistic *logistic)
{
  if (logistic == NULL)
    return;
  g_free (logistic->products);
  g_free (logistic);
}

static void
begin_fit (const AttnLogistic *logistic,
           const guint8       *labels,
           const gsize        *trained,
           Fit                *fit)
{
  gsize n = fit->n;
  gsize m = fit->m;
  gsize n_design = n * m;
  gsize n_matrix = m * m;

  fit->labels = g_new (guint8, n);
  fit->design = g_new (double, n_design);
  fit->columns = fit->is_dual ? NULL : g_new (double, n_design);
  fit->matrix = g_new (double, n_matrix);
  fit->c = g_new0 (double, m);
  fit->margins = g_new (double, n);
  fit->residuals = g_new (double, n);
  fit->roots = g_new (double, n);
  fit->gradient = g_new (double, m);
  fit->image = g_new (double, n);
  fit->step = g_new (double, m);
  fit->step_margins = g_new0 (double, n);
  fit->others = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    {
      double *out = fit->design + i * m;

      fit->labels[i] = labels[trained[i]];
      for (gsize j = 0; fit->is_dual && j < n; j++)
        out[j] = logistic->products[trained[i] * logistic->n_rows + trained[j]];
      for (gsize k = 0; !fit->is_dual && k < m; k++)
        out[k] = k < logistic->width ? logistic->rows[trained[i]][k] : 1.0;
    }
}

/* Computes the weights w from the coordinates of @fit. @weights: (out) (nullable): [width] */
static void
read_weights (const AttnLogistic *logistic,
              const gsize        *trained,
              const Fit          *fit,
              double             *weights)
{
  if (!fit->is_dual)
    {
      memcpy (weights, fit->c, logistic->width * sizeof *weights);
      return;
    }
  memset (weights, 0, logistic->width * sizeof *weights);
  for (gsize i = 0; i < fit->n; i++)
    for (gsize k = 0; k < logistic->width; k++)
      weights[k] += fit->c[i] * logistic->rows[trained[i]][k];
}

/* Computes w·x + b for each row, including rows that were not used for training. */
static void
score_rows (const AttnLogistic *logistic,
            const gsize        *trained,
            const Fit          *fit,
            double             *scores)
{
  for (gsize row = 0; row < logistic->n_rows; row++)
    {
      double sum = fit->is_dual ? fit->intercept : fit->c[fit->m - 1];

      for (gsize i = 0; fit->is_dual && i < fit->n; i++)
        sum += fit->c[i] * logistic->products[row * logistic->n_rows + trained[i]];
      for (gsize k = 0; !fit->is_dual && k < logistic->width; k++)
        sum += fit->c[k] * logistic->rows[row][k];
      scores[row] = sum;
    }
}

/**
 * attn_logistic_fit:
 * @labels: (array): label of each row, 0 or 1
 * @is_trained: (array): whether each row is trained on; at least one of each label is
 * @scores: (out caller-allocates) (array): w·x + b of each row, trained on or not
 * @weights: (out caller-allocates) (nullable) (array): w, as many numbers as a row has
 * @intercept: (out) (nullable): b
 * @error: return location for %ATTN_ERROR_LIMIT: rows so large that the minimum is not found
 *
 * Finds the minimum of the objective: the norm of the gradient is at most 1e-6, or for rows of very
 * large numbers what the rounding of float64 leaves.
 *
 * It runs in the calling thread; any number of threads can use one #AttnLogistic.
 */
gboolean
attn_logistic_fit (const AttnLogistic  *logistic,
                   const guint8        *labels,
                   const guint8        *is_trained,
                   double              *scores,
                   double              *weights,
                   double              *intercept,
                   GError             **error)
{
  g_autofree gsize *trained = g_new (gsize, logistic->n_rows);
  double tolerance = get_tolerance (logistic, is_trained);
  g_auto (Fit) fit = { 0 };
  double norm = INFINITY;

  for (gsize i = 0; i < logistic->n_rows; i++)
    if (is_trained[i])
      trained[fit.n++] = i;
  g_return_val_if_fail (fit.n > 0, FALSE);
  fit.is_dual = logistic->products != NULL;
  fit.m = fit.is_dual ? fit.n : logistic->width + 1;
  begin_fit (logistic, labels, trained, &fit);

  for (int step = 0; step < MAX_STEPS; step++)
    {
      norm = differentiate (&fit);
      if (norm <= tolerance || !(fit.is_dual ? find_dual_step (&fit) : find_primal_step (&fit)) ||
          !go (&fit))
        break;
    }
  if (!(norm <= tolerance))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("regression: a gradient of %g found after the last step, expected at most "
                        "%g"),
                      norm, tolerance);
  score_rows (logistic, trained, &fit, scores);
  if (weights != NULL)
    read_weights (logistic, trained, &fit, weights);
  if (intercept != NULL)
    *intercept = fit.is_dual ? fit.intercept : fit.c[fit.m - 1];
  return TRUE;
}
