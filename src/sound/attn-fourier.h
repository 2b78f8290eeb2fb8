/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Discrete Fourier transforms of any length, also of one that is no power of two. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnFourier:
 *
 * A transform of a fixed number of samples, with the memory that it needs; for one thread at a
 * time.
 */
typedef struct _AttnFourier AttnFourier;

AttnFourier *attn_fourier_new (gsize n);
void attn_fourier_free (AttnFourier *fourier);
void attn_fourier_get_power (AttnFourier *fourier,
                             const double *x,
                             double *power);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnFourier, attn_fourier_free)

G_END_DECLS
