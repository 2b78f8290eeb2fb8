/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of the table of families, in four lists. Each list ends with a row without a name.
 *
 * A row begins with the macro of a similar family, such as LIKE_LLAMA, or with USUAL, and sets what
 * differs. If a member is set twice, the later value holds, even 0, FALSE or NULL; “.names[ROLE] =”
 * changes one name, “.names =” all of them. LIKE_… is a macro since C cannot copy other constants;
 * it leaves out the family's own names and the order of rows in GGUF files.
 *
 * Tensor names are those of the Hugging Face checkpoints without ".weight" and ".bias": a "*" at
 * the end adds a bias to the weight or scale, a "!" ends the name as it is. */

#pragma once

#include "attn-family.h"

/* Rows of the table set some members again that the macro at their beginning has set: compilers
 * would warn. */
#pragma GCC diagnostic ignored "-Woverride-init"

G_BEGIN_DECLS

#define USUAL           \
  .norm_epsilon = 1e-5, \
  .partial_rotary_factor = 1.0

#define BIASED                \
  .has_attention_bias = TRUE, \
  .has_mlp_bias = TRUE

/* The family of LLaMA: Touvron et al. 2023, arXiv 2302.13971 and 2307.09288; Dubey et al. 2024,
 * arXiv 2407.21783. */
#define LIKE_LLAMA                                                             \
  USUAL,                                                                       \
  .prefix = "model.",                                                          \
  .norm = ATTN_NORM_RMS,                                                       \
  .norm_epsilon = 1e-6,                                                        \
  .positions = ATTN_POSITIONS_ROTARY,                                          \
  .activation = "silu",                                                        \
  .has_own_logits = TRUE,                                                      \
  .sizes = { .n_layers = 32, .n_heads = 32, .width = 4096, .mlp_width = 11008, \
             .n_positions = 2048, .vocabulary_size = 32000 },                  \
  .names = {                                                                   \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",                              \
    [ATTN_ROLE_FINAL_NORM] = "norm",                                           \
    [ATTN_ROLE_LOGITS] = "lm_head",                                            \
    [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm",                  \
    [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",                         \
    [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",                           \
    [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",                         \
    [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",                        \
    [ATTN_ROLE_MLP_NORM] = "layers.%u.post_attention_layernorm",               \
    [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj*",                             \
    [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj*",                                 \
    [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj*",                             \
  }

/* Gives a model family norms of queries and of keys. */
#define QUERY_KEY_NORMS                                        \
  .has_query_key_norm = TRUE,                                  \
  .names[ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm", \
  .names[ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm"

extern const AttnFamily attn_families_gated[];
extern const AttnFamily attn_families_plain[];
extern const AttnFamily attn_families_encoders[];
extern const AttnFamily attn_families_pictures[];

G_END_DECLS
