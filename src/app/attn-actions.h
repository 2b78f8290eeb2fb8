/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Defines actions by a table: each row has a name and the function that is called. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AttnAction:
 * @name: without the prefix of its group
 * @func: takes the owner and, as far as it asks for them, the parameter or, of an action with a
 *   state, the state that is asked for (#GVariant), and the #GSimpleAction
 * @type: (nullable): of the parameter
 * @state: (nullable): the state that it begins with, as text
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
