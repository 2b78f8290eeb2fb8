/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The one place that says how many threads compute, OpenBLAS's included. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The most threads that attn_threads_set() takes. */
#define ATTN_MAX_THREADS 256

void  attn_threads_set (guint n_threads);
guint attn_threads_get (void);

G_END_DECLS
