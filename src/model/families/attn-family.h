/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of model families: the differences between families as data. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnActivation:
 *
 * What stands between the two products of the feed-forward layer.
 */
typedef enum
{
  ATTN_ACTIVATION_GELU,      /* x Φ(x) by the error function */
  ATTN_ACTIVATION_GELU_TANH, /* the approximation by tanh, as in GPT-2 */
  ATTN_ACTIVATION_GELU_FAST, /* x σ(1.702 x) */
  ATTN_ACTIVATION_RELU,
  ATTN_ACTIVATION_SILU,
  ATTN_ACTIVATION_TANH,
} AttnActivation;

/**
 * AttnRole:
 *
 * Use of a weight: of a matrix, the scale of a norm or any other vector, each with room for a bias.
 * The roles from %ATTN_FIRST_LAYER_ROLE on exist once a layer. No family has all of them.
 */
typedef enum
{
  ATTN_ROLE_TOKEN_EMBEDDING,
  ATTN_ROLE_POSITION_EMBEDDING,
  ATTN_ROLE_TYPE_EMBEDDING,
  ATTN_ROLE_PROJECT_IN, /* projects embeddings to the model's width */
  ATTN_ROLE_PATCHES, /* projects the pixels of a patch to the width of the model */
  ATTN_ROLE_CLASS_TOKEN, /* vectors of tokens before the patches, as the following two */
  ATTN_ROLE_SECOND_TOKEN,
  ATTN_ROLE_REGISTERS, /* tokens without positions */
  ATTN_ROLE_CONVOLUTION, /* along the frames of a sound */
  ATTN_ROLE_SECOND_CONVOLUTION, /* halves the number of frames */
  ATTN_ROLE_PROJECTOR_NORM, /* of the vision encoder's output, before it enters a text */
  ATTN_ROLE_PROJECTOR_IN,
  ATTN_ROLE_PROJECTOR_OUT, /* projects to the language model's width */
  ATTN_ROLE_EMBEDDING_NORM,
  ATTN_ROLE_LAYER_EMBEDDING, /* a vector for each token and each layer */
  ATTN_ROLE_RELATIVE_BIAS, /* a number for each bucket of distances and each head */
  ATTN_ROLE_FINAL_NORM,
  ATTN_ROLE_PROJECT_OUT, /* projects back to the embedding's width */
  ATTN_ROLE_HEAD, /* the dense layer before the logits of a masked language model */
  ATTN_ROLE_HEAD_NORM,
  ATTN_ROLE_SECOND_LOGITS, /* of the second token of a picture */
  ATTN_ROLE_LOGITS,
  ATTN_ROLE_ATTENTION_NORM,
  ATTN_ROLE_QKV, /* the three fused; else the three that follow */
  ATTN_ROLE_QUERY,
  ATTN_ROLE_KEY,
  ATTN_ROLE_VALUE,
  ATTN_ROLE_QUERY_NORM,
  ATTN_ROLE_KEY_NORM,
  ATTN_ROLE_OUTPUT,
  ATTN_ROLE_OUTPUT_NORM, /* of the attention's output, before it is added to the stream */
  ATTN_ROLE_OUTPUT_SCALE, /* factors of the attention's output, by channel */
  ATTN_ROLE_SINKS, /* a head's additional score in the softmax, without a key */
  ATTN_ROLE_Q_A, /* projects the model's width to the latent vector of queries */
  ATTN_ROLE_Q_A_NORM,
  ATTN_ROLE_KV_A, /* to the latent vector of keys and values */
  ATTN_ROLE_K_ROPE, /* to the rotated part of a key, which all heads share */
  ATTN_ROLE_KV_A_NORM,
  ATTN_ROLE_KV_B, /* latent vector to each head's unrotated key part and value */
  ATTN_ROLE_K_B, /* instead of KV_B: the key parts of all heads, each [in, out] */
  ATTN_ROLE_V_B, /* instead of KV_B: the values of all heads */
  ATTN_ROLE_CROSS_NORM, /* of cross-attention to the encoder's output, as the following */
  ATTN_ROLE_CROSS_QUERY,
  ATTN_ROLE_CROSS_KEY,
  ATTN_ROLE_CROSS_VALUE,
  ATTN_ROLE_CROSS_OUTPUT,
  ATTN_ROLE_MLP_NORM,
  ATTN_ROLE_GATE,
  ATTN_ROLE_UP,
  ATTN_ROLE_DOWN,
  ATTN_ROLE_DOWN_NORM, /* of the feed-forward layer's output */
  ATTN_ROLE_DOWN_SCALE, /* factors of this output, by channel */
  ATTN_ROLE_LAYER_INPUT, /* projects the embedding to the layer's vector; one tensor holds the
                          * rows of all layers in order */
  ATTN_ROLE_LAYER_INPUT_NORM,
  ATTN_ROLE_LAYER_GATE, /* projects the model's width to that of the layer's vector */
  ATTN_ROLE_LAYER_OUTPUT, /* projects back to the model's width */
  ATTN_ROLE_LAYER_OUTPUT_NORM,
  ATTN_ROLE_LAYER_FACTOR, /* a factor of the layer's output */
  ATTN_ROLE_ROUTER, /* projects the model's width to the number of experts */
  ATTN_ROLE_ROUTER_CORRECTION, /* added to scores for choosing experts, not to their weights */
  ATTN_ROLE_EXPERT_GATE, /* of all experts, as the following */
  ATTN_ROLE_EXPERT_UP,
  ATTN_ROLE_EXPERT_DOWN,
  ATTN_ROLE_EXPERT_GATE_UP, /* instead of gate and up, whose rows alternate */
  ATTN_ROLE_SHARED_GATE, /* projects the width to the weight of the shared expert */
  ATTN_ROLE_ROUTER_NORM, /* of the router's input, if it has a norm of its own */
  ATTN_ROLE_EXPERT_NORM,
  ATTN_ROLE_EXPERT_FACTORS, /* factors of the experts' weights */
  ATTN_ROLE_EXPERT_OUTPUT_NORM,
  ATTN_ROLE_SHARED_OUTPUT_NORM,
  ATTN_ROLE_DELTA_QKV, /* of a layer of linear attention, as the following */
  ATTN_ROLE_DELTA_GATE, /* of the output of linear attention */
  ATTN_ROLE_DELTA_QKV_GATE, /* instead of DELTA_QKV and DELTA_GATE: both, head by head */
  ATTN_ROLE_DELTA_STRENGTH, /* how much of a token is written into each head's memory */
  ATTN_ROLE_DELTA_DECAY, /* of each head's memory */
  ATTN_ROLE_DELTA_STRENGTH_DECAY, /* instead of these two: both, head by head */
  ATTN_ROLE_DELTA_KERNEL, /* of a convolution along the tokens, for each channel */
  ATTN_ROLE_DELTA_RATE, /* log of the decay rate; in GGUF files minus the rate */
  ATTN_ROLE_DELTA_SHIFT, /* added to the decay */
  ATTN_ROLE_DELTA_NORM, /* of a head's output */
  ATTN_ROLE_DELTA_OUTPUT,
} AttnRole;

#define ATTN_N_ROLES          (ATTN_ROLE_DELTA_OUTPUT + 1)
#define ATTN_FIRST_LAYER_ROLE ATTN_ROLE_ATTENTION_NORM
#define ATTN_N_LAYER_ROLES    (ATTN_N_ROLES - ATTN_FIRST_LAYER_ROLE)

/**
 * AttnSlot:
 * @ATTN_SLOT_BIAS: added to the product with the weight, or to what the norm has scaled
 *
 * Tensors that a role may have.
 */
typedef enum
{
  ATTN_SLOT_WEIGHT,
  ATTN_SLOT_BIAS,
} AttnSlot;

#define ATTN_N_SLOTS 2

/* A set of roles, one bit for each: either of roles of a layer or of roles that exist once. */
typedef guint64 AttnRoles;

/* The bit of a role of a layer. A role that exists once does not compile, since its bit would be
 * that of another role. */
#define ATTN_ROLE_BIT(role) ((AttnRoles) 1 << ((role) - ATTN_FIRST_LAYER_ROLE))

G_STATIC_ASSERT (ATTN_FIRST_LAYER_ROLE <= 8 * sizeof (AttnRoles));
G_STATIC_ASSERT (ATTN_N_LAYER_ROLES <= 8 * sizeof (AttnRoles));

/**
 * AttnNorm:
 * @ATTN_NORM_LAYER: Ba et al. 2016, arXiv 1607.06450
 * @ATTN_NORM_RMS: Zhang and Sennrich 2019, arXiv 1910.07467
 * @ATTN_NORM_RMS_OFFSET: the same with 1 + w for the scale
 */
typedef enum
{
  ATTN_NORM_LAYER,
  ATTN_NORM_RMS,
  ATTN_NORM_RMS_OFFSET,
} AttnNorm;

/**
 * AttnPositions:
 * @ATTN_POSITIONS_LEARNED: an embedding added at the start
 * @ATTN_POSITIONS_ROTARY: queries and keys turned (Su et al. 2021, arXiv 2104.09864), number i of a
 *   vector paired with number i + R / 2
 * @ATTN_POSITIONS_ROTARY_PAIRED: the same, number 2 i paired with number 2 i + 1
 * @ATTN_POSITIONS_ALIBI: a slope a head added to the scores (Press et al. 2022, arXiv 2108.12409)
 * @ATTN_POSITIONS_SINES: sines in the first half of a vector and cosines in the second, added at
 *   the start (Vaswani et al. 2017, arXiv 1706.03762, section 3.5)
 * @ATTN_POSITIONS_RELATIVE: a learned number a head added to them, by the bucket of the distance
 *   (Raffel et al. 2020, arXiv 1910.10683, section 2.1)
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
 * @ATTN_ORDER_PARALLEL: x += attention (norm (x)) + mlp (norm (x)); a family without a norm for
 *   the second has one for both
 */
typedef enum
{
  ATTN_ORDER_PRE_NORM,
  ATTN_ORDER_POST_NORM,
  ATTN_ORDER_PARALLEL,
} AttnOrder;

/**
 * AttnQkvLayout:
 * @ATTN_QKV_BY_COMPONENT: all queries, all keys, all values
 * @ATTN_QKV_BY_HEAD: key head 0 with the queries that it serves before it and its value behind,
 *   then key head 1
 */
typedef enum
{
  ATTN_QKV_BY_COMPONENT,
  ATTN_QKV_BY_HEAD,
} AttnQkvLayout;

/**
 * AttnWindows:
 *
 * Which layers see no further back than the sliding window, where config.json has one.
 */
typedef enum
{
  ATTN_WINDOWS_NONE,
  ATTN_WINDOWS_ALL,
  ATTN_WINDOWS_PERIODIC, /* all layers but the last of every “window_period” */
  ATTN_WINDOWS_UPPER, /* from “max_window_layers” on, if “use_sliding_window” is set */
  ATTN_WINDOWS_LOWER, /* every other one below it, if “use_sliding_window” */
  ATTN_WINDOWS_SWITCHED, /* all, if “use_sliding_window” is set */
  ATTN_WINDOWS_NAMED,    /* layers that “attention_types” calls local */
  ATTN_WINDOWS_BEHIND_FIRST, /* all but the first of each period, in both directions */
} AttnWindows;

/* A local rotary base that means that of the other layers. */
#define ATTN_SAME_BASE (-1.0)

/**
 * AttnFamilySizes:
 *
 * What config.json leaves out; 0 for a number of heads or a width means the usual one.
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
  gsize embedding_width; /* 0 for the model's width */
} AttnFamilySizes;

/**
 * AttnFamilyExperts:
 * @n_used: of @n, for each token
 * @width: of the feed-forward layer that an expert is; 0 for that of the model
 * @shared_width: of the expert that every token goes through, 0 for none
 * @is_normalized: whether the weights of those used are divided by their sum
 * @is_normalized_in_gguf: the same as llama.cpp takes it
 * @is_input_major: whether their matrices lie as [in, out] where they are not quantised
 * @swiglu_alpha: of the sigmoid of a gate that is clamped, 0 for one by the family's activation:
 *   (up + 1) gate σ (alpha gate)
 * @swiglu_limit: that the gate is clamped below, and up on both sides
 * @is_sigmoid: whether each expert's score is a sigmoid, not all of them a softmax
 * @n_groups: of experts, of which @n_used_groups are chosen from; 0 for one
 * @routed_scaling_factor: of their weights, 0 for 1
 * @n_shared: times the width of an expert is that of the one for every token; for @shared_width
 * @n_dense: the first layers, which have none
 * @is_beside: whether they stand beside the layer that every token goes through, each with norms of
 *   its own, where “enable_moe_block” says so
 *
 * What config.json leaves out.
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
 * @kv_lora_rank: width of the vector that keys and values are made of; 0 for a family without
 * @q_lora_rank: width of the vector that queries are made of, 0 for none
 * @qk_nope_head_dim: width of the part of a head's query or key that is not rotated
 * @qk_rope_head_dim: width of the part behind it
 * @v_head_dim: width of a head's value
 *
 * What config.json leaves out (DeepSeek-AI 2024, arXiv 2405.04434, section 2.1).
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
 * @n_key_heads: of queries and keys
 * @n_value_heads: of values, a multiple of it
 * @key_width: of a head's query or key
 * @value_width: of a head's value
 * @kernel_width: tokens that the convolution sees; 0 for a family without such layers
 * @period: the last layer of so many has attention weights
 *
 * What config.json leaves out of layers that remember the text in a matrix a head, without
 * attention weights.
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

/* Returns the numbers of a token's queries, keys and values, all of which the convolution mixes. */
static inline gsize
attn_delta_get_mixed_width (const AttnFamilyDelta *delta)
{
  return 2 * delta->n_key_heads * delta->key_width + delta->n_value_heads * delta->value_width;
}

/**
 * AttnFamilyGlobals:
 * @head_width: of layers without a window; 0 for a family whose layers have all the same
 * @layer_width: of the vector that each layer has of each token, 0 for none
 *
 * What config.json leaves out of a family whose layers without a window have heads of their own;
 * their keys may be their values, too, and the last layers may have the keys and values of those
 * below.
 */
typedef struct
{
  gsize head_width;
  gsize layer_width;
} AttnFamilyGlobals;

/**
 * AttnPooling:
 * @ATTN_POOLING_FIRST: the first token
 * @ATTN_POOLING_FIRST_AND_MEAN: the first token and behind it the mean of the patches
 * @ATTN_POOLING_MEAN: the mean of the patches
 *
 * Tokens of a picture that its labels are read from.
 */
typedef enum
{
  ATTN_POOLING_FIRST,
  ATTN_POOLING_FIRST_AND_MEAN,
  ATTN_POOLING_MEAN,
} AttnPooling;

/**
 * AttnInterpolation:
 * @ATTN_INTERPOLATION_NONE: pictures have one size
 * @ATTN_INTERPOLATION_BICUBIC: Keys 1981 with a = -0.75, the edge repeated
 * @ATTN_INTERPOLATION_ANTIALIASED: the same with a = -0.5, as wide as a grid that shrinks asks for,
 *   without what lies beyond the edge
 * @ATTN_INTERPOLATION_LINEAR: between the nearest two in each direction, the edges of both grids
 *   upon each other
 *
 * How positions learned for a grid of patches are taken to another.
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
 * @patch_size: of the squares that it is cut into; 0 for a family of texts
 * @n_channels: of a pixel
 * @mlp_ratio: of the width of the feed-forward layer to that of the model, 0 where it is told in
 *   numbers
 * @lacks_key_bias: where “key_bias” does not say
 * @merge: rows and columns of patches that stand side by side, for they become one token of a text;
 *   0 for patches row by row
 * @n_frames: of a film that a patch reaches over, all of them the same picture; 0 for one
 * @window_size: in pixels, of squares that a patch sees nothing beyond, but in some layers; 0 for
 *   none
 * @counts_places: whether angles of a rotary embedding are of the number of a row or column, not of
 *   its place between the edges of the picture
 *
 * What config.json leaves out of a family whose tokens are the patches of a picture.
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

/* The number of a sound's frames that a step of a convolution covers. */
#define ATTN_CONVOLUTION_TAPS 3

/**
 * AttnFamilySounds:
 * @n_bins: frequencies of a frame of a sound; 0 for a family of texts
 * @n_positions: of its encoder, each of which has two frames
 * @n_target_positions: of its decoder
 *
 * What config.json leaves out of a family whose source is a sound.
 */
typedef struct
{
  gsize n_bins;
  gsize n_positions;
  gsize n_target_positions;
} AttnFamilySounds;

/**
 * AttnFamily:
 * @model_type: as config.json names it
 * @prefix: what some programs put before the names of all tensors; several with spaces between
 * @is_bidirectional: whether a query sees all keys, else only those up to itself
 * @is_input_major: linear weights lie as [in, out]; else as [out, in]
 * @activation_member: (nullable): what config.json calls the activation, if not as the others do;
 *   "" for a family that has its own whatever it says
 * @has_gelu_head: whether exact GELU stands before the logits, whatever the activation
 * @has_embedding_scale: whether the embedding is multiplied by sqrt (D)
 * @position_offset: row of the position embedding that position 0 has
 * @counts_offset: whether “max_position_embeddings” counts the rows before it, too
 * @names: name of each role's tensor, for attn_family_dup_name(): "%u" stands for the layer, "%e"
 *   for the expert, or the head of a norm, where each has a tensor of its own, "%g" and "%i" for
 *   the group of @repeats_groups and the layer in it; "" for a norm without weights. Where gate and
 *   up have the same name, the tensor holds one above the other
 * @bias_names: of biases that are not called as their weights are
 * @text_family: (nullable): of one of pictures, the row of what its checkpoints have for texts
 * @rope_scaling: (nullable): how the rotary embedding is stretched, as config.json says it
 * @decoder_names: of a family of two sequences, names of the decoder's tensors that the encoder has
 *   not, or has by the name in @names
 * @gguf_names: what GGUF files call tensors in another way than those of the other families
 * @shared_names: gate, up and down of the expert that every token goes through
 * @architecture: (nullable): as GGUF files name it; %NULL for one that they do not hold
 * @has_paired_rows: whether GGUF files hold the rows of query and key matrices in another order,
 *   for llama.cpp turns neighbours: 2 i and 2 i + 1 of a head in place of i and i + d / 2
 * @sizes: what config.json leaves out, as what follows
 * @has_query_key_norm: whether the norms named are there unless config.json says otherwise,
 *   likewise the biases that follow
 *
 * The forward pass reads the row; there is no second pass.
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
  double alibi;             /* see #AttnScoreRules; used if config.json has “alibi” set */
  gboolean has_coarse_alibi;
  double rotary_base;       /* 0 for the usual 10000 */
  double local_rotary_base; /* of layers with a window, 0 if all layers have one base */
  gsize window_period;
  gsize large_layers;  /* number of layers of the size whose query_scalar is width / heads */
  double partial_rotary_factor; /* of the head width */
  gsize rotary_dim;             /* rotated numbers, if not given as a share */
  double query_scalar; /* scores are divided by its root; 0 means the head width */
  double attn_logit_softcap;
  double final_logit_softcap;
  gboolean has_own_logits;
  gboolean has_query_key_norm;
  gboolean has_whole_query_key_norm; /* one norm over all heads of a token */
  gboolean has_own_query_key_norms;  /* with weights of each head's own */
  gboolean has_value_norm; /* without weights, unlike the norms of queries and keys */
  gboolean has_plain_scores; /* scores are not divided */
  gboolean has_multipliers; /* of embedding, scores, residual additions and logits */
  gboolean has_depth_scale; /* divides residual additions by the root of the layer count */
  gboolean has_slowest_sine; /* at 1/10000 a token; then padding has none and is not counted */
  gboolean scales_embedding; /* the default of “scale_embedding” */
  gboolean has_mask_dropout; /* if “token_dropout” is set, see #AttnConfig; the embedding has a
                              * norm only with “emb_layer_norm_before” */
  gboolean chooses_positions; /* rotary or learned, by “position_embedding_type” */
  gboolean scales_tied_logits; /* by 1 / sqrt (D), if tied to the embedding */
  double logit_scale;       /* default of “logit_scale”, 0 for families without it */
  gboolean has_output_gate; /* for each head, in the same matrix as its query */
  gboolean has_tiled_values; /* in GGUF files, value head i of linear attention belongs to key
                              * head i modulo the number of key heads */
  gboolean has_multi_query; /* one key head, unless “multi_query” is false */
  gboolean shares_parallel_norm; /* if the configuration makes attention and MLP parallel, they
                                  * share one norm before them */
  gboolean embeds_narrowly; /* positions, types, norm and head have its width */
  gboolean always_projects; /* the embedding, even if both widths are the same */
  gboolean lacks_first_norm; /* the first layer has no norm before attention */
  gboolean repeats_groups; /* layers are passes through “num_hidden_groups” groups of
                            * “inner_group_num” layers each, the groups one after the other */
  gboolean chooses_norm_bias; /* “norm_bias” tells whether norms have biases, “classifier_bias”
                               * whether the head has, “decoder_bias” whether the logits have */
  gboolean chooses_biases; /* “no_bias” removes all biases, including those of norms, and is true
                            * by default */
  gboolean may_add_normed; /* reads “apply_residual_connection_post_layernorm” */
  gboolean chooses_direction; /* “use_bidirectional_attention” lets queries see all keys, or half
                               * of a window on each side */
  gboolean has_projection_limit; /* reads “clip_qkv” */
  gboolean turns_windows_only; /* only layers with a window have rotary positions */
  gsize no_rope_interval;   /* every so many layers, one has no rotary positions; 0 for none */
  gboolean has_attention_bias;
  gboolean has_mlp_bias;
  gboolean may_lack_attention_bias; /* for GGUF files, which have no switch */
} AttnFamily;

/**
 * AttnStack:
 * @ATTN_STACK_ONLY: all that the model has, or the encoder of a family of two sequences
 * @ATTN_STACK_DECODER: layers that also look at what leaves the encoder
 * @ATTN_STACK_TEXT: of a family of pictures with a @text_family, the layers for texts
 * @ATTN_STACK_VISION: of a model of texts with pictures in them, see #AttnSight, the layers for
 *   pictures
 *
 * Layers one above the other, from an embedding on.
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

/* Tells whether all pictures must have the size for which the positions were learned. */
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
