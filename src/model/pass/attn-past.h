/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cache for computing one token at a time: the keys, values and the like that each layer keeps of
 * earlier tokens. */

#pragma once

#include "attn-config.h"
#include "attn-tensor.h"
#include "attn-vectors.h"

G_BEGIN_DECLS

/**
 * AttnPastLayer:
 * @key: (nullable): [Hk, room, d], keys of the earlier tokens, as the scores use them; %NULL in a
 *   layer without attention weights
 * @value: (nullable): [Hk, room, e], their values
 * @mixed: (nullable): [taps - 1, n], what the convolution of a layer without attention weights sees
 *   of the tokens before, the youngest last
 * @memory: (nullable): [heads, width of a key, of a value], what such a layer remembers
 * @source_key: (nullable): [Hk, S, d], keys of the encoder's output, if a layer attends to it, as
 *   its scores use them
 * @source_value: (nullable): [Hk, S, e], values of the same
 * @has_source: whether @source_key and @source_value are computed
 */
typedef struct
{
  AttnTensor *key;
  AttnTensor *value;
  AttnTensor *mixed;
  AttnTensor *memory;
  AttnTensor *source_key;
  AttnTensor *source_value;
  gboolean has_source;
} AttnPastLayer;

/**
 * AttnPast:
 * @n_tokens: how many tokens the cache has; the position of the next one
 * @n_together: how many of the first tokens share one mean, where an intervention takes the mean
 *   over the tokens: those of the given text. Each later token has the mean of all tokens up to
 *   itself.
 * @n_room: the most tokens of the text
 * @sums: (array): [n_interventions, L], sums over the tokens for interventions that take a mean;
 *   %NULL until they are needed
 *
 * To be used by one thread at a time.
 */
typedef struct
{
  gsize n_tokens;
  gsize n_together;
  gsize n_room;
  gsize n_layers;
  AttnPastLayer *layers;
  gsize n_interventions;
  double **sums;
} AttnPast;

gsize       attn_past_estimate (const AttnConfig *config,
                                gsize             n_room,
                                gsize             n_encoded);
AttnPast   *attn_past_new      (const AttnConfig *config,
                                gsize             n_together,
                                gsize             n_room,
                                gsize             n_encoded,
                                gsize             n_interventions,
                                GError          **error);
void        attn_past_free     (AttnPast         *past);
void        attn_past_forget   (AttnPast         *past);
AttnVectors attn_past_add      (AttnTensor       *kept,
                                const AttnVectors *rows,
                                gsize             first_token,
                                gsize             n_heads);
void        attn_past_set_source (AttnPastLayer   *layer,
                                const AttnVectors *key,
                                const AttnVectors *value);
AttnRunningMean attn_past_get_mean (AttnPast     *past,
                                gsize             intervention,
                                gsize             layer,
                                gsize             n_numbers);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPast, attn_past_free)

G_END_DECLS
