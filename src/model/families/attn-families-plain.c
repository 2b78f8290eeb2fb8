/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoders whose feed-forward layers have no gate: GPT-2 and similar models. */

#include "config.h"

#include "attn-family-tables.h"

/* clang-format off */

/* The family of GPT-2: Radford et al. 2019. */
#define LIKE_GPT2                                                              \
  USUAL,                                                                       \
  BIASED,                                                                      \
  .prefix = "transformer.",                                                    \
  .activation = "gelu_new",                                                    \
  .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .n_positions = 1024, \
             .vocabulary_size = 50257 },                                       \
  .names = {                                                                   \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "wte",                                       \
    [ATTN_ROLE_POSITION_EMBEDDING] = "wpe",                                    \
    [ATTN_ROLE_FINAL_NORM] = "ln_f*",                                          \
    [ATTN_ROLE_LOGITS] = "lm_head",                                            \
    [ATTN_ROLE_ATTENTION_NORM] = "h.%u.ln_1*",                                 \
    [ATTN_ROLE_QKV] = "h.%u.attn.c_attn*",                                     \
    [ATTN_ROLE_OUTPUT] = "h.%u.attn.c_proj*",                                  \
    [ATTN_ROLE_MLP_NORM] = "h.%u.ln_2*",                                       \
    [ATTN_ROLE_UP] = "h.%u.mlp.c_fc*",                                         \
    [ATTN_ROLE_DOWN] = "h.%u.mlp.c_proj*",                                     \
  }

/* The family of BLOOM: Le Scao et al. 2022, arXiv 2211.05100. */
#define LIKE_BLOOM                                            \
  USUAL,                                                      \
  .prefix = "transformer.",                                   \
  .alibi = 8.0,                                               \
  .qkv_layout = ATTN_QKV_BY_HEAD,                             \
  .names = {                                                  \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "word_embeddings",          \
    [ATTN_ROLE_FINAL_NORM] = "ln_f*",                         \
    [ATTN_ROLE_LOGITS] = "lm_head",                           \
    [ATTN_ROLE_ATTENTION_NORM] = "h.%u.input_layernorm*",     \
    [ATTN_ROLE_QKV] = "h.%u.self_attention.query_key_value*", \
    [ATTN_ROLE_OUTPUT] = "h.%u.self_attention.dense*",        \
    [ATTN_ROLE_MLP_NORM] = "h.%u.post_attention_layernorm*",  \
    [ATTN_ROLE_UP] = "h.%u.mlp.dense_h_to_4h*",               \
    [ATTN_ROLE_DOWN] = "h.%u.mlp.dense_4h_to_h*",             \
  }

const AttnFamily attn_families_plain[] = {
  {
    LIKE_GPT2,
    .model_type = "gpt2", .architecture = "gpt2",
    .is_input_major = TRUE,
  },
  /* The family of nanoGPT: Karpathy 2022. */
  {
    LIKE_GPT2,
    .model_type = "nanogpt",
    .activation = "gelu",
  },
  /* The family of SantaCoder (Allal et al. 2023, arXiv 2301.03988) and StarCoder (Li et al. 2023,
   * arXiv 2305.06161). */
  {
    LIKE_GPT2,
    .model_type = "gpt_bigcode", .architecture = "starcoder",
    .activation = "gelu_pytorch_tanh",
    .qkv_layout = ATTN_QKV_BY_HEAD,
    .has_multi_query = TRUE,
  },
  /* The family of GPT-NeoX: Black et al. 2022, arXiv 2204.06745. Pythia is of this family, too. */
  {
    USUAL,
    BIASED,
    .model_type = "gpt_neox", .architecture = "gptneox",
    .prefix = "gpt_neox.",
    .positions = ATTN_POSITIONS_ROTARY,
    .partial_rotary_factor = 0.25,
    .order = ATTN_ORDER_PARALLEL,
    .qkv_layout = ATTN_QKV_BY_HEAD,
    .activation = "gelu",
    .sizes = { .n_layers = 44, .n_heads = 64, .width = 6144, .mlp_width = 24576,
               .n_positions = 2048, .vocabulary_size = 50432 },
    .has_own_logits = TRUE,
    .names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_in",
      [ATTN_ROLE_FINAL_NORM] = "final_layer_norm*",
      [ATTN_ROLE_LOGITS] = "embed_out",
      [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm*",
      [ATTN_ROLE_QKV] = "layers.%u.attention.query_key_value*",
      [ATTN_ROLE_OUTPUT] = "layers.%u.attention.dense*",
      [ATTN_ROLE_MLP_NORM] = "layers.%u.post_attention_layernorm*",
      [ATTN_ROLE_UP] = "layers.%u.mlp.dense_h_to_4h*",
      [ATTN_ROLE_DOWN] = "layers.%u.mlp.dense_4h_to_h*",
    },
  },
  /* The family of Phi-1.5: Li et al. 2023, arXiv 2309.05463. */
  {
    LIKE_LLAMA,
    BIASED,
    .model_type = "phi", .architecture = "phi2",
    .norm = ATTN_NORM_LAYER,
    .norm_epsilon = 1e-5,
    .partial_rotary_factor = 0.5,
    .order = ATTN_ORDER_PARALLEL,
    .activation = "gelu_new",
    .sizes = { .n_layers = 24, .n_heads = 32, .width = 2048, .mlp_width = 8192,
               .n_positions = 2048, .vocabulary_size = 51200 },
    .names[ATTN_ROLE_FINAL_NORM] = "final_layernorm*",
    .names[ATTN_ROLE_LOGITS] = "lm_head*",
    .names[ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm*",
    .names[ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_layernorm*",
    .names[ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_layernorm*",
    .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.dense*",
    .names[ATTN_ROLE_MLP_NORM] = NULL,
    .names[ATTN_ROLE_GATE] = NULL,
    .names[ATTN_ROLE_UP] = "layers.%u.mlp.fc1*",
    .names[ATTN_ROLE_DOWN] = "layers.%u.mlp.fc2*",
  },
  /* The family of OPT: Zhang et al. 2022, arXiv 2205.01068. */
  {
    USUAL,
    BIASED,
    .model_type = "opt",
    .prefix = "model.",
    .position_offset = 2,
    .activation = "relu",
    .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .mlp_width = 3072,
               .n_positions = 2048, .vocabulary_size = 50272 },
    .names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "decoder.embed_tokens",
      [ATTN_ROLE_POSITION_EMBEDDING] = "decoder.embed_positions",
      [ATTN_ROLE_PROJECT_IN] = "decoder.project_in",
      [ATTN_ROLE_FINAL_NORM] = "decoder.final_layer_norm*",
      [ATTN_ROLE_PROJECT_OUT] = "decoder.project_out",
      [ATTN_ROLE_LOGITS] = "lm_head",
      [ATTN_ROLE_ATTENTION_NORM] = "decoder.layers.%u.self_attn_layer_norm*",
      [ATTN_ROLE_QUERY] = "decoder.layers.%u.self_attn.q_proj*",
      [ATTN_ROLE_KEY] = "decoder.layers.%u.self_attn.k_proj*",
      [ATTN_ROLE_VALUE] = "decoder.layers.%u.self_attn.v_proj*",
      [ATTN_ROLE_OUTPUT] = "decoder.layers.%u.self_attn.out_proj*",
      [ATTN_ROLE_MLP_NORM] = "decoder.layers.%u.final_layer_norm*",
      [ATTN_ROLE_UP] = "decoder.layers.%u.fc1*",
      [ATTN_ROLE_DOWN] = "decoder.layers.%u.fc2*",
    },
  },
  {
    LIKE_BLOOM,
    BIASED,
    .model_type = "bloom", .architecture = "bloom",
    .may_add_normed = TRUE,
    .positions = ATTN_POSITIONS_ALIBI,
    .activation = "gelu_new",
    .sizes = { .n_layers = 2, .n_heads = 8, .width = 64, .n_positions = 2048,
               .vocabulary_size = 250880 },
    .names[ATTN_ROLE_EMBEDDING_NORM] = "word_embeddings_layernorm*",
  },
  /* The family of GPT-J: Wang and Komatsuzaki 2021. */
  {
    LIKE_GPT2,
    .model_type = "gptj",
    .positions = ATTN_POSITIONS_ROTARY_PAIRED,
    .rotary_dim = 64,
    .order = ATTN_ORDER_PARALLEL,
    .sizes = { .n_layers = 28, .n_heads = 16, .width = 4096, .n_positions = 2048,
               .vocabulary_size = 50400 },
    .has_own_logits = TRUE,
    .has_attention_bias = FALSE,
    .names[ATTN_ROLE_POSITION_EMBEDDING] = NULL,
    .names[ATTN_ROLE_LOGITS] = "lm_head*",
    .names[ATTN_ROLE_QKV] = NULL,
    .names[ATTN_ROLE_QUERY] = "h.%u.attn.q_proj",
    .names[ATTN_ROLE_KEY] = "h.%u.attn.k_proj",
    .names[ATTN_ROLE_VALUE] = "h.%u.attn.v_proj",
    .names[ATTN_ROLE_OUTPUT] = "h.%u.attn.out_proj",
    .names[ATTN_ROLE_MLP_NORM] = NULL,
    .names[ATTN_ROLE_UP] = "h.%u.mlp.fc_in*",
    .names[ATTN_ROLE_DOWN] = "h.%u.mlp.fc_out*",
  },
  /* The family of GPT-Neo: Black et al. 2021. The models of TinyStories, arXiv 2305.07759, are of
   * this family, too. Scores are not divided by the root of the head width. */
  {
    LIKE_GPT2,
    .model_type = "gpt_neo",
    .windows = ATTN_WINDOWS_NAMED,
    .sizes = { .n_layers = 24, .n_heads = 16, .width = 2048, .n_positions = 2048,
               .vocabulary_size = 50257, .window = 256 },
    .query_scalar = 1.0,
    .names[ATTN_ROLE_QKV] = NULL,
    .names[ATTN_ROLE_QUERY] = "h.%u.attn.attention.q_proj",
    .names[ATTN_ROLE_KEY] = "h.%u.attn.attention.k_proj",
    .names[ATTN_ROLE_VALUE] = "h.%u.attn.attention.v_proj",
    .names[ATTN_ROLE_OUTPUT] = "h.%u.attn.attention.out_proj*",
  },
  /* The family of StarCoder2: Lozhkov et al. 2024, arXiv 2402.19173. */
  {
    LIKE_LLAMA,
    BIASED,
    .model_type = "starcoder2", .architecture = "starcoder2",
    .norm = ATTN_NORM_LAYER,
    .norm_epsilon = 1e-5,
    .windows = ATTN_WINDOWS_ALL,
    .activation = "gelu_pytorch_tanh",
    .sizes = { .n_layers = 30, .n_heads = 24, .n_key_heads = 2, .width = 3072,
               .mlp_width = 12288, .n_positions = 4096, .vocabulary_size = 49152 },
    .has_own_logits = FALSE,
    .names[ATTN_ROLE_FINAL_NORM] = "norm*",
    .names[ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm*",
    .names[ATTN_ROLE_MLP_NORM] = "layers.%u.post_attention_layernorm*",
    .names[ATTN_ROLE_GATE] = NULL,
    .names[ATTN_ROLE_UP] = "layers.%u.mlp.c_fc*",
    .names[ATTN_ROLE_DOWN] = "layers.%u.mlp.c_proj*",
  },
  /* The family of Falcon: Almazrouei et al. 2023, arXiv 2311.16867. */
  {
    LIKE_BLOOM,
    .model_type = "falcon", .architecture = "falcon",
    .positions = ATTN_POSITIONS_ROTARY,
    .has_coarse_alibi = TRUE,
    .order = ATTN_ORDER_PARALLEL,
    .shares_parallel_norm = TRUE,
    .has_multi_query = TRUE,
    .activation = "gelu",
    .sizes = { .n_layers = 32, .n_heads = 71, .width = 4544, .n_positions = 2048,
               .vocabulary_size = 65024 },
    .gguf_names[ATTN_ROLE_ATTENTION_NORM] = "blk.%u.attn_norm_2*",
    .gguf_names[ATTN_ROLE_MLP_NORM] = "blk.%u.attn_norm*",
  },
  /* The family of MPT: MosaicML 2023. */
  {
    USUAL,
    BIASED,
    .model_type = "mpt", .architecture = "mpt",
    .prefix = "transformer.",
    .positions = ATTN_POSITIONS_ALIBI,
    .alibi = 8.0,
    .has_projection_limit = TRUE,
    .chooses_biases = TRUE,
    .may_lack_attention_bias = TRUE,
    .activation = "gelu",
    .sizes = { .n_layers = 24, .n_heads = 16, .width = 2048, .n_positions = 2048,
               .vocabulary_size = 50368 },
    .names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "wte",
      [ATTN_ROLE_FINAL_NORM] = "norm_f*",
      [ATTN_ROLE_LOGITS] = "lm_head",
      [ATTN_ROLE_ATTENTION_NORM] = "blocks.%u.norm_1*",
      [ATTN_ROLE_QKV] = "blocks.%u.attn.Wqkv*",
      [ATTN_ROLE_OUTPUT] = "blocks.%u.attn.out_proj*",
      [ATTN_ROLE_MLP_NORM] = "blocks.%u.norm_2*",
      [ATTN_ROLE_UP] = "blocks.%u.ffn.up_proj*",
      [ATTN_ROLE_DOWN] = "blocks.%u.ffn.down_proj*",
    },
  },
  { 0 },
};
