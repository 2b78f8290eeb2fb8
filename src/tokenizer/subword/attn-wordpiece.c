/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-subword.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-tokenizer.h"
#include "attn-trie.h"

typedef struct
{
  AttnSubword parent;
  AttnTrie *trie;
  gboolean has_continuations; /* whether any piece of the vocabulary begins with the prefix */
  guint32 continuation;       /* node of the trie after the prefix, where the search for later
                               * pieces begins */
  guint32 unknown_id;         /* id of the unknown token; ATTN_TRIE_NO_ID if unknown words are an
                               * error */
  gsize max_characters;       /* longer words are unknown */
} AttnWordpiece;

static gboolean
append_unknown (const AttnWordpiece  *wordpiece,
                const char           *text,
                const AttnWord       *word,
                GArray               *tokens,
                GError              **error)
{
  AttnToken token = { wordpiece->unknown_id, word->begin, word->end, FALSE };
  g_autofree char *shown = NULL;

  if (wordpiece->unknown_id != ATTN_TRIE_NO_ID)
    {
      g_array_append_val (tokens, token);
      return TRUE;
    }
  shown = g_utf8_make_valid (text + word->begin, MIN (word->end - word->begin, 64));
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("text: “%s” found, expected words that the vocabulary has pieces for"),
                    shown);
}

/* Appends the pieces of a word. Returns FALSE if the word is too long or cannot be cut into
 * pieces. */
static gboolean
append_pieces (const AttnWordpiece *wordpiece,
               const char          *text,
               const AttnWord      *word,
               GArray              *tokens)
{
  AttnToken token = { .begin = word->begin };
  guint32 node = ATTN_TRIE_ROOT;

  if ((gsize) g_utf8_strlen (text + word->begin, word->end - word->begin) >
      wordpiece->max_characters)
    return FALSE;
  while (token.begin < word->end)
    {
      gsize length = attn_trie_find (wordpiece->trie, node, text + token.begin,
                                     word->end - token.begin, &token.id);

      if (length == 0)
        return FALSE;
      token.end = token.begin + length;
      g_array_append_val (tokens, token);
      if (!wordpiece->has_continuations && token.end < word->end)
        return FALSE;
      token.begin = token.end;
      node = wordpiece->continuation;
    }
  return TRUE;
}

static gboolean
wordpiece_encode (const AttnSubword  *subword,
                  const char         *text,
                  const AttnWord     *words,
                  gsize               n_words,
                  GArray             *tokens,
                  GError            **error)
{
  const AttnWordpiece *wordpiece = (const AttnWordpiece *) subword;

  for (gsize i = 0; i < n_words; i++)
    {
      guint n_before = tokens->len;

      if (append_pieces (wordpiece, text, &words[i], tokens))
        continue;
      g_array_set_size (tokens, n_before);
      if (!append_unknown (wordpiece, text, &words[i], tokens, error))
        return FALSE;
    }
  return TRUE;
}

static void
wordpiece_free (AttnSubword *subword)
{
  AttnWordpiece *wordpiece = (AttnWordpiece *) subword;

  attn_trie_free (wordpiece->trie);
  g_free (wordpiece);
}

static void
find_continuation (AttnWordpiece *wordpiece,
                   const char    *prefix)
{
  guint32 node = ATTN_TRIE_ROOT;

  wordpiece->has_continuations = TRUE;
  for (const char *p = prefix; *p != '\0'; p++)
    {
      node = attn_trie_get_child (wordpiece->trie, node, (guint8) *p);
      if (node == ATTN_TRIE_ROOT)
        wordpiece->has_continuations = FALSE;
      if (node == ATTN_TRIE_ROOT)
        break;
    }
  wordpiece->continuation = node;
}

/**
 * attn_wordpiece_new:
 * @vocabulary: the pieces of the model; not needed afterwards
 * @prefix: what a piece begins with that continues a word, such as "##"
 * @unknown_id: the piece for words that cannot be cut; %ATTN_TRIE_NO_ID if they are an error
 * @max_characters: words longer than this are unknown
 * @types: (nullable): an #AttnPieceType for each id: which pieces are found in a text; %NULL for
 *   all
 *
 * Makes a model that takes the longest piece first, from left to right, as BERT's tokenization.py
 * does.
 *
 * Returns: (transfer full): the model
 */
AttnSubword *
attn_wordpiece_new (const AttnVocabulary *vocabulary,
                    const char           *prefix,
                    guint32               unknown_id,
                    gsize                 max_characters,
                    const guint8         *types)
{
  AttnWordpiece *wordpiece = g_new0 (AttnWordpiece, 1);

  wordpiece->parent =
      (AttnSubword) { ATTN_SUBWORD_WORDPIECE, FALSE, NULL, wordpiece_encode, wordpiece_free };
  wordpiece->trie = attn_vocabulary_create_trie (vocabulary, types);
  wordpiece->unknown_id = unknown_id;
  wordpiece->max_characters = max_characters;
  find_continuation (wordpiece, prefix);
  return &wordpiece->parent;
}

/**
 * attn_wordlevel_new:
 * @vocabulary: the words of the model; not needed afterwards
 * @unknown_id: the piece for other words; %ATTN_TRIE_NO_ID if they are an error
 *
 * Makes a model in which a word is in the vocabulary as a whole or is unknown.
 *
 * Returns: (transfer full): the model
 */
AttnSubword *
attn_wordlevel_new (const AttnVocabulary *vocabulary,
                    guint32               unknown_id)
{
  AttnWordpiece *words = g_new0 (AttnWordpiece, 1);

  words->parent =
      (AttnSubword) { ATTN_SUBWORD_WORDLEVEL, FALSE, NULL, wordpiece_encode, wordpiece_free };
  words->trie = attn_vocabulary_create_trie (vocabulary, NULL);
  words->unknown_id = unknown_id;
  words->max_characters = G_MAXSIZE;
  return &words->parent;
}
