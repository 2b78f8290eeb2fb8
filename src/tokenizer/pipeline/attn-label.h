/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Converts the bytes of a token to a readable label. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_label_new        (const char *bytes,
                             gsize       n_bytes);
char *attn_label_new_number (guint32     id);

G_END_DECLS
