/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokens that a checkpoint forces an answer to contain, and those that it suppresses. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnAnswerRules:
 * @first: (element-type guint32): one of which is the first token of a decoder, behind its start
 *   token; none for no rule, as of the others
 * @last: (element-type guint32): one of which is the last token of an answer as long as it may be
 * @never: (element-type guint32)
 * @not_first: (element-type guint32): that the first free token is not
 *
 * Rules of the published generation for a checkpoint: `forced_bos_token_id`, `forced_eos_token_id`,
 * `suppress_tokens` and those of `bad_words_ids` that are one token, `begin_suppress_tokens`.
 */
typedef struct
{
  GArray *first;
  GArray *last;
  GArray *never;
  GArray *not_first;
} AttnAnswerRules;

AttnAnswerRules *attn_answer_rules_load (const AttnModel       *model,
                                         GError               **error);
AttnAnswerRules *attn_answer_rules_ref  (AttnAnswerRules       *rules);
void             attn_answer_rules_unref (AttnAnswerRules      *rules);
gboolean         attn_answer_rules_say  (const AttnAnswerRules *rules);
void             attn_answer_rules_apply (const AttnAnswerRules *rules,
                                         gsize                  n_before,
                                         gsize                  number,
                                         gsize                  n_most,
                                         float                 *logits,
                                         gsize                  n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnAnswerRules, attn_answer_rules_unref)

G_END_DECLS
