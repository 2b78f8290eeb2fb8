/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generates a baseline's and a modified answer side by side, a token of each in turn. */

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

/* @request: a copy, which owns what it points to; @answers: the baseline's, then the modified
 * one */
struct _AttnGeneration
{
  AttnModel *model;
  AttnGenerationRequest request;
  AttnGenerationResult result;
  Answer answers[2];
  gsize n_answers;
  gsize n_most; /* largest number of tokens that are computed, of text and answer together */
  gsize n_vocabulary;
  float *open; /* (nullable): [V], memory for the logits after the checkpoint's rules; %NULL without
                * rules */
};

/* Tells whether a modified answer is generated, with a changed encoder or with interventions. */
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

/* Returns the entropy -Σ p log2 p of the probabilities, in bits. @log_sum: log Σ exp (logit) */
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

/* Returns the logits for token @number of an answer, with -INFINITY for tokens that the
 * checkpoint's rules exclude. */
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

/* Calls @func with a token of answer @which, and notes whether the answer goes on after it or why
 * it ends. */
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

/* Checks that there is memory for all answers, so that generation does not fail after the first has
 * begun. */
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
 * @request: the text that is answered, and how; copied
 * @progress: (nullable): told when a layer of the passes over the text is computed
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_new]
 *
 * Computes a pass over the text for each answer; attn_generation_step() then computes a token at a
 * time.
 *
 * Returns: (transfer full) (nullable): the generation, to be used by one thread at a time
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
 * Returns: (transfer none): the outcome so far; why an answer ends is set once it has ended
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
 * @func: called with each token
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_append], after which both answers are
 *   at their end
 *
 * Chooses the next token of each answer that goes on, calls @func with them, and then computes
 * them.
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
 * @request: the text that is answered, and how
 * @func: called with each token
 * @result: (out caller-allocates): the outcome; on failure or cancellation, that of the tokens so
 *   far
 * @progress: (nullable): told when a layer of the passes over the text is computed
 * @cancellable: (nullable): polled for each layer
 * @error: return location: errors of [func@attn_continuation_new] and
 *   [func@attn_continuation_append]
 *
 * Generates both answers to their end. @func is called with the n-th token of the baseline's answer
 * before the n-th of the modified one. Both are drawn with the same random number, so that equal
 * probabilities give equal tokens. The last token of an answer is not computed and needs no
 * position, so an answer may have one token more than the model has positions left.
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
