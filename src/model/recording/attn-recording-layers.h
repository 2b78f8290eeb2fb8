/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Joins the layers of a recording to one array if the file has an array for each layer: numpy.savez
 * (file, *attentions) names them arr_0, arr_1, …. Private to src/model. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

gboolean attn_recording_stack_layers (const AttnArrayFile  *file,
                                      AttnArray           **stacked,
                                      GError              **error);
gboolean attn_recording_fail_shapes  (const AttnArrayFile  *file,
                                      const AttnArray      *a,
                                      const AttnArray      *b,
                                      GError              **error);

G_END_DECLS
