/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Maps with a number for each head of a model: a measure of its attention, or the effect of an
 * intervention on this head. */

#pragma once

#include "attn-progress.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/* Bit mask of the values of AttnHeadMeasure that need only attention weights: those before the
 * first effect. */
#define ATTN_HEAD_MEASURES_OF_WEIGHTS ((1u << ATTN_HEAD_MEASURE_EFFECT_ZERO) - 1)

/**
 * AttnHeadMap:
 * @values: (array): for each #AttnHeadMeasure an array [@n_layers, @n_heads], NaN for a head that
 *   has nothing to measure; %NULL for a measure that was not asked for
 * @before: (array): the same without interventions, for lengths of vectors, whose @values are taken
 *   with them; NaN for other measures
 *
 * Measures of all heads of a model. Immutable, in an atomically reference-counted box.
 */
typedef struct
{
  gsize n_layers;
  gsize n_heads;
  double *values[ATTN_N_HEAD_MEASURES];
  double *before[ATTN_N_HEAD_MEASURES];
} AttnHeadMap;

gsize        attn_head_map_find_panel  (const AttnResult  *result,
                                        int                index);
AttnStudy   *attn_head_map_build_study (const AttnResult  *result,
                                        int                index);
AttnHeadMap *attn_head_map_run         (const AttnStudy   *study,
                                        AttnWorkspace     *workspace,
                                        GCancellable      *cancellable,
                                        GError           **error);
AttnHeadMap *attn_head_map_new         (AttnWorkspace     *workspace,
                                        guint              measures);
gboolean     attn_head_map_fill        (AttnHeadMap       *map,
                                        const AttnStudy   *study,
                                        AttnWorkspace     *workspace,
                                        const AttnProgress *progress,
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
