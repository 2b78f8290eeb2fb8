/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A batch: the cells of a plan that show one input in one model. Its groups are the cells with the
 * same interventions, which are computed together. Private to src/study. */

#pragma once

#include "attn-plan.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * AttnPlanItem:
 * @head: number of the head, or %ATTN_HEAD_MEAN
 *
 * A cell of the plan and its result, reference-counted by g_rc_box_acquire() and
 * attn_plan_item_unref().
 */
typedef struct
{
  gsize layer;
  int head;
  AttnPlanned planned;
} AttnPlanItem;

/**
 * AttnPlanBatch:
 * @study: the study of the plan
 * @baseline: the batch's input in its model, without interventions
 * @groups: element-type AttnPlanGroup: cells with the same interventions
 * @layers: (array): [L]: which layers the grid shows
 * @cancellable: (nullable): cancels the run, set by attn_plan_batch_begin()
 */
typedef struct
{
  const AttnStudy *study;
  AttnBaseline *baseline;
  GPtrArray *groups;
  gboolean *layers;
  GCancellable *cancellable;
} AttnPlanBatch;

void           attn_plan_item_unref        (gpointer              item);

AttnPlanBatch *attn_plan_batch_new         (const AttnStudy      *study,
                                            AttnBaseline         *baseline);
void           attn_plan_batch_free        (gpointer              batch);
AttnPlanItem  *attn_plan_batch_add         (AttnPlanBatch        *batch,
                                            const AttnCell       *cell,
                                            GPtrArray            *interventions);
gsize          attn_plan_batch_count_layers (const AttnPlanBatch *batch);
gsize          attn_plan_batch_count_heads (const AttnPlanBatch  *batch,
                                            gsize                 layer);
gsize          attn_plan_batch_count_cells (const AttnPlanBatch  *batch);
GPtrArray     *attn_plan_batch_list        (const AttnPlanBatch  *batch,
                                            gsize                 layer);
void           attn_plan_batch_begin       (AttnPlanBatch        *batch,
                                            GCancellable         *cancellable);
GPtrArray     *attn_plan_batch_list_groups (const AttnPlanBatch  *batch,
                                            gsize                 layer);
gboolean       attn_plan_batch_compute     (const AttnPlanBatch  *batch,
                                            const GPtrArray      *groups,
                                            gsize                 layer,
                                            GError              **error);
gboolean       attn_plan_batch_compute_rest (const AttnPlanBatch *batch,
                                            GError              **error);
AttnTrace     *attn_plan_batch_trace       (const AttnPlanBatch  *batch,
                                            const gboolean       *layers,
                                            GPtrArray            *interventions,
                                            const AttnProgress   *progress,
                                            GError              **error);
void           attn_plan_batch_keep        (const AttnPlanBatch  *batch,
                                            gboolean              is_kept);

G_END_DECLS
