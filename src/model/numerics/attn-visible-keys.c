/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-visible-keys.h"

/**
 * attn_get_visible_keys:
 * @window: tokens that a query of a causal layer sees, itself among them; 0 for all before it
 * @begin: (out): the first key that the query in @row sees
 * @end: (out): behind the last one
 */
void
attn_get_visible_keys (gboolean  is_causal,
                       gsize     window,
                       gsize     n_tokens,
                       gsize     row,
                       gsize    *begin,
                       gsize    *end)
{
  *end = is_causal ? row + 1 : n_tokens;
  *begin = is_causal && window > 0 && row + 1 > window ? row + 1 - window : 0;
}
