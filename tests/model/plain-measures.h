/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures as they are defined, one at a time: what the quick ones are held against. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

double attn_measure_sink_score         (const AttnTensor *weights,
                                        gsize             key);
double attn_measure_row_entropy        (const AttnTensor *weights,
                                        gsize             row);
double attn_measure_mean_entropy       (const AttnTensor *weights);
double attn_measure_largest_difference (const AttnTensor *weights,
                                        const AttnTensor *baseline);
double attn_measure_total_variation    (const AttnTensor *weights,
                                        const AttnTensor *baseline);

G_END_DECLS
