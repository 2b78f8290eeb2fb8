/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the window calls a panel: the figure's own name for it, in the user's language. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_panel_name_translate (const char *name);

G_END_DECLS
