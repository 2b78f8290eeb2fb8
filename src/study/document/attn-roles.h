/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Roles of the tokens in a question and its answer, which are the columns of a layer-token
 * figure. */

#pragma once

#include "attn-study.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/* The number of columns of roles counted from the end, from "-8" to "-1". */
#define ATTN_ROLES_N_LAST 8

/* Position of a role for which the text is too short. */
#define ATTN_ROLES_NONE G_MAXSIZE

const char *attn_roles_describe       (const char            *name);
gsize       attn_roles_get_n_columns  (const AttnRoleOptions *roles);
const char *attn_roles_get_name       (const AttnRoleOptions *roles,
                                       gsize                  column);
AttnInput  *attn_roles_build_input    (const AttnStudy  *study,
                                       GError          **error);
gboolean    attn_roles_locate         (const AttnRoleOptions  *roles,
                                       const AttnTokens       *tokens,
                                       gsize                  *positions,
                                       GError                **error);
gsize       attn_roles_get_last       (const AttnTokens *tokens);

/* Setters of the question and answer, for the command line and the window. */
gboolean    attn_roles_set_marked     (AttnRoleOptions  *roles,
                                       const char       *text,
                                       GError          **error);
gboolean    attn_roles_set_positions  (AttnRoleOptions  *roles,
                                       const char       *text,
                                       GError          **error);
void        attn_roles_set_after_last (AttnStudy *study,
                                       gboolean   has_after_last);

G_END_DECLS
