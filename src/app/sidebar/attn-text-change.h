/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Replaces the text of a text field when an edit is undone or redone, while the user may be typing
 * in it. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_text_change_show (GtkTextView *view,
                            const char  *before,
                            const char  *text);

G_END_DECLS
