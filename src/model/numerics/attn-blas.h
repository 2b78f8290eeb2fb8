/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Matrix products by OpenBLAS, and the threads and address space that they need. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ATTN_BLAS_BUFFER:
 *
 * Address space that OpenBLAS maps for each product under way, and keeps for the next one:
 * BUFFER_SIZE of its common_x86_64.h; other processors have smaller ones. Of the memory it touches
 * little, but if it does not get the address space it asks again for ever.
 */
#define ATTN_BLAS_BUFFER ((gsize) 128 << 20)

/**
 * AttnMatrix:
 * @data: first element
 * @stride: floats from one stored row to the next
 * @is_transposed: whether it stands for the transpose of what is stored
 *
 * An operand of a product, float32, row-major.
 */
typedef struct
{
  const float *data;
  gsize stride;
  gboolean is_transposed;
} AttnMatrix;

const char *attn_blas_get_config (void);
const char *attn_blas_get_kernels (void);
gsize attn_blas_get_max_callers (void);
gboolean attn_blas_check (gsize      n_callers,
                          GError   **error);
void attn_blas_init     (void);
void attn_blas_multiply (gsize        m,
                         gsize        n,
                         gsize        k,
                         float        alpha,
                         AttnMatrix   a,
                         AttnMatrix   b,
                         float        beta,
                         float       *c,
                         gsize        c_stride);

G_END_DECLS
