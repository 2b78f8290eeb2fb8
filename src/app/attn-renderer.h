/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What GTK draws the windows with. */

#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

void attn_renderer_choose (GdkDisplay *display);

G_END_DECLS
