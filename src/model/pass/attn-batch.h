/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the attention weights of several texts at a time and passes them on without storing
 * them. */

#pragma once

#include <gio/gio.h>

#include "attn-forward.h"

G_BEGIN_DECLS

/**
 * AttnBatch:
 * @ids: (array): token ids of the texts, one text behind the other
 * @ends: (array length=n_texts): where each of them ends among @ids
 * @interventions: (nullable) (element-type AttnIntervention): applied to each text; %NULL for the
 *   baseline
 * @layers: (nullable): those that @look is shown, %NULL for all; layers above the last are not
 *   computed
 * @heads: (nullable): those that @look is shown, %NULL for all
 * @look: (nullable): is shown the weights of each text, layer and head, in the thread that runs the
 *   batch
 * @see: (nullable): is shown what is in @seen, see #AttnForward
 * @residuals: (nullable) (array): see #AttnForward
 * @first_layer: where to begin; layers below are not shown
 * @residual: (nullable): what @residuals of the same texts has of @first_layer; %NULL if that is 0
 * @last_rows: (nullable): see #AttnForward
 */
typedef struct
{
  const guint32 *ids;
  const gsize *ends;
  gsize n_texts;
  GPtrArray *interventions;
  const AttnIndexSet *layers;
  const AttnIndexSet *heads;
  AttnWeightsFunc look;
  gpointer user_data;
  AttnStatesFunc see;
  guint seen;
  AttnTensor * const *residuals;
  gsize first_layer;
  const AttnTensor *residual;
  AttnTensor *last_rows;
} AttnBatch;

gsize    attn_batch_estimate (const AttnModel  *model,
                              gsize             n_tokens);
gboolean attn_batch_check    (const AttnModel  *model,
                              GError          **error);
gboolean attn_batch_run      (AttnModel        *model,
                              const AttnBatch  *batch,
                              GCancellable     *cancellable,
                              GError          **error);
AttnTensor *attn_batch_compute_logits (AttnModel    *model,
                              const guint32    *ids,
                              const AttnTensor *rows,
                              GCancellable     *cancellable,
                              GError          **error);
AttnTensor *attn_batch_normalize (AttnModel        *model,
                              const AttnTensor *rows,
                              GError          **error);

G_END_DECLS
