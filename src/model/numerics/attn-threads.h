/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Determines how many threads compute, also in OpenBLAS. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The maximum that attn_threads_set() accepts. */
#define ATTN_MAX_THREADS 256

void  attn_threads_set (guint n_threads);
guint attn_threads_get (void);

G_END_DECLS
