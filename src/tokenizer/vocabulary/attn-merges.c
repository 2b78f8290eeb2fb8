/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-merges.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#include "attn-error.h"

static gboolean
look_up_piece (const AttnVocabulary  *vocabulary,
               const char            *where,
               gsize                  rank,
               const char            *piece,
               guint32               *id,
               GError               **error)
{
  if (attn_vocabulary_lookup (vocabulary, piece, id))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: “%s” of merge %zu found, expected a token of the vocabulary"), where,
                    piece, rank);
}

/* Looks up the two pieces of a merge and the piece that they form, and inserts the merge. @left: a
 * buffer that holds the left piece; its content is changed */
static gboolean
insert_merge (AttnPairMap           *merges,
              const AttnVocabulary  *vocabulary,
              const char            *where,
              gsize                  rank,
              GString               *left,
              const char            *right,
              GError               **error)
{
  guint32 left_id, right_id, id;

  if (!look_up_piece (vocabulary, where, rank, left->str, &left_id, error) ||
      !look_up_piece (vocabulary, where, rank, right, &right_id, error))
    return FALSE;
  g_string_append (left, right);
  if (!look_up_piece (vocabulary, where, rank, left->str, &id, error))
    return FALSE;
  attn_pair_map_insert (merges, attn_pair_map_key (left_id, right_id), (guint64) rank << 32 | id);
  return TRUE;
}

/* Parses a merge of byte-pair encoding written as "a b". Fails unless it has exactly one space. */
static gboolean
parse_text (const char  *text,
            GString     *left,
            const char **right)
{
  const char *space = text != NULL ? strchr (text, ' ') : NULL;

  if (space == NULL || strchr (space + 1, ' ') != NULL)
    return FALSE;
  g_string_truncate (left, 0);
  g_string_append_len (left, text, space - text);
  *right = space + 1;
  return TRUE;
}

/* Reads a merge of byte-pair encoding: "a b" or, since a piece may contain a space, ["a", "b"].
 * @text: a buffer */
static gboolean
read_merge (AttnJsonWalk  *walk,
            GString       *text,
            GString       *left,
            const char   **right)
{
  if (!attn_json_walk_is_at (walk, '['))
    return attn_json_walk_read_string (walk, text) && parse_text (text->str, left, right);
  if (!attn_json_walk_enter (walk, '[') || !attn_json_walk_next (walk, ']') ||
      !attn_json_walk_read_string (walk, left) || !attn_json_walk_next (walk, ']') ||
      !attn_json_walk_read_string (walk, text) || attn_json_walk_next (walk, ']'))
    return FALSE;
  *right = text->str;
  return TRUE;
}

static AttnPairMap *
refuse_merge (const char  *where,
              gsize        rank,
              GError     **error)
{
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: merge %zu that is not two tokens found, expected “a b” or [“a”, "
                           "“b”]"),
                         where, rank);
}

/**
 * attn_merges_new_from_json:
 * @walk: the array of the merges of a tokenizer.json
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: (transfer full) (nullable): a map of the merges, as attn-merges.h describes it
 */
AttnPairMap *
attn_merges_new_from_json (AttnJsonWalk          *walk,
                           const AttnVocabulary  *vocabulary,
                           GError               **error)
{
  g_autoptr (AttnPairMap) merges = attn_pair_map_new (attn_vocabulary_get_size (vocabulary));
  g_autoptr (GString) left = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  attn_json_walk_enter (walk, '[');
  for (gsize rank = 0; attn_json_walk_next (walk, ']'); rank++)
    {
      const char *right;

      if (!read_merge (walk, text, left, &right))
        return refuse_merge (walk->where, rank, error);
      if (!insert_merge (merges, vocabulary, walk->where, rank, left, right, error))
        return NULL;
    }
  return attn_json_walk_finish (walk, error) ? g_steal_pointer (&merges) : NULL;
}

/**
 * attn_merges_new_from_strings:
 * @strings: (array length=n_strings): the merges, "a b", that of the lowest rank first
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: (transfer full) (nullable): a map of the merges, as attn-merges.h describes it
 */
AttnPairMap *
attn_merges_new_from_strings (const char * const    *strings,
                              gsize                  n_strings,
                              const char            *where,
                              const AttnVocabulary  *vocabulary,
                              GError               **error)
{
  g_autoptr (AttnPairMap) merges = attn_pair_map_new (n_strings);
  g_autoptr (GString) left = g_string_new (NULL);

  for (gsize rank = 0; rank < n_strings; rank++)
    {
      const char *right;

      if (!parse_text (strings[rank], left, &right))
        return refuse_merge (where, rank, error);
      if (!insert_merge (merges, vocabulary, where, rank, left, right, error))
        return NULL;
    }
  return g_steal_pointer (&merges);
}

static int
compare_scores (const void *a,
                const void *b)
{
  float first = *(const float *) a;
  float second = *(const float *) b;

  return (first < second) - (first > second);
}

/* Returns the rank of each score, 0 for the highest. Equal scores have the same rank. */
static guint32 *
rank_scores (const float *scores,
             gsize        n_scores)
{
  g_autofree float *sorted = g_memdup2 (scores, n_scores * sizeof *scores);
  guint32 *ranks = g_new (guint32, n_scores);
  gsize n_unique = 0;

  qsort (sorted, n_scores, sizeof *sorted, compare_scores);
  for (gsize i = 0; i < n_scores; i++)
    if (n_unique == 0 || sorted[i] < sorted[n_unique - 1])
      sorted[n_unique++] = sorted[i];
  for (gsize i = 0; i < n_scores; i++)
    {
      const float *found = bsearch (&scores[i], sorted, n_unique, sizeof *sorted, compare_scores);

      ranks[i] = found - sorted;
    }
  return ranks;
}

static gboolean
look_up_normal (const AttnVocabulary *vocabulary,
                const guint8         *types,
                const char           *piece,
                guint32              *id)
{
  return attn_vocabulary_lookup (vocabulary, piece, id) &&
         (types == NULL || types[*id] == ATTN_PIECE_NORMAL);
}

/**
 * attn_merges_new_from_scores:
 * @scores: (array): the score of each id; finite
 * @types: (nullable): an #AttnPieceType for each id
 *
 * SentencePiece joins any two pieces whose text together is a piece, the highest score first: each
 * way to cut a normal piece in two normal pieces is a merge.
 */
AttnPairMap *
attn_merges_new_from_scores (const AttnVocabulary *vocabulary,
                             const float          *scores,
                             const guint8         *types)
{
  gsize n_pieces = attn_vocabulary_get_size (vocabulary);
  g_autofree guint32 *ranks = rank_scores (scores, n_pieces);
  g_autoptr (GString) left = g_string_new (NULL);
  AttnPairMap *merges = attn_pair_map_new (2 * n_pieces);

  for (guint32 id = 0; id < n_pieces; id++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, id);

      if (piece == NULL || *piece == '\0' || (types != NULL && types[id] != ATTN_PIECE_NORMAL))
        continue;
      for (const char *cut = g_utf8_next_char (piece); *cut != '\0'; cut = g_utf8_next_char (cut))
        {
          guint32 left_id, right_id;

          g_string_truncate (left, 0);
          g_string_append_len (left, piece, cut - piece);
          if (look_up_normal (vocabulary, types, left->str, &left_id) &&
              look_up_normal (vocabulary, types, cut, &right_id))
            attn_pair_map_insert (merges, attn_pair_map_key (left_id, right_id),
                                  (guint64) ranks[id] << 32 | id);
        }
    }
  return merges;
}
