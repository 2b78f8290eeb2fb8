/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes one panel of a plan from a trace and computes its measures. Private to src/study. */

#pragma once

#include "attn-measures.h"
#include "attn-trace.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/**
 * AttnPlanSource:
 * @trace: (nullable): for the mean of the heads, if it has no interventions of its own
 * @interventions: (nullable): for that mean
 * @mean: (nullable): that mean, where it is there
 * @weights: (nullable): [heads, T, keys]; %NULL where only the mean is asked for, or @trace keeps
 *   none
 * @heads: (nullable): which heads these are
 * @is_copied: whether a panel takes its head out of @weights, or keeps all of them
 *
 * Where the panels of a layer come from.
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
 * @deferred: (nullable): what fills @panel first
 * @index: of the head of @deferred that @panel has
 * @measures: (out): of @panel, compared with @before
 *
 * A panel that is measured.
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
                                 AttnMeasures          *measures,
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
