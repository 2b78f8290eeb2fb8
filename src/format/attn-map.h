/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A file's bytes without a copy. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

GBytes *attn_map_file (const char  *path,
                       GError     **error);

G_END_DECLS
