/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-family.h"

#include <string.h>

/* Tensor names are those of the Hugging Face checkpoints, without ".weight" and ".bias": "*" stands
 * for a bias beside the weight or scale, "!" for a name that ends there. Sizes are those of
 * AttnFamilySizes. */

/* What the families that come after LLaMA call alike. */
#define LLAMA_NAMES                                               \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",                   \
  [ATTN_ROLE_FINAL_NORM_SCALE] = "norm",                          \
  [ATTN_ROLE_LOGITS] = "lm_head",                                 \
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm", \
  [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",              \
  [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",                \
  [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",              \
  [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj*",                  \
  [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj*",                      \
  [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj*"

/* What Qwen calls its experts. */
#define QWEN_EXPERTS                                              \
  [ATTN_ROLE_ROUTER] = "layers.%u.mlp.gate",                      \
  [ATTN_ROLE_EXPERT_GATE] = "layers.%u.mlp.experts.%e.gate_proj", \
  [ATTN_ROLE_EXPERT_UP] = "layers.%u.mlp.experts.%e.up_proj",     \
  [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.%e.down_proj"

/* Norms behind both halves of a layer, none before. */
#define OLMO2_NAMES                                                     \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",                         \
  [ATTN_ROLE_FINAL_NORM_SCALE] = "norm",                                \
  [ATTN_ROLE_LOGITS] = "lm_head",                                       \
  [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",                    \
  [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",                      \
  [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",                    \
  [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_norm",          \
  [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_norm",            \
  [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",                   \
  [ATTN_ROLE_OUTPUT_NORM_SCALE] = "layers.%u.post_attention_layernorm", \
  [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj",                         \
  [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj",                             \
  [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj",                         \
  [ATTN_ROLE_DOWN_NORM_SCALE] = "layers.%u.post_feedforward_layernorm"

/* What Gemma has from its second version on: norms on both sides of each half. */
#define GEMMA_NORMS                                                     \
  [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",                   \
  [ATTN_ROLE_OUTPUT_NORM_SCALE] = "layers.%u.post_attention_layernorm", \
  [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.pre_feedforward_layernorm", \
  [ATTN_ROLE_DOWN_NORM_SCALE] = "layers.%u.post_feedforward_layernorm"

/* What BERT and RoBERTa call alike. */
#define BERT_NAMES                                                                   \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",                        \
  [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings",                 \
  [ATTN_ROLE_TYPE_EMBEDDING] = "embeddings.token_type_embeddings",                   \
  [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "embeddings.LayerNorm*",                        \
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "encoder.layer.%u.attention.output.LayerNorm*", \
  [ATTN_ROLE_QUERY] = "encoder.layer.%u.attention.self.query*",                      \
  [ATTN_ROLE_KEY] = "encoder.layer.%u.attention.self.key*",                          \
  [ATTN_ROLE_VALUE] = "encoder.layer.%u.attention.self.value*",                      \
  [ATTN_ROLE_OUTPUT] = "encoder.layer.%u.attention.output.dense*",                   \
  [ATTN_ROLE_INNER_NORM_SCALE] = "encoder.layer.%u.output.LayerNorm*",               \
  [ATTN_ROLE_UP] = "encoder.layer.%u.intermediate.dense*",                           \
  [ATTN_ROLE_DOWN] = "encoder.layer.%u.output.dense*"

/* Tensors of GGUF files, which have one name for all families but those below: LLM_TENSOR_NAMES of
 * llama.cpp. */
static const char * const gguf_names[ATTN_N_ROLES] = {
  [ATTN_ROLE_TOKEN_EMBEDDING] = "token_embd",
  [ATTN_ROLE_POSITION_EMBEDDING] = "position_embd",
  [ATTN_ROLE_TYPE_EMBEDDING] = "token_types",
  [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "token_embd_norm*",
  [ATTN_ROLE_FINAL_NORM_SCALE] = "output_norm*",
  [ATTN_ROLE_LOGITS] = "output*",
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "blk.%u.attn_norm*",
  [ATTN_ROLE_QKV] = "blk.%u.attn_qkv*",
  [ATTN_ROLE_QUERY] = "blk.%u.attn_q*",
  [ATTN_ROLE_KEY] = "blk.%u.attn_k*",
  [ATTN_ROLE_VALUE] = "blk.%u.attn_v*",
  [ATTN_ROLE_QUERY_NORM_SCALE] = "blk.%u.attn_q_norm*",
  [ATTN_ROLE_KEY_NORM_SCALE] = "blk.%u.attn_k_norm*",
  [ATTN_ROLE_OUTPUT] = "blk.%u.attn_output*",
  [ATTN_ROLE_OUTPUT_NORM_SCALE] = "blk.%u.post_attention_norm",
  [ATTN_ROLE_INNER_NORM_SCALE] = "blk.%u.ffn_norm*",
  [ATTN_ROLE_GATE] = "blk.%u.ffn_gate*",
  [ATTN_ROLE_UP] = "blk.%u.ffn_up*",
  [ATTN_ROLE_DOWN] = "blk.%u.ffn_down*",
  [ATTN_ROLE_DOWN_NORM_SCALE] = "blk.%u.post_ffw_norm",
  [ATTN_ROLE_SINKS] = "blk.%u.attn_sinks",
  [ATTN_ROLE_ROUTER] = "blk.%u.ffn_gate_inp*",
  [ATTN_ROLE_EXPERT_GATE] = "blk.%u.ffn_gate_exps*",
  [ATTN_ROLE_EXPERT_UP] = "blk.%u.ffn_up_exps*",
  [ATTN_ROLE_EXPERT_DOWN] = "blk.%u.ffn_down_exps*",
  [ATTN_ROLE_SHARED_GATE] = "blk.%u.ffn_gate_inp_shexp",
};

static const AttnFamily families[] = {
  /* Radford et al. 2019. */
  {
      .model_type = "gpt2",
      .prefix = "transformer.",
      .is_input_major = TRUE,
      .architecture = "gpt2",
      .sizes = { 12, 12, 0, 0, 768, 0, 1024, 50257 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "wte",
          [ATTN_ROLE_POSITION_EMBEDDING] = "wpe",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f*",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.ln_1*",
          [ATTN_ROLE_QKV] = "h.%u.attn.c_attn*",
          [ATTN_ROLE_OUTPUT] = "h.%u.attn.c_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "h.%u.ln_2*",
          [ATTN_ROLE_UP] = "h.%u.mlp.c_fc*",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.c_proj*",
      },
  },
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_norm",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_SHARED_GATE] = "layers.%u.mlp.shared_expert_gate",
      },
      .shared_names = {
          "layers.%u.mlp.shared_expert.gate_proj",
          "layers.%u.mlp.shared_expert.up_proj",
          "layers.%u.mlp.shared_expert.down_proj",
      },
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
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_norm",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "norm",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm",
          [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",
          [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",
          [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_SINKS] = "layers.%u.self_attn.sinks!",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
          [ATTN_ROLE_ROUTER] = "layers.%u.mlp.router*",
          [ATTN_ROLE_EXPERT_GATE_UP] = "layers.%u.mlp.experts.gate_up_proj!",
          [ATTN_ROLE_EXPERT_GATE_UP_BIAS] = "layers.%u.mlp.experts.gate_up_proj_bias!",
          [ATTN_ROLE_EXPERT_DOWN] = "layers.%u.mlp.experts.down_proj!",
          [ATTN_ROLE_EXPERT_DOWN_BIAS] = "layers.%u.mlp.experts.down_proj_bias!",
      },
      .gguf_names = { [ATTN_ROLE_INNER_NORM_SCALE] = "blk.%u.post_attention_norm" },
  },
  /* Black et al. 2022, arXiv 2204.06745; also Pythia. */
  {
      .model_type = "gpt_neox",
      .prefix = "gpt_neox.",
      .positions = ATTN_POSITIONS_ROTARY,
      .order = ATTN_ORDER_PARALLEL,
      .qkv_layout = ATTN_QKV_BY_HEAD,
      .architecture = "gptneox",
      .sizes = { 44, 64, 0, 0, 6144, 24576, 2048, 50432 },
      .activation = "gelu",
      .norm_epsilon = 1e-5,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_in",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "final_layer_norm*",
          [ATTN_ROLE_LOGITS] = "embed_out",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm*",
          [ATTN_ROLE_QKV] = "layers.%u.attention.query_key_value*",
          [ATTN_ROLE_OUTPUT] = "layers.%u.attention.dense*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm*",
          [ATTN_ROLE_UP] = "layers.%u.mlp.dense_h_to_4h*",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.dense_4h_to_h*",
      },
  },
  /* Li et al. 2023, arXiv 2309.05463. */
  {
      .model_type = "phi",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY,
      .order = ATTN_ORDER_PARALLEL,
      .architecture = "phi2",
      .sizes = { 24, 32, 0, 0, 2048, 8192, 2048, 51200 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .rotary_share = 0.5,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "final_layernorm*",
          [ATTN_ROLE_LOGITS] = "lm_head*",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm*",
          [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",
          [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",
          [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_layernorm*",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_layernorm*",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.dense*",
          [ATTN_ROLE_UP] = "layers.%u.mlp.fc1*",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.fc2*",
      },
  },
  /* Zhang et al. 2022, arXiv 2205.01068. */
  {
      .model_type = "opt",
      .prefix = "model.",
      .position_offset = 2,
      .sizes = { 12, 12, 0, 0, 768, 3072, 2048, 50272 },
      .activation = "relu",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "decoder.embed_tokens",
          [ATTN_ROLE_POSITION_EMBEDDING] = "decoder.embed_positions",
          [ATTN_ROLE_PROJECT_IN] = "decoder.project_in",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "decoder.final_layer_norm*",
          [ATTN_ROLE_PROJECT_OUT] = "decoder.project_out",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "decoder.layers.%u.self_attn_layer_norm*",
          [ATTN_ROLE_QUERY] = "decoder.layers.%u.self_attn.q_proj*",
          [ATTN_ROLE_KEY] = "decoder.layers.%u.self_attn.k_proj*",
          [ATTN_ROLE_VALUE] = "decoder.layers.%u.self_attn.v_proj*",
          [ATTN_ROLE_OUTPUT] = "decoder.layers.%u.self_attn.out_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "decoder.layers.%u.final_layer_norm*",
          [ATTN_ROLE_UP] = "decoder.layers.%u.fc1*",
          [ATTN_ROLE_DOWN] = "decoder.layers.%u.fc2*",
      },
  },
  /* Le Scao et al. 2022, arXiv 2211.05100. */
  {
      .model_type = "bloom",
      .prefix = "transformer.",
      .positions = ATTN_POSITIONS_ALIBI,
      .qkv_layout = ATTN_QKV_BY_HEAD,
      .architecture = "bloom",
      .sizes = { 2, 8, 0, 0, 64, 0, 2048, 250880 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "word_embeddings",
          [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "word_embeddings_layernorm*",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f*",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.input_layernorm*",
          [ATTN_ROLE_QKV] = "h.%u.self_attention.query_key_value*",
          [ATTN_ROLE_OUTPUT] = "h.%u.self_attention.dense*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "h.%u.post_attention_layernorm*",
          [ATTN_ROLE_UP] = "h.%u.mlp.dense_h_to_4h*",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.dense_4h_to_h*",
      },
  },
  /* Wang and Komatsuzaki 2021. */
  {
      .model_type = "gptj",
      .prefix = "transformer.",
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .order = ATTN_ORDER_PARALLEL,
      .sizes = { 28, 16, 0, 0, 4096, 0, 2048, 50400 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .rotary_width = 64,
      .has_own_logits = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "wte",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f*",
          [ATTN_ROLE_LOGITS] = "lm_head*",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.ln_1*",
          [ATTN_ROLE_QUERY] = "h.%u.attn.q_proj",
          [ATTN_ROLE_KEY] = "h.%u.attn.k_proj",
          [ATTN_ROLE_VALUE] = "h.%u.attn.v_proj",
          [ATTN_ROLE_OUTPUT] = "h.%u.attn.out_proj",
          [ATTN_ROLE_UP] = "h.%u.mlp.fc_in*",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.fc_out*",
      },
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_norm",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_norm",
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
  /* Black et al. 2021; also TinyStories, arXiv 2305.07759. Scores are not scaled. */
  {
      .model_type = "gpt_neo",
      .prefix = "transformer.",
      .windows = ATTN_WINDOWS_NAMED,
      .sizes = { 24, 16, 0, 0, 2048, 0, 2048, 50257, 256 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .query_scalar = 1.0,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "wte",
          [ATTN_ROLE_POSITION_EMBEDDING] = "wpe",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f*",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.ln_1*",
          [ATTN_ROLE_QUERY] = "h.%u.attn.attention.q_proj",
          [ATTN_ROLE_KEY] = "h.%u.attn.attention.k_proj",
          [ATTN_ROLE_VALUE] = "h.%u.attn.attention.v_proj",
          [ATTN_ROLE_OUTPUT] = "h.%u.attn.attention.out_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "h.%u.ln_2*",
          [ATTN_ROLE_UP] = "h.%u.mlp.c_fc*",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.c_proj*",
      },
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
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
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm",
      },
  },
  /* Lozhkov et al. 2024, arXiv 2402.19173. */
  {
      .model_type = "starcoder2",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_ALL,
      .architecture = "starcoder2",
      .sizes = { 30, 24, 2, 0, 3072, 12288, 4096, 49152, 0 },
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-5,
      .rotary_share = 1.0,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "norm*",
          [ATTN_ROLE_LOGITS] = "lm_head",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm*",
          [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj*",
          [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj*",
          [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj*",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm*",
          [ATTN_ROLE_UP] = "layers.%u.mlp.c_fc*",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.c_proj*",
      },
  },
  /* Devlin et al. 2018, arXiv 1810.04805. */
  {
      .model_type = "bert",
      .prefix = "bert.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .architecture = "bert",
      .sizes = { 12, 12, 0, 0, 768, 3072, 512, 30522 },
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          BERT_NAMES,
          [ATTN_ROLE_HEAD] = "cls.predictions.transform.dense*",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "cls.predictions.transform.LayerNorm*",
          [ATTN_ROLE_LOGITS] = "cls.predictions.decoder",
          [ATTN_ROLE_LOGITS_BIAS] = "cls.predictions",
      },
      .gguf_names = {
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "blk.%u.attn_output_norm*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "blk.%u.layer_output_norm*",
      },
  },
  /* Liu et al. 2019, arXiv 1907.11692. Positions are counted from the padding token on. */
  {
      .model_type = "roberta",
      .prefix = "roberta.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .position_offset = 2,
      .counts_offset = TRUE,
      .has_gelu_head = TRUE,
      .sizes = { 12, 12, 0, 0, 768, 3072, 512, 50265 },
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          BERT_NAMES,
          [ATTN_ROLE_HEAD] = "lm_head.dense*",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "lm_head.layer_norm*",
          [ATTN_ROLE_LOGITS] = "lm_head.decoder",
          [ATTN_ROLE_LOGITS_BIAS] = "lm_head",
      },
  },
  /* Sanh et al. 2019, arXiv 1910.01108. */
  {
      .model_type = "distilbert",
      .prefix = "distilbert.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .sizes = { 6, 12, 0, 0, 768, 3072, 512, 30522 },
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",
          [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings",
          [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "embeddings.LayerNorm*",
          [ATTN_ROLE_HEAD] = "vocab_transform*",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "vocab_layer_norm*",
          [ATTN_ROLE_LOGITS] = "vocab_projector*",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "transformer.layer.%u.sa_layer_norm*",
          [ATTN_ROLE_QUERY] = "transformer.layer.%u.attention.q_lin*",
          [ATTN_ROLE_KEY] = "transformer.layer.%u.attention.k_lin*",
          [ATTN_ROLE_VALUE] = "transformer.layer.%u.attention.v_lin*",
          [ATTN_ROLE_OUTPUT] = "transformer.layer.%u.attention.out_lin*",
          [ATTN_ROLE_INNER_NORM_SCALE] = "transformer.layer.%u.output_layer_norm*",
          [ATTN_ROLE_UP] = "transformer.layer.%u.ffn.lin1*",
          [ATTN_ROLE_DOWN] = "transformer.layer.%u.ffn.lin2*",
      },
  },
};

/**
 * attn_family_lookup:
 * @name: as config.json names it in “model_type”, or a GGUF file in “general.architecture”
 * @is_gguf: whether it is of a GGUF file
 *
 * Returns: (transfer none) (nullable): the row, or %NULL if the table has none of that name
 */
const AttnFamily *
attn_family_lookup (const char *name,
                    gboolean    is_gguf)
{
  /* The same as RoBERTa but for its vocabulary, and as Gemma 3 without pictures. */
  static const char * const others[][2] = { { "xlm-roberta", "roberta" },
                                            { "gemma3_text", "gemma3" } };

  for (gsize i = 0; i < G_N_ELEMENTS (others) && !is_gguf; i++)
    if (strcmp (name, others[i][0]) == 0)
      name = others[i][1];
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_strcmp0 (is_gguf ? families[i].architecture : families[i].model_type, name) == 0)
      return &families[i];
  return NULL;
}

static char *
spell (const char *name,
       gboolean    is_bias,
       gsize       layer)
{
  gsize n = strcspn (name, "*!");
  g_autoptr (GString) text = g_string_new_len (name, (gssize) n);
  g_autofree char *number = g_strdup_printf ("%zu", layer);

  g_string_replace (text, "%u", number, 1);
  if (name[n] != '!')
    g_string_append (text, is_bias ? ".bias" : ".weight");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_family_dup_name:
 * @is_gguf: whether it is of a GGUF file
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer full) (nullable): name of the role's tensor, %NULL for one that checkpoints of
 *   the family never have
 */
char *
attn_family_dup_name (const AttnFamily *family,
                      gboolean          is_gguf,
                      AttnRole          role,
                      gsize             layer)
{
  gboolean is_bias = attn_role_is_bias (role);
  AttnRole weight = is_bias ? role - 1 : role;
  gboolean is_usual = is_gguf && family->gguf_names[weight] == NULL;
  const char * const *names = is_usual  ? gguf_names
                              : is_gguf ? family->gguf_names
                                        : family->names;
  const char *name = names[role];

  if (name == NULL && is_bias && names[weight] != NULL && strchr (names[weight], '*') != NULL)
    name = names[weight];
  return name != NULL ? spell (name, is_bias, layer) : NULL;
}

/**
 * attn_family_dup_shared_name:
 * @role: gate, up or down
 *
 * Returns: (transfer full) (nullable): the tensor's name in the shared expert, through which every
 *   token goes
 */
char *
attn_family_dup_shared_name (const AttnFamily *family,
                             gboolean          is_gguf,
                             AttnRole          role,
                             gsize             layer)
{
  static const char * const shared_gguf_names[] = { "blk.%u.ffn_gate_shexp", "blk.%u.ffn_up_shexp",
                                                    "blk.%u.ffn_down_shexp" };
  gsize index = (role - ATTN_ROLE_GATE) / 2;

  if (family->shared_names[index] == NULL || attn_role_is_bias (role))
    return NULL;
  return spell (is_gguf ? shared_gguf_names[index] : family->shared_names[index], FALSE, layer);
}

/**
 * attn_family_get_names:
 * @is_gguf: whether those that GGUF files hold are wanted, by the names that they have there
 *
 * Returns: (transfer none) (array zero-terminated=1): the families there are. Any thread may call.
 */
const char * const *
attn_family_get_names (gboolean is_gguf)
{
  static const char *names[2][G_N_ELEMENTS (families) + 1];
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      gsize n_architectures = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
        {
          names[0][i] = families[i].model_type;
          if (families[i].architecture != NULL &&
              !g_strv_contains (names[1], families[i].architecture))
            names[1][n_architectures++] = families[i].architecture;
        }
      g_once_init_leave (&is_ready, 1);
    }
  return names[is_gguf];
}
