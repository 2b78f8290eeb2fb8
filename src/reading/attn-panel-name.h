/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Name of a panel in the window, which is the name in the figure translated to the user's
 * language. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_panel_name_translate (const char *name);

G_END_DECLS
