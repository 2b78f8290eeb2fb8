/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The choice of tokens, and where an answer ends. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-end-tokens.h"
#include "attn-error.h"
#include "attn-generation.h"
#include "attn-json.h"
#include "model-fixture.h"

#define N_TOKENS 12
#define N_DRAWS  20000

static const float logits[N_TOKENS] = { 0.3f, -1.2f, 2.1f, 0.0f, 1.4f, -0.4f,
                                        2.1f, -3.0f, 0.9f, 1.1f, -0.7f, 0.2f };

/* Published outputs of SplitMix64 for the seed 1234567 (Vigna's reference code): the upper 53 bits
 * of each. */
static void
test_generator (void)
{
  static const guint64 expected[] = { G_GUINT64_CONSTANT (6457827717110365317),
                                      G_GUINT64_CONSTANT (3203168211198807973),
                                      G_GUINT64_CONSTANT (9817491932198370423) };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpfloat (attn_sampling_draw (1234567, i), ==,
                       (double) (expected[i] >> 11) / 9007199254740992.0);
}

/* The probabilities by their definition: temperature, the k first, the fewest with share p. */
static void
compute_expected (const AttnSampling *sampling,
                  double              probabilities[N_TOKENS])
{
  gboolean is_left[N_TOKENS] = { FALSE };
  double sum = 0.0, share = 0.0, left = 0.0;
  gsize n_left = 0;
  gsize top_k = sampling->top_k > 0 ? sampling->top_k : N_TOKENS;
  gsize order[N_TOKENS];

  for (gsize i = 0; i < N_TOKENS; i++)
    {
      gsize rank = 0;

      for (gsize k = 0; k < N_TOKENS; k++)
        rank += logits[k] > logits[i] || (logits[k] == logits[i] && k < i);
      order[rank] = i;
    }
  for (gsize i = 0; i < top_k; i++)
    sum += exp (logits[order[i]] / sampling->temperature);
  for (; n_left < top_k && share < sampling->top_p * sum; n_left++)
    {
      share += exp (logits[order[n_left]] / sampling->temperature);
      is_left[order[n_left]] = TRUE;
    }
  for (gsize i = 0; i < N_TOKENS; i++)
    {
      probabilities[i] = is_left[i] ? exp (logits[i] / sampling->temperature) : 0.0;
      left += probabilities[i];
    }
  for (gsize i = 0; i < N_TOKENS; i++)
    probabilities[i] /= left;
}

/* Pearson's chi-square. 0.999 of all samples of the distribution are below the bound, by Wilson and
 * Hilferty's approximation; the seed is fixed. */
static void
test_distribution (void)
{
  static const AttnSampling samplings[] = {
    { 1.0, 0, 1.0, 1 },
    { 0.6, 0, 1.0, 2 },
    { 2.5, 5, 1.0, 3 },
    { 1.0, 0, 0.8, 4 },
    { 1.3, 8, 0.75, 5 },
    { 0.9, 7, 0.999, 6 },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (samplings); k++)
    {
      double expected[N_TOKENS];
      gsize counts[N_TOKENS] = { 0 };
      double chi = 0.0, n_free = -1.0;

      compute_expected (&samplings[k], expected);
      for (gsize i = 0; i < N_DRAWS; i++)
        counts[attn_sampling_choose (&samplings[k], logits, N_TOKENS, i)]++;
      for (gsize i = 0; i < N_TOKENS; i++)
        {
          double n = expected[i] * N_DRAWS;

          if (expected[i] == 0.0)
            g_assert_cmpuint (counts[i], ==, 0);
          else
            chi += ((double) counts[i] - n) * ((double) counts[i] - n) / n;
          n_free += expected[i] > 0.0;
        }
      double a = 2.0 / (9.0 * n_free);
      double bound = n_free * pow (1.0 - a + 3.09 * sqrt (a), 3.0);
      g_test_message ("%zu: chi-square %g, bound %g", k, chi, bound);
      g_assert_cmpfloat (chi, <, bound);
    }
}

static void
test_greedy (void)
{
  const AttnSampling greedy = { .temperature = 0.0, .top_p = 1.0 };
  const AttnSampling one = { .temperature = 5.0, .top_k = 1, .top_p = 1.0, .seed = 9 };
  const AttnSampling least = { .temperature = 1.0, .top_p = 1e-9, .seed = 9 };

  for (gsize i = 0; i < 100; i++)
    {
      g_assert_cmpuint (attn_sampling_choose (&greedy, logits, N_TOKENS, i), ==, 2);
      g_assert_cmpuint (attn_sampling_choose (&one, logits, N_TOKENS, i), ==, 2);
      g_assert_cmpuint (attn_sampling_choose (&least, logits, N_TOKENS, i), ==, 2);
    }
}

static void
assert_ends (const Copy    *copy,
             const guint32 *expected,
             gsize          n_expected)
{
  g_autoptr (AttnModel) model = open_model (copy->directory);
  g_autoptr (GArray) ids = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_model_list_end_tokens (model, &ids, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (ids->data, ids->len * sizeof (guint32), expected,
                   n_expected * sizeof (guint32));
}

static void
write_generation_config (const Copy *copy,
                         const char *text)
{
  g_autofree char *path = g_build_filename (copy->directory, "generation_config.json", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
test_end_tokens (void)
{
  const guint32 two[] = { 5, 30 };
  Copy copy = copy_fixture ("llama");
  g_autoptr (GArray) ids = NULL;
  g_autoptr (GError) error = NULL;

  set_member (&copy, "\"eos_token_id\": 30");
  assert_ends (&copy, two + 1, 1);
  write_generation_config (&copy, "{\"eos_token_id\": [5, 30]}");
  assert_ends (&copy, two, 2);
  write_generation_config (&copy, "{\"eos_token_id\": null}");
  assert_ends (&copy, two + 1, 1);
  /* The vocabulary ends at 30. */
  write_generation_config (&copy, "{\"eos_token_id\": [31, 5, 30, 4294967295]}");
  assert_ends (&copy, two, 2);
  write_generation_config (&copy, "{\"eos_token_id\": 31}");
  assert_ends (&copy, two, 0);
  write_generation_config (&copy, "{\"eos_token_id\": [5, -1]}");
  g_autoptr (AttnModel) model = open_model (copy.directory);
  g_assert_false (attn_model_list_end_tokens (model, &ids, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_autofree char *path = g_build_filename (copy.directory, "generation_config.json", NULL);
  g_remove (path);
  remove_checkpoint (copy.directory);
}

typedef struct
{
  guint32 ids[2][64];
  gsize n[2];
  double kl[64];
  gsize n_most;
} Heard;

static gboolean
hear_cb (const AttnGenerated *token,
         gpointer             user_data)
{
  Heard *heard = user_data;

  g_assert_cmpuint (token->number, ==, heard->n[token->is_modified]);
  if (token->is_modified)
    heard->kl[token->number] = token->kl;
  heard->ids[token->is_modified][heard->n[token->is_modified]++] = token->id;
  return token->number + 1 < heard->n_most;
}

static AttnGenerationResult
answer (AttnModel                   *model,
        const AttnGenerationRequest *request,
        Heard                       *heard)
{
  AttnGenerationResult result;
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_generation_run (model, request, hear_cb, heard, &result, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (result.n_tokens[0], ==, heard->n[0]);
  g_assert_cmpuint (result.n_tokens[1], ==, heard->n[1]);
  return result;
}

/* A decoder with a source, of a copy of bart. */
static AttnModel *
open_decoder (const Copy *copy)
{
  const guint32 source[] = { 5, 9, 2, 6, 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) base = attn_model_open_attention (copy->directory, "decoder", &error);
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (source, 5, NULL);

  g_assert_no_error (error);
  return attn_model_bind (base, tokens);
}

static Heard
answer_by_rules (const Copy *copy,
                 gboolean    may_end_early)
{
  const guint32 start = 2;
  g_autoptr (AttnModel) model = open_decoder (copy);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnAnswerRules) rules = attn_answer_rules_load (model, &error);
  Heard heard = { .n_most = 64 };
  const AttnGenerationRequest request = {
    .ids = &start,
    .n_ids = 1,
    .sampling = { .top_p = 1.0 },
    .max_tokens = 6,
    .rules = rules,
    .may_end_early = may_end_early,
  };

  g_assert_no_error (error);
  answer (model, &request, &heard);
  g_assert_cmpuint (heard.n[0], ==, 6);
  return heard;
}

/* What the checkpoint forces and bars, as transformers does it for a decoder. */
static void
test_rules (void)
{
  Copy copy = copy_fixture ("bart");
  const Heard free = answer_by_rules (&copy, FALSE);
  g_autofree char *never = g_strdup_printf ("\"bad_words_ids\": [[%u], [30]]", free.ids[0][1]);
  g_autofree char *not_first =
      g_strdup_printf ("\"begin_suppress_tokens\": [%u]", free.ids[0][0]);

  set_member (&copy, not_first);
  g_assert_cmpuint (answer_by_rules (&copy, FALSE).ids[0][0], !=, free.ids[0][0]);
  set_member (&copy, "\"forced_bos_token_id\": 17");
  set_member (&copy, "\"forced_eos_token_id\": [9, 8]");
  Heard forced = answer_by_rules (&copy, FALSE);
  g_assert_cmpuint (forced.ids[0][0], ==, 17);
  g_assert_cmpuint (forced.ids[0][5], ==, 8);
  Heard open = answer_by_rules (&copy, TRUE);
  g_assert_cmpmem (open.ids[0], 5 * sizeof (guint32), forced.ids[0], 5 * sizeof (guint32));

  set_member (&copy, never);
  set_member (&copy, "\"suppress_tokens\": [17]");
  write_generation_config (&copy, "{\"forced_bos_token_id\": 4, \"forced_eos_token_id\": null}");
  forced = answer_by_rules (&copy, FALSE);
  g_assert_cmpuint (forced.ids[0][0], ==, 4);
  for (gsize i = 0; i < 6; i++)
    g_assert_true (forced.ids[0][i] != free.ids[0][1] && forced.ids[0][i] != 30 &&
                   forced.ids[0][i] != 17);
  remove_checkpoint (copy.directory);
}

static void
test_rules_refused (void)
{
  static const char * const members[] = {
    "\"bad_words_ids\": [[3, 4]]",
    "\"bad_words_ids\": [[31]]",
    "\"forced_bos_token_id\": 31",
    "\"suppress_tokens\": [\"a\"]",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      Copy copy = copy_fixture ("bart");
      g_autoptr (GError) error = NULL;

      set_member (&copy, members[i]);
      g_autoptr (AttnModel) model = open_decoder (&copy);
      g_assert_null (attn_answer_rules_load (model, &error));
      g_assert_true (error->domain == ATTN_ERROR);
      g_assert_nonnull (strstr (error->message, "config.json"));
      remove_checkpoint (copy.directory);
    }
}

/* Greedy answers of transformers: the same tokens, whatever the order of additions, since no two
 * logits are near each other. */
#define NEAR_TIE 1e-4

static guint32 *
read_ids (JsonObject *row,
          const char *member,
          gsize      *n)
{
  JsonArray *array = json_object_get_array_member (row, member);
  guint32 *ids;

  *n = json_array_get_length (array);
  ids = g_new (guint32, *n);
  for (guint i = 0; i < *n; i++)
    ids[i] = (guint32) json_array_get_int_element (array, i);
  return ids;
}

static void
test_published (gconstpointer data)
{
  JsonObject *row = (JsonObject *) data;
  const char *name = json_object_get_string_member (row, "name");
  g_autoptr (AttnModel) model = json_object_has_member (row, "is_decoder")
                                    ? open_golden_attention (name, "decoder", NULL, NULL)
                                    : open_fixture (name);
  gsize n_prompt, n_expected;
  g_autofree guint32 *prompt = read_ids (row, "prompt", &n_prompt);
  g_autofree guint32 *expected = read_ids (row, "ids", &n_expected);
  Heard heard = { .n_most = 64 };
  const AttnGenerationRequest request = {
    .ids = prompt,
    .n_ids = n_prompt,
    .sampling = { .top_p = 1.0 },
    .max_tokens = n_expected,
  };

  g_assert_cmpfloat (json_object_get_double_member (row, "gap"), >, NEAR_TIE);
  answer (model, &request, &heard);
  g_assert_cmpuint (heard.n[0], ==, n_expected);
  for (gsize i = 0; i < n_expected; i++)
    {
      if (heard.ids[0][i] != expected[i])
        g_test_message ("another token at place %zu of the answer", i);
      g_assert_cmpuint (heard.ids[0][i], ==, expected[i]);
    }
}

/* Each row of what make_answers.py wrote. */
static void
add_published (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "answers.json", NULL);
  g_autoptr (JsonNode) root = attn_json_load (path, &error);

  g_assert_no_error (error);
  JsonArray *rows = json_object_get_array_member (json_node_get_object (root), "answers");
  g_assert_cmpuint (json_array_get_length (rows), >=, 70);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      g_autofree char *place = g_strdup_printf ("/model/generation/published/%s",
                                                json_object_get_string_member (row, "name"));

      g_test_add_data_func_full (place, json_object_ref (row), test_published,
                                 (GDestroyNotify) json_object_unref);
    }
}

/* By length, by a token, by the positions, and by who hears it. */
static void
test_ends (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2 };
  g_autoptr (AttnModel) model = open_fixture ("gpt_bigcode");
  Heard whole = { .n_most = 64 }, ended = { .n_most = 64 }, stopped = { .n_most = 3 };
  AttnGenerationRequest request = {
    .ids = ids,
    .n_ids = G_N_ELEMENTS (ids),
    .sampling = { .temperature = 1.0, .top_p = 1.0, .seed = 3 },
    .max_tokens = 60,
  };

  /* 24 positions: 17 are left, and what follows the last of them. */
  AttnGenerationResult result = answer (model, &request, &whole);
  g_assert_cmpuint (result.n_tokens[0], ==, 18);
  g_assert_cmpint (result.ends[0], ==, ATTN_ANSWER_END_POSITIONS);

  request.max_tokens = 18;
  whole.n[0] = 0;
  g_assert_cmpint (answer (model, &request, &whole).ends[0], ==, ATTN_ANSWER_END_LENGTH);

  gsize first = 0;
  while (whole.ids[0][first] != whole.ids[0][8])
    first++;
  request.ends = &whole.ids[0][8];
  request.n_ends = 1;
  result = answer (model, &request, &ended);
  g_assert_cmpint (result.ends[0], ==, ATTN_ANSWER_END_TOKEN);
  g_assert_cmpuint (result.n_tokens[0], ==, first + 1);
  g_assert_cmpmem (ended.ids[0], (first + 1) * sizeof (guint32), whole.ids[0],
                   (first + 1) * sizeof (guint32));

  request.n_ends = 0;
  result = answer (model, &request, &stopped);
  g_assert_cmpint (result.ends[0], ==, ATTN_ANSWER_END_STOPPED);
  g_assert_cmpuint (result.n_tokens[0], ==, 3);
}

/* The divergence is told up to the first token that differs and no further. */
static void
test_first_difference (void)
{
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2 };
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (GPtrArray) interventions = interventions_from_text ("value/scale=0.9/1/0/all");
  Heard heard = { .n_most = 64 };
  const AttnGenerationRequest request = {
    .ids = ids,
    .n_ids = G_N_ELEMENTS (ids),
    .interventions = interventions,
    .sampling = { .temperature = 1.0, .top_p = 1.0, .seed = 1 },
    .max_tokens = 50,
  };
  AttnGenerationResult result = answer (model, &request, &heard);
  gsize first = 0;

  while (first < 50 && heard.ids[0][first] == heard.ids[1][first])
    first++;
  g_assert_cmpuint (first, <, 50);
  g_assert_cmpuint (result.first_difference, ==, first);
  for (gsize i = 0; i < 50; i++)
    g_assert_cmpint (isnan (heard.kl[i]), ==, i > first);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/generation/generator", test_generator);
  g_test_add_func ("/model/generation/distribution", test_distribution);
  g_test_add_func ("/model/generation/greedy", test_greedy);
  g_test_add_func ("/model/generation/end-tokens", test_end_tokens);
  g_test_add_func ("/model/generation/rules", test_rules);
  g_test_add_func ("/model/generation/rules-refused", test_rules_refused);
  g_test_add_func ("/model/generation/ends", test_ends);
  g_test_add_func ("/model/generation/first-difference", test_first_difference);
  add_published ();
  return g_test_run ();
}
