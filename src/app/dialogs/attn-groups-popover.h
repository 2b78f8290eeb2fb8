/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A popover that chooses the tokens of a head's groups from all tokens of the input, also from
 * those that are in no group and not in the figure. */

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
