/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Starts the window, or says that the program was built without one. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

int attn_window_start (int    argc,
                       char **argv);

G_END_DECLS
