/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes rows of a map of attention weights on request. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

/* The value that stands for the mean over all heads in place of a head's number. */
#define ATTN_TRACE_ROWS_MEAN -1

typedef struct _AttnTraceRows AttnTraceRows;

AttnTraceRows *attn_trace_rows_new     (AttnTrace            *baseline,
                                        gsize                 layer,
                                        int                   head,
                                        GPtrArray            *interventions,
                                        const AttnProgress   *progress,
                                        GCancellable         *cancellable,
                                        GError              **error);
void           attn_trace_rows_free    (AttnTraceRows        *rows);
gboolean       attn_trace_rows_compute (const AttnTraceRows  *rows,
                                        gsize                 first_row,
                                        gsize                 n_rows,
                                        float                *weights,
                                        GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTraceRows, attn_trace_rows_free)

G_END_DECLS
