/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Answers a request for a forward pass over a recording: reads its arrays, and computes what
 * follows from them. Private to src/model. */

#pragma once

#include "attn-recording.h"

G_BEGIN_DECLS

gboolean attn_recording_run       (const AttnForward   *forward, GError **error);
void     attn_recording_read_rows (const AttnModel     *model,
                                   gsize                layer,
                                   gsize                head,
                                   gsize                first_row,
                                   gsize                n_rows,
                                   gsize                n_columns,
                                   float               *weights);

G_END_DECLS
