/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Typed texts of entries: reads numbers as the user writes them, and shows a sentence at an entry
 * whose text cannot be used. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

char    *attn_typed_dup_number  (const char *text);
gboolean attn_typed_parse       (const char *text,
                                 double     *value);
void     attn_typed_refuse      (GtkWidget  *entry,
                                 const char *sentence);
gboolean attn_typed_is_refused  (GtkWidget  *entry);
gboolean attn_typed_accept      (GtkWidget  *entry);
void     attn_typed_check_spin  (GtkSpinButton *spin);
void     attn_typed_watch_spins (void);

G_END_DECLS
