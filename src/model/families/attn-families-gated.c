/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Families of models whose feed-forward layers have a gate: LLaMA and its successors. */

#include "config.h"

#include "attn-family-tables.h"

/* clang-format off */

/* The family of Mistral: Jiang et al. 2023, arXiv 2310.06825. */
#define LIKE_MISTRAL              \
  LIKE_LLAMA,                     \
  .windows = ATTN_WINDOWS_ALL,    \
  .sizes.n_key_heads = 8,         \
  .sizes.mlp_width = 14336,       \
  .sizes.n_positions = 4096 * 32, \
  .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj"

/* The family of Qwen2: Yang et al. 2024, arXiv 2407.10671. */
#define LIKE_QWEN2                                                                \
  LIKE_LLAMA,                                                                     \
  .windows = ATTN_WINDOWS_UPPER,                                                  \
  .sizes = { .n_layers = 32, .n_heads = 32, .n_key_heads = 32, .width = 4096,     \
             .mlp_width = 22016, .n_positions = 32768, .vocabulary_size = 151936, \
             .window = 4096 },                                                    \
  .has_attention_bias = TRUE,                                                     \
  .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj"

/* The family of Qwen3: Yang et al. 2025, arXiv 2505.09388. */
#define LIKE_QWEN3             \
  LIKE_QWEN2,                  \
  QUERY_KEY_NORMS,             \
  .sizes.head_width = 128,     \
  .has_attention_bias = FALSE, \
  .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*"

/* QWEN_EXPERTS gives a family experts whose tensors are named as in Qwen's models,
 * QWEN_SHARED_EXPERT also a shared expert, which every token goes through. */
#define QWEN_EXPERTS                                                    \
  .names[ATTN_ROLE_ROUTER] = "layers.%u.mlp.gate",                      \
  .names[ATTN_ROLE_EXPERT_GATE] = "layers.%u.mlp.experts.%e.gate_proj", \
  .names[ATTN_ROLE_EXPERT_UP] = "layers.%u.mlp.experts.%e.up_proj",     \
  .names[ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.%e.down_proj"

#define QWEN_SHARED_EXPERT                                            \
  .names[ATTN_ROLE_SHARED_GATE] = "layers.%u.mlp.shared_expert_gate", \
  .shared_names = { "layers.%u.mlp.shared_expert.gate_proj",          \
                    "layers.%u.mlp.shared_expert.up_proj",            \
                    "layers.%u.mlp.shared_expert.down_proj" }

/* The family of Gemma: Gemma Team 2024, arXiv 2403.08295. */
#define LIKE_GEMMA                                                                               \
  LIKE_LLAMA,                                                                                    \
  .norm = ATTN_NORM_RMS_OFFSET,                                                                  \
  .activation_member = "hidden_activation",                                                      \
  .activation = "gelu_pytorch_tanh",                                                             \
  .has_embedding_scale = TRUE,                                                                   \
  .has_own_logits = FALSE,                                                                       \
  .sizes = { .n_layers = 28, .n_heads = 16, .n_key_heads = 16, .head_width = 256, .width = 3072, \
             .mlp_width = 24576, .n_positions = 8192, .vocabulary_size = 256000 }

/* The family of Gemma 2: Gemma Team 2024, arXiv 2408.00118. Norms stand before and after attention
 * and feed-forward layer. */
#define LIKE_GEMMA2                                                                            \
  LIKE_GEMMA,                                                                                  \
  .windows = ATTN_WINDOWS_PERIODIC,                                                            \
  .window_period = 2,                                                                          \
  .sizes = { .n_layers = 26, .n_heads = 8, .n_key_heads = 4, .head_width = 256, .width = 2304, \
             .mlp_width = 9216, .n_positions = 8192, .vocabulary_size = 256000,                \
             .window = 4096 },                                                                 \
  .query_scalar = 256.0,                                                                       \
  .names[ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_attention_layernorm",                        \
  .names[ATTN_ROLE_MLP_NORM] = "layers.%u.pre_feedforward_layernorm",                          \
  .names[ATTN_ROLE_DOWN_NORM] = "layers.%u.post_feedforward_layernorm"

/* The family of Gemma 3: Gemma Team 2025, arXiv 2503.19786. */
#define LIKE_GEMMA3                                                               \
  LIKE_GEMMA2,                                                                    \
  QUERY_KEY_NORMS,                                                                \
  .prefix = "model. model.language_model. language_model.model. language_model.", \
  .window_period = 6,                                                             \
  .sizes.n_positions = 131072,                                                    \
  .rotary_base = 1e6,                                                             \
  .local_rotary_base = 1e4,                                                       \
  .chooses_direction = TRUE

/* The family of OLMo 2: OLMo Team 2025, arXiv 2501.00656. Norms stand after attention and
 * feed-forward layer, none before. */
#define LIKE_OLMO2                                                      \
  LIKE_LLAMA,                                                           \
  QUERY_KEY_NORMS,                                                      \
  .has_whole_query_key_norm = TRUE,                                     \
  .norm_epsilon = 1e-5,                                                 \
  .sizes.vocabulary_size = 50304,                                       \
  .names[ATTN_ROLE_ATTENTION_NORM] = NULL,                              \
  .names[ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_attention_layernorm", \
  .names[ATTN_ROLE_MLP_NORM] = NULL,                                    \
  .names[ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj",                   \
  .names[ATTN_ROLE_UP] = "layers.%u.mlp.up_proj",                       \
  .names[ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj",                   \
  .names[ATTN_ROLE_DOWN_NORM] = "layers.%u.post_feedforward_layernorm"

/* FUSED_GATE gives a family gate and up projections that lie in one tensor, one above the other. */
#define FUSED_GATE                                       \
  .names[ATTN_ROLE_GATE] = "layers.%u.mlp.gate_up_proj", \
  .names[ATTN_ROLE_UP] = "layers.%u.mlp.gate_up_proj",   \
  .names[ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj",    \
  .gguf_names[ATTN_ROLE_GATE] = "blk.%u.ffn_up",         \
  .gguf_names[ATTN_ROLE_UP] = "blk.%u.ffn_up"

/* The family of GLM-4: GLM Team 2024, arXiv 2406.12793. */
#define LIKE_GLM                                                                                \
  LIKE_LLAMA,                                                                                   \
  FUSED_GATE,                                                                                   \
  .norm_epsilon = 1.5625e-7,                                                                    \
  .positions = ATTN_POSITIONS_ROTARY_PAIRED,                                                    \
  .partial_rotary_factor = 0.5,                                                                 \
  .sizes = { .n_layers = 40, .n_heads = 32, .n_key_heads = 2, .head_width = 128, .width = 4096, \
             .mlp_width = 13696, .n_positions = 131072, .vocabulary_size = 151552 },            \
  .has_attention_bias = TRUE,                                                                   \
  .may_lack_attention_bias = TRUE,                                                              \
  .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj"

/* The family of Command R: Cohere 2024. */
#define LIKE_COHERE                                                            \
  LIKE_LLAMA,                                                                  \
  .norm = ATTN_NORM_LAYER,                                                     \
  .norm_epsilon = 1e-5,                                                        \
  .positions = ATTN_POSITIONS_ROTARY_PAIRED,                                   \
  .order = ATTN_ORDER_PARALLEL,                                                \
  .sizes = { .n_layers = 40, .n_heads = 64, .width = 8192, .mlp_width = 22528, \
             .n_positions = 8192, .vocabulary_size = 256000 },                 \
  .has_own_logits = FALSE,                                                     \
  .logit_scale = 0.0625,                                                       \
  .names[ATTN_ROLE_MLP_NORM] = NULL

/* The family of DeepSeek-V2: DeepSeek-AI 2024, arXiv 2405.04434. Keys and values are projected from
 * latent vectors. */
#define LIKE_DEEPSEEK_V2                                                               \
  LIKE_LLAMA,                                                                          \
  QWEN_EXPERTS,                                                                        \
  .positions = ATTN_POSITIONS_ROTARY_PAIRED,                                           \
  .latents = { .kv_lora_rank = 512, .q_lora_rank = 1536, .qk_nope_head_dim = 128,      \
               .qk_rope_head_dim = 64, .v_head_dim = 128 },                            \
  .experts = { .n = 64, .n_used = 6, .width = 1407, .n_groups = 1, .n_used_groups = 1, \
               .routed_scaling_factor = 1.0, .n_shared = 2 },                          \
  .names[ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_b_proj",                            \
  .names[ATTN_ROLE_KEY] = NULL,                                                        \
  .names[ATTN_ROLE_VALUE] = NULL,                                                      \
  .names[ATTN_ROLE_Q_A] = "layers.%u.self_attn.q_a_proj*",                             \
  .names[ATTN_ROLE_Q_A_NORM] = "layers.%u.self_attn.q_a_layernorm",                    \
  .names[ATTN_ROLE_KV_A] = "layers.%u.self_attn.kv_a_proj_with_mqa*",                  \
  .names[ATTN_ROLE_K_ROPE] = "layers.%u.self_attn.kv_a_proj_with_mqa*",                \
  .names[ATTN_ROLE_KV_A_NORM] = "layers.%u.self_attn.kv_a_layernorm",                  \
  .names[ATTN_ROLE_KV_B] = "layers.%u.self_attn.kv_b_proj",                            \
  .gguf_names[ATTN_ROLE_QUERY] = "blk.%u.attn_q_b",                                    \
  .shared_names = { "layers.%u.mlp.shared_experts.gate_proj",                          \
                    "layers.%u.mlp.shared_experts.up_proj",                            \
                    "layers.%u.mlp.shared_experts.down_proj" }

/* The family of DeepSeek-V3: DeepSeek-AI 2024, arXiv 2412.19437. */
#define LIKE_DEEPSEEK_V3                                                                        \
  LIKE_DEEPSEEK_V2,                                                                             \
  .sizes = { .n_layers = 61, .n_heads = 128, .n_key_heads = 128, .width = 7168,                 \
             .mlp_width = 18432, .n_positions = 4096, .vocabulary_size = 129280 },              \
  .experts = { .n = 256, .n_used = 8, .width = 2048, .is_normalized = TRUE, .is_sigmoid = TRUE, \
               .n_groups = 8, .n_used_groups = 4, .routed_scaling_factor = 2.5, .n_shared = 1,  \
               .n_dense = 3 },                                                                  \
  .names[ATTN_ROLE_ROUTER_CORRECTION] = "layers.%u.mlp.gate.e_score_correction_bias!"

/* The family of Qwen3-Next: Qwen Team 2025. Most layers have linear attention, every fourth has
 * softmax attention. */
#define LIKE_QWEN3_NEXT                                                                         \
  LIKE_LLAMA,                                                                                   \
  QUERY_KEY_NORMS,                                                                              \
  .norm = ATTN_NORM_RMS_OFFSET,                                                                 \
  .partial_rotary_factor = 0.25,                                                                \
  .has_output_gate = TRUE,                                                                      \
  .sizes = { .n_layers = 48, .n_heads = 16, .n_key_heads = 2, .head_width = 256, .width = 2048, \
             .mlp_width = 5632, .n_positions = 32768, .vocabulary_size = 151936 },              \
  .delta = { .n_key_heads = 16, .n_value_heads = 32, .key_width = 128, .value_width = 128,      \
             .kernel_width = 4, .period = 4 },                                                  \
  .names[ATTN_ROLE_DELTA_KERNEL] = "layers.%u.linear_attn.conv1d",                              \
  .names[ATTN_ROLE_DELTA_RATE] = "layers.%u.linear_attn.A_log!",                                \
  .names[ATTN_ROLE_DELTA_SHIFT] = "layers.%u.linear_attn.dt_bias!",                             \
  .names[ATTN_ROLE_DELTA_NORM] = "layers.%u.linear_attn.norm",                                  \
  .names[ATTN_ROLE_DELTA_OUTPUT] = "layers.%u.linear_attn.out_proj",                            \
  .gguf_names[ATTN_ROLE_MLP_NORM] = "blk.%u.post_attention_norm"

/* The family of Qwen3.5: Qwen Team 2026. */
#define LIKE_QWEN3_5                                                              \
  LIKE_QWEN3_NEXT,                                                                \
  .prefix = "model. model.language_model. language_model.model. language_model.", \
  .has_tiled_values = TRUE,                                                       \
  .sizes.vocabulary_size = 248320,                                                \
  .names[ATTN_ROLE_DELTA_QKV] = "layers.%u.linear_attn.in_proj_qkv",              \
  .names[ATTN_ROLE_DELTA_GATE] = "layers.%u.linear_attn.in_proj_z",               \
  .names[ATTN_ROLE_DELTA_STRENGTH] = "layers.%u.linear_attn.in_proj_b",           \
  .names[ATTN_ROLE_DELTA_DECAY] = "layers.%u.linear_attn.in_proj_a"

const AttnFamily attn_families_gated[] = {
  {
    LIKE_LLAMA,
    .model_type = "llama", .architecture = "llama",
    .has_paired_rows = TRUE,
  },
  {
    LIKE_MISTRAL,
    .model_type = "mistral",
    .sizes.window = 4096,
  },
  {
    LIKE_QWEN2,
    .model_type = "qwen2", .architecture = "qwen2",
  },
  {
    LIKE_QWEN3,
    .model_type = "qwen3", .architecture = "qwen3",
  },
  /* The family of Mixtral: Jiang et al. 2024, arXiv 2401.04088. GGUF files name it “llama”, as
   * LLaMA, from which its experts tell it. */
  {
    LIKE_MISTRAL,
    .model_type = "mixtral", .architecture = "llama",
    .has_paired_rows = TRUE,
    .norm_epsilon = 1e-5,
    .rotary_base = 1e6,
    .experts = { .n = 8, .n_used = 2, .is_normalized = TRUE, .is_normalized_in_gguf = TRUE },
    .names[ATTN_ROLE_ROUTER] = "layers.%u.block_sparse_moe.gate",
    .names[ATTN_ROLE_EXPERT_GATE] = "layers.%u.block_sparse_moe.experts.%e.w1",
    .names[ATTN_ROLE_EXPERT_UP] = "layers.%u.block_sparse_moe.experts.%e.w3",
    .names[ATTN_ROLE_EXPERT_DOWN] = "layers.%u.block_sparse_moe.experts.%e.w2",
  },
  /* The family of Qwen1.5-MoE and Qwen2-MoE: Yang et al. 2024, arXiv 2407.10671. */
  {
    LIKE_QWEN2,
    QWEN_EXPERTS,
    QWEN_SHARED_EXPERT,
    .model_type = "qwen2_moe", .architecture = "qwen2moe",
    .windows = ATTN_WINDOWS_LOWER,
    .sizes = { .n_layers = 24, .n_heads = 16, .n_key_heads = 16, .width = 2048,
               .mlp_width = 5632, .n_positions = 32768, .vocabulary_size = 151936,
               .window = 4096 },
    .experts = { .n = 60, .n_used = 4, .width = 1408, .shared_width = 5632 },
  },
  /* The family of Qwen3-MoE: Yang et al. 2025, arXiv 2505.09388. */
  {
    LIKE_QWEN3,
    QWEN_EXPERTS,
    .model_type = "qwen3_moe", .architecture = "qwen3moe",
    .windows = ATTN_WINDOWS_SWITCHED,
    .sizes = { .n_layers = 24, .n_heads = 32, .n_key_heads = 4, .width = 2048,
               .mlp_width = 6144, .n_positions = 32768, .vocabulary_size = 151936,
               .window = 4096 },
    .experts = { .n = 128, .n_used = 8, .width = 768, .is_normalized_in_gguf = TRUE },
  },
  /* The family of gpt-oss: OpenAI 2025, arXiv 2508.10925. */
  {
    LIKE_LLAMA,
    .model_type = "gpt_oss", .architecture = "gpt-oss",
    .norm_epsilon = 1e-5,
    .windows = ATTN_WINDOWS_PERIODIC,
    .window_period = 2,
    .sizes = { .n_layers = 36, .n_heads = 64, .n_key_heads = 8, .head_width = 64, .width = 2880,
               .mlp_width = 2880, .n_positions = 131072, .vocabulary_size = 201088,
               .window = 128 },
    .experts = { .n = 128, .n_used = 4, .is_normalized = TRUE, .is_normalized_in_gguf = TRUE,
                 .is_input_major = TRUE, .swiglu_alpha = 1.702, .swiglu_limit = 7.0 },
    .rotary_base = 150000.0,
    .rope_scaling = "{\"rope_type\": \"yarn\", \"factor\": 32.0, \"truncate\": false, "
                    "\"original_max_position_embeddings\": 4096}",
    .has_attention_bias = TRUE,
    .names[ATTN_ROLE_SINKS] = "layers.%u.self_attn.sinks!",
    .names[ATTN_ROLE_GATE] = NULL,
    .names[ATTN_ROLE_UP] = NULL,
    .names[ATTN_ROLE_DOWN] = NULL,
    .names[ATTN_ROLE_ROUTER] = "layers.%u.mlp.router*",
    .names[ATTN_ROLE_EXPERT_GATE_UP] = "layers.%u.mlp.experts.gate_up_proj!",
    .names[ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.down_proj!",
    .bias_names[ATTN_ROLE_EXPERT_GATE_UP] = "layers.%u.mlp.experts.gate_up_proj_bias!",
    .bias_names[ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.down_proj_bias!",
    .gguf_names[ATTN_ROLE_MLP_NORM] = "blk.%u.post_attention_norm",
  },
  {
    LIKE_GEMMA,
    .model_type = "gemma", .architecture = "gemma",
  },
  {
    LIKE_GEMMA2,
    .model_type = "gemma2", .architecture = "gemma2",
    .large_layers = 46,
    .attn_logit_softcap = 50.0,
    .final_logit_softcap = 30.0,
  },
  {
    LIKE_GEMMA3,
    .model_type = "gemma3", .architecture = "gemma3",
    .large_layers = 62,
    .sizes.vocabulary_size = 262208,
  },
  /* The family of Gemma 4: Gemma Team 2026. */
  {
    LIKE_GEMMA3,
    .chooses_direction = FALSE,
    .model_type = "gemma4", .architecture = "gemma4",
    .norm = ATTN_NORM_RMS,
    .sizes.n_layers = 30,
    .sizes.vocabulary_size = 262144,
    .sizes.window = 512,
    .experts = { .n = 128, .n_used = 8, .width = 704, .is_normalized = TRUE,
                 .is_normalized_in_gguf = TRUE, .is_beside = TRUE },
    .globals = { .head_width = 512, .layer_width = 256 },
    .rope_scaling = "{\"full_attention\": {\"rope_type\": \"proportional\", "
                    "\"partial_rotary_factor\": 0.25}}",
    .query_scalar = 0.0,
    .has_plain_scores = TRUE,
    .has_value_norm = TRUE,
    .names[ATTN_ROLE_LAYER_EMBEDDING] = "embed_tokens_per_layer",
    .names[ATTN_ROLE_LAYER_INPUT] = "per_layer_model_projection",
    .names[ATTN_ROLE_LAYER_INPUT_NORM] = "per_layer_projection_norm",
    .names[ATTN_ROLE_LAYER_GATE] = "layers.%u.per_layer_input_gate",
    .names[ATTN_ROLE_LAYER_OUTPUT] = "layers.%u.per_layer_projection",
    .names[ATTN_ROLE_LAYER_OUTPUT_NORM] = "layers.%u.post_per_layer_input_norm",
    .names[ATTN_ROLE_LAYER_FACTOR] = "layers.%u.layer_scalar!",
    .names[ATTN_ROLE_ROUTER] = "layers.%u.router.proj",
    .names[ATTN_ROLE_ROUTER_NORM] = "layers.%u.router.scale!",
    .names[ATTN_ROLE_EXPERT_FACTORS] = "layers.%u.router.per_expert_scale!",
    .names[ATTN_ROLE_EXPERT_NORM] = "layers.%u.pre_feedforward_layernorm_2",
    .names[ATTN_ROLE_EXPERT_GATE] = "layers.%u.experts.%e.gate_proj",
    .names[ATTN_ROLE_EXPERT_UP] = "layers.%u.experts.%e.up_proj",
    .names[ATTN_ROLE_EXPERT_DOWN] = "layers.%u.experts.%e.down_proj",
    .names[ATTN_ROLE_EXPERT_OUTPUT_NORM] = "layers.%u.post_feedforward_layernorm_2",
    .names[ATTN_ROLE_SHARED_OUTPUT_NORM] = "layers.%u.post_feedforward_layernorm_1",
  },
  /* The family of OLMo: Groeneveld et al. 2024, arXiv 2402.00838. */
  {
    LIKE_LLAMA,
    .model_type = "olmo", .architecture = "olmo",
    .has_paired_rows = TRUE,
    .norm = ATTN_NORM_LAYER,
    .norm_epsilon = 1e-5,
    .has_projection_limit = TRUE,
    .sizes.vocabulary_size = 50304,
    .names[ATTN_ROLE_FINAL_NORM] = "",
    .names[ATTN_ROLE_ATTENTION_NORM] = "",
    .names[ATTN_ROLE_MLP_NORM] = "",
  },
  {
    LIKE_OLMO2,
    .model_type = "olmo2", .architecture = "olmo2",
  },
  /* The family of OLMo 3: OLMo Team 2025. Rotary frequencies are scaled only in layers without a
   * window. */
  {
    LIKE_OLMO2,
    .model_type = "olmo3", .architecture = "olmo2",
    .windows = ATTN_WINDOWS_PERIODIC,
    .window_period = 4,
    .sizes.window = 4096,
    .local_rotary_base = ATTN_SAME_BASE,
  },
  /* The family of SmolLM3: Bakouch et al. 2025. */
  {
    LIKE_LLAMA,
    .model_type = "smollm3", .architecture = "smollm3",
    .has_paired_rows = TRUE,
    .no_rope_interval = 4,
    .sizes = { .n_layers = 36, .n_heads = 16, .n_key_heads = 4, .width = 2048,
               .mlp_width = 11008, .n_positions = 32768, .vocabulary_size = 128256 },
    .rotary_base = 2e6,
    .has_own_logits = FALSE,
  },
  /* The family of Granite: Granite Team 2024. */
  {
    LIKE_LLAMA,
    .model_type = "granite", .architecture = "granite",
    .has_paired_rows = TRUE,
    .query_scalar = 1.0,
    .has_multipliers = TRUE,
  },
  /* The family of Phi-3: Abdin et al. 2024, arXiv 2404.14219. */
  {
    LIKE_LLAMA,
    FUSED_GATE,
    .model_type = "phi3", .architecture = "phi3",
    .norm_epsilon = 1e-5,
    .windows = ATTN_WINDOWS_ALL,
    .sizes = { .n_layers = 32, .n_heads = 32, .width = 3072, .mlp_width = 8192,
               .n_positions = 4096, .vocabulary_size = 32064 },
    .names[ATTN_ROLE_QKV] = "layers.%u.self_attn.qkv_proj",
    .names[ATTN_ROLE_QUERY] = NULL,
    .names[ATTN_ROLE_KEY] = NULL,
    .names[ATTN_ROLE_VALUE] = NULL,
    .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
  },
  /* The family of StableLM 2: Bellagente et al. 2024, arXiv 2402.17834. */
  {
    LIKE_LLAMA,
    .model_type = "stablelm", .architecture = "stablelm",
    .norm = ATTN_NORM_LAYER,
    .norm_epsilon = 1e-5,
    .partial_rotary_factor = 0.25,
    .shares_parallel_norm = TRUE,
    .has_own_query_key_norms = TRUE,
    .sizes = { .n_layers = 32, .n_heads = 32, .n_key_heads = 32, .width = 2560,
               .mlp_width = 6912, .n_positions = 4096, .vocabulary_size = 50304 },
    .names[ATTN_ROLE_FINAL_NORM] = "norm*",
    .names[ATTN_ROLE_ATTENTION_NORM] = "layers.%u.input_layernorm*",
    .names[ATTN_ROLE_QUERY_NORM] = "layers.%u.self_attn.q_layernorm.norms.%e",
    .names[ATTN_ROLE_KEY_NORM] = "layers.%u.self_attn.k_layernorm.norms.%e",
    .names[ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj",
    .names[ATTN_ROLE_MLP_NORM] = "layers.%u.post_attention_layernorm*",
  },
  {
    LIKE_GLM,
    .model_type = "glm", .architecture = "chatglm",
  },
  /* The family of GLM-4-0414: GLM Team 2025. */
  {
    LIKE_GLM,
    .model_type = "glm4", .architecture = "glm4",
    .names[ATTN_ROLE_OUTPUT_NORM] = "layers.%u.post_self_attn_layernorm",
    .names[ATTN_ROLE_DOWN_NORM] = "layers.%u.post_mlp_layernorm",
  },
  {
    LIKE_COHERE,
    QUERY_KEY_NORMS,
    .model_type = "cohere", .architecture = "command-r",
    .rotary_base = 500000.0,
    .has_query_key_norm = FALSE,
    .has_own_query_key_norms = TRUE,
  },
  /* The family of Command A: Cohere Team 2025, arXiv 2504.00698. */
  {
    LIKE_COHERE,
    .model_type = "cohere2", .architecture = "cohere2",
    .windows = ATTN_WINDOWS_PERIODIC,
    .window_period = 4,
    .turns_windows_only = TRUE,
    .sizes.window = 4096,
  },
  /* The family of MiniCPM: Hu et al. 2024, arXiv 2404.06395. */
  {
    LIKE_LLAMA,
    .model_type = "minicpm", .architecture = "minicpm",
    .has_paired_rows = TRUE,
    .has_multipliers = TRUE,
    .has_depth_scale = TRUE,
    .has_own_logits = FALSE,
  },
  {
    LIKE_DEEPSEEK_V2,
    .model_type = "deepseek_v2", .architecture = "deepseek2",
  },
  {
    LIKE_DEEPSEEK_V3,
    .model_type = "deepseek_v3", .architecture = "deepseek2",
  },
  /* The family of GLM-4.7-Flash: GLM Team 2026. */
  {
    LIKE_DEEPSEEK_V3,
    .model_type = "glm4_moe_lite", .architecture = "deepseek2",
    .norm_epsilon = 1e-5,
    .sizes = { .n_layers = 47, .n_heads = 20, .n_key_heads = 20, .width = 2048,
               .mlp_width = 10240, .n_positions = 202752, .vocabulary_size = 154880 },
    .latents.q_lora_rank = 768,
    .latents.qk_nope_head_dim = 192,
    .latents.v_head_dim = 256,
    .experts = { .n = 64, .n_used = 4, .width = 1536, .is_normalized = TRUE, .is_sigmoid = TRUE,
                 .n_groups = 1, .n_used_groups = 1, .routed_scaling_factor = 1.8, .n_shared = 1,
                 .n_dense = 1 },
  },
  {
    LIKE_QWEN3_NEXT,
    QWEN_EXPERTS,
    QWEN_SHARED_EXPERT,
    .model_type = "qwen3_next", .architecture = "qwen3next",
    .experts = { .n = 512, .n_used = 10, .width = 512, .shared_width = 512, .is_normalized = TRUE,
                 .is_normalized_in_gguf = TRUE },
    .names[ATTN_ROLE_DELTA_QKV_GATE] = "layers.%u.linear_attn.in_proj_qkvz",
    .names[ATTN_ROLE_DELTA_STRENGTH_DECAY] = "layers.%u.linear_attn.in_proj_ba",
  },
  {
    LIKE_QWEN3_5,
    .model_type = "qwen3_5", .architecture = "qwen35",
    .sizes.n_layers = 32,
    .sizes.n_key_heads = 4,
    .sizes.width = 4096,
    .sizes.mlp_width = 12288,
  },
  {
    LIKE_QWEN3_5,
    QWEN_EXPERTS,
    QWEN_SHARED_EXPERT,
    .model_type = "qwen3_5_moe", .architecture = "qwen35moe",
    .sizes.n_layers = 40,
    .sizes.mlp_width = 0,
    .experts = { .n = 256, .n_used = 8, .width = 512, .shared_width = 512, .is_normalized = TRUE,
                 .is_normalized_in_gguf = TRUE },
  },
  /* The language model of Qwen3-VL (Qwen Team 2025, arXiv 2511.21631). */
  {
    LIKE_QWEN3,
    .model_type = "qwen3_vl_text",
    .prefix = "model. model.language_model. language_model.",
    .rotary_base = 5e6,
    .sizes = { .n_layers = 32, .n_heads = 32, .n_key_heads = 32, .head_width = 128,
               .width = 4096, .mlp_width = 22016, .n_positions = 128000,
               .vocabulary_size = 151936, .window = 4096 },
  },
  /* The language model of Qwen2.5-VL (Bai et al. 2025, arXiv 2502.13923). */
  {
    LIKE_QWEN2,
    .model_type = "qwen2_5_vl_text",
    .prefix = "model. model.language_model. language_model.",
    .rotary_base = 1e6,
    .sizes = { .n_layers = 80, .n_heads = 64, .n_key_heads = 8, .width = 8192,
               .mlp_width = 29568, .n_positions = 32768, .vocabulary_size = 152064,
               .window = 4096 },
  },
  { 0 },
};
