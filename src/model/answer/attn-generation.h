/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generates a model's answers to a text token by token: the baseline's, without interventions, and
 * the modified one, with them. */

#pragma once

#include <gio/gio.h>

#include "attn-answer-rules.h"
#include "attn-model.h"
#include "attn-progress.h"
#include "attn-sampling.h"

G_BEGIN_DECLS

/**
 * AttnGenerated:
 * @is_modified: whether it is a token of the modified answer, with interventions
 * @number: its number in that answer, from 0
 * @is_end: whether it is one of the tokens that end an answer, so that no other follows
 * @probability: its probability by the softmax of the logits, without the temperature and limits of
 *   the sampling
 * @entropy: entropy of the probabilities of all tokens, in bits
 * @kl: KL(p ‖ q) in bits, where p are the probabilities without and q those with interventions; set
 *   for tokens of the modified answer as long as both answers are the same before them, else NaN
 * @logits: (array): [V], the logits that it was chosen from; valid during the call of
 *   #AttnGeneratedFunc
 *
 * One token of an answer.
 */
typedef struct
{
  gboolean is_modified;
  gsize number;
  guint32 id;
  gboolean is_end;
  double probability;
  double entropy;
  double kl;
  const float *logits;
} AttnGenerated;

/**
 * AttnGeneratedFunc:
 *
 * Function of the caller that is called with each token as soon as it is chosen, in the thread that
 * generates.
 *
 * Returns: whether the answer of this token is to go on
 */
typedef gboolean (*AttnGeneratedFunc) (const AttnGenerated *token,
                                       gpointer             user_data);

/**
 * AttnAnswerEnd:
 * @ATTN_ANSWER_END_LENGTH: it has as many tokens as were asked for
 * @ATTN_ANSWER_END_TOKEN: its last token is one that ends an answer
 * @ATTN_ANSWER_END_POSITIONS: the model has no positions for more tokens
 * @ATTN_ANSWER_END_STOPPED: #AttnGeneratedFunc returned %FALSE
 *
 * Why an answer ends.
 */
typedef enum
{
  ATTN_ANSWER_END_LENGTH,
  ATTN_ANSWER_END_TOKEN,
  ATTN_ANSWER_END_POSITIONS,
  ATTN_ANSWER_END_STOPPED,
} AttnAnswerEnd;

/**
 * AttnGenerationRequest:
 * @ids: (array length=n_ids): token ids of the text that is answered
 * @interventions: (nullable) (element-type AttnIntervention): interventions of the modified answer;
 *   %NULL or empty for the baseline's answer alone
 * @changed: (nullable): the model of the modified answer, if that is another one: a decoder whose
 *   encoder has interventions of its own
 * @max_tokens: the most tokens of an answer, at least 1
 * @ends: (nullable) (array length=n_ends): ids of the tokens that end an answer
 * @rules: (nullable): the checkpoint's rules about forced and suppressed tokens
 * @may_end_early: whether the token at @max_tokens is not forced to be one of the rules' last
 *   tokens, since the caller may ask for more tokens later
 *
 * A request for answers to a text.
 */
typedef struct
{
  const guint32 *ids;
  gsize n_ids;
  GPtrArray *interventions;
  AttnModel *changed;
  AttnSampling sampling;
  gsize max_tokens;
  const guint32 *ends;
  gsize n_ends;
  AttnAnswerRules *rules;
  gboolean may_end_early;
} AttnGenerationRequest;

/**
 * AttnGenerationResult:
 * @n_tokens: number of tokens of the baseline's answer and of the modified one, including a token
 *   that ends it
 * @ends: why each of the two ends
 * @first_difference: number of the first token in which the answers differ, or that only one of
 *   them has; %G_MAXSIZE if they are the same or there is only one
 *
 * The outcome of a generation.
 */
typedef struct
{
  gsize n_tokens[2];
  AttnAnswerEnd ends[2];
  gsize first_difference;
} AttnGenerationResult;

typedef struct _AttnGeneration AttnGeneration;

AttnGeneration *attn_generation_new (AttnModel                    *model,
                                     const AttnGenerationRequest  *request,
                                     const AttnProgress           *progress,
                                     GCancellable                 *cancellable,
                                     GError                      **error);
void     attn_generation_free       (AttnGeneration               *generation);
gboolean attn_generation_is_open    (const AttnGeneration         *generation);
gboolean attn_generation_step       (AttnGeneration               *generation,
                                     AttnGeneratedFunc             func,
                                     gpointer                      user_data,
                                     GCancellable                 *cancellable,
                                     GError                      **error);
const AttnGenerationResult *attn_generation_get_result (const AttnGeneration *generation);
gboolean attn_generation_run (AttnModel                    *model,
                              const AttnGenerationRequest  *request,
                              AttnGeneratedFunc             func,
                              gpointer                      user_data,
                              AttnGenerationResult         *result,
                              const AttnProgress           *progress,
                              GCancellable                 *cancellable,
                              GError                      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnGeneration, attn_generation_free)

G_END_DECLS
