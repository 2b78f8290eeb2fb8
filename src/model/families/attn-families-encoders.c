/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Families of encoders, in which every token attends to all tokens, and of models with an encoder
 * and a decoder. */

#include "config.h"

#include "attn-family-tables.h"

/* clang-format off */

/* The family of BERT: Devlin et al. 2018, arXiv 1810.04805. */
#define LIKE_BERT                                                                                \
  USUAL,                                                                                         \
  BIASED,                                                                                        \
  .is_bidirectional = TRUE,                                                                      \
  .order = ATTN_ORDER_POST_NORM,                                                                 \
  .norm_epsilon = 1e-12,                                                                         \
  .activation = "gelu",                                                                          \
  .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .mlp_width = 3072, .n_positions = 512, \
             .vocabulary_size = 30522 },                                                         \
  .names = {                                                                                     \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",                                  \
    [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings",                           \
    [ATTN_ROLE_TYPE_EMBEDDING] = "embeddings.token_type_embeddings",                             \
    [ATTN_ROLE_EMBEDDING_NORM] = "embeddings.LayerNorm*",                                        \
    [ATTN_ROLE_ATTENTION_NORM] = "encoder.layer.%u.attention.output.LayerNorm*",                 \
    [ATTN_ROLE_QUERY] = "encoder.layer.%u.attention.self.query*",                                \
    [ATTN_ROLE_KEY] = "encoder.layer.%u.attention.self.key*",                                    \
    [ATTN_ROLE_VALUE] = "encoder.layer.%u.attention.self.value*",                                \
    [ATTN_ROLE_OUTPUT] = "encoder.layer.%u.attention.output.dense*",                             \
    [ATTN_ROLE_MLP_NORM] = "encoder.layer.%u.output.LayerNorm*",                                 \
    [ATTN_ROLE_UP] = "encoder.layer.%u.intermediate.dense*",                                     \
    [ATTN_ROLE_DOWN] = "encoder.layer.%u.output.dense*",                                         \
  }

#define ALBERT_LAYER "encoder.albert_layer_groups.%g.albert_layers.%i."

/* The family of BART: Lewis et al. 2019, arXiv 1910.13461. */
#define LIKE_BART                                                                                 \
  USUAL,                                                                                          \
  BIASED,                                                                                         \
  .prefix = "model.",                                                                             \
  .is_bidirectional = TRUE,                                                                       \
  .activation = "gelu",                                                                           \
  .sizes = { .n_layers = 12, .n_heads = 16, .width = 1024, .mlp_width = 4096,                     \
             .n_positions = 1024, .vocabulary_size = 50265 },                                     \
  .names = {                                                                                      \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "encoder.embed_tokens",                                         \
    [ATTN_ROLE_POSITION_EMBEDDING] = "encoder.embed_positions",                                   \
    [ATTN_ROLE_EMBEDDING_NORM] = "encoder.layernorm_embedding*",                                  \
    [ATTN_ROLE_FINAL_NORM] = "encoder.layer_norm*",                                               \
    [ATTN_ROLE_ATTENTION_NORM] = "encoder.layers.%u.self_attn_layer_norm*",                       \
    [ATTN_ROLE_QUERY] = "encoder.layers.%u.self_attn.q_proj*",                                    \
    [ATTN_ROLE_KEY] = "encoder.layers.%u.self_attn.k_proj*",                                      \
    [ATTN_ROLE_VALUE] = "encoder.layers.%u.self_attn.v_proj*",                                    \
    [ATTN_ROLE_OUTPUT] = "encoder.layers.%u.self_attn.out_proj*",                                 \
    [ATTN_ROLE_MLP_NORM] = "encoder.layers.%u.final_layer_norm*",                                 \
    [ATTN_ROLE_UP] = "encoder.layers.%u.fc1*",                                                    \
    [ATTN_ROLE_DOWN] = "encoder.layers.%u.fc2*",                                                  \
  },                                                                                              \
  .bias_names[ATTN_ROLE_LOGITS] = "final_logits_bias!",                                           \
  .decoder_names = {                                                                              \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "decoder.embed_tokens",                                         \
    [ATTN_ROLE_POSITION_EMBEDDING] = "decoder.embed_positions",                                   \
    [ATTN_ROLE_EMBEDDING_NORM] = "decoder.layernorm_embedding*",                                  \
    [ATTN_ROLE_FINAL_NORM] = "decoder.layer_norm*",                                               \
    [ATTN_ROLE_LOGITS] = "lm_head",                                                               \
    [ATTN_ROLE_ATTENTION_NORM] = "decoder.layers.%u.self_attn_layer_norm*",                       \
    [ATTN_ROLE_QUERY] = "decoder.layers.%u.self_attn.q_proj*",                                    \
    [ATTN_ROLE_KEY] = "decoder.layers.%u.self_attn.k_proj*",                                      \
    [ATTN_ROLE_VALUE] = "decoder.layers.%u.self_attn.v_proj*",                                    \
    [ATTN_ROLE_OUTPUT] = "decoder.layers.%u.self_attn.out_proj*",                                 \
    [ATTN_ROLE_CROSS_NORM] = "decoder.layers.%u.encoder_attn_layer_norm*",                        \
    [ATTN_ROLE_CROSS_QUERY] = "decoder.layers.%u.encoder_attn.q_proj*",                           \
    [ATTN_ROLE_CROSS_KEY] = "decoder.layers.%u.encoder_attn.k_proj*",                             \
    [ATTN_ROLE_CROSS_VALUE] = "decoder.layers.%u.encoder_attn.v_proj*",                           \
    [ATTN_ROLE_CROSS_OUTPUT] = "decoder.layers.%u.encoder_attn.out_proj*",                        \
    [ATTN_ROLE_MLP_NORM] = "decoder.layers.%u.final_layer_norm*",                                 \
    [ATTN_ROLE_UP] = "decoder.layers.%u.fc1*",                                                    \
    [ATTN_ROLE_DOWN] = "decoder.layers.%u.fc2*",                                                  \
  }

/* WITHOUT_EMBEDDING_NORM takes the norm after the embedding from a family. SINES gives it
 * sinusoidal positions, which are computed, so that no tensor holds them. */
#define WITHOUT_EMBEDDING_NORM                           \
  .names[ATTN_ROLE_EMBEDDING_NORM] = NULL,               \
  .decoder_names[ATTN_ROLE_EMBEDDING_NORM] = NULL
#define SINES                                            \
  .positions = ATTN_POSITIONS_SINES,                     \
  .names[ATTN_ROLE_POSITION_EMBEDDING] = NULL,           \
  .decoder_names[ATTN_ROLE_POSITION_EMBEDDING] = NULL

const AttnFamily attn_families_encoders[] = {
  {
    LIKE_BERT,
    .model_type = "bert", .architecture = "bert",
    .prefix = "bert.",
    .names[ATTN_ROLE_HEAD] = "cls.predictions.transform.dense*",
    .names[ATTN_ROLE_HEAD_NORM] = "cls.predictions.transform.LayerNorm*",
    .names[ATTN_ROLE_LOGITS] = "cls.predictions.decoder",
    .bias_names[ATTN_ROLE_LOGITS] = "cls.predictions",
    .gguf_names[ATTN_ROLE_ATTENTION_NORM] = "blk.%u.attn_output_norm*",
    .gguf_names[ATTN_ROLE_MLP_NORM] = "blk.%u.layer_output_norm*",
  },
  /* The family of RoBERTa: Liu et al. 2019, arXiv 1907.11692. The embedding of position 0 is
   * the row of the table of positions that follows the row with the padding token's id. */
  {
    LIKE_BERT,
    .model_type = "roberta",
    .prefix = "roberta.",
    .position_offset = 2,
    .counts_offset = TRUE,
    .has_gelu_head = TRUE,
    .sizes.vocabulary_size = 50265,
    .names[ATTN_ROLE_HEAD] = "lm_head.dense*",
    .names[ATTN_ROLE_HEAD_NORM] = "lm_head.layer_norm*",
    .names[ATTN_ROLE_LOGITS] = "lm_head.decoder",
    .bias_names[ATTN_ROLE_LOGITS] = "lm_head",
  },
  /* The family of DistilBERT: Sanh et al. 2019, arXiv 1910.01108. */
  {
    LIKE_BERT,
    .model_type = "distilbert",
    .prefix = "distilbert.",
    .sizes.n_layers = 6,
    .names[ATTN_ROLE_TYPE_EMBEDDING] = NULL,
    .names[ATTN_ROLE_HEAD] = "vocab_transform*",
    .names[ATTN_ROLE_HEAD_NORM] = "vocab_layer_norm*",
    .names[ATTN_ROLE_LOGITS] = "vocab_projector*",
    .names[ATTN_ROLE_ATTENTION_NORM] = "transformer.layer.%u.sa_layer_norm*",
    .names[ATTN_ROLE_QUERY] = "transformer.layer.%u.attention.q_lin*",
    .names[ATTN_ROLE_KEY] = "transformer.layer.%u.attention.k_lin*",
    .names[ATTN_ROLE_VALUE] = "transformer.layer.%u.attention.v_lin*",
    .names[ATTN_ROLE_OUTPUT] = "transformer.layer.%u.attention.out_lin*",
    .names[ATTN_ROLE_MLP_NORM] = "transformer.layer.%u.output_layer_norm*",
    .names[ATTN_ROLE_UP] = "transformer.layer.%u.ffn.lin1*",
    .names[ATTN_ROLE_DOWN] = "transformer.layer.%u.ffn.lin2*",
  },
  /* The family of ALBERT: Lan et al. 2019, arXiv 1909.11942. One group of layers, or a few, is
   * passed through again and again, with the same weights. */
  {
    LIKE_BERT,
    .model_type = "albert",
    .prefix = "albert.",
    .embeds_narrowly = TRUE,
    .always_projects = TRUE,
    .repeats_groups = TRUE,
    .activation = "gelu_new",
    .sizes = { .n_layers = 12, .n_heads = 64, .width = 4096, .mlp_width = 16384,
               .n_positions = 512, .vocabulary_size = 30000, .embedding_width = 128 },
    .names[ATTN_ROLE_PROJECT_IN] = "encoder.embedding_hidden_mapping_in*",
    .names[ATTN_ROLE_HEAD] = "predictions.dense*",
    .names[ATTN_ROLE_HEAD_NORM] = "predictions.LayerNorm*",
    .names[ATTN_ROLE_LOGITS] = "predictions.decoder",
    .names[ATTN_ROLE_ATTENTION_NORM] = ALBERT_LAYER "attention.LayerNorm*",
    .names[ATTN_ROLE_QUERY] = ALBERT_LAYER "attention.query*",
    .names[ATTN_ROLE_KEY] = ALBERT_LAYER "attention.key*",
    .names[ATTN_ROLE_VALUE] = ALBERT_LAYER "attention.value*",
    .names[ATTN_ROLE_OUTPUT] = ALBERT_LAYER "attention.dense*",
    .names[ATTN_ROLE_MLP_NORM] = ALBERT_LAYER "full_layer_layer_norm*",
    .names[ATTN_ROLE_UP] = ALBERT_LAYER "ffn*",
    .names[ATTN_ROLE_DOWN] = ALBERT_LAYER "ffn_output*",
    .bias_names[ATTN_ROLE_LOGITS] = "predictions",
  },
  /* The family of ELECTRA: Clark et al. 2020, arXiv 2003.10555. Its generators have logits, its
   * discriminators none. */
  {
    LIKE_BERT,
    .model_type = "electra",
    .prefix = "electra.",
    .embeds_narrowly = TRUE,
    .has_gelu_head = TRUE,
    .sizes = { .n_layers = 12, .n_heads = 4, .width = 256, .mlp_width = 1024,
               .n_positions = 512, .vocabulary_size = 30522, .embedding_width = 128 },
    .names[ATTN_ROLE_PROJECT_IN] = "embeddings_project*",
    .names[ATTN_ROLE_HEAD] = "generator_predictions.dense*",
    .names[ATTN_ROLE_HEAD_NORM] = "generator_predictions.LayerNorm*",
    .names[ATTN_ROLE_LOGITS] = "generator_lm_head*",
  },
  /* The family of ModernBERT: Warner et al. 2024, arXiv 2412.13663. */
  {
    USUAL,
    .model_type = "modernbert", .architecture = "modern-bert",
    .prefix = "model.",
    .is_bidirectional = TRUE,
    .positions = ATTN_POSITIONS_ROTARY,
    .rotary_base = 160000.0,
    .local_rotary_base = 10000.0,
    .windows = ATTN_WINDOWS_BEHIND_FIRST,
    .window_period = 3,
    .lacks_first_norm = TRUE,
    .chooses_norm_bias = TRUE,
    .has_gelu_head = TRUE,
    .activation_member = "hidden_activation",
    .activation = "gelu",
    .sizes = { .n_layers = 22, .n_heads = 12, .width = 768, .mlp_width = 1152,
               .n_positions = 8192, .vocabulary_size = 50368, .window = 128 },
    .names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.tok_embeddings",
      [ATTN_ROLE_EMBEDDING_NORM] = "embeddings.norm*",
      [ATTN_ROLE_FINAL_NORM] = "final_norm*",
      [ATTN_ROLE_HEAD] = "head.dense*",
      [ATTN_ROLE_HEAD_NORM] = "head.norm*",
      [ATTN_ROLE_LOGITS] = "decoder*",
      [ATTN_ROLE_ATTENTION_NORM] = "layers.%u.attn_norm*",
      [ATTN_ROLE_QKV] = "layers.%u.attn.Wqkv*",
      [ATTN_ROLE_OUTPUT] = "layers.%u.attn.Wo*",
      [ATTN_ROLE_MLP_NORM] = "layers.%u.mlp_norm*",
      [ATTN_ROLE_GATE] = "layers.%u.mlp.Wi*",
      [ATTN_ROLE_UP] = "layers.%u.mlp.Wi*",
      [ATTN_ROLE_DOWN] = "layers.%u.mlp.Wo*",
    },
    .gguf_names[ATTN_ROLE_GATE] = "blk.%u.ffn_up*",
    .gguf_names[ATTN_ROLE_UP] = "blk.%u.ffn_up*",
  },
  /* The family of ESM-1b and ESM-2, models of proteins: Rives et al. 2021, doi
   * 10.1073/pnas.2016239118; Lin et al. 2023, doi 10.1126/science.ade2574. */
  {
    LIKE_BERT,
    .model_type = "esm",
    .prefix = "esm.",
    .order = ATTN_ORDER_PRE_NORM,
    .positions = ATTN_POSITIONS_ROTARY,
    .chooses_positions = TRUE,
    .position_offset = 2,
    .counts_offset = TRUE,
    .has_mask_dropout = TRUE,
    .activation_member = "",
    .sizes.n_positions = 1026,
    .sizes.vocabulary_size = 33,
    .names[ATTN_ROLE_TYPE_EMBEDDING] = NULL,
    .names[ATTN_ROLE_EMBEDDING_NORM] = "embeddings.layer_norm*",
    .names[ATTN_ROLE_ATTENTION_NORM] = "encoder.layer.%u.attention.LayerNorm*",
    .names[ATTN_ROLE_MLP_NORM] = "encoder.layer.%u.LayerNorm*",
    .names[ATTN_ROLE_FINAL_NORM] = "encoder.emb_layer_norm_after*",
    .names[ATTN_ROLE_HEAD] = "lm_head.dense*",
    .names[ATTN_ROLE_HEAD_NORM] = "lm_head.layer_norm*",
    .names[ATTN_ROLE_LOGITS] = "lm_head.decoder",
    .bias_names[ATTN_ROLE_LOGITS] = "lm_head",
  },
  /* The family of T5: Raffel et al. 2020, arXiv 1910.10683. Relative positions set no limit to the
   * length of a text, so @n_positions is large. */
  {
    USUAL,
    .model_type = "t5",
    .prefix = "",
    .is_bidirectional = TRUE,
    .norm = ATTN_NORM_RMS,
    .norm_epsilon = 1e-6,
    .positions = ATTN_POSITIONS_RELATIVE,
    .has_plain_scores = TRUE,
    .activation_member = "feed_forward_proj",
    .activation = "relu",
    .sizes = { .n_layers = 6, .n_heads = 8, .head_width = 64, .width = 512, .mlp_width = 2048,
               .n_positions = 1 << 20, .vocabulary_size = 32128 },
    .names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "encoder.embed_tokens",
      [ATTN_ROLE_RELATIVE_BIAS] = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
      [ATTN_ROLE_FINAL_NORM] = "encoder.final_layer_norm",
      [ATTN_ROLE_ATTENTION_NORM] = "encoder.block.%u.layer.0.layer_norm",
      [ATTN_ROLE_QUERY] = "encoder.block.%u.layer.0.SelfAttention.q",
      [ATTN_ROLE_KEY] = "encoder.block.%u.layer.0.SelfAttention.k",
      [ATTN_ROLE_VALUE] = "encoder.block.%u.layer.0.SelfAttention.v",
      [ATTN_ROLE_OUTPUT] = "encoder.block.%u.layer.0.SelfAttention.o",
      [ATTN_ROLE_MLP_NORM] = "encoder.block.%u.layer.1.layer_norm",
      [ATTN_ROLE_GATE] = "encoder.block.%u.layer.1.DenseReluDense.wi_0",
      [ATTN_ROLE_UP] = "encoder.block.%u.layer.1.DenseReluDense.wi_1",
      [ATTN_ROLE_DOWN] = "encoder.block.%u.layer.1.DenseReluDense.wo",
    },
    .scales_tied_logits = TRUE,
    .decoder_names = {
      [ATTN_ROLE_TOKEN_EMBEDDING] = "decoder.embed_tokens",
      [ATTN_ROLE_RELATIVE_BIAS] = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias",
      [ATTN_ROLE_FINAL_NORM] = "decoder.final_layer_norm",
      [ATTN_ROLE_LOGITS] = "lm_head",
      [ATTN_ROLE_ATTENTION_NORM] = "decoder.block.%u.layer.0.layer_norm",
      [ATTN_ROLE_QUERY] = "decoder.block.%u.layer.0.SelfAttention.q",
      [ATTN_ROLE_KEY] = "decoder.block.%u.layer.0.SelfAttention.k",
      [ATTN_ROLE_VALUE] = "decoder.block.%u.layer.0.SelfAttention.v",
      [ATTN_ROLE_OUTPUT] = "decoder.block.%u.layer.0.SelfAttention.o",
      [ATTN_ROLE_CROSS_NORM] = "decoder.block.%u.layer.1.layer_norm",
      [ATTN_ROLE_CROSS_QUERY] = "decoder.block.%u.layer.1.EncDecAttention.q",
      [ATTN_ROLE_CROSS_KEY] = "decoder.block.%u.layer.1.EncDecAttention.k",
      [ATTN_ROLE_CROSS_VALUE] = "decoder.block.%u.layer.1.EncDecAttention.v",
      [ATTN_ROLE_CROSS_OUTPUT] = "decoder.block.%u.layer.1.EncDecAttention.o",
      [ATTN_ROLE_MLP_NORM] = "decoder.block.%u.layer.2.layer_norm",
      [ATTN_ROLE_GATE] = "decoder.block.%u.layer.2.DenseReluDense.wi_0",
      [ATTN_ROLE_UP] = "decoder.block.%u.layer.2.DenseReluDense.wi_1",
      [ATTN_ROLE_DOWN] = "decoder.block.%u.layer.2.DenseReluDense.wo",
    },
  },
  {
    LIKE_BART,
    .model_type = "bart",
    .order = ATTN_ORDER_POST_NORM,
    .position_offset = 2,
  },
  /* The family of mBART: Liu et al. 2020, arXiv 2001.08210. */
  {
    LIKE_BART,
    .model_type = "mbart",
    .position_offset = 2,
  },
  /* The family of PLBART, a model of program code: Ahmad et al. 2021, arXiv 2103.06333. */
  {
    LIKE_BART,
    .model_type = "plbart",
    .order = ATTN_ORDER_POST_NORM,
    .position_offset = 2,
    .scales_embedding = TRUE,
    .sizes.vocabulary_size = 50005,
  },
  /* The family of Marian: Junczys-Dowmunt et al. 2018, arXiv 1804.00344. */
  {
    LIKE_BART,
    WITHOUT_EMBEDDING_NORM,
    SINES,
    .model_type = "marian",
    .order = ATTN_ORDER_POST_NORM,
    .sizes.vocabulary_size = 58101,
  },
  /* The family of M2M-100 (Fan et al. 2020, arXiv 2010.11125) and NLLB (NLLB Team 2022, arXiv
   * 2207.04672). */
  {
    LIKE_BART,
    WITHOUT_EMBEDDING_NORM,
    SINES,
    .model_type = "m2m_100",
    .has_slowest_sine = TRUE,
    .position_offset = 2,
    .activation = "relu",
    .scales_embedding = TRUE,
    .sizes.vocabulary_size = 128112,
    .bias_names[ATTN_ROLE_LOGITS] = NULL,
  },
  /* The family of PEGASUS: Zhang et al. 2019, arXiv 1912.08777. */
  {
    LIKE_BART,
    WITHOUT_EMBEDDING_NORM,
    .model_type = "pegasus",
  },
  /* The family of Whisper: Radford et al. 2022, arXiv 2212.04356. The checkpoint's file holds the
   * sinusoidal positions of the encoder, so they are read and not computed. */
  {
    LIKE_BART,
    WITHOUT_EMBEDDING_NORM,
    .model_type = "whisper",
    .sounds = { .n_bins = 80, .n_positions = 1500, .n_target_positions = 448 },
    .sizes = { .n_layers = 4, .n_heads = 6, .width = 384, .mlp_width = 1536,
               .n_positions = 1500, .vocabulary_size = 51865 },
    .names[ATTN_ROLE_TOKEN_EMBEDDING] = NULL,
    .names[ATTN_ROLE_CONVOLUTION] = "encoder.conv1*",
    .names[ATTN_ROLE_SECOND_CONVOLUTION] = "encoder.conv2*",
    .names[ATTN_ROLE_KEY] = "encoder.layers.%u.self_attn.k_proj",
    .bias_names[ATTN_ROLE_LOGITS] = NULL,
    .decoder_names[ATTN_ROLE_LOGITS] = "proj_out",
    .decoder_names[ATTN_ROLE_KEY] = "decoder.layers.%u.self_attn.k_proj",
    .decoder_names[ATTN_ROLE_CROSS_KEY] = "decoder.layers.%u.encoder_attn.k_proj",
  },
  { 0 },
};
