/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rules of a checkpoint for generated answers: tokens that an answer must have at its beginning or
 * end, and tokens that it must not have. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnAnswerRules:
 * @first: (element-type guint32): ids, one of which must be a decoder's first token behind its
 *   start token; this array and the others are empty if there is no such rule
 * @last: (element-type guint32): ids, one of which must be the last token of an answer of the
 *   largest length
 * @never: (element-type guint32): ids that no answer has
 * @not_first: (element-type guint32): ids that are not the first token that is not forced
 *
 * Rules of a checkpoint, by the members of its generation_config.json: `forced_bos_token_id`,
 * `forced_eos_token_id`, `suppress_tokens` and those of `bad_words_ids` that are one token,
 * `begin_suppress_tokens`.
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
