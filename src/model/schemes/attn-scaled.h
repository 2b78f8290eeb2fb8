/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds quantized matrices whose numbers take a byte or half a byte and have a scale for each
 * block. */

#pragma once

#include "attn-schemes.h"

G_BEGIN_DECLS

gboolean attn_scaled_find (const AttnQuantization  *quantization,
                           gboolean                 is_gguf,
                           const char              *name,
                           AttnSchemeLookup         lookup,
                           gconstpointer            data,
                           AttnArray              **found,
                           GError                 **error);

G_END_DECLS
