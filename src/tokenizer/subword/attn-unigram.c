/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-subword.h"

#include <glib/gi18n-lib.h>

#include "attn-byte-pieces.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-spaces.h"
#include "attn-tokenizer.h"
#include "attn-trie.h"

/* SentencePiece, unigram_model.cc, kUnkPenalty: the score of a character without a piece is lower
 * than the lowest score of a piece by this amount. */
#define UNKNOWN_PENALTY 10.0

#define NO_ID ATTN_TRIE_NO_ID

typedef struct
{
  AttnSubword parent;
  AttnTrie *trie;
  double *scores; /* natural logarithm of the probability of each piece, by id */
  double unknown_score;
  guint32 unknown_id; /* id of the unknown token; NO_ID if unknown characters are an error */
  gboolean has_byte_fallback;
  guint32 byte_ids[256];
} AttnUnigram;

/* The last step of the best segmentation of a word up to a position. */
typedef struct
{
  double score;
  guint32 length; /* length of the last piece in bytes; 0 if the position is not reached yet */
  guint32 id;     /* id of the last piece; NO_ID for a character without a piece */
} Step;

/* Buffers that are reused for all words of a text. */
typedef struct
{
  GArray *steps;
  GArray *path; /* array of AttnToken: tokens of a word, the last one first */
} Scratch;

static void
offer (Step    *step,
       double   score,
       guint32  length,
       guint32  id)
{
  /* The step that begins earliest is kept of those with equal scores. */
  if (step->length > 0 && score <= step->score)
    return;
  *step = (Step) { score, length, id };
}

/* Finds the best segmentation of a word by dynamic programming. @steps: [n_bytes + 1]: steps[i] is
 * the last step of the best segmentation of the first i bytes */
static void
search (const AttnUnigram *unigram,
        const char        *word,
        gsize              n_bytes,
        Step              *steps)
{
  for (gsize i = 0; i < n_bytes; i += g_utf8_skip[(guint8) word[i]])
    {
      guint32 character_length = g_utf8_skip[(guint8) word[i]];
      gboolean has_character = FALSE;
      guint32 node = ATTN_TRIE_ROOT;

      for (gsize end = i; end < n_bytes; end++)
        {
          guint32 id;

          node = attn_trie_get_child (unigram->trie, node, (guint8) word[end]);
          if (node == ATTN_TRIE_ROOT)
            break;
          id = attn_trie_get_id (unigram->trie, node);
          if (id == NO_ID)
            continue;
          offer (&steps[end + 1], steps[i].score + unigram->scores[id], end + 1 - i, id);
          has_character = has_character || end + 1 - i == character_length;
        }
      if (!has_character)
        offer (&steps[i + character_length], steps[i].score + unigram->unknown_score,
               character_length, NO_ID);
    }
}

static gboolean
append_unknown (const AttnUnigram  *unigram,
                const char         *text,
                gsize               begin,
                gsize               end,
                GArray             *tokens,
                GError            **error)
{
  AttnToken token = { unigram->unknown_id, begin, end, FALSE };

  if (unigram->has_byte_fallback &&
      attn_byte_pieces_append (unigram->byte_ids, text, begin, end, tokens))
    return TRUE;
  if (unigram->unknown_id == NO_ID)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("text: character U+%04X found, expected characters that the vocabulary "
                        "has a token for"),
                      g_utf8_get_char (text + begin));
  g_array_append_val (tokens, token);
  return TRUE;
}

/* Follows the best segmentation from the end of the word. Adjacent characters without a piece
 * become one unknown token. */
static void
trace_back (const AttnWord *word,
            const Step     *steps,
            GArray         *path)
{
  g_array_set_size (path, 0);
  for (gsize end = word->end - word->begin; end > 0; end -= steps[end].length)
    {
      AttnToken token = { steps[end].id, word->begin + end - steps[end].length, word->begin + end,
                          FALSE };
      AttnToken *last = path->len > 0 ? &g_array_index (path, AttnToken, path->len - 1) : NULL;

      if (last != NULL && last->id == NO_ID && token.id == NO_ID)
        last->begin = token.begin;
      else
        g_array_append_val (path, token);
    }
}

static gboolean
encode_word (const AttnUnigram  *unigram,
             Scratch            *scratch,
             const char         *text,
             const AttnWord     *word,
             GArray             *tokens,
             GError            **error)
{
  gsize n_bytes = word->end - word->begin;

  if (!attn_memory_check ((n_bytes + 1) * sizeof (Step), _("the search for tokens"), error))
    return FALSE;
  g_array_set_size (scratch->steps, 0);
  g_array_set_size (scratch->steps, n_bytes + 1);
  search (unigram, text + word->begin, n_bytes, (Step *) scratch->steps->data);
  trace_back (word, (const Step *) scratch->steps->data, scratch->path);

  for (guint i = scratch->path->len; i > 0; i--)
    {
      const AttnToken *token = &g_array_index (scratch->path, AttnToken, i - 1);

      if (token->id != NO_ID)
        g_array_append_vals (tokens, token, 1);
      else if (!append_unknown (unigram, text, token->begin, token->end, tokens, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
unigram_encode (const AttnSubword  *subword,
                const char         *text,
                const AttnWord     *words,
                gsize               n_words,
                GArray             *tokens,
                GError            **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, TRUE, sizeof (Step));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (AttnToken));
  Scratch scratch = { steps, path };

  for (gsize i = 0; i < n_words; i++)
    if (!encode_word ((const AttnUnigram *) subword, &scratch, text, &words[i], tokens, error))
      return FALSE;
  return TRUE;
}

static void
unigram_free (AttnSubword *subword)
{
  AttnUnigram *unigram = (AttnUnigram *) subword;

  attn_trie_free (unigram->trie);
  g_free (unigram->scores);
  g_free (unigram);
}

/* Sets the scores of pieces. User-defined pieces get a score that no other segmentation can exceed,
 * as in SentencePiece. */
static void
set_scores (AttnUnigram          *unigram,
            const AttnVocabulary *vocabulary,
            const double         *scores,
            const guint8         *types)
{
  gsize n_pieces = attn_vocabulary_get_size (vocabulary);
  double least = G_MAXDOUBLE;
  double largest = -G_MAXDOUBLE;

  unigram->scores = g_memdup2 (scores, n_pieces * sizeof *scores);
  for (gsize id = 0; id < n_pieces; id++)
    if (types == NULL || types[id] == ATTN_PIECE_NORMAL)
      {
        least = MIN (least, scores[id]);
        largest = MAX (largest, scores[id]);
      }
  for (gsize id = 0; types != NULL && id < n_pieces; id++)
    if (types[id] == ATTN_PIECE_USER_DEFINED)
      unigram->scores[id] =
          g_utf8_strlen (attn_vocabulary_get_piece (vocabulary, id), -1) * largest - 0.1;
  unigram->unknown_score = least - UNKNOWN_PENALTY;
}

/**
 * attn_unigram_new:
 * @vocabulary: the pieces of the model; not needed afterwards
 * @scores: (array): the natural logarithm of each piece's probability, by id; finite
 * @unknown_id: the piece for characters without one; %ATTN_TRIE_NO_ID if they are an error
 * @has_byte_fallback: whether such characters are spelled in bytes, "<0xE2>", where the vocabulary
 *   has them all
 * @types: (nullable): an #AttnPieceType for each id: which pieces are found in a text; %NULL for
 *   all
 *
 * Makes a model that finds the likeliest way to cut a word (Kudo, arXiv 1804.10959) by Viterbi's
 * algorithm, with the penalty for unknown characters of SentencePiece's unigram_model.cc.
 *
 * Returns: (transfer full): the model
 */
AttnSubword *
attn_unigram_new (const AttnVocabulary *vocabulary,
                  const double         *scores,
                  guint32               unknown_id,
                  gboolean              has_byte_fallback,
                  const guint8         *types)
{
  AttnUnigram *unigram = g_new0 (AttnUnigram, 1);

  unigram->parent = (AttnSubword) { ATTN_SUBWORD_UNIGRAM, attn_spaces_begin_pieces (vocabulary),
                                    NULL, unigram_encode, unigram_free };
  unigram->trie = attn_vocabulary_create_trie (vocabulary, types);
  unigram->unknown_id = unknown_id;
  unigram->has_byte_fallback = has_byte_fallback;
  attn_byte_pieces_find (vocabulary, unigram->byte_ids);
  set_scores (unigram, vocabulary, scores, types);
  return &unigram->parent;
}
