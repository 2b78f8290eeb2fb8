/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The one way in which the program writes a file. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_save_bytes (const char  *path,
                          GBytes      *bytes,
                          GError     **error);

G_END_DECLS
