/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-generation.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-intervention.h"
#include "attn-memory.h"
#include "attn-model-private.h"
#include "attn-ops.h"

typedef struct
{
  AttnContinuation *continuation;
  gboolean is_open;
} Answer;

/* @request: with copies of its own */
struct _AttnGeneration
{
  AttnModel *model;
  AttnGenerationRequest request;
  AttnGenerationResult result;
  Answer answers[2];
  gsize n_answers;
  gsize n_most; /* most tokens of text and answer */
  gsize n_vocabulary;
  float *open; /* (nullable): [V], logits with forbidden tokens masked */
};

/* Tells whether a second answer is generated, with a changed input or with interventions. */
static gboolean
has_change (const AttnGenerationRequest *request)
{
  return request->changed != NULL ||
         (request->interventions != NULL && request->interventions->len > 0);
}

static gboolean
is_end (const AttnGeneration *self,
        guint32               id)
{
  for (gsize i = 0; i < self->request.n_ends; i++)
    if (self->request.ends[i] == id)
      return TRUE;
  return FALSE;
}

/* -Σ p log2 p */
static double
compute_entropy (const float *logits,
                 gsize        n,
                 double       log_sum)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    {
      double log_p = logits[i] - log_sum;

      sum -= exp (log_p) * log_p;
    }
  return MAX (sum, 0.0) / G_LN2;
}

/* Returns the logits after the checkpoint's rules about forced and suppressed tokens have been
 * applied. */
static const float *
restrict_logits (const AttnGeneration *self,
                 const float          *logits,
                 gsize                 number)
{
  const AttnGenerationRequest *request = &self->request;

  if (self->open == NULL)
    return logits;
  memcpy (self->open, logits, self->n_vocabulary * sizeof *logits);
  attn_answer_rules_apply (request->rules, request->n_ids, number,
                           request->may_end_early ? G_MAXSIZE : request->max_tokens, self->open,
                           self->n_vocabulary);
  return self->open;
}

static AttnGenerated
choose (const AttnGeneration *self,
        gsize                 which,
        gboolean              is_alike)
{
  const float *logits = attn_continuation_get_logits (self->answers[which].continuation);
  const float *baseline =
      is_alike ? attn_continuation_get_logits (self->answers[0].continuation) : logits;
  gsize number = self->result.n_tokens[which];
  double log_sums[2];
  double kl = attn_ops_compare_logits (baseline, logits, self->n_vocabulary, log_sums);
  guint32 id = attn_sampling_choose (&self->request.sampling,
                                     restrict_logits (self, logits, number), self->n_vocabulary,
                                     number);

  return (AttnGenerated) {
    .is_modified = which > 0,
    .number = number,
    .id = id,
    .is_end = is_end (self, id),
    .probability = exp (logits[id] - log_sums[1]),
    .logits = logits,
    .entropy = compute_entropy (logits, self->n_vocabulary, log_sums[1]),
    .kl = which > 0 && is_alike ? kl / G_LN2 : NAN,
  };
}

/* Passes a token to @func, and notes whether the answer goes on after it. */
static void
tell (AttnGeneration      *self,
      gsize                which,
      const AttnGenerated *token,
      AttnGeneratedFunc    func,
      gpointer             user_data)
{
  AttnGenerationResult *result = &self->result;
  gboolean goes_on = func (token, user_data);
  gboolean is_full = self->request.n_ids + token->number == self->n_most;

  result->n_tokens[which]++;
  self->answers[which].is_open = FALSE;
  if (token->is_end)
    result->ends[which] = ATTN_ANSWER_END_TOKEN;
  else if (!goes_on)
    result->ends[which] = ATTN_ANSWER_END_STOPPED;
  else if (result->n_tokens[which] == self->request.max_tokens)
    result->ends[which] = ATTN_ANSWER_END_LENGTH;
  else if (is_full)
    result->ends[which] = ATTN_ANSWER_END_POSITIONS;
  else
    self->answers[which].is_open = TRUE;
}

/* Checks that the memory suffices for all answers before the first one is begun. */
static gboolean
check_memory (const AttnGeneration  *self,
              GError               **error)
{
  gsize n_bytes = attn_continuation_estimate (self->model, self->request.n_ids, self->n_most);
  g_autofree char *what =
      g_strdup_printf (_("answers of up to %zu tokens"), self->n_most - self->request.n_ids + 1);

  if (!g_size_checked_mul (&n_bytes, n_bytes, self->n_answers))
    n_bytes = G_MAXSIZE;
  return attn_memory_check (n_bytes, what, error);
}

static gboolean
begin (AttnGeneration      *self,
       const AttnProgress  *progress,
       GCancellable        *cancellable,
       GError             **error)
{
  const AttnGenerationRequest *request = &self->request;

  for (gsize i = 0; i < self->n_answers; i++)
    {
      gboolean is_modified = self->n_answers == 2 && i == 1;
      GPtrArray *interventions = is_modified ? request->interventions : NULL;
      AttnModel *model =
          is_modified && request->changed != NULL ? request->changed : self->model;

      self->answers[i].continuation =
          attn_continuation_new (model, request->ids, request->n_ids, self->n_most,
                                 interventions, 0, progress, cancellable, error);
      if (self->answers[i].continuation == NULL)
        return FALSE;
      self->answers[i].is_open = TRUE;
    }
  return TRUE;
}

/**
 * attn_generation_new:
 * @request: what to answer, and how; copied
 * @progress: (nullable): told once a layer of the passes over the text
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_new]
 *
 * One pass over the text for each of the two answers; attn_generation_step() computes a row a
 * token.
 *
 * Returns: (transfer full) (nullable): for one thread at a time
 */
AttnGeneration *
attn_generation_new (AttnModel                    *model,
                     const AttnGenerationRequest  *request,
                     const AttnProgress           *progress,
                     GCancellable                 *cancellable,
                     GError                      **error)
{
  gsize n_positions = model->info.n_positions;
  AttnGenerationRequest *own;

  g_return_val_if_fail (request->max_tokens > 0, NULL);

  if (!attn_continuation_check (model, error) ||
      !attn_model_check_ids (model, request->ids, request->n_ids, error))
    return NULL;

  g_autoptr (AttnGeneration) self = g_new0 (AttnGeneration, 1);
  self->model = attn_model_ref (model);
  self->request = *request;
  own = &self->request;
  own->ids = g_memdup2 (request->ids, request->n_ids * sizeof *request->ids);
  own->ends = g_memdup2 (request->ends, request->n_ends * sizeof *request->ends);
  own->interventions =
      request->interventions != NULL ? g_ptr_array_ref (request->interventions) : NULL;
  own->changed = request->changed != NULL ? attn_model_ref (request->changed) : NULL;
  own->rules = request->rules != NULL ? attn_answer_rules_ref (request->rules) : NULL;
  self->result.first_difference = G_MAXSIZE;
  self->n_answers = has_change (request) ? 2 : 1;
  self->n_vocabulary = model->info.vocabulary_size;
  if (own->rules != NULL && attn_answer_rules_say (own->rules))
    self->open = g_new (float, self->n_vocabulary);
  self->n_most = request->n_ids + MIN (request->max_tokens - 1, n_positions - request->n_ids);
  return check_memory (self, error) && begin (self, progress, cancellable, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
attn_generation_free (AttnGeneration *generation)
{
  if (generation == NULL)
    return;
  for (gsize i = 0; i < generation->n_answers; i++)
    attn_continuation_free (generation->answers[i].continuation);
  g_clear_pointer (&generation->request.interventions, g_ptr_array_unref);
  g_clear_pointer (&generation->request.changed, attn_model_unref);
  g_clear_pointer (&generation->request.rules, attn_answer_rules_unref);
  g_free (generation->open);
  g_free ((gpointer) generation->request.ids);
  g_free ((gpointer) generation->request.ends);
  attn_model_unref (generation->model);
  g_free (generation);
}

/**
 * attn_generation_get_result:
 *
 * Returns: (transfer none): what there is of both answers; how one ends is known once it does
 */
const AttnGenerationResult *
attn_generation_get_result (const AttnGeneration *generation)
{
  return &generation->result;
}

/**
 * attn_generation_is_open:
 *
 * Returns: whether at least one of the answers goes on
 */
gboolean
attn_generation_is_open (const AttnGeneration *generation)
{
  return generation->answers[0].is_open || generation->answers[1].is_open;
}

/**
 * attn_generation_step:
 * @func: is told each token
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_append], after which it is at its end
 *
 * One token of each answer that is open; both are chosen before either goes on.
 */
gboolean
attn_generation_step (AttnGeneration     *generation,
                      AttnGeneratedFunc   func,
                      gpointer            user_data,
                      GCancellable       *cancellable,
                      GError            **error)
{
  AttnGeneration *self = generation;
  AttnGenerationResult *result = &self->result;
  gsize number = MAX (result->n_tokens[0], result->n_tokens[1]);
  gboolean is_alike = self->n_answers == 2 && self->answers[0].is_open &&
                      self->answers[1].is_open && result->first_difference == G_MAXSIZE;
  gboolean was_open[2] = { self->answers[0].is_open, self->answers[1].is_open };
  AttnGenerated tokens[2] = { 0 };

  for (gsize i = 0; i < self->n_answers; i++)
    if (was_open[i])
      tokens[i] = choose (self, i, is_alike);
  if (self->n_answers == 2 && result->first_difference == G_MAXSIZE &&
      (was_open[0] != was_open[1] || tokens[0].id != tokens[1].id))
    result->first_difference = number;
  for (gsize i = 0; i < self->n_answers; i++)
    if (was_open[i])
      tell (self, i, &tokens[i], func, user_data);
  for (gsize i = 0; i < self->n_answers; i++)
    if (self->answers[i].is_open &&
        !attn_continuation_append (self->answers[i].continuation, tokens[i].id, cancellable, error))
      {
        self->answers[0].is_open = self->answers[1].is_open = FALSE;
        return FALSE;
      }
  return TRUE;
}

/**
 * attn_generation_run:
 * @request: what to answer, and how
 * @func: is told each token
 * @result: (out caller-allocates): also of what there is when it fails or is cancelled
 * @progress: (nullable): told once a layer of the passes over the text
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_new] and
 *   [func@attn_continuation_append]
 *
 * One pass over the text for each of the two answers, then a row a token, in turn: the n-th token
 * of the baseline's answer is told before that of the modified one. Both are drawn with the same
 * number, so that where their probabilities agree so do they. A last token takes no row, so that
 * there may be one more than the model has positions left.
 */
gboolean
attn_generation_run (AttnModel                    *model,
                     const AttnGenerationRequest  *request,
                     AttnGeneratedFunc             func,
                     gpointer                      user_data,
                     AttnGenerationResult         *result,
                     const AttnProgress           *progress,
                     GCancellable                 *cancellable,
                     GError                      **error)
{
  *result = (AttnGenerationResult) { .first_difference = G_MAXSIZE };

  g_autoptr (AttnGeneration) self =
      attn_generation_new (model, request, progress, cancellable, error);
  gboolean is_fine = self != NULL;
  while (is_fine && attn_generation_is_open (self))
    {
      is_fine = attn_generation_step (self, func, user_data, cancellable, error);
      *result = self->result;
    }
  return is_fine;
}
