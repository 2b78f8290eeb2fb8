/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-family.h"

#include <string.h>

/* Tensor names are those of the Hugging Face checkpoints. */

/* What the families that come after LLaMA call alike. */
#define LLAMA_EMBEDDING_NAMES                          \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens.weight", \
  [ATTN_ROLE_FINAL_NORM_SCALE] = "norm.weight", [ATTN_ROLE_LOGITS] = "lm_head.weight"

#define LLAMA_ATTENTION_NAMES                                            \
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm.weight", \
  [ATTN_ROLE_QUERY] = "layers.%u.self_attn.q_proj.weight",               \
  [ATTN_ROLE_QUERY_BIAS] = "layers.%u.self_attn.q_proj.bias",            \
  [ATTN_ROLE_KEY] = "layers.%u.self_attn.k_proj.weight",                 \
  [ATTN_ROLE_KEY_BIAS] = "layers.%u.self_attn.k_proj.bias",              \
  [ATTN_ROLE_VALUE] = "layers.%u.self_attn.v_proj.weight",               \
  [ATTN_ROLE_VALUE_BIAS] = "layers.%u.self_attn.v_proj.bias"

#define LLAMA_OUTPUT_NAME [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.o_proj.weight"

#define LLAMA_OUTPUT_BIAS_NAME \
  [ATTN_ROLE_OUTPUT_BIAS] = "layers.%u.self_attn.o_proj.bias"

#define LLAMA_INNER_NORM_NAME \
  [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm.weight"

#define LLAMA_INNER_NAMES                                 \
  [ATTN_ROLE_GATE] = "layers.%u.mlp.gate_proj.weight",    \
  [ATTN_ROLE_GATE_BIAS] = "layers.%u.mlp.gate_proj.bias", \
  [ATTN_ROLE_UP] = "layers.%u.mlp.up_proj.weight",        \
  [ATTN_ROLE_UP_BIAS] = "layers.%u.mlp.up_proj.bias",     \
  [ATTN_ROLE_DOWN] = "layers.%u.mlp.down_proj.weight",    \
  [ATTN_ROLE_DOWN_BIAS] = "layers.%u.mlp.down_proj.bias"

/* What BERT and RoBERTa call alike. */
#define BERT_NAMES                                                                         \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings.weight",                       \
  [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings.weight",                \
  [ATTN_ROLE_TYPE_EMBEDDING] = "embeddings.token_type_embeddings.weight",                  \
  [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "embeddings.LayerNorm.weight",                        \
  [ATTN_ROLE_EMBEDDING_NORM_BIAS] = "embeddings.LayerNorm.bias",                           \
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "encoder.layer.%u.attention.output.LayerNorm.weight", \
  [ATTN_ROLE_ATTENTION_NORM_BIAS] = "encoder.layer.%u.attention.output.LayerNorm.bias",    \
  [ATTN_ROLE_QUERY] = "encoder.layer.%u.attention.self.query.weight",                      \
  [ATTN_ROLE_QUERY_BIAS] = "encoder.layer.%u.attention.self.query.bias",                   \
  [ATTN_ROLE_KEY] = "encoder.layer.%u.attention.self.key.weight",                          \
  [ATTN_ROLE_KEY_BIAS] = "encoder.layer.%u.attention.self.key.bias",                       \
  [ATTN_ROLE_VALUE] = "encoder.layer.%u.attention.self.value.weight",                      \
  [ATTN_ROLE_VALUE_BIAS] = "encoder.layer.%u.attention.self.value.bias",                   \
  [ATTN_ROLE_OUTPUT] = "encoder.layer.%u.attention.output.dense.weight",                   \
  [ATTN_ROLE_OUTPUT_BIAS] = "encoder.layer.%u.attention.output.dense.bias",                \
  [ATTN_ROLE_INNER_NORM_SCALE] = "encoder.layer.%u.output.LayerNorm.weight",               \
  [ATTN_ROLE_INNER_NORM_BIAS] = "encoder.layer.%u.output.LayerNorm.bias",                  \
  [ATTN_ROLE_UP] = "encoder.layer.%u.intermediate.dense.weight",                           \
  [ATTN_ROLE_UP_BIAS] = "encoder.layer.%u.intermediate.dense.bias",                        \
  [ATTN_ROLE_DOWN] = "encoder.layer.%u.output.dense.weight",                               \
  [ATTN_ROLE_DOWN_BIAS] = "encoder.layer.%u.output.dense.bias"

/* Tensors of GGUF files, which have one name for all families but those below: LLM_TENSOR_NAMES of
 * llama.cpp. */
static const char * const gguf_names[ATTN_N_ROLES] = {
  [ATTN_ROLE_TOKEN_EMBEDDING] = "token_embd.weight",
  [ATTN_ROLE_POSITION_EMBEDDING] = "position_embd.weight",
  [ATTN_ROLE_TYPE_EMBEDDING] = "token_types.weight",
  [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "token_embd_norm.weight",
  [ATTN_ROLE_EMBEDDING_NORM_BIAS] = "token_embd_norm.bias",
  [ATTN_ROLE_FINAL_NORM_SCALE] = "output_norm.weight",
  [ATTN_ROLE_FINAL_NORM_BIAS] = "output_norm.bias",
  [ATTN_ROLE_LOGITS] = "output.weight",
  [ATTN_ROLE_LOGITS_BIAS] = "output.bias",
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "blk.%u.attn_norm.weight",
  [ATTN_ROLE_ATTENTION_NORM_BIAS] = "blk.%u.attn_norm.bias",
  [ATTN_ROLE_QKV] = "blk.%u.attn_qkv.weight",
  [ATTN_ROLE_QKV_BIAS] = "blk.%u.attn_qkv.bias",
  [ATTN_ROLE_QUERY] = "blk.%u.attn_q.weight",
  [ATTN_ROLE_QUERY_BIAS] = "blk.%u.attn_q.bias",
  [ATTN_ROLE_KEY] = "blk.%u.attn_k.weight",
  [ATTN_ROLE_KEY_BIAS] = "blk.%u.attn_k.bias",
  [ATTN_ROLE_VALUE] = "blk.%u.attn_v.weight",
  [ATTN_ROLE_VALUE_BIAS] = "blk.%u.attn_v.bias",
  [ATTN_ROLE_QUERY_NORM_SCALE] = "blk.%u.attn_q_norm.weight",
  [ATTN_ROLE_QUERY_NORM_BIAS] = "blk.%u.attn_q_norm.bias",
  [ATTN_ROLE_KEY_NORM_SCALE] = "blk.%u.attn_k_norm.weight",
  [ATTN_ROLE_KEY_NORM_BIAS] = "blk.%u.attn_k_norm.bias",
  [ATTN_ROLE_OUTPUT] = "blk.%u.attn_output.weight",
  [ATTN_ROLE_OUTPUT_BIAS] = "blk.%u.attn_output.bias",
  [ATTN_ROLE_OUTPUT_NORM_SCALE] = "blk.%u.post_attention_norm.weight",
  [ATTN_ROLE_INNER_NORM_SCALE] = "blk.%u.ffn_norm.weight",
  [ATTN_ROLE_INNER_NORM_BIAS] = "blk.%u.ffn_norm.bias",
  [ATTN_ROLE_GATE] = "blk.%u.ffn_gate.weight",
  [ATTN_ROLE_GATE_BIAS] = "blk.%u.ffn_gate.bias",
  [ATTN_ROLE_UP] = "blk.%u.ffn_up.weight",
  [ATTN_ROLE_UP_BIAS] = "blk.%u.ffn_up.bias",
  [ATTN_ROLE_DOWN] = "blk.%u.ffn_down.weight",
  [ATTN_ROLE_DOWN_BIAS] = "blk.%u.ffn_down.bias",
  [ATTN_ROLE_DOWN_NORM_SCALE] = "blk.%u.post_ffw_norm.weight",
};

/* The same of families whose norms come last. */
static const char * const gguf_post_norm_names[ATTN_N_ROLES] = {
  [ATTN_ROLE_ATTENTION_NORM_SCALE] = "blk.%u.attn_output_norm.weight",
  [ATTN_ROLE_ATTENTION_NORM_BIAS] = "blk.%u.attn_output_norm.bias",
  [ATTN_ROLE_INNER_NORM_SCALE] = "blk.%u.layer_output_norm.weight",
  [ATTN_ROLE_INNER_NORM_BIAS] = "blk.%u.layer_output_norm.bias",
};

static const AttnFamily families[] = {
  /* Radford et al. 2019. */
  {
      .model_type = "gpt2",
      .prefix = "transformer.",
      .is_input_major = TRUE,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "wte.weight",
          [ATTN_ROLE_POSITION_EMBEDDING] = "wpe.weight",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "ln_f.bias",
          [ATTN_ROLE_LOGITS] = "lm_head.weight",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.ln_1.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "h.%u.ln_1.bias",
          [ATTN_ROLE_QKV] = "h.%u.attn.c_attn.weight",
          [ATTN_ROLE_QKV_BIAS] = "h.%u.attn.c_attn.bias",
          [ATTN_ROLE_OUTPUT] = "h.%u.attn.c_proj.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "h.%u.attn.c_proj.bias",
          [ATTN_ROLE_INNER_NORM_SCALE] = "h.%u.ln_2.weight",
          [ATTN_ROLE_INNER_NORM_BIAS] = "h.%u.ln_2.bias",
          [ATTN_ROLE_UP] = "h.%u.mlp.c_fc.weight",
          [ATTN_ROLE_UP_BIAS] = "h.%u.mlp.c_fc.bias",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.c_proj.weight",
          [ATTN_ROLE_DOWN_BIAS] = "h.%u.mlp.c_proj.bias",
      },
      .architecture = "gpt2",
      .n_layers = 12,
      .n_heads = 12,
      .width = 768,
      .n_positions = 1024,
      .vocabulary_size = 50257,
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Touvron et al. 2023, arXiv 2302.13971 and 2307.09288; Dubey et al. 2024, arXiv 2407.21783. */
  {
      .model_type = "llama",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_OUTPUT_BIAS_NAME,
          LLAMA_INNER_NORM_NAME,
          LLAMA_INNER_NAMES,
      },
      .architecture = "llama",
      .has_paired_rows = TRUE,
      .n_layers = 32,
      .n_heads = 32,
      .width = 4096,
      .inner_width = 11008,
      .n_positions = 2048,
      .vocabulary_size = 32000,
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
  },
  /* Jiang et al. 2023, arXiv 2310.06825. */
  {
      .model_type = "mistral",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_ALL,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_INNER_NORM_NAME,
          LLAMA_INNER_NAMES,
      },
      .n_layers = 32,
      .n_heads = 32,
      .n_key_heads = 8,
      .width = 4096,
      .inner_width = 14336,
      .n_positions = 4096 * 32,
      .vocabulary_size = 32000,
      .window = 4096,
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
  },
  /* Yang et al. 2024, arXiv 2407.10671. */
  {
      .model_type = "qwen2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_UPPER,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_INNER_NORM_NAME,
          LLAMA_INNER_NAMES,
      },
      .architecture = "qwen2",
      .n_layers = 32,
      .n_heads = 32,
      .n_key_heads = 32,
      .width = 4096,
      .inner_width = 22016,
      .n_positions = 32768,
      .vocabulary_size = 151936,
      .window = 4096,
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
  },
  /* Yang et al. 2025, arXiv 2505.09388. */
  {
      .model_type = "qwen3",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_UPPER,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_OUTPUT_BIAS_NAME,
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_norm.weight",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_norm.weight",
          LLAMA_INNER_NORM_NAME,
          LLAMA_INNER_NAMES,
      },
      .architecture = "qwen3",
      .n_layers = 32,
      .n_heads = 32,
      .n_key_heads = 32,
      .head_width = 128,
      .width = 4096,
      .inner_width = 22016,
      .n_positions = 32768,
      .vocabulary_size = 151936,
      .window = 4096,
      .activation = "silu",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .has_own_logits = TRUE,
      .has_query_key_norm = TRUE,
  },
  /* Black et al. 2022, arXiv 2204.06745; also Pythia. */
  {
      .model_type = "gpt_neox",
      .prefix = "gpt_neox.",
      .positions = ATTN_POSITIONS_ROTARY,
      .order = ATTN_ORDER_PARALLEL,
      .qkv_layout = ATTN_QKV_BY_HEAD,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_in.weight",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "final_layer_norm.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "final_layer_norm.bias",
          [ATTN_ROLE_LOGITS] = "embed_out.weight",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "layers.%u.input_layernorm.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "layers.%u.input_layernorm.bias",
          [ATTN_ROLE_QKV] = "layers.%u.attention.query_key_value.weight",
          [ATTN_ROLE_QKV_BIAS] = "layers.%u.attention.query_key_value.bias",
          [ATTN_ROLE_OUTPUT] = "layers.%u.attention.dense.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "layers.%u.attention.dense.bias",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.post_attention_layernorm.weight",
          [ATTN_ROLE_INNER_NORM_BIAS] = "layers.%u.post_attention_layernorm.bias",
          [ATTN_ROLE_UP] = "layers.%u.mlp.dense_h_to_4h.weight",
          [ATTN_ROLE_UP_BIAS] = "layers.%u.mlp.dense_h_to_4h.bias",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.dense_4h_to_h.weight",
          [ATTN_ROLE_DOWN_BIAS] = "layers.%u.mlp.dense_4h_to_h.bias",
      },
      .architecture = "gptneox",
      .n_layers = 44,
      .n_heads = 64,
      .width = 6144,
      .inner_width = 24576,
      .n_positions = 2048,
      .vocabulary_size = 50432,
      .activation = "gelu",
      .norm_epsilon = 1e-5,
      .rotary_share = 0.25,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Li et al. 2023, arXiv 2309.05463. */
  {
      .model_type = "phi",
      .prefix = "model.",
      .positions = ATTN_POSITIONS_ROTARY,
      .order = ATTN_ORDER_PARALLEL,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embed_tokens.weight",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "final_layernorm.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "final_layernorm.bias",
          [ATTN_ROLE_LOGITS] = "lm_head.weight",
          [ATTN_ROLE_LOGITS_BIAS] = "lm_head.bias",
          LLAMA_ATTENTION_NAMES,
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "layers.%u.input_layernorm.bias",
          [ATTN_ROLE_QUERY_NORM_SCALE] = "layers.%u.self_attn.q_layernorm.weight",
          [ATTN_ROLE_QUERY_NORM_BIAS] = "layers.%u.self_attn.q_layernorm.bias",
          [ATTN_ROLE_KEY_NORM_SCALE] = "layers.%u.self_attn.k_layernorm.weight",
          [ATTN_ROLE_KEY_NORM_BIAS] = "layers.%u.self_attn.k_layernorm.bias",
          [ATTN_ROLE_OUTPUT] = "layers.%u.self_attn.dense.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "layers.%u.self_attn.dense.bias",
          [ATTN_ROLE_UP] = "layers.%u.mlp.fc1.weight",
          [ATTN_ROLE_UP_BIAS] = "layers.%u.mlp.fc1.bias",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.fc2.weight",
          [ATTN_ROLE_DOWN_BIAS] = "layers.%u.mlp.fc2.bias",
      },
      .architecture = "phi2",
      .n_layers = 24,
      .n_heads = 32,
      .width = 2048,
      .inner_width = 8192,
      .n_positions = 2048,
      .vocabulary_size = 51200,
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .rotary_share = 0.5,
      .has_own_logits = TRUE,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Zhang et al. 2022, arXiv 2205.01068. */
  {
      .model_type = "opt",
      .prefix = "model.",
      .position_offset = 2,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "decoder.embed_tokens.weight",
          [ATTN_ROLE_POSITION_EMBEDDING] = "decoder.embed_positions.weight",
          [ATTN_ROLE_PROJECT_IN] = "decoder.project_in.weight",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "decoder.final_layer_norm.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "decoder.final_layer_norm.bias",
          [ATTN_ROLE_PROJECT_OUT] = "decoder.project_out.weight",
          [ATTN_ROLE_LOGITS] = "lm_head.weight",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "decoder.layers.%u.self_attn_layer_norm.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "decoder.layers.%u.self_attn_layer_norm.bias",
          [ATTN_ROLE_QUERY] = "decoder.layers.%u.self_attn.q_proj.weight",
          [ATTN_ROLE_QUERY_BIAS] = "decoder.layers.%u.self_attn.q_proj.bias",
          [ATTN_ROLE_KEY] = "decoder.layers.%u.self_attn.k_proj.weight",
          [ATTN_ROLE_KEY_BIAS] = "decoder.layers.%u.self_attn.k_proj.bias",
          [ATTN_ROLE_VALUE] = "decoder.layers.%u.self_attn.v_proj.weight",
          [ATTN_ROLE_VALUE_BIAS] = "decoder.layers.%u.self_attn.v_proj.bias",
          [ATTN_ROLE_OUTPUT] = "decoder.layers.%u.self_attn.out_proj.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "decoder.layers.%u.self_attn.out_proj.bias",
          [ATTN_ROLE_INNER_NORM_SCALE] = "decoder.layers.%u.final_layer_norm.weight",
          [ATTN_ROLE_INNER_NORM_BIAS] = "decoder.layers.%u.final_layer_norm.bias",
          [ATTN_ROLE_UP] = "decoder.layers.%u.fc1.weight",
          [ATTN_ROLE_UP_BIAS] = "decoder.layers.%u.fc1.bias",
          [ATTN_ROLE_DOWN] = "decoder.layers.%u.fc2.weight",
          [ATTN_ROLE_DOWN_BIAS] = "decoder.layers.%u.fc2.bias",
      },
      .n_layers = 12,
      .n_heads = 12,
      .width = 768,
      .inner_width = 3072,
      .n_positions = 2048,
      .vocabulary_size = 50272,
      .activation = "relu",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Le Scao et al. 2022, arXiv 2211.05100. */
  {
      .model_type = "bloom",
      .prefix = "transformer.",
      .positions = ATTN_POSITIONS_ALIBI,
      .qkv_layout = ATTN_QKV_BY_HEAD,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "word_embeddings.weight",
          [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "word_embeddings_layernorm.weight",
          [ATTN_ROLE_EMBEDDING_NORM_BIAS] = "word_embeddings_layernorm.bias",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "ln_f.bias",
          [ATTN_ROLE_LOGITS] = "lm_head.weight",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.input_layernorm.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "h.%u.input_layernorm.bias",
          [ATTN_ROLE_QKV] = "h.%u.self_attention.query_key_value.weight",
          [ATTN_ROLE_QKV_BIAS] = "h.%u.self_attention.query_key_value.bias",
          [ATTN_ROLE_OUTPUT] = "h.%u.self_attention.dense.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "h.%u.self_attention.dense.bias",
          [ATTN_ROLE_INNER_NORM_SCALE] = "h.%u.post_attention_layernorm.weight",
          [ATTN_ROLE_INNER_NORM_BIAS] = "h.%u.post_attention_layernorm.bias",
          [ATTN_ROLE_UP] = "h.%u.mlp.dense_h_to_4h.weight",
          [ATTN_ROLE_UP_BIAS] = "h.%u.mlp.dense_h_to_4h.bias",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.dense_4h_to_h.weight",
          [ATTN_ROLE_DOWN_BIAS] = "h.%u.mlp.dense_4h_to_h.bias",
      },
      .architecture = "bloom",
      .n_layers = 2,
      .n_heads = 8,
      .width = 64,
      .n_positions = 2048,
      .vocabulary_size = 250880,
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Wang and Komatsuzaki 2021. */
  {
      .model_type = "gptj",
      .prefix = "transformer.",
      .positions = ATTN_POSITIONS_ROTARY_PAIRED,
      .order = ATTN_ORDER_PARALLEL,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "wte.weight",
          [ATTN_ROLE_FINAL_NORM_SCALE] = "ln_f.weight",
          [ATTN_ROLE_FINAL_NORM_BIAS] = "ln_f.bias",
          [ATTN_ROLE_LOGITS] = "lm_head.weight",
          [ATTN_ROLE_LOGITS_BIAS] = "lm_head.bias",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "h.%u.ln_1.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "h.%u.ln_1.bias",
          [ATTN_ROLE_QUERY] = "h.%u.attn.q_proj.weight",
          [ATTN_ROLE_KEY] = "h.%u.attn.k_proj.weight",
          [ATTN_ROLE_VALUE] = "h.%u.attn.v_proj.weight",
          [ATTN_ROLE_OUTPUT] = "h.%u.attn.out_proj.weight",
          [ATTN_ROLE_UP] = "h.%u.mlp.fc_in.weight",
          [ATTN_ROLE_UP_BIAS] = "h.%u.mlp.fc_in.bias",
          [ATTN_ROLE_DOWN] = "h.%u.mlp.fc_out.weight",
          [ATTN_ROLE_DOWN_BIAS] = "h.%u.mlp.fc_out.bias",
      },
      .n_layers = 28,
      .n_heads = 16,
      .width = 4096,
      .n_positions = 2048,
      .vocabulary_size = 50400,
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
      .rotary_width = 64,
      .has_own_logits = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Gemma Team 2024, arXiv 2403.08295. */
  {
      .model_type = "gemma",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_OUTPUT_BIAS_NAME,
          LLAMA_INNER_NORM_NAME,
          LLAMA_INNER_NAMES,
      },
      .architecture = "gemma",
      .n_layers = 28,
      .n_heads = 16,
      .n_key_heads = 16,
      .head_width = 256,
      .width = 3072,
      .inner_width = 24576,
      .n_positions = 8192,
      .vocabulary_size = 256000,
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
  },
  /* Gemma Team 2024, arXiv 2408.00118. */
  {
      .model_type = "gemma2",
      .prefix = "model.",
      .norm = ATTN_NORM_RMS_OFFSET,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_EVEN,
      .activation_member = "hidden_activation",
      .has_embedding_scale = TRUE,
      .names = {
          LLAMA_EMBEDDING_NAMES,
          LLAMA_ATTENTION_NAMES,
          LLAMA_OUTPUT_NAME,
          LLAMA_OUTPUT_BIAS_NAME,
          [ATTN_ROLE_OUTPUT_NORM_SCALE] = "layers.%u.post_attention_layernorm.weight",
          [ATTN_ROLE_INNER_NORM_SCALE] = "layers.%u.pre_feedforward_layernorm.weight",
          LLAMA_INNER_NAMES,
          [ATTN_ROLE_DOWN_NORM_SCALE] = "layers.%u.post_feedforward_layernorm.weight",
      },
      .architecture = "gemma2",
      .n_layers = 26,
      .n_heads = 8,
      .n_key_heads = 4,
      .head_width = 256,
      .width = 2304,
      .inner_width = 9216,
      .n_positions = 8192,
      .vocabulary_size = 256000,
      .window = 4096,
      .activation = "gelu_pytorch_tanh",
      .norm_epsilon = 1e-6,
      .rotary_share = 1.0,
      .query_scalar = 256.0,
      .score_cap = 50.0,
      .logit_cap = 30.0,
  },
  /* Devlin et al. 2018, arXiv 1810.04805. */
  {
      .model_type = "bert",
      .prefix = "bert.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .names = {
          BERT_NAMES,
          [ATTN_ROLE_HEAD] = "cls.predictions.transform.dense.weight",
          [ATTN_ROLE_HEAD_BIAS] = "cls.predictions.transform.dense.bias",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "cls.predictions.transform.LayerNorm.weight",
          [ATTN_ROLE_HEAD_NORM_BIAS] = "cls.predictions.transform.LayerNorm.bias",
          [ATTN_ROLE_LOGITS] = "cls.predictions.decoder.weight",
          [ATTN_ROLE_LOGITS_BIAS] = "cls.predictions.bias",
      },
      .architecture = "bert",
      .n_layers = 12,
      .n_heads = 12,
      .width = 768,
      .inner_width = 3072,
      .n_positions = 512,
      .vocabulary_size = 30522,
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Liu et al. 2019, arXiv 1907.11692. Positions are counted from the padding token on. */
  {
      .model_type = "roberta",
      .prefix = "roberta.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .position_offset = 2,
      .counts_offset = TRUE,
      .names = {
          BERT_NAMES,
          [ATTN_ROLE_HEAD] = "lm_head.dense.weight",
          [ATTN_ROLE_HEAD_BIAS] = "lm_head.dense.bias",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "lm_head.layer_norm.weight",
          [ATTN_ROLE_HEAD_NORM_BIAS] = "lm_head.layer_norm.bias",
          [ATTN_ROLE_LOGITS] = "lm_head.decoder.weight",
          [ATTN_ROLE_LOGITS_BIAS] = "lm_head.bias",
      },
      .n_layers = 12,
      .n_heads = 12,
      .width = 768,
      .inner_width = 3072,
      .n_positions = 512,
      .vocabulary_size = 50265,
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
  /* Sanh et al. 2019, arXiv 1910.01108. */
  {
      .model_type = "distilbert",
      .prefix = "distilbert.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings.weight",
          [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings.weight",
          [ATTN_ROLE_EMBEDDING_NORM_SCALE] = "embeddings.LayerNorm.weight",
          [ATTN_ROLE_EMBEDDING_NORM_BIAS] = "embeddings.LayerNorm.bias",
          [ATTN_ROLE_HEAD] = "vocab_transform.weight",
          [ATTN_ROLE_HEAD_BIAS] = "vocab_transform.bias",
          [ATTN_ROLE_HEAD_NORM_SCALE] = "vocab_layer_norm.weight",
          [ATTN_ROLE_HEAD_NORM_BIAS] = "vocab_layer_norm.bias",
          [ATTN_ROLE_LOGITS] = "vocab_projector.weight",
          [ATTN_ROLE_LOGITS_BIAS] = "vocab_projector.bias",
          [ATTN_ROLE_ATTENTION_NORM_SCALE] = "transformer.layer.%u.sa_layer_norm.weight",
          [ATTN_ROLE_ATTENTION_NORM_BIAS] = "transformer.layer.%u.sa_layer_norm.bias",
          [ATTN_ROLE_QUERY] = "transformer.layer.%u.attention.q_lin.weight",
          [ATTN_ROLE_QUERY_BIAS] = "transformer.layer.%u.attention.q_lin.bias",
          [ATTN_ROLE_KEY] = "transformer.layer.%u.attention.k_lin.weight",
          [ATTN_ROLE_KEY_BIAS] = "transformer.layer.%u.attention.k_lin.bias",
          [ATTN_ROLE_VALUE] = "transformer.layer.%u.attention.v_lin.weight",
          [ATTN_ROLE_VALUE_BIAS] = "transformer.layer.%u.attention.v_lin.bias",
          [ATTN_ROLE_OUTPUT] = "transformer.layer.%u.attention.out_lin.weight",
          [ATTN_ROLE_OUTPUT_BIAS] = "transformer.layer.%u.attention.out_lin.bias",
          [ATTN_ROLE_INNER_NORM_SCALE] = "transformer.layer.%u.output_layer_norm.weight",
          [ATTN_ROLE_INNER_NORM_BIAS] = "transformer.layer.%u.output_layer_norm.bias",
          [ATTN_ROLE_UP] = "transformer.layer.%u.ffn.lin1.weight",
          [ATTN_ROLE_UP_BIAS] = "transformer.layer.%u.ffn.lin1.bias",
          [ATTN_ROLE_DOWN] = "transformer.layer.%u.ffn.lin2.weight",
          [ATTN_ROLE_DOWN_BIAS] = "transformer.layer.%u.ffn.lin2.bias",
      },
      .n_layers = 6,
      .n_heads = 12,
      .width = 768,
      .inner_width = 3072,
      .n_positions = 512,
      .vocabulary_size = 30522,
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
  },
};

/**
 * attn_family_lookup:
 * @model_type: as config.json names it
 *
 * Returns: (transfer none) (nullable): the row, or %NULL if the table has none of that name
 */
const AttnFamily *
attn_family_lookup (const char *model_type)
{
  /* The same but for its vocabulary. */
  if (strcmp (model_type, "xlm-roberta") == 0)
    model_type = "roberta";
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if (strcmp (families[i].model_type, model_type) == 0)
      return &families[i];
  return NULL;
}

/**
 * attn_family_lookup_architecture:
 * @architecture: as “general.architecture” of a GGUF file names it
 *
 * Returns: (transfer none) (nullable): the row, or %NULL if the table has none of that name
 */
const AttnFamily *
attn_family_lookup_architecture (const char *architecture)
{
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_strcmp0 (families[i].architecture, architecture) == 0)
      return &families[i];
  return NULL;
}

/**
 * attn_family_get_gguf_name:
 *
 * Returns: (transfer none) (nullable): name of the role's tensor in a GGUF file, "%u" standing for
 *   the layer; %NULL for one that such files do not have
 */
const char *
attn_family_get_gguf_name (const AttnFamily *family,
                           AttnRole          role)
{
  if (family->order == ATTN_ORDER_POST_NORM && gguf_post_norm_names[role] != NULL)
    return gguf_post_norm_names[role];
  return gguf_names[role];
}

/**
 * attn_family_get_names:
 *
 * Returns: (transfer none) (array zero-terminated=1): the families there are. Any thread may call.
 */
const char * const *
attn_family_get_names (void)
{
  static const char *names[G_N_ELEMENTS (families) + 1];
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
        names[i] = families[i].model_type;
      g_once_init_leave (&is_ready, 1);
    }
  return names;
}

/**
 * attn_family_get_architectures:
 *
 * Returns: (transfer none) (array zero-terminated=1): the families that a GGUF file may hold, by
 *   the names that it has for them. Any thread may call.
 */
const char * const *
attn_family_get_architectures (void)
{
  static const char *names[G_N_ELEMENTS (families) + 1];
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      gsize n_names = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
        if (families[i].architecture != NULL)
          names[n_names++] = families[i].architecture;
      g_once_init_leave (&is_ready, 1);
    }
  return names;
}
