/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An input that the model goes on with: what is said, kept, discarded and stopped. */

#include "config.h"

#include <string.h>

#include "attn-generation.h"
#include "attn-input-bind.h"
#include "attn-result.h"
#include "../endless-model.h"
#include "../remove-folder.h"
#include "session-fixture.h"
#include "waiting.h"

#define N_TOKENS      8
#define N_MANY_TOKENS 100000

static const AttnAddition *
get_addition (Fixture *fixture)
{
  return attn_session_get_addition (fixture->session);
}

static gboolean
is_running (Fixture *fixture)
{
  return get_addition (fixture) != NULL && get_addition (fixture)->is_running;
}

static void
wait_for_end (Fixture *fixture)
{
  WAIT_UNTIL (!is_running (fixture));
  wait_until_idle (fixture);
}

/* The study as it was before, with its first input gone on with. */
static const AttnStudy *
say (Fixture *fixture)
{
  wait_until_idle (fixture);
  const AttnStudy *before = attn_session_get_study (fixture->session);
  attn_session_continue (fixture->session, 0, N_TOKENS);
  wait_for_end (fixture);
  return before;
}

static gboolean
hear_cb (const AttnGenerated *token,
         gpointer             ids)
{
  g_array_append_val (ids, token->id);
  return TRUE;
}

static void
test_said_is_the_models_greedy_answer (Fixture       *fixture,
                                       gconstpointer  data)
{
  const AttnStudy *before = say (fixture);
  const AttnAddition *addition = get_addition (fixture);
  AttnResult *result = attn_session_get_result (fixture->session);
  g_autoptr (GArray) said = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *ids = attn_tokens_dup_ids (addition->prompt);
  const AttnGenerationRequest request = {
    .ids = ids,
    .n_ids = addition->prompt->n_tokens,
    .sampling = { .top_p = 1.0 },
    .max_tokens = N_TOKENS,
  };
  AttnGenerationResult outcome;

  g_assert_true (attn_generation_run (result->model, &request, hear_cb, said, &outcome, NULL, NULL,
                                      NULL));
  g_assert_cmpuint (addition->answer->n_tokens, ==, N_TOKENS);
  for (gsize i = 0; i < N_TOKENS; i++)
    g_assert_cmpuint (addition->answer->tokens[i].id, ==, g_array_index (said, guint32, i));
  g_assert_cmpint (addition->end, ==, ATTN_ANSWER_END_LENGTH);

  /* The figure has them, the study and its history do not. */
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, addition->prompt->n_tokens + N_TOKENS);
  g_assert_true (attn_session_get_study (fixture->session) == before);
  g_assert_cmpuint (attn_session_get_document (fixture->session)->undo->len, ==, 0);
  g_assert_false (attn_session_is_changed (fixture->session));
}

static void
test_kept_is_one_step (Fixture       *fixture,
                       gconstpointer  data)
{
  g_autoptr (AttnStudy) before = attn_study_copy (say (fixture));
  gsize n = attn_session_get_result (fixture->session)->inputs[0]->n_tokens;

  attn_session_keep_addition (fixture->session);
  wait_until_idle (fixture);
  const AttnInput *input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_null (get_addition (fixture));
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_tokens, ==, n);
  /* Text stays text where the tokenizer makes the same of it. */
  g_assert_nonnull (input->text);
  g_assert_cmpuint (input->n_tokens, ==, 0);
  g_assert_cmpuint (attn_session_get_document (fixture->session)->undo->len, ==, 1);
  attn_session_undo (fixture->session);
  wait_until_idle (fixture);
  g_assert_true (attn_study_equal (attn_session_get_study (fixture->session), before));
  g_assert_true (attn_session_is_current (fixture->session));
  /* Undo gives back what was kept, then takes it away; redo likewise. */
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, N_TOKENS);
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_tokens, ==, n);
  g_assert_true (attn_session_can_undo (fixture->session));
  attn_session_undo (fixture->session);
  wait_until_idle (fixture);
  g_assert_null (get_addition (fixture));
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_tokens, ==,
                    n - N_TOKENS);
  g_assert_false (attn_session_can_undo (fixture->session));
  attn_session_redo (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, N_TOKENS);
  attn_session_redo (fixture->session);
  wait_until_idle (fixture);
  g_assert_null (get_addition (fixture));
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_tokens, ==, n);
  g_assert_false (attn_session_can_redo (fixture->session));
}

/* An edit after the continuation is undone before it; one that ends it gives it back. */
static void
test_undone_in_the_order_of_what_was_done (Fixture       *fixture,
                                           gconstpointer  data)
{
  const AttnStudy *before = say (fixture);
  AttnStudy *study = attn_study_copy (before);

  study->operation = ATTN_OPERATION_ZERO;
  attn_session_edit (fixture->session, study, NULL);
  study = attn_study_copy (study);
  attn_input_free (study->inputs->pdata[0]);
  study->inputs->pdata[0] = attn_input_new_text ("A list of milk", 0);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_null (get_addition (fixture));
  attn_session_undo (fixture->session);
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, N_TOKENS);
  attn_session_undo (fixture->session);
  g_assert_true (attn_session_get_study (fixture->session) == before);
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, N_TOKENS);
  attn_session_undo (fixture->session);
  g_assert_null (get_addition (fixture));
  /* Another edit ends what redo would do again. */
  study = attn_study_copy (before);
  study->operation = ATTN_OPERATION_ZERO;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_false (attn_session_can_redo (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_null (get_addition (fixture));
  wait_until_idle (fixture);
}

static void
test_discarded_leaves_nothing (Fixture       *fixture,
                               gconstpointer  data)
{
  const AttnStudy *before = say (fixture);

  attn_session_discard_addition (fixture->session);
  wait_until_idle (fixture);
  g_assert_null (get_addition (fixture));
  g_assert_true (attn_session_get_study (fixture->session) == before);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_true (attn_study_equal (attn_session_get_result (fixture->session)->study, before));
}

static void
test_continued_again_goes_on (Fixture       *fixture,
                              gconstpointer  data)
{
  say (fixture);
  g_autoptr (AttnTokens) first = attn_tokens_ref (get_addition (fixture)->answer);
  attn_session_continue (fixture->session, 0, N_TOKENS);
  wait_for_end (fixture);
  const AttnAddition *addition = get_addition (fixture);

  g_assert_cmpuint (addition->answer->n_tokens, ==, 2 * N_TOKENS);
  for (gsize i = 0; i < N_TOKENS; i++)
    g_assert_cmpuint (addition->answer->tokens[i].id, ==, first->tokens[i].id);
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_tokens, ==,
                    addition->prompt->n_tokens + 2 * N_TOKENS);
}

static void
test_stopped_says_no_more (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (AttnStudy) study = load_preset ("epsilon");
  g_autofree char *model = set_endless_model (study, 2);

  attn_session_open (fixture->session, g_steal_pointer (&study));
  wait_until_idle (fixture);
  g_assert_cmpstr (fixture->message, ==, NULL);
  attn_session_continue (fixture->session, 0, N_MANY_TOKENS);
  WAIT_UNTIL (get_addition (fixture)->answer != NULL);
  attn_session_stop_addition (fixture->session);
  gsize n = get_addition (fixture)->answer->n_tokens;
  wait_for_end (fixture);
  /* Whatever the worker was at. */
  for (gint64 end = g_get_monotonic_time () + 50000; g_get_monotonic_time () < end;)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, n);
  g_assert_cmpuint (n, <, N_MANY_TOKENS);
  g_assert_true (attn_session_is_current (fixture->session));

  /* Before the first token there is nothing to keep. */
  attn_session_continue (fixture->session, 1, N_TOKENS);
  attn_session_stop_addition (fixture->session);
  wait_until_idle (fixture);
  remove_folder (model);
}

static void
test_edits_of_other_things_keep_it (Fixture       *fixture,
                                    gconstpointer  data)
{
  say (fixture);
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  const AttnAddition *addition = get_addition (fixture);
  AttnResult *result = attn_session_get_result (fixture->session);
  g_assert_nonnull (addition);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpfloat (g_array_index (result->study->epsilons, double, 0), ==, 0.25);
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, addition->prompt->n_tokens + N_TOKENS);

  set_input (fixture, attn_input_new_text ("A red rose", 0));
  wait_until_idle (fixture);
  g_assert_null (get_addition (fixture));
  g_assert_true (attn_session_is_current (fixture->session));
}

/* Whatever is said, the input that keeps it has these tokens: as text where it can, else as ids. */
static void
test_kept_has_the_same_tokens (Fixture       *fixture,
                               gconstpointer  data)
{
  wait_until_idle (fixture);
  AttnModel *model = attn_session_get_result (fixture->session)->model;
  g_autoptr (AttnInput) whole = attn_input_new_text ("A rose is a rose", 0);
  g_autoptr (AttnInput) cut = attn_input_new_text ("A rose is a rose", 3);
  const AttnInput *inputs[] = { whole, cut };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gsize n_texts = 0;
  gsize n_ids = 0;

  for (gsize round = 0; round < 200; round++)
    {
      const AttnInput *input = inputs[round % 2];
      g_autoptr (AttnTokens) prompt =
          attn_input_tokenize (input, 1, model, ATTN_FRAMING_SPECIAL, NULL);
      g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));

      for (gsize i = 0; i < 1 + round % 5; i++)
        {
          guint32 id = (guint32) g_rand_int_range (
              rand, 0, (gint32) attn_model_get_info (model)->vocabulary_size);

          g_array_append_val (ids, id);
        }
      g_autoptr (AttnTokens) answer = attn_reply_label (model, ids);
      g_autoptr (AttnInput) kept =
          attn_input_append_text (input, prompt, FALSE, answer, model, ATTN_FRAMING_SPECIAL);
      g_autoptr (AttnTokens) tokens =
          attn_input_tokenize (kept, 1, model, ATTN_FRAMING_SPECIAL, NULL);
      g_assert_cmpuint (tokens->n_tokens, ==, prompt->n_tokens + ids->len);
      for (gsize i = 0; i < tokens->n_tokens; i++)
        g_assert_cmpuint (tokens->tokens[i].id, ==,
                          i < prompt->n_tokens
                              ? prompt->tokens[i].id
                              : g_array_index (ids, guint32, i - prompt->n_tokens));
      n_texts += kept->text != NULL;
      n_ids += kept->ids != NULL;
    }
  g_assert_cmpuint (n_texts, >, 0);
  g_assert_cmpuint (n_ids, >, 0);
}

/* KL and loss of each position that the model has said, as of those of the text. */
static void
test_effects_reach_what_is_said (Fixture       *fixture,
                                 gconstpointer  data)
{
  wait_until_idle (fixture);
  attn_session_edit (fixture->session, attn_presets_load ("effect", NULL), NULL);
  say (fixture);
  WAIT_UNTIL (attn_session_is_complete (fixture->session));
  const AttnOutcome *outcome =
      attn_result_get_outcome (attn_session_get_result (fixture->session), 0);
  gsize n = get_addition (fixture)->prompt->n_tokens + get_addition (fixture)->answer->n_tokens;

  g_assert_cmpuint (outcome->n, ==, n);
  /* The baseline's own answer is the most probable one there, and may not be with the change. */
  for (gsize i = get_addition (fixture)->prompt->n_tokens - 1; i + 1 < n; i++)
    g_assert_cmpuint (outcome->positions[i].rank[0], ==, 1);
  g_assert_cmpfloat (outcome->positions[n - 2].kl, >, 0);
}

static void
test_positions_end_it (Fixture       *fixture,
                       gconstpointer  data)
{
  wait_until_idle (fixture);
  gsize n_positions =
      attn_model_get_info (attn_session_get_result (fixture->session)->model)->n_positions;
  g_autofree guint32 *ids = g_new (guint32, n_positions);
  for (gsize i = 0; i < n_positions; i++)
    ids[i] = 5;
  set_input (fixture, attn_input_new_ids (ids, n_positions - 2, 0));
  say (fixture);
  g_assert_cmpuint (get_addition (fixture)->answer->n_tokens, ==, 2);
  g_assert_cmpint (get_addition (fixture)->end, ==, ATTN_ANSWER_END_POSITIONS);
  g_assert_true (attn_session_is_current (fixture->session));

  set_input (fixture, attn_input_new_ids (ids, n_positions, 0));
  say (fixture);
  g_assert_null (get_addition (fixture)->answer);
  g_assert_nonnull (strstr (get_addition (fixture)->error, "positions"));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/session/addition/greedy", test_said_is_the_models_greedy_answer);
  ADD ("/session/addition/kept", test_kept_is_one_step);
  ADD ("/session/addition/undone", test_undone_in_the_order_of_what_was_done);
  ADD ("/session/addition/kept-tokens", test_kept_has_the_same_tokens);
  ADD ("/session/addition/discarded", test_discarded_leaves_nothing);
  ADD ("/session/addition/again", test_continued_again_goes_on);
  ADD ("/session/addition/stopped", test_stopped_says_no_more);
  ADD ("/session/addition/edits", test_edits_of_other_things_keep_it);
  ADD ("/session/addition/effects", test_effects_reach_what_is_said);
  ADD ("/session/addition/positions", test_positions_end_it);
  return g_test_run ();
}
