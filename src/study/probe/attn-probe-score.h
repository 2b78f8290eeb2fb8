/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Splits the labelled rows of a table into folds (parts that are tested in turn), and measures how
 * well the scores of a probe separate the labels. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The fold of a row that is used for training only, and not tested. */
#define ATTN_PROBE_NO_FOLD -1

/* Number of random draws in a bootstrap, which gives the confidence intervals. */
#define ATTN_PROBE_N_DRAWS 1000

/**
 * AttnProbeScore:
 * @auc: area under the curve of the receiver operating characteristic, ties counted half; scores
 *   that differ only by rounding of float32 are tied; NaN if no fold has both labels
 * @auc_low: 2.5th percentile of @auc in the bootstrap
 * @auc_high: 97.5th percentile of @auc in the bootstrap
 * @accuracy: share of the rows that are classified rightly: as label 1 if the score is above 0,
 *   else as 0
 * @accuracy_low: 2.5th percentile of @accuracy in the bootstrap
 * @accuracy_high: 97.5th percentile of @accuracy in the bootstrap
 */
typedef struct
{
  double auc;
  double auc_low;
  double auc_high;
  double accuracy;
  double accuracy_low;
  double accuracy_high;
} AttnProbeScore;

void attn_probe_score_deal (const guint8   *labels,
                            gsize           n_rows,
                            gsize           n_folds,
                            guint32         seed,
                            gint64         *folds);
void attn_probe_score_run  (const double   *scores,
                            const guint8   *labels,
                            const gint64   *folds,
                            gsize           n_rows,
                            gsize           n_folds,
                            guint32         seed,
                            AttnProbeScore *score);

G_END_DECLS
