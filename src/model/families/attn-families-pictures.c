/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Families of vision encoders, whose tokens are square patches of a picture, and of the text
 * encoders that belong to some of them. */

#include "config.h"

#include "attn-family-tables.h"

/* clang-format off */

/* The family of ViT: Dosovitskiy et al. 2020, arXiv 2010.11929. */
#define LIKE_VIT                                                                             \
  USUAL,                                                                                     \
  BIASED,                                                                                    \
  .is_bidirectional = TRUE,                                                                  \
  .norm_epsilon = 1e-12,                                                                     \
  .activation = "gelu",                                                                      \
  .has_own_logits = TRUE,                                                                    \
  .pictures = { .image_size = 224, .patch_size = 16, .n_channels = 3 },                      \
  .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .mlp_width = 3072,                 \
             .n_positions = 1, .vocabulary_size = 2 },                                       \
  .names = {                                                                                 \
    [ATTN_ROLE_PATCHES] = "embeddings.patch_embeddings.projection*",                         \
    [ATTN_ROLE_CLASS_TOKEN] = "embeddings.cls_token!",                                       \
    [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embeddings!",                      \
    [ATTN_ROLE_FINAL_NORM] = "layernorm*",                                                   \
    [ATTN_ROLE_LOGITS] = "classifier*",                                                      \
    [ATTN_ROLE_ATTENTION_NORM] = "encoder.layer.%u.layernorm_before*",                       \
    [ATTN_ROLE_QUERY] = "encoder.layer.%u.attention.attention.query*",                       \
    [ATTN_ROLE_KEY] = "encoder.layer.%u.attention.attention.key*",                           \
    [ATTN_ROLE_VALUE] = "encoder.layer.%u.attention.attention.value*",                       \
    [ATTN_ROLE_OUTPUT] = "encoder.layer.%u.attention.output.dense*",                         \
    [ATTN_ROLE_MLP_NORM] = "encoder.layer.%u.layernorm_after*",                              \
    [ATTN_ROLE_UP] = "encoder.layer.%u.intermediate.dense*",                                 \
    [ATTN_ROLE_DOWN] = "encoder.layer.%u.output.dense*",                                     \
  }

/* The family of DINOv2: Oquab et al. 2023, arXiv 2304.07193. */
#define LIKE_DINOV2                                                                          \
  LIKE_VIT,                                                                                  \
  .norm_epsilon = 1e-6,                                                                      \
  .pictures.patch_size = 14,                                                                 \
  .pictures.mlp_ratio = 4,                                                                   \
  .pictures.pooling = ATTN_POOLING_FIRST_AND_MEAN,                                           \
  .names[ATTN_ROLE_ATTENTION_NORM] = "encoder.layer.%u.norm1*",                              \
  .names[ATTN_ROLE_OUTPUT_SCALE] = "encoder.layer.%u.layer_scale1.lambda1!",                 \
  .names[ATTN_ROLE_MLP_NORM] = "encoder.layer.%u.norm2*",                                    \
  .names[ATTN_ROLE_GATE] = "encoder.layer.%u.mlp.weights_in*",                               \
  .names[ATTN_ROLE_UP] = "encoder.layer.%u.mlp.weights_in*",                                 \
  .names[ATTN_ROLE_DOWN] = "encoder.layer.%u.mlp.weights_out*",                              \
  .names[ATTN_ROLE_DOWN_SCALE] = "encoder.layer.%u.layer_scale2.lambda1!"

/* The family of CLIP: Radford et al. 2021, arXiv 2103.00020. Layers of its vision and its text
 * encoder have these names. */
#define LAYERS_OF_CLIP                                                                       \
  [ATTN_ROLE_ATTENTION_NORM] = "encoder.layers.%u.layer_norm1*",                             \
  [ATTN_ROLE_QUERY] = "encoder.layers.%u.self_attn.q_proj*",                                 \
  [ATTN_ROLE_KEY] = "encoder.layers.%u.self_attn.k_proj*",                                   \
  [ATTN_ROLE_VALUE] = "encoder.layers.%u.self_attn.v_proj*",                                 \
  [ATTN_ROLE_OUTPUT] = "encoder.layers.%u.self_attn.out_proj*",                              \
  [ATTN_ROLE_MLP_NORM] = "encoder.layers.%u.layer_norm2*",                                   \
  [ATTN_ROLE_UP] = "encoder.layers.%u.mlp.fc1*",                                             \
  [ATTN_ROLE_DOWN] = "encoder.layers.%u.mlp.fc2*"

/* The vision encoder of CLIP, and of models like it. */
#define LIKE_CLIP                                                                            \
  USUAL,                                                                                     \
  BIASED,                                                                                    \
  .prefix = "vision_model.",                                                                 \
  .is_bidirectional = TRUE,                                                                  \
  .activation = "quick_gelu",                                                                \
  .has_own_logits = TRUE,                                                                    \
  .pictures = { .image_size = 224, .patch_size = 32, .n_channels = 3,                        \
                .pooling = ATTN_POOLING_MEAN },                                              \
  .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .mlp_width = 3072,                 \
             .n_positions = 1, .vocabulary_size = 2 },                                       \
  .names = {                                                                                 \
    [ATTN_ROLE_PATCHES] = "embeddings.patch_embedding",                                      \
    [ATTN_ROLE_CLASS_TOKEN] = "embeddings.class_embedding!",                                 \
    [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embedding",                        \
    [ATTN_ROLE_EMBEDDING_NORM] = "pre_layrnorm*",                                            \
    [ATTN_ROLE_LOGITS] = "classifier*",                                                      \
    LAYERS_OF_CLIP,                                                                          \
  }

/* The text encoder of CLIP, and of models like it. It has no logits. */
#define LIKE_CLIP_TEXT                                                                       \
  USUAL,                                                                                     \
  BIASED,                                                                                    \
  .prefix = "text_model.",                                                                   \
  .activation = "quick_gelu",                                                                \
  .has_own_logits = TRUE,                                                                    \
  .sizes = { .n_layers = 12, .n_heads = 8, .width = 512, .mlp_width = 2048,                  \
             .n_positions = 77, .vocabulary_size = 49408 },                                  \
  .names = {                                                                                 \
    [ATTN_ROLE_TOKEN_EMBEDDING] = "embeddings.token_embedding",                              \
    [ATTN_ROLE_POSITION_EMBEDDING] = "embeddings.position_embedding",                        \
    [ATTN_ROLE_FINAL_NORM] = "final_layer_norm*",                                            \
    LAYERS_OF_CLIP,                                                                          \
  }

const AttnFamily attn_families_pictures[] = {
  {
    LIKE_VIT,
    .model_type = "vit",
    .prefix = "vit.",
  },
  /* The family of DeiT: Touvron et al. 2020, arXiv 2012.12877. */
  {
    LIKE_VIT,
    .model_type = "deit",
    .prefix = "deit.",
    .names[ATTN_ROLE_SECOND_TOKEN] = "embeddings.distillation_token!",
    .names[ATTN_ROLE_LOGITS] = "cls_classifier*",
    .names[ATTN_ROLE_SECOND_LOGITS] = "distillation_classifier*",
  },
  {
    LIKE_DINOV2,
    .model_type = "dinov2",
    .prefix = "dinov2.",
    .pictures.interpolation = ATTN_INTERPOLATION_BICUBIC,
  },
  /* The family of DINOv2 with registers: Darcet et al. 2023, arXiv 2309.16588. */
  {
    LIKE_DINOV2,
    .model_type = "dinov2_with_registers",
    .prefix = "dinov2_with_registers.",
    .pictures.interpolation = ATTN_INTERPOLATION_ANTIALIASED,
    .names[ATTN_ROLE_REGISTERS] = "embeddings.register_tokens!",
  },
  /* The family of DINOv3: Siméoni et al. 2025, arXiv 2508.10104. Rotary positions are by row and
   * column. */
  {
    USUAL,
    BIASED,
    .model_type = "dinov3_vit",
    .prefix = "dinov3_vit.",
    .is_bidirectional = TRUE,
    .positions = ATTN_POSITIONS_ROTARY,
    .rotary_base = 100.0,
    .activation = "gelu",
    .has_own_logits = TRUE,
    .pictures = { .image_size = 224, .patch_size = 16, .n_channels = 3, .lacks_key_bias = TRUE },
    .sizes = { .n_layers = 12, .n_heads = 6, .width = 384, .mlp_width = 1536,
               .n_positions = 1, .vocabulary_size = 2 },
    .names = {
      [ATTN_ROLE_PATCHES] = "embeddings.patch_embeddings*",
      [ATTN_ROLE_CLASS_TOKEN] = "embeddings.cls_token!",
      [ATTN_ROLE_REGISTERS] = "embeddings.register_tokens!",
      [ATTN_ROLE_FINAL_NORM] = "norm*",
      [ATTN_ROLE_ATTENTION_NORM] = "layer.%u.norm1*",
      [ATTN_ROLE_QUERY] = "layer.%u.attention.q_proj*",
      [ATTN_ROLE_KEY] = "layer.%u.attention.k_proj*",
      [ATTN_ROLE_VALUE] = "layer.%u.attention.v_proj*",
      [ATTN_ROLE_OUTPUT] = "layer.%u.attention.o_proj*",
      [ATTN_ROLE_OUTPUT_SCALE] = "layer.%u.layer_scale1.lambda1!",
      [ATTN_ROLE_MLP_NORM] = "layer.%u.norm2*",
      [ATTN_ROLE_GATE] = "layer.%u.mlp.gate_proj*",
      [ATTN_ROLE_UP] = "layer.%u.mlp.up_proj*",
      [ATTN_ROLE_DOWN] = "layer.%u.mlp.down_proj*",
      [ATTN_ROLE_DOWN_SCALE] = "layer.%u.layer_scale2.lambda1!",
    },
  },
  {
    LIKE_CLIP,
    .model_type = "clip",
    .text_family = "clip_text_model",
  },
  {
    LIKE_CLIP_TEXT,
    .model_type = "clip_text_model",
  },
  /* The family of SigLIP: Zhai et al. 2023, arXiv 2303.15343. */
  {
    LIKE_CLIP,
    .model_type = "siglip",
    .text_family = "siglip_text_model",
    .norm_epsilon = 1e-6,
    .activation = "gelu_pytorch_tanh",
    .pictures.patch_size = 16,
    .names[ATTN_ROLE_PATCHES] = "embeddings.patch_embedding*",
    .names[ATTN_ROLE_CLASS_TOKEN] = NULL,
    .names[ATTN_ROLE_EMBEDDING_NORM] = NULL,
    .names[ATTN_ROLE_FINAL_NORM] = "post_layernorm*",
  },
  {
    LIKE_CLIP_TEXT,
    .model_type = "siglip_text_model",
    .is_bidirectional = TRUE,
    .norm_epsilon = 1e-6,
    .activation = "gelu_pytorch_tanh",
    .sizes = { .n_layers = 12, .n_heads = 12, .width = 768, .mlp_width = 3072,
               .n_positions = 64, .vocabulary_size = 32000 },
  },
  /* The vision encoder of Qwen2.5-VL: Bai et al. 2025, arXiv 2502.13923. Squares of patches are
   * merged, and rotary positions are by row and column. */
  {
    USUAL,
    BIASED,
    .model_type = "qwen2_5_vl",
    .prefix = "visual.",
    .is_bidirectional = TRUE,
    .norm = ATTN_NORM_RMS,
    .norm_epsilon = 1e-6,
    .positions = ATTN_POSITIONS_ROTARY,
    .activation = "silu",
    .has_own_logits = TRUE,
    .pictures = { .image_size = 448, .patch_size = 14, .n_channels = 3, .merge = 2, .n_frames = 2,
                  .window_size = 112, .counts_places = TRUE },
    .sizes = { .n_layers = 32, .n_heads = 16, .width = 3584, .mlp_width = 3420,
               .n_positions = 1, .vocabulary_size = 2 },
    .names = {
      [ATTN_ROLE_PATCHES] = "patch_embed.proj",
      [ATTN_ROLE_ATTENTION_NORM] = "blocks.%u.norm1",
      [ATTN_ROLE_QKV] = "blocks.%u.attn.qkv*",
      [ATTN_ROLE_OUTPUT] = "blocks.%u.attn.proj*",
      [ATTN_ROLE_MLP_NORM] = "blocks.%u.norm2",
      [ATTN_ROLE_GATE] = "blocks.%u.mlp.gate_proj*",
      [ATTN_ROLE_UP] = "blocks.%u.mlp.up_proj*",
      [ATTN_ROLE_DOWN] = "blocks.%u.mlp.down_proj*",
    },
  },
  /* The vision encoder of Qwen3-VL: Qwen Team 2025, arXiv 2511.21631. It has rotary and learned
   * positions. */
  {
    USUAL,
    BIASED,
    .model_type = "qwen3_vl",
    .prefix = "visual.",
    .is_bidirectional = TRUE,
    .norm_epsilon = 1e-6,
    .positions = ATTN_POSITIONS_ROTARY,
    .activation = "gelu_pytorch_tanh",
    .has_own_logits = TRUE,
    .pictures = { .image_size = 448, .patch_size = 16, .n_channels = 3, .merge = 2, .n_frames = 2,
                  .counts_places = TRUE, .interpolation = ATTN_INTERPOLATION_LINEAR },
    .sizes = { .n_layers = 27, .n_heads = 16, .width = 1152, .mlp_width = 4304,
               .n_positions = 1, .vocabulary_size = 2 },
    .names = {
      [ATTN_ROLE_PATCHES] = "patch_embed.proj*",
      [ATTN_ROLE_POSITION_EMBEDDING] = "pos_embed",
      [ATTN_ROLE_ATTENTION_NORM] = "blocks.%u.norm1*",
      [ATTN_ROLE_QKV] = "blocks.%u.attn.qkv*",
      [ATTN_ROLE_OUTPUT] = "blocks.%u.attn.proj*",
      [ATTN_ROLE_MLP_NORM] = "blocks.%u.norm2*",
      [ATTN_ROLE_UP] = "blocks.%u.mlp.linear_fc1*",
      [ATTN_ROLE_DOWN] = "blocks.%u.mlp.linear_fc2*",
    },
  },
  { 0 },
};
