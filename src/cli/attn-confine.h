/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Privileges that the command line gives up before it opens a file that came from elsewhere. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_confine (void);

G_END_DECLS
