/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `generate` from outside, held against what `compute` says of the same tokens. */

#include "config.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "cli-fixture.h"

#define PROMPT   "3,1,4,1,5,9,2"
#define N_PROMPT 7

typedef struct
{
  gboolean is_modified;
  gint64 id;
  double probability;
  double entropy;
  double kl; /* NaN for none */
} Line;

static double
get_number (JsonObject *object,
            const char *member)
{
  return json_object_get_null_member (object, member)
             ? NAN
             : json_object_get_double_member (object, member);
}

static GArray *
parse_lines (const char *output)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  GArray *parsed = g_array_new (FALSE, FALSE, sizeof (Line));

  for (char **line = lines; *line != NULL; line++)
    {
      g_autoptr (JsonNode) node = **line != '\0' ? json_from_string (*line, NULL) : NULL;

      if (**line == '\0')
        continue;
      g_assert_nonnull (node);
      JsonObject *object = json_node_get_object (node);
      Line read = {
        .is_modified =
            g_str_equal (json_object_get_string_member (object, "answer"), "modified"),
        .id = json_object_get_int_member (object, "id"),
        .probability = get_number (object, "probability"),
        .entropy = get_number (object, "entropy"),
        .kl = get_number (object, "kl"),
      };
      g_array_append_val (parsed, read);
    }
  return parsed;
}

static char *
find_model (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "model", name, NULL);
}

static gint64
get_id (const AttnArrayFile *file,
        gsize                index)
{
  float id;

  g_assert_true (attn_array_read (attn_array_file_lookup (file, "ids"), index, 1, &id, NULL));
  return (gint64) id;
}

/* Each token is the most probable one behind those before it, by a pass over all of them. */
static void
test_most_probable (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autofree char *model = find_model ("gemma3");
  g_autofree char *output = fixture_run ("generate", "--model", model, "--ids", PROMPT,
                                         "--max-tokens", "12", "--json", NULL);
  g_autoptr (GArray) lines = parse_lines (output);
  g_autoptr (GString) all = g_string_new (PROMPT);
  g_autofree char *path = fixture_get_path (fixture, "top.npz");

  g_assert_cmpuint (lines->len, ==, 12);
  for (guint i = 0; i < 12; i++)
    g_string_append_printf (all, ",%d", (int) g_array_index (lines, Line, i).id);
  g_free (fixture_run ("compute", "--model", model, "--ids", all->str, "--what", "prediction",
                       "--top", "1", "-o", path, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "top.npz");
  g_autoptr (AttnTensor) shares = fixture_get_tensor (file, "probabilities");
  for (guint i = 0; i < 12; i++)
    {
      const Line *line = &g_array_index (lines, Line, i);

      g_assert_cmpint (line->id, ==, get_id (file, N_PROMPT - 1 + i));
      /* Sums of rows of other sizes, in float32. */
      g_assert_cmpfloat_with_epsilon (line->probability, shares->data[N_PROMPT - 1 + i], 1e-5);
      g_assert_true (isnan (line->kl) && line->entropy > 0.0);
    }
  fixture_remove (fixture, "top.npz");
}

/* Both answers, the first tokens of which are what a pass with the operation and one without say
 * of the text. */
static void
test_both_answers (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *model = find_model ("llama");
  g_autofree char *path = fixture_get_path (fixture, "both.npz");
  g_autofree char *kl_path = fixture_get_path (fixture, "kl.npy");
  g_autofree char *output =
      fixture_run ("generate", "--model", model, "--ids", PROMPT, "--max-tokens", "4", "--json",
                   "--mean", "value", "--scope-layers", "1", NULL);
  g_autoptr (GArray) lines = parse_lines (output);

  g_assert_cmpuint (lines->len, ==, 8);
  g_free (fixture_run ("compute", "--model", model, "--ids", PROMPT, "--what", "prediction",
                       "--mean", "value", "--scope-layers", "1", "--top", "1", "-o", path, NULL));
  g_free (fixture_run ("compute", "--model", model, "--ids", PROMPT, "--what", "kl", "--mean",
                       "value", "--scope-layers", "1", "-o", kl_path, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "both.npz");
  g_autoptr (AttnArrayFile) kl_file = fixture_load (fixture, "kl.npy");
  g_autoptr (AttnTensor) kl = attn_array_to_tensor (attn_array_file_get_nth (kl_file, 0), NULL);

  for (guint i = 0; i < 2; i++)
    {
      const Line *line = &g_array_index (lines, Line, i);

      g_assert_cmpint (line->is_modified, ==, i == 1);
      g_assert_cmpint (line->id, ==, get_id (file, i * N_PROMPT + N_PROMPT - 1));
    }
  g_assert_true (isnan (g_array_index (lines, Line, 0).kl));
  g_assert_cmpfloat_with_epsilon (g_array_index (lines, Line, 1).kl, kl->data[N_PROMPT - 1], 1e-5);
  fixture_remove (fixture, "both.npz");
  fixture_remove (fixture, "kl.npy");
}

/* What changes nothing leaves the answer as it is, also where tokens are drawn; nothing is to be
 * told of it. */
static void
test_identity (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *output =
      fixture_run ("generate", "--text", "The cat", "--max-tokens", "6", "--scale", "query=1",
                   "--temperature", "1.5", "--seed", "4", "--json", NULL);
  g_autoptr (GArray) lines = parse_lines (output);
  g_autofree char *text = fixture_run ("generate", "--text", "The cat", "--max-tokens", "6",
                                       "--scale", "query=1", NULL);

  g_assert_cmpuint (lines->len, ==, 12);
  for (guint i = 0; i < 12; i += 2)
    {
      const Line *pair = &g_array_index (lines, Line, i);

      g_assert_cmpint (pair[0].id, ==, pair[1].id);
      g_assert_cmpfloat (pair[1].kl, ==, 0.0);
    }
  g_assert_nonnull (strstr (text, "Both answers are the same."));
}

static char *
draw (const char *n_threads,
      const char *seed)
{
  return fixture_run ("generate", "--text", "The cat", "--max-tokens", "16", "--temperature",
                      "1.2", "--top-k", "40", "--top-p", "0.95", "--seed", seed, "--json",
                      "--threads", n_threads, NULL);
}

static void
test_seed (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *one = draw ("1", "7");
  g_autofree char *two = draw ("2", "7");
  g_autofree char *four = draw ("4", "7");
  g_autofree char *other = draw ("1", "8");
  g_autofree char *first = fixture_run ("generate", "--text", "The cat", "--max-tokens", "9", NULL);
  g_autofree char *only = fixture_run ("generate", "--text", "The cat", "--max-tokens", "9",
                                       "--temperature", "3", "--top-k", "1", NULL);

  g_assert_cmpstr (one, ==, two);
  g_assert_cmpstr (one, ==, four);
  g_assert_cmpstr (one, !=, other);
  g_assert_cmpstr (first, ==, only);
}

/* The text that ends an answer is left out, though it begins and ends within tokens. */
static void
test_stop (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *whole =
      fixture_run ("generate", "--text", "The cat sat on the", "--max-tokens", "12", NULL);
  g_assert_cmpuint (strlen (whole), >, 20);
  g_autofree char *stop = g_strndup (whole + 9, 5);
  gsize end = (gsize) (strstr (whole, stop) - whole);
  g_autofree char *expected = g_strdup_printf ("%.*s\n", (int) end, whole);
  g_autofree char *cut = fixture_run ("generate", "--text", "The cat sat on the", "--max-tokens",
                                      "12", "--stop", "nothing", "--stop", stop, NULL);

  g_assert_cmpstr (cut, ==, expected);
}

/* A character of several tokens is printed when it is whole; what never becomes one is replaced. */
static void
test_characters (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *output =
      fixture_run ("generate", "--text", "The cat", "--max-tokens", "64", "--temperature", "1000",
                   "--json", NULL);
  g_autofree char *text = fixture_run ("generate", "--text", "The cat", "--max-tokens", "64",
                                       "--temperature", "1000", NULL);

  g_assert_true (g_utf8_validate (output, -1, NULL));
  g_assert_true (g_utf8_validate (text, -1, NULL));
}

static void
test_ends (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *gpt = find_model ("gpt_bigcode");
  g_autofree char *bert = find_model ("bert");

  /* 24 positions, the last of which says one more. */
  fixture_note ("24", "generate", "--model", gpt, "--ids", PROMPT, "--max-tokens", "99", NULL);
  fixture_fail (1, "bert", "generate", "--model", bert, "--ids", PROMPT, NULL);
  fixture_fail (1, "tokens", "generate", "--ids", PROMPT, "--scale", "query=0.5", "--max-tokens",
                "3", "--scope-tokens", "9", NULL);
}

/* What the model says is part of the input: KL, loss and labels of its tokens are those of the same
 * tokens given. */
static void
test_answer_in_figures (Fixture       *fixture,
                        gconstpointer  data)
{
  static const char * const whats[] = { "kl", "loss" };
  g_autofree char *llama = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  g_autofree char *bert = g_test_build_filename (G_TEST_DIST, "model", "bert", NULL);
  g_autofree char *npz = fixture_get_path (fixture, "effect.npz");
  g_autofree char *said = fixture_run ("generate", "--model", llama, "--ids", PROMPT,
                                       "--max-tokens", "5", NULL);
  g_autoptr (GString) ids = g_string_new (g_strstrip (said));

  g_string_prepend (ids, PROMPT " ");
  g_string_replace (ids, " ", ",", 0);
  for (gsize i = 0; i < G_N_ELEMENTS (whats); i++)
    {
      g_free (fixture_run ("compute", "--what", whats[i], "--model", llama, "--ids", PROMPT,
                           "--continuation", "5", "--zero", "value", "-o", npz, NULL));
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, "effect.npz");
      g_autoptr (AttnTensor) own = fixture_get_tensor (file, whats[i]);
      g_free (fixture_run ("compute", "--what", whats[i], "--model", llama, "--ids", ids->str,
                           "--zero", "value", "-o", npz, NULL));
      g_autoptr (AttnArrayFile) other = fixture_load (fixture, "effect.npz");
      g_autoptr (AttnTensor) given = fixture_get_tensor (other, whats[i]);
      gsize n = attn_tensor_get_n_elements (given);

      g_assert_cmpuint (own->shape[own->n_dims - 1], ==, N_PROMPT + 5);
      g_assert_cmpuint (attn_tensor_get_n_elements (own), ==, n);
      g_assert_cmpmem (own->data, n * sizeof (float), given->data, n * sizeof (float));
    }
  g_free (fixture_run ("compute", "single", "--effect", "strip", "--model", llama, "--ids", PROMPT,
                       "--layer", "0", "--head", "0", "--continuation", "5", "--scale",
                       "value=0.5", "-o", npz, NULL));
  g_autoptr (AttnArrayFile) figure = fixture_load (fixture, "effect.npz");
  g_autoptr (AttnTensor) kl = fixture_get_tensor (figure, "panel_0_0_kl");
  g_assert_cmpuint (kl->shape[0], ==, N_PROMPT + 5);
  fixture_remove (fixture, "effect.npz");
  fixture_fail (1, "whose tokens see those that follow", "compute", "--model", bert, "--ids",
                PROMPT, "--continuation", "5", "-o", npz, NULL);
}

/* A decoder answers, whichever attention is changed; without an operation all say the same. */
static void
test_decoder (Fixture       *fixture,
              gconstpointer  data)
{
  static const char * const attentions[] = { "encoder", "decoder", "cross" };
  g_autofree char *t5 = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  g_autofree char *plain = fixture_run ("generate", "--model", t5, "--ids", PROMPT, "--json",
                                        "--max-tokens", "9", NULL);
  g_autoptr (GArray) expected = parse_lines (plain);

  g_assert_cmpuint (expected->len, ==, 9);
  for (gsize i = 0; i < G_N_ELEMENTS (attentions); i++)
    {
      g_autofree char *both =
          fixture_run ("generate", "--model", t5, "--attention", attentions[i], "--ids", PROMPT,
                       "--json", "--max-tokens", "9", "--zero", "value", NULL);
      g_autoptr (GArray) lines = parse_lines (both);
      gsize n = 0;
      gboolean is_changed = FALSE;

      for (guint k = 0; k < lines->len; k++)
        {
          const Line *line = &g_array_index (lines, Line, k);

          is_changed |= line->is_modified && line->kl > 0.01;
          if (!line->is_modified)
            g_assert_cmpint (line->id, ==, g_array_index (expected, Line, n++).id);
        }
      g_assert_cmpuint (n, ==, 9);
      g_assert_true (is_changed);
    }
  /* What it says is what it goes on with, as ids. */
  g_autofree char *target = g_strdup_printf ("0,%d", (int) g_array_index (expected, Line, 0).id);
  g_autofree char *rest = fixture_run ("generate", "--model", t5, "--ids", PROMPT, "--target-ids",
                                       target, "--max-tokens", "2", NULL);
  g_autofree char *written = g_strdup_printf ("%d %d\n", (int) g_array_index (expected, Line, 1).id,
                                              (int) g_array_index (expected, Line, 2).id);
  g_assert_cmpstr (rest, ==, written);
}

static void
test_wrong_usage (Fixture       *fixture,
                  gconstpointer  data)
{
  fixture_fail (2, "inputs", "generate", NULL);
  fixture_fail (2, "inputs", "generate", "--text", "a", "--text", "b", NULL);
  fixture_fail (2, "--temperature", "generate", "--text", "a", "--temperature", "-1", NULL);
  fixture_fail (2, "--top-p", "generate", "--text", "a", "--temperature", "1", "--top-p", "0",
                NULL);
  fixture_fail (2, "--top-k", "generate", "--text", "a", "--top-k", "3", NULL);
  fixture_fail (2, "--max-tokens", "generate", "--text", "a", "--max-tokens", "0", NULL);
  fixture_fail (2, "--seed", "generate", "--text", "a", "--temperature", "1", "--seed", "x", NULL);
  fixture_fail (2, "--stop", "generate", "--text", "a", "--stop", "", NULL);
}

/* What was said by then stays, each line whole. */
static void
test_interrupted (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *model = find_model ("falcon");
  const char *argv[] = { fixture_get_program (), "generate", "--model", model, "--ids", PROMPT,
                         "--max-tokens", "2000", "--json", NULL };
  g_autoptr (GString) text = g_string_new (NULL);

  process = g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error (error);
  GInputStream *output = g_subprocess_get_stdout_pipe (process);
  char buffer[256];
  gssize n;
  while ((n = g_input_stream_read (output, buffer, sizeof buffer, NULL, &error)) > 0)
    {
      if (text->len == 0)
        g_subprocess_send_signal (process, SIGINT);
      g_string_append_len (text, buffer, n);
    }
  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait (process, NULL, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_autoptr (GArray) lines = parse_lines (text->str);
  g_assert_cmpuint (lines->len, >, 0);
  g_assert_cmpuint (lines->len, <, 2000);
}

/* Progress shares the line of a terminal with the text: it is taken away before that begins, and
 * the line is never cleared again. */
static void
test_terminal (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *told =
      fixture_run_on_terminal ("generate", "--text", "The cat", "--max-tokens", "5", NULL);
  const char *cleared = strstr (told, "\r\033[K");

  g_assert_nonnull (strstr (told, "%"));
  g_assert_nonnull (cleared);
  g_assert_cmpstr (cleared, ==, "\r\033[K");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/generate/most-probable", test_most_probable);
  fixture_add ("/cli/generate/both-answers", test_both_answers);
  fixture_add ("/cli/generate/identity", test_identity);
  fixture_add ("/cli/generate/seed", test_seed);
  fixture_add ("/cli/generate/stop", test_stop);
  fixture_add ("/cli/generate/characters", test_characters);
  fixture_add ("/cli/generate/ends", test_ends);
  fixture_add ("/cli/generate/decoder", test_decoder);
  fixture_add ("/cli/generate/answer-in-figures", test_answer_in_figures);
  fixture_add ("/cli/generate/wrong-usage", test_wrong_usage);
  fixture_add ("/cli/generate/interrupted", test_interrupted);
  fixture_add ("/cli/generate/terminal", test_terminal);
  return g_test_run ();
}
