/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Matches the tokens of a group as a user writes them. "It" matches each token "It" of the input,
 * with or without a leading space, or the tokens of that word; "#3" is the token at position 3. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-head-groups-private.h"
#include "attn-head-groups.h"

/* Symbol for a space at the beginning or end of a token in its label. */
#define SPACE "␣"

/* Largest number of tokens in an error message. */
#define MAX_LISTED 40

/**
 * attn_groups_get_plain_labels:
 * @labels: (array zero-terminated=1): labels of tokens or words
 *
 * Returns: (transfer full) (array zero-terminated=1): the labels without the spaces around them; a
 *   label that has nothing but spaces keeps them
 */
char **
attn_groups_get_plain_labels (char **labels)
{
  gsize n = g_strv_length (labels);
  char **plain = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    {
      const char *start = labels[i];
      gsize length;

      while (g_str_has_prefix (start, SPACE))
        start += strlen (SPACE);
      length = strlen (start);
      while (length >= strlen (SPACE) &&
             memcmp (start + length - strlen (SPACE), SPACE, strlen (SPACE)) == 0)
        length -= strlen (SPACE);
      plain[i] = length > 0 ? g_strndup (start, length) : g_strdup (labels[i]);
    }
  return plain;
}

/* Parses a position such as "#3". */
static gboolean
parse_position (const char *token,
                guint64    *position)
{
  return token[0] == '#' &&
         g_ascii_string_to_unsigned (token + 1, 10, 0, G_MAXSIZE - 1, position, NULL);
}

static gboolean
match_label (const AttnTokens  *tokens,
             char             **plain,
             const char        *token,
             gboolean          *members)
{
  gboolean has_match = FALSE;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    if (g_str_equal (token, plain[i]) || g_str_equal (token, tokens->labels[i]))
      {
        members[i] = TRUE;
        has_match = TRUE;
      }
  return has_match;
}

static gboolean
is_blank (const char *start,
          const char *end)
{
  for (const char *p = start; p < end; p = g_utf8_next_char (p))
    if (!g_unichar_isspace (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}

/* Tells whether the text from @begin to @end is a whole word. */
static gboolean
is_whole_word (const char *text,
               const char *begin,
               const char *end)
{
  const char *before = begin > text ? g_utf8_prev_char (begin) : NULL;

  return (before == NULL || !g_unichar_isalnum (g_utf8_get_char (before))) &&
         (*end == '\0' || !g_unichar_isalnum (g_utf8_get_char (end)));
}

/* Finds the tokens that cover exactly the text from @begin to @end, except for blanks around it. */
static gboolean
match_span (const AttnTokens *tokens,
            const char       *text,
            gsize             begin,
            gsize             end,
            gboolean         *members)
{
  gsize first = 0;
  gsize last = 0;
  gsize n_pieces = 0;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      const AttnToken *token = &tokens->tokens[i];

      if (token->end <= token->begin || token->end <= begin || token->begin >= end)
        continue;
      first = n_pieces == 0 ? i : first;
      last = i;
      n_pieces++;
    }
  if (n_pieces == 0)
    return FALSE;
  gsize from = tokens->tokens[first].begin;
  gsize to = tokens->tokens[last].end;
  if ((from < begin && !is_blank (text + from, text + begin)) ||
      (to > end && !is_blank (text + end, text + to)))
    return FALSE;
  for (gsize i = first; i <= last; i++)
    members[i] = TRUE;
  return TRUE;
}

/* Finds a word that consists of several tokens. A word that never occurs as a whole, as in scripts
 * without spaces, is matched within words. */
static gboolean
match_pieces (const AttnTokens *tokens,
              const char       *text,
              const char       *word,
              gboolean         *members)
{
  gsize length = strlen (word);
  gboolean has_match = FALSE;

  for (guint pass = 0; pass < 2 && !has_match; pass++)
    for (const char *p = strstr (text, word); p != NULL; p = strstr (g_utf8_next_char (p), word))
      if (pass == 1 || is_whole_word (text, p, p + length))
        has_match |= match_span (tokens, text, p - text, p - text + length, members);
  return has_match;
}

/* Returns a copy of @tokens with positions in @text, which is made from their labels, for an input
 * that is not a text. */
static AttnTokens *
dup_with_text (AttnTokens  *tokens,
               char       **text)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  AttnTokens *copy = attn_tokens_new_from_ids (ids, tokens->n_tokens, tokens->labels);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      g_auto (GStrv) parts = g_strsplit (tokens->labels[i], SPACE, -1);
      g_autofree char *spaced = g_strjoinv (" ", parts);

      copy->tokens[i].begin = joined->len;
      g_string_append (joined, spaced);
      copy->tokens[i].end = joined->len;
    }
  *text = g_string_free (g_steal_pointer (&joined), FALSE);
  return copy;
}

static char *
list_tokens (char **plain)
{
  GString *list = g_string_new (NULL);

  for (gsize i = 0; plain[i] != NULL && i < MAX_LISTED; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? " " : "", plain[i]);
  if (g_strv_length (plain) > MAX_LISTED)
    g_string_append (list, " …");
  return g_string_free (list, FALSE);
}

static gboolean
match_token (const AttnTokens  *tokens,
             const char        *text,
             char             **plain,
             gsize              head,
             const char        *token,
             gboolean          *members,
             GError           **error)
{
  guint64 position;

  if (parse_position (token, &position))
    {
      if (position < tokens->n_tokens)
        {
          members[position] = TRUE;
          return TRUE;
        }
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("groups: %s of head %zu found, expected #0 to #%zu"), token, head,
                        tokens->n_tokens - 1);
    }
  if (*token != '\0' && (match_label (tokens, plain, token, members) ||
                         match_pieces (tokens, text, token, members)))
    return TRUE;

  g_autofree char *list = list_tokens (plain);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("groups: “%s” of head %zu is not in the input, expected some of its tokens: "
                      "%s"),
                    token, head, list);
}

static gboolean
has_word (const char *text,
          const char *word)
{
  gsize length = strlen (word);

  for (const char *p = length > 0 ? strstr (text, word) : NULL; p != NULL;
       p = strstr (g_utf8_next_char (p), word))
    if (is_whole_word (text, p, p + length))
      return TRUE;
  return FALSE;
}

/**
 * attn_groups_are_words_of:
 * @groups: (element-type AttnGroup): groups whose tokens are given as text
 *
 * Returns: whether each token of the groups is a word of @text, which is known before the text is
 *   tokenised
 */
gboolean
attn_groups_are_words_of (const GPtrArray *groups,
                          const char      *text)
{
  for (guint i = 0; i < groups->len; i++)
    {
      const AttnGroup *group = g_ptr_array_index (groups, i);

      for (char **token = group->tokens; *token != NULL; token++)
        if (!has_word (text, *token))
          return FALSE;
    }
  return TRUE;
}

/**
 * attn_groups_match:
 * @tokens: the tokens of the input
 * @text: (nullable): the input, if it is a text
 * @group: a group, whose tokens are given as text or as positions, such as "#3"
 * @members: (inout) (array): [T], set to %TRUE for each token of the input that belongs to the
 *   group
 * @error: return location for %ATTN_ERROR_ARGUMENT: a token that is not in the input, whose tokens
 *   the message lists, or a group without tokens
 *
 * A text in @group matches each token that has this text, except for spaces around it. If no token
 * has it, the text matches sequences of tokens that together have exactly this text.
 */
gboolean
attn_groups_match (const AttnTokens  *tokens,
                   const char        *text,
                   const AttnGroup   *group,
                   gboolean          *members,
                   GError           **error)
{
  g_autofree char *joined = NULL;
  g_autoptr (AttnTokens) copy =
      text == NULL ? dup_with_text ((AttnTokens *) tokens, &joined) : NULL;
  g_auto (GStrv) plain = attn_groups_get_plain_labels (tokens->labels);

  if (group->tokens == NULL || group->tokens[0] == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("groups: no token of head %zu found, expected at least one"), group->head);
  for (char **token = group->tokens; *token != NULL; token++)
    if (!match_token (copy != NULL ? copy : tokens, text != NULL ? text : joined, plain,
                      group->head, *token, members, error))
      return FALSE;
  return TRUE;
}
