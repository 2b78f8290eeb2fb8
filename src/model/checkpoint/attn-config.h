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
 * The way in which a rotary embedding is stretched beyond the length that a model was first trained
 * on; see [func@attn_rotary_fill].
 */
typedef enum
{
  ATTN_ROPE_SCALING_NONE,
  ATTN_ROPE_SCALING_LINEAR,
  ATTN_ROPE_SCALING_DYNAMIC,
  ATTN_ROPE_SCALING_LLAMA3,
  ATTN_ROPE_SCALING_YARN,
  ATTN_ROPE_SCALING_LONGROPE,
  ATTN_ROPE_SCALING_FACTORS, /* no scaling scheme: only the @factors of #AttnRope scale the
                              * frequencies */
} AttnRopeScaling;

/**
 * AttnRope:
 * @width: R, how many leading numbers of a query or key are rotated; 0 for a model without rotary
 *   embeddings
 * @base: θ, pair i of R / 2 pairs is rotated by θ^(-2 i / R) for each token
 * @n_original: number of positions that the model was first trained on, before it was stretched
 * @factor: how many times longer the stretched length is
 * @low_freq_factor: number of llama3 scaling, likewise @high_freq_factor
 * @beta_fast: number of yarn scaling, likewise @beta_slow; @truncates is also of yarn
 * @extrapolation_factor: factor of the share with which yarn leaves frequencies unscaled; 1 as
 *   published, 0 scales all frequencies alike
 * @factors: (nullable) (array length=width/2): divisor of each frequency
 * @long_factors: (nullable): in place of @factors for inputs of more than @n_original tokens
 * @attention_factor: factor by which rotated numbers of queries and keys are multiplied
 * @sections: how many angles of a picture's token are those of its time, of its row and of its
 *   column; all 0 where angles depend on the position in the text alone
 * @is_interleaved: whether angles of time, row and column alternate, as long as there are any left
 *   of each
 *
 * A rotary embedding (Su et al. 2021, arXiv 2104.09864).
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

/* The value in @factors for a pair of numbers that is not rotated: its frequency divided by this is
 * as good as 0. */
#define ATTN_NO_TURN 1e30f

/* The number of rotary embeddings: one for layers without an attention window, and one for layers
 * with a window, if it differs. */
#define ATTN_N_ROPES 2
#define ATTN_NO_ROPE (-1)

/**
 * AttnLayer:
 * @window: how many keys a query sees, up to the one at its own position; 0 for all
 * @rope: index in @ropes of #AttnConfig, or %ATTN_NO_ROPE
 * @has_experts: whether there are several feed-forward layers side by side, the experts, a few of
 *   which each token goes through
 * @mlp_width: inner width of the feed-forward layer that every token goes through, 0 for none
 * @is_delta: whether it has linear attention, which remembers the text in a matrix for each head
 *   and has no attention weights
 * @n_key_heads: Hk, heads of keys and values
 * @head_width: d, numbers of a head's query or key
 * @value_width: numbers of a head's value: d, except in a model of latent keys
 * @has_key_values: whether its values are its keys, before norm and rotation
 * @source: the layer whose keys and values it uses: itself, or one below
 * @is_source: whether a layer above uses the keys and values of this one
 * @has_squares: whether a patch sees only the patches of its own square
 *
 * Settings of one layer.
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
 * @height: height of a picture in pixels, likewise @width; if the model takes pictures of any size,
 *   that for which its positions were learned
 * @n_rows: rows of patches in such a picture, likewise @n_columns
 * @patch_size: height and width of a patch, in pixels; 0 for a model of texts
 * @n_leading: tokens before the registers and patches that have learned positions
 * @n_registers: tokens between these and the patches, which have no positions
 * @pooling: the vectors from which the labels are read
 * @labels: (nullable): names of the labels
 * @n_frames: see #AttnFamilyPictures, at least 1
 * @merge: rows, and columns, of the groups of patches that follow one another in the order of the
 *   tokens; 1 for patches row by row
 * @square: rows, and columns, of such groups in a square of @has_squares of #AttnLayer; 0 for none
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
 * @n_bins: frequencies in a frame; 0 for a model of texts, and for the decoder of a model of sounds
 * @n_frames: frames of a sound, two for each token
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
 * @image_token: id of the token that a text has in the place of a picture
 * @layers: (array length=n_layers): the projector's input is the output of the first so many layers
 *   of the half for pictures; outputs of several numbers of layers are joined
 * @keeps_class: whether the class token before the patches also becomes a token of the text
 * @pool: rows, and columns, of the squares of patches that become one token of the text
 * @inner_width: width between the two matrices of the projector; 0 for a projector of one matrix
 * @deep_layers: (array length=n_deep): layers of the half for pictures whose output another
 *   projector turns into vectors, which are added to the picture's tokens behind layer 0, 1, … of
 *   the half for texts
 * @text_width: D, the width, of the half for texts
 * @activation: function between the two matrices of the projector
 *
 * The “projector” of a vision-language model, from the half for pictures to that for texts. By it
 * a picture becomes tokens of a text. Only @image_token is set in the configuration of the half for
 * texts.
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
 * @prefix: what may stand before the names of tensors, "model."; several are separated by spaces
 * @sight: (nullable): row of the table of vision-language models, if the model is one
 * @seeing: how pictures become tokens of a text in a vision-language model
 * @stack: the stack of layers that the configuration describes
 * @is_gguf: whether tensors have the names of GGUF files
 * @has_paired_rows: see #AttnFamily; only if @is_gguf
 * @norm: the family's, likewise @is_input_major and @qkv_layout; but GGUF files hold 1 + w for
 *   norms, linear weights as [out, in], and all queries before all keys before all values
 * @quantization: how the matrices of a quantized checkpoint are stored
 * @roles: the roles of a layer whose weights, and those whose biases, the checkpoint must have; no
 *   role has a bias without a weight
 * @end_roles: likewise for roles that exist once in the model
 * @n_layers: L, layers
 * @n_groups: groups of layers that share their weights, as in ALBERT; 1 for a model without them
 * @n_group_layers: layers of each group
 * @n_heads: H, heads of queries
 * @n_key_heads: Hk, heads of keys and values in layers that are not special, see #AttnLayer;
 *   likewise @head_width and @value_width
 * @head_width: d, numbers of a head's query or key
 * @value_width: numbers of a head's value: d, except in a model of latent keys
 * @qk_rope_head_dim: how many numbers at the end of a head's query or key may be rotated: d, except
 *   in a model of latent keys
 * @kv_lora_rank: see #AttnFamilyLatents; 0 for a model without latent keys
 * @q_lora_rank: see #AttnFamilyLatents; 0 for a model without latent queries
 * @width: D, numbers of a token's vector between the layers
 * @embedding_width: width of the token embedding: D, except in models that project it to D
 * @mlp_width: inner width of the feed-forward layer
 * @n_positions: the most tokens of an input
 * @n_position_rows: rows of the position embedding
 * @position_offset: number of the position embedding's row that position 0 has
 * @has_padding: whether tokens @padding_id have no position of their own and get the row before
 *   that of position 0
 * @start_token: id of the token with which a decoder's input begins; -1 if the configuration has
 *   none
 * @vocabulary_size: rows of the token embedding; number of labels of a classifier of pictures
 * @pictures: sizes of a model of pictures
 * @sounds: sizes of the encoder of a model of sounds
 * @positions: the family's, unless it lets config.json choose, as Falcon does between ALiBi and
 *   rotary embeddings
 * @layers: (array length=n_layers): settings of each layer
 * @alibi: a in the slopes of ALiBi, 2^(-a i / n), see #AttnScoreRules
 * @n_buckets: ranges into which distances between tokens are divided, for %ATTN_POSITIONS_RELATIVE
 * @max_distance: from this distance on, all distances are in the same bucket
 * @projection_limit: maximum of the absolute values of queries, keys and values as they are
 *   projected; 0 for none
 * @delta: sizes of layers of linear attention
 * @layer_width: see #AttnFamilyGlobals
 * @has_tiled_values: see #AttnFamily; only if @is_gguf
 * @n_experts: experts of a layer that has them; 0 if no layer has any
 * @n_used_experts: how many experts each token goes through
 * @expert_width: inner width of an expert, which is a feed-forward layer
 * @swiglu_alpha: see #AttnFamilyExperts, likewise @swiglu_limit
 * @has_input_major_experts: whether experts that are not quantized are stored as [in, out]
 * @normalizes_experts: whether the weights of the experts used for a token are divided by their sum
 * @n_expert_groups: see @n_groups of #AttnFamilyExperts, likewise @n_used_groups and
 *   @routed_scaling_factor
 * @head_activation: activation of the dense layer before the logits of a masked language model
 * @n_surplus_layers: layers that the checkpoint may have behind the model's, for predicting several
 *   tokens at once; they are not used
 * @query_scalar: scores are divided by its square root; 1 if they are not divided
 * @embedding_multiplier: factor of the token embedding
 * @has_mask_dropout: whether tokens @mask_id have an embedding of zeros, and embeddings of the
 *   other tokens are multiplied by 0.88, the share that training left unmasked, and divided by
 *   their share in the text
 * @residual_multiplier: factor of the outputs of attention and feed-forward layer before they are
 *   added to the residual stream
 * @adds_normed: whether the outputs of attention and feed-forward layer are added to their normed
 *   input, not to the input before the norm
 * @logit_scale: factor of the logits
 * @has_layer_scale: whether scores of layer l, from 0, are also divided by l + 1
 * @attn_logit_softcap: c in c tanh (s / c), to which scores s are limited; 0 for no limit
 * @final_logit_softcap: the same limit for the logits
 * @has_own_logits: whether the checkpoint must have a matrix of the logits; else the token
 *   embedding may be this matrix, too
 *
 * The configuration of a model. Every size fits an int with room to spare, as do three times the
 * width and H d.
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
