/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes and reads the file of a probe, which has a map of layers x roles for each measure. */

#pragma once

#include "attn-matrix.h"
#include "attn-probe.h"
#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnProbeMap:
 * @label: (nullable): name of the map's values, "AUC" or "Accuracy"
 * @caption: what was probed, and on how many rows
 * @intervals: (array): [n_layers, n_roles, 2], ends of the confidence interval of each cell
 * @role_rows: (array): [n_roles], number of rows that are tested at each role
 *
 * What the file of a probe says about the map that is shown.
 */
typedef struct
{
  const char *label;
  char *caption;
  float *intervals;
  guint32 *role_rows;
} AttnProbeMap;

GBytes       *attn_probe_serialize   (const AttnProbe           *probe,
                                      const char                *path,
                                      GError                   **error);
gboolean      attn_probe_map_is_one  (const AttnModelReference  *reference);
AttnModelReference *attn_probe_map_dup_model (const AttnModelReference *reference);
AttnProbeMap *attn_probe_map_load    (const AttnModelReference  *reference,
                                      const AttnMatrixFile      *matrix,
                                      GError                   **error);
void          attn_probe_map_free    (AttnProbeMap              *map);
AttnStudy    *attn_probe_load_study  (const AttnModelReference  *reference,
                                      GError                   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnProbeMap, attn_probe_map_free)

G_END_DECLS
