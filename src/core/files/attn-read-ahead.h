/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A thread that reads parts of mapped files into memory before they are used, and gives the memory
 * back to the system afterwards. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnReadAhead AttnReadAhead;

AttnReadAhead *attn_read_ahead_new  (void);
void           attn_read_ahead_free (AttnReadAhead *ahead);
void           attn_read_ahead_add  (AttnReadAhead *ahead,
                                     GBytes        *bytes,
                                     gsize          step,
                                     gboolean       is_kept,
                                     gboolean       is_next);
gboolean       attn_read_ahead_take (AttnReadAhead *ahead,
                                     GBytes        *bytes,
                                     gint64         timeout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnReadAhead, attn_read_ahead_free)

G_END_DECLS
