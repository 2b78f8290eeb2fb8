/* SPDX-License-Identifier: GPL-3.0-or-later */

/* List of recently opened models and studies, kept in a file of the state directory. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_RECENT_MAX 10

GStrv attn_recent_get (void);
void attn_recent_add (const char *path);
void attn_recent_clear (void);

/* The functions above as errands (tasks of a thread), see attn_errands_push() */
void attn_recent_add_later (const char *path);
void attn_recent_clear_later (void);

G_END_DECLS
