/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Turns the output of a vision-language model's vision encoder into tokens of a text, in a pass
 * over the half for texts. */

#pragma once

#include "attn-pass.h"

G_BEGIN_DECLS

gsize    attn_sight_count_tokens  (const AttnModel *tower);
gboolean attn_pass_insert_pictures (const AttnPass  *pass,
                                    AttnBuffer       to,
                                    GError         **error);
gboolean attn_pass_add_deep       (const AttnPass  *pass,
                                   gsize            layer,
                                   GError         **error);
gboolean attn_pass_has_sections   (const AttnPass  *pass,
                                   int              rope);
void     attn_pass_rotate_seen    (const AttnPass  *pass,
                                   const AttnRope  *rope,
                                   float           *table);

G_END_DECLS
