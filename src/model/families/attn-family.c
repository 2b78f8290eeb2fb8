/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Looks up rows of the table of model families, and spells the names of tensors that a row has. */

#include "config.h"

#include "attn-family.h"

#include <string.h>

#include "attn-family-tables.h"

/* Names of tensors in GGUF files, for all families whose row has no other name for the role. They
 * are from LLM_TENSOR_NAMES of llama.cpp. */
static const char * const gguf_names[ATTN_N_ROLES] = {
  [ATTN_ROLE_TOKEN_EMBEDDING] = "token_embd",
  [ATTN_ROLE_POSITION_EMBEDDING] = "position_embd",
  [ATTN_ROLE_TYPE_EMBEDDING] = "token_types",
  [ATTN_ROLE_EMBEDDING_NORM] = "token_embd_norm*",
  [ATTN_ROLE_LAYER_EMBEDDING] = "per_layer_token_embd",
  [ATTN_ROLE_FINAL_NORM] = "output_norm*",
  [ATTN_ROLE_LOGITS] = "output*",
  [ATTN_ROLE_ATTENTION_NORM] = "blk.%u.attn_norm*",
  [ATTN_ROLE_QKV] = "blk.%u.attn_qkv*",
  [ATTN_ROLE_QUERY] = "blk.%u.attn_q*",
  [ATTN_ROLE_KEY] = "blk.%u.attn_k*",
  [ATTN_ROLE_VALUE] = "blk.%u.attn_v*",
  [ATTN_ROLE_QUERY_NORM] = "blk.%u.attn_q_norm*",
  [ATTN_ROLE_KEY_NORM] = "blk.%u.attn_k_norm*",
  [ATTN_ROLE_OUTPUT] = "blk.%u.attn_output*",
  [ATTN_ROLE_OUTPUT_NORM] = "blk.%u.post_attention_norm",
  [ATTN_ROLE_MLP_NORM] = "blk.%u.ffn_norm*",
  [ATTN_ROLE_GATE] = "blk.%u.ffn_gate*",
  [ATTN_ROLE_UP] = "blk.%u.ffn_up*",
  [ATTN_ROLE_DOWN] = "blk.%u.ffn_down*",
  [ATTN_ROLE_DOWN_NORM] = "blk.%u.post_ffw_norm",
  [ATTN_ROLE_LAYER_INPUT] = "per_layer_model_proj",
  [ATTN_ROLE_LAYER_INPUT_NORM] = "per_layer_proj_norm",
  [ATTN_ROLE_LAYER_GATE] = "blk.%u.inp_gate",
  [ATTN_ROLE_LAYER_OUTPUT] = "blk.%u.proj",
  [ATTN_ROLE_LAYER_OUTPUT_NORM] = "blk.%u.post_norm",
  [ATTN_ROLE_LAYER_FACTOR] = "blk.%u.layer_output_scale",
  [ATTN_ROLE_SINKS] = "blk.%u.attn_sinks",
  [ATTN_ROLE_Q_A] = "blk.%u.attn_q_a",
  [ATTN_ROLE_Q_A_NORM] = "blk.%u.attn_q_a_norm",
  [ATTN_ROLE_KV_A] = "blk.%u.attn_kv_a_mqa",
  [ATTN_ROLE_K_ROPE] = "blk.%u.attn_kv_a_mqa",
  [ATTN_ROLE_KV_A_NORM] = "blk.%u.attn_kv_a_norm",
  [ATTN_ROLE_KV_B] = "blk.%u.attn_kv_b",
  [ATTN_ROLE_K_B] = "blk.%u.attn_k_b",
  [ATTN_ROLE_V_B] = "blk.%u.attn_v_b",
  [ATTN_ROLE_ROUTER] = "blk.%u.ffn_gate_inp*",
  [ATTN_ROLE_ROUTER_CORRECTION] = "blk.%u.exp_probs_b.bias!",
  [ATTN_ROLE_EXPERT_GATE] = "blk.%u.ffn_gate_exps*",
  [ATTN_ROLE_EXPERT_UP] = "blk.%u.ffn_up_exps*",
  [ATTN_ROLE_EXPERT_DOWN] = "blk.%u.ffn_down_exps*",
  [ATTN_ROLE_SHARED_GATE] = "blk.%u.ffn_gate_inp_shexp",
  [ATTN_ROLE_ROUTER_NORM] = "blk.%u.ffn_gate_inp.scale!",
  [ATTN_ROLE_EXPERT_NORM] = "blk.%u.pre_ffw_norm_2",
  [ATTN_ROLE_EXPERT_OUTPUT_NORM] = "blk.%u.post_ffw_norm_2",
  [ATTN_ROLE_SHARED_OUTPUT_NORM] = "blk.%u.post_ffw_norm_1",
  [ATTN_ROLE_DELTA_QKV] = "blk.%u.attn_qkv",
  [ATTN_ROLE_DELTA_GATE] = "blk.%u.attn_gate",
  [ATTN_ROLE_DELTA_QKV_GATE] = "blk.%u.ssm_in",
  [ATTN_ROLE_DELTA_STRENGTH] = "blk.%u.ssm_beta",
  [ATTN_ROLE_DELTA_DECAY] = "blk.%u.ssm_alpha",
  [ATTN_ROLE_DELTA_STRENGTH_DECAY] = "blk.%u.ssm_ba",
  [ATTN_ROLE_DELTA_KERNEL] = "blk.%u.ssm_conv1d",
  [ATTN_ROLE_DELTA_RATE] = "blk.%u.ssm_a!",
  [ATTN_ROLE_DELTA_SHIFT] = "blk.%u.ssm_dt.bias!",
  [ATTN_ROLE_DELTA_NORM] = "blk.%u.ssm_norm",
  [ATTN_ROLE_DELTA_OUTPUT] = "blk.%u.ssm_out",
};

static const AttnFamily * const tables[] = { attn_families_gated, attn_families_plain,
                                             attn_families_encoders, attn_families_pictures };

/**
 * attn_family_lookup:
 * @name: as config.json names it in “model_type”, or a GGUF file in “general.architecture”
 * @is_gguf: whether @name is from a GGUF file
 *
 * Returns: (transfer none) (nullable): the family's row in the table, or %NULL if there is none of
 *   that name
 */
const AttnFamily *
attn_family_lookup (const char *name,
                    gboolean    is_gguf)
{
  /* Model types that share the row of another type: models that differ only in vocabulary, or the
   * vision or text half of a pair by itself. */
  static const char * const others[][2] = { { "xlm-roberta", "roberta" },
                                            { "mt5", "t5" },
                                            { "clip_vision_model", "clip" },
                                            { "siglip_vision_model", "siglip" },
                                            { "qwen2_5_vl_vision", "qwen2_5_vl" },
                                            { "qwen3_vl_vision", "qwen3_vl" },
                                            { "gemma3_text", "gemma3" },
                                            { "gemma4_text", "gemma4" },
                                            { "qwen3_5_text", "qwen3_5" },
                                            { "qwen3_5_moe_text", "qwen3_5_moe" } };

  for (gsize i = 0; i < G_N_ELEMENTS (others) && !is_gguf; i++)
    if (strcmp (name, others[i][0]) == 0)
      name = others[i][1];
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const AttnFamily *row = tables[i]; row->model_type != NULL; row++)
      if (g_strcmp0 (is_gguf ? row->architecture : row->model_type, name) == 0)
        return row;
  return NULL;
}

/**
 * attn_family_spell:
 * @name: as a row of the table has it, "layers.%u.mlp.up_proj*"
 *
 * Returns: (transfer full): the tensor's name in the file, "layers.0.mlp.up_proj.bias"
 */
char *
attn_family_spell (const char *name,
                   AttnSlot    slot,
                   gsize       layer)
{
  gsize n = strcspn (name, "*!");
  g_autoptr (GString) text = g_string_new_len (name, (gssize) n);
  g_autofree char *number = g_strdup_printf ("%zu", layer);

  g_string_replace (text, "%u", number, 1);
  if (name[n] != '!')
    g_string_append (text, slot == ATTN_SLOT_BIAS ? ".bias" : ".weight");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_family_dup_name:
 * @stack: the layers that the tensor belongs to
 * @is_gguf: whether the tensor is in a GGUF file
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer full) (nullable): name of the role's tensor, "" for a norm without weights,
 *   %NULL for a role that the family never has
 */
char *
attn_family_dup_name (const AttnFamily *family,
                      AttnStack         stack,
                      gboolean          is_gguf,
                      AttnRole          role,
                      AttnSlot          slot,
                      gsize             layer)
{
  gboolean is_usual = is_gguf && family->gguf_names[role] == NULL;
  gboolean is_bare = family->names[role] != NULL && *family->names[role] == '\0';
  const char * const *names = is_usual  ? gguf_names
                              : is_gguf ? family->gguf_names
                                        : family->names;
  const char *name = names[role];

  if (stack == ATTN_STACK_DECODER && family->decoder_names[role] != NULL)
    name = family->decoder_names[role];
  if (slot == ATTN_SLOT_BIAS && !is_gguf && family->bias_names[role] != NULL)
    name = family->bias_names[role];
  else if (slot == ATTN_SLOT_BIAS && name != NULL && strchr (name, '*') == NULL)
    name = NULL;
  if (is_bare)
    return slot == ATTN_SLOT_BIAS ? NULL : g_strdup ("");
  return name != NULL ? attn_family_spell (name, slot, layer) : NULL;
}

/**
 * attn_family_dup_shared_name:
 * @role: %ATTN_ROLE_GATE, %ATTN_ROLE_UP or %ATTN_ROLE_DOWN
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
  gsize index = role - ATTN_ROLE_GATE;

  if (family->shared_names[index] == NULL)
    return NULL;
  return attn_family_spell (is_gguf ? shared_gguf_names[index] : family->shared_names[index],
                            ATTN_SLOT_WEIGHT, layer);
}

/**
 * attn_family_get_names:
 * @is_gguf: whether the families that GGUF files hold are wanted, by their names in these files
 *
 * Returns: (transfer none) (array zero-terminated=1): the names of all families of the table,
 *   "gpt2", …; any thread may call
 */
const char * const *
attn_family_get_names (gboolean is_gguf)
{
  static const char * const *names[2];
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      GPtrArray *types = g_ptr_array_new ();
      GPtrArray *architectures = g_ptr_array_new ();

      for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
        for (const AttnFamily *row = tables[i]; row->model_type != NULL; row++)
          {
            g_ptr_array_add (types, (gpointer) row->model_type);
            if (row->architecture != NULL &&
                !g_ptr_array_find_with_equal_func (architectures, row->architecture, g_str_equal,
                                                   NULL))
              g_ptr_array_add (architectures, (gpointer) row->architecture);
          }
      g_ptr_array_add (types, NULL);
      g_ptr_array_add (architectures, NULL);
      names[FALSE] = (const char * const *) g_ptr_array_free (types, FALSE);
      names[TRUE] = (const char * const *) g_ptr_array_free (architectures, FALSE);
      g_once_init_leave (&is_ready, 1);
    }
  return names[is_gguf];
}
