/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Answer that a model generates for an input, with and without the interventions of a panel. */

#pragma once

#include "attn-generation.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/* Number of candidate tokens that are kept for each generated token. */
#define ATTN_REPLY_TOP 5

/**
 * AttnReplyToken:
 * @is_end: whether the token ends the answer
 * @probability: probability of the token, among all tokens of the vocabulary
 * @kl: KL divergence between the predictions of both models, as in #AttnGenerated
 * @n_top: number of candidates in @top
 * @top: (array length=n_top): ids of the most probable tokens, of which the first is this token
 * @shares: (array length=n_top): their probabilities
 *
 * One token of an answer, which is always the most probable one.
 */
typedef struct
{
  gboolean is_end;
  double probability;
  double kl;
  gsize n_top;
  guint32 top[ATTN_REPLY_TOP];
  float shares[ATTN_REPLY_TOP];
} AttnReplyToken;

/**
 * AttnReply:
 * @result: (nullable): a result; the answers belong to one of its panels
 * @index: index of that panel, row-major in the grid
 * @n_prompt: how many tokens of the input are answered, 0 for all
 * @n_most: largest number of tokens of each answer
 * @model: the model that answers
 * @prompt: the tokens that are answered
 * @tokens: the tokens of the baseline's answer and of the answer with interventions; %NULL as long
 *   as there are none
 * @details: (array): probabilities and candidates of each token of both answers
 * @is_target: whether @prompt is the target of a decoder
 * @n_answers: 2 if the panel has interventions, else 1
 * @outcome: how the generation ended or why it stopped, for both answers
 * @is_open: whether more tokens will be generated
 *
 * The answer to an input, as far as it is computed. Immutable and reference-counted.
 */
typedef struct
{
  AttnResult *result;
  gsize index;
  gsize n_prompt;
  gsize n_most;
  AttnModel *model;
  AttnTokens *prompt;
  AttnTokens *tokens[2];
  AttnReplyToken *details[2];
  gboolean is_target;
  gsize n_answers;
  AttnGenerationResult outcome;
  gboolean is_open;
} AttnReply;

/* Answer that is being generated. One thread at a time can use it. */
typedef struct _AttnReplying AttnReplying;

AttnReplying *attn_replying_new_for_input (const AttnStudy     *study,
                                           gsize                index,
                                           gsize                n_most,
                                           AttnWorkspace       *workspace,
                                           const AttnProgress  *progress,
                                           GCancellable        *cancellable,
                                           GError             **error);
AttnReplying *attn_replying_new_for_panel (AttnResult          *result,
                                           gsize                index,
                                           gsize                n_prompt,
                                           gsize                n_most,
                                           AttnWorkspace       *workspace,
                                           const AttnProgress  *progress,
                                           GCancellable        *cancellable,
                                           GError             **error);
void          attn_replying_free          (AttnReplying        *replying);
gboolean      attn_replying_go_on         (AttnReplying        *replying,
                                           gint64               end,
                                           GCancellable        *cancellable,
                                           GError             **error);
AttnReply    *attn_replying_get           (const AttnReplying  *replying);

AttnReply    *attn_reply_ref              (AttnReply           *reply);
void          attn_reply_unref            (AttnReply           *reply);
gboolean      attn_reply_has              (const AttnReply     *reply,
                                           const AttnResult    *result,
                                           gsize                index,
                                           gsize                n_prompt,
                                           gsize                n_most);
AttnTokens   *attn_reply_label            (const AttnModel     *model,
                                           const GArray        *ids);

AttnInput    *attn_input_append_tokens    (const AttnInput     *input,
                                           const AttnTokens    *tokens,
                                           gboolean             is_target,
                                           const AttnTokens    *answer);
AttnInput    *attn_input_append_text      (const AttnInput     *input,
                                           const AttnTokens    *tokens,
                                           gboolean             is_target,
                                           const AttnTokens    *answer,
                                           const AttnModel     *model,
                                           AttnFraming          framing);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnReplying, attn_replying_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnReply, attn_reply_unref)

G_END_DECLS
