/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rotary embeddings: queries and keys are rotated by angles that depend on their positions. */

#pragma once

#include "attn-config.h"
#include "attn-vectors.h"

G_BEGIN_DECLS

void     attn_rotary_fill    (const AttnRope    *rope,
                              gsize              n_tokens,
                              gsize              first_token,
                              float             *table);
gboolean attn_rotary_is_same (const AttnRope    *rope,
                              gsize              n_tokens,
                              gsize              n_others);
void     attn_rotary_apply   (const AttnVectors *vectors,
                              gsize              width,
                              gboolean           is_paired,
                              const float       *table);

G_END_DECLS
