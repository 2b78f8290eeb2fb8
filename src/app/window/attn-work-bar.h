/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A bar for work that takes long: its stage, its progress and a button that cancels it. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_WORK_BAR (attn_work_bar_get_type ())
G_DECLARE_FINAL_TYPE (AttnWorkBar, attn_work_bar, ATTN, WORK_BAR, GtkBox)

void     attn_work_bar_set_action (AttnWorkBar *bar,
                                const char  *action);
void     attn_work_bar_start    (AttnWorkBar *bar,
                                const char  *stage);
void     attn_work_bar_report   (AttnWorkBar *bar,
                                const char  *stage,
                                double       fraction);
void     attn_work_bar_stop     (AttnWorkBar *bar);
gboolean attn_work_bar_is_shown (AttnWorkBar *bar);

G_END_DECLS
