/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of model families (GPT-2, LLaMA, …): a row says how the models of one family differ
 * from others, so that one forward pass computes all of them. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnActivation:
 *
 * The function between the two matrix products of a feed-forward layer.
 */
typedef enum
{
  ATTN_ACTIVATION_GELU,      /* x Φ(x), exactly, with the error function */
  ATTN_ACTIVATION_GELU_TANH, /* approximation of x Φ(x) by tanh, as in GPT-2 */
  ATTN_ACTIVATION_GELU_FAST, /* approximation x σ(1.702 x) */
  ATTN_ACTIVATION_RELU,
  ATTN_ACTIVATION_SILU,
  ATTN_ACTIVATION_TANH,
} AttnActivation;

/**
 * AttnRole:
 *
 * The use of a weight in a model. A weight is a matrix, the scale of a norm or another vector, and
 * may have a bias. Roles from %ATTN_FIRST_LAYER_ROLE on exist once in each layer. No family has all
 * roles.
 */
typedef enum
{
  ATTN_ROLE_TOKEN_EMBEDDING,
  ATTN_ROLE_POSITION_EMBEDDING,
  ATTN_ROLE_TYPE_EMBEDDING,
  ATTN_ROLE_PROJECT_IN, /* projects token embeddings to the model's width */
  ATTN_ROLE_PATCHES, /* projects the pixels of a patch to the width of the model */
  ATTN_ROLE_CLASS_TOKEN, /* vector of the class token before the patches; the next two roles are
                          * vectors of other tokens there */
  ATTN_ROLE_SECOND_TOKEN,
  ATTN_ROLE_REGISTERS, /* vectors of register tokens, which have no positions */
  ATTN_ROLE_CONVOLUTION, /* first convolution along the frames of a sound */
  ATTN_ROLE_SECOND_CONVOLUTION, /* second convolution, which halves the number of frames */
  ATTN_ROLE_PROJECTOR_NORM, /* norm of the vision encoder's output, before it is projected to tokens
                             * of a text */
  ATTN_ROLE_PROJECTOR_IN,
  ATTN_ROLE_PROJECTOR_OUT, /* second matrix of the projector, to the language model's width */
  ATTN_ROLE_EMBEDDING_NORM,
  ATTN_ROLE_LAYER_EMBEDDING, /* a vector for each token of the vocabulary in each layer */
  ATTN_ROLE_RELATIVE_BIAS, /* bias for each head and each bucket (range) of distances between
                            * tokens */
  ATTN_ROLE_FINAL_NORM,
  ATTN_ROLE_PROJECT_OUT, /* projects the last layer's output to the embedding's width */
  ATTN_ROLE_HEAD, /* the dense layer before the logits of a masked language model */
  ATTN_ROLE_HEAD_NORM,
  ATTN_ROLE_SECOND_LOGITS, /* matrix of logits from the second token before a picture's patches */
  ATTN_ROLE_LOGITS,
  ATTN_ROLE_ATTENTION_NORM,
  ATTN_ROLE_QKV, /* queries, keys and values in one matrix, in place of the three roles below */
  ATTN_ROLE_QUERY,
  ATTN_ROLE_KEY,
  ATTN_ROLE_VALUE,
  ATTN_ROLE_QUERY_NORM,
  ATTN_ROLE_KEY_NORM,
  ATTN_ROLE_OUTPUT,
  ATTN_ROLE_OUTPUT_NORM, /* norm of the attention's output, before it is added to the residual
                          * stream */
  ATTN_ROLE_OUTPUT_SCALE, /* factor for each number of the attention's output vector */
  ATTN_ROLE_SINKS, /* additional score of a head in the softmax, which belongs to no key */
  ATTN_ROLE_Q_A, /* projects the model's width to the latent vector of queries */
  ATTN_ROLE_Q_A_NORM,
  ATTN_ROLE_KV_A, /* projects the model's width to the latent vector of keys and values */
  ATTN_ROLE_K_ROPE, /* projects the width to the rotated part of a key, which all heads share */
  ATTN_ROLE_KV_A_NORM,
  ATTN_ROLE_KV_B, /* projects the latent vector to each head's unrotated key part and value */
  ATTN_ROLE_K_B, /* instead of KV_B: matrices of all heads for the unrotated part of the key, each
                  * [in, out] */
  ATTN_ROLE_V_B, /* instead of KV_B: matrices of all heads that project the latent vector to
                  * values */
  ATTN_ROLE_CROSS_NORM, /* norm of cross-attention to the encoder's output, to which the CROSS roles
                         * belong */
  ATTN_ROLE_CROSS_QUERY,
  ATTN_ROLE_CROSS_KEY,
  ATTN_ROLE_CROSS_VALUE,
  ATTN_ROLE_CROSS_OUTPUT,
  ATTN_ROLE_MLP_NORM,
  ATTN_ROLE_GATE,
  ATTN_ROLE_UP,
  ATTN_ROLE_DOWN,
  ATTN_ROLE_DOWN_NORM, /* norm of the feed-forward layer's output */
  ATTN_ROLE_DOWN_SCALE, /* factor for each number of the feed-forward layer's output vector */
  ATTN_ROLE_LAYER_INPUT, /* projects the token embedding to a layer's own vector; one tensor holds
                          * the rows of layer 0, layer 1, … */
  ATTN_ROLE_LAYER_INPUT_NORM,
  ATTN_ROLE_LAYER_GATE, /* projects the model's width to the width of the layer's own vector of the
                         * token */
  ATTN_ROLE_LAYER_OUTPUT, /* projects the layer's own vector of the token to the model's width */
  ATTN_ROLE_LAYER_OUTPUT_NORM,
  ATTN_ROLE_LAYER_FACTOR, /* a number by which the layer's output is multiplied */
  ATTN_ROLE_ROUTER, /* projects the model's width to the number of experts */
  ATTN_ROLE_ROUTER_CORRECTION, /* correction added to experts' scores when experts are chosen, not
                                * when they are weighted */
  ATTN_ROLE_EXPERT_GATE, /* gate matrices of all experts; EXPERT_UP and EXPERT_DOWN are the other
                          * two matrices */
  ATTN_ROLE_EXPERT_UP,
  ATTN_ROLE_EXPERT_DOWN,
  ATTN_ROLE_EXPERT_GATE_UP, /* instead of EXPERT_GATE and EXPERT_UP: both matrices in one, with
                             * alternating rows */
  ATTN_ROLE_SHARED_GATE, /* projects the model's width to a number, the weight of the shared
                          * expert */
  ATTN_ROLE_ROUTER_NORM, /* norm of the router's input, if the router has its own norm */
  ATTN_ROLE_EXPERT_NORM,
  ATTN_ROLE_EXPERT_FACTORS, /* a factor for each expert's weight */
  ATTN_ROLE_EXPERT_OUTPUT_NORM,
  ATTN_ROLE_SHARED_OUTPUT_NORM,
  ATTN_ROLE_DELTA_QKV, /* queries, keys and values of linear attention, to which all DELTA roles
                        * belong */
  ATTN_ROLE_DELTA_GATE, /* matrix that makes the gate of linear attention's output */
  ATTN_ROLE_DELTA_QKV_GATE, /* instead of DELTA_QKV and DELTA_GATE: both matrices in one, head by
                             * head */
  ATTN_ROLE_DELTA_STRENGTH, /* matrix that makes the share of a token that is written into each
                             * head's memory */
  ATTN_ROLE_DELTA_DECAY, /* matrix that makes the rate at which the memory of each head fades */
  ATTN_ROLE_DELTA_STRENGTH_DECAY, /* instead of DELTA_STRENGTH and DELTA_DECAY: both matrices in
                                   * one */
  ATTN_ROLE_DELTA_KERNEL, /* kernel of the convolution along the tokens, for each channel of linear
                           * attention */
  ATTN_ROLE_DELTA_RATE, /* log of the decay rate of linear attention; in GGUF files minus the
                         * rate */
  ATTN_ROLE_DELTA_SHIFT, /* added to what DELTA_DECAY makes */
  ATTN_ROLE_DELTA_NORM, /* norm of a head's output */
  ATTN_ROLE_DELTA_OUTPUT,
} AttnRole;

#define ATTN_N_ROLES          (ATTN_ROLE_DELTA_OUTPUT + 1)
#define ATTN_FIRST_LAYER_ROLE ATTN_ROLE_ATTENTION_NORM
#define ATTN_N_LAYER_ROLES    (ATTN_N_ROLES - ATTN_FIRST_LAYER_ROLE)

/**
 * AttnSlot:
 * @ATTN_SLOT_BIAS: vector that is added to the product with the weight, or to the numbers that a
 *   norm has scaled
 *
 * The two tensors that a role may have: a weight and a bias.
 */
typedef enum
{
  ATTN_SLOT_WEIGHT,
  ATTN_SLOT_BIAS,
} AttnSlot;

#define ATTN_N_SLOTS 2

/* A set of roles of tensors, one bit for each: either roles of a layer or roles that exist once. */
typedef guint64 AttnRoles;

/* The bit of a layer's role in a set of roles. A role that exists once does not compile here, since
 * its bit would be that of another role. */
#define ATTN_ROLE_BIT(role) ((AttnRoles) 1 << ((role) - ATTN_FIRST_LAYER_ROLE))

G_STATIC_ASSERT (ATTN_FIRST_LAYER_ROLE <= 8 * sizeof (AttnRoles));
G_STATIC_ASSERT (ATTN_N_LAYER_ROLES <= 8 * sizeof (AttnRoles));

/**
 * AttnNorm:
 * @ATTN_NORM_LAYER: layer norm, Ba et al. 2016, arXiv 1607.06450
 * @ATTN_NORM_RMS: RMS norm, Zhang and Sennrich 2019, arXiv 1910.07467
 * @ATTN_NORM_RMS_OFFSET: as RMS, but numbers are multiplied by 1 + w, where w is the weight
 *
 * Norms, by the papers that describe them.
 */
typedef enum
{
  ATTN_NORM_LAYER,
  ATTN_NORM_RMS,
  ATTN_NORM_RMS_OFFSET,
} AttnNorm;

/**
 * AttnPositions:
 * @ATTN_POSITIONS_LEARNED: a learned vector for each position, added to the token embedding
 * @ATTN_POSITIONS_ROTARY: queries and keys rotated (Su et al. 2021, arXiv 2104.09864), number i of
 *   a vector paired with number i + R / 2
 * @ATTN_POSITIONS_ROTARY_PAIRED: as ROTARY, but number 2 i is paired with number 2 i + 1
 * @ATTN_POSITIONS_ALIBI: the distance between query and key, times a slope of each head, added to
 *   the scores (Press et al. 2022, arXiv 2108.12409)
 * @ATTN_POSITIONS_SINES: sines in the first half of a vector and cosines in the second, added to
 *   the token embedding (Vaswani et al. 2017, arXiv 1706.03762, section 3.5)
 * @ATTN_POSITIONS_RELATIVE: a learned number added to the scores of a head, one for each range
 *   (“bucket”) of distances between query and key (Raffel et al. 2020, arXiv 1910.10683, section
 *   2.1)
 *
 * Ways in which a model takes in the positions of tokens.
 */
typedef enum
{
  ATTN_POSITIONS_LEARNED,
  ATTN_POSITIONS_ROTARY,
  ATTN_POSITIONS_ROTARY_PAIRED,
  ATTN_POSITIONS_ALIBI,
  ATTN_POSITIONS_RELATIVE,
  ATTN_POSITIONS_SINES,
} AttnPositions;

/**
 * AttnOrder:
 * @ATTN_ORDER_PRE_NORM: x += attention (norm (x)), x += mlp (norm (x))
 * @ATTN_ORDER_POST_NORM: x = norm (x + attention (x)), x = norm (x + mlp (x))
 * @ATTN_ORDER_PARALLEL: x += attention (norm (x)) + mlp (norm (x)); a family without a norm for the
 *   mlp has one norm for both
 *
 * The order of norm, attention and feed-forward layer (mlp) in a layer.
 */
typedef enum
{
  ATTN_ORDER_PRE_NORM,
  ATTN_ORDER_POST_NORM,
  ATTN_ORDER_PARALLEL,
} AttnOrder;

/**
 * AttnQkvLayout:
 * @ATTN_QKV_BY_COMPONENT: the rows of all queries, then those of all keys, then those of all values
 * @ATTN_QKV_BY_HEAD: the queries that key head 0 serves, its key and its value, then the same of
 *   key head 1
 *
 * The order of the rows of a matrix that makes queries, keys and values at once.
 */
typedef enum
{
  ATTN_QKV_BY_COMPONENT,
  ATTN_QKV_BY_HEAD,
} AttnQkvLayout;

/**
 * AttnWindows:
 *
 * Layers that have a sliding window, in which a query sees only the keys near to it, if config.json
 * gives the width of a window.
 */
typedef enum
{
  ATTN_WINDOWS_NONE,
  ATTN_WINDOWS_ALL,
  ATTN_WINDOWS_PERIODIC, /* windows in all layers but the last of every “window_period” layers */
  ATTN_WINDOWS_UPPER, /* windows in layers from “max_window_layers” on, if “use_sliding_window” is
                       * set */
  ATTN_WINDOWS_LOWER, /* windows in every other layer below “max_window_layers”, if
                       * “use_sliding_window” is set */
  ATTN_WINDOWS_SWITCHED, /* windows in all layers, if “use_sliding_window” is set */
  ATTN_WINDOWS_NAMED,    /* windows in the layers that “attention_types” calls local */
  ATTN_WINDOWS_BEHIND_FIRST, /* windows in all layers but the first of every “window_period”; they
                              * reach in both directions */
} AttnWindows;

/* The value of @local_rotary_base with which layers with a window have the rotary base of the other
 * layers. */
#define ATTN_SAME_BASE (-1.0)

/**
 * AttnFamilySizes:
 *
 * Sizes that hold where config.json leaves them out; 0 for a number of heads or a width means that
 * it follows from the other sizes.
 */
typedef struct
{
  gsize n_layers;
  gsize n_heads;
  gsize n_key_heads;
  gsize head_width;
  gsize width;
  gsize mlp_width;
  gsize n_positions;
  gsize vocabulary_size;
  gsize window;
  gsize embedding_width; /* width of the token embedding; 0 if it equals the model's width */
} AttnFamilySizes;

/**
 * AttnFamilyExperts:
 * @n_used: how many of the @n experts each token goes through
 * @width: inner width of an expert, which is a feed-forward layer; 0 for the model's @mlp_width
 * @shared_width: inner width of the shared expert, which every token goes through; 0 for none
 * @is_normalized: whether the weights of the experts used for a token are divided by their sum
 * @is_normalized_in_gguf: whether llama.cpp divides these weights, which holds for GGUF files
 * @is_input_major: whether the experts' matrices are stored as [in, out] if they are not quantized
 * @swiglu_alpha: alpha in (up + 1) gate σ (alpha gate), which an expert computes from a clamped
 *   gate; 0 if the gate goes through the family's activation instead
 * @swiglu_limit: maximum of the gate, and of the absolute value of up
 * @is_sigmoid: whether scores of experts are sigmoids, one for each expert, and not a softmax over
 *   all
 * @n_groups: groups that the experts are divided into; a token's experts are chosen from
 *   @n_used_groups of them; 0 for one group
 * @routed_scaling_factor: factor of the experts' weights; 0 means 1
 * @n_shared: the shared expert's inner width in multiples of an expert's; instead of @shared_width
 * @n_dense: how many of the first layers have no experts
 * @is_beside: whether the experts are added to a feed-forward layer that every token goes through,
 *   each with its own norms, if “enable_moe_block” is set
 *
 * Sizes and settings of experts that hold where config.json leaves them out.
 */
typedef struct
{
  gsize n;
  gsize n_used;
  gsize width;
  gsize shared_width;
  gboolean is_normalized;
  gboolean is_normalized_in_gguf;
  gboolean is_input_major;
  double swiglu_alpha;
  double swiglu_limit;
  gboolean is_sigmoid;
  gsize n_groups;
  gsize n_used_groups;
  double routed_scaling_factor;
  gsize n_shared;
  gsize n_dense;
  gboolean is_beside;
} AttnFamilyExperts;

/**
 * AttnFamilyLatents:
 * @kv_lora_rank: width of the latent vector that keys and values are made of; 0 for a family
 *   without latent vectors
 * @q_lora_rank: width of the latent vector that queries are made of, 0 for none
 * @qk_nope_head_dim: width of the part of a head's query or key that is not rotated
 * @qk_rope_head_dim: width of the part behind it, which is rotated
 * @v_head_dim: width of a head's value
 *
 * Sizes of latent vectors, from which each head's queries, keys and values are projected, where
 * config.json leaves them out (DeepSeek-AI 2024, arXiv 2405.04434, section 2.1).
 */
typedef struct
{
  gsize kv_lora_rank;
  gsize q_lora_rank;
  gsize qk_nope_head_dim;
  gsize qk_rope_head_dim;
  gsize v_head_dim;
} AttnFamilyLatents;

/**
 * AttnFamilyDelta:
 * @n_key_heads: heads of queries and keys
 * @n_value_heads: heads of values, a multiple of @n_key_heads
 * @key_width: numbers of a head's query or key
 * @value_width: numbers of a head's value
 * @kernel_width: tokens that the convolution sees; 0 for a family without linear attention
 * @period: one layer in @period, the last, has softmax attention, and the others have linear
 *   attention
 *
 * Sizes of layers of linear attention (gated delta rule), where config.json leaves them out. Such a
 * layer has no attention weights: each head remembers the text in a matrix.
 */
typedef struct
{
  gsize n_key_heads;
  gsize n_value_heads;
  gsize key_width;
  gsize value_width;
  gsize kernel_width;
  gsize period;
} AttnFamilyDelta;

/* Returns the number of channels in the convolution of linear attention: the numbers of a token's
 * queries, keys and values together. */
static inline gsize
attn_delta_get_mixed_width (const AttnFamilyDelta *delta)
{
  return 2 * delta->n_key_heads * delta->key_width + delta->n_value_heads * delta->value_width;
}

/**
 * AttnFamilyGlobals:
 * @head_width: head width in layers without a window; 0 for a family whose layers have all the same
 * @layer_width: width of the embedding that each layer has for each token, 0 for none
 *
 * Sizes of a family whose layers without a window have heads of another width (Gemma 4), where
 * config.json leaves them out. Keys may be used as values in these layers, and the last layers may
 * use the keys and values of a lower layer.
 */
typedef struct
{
  gsize head_width;
  gsize layer_width;
} AttnFamilyGlobals;

/**
 * AttnPooling:
 * @ATTN_POOLING_FIRST: the first token's vector
 * @ATTN_POOLING_FIRST_AND_MEAN: the first token's vector and, joined to it, the mean of the patches
 * @ATTN_POOLING_MEAN: the mean of the patches' vectors
 *
 * The vectors from which a classifier reads the labels of a picture.
 */
typedef enum
{
  ATTN_POOLING_FIRST,
  ATTN_POOLING_FIRST_AND_MEAN,
  ATTN_POOLING_MEAN,
} AttnPooling;

/**
 * AttnInterpolation:
 * @ATTN_INTERPOLATION_NONE: none, for all pictures have the same size
 * @ATTN_INTERPOLATION_BICUBIC: bicubic (Keys 1981) with a = -0.75, with the edge repeated outside
 * @ATTN_INTERPOLATION_ANTIALIASED: as BICUBIC with a = -0.5; the kernel widens as a grid shrinks,
 *   and the outside of the edge does not count
 * @ATTN_INTERPOLATION_LINEAR: linear between the nearest two in each direction, with the corners of
 *   both grids on each other
 *
 * Ways in which position vectors that were learned for one grid of patches are resampled for a
 * picture with another.
 */
typedef enum
{
  ATTN_INTERPOLATION_NONE,
  ATTN_INTERPOLATION_BICUBIC,
  ATTN_INTERPOLATION_ANTIALIASED,
  ATTN_INTERPOLATION_LINEAR,
} AttnInterpolation;

/**
 * AttnFamilyPictures:
 * @image_size: height and width of a picture, in pixels
 * @patch_size: height and width of the patches, squares that a picture is cut into, in pixels; 0
 *   for a family of texts
 * @n_channels: numbers of a pixel, 3 for RGB
 * @mlp_ratio: width of the feed-forward layer divided by the model's; 0 where config.json gives the
 *   width itself
 * @lacks_key_bias: whether keys have no bias, if config.json has no “key_bias”
 * @merge: the patches of a square of @merge rows and columns follow one another, since they become
 *   one token of a text; 0 for patches row by row
 * @n_frames: frames of a film that a patch covers; for a still picture all are the same; 0 means
 *   one
 * @window_size: height and width in pixels of squares within which patches see each other, except
 *   in some layers, where they see the whole picture; 0 for none
 * @counts_places: whether rotary angles grow with the number of the row or column, not with its
 *   relative position between the edges of the picture
 *
 * Sizes and settings of a family whose tokens are the patches of a picture, where config.json
 * leaves them out.
 */
typedef struct
{
  gsize image_size;
  gsize patch_size;
  gsize n_channels;
  gsize mlp_ratio;
  AttnPooling pooling;
  AttnInterpolation interpolation;
  gboolean lacks_key_bias;
  gsize merge;
  gsize n_frames;
  gsize window_size;
  gboolean counts_places;
} AttnFamilyPictures;

/* The width of the convolutions along a sound, in frames. */
#define ATTN_CONVOLUTION_TAPS 3

/**
 * AttnFamilySounds:
 * @n_bins: frequencies in a frame of a sound; 0 for a family of texts
 * @n_positions: most tokens of the encoder, each made of two frames
 * @n_target_positions: most tokens of the decoder
 *
 * Sizes of a family whose encoder hears a sound, where config.json leaves them out.
 */
typedef struct
{
  gsize n_bins;
  gsize n_positions;
  gsize n_target_positions;
} AttnFamilySounds;

/**
 * AttnFamily:
 * @model_type: the family's name in config.json, "gpt2"
 * @prefix: what may stand before the names of all tensors, "model."; several are separated by
 *   spaces
 * @is_bidirectional: whether a query sees all keys, else only those up to itself
 * @is_input_major: whether linear weights are stored as [in, out]; else as [out, in]
 * @activation_member: (nullable): member of config.json that names the activation, %NULL for the
 *   usual names; "" if the family has one activation, whatever config.json says
 * @has_gelu_head: whether the dense layer before the logits has exact GELU, whatever the other
 *   layers have
 * @has_embedding_scale: whether the embedding is multiplied by sqrt (D)
 * @position_offset: number of the position embedding's row that position 0 has
 * @counts_offset: whether “max_position_embeddings” counts the rows before that row, too
 * @names: name of each role's tensor, for attn_family_dup_name(): "%u" stands for the number of the
 *   layer, "%e" for that of the expert, or of the head, if each has a tensor of its own, "%g" and
 *   "%i" for those of the group of layers and the layer in it, see @repeats_groups; "" for a norm
 *   without weights. If gate and up have the same name, one tensor holds gate above up
 * @bias_names: names of the biases that do not have the weight's name with another end
 * @text_family: (nullable): for a family of pictures whose checkpoints also have an encoder of
 *   texts: the @model_type of the latter's row
 * @rope_scaling: (nullable): how the rotary embedding is stretched, as JSON like that of
 *   config.json
 * @decoder_names: for a family of encoder and decoder: the names of the decoder's tensors; @names
 *   has the encoder's
 * @gguf_names: tensor names in GGUF files that are not the usual ones of attn-family.c
 * @shared_names: names of gate, up and down of the shared expert, which every token goes through
 * @architecture: (nullable): name of the family in GGUF files; %NULL if they do not hold it
 * @has_paired_rows: whether GGUF files hold the rows of query and key matrices in another order,
 *   because llama.cpp rotates pairs of neighbors: rows 2 i and 2 i + 1 of a head in place of i and
 *   i + d / 2
 * @sizes: used where config.json leaves a size out; likewise the members below
 * @has_query_key_norm: whether norms of queries and keys exist unless config.json says otherwise;
 *   likewise @has_attention_bias and @has_mlp_bias
 *
 * A row of the table of families. One forward pass computes the models of all rows.
 */
typedef struct
{
  const char *model_type;
  const char *prefix;
  gboolean is_bidirectional;
  gboolean is_input_major;
  AttnNorm norm;
  AttnPositions positions;
  AttnOrder order;
  AttnQkvLayout qkv_layout;
  AttnWindows windows;
  const char *activation_member;
  gboolean has_gelu_head;
  gboolean has_embedding_scale;
  gsize position_offset;
  gboolean counts_offset;
  const char *names[ATTN_N_ROLES];
  const char *bias_names[ATTN_N_ROLES];
  const char *decoder_names[ATTN_N_ROLES];
  const char *gguf_names[ATTN_N_ROLES];
  const char *shared_names[3];
  AttnFamilyExperts experts;
  AttnFamilyLatents latents;
  AttnFamilyDelta delta;
  AttnFamilyGlobals globals;
  AttnFamilyPictures pictures;
  const char *text_family;
  AttnFamilySounds sounds;
  const char *rope_scaling;
  const char *architecture;
  gboolean has_paired_rows;

  AttnFamilySizes sizes;
  const char *activation;
  double norm_epsilon;
  double alibi;             /* a in the slopes of ALiBi (biases by distance), see #AttnScoreRules;
                             * used if config.json has “alibi” set */
  gboolean has_coarse_alibi;
  double rotary_base;       /* θ of rotary embeddings, see #AttnRope; 0 for the usual 10000 */
  double local_rotary_base; /* θ of rotary embeddings in layers with a window; 0 if all layers have
                             * the same θ */
  gsize window_period;
  gsize large_layers;  /* number of layers of the model that has width / heads as its
                        * query_scalar */
  double partial_rotary_factor; /* share of the head width that rotary embeddings rotate */
  gsize rotary_dim;             /* count of a head's numbers that are rotated, if not given as a
                                 * share */
  double query_scalar; /* scores are divided by the square root of query_scalar; 0 means the head
                        * width */
  double attn_logit_softcap;
  double final_logit_softcap;
  gboolean has_own_logits;
  gboolean has_query_key_norm;
  gboolean has_whole_query_key_norm; /* whether one norm spans the queries of all heads of a token,
                                      * and one the keys */
  gboolean has_own_query_key_norms;  /* whether the norm of each head's queries and keys has its own
                                      * weights */
  gboolean has_value_norm; /* whether values have a norm, without weights, unlike queries and
                            * keys */
  gboolean has_plain_scores; /* whether scores are not divided by the root of the head width */
  gboolean has_multipliers; /* whether config.json has factors of embedding, scores, residual
                             * additions and logits */
  gboolean has_depth_scale; /* whether residual additions are divided by the root of the number of
                             * layers */
  gboolean has_slowest_sine; /* whether the slowest sine turns by 1/10000 a token; padding then has
                              * no position and is not counted */
  gboolean scales_embedding; /* the default of “scale_embedding” */
  gboolean has_mask_dropout; /* config.json may set “token_dropout”, see @has_mask_dropout of
                              * #AttnConfig; the embedding has a norm only with
                              * “emb_layer_norm_before” */
  gboolean chooses_positions; /* whether “position_embedding_type” tells if positions are rotary or
                               * learned */
  gboolean scales_tied_logits; /* whether logits are multiplied by 1 / sqrt (D) if their matrix is
                                * the embedding */
  double logit_scale;       /* default of “logit_scale”, 0 for families without it */
  gboolean has_output_gate; /* whether the gate of a head is made by the same matrix as its query */
  gboolean has_tiled_values; /* whether in GGUF files value head i of linear attention belongs to
                              * key head i modulo the number of key heads */
  gboolean has_multi_query; /* whether all heads share one key head, unless “multi_query” is
                             * false */
  gboolean shares_parallel_norm; /* whether attention and MLP, if the configuration makes them
                                  * parallel, share one norm before them */
  gboolean embeds_narrowly; /* whether position and type embeddings, norm and head have the
                             * embedding's width */
  gboolean always_projects; /* whether the embedding is projected even if it has the model's
                             * width */
  gboolean lacks_first_norm; /* whether the first layer has no norm before attention */
  gboolean repeats_groups; /* whether layers are passes through “num_hidden_groups” groups of
                            * “inner_group_num” layers each, one group after the other */
  gboolean chooses_norm_bias; /* whether “norm_bias” tells if norms have biases, “classifier_bias”
                               * if the head has, “decoder_bias” if the logits have */
  gboolean chooses_biases; /* whether “no_bias” (true by default) removes all biases, including the
                            * biases of norms */
  gboolean may_add_normed; /* whether “apply_residual_connection_post_layernorm” is read, see
                            * @adds_normed of #AttnConfig */
  gboolean chooses_direction; /* whether “use_bidirectional_attention” lets queries see all keys, or
                               * half of a window on each side */
  gboolean has_projection_limit; /* whether “clip_qkv” is read, see @projection_limit of
                                  * #AttnConfig */
  gboolean turns_windows_only; /* whether only layers with a window have rotary positions */
  gsize no_rope_interval;   /* number of layers of which the last has no rotary positions, again and
                             * again; 0 if all layers have them */
  gboolean has_attention_bias;
  gboolean has_mlp_bias;
  gboolean may_lack_attention_bias; /* whether GGUF files, which cannot say if there are biases, may
                                     * lack the biases of attention */
} AttnFamily;

/**
 * AttnStack:
 * @ATTN_STACK_ONLY: all layers of the model, or those of the encoder if there is a decoder
 * @ATTN_STACK_DECODER: the decoder's layers, which have cross-attention to the encoder's output
 * @ATTN_STACK_TEXT: the layers for texts of a family of pictures that has a @text_family
 * @ATTN_STACK_VISION: the layers for pictures of a vision-language model, see #AttnSight
 *
 * One of the stacks of layers that a checkpoint holds, each with an embedding of its own.
 */
typedef enum
{
  ATTN_STACK_ONLY,
  ATTN_STACK_DECODER,
  ATTN_STACK_TEXT,
  ATTN_STACK_VISION,
} AttnStack;

/* Tells whether the family has an encoder and a decoder, each with a sequence of its own. */
static inline gboolean
attn_family_has_decoder (const AttnFamily *family)
{
  return family->decoder_names[ATTN_ROLE_CROSS_OUTPUT] != NULL;
}

/* Tells whether all pictures must have the size for which the model's position vectors were
 * learned. */
static inline gboolean
attn_family_has_fixed_pictures (const AttnFamily *family)
{
  return family->pictures.interpolation == ATTN_INTERPOLATION_NONE &&
         family->names[ATTN_ROLE_POSITION_EMBEDDING] != NULL;
}

const AttnFamily   *attn_family_lookup    (const char       *name,
                                           gboolean          is_gguf);
char               *attn_family_dup_name  (const AttnFamily *family,
                                           AttnStack         stack,
                                           gboolean          is_gguf,
                                           AttnRole          role,
                                           AttnSlot          slot,
                                           gsize             layer);
char               *attn_family_spell     (const char       *name,
                                           AttnSlot          slot,
                                           gsize             layer);
char               *attn_family_dup_shared_name (const AttnFamily *family,
                                           gboolean          is_gguf,
                                           AttnRole          role,
                                           gsize             layer);
const char * const *attn_family_get_names (gboolean          is_gguf);

G_END_DECLS
