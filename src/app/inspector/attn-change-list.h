/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of the pairs of tokens whose weight has changed most in the panel under the cursor. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"

G_BEGIN_DECLS

#define ATTN_TYPE_CHANGE_LIST (attn_change_list_get_type ())
G_DECLARE_FINAL_TYPE (AttnChangeList, attn_change_list, ATTN, CHANGE_LIST, GtkBox)

void attn_change_list_read (AttnChangeList *list,
                            AttnResult     *result,
                            AttnReading    *figure);

G_END_DECLS
