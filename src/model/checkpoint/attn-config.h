/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The contents of a checkpoint's config.json or of the metadata of a GGUF file, with the family's
 * defaults filled in. */

#pragma once

#include "attn-array.h"
#include "attn-family.h"
#include "attn-json.h"
#include "attn-schemes.h"
#include "attn-sight.h"

G_BEGIN_DECLS


/**
 * AttnRopeScaling:
 *
 * How a rotary embedding is stretched beyond the length that a model was first trained on; see
 * [func@attn_rotary_fill].
 */
typedef enum
{
  ATTN_ROPE_SCALING_NONE,
  ATTN_ROPE_SCALING_LINEAR,
  ATTN_ROPE_SCALING_DYNAMIC,
  ATTN_ROPE_SCALING_LLAMA3,
  ATTN_ROPE_SCALING_YARN,
  ATTN_ROPE_SCALING_LONGROPE,
  ATTN_ROPE_SCALING_FACTORS, /* only by @factors of #AttnRope */
} AttnRopeScaling;

/**
 * AttnRope:
 * @width: R, the leading numbers of a vector that are turned; 0 for a model without
 * @base: θ
 * @n_original: positions that the model was first trained on
 * @low_freq_factor: of llama3 scaling, as the following
 * @beta_fast: of yarn, as the following
 * @extrapolation_factor: how much of yarn's share of the frequencies left as they are counts, 1
 *   for all
 * @factors: (nullable) (array length=width/2): what each frequency is divided by
 * @long_factors: (nullable): the same for inputs of more than @n_original tokens
 * @attention_factor: what queries and keys are multiplied by
 * @sections: angles that are of the time of a token of a picture, of its row and of its column; 0
 *   where all are of its position
 * @is_interleaved: whether these alternate as long as there are any of each
 */
typedef struct
{
  gsize width;
  double base;
  AttnRopeScaling scaling;
  double factor;
  gsize n_original;
  double low_freq_factor;
  double high_freq_factor;
  double beta_fast;
  double beta_slow;
  double extrapolation_factor;
  gboolean truncates;
  float *factors;
  float *long_factors;
  double attention_factor;
  gsize sections[3];
  gboolean is_interleaved;
} AttnRope;

/* The divisor of a frequency whose numbers are not rotated. */
#define ATTN_NO_TURN 1e30f

/* The number of rotary embeddings: one for layers without an attention window, and one for layers
 * with a window, if it differs. */
#define ATTN_N_ROPES 2
#define ATTN_NO_ROPE (-1)

/**
 * AttnLayer:
 * @window: keys up to itself that a query sees, 0 for all
 * @rope: number of the rotary embedding, or %ATTN_NO_ROPE
 * @has_experts: whether the feed-forward layer is several, of which each token goes through a few
 * @mlp_width: of the feed-forward layer that every token goes through, 0 for none
 * @is_delta: whether it remembers the text in a matrix a head, without attention weights
 * @n_key_heads: Hk
 * @head_width: d
 * @value_width: of a head's value, d but for a model of latent keys
 * @has_key_values: whether its values are its keys as they are projected
 * @source: the layer whose keys and values it has: itself, or one below
 * @is_source: whether one above has its own
 * @has_squares: whether a patch sees those of its own square alone
 */
typedef struct
{
  gsize window;
  int rope;
  gboolean has_experts;
  gsize mlp_width;
  gboolean is_delta;
  gsize n_key_heads;
  gsize head_width;
  gsize value_width;
  gboolean has_key_values;
  gsize source;
  gboolean is_source;
  gboolean has_squares;
} AttnLayer;

/**
 * AttnPictures:
 * @height: of a picture, in pixels; where other sizes are taken, of those that the positions were
 *   learned for
 * @n_rows: of patches in it
 * @patch_size: height and width of a patch; 0 for a model of texts
 * @n_leading: tokens before the patches that have positions
 * @n_registers: those behind them, which have none
 * @pooling: what the labels are read from
 * @labels: (nullable): what they are called
 * @n_frames: see #AttnFamilyPictures, at least 1
 * @merge: rows and columns of patches that stand side by side, 1 for one
 * @square: rows and columns of such groups in a square; 0 for none
 *
 * Sizes of a model whose tokens are the patches of a picture, row by row.
 */
typedef struct
{
  gsize height;
  gsize width;
  gsize n_rows;
  gsize n_columns;
  gsize n_channels;
  gsize patch_size;
  gsize n_leading;
  gsize n_registers;
  AttnPooling pooling;
  gsize n_frames;
  gsize merge;
  gsize square;
  char **labels;
} AttnPictures;

/**
 * AttnSounds:
 * @n_bins: frequencies of a frame; 0 for a model of texts, and for the decoder of one of sounds
 * @n_frames: of a sound, two a token
 *
 * Sizes of an encoder whose tokens are stretches of a sound.
 */
typedef struct
{
  gsize n_bins;
  gsize n_frames;
} AttnSounds;

/**
 * AttnSeeing:
 * @image_token: id of the token that a picture stands for
 * @layers: (array length=n_layers): what leaves so many layers of the half for pictures, the
 *   numbers of several side by side
 * @keeps_class: whether the token before the patches is one of the text, too
 * @pool: rows and columns of patches that one token is made of
 * @inner_width: between the two matrices of the projector; 0 where it has one
 * @deep_layers: (array length=n_deep): layers of the half for pictures behind which a projector of
 *   its own makes tokens, which are added to those of the picture behind layer 0, 1, … for texts
 * @text_width: D of the half for texts
 * @activation: between the two
 *
 * Of a model of texts that sees: how a picture becomes tokens of a text. Only @image_token is set
 * for the half for texts.
 */
typedef struct
{
  gsize image_token;
  gsize layers[ATTN_SIGHT_MAX_LAYERS];
  gsize n_layers;
  gboolean keeps_class;
  gsize pool;
  gsize inner_width;
  gsize deep_layers[ATTN_SIGHT_MAX_LAYERS];
  gsize n_deep;
  gsize text_width;
  AttnActivation activation;
} AttnSeeing;

/**
 * AttnConfig:
 * @prefix: what may stand before the names of its tensors; several with spaces between
 * @sight: (nullable): of a model of texts that sees
 * @seeing: likewise
 * @stack: whose layers and sizes these are
 * @is_gguf: whether tensors have the names of GGUF files
 * @has_paired_rows: see #AttnFamily; only where @is_gguf
 * @norm: the family's, as the two that follow, but for GGUF files, which hold 1 + w, linear weights
 *   as [out, in], and queries before keys before values
 * @quantization: how matrices of fewer bits are stored
 * @roles: of a layer whose weights and whose biases the checkpoint has to bring; no bias without
 *   the weight
 * @end_roles: likewise of those that exist once
 * @n_layers: L
 * @n_groups: of layers that are passed through again and again, 1 for a model without
 * @n_group_layers: of each group
 * @n_heads: H
 * @n_key_heads: Hk of the layers that do not differ, as what follows
 * @head_width: d
 * @value_width: of a head's value, d but for a model of latent keys
 * @qk_rope_head_dim: width of the end of a query or key that may be rotated, d but for latent keys
 * @kv_lora_rank: see #AttnFamilyLatents, as what follows; 0 for a model without
 * @q_lora_rank: 0 for a model without
 * @width: D
 * @embedding_width: of the token embedding, D but for models that project it
 * @mlp_width: width of the feed-forward layer
 * @n_positions: the most tokens of an input
 * @n_position_rows: of the position embedding
 * @position_offset: row of the position embedding that position 0 has
 * @has_padding: whether tokens @padding_id have no position of their own but the row before the
 *   first
 * @start_token: of a decoder, what its input begins with; -1 for one that does not say
 * @vocabulary_size: rows of the embedding; labels of a classifier of pictures
 * @pictures: of a model of pictures
 * @sounds: of the encoder of one of sounds
 * @positions: the family's, but for one that has either slopes or rotary embeddings
 * @layers: (array length=n_layers)
 * @alibi: see #AttnScoreRules
 * @n_buckets: of the distances between tokens, for %ATTN_POSITIONS_RELATIVE
 * @max_distance: from which on all distances are in one bucket
 * @projection_limit: of queries, keys and values as they are projected, on both sides; 0 for none
 * @delta: of layers without attention weights
 * @layer_width: see #AttnFamilyGlobals
 * @has_tiled_values: see #AttnFamily; only where @is_gguf
 * @n_experts: 0 where no layer has any
 * @n_used_experts: for each token
 * @expert_width: of the feed-forward layer that an expert is
 * @swiglu_alpha: see #AttnFamilyExperts, as what follows
 * @has_input_major_experts: of those that are not quantised
 * @normalizes_experts: whether the weights of those used are divided by their sum
 * @n_expert_groups: see #AttnFamilyExperts, as what follows
 * @head_activation: of the dense layer before the logits of a masked language model
 * @n_surplus_layers: that the checkpoint may have beyond the model's, for other purposes
 * @query_scalar: scores are divided by its root; 1 where they are not
 * @embedding_multiplier: what the embedding is multiplied by
 * @has_mask_dropout: whether tokens @mask_id have no embedding, and those of the others in a text
 *   are multiplied by 0.88, the share that training left unmasked, over their share in the text
 * @residual_multiplier: what each half of a layer is multiplied by before it is added
 * @adds_normed: whether what enters a half of a layer through its norm is also what the half is
 *   added to
 * @logit_scale: what the logits are multiplied by
 * @has_layer_scale: whether those of layer l are also divided by l + 1
 * @attn_logit_softcap: c in c tanh (s / c), 0 for none
 * @final_logit_softcap: the same for the logits
 * @has_own_logits: whether the checkpoint must bring the matrix of the logits, for it is not the
 *   embedding
 *
 * Every size fits an int with room to spare, as do three times the width and H d.
 */
typedef struct
{
  const AttnFamily *family;
  const char *prefix;
  const AttnSight *sight;
  AttnSeeing seeing;
  AttnStack stack;
  gboolean is_gguf;
  gboolean has_paired_rows;
  AttnNorm norm;
  gboolean is_input_major;
  AttnQkvLayout qkv_layout;
  AttnQuantization quantization;
  AttnRoles roles[ATTN_N_SLOTS];
  AttnRoles end_roles[ATTN_N_SLOTS];
  AttnOrder order;
  gboolean is_causal;
  gsize n_layers;
  gsize n_groups;
  gsize n_group_layers;
  gsize n_heads;
  gsize n_key_heads;
  gsize head_width;
  gsize value_width;
  gsize qk_rope_head_dim;
  gsize kv_lora_rank;
  gsize q_lora_rank;
  gsize width;
  gsize embedding_width;
  gsize mlp_width;
  gsize n_positions;
  gsize n_position_rows;
  gsize position_offset;
  gboolean has_padding;
  gsize padding_id;
  gssize start_token;
  gsize vocabulary_size;
  AttnPictures pictures;
  AttnSounds sounds;
  AttnPositions positions;
  double alibi;
  gsize n_buckets;
  gsize max_distance;
  double projection_limit;
  AttnLayer *layers;
  AttnFamilyDelta delta;
  gsize layer_width;
  gboolean has_tiled_values;
  gsize n_experts;
  gsize n_used_experts;
  gsize expert_width;
  gboolean normalizes_experts;
  gsize n_expert_groups;
  gsize n_used_groups;
  double routed_scaling_factor;
  gsize n_surplus_layers;
  double swiglu_alpha;
  double swiglu_limit;
  gboolean has_input_major_experts;
  AttnRope ropes[ATTN_N_ROPES];
  AttnActivation activation;
  AttnActivation head_activation;
  double norm_epsilon;
  double query_scalar;
  double embedding_multiplier;
  gboolean has_mask_dropout;
  gsize mask_id;
  double residual_multiplier;
  double logit_scale;
  gboolean adds_normed;
  gboolean has_layer_scale;
  double attn_logit_softcap;
  double final_logit_softcap;
  gboolean has_own_logits;
} AttnConfig;

static inline gboolean
attn_config_has_slot (const AttnConfig *config,
                      AttnRole          role,
                      AttnSlot          slot)
{
  gboolean is_end = role < ATTN_FIRST_LAYER_ROLE;
  const AttnRoles *roles = is_end ? config->end_roles : config->roles;
  guint bit = is_end ? role : role - ATTN_FIRST_LAYER_ROLE;

  return ((roles[ATTN_SLOT_WEIGHT] & roles[slot]) >> bit & 1) != 0;
}

static inline gboolean
attn_config_has_role (const AttnConfig *config,
                      AttnRole          role)
{
  return attn_config_has_slot (config, role, ATTN_SLOT_WEIGHT);
}

const char *attn_config_get_position_scheme (const AttnConfig  *config);
gboolean    attn_config_load                (const char        *path,
                                             AttnStack          stack,
                                             AttnConfig        *config,
                                             GError           **error);
gboolean    attn_config_load_gguf           (AttnArrayFile     *file,
                                             AttnConfig        *config,
                                             GError           **error);
gboolean    attn_config_load_training       (AttnArrayFile     *file,
                                             AttnConfig        *config,
                                             GError           **error);
gboolean    attn_config_read                (AttnJsonReader    *json,
                                             AttnStack          stack,
                                             AttnConfig        *config,
                                             GError           **error);
AttnLayer   attn_config_get_widest          (const AttnConfig  *config);
void        attn_config_clear               (AttnConfig        *config);

G_END_DECLS
