/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-actions.h"

/**
 * attn_actions_add:
 * @map: (type GActionMap): the map that the actions are added to
 * @actions: (array length=n_actions): the rows of the table
 * @owner: the object that the functions of the actions are given first; it lives as long as @map
 */
void
attn_actions_add (gpointer          map,
                  const AttnAction *actions,
                  gsize             n_actions,
                  gpointer          owner)
{
  for (gsize i = 0; i < n_actions; i++)
    {
      const AttnAction *entry = &actions[i];
      GVariantType *type = entry->type != NULL ? (GVariantType *) entry->type : NULL;
      g_autoptr (GSimpleAction) action =
          entry->state != NULL
              ? g_simple_action_new_stateful (entry->name, type,
                                              g_variant_new_parsed (entry->state))
              : g_simple_action_new (entry->name, type);

      g_signal_connect_swapped (action, entry->state != NULL ? "change-state" : "activate",
                                entry->func, owner);
      g_action_map_add_action (map, G_ACTION (action));
    }
}

/**
 * attn_actions_enable:
 * @map: (type GActionMap): has an action of this name
 */
void
attn_actions_enable (gpointer    map,
                     const char *name,
                     gboolean    is_enabled)
{
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (map, name)),
                               is_enabled);
}

/**
 * attn_actions_set_state:
 * @map: (type GActionMap): has an action of this name
 * @state: (transfer floating): the new state, set without a call of the action's function
 */
void
attn_actions_set_state (gpointer    map,
                        const char *name,
                        GVariant   *state)
{
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (map, name)), state);
}
