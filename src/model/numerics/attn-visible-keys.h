/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The keys that a query may attend to under the mask of a layer. */

#pragma once

#include <glib.h>

#include "attn-attention.h"

G_BEGIN_DECLS

void attn_get_visible_keys (gboolean  is_causal,
                            gsize     window,
                            gsize     n_tokens,
                            gsize     row,
                            gsize    *begin,
                            gsize    *end);
void attn_rules_get_visible_keys (const AttnScoreRules *rules,
                                  gsize                 n_tokens,
                                  gsize                 row,
                                  gsize                *begin,
                                  gsize                *end);

G_END_DECLS
