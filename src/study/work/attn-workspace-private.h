/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of the workspace for the job that computes a figure. Private to src/study. */

#pragma once

#include "attn-baseline.h"
#include "attn-cell.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/**
 * AttnWorkspace:
 * @models: (element-type AttnModel): the models of the study that the workspace was prepared for,
 *   in the study's order
 * @n_inputs: how many inputs each model has: those of the study, or the one that a recording brings
 *
 * Only functions of the workspace change its members, except @survey.
 */
struct _AttnWorkspace
{
  GPtrArray *models;
  gsize n_inputs;

  /*< private >*/
  GHashTable *open_models; /* table from the text of a model reference to an OpenModel */
  GPtrArray *baselines;    /* elements are AttnBaseline in reference-counted boxes: first those of
                            * each input in the first model, then in the second, ... */
  AttnModelReference model; /* reference of the study's first model */
  AttnUnfinishedFunc watcher; /* (nullable): function that gets unfinished results */
  gpointer watcher_data;
  AttnSurveyData *survey;  /* (nullable): the survey that was computed last */
};

gboolean      attn_workspace_prepare     (AttnWorkspace        *workspace,
                                          const AttnStudy      *study,
                                          GCancellable         *cancellable,
                                          GError              **error);
void          attn_workspace_trim        (AttnWorkspace        *workspace);
AttnBaseline *attn_workspace_get_baseline (AttnWorkspace       *workspace,
                                          gsize                 model,
                                          gsize                 index);
gboolean      attn_workspace_is_watched  (const AttnWorkspace  *workspace);
void          attn_workspace_show        (AttnWorkspace        *workspace,
                                          AttnResult           *unfinished);
void          attn_workspace_bind_patches (AttnWorkspace       *workspace,
                                          gsize                 model,
                                          GPtrArray            *interventions);
GPtrArray    *attn_workspace_build_interventions (AttnWorkspace *workspace,
                                          const AttnCell       *cell,
                                          const AttnStudy      *study);

G_END_DECLS
