/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The model that predicts the next token, whichever attention is displayed: of an encoder-decoder
 * model the decoder. */

#pragma once

#include "attn-baseline.h"
#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnSpeaker:
 * @model: that of the input, or the decoder of an encoder
 * @interventions: (nullable) (element-type AttnIntervention): on that model
 * @changed: (nullable): a decoder whose encoder is changed, which then says what comes of it
 * @tokens: that it goes on with
 * @is_target: whether they are a decoder's
 * @is_begun: whether nothing was said behind them yet, for they are those of an encoder's decoder
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
