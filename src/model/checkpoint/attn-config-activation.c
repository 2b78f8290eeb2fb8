/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which function stands between the products of a feed-forward layer. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* Names as in the Hugging Face configurations. */
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
 * @member: of the configuration, which @name stands in
 *
 * Returns: the function of that name; of an unknown one the first, and @json has the error
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

/* That of the head, where a configuration names it apart. */
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
 * @config: (inout): of a known family
 *
 * Reads the activation of the feed-forward layers and that of the head.
 */
void
attn_config_read_activation (AttnJsonReader *json,
                             AttnConfig     *config)
{
  const char *member = config->family->activation_member;

  if (member == NULL)
    member = attn_config_find_alias (json->object, "activation_function hidden_act activation");
  const char *name = attn_json_read_string (json, member, config->family->activation);
  /* A T5 says by the same word that there is a gate, before which its “gelu” is the other one. */
  if (g_str_has_prefix (name, ATTN_CONFIG_GATED))
    name = strcmp (name + strlen (ATTN_CONFIG_GATED), "gelu") == 0
               ? "gelu_new"
               : name + strlen (ATTN_CONFIG_GATED);
  config->activation = attn_config_find_activation (json, member, name);
  config->head_activation =
      config->family->has_gelu_head ? ATTN_ACTIVATION_GELU : config->activation;
  check_head_activation (json);
}
