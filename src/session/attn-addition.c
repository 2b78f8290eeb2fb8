/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-addition.h"

/**
 * attn_addition_new:
 *
 * Returns: (transfer full): an addition that is running and has no tokens yet
 */
AttnAddition *
attn_addition_new (gsize            input,
                   const AttnInput *before)
{
  AttnAddition *addition = g_new0 (AttnAddition, 1);

  addition->input = input;
  addition->before = attn_input_copy (before);
  addition->is_running = TRUE;
  return addition;
}

void
attn_addition_free (AttnAddition *addition)
{
  g_clear_pointer (&addition->replying, attn_replying_free);
  g_clear_pointer (&addition->prompt, attn_tokens_unref);
  g_clear_pointer (&addition->answer, attn_tokens_unref);
  g_clear_pointer (&addition->earlier, attn_tokens_unref);
  g_clear_pointer (&addition->model, attn_model_unref);
  g_clear_pointer (&addition->study, attn_study_unref);
  attn_input_free (addition->before);
  g_free (addition->error);
  g_free (addition);
}

/* Joins the tokens of @earlier and the first @n of @tokens. Returns %NULL if both have none. */
static AttnTokens *
join (AttnModel        *model,
      const AttnTokens *earlier,
      const AttnTokens *tokens,
      gsize             n)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (gsize i = 0; earlier != NULL && i < earlier->n_tokens; i++)
    g_array_append_val (ids, earlier->tokens[i].id);
  for (gsize i = 0; i < n; i++)
    g_array_append_val (ids, tokens->tokens[i].id);
  return ids->len > 0 ? attn_reply_label (model, ids) : NULL;
}

/**
 * attn_addition_take_reply:
 * @reply: the tokens that the current run has generated so far
 *
 * Makes the tokens of earlier runs, followed by those of @reply, the answer.
 */
void
attn_addition_take_reply (AttnAddition    *addition,
                          const AttnReply *reply)
{
  gsize n = reply->outcome.n_tokens[0];

  if (addition->prompt == NULL)
    {
      addition->prompt = attn_tokens_ref (reply->prompt);
      addition->is_target = reply->is_target;
      addition->model = attn_model_ref (reply->model);
    }
  if (n > 0 && reply->details[0][n - 1].is_end)
    n--;
  g_clear_pointer (&addition->answer, attn_tokens_unref);
  addition->answer = join (addition->model, addition->earlier, reply->tokens[0], n);
  addition->is_running = reply->is_open;
  addition->end = reply->outcome.ends[0];
}

/**
 * attn_addition_build_input:
 *
 * Returns: (transfer full): the input followed by the answer, as token ids
 */
AttnInput *
attn_addition_build_input (const AttnAddition *addition)
{
  return addition->answer != NULL
             ? attn_input_append_tokens (addition->before, addition->prompt, addition->is_target,
                                         addition->answer)
             : attn_input_copy (addition->before);
}

/* Copies the study with another input at @index. @input: (transfer full) */
static AttnStudy *
replace_input (const AttnStudy *study,
               gsize            index,
               AttnInput       *input)
{
  AttnStudy *copy = attn_study_copy (study);

  attn_input_free (copy->inputs->pdata[index]);
  copy->inputs->pdata[index] = input;
  return copy;
}

/**
 * attn_addition_add:
 * @study: a study with the input of the addition
 *
 * Returns: (transfer full): a copy of the study in which the answer follows the input
 */
AttnStudy *
attn_addition_add (const AttnAddition *addition,
                   const AttnStudy    *study)
{
  return replace_input (study, addition->input, attn_addition_build_input (addition));
}

/**
 * attn_addition_remove:
 * @study: a study of attn_addition_add()
 *
 * Returns: (transfer full): a copy of the study with the input without the answer
 */
AttnStudy *
attn_addition_remove (const AttnAddition *addition,
                      const AttnStudy    *study)
{
  return replace_input (study, addition->input, attn_input_copy (addition->before));
}
