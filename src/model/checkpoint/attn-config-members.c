/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a configuration: present or null, under one of several names, within bounds; and the
 * roles that follow from them. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"

/* A member that is there with a value. */
gboolean
attn_config_has_value (JsonObject *object,
                       const char *name)
{
  return json_object_has_member (object, name) && !json_object_get_null_member (object, name);
}

/* A member that says that there is none. */
gboolean
attn_config_is_null (JsonObject *object,
                     const char *name)
{
  return json_object_has_member (object, name) && json_object_get_null_member (object, name);
}

/* The first of the names, with spaces between, that the object has; configurations use one or the
 * other. */
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

/* Like attn_json_read_number(), within bounds. */
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

/* Says of a role whether the checkpoint has to bring the weight or the bias. */
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

/* Takes a role with its bias out of those that the checkpoint has to bring. */
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
 *   of a model that sees those of the projector stand beside the half for pictures
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
