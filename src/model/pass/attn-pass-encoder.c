/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs the encoder on the source of a decoder, once, for the cross-attention of the decoder's
 * layers. */

#include "config.h"

#include "attn-pass.h"

/* Runs the encoder and its final norm on the source. Returns: (transfer full) (nullable): [S, D] */
static AttnTensor *
encode (const AttnTransformer  *self,
        gsize                   n_workers,
        GCancellable           *cancellable,
        GError                **error)
{
  AttnModel *model = self->source->encoder != NULL ? self->source->encoder : self->encoder;
  const AttnTransformer *encoder = (const AttnTransformer *) model;
  const AttnConfig *config = &encoder->config;
  g_autofree AttnKept *kept = g_new0 (AttnKept, config->n_layers);
  g_autoptr (AttnTensor) rows = NULL;
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;
  const AttnForward forward = {
    .model = model,
    .ids = self->source->ids,
    .n_ids = self->source->n_ids,
    .interventions = self->source->interventions,
    .keep = ATTN_QUANTITY_FINAL,
    .kept = kept,
    .final = &rows,
    .n_workers = n_workers,
    .cancellable = cancellable,
  };

  if (!model->class->run (&forward, error) ||
      !attn_weights_load (encoder->weights, ATTN_ROLE_FINAL_NORM, ATTN_SLOT_WEIGHT, &weight,
                          error) ||
      !attn_weights_load (encoder->weights, ATTN_ROLE_FINAL_NORM, ATTN_SLOT_BIAS, &bias, error))
    return NULL;
  const AttnParameters norm = { weight != NULL ? weight->data : NULL,
                                bias != NULL ? bias->data : NULL };
  for (gsize i = 0; attn_config_has_role (config, ATTN_ROLE_FINAL_NORM) && i < rows->shape[0]; i++)
    attn_pass_normalize_row (config, &norm, rows->data + i * config->width, config->width,
                             (float) config->norm_epsilon, rows->data + i * config->width);
  return g_steal_pointer (&rows);
}

/**
 * attn_pass_get_encoded:
 * @n_workers: how many threads at most, 0 for as many as there are
 * @encoded: (out) (transfer none) (nullable): [S, D], the encoder's output, owned by @transformer;
 *   %NULL for a model that is no decoder
 * @error: return location: errors of [func@attn_forward_run] and of
 *   [func@attn_model_check_source]
 *
 * Runs the encoder at the first call and keeps its output. Any thread may call.
 */
gboolean
attn_pass_get_encoded (const AttnTransformer  *transformer,
                       gsize                   n_workers,
                       GCancellable           *cancellable,
                       const AttnTensor      **encoded,
                       GError                **error)
{
  AttnEncoded *source = transformer->source;

  *encoded = NULL;
  if (source == NULL)
    return attn_model_check_source (&transformer->model, error);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&source->lock);
  if (source->rows == NULL)
    source->rows = encode (transformer, n_workers, cancellable, error);
  *encoded = source->rows;
  return *encoded != NULL;
}
