/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Translates the name of a panel, and the titles of its rows and columns, from the figure's English
 * to the language of the window. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char       *attn_panel_name_translate       (const char *name);
const char *attn_panel_name_translate_title (const char *title);

G_END_DECLS
