/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-added-tokens.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-trie.h"

/**
 * AttnAddedTokens:
 *
 * The thread that makes it writes to it; afterwards any thread may read it.
 */
struct _AttnAddedTokens
{
  GArray *tokens;    /* AttnAddedToken */
  GHashTable *by_id; /* table from the id of an added token to its index */

  /* Patterns to find in the original text [0] and in normalized text [1]. */
  GStringChunk *strings;
  GArray *patterns[2]; /* array of AttnTrieEntry, with the index of the added token as id */
  AttnTrie *tries[2];  /* tries of the patterns, built by attn_added_tokens_finish() */
};

static void
clear_token (gpointer data)
{
  g_free (((AttnAddedToken *) data)->content);
}

static gboolean
read_token (AttnAddedTokens  *tokens,
            JsonNode         *node,
            const char       *where,
            AttnVocabulary   *vocabulary,
            GError          **error)
{
  AttnJsonReader json = attn_tokenizer_component_begin (node, where, _("added token"));
  AttnAddedToken token = { 0 };
  gsize id;

  id = attn_json_read_size (&json, "id", 0, G_MAXINT32, G_MAXSIZE);
  token.content = (char *) attn_json_read_string (&json, "content", NULL);
  token.is_special = attn_json_read_boolean (&json, "special", FALSE);
  token.is_normalized = attn_json_read_boolean (&json, "normalized", !token.is_special);
  token.is_single_word = attn_json_read_boolean (&json, "single_word", FALSE);
  token.strips_left = attn_json_read_boolean (&json, "lstrip", FALSE);
  token.strips_right = attn_json_read_boolean (&json, "rstrip", FALSE);
  if (!attn_json_finish (&json, error))
    return FALSE;
  if (id == G_MAXSIZE || token.content == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: added token without id or content found, expected both"), where);

  token.id = id;
  return attn_added_tokens_append (tokens, &token, where, vocabulary, error);
}

/**
 * attn_added_tokens_new:
 * @array: (nullable): the list of tokens, in the form of a tokenizer.json
 * @where: name of the file in error messages
 * @vocabulary: (inout): receives the tokens that it does not have yet
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: (transfer full) (nullable): the tokens, each of which is found in a text by its content;
 *   those that are looked for in normalized text are found only once
 *   [func@attn_added_tokens_set_pattern] has said what they look like there
 */
AttnAddedTokens *
attn_added_tokens_new (JsonArray       *array,
                       const char      *where,
                       AttnVocabulary  *vocabulary,
                       GError         **error)
{
  g_autoptr (AttnAddedTokens) tokens = g_new0 (AttnAddedTokens, 1);
  guint n_tokens = array != NULL ? json_array_get_length (array) : 0;

  tokens->tokens = g_array_new (FALSE, FALSE, sizeof (AttnAddedToken));
  g_array_set_clear_func (tokens->tokens, clear_token);
  tokens->by_id = g_hash_table_new (NULL, NULL);
  tokens->strings = g_string_chunk_new (1024);
  for (guint i = 0; i < G_N_ELEMENTS (tokens->patterns); i++)
    tokens->patterns[i] = g_array_new (FALSE, FALSE, sizeof (AttnTrieEntry));

  for (guint i = 0; i < n_tokens; i++)
    if (!read_token (tokens, json_array_get_element (array, i), where, vocabulary, error))
      return NULL;
  return g_steal_pointer (&tokens);
}

/**
 * attn_added_tokens_append:
 * @token: the token; it is copied
 * @where: name of the file in error messages
 * @vocabulary: (inout): receives the token if it does not have it yet
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_added_tokens_append (AttnAddedTokens       *tokens,
                          const AttnAddedToken  *token,
                          const char            *where,
                          AttnVocabulary        *vocabulary,
                          GError               **error)
{
  AttnAddedToken copy = *token;
  guint index = tokens->tokens->len;

  if (!attn_vocabulary_add (vocabulary, where, token->content, token->id, error))
    return FALSE;
  copy.content = g_strdup (token->content);
  g_hash_table_insert (tokens->by_id, GUINT_TO_POINTER (copy.id), GUINT_TO_POINTER (index));
  g_array_append_val (tokens->tokens, copy);
  if (!copy.is_normalized)
    attn_added_tokens_set_pattern (tokens, index, copy.content, strlen (copy.content));
  return TRUE;
}

void
attn_added_tokens_free (AttnAddedTokens *tokens)
{
  for (guint i = 0; i < G_N_ELEMENTS (tokens->patterns); i++)
    {
      g_array_unref (tokens->patterns[i]);
      g_clear_pointer (&tokens->tries[i], attn_trie_free);
    }
  g_string_chunk_free (tokens->strings);
  g_hash_table_unref (tokens->by_id);
  g_array_unref (tokens->tokens);
  g_free (tokens);
}

guint
attn_added_tokens_get_n (const AttnAddedTokens *tokens)
{
  return tokens->tokens->len;
}

const AttnAddedToken *
attn_added_tokens_get_nth (const AttnAddedTokens *tokens,
                           guint                  index)
{
  return &g_array_index (tokens->tokens, AttnAddedToken, index);
}

/**
 * attn_added_tokens_lookup:
 *
 * Returns: (nullable): the added token with @id; %NULL if no added token has it
 */
const AttnAddedToken *
attn_added_tokens_lookup (const AttnAddedTokens *tokens,
                          guint32                id)
{
  gpointer index;

  if (!g_hash_table_lookup_extended (tokens->by_id, GUINT_TO_POINTER (id), NULL, &index))
    return NULL;
  return attn_added_tokens_get_nth (tokens, GPOINTER_TO_UINT (index));
}

/**
 * attn_added_tokens_set_pattern:
 * @index: number of the token in the list
 * @pattern: (array length=length): the token as it looks in the text that it is looked for in: as
 *   given or normalized
 *
 * Must not be called once another thread has the tokens.
 */
void
attn_added_tokens_set_pattern (AttnAddedTokens *tokens,
                               guint            index,
                               const char      *pattern,
                               gsize            length)
{
  const AttnAddedToken *token = attn_added_tokens_get_nth (tokens, index);
  const char *copy = g_string_chunk_insert_len (tokens->strings, pattern, (gssize) length);
  AttnTrieEntry entry = { copy, (guint32) length, index };

  g_array_append_val (tokens->patterns[token->is_normalized ? TRUE : FALSE], entry);
}

/**
 * attn_added_tokens_finish:
 *
 * Prepares the search for the tokens. All patterns must be set before.
 */
void
attn_added_tokens_finish (AttnAddedTokens *tokens)
{
  for (guint i = 0; i < G_N_ELEMENTS (tokens->tries); i++)
    tokens->tries[i] =
        attn_trie_new ((AttnTrieEntry *) tokens->patterns[i]->data, tokens->patterns[i]->len);
}

/* Tells whether a character matches \w of a regular expression: letters, marks, numbers and
 * connectors. */
static gboolean
is_word_character (gunichar character)
{
  return g_unichar_isalnum (character) || g_unichar_ismark (character) ||
         g_unichar_type (character) == G_UNICODE_CONNECT_PUNCTUATION;
}

static gboolean
touches_word (const char *text,
              gsize       length,
              gsize       begin,
              gsize       end)
{
  if (begin > 0)
    {
      const char *previous = g_utf8_find_prev_char (text, text + begin);

      if (is_word_character (g_utf8_get_char (previous)))
        return TRUE;
    }
  return end < length && is_word_character (g_utf8_get_char (text + end));
}

static void
strip_spaces (const AttnAddedToken *token,
              const char           *text,
              gsize                 length,
              gsize                 floor,
              gsize                *begin,
              gsize                *end)
{
  while (token->strips_left && *begin > floor)
    {
      const char *previous = g_utf8_find_prev_char (text + floor, text + *begin);

      if (!g_unichar_isspace (g_utf8_get_char (previous)))
        break;
      *begin = previous - text;
    }
  while (token->strips_right && *end < length && g_unichar_isspace (g_utf8_get_char (text + *end)))
    *end += g_utf8_skip[(guint8) text[*end]];
}

/**
 * attn_added_tokens_split:
 * @is_normalized: which tokens to look for: those of normalized text or those of the text as given
 * @text: (array length=length): valid UTF-8
 * @plain: (array length=n_plain) (nullable): the parts of @text that no special token is
 *   looked for in, in ascending order
 * @func: called for each token that is found and each text between tokens, in their order; together
 *   these parts cover @text
 * @error: return location for what @func reports
 *
 * Of tokens that overlap, finds the leftmost and, of those that begin at the same byte, the
 * longest.
 */
gboolean
attn_added_tokens_split (const AttnAddedTokens  *tokens,
                         gboolean                is_normalized,
                         const char             *text,
                         gsize                   length,
                         const AttnByteRange    *plain,
                         gsize                   n_plain,
                         AttnAddedTokenFunc      func,
                         gpointer                user_data,
                         GError                **error)
{
  const AttnTrie *trie = tokens->tries[is_normalized ? TRUE : FALSE];
  gsize done = 0; /* byte up to which the text was given to @func */
  gsize next = 0; /* index in @plain of the first part that ends behind the match */

  for (gsize i = 0; i < length;)
    {
      guint32 index;
      gsize matched = attn_trie_find (trie, ATTN_TRIE_ROOT, text + i, length - i, &index);

      if (matched == 0)
        {
          i++;
          continue;
        }

      const AttnAddedToken *token = attn_added_tokens_get_nth (tokens, index);
      gsize begin = i;
      gsize end = i + matched;
      i = end;
      while (next < n_plain && plain[next].end <= begin)
        next++;
      if (token->is_special && next < n_plain && end > plain[next].begin)
        {
          i = begin + 1;
          continue;
        }
      if (token->is_single_word && touches_word (text, length, begin, end))
        continue;
      strip_spaces (token, text, length, done, &begin, &end);
      if (begin > done && !func (done, begin, NULL, user_data, error))
        return FALSE;
      if (!func (begin, end, token, user_data, error))
        return FALSE;
      done = i = end;
    }
  return done == length || func (done, length, NULL, user_data, error);
}
