/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Columns of a layer-token map. Each stands for one token, which has this role in a question and
 * its answer:
 *
 *   last_q                      the last one of the question
 *   first_answer                the first one of the answer
 *   second_answer               the one behind it
 *   exact_answer_before_first   the one before the exact answer; of the question, where the answer
 *                               begins with the exact answer
 *   exact_answer_first          the first one that has a byte of the exact answer
 *   exact_answer_last           the last one that has
 *   exact_answer_after_last     the one behind it, if asked for
 *   -8 ... -1                   counted from the end of question and answer
 *
 * The columns are always the same, so that figures of different texts can be laid side by side; a
 * token that does not exist leaves its column empty. Tokens that the tokenizer adds by itself,
 * such as a first <s>, stand for no text and have no role. */

#include "config.h"

#include "attn-roles.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

#define MARK_OPEN  "[["
#define MARK_CLOSE "]]"
#define MARK_SEAM  "||"

/* Distance of a role, in tokens, from one of three places: the first token of the answer (0), and
 * the first (1) and last (2) tokens of the exact answer. */
static const struct
{
  int place;
  int step;
} roles_by_place[] = { { 0, -1 }, { 0, 0 }, { 0, 1 }, { 1, -1 }, { 1, 0 }, { 2, 0 }, { 2, 1 } };

#define N_ROLES         G_N_ELEMENTS (roles_by_place)
#define ROLE_AFTER_LAST (N_ROLES - 1)

static const char * const names[N_ROLES + ATTN_ROLES_N_LAST] = {
  "last_q", "first_answer", "second_answer", "exact_answer_before_first", "exact_answer_first",
  "exact_answer_last", "exact_answer_after_last", "-8", "-7", "-6", "-5", "-4", "-3", "-2", "-1"
};

static const char * const words[N_ROLES] = {
  N_("the last token of the question"),
  N_("the first token of the answer"),
  N_("the second token of the answer"),
  N_("the token before the exact answer"),
  N_("the first token of the exact answer"),
  N_("the last token of the exact answer"),
  N_("the token after the exact answer"),
};

/* Byte offsets of the question, the answer and the exact answer within the whole text. */
typedef struct
{
  char *text; /* question and answer as one text, without marks */
  gsize question_end;
  gsize answer_begin;
  gsize exact_begin;
  gsize exact_end;
} Whole;

static void
clear_whole (Whole *whole)
{
  g_free (whole->text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Whole, clear_whole)

/**
 * attn_roles_describe:
 * @name: name of a column's role, such as "last_q"
 *
 * Returns: (nullable): the role in plain words, in the user's language; %NULL for a name that needs
 *   no explanation, such as "-1", and for one that is no role
 */
const char *
attn_roles_describe (const char *name)
{
  for (gsize i = 0; i < N_ROLES; i++)
    if (g_str_equal (name, names[i]))
      return _(words[i]);
  return NULL;
}

/**
 * attn_roles_get_n_columns:
 *
 * Returns: number of columns of the figure, which does not depend on the text
 */
gsize
attn_roles_get_n_columns (const AttnRoleOptions *roles)
{
  return G_N_ELEMENTS (names) - (roles->has_after_last ? 0 : 1);
}

/* Returns the index in names[] of the role of the token in @column. */
static gsize
get_role (const AttnRoleOptions *roles,
          gsize                  column)
{
  return column >= ROLE_AFTER_LAST && !roles->has_after_last ? column + 1 : column;
}

/**
 * attn_roles_get_name:
 * @column: index of a column, below attn_roles_get_n_columns()
 *
 * Returns: the name of the column's role, such as "first_answer" or "-1"
 */
const char *
attn_roles_get_name (const AttnRoleOptions *roles,
                     gsize                  column)
{
  g_return_val_if_fail (column < attn_roles_get_n_columns (roles), NULL);

  return names[get_role (roles, column)];
}

static gboolean
is_blank (const char *text)
{
  return text == NULL || text[strspn (text, " \t\r\n")] == '\0';
}

/* Tells whether a space belongs between question and answer: which is not so in scripts that are
 * written without spaces, and not after "<|assistant|>". */
static gboolean
needs_space (const char *question,
             const char *answer)
{
  const char *end = question + strlen (question);

  if (end == question || *answer == '\0')
    return FALSE;
  gunichar before = g_utf8_get_char (g_utf8_prev_char (end));
  gunichar behind = g_utf8_get_char (answer);
  gboolean ends_words = before < 128 ? g_ascii_isalnum (before) || strchr (".?!:;,\"')]", before)
                                     : g_unichar_isalnum (before) && !g_unichar_iswide (before);
  return ends_words && g_unichar_isalnum (behind) && !g_unichar_iswide (behind);
}

/* Appends @answer without the marks [[ and ]] to @text, and finds the exact answer between them. */
static gboolean
take_marks (GString     *text,
            const char  *answer,
            Whole       *whole,
            GError     **error)
{
  const char *open = strstr (answer, MARK_OPEN);
  const char *close = open != NULL ? strstr (open, MARK_CLOSE) : NULL;

  if (close == NULL || strstr (close, MARK_OPEN) != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("answer: “%s” found, expected an exact answer, or one part of the answer "
                        "within [[ and ]]"),
                      answer);
  g_string_append_len (text, answer, open - answer);
  whole->exact_begin = text->len;
  g_string_append_len (text, open + strlen (MARK_OPEN), close - open - strlen (MARK_OPEN));
  whole->exact_end = text->len;
  g_string_append (text, close + strlen (MARK_CLOSE));
  return TRUE;
}

static gboolean
find_exact (const GString  *text,
            const char     *exact_answer,
            Whole          *whole,
            GError        **error)
{
  const char *place = strstr (text->str + whole->answer_begin, exact_answer);

  if (place == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("exact answer: “%s” found nowhere in the answer “%s”, expected a part of "
                        "it"),
                      exact_answer, text->str + whole->answer_begin);
  whole->exact_begin = place - text->str;
  whole->exact_end = whole->exact_begin + strlen (exact_answer);
  return TRUE;
}

/* Excludes spaces around the exact answer, which could include a token that is not part of the
 * answer. */
static void
trim_exact (Whole *whole)
{
  while (whole->exact_begin < whole->exact_end && g_ascii_isspace (whole->text[whole->exact_begin]))
    whole->exact_begin++;
  while (whole->exact_begin < whole->exact_end &&
         g_ascii_isspace (whole->text[whole->exact_end - 1]))
    whole->exact_end--;
}

static gboolean
build_whole (const AttnRoleOptions  *roles,
             Whole                  *whole,
             GError                **error)
{
  const char *question = roles->question != NULL ? roles->question : "";
  g_autoptr (GString) text = g_string_new (question);

  if (is_blank (roles->answer))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("answer: none found, expected the text after the question"));
  whole->question_end = text->len;
  if (needs_space (question, g_str_has_prefix (roles->answer, MARK_OPEN)
                                 ? roles->answer + strlen (MARK_OPEN)
                                 : roles->answer))
    g_string_append_c (text, ' ');
  whole->answer_begin = text->len;
  if (is_blank (roles->exact_answer))
    {
      if (!take_marks (text, roles->answer, whole, error))
        return FALSE;
    }
  else
    {
      g_string_append (text, roles->answer);
      if (!find_exact (text, roles->exact_answer, whole, error))
        return FALSE;
    }
  whole->text = g_strdup (text->str);
  trim_exact (whole);
  if (whole->exact_begin < whole->exact_end)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("exact answer: only spaces found, expected a part of the answer"));
}

/**
 * attn_roles_build_input:
 * @error: return location for %ATTN_ERROR_ARGUMENT: no answer; an exact answer that is not part of
 *   the answer, which is named; no input for positions
 *
 * Question and answer follow each other as they are. Only if the answer would run into the last
 * word or sentence of the question, a space is put between them.
 *
 * Returns: (transfer full) (nullable): what is tokenised: question and answer, or the study's first
 *   input where the roles are positions in it
 */
AttnInput *
attn_roles_build_input (const AttnStudy  *study,
                        GError          **error)
{
  g_auto (Whole) whole = { 0 };

  if (!study->roles.has_positions)
    return build_whole (&study->roles, &whole, error) ? attn_input_new_text (whole.text, 0) : NULL;
  if (study->inputs->len > 0)
    return attn_input_copy (g_ptr_array_index (study->inputs, 0));
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("positions: no input found, expected the one that they are positions "
                           "of"));
}

/* Finds the first token that represents text, and the one behind the last. If the text of the
 * tokens is unknown, as for ids or a recording, returns FALSE, and all tokens count. */
static gboolean
find_text (const AttnTokens *tokens,
           gsize            *begin,
           gsize            *end)
{
  *begin = 0;
  *end = tokens->n_tokens;
  while (*begin < *end && tokens->tokens[*begin].end <= tokens->tokens[*begin].begin)
    (*begin)++;
  if (*begin == *end)
    {
      *begin = 0;
      return FALSE;
    }
  while (tokens->tokens[*end - 1].end <= tokens->tokens[*end - 1].begin)
    (*end)--;
  return TRUE;
}

/**
 * attn_roles_get_last:
 * @tokens: the tokens of an input, at least one
 *
 * Returns: the position of the last token that stands for text, the column "-1"
 */
gsize
attn_roles_get_last (const AttnTokens *tokens)
{
  gsize begin, end;

  find_text (tokens, &begin, &end);
  return end - 1;
}

/* Finds the first and last tokens that overlap the bytes from @begin to @end. */
static gboolean
find_tokens (const AttnTokens *tokens,
             gsize             begin,
             gsize             end,
             gsize            *first,
             gsize            *last)
{
  gboolean is_found = FALSE;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      const AttnToken *token = &tokens->tokens[i];

      if (token->end == token->begin || token->end <= begin || token->begin >= end)
        continue;
      if (!is_found)
        *first = i;
      *last = i;
      is_found = TRUE;
    }
  return is_found;
}

/* Finds the three token positions from which the roles are counted: the first of the answer, and
 * the first and last of the exact answer. */
static gboolean
find_places (const AttnRoleOptions  *roles,
             const AttnTokens       *tokens,
             gsize                   places[3],
             GError                **error)
{
  g_auto (Whole) whole = { 0 };
  gsize begin, end, last;

  if (roles->has_positions)
    {
      places[0] = roles->answer_first;
      places[1] = roles->exact_first;
      places[2] = roles->exact_last;
      if (places[0] <= places[1] && places[1] <= places[2] && places[2] < tokens->n_tokens)
        return TRUE;
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("positions: answer %zu, exact answer %zu-%zu found, expected them in "
                          "this order and at most %zu"),
                        places[0], places[1], places[2], tokens->n_tokens - 1);
    }
  if (!find_text (tokens, &begin, &end))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("tokens without text found, expected positions of answer and exact answer "
                        "among them"));
  if (!build_whole (roles, &whole, error))
    return FALSE;
  if (find_tokens (tokens, whole.answer_begin, strlen (whole.text), &places[0], &last) &&
      find_tokens (tokens, whole.exact_begin, whole.exact_end, &places[1], &places[2]))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("exact answer: no token of “%.*s” found, expected the tokenizer to keep it"),
                    (int) (whole.exact_end - whole.exact_begin), whole.text + whole.exact_begin);
}

/* Returns @position plus @step tokens if that is from @begin to before @end, else
 * ATTN_ROLES_NONE. */
static gsize
step_by (gsize position,
         int   step,
         gsize begin,
         gsize end)
{
  gint64 place = (gint64) position + step;

  return place >= (gint64) begin && place < (gint64) end ? (gsize) place : ATTN_ROLES_NONE;
}

/**
 * attn_roles_locate:
 * @tokens: all tokens of the input that [func@attn_roles_build_input] gave
 * @positions: (out caller-allocates) (array): for each column, the position of its token, or
 *   %ATTN_ROLES_NONE
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * A token belongs to the exact answer if it has a byte of it, also where it begins before or ends
 * behind it. Of an exact answer that the answer repeats, the first one counts.
 */
gboolean
attn_roles_locate (const AttnRoleOptions  *roles,
                   const AttnTokens       *tokens,
                   gsize                  *positions,
                   GError                **error)
{
  gsize places[3] = { 0 };
  gsize by_role[G_N_ELEMENTS (names)];
  gsize begin, end;

  if (!find_places (roles, tokens, places, error))
    return FALSE;
  find_text (tokens, &begin, &end);
  for (gsize i = 0; i < N_ROLES; i++)
    {
      gsize place = places[roles_by_place[i].place];
      int step = roles_by_place[i].step;

      by_role[i] = step == 0 ? place : step_by (place, step, begin, end);
    }
  for (int i = 0; i < ATTN_ROLES_N_LAST; i++)
    by_role[N_ROLES + i] = step_by (end, i - ATTN_ROLES_N_LAST, begin, end);
  for (gsize column = 0; column < attn_roles_get_n_columns (roles); column++)
    positions[column] = by_role[get_role (roles, column)];
  return TRUE;
}

static char *
dup_trimmed (const char *text,
             gsize       length)
{
  while (length > 0 && *text == ' ')
    {
      text++;
      length--;
    }
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return g_strndup (text, length);
}

/**
 * attn_roles_set_marked:
 * @text: "Question? || The answer is [[Paris]].": the question before "||", behind it the answer
 *   with the exact answer in double brackets; spaces beside "||" do not count
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * The double brackets stay in the answer, where they say which of several occurrences is meant.
 */
gboolean
attn_roles_set_marked (AttnRoleOptions  *roles,
                       const char       *text,
                       GError          **error)
{
  const char *seam = strstr (text, MARK_SEAM);
  const char *open = seam != NULL ? strstr (seam, MARK_OPEN) : NULL;

  if (open == NULL || strstr (open, MARK_CLOSE) == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("“%s” found, expected a text such as “Question? || The answer is "
                        "[[Paris]].”"),
                      text);

  const char *answer = seam + strlen (MARK_SEAM);
  g_free (roles->question);
  g_free (roles->answer);
  roles->question = dup_trimmed (text, seam - text);
  roles->answer = dup_trimmed (answer, strlen (answer));
  g_clear_pointer (&roles->exact_answer, g_free);
  roles->has_positions = FALSE;
  return TRUE;
}

static gboolean
parse_position (const char *text,
                gsize      *position)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32 - 1, &value, NULL))
    return FALSE;
  *position = value;
  return TRUE;
}

/* Parses a span of positions such as "15-17", or "15" for a single position. */
static gboolean
parse_positions (const char *text,
                 gsize      *first,
                 gsize      *last)
{
  g_auto (GStrv) parts = g_strsplit (text, "-", 2);

  return parts[0] != NULL && parse_position (parts[0], first) &&
         parse_position (parts[1] != NULL ? parts[1] : parts[0], last) && *first <= *last;
}

/**
 * attn_roles_set_positions:
 * @text: "answer=12,exact=15-17": the position of the answer's first token and those of the exact
 *   answer, in the study's first input, counted from 0
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_roles_set_positions (AttnRoleOptions  *roles,
                          const char       *text,
                          GError          **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean has_answer = FALSE;
  gboolean has_exact = FALSE;
  gboolean is_valid = g_strv_length (parts) == 2;
  gsize answer_first = 0, exact_first = 0, exact_last = 0;

  for (char **part = parts; *part != NULL && is_valid; part++)
    {
      const char *item = g_strstrip (*part);

      if (g_str_has_prefix (item, "answer="))
        is_valid = has_answer = parse_position (item + strlen ("answer="), &answer_first);
      else if (g_str_has_prefix (item, "exact="))
        is_valid = has_exact =
            parse_positions (item + strlen ("exact="), &exact_first, &exact_last);
      else
        is_valid = FALSE;
    }
  if (!is_valid || !has_answer || !has_exact || exact_first < answer_first)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("“%s” found, expected positions such as answer=12,exact=15-17, the exact "
                        "answer within the answer"),
                      text);
  roles->has_positions = TRUE;
  roles->answer_first = answer_first;
  roles->exact_first = exact_first;
  roles->exact_last = exact_last;
  return TRUE;
}

/**
 * attn_roles_set_after_last:
 *
 * Adds or removes the column "exact_answer_after_last". Regions keep their roles, so that those
 * behind this column move by one.
 */
void
attn_roles_set_after_last (AttnStudy *study,
                           gboolean   has_after_last)
{
  if (study->roles.has_after_last == has_after_last)
    return;
  study->roles.has_after_last = has_after_last;
  for (guint i = 0; i < study->regions->len; i++)
    {
      AttnRegion *region = &((AttnStudyRegion *) g_ptr_array_index (study->regions, i))->region;
      gsize limit = ROLE_AFTER_LAST + (has_after_last ? 0 : 1);

      if (region->first_column >= limit)
        region->first_column += has_after_last ? 1 : -1;
      if (region->last_column >= limit)
        region->last_column += has_after_last ? 1 : -1;
    }
}
