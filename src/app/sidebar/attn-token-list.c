/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-token-list.h"

/**
 * attn_token_list_count:
 * @tokens: (nullable)
 *
 * Returns: the number of tokens, 0 for %NULL
 */
gsize
attn_token_list_count (const AttnTokens *tokens)
{
  return tokens != NULL ? tokens->n_tokens : 0;
}

/**
 * attn_token_list_equal:
 * @a: (nullable)
 * @b: (nullable)
 *
 * Returns: whether both have the same labels, and so are shown in the same way
 */
gboolean
attn_token_list_equal (const AttnTokens *a,
                       const AttnTokens *b)
{
  if (a == NULL || b == NULL || a->n_tokens != b->n_tokens || a->n_cut != b->n_cut)
    return a == b;
  for (gsize i = 0; i < a->n_tokens; i++)
    if (a->tokens[i].id != b->tokens[i].id || a->tokens[i].is_special != b->tokens[i].is_special ||
        !g_str_equal (a->labels[i], b->labels[i]))
      return FALSE;
  return TRUE;
}

/**
 * attn_token_list_begins_with:
 * @tokens: (nullable)
 * @start: (nullable)
 *
 * Returns: whether the labels of @start are the first ones of @tokens
 */
gboolean
attn_token_list_begins_with (const AttnTokens *tokens,
                             const AttnTokens *start)
{
  if (attn_token_list_count (tokens) < attn_token_list_count (start))
    return FALSE;
  for (gsize i = 0; i < attn_token_list_count (start); i++)
    if (!g_str_equal (start->labels[i], tokens->labels[i]))
      return FALSE;
  return TRUE;
}

/**
 * attn_token_list_join:
 * @tokens: (nullable)
 * @n_most: the largest number of tokens that are joined
 *
 * Returns: (transfer full): the labels of the first tokens, with spaces between them
 */
char *
attn_token_list_join (const AttnTokens *tokens,
                      gsize             n_most)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < MIN (attn_token_list_count (tokens), n_most); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", tokens->labels[i]);
  return g_string_free (text, FALSE);
}
