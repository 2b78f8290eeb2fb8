/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-speaker.h"

#include "attn-workspace.h"

/**
 * attn_speaker_init:
 * @speaker: (out caller-allocates): to be cleared in any case
 * @model: of [func@attn_input_bind]
 * @input: what was bound
 * @number: of the input, from 1, which an error names
 * @tokens: of the queries, of a decoder those that it is to go on with
 * @framing: as for [func@attn_input_tokenize]
 * @interventions: (nullable) (element-type AttnIntervention): on @model
 * @cancellable: (nullable)
 * @error: return location: errors of [func@attn_model_bind_decoder] and
 *   [func@attn_input_tokenize_target]
 *
 * Of an encoder, the decoder beside it speaks: it begins with the target of the input, or with its
 * start token alone.
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

  *speaker = (AttnSpeaker) { .is_target = attn_model_get_info (model)->attentions[1] != NULL };
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
  speaker->tokens = attn_input_tokenize_target (input, number, speaker->model, framing, error);
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
