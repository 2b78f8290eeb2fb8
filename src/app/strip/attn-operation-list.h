/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of interventions that act together with the one that is set in the strip: for example, the
 * strip scales the query while one in the list replaces the key by its mean. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_OPERATION_LIST (attn_operation_list_get_type ())
G_DECLARE_FINAL_TYPE (AttnOperationList, attn_operation_list, ATTN, OPERATION_LIST, GtkBox)

void attn_operation_list_set_session (AttnOperationList *list,
                                      AttnSession       *session);
void attn_operation_list_add         (AttnOperationList *list);

G_END_DECLS
