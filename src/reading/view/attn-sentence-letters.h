/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The letters of tokens on the colours of a row or column: black or white, and the same on nearly
 * equal colours. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

void attn_sentence_letters_choose (AttnRgb        *grounds,
                                   const gboolean *is_used,
                                   gsize           n_grounds,
                                   AttnRgb        *letters);

G_END_DECLS
