/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-trie.h"

#include <stdlib.h>
#include <string.h>

/**
 * AttnTrie:
 *
 * The nodes are stored in the order of a breadth-first walk: the children of a node are neighbours,
 * and the children of the next node follow them. A node costs nine bytes. Immutable; any thread may
 * use it.
 */
struct _AttnTrie
{
  GArray *firsts;    /* guint32 [n_nodes + 1]: index of the first child of each node */
  GByteArray *bytes; /* [n_nodes]: byte on the edge that leads to each node */
  GArray *ids;       /* guint32 [n_nodes]: id of the piece that ends at each node, or NO_ID */
};

/* A range of sorted entries of a trie that have the same prefix. */
typedef struct
{
  gsize begin;
  gsize end;
  guint32 depth; /* length of the prefix, in bytes */
} Range;

static int
compare_entries (const void *a,
                 const void *b)
{
  const AttnTrieEntry *first = a;
  const AttnTrieEntry *second = b;
  int order = memcmp (first->text, second->text, MIN (first->length, second->length));

  if (order != 0)
    return order;
  if (first->length != second->length)
    return first->length > second->length ? 1 : -1;
  return (first->id > second->id) - (first->id < second->id);
}

static void
append_node (AttnTrie *trie,
             GArray   *ranges,
             guint8    byte,
             Range     range)
{
  guint32 none = ATTN_TRIE_NO_ID;

  g_byte_array_append (trie->bytes, &byte, 1);
  g_array_append_val (trie->ids, none);
  g_array_append_val (ranges, range);
}

/* Sets the id of a node of the trie and creates its children. */
static void
expand_node (AttnTrie            *trie,
             GArray              *ranges,
             guint32              node,
             const AttnTrieEntry *entries)
{
  Range range = g_array_index (ranges, Range, node);
  guint32 first_child = trie->bytes->len;
  gsize begin = range.begin;

  for (; begin < range.end && entries[begin].length == range.depth; begin++)
    if (range.depth > 0)
      g_array_index (trie->ids, guint32, node) = entries[begin].id;
  g_array_append_val (trie->firsts, first_child);
  while (begin < range.end)
    {
      char byte = entries[begin].text[range.depth];
      gsize end = begin + 1;

      while (end < range.end && entries[end].text[range.depth] == byte)
        end++;
      append_node (trie, ranges, (guint8) byte, (Range) { begin, end, range.depth + 1 });
      begin = end;
    }
}

/**
 * attn_trie_new:
 * @entries: (array length=n_entries): the texts that the trie is to hold; sorted in place. The
 *   texts are not needed afterwards.
 *
 * Time grows as n log n with the entries, memory with their bytes.
 */
AttnTrie *
attn_trie_new (AttnTrieEntry *entries,
               gsize          n_entries)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  AttnTrie *trie = g_new0 (AttnTrie, 1);

  if (n_entries > 0)
    qsort (entries, n_entries, sizeof *entries, compare_entries);
  trie->firsts = g_array_new (FALSE, FALSE, sizeof (guint32));
  trie->bytes = g_byte_array_new ();
  trie->ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  append_node (trie, ranges, 0, (Range) { 0, n_entries, 0 });
  for (guint32 node = 0; node < trie->bytes->len; node++)
    expand_node (trie, ranges, node, entries);
  g_array_append_val (trie->firsts, trie->bytes->len);
  return trie;
}

void
attn_trie_free (AttnTrie *trie)
{
  g_array_unref (trie->firsts);
  g_byte_array_unref (trie->bytes);
  g_array_unref (trie->ids);
  g_free (trie);
}

/**
 * attn_trie_get_child:
 *
 * Returns: the child of @node to which @byte leads, or %ATTN_TRIE_ROOT if there is none
 */
guint32
attn_trie_get_child (const AttnTrie *trie,
                     guint32         node,
                     guint8          byte)
{
  guint32 first = g_array_index (trie->firsts, guint32, node);
  guint32 end = g_array_index (trie->firsts, guint32, node + 1);
  const guint8 *bytes = trie->bytes->data;
  const guint8 *found = memchr (bytes + first, byte, end - first);

  return found != NULL ? (guint32) (found - bytes) : ATTN_TRIE_ROOT;
}

/**
 * attn_trie_get_id:
 *
 * Returns: the id of the entry that ends at @node, or %ATTN_TRIE_NO_ID
 */
guint32
attn_trie_get_id (const AttnTrie *trie,
                  guint32         node)
{
  return g_array_index (trie->ids, guint32, node);
}

/**
 * attn_trie_find:
 * @node: where the search begins: %ATTN_TRIE_ROOT or the node to which a prefix led
 * @text: (array length=length): bytes
 * @id: (out): the id of the entry that is found, untouched if there is none
 *
 * Returns: the length of the longest entry that @text begins with, 0 for none
 */
gsize
attn_trie_find (const AttnTrie *trie,
                guint32         node,
                const char     *text,
                gsize           length,
                guint32        *id)
{
  gsize found = 0;

  for (gsize i = 0; i < length; i++)
    {
      node = attn_trie_get_child (trie, node, (guint8) text[i]);
      if (node == ATTN_TRIE_ROOT)
        break;
      if (attn_trie_get_id (trie, node) == ATTN_TRIE_NO_ID)
        continue;
      found = i + 1;
      *id = attn_trie_get_id (trie, node);
    }
  return found;
}
