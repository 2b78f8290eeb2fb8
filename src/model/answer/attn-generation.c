/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-generation.h"

#include <glib/gi18n-lib.h>
#include <math.h>

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

typedef struct
{
  AttnModel *model;
  const AttnGenerationRequest *request;
  AttnGeneratedFunc func;
  gpointer user_data;
  AttnGenerationResult *result;
  Answer answers[2];
  gsize n_answers;
  gsize n_most; /* tokens, the text's included */
  gsize n_vocabulary;
} Run;

static void
run_clear (Run *run)
{
  for (gsize i = 0; i < run->n_answers; i++)
    g_clear_pointer (&run->answers[i].continuation, attn_continuation_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static gboolean
has_interventions (const GPtrArray *interventions)
{
  return interventions != NULL && interventions->len > 0;
}

static gboolean
is_end (const Run *run,
        guint32    id)
{
  for (gsize i = 0; i < run->request->n_ends; i++)
    if (run->request->ends[i] == id)
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

static AttnGenerated
choose (const Run *run,
        gsize      which,
        gboolean   is_alike)
{
  const float *logits = attn_continuation_get_logits (run->answers[which].continuation);
  const float *baseline =
      is_alike ? attn_continuation_get_logits (run->answers[0].continuation) : logits;
  gsize number = run->result->n_tokens[which];
  double log_sums[2];
  double kl = attn_ops_compare_logits (baseline, logits, run->n_vocabulary, log_sums);
  guint32 id =
      attn_sampling_choose (&run->request->sampling, logits, run->n_vocabulary, number);

  return (AttnGenerated) {
    .is_modified = which > 0,
    .number = number,
    .id = id,
    .is_end = is_end (run, id),
    .probability = exp (logits[id] - log_sums[1]),
    .entropy = compute_entropy (logits, run->n_vocabulary, log_sums[1]),
    .kl = which > 0 && is_alike ? kl / G_LN2 : NAN,
  };
}

/* Tells of the token, and whether the answer goes on behind it. */
static void
tell (Run                 *run,
      gsize                which,
      const AttnGenerated *token)
{
  AttnGenerationResult *result = run->result;
  gboolean goes_on = run->func (token, run->user_data);
  gboolean is_full = run->request->n_ids + token->number == run->n_most;

  result->n_tokens[which]++;
  run->answers[which].is_open = FALSE;
  if (token->is_end)
    result->ends[which] = ATTN_ANSWER_END_TOKEN;
  else if (!goes_on)
    result->ends[which] = ATTN_ANSWER_END_STOPPED;
  else if (result->n_tokens[which] == run->request->max_tokens)
    result->ends[which] = ATTN_ANSWER_END_LENGTH;
  else if (is_full)
    result->ends[which] = ATTN_ANSWER_END_POSITIONS;
  else
    run->answers[which].is_open = TRUE;
}

/* One token of each answer that is open; both are chosen before either goes on. */
static gboolean
step (Run           *run,
      GCancellable  *cancellable,
      GError       **error)
{
  gsize number = MAX (run->result->n_tokens[0], run->result->n_tokens[1]);
  gboolean is_alike = run->n_answers == 2 && run->answers[0].is_open &&
                      run->answers[1].is_open && run->result->first_difference == G_MAXSIZE;
  gboolean was_open[2] = { run->answers[0].is_open, run->answers[1].is_open };
  AttnGenerated tokens[2] = { 0 };

  for (gsize i = 0; i < run->n_answers; i++)
    if (was_open[i])
      tokens[i] = choose (run, i, is_alike);
  if (run->n_answers == 2 && run->result->first_difference == G_MAXSIZE &&
      (was_open[0] != was_open[1] || tokens[0].id != tokens[1].id))
    run->result->first_difference = number;
  for (gsize i = 0; i < run->n_answers; i++)
    if (was_open[i])
      tell (run, i, &tokens[i]);
  for (gsize i = 0; i < run->n_answers; i++)
    if (run->answers[i].is_open &&
        !attn_continuation_append (run->answers[i].continuation, tokens[i].id, cancellable, error))
      return FALSE;
  return TRUE;
}

/* Both answers are planned before either begins. */
static gboolean
check_memory (const Run  *run,
              GError    **error)
{
  gsize n_bytes =
      attn_continuation_estimate (run->model, run->request->n_ids, run->n_most);
  g_autofree char *what =
      g_strdup_printf (_("answers of up to %zu tokens"), run->n_most - run->request->n_ids + 1);

  if (!g_size_checked_mul (&n_bytes, n_bytes, run->n_answers))
    n_bytes = G_MAXSIZE;
  return attn_memory_check (n_bytes, what, error);
}

static gboolean
begin (Run                 *run,
       const AttnProgress  *progress,
       GCancellable        *cancellable,
       GError             **error)
{
  const AttnGenerationRequest *request = run->request;

  for (gsize i = 0; i < run->n_answers; i++)
    {
      GPtrArray *interventions =
          has_interventions (request->interventions) && i == run->n_answers - 1
              ? request->interventions
              : NULL;

      run->answers[i].continuation =
          attn_continuation_new (run->model, request->ids, request->n_ids, run->n_most,
                                 interventions, progress, cancellable, error);
      if (run->answers[i].continuation == NULL)
        return FALSE;
      run->answers[i].is_open = TRUE;
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
  gsize n_positions = model->info.n_positions;
  g_auto (Run) run = {
    .model = model,
    .request = request,
    .func = func,
    .user_data = user_data,
    .result = result,
    .n_answers = has_interventions (request->interventions) ? 2 : 1,
    .n_vocabulary = model->info.vocabulary_size,
  };

  g_return_val_if_fail (request->max_tokens > 0, FALSE);

  *result = (AttnGenerationResult) { .first_difference = G_MAXSIZE };
  if (!attn_continuation_check (model, error) ||
      !attn_model_check_ids (model, request->ids, request->n_ids, error))
    return FALSE;
  run.n_most = request->n_ids + MIN (request->max_tokens - 1, n_positions - request->n_ids);
  if (!check_memory (&run, error) || !begin (&run, progress, cancellable, error))
    return FALSE;
  while (run.answers[0].is_open || run.answers[1].is_open)
    if (!step (&run, cancellable, error))
      return FALSE;
  return TRUE;
}
