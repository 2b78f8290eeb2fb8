/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A speaker is the model that predicts the next token, whichever attention is displayed: for an
 * encoder-decoder model it is the decoder. */

#pragma once

#include "attn-baseline.h"
#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnSpeaker:
 * @model: the model of the input, or its decoder if that model is an encoder
 * @interventions: (nullable) (element-type AttnIntervention): what is done to @model
 * @changed: (nullable): the decoder with an encoder that is changed by interventions, which
 *   predicts instead of @model
 * @tokens: the tokens behind which the model generates
 * @is_target: whether @tokens are the target of a decoder
 * @is_begun: whether @tokens belong to the decoder of an encoder, so that no answer was generated
 *   behind them yet
 */
typedef struct
{
  AttnModel *model;
  GPtrArray *interventions;
  AttnModel *changed;
  AttnTokens *tokens;
  gboolean is_target;
  gboolean is_begun;
} AttnSpeaker;

gboolean attn_speaker_init  (AttnSpeaker      *speaker,
                             AttnModel        *model,
                             const AttnInput  *input,
                             gsize             number,
                             AttnTokens       *tokens,
                             AttnFraming       framing,
                             GPtrArray        *interventions,
                             GCancellable     *cancellable,
                             GError          **error);
gboolean attn_speaker_answer (AttnSpeaker     *speaker,
                             const AttnInput  *input,
                             gsize             n_answer,
                             GCancellable     *cancellable,
                             GError          **error);
gboolean attn_speaker_begin  (AttnSpeaker      *speaker,
                             const AttnInput  *input,
                             GCancellable     *cancellable,
                             GError          **error);
void     attn_speaker_clear (AttnSpeaker      *speaker);

AttnBaseline *attn_speaker_get_baseline (AttnBaseline        *baseline,
                                         GCancellable        *cancellable,
                                         GError             **error);
AttnTrace    *attn_speaker_compute_end  (AttnBaseline        *baseline,
                                         AttnBaseline        *said,
                                         const AttnTrace     *known,
                                         GPtrArray           *interventions,
                                         GCancellable        *cancellable,
                                         GError             **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnSpeaker, attn_speaker_clear)

G_END_DECLS
