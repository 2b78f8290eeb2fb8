/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the attention weights of several texts at a time and passes them to a callback, without
 * storing them. */

#pragma once

#include <gio/gio.h>

#include "attn-forward.h"

G_BEGIN_DECLS

/**
 * AttnBatch:
 * @ids: (array): token ids of the texts, one text behind the other
 * @ends: (array length=n_texts): the index in @ids behind the last token of each text
 * @interventions: (nullable) (element-type AttnIntervention): applied to each text; %NULL for the
 *   baseline
 * @layers: (nullable): layers whose weights @look is shown, %NULL for all; layers above the last of
 *   them are not computed unless @last_rows or @seen needs them
 * @heads: (nullable): heads whose weights @look is shown, %NULL for all
 * @look: (nullable): is shown the weights of each text, layer and head, in the thread that runs the
 *   batch
 * @see: (nullable): is shown the quantities in @seen, see #AttnForward
 * @residuals: (nullable) (array): see #AttnForward
 * @first_layer: the layer to begin with; layers below are neither computed nor shown
 * @residual: (nullable): the stream that enters @first_layer, as another batch of the same texts
 *   left it in @residuals; %NULL if @first_layer is 0
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
