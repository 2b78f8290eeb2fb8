/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses whether OpenGL or Cairo draws the windows. */

#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

void attn_renderer_choose (GdkDisplay *display);

G_END_DECLS
