/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A choice among words that unfolds below its button. It replaces drop-downs in popovers: GTK 4.8
 * loses the first click after a popover within a popover, such as that of a drop-down, has
 * closed. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_INLINE_CHOICE (attn_inline_choice_get_type ())
G_DECLARE_FINAL_TYPE (AttnInlineChoice, attn_inline_choice, ATTN, INLINE_CHOICE, GtkBox)

GtkWidget *attn_inline_choice_new          (const char         *label);
void       attn_inline_choice_set_words    (AttnInlineChoice   *choice,
                                            const char * const *words);
void       attn_inline_choice_set_selected (AttnInlineChoice   *choice,
                                            guint               selected);
guint      attn_inline_choice_get_selected (AttnInlineChoice   *choice);

G_END_DECLS
