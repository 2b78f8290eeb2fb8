/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of model families: what sets one apart from another, as data. */

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
  ATTN_ACTIVATION_GELU_TANH, /* the approximation by tanh that GPT-2 was trained with */
  ATTN_ACTIVATION_GELU_FAST, /* x σ(1.702 x) */
  ATTN_ACTIVATION_RELU,
  ATTN_ACTIVATION_SILU,
  ATTN_ACTIVATION_TANH,
} AttnActivation;

/**
 * AttnRole:
 *
 * What a tensor is for. The roles from %ATTN_ROLE_ATTENTION_NORM_SCALE on exist once a layer.
 */
typedef enum
{
  ATTN_ROLE_TOKEN_EMBEDDING,
  ATTN_ROLE_POSITION_EMBEDDING,
  ATTN_ROLE_FINAL_NORM_SCALE,
  ATTN_ROLE_FINAL_NORM_BIAS,
  ATTN_ROLE_LOGITS,
  ATTN_ROLE_ATTENTION_NORM_SCALE,
  ATTN_ROLE_ATTENTION_NORM_BIAS,
  ATTN_ROLE_QKV,
  ATTN_ROLE_QKV_BIAS,
  ATTN_ROLE_OUTPUT,
  ATTN_ROLE_OUTPUT_BIAS,
  ATTN_ROLE_INNER_NORM_SCALE,
  ATTN_ROLE_INNER_NORM_BIAS,
  ATTN_ROLE_UP,
  ATTN_ROLE_UP_BIAS,
  ATTN_ROLE_DOWN,
  ATTN_ROLE_DOWN_BIAS,
} AttnRole;

#define ATTN_N_ROLES         (ATTN_ROLE_DOWN_BIAS + 1)
#define ATTN_FIRST_LAYER_ROLE ATTN_ROLE_ATTENTION_NORM_SCALE

/**
 * AttnFamily:
 * @model_type: as config.json names it
 * @prefix: what some programs put before the names of all tensors
 * @position_scheme: how positions enter, for people
 * @is_causal: whether a query sees only keys up to itself
 * @is_input_major: linear weights lie as [in, out]; else as [out, in]
 * @names: name of each role's tensor, "%u" standing for the layer
 * @n_layers: what config.json leaves out, this and the following
 *
 * The forward pass reads the row; there is no second pass. What every row so far shares (a layer
 * norm with bias before each half of a layer, queries, keys and values in one product) has no
 * field: the first family that differs brings it.
 */
typedef struct
{
  const char *model_type;
  const char *prefix;
  const char *position_scheme;
  gboolean is_causal;
  gboolean is_input_major;
  const char *names[ATTN_N_ROLES];

  gsize n_layers;
  gsize n_heads;
  gsize width;
  gsize n_positions;
  gsize vocabulary_size;
  const char *activation;
  double norm_epsilon;
} AttnFamily;

const AttnFamily   *attn_family_lookup    (const char *model_type);
const char * const *attn_family_get_names (void);

G_END_DECLS
