/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program's settings, installed or in the build tree. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GSettings *attn_settings_new (void);

G_END_DECLS
