/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures of a residual stream, or of what layers add to it. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

void   attn_stream_measure_norms   (const AttnTensor *stream,
                                    float            *norms);
void   attn_stream_measure_cosines (const AttnTensor *stream,
                                    gsize             reference,
                                    float            *cosines);
void   attn_stream_find_largest    (const AttnTensor *stream,
                                    float            *largest,
                                    guint32          *channels);
double attn_stream_measure_entropy (const AttnTensor *stream);

G_END_DECLS
