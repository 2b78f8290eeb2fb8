/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-family.h"

#include <string.h>

static const AttnFamily families[] = {
  /* Radford et al. 2019, in the layout of the Hugging Face checkpoints. */
  {
      .model_type = "gpt2",
      .prefix = "transformer.",
      .position_scheme = "learned",
      .is_causal = TRUE,
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
      .n_layers = 12,
      .n_heads = 12,
      .width = 768,
      .n_positions = 1024,
      .vocabulary_size = 50257,
      .activation = "gelu_new",
      .norm_epsilon = 1e-5,
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
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if (strcmp (families[i].model_type, model_type) == 0)
      return &families[i];
  return NULL;
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
