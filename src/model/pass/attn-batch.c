/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-batch.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-pass.h"
#include "attn-source.h"

/* Passes rows of attention weights on to the caller if their layer and head were requested. Other
 * layers and heads are computed only because later layers need them. */
static void
look_at_rows (const AttnWeightsRows *rows,
              gpointer               user_data)
{
  const AttnBatch *batch = user_data;

  if (attn_index_set_contains (batch->layers, rows->layer) &&
      attn_index_set_contains (batch->heads, rows->head))
    batch->look (rows, batch->user_data);
}

/**
 * attn_batch_check:
 * @error: return location: %ATTN_ERROR_ARGUMENT for a recording, which has the arrays of one text
 *   only
 *
 * Returns: whether @model computes any text that it is given
 */
gboolean
attn_batch_check (const AttnModel  *model,
                  GError          **error)
{
  if (attn_model_get_info (model)->is_recording)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a recording of one input found, expected a model that computes any"),
                      attn_model_get_path (model));
  return attn_model_check_source (model, error);
}

/**
 * attn_batch_estimate:
 * @n_tokens: tokens of all texts of a batch together
 *
 * Returns: bytes that [func@attn_batch_run] takes while it runs
 */
gsize
attn_batch_estimate (const AttnModel *model,
                     gsize            n_tokens)
{
  return attn_pass_estimate (model, n_tokens);
}

/**
 * attn_batch_run:
 * @batch: what to compute; each text has at least one token
 * @cancellable: (nullable): polled for each layer
 * @error: return location: %ATTN_ERROR_ARGUMENT for a recording, %ATTN_ERROR_LIMIT for ids or
 *   lengths that the model does not have, %ATTN_ERROR_CHANGED for a model whose files have changed,
 *   %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Tokens and positions that an intervention names and a text does not have are passed over, as
 * [func@attn_interventions_check_texts] says. The values that patches take from other inputs are
 * computed by the first batch that needs them, with as many threads as attn_threads_get() says.
 *
 * Computes each text as if it were alone; the linear layers take the tokens of all texts at once.
 * It runs in the calling thread alone, so that its results do not depend on how many threads there
 * are; any number of threads may run batches of one model at a time.
 */
gboolean
attn_batch_run (AttnModel        *model,
                const AttnBatch  *batch,
                GCancellable     *cancellable,
                GError          **error)
{
  gsize n_layers = attn_model_get_info (model)->n_layers;
  g_autofree AttnKept *kept = g_new0 (AttnKept, n_layers);
  AttnForward forward = {
    .model = model,
    .ids = batch->ids,
    .interventions = batch->interventions,
    .layers = batch->layers,
    .ends = batch->ends,
    .n_texts = batch->n_texts,
    .look = batch->look != NULL ? look_at_rows : NULL,
    .look_data = (gpointer) batch,
    .see = batch->see,
    .see_data = batch->user_data,
    .seen = batch->seen,
    .residuals = batch->residuals,
    .last_rows = batch->last_rows,
    .first_layer = batch->first_layer,
    .residual = batch->residual,
    .n_workers = 1,
    .kept = kept,
    .cancellable = cancellable,
  };

  g_return_val_if_fail (batch->n_texts > 0, FALSE);
  g_return_val_if_fail (batch->first_layer < n_layers, FALSE);
  g_return_val_if_fail ((batch->residual != NULL) == (batch->first_layer > 0), FALSE);

  for (gsize i = 0; i < batch->n_texts; i++)
    {
      gsize n_ids = batch->ends[i] - forward.n_ids;

      g_return_val_if_fail (batch->ends[i] > forward.n_ids, FALSE);
      if (!attn_model_check_ids (model, batch->ids + forward.n_ids, n_ids, error))
        return FALSE;
      forward.n_ids = batch->ends[i];
    }
  return attn_batch_check (model, error) &&
         attn_interventions_check_texts (batch->interventions, model, G_MAXSIZE, error) &&
         attn_interventions_prepare (batch->interventions, cancellable, error) &&
         attn_model_run (&forward, error);
}

/**
 * attn_batch_compute_logits:
 * @ids: (array): [n], the id of the token of each row
 * @rows: [n, D], the residual stream that left the last layer
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head,
 *   %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Runs in the calling thread alone, as [func@attn_batch_run] does.
 *
 * Returns: (transfer full) (nullable): the logits, [n, V]
 */
AttnTensor *
attn_batch_compute_logits (AttnModel         *model,
                           const guint32     *ids,
                           const AttnTensor  *rows,
                           GCancellable      *cancellable,
                           GError           **error)
{
  AttnTensor *logits = NULL;
  const AttnForward forward = {
    .model = model,
    .ids = ids,
    .n_ids = rows->shape[0],
    .keep = ATTN_QUANTITY_LOGITS,
    .first_layer = attn_model_get_info (model)->n_layers,
    .residual = rows,
    .logits = &logits,
    .n_workers = 1,
    .cancellable = cancellable,
  };

  return attn_model_run (&forward, error) ? logits : NULL;
}

/**
 * attn_batch_normalize:
 * @rows: [n, D], the residual stream that left the last layer
 * @error: return location for errors of reading the weights
 *
 * Returns: (transfer full) (nullable): [n, D], the rows as the final norm leaves them; a copy of
 *   @rows if the model has none
 */
AttnTensor *
attn_batch_normalize (AttnModel         *model,
                      const AttnTensor  *rows,
                      GError           **error)
{
  const AttnTransformer *transformer = (const AttnTransformer *) model;
  const AttnConfig *config = &transformer->config;
  gsize width = rows->shape[1];
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;
  AttnTensor *normed = attn_tensor_new_unset (2, rows->shape, error);

  if (normed == NULL)
    return NULL;
  memcpy (normed->data, rows->data, rows->shape[0] * width * sizeof *rows->data);
  if (!attn_config_has_role (config, ATTN_ROLE_FINAL_NORM))
    return normed;
  if (!attn_weights_load (transformer->weights, ATTN_ROLE_FINAL_NORM, ATTN_SLOT_WEIGHT, &weight,
                          error) ||
      !attn_weights_load (transformer->weights, ATTN_ROLE_FINAL_NORM, ATTN_SLOT_BIAS, &bias, error))
    {
      attn_tensor_unref (normed);
      return NULL;
    }
  const AttnParameters parameters = { weight != NULL ? weight->data : NULL,
                                      bias != NULL ? bias->data : NULL };
  for (gsize i = 0; i < rows->shape[0]; i++)
    attn_pass_normalize_row (config, &parameters, normed->data + i * width, width,
                             (float) config->norm_epsilon, normed->data + i * width);
  return normed;
}
