/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Families whose feed-forward layers have a gate: LLaMA and what came after it. */

#include "config.h"

#include "attn-family-tables.h"

/* Names that the families after LLaMA have in common. */
#define LLAMA_ENDS                              \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens", \
  [ATTN_ROLE_FINAL_NORM] = "norm",              \
  [ATTN_ROLE_LOGITS] = "lm_head",               \
  [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm"

#define LLAMA_ATTENTION                              \
  [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*", \
  [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",   \
  [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*"

#define LLAMA_INNER                              \
  [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj*", \
  [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj*",     \
  [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj*"

#define LLAMA_NAMES LLAMA_ENDS, LLAMA_ATTENTION, LLAMA_INNER

/* Gate and up in one tensor. */
#define FUSED_INNER                                \
  [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_up_proj", \
  [ATTN_ROLE_UP] = "layers.%u.mlp.gate_up_proj",   \
  [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj"

#define FUSED_GGUF                    \
  [ATTN_ROLE_GATE] = "blk.%u.ffn_up", \
  [ATTN_ROLE_UP] = "blk.%u.ffn_up"

/* Names of Qwen's experts. */
#define QWEN_EXPERTS                                              \
  [ATTN_ROLE_ROUTER] = "layers.%u.mlp.gate",                      \
  [ATTN_ROLE_EXPERT_GATE] = "layers.%u.mlp.experts.%e.gate_proj", \
  [ATTN_ROLE_EXPERT_UP] = "layers.%u.mlp.experts.%e.up_proj",     \
  [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.%e.down_proj"

/* Keys and values that are made of latent vectors, and experts beside one for every token. */
#define DEEPSEEK_NAMES                                                     \
  LLAMA_ENDS,                                                              \
      LLAMA_INNER,                                                         \
      QWEN_EXPERTS,                                                        \
      [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_b_proj",                  \
      [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",                  \
      [ATTN_ROLE_QUERY_DOWN] = "layers.%u.self_attn.q_a_proj*",            \
      [ATTN_ROLE_QUERY_LATENT_NORM] = "layers.%u.self_attn.q_a_layernorm", \
      [ATTN_ROLE_KEY_DOWN] = "layers.%u.self_attn.kv_a_proj_with_mqa*",    \
      [ATTN_ROLE_KEY_TURNED] = "layers.%u.self_attn.kv_a_proj_with_mqa*",  \
      [ATTN_ROLE_KEY_LATENT_NORM] = "layers.%u.self_attn.kv_a_layernorm",  \
      [ATTN_ROLE_KEY_UP] = "layers.%u.self_attn.kv_b_proj",                \
      [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm"

#define DEEPSEEK_CORRECTION \
  [ATTN_ROLE_ROUTER_CORRECTION] = "layers.%u.mlp.gate.e_score_correction_bias!"

#define DEEPSEEK_SHARED                       \
  "layers.%u.mlp.shared_experts.gate_proj",   \
      "layers.%u.mlp.shared_experts.up_proj", \
      "layers.%u.mlp.shared_experts.down_proj"

/* Layers without attention weights between those that have them. */
#define QWEN_HYBRID                                                  \
  LLAMA_NAMES,                                                       \
      [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",         \
      [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",           \
      [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",            \
      [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm", \
      [ATTN_ROLE_DELTA_KERNEL] = "layers.%u.linear_attn.conv1d",     \
      [ATTN_ROLE_DELTA_RATE] = "layers.%u.linear_attn.A_log!",       \
      [ATTN_ROLE_DELTA_SHIFT] = "layers.%u.linear_attn.dt_bias!",    \
      [ATTN_ROLE_DELTA_NORM] = "layers.%u.linear_attn.norm",         \
      [ATTN_ROLE_DELTA_OUTPUT] = "layers.%u.linear_attn.out_proj"

#define QWEN_SPLIT_DELTA                                          \
  [ATTN_ROLE_DELTA_QKV] = "layers.%u.linear_attn.in_proj_qkv",    \
  [ATTN_ROLE_DELTA_GATE] = "layers.%u.linear_attn.in_proj_z",     \
  [ATTN_ROLE_DELTA_STRENGTH] = "layers.%u.linear_attn.in_proj_b", \
  [ATTN_ROLE_DELTA_DECAY] = "layers.%u.linear_attn.in_proj_a"

#define QWEN_SHARED                          \
  "layers.%u.mlp.shared_expert.gate_proj",   \
      "layers.%u.mlp.shared_expert.up_proj", \
      "layers.%u.mlp.shared_expert.down_proj"

/* Norms behind both halves of a layer, none before. */
#define OLMO2_NAMES                                                   \
  LLAMA_ATTENTION,                                                    \
      [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",                   \
      [ATTN_ROLE_FINAL_NORM] = "norm",                                \
      [ATTN_ROLE_LOGITS] = "lm_head",                                 \
      [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",          \
      [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",            \
      [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",             \
      [ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_attention_layernorm", \
      [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj",                   \
      [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj",                       \
      [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj",                   \
      [ATTN_ROLE_DOWN_NORM] = "layers.%u.post_feedforward_layernorm"

/* Norms that Gemma has from its second version on: on both sides of each half. */
#define GEMMA_NORMS                                               \
  [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",             \
  [ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_attention_layernorm", \
  [ATTN_ROLE_INNER_NORM] = "layers.%u.pre_feedforward_layernorm", \
  [ATTN_ROLE_DOWN_NORM] = "layers.%u.post_feedforward_layernorm"

const AttnFamily attn_families_gated[] = {
  /* Touvron et al. 2023, arXiv 2302.13971 and 2307.09288; Dubey et al. 2024, arXiv 2407.21783. */
  {
      .model_type = "llama",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "llama",
      .has_paired_rows = TRUE,
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 32000 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Jiang et al. 2023, arXiv 2310.06825. */
  {
      .model_type = "mistral",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_ALL,
      .sizes = { 32, 32, 8, 0, 4096, 14336, 4096 * 32, 32000, 4096 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Yang et al. 2024, arXiv 2407.10671. */
  {
      .model_type = "qwen2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_UPPER,
      .architecture = "qwen2",
      .sizes = { 32, 32, 32, 0, 4096, 22016, 32768, 151936, 4096 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Yang et al. 2025, arXiv 2505.09388. */
  {
      .model_type = "qwen3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_UPPER,
      .architecture = "qwen3",
      .sizes = { 32, 32, 32, 128, 4096, 22016, 32768, 151936, 4096 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Jiang et al. 2024, arXiv 2401.04088. GGUF files call it LLaMA with experts. */
  {
      .model_type = "mixtral",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_ALL,
      .architecture = "llama",
      .has_paired_rows = TRUE,
      .sizes = { 32, 32, 8, 0, 4096, 14336, 4096 * 32, 32000, 0 },
      .experts = { 8, 2, 0, 0, TRUE, TRUE },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_base = 1e6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_ROUTER] = "layers.%u.block_sparse_moe.gate",
          [ATTN_ROLE_EXPERT_GATE] = "layers.%u.block_sparse_moe.experts.%e.w1",
          [ATTN_ROLE_EXPERT_UP] = "layers.%u.block_sparse_moe.experts.%e.w3",
          [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.block_sparse_moe.experts.%e.w2",
      },
  },
  /* Yang et al. 2024, arXiv 2407.10671. */
  {
      .model_type = "qwen2_moe",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_LOWER,
      .architecture = "qwen2moe",
      .sizes = { 24, 16, 16, 0, 2048, 5632, 32768, 151936, 4096 },
      .experts = { 60, 4, 1408, 5632, FALSE, FALSE },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .names = {
          LLAMA_NAMES,
          QWEN_EXPERTS,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_SHARED_GATE] = "layers.%u.mlp.shared_expert_gate",
      },
      .shared_names = { QWEN_SHARED },
  },
  /* Yang et al. 2025, arXiv 2505.09388. */
  {
      .model_type = "qwen3_moe",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_SWITCHED,
      .architecture = "qwen3moe",
      .sizes = { 24, 32, 4, 0, 2048, 6144, 32768, 151936, 4096 },
      .experts = { 128, 8, 768, 0, FALSE, TRUE },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .names = {
          LLAMA_NAMES,
          QWEN_EXPERTS,
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* OpenAI 2025, arXiv 2508.10925. */
  {
      .model_type = "gpt_oss",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 2,
      .architecture = "gpt-oss",
      .sizes = { 36, 64, 8, 64, 2880, 2880, 131072, 201088, 128 },
      .experts = { 128, 4, 0, 0, TRUE, TRUE, TRUE, 1.702, 7.0 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_base = 150000.0,
      .rotary_share = 1.0,
      .rope_scaling = "{\"rope_type\": \"yarn\", \"factor\": 32.0, \"truncate\": false, "
                      "\"original_max_position_embeddings\": 4096}",
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .names = {
          LLAMA_ENDS,
          LLAMA_ATTENTION,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_SINKS] = "layers.%u.self_attn.sinks!",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_ROUTER] = "layers.%u.mlp.router*",
          [ATTN_ROLE_EXPERT_GATE_UP] = "layers.%u.mlp.experts.gate_up_proj!",
          [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.down_proj!",
      },
      .bias_names = {
          [ATTN_ROLE_EXPERT_GATE_UP] = "layers.%u.mlp.experts.gate_up_proj_bias!",
          [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.down_proj_bias!",
      },
      .gguf_names = { [ATTN_ROLE_INNER_NORM] = "blk.%u.post_attention_norm" },
  },
  /* Gemma Team 2024, arXiv 2403.08295. */
  {
      .model_type = "gemma",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .architecture = "gemma",
      .sizes = { 28, 16, 16, 256, 3072, 24576, 8192, 256000 },
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Gemma Team 2024, arXiv 2408.00118. */
  {
      .model_type = "gemma2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 2,
      .large_layers = 46,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .architecture = "gemma2",
      .sizes = { 26, 8, 4, 256, 2304, 9216, 8192, 256000, 4096 },
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .query_scalar = 256.0,
      .score_cap = 50.0,
      .logit_cap = 30.0,
      .names = {
          LLAMA_NAMES,
          GEMMA_NORMS,
      },
  },
  /* Gemma Team 2025, arXiv 2503.19786. */
  {
      .model_type = "gemma3",
      .prefix = "model. model.language_model. language_model.model. language_model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 6,
      .large_layers = 62,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .architecture = "gemma3",
      .sizes = { 26, 8, 4, 256, 2304, 9216, 131072, 262208, 4096 },
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_base = 1e6,
      .local_rotary_base = 1e4,
      .rotary_share = 1.0,
      .query_scalar = 256.0,
      .has_query_key_norm = TRUE,
      .names = {
          LLAMA_NAMES,
          GEMMA_NORMS,
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",
      },
  },
  /* Gemma Team 2026. */
  {
      .model_type = "gemma4",
      .prefix = "model. model.language_model. language_model.model. language_model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 6,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .architecture = "gemma4",
      .sizes = { 30, 8, 4, 256, 2304, 9216, 131072, 262144, 512 },
      .experts = { 128, 8, 704, 0, TRUE, TRUE, .is_beside = TRUE },
      .globals = { 512, 256 },
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_base = 1e6,
      .local_rotary_base = 1e4,
      .rotary_share = 1.0,
      .rope_scaling = "{\"full_attention\": {\"rope_type\": \"proportional\", "
                      "\"partial_rotary_factor\": 0.25}}",
      .has_plain_scores = TRUE,
      .has_query_key_norm = TRUE,
      .has_value_norm = TRUE,
      .names = {
          LLAMA_NAMES,
          GEMMA_NORMS,
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",
          [ATTN_ROLE_LAYER_EMBEDDING] = "embed_tokens_per_layer",
          [ATTN_ROLE_LAYER_INPUT] = "per_layer_model_projection",
          [ATTN_ROLE_LAYER_INPUT_NORM] = "per_layer_projection_norm",
          [ATTN_ROLE_LAYER_GATE] = "layers.%u.per_layer_input_gate",
          [ATTN_ROLE_LAYER_OUTPUT] = "layers.%u.per_layer_projection",
          [ATTN_ROLE_LAYER_OUTPUT_NORM] = "layers.%u.post_per_layer_input_norm",
          [ATTN_ROLE_LAYER_FACTOR] = "layers.%u.layer_scalar!",
          [ATTN_ROLE_ROUTER] = "layers.%u.router.proj",
          [ATTN_ROLE_ROUTER_NORM] = "layers.%u.router.scale!",
          [ATTN_ROLE_EXPERT_FACTORS] = "layers.%u.router.per_expert_scale!",
          [ATTN_ROLE_EXPERT_NORM] = "layers.%u.pre_feedforward_layernorm_2",
          [ATTN_ROLE_EXPERT_GATE] = "layers.%u.experts.%e.gate_proj",
          [ATTN_ROLE_EXPERT_UP] = "layers.%u.experts.%e.up_proj",
          [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.experts.%e.down_proj",
          [ATTN_ROLE_EXPERT_OUTPUT_NORM] = "layers.%u.post_feedforward_layernorm_2",
          [ATTN_ROLE_SHARED_OUTPUT_NORM] = "layers.%u.post_feedforward_layernorm_1",
      },
  },
  /* Groeneveld et al. 2024, arXiv 2402.00838. */
  {
      .model_type = "olmo",
      .prefix = "model.",
      .has_projection_limit = TRUE,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "olmo",
      .has_paired_rows = TRUE,
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 50304 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = {
          LLAMA_ATTENTION,
          LLAMA_INNER,
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",
          [ATTN_ROLE_FINAL_NORM] = "",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM] = "",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "",
      },
  },
  /* OLMo Team 2025, arXiv 2501.00656. */
  {
      .model_type = "olmo2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "olmo2",
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 50304 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .has_whole_query_key_norm = TRUE,
      .names = { OLMO2_NAMES },
  },
  /* OLMo Team 2025. Windows turn by frequencies that are not stretched. */
  {
      .model_type = "olmo3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 4,
      .local_rotary_base = ATTN_SAME_BASE,
      .architecture = "olmo2",
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 50304, 4096 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .has_whole_query_key_norm = TRUE,
      .names = { OLMO2_NAMES },
  },
  /* Bakouch et al. 2025. */
  {
      .model_type = "smollm3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .unturned_period = 4,
      .architecture = "smollm3",
      .has_paired_rows = TRUE,
      .sizes = { 36, 16, 4, 0, 2048, 11008, 32768, 128256 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_base = 2e6,
      .rotary_share = 1.0,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Granite Team 2024. */
  {
      .model_type = "granite",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "granite",
      .has_paired_rows = TRUE,
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 32000 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .query_scalar = 1.0,
      .has_own_logits = TRUE,
      .has_multipliers = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Abdin et al. 2024, arXiv 2404.14219. */
  {
      .model_type = "phi3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_ALL,
      .architecture = "phi3",
      .sizes = { 32, 32, 0, 0, 3072, 8192, 4096, 32064, 0 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = {
          LLAMA_ENDS,
          FUSED_INNER,
          [ATTN_ROLE_QKV] = "layers.%u.self_attn.qkv_proj",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
      .gguf_names = { FUSED_GGUF },
  },
  /* Bellagente et al. 2024, arXiv 2402.17834. */
  {
      .model_type = "stablelm",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY,
      .shares_parallel_norm = TRUE,
      .architecture = "stablelm",
      .sizes = { 32, 32, 32, 0, 2560, 6912, 4096, 50304 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_own_query_key_norms = TRUE,
      .names = {
          LLAMA_ATTENTION,
          LLAMA_INNER,
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",
          [ATTN_ROLE_FINAL_NORM] = "norm*",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm*",
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_layernorm.norms.%e",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_layernorm.norms.%e",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm*",
      },
  },
  /* GLM Team 2024, arXiv 2406.12793. */
  {
      .model_type = "glm",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .architecture = "chatglm",
      .sizes = { 40, 32, 2, 128, 4096, 13696, 131072, 151552 },
      .activation = "silu",
      .norm_epsilon = 1.5625e-7,
      .rotary_share = 0.5,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .may_lack_attention_bias = TRUE,
      .names = {
          LLAMA_ENDS,
          LLAMA_ATTENTION,
          FUSED_INNER,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
      .gguf_names = { FUSED_GGUF },
  },
  /* GLM Team 2025. */
  {
      .model_type = "glm4",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .architecture = "glm4",
      .sizes = { 40, 32, 2, 128, 4096, 13696, 131072, 151552 },
      .activation = "silu",
      .norm_epsilon = 1.5625e-7,
      .rotary_share = 0.5,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .may_lack_attention_bias = TRUE,
      .names = {
          LLAMA_ENDS,
          LLAMA_ATTENTION,
          FUSED_INNER,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_self_attn_layernorm",
          [ATTN_ROLE_DOWN_NORM] = "layers.%u.post_mlp_layernorm",
      },
      .gguf_names = { FUSED_GGUF },
  },
  /* Cohere 2024: Command R. */
  {
      .model_type = "cohere",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .order = ATTN_ORDER_PARALLEL,
      .architecture = "command-r",
      .sizes = { 40, 64, 0, 0, 8192, 22528, 8192, 256000 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_base = 500000.0,
      .rotary_share = 1.0,
      .has_own_query_key_norms = TRUE,
      .logit_scale = 0.0625,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_norm",
      },
  },
  /* Cohere Team 2025, arXiv 2504.00698. */
  {
      .model_type = "cohere2",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .order = ATTN_ORDER_PARALLEL,
      .windows = ATTN_WINDOWS_PERIODIC,
      .window_period = 4,
      .turns_windows_only = TRUE,
      .architecture = "cohere2",
      .sizes = { 40, 64, 0, 0, 8192, 22528, 8192, 256000, 4096 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .logit_scale = 0.0625,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
      },
  },
  /* Hu et al. 2024, arXiv 2404.06395. */
  {
      .model_type = "minicpm",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "minicpm",
      .has_paired_rows = TRUE,
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 32000 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_multipliers = TRUE,
      .has_depth_scale = TRUE,
      .names = {
          LLAMA_NAMES,
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.post_attention_layernorm",
      },
  },
  /* DeepSeek-AI 2024, arXiv 2405.04434. */
  {
      .model_type = "deepseek_v2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .architecture = "deepseek2",
      .sizes = { 32, 32, 0, 0, 4096, 11008, 2048, 32000 },
      .latents = { 512, 1536, 128, 64, 128 },
      .experts = { 64, 6, 1407, 0, FALSE, FALSE, FALSE, 0.0, 0.0, FALSE, 1, 1, 1.0, 2, 0 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = { DEEPSEEK_NAMES },
      .gguf_names = { [ATTN_ROLE_QUERY] = "blk.%u.attn_q_b" },
      .shared_names = { DEEPSEEK_SHARED },
  },
  /* DeepSeek-AI 2024, arXiv 2412.19437. */
  {
      .model_type = "deepseek_v3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .architecture = "deepseek2",
      .sizes = { 61, 128, 128, 0, 7168, 18432, 4096, 129280 },
      .latents = { 512, 1536, 128, 64, 128 },
      .experts = { 256, 8, 2048, 0, TRUE, FALSE, FALSE, 0.0, 0.0, TRUE, 8, 4, 2.5, 1, 3 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = { DEEPSEEK_NAMES, DEEPSEEK_CORRECTION },
      .gguf_names = { [ATTN_ROLE_QUERY] = "blk.%u.attn_q_b" },
      .shared_names = { DEEPSEEK_SHARED },
  },
  /* GLM Team 2026. */
  {
      .model_type = "glm4_moe_lite",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .architecture = "deepseek2",
      .sizes = { 47, 20, 20, 0, 2048, 10240, 202752, 154880 },
      .latents = { 512, 768, 192, 64, 256 },
      .experts = { 64, 4, 1536, 0, TRUE, FALSE, FALSE, 0.0, 0.0, TRUE, 1, 1, 1.8, 1, 1 },
      .activation = "silu",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .names = { DEEPSEEK_NAMES, DEEPSEEK_CORRECTION },
      .gguf_names = { [ATTN_ROLE_QUERY] = "blk.%u.attn_q_b" },
      .shared_names = { DEEPSEEK_SHARED },
  },
  /* Qwen Team 2025. */
  {
      .model_type = "qwen3_next",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "qwen3next",
      .sizes = { 48, 16, 2, 256, 2048, 5632, 32768, 151936 },
      .experts = { 512, 10, 512, 512, TRUE, TRUE },
      .delta = { 16, 32, 128, 128, 4, 4 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .has_output_gate = TRUE,
      .names = {
          QWEN_HYBRID,
          QWEN_EXPERTS,
          [ATTN_ROLE_SHARED_GATE] = "layers.%u.mlp.shared_expert_gate",
          [ATTN_ROLE_DELTA_QKV_GATE] = "layers.%u.linear_attn.in_proj_qkvz",
          [ATTN_ROLE_DELTA_STRENGTH_DECAY] = "layers.%u.linear_attn.in_proj_ba",
      },
      .gguf_names = { [ATTN_ROLE_INNER_NORM] = "blk.%u.post_attention_norm" },
      .shared_names = { QWEN_SHARED },
  },
  /* Qwen Team 2026. */
  {
      .model_type = "qwen3_5",
      .prefix = "model. model.language_model. language_model.model. language_model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "qwen35",
      .sizes = { 32, 16, 4, 256, 4096, 12288, 32768, 248320 },
      .delta = { 16, 32, 128, 128, 4, 4 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .has_output_gate = TRUE,
      .has_tiled_values = TRUE,
      .names = { QWEN_HYBRID, QWEN_SPLIT_DELTA },
      .gguf_names = { [ATTN_ROLE_INNER_NORM] = "blk.%u.post_attention_norm" },
  },
  {
      .model_type = "qwen3_5_moe",
      .prefix = "model. model.language_model. language_model.model. language_model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .architecture = "qwen35moe",
      .sizes = { 40, 16, 2, 256, 2048, 0, 32768, 248320 },
      .experts = { 256, 8, 512, 512, TRUE, TRUE },
      .delta = { 16, 32, 128, 128, 4, 4 },
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
      .has_output_gate = TRUE,
      .has_tiled_values = TRUE,
      .names = {
          QWEN_HYBRID,
          QWEN_SPLIT_DELTA,
          QWEN_EXPERTS,
          [ATTN_ROLE_SHARED_GATE] = "layers.%u.mlp.shared_expert_gate",
      },
      .gguf_names = { [ATTN_ROLE_INNER_NORM] = "blk.%u.post_attention_norm" },
      .shared_names = { QWEN_SHARED },
  },
  { 0 },
};
