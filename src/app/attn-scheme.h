/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Light or dark windows: as the user chose, or as the desktop prefers. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_scheme_follow (GSettings *settings);

G_END_DECLS
