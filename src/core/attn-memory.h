/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks each request for memory before allocating it: one above the limit, or above the free
 * memory of the machine, fails with an error that names both numbers of bytes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* If the address space of the process is limited, one part of it in this many is left to the
 * library OpenBLAS. */
#define ATTN_MEMORY_BLAS_SHARE 4

/**
 * AttnMemoryRoom:
 * @n_all: bytes of memory in all; %G_MAXSIZE without a limit
 * @n_free: bytes that are free, or become free when the system drops what it only caches
 */
typedef struct
{
  gsize n_all;
  gsize n_free;
} AttnMemoryRoom;

gsize    attn_memory_get_limit         (void);
void     attn_memory_set_limit         (gsize        n_bytes);
void     attn_memory_count             (gssize       n_bytes);
gsize    attn_memory_get_address_space (void);
AttnMemoryRoom attn_memory_get_system  (const char  *root);
gboolean attn_memory_check             (gsize        n_bytes,
                                        const char  *what,
                                        GError     **error);
gboolean attn_memory_check_address_space (gsize      n_bytes,
                                        const char  *what,
                                        GError     **error);
gboolean attn_memory_fail              (gsize        n_bytes,
                                        const char  *what,
                                        GError     **error);
gpointer attn_memory_try_alloc         (gsize        n_bytes,
                                        const char  *what,
                                        GError     **error);

G_END_DECLS
