/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A profile: the summed values of some rows or columns of a panel, or the distance of its rows from
 * the baseline, with summary numbers. */

#pragma once

#include "attn-panel.h"
#include "attn-task.h"

G_BEGIN_DECLS

/**
 * AttnProfileKind:
 * @ATTN_PROFILE_ROWS: the sum of some rows: what each key gets from these queries
 * @ATTN_PROFILE_COLUMNS: what every query gives to some keys; the mean is the sink score of a key
 * @ATTN_PROFILE_DISTANCES: total variation distance of every row to the baseline, 0 to 1
 */
typedef enum
{
  ATTN_PROFILE_ROWS,
  ATTN_PROFILE_COLUMNS,
  ATTN_PROFILE_DISTANCES,
} AttnProfileKind;

/**
 * AttnProfile:
 * @n: number of values: keys if it is of rows, queries if not
 * @values: [n], one of each key or query
 * @baseline: (nullable): [n], the values without the intervention
 * @is_visible: [n]: whether at least one of the rows can attend to the key, or the query to one of
 *   the columns
 * @labels: (nullable): [n], the tokens of the values
 * @has_names: the labels are names, to which positions would add nothing; off to begin with
 * @n_visible: how many values are visible
 * @sum: of the values; NaN before attn_profile_read(), as are the members below
 * @baseline_sum: the sum of @baseline; NaN without one, as are its other numbers
 * @mean: the sum divided by @n_visible
 * @entropy: bits, of the values divided by their sum; NaN where one of them is negative
 * @distance: of rows: total variation distance to the baseline, half the sum of the absolute
 *   differences, mean over the rows
 */
typedef struct
{
  AttnProfileKind kind;
  gsize n;
  double *values;
  double *baseline;
  guint8 *is_visible;
  const char * const *labels;
  gboolean has_names;
  gsize n_visible;
  double sum;
  double baseline_sum;
  double mean;
  double baseline_mean;
  double entropy;
  double baseline_entropy;
  double distance;

  /*< private >*/
  AttnPanel *panel;
  AttnPanel *other;  /* (nullable): panel of the baseline, if it has the same size */
  gsize *indices;    /* indices of the rows, or of the columns, that the profile sums */
  gsize n_indices;
} AttnProfile;

AttnProfile *attn_profile_new           (AttnProfileKind    kind,
                                         AttnPanel         *panel,
                                         AttnPanel         *baseline,
                                         const gsize       *indices,
                                         gsize              n_indices);
gboolean     attn_profile_takes_long    (const AttnProfile *profile);
void         attn_profile_run           (gpointer           profile,
                                         AttnTask          *task,
                                         gpointer           place);
void         attn_profile_read          (AttnProfile       *profile,
                                         GCancellable      *cancellable);
void         attn_profile_free          (AttnProfile       *profile);
gsize        attn_profile_get_top       (const AttnProfile *profile,
                                         gsize             *indices,
                                         gsize              n_indices);
char        *attn_profile_dup_name      (const AttnProfile *profile,
                                         gsize              index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnProfile, attn_profile_free)

G_END_DECLS
