/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text that a chat template writes whatever is said. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_chat_add_literal (const char *at,
                                const char *today,
                                GString    *out);
gboolean attn_chat_add_plain   (const char *at,
                                const char *end,
                                GString    *out);

G_END_DECLS
