/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-own-answer.h"

#include "attn-end-tokens.h"
#include "attn-generation.h"
#include "attn-sound-prompt.h"

static gboolean
hear_cb (const AttnGenerated *token,
         gpointer             ids)
{
  if (!token->is_end)
    g_array_append_val (ids, token->id);
  return TRUE;
}

/**
 * attn_own_answer_compute:
 * @model: a model that continues a text; if it is a decoder, it is bound to its source
 * @begun: tokens of the text, or the start token of a decoder
 * @n_most: largest number of tokens to generate
 * @cancellable: (nullable): checked at each layer
 * @error: return location: errors of [func@attn_generation_run] and of
 *   [func@attn_answer_rules_load]
 *
 * Generates the most probable token at each step, up to @n_most tokens and to the model's last
 * position. The end token is left out, as published code does when a decoder reads its own answer.
 *
 * A speech model without a target first gets the tokens that its generation_config.json puts before
 * an answer.
 *
 * Returns: (transfer full) (nullable): the tokens of @begun, followed by those of the answer
 */
AttnTokens *
attn_own_answer_compute (AttnModel             *model,
                         const AttnTokens      *begun,
                         const AttnSoundWords  *words,
                         gsize                  n_most,
                         GCancellable          *cancellable,
                         GError               **error)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autofree guint32 *start = attn_tokens_dup_ids (begun);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) ends = NULL;
  g_autoptr (AttnAnswerRules) rules = attn_answer_rules_load (model, error);
  AttnGenerationResult result;

  if (rules == NULL || !attn_model_list_end_tokens (model, &ends, error))
    return NULL;
  g_array_append_vals (ids, start, (guint) begun->n_tokens);
  if (info->needs_sound && begun->n_tokens == 1 &&
      !attn_sound_prompt_extend (model, words, ids, cancellable, error))
    return NULL;
  gsize n_before = MIN (ids->len, info->n_positions);
  g_array_set_size (ids, (guint) n_before);
  g_autofree guint32 *before = g_memdup2 (ids->data, n_before * sizeof *before);

  const AttnGenerationRequest request = {
    .ids = before,
    .n_ids = n_before,
    .sampling = { .top_p = 1.0 },
    .max_tokens = MIN (n_most, info->n_positions - n_before),
    .ends = (const guint32 *) (gpointer) ends->data,
    .n_ends = ends->len,
    .rules = rules,
    .may_end_early = TRUE,
  };
  if (request.max_tokens > 0 &&
      !attn_generation_run (model, &request, hear_cb, ids, &result, NULL, cancellable, error))
    return NULL;
  const guint32 *data = (const guint32 *) (gpointer) ids->data;
  return tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, data, ids->len, error)
                           : attn_tokens_new_from_ids (data, ids->len, NULL);
}
