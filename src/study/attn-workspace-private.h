/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the job asks of the workspace. Private to src/study. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

/**
 * AttnBaseline:
 * @tokens: of the input, cut to the length asked for
 * @residuals: (nullable): a trace that keeps the residual stream of every layer, and the sink
 *   scores of all
 * @shown: (nullable): a trace that keeps everything of one layer
 * @shown_layer: that layer
 * @panel: (nullable): the weights of @panel_layer and @panel_head as a panel
 * @panel_measures: of @panel
 *
 * What is kept of one input. Each part is made when it is first needed, and can be made again from
 * the tokens: it changes the time that a job takes and nothing else.
 */
typedef struct
{
  AttnInput *input;
  gboolean adds_special_tokens;
  AttnTokens *tokens;
  guint32 *ids; /* of the tokens, as a trace asks for them */
  AttnTrace *residuals;
  AttnTrace *shown;
  gsize shown_layer;
  AttnPanel *panel;
  gsize panel_layer;
  int panel_head;
  AttnPanelMeasures panel_measures;
} AttnBaseline;

gboolean      attn_workspace_prepare     (AttnWorkspace        *workspace,
                                          const AttnStudy      *study,
                                          GError              **error);
AttnModel    *attn_workspace_get_model   (AttnWorkspace        *workspace);
AttnBaseline *attn_workspace_get_input   (AttnWorkspace        *workspace,
                                          gsize                 index);

gboolean      attn_baseline_need_residuals (AttnBaseline        *baseline,
                                            AttnModel           *model,
                                            const AttnProgress  *progress,
                                            GCancellable        *cancellable,
                                            GError             **error);
gboolean      attn_baseline_need_layer     (AttnBaseline        *baseline,
                                            AttnModel           *model,
                                            gsize                layer,
                                            const AttnProgress  *progress,
                                            GCancellable        *cancellable,
                                            GError             **error);

G_END_DECLS
