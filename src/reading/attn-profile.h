/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stands in a row, in several rows summed, or in a column of a panel, with its numbers. */

#pragma once

#include <gio/gio.h>

#include "attn-panel.h"

G_BEGIN_DECLS

/**
 * AttnProfile:
 * @n: keys of a row, queries of a column
 * @n_lines: rows that were summed, 1 for a column
 * @values: [n]
 * @baseline: (nullable): [n], the same without the intervention
 * @is_visible: [n]: whether any of the lines sees it
 * @labels: (nullable): [n], their tokens
 * @has_names: the labels say what they are, and their numbers nothing more; off to begin with
 * @n_visible: how many are
 * @sum: of the values
 * @baseline_sum: NaN without a baseline, as all that follows of it
 * @mean: of those that are visible
 * @entropy: bits, of the values divided by their sum; NaN where one of them is negative
 * @distance: total variation distance to the baseline, half the sum of the absolute differences,
 *   mean over the lines
 */
typedef struct
{
  gsize n;
  gsize n_lines;
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
  AttnPanel *panel; /* keeps the labels */
  gboolean is_row;
} AttnProfile;

AttnProfile *attn_profile_new_rows      (AttnPanel         *panel,
                                         AttnPanel         *baseline,
                                         const gsize       *rows,
                                         gsize              n_rows,
                                         GCancellable      *cancellable);
AttnProfile *attn_profile_new_column    (AttnPanel         *panel,
                                         AttnPanel         *baseline,
                                         gsize              column,
                                         GCancellable      *cancellable);
AttnProfile *attn_profile_new_distances (AttnPanel         *panel,
                                         AttnPanel         *baseline,
                                         GCancellable      *cancellable);
void         attn_profile_free          (AttnProfile       *profile);
gsize        attn_profile_get_top       (const AttnProfile *profile,
                                         gsize             *indices,
                                         gsize              n_indices);
const char  *attn_profile_get_label     (const AttnProfile *profile,
                                         gsize              index);
gsize        attn_profile_get_position  (const AttnProfile *profile,
                                         gsize              index);
char        *attn_profile_dup_name      (const AttnProfile *profile,
                                         gsize              index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnProfile, attn_profile_free)

G_END_DECLS
