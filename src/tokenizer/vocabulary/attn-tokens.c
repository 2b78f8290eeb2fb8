/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer.h"

#include "attn-label.h"

/**
 * attn_tokens_new_take:
 * @tokens: (element-type AttnToken) (transfer full): the tokens
 * @labels: (transfer full) (array zero-terminated=1): a label for each token, made by
 *   g_ref_string_new(); tokens may share a label if each holds a reference to it
 *
 * Makes a list of tokens of its parts, which are not copied.
 */
AttnTokens *
attn_tokens_new_take (GArray  *tokens,
                      char   **labels)
{
  AttnTokens *list = g_new0 (AttnTokens, 1);

  g_atomic_ref_count_init (&list->ref_count);
  list->n_tokens = tokens->len;
  list->tokens = (AttnToken *) g_array_free (tokens, FALSE);
  list->labels = labels;
  return list;
}

/**
 * attn_tokens_new_from_ids:
 * @ids: (array length=n_ids): token ids
 * @labels: (nullable) (transfer none) (array zero-terminated=1): a label for each id, or %NULL to
 *   label them by number, "#17", for a checkpoint without a tokenizer
 *
 * There is no text: every token begins and ends at 0.
 */
AttnTokens *
attn_tokens_new_from_ids (const guint32  *ids,
                          gsize           n_ids,
                          char          **labels)
{
  g_return_val_if_fail (labels == NULL || g_strv_length (labels) == n_ids, NULL);

  GArray *tokens = g_array_sized_new (FALSE, TRUE, sizeof (AttnToken), n_ids);
  char **copies = g_new0 (char *, n_ids + 1);
  for (gsize i = 0; i < n_ids; i++)
    {
      AttnToken token = { .id = ids[i] };

      g_array_append_val (tokens, token);
      g_autofree char *number = labels == NULL ? attn_label_new_number (ids[i]) : NULL;
      copies[i] = g_ref_string_new (labels != NULL ? labels[i] : number);
    }
  return attn_tokens_new_take (tokens, copies);
}

/**
 * attn_tokens_dup_ids:
 *
 * Returns: (transfer full): [n_tokens]: the ids of the tokens, as a model takes them as input
 */
guint32 *
attn_tokens_dup_ids (const AttnTokens *tokens)
{
  guint32 *ids = g_new (guint32, tokens->n_tokens);

  for (gsize i = 0; i < tokens->n_tokens; i++)
    ids[i] = tokens->tokens[i].id;
  return ids;
}

/**
 * attn_tokens_truncate:
 * @n_tokens: how many tokens to keep; if the list has no more, all are kept
 *
 * Returns: (transfer full): a new list of the first @n_tokens tokens
 */
AttnTokens *
attn_tokens_truncate (AttnTokens *tokens,
                      gsize       n_tokens)
{
  gsize n_kept = MIN (n_tokens, tokens->n_tokens);
  GArray *kept = g_array_sized_new (FALSE, FALSE, sizeof (AttnToken), n_kept);
  char **labels = g_new0 (char *, n_kept + 1);

  g_array_append_vals (kept, tokens->tokens, n_kept);
  for (gsize i = 0; i < n_kept; i++)
    labels[i] = g_ref_string_acquire (tokens->labels[i]);
  AttnTokens *first = attn_tokens_new_take (kept, labels);
  first->n_cut = tokens->n_cut + tokens->n_tokens - n_kept;
  first->n_dropped = tokens->n_dropped;
  first->first_dropped = tokens->first_dropped;
  return first;
}

AttnTokens *
attn_tokens_ref (AttnTokens *tokens)
{
  g_atomic_ref_count_inc (&tokens->ref_count);
  return tokens;
}

void
attn_tokens_unref (AttnTokens *tokens)
{
  if (!g_atomic_ref_count_dec (&tokens->ref_count))
    return;
  g_free (tokens->tokens);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_ref_string_release (tokens->labels[i]);
  g_free (tokens->labels);
  g_free (tokens);
}
