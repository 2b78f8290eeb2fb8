/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-index-set.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

typedef struct
{
  gsize first;
  gsize last; /* inclusive */
} Span;

/**
 * AttnIndexSet:
 *
 * An immutable set of indices from 0, of layers for example. Every function that takes a set takes
 * %NULL for "all", so that this common case needs no memory. Reference-counted; any thread may use
 * it.
 */
struct _AttnIndexSet
{
  gatomicrefcount ref_count;
  gsize n_spans;
  Span spans[]; /* spans of the indices, at least one; in ascending order, with a gap between any
                 * two */
};

static int
compare_spans (gconstpointer a,
               gconstpointer b)
{
  const Span *left = a;
  const Span *right = b;

  return (left->first > right->first) - (left->first < right->first);
}

/* Makes a set of spans in any order: sorts them and merges those that overlap or touch, so that
 * equal sets have equal spans. */
static AttnIndexSet *
new_from_spans (GArray *spans)
{
  AttnIndexSet *set = g_malloc0 (sizeof (AttnIndexSet) + spans->len * sizeof (Span));

  g_array_sort (spans, compare_spans);
  g_atomic_ref_count_init (&set->ref_count);
  for (guint i = 0; i < spans->len; i++)
    {
      const Span *span = &g_array_index (spans, Span, i);
      Span *previous = set->n_spans > 0 ? &set->spans[set->n_spans - 1] : NULL;

      if (previous != NULL && span->first <= previous->last + 1)
        previous->last = MAX (previous->last, span->last);
      else
        set->spans[set->n_spans++] = *span;
    }
  return set;
}

/**
 * attn_index_set_new_range:
 * @first: the smallest index
 * @last: the largest index, inclusive
 *
 * Returns: (transfer full): a set of all indices from @first to @last
 */
AttnIndexSet *
attn_index_set_new_range (gsize first,
                          gsize last)
{
  g_return_val_if_fail (first <= last, NULL);

  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  Span span = { first, last };
  g_array_append_val (spans, span);
  return new_from_spans (spans);
}

/**
 * attn_index_set_new_from_flags:
 * @flags: (array length=n): for each index whether it is in the set
 *
 * Returns: (transfer full) (nullable): the set; %NULL if no flag is %TRUE, since there are no empty
 *   sets. The caller must not pass that on: elsewhere %NULL means "all".
 */
AttnIndexSet *
attn_index_set_new_from_flags (const gboolean *flags,
                               gsize           n)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));

  for (gsize i = 0; i < n; i++)
    if (flags[i])
      {
        Span span = { i, i };

        while (span.last + 1 < n && flags[span.last + 1])
          span.last++;
        i = span.last;
        g_array_append_val (spans, span);
      }
  return spans->len > 0 ? new_from_spans (spans) : NULL;
}

static gboolean
parse_index (const char *text,
             gsize      *index)
{
  guint64 value;

  /* An index of at most 2^31 - 1 keeps "last + 1" from overflowing. */
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &value, NULL))
    return FALSE;
  *index = value;
  return TRUE;
}

/**
 * attn_index_set_parse:
 * @text: numbers and ranges, separated by commas, such as "1,4-6". "all" is refused: it would be
 *   %NULL, and the caller has to test for it before.
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): the set
 */
AttnIndexSet *
attn_index_set_parse (const char  *text,
                      GError     **error)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      char *text_first = g_strstrip (*part);
      char *dash = strchr (text_first, '-');
      const char *text_last = text_first;
      Span span;

      if (dash != NULL)
        {
          *dash = '\0';
          text_last = dash + 1;
        }
      if (!parse_index (text_first, &span.first) || !parse_index (text_last, &span.last) ||
          span.first > span.last)
        {
          spans->len = 0;
          break;
        }
      g_array_append_val (spans, span);
    }

  if (spans->len == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("“%s” found, expected numbers and ranges such as 3 or 1,4-6, or all"),
                           text);
  return new_from_spans (spans);
}

/**
 * attn_index_set_ref:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: (transfer full) (nullable): @set. Any thread may call.
 */
AttnIndexSet *
attn_index_set_ref (AttnIndexSet *set)
{
  if (set != NULL)
    g_atomic_ref_count_inc (&set->ref_count);
  return set;
}

/**
 * attn_index_set_unref:
 * @set: (transfer full)
 *
 * Releases a reference, and frees the set with the last one. Any thread may call.
 */
void
attn_index_set_unref (AttnIndexSet *set)
{
  if (g_atomic_ref_count_dec (&set->ref_count))
    g_free (set);
}

/**
 * attn_index_set_contains:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: whether @index is in the set; always %TRUE for %NULL
 */
gboolean
attn_index_set_contains (const AttnIndexSet *set,
                         gsize               index)
{
  return attn_index_set_contains_any (set, index, index + 1);
}

/**
 * attn_index_set_contains_any:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: whether at least one index from @first to @end - 1 is in the set
 */
gboolean
attn_index_set_contains_any (const AttnIndexSet *set,
                             gsize               first,
                             gsize               end)
{
  if (set == NULL)
    return first < end;
  for (gsize i = 0; i < set->n_spans; i++)
    {
      gsize shared = MAX (set->spans[i].first, first);

      if (shared < end && shared <= set->spans[i].last)
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_index_set_contains_all:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: whether each index from @first to @end - 1 is in the set; %TRUE if there is none
 */
gboolean
attn_index_set_contains_all (const AttnIndexSet *set,
                             gsize               first,
                             gsize               end)
{
  gboolean is_in = set == NULL || first >= end;

  /* Spans of a set have gaps between them, so a range is in the set only if it lies within a single
   * span. */
  for (gsize i = 0; !is_in && i < set->n_spans; i++)
    is_in = set->spans[i].first <= first && end - 1 <= set->spans[i].last;
  return is_in;
}

/**
 * attn_index_set_get_first:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: the smallest index of the set; 0 for %NULL
 */
gsize
attn_index_set_get_first (const AttnIndexSet *set)
{
  return set != NULL ? set->spans[0].first : 0;
}

/**
 * attn_index_set_count:
 * @set: (nullable): a set, or %NULL for all
 * @n: the number of layers, heads or the like; indices run from 0 to @n - 1
 *
 * Returns: how many indices below @n are in the set
 */
gsize
attn_index_set_count (const AttnIndexSet *set,
                      gsize               n)
{
  gsize count = 0;

  if (set == NULL)
    return n;
  for (gsize i = 0; i < set->n_spans && set->spans[i].first < n; i++)
    count += MIN (set->spans[i].last, n - 1) - set->spans[i].first + 1;
  return count;
}

/**
 * attn_index_set_equal:
 * @a: (nullable): a set, or %NULL for all
 * @b: (nullable): a set, or %NULL for all
 *
 * Returns: whether both have the same indices; %NULL is equal only to %NULL
 */
gboolean
attn_index_set_equal (const AttnIndexSet *a,
                      const AttnIndexSet *b)
{
  if (a == b)
    return TRUE;
  return a != NULL && b != NULL && a->n_spans == b->n_spans &&
         memcmp (a->spans, b->spans, a->n_spans * sizeof (Span)) == 0;
}

/**
 * attn_index_set_check:
 * @set: (nullable): a set, or %NULL for all
 * @n: the number of layers, heads or the like that there are
 * @what: their name in the message, such as "layers"
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether every index of the set is below @n
 */
gboolean
attn_index_set_check (const AttnIndexSet  *set,
                      gsize                n,
                      const char          *what,
                      GError             **error)
{
  if (set == NULL || set->spans[set->n_spans - 1].last < n)
    return TRUE;

  g_autofree char *text = attn_index_set_to_string (set);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s %s found, expected 0 to %zu"), what, text,
                    n - 1);
}

/**
 * attn_index_set_to_string:
 * @set: (nullable): a set, or %NULL for all
 *
 * Returns: (transfer full): the set as text, such as "1,4-6", which [func@attn_index_set_parse]
 *   reads back; "all" for %NULL
 */
char *
attn_index_set_to_string (const AttnIndexSet *set)
{
  if (set == NULL)
    return g_strdup ("all");

  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < set->n_spans; i++)
    {
      const Span *span = &set->spans[i];

      g_string_append_printf (text, "%s%zu", i > 0 ? "," : "", span->first);
      if (span->last > span->first)
        g_string_append_printf (text, "-%zu", span->last);
    }
  return g_string_free (text, FALSE);
}
