/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-probe-score.h"

#include <math.h>
#include <string.h>

/* Limits of the confidence interval, as shares of the sorted draws of the bootstrap. */
#define LOW  0.025
#define HIGH 0.975

/* Scores are rounded to multiples of the largest score of a fold divided by 2^SCORE_BITS, since
 * they come from float32 sums, whose last bits can differ for the same text. */
#define SCORE_BITS 16

/* Rows of one fold of the table, sorted by score. */
typedef struct
{
  gsize *rows; /* [n] */
  gsize n;
  gsize *by_label[2]; /* [label]: indices in @rows of the rows with each label */
  gsize n_by_label[2];
} Fold;

static void
clear_fold (Fold *fold)
{
  g_free (fold->rows);
  g_free (fold->by_label[0]);
  g_free (fold->by_label[1]);
}

/* Draws a random index below @n. Does not use g_rand_int_range(), whose results depend on an
 * environment variable. */
static gsize
draw (GRand *random,
      gsize  n)
{
  return (gsize) (((guint64) g_rand_int (random) * n) >> 32);
}

/**
 * attn_probe_score_deal:
 * @labels: (array length=n_rows): label of each row, 0 or 1
 * @seed: seed of the random order; the same seed gives the same folds
 * @folds: (out caller-allocates) (array length=n_rows): the fold of each row, below @n_folds
 *
 * Deals the rows of each label, shuffled, to the folds in turn, like cards. Label 1 goes on with
 * the fold at which label 0 has stopped, so that folds differ by at most one row.
 */
void
attn_probe_score_deal (const guint8 *labels,
                       gsize         n_rows,
                       gsize         n_folds,
                       guint32       seed,
                       gint64       *folds)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree gsize *rows = g_new (gsize, n_rows);
  gsize n_dealt = 0;

  for (guint label = 0; label < 2; label++)
    {
      gsize n = 0;

      for (gsize i = 0; i < n_rows; i++)
        if (labels[i] == label)
          rows[n++] = i;
      for (gsize i = n; i > 1; i--)
        {
          gsize other = draw (random, i);
          gsize row = rows[i - 1];

          rows[i - 1] = rows[other];
          rows[other] = row;
        }
      for (gsize i = 0; i < n; i++)
        folds[rows[i]] = (gint64) (n_dealt++ % n_folds);
    }
}

static int
compare_scores (gconstpointer a,
                gconstpointer b,
                gpointer      data)
{
  const double *scores = data;
  double difference = scores[*(const gsize *) a] - scores[*(const gsize *) b];

  if (difference != 0.0)
    return difference < 0.0 ? -1 : 1;
  return *(const gsize *) a < *(const gsize *) b ? -1 : 1;
}

static void
init_fold (Fold         *fold,
           const double *scores,
           const guint8 *labels,
           const gint64 *folds,
           gsize         n_rows,
           gsize         number)
{
  fold->rows = g_new (gsize, n_rows);
  for (gsize i = 0; i < n_rows; i++)
    if (folds[i] == (gint64) number)
      fold->rows[fold->n++] = i;
  g_qsort_with_data (fold->rows, (int) fold->n, sizeof *fold->rows, compare_scores,
                     (gpointer) scores);
  for (guint label = 0; label < 2; label++)
    {
      fold->by_label[label] = g_new (gsize, fold->n);
      for (gsize i = 0; i < fold->n; i++)
        if (labels[fold->rows[i]] == label)
          fold->by_label[label][fold->n_by_label[label]++] = i;
    }
}

/* Rounds the scores of the fold @number, so that scores that differ only in their last bits are
 * tied. */
static void
round_scores (const double *scores,
              const gint64 *folds,
              gsize         n_rows,
              gsize         number,
              double       *rounded)
{
  double largest = 0.0;

  for (gsize i = 0; i < n_rows; i++)
    if (folds[i] == (gint64) number)
      largest = MAX (largest, fabs (scores[i]));
  double unit = ldexp (largest, -SCORE_BITS);
  for (gsize i = 0; i < n_rows; i++)
    if (folds[i] == (gint64) number)
      rounded[i] = unit > 0.0 ? rint (scores[i] / unit) : 0.0;
}

/* Returns the area under the ROC curve of one fold. @counts: how often the bootstrap drew each
 * row */
static double
measure_auc (const Fold   *fold,
             const double *scores,
             const guint8 *labels,
             const guint  *counts)
{
  double n_zeros = 0.0;
  double n_ones = 0.0;
  double sum = 0.0;

  for (gsize first = 0; first < fold->n;)
    {
      double score = scores[fold->rows[first]];
      double n_tied[2] = { 0.0, 0.0 };
      gsize end = first;

      for (; end < fold->n && scores[fold->rows[end]] == score; end++)
        n_tied[labels[fold->rows[end]]] += counts[end];
      sum += n_tied[1] * (n_zeros + 0.5 * n_tied[0]);
      n_zeros += n_tied[0];
      n_ones += n_tied[1];
      first = end;
    }
  return sum / (n_zeros * n_ones);
}

static double
measure_accuracy (const Fold   *fold,
                  const double *scores,
                  const guint8 *labels,
                  const guint  *counts)
{
  gsize n_right = 0;

  for (gsize i = 0; i < fold->n; i++)
    if ((scores[fold->rows[i]] > 0.0) == (labels[fold->rows[i]] == 1))
      n_right += counts[i];
  return (double) n_right / (double) fold->n;
}

/* Averages AUC and accuracy over the folds that have them; NaN if no fold has. @means: (out): AUC
 * and accuracy */
static void
measure (const Fold    *folds,
         gsize          n_folds,
         const double  *scores,
         const double  *rounded,
         const guint8  *labels,
         guint        **counts,
         double         means[2])
{
  double sums[2] = { 0.0, 0.0 };
  gsize n[2] = { 0, 0 };

  for (gsize i = 0; i < n_folds; i++)
    {
      if (folds[i].n_by_label[0] > 0 && folds[i].n_by_label[1] > 0)
        {
          sums[0] += measure_auc (&folds[i], rounded, labels, counts[i]);
          n[0]++;
        }
      if (folds[i].n > 0)
        {
          sums[1] += measure_accuracy (&folds[i], scores, labels, counts[i]);
          n[1]++;
        }
    }
  for (gsize k = 0; k < 2; k++)
    means[k] = n[k] > 0 ? sums[k] / (double) n[k] : NAN;
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y ? 1
                            : 0;
}

/* Interpolates a percentile between the two nearest of the sorted draws, as NumPy's percentile()
 * does. */
static double
get_percentile (const double *draws,
                double        share)
{
  double place = share * (ATTN_PROBE_N_DRAWS - 1);
  gsize below = (gsize) place;
  gsize above = MIN (below + 1, (gsize) ATTN_PROBE_N_DRAWS - 1);

  return draws[below] + (place - (double) below) * (draws[above] - draws[below]);
}

static void
draw_counts (GRand      *random,
             const Fold *fold,
             guint      *counts)
{
  memset (counts, 0, fold->n * sizeof *counts);
  for (guint label = 0; label < 2; label++)
    for (gsize i = 0; i < fold->n_by_label[label]; i++)
      counts[fold->by_label[label][draw (random, fold->n_by_label[label])]]++;
}

/**
 * attn_probe_score_run:
 * @scores: (array length=n_rows): score of each row, larger if label 1 is more likely
 * @labels: (array length=n_rows): label of each row, 0 or 1
 * @folds: (array length=n_rows): fold of each row, %ATTN_PROBE_NO_FOLD for a row that is not tested
 * @seed: seed of the bootstrap's draws
 * @score: (out): AUC and accuracy with their confidence intervals
 *
 * Measures each fold by itself, since scores of different regressions cannot be compared, and takes
 * the mean over the folds, as of scikit-learn's cross_val_score(). A fold with only one label has
 * no AUC and is left out of the mean AUC. The bootstrap draws as many rows of each label in each
 * fold as there are, with replacement.
 */
void
attn_probe_score_run (const double   *scores,
                      const guint8   *labels,
                      const gint64   *folds,
                      gsize           n_rows,
                      gsize           n_folds,
                      guint32         seed,
                      AttnProbeScore *score)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree Fold *all = g_new0 (Fold, n_folds);
  g_autoptr (GPtrArray) counts = g_ptr_array_new_with_free_func (g_free);
  g_autofree double *draws = g_new (double, 2 * ATTN_PROBE_N_DRAWS);
  g_autofree double *rounded = g_new0 (double, n_rows);
  double means[2];

  for (gsize i = 0; i < n_folds; i++)
    {
      round_scores (scores, folds, n_rows, i, rounded);
      init_fold (&all[i], rounded, labels, folds, n_rows, i);
      guint *ones = g_new (guint, all[i].n + 1);
      for (gsize k = 0; k < all[i].n; k++)
        ones[k] = 1;
      g_ptr_array_add (counts, ones);
    }
  measure (all, n_folds, scores, rounded, labels, (guint **) counts->pdata, means);
  for (gsize i = 0; i < ATTN_PROBE_N_DRAWS; i++)
    {
      double drawn[2];

      for (gsize k = 0; k < n_folds; k++)
        draw_counts (random, &all[k], counts->pdata[k]);
      measure (all, n_folds, scores, rounded, labels, (guint **) counts->pdata, drawn);
      draws[i] = drawn[0];
      draws[ATTN_PROBE_N_DRAWS + i] = drawn[1];
    }
  for (gsize k = 0; k < 2; k++)
    qsort (draws + k * ATTN_PROBE_N_DRAWS, ATTN_PROBE_N_DRAWS, sizeof *draws, compare_numbers);
  *score = (AttnProbeScore) {
    .auc = means[0],
    .auc_low = get_percentile (draws, LOW),
    .auc_high = get_percentile (draws, HIGH),
    .accuracy = means[1],
    .accuracy_low = get_percentile (draws + ATTN_PROBE_N_DRAWS, LOW),
    .accuracy_high = get_percentile (draws + ATTN_PROBE_N_DRAWS, HIGH),
  };
  for (gsize i = 0; i < n_folds; i++)
    clear_fold (&all[i]);
}
