/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-bpe.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-pair-map.h"
#include "attn-tokenizer.h"

#define NO_ID G_MAXUINT32

typedef struct
{
  AttnSubword parent;
  const AttnVocabulary *vocabulary; /* borrowed from the tokenizer */
  AttnPairMap *merges;              /* (left id, right id) to (rank << 32 | id of both together) */
  guint32 byte_ids[256];            /* NO_ID where the vocabulary does not have the byte */
  guint32 unknown_id;               /* NO_ID for none */
  gboolean fuses_unknown;           /* bytes without a token in a row are one unknown token */
  gboolean ignores_merges;          /* a word that is a piece is that piece */
} AttnBpe;

/* A part of the word that is a piece so far: a doubly linked list in an array. */
typedef struct
{
  guint32 id;
  guint32 length; /* bytes; 0 once it has been merged into its left neighbour */
  gint32 previous;
  gint32 next;
} Symbol;

/* A merge that was possible when it was pushed. */
typedef struct
{
  guint64 order; /* rank << 32 | index of the left symbol: lowest rank first, then leftmost */
  guint32 id;
  guint32 length; /* of both together */
} Candidate;

/* Buffers that live as long as one text. */
typedef struct
{
  GArray *symbols;
  GArray *heap;   /* of candidates, the smallest order first */
  GString *piece;
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

/* Pushes the merge of a symbol and its right neighbour, where there is one. */
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
  heap_push (scratch->heap, &candidate);
}

/* Merges the pair of lowest rank until none is left. O(n log n): each merge pushes at most two
 * candidates. A candidate is stale when its left symbol is gone or the two are no longer as long
 * together: symbols only grow, so equal length means the same two. */
static void
merge_symbols (const AttnBpe *bpe,
               Scratch       *scratch)
{
  Symbol *symbols = (Symbol *) scratch->symbols->data;

  g_array_set_size (scratch->heap, 0);
  for (guint i = 0; i + 1 < scratch->symbols->len; i++)
    push_candidate (bpe, scratch, i);

  while (scratch->heap->len > 0)
    {
      Candidate candidate = heap_pop (scratch->heap);
      gint32 index = (gint32) (candidate.order & G_MAXUINT32);
      Symbol *left = &symbols[index];

      if (left->length == 0 || left->next < 0 ||
          left->length + symbols[left->next].length != candidate.length)
        continue;

      Symbol *right = &symbols[left->next];
      left->id = candidate.id;
      left->length = candidate.length;
      left->next = right->next;
      if (right->next >= 0)
        symbols[right->next].previous = index;
      right->length = 0;

      push_candidate (bpe, scratch, left->previous);
      push_candidate (bpe, scratch, index);
    }
}

/* A symbol for each byte. */
static gboolean
set_symbols (const AttnBpe  *bpe,
             Scratch        *scratch,
             const guint8   *word,
             gsize           n_bytes,
             GError        **error)
{
  gint32 n_symbols = 0;

  g_array_set_size (scratch->symbols, n_bytes);
  Symbol *symbols = (Symbol *) scratch->symbols->data;
  for (gsize i = 0; i < n_bytes; i++)
    {
      guint32 id = bpe->byte_ids[word[i]];
      gboolean is_unknown = id == NO_ID;

      if (is_unknown && bpe->unknown_id == NO_ID)
        {
          g_set_error (
              error, ATTN_ERROR, ATTN_ERROR_FORMAT,
              _("text: byte 0x%02X found, expected bytes that the vocabulary has a token for"),
              word[i]);
          return FALSE;
        }
      if (is_unknown && bpe->fuses_unknown && n_symbols > 0 &&
          symbols[n_symbols - 1].id == bpe->unknown_id)
        {
          symbols[n_symbols - 1].length++;
          continue;
        }
      symbols[n_symbols] = (Symbol){ is_unknown ? bpe->unknown_id : id, 1, n_symbols - 1,
                                     n_symbols + 1 };
      n_symbols++;
    }
  if (n_symbols > 0)
    symbols[n_symbols - 1].next = -1;
  g_array_set_size (scratch->symbols, n_symbols);
  return TRUE;
}

/* Whether the whole word is a piece of the vocabulary. */
static gboolean
find_word (const AttnBpe *bpe,
           Scratch       *scratch,
           const guint8  *word,
           gsize          n_bytes,
           guint32       *id)
{
  g_string_truncate (scratch->piece, 0);
  for (gsize i = 0; i < n_bytes; i++)
    g_string_append_unichar (scratch->piece, attn_byte_level_get_char (word[i]));
  return attn_vocabulary_lookup (bpe->vocabulary, scratch->piece->str, id);
}

static gboolean
encode_word (const AttnBpe   *bpe,
             Scratch         *scratch,
             const char      *text,
             const AttnSpan  *span,
             GArray          *tokens,
             GError         **error)
{
  const guint8 *word = (const guint8 *) text + span->begin;
  gsize n_bytes = span->end - span->begin;
  AttnToken token = { .begin = span->begin, .end = span->end };

  if (bpe->ignores_merges && find_word (bpe, scratch, word, n_bytes, &token.id))
    {
      g_array_append_val (tokens, token);
      return TRUE;
    }

  if (!set_symbols (bpe, scratch, word, n_bytes, error))
    return FALSE;
  merge_symbols (bpe, scratch);

  const Symbol *symbols = (const Symbol *) scratch->symbols->data;
  for (gint32 i = n_bytes > 0 ? 0 : -1; i >= 0; i = symbols[i].next)
    {
      token.id = symbols[i].id;
      token.end = token.begin + symbols[i].length;
      g_array_append_val (tokens, token);
      token.begin = token.end;
    }
  return TRUE;
}

static gboolean
bpe_encode (const AttnSubword  *subword,
            const char         *text,
            const AttnSpan     *words,
            gsize               n_words,
            GArray             *tokens,
            GError            **error)
{
  const AttnBpe *bpe = (const AttnBpe *) subword;
  Scratch scratch = {
    .symbols = g_array_new (FALSE, FALSE, sizeof (Symbol)),
    .heap = g_array_new (FALSE, FALSE, sizeof (Candidate)),
    .piece = g_string_new (NULL),
  };
  gboolean success = TRUE;

  for (gsize i = 0; i < n_words && success; i++)
    success = encode_word (bpe, &scratch, text, &words[i], tokens, error);

  g_array_unref (scratch.symbols);
  g_array_unref (scratch.heap);
  g_string_free (scratch.piece, TRUE);
  return success;
}

static void
bpe_free (AttnSubword *subword)
{
  AttnBpe *bpe = (AttnBpe *) subword;

  g_clear_pointer (&bpe->merges, attn_pair_map_free);
  g_free (bpe);
}

/* Options of the format that change the result and are not done here. */
static gboolean
refuse_options (JsonObject  *object,
                const char  *where,
                GError     **error)
{
  static const char *const strings[] = { "continuing_subword_prefix", "end_of_word_suffix" };
  double dropout;
  gboolean has_byte_fallback;

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    {
      const char *value;

      if (!attn_json_get_string (object, where, strings[i], "", &value, error))
        return FALSE;
      if (*value != '\0')
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                       _("%s: BPE option %s “%s” found, expected none"), where, strings[i], value);
          return FALSE;
        }
    }

  if (!attn_json_get_number (object, where, "dropout", 0, &dropout, error) ||
      !attn_json_get_boolean (object, where, "byte_fallback", FALSE, &has_byte_fallback, error))
    return FALSE;
  if (dropout != 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: BPE option dropout %g found, expected none"), where, dropout);
      return FALSE;
    }
  if (has_byte_fallback)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: BPE option byte_fallback found, expected byte-level BPE without it"),
                   where);
      return FALSE;
    }
  return TRUE;
}

static const char *
get_string (JsonNode *node)
{
  return json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

/* A merge is "a b" or, since a piece may hold a space, ["a", "b"]. */
static gboolean
parse_merge (JsonNode    *node,
             GString     *left,
             const char **right)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *pair = json_node_get_array (node);

      if (json_array_get_length (pair) != 2)
        return FALSE;

      const char *first = get_string (json_array_get_element (pair, 0));
      const char *second = get_string (json_array_get_element (pair, 1));
      if (first == NULL || second == NULL)
        return FALSE;
      g_string_assign (left, first);
      *right = second;
      return TRUE;
    }

  const char *text = get_string (node);
  const char *space = text != NULL ? strchr (text, ' ') : NULL;
  if (space == NULL || strchr (space + 1, ' ') != NULL)
    return FALSE;
  g_string_truncate (left, 0);
  g_string_append_len (left, text, space - text);
  *right = space + 1;
  return TRUE;
}

static gboolean
look_up_piece (const AttnVocabulary  *vocabulary,
               const char            *where,
               guint                  rank,
               const char            *piece,
               guint32               *id,
               GError               **error)
{
  if (attn_vocabulary_lookup (vocabulary, piece, id))
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("%s: “%s” of merge %u found, expected a token of the vocabulary"), where, piece,
               rank);
  return FALSE;
}

static gboolean
read_merges (AttnBpe     *bpe,
             JsonArray   *merges,
             const char  *where,
             GError     **error)
{
  guint n_merges = json_array_get_length (merges);
  g_autoptr (GString) piece = g_string_new (NULL);

  bpe->merges = attn_pair_map_new (n_merges);
  for (guint rank = 0; rank < n_merges; rank++)
    {
      const char *right;
      guint32 left_id, right_id, id;

      if (!parse_merge (json_array_get_element (merges, rank), piece, &right))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                       _("%s: merge %u that is not two tokens found, expected “a b” or [“a”, “b”]"),
                       where, rank);
          return FALSE;
        }
      if (!look_up_piece (bpe->vocabulary, where, rank, piece->str, &left_id, error) ||
          !look_up_piece (bpe->vocabulary, where, rank, right, &right_id, error))
        return FALSE;
      g_string_append (piece, right);
      if (!look_up_piece (bpe->vocabulary, where, rank, piece->str, &id, error))
        return FALSE;
      attn_pair_map_insert (bpe->merges, attn_pair_map_key (left_id, right_id),
                            (guint64) rank << 32 | id);
    }
  return TRUE;
}

static void
find_byte_ids (AttnBpe *bpe)
{
  for (int byte = 0; byte < 256; byte++)
    {
      char piece[7] = { 0 };

      g_unichar_to_utf8 (attn_byte_level_get_char (byte), piece);
      if (!attn_vocabulary_lookup (bpe->vocabulary, piece, &bpe->byte_ids[byte]))
        bpe->byte_ids[byte] = NO_ID;
    }
}

/**
 * attn_bpe_new:
 * @object: the model of a tokenizer.json
 * @where: the file
 * @vocabulary: its pieces, in the byte-level alphabet; outlives the result
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for an option that is
 *   not done
 *
 * Byte-pair encoding over bytes (Sennrich et al., arXiv 1508.07909; over bytes as in GPT-2).
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnSubword *
attn_bpe_new (JsonObject            *object,
              const char            *where,
              const AttnVocabulary  *vocabulary,
              GError               **error)
{
  gboolean fuses_unknown, ignores_merges;
  const char *unknown;
  JsonArray *merges;

  if (!refuse_options (object, where, error) ||
      !attn_json_get_boolean (object, where, "fuse_unk", FALSE, &fuses_unknown, error) ||
      !attn_json_get_boolean (object, where, "ignore_merges", FALSE, &ignores_merges, error) ||
      !attn_json_get_string (object, where, "unk_token", "", &unknown, error) ||
      !attn_json_get_array (object, where, "merges", &merges, error))
    return NULL;
  if (merges == NULL)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: model BPE without merges found, expected a list of them"), where);
      return NULL;
    }

  AttnBpe *bpe = g_new0 (AttnBpe, 1);
  bpe->parent = (AttnSubword){ "byte-level BPE", bpe_encode, bpe_free };
  bpe->vocabulary = vocabulary;
  bpe->fuses_unknown = fuses_unknown;
  bpe->ignores_merges = ignores_merges;
  bpe->unknown_id = NO_ID;
  attn_vocabulary_lookup (vocabulary, unknown, &bpe->unknown_id);
  find_byte_ids (bpe);
  if (!read_merges (bpe, merges, where, error))
    {
      bpe_free (&bpe->parent);
      return NULL;
    }
  return &bpe->parent;
}
