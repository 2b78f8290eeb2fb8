/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-charsmap.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"

/**
 * AttnCharsmap:
 *
 * A file has the size of the tree in bytes (32 bits, little-endian), the tree of the keys (the
 * texts that are replaced), and the replacements, each with a NUL behind it. The tree is a double
 * array as Darts-clone writes it (darts.h, DoubleArrayUnit): units of 32 bits, where a node's child
 * behind byte b is at the node's offset, exclusive-or b, and names b in its label. Immutable; any
 * thread may use it.
 */
struct _AttnCharsmap
{
  guint32 *units;
  gsize n_units;
  char *replacements;
  gsize n_bytes; /* number of bytes of @replacements, the last of which is a NUL */
  AttnTrie *protected_texts;
};

static gboolean
has_leaf (guint32 unit)
{
  return unit >> 8 & 1;
}

static guint32
get_label (guint32 unit)
{
  return unit & (0x80000000u | 0xFF);
}

static guint32
get_offset (guint32 unit)
{
  return (unit >> 10) << ((unit & 0x200) >> 6);
}

static guint32
get_value (guint32 unit)
{
  return unit & 0x7FFFFFFF;
}

static gboolean
refuse (const char  *where,
        const char  *found,
        GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: precompiled normalizer %s found, expected a tree and replacements"),
                    where, found);
}

/* Checks that every leaf of the tree refers to an offset within the replacements. */
static gboolean
check_units (const AttnCharsmap  *charsmap,
             const char          *where,
             GError             **error)
{
  for (gsize i = 0; i < charsmap->n_units; i++)
    {
      guint32 unit = charsmap->units[i];
      gsize leaf = i ^ get_offset (unit);

      /* A leaf holds a value and has the topmost bit set. Nodes, whose labels have that bit clear,
       * refer to a leaf by their offsets. */
      if (unit >> 31 == 0 && has_leaf (unit) && leaf < charsmap->n_units &&
          charsmap->units[leaf] >> 31 == 1 &&
          get_value (charsmap->units[leaf]) >= charsmap->n_bytes)
        return refuse (where, _("with a replacement beyond its end"), error);
    }
  return TRUE;
}

static gboolean
read_charsmap (AttnCharsmap  *charsmap,
               const guint8  *data,
               gsize          n_bytes,
               const char    *where,
               GError       **error)
{
  guint32 tree_size;

  if (n_bytes < sizeof tree_size)
    return refuse (where, _("of too few bytes"), error);
  memcpy (&tree_size, data, sizeof tree_size);
  tree_size = GUINT32_FROM_LE (tree_size);
  if (tree_size < sizeof (guint32) || tree_size % sizeof (guint32) != 0 ||
      tree_size > n_bytes - sizeof tree_size)
    return refuse (where, _("with a tree of another size than it says"), error);

  charsmap->n_units = tree_size / sizeof (guint32);
  charsmap->units = g_memdup2 (data + sizeof tree_size, tree_size);
  for (gsize i = 0; i < charsmap->n_units; i++)
    charsmap->units[i] = GUINT32_FROM_LE (charsmap->units[i]);

  charsmap->n_bytes = n_bytes - sizeof tree_size - tree_size;
  charsmap->replacements = g_memdup2 (data + sizeof tree_size + tree_size, charsmap->n_bytes);
  if (charsmap->n_bytes == 0 || charsmap->replacements[charsmap->n_bytes - 1] != '\0')
    return refuse (where, _("without an end"), error);
  for (const char *p = charsmap->replacements; p < charsmap->replacements + charsmap->n_bytes;
       p += strlen (p) + 1)
    if (!g_utf8_validate (p, -1, NULL))
      return refuse (where, _("with a replacement that is not UTF-8"), error);
  return check_units (charsmap, where, error);
}

/**
 * attn_charsmap_new:
 * @bytes: the precompiled_charsmap of a SentencePiece model
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Reads SentencePiece's precompiled normalizer and checks it.
 */
AttnCharsmap *
attn_charsmap_new (GBytes      *bytes,
                   const char  *where,
                   GError     **error)
{
  g_autoptr (AttnCharsmap) charsmap = g_new0 (AttnCharsmap, 1);
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);

  if (!read_charsmap (charsmap, data, n_bytes, where, error))
    return NULL;
  return g_steal_pointer (&charsmap);
}

/**
 * attn_charsmap_new_from_base64:
 * @text: the precompiled_charsmap of a tokenizer.json
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Reads SentencePiece's precompiled normalizer, as [func@attn_charsmap_new] does, from its text.
 */
AttnCharsmap *
attn_charsmap_new_from_base64 (const char  *text,
                               const char  *where,
                               GError     **error)
{
  gsize n_characters = strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789+/");
  gsize n_bytes;
  guchar *data;

  if (strlen (text) % 4 != 0 || strlen (text) - n_characters != strspn (text + n_characters, "=") ||
      strlen (text) - n_characters > 2)
    {
      refuse (where, _("that is not base64"), error);
      return NULL;
    }
  data = g_base64_decode (text, &n_bytes);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n_bytes);
  return attn_charsmap_new (bytes, where, error);
}

void
attn_charsmap_free (AttnCharsmap *charsmap)
{
  g_free (charsmap->units);
  g_free (charsmap->replacements);
  g_clear_pointer (&charsmap->protected_texts, attn_trie_free);
  g_free (charsmap);
}

/**
 * attn_charsmap_protect:
 * @protected_texts: (transfer full): texts that are left as they are wherever they stand
 *
 * Must not be called once another thread has @charsmap.
 */
void
attn_charsmap_protect (AttnCharsmap *charsmap,
                       AttnTrie     *protected_texts)
{
  charsmap->protected_texts = protected_texts;
}

/* Finds the longest key of the table with which @text begins, and its replacement. Returns the
 * length of the key, or 0 if none fits. */
static gsize
find (const AttnCharsmap  *charsmap,
      const char          *text,
      gsize                length,
      const char         **replacement)
{
  gsize node = get_offset (charsmap->units[0]);
  gsize found = 0;

  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = text[i];
      guint32 value;

      node ^= byte;
      if (node >= charsmap->n_units || get_label (charsmap->units[node]) != byte)
        break;
      guint32 unit = charsmap->units[node];
      node ^= get_offset (unit);
      if (!has_leaf (unit) || node >= charsmap->n_units)
        continue;
      value = get_value (charsmap->units[node]);
      if (value >= charsmap->n_bytes)
        continue;
      found = i + 1;
      *replacement = charsmap->replacements + value;
    }
  return found;
}

/**
 * attn_charsmap_apply:
 * @text: the text to change
 * @error: return location for %ATTN_ERROR_LIMIT where the text grows too long
 *
 * From left to right, replaces the longest key that begins at each character, as SentencePiece's
 * normalizer.cc does.
 */
gboolean
attn_charsmap_apply (const AttnCharsmap  *charsmap,
                     AttnMappedText      *text,
                     GError             **error)
{
  gsize limit = MIN (ATTN_MAPPED_TEXT_MAX_LENGTH,
                     attn_memory_get_limit () / ATTN_MAPPED_TEXT_BYTES);
  g_auto (AttnMappedText) edited = { 0 };

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      const char *replacement = NULL;
      guint32 id;
      gsize kept = charsmap->protected_texts != NULL
                       ? attn_trie_find (charsmap->protected_texts, ATTN_TRIE_ROOT,
                                         text->text + begin, text->length - begin, &id)
                       : 0;

      if (kept > 0)
        {
          end = begin + kept;
          attn_mapped_text_append_copy (&edited, text, begin, end);
          continue;
        }
      gsize matched = find (charsmap, text->text + begin, text->length - begin, &replacement);
      end = begin + (matched > 0 ? matched : (gsize) g_utf8_skip[(guint8) text->text[begin]]);
      /* A key that ends inside a character does not count, since the bytes after it would not be
       * valid UTF-8. */
      if (matched == 0 || (end < text->length && (text->text[end] & 0xC0) == 0x80))
        {
          end = begin + g_utf8_skip[(guint8) text->text[begin]];
          attn_mapped_text_append_copy (&edited, text, begin, end);
          continue;
        }
      attn_mapped_text_replace (&edited, text, begin, end, replacement, strlen (replacement));
      if (edited.length > limit)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("text: more than %zu bytes after normalisation found, expected less"),
                          limit);
    }
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}
