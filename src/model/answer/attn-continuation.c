/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-continuation.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-ops.h"
#include "attn-pass.h"
#include "attn-rotary.h"
#include "attn-source.h"
#include "attn-transformer.h"

/* @ids: [room]; @logits: (nullable): [1, V], after the last token */
struct _AttnContinuation
{
  AttnModel *model;
  GPtrArray *interventions;
  guint32 *ids;
  gsize n_ids;
  gsize n_most;
  gsize n_workers;
  AttnPast *past;
  AttnTensor *logits;
};

/**
 * attn_continuation_check:
 * @error: return location for %ATTN_ERROR_UNSUPPORTED
 *
 * Returns: whether the model can say what follows a text
 */
gboolean
attn_continuation_check (const AttnModel  *model,
                         GError          **error)
{
  const AttnModelInfo *info = &model->info;
  g_autofree char *where = g_filename_display_name (model->path);

  if (info->is_recording)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded arrays found, expected a model that continues a text"),
                      where);
  if (!info->predicts_next)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: a %s model found, whose tokens see those that follow, expected one "
                        "that continues a text"),
                      where, info->family);
  return info->has_logits ||
         attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: no language-model head found, expected one for the logits"), where);
}

/* Counts the tokens of the source that a decoder attends to. */
static gsize
count_encoded (const AttnTransformer *transformer)
{
  return transformer->source != NULL ? transformer->source->n_ids : 0;
}

/**
 * attn_continuation_estimate:
 * @n_ids: tokens that are given
 * @n_most: the most tokens there may be, those that are given included
 *
 * Returns: bytes that [func@attn_continuation_new] takes at most; %G_MAXSIZE if that is more than
 *   fits
 */
gsize
attn_continuation_estimate (const AttnModel *model,
                            gsize            n_ids,
                            gsize            n_most)
{
  const AttnTransformer *transformer = (const AttnTransformer *) model;
  gsize n_bytes = attn_past_estimate (&transformer->config, n_most, count_encoded (transformer));

  if (!g_size_checked_add (&n_bytes, n_bytes, attn_pass_estimate (model, n_ids)) ||
      !g_size_checked_add (&n_bytes, n_bytes, model->info.vocabulary_size * sizeof (float)))
    return G_MAXSIZE;
  return n_bytes;
}

/* Tells whether keys have the same rotary angles in a text of @n tokens as in one of @n_before
 * tokens. Some scalings depend on the length. */
static gboolean
has_same_angles (const AttnContinuation *self,
                 gsize                   n_before,
                 gsize                   n)
{
  const AttnConfig *config = &((const AttnTransformer *) self->model)->config;

  for (gsize i = 0; i < ATTN_N_ROPES; i++)
    if (config->ropes[i].width > 0 && !attn_rotary_is_same (&config->ropes[i], n_before, n))
      return FALSE;
  return TRUE;
}

static gboolean
check_logits (const AttnContinuation  *self,
              GError                 **error)
{
  if (!attn_ops_is_finite (self->logits->data, attn_tensor_get_n_elements (self->logits)))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("a logit that is not finite found after token %zu, expected numbers: "
                        "the numbers of the pass grew too large"),
                      self->n_ids);
  return TRUE;
}

/* Computes the keys and values of the tokens that are not in the cache yet. */
static gboolean
catch_up (AttnContinuation    *self,
          const AttnProgress  *progress,
          GCancellable        *cancellable,
          GError             **error)
{
  AttnPast *past = self->past;
  g_autoptr (AttnTensor) logits = NULL;

  if (!has_same_angles (self, past->n_tokens, self->n_ids))
    attn_past_forget (past);

  const AttnForward forward = {
    .model = self->model,
    .ids = self->ids,
    .n_ids = self->n_ids,
    .interventions = self->interventions,
    .keep = ATTN_QUANTITY_LOGITS,
    .first_token = past->n_tokens,
    .past = past,
    .logits = &logits,
    .n_logit_rows = 1,
    .n_workers = self->n_workers,
    .progress = progress,
    .cancellable = cancellable,
  };
  g_clear_pointer (&self->logits, attn_tensor_unref);
  if (!attn_model_run (&forward, error))
    {
      attn_past_forget (past);
      return FALSE;
    }
  past->n_tokens = self->n_ids;
  self->logits = g_steal_pointer (&logits);
  return check_logits (self, error);
}

static gboolean
check_arguments (AttnModel      *model,
                 const guint32  *ids,
                 gsize           n_ids,
                 gsize           n_most,
                 GPtrArray      *interventions,
                 GError        **error)
{
  g_autofree char *what = g_strdup_printf (_("a text of up to %zu tokens"), n_most);

  return attn_continuation_check (model, error) && attn_model_check_source (model, error) &&
         attn_model_check_ids (model, ids, n_ids, error) &&
         attn_interventions_check_growing (interventions, model, n_ids, n_most, error) &&
         attn_memory_check (attn_continuation_estimate (model, n_ids, n_most), what, error);
}

/**
 * attn_continuation_new:
 * @ids: (array length=n_ids): token ids, used as they are
 * @n_most: the most tokens there may be, those that are given included; at most the positions of
 *   the model
 * @interventions: (nullable) (element-type AttnIntervention): applied in order; their tokens may
 *   lie behind those that are given
 * @n_workers: how many threads at most, 0 for as many as attn_threads_get() says
 * @progress: (nullable): told once a layer
 * @cancellable: (nullable): polled for each layer and block of query rows
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model that continues no text; errors of
 *   [func@attn_trace_compute]
 *
 * Computes all tokens that are given at once. All memory is counted before any is taken: keys and
 * values of @n_most tokens, and the pass.
 *
 * A mean over the tokens is that of all there are when a row is computed: the tokens that are given
 * have their mean, and each that follows has the mean of all up to itself. Everything else that an
 * intervention does to a row is what a whole pass over the text would do.
 *
 * Returns: (transfer full) (nullable): for one thread at a time
 */
AttnContinuation *
attn_continuation_new (AttnModel           *model,
                       const guint32       *ids,
                       gsize                n_ids,
                       gsize                n_most,
                       GPtrArray           *interventions,
                       gsize                n_workers,
                       const AttnProgress  *progress,
                       GCancellable        *cancellable,
                       GError             **error)
{
  gsize n_interventions = interventions != NULL ? interventions->len : 0;

  g_return_val_if_fail (n_ids <= n_most, NULL);

  if (!check_arguments (model, ids, n_ids, n_most, interventions, error) ||
      !attn_interventions_prepare (interventions, cancellable, error))
    return NULL;

  g_autoptr (AttnContinuation) self = g_new0 (AttnContinuation, 1);
  self->model = attn_model_ref (model);
  self->interventions = interventions != NULL ? g_ptr_array_ref (interventions) : NULL;
  self->ids = g_new (guint32, n_most);
  memcpy (self->ids, ids, n_ids * sizeof *ids);
  self->n_ids = n_ids;
  self->n_most = n_most;
  self->n_workers = n_workers;
  self->past =
      attn_past_new (&((const AttnTransformer *) model)->config, n_ids, n_most,
                     count_encoded ((const AttnTransformer *) model), n_interventions, error);
  if (self->past == NULL || !catch_up (self, progress, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
attn_continuation_free (AttnContinuation *continuation)
{
  if (continuation == NULL)
    return;
  g_clear_pointer (&continuation->logits, attn_tensor_unref);
  attn_past_free (continuation->past);
  g_free (continuation->ids);
  g_clear_pointer (&continuation->interventions, g_ptr_array_unref);
  attn_model_unref (continuation->model);
  g_free (continuation);
}

/**
 * attn_continuation_append:
 * @id: the token that comes next
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_LIMIT where there is no room for a token, or for an id
 *   beyond the vocabulary; %G_IO_ERROR_CANCELLED
 *
 * Computes the row of one token. A rotary embedding whose angles depend on the length of the text
 * has all computed again where they change, as a whole pass would. After an error the tokens are
 * those before it, and the next call computes all again.
 */
gboolean
attn_continuation_append (AttnContinuation  *continuation,
                          guint32            id,
                          GCancellable      *cancellable,
                          GError           **error)
{
  const AttnModelInfo *info = &continuation->model->info;

  if (continuation->n_ids == continuation->n_most)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%zu tokens found, expected 1 to %zu, the positions of the model"),
                      continuation->n_ids + 1, continuation->n_most);
  if (id >= info->vocabulary_size)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("token id %u found at position %zu, expected 0 to %zu"), id,
                      continuation->n_ids, info->vocabulary_size - 1);
  continuation->ids[continuation->n_ids++] = id;
  if (catch_up (continuation, NULL, cancellable, error))
    return TRUE;
  continuation->n_ids--;
  return FALSE;
}

/**
 * attn_continuation_get_ids:
 * @n_ids: (out): how many
 *
 * Returns: (transfer none) (array length=n_ids): all tokens, those that were given first
 */
const guint32 *
attn_continuation_get_ids (const AttnContinuation *continuation,
                           gsize                  *n_ids)
{
  *n_ids = continuation->n_ids;
  return continuation->ids;
}

/**
 * attn_continuation_get_logits:
 *
 * Returns: (transfer none) (nullable): [V], of the token that follows; %NULL after an error. Valid
 *   until the next token
 */
const float *
attn_continuation_get_logits (const AttnContinuation *continuation)
{
  return continuation->logits != NULL ? continuation->logits->data : NULL;
}
