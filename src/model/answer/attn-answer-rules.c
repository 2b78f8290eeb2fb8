/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a checkpoint's rules about forced and suppressed tokens, and applies them to logits. */

#include "config.h"

#include "attn-answer-rules.h"

#include <math.h>

#include "attn-end-tokens.h"

static void
clear_rules (gpointer data)
{
  AttnAnswerRules *rules = data;

  g_array_unref (rules->first);
  g_array_unref (rules->last);
  g_array_unref (rules->never);
  g_array_unref (rules->not_first);
}

/**
 * attn_answer_rules_load:
 * @model: a model that is no recording
 * @error: return location: errors of [func@attn_model_list_tokens]
 *
 * Reads the rules from generation_config.json, or a member that this lacks from config.json. Words
 * of several tokens in `bad_words_ids` are refused.
 *
 * Returns: (transfer full) (nullable): the rules, immutable; any thread may use them
 */
AttnAnswerRules *
attn_answer_rules_load (const AttnModel  *model,
                        GError          **error)
{
  g_autoptr (AttnAnswerRules) rules = g_atomic_rc_box_new0 (AttnAnswerRules);
  const struct
  {
    const char *member;
    GArray **ids;
  } members[] = {
    { "forced_bos_token_id", &rules->first },
    { "forced_eos_token_id", &rules->last },
    { "suppress_tokens", &rules->never },
    { "begin_suppress_tokens", &rules->not_first },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    *members[i].ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (!attn_model_list_tokens (model, members[i].member, *members[i].ids, error))
      return NULL;
  return attn_model_list_single_tokens (model, "bad_words_ids", rules->never, error)
             ? g_steal_pointer (&rules)
             : NULL;
}

AttnAnswerRules *
attn_answer_rules_ref (AttnAnswerRules *rules)
{
  return g_atomic_rc_box_acquire (rules);
}

void
attn_answer_rules_unref (AttnAnswerRules *rules)
{
  g_atomic_rc_box_release_full (rules, clear_rules);
}

/**
 * attn_answer_rules_say:
 *
 * Returns: whether there is any rule
 */
gboolean
attn_answer_rules_say (const AttnAnswerRules *rules)
{
  return rules->first->len > 0 || rules->last->len > 0 || rules->never->len > 0 ||
         rules->not_first->len > 0;
}

static void
leave_only (const GArray *ids,
            float        *logits,
            gsize         n)
{
  for (gsize i = 0; i < n; i++)
    logits[i] = -INFINITY;
  for (guint i = 0; i < ids->len; i++)
    logits[g_array_index (ids, guint32, i)] = 0.0f;
}

static void
leave_out (const GArray *ids,
           float        *logits)
{
  for (guint i = 0; i < ids->len; i++)
    logits[g_array_index (ids, guint32, i)] = -INFINITY;
}

/**
 * attn_answer_rules_apply:
 * @n_before: number of tokens before the answer
 * @number: number of the token in the answer that is to be chosen, from 0
 * @n_most: the most tokens that the answer may have
 * @logits: (inout) (array length=n): logits that the token is chosen from; set to -INFINITY for
 *   tokens that the rules exclude, and to 0 for forced ones
 *
 * Applies the rules in the order of transformers' GenerationMixin._get_logits_processor(). As
 * there, a first token is forced only if exactly one token, the start token, is before the answer.
 */
void
attn_answer_rules_apply (const AttnAnswerRules *rules,
                         gsize                  n_before,
                         gsize                  number,
                         gsize                  n_most,
                         float                 *logits,
                         gsize                  n)
{
  gboolean forces_first = rules->first->len > 0 && n_before == 1;

  if (forces_first && number == 0)
    leave_only (rules->first, logits, n);
  if (rules->last->len > 0 && number + 1 == n_most)
    leave_only (rules->last, logits, n);
  leave_out (rules->never, logits);
  if (number == (forces_first ? 1 : 0))
    leave_out (rules->not_first, logits);
}
