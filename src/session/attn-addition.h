/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An addition is the text that the model generates after an input of the study, its answer. */

#pragma once

#include "attn-reply.h"

G_BEGIN_DECLS

/**
 * AttnAddition:
 * @input: index of the input in the study
 * @before: the input as it is in the study, without the answer
 * @prompt: (nullable): tokens before the answer: of the input, or of a decoder's target; %NULL
 *   until they are known
 * @is_target: whether a decoder with a source generates the answer, so that it continues the target
 *   and not the input
 * @answer: (nullable): tokens generated so far, without an end token
 * @is_running: whether tokens are still being generated
 * @end: why generation ended; not set while it is running
 * @error: (nullable): message why generation failed
 * @study: the study in which it was begun or last continued
 *
 * Tokens that a model adds to an input. The figure shows them, but they become a part of the study
 * only when the user keeps them.
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
  const AttnStudy *study;

  /*< private >*/
  AttnTokens *earlier;    /* (nullable): part of @answer that was generated in earlier runs */
  AttnReplying *replying; /* (nullable): the running generation of the answer, unless the worker
                           * thread has it */
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
