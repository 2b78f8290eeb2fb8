/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Drops privileges of a process before it opens a file from an unknown source. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_confine (void);

G_END_DECLS
