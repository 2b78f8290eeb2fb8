/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-speaker.h"

#include "attn-own-answer.h"
#include "attn-input-bind.h"
#include "attn-workspace.h"

/* Tells a language model the places of pictures in @tokens, if the model takes pictures. Returns
 * FALSE on error. */
static gboolean
place_pictures (AttnModel         *model,
                const AttnTokens  *tokens,
                GError           **error)
{
  if (!attn_model_get_info (model)->takes_picture || attn_model_count_pictures (model) == 0)
    return TRUE;
  g_autoptr (AttnTokens) same = attn_model_insert_pictures (model, tokens, error);
  return same != NULL;
}

/**
 * attn_speaker_init:
 * @speaker: (out caller-allocates): must be cleared, also on error
 * @model: the model that [func@attn_input_bind] returned
 * @input: the input that was bound to @model
 * @number: number of the input, from 1, for error messages
 * @tokens: the tokens of the queries; for a decoder, those behind which it generates
 * @framing: what is added around a text, as for [func@attn_input_tokenize]
 * @interventions: (nullable) (element-type AttnIntervention): what is done to @model
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_model_bind_decoder] and
 *   [func@attn_input_tokenize_target]
 *
 * Finds the model that predicts the next token. For an encoder, this is its decoder, which begins
 * with the target of the input, or with its start token alone.
 */
gboolean
attn_speaker_init (AttnSpeaker      *speaker,
                   AttnModel        *model,
                   const AttnInput  *input,
                   gsize             number,
                   AttnTokens       *tokens,
                   AttnFraming       framing,
                   GPtrArray        *interventions,
                   GCancellable     *cancellable,
                   GError          **error)
{
  gboolean is_changed = interventions != NULL && interventions->len > 0;

  *speaker = (AttnSpeaker) {
    .is_target = attn_model_info_has_decoder (attn_model_get_info (model)),
  };
  if (!attn_model_has_decoder (model))
    {
      speaker->model = attn_model_ref (model);
      speaker->tokens = attn_tokens_ref (tokens);
      speaker->interventions = interventions != NULL ? g_ptr_array_ref (interventions) : NULL;
      return TRUE;
    }
  speaker->model = attn_model_bind_decoder (model, tokens, NULL, cancellable, error);
  if (speaker->model == NULL)
    return FALSE;
  if (is_changed)
    {
      speaker->changed =
          attn_model_bind_decoder (model, tokens, interventions, cancellable, error);
      if (speaker->changed == NULL)
        return FALSE;
    }
  speaker->is_begun = TRUE;
  if (!attn_model_get_info (model)->sees)
    speaker->tokens = attn_input_tokenize_target (input, number, speaker->model, framing, error);
  else
    speaker->tokens = attn_input_insert_pictures (input, number, speaker->model, framing, error);
  return speaker->tokens != NULL &&
         (speaker->changed == NULL || place_pictures (speaker->changed, speaker->tokens, error));
}

/**
 * attn_speaker_answer:
 * @speaker: (inout): the speaker of @input
 * @n_answer: largest number of tokens, as for [func@attn_input_bind]
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_own_answer_compute]
 *
 * Adds to the tokens of an encoder's decoder the answer that it generates, as
 * [func@attn_input_bind] does for any other model.
 */
gboolean
attn_speaker_answer (AttnSpeaker      *speaker,
                     const AttnInput  *input,
                     gsize             n_answer,
                     GCancellable     *cancellable,
                     GError          **error)
{
  gboolean is_usual = n_answer == 0 && speaker->is_target && !attn_input_has_target (input);
  gsize n_most = is_usual ? ATTN_OWN_ANSWER_TOKENS : n_answer;
  g_autoptr (AttnTokens) begun = NULL;

  if (!speaker->is_begun || n_most == 0)
    return TRUE;
  begun = speaker->tokens;
  const AttnSoundWords words = { input->language, input->task };
  speaker->tokens =
      attn_own_answer_compute (speaker->model, begun, &words, n_most, cancellable, error);
  return speaker->tokens != NULL;
}

/**
 * attn_speaker_begin:
 * @speaker: (inout): the speaker of @input, made by [func@attn_speaker_init]
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_own_answer_compute]
 *
 * Adds the tokens that the checkpoint of a speech model puts before an answer (language, task, no
 * timestamps) to the start token of its decoder, if the input has no target.
 */
gboolean
attn_speaker_begin (AttnSpeaker      *speaker,
                    const AttnInput  *input,
                    GCancellable     *cancellable,
                    GError          **error)
{
  const AttnSoundWords words = { input->language, input->task };
  g_autoptr (AttnTokens) begun = NULL;

  if (!attn_model_get_info (speaker->model)->needs_sound || attn_input_has_target (input))
    return TRUE;
  begun = g_steal_pointer (&speaker->tokens);
  speaker->tokens = attn_own_answer_compute (speaker->model, begun, &words, 0, cancellable, error);
  return speaker->tokens != NULL;
}

void
attn_speaker_clear (AttnSpeaker *speaker)
{
  g_clear_pointer (&speaker->model, attn_model_unref);
  g_clear_pointer (&speaker->changed, attn_model_unref);
  g_clear_pointer (&speaker->interventions, g_ptr_array_unref);
  g_clear_pointer (&speaker->tokens, attn_tokens_unref);
}

/**
 * attn_speaker_get_baseline:
 * @baseline: the cached data of an input
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_speaker_init] and [func@attn_own_answer_compute]
 *
 * Returns: (transfer none) (nullable): the baseline of the model that predicts tokens for the
 *   input: @baseline itself, or for an encoder that of its decoder, whose tokens are the target or
 *   the answer that the model generates
 */
AttnBaseline *
attn_speaker_get_baseline (AttnBaseline  *baseline,
                           GCancellable  *cancellable,
                           GError       **error)
{
  g_auto (AttnSpeaker) speaker = { NULL };

  if (!attn_model_has_decoder (baseline->model))
    return baseline;
  if (baseline->said != NULL)
    return baseline->said;
  if (!attn_speaker_init (&speaker, baseline->model, baseline->input, 1, baseline->tokens,
                          baseline->framing, NULL, cancellable, error) ||
      !attn_speaker_answer (&speaker, baseline->input, baseline->n_answer, cancellable, error))
    return NULL;
  baseline->said =
      attn_baseline_new (speaker.model, baseline->input, attn_tokens_ref (speaker.tokens),
                         attn_tokens_ref (baseline->tokens), baseline->framing);
  return baseline->said;
}

/**
 * attn_speaker_compute_end:
 * @said: the baseline that [func@attn_speaker_get_baseline] returned for @baseline
 * @known: (nullable): a trace of @said without interventions
 * @interventions: (nullable) (element-type AttnIntervention): what is done to the model of
 *   @baseline
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_trace_compute] and
 *   [func@attn_model_bind_decoder]
 *
 * Returns: (transfer full) (nullable): a trace that keeps the output of the last layer, and without
 *   interventions also the input of each layer
 */
AttnTrace *
attn_speaker_compute_end (AttnBaseline     *baseline,
                          AttnBaseline     *said,
                          const AttnTrace  *known,
                          GPtrArray        *interventions,
                          GCancellable     *cancellable,
                          GError          **error)
{
  gboolean is_own = said == baseline;
  AttnTraceRequest request = {
    .ids = said->ids,
    .n_ids = said->tokens->n_tokens,
    .interventions = is_own ? interventions : NULL,
    .keep = ATTN_QUANTITY_FINAL | (interventions == NULL ? ATTN_QUANTITY_RESIDUAL : 0),
  };

  if (is_own || interventions == NULL)
    return attn_trace_compute (said->model, &request, known, NULL, cancellable, error);
  g_autoptr (AttnModel) changed = attn_model_bind_decoder (baseline->model, baseline->tokens,
                                                           interventions, cancellable, error);
  return changed != NULL && place_pictures (changed, said->tokens, error)
             ? attn_trace_compute (changed, &request, NULL, NULL, cancellable, error)
             : NULL;
}
