/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Determines which tensors a checkpoint must have: those that its family names, except what its
 * configuration switches off. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* Reads whether attention and feed-forward layer have the same input (parallel) or one follows the
 * other, and whether they share one norm. */
static void
read_parallel (AttnJsonReader *json,
               AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  const char *member =
      attn_config_find_alias (json->object, "use_parallel_residual parallel_attn");
  gboolean is_usual = family->order == ATTN_ORDER_PARALLEL;

  if (!is_usual && !family->shares_parallel_norm)
    return;
  gboolean is_new = attn_json_read_boolean (json, "new_decoder_architecture", FALSE);
  gboolean is_parallel = attn_json_read_boolean (json, member, is_usual) || is_new;
  gsize n_norms = attn_json_read_size (json, "num_ln_in_parallel_attn", 1, 2,
                                       is_new || !family->shares_parallel_norm ? 2 : 1);
  config->order = is_parallel ? ATTN_ORDER_PARALLEL : ATTN_ORDER_PRE_NORM;
  if (is_parallel && n_norms == 1)
    attn_config_drop_role (config, ATTN_ROLE_MLP_NORM);
}

/* Marks all tensors that the model family names as required. */
static void
set_roles (AttnConfig *config)
{
  for (AttnRole role = 0; role < ATTN_N_ROLES; role++)
    for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
      {
        g_autofree char *name = attn_config_dup_name (config, role, slot, 0);

        attn_config_set_slot (config, role, slot, name != NULL);
      }
}

/* Reads whether norms, the dense layer before the logits (head), and the logits have biases. */
static void
read_norm_biases (AttnJsonReader *json,
                  AttnConfig     *config)
{
  static const AttnRole norms[] = { ATTN_ROLE_EMBEDDING_NORM, ATTN_ROLE_FINAL_NORM,
                                    ATTN_ROLE_HEAD_NORM, ATTN_ROLE_ATTENTION_NORM,
                                    ATTN_ROLE_MLP_NORM };
  gboolean has_biases = attn_json_read_boolean (json, "norm_bias", FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (norms); i++)
    attn_config_set_slot (config, norms[i], ATTN_SLOT_BIAS, has_biases);
  attn_config_set_slot (config, ATTN_ROLE_HEAD, ATTN_SLOT_BIAS,
                        attn_json_read_boolean (json, "classifier_bias", FALSE));
  attn_config_set_slot (config, ATTN_ROLE_LOGITS, ATTN_SLOT_BIAS,
                        attn_json_read_boolean (json, "decoder_bias", TRUE));
}

/* Requires the tensors that the family names, except those that the configuration switches off. */
void
attn_config_read_roles (AttnJsonReader *json,
                        AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  const struct
  {
    const char *member;
    gboolean fallback;
    AttnSlot slot;
    AttnRoles roles;
  } switches[] = {
    { "attention_bias bias use_qkv_bias", family->has_attention_bias, ATTN_SLOT_BIAS,
      ATTN_ATTENTION_ROLES },
    { "mlp_bias bias", family->has_mlp_bias, ATTN_SLOT_BIAS, ATTN_MLP_ROLES },
    { "enable_bias", TRUE, ATTN_SLOT_BIAS, ATTN_ATTENTION_ROLES | ATTN_MLP_ROLES },
    { "use_bias", TRUE, ATTN_SLOT_BIAS, ATTN_ATTENTION_ROLES | ATTN_MLP_ROLES },
    { "qk_layernorm use_qk_norm", family->has_query_key_norm, ATTN_SLOT_WEIGHT,
      ATTN_QUERY_KEY_NORMS },
    { "qkv_bias", TRUE, ATTN_SLOT_BIAS, ATTN_ATTENTION_ROLES },
  };

  set_roles (config);
  if (family->chooses_norm_bias)
    read_norm_biases (json, config);
  if (family->chooses_biases && attn_json_read_boolean (json, "no_bias", TRUE))
    config->roles[ATTN_SLOT_BIAS] = config->end_roles[ATTN_SLOT_BIAS] = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    if (!attn_json_read_boolean (json, attn_config_find_alias (json->object, switches[i].member),
                                 switches[i].fallback))
      config->roles[switches[i].slot] &= ~switches[i].roles;
  /* In a model of pictures, “qkv_bias” switches the biases of queries, keys and values, but not
   * that of the output. */
  if (family->pictures.patch_size > 0)
    config->roles[ATTN_SLOT_BIAS] |= ATTN_ROLE_BIT (ATTN_ROLE_OUTPUT);
  if (g_strcmp0 (family->activation_member, "feed_forward_proj") == 0 &&
      !g_str_has_prefix (attn_json_read_string (json, family->activation_member, ""),
                         ATTN_CONFIG_GATED))
    attn_config_drop_role (config, ATTN_ROLE_GATE);
  if (config->layer_width == 0)
    {
      attn_config_drop_role (config, ATTN_ROLE_LAYER_EMBEDDING);
      config->roles[ATTN_SLOT_WEIGHT] &= ~ATTN_LAYER_VECTORS;
    }

  gboolean is_pre_norm = attn_json_read_boolean (json, "do_layer_norm_before", TRUE);
  gboolean lacks_final_norm = attn_json_read_boolean (json, "_remove_final_layer_norm", FALSE);
  config->order = family->order;
  if (config->order == ATTN_ORDER_PRE_NORM && !is_pre_norm)
    config->order = ATTN_ORDER_POST_NORM;
  if (attn_config_has_role (config, ATTN_ROLE_MLP_NORM))
    read_parallel (json, config);
  if (config->order == ATTN_ORDER_POST_NORM || lacks_final_norm)
    attn_config_drop_role (config, ATTN_ROLE_FINAL_NORM);
  if (!attn_config_has_role (config, ATTN_ROLE_PROJECT_IN))
    config->embedding_width = config->width;
  if (config->embedding_width == config->width && !family->always_projects)
    {
      attn_config_drop_role (config, ATTN_ROLE_PROJECT_IN);
      attn_config_drop_role (config, ATTN_ROLE_PROJECT_OUT);
    }
}

/* Refuses settings of norms and logits that only MosaicML's own code has: llm-foundry,
 * models/mpt/configuration_mpt.py. */
static void
check_norms_of_mosaic (AttnJsonReader *json)
{
  const char *norm = attn_json_read_string (json, "norm_type", "layernorm");

  if (!g_str_has_suffix (norm, "layernorm"))
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                    json->where, "norm_type", norm, "layernorm, low_precision_layernorm");
  if (attn_config_has_value (json->object, "logit_scale"))
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s” found, expected none"), json->where,
                    "logit_scale");
}

/* Refuses members that change the computation in ways that are not implemented, and reads settings
 * that concern no tensor, such as causality. */
void
attn_config_check_unsupported (AttnJsonReader *json,
                               AttnConfig     *config)
{
  static const struct
  {
    const char *member;
    gboolean expected;
  } members[] = {
    { "use_bidirectional_attention", FALSE }, /* member that families which read it leave out, so it
                                               * must be the first */
    { "layer_norm_elementwise_affine", TRUE },
    { "add_cross_attention", FALSE },
    { "is_folding_model", FALSE },
    { "use_sliding_window", FALSE }, /* member that families with windows leave out, so it must be
                                      * the last */
  };
  gboolean has_windows = config->family->windows != ATTN_WINDOWS_NONE;
  gboolean has_direction =
      config->family->globals.head_width > 0 || config->family->chooses_direction;

  for (gsize i = has_direction ? 1 : 0; i < G_N_ELEMENTS (members) - (has_windows ? 1 : 0); i++)
    attn_config_expect (json, members[i].member, members[i].expected);
  if (config->family->may_add_normed)
    config->adds_normed =
        attn_json_read_boolean (json, "apply_residual_connection_post_layernorm", FALSE);
  else
    attn_config_expect (json, "apply_residual_connection_post_layernorm", FALSE);
  if (config->family->chooses_biases)
    check_norms_of_mosaic (json);
  if (config->family->has_output_gate)
    attn_config_expect (json, "attn_output_gate", TRUE);
  config->n_surplus_layers =
      attn_json_read_size (json, "num_nextn_predict_layers", 0, MAX_LAYERS, 0);
  config->is_causal = config->stack == ATTN_STACK_DECODER ||
                      (attn_json_read_boolean (json, "is_decoder", FALSE) &&
                       !attn_family_has_decoder (config->family)) ||
                      !config->family->is_bidirectional;
  if (config->family->chooses_direction)
    config->is_causal = !attn_json_read_boolean (json, "use_bidirectional_attention", FALSE);
}
