/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the arrays of a recording, in place of a forward pass. Private to src/model. */

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
