/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Memory is counted before it is taken: a request above the limit is refused with both numbers. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gsize    attn_memory_get_limit (void);
void     attn_memory_set_limit (gsize n_bytes);
gboolean attn_memory_check     (gsize        n_bytes,
                                const char  *what,
                                GError     **error);

G_END_DECLS
