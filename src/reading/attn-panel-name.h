/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Name of a panel in the window, and of its rows and columns, which are those in the figure
 * translated to the user's language. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char       *attn_panel_name_translate       (const char *name);
const char *attn_panel_name_translate_title (const char *title);

G_END_DECLS
