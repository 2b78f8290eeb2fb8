/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The numeric passes over rows that are not matrix products. Rows are float32 and contiguous; none
 * of these functions allocates, and any thread may call them. */

#pragma once

#include <glib.h>

#include "attn-family.h"

G_BEGIN_DECLS

float attn_ops_get_maximum (const float *x,
                          gsize           n);
float attn_ops_get_magnitude (const float *x,
                          gsize           n);
void attn_ops_exponentials (const float *scores,
                          gsize           n,
                          float           lowest,
                          float           maximum,
                          float           factor,
                          float          *sum,
                          float          *moment,
                          float          *out);
void attn_ops_softmax    (const float    *scores,
                          gsize           n,
                          float           factor,
                          float          *entropy,
                          float          *weights);
void attn_ops_softmax_beside (const float *scores,
                          gsize           n,
                          float           factor,
                          float           other,
                          float          *entropy,
                          float          *weights);
void attn_ops_layer_norm (const float    *x,
                          gsize           n,
                          const float    *scale,
                          const float    *bias,
                          float           epsilon,
                          float          *out);
void attn_ops_rms_norm   (const float    *x,
                          gsize           n,
                          const float    *scale,
                          float           offset,
                          float           epsilon,
                          float          *out);
void attn_ops_cap        (float           cap,
                          gsize           n,
                          float          *x);
void attn_ops_multiply   (float          *x,
                          const float    *y,
                          gsize           n);
void attn_ops_scale      (float          *x,
                          float           factor,
                          gsize           n);
void attn_ops_add        (float          *x,
                          const float    *y,
                          gsize           n);
void attn_ops_add_multiple (float       *x,
                            const float *y,
                            float        factor,
                            gsize        n);
double attn_ops_compare_logits (const float *p,
                          const float    *q,
                          gsize           n,
                          double         *log_sums);
double attn_ops_get_variation (const float *p,
                          const float    *q,
                          gsize           n,
                          const double   *log_sums);
void attn_ops_activate   (AttnActivation  activation,
                          const float    *bias,
                          gsize           n,
                          float          *x);

G_END_DECLS
