/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-vocabulary.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "attn-error.h"

/* The largest size of a vocabulary, sixteen times that of the largest in use. It keeps a small file
 * with a large id from causing a huge allocation. */
#define MAX_SIZE (1 << 22)

/**
 * AttnVocabulary:
 *
 * The thread that makes it writes to it; afterwards any thread may read it.
 */
struct _AttnVocabulary
{
  GStringChunk *strings;
  GPtrArray *pieces; /* spelling of each piece by its id; NULL for an id without a piece */
  GHashTable *ids;   /* table from the spelling of a piece to its id */
};

AttnVocabulary *
attn_vocabulary_new (void)
{
  AttnVocabulary *vocabulary = g_new0 (AttnVocabulary, 1);

  vocabulary->strings = g_string_chunk_new (1 << 16);
  vocabulary->pieces = g_ptr_array_new ();
  vocabulary->ids = g_hash_table_new (g_str_hash, g_str_equal);
  return vocabulary;
}

void
attn_vocabulary_free (AttnVocabulary *vocabulary)
{
  g_hash_table_unref (vocabulary->ids);
  g_ptr_array_unref (vocabulary->pieces);
  g_string_chunk_free (vocabulary->strings);
  g_free (vocabulary);
}

/**
 * attn_vocabulary_add:
 * @where: name of the file in error messages
 * @piece: spelling of the piece, UTF-8; it is copied
 * @id: its id; the same piece with the same id may come again
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Adds a piece to the vocabulary.
 */
gboolean
attn_vocabulary_add (AttnVocabulary  *vocabulary,
                     const char      *where,
                     const char      *piece,
                     gint64           id,
                     GError         **error)
{
  guint32 other_id;

  if (id < 0 || id >= MAX_SIZE)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: id %" PRId64 " of token “%s” found, expected 0 to %d"), where, id,
                      piece, MAX_SIZE - 1);
  if (attn_vocabulary_lookup (vocabulary, piece, &other_id))
    {
      if (other_id == id)
        return TRUE;
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: ids %u and %" PRId64 " found for token “%s”, expected one"), where,
                        other_id, id, piece);
    }
  if (attn_vocabulary_get_piece (vocabulary, id) != NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: id %" PRId64 " found for tokens “%s” and “%s”, expected an id each"),
                      where, id, attn_vocabulary_get_piece (vocabulary, id), piece);

  if (id >= vocabulary->pieces->len)
    g_ptr_array_set_size (vocabulary->pieces, id + 1);
  char *copy = g_string_chunk_insert (vocabulary->strings, piece);
  vocabulary->pieces->pdata[id] = copy;
  g_hash_table_insert (vocabulary->ids, copy, GUINT_TO_POINTER ((guint) id));
  return TRUE;
}

/**
 * attn_vocabulary_add_object:
 * @pieces: a JSON object with pieces as members, ids as their values
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Adds all pieces of a JSON object to the vocabulary.
 */
gboolean
attn_vocabulary_add_object (AttnVocabulary  *vocabulary,
                            AttnJsonWalk    *pieces,
                            GError         **error)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  gint64 id;

  attn_json_walk_enter (pieces, '{');
  while (attn_json_walk_next (pieces, '}') && attn_json_walk_read_name (pieces, piece))
    {
      if (!attn_json_walk_read_integer (pieces, &id))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: token “%s” without a whole number found, expected its id"),
                          pieces->where, piece->str);
      if (!attn_vocabulary_add (vocabulary, pieces->where, piece->str, id, error))
        return FALSE;
    }
  return attn_json_walk_finish (pieces, error);
}

/**
 * attn_vocabulary_get_size:
 *
 * Returns: one more than the largest id of a piece
 */
gsize
attn_vocabulary_get_size (const AttnVocabulary *vocabulary)
{
  return vocabulary->pieces->len;
}

/**
 * attn_vocabulary_get_piece:
 *
 * Returns: (nullable): the piece, or %NULL where no piece has @id
 */
const char *
attn_vocabulary_get_piece (const AttnVocabulary *vocabulary,
                           gsize                 id)
{
  return id < vocabulary->pieces->len ? vocabulary->pieces->pdata[id] : NULL;
}

/**
 * attn_vocabulary_lookup:
 * @id: (out): the id of @piece, untouched where there is none
 *
 * Finds the id of a piece by its spelling.
 */
gboolean
attn_vocabulary_lookup (const AttnVocabulary *vocabulary,
                        const char           *piece,
                        guint32              *id)
{
  gpointer value;

  if (!g_hash_table_lookup_extended (vocabulary->ids, piece, NULL, &value))
    return FALSE;
  *id = GPOINTER_TO_UINT (value);
  return TRUE;
}

/**
 * attn_vocabulary_create_trie:
 * @types: (nullable): an #AttnPieceType for each id: only pieces that are found in a text are
 *   taken; %NULL for all
 *
 * Returns: (transfer full): a trie of the pieces with their ids
 */
AttnTrie *
attn_vocabulary_create_trie (const AttnVocabulary *vocabulary,
                             const guint8         *types)
{
  g_autofree AttnTrieEntry *entries = g_new (AttnTrieEntry, vocabulary->pieces->len + 1);
  gsize n_entries = 0;

  for (guint32 id = 0; id < vocabulary->pieces->len; id++)
    {
      const char *piece = vocabulary->pieces->pdata[id];

      if (piece == NULL || (types != NULL && types[id] != ATTN_PIECE_NORMAL &&
                            types[id] != ATTN_PIECE_USER_DEFINED))
        continue;
      entries[n_entries++] = (AttnTrieEntry) { piece, strlen (piece), id };
    }
  return attn_trie_new (entries, n_entries);
}

/**
 * attn_vocabulary_create_user_trie:
 * @types: (nullable): an #AttnPieceType for each id
 *
 * Returns: (transfer full) (nullable): a trie of the pieces of type %ATTN_PIECE_USER_DEFINED; %NULL
 *   if there is none
 */
AttnTrie *
attn_vocabulary_create_user_trie (const AttnVocabulary *vocabulary,
                                  const guint8         *types)
{
  gsize n_pieces = attn_vocabulary_get_size (vocabulary);

  if (types == NULL || memchr (types, ATTN_PIECE_USER_DEFINED, n_pieces) == NULL)
    return NULL;
  g_autofree guint8 *chosen = g_new (guint8, n_pieces);
  for (gsize i = 0; i < n_pieces; i++)
    chosen[i] = types[i] == ATTN_PIECE_USER_DEFINED ? types[i] : ATTN_PIECE_UNUSED;
  return attn_vocabulary_create_trie (vocabulary, chosen);
}
