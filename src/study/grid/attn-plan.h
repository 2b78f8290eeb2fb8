/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plan of the panels that a grid shows. Each combination of input, model, layer, head and
 * interventions is computed once. Private to src/study. */

#pragma once

#include "attn-cell.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/**
 * AttnPlanned:
 * @baseline: the panel of the cell's head without an intervention
 * @panel: the panel with the interventions of the cell; @baseline itself if they do not change it
 * @measures: measures of @panel, such as its sink score
 *
 * Result for one cell of the grid, before tokens are joined to words and keys are hidden.
 */
typedef struct
{
  AttnPanel *baseline;
  AttnPanel *panel;
  AttnPanelMeasures measures;
} AttnPlanned;

typedef struct _AttnPlan AttnPlan;

AttnPlan          *attn_plan_new  (const AttnStudy      *study,
                                   AttnWorkspace        *workspace);
void               attn_plan_free (AttnPlan             *plan);
gboolean           attn_plan_add  (AttnPlan             *plan,
                                   const AttnCell       *cell,
                                   gsize                *index,
                                   GError              **error);
gboolean           attn_plan_run  (AttnPlan             *plan,
                                   const AttnProgress   *progress,
                                   GCancellable         *cancellable,
                                   GError              **error);
const AttnPlanned *attn_plan_get  (const AttnPlan       *plan,
                                   gsize                 index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPlan, attn_plan_free)

G_END_DECLS
