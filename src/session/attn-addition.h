/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An addition to an input: the answer that the model generates after it. */

#pragma once

#include "attn-reply.h"

G_BEGIN_DECLS

/**
 * AttnAddition:
 * @input: index of the input in the study
 * @before: what the study says it is
 * @prompt: (nullable): its tokens, or those of its target, as soon as they are known
 * @is_target: whether it is a decoder that goes on, and so the target
 * @answer: (nullable): what has been said so far, without a token that ends the text
 * @is_running: whether there is more to come
 * @end: why it ended, unless it is running or was stopped
 * @error: (nullable): why there is no more
 *
 * The tokens that a model adds to an input. They are shown in the figure, but they are no part of
 * the study until they are kept.
 */
typedef struct
{
  gsize input;
  AttnInput *before;
  AttnTokens *prompt;
  gboolean is_target;
  AttnTokens *answer;
  gboolean is_running;
  AttnAnswerEnd end;
  char *error;

  /*< private >*/
  AttnTokens *earlier;    /* (nullable): part of @answer generated in earlier runs */
  AttnReplying *replying; /* (nullable): the run, unless the worker has it */
  AttnModel *model;
} AttnAddition;

AttnAddition *attn_addition_new         (gsize               input,
                                         const AttnInput    *before);
void          attn_addition_free        (AttnAddition       *addition);
void          attn_addition_take_reply  (AttnAddition       *addition,
                                         const AttnReply    *reply);
AttnInput    *attn_addition_build_input (const AttnAddition *addition);
AttnStudy    *attn_addition_add         (const AttnAddition *addition,
                                         const AttnStudy    *study);
AttnStudy    *attn_addition_remove      (const AttnAddition *addition,
                                         const AttnStudy    *study);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnAddition, attn_addition_free)

G_END_DECLS
