/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Defines actions by a table: each row has a name and the function that is called. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AttnAction:
 * @name: the name of the action without the prefix of its group, such as "save" for "win.save"
 * @func: called with the owner; a function with more parameters gets also a #GVariant, which is the
 *   action's parameter or, if the action has a state, the state that is asked for, and the
 *   #GSimpleAction
 * @type: (nullable): the type of the action's parameter, as a string of #GVariantType
 * @state: (nullable): the first state of the action, as the text of a #GVariant, such as "false"
 */
typedef struct
{
  const char *name;
  GCallback func;
  const char *type;
  const char *state;
} AttnAction;

void attn_actions_add       (gpointer          map,
                             const AttnAction *actions,
                             gsize             n_actions,
                             gpointer          owner);
void attn_actions_enable    (gpointer          map,
                             const char       *name,
                             gboolean          is_enabled);
void attn_actions_set_state (gpointer          map,
                             const char       *name,
                             GVariant         *state);

G_END_DECLS
