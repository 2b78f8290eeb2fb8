/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-subword.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-byte-pieces.h"
#include "attn-error.h"
#include "attn-spaces.h"
#include "attn-tokenizer.h"
#include "attn-trie.h"

#define NO_ID ATTN_TRIE_NO_ID

/* The number of symbols from which on a word is merged in buckets, one for each rank: a heap for it
 * would be larger than the processor's cache. */
#define LONG_WORD (1 << 16)

typedef struct
{
  AttnSubword parent;
  const AttnVocabulary *vocabulary;
  gsize n_pieces;      /* number of pieces, before added tokens joined the vocabulary */
  AttnPairMap *merges; /* merges: table from (left id, right id) to (rank << 32 | id of the merged
                        * piece) */
  AttnBpeOptions options;
  guint32 byte_ids[256]; /* id of the piece of each byte; NO_ID for a byte without a piece */
  guint32 end_ids[256];  /* id of the piece of each byte at the end of a word, if @word_end is
                          * set */
  char *word_end;

  /* Maps for words that are merged from characters */
  AttnPairMap *characters; /* table from a code point to the id of its piece */
  AttnTrie *user_defined;  /* trie of user-defined pieces; NULL for none */
} AttnBpe;

/* A symbol: a part of the word that is a piece so far. The symbols form a doubly linked list in an
 * array. */
typedef struct
{
  guint32 id;
  guint32 length; /* length in bytes; 0 once the symbol has been merged into its left neighbour */
  gint32 previous;
  gint32 next;
} Symbol;

/* A possible merge of two neighbouring symbols. It may have become stale since it was pushed. */
typedef struct
{
  guint64 order; /* order of merges: rank << 32 | index of the left symbol, so that the lowest rank
                  * comes first, then the leftmost */
  guint32 id;
  guint32 length; /* bytes of both symbols together */
} Candidate;

/* Buffers that are reused for all words of a text. */
typedef struct
{
  GArray *symbols;
  GArray *heap;       /* candidates, smallest order first */
  GPtrArray *buckets; /* pending candidates of a long word in buckets by rank */
  guint64 rank;       /* the lowest rank whose bucket still waits to be merged */
  GString *piece;
  gboolean was_unknown; /* whether the last symbol stands for text without a piece */
  guint32 n_before;     /* number of bytes that were left out before the first symbol */
  GArray *dropped;      /* AttnToken: entries for all bytes that were left out, see drop() */
} Scratch;

static void
heap_push (GArray          *heap,
           const Candidate *candidate)
{
  g_array_append_vals (heap, candidate, 1);

  Candidate *items = (Candidate *) heap->data;
  gsize i = heap->len - 1;
  while (i > 0 && items[(i - 1) / 2].order > candidate->order)
    {
      items[i] = items[(i - 1) / 2];
      i = (i - 1) / 2;
    }
  items[i] = *candidate;
}

static Candidate
heap_pop (GArray *heap)
{
  Candidate *items = (Candidate *) heap->data;
  Candidate top = items[0];
  Candidate last = items[heap->len - 1];
  gsize n = heap->len - 1;
  gsize i = 0;

  for (gsize child = 1; child < n; child = 2 * i + 1)
    {
      if (child + 1 < n && items[child + 1].order < items[child].order)
        child++;
      if (items[child].order >= last.order)
        break;
      items[i] = items[child];
      i = child;
    }
  items[i] = last;
  g_array_set_size (heap, n);
  return top;
}

/* Stores a candidate of a long word in the bucket of its rank, since a heap larger than the
 * processor's cache is slow. Returns FALSE if the candidate belongs on the heap: there are no
 * buckets, or its rank has been reached already. */
static gboolean
push_waiting (Scratch         *scratch,
              const Candidate *candidate)
{
  guint64 rank = candidate->order >> 32;

  if (scratch->buckets == NULL || rank < scratch->rank)
    return FALSE;
  if (rank >= scratch->buckets->len)
    g_ptr_array_set_size (scratch->buckets, (gint) rank + 1);
  if (scratch->buckets->pdata[rank] == NULL)
    scratch->buckets->pdata[rank] = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_array_append_vals (scratch->buckets->pdata[rank], candidate, 1);
  return TRUE;
}

/* Pushes the merge of the symbol @left and its right neighbour, if the pair can be merged. */
static void
push_candidate (const AttnBpe *bpe,
                Scratch       *scratch,
                gint32         left)
{
  const Symbol *symbols = (const Symbol *) scratch->symbols->data;
  guint64 value;

  if (left < 0 || symbols[left].next < 0)
    return;

  const Symbol *right = &symbols[symbols[left].next];
  if (!attn_pair_map_lookup (bpe->merges, attn_pair_map_key (symbols[left].id, right->id), &value))
    return;

  Candidate candidate = {
    .order = (value & ~(guint64) G_MAXUINT32) | (guint32) left,
    .id = (guint32) value,
    .length = symbols[left].length + right->length,
  };
  if (!push_waiting (scratch, &candidate))
    heap_push (scratch->heap, &candidate);
}

/* Performs a merge, unless the candidate is stale: its left symbol is gone, or the length of the
 * two symbols has changed. Symbols only grow, so the same length means the same symbols. */
static void
merge (const AttnBpe   *bpe,
       Scratch         *scratch,
       const Candidate *candidate)
{
  Symbol *symbols = (Symbol *) scratch->symbols->data;
  gint32 index = (gint32) (candidate->order & G_MAXUINT32);
  Symbol *left = &symbols[index];

  if (left->length == 0 || left->next < 0 ||
      left->length + symbols[left->next].length != candidate->length)
    return;

  Symbol *right = &symbols[left->next];
  left->id = candidate->id;
  left->length = candidate->length;
  left->next = right->next;
  if (right->next >= 0)
    symbols[right->next].previous = index;
  right->length = 0;

  push_candidate (bpe, scratch, left->previous);
  push_candidate (bpe, scratch, index);
}

static void
merge_heap (const AttnBpe *bpe,
            Scratch       *scratch,
            guint64        end)
{
  while (scratch->heap->len > 0 && ((Candidate *) scratch->heap->data)->order < end)
    {
      Candidate candidate = heap_pop (scratch->heap);

      merge (bpe, scratch, &candidate);
    }
}

static int
compare_candidates (gconstpointer a,
                    gconstpointer b)
{
  const Candidate *left = a;
  const Candidate *right = b;

  return (left->order > right->order) - (left->order < right->order);
}

/* Merges the candidates of a long word rank by rank. New candidates of a rank already reached go to
 * the heap and are merged in the order of the heap. */
static void
merge_buckets (const AttnBpe *bpe,
               Scratch       *scratch)
{
  for (guint rank = 0; rank < scratch->buckets->len; rank++)
    {
      g_autoptr (GArray) bucket = g_steal_pointer (&scratch->buckets->pdata[rank]);

      scratch->rank = (guint64) rank + 1;
      if (bucket == NULL)
        continue;
      g_array_sort (bucket, compare_candidates);
      for (guint i = 0; i < bucket->len; i++)
        {
          const Candidate *candidate = &g_array_index (bucket, Candidate, i);

          merge_heap (bpe, scratch, candidate->order);
          merge (bpe, scratch, candidate);
        }
      merge_heap (bpe, scratch, G_MAXUINT64);
    }
}

/* Merges the pair of lowest rank until no pair can be merged. This takes O(n log n), as each merge
 * pushes at most two candidates. */
static void
merge_symbols (const AttnBpe *bpe,
               Scratch       *scratch)
{
  g_array_set_size (scratch->heap, 0);
  scratch->rank = 0;
  if (scratch->symbols->len >= LONG_WORD)
    scratch->buckets = g_ptr_array_new ();
  for (guint i = 0; i + 1 < scratch->symbols->len; i++)
    push_candidate (bpe, scratch, i);

  if (scratch->buckets != NULL)
    merge_buckets (bpe, scratch);
  else
    merge_heap (bpe, scratch, G_MAXUINT64);
  g_clear_pointer (&scratch->buckets, g_ptr_array_unref);
}

/* Appends a symbol. Two unknown symbols in a row become one if the options have fuses_unknown. */
static void
append_symbol (const AttnBpe *bpe,
               Scratch       *scratch,
               guint32        id,
               guint32        length)
{
  GArray *symbols = scratch->symbols;
  Symbol symbol = { id, length, (gint32) symbols->len - 1, symbols->len + 1 };
  Symbol *last = symbols->len > 0 ? &g_array_index (symbols, Symbol, symbols->len - 1) : NULL;

  if (last != NULL && bpe->options.fuses_unknown && id == bpe->options.unknown_id &&
      last->id == id && scratch->was_unknown)
    last->length += length;
  else
    g_array_append_val (symbols, symbol);
}

/* Leaves out bytes that no piece represents, as published tokenizers without an unknown token do.
 * The symbol before the bytes, or the first symbol, is extended over them. @begin: offset in the
 * word */
static void
drop (Scratch *scratch,
      gsize    begin,
      guint32  length)
{
  GArray *symbols = scratch->symbols;
  AttnToken token = { ATTN_TOKEN_DROPPED, begin, begin + length, FALSE };

  if (symbols->len > 0)
    g_array_index (symbols, Symbol, symbols->len - 1).length += length;
  else
    scratch->n_before += length;
  g_array_append_val (scratch->dropped, token);
}

/* Splits a word into symbols, one for each byte. */
static void
set_byte_symbols (const AttnBpe *bpe,
                  Scratch       *scratch,
                  const char    *word,
                  gsize          n_bytes)
{
  for (gsize i = 0; i < n_bytes; i++)
    {
      const guint32 *ids =
          bpe->word_end != NULL && i == n_bytes - 1 ? bpe->end_ids : bpe->byte_ids;
      guint32 id = ids[(guint8) word[i]];
      gboolean is_unknown = id == NO_ID;

      if (is_unknown && bpe->options.unknown_id == NO_ID)
        drop (scratch, i, 1);
      else
        append_symbol (bpe, scratch, is_unknown ? bpe->options.unknown_id : id, 1);
      scratch->was_unknown = is_unknown;
    }
}

/* Appends the pieces of @length single bytes. Returns FALSE, and appends nothing, if a byte has no
 * piece. */
static gboolean
append_bytes (const AttnBpe *bpe,
              Scratch       *scratch,
              const char    *bytes,
              gsize          length)
{
  for (gsize i = 0; i < length; i++)
    if (bpe->byte_ids[(guint8) bytes[i]] == NO_ID)
      return FALSE;
  for (gsize i = 0; i < length; i++)
    append_symbol (bpe, scratch, bpe->byte_ids[(guint8) bytes[i]], 1);
  return TRUE;
}

/* Splits a word into symbols: one for each user-defined piece and each other character. */
static void
set_character_symbols (const AttnBpe *bpe,
                       Scratch       *scratch,
                       const char    *word,
                       gsize          n_bytes)
{
  for (gsize i = 0, length; i < n_bytes; i += length)
    {
      gunichar character = g_utf8_get_char (word + i);
      gboolean is_unknown = FALSE;
      guint32 user_id;
      guint64 id;

      length = bpe->user_defined == NULL
                   ? 0
                   : attn_trie_find (bpe->user_defined, ATTN_TRIE_ROOT, word + i, n_bytes - i,
                                     &user_id);
      if (length > 0)
        {
          append_symbol (bpe, scratch, user_id, length);
          scratch->was_unknown = FALSE;
          continue;
        }

      length = g_utf8_skip[(guint8) word[i]];
      if (attn_pair_map_lookup (bpe->characters, character, &id))
        append_symbol (bpe, scratch, (guint32) id, length);
      else
        is_unknown = !bpe->options.has_byte_fallback ||
                     !append_bytes (bpe, scratch, word + i, length);
      if (is_unknown && bpe->options.unknown_id == NO_ID)
        drop (scratch, i, length);
      else if (is_unknown)
        append_symbol (bpe, scratch, bpe->options.unknown_id, length);
      scratch->was_unknown = is_unknown;
    }
}

static void
set_symbols (const AttnBpe *bpe,
             Scratch       *scratch,
             const char    *word,
             gsize          n_bytes)
{
  g_array_set_size (scratch->symbols, 0);
  g_array_set_size (scratch->dropped, 0);
  scratch->was_unknown = FALSE;
  scratch->n_before = 0;
  if (bpe->options.is_byte_level)
    set_byte_symbols (bpe, scratch, word, n_bytes);
  else
    set_character_symbols (bpe, scratch, word, n_bytes);
  if (scratch->symbols->len > 0)
    g_array_index (scratch->symbols, Symbol, scratch->symbols->len - 1).next = -1;
}

/* Tells whether the whole word is a piece of the vocabulary. Added tokens do not count. */
static gboolean
find_word (const AttnBpe *bpe,
           Scratch       *scratch,
           const char    *word,
           gsize          n_bytes,
           guint32       *id)
{
  g_string_truncate (scratch->piece, 0);
  if (!bpe->options.is_byte_level)
    g_string_append_len (scratch->piece, word, n_bytes);
  for (gsize i = 0; bpe->options.is_byte_level && i < n_bytes; i++)
    g_string_append_unichar (scratch->piece, attn_byte_level_get_char ((guint8) word[i]));
  if (bpe->word_end != NULL)
    g_string_append (scratch->piece, bpe->word_end);
  return strlen (scratch->piece->str) == scratch->piece->len &&
         attn_vocabulary_lookup (bpe->vocabulary, scratch->piece->str, id) && *id < bpe->n_pieces;
}

static void
encode_word (const AttnBpe  *bpe,
             Scratch        *scratch,
             const char     *text,
             const AttnWord *span,
             GArray         *tokens)
{
  const char *word = text + span->begin;
  gsize n_bytes = span->end - span->begin;
  AttnToken token = { .begin = span->begin, .end = span->end };

  if (bpe->options.ignores_merges && find_word (bpe, scratch, word, n_bytes, &token.id))
    {
      g_array_append_val (tokens, token);
      return;
    }

  set_symbols (bpe, scratch, word, n_bytes);
  merge_symbols (bpe, scratch);

  const Symbol *symbols = (const Symbol *) scratch->symbols->data;
  for (gint32 i = scratch->symbols->len > 0 ? 0 : -1; i >= 0; i = symbols[i].next)
    {
      token.id = symbols[i].id;
      token.end = token.begin + symbols[i].length + (i == 0 ? scratch->n_before : 0);
      g_array_append_val (tokens, token);
      token.begin = token.end;
    }
  for (guint i = 0; i < scratch->dropped->len; i++)
    {
      AttnToken dropped = g_array_index (scratch->dropped, AttnToken, i);

      dropped.begin += span->begin;
      dropped.end += span->begin;
      g_array_append_val (tokens, dropped);
    }
}

static gboolean
bpe_encode (const AttnSubword  *subword,
            const char         *text,
            const AttnWord     *words,
            gsize               n_words,
            GArray             *tokens,
            GError            **error)
{
  const AttnBpe *bpe = (const AttnBpe *) subword;
  Scratch scratch = {
    .symbols = g_array_new (FALSE, FALSE, sizeof (Symbol)),
    .heap = g_array_new (FALSE, FALSE, sizeof (Candidate)),
    .piece = g_string_new (NULL),
    .dropped = g_array_new (FALSE, FALSE, sizeof (AttnToken)),
  };

  for (gsize i = 0; i < n_words; i++)
    encode_word (bpe, &scratch, text, &words[i], tokens);

  g_array_unref (scratch.symbols);
  g_array_unref (scratch.heap);
  g_array_unref (scratch.dropped);
  g_string_free (scratch.piece, TRUE);
  return TRUE;
}

static void
bpe_free (AttnSubword *subword)
{
  AttnBpe *bpe = (AttnBpe *) subword;

  g_clear_pointer (&bpe->merges, attn_pair_map_free);
  g_clear_pointer (&bpe->characters, attn_pair_map_free);
  g_clear_pointer (&bpe->user_defined, attn_trie_free);
  g_free (bpe->word_end);
  g_free (bpe);
}

/* Looks up the piece of each byte, its character in the byte-level alphabet with @suffix behind it.
 * A byte without a piece gets NO_ID. */
static void
find_byte_ids (const AttnBpe *bpe,
               const char    *suffix,
               guint32        ids[256])
{
  for (int byte = 0; byte < 256; byte++)
    {
      char character[7] = { 0 };

      g_unichar_to_utf8 (attn_byte_level_get_char (byte), character);
      g_autofree char *piece = g_strconcat (character, suffix, NULL);
      if (!attn_vocabulary_lookup (bpe->vocabulary, piece, &ids[byte]))
        ids[byte] = NO_ID;
    }
}

/* Returns a map from code points to the normal pieces that consist of that single character. */
static AttnPairMap *
create_characters (const AttnVocabulary *vocabulary,
                   const guint8         *types)
{
  AttnPairMap *characters = attn_pair_map_new (0);

  for (guint32 id = 0; id < attn_vocabulary_get_size (vocabulary); id++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, id);

      if (piece == NULL || *piece == '\0' || *g_utf8_next_char (piece) != '\0')
        continue;
      if (types == NULL || types[id] == ATTN_PIECE_NORMAL)
        attn_pair_map_insert (characters, g_utf8_get_char (piece), id);
    }
  return characters;
}

/**
 * attn_bpe_get_kind:
 *
 * Returns: the kind of a BPE model with these options, in words: a byte-level model is "byte-level
 *   BPE", one that spells characters without a piece in bytes "BPE with byte fallback", any other
 *   "BPE"
 */
const char *
attn_bpe_get_kind (const AttnBpeOptions *options)
{
  if (options->is_byte_level)
    return ATTN_SUBWORD_BYTE_LEVEL_BPE;
  return options->has_byte_fallback ? ATTN_SUBWORD_BYTE_FALLBACK_BPE : ATTN_SUBWORD_BPE;
}

/**
 * attn_bpe_new:
 * @vocabulary: the pieces of the model; must outlive it
 * @merges: (transfer full): which pairs of pieces can be joined, as attn-merges.h describes
 * @types: (nullable): an #AttnPieceType for each id: which pieces are found in a text; %NULL for
 *   all
 *
 * Makes a model of byte-pair encoding (Sennrich et al., arXiv 1508.07909) over characters, or over
 * bytes as in GPT-2.
 *
 * Returns: (transfer full): the model
 */
AttnSubword *
attn_bpe_new (const AttnVocabulary *vocabulary,
              AttnPairMap          *merges,
              const AttnBpeOptions *options,
              const guint8         *types)
{
  AttnBpe *bpe = g_new0 (AttnBpe, 1);

  bpe->word_end = g_strdup (options->word_end);
  bpe->parent = (AttnSubword) { attn_bpe_get_kind (options), FALSE, bpe->word_end, bpe_encode,
                                bpe_free };
  bpe->vocabulary = vocabulary;
  bpe->n_pieces = attn_vocabulary_get_size (vocabulary);
  bpe->merges = merges;
  bpe->options = *options;
  if (options->is_byte_level)
    {
      find_byte_ids (bpe, "", bpe->byte_ids);
      if (bpe->word_end != NULL)
        find_byte_ids (bpe, bpe->word_end, bpe->end_ids);
      return &bpe->parent;
    }
  attn_byte_pieces_find (vocabulary, bpe->byte_ids);
  bpe->characters = create_characters (vocabulary, types);
  /* User-defined pieces are found in a word before any of its characters are merged. */
  bpe->user_defined = attn_vocabulary_create_user_trie (vocabulary, types);
  /* Words that are looked up whole before merging must not be cut at spaces. */
  bpe->parent.cuts_at_spaces = !options->ignores_merges && attn_spaces_begin_pieces (vocabulary);
  return &bpe->parent;
}
