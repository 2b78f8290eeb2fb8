/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that is run: a checkpoint, from whose configuration and mapped weights a pass computes
 * the attention. The other kind of model is a recording, a file that has the attention already.
 * Private to src/model. */

#pragma once

#include "attn-config.h"
#include "attn-model-private.h"
#include "attn-weights.h"

G_BEGIN_DECLS

/**
 * AttnEncoded:
 * @ids: (array length=n_ids): what the encoder reads
 * @encoder: (nullable): the encoder that reads them, in place of the model's own
 * @interventions: (nullable) (element-type AttnIntervention): applied in that encoder
 * @rows: (nullable): [n_ids, D], what leaves the encoder's final norm; %NULL until it has run
 *
 * The source of a decoder: what its encoder reads, and what becomes of it.
 */
typedef struct
{
  guint32 *ids;
  gsize n_ids;
  AttnModel *encoder;
  GPtrArray *interventions;
  GMutex lock; /* protects the members that follow */
  AttnTensor *rows;
} AttnEncoded;

/**
 * AttnPatched:
 * @pixels: [channels, height, width], as the model takes them
 * @n_rows: rows of patches; @n_columns likewise
 * @places: (nullable): see #AttnModelInfo
 * @spans: (nullable): [patches], begin and end of the tokens in the same window as each patch
 * @rows: (nullable): [tokens, D], the embedding of all tokens; %NULL until it was computed
 *
 * The picture of a model of pictures.
 */
typedef struct
{
  AttnTensor *pixels;
  gsize n_rows;
  gsize n_columns;
  guint32 *places;
  gsize (*spans)[2];
  GMutex lock; /* protects the members that follow */
  AttnTensor *rows;
} AttnPatched;

/**
 * AttnHeard:
 * @features: [bins, frames], as the model takes them
 * @rows: (nullable): [tokens, D], the embedding of all tokens; %NULL until it was computed
 *
 * The sound of an encoder of sounds.
 */
typedef struct
{
  AttnTensor *features;
  GMutex lock; /* protects the members that follow */
  AttnTensor *rows;
} AttnHeard;

/**
 * AttnSeen:
 * @tower: the half for pictures, bound to the picture
 * @interventions: (nullable) (element-type AttnIntervention): applied in @tower
 * @rows: (nullable): [N, D], vectors of the tokens that stand for the picture in the text; %NULL
 *   until @tower has run
 * @deep: (nullable) (array): [N, D] each, what is added to the same tokens after single layers
 *
 * A picture in a text.
 */
typedef struct
{
  AttnModel *tower;
  GPtrArray *interventions;
  GMutex lock; /* protects the members that follow */
  AttnTensor *rows;
  AttnTensor *deep[ATTN_SIGHT_MAX_LAYERS];
} AttnSeen;

/**
 * AttnTransformer:
 * @tower: (nullable): the half for pictures of a model of texts and pictures
 * @encoder: (nullable): the encoder of a decoder
 * @is_cross: whether the attention is a decoder's to its encoder
 * @other_rules: (nullable) (array): [L], rules of the decoder's other attention, self- or
 *   cross-attention
 * @source: (nullable): what the decoder reads beside its own input
 * @patched: (nullable): what a model of pictures sees
 * @heard: (nullable): what an encoder of sounds hears
 * @seen: (nullable) (element-type AttnSeen): the pictures in the text
 * @beside: (nullable) (element-type AttnModel): of a half for pictures, the same half bound to each
 *   picture of the text; %NULL at the index of this one
 * @blocks: (nullable) (array): begin and end of each picture in the text whose tokens see each
 *   other both ways, see #AttnScoreRules
 */
typedef struct
{
  AttnModel model;
  AttnConfig config;
  AttnWeights *weights;
  float *sinks;     /* (nullable): [L, H] */
  float *distances; /* (nullable): biases by the distance of query and key, for all layers, see
                     * #AttnScoreRules */
  AttnModel *encoder;
  gboolean is_cross;
  AttnScoreRules *other_rules;
  AttnEncoded *source;
  AttnPatched *patched;
  AttnHeard *heard;
  AttnModel *tower;
  GPtrArray *seen;
  GPtrArray *beside;
  gsize (*blocks)[2];
} AttnTransformer;

AttnModel *attn_transformer_open        (const char             *path,
                                         const char             *adapter_path,
                                         const char             *attention,
                                         GError                **error);
AttnSeen  *attn_seen_new                (AttnModel              *tower,
                                         GPtrArray              *interventions);
void       attn_seen_free               (AttnSeen               *seen);
AttnModel *attn_transformer_see         (AttnModel              *model,
                                         AttnModel              *tower,
                                         GPtrArray              *interventions);
void       attn_transformer_set_encoder (AttnModel              *bound,
                                         AttnModel              *encoder,
                                         GPtrArray              *interventions);

G_END_DECLS
