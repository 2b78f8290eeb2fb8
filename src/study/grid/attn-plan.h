/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plan for the heads that a grid shows, each of which is computed once. Private to src/study. */

#pragma once

#include "attn-cell.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/**
 * AttnPlanned:
 * @baseline: the head without an intervention
 * @panel: with those of its cell; @baseline itself where they do not touch it
 * @measures: of @panel
 *
 * What a cell shows, before words are joined and keys hidden.
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
