/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text that is replaced, as by an undo, while one may be typing in it. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_text_change_show (GtkTextView *view,
                            const char  *before,
                            const char  *text);

G_END_DECLS
