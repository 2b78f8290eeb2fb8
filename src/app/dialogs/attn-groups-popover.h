/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A popover for the groups of tokens that a head of a figure of groups has: the user chooses them
 * from all tokens of the input, including those that are in no group and so not in the figure. */

#pragma once

#include "attn-session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_GROUPS_POPOVER (attn_groups_popover_get_type ())
G_DECLARE_FINAL_TYPE (AttnGroupsPopover, attn_groups_popover, ATTN, GROUPS_POPOVER, GtkPopover)

AttnResult *attn_groups_popover_get_result (AttnSession  *session);
GtkWidget *attn_groups_popover_open (GtkWidget          *widget,
                                     const GdkRectangle *place,
                                     AttnSession        *session,
                                     gsize               head);

G_END_DECLS
