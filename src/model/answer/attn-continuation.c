/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes a text that grows token by token, with a cache of keys and values. */

#include "config.h"

#include "attn-continuation.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-ops.h"
#include "attn-pass.h"
#include "attn-rotary.h"
#include "attn-source.h"
#include "attn-transformer.h"

/* @ids: [n_most], of which the first @n_ids are set; @past: keys and values of the tokens; @logits:
 * (nullable): [1, V], logits of the token that follows the last */
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
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a recording, or a model that cannot continue
 *   a text
 *
 * Returns: whether the model can continue a text: it has logits, and each is of the next token
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

/* Returns the number of tokens of the encoder's input that a decoder attends to, 0 for other
 * models. */
static gsize
count_encoded (const AttnTransformer *transformer)
{
  return transformer->source != NULL ? transformer->source->n_ids : 0;
}

/**
 * attn_continuation_estimate:
 * @n_ids: tokens of the text at the beginning
 * @n_most: the most tokens that the text may have in the end
 *
 * Returns: the most bytes of memory that the continuation and its passes take; %G_MAXSIZE if the
 *   number does not fit a gsize
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
 * tokens, so that they can be kept. Some scalings of rotary embeddings depend on the length. */
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
  if (!isfinite (attn_ops_get_magnitude (self->logits->data,
                                         attn_tensor_get_n_elements (self->logits))))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("a logit that is not finite found after token %zu, expected numbers: "
                        "the numbers of the pass grew too large"),
                      self->n_ids);
  return TRUE;
}

/* Computes the tokens whose keys and values are not in the cache yet, and the logits of the
 * last. */
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
 * @ids: (array length=n_ids): ids of the text's tokens at the beginning; nothing is added to them
 * @n_most: the most tokens that the text may have in the end, at most the positions of the model
 * @interventions: (nullable) (element-type AttnIntervention): applied from the first to the last;
 *   their scope may name positions that the text does not have yet
 * @n_workers: the most threads that compute, 0 for as many as attn_threads_get() returns
 * @progress: (nullable): told when a layer is computed
 * @cancellable: (nullable): polled for each layer and block of query rows
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model that continues no text; errors of
 *   [func@attn_trace_compute]
 *
 * Computes the tokens of @ids in one pass. Before that it checks that there is memory for the keys
 * and values of @n_most tokens and for the pass.
 *
 * An intervention that takes a mean over tokens takes it over those that the text has at that time:
 * the tokens of @ids get their mean, and each token appended later gets the mean of all up to
 * itself. All other interventions do what they would do in one pass over the whole text.
 *
 * Returns: (transfer full) (nullable): the continuation, to be used by one thread at a time
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
 * @id: id of the token that is appended
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_LIMIT if the text has its largest length, or for an id
 *   beyond the vocabulary; %G_IO_ERROR_CANCELLED
 *
 * Appends a token and computes it. If the rotary angles depend on the length of the text and
 * change, all tokens are computed again, as in one pass over the whole text. After an error, the
 * text is without the token, and the next call computes all its tokens again.
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
 * @n_ids: (out): how many tokens the text has
 *
 * Returns: (transfer none) (array length=n_ids): the ids of all tokens of the text
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
 * Returns: (transfer none) (nullable): [V], the logits of the token that follows the text, valid
 *   until a token is appended; %NULL after an error
 */
const float *
attn_continuation_get_logits (const AttnContinuation *continuation)
{
  return continuation->logits != NULL ? continuation->logits->data : NULL;
}
