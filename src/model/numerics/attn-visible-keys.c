/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-visible-keys.h"

/**
 * attn_get_visible_keys:
 * @window: tokens that a query sees up to itself, and as many from itself on where the layer is not
 *   causal; 0 for all
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
  *end = is_causal ? row + 1 : window > 0 ? MIN (row + window, n_tokens)
                                          : n_tokens;
  *begin = window > 0 && row + 1 > window ? row + 1 - window : 0;
}
