/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Helpers for reading a configuration: members that may be null, have several names, or have
 * bounds; the roles of tensors that the checkpoint must have; and activations. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* Tells whether the object has the member with a value other than null. */
gboolean
attn_config_has_value (JsonObject *object,
                       const char *name)
{
  return json_object_has_member (object, name) && !json_object_get_null_member (object, name);
}

/* Tells whether the object has the member and its value is null. */
gboolean
attn_config_is_null (JsonObject *object,
                     const char *name)
{
  return json_object_has_member (object, name) && json_object_get_null_member (object, name);
}

/* Returns the first of the space-separated names of a setting that the object has as a member, or
 * the first of all; for configurations have different names for the same setting. */
const char *
attn_config_find_alias (JsonObject *object,
                        const char *names)
{
  g_auto (GStrv) parts = g_strsplit (names, " ", -1);

  for (char **part = parts; *part != NULL; part++)
    if (attn_config_has_value (object, *part))
      return g_intern_string (*part);
  return g_intern_string (parts[0]);
}

/* Reads a number as attn_json_read_number() does, and sets the error of @json if the number is
 * below @minimum or above @maximum. */
double
attn_config_read_number (AttnJsonReader *json,
                         const char     *member,
                         double          minimum,
                         double          maximum,
                         double          fallback)
{
  double value = attn_json_read_number (json, member, fallback);

  if (value >= minimum && value <= maximum)
    return value;
  attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"), json->where,
                  member, value, minimum, maximum);
  return fallback;
}

/* Sets whether the checkpoint must have the weight or the bias of a role. */
void
attn_config_set_slot (AttnConfig *config,
                      AttnRole    role,
                      AttnSlot    slot,
                      gboolean    is_there)
{
  gboolean is_end = role < ATTN_FIRST_LAYER_ROLE;
  AttnRoles *roles = is_end ? config->end_roles : config->roles;
  AttnRoles bit = (AttnRoles) 1 << (is_end ? role : role - ATTN_FIRST_LAYER_ROLE);

  roles[slot] = is_there ? roles[slot] | bit : roles[slot] & ~bit;
}

/* Removes the weight and the bias of a role from the tensors that the checkpoint must have. */
void
attn_config_drop_role (AttnConfig *config,
                       AttnRole    role)
{
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
    attn_config_set_slot (config, role, slot, FALSE);
}

/**
 * attn_config_dup_name:
 * @layer: ignored for the roles that exist once
 *
 * Returns: (transfer full) (nullable): name of the role's tensor, see [func@attn_family_dup_name];
 *   in a vision-language model the half for pictures also has the roles of the projector
 */
char *
attn_config_dup_name (const AttnConfig *config,
                      AttnRole          role,
                      AttnSlot          slot,
                      gsize             layer)
{
  const char *own = config->sight != NULL && config->stack == ATTN_STACK_VISION
                        ? attn_sight_get_name (config->sight, role)
                        : NULL;

  if (own == NULL)
    return attn_family_dup_name (config->family, config->stack, config->is_gguf, role, slot, layer);
  if (slot == ATTN_SLOT_BIAS && strchr (own, '*') == NULL)
    return NULL;
  return attn_family_spell (own, slot, layer);
}

/* Sets the error of @json if a member's value is not @expected, since another value changes the
 * computation in a way that is not implemented. */
void
attn_config_expect (AttnJsonReader *json,
                    const char     *member,
                    gboolean        expected)
{
  gboolean value = attn_json_read_boolean (json, member, expected);

  if (value != expected)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                    json->where, member, value ? "true" : "false", value ? "false" : "true");
}

/* Names of activation functions in Hugging Face configurations. Several names may mean the same. */
static const struct
{
  const char *name;
  AttnActivation activation;
} activations[] = {
  { "gelu", ATTN_ACTIVATION_GELU },
  { "gelu_python", ATTN_ACTIVATION_GELU },
  { "gelu_new", ATTN_ACTIVATION_GELU_TANH },
  { "gelu_fast", ATTN_ACTIVATION_GELU_TANH },
  { "gelu_pytorch_tanh", ATTN_ACTIVATION_GELU_TANH },
  { "quick_gelu", ATTN_ACTIVATION_GELU_FAST },
  { "relu", ATTN_ACTIVATION_RELU },
  { "silu", ATTN_ACTIVATION_SILU },
  { "swish", ATTN_ACTIVATION_SILU },
  { "tanh", ATTN_ACTIVATION_TANH },
};

/**
 * attn_config_find_activation:
 * @member: the member of the configuration that has @name, for the error
 *
 * Returns: the activation function called @name; if it is unknown, sets the error of @json and
 *   returns the first of the table
 */
AttnActivation
attn_config_find_activation (AttnJsonReader *json,
                             const char     *member,
                             const char     *name)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      if (strcmp (activations[i].name, name) == 0)
        return activations[i].activation;
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", activations[i].name);
    }
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                  json->where, member, name, known->str);
  return activations[0].activation;
}

/* Refuses “classifier_activation”, the activation of the dense layer before the logits, unless it
 * is GELU. */
static void
check_head_activation (AttnJsonReader *json)
{
  const char *name = attn_json_read_string (json, "classifier_activation", "gelu");

  if (strcmp (name, "gelu") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    json->where, "classifier_activation", name, "gelu");
}

/**
 * attn_config_read_activation:
 * @config: (inout): with its family set
 *
 * Reads the activation of the feed-forward layers and that of the dense layer before the logits.
 */
void
attn_config_read_activation (AttnJsonReader *json,
                             AttnConfig     *config)
{
  const char *member = config->family->activation_member;

  if (member == NULL)
    member = attn_config_find_alias (json->object, "activation_function hidden_act activation");
  const char *name = attn_json_read_string (json, member, config->family->activation);
  /* In T5's configurations, a prefix says that the feed-forward layers have a gate: “gated-gelu”.
   * Behind it, “gelu” means the approximation by tanh. */
  if (g_str_has_prefix (name, ATTN_CONFIG_GATED))
    name = strcmp (name + strlen (ATTN_CONFIG_GATED), "gelu") == 0
               ? "gelu_new"
               : name + strlen (ATTN_CONFIG_GATED);
  config->activation = attn_config_find_activation (json, member, name);
  config->head_activation =
      config->family->has_gelu_head ? ATTN_ACTIVATION_GELU : config->activation;
  check_head_activation (json);
}
