/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generates a model's answer token by token, without and with interventions. */

#pragma once

#include <gio/gio.h>

#include "attn-answer-rules.h"
#include "attn-model.h"
#include "attn-progress.h"
#include "attn-sampling.h"

G_BEGIN_DECLS

/**
 * AttnGenerated:
 * @is_modified: whether it is of the answer with interventions
 * @number: its place in that answer, from 0
 * @is_end: whether it is one of the tokens that end the text, and the last one
 * @probability: of it, among all tokens: softmax of the logits, whatever the sampling
 * @entropy: of these probabilities, in bits
 * @kl: KL(p ‖ q) in bits of these probabilities, p without the interventions and q with them; of
 *   tokens of the modified answer as long as both answers are the same before it, NaN for others
 * @logits: (array): [V], that it was chosen from; valid while #AttnGeneratedFunc is called
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
 * Is told each token as soon as it is chosen, in the thread that generates.
 *
 * Returns: whether that answer goes on
 */
typedef gboolean (*AttnGeneratedFunc) (const AttnGenerated *token,
                                       gpointer             user_data);

/**
 * AttnAnswerEnd:
 * @ATTN_ANSWER_END_LENGTH: as many tokens as were asked for
 * @ATTN_ANSWER_END_TOKEN: a token that ends the text
 * @ATTN_ANSWER_END_POSITIONS: the model has no positions for more
 * @ATTN_ANSWER_END_STOPPED: #AttnGeneratedFunc said so
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
 * @ids: (array length=n_ids): the text, as token ids
 * @interventions: (nullable) (element-type AttnIntervention): %NULL or none for the baseline's
 *   answer alone
 * @changed: (nullable): the model of the modified answer, with @interventions, where that is
 *   another: a decoder whose encoder is changed
 * @max_tokens: of an answer, at least 1
 * @ends: (nullable) (array length=n_ends): tokens that end an answer
 * @rules: (nullable): of the checkpoint
 * @may_end_early: whether a last token that the rules force is not: who asks may ask for more
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
 * @n_tokens: of the baseline's answer and of the modified one, the token of the end included
 * @ends: why each ends
 * @first_difference: the first place where they differ, one being shorter included; %G_MAXSIZE
 *   where they are the same, or one alone
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
