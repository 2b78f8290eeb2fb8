/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Allocates large blocks of memory, in the processor's large pages if possible, and keeps freed
 * blocks for later requests of the same size. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The bytes of a large page. */
#define ATTN_PAGES_LARGE ((gsize) 2 << 20)

gpointer attn_pages_take    (gsize        n_bytes,
                             gsize        triangle,
                             const char  *what,
                             gboolean    *is_clear,
                             GError     **error);
void     attn_pages_release (gpointer     block,
                             gsize        n_bytes,
                             gsize        triangle);

G_END_DECLS
