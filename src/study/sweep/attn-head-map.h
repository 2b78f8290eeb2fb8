/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A number for each head of a model: what it attends to, and how far an intervention moves it. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

/**
 * AttnHeadMeasure:
 * @ATTN_HEAD_MEASURE_SINK: sink score of the first key, 0 to 1
 * @ATTN_HEAD_MEASURE_ENTROPY: mean entropy of a row, in bits
 * @ATTN_HEAD_MEASURE_DISTANCE: mean distance from query to key, in tokens
 * @ATTN_HEAD_MEASURE_PREVIOUS: mean weight on the token before, 0 to 1
 * @ATTN_HEAD_MEASURE_INDUCTION: mean weight on what follows earlier occurrences of the token
 * @ATTN_HEAD_MEASURE_CHANGE: total variation distance from there to what an intervention makes of
 *   it, 0 to 1
 *
 * Of the weights without an intervention.
 */
typedef enum
{
  ATTN_HEAD_MEASURE_SINK,
  ATTN_HEAD_MEASURE_ENTROPY,
  ATTN_HEAD_MEASURE_DISTANCE,
  ATTN_HEAD_MEASURE_PREVIOUS,
  ATTN_HEAD_MEASURE_INDUCTION,
  ATTN_HEAD_MEASURE_CHANGE,
  ATTN_N_HEAD_MEASURES,
} AttnHeadMeasure;

/**
 * AttnHeadMap:
 * @values: (array): by #AttnHeadMeasure, [@n_layers, @n_heads]; NaN where there is nothing to
 *   measure
 *
 * Immutable, in an atomically reference-counted box.
 */
typedef struct
{
  gsize n_layers;
  gsize n_heads;
  double *values[ATTN_N_HEAD_MEASURES];
} AttnHeadMap;

AttnStudy   *attn_head_map_build_study (const AttnResult  *result,
                                        int                index);
AttnHeadMap *attn_head_map_run         (const AttnStudy   *study,
                                        AttnWorkspace     *workspace,
                                        GCancellable      *cancellable,
                                        GError           **error);
gsize       *attn_head_map_sort        (const AttnHeadMap *map,
                                        AttnHeadMeasure    measure);
void         attn_head_map_get_range   (const AttnHeadMap *map,
                                        AttnHeadMeasure    measure,
                                        double            *low,
                                        double            *high);
AttnHeadMap *attn_head_map_ref         (AttnHeadMap       *map);
void         attn_head_map_unref       (AttnHeadMap       *map);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnHeadMap, attn_head_map_unref)

G_END_DECLS
