/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Encoders: every token sees all. */

#include "config.h"

#include "attn-family-tables.h"

/* Names that BERT and those after it have in common. */
#define BERT_EMBEDDINGS                                              \
  [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",        \
  [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings", \
  [ATTN_ROLE_TYPE_EMBEDDING] = "embeddings.token_type_embeddings",   \
  [ATTN_ROLE_EMBEDDING_NORM] = "embeddings.LayerNorm*"

#define BERT_NAMES                                                                 \
  BERT_EMBEDDINGS,                                                                 \
      [ATTN_ROLE_ATTENTION_NORM] = "encoder.layer.%u.attention.output.LayerNorm*", \
      [ATTN_ROLE_QUERY] = "encoder.layer.%u.attention.self.query*",                \
      [ATTN_ROLE_KEY] = "encoder.layer.%u.attention.self.key*",                    \
      [ATTN_ROLE_VALUE] = "encoder.layer.%u.attention.self.value*",                \
      [ATTN_ROLE_OUTPUT] = "encoder.layer.%u.attention.output.dense*",             \
      [ATTN_ROLE_INNER_NORM] = "encoder.layer.%u.output.LayerNorm*",               \
      [ATTN_ROLE_UP] = "encoder.layer.%u.intermediate.dense*",                     \
      [ATTN_ROLE_DOWN] = "encoder.layer.%u.output.dense*"

#define ALBERT_LAYER "encoder.albert_layer_groups.0.albert_layers.0."

const AttnFamily attn_families_encoders[] = {
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
          [ATTN_ROLE_HEAD_NORM] = "cls.predictions.transform.LayerNorm*",
          [ATTN_ROLE_LOGITS] = "cls.predictions.decoder",
      },
      .bias_names = { [ATTN_ROLE_LOGITS] = "cls.predictions" },
      .gguf_names = {
          [ATTN_ROLE_ATTENTION_NORM] = "blk.%u.attn_output_norm*",
          [ATTN_ROLE_INNER_NORM] = "blk.%u.layer_output_norm*",
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
          [ATTN_ROLE_HEAD_NORM] = "lm_head.layer_norm*",
          [ATTN_ROLE_LOGITS] = "lm_head.decoder",
      },
      .bias_names = { [ATTN_ROLE_LOGITS] = "lm_head" },
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
          [ATTN_ROLE_EMBEDDING_NORM] = "embeddings.LayerNorm*",
          [ATTN_ROLE_HEAD] = "vocab_transform*",
          [ATTN_ROLE_HEAD_NORM] = "vocab_layer_norm*",
          [ATTN_ROLE_LOGITS] = "vocab_projector*",
          [ATTN_ROLE_ATTENTION_NORM] = "transformer.layer.%u.sa_layer_norm*",
          [ATTN_ROLE_QUERY] = "transformer.layer.%u.attention.q_lin*",
          [ATTN_ROLE_KEY] = "transformer.layer.%u.attention.k_lin*",
          [ATTN_ROLE_VALUE] = "transformer.layer.%u.attention.v_lin*",
          [ATTN_ROLE_OUTPUT] = "transformer.layer.%u.attention.out_lin*",
          [ATTN_ROLE_INNER_NORM] = "transformer.layer.%u.output_layer_norm*",
          [ATTN_ROLE_UP] = "transformer.layer.%u.ffn.lin1*",
          [ATTN_ROLE_DOWN] = "transformer.layer.%u.ffn.lin2*",
      },
  },
  /* Lan et al. 2019, arXiv 1909.11942. All layers are one. */
  {
      .model_type = "albert",
      .prefix = "albert.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .embeds_narrowly = TRUE,
      .always_projects = TRUE,
      .sizes = { 12, 64, 0, 0, 4096, 16384, 512, 30000, 0, 128 },
      .activation = "gelu_new",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          BERT_EMBEDDINGS,
          [ATTN_ROLE_PROJECT_IN] = "encoder.embedding_hidden_mapping_in*",
          [ATTN_ROLE_HEAD] = "predictions.dense*",
          [ATTN_ROLE_HEAD_NORM] = "predictions.LayerNorm*",
          [ATTN_ROLE_LOGITS] = "predictions.decoder",
          [ATTN_ROLE_ATTENTION_NORM] = ALBERT_LAYER "attention.LayerNorm*",
          [ATTN_ROLE_QUERY] = ALBERT_LAYER "attention.query*",
          [ATTN_ROLE_KEY] = ALBERT_LAYER "attention.key*",
          [ATTN_ROLE_VALUE] = ALBERT_LAYER "attention.value*",
          [ATTN_ROLE_OUTPUT] = ALBERT_LAYER "attention.dense*",
          [ATTN_ROLE_INNER_NORM] = ALBERT_LAYER "full_layer_layer_norm*",
          [ATTN_ROLE_UP] = ALBERT_LAYER "ffn*",
          [ATTN_ROLE_DOWN] = ALBERT_LAYER "ffn_output*",
      },
      .bias_names = { [ATTN_ROLE_LOGITS] = "predictions" },
  },
  /* Clark et al. 2020, arXiv 2003.10555. A discriminator has no logits. */
  {
      .model_type = "electra",
      .prefix = "electra.",
      .is_bidirectional = TRUE,
      .order = ATTN_ORDER_POST_NORM,
      .embeds_narrowly = TRUE,
      .has_gelu_head = TRUE,
      .sizes = { 12, 4, 0, 0, 256, 1024, 512, 30522, 0, 128 },
      .activation = "gelu",
      .norm_epsilon = 1e-12,
      .has_attention_bias = TRUE,
      .has_inner_bias = TRUE,
      .names = {
          BERT_NAMES,
          [ATTN_ROLE_PROJECT_IN] = "embeddings_project*",
          [ATTN_ROLE_HEAD] = "generator_predictions.dense*",
          [ATTN_ROLE_HEAD_NORM] = "generator_predictions.LayerNorm*",
          [ATTN_ROLE_LOGITS] = "generator_lm_head*",
      },
  },
  /* Warner et al. 2024, arXiv 2412.13663. */
  {
      .model_type = "modernbert",
      .prefix = "model.",
      .is_bidirectional = TRUE,
      .positions = ATTN_POSITIONS_ROTARY,
      .windows = ATTN_WINDOWS_BEHIND_FIRST,
      .window_period = 3,
      .lacks_first_norm = TRUE,
      .has_gelu_head = TRUE,
      .activation_member = "hidden_activation",
      .architecture = "modern-bert",
      .sizes = { 22, 12, 0, 0, 768, 1152, 8192, 50368, 128 },
      .activation = "gelu",
      .norm_epsilon = 1e-5,
      .rotary_base = 160000.0,
      .local_rotary_base = 10000.0,
      .rotary_share = 1.0,
      .names = {
          [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.tok_embeddings",
          [ATTN_ROLE_EMBEDDING_NORM] = "embeddings.norm",
          [ATTN_ROLE_FINAL_NORM] = "final_norm",
          [ATTN_ROLE_HEAD] = "head.dense",
          [ATTN_ROLE_HEAD_NORM] = "head.norm",
          [ATTN_ROLE_LOGITS] = "decoder*",
          [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.attn_norm",
          [ATTN_ROLE_QKV] = "layers.%u.attn.Wqkv*",
          [ATTN_ROLE_OUTPUT] = "layers.%u.attn.Wo*",
          [ATTN_ROLE_INNER_NORM] = "layers.%u.mlp_norm",
          [ATTN_ROLE_GATE] = "layers.%u.mlp.Wi*",
          [ATTN_ROLE_UP] = "layers.%u.mlp.Wi*",
          [ATTN_ROLE_DOWN] = "layers.%u.mlp.Wo*",
      },
      .gguf_names = {
          [ATTN_ROLE_GATE] = "blk.%u.ffn_up*",
          [ATTN_ROLE_UP] = "blk.%u.ffn_up*",
      },
  },
  { 0 },
};
