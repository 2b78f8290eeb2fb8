/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Joins tokens to words. Where a word begins is found from its tokens alone, as the words of the
 * tokenizer are not kept. If the vocabulary marks the beginning of a word (a leading space or "▁"),
 * a token without the mark continues a word. In WordPiece, a token without "##" begins a word. In
 * CLIP, which marks the end, a token after a marked one begins a word. Special tokens and line
 * breaks are words of their own. */

#include "config.h"

#include "attn-words.h"

#include <string.h>

#include "attn-label.h"

#define SPACE   "␣"
#define NEWLINE "↵"
#define TAB     "⇥"
#define REST    "##" /* mark of a token that continues a word, in WordPiece vocabularies */

static gboolean
is_blank (const char *label)
{
  return g_str_has_prefix (label, NEWLINE) || g_str_has_prefix (label, TAB);
}

static gboolean
ends_line (const char *label)
{
  return g_str_has_suffix (label, NEWLINE) || g_str_has_suffix (label, TAB);
}

static gboolean
begins_word (const AttnTokens *tokens,
             gsize             index,
             gboolean          is_wordpiece,
             gboolean          marks_ends)
{
  const char *label = tokens->labels[index];

  if (index == 0 || tokens->tokens[index].is_special || tokens->tokens[index - 1].is_special ||
      ends_line (tokens->labels[index - 1]) || is_blank (label))
    return TRUE;
  if (marks_ends)
    return g_str_has_suffix (tokens->labels[index - 1], SPACE);
  return is_wordpiece ? !g_str_has_prefix (label, REST) : g_str_has_prefix (label, SPACE);
}

/* Joins the text of the tokens from @first to before @end. If a token is part of a character, the
 * bytes of all tokens are decoded together. */
static char *
join_labels (const AttnTokens    *tokens,
             const AttnTokenizer *tokenizer,
             gsize                first,
             gsize                end)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean has_bytes = FALSE;

  for (gsize i = first; i < end; i++)
    {
      const char *label = tokens->labels[i];

      has_bytes = has_bytes || strstr (label, "\\x") != NULL;
      if (i > first && g_str_has_prefix (label, REST))
        label += strlen (REST);
      g_string_append (text, label);
    }
  if (has_bytes && tokenizer != NULL && end - first > 1)
    {
      g_autofree guint32 *ids = g_new (guint32, end - first);
      gsize length;

      for (gsize i = first; i < end; i++)
        ids[i - first] = tokens->tokens[i].id;
      g_autoptr (GBytes) bytes = attn_tokenizer_decode (tokenizer, ids, end - first, NULL);
      const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
      if (data != NULL)
        {
          g_autofree char *label = attn_label_new (data, length);
          g_string_assign (text, label);
        }
    }
  /* The leading space of a label, which nearly every word has, is not shown. */
  if (g_str_has_prefix (text->str, SPACE) && text->len > strlen (SPACE))
    g_string_erase (text, 0, strlen (SPACE));
  if (tokenizer != NULL && attn_tokenizer_marks_ends (tokenizer) &&
      g_str_has_suffix (text->str, SPACE) && text->len > strlen (SPACE))
    g_string_truncate (text, text->len - strlen (SPACE));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_words_new:
 * @tokens: the tokens of an input, at least one
 * @tokenizer: (nullable): the tokenizer that @tokens come from; without one, each token is a word
 *
 * Returns: (transfer full): the words, each with its first token and its text
 */
AttnWords *
attn_words_new (const AttnTokens    *tokens,
                const AttnTokenizer *tokenizer)
{
  AttnWords *words = g_new0 (AttnWords, 1);
  static const char * const kinds[] = { "WordPiece", "WordLevel", NULL };
  gboolean is_wordpiece =
      tokenizer != NULL && g_strv_contains (kinds, attn_tokenizer_get_kind (tokenizer));

  words->starts = g_new (gsize, tokens->n_tokens + 1);
  words->labels = g_new0 (char *, tokens->n_tokens + 1);
  gboolean marks_ends = tokenizer != NULL && attn_tokenizer_marks_ends (tokenizer);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    if (tokenizer == NULL || begins_word (tokens, i, is_wordpiece, marks_ends))
      words->starts[words->n_words++] = i;
  words->starts[words->n_words] = tokens->n_tokens;
  for (gsize word = 0; word < words->n_words; word++)
    words->labels[word] =
        join_labels (tokens, tokenizer, words->starts[word], words->starts[word + 1]);
  return words;
}

void
attn_words_free (AttnWords *words)
{
  if (words == NULL)
    return;
  g_free (words->starts);
  g_strfreev (words->labels);
  g_free (words);
}

/* Adds the weights of one query to the sums in @row, one for each word over its keys. Hidden keys
 * are left out. */
static void
add_query (const AttnWords    *words,
           const AttnIndexSet *hidden,
           gboolean            hides,
           const float        *weights,
           double             *row)
{
  for (gsize word = 0; word < words->n_words; word++)
    {
      double sum = 0;

      for (gsize key = words->starts[word]; key < words->starts[word + 1]; key++)
        if (!hides || !attn_index_set_contains (hidden, key))
          sum += weights[key];
      row[word] += sum;
    }
}

/* Data of a panel whose rows are joined on demand: the panel of tokens, and the words in its rows
 * and columns. */
typedef struct
{
  AttnPanel *panel;
  AttnWords words; /* without labels */
  AttnIndexSet *hidden;
  gboolean hides;
} Join;

static void
free_join (gpointer data)
{
  Join *join = data;

  attn_panel_unref (join->panel);
  g_clear_pointer (&join->hidden, attn_index_set_unref);
  g_free (join->words.starts);
  g_free (join);
}

static gboolean
read_words (gpointer   data,
            gsize      first_row,
            gsize      n_rows,
            float     *rows,
            GError   **error)
{
  const Join *join = data;
  const AttnWords *words = &join->words;
  g_auto (AttnPanelReader) reader = { .panel = join->panel };
  g_autofree double *row = g_new (double, words->n_words);

  for (gsize word = first_row; word < first_row + n_rows; word++)
    {
      gsize n_queries = words->starts[word + 1] - words->starts[word];

      memset (row, 0, words->n_words * sizeof *row);
      for (gsize query = words->starts[word]; query < words->starts[word + 1]; query++)
        add_query (words, join->hidden, join->hides, attn_panel_reader_get_row (&reader, query),
                   row);
      for (gsize i = 0; i < words->n_words; i++)
        rows[(word - first_row) * words->n_words + i] = (float) (row[i] / n_queries);
    }
  return TRUE;
}

/* Finds the span of words that each word, as a query, can attend to. */
static AttnSpan *
find_spans (const AttnWords *words,
            AttnPanel       *panel)
{
  gsize n_words = words->n_words;
  AttnSpan *spans = g_new (AttnSpan, n_words);
  g_autofree gsize *word_of = g_new (gsize, words->starts[n_words]);

  for (gsize word = 0; word < n_words; word++)
    for (gsize i = words->starts[word]; i < words->starts[word + 1]; i++)
      word_of[i] = word;
  for (gsize word = 0; word < n_words; word++)
    {
      AttnSpan *span = &spans[word];

      *span = (AttnSpan) { n_words, 0 };
      for (gsize query = words->starts[word]; query < words->starts[word + 1]; query++)
        {
          AttnSpan visible = attn_panel_get_visible (panel, query);

          if (visible.first == visible.end)
            continue;
          span->first = MIN (span->first, word_of[visible.first]);
          span->end = MAX (span->end, word_of[visible.end - 1] + 1);
        }
    }
  return spans;
}

/**
 * attn_words_join:
 * @study: says which keys are hidden; these do not count as part of their words
 * @panel: [T, T], a panel of the T tokens that @words were made of
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Weights are summed over the keys of a word and averaged over its queries, so that the sum of a
 * row stays the same. A word attends to whatever one of its tokens attends to, and has the position
 * of its first token.
 *
 * Returns: (transfer full) (nullable): a panel [W, W] of the W words
 */
AttnPanel *
attn_words_join (const AttnWords  *words,
                 const AttnStudy  *study,
                 AttnPanel        *panel,
                 GError          **error)
{
  gsize n_words = words->n_words;
  gsize n_tokens = attn_panel_get_n_columns (panel);
  const gsize shape[] = { n_words, n_words };
  const char * const *labels = (const char * const *) words->labels;
  AttnPanel *result;

  g_return_val_if_fail (words->starts[n_words] == n_tokens &&
                            attn_panel_get_n_rows (panel) == n_tokens,
                        NULL);

  g_autofree AttnSpan *spans = find_spans (words, panel);
  if (attn_panel_is_too_long (n_words, n_words))
    {
      Join *join = g_new0 (Join, 1);
      const AttnRowSource source = { read_words, join, free_join };

      join->panel = attn_panel_ref (panel);
      join->hidden = study->hidden_keys != NULL ? attn_index_set_ref (study->hidden_keys) : NULL;
      join->hides = study->hides_keys;
      join->words.n_words = n_words;
      join->words.starts = g_memdup2 (words->starts, (n_words + 1) * sizeof *words->starts);
      result = attn_panel_new_long (n_words, n_words, &source, ATTN_MASK_NONE, spans, labels,
                                    labels);
    }
  else
    {
      Join join = { panel, *words, study->hidden_keys, study->hides_keys };
      g_autoptr (AttnTensor) joined = attn_tensor_new_unset (2, shape, error);

      if (joined == NULL || !read_words (&join, 0, n_words, joined->data, error))
        return NULL;
      result = attn_panel_new_with_visibility (joined, spans, labels, labels);
    }
  attn_panel_set_positions (result, words->starts, words->starts);
  return result;
}
