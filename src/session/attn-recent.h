/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The models and studies that were opened last, in a file of the state directory. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_RECENT_MAX 10

GStrv attn_recent_get   (void);
void  attn_recent_add   (const char *path);
void  attn_recent_clear (void);

G_END_DECLS
