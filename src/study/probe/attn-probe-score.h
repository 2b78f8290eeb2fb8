/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Splits labelled rows into folds, and measures how well scores separate the labels. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Fold of a row that is used for training only. */
#define ATTN_PROBE_NO_FOLD -1

/* Draws of a bootstrap. */
#define ATTN_PROBE_N_DRAWS 1000

/**
 * AttnProbeScore:
 * @auc: area under the curve of the receiver operating characteristic, ties counted half; scores
 *   that differ by less than float32 tells are tied; NaN where no fold has both labels
 * @auc_low: 2.5th percentile of the bootstrap
 * @auc_high: 97.5th percentile
 * @accuracy: share of the rows whose label is 1 where the score is above 0, 0 elsewhere
 * @accuracy_low: as of @auc
 * @accuracy_high: likewise
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
