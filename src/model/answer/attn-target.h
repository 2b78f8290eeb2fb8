/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A target: the text that the decoder of a model reads, such as the translation of what its encoder
 * reads. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

GArray *attn_target_encode (const AttnModel  *model,
                            const char       *text,
                            AttnFraming       framing,
                            GError          **error);

G_END_DECLS
