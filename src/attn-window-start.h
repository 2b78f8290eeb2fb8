/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window, or a program that was built without one. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

int attn_window_start (int    argc,
                       char **argv);

G_END_DECLS
