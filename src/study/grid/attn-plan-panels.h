/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes one panel of a plan from a trace (what was kept of a pass through the model), and computes
 * its measures. Private to src/study. */

#pragma once

#include "attn-measures.h"
#include "attn-trace.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/**
 * AttnPlanSource:
 * @trace: (nullable): a pass through the model, from which weights are computed that @mean and
 *   @weights lack
 * @interventions: (nullable): interventions that are applied to @trace for the mean of the heads
 * @mean: (nullable): the mean of the heads, if it is already computed
 * @weights: (nullable): [heads, T, keys]; %NULL if only the mean is needed, or if @trace keeps no
 *   weights
 * @heads: (nullable): the heads in @weights, %NULL for all
 * @is_copied: whether a panel copies its head out of @weights, rather than keep all of @weights
 *   alive
 *
 * Weights, or the pass that gives them, from which the panels of a layer are made.
 */
typedef struct
{
  AttnTrace *trace;
  GPtrArray *interventions;
  AttnTensor *mean;
  AttnTensor *weights;
  AttnIndexSet *heads;
  gboolean is_copied;
} AttnPlanSource;

/**
 * AttnPlanMeasured:
 * @before: the same head without an intervention; @panel itself where there is none
 * @deferred: (nullable): computes the weights of @panel before it is measured
 * @index: index of the panel's head among those of @deferred
 * @measures: (out): the measures of @panel, with its distance from @before
 *
 * A panel to be measured, and the measures that it gets.
 */
typedef struct
{
  AttnPanel *panel;
  AttnPanel *before;
  const AttnDeferred *deferred;
  gsize index;
  AttnPanelMeasures measures;
} AttnPlanMeasured;

gboolean   attn_plan_is_long    (const AttnBaseline    *baseline);
AttnPanel *attn_plan_make_panel (const AttnBaseline    *baseline,
                                 gsize                  layer,
                                 int                    head,
                                 const AttnPlanSource  *source,
                                 GCancellable          *cancellable,
                                 GError               **error);
AttnPanel *attn_plan_wrap_panel (const AttnBaseline    *baseline,
                                 gsize                  layer,
                                 AttnTensor            *values,
                                 gboolean               has_window);
void       attn_plan_scan       (AttnPanel              *panel);
gboolean   attn_plan_leaves_out_queries (const AttnStudy *study);
gboolean   attn_plan_measure_difference (AttnPanel     *panel,
                                 AttnPanel             *before,
                                 GCancellable          *cancellable,
                                 AttnPanelMeasures     *measures,
                                 GError               **error);
gboolean   attn_plan_measure_all (const AttnStudy      *study,
                                 const AttnBaseline    *baseline,
                                 AttnPlanMeasured      *list,
                                 gsize                  n,
                                 GCancellable          *cancellable,
                                 GError               **error);
gboolean   attn_plan_measure    (const AttnStudy       *study,
                                 const AttnBaseline    *baseline,
                                 AttnPanel             *panel,
                                 AttnPanel             *before,
                                 GCancellable          *cancellable,
                                 AttnPanelMeasures     *measures,
                                 GError               **error);

G_END_DECLS
