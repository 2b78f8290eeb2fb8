/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of vision-language models, and its search by model type. Comments name the papers and
 * the code of transformers 4.57 that rows are from. */

#include "config.h"

#include "attn-sight.h"

#include <string.h>

#define INDEX(role) (ATTN_ROLE_PROJECTOR_##role - ATTN_ROLE_PROJECTOR_NORM)

#define TEXT_PREFIX "language_model.model. model.language_model. language_model."

#define VISION_PREFIX "vision_tower.vision_model. model.vision_tower.vision_model. model."

/* clang-format off */
static const AttnSight sights[] = {
  /* The model LLaVA-1.5: Liu et al. 2023, arXiv 2310.03744; modeling_llava.py of transformers
   * 4.57. */
  {
    .model_type = "llava",
    .text_type = "llama",
    .vision_type = "clip_vision_model",
    .text_prefix = TEXT_PREFIX,
    .vision_prefix = VISION_PREFIX,
    .names = { [INDEX (IN)] = "multi_modal_projector.linear_1*",
               [INDEX (OUT)] = "multi_modal_projector.linear_2*" },
    .probe = "embeddings.patch_embedding.weight",
    .layer = -2,
    .has_class = TRUE,
    .image_token = 32000,
    .placeholder = "<image>",
  },
  /* The model Gemma 3: Gemma Team 2025, arXiv 2503.19786; modeling_gemma3.py and
   * processing_gemma3.py. */
  {
    .model_type = "gemma3",
    .text_type = "gemma3_text",
    .vision_type = "siglip_vision_model",
    .text_prefix = "model. " TEXT_PREFIX,
    .vision_prefix = VISION_PREFIX,
    .names = { [INDEX (NORM)] = "multi_modal_projector.mm_soft_emb_norm",
               [INDEX (OUT)] = "multi_modal_projector.mm_input_projection_weight!" },
    .is_input_major = TRUE,
    .has_offset_norm = TRUE,
    .probe = "embeddings.patch_embedding.weight",
    .layer = -1,
    .has_final_norm = TRUE,
    .image_token = 262144,
    .placeholder = "<start_of_image>",
    .written = "\n\n<start_of_image><image_soft_token><end_of_image>\n\n",
    .pooled_tokens = 256,
    .is_mutual = TRUE,
  },
  /* The model Qwen2.5-VL: Qwen Team 2025, arXiv 2502.13923; modeling_qwen2_5_vl.py. */
  {
    .model_type = "qwen2_5_vl",
    .text_type = "qwen2_5_vl_text",
    .vision_type = "qwen2_5_vl",
    .text_prefix = "model. model.language_model. language_model.",
    .vision_prefix = "visual. model.visual.",
    .names = { [INDEX (NORM)] = "merger.ln_q",
               [INDEX (IN)] = "merger.mlp.0*",
               [INDEX (OUT)] = "merger.mlp.2*" },
    .is_flat = TRUE,
    .probe = "patch_embed.proj.weight",
    .layer = -1,
    .image_token = 151655,
    .placeholder = "<|vision_start|><|image_pad|><|vision_end|>",
  },
  /* The model Qwen3-VL: Qwen Team 2025, arXiv 2511.21631; modeling_qwen3_vl.py. */
  {
    .model_type = "qwen3_vl",
    .text_type = "qwen3_vl_text",
    .vision_type = "qwen3_vl",
    .text_prefix = "model. model.language_model. language_model.",
    .vision_prefix = "visual. model.visual.",
    .names = { [INDEX (NORM)] = "merger.norm*",
               [INDEX (IN)] = "merger.linear_fc1*",
               [INDEX (OUT)] = "merger.linear_fc2*" },
    .deep_names = { [INDEX (NORM)] = "deepstack_merger_list.%u.norm*",
                    [INDEX (IN)] = "deepstack_merger_list.%u.linear_fc1*",
                    [INDEX (OUT)] = "deepstack_merger_list.%u.linear_fc2*" },
    .probe = "patch_embed.proj.weight",
    .layer = -1,
    .image_token = 151655,
    .placeholder = "<|vision_start|><|image_pad|><|vision_end|>",
  },
};
/* clang-format on */

/**
 * attn_sight_lookup:
 * @model_type: as config.json names it
 *
 * Returns: (transfer none) (nullable): the model's row of the table, or %NULL for a model whose
 *   texts have no pictures
 */
const AttnSight *
attn_sight_lookup (const char *model_type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sights); i++)
    if (strcmp (sights[i].model_type, model_type) == 0)
      return &sights[i];
  return NULL;
}

/**
 * attn_sight_get_families:
 *
 * Returns: (transfer none) (array zero-terminated=1): the model types of all checkpoints in the
 *   layout of Hugging Face that can be opened: families, and vision-language models; any thread may
 *   call
 */
const char * const *
attn_sight_get_families (void)
{
  static const char **names;
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      GPtrArray *all = g_ptr_array_new ();

      for (const char * const *name = attn_family_get_names (FALSE); *name != NULL; name++)
        g_ptr_array_add (all, (gpointer) *name);
      for (gsize i = 0; i < G_N_ELEMENTS (sights); i++)
        if (attn_family_lookup (sights[i].model_type, FALSE) == NULL)
          g_ptr_array_add (all, (gpointer) sights[i].model_type);
      g_ptr_array_add (all, NULL);
      names = (const char **) g_ptr_array_free (all, FALSE);
      g_once_init_leave (&is_ready, 1);
    }
  return names;
}

/**
 * attn_sight_get_name:
 * @role: any role, not only those of the projector
 *
 * Returns: (transfer none) (nullable): the name of a tensor of the projector, as the table has it,
 *   "merger.mlp.0*"; %NULL for other roles and for a role that the model does not have
 */
const char *
attn_sight_get_name (const AttnSight *sight,
                     AttnRole         role)
{
  return role >= ATTN_ROLE_PROJECTOR_NORM && role <= ATTN_ROLE_PROJECTOR_OUT
             ? sight->names[role - ATTN_ROLE_PROJECTOR_NORM]
             : NULL;
}
