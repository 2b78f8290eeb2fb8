/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the converter of llama.cpp does to models whose layers without a window have heads of their
 * own. */

#pragma once

#include "gguf-delta.h"

gboolean gguf_is_global     (JsonObject      *config);
void     gguf_add_global    (JsonObject      *config,
                             const AttnArray *array,
                             GPtrArray       *tensors);
guint    gguf_put_globals   (JsonObject      *config,
                             GPtrArray       *tensors,
                             GByteArray      *pairs);
