/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures the angles between the spaces that the main left singular vectors of two matrices
 * span. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

double *attn_angles_find_space (gsize         n_rows,
                                gsize         n_columns,
                                const float * const *rows,
                                gsize         rank);
double  attn_angles_measure    (gsize         n_rows,
                                gsize         rank,
                                const double *a,
                                const double *b);

G_END_DECLS
