/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where the roles of a question and its answer are among the tokens. The tokens are made up here,
 * word by word or as a test needs them, so that every position can be counted by eye. */

#include <string.h>

#include "attn-error.h"
#include "attn-roles.h"

/* Tokens with these ends, one after the other; with a first <s> that stands for no text. */
static AttnTokens *
make_tokens (const gsize *ends,
             gsize        n)
{
  g_autofree guint32 *ids = g_new0 (guint32, n + 1);
  AttnTokens *tokens = attn_tokens_new_from_ids (ids, n + 1, NULL);

  tokens->tokens[0].is_special = TRUE;
  for (gsize i = 0; i < n; i++)
    {
      tokens->tokens[i + 1].begin = i > 0 ? ends[i - 1] : 0;
      tokens->tokens[i + 1].end = ends[i];
    }
  return tokens;
}

/* A token for each word with the space before it, and one for each punctuation mark. */
static AttnTokens *
split_words (const char *text)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (gsize i = 1; text[i] != '\0'; i++)
    if (text[i] == ' ' || strchr (".?,", text[i]) != NULL)
      g_array_append_val (ends, i);
  gsize length = strlen (text);
  g_array_append_val (ends, length);
  return make_tokens ((const gsize *) (gpointer) ends->data, ends->len);
}

static void
set_texts (AttnStudy  *study,
           const char *question,
           const char *answer,
           const char *exact_answer)
{
  g_free (study->roles.question);
  g_free (study->roles.answer);
  g_free (study->roles.exact_answer);
  study->roles.question = g_strdup (question);
  study->roles.answer = g_strdup (answer);
  study->roles.exact_answer = g_strdup (exact_answer);
}

/* The position of a role by its name. */
static gsize
find (const AttnRoleOptions *roles,
      const gsize           *positions,
      const char            *name)
{
  for (gsize i = 0; i < attn_roles_get_n_columns (roles); i++)
    if (g_str_equal (attn_roles_get_name (roles, i), name))
      return positions[i];
  g_error ("no column %s", name);
}

static void
locate (AttnStudy  *study,
        AttnTokens *tokens,
        gsize      *positions)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_roles_locate (&study->roles, tokens, positions, &error));
  g_assert_no_error (error);
}

/* The study's texts, tokenised by words. */
static void
locate_words (AttnStudy *study,
              gsize     *positions)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnInput) input = attn_roles_build_input (study, &error);

  g_assert_no_error (error);
  g_autoptr (AttnTokens) tokens = split_words (input->text);
  locate (study, tokens, positions);
}

static void
test_columns (void)
{
  static const char * const expected[] = {
    "last_q", "first_answer", "second_answer", "exact_answer_before_first", "exact_answer_first",
    "exact_answer_last", "-8", "-7", "-6", "-5", "-4", "-3", "-2", "-1"
  };
  AttnRoleOptions roles = { 0 };

  g_assert_cmpuint (attn_roles_get_n_columns (&roles), ==, G_N_ELEMENTS (expected));
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (attn_roles_get_name (&roles, i), ==, expected[i]);

  roles.has_after_last = TRUE;
  g_assert_cmpuint (attn_roles_get_n_columns (&roles), ==, 15);
  g_assert_cmpstr (attn_roles_get_name (&roles, 5), ==, "exact_answer_last");
  g_assert_cmpstr (attn_roles_get_name (&roles, 6), ==, "exact_answer_after_last");
  g_assert_cmpstr (attn_roles_get_name (&roles, 7), ==, "-8");
  g_assert_cmpstr (attn_roles_get_name (&roles, 14), ==, "-1");
}

/* <s>  What is the capital of France ?  The capital of France is Paris .
 *  0    1    2  3     4    5    6    7   8     9    10   11   12  13   14 */
static void
test_positions (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, "What is the capital of France?", "The capital of France is Paris.", "Paris");
  study->roles.has_after_last = TRUE;
  locate_words (study, positions);
  g_assert_cmpuint (find (&study->roles, positions, "last_q"), ==, 7);
  g_assert_cmpuint (find (&study->roles, positions, "first_answer"), ==, 8);
  g_assert_cmpuint (find (&study->roles, positions, "second_answer"), ==, 9);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 12);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 13);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 13);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_after_last"), ==, 14);
  g_assert_cmpuint (find (&study->roles, positions, "-8"), ==, 7);
  g_assert_cmpuint (find (&study->roles, positions, "-1"), ==, 14);
}

/* The first of two, though the question has it as well. */
static void
test_repeated (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  /* <s> Is it Paris ? It is Paris , yes , Paris . : Paris at 3, 7 and 11 */
  set_texts (study, "Is it Paris?", "It is Paris, yes, Paris.", "Paris");
  locate_words (study, positions);
  g_assert_cmpuint (find (&study->roles, positions, "last_q"), ==, 4);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 6);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 7);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 7);
}

/* Marks choose another one than the first. */
static void
test_marked (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (GError) error = NULL;
  gsize positions[15];

  g_assert_true (attn_roles_set_marked (
      &study->roles, "Is it Paris? || It is Paris, yes, [[Paris]].", &error));
  g_assert_no_error (error);
  g_assert_cmpstr (study->roles.question, ==, "Is it Paris?");

  g_autoptr (AttnInput) input = attn_roles_build_input (study, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (input->text, ==, "Is it Paris? It is Paris, yes, Paris.");
  locate_words (study, positions);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 10);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 11);

  static const char * const wrong[] = { "Is it Paris?", "Is it? || Paris", "Is it? [[Paris]]",
                                        "Is it? || [[Paris", "[[Is]] it? || Paris" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (attn_roles_set_marked (&study->roles, wrong[i], &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (error->message, wrong[i]));
      g_clear_error (&error);
    }
  /* What is refused leaves what was there. */
  g_assert_cmpstr (study->roles.question, ==, "Is it Paris?");
}

/* Nothing stands behind an exact answer at the very end. */
static void
test_at_end (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, "Where is it?", "It is in Paris", "Paris");
  study->roles.has_after_last = TRUE;
  locate_words (study, positions);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 8);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 8);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_after_last"), ==,
                    ATTN_ROLES_NONE);
  g_assert_cmpuint (find (&study->roles, positions, "-1"), ==, 8);
  g_assert_cmpuint (find (&study->roles, positions, "-8"), ==, 1);
}

/* Where the exact answer is the whole answer, the question stands before it. */
static void
test_whole_answer (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, "Who?", "Ada", "Ada");
  locate_words (study, positions); /* <s> Who ? Ada */
  g_assert_cmpuint (find (&study->roles, positions, "last_q"), ==, 2);
  g_assert_cmpuint (find (&study->roles, positions, "first_answer"), ==, 3);
  g_assert_cmpuint (find (&study->roles, positions, "second_answer"), ==, ATTN_ROLES_NONE);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 2);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 3);
  /* Three tokens, none of which is <s>. */
  g_assert_cmpuint (find (&study->roles, positions, "-3"), ==, 1);
  g_assert_cmpuint (find (&study->roles, positions, "-4"), ==, ATTN_ROLES_NONE);
}

/* One token and no question: what there is not is empty. */
static void
test_one_token (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, NULL, "Ada", "Ada");
  locate_words (study, positions);
  g_assert_cmpuint (find (&study->roles, positions, "last_q"), ==, ATTN_ROLES_NONE);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==,
                    ATTN_ROLES_NONE);
  g_assert_cmpuint (find (&study->roles, positions, "first_answer"), ==, 1);
  g_assert_cmpuint (find (&study->roles, positions, "-1"), ==, 1);
  g_assert_cmpuint (find (&study->roles, positions, "-2"), ==, ATTN_ROLES_NONE);
}

/* "It is Guinea-Bissau." in pieces that respect neither its begin nor its end: a token counts from
 * its first byte of the exact answer on. */
static void
test_pieces (void)
{
  /*                        Q?  It  is␣G  uinea  -Bis  sau.  */
  static const gsize ends[] = { 2, 5, 10, 15, 19, 23 };
  g_autoptr (AttnTokens) tokens = make_tokens (ends, G_N_ELEMENTS (ends));
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (GError) error = NULL;
  gsize positions[15];

  set_texts (study, "Q?", "It is Guinea-Bissau.", "Guinea-Bissau");
  g_autoptr (AttnInput) input = attn_roles_build_input (study, &error);
  g_assert_cmpstr (input->text, ==, "Q? It is Guinea-Bissau.");
  locate (study, tokens, positions);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 2);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 3);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 6);
}

/* Spaces that were typed around the exact answer pull in no further token. */
static void
test_spaces (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, "Where?", "It is Paris today.", " Paris ");
  locate_words (study, positions); /* <s> Where ? It is Paris today . */
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 5);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 5);
}

static void
test_seam (void)
{
  static const struct
  {
    const char *question;
    const char *answer;
    const char *whole;
  } cases[] = {
    { "Where?", "Paris", "Where? Paris" },
    { "A:", "Paris", "A: Paris" },
    { "Where? ", "Paris", "Where? Paris" },
    { "Where?", " Paris", "Where? Paris" },
    { "Where?\n", "Paris", "Where?\nParis" },
    { "<|assistant|>", "Paris", "<|assistant|>Paris" },
    { "Где?", "Париж", "Где? Париж" },
    { "首都はどこですか？", "東京", "首都はどこですか？東京" },
    { "首都はどこですか?", "東京", "首都はどこですか?東京" },
    { "", "Paris", "Paris" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = attn_study_new ();
      g_autoptr (GError) error = NULL;

      set_texts (study, cases[i].question, cases[i].answer, cases[i].answer);
      g_autoptr (AttnInput) input = attn_roles_build_input (study, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (input->text, ==, cases[i].whole);
    }
}

static void
expect_refusal (AttnStudy  *study,
                const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_roles_build_input (study, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_not_found (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  /* In the question only. */
  set_texts (study, "Is it Rome?", "It is Paris.", "Rome");
  expect_refusal (study, "Rome");
  expect_refusal (study, "It is Paris.");
  set_texts (study, "Is it Rome?", "It is Paris.", NULL);
  expect_refusal (study, "It is Paris.");
  set_texts (study, "Is it Rome?", " ", "Rome");
  expect_refusal (study, "answer");
  set_texts (study, "Is it Rome?", "It is [[ ]].", NULL);
  expect_refusal (study, "spaces");
  study->roles.has_positions = TRUE;
  expect_refusal (study, "input");
}

/* Positions in an input of ids, which has no text: every token counts. */
static void
test_given_positions (void)
{
  static const guint32 ids[10] = { 0 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), NULL);
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (GError) error = NULL;
  gsize positions[15];

  g_assert_true (attn_roles_set_positions (&study->roles, "answer=4,exact=6-7", &error));
  study->roles.has_after_last = TRUE;
  locate (study, tokens, positions);
  g_assert_cmpuint (find (&study->roles, positions, "last_q"), ==, 3);
  g_assert_cmpuint (find (&study->roles, positions, "first_answer"), ==, 4);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_before_first"), ==, 5);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_first"), ==, 6);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_last"), ==, 7);
  g_assert_cmpuint (find (&study->roles, positions, "exact_answer_after_last"), ==, 8);
  g_assert_cmpuint (find (&study->roles, positions, "-8"), ==, 2);

  g_assert_true (attn_roles_set_positions (&study->roles, " exact=9, answer=9", &error));
  g_assert_cmpuint (study->roles.exact_last, ==, 9);
  g_assert_true (attn_roles_set_positions (&study->roles, "answer=4,exact=6-10", &error));
  g_assert_false (attn_roles_locate (&study->roles, tokens, positions, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);

  static const char * const wrong[] = { "", "answer=4", "exact=5", "answer=4,exact=7-6",
                                        "answer=4,exact=3", "answer=4,exact=6,x=1",
                                        "answer=a,exact=6", "answer=4,answer=5" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (attn_roles_set_positions (&study->roles, wrong[i], &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_clear_error (&error);
    }
}

/* The tokens that a tokenizer puts behind the text are not its end. */
static void
test_end_token (void)
{
  static const gsize ends[] = { 4, 5, 9, 9 };
  g_autoptr (AttnTokens) tokens = make_tokens (ends, G_N_ELEMENTS (ends));
  g_autoptr (AttnStudy) study = attn_study_new ();
  gsize positions[15];

  set_texts (study, "Who?", "Ada.", "Ada"); /* "Who? Ada." */
  locate (study, tokens, positions);
  g_assert_cmpuint (attn_roles_get_last (tokens), ==, 3);
  g_assert_cmpuint (find (&study->roles, positions, "-1"), ==, 3);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/roles/columns", test_columns);
  g_test_add_func ("/roles/positions", test_positions);
  g_test_add_func ("/roles/repeated", test_repeated);
  g_test_add_func ("/roles/marked", test_marked);
  g_test_add_func ("/roles/at-end", test_at_end);
  g_test_add_func ("/roles/whole-answer", test_whole_answer);
  g_test_add_func ("/roles/one-token", test_one_token);
  g_test_add_func ("/roles/pieces", test_pieces);
  g_test_add_func ("/roles/spaces", test_spaces);
  g_test_add_func ("/roles/seam", test_seam);
  g_test_add_func ("/roles/not-found", test_not_found);
  g_test_add_func ("/roles/given-positions", test_given_positions);
  g_test_add_func ("/roles/end-token", test_end_token);
  return g_test_run ();
}
