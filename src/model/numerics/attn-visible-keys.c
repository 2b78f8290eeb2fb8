/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-visible-keys.h"

/**
 * attn_get_visible_keys:
 * @window: tokens that a query sees up to itself, and as many from itself on where the layer is not
 *   causal; 0 for all
 * @begin: (out): the first key that the query in @row sees
 * @end: (out): the key behind the last one that it sees
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

/**
 * attn_rules_get_visible_keys:
 * @begin: (out): the first key that the query in @row sees
 * @end: (out): the key behind the last one that it sees
 *
 * Applies the mask of a layer with @rules, including its blocks, whose tokens see each other both
 * ways, and its spans.
 */
void
attn_rules_get_visible_keys (const AttnScoreRules *rules,
                             gsize                 n_tokens,
                             gsize                 row,
                             gsize                *begin,
                             gsize                *end)
{
  if (row < rules->n_spans)
    {
      *begin = rules->spans[row][0];
      *end = MIN (rules->spans[row][1], n_tokens);
      return;
    }
  attn_get_visible_keys (rules->is_causal, rules->window, n_tokens, row, begin, end);
  for (gsize i = 0; i < rules->n_blocks; i++)
    if (row >= rules->blocks[i][0] && row < rules->blocks[i][1])
      {
        *begin = MIN (*begin, rules->blocks[i][0]);
        *end = MAX (*end, MIN (rules->blocks[i][1], n_tokens));
      }
}
