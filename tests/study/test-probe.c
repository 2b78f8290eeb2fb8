/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Probes: the regression and its measures, against scikit-learn's. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-array.h"
#include "attn-error.h"
#include "attn-logistic.h"
#include "attn-probe-score.h"

/* A case of make_regressions.py. */
typedef struct
{
  AttnTensor *x;
  const float **rows;
  guint8 *labels;
  gint64 *folds;
  gsize n_rows;
  gsize width;
} Case;

static AttnTensor *
load (const AttnArrayFile *file,
      const char          *name,
      const char          *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *full_name = g_strdup_printf ("%s.%s", name, part);
  AttnTensor *tensor = attn_array_to_tensor (attn_array_file_lookup (file, full_name), &error);

  g_assert_no_error (error);
  return tensor;
}

static AttnArrayFile *
open_regressions (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "study", "probes", "regressions.npz", NULL);
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

static void
open_case (const AttnArrayFile *file,
           const char          *name,
           Case                *data)
{
  g_autoptr (AttnTensor) y = load (file, name, "y");
  g_autoptr (AttnTensor) folds = load (file, name, "folds");

  data->x = load (file, name, "x");
  data->n_rows = data->x->shape[0];
  data->width = data->x->shape[1];
  data->rows = g_new (const float *, data->n_rows);
  data->labels = g_new (guint8, data->n_rows);
  data->folds = g_new (gint64, data->n_rows);
  for (gsize i = 0; i < data->n_rows; i++)
    {
      data->rows[i] = data->x->data + i * data->width;
      data->labels[i] = (guint8) y->data[i];
      data->folds[i] = (gint64) folds->data[i];
    }
}

static void
clear_case (Case *data)
{
  attn_tensor_unref (data->x);
  g_free (data->rows);
  g_free (data->labels);
  g_free (data->folds);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, clear_case)

static void
assert_near (double      found,
             double      expected,
             double      tolerance,
             const char *what)
{
  if (!(fabs (found - expected) <= tolerance))
    g_error ("%s: %.9g found, expected %.9g", what, found, expected);
}

/* Fits all folds but one and scores that one, in turn. */
static void
cross_validate (const AttnLogistic *logistic,
                const Case         *data,
                gsize               n_folds,
                double             *scores)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *is_trained = g_new (guint8, data->n_rows);
  g_autofree double *all = g_new (double, data->n_rows);

  for (gsize fold = 0; fold < n_folds; fold++)
    {
      for (gsize i = 0; i < data->n_rows; i++)
        is_trained[i] = data->folds[i] != (gint64) fold;
      attn_logistic_fit (logistic, data->labels, is_trained, all, NULL, NULL, &error);
      g_assert_no_error (error);
      for (gsize i = 0; i < data->n_rows; i++)
        if (!is_trained[i])
          scores[i] = all[i];
    }
}

/* More rows than numbers, and fewer; one number very large; all of them. Of the weights, 1e-4 is
 * where scikit-learn's own solvers still agree. */
static void
test_regression (gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = open_regressions ();
  g_autoptr (AttnTensor) w = load (file, name, "w");
  g_autoptr (AttnTensor) b = load (file, name, "b");
  g_autoptr (AttnTensor) auc = load (file, name, "auc");
  g_autoptr (AttnTensor) accuracy = load (file, name, "accuracy");
  g_auto (Case) data = { 0 };
  AttnProbeScore score;
  double intercept;

  open_case (file, name, &data);
  g_autoptr (AttnLogistic) logistic =
      attn_logistic_new (data.rows, data.n_rows, data.width, &error);
  g_assert_no_error (error);
  g_autofree guint8 *is_trained = g_memdup2 (data.labels, data.n_rows);
  memset (is_trained, 1, data.n_rows);
  g_autofree double *scores = g_new (double, data.n_rows);
  g_autofree double *weights = g_new (double, data.width);
  attn_logistic_fit (logistic, data.labels, is_trained, scores, weights, &intercept, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < data.width; i++)
    assert_near (weights[i], w->data[i], 1e-4, "weight");
  assert_near (intercept, b->data[0], 1e-4, "intercept");
  for (gsize i = 0; i < data.n_rows; i++)
    {
      double sum = intercept;

      for (gsize k = 0; k < data.width; k++)
        sum += weights[k] * data.rows[i][k];
      assert_near (scores[i], sum, 1e-9, "score");
    }

  cross_validate (logistic, &data, 4, scores);
  attn_probe_score_run (scores, data.labels, data.folds, data.n_rows, 4, 0, &score);
  assert_near (score.auc, auc->data[0], 1e-3, "AUC");
  assert_near (score.accuracy, accuracy->data[0], 1e-6, "accuracy");
  g_assert_cmpfloat (score.auc_low, <=, score.auc);
  g_assert_cmpfloat (score.auc_high, >=, score.auc);
}

static void
test_not_finite (void)
{
  g_autoptr (GError) error = NULL;
  const float row[] = { 1.0f, INFINITY };
  const float *rows[] = { row, row };

  g_assert_null (attn_logistic_new (rows, 2, 2, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "inf found in row 0, expected finite"));
}

/* Half of a tie counts: of 2 x 2 pairs, 2 are right, 1 is tied. */
static void
test_ties (void)
{
  const double scores[] = { 0.5, -1.0, 0.5, 0.25 };
  const guint8 labels[] = { 1, 0, 0, 1 };
  const gint64 folds[] = { 0, 0, 0, 0 };
  AttnProbeScore score;

  attn_probe_score_run (scores, labels, folds, 4, 1, 0, &score);
  assert_near (score.auc, 2.5 / 4, 1e-12, "AUC");
  assert_near (score.accuracy, 3.0 / 4, 1e-12, "accuracy");
}

/* A difference that float32 does not tell is none, whichever way it goes. */
static void
test_rounding (void)
{
  const double scores[] = { 3.0, 3.0 + 1e-6, -1.0, -1.0 - 1e-6, 3.001 };
  const guint8 labels[] = { 0, 1, 0, 1, 1 };
  const gint64 folds[] = { 0, 0, 0, 0, 0 };
  AttnProbeScore score;

  attn_probe_score_run (scores, labels, folds, 5, 1, 0, &score);
  assert_near (score.auc, (0.5 + 1 + 0 + 0.5 + 2) / 6, 1e-12, "AUC");
}

/* A fold of one label has no AUC; a row of no fold does not count. */
static void
test_lacking_labels (void)
{
  const double scores[] = { 1.0, -1.0, 2.0, 7.0 };
  const guint8 labels[] = { 1, 0, 1, 0 };
  const gint64 folds[] = { 0, 0, 1, ATTN_PROBE_NO_FOLD };
  AttnProbeScore score;

  attn_probe_score_run (scores, labels, folds, 4, 2, 0, &score);
  assert_near (score.auc, 1.0, 1e-12, "AUC");
  assert_near (score.accuracy, 1.0, 1e-12, "accuracy");
  attn_probe_score_run (scores + 2, labels + 2, folds + 2, 2, 2, 0, &score);
  g_assert_true (isnan (score.auc) && isnan (score.auc_low) && isnan (score.auc_high));
  assert_near (score.accuracy, 1.0, 1e-12, "accuracy");
}

/* Scores that know nothing, of 400 rows: an AUC near a half, whose interval holds it and is as wide
 * as the error of so many rows, 1.96 x 0.029, has it. */
static void
test_interval (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  double scores[400];
  guint8 labels[400];
  gint64 folds[400];
  AttnProbeScore score, again;

  for (gsize i = 0; i < 400; i++)
    {
      scores[i] = g_rand_double (random) - 0.5;
      labels[i] = i % 2;
    }
  attn_probe_score_deal (labels, 400, 5, 3, folds);
  attn_probe_score_run (scores, labels, folds, 400, 5, 3, &score);
  assert_near (score.auc, 0.5, 0.09, "AUC");
  assert_near (score.auc_high - score.auc_low, 2 * 1.96 * 0.029, 0.02, "width");
  attn_probe_score_run (scores, labels, folds, 400, 5, 3, &again);
  g_assert_cmpmem (&score, sizeof score, &again, sizeof again);
}

/* As many rows of each label in each fold as can be, and other folds with another seed. */
static void
test_folds (void)
{
  guint8 labels[53];
  gint64 folds[2][53];
  gsize n[5][2] = { { 0 } };

  for (gsize i = 0; i < 53; i++)
    labels[i] = i % 3 == 0;
  attn_probe_score_deal (labels, 53, 5, 0, folds[0]);
  attn_probe_score_deal (labels, 53, 5, 1, folds[1]);
  g_assert_cmpint (memcmp (folds[0], folds[1], sizeof folds[0]), !=, 0);
  for (gsize i = 0; i < 53; i++)
    n[folds[0][i]][labels[i]]++;
  for (gsize fold = 0; fold < 5; fold++)
    {
      g_assert_cmpuint (n[fold][0], >=, 7); /* of 35 */
      g_assert_cmpuint (n[fold][1], >=, 3); /* of 18 */
      g_assert_cmpuint (n[fold][1], <=, 4);
      g_assert_cmpuint (n[fold][0] + n[fold][1], >=, 10);
      g_assert_cmpuint (n[fold][0] + n[fold][1], <=, 11);
    }
}

int
main (int    argc,
      char **argv)
{
  static const char * const cases[] = { "narrow", "wide", "square", "large" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/study/probe/regression/", cases[i], NULL);

      g_test_add_data_func (path, cases[i], test_regression);
    }
  g_test_add_func ("/study/probe/not-finite", test_not_finite);
  g_test_add_func ("/study/probe/ties", test_ties);
  g_test_add_func ("/study/probe/rounding", test_rounding);
  g_test_add_func ("/study/probe/lacking-labels", test_lacking_labels);
  g_test_add_func ("/study/probe/interval", test_interval);
  g_test_add_func ("/study/probe/folds", test_folds);
  return g_test_run ();
}
