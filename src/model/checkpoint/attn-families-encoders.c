/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Encoders: every token sees all. */

#include "config.h"

#include "attn-family-tables.h"

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
  { 0 },
};
