/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model of two sequences from outside: which of its attentions, and what its decoder reads. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../save-arrays.h"
#include "cli-fixture.h"

#define SOURCE "1,2,3,4,5"
#define TARGET "0,9,8"

static char *
find_model (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "model", name, NULL);
}

static void
test_shapes (Fixture       *fixture,
             gconstpointer  data)
{
  static const struct
  {
    const char *attention;
    gsize shape[4];
  } cases[] = {
    { "encoder", { 3, 4, 5, 5 } },
    { "decoder", { 2, 4, 3, 3 } },
    { "cross", { 2, 4, 3, 5 } },
  };
  g_autofree char *t5 = find_model ("t5");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = fixture_get_path (fixture, "weights.npz");

      g_free (fixture_run ("compute", "--model", t5, "--attention", cases[i].attention, "--ids",
                           SOURCE, "--target-ids", TARGET, "-o", path, NULL));
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, "weights.npz");
      g_autoptr (AttnTensor) weights = fixture_get_tensor (file, "weights");
      g_assert_true (attn_tensor_has_shape (weights, 4, cases[i].shape));
      g_assert_cmpuint (attn_array_file_lookup (file, "key_labels")->shape[0], ==,
                        cases[i].shape[3]);
      fixture_remove (fixture, "weights.npz");
    }
}

static AttnTensor *
compute_logits (Fixture    *fixture,
                const char *target)
{
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *path = fixture_get_path (fixture, "logits.npz");

  g_free (fixture_run ("compute", "--model", t5, "--attention", "decoder", "--ids", SOURCE,
                       "--what", "logits", "-o", path, target != NULL ? "--target-ids" : NULL,
                       target, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "logits.npz");
  AttnTensor *logits = fixture_get_tensor (file, "logits");
  fixture_remove (fixture, "logits.npz");
  return logits;
}

/* Without a target the decoder reads its own answer: each token is the most probable behind those
 * before it, and 64 at most. */
static void
test_own_answer (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autoptr (AttnTensor) own = compute_logits (fixture, NULL);
  g_autoptr (GString) said = g_string_new ("0");

  g_assert_cmpuint (own->shape[0], ==, 65);
  for (gsize row = 0; row < 64; row++)
    {
      gsize best = 0;

      for (gsize i = 1; i < 31; i++)
        if (own->data[row * 31 + i] > own->data[row * 31 + best])
          best = i;
      g_string_append_printf (said, ",%zu", best);
    }
  g_autoptr (AttnTensor) typed = compute_logits (fixture, said->str);
  g_assert_cmpmem (own->data, 65 * 31 * sizeof (float), typed->data, 65 * 31 * sizeof (float));
}

/* The decoder's prediction. */
static void
test_logits (Fixture       *fixture,
             gconstpointer  data)
{
  const gsize one[] = { 1, 31 };
  const gsize three[] = { 3, 31 };
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *path = fixture_get_path (fixture, "logits.npz");

  g_free (fixture_run ("compute", "--model", t5, "--attention", "decoder", "--ids", SOURCE,
                       "--target-ids", "0", "--what", "logits", "-o", path, NULL));
  g_autoptr (AttnArrayFile) alone_file = fixture_load (fixture, "logits.npz");
  g_autoptr (AttnTensor) alone = fixture_get_tensor (alone_file, "logits");
  g_assert_true (attn_tensor_has_shape (alone, 2, one));

  g_free (fixture_run ("compute", "--model", t5, "--attention", "cross", "--ids", SOURCE,
                       "--target-ids", TARGET, "--what", "logits", "-o", path, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "logits.npz");
  g_autoptr (AttnTensor) logits = fixture_get_tensor (file, "logits");
  g_assert_true (attn_tensor_has_shape (logits, 2, three));
  /* The first row sees no other. 1e-5: products of other sizes add in another order. */
  for (gsize i = 0; i < 31; i++)
    g_assert_cmpfloat_with_epsilon (logits->data[i], alone->data[i], 1e-5);
  fixture_remove (fixture, "logits.npz");

  fixture_fail (1, "attention “encoder” found, expected “decoder”, for the logits", "compute",
                "--model", t5, "--ids", SOURCE, "--what", "logits", "-o", path, NULL);
}

/* Ids of make_two_effects.py as an option says them. */
static char *
read_ids (const AttnArrayFile *expected,
          const char          *name)
{
  g_autoptr (AttnTensor) ids = fixture_get_tensor (expected, name);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < ids->shape[0]; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "", (int) ids->data[i]);
  return g_string_free (text, FALSE);
}

static AttnArrayFile *
load_expected (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "effects.safetensors", NULL);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *expected = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return expected;
}

/* What an operation in each attention does to the decoder's prediction, against float64; bits. */
static void
test_effects (Fixture       *fixture,
              gconstpointer  data)
{
  static const char * const attentions[] = { "encoder", "decoder", "cross" };
  static const char * const models[] = { "t5", "bart" };
  g_autofree char *npz = fixture_get_path (fixture, "effect.npz");

  for (gsize m = 0; m < G_N_ELEMENTS (models); m++)
    for (gsize a = 0; a < G_N_ELEMENTS (attentions); a++)
      {
        g_autoptr (AttnArrayFile) expected = load_expected (models[m]);
        g_autofree char *model = find_model (models[m]);
        g_autofree char *ids = read_ids (expected, "ids");
        g_autofree char *target = read_ids (expected, "target");
        g_autofree char *one = g_strconcat (attentions[a], ":value/zero/0/all/all/kl", NULL);
        g_autofree char *head = g_strconcat (attentions[a], ":output/zero/1/2/all/kl", NULL);
        g_autoptr (AttnTensor) kl = fixture_get_tensor (expected, one);
        g_autoptr (AttnTensor) of_head = fixture_get_tensor (expected, head);
        double mean = 0.0;

        g_free (fixture_run ("compute", "--what", "kl", "--model", model, "--attention",
                             attentions[a], "--ids", ids, "--target-ids", target, "--zero",
                             "value", "--scope-layers", "0", "-o", npz, NULL));
        g_autoptr (AttnArrayFile) file = fixture_load (fixture, "effect.npz");
        g_autoptr (AttnTensor) found = fixture_get_tensor (file, "kl");
        g_assert_cmpuint (found->shape[0], ==, kl->shape[0]);
        for (gsize i = 0; i < kl->shape[0]; i++)
          g_assert_cmpfloat_with_epsilon (found->data[i], kl->data[i],
                                          1e-4 * (1.0 + kl->data[i]));

        g_free (fixture_run ("compute", "score-atlas", "--measure", "effect:zero", "--model",
                             model, "--attention", attentions[a], "--ids", ids, "--target-ids",
                             target, "-o", npz, NULL));
        g_autoptr (AttnArrayFile) atlas_file = fixture_load (fixture, "effect.npz");
        g_autoptr (AttnTensor) atlas = fixture_get_tensor (atlas_file, "panel_0_0");
        for (gsize i = 0; i < of_head->shape[0]; i++)
          mean += of_head->data[i] / of_head->shape[0];
        g_assert_cmpfloat_with_epsilon (atlas->data[atlas->shape[1] + 2], mean,
                                        1e-4 * (1.0 + mean));
        fixture_remove (fixture, "effect.npz");
      }
}

/* What `survey @arguments` writes of two texts. */
static AttnArrayFile *
run_survey (Fixture    *fixture,
            const char *attention,
            const char *statistics,
            const char *threads)
{
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *texts = fixture_get_path (fixture, "texts.npy");
  g_autofree char *out = fixture_get_path (fixture, "survey.npz");

  g_free (fixture_run ("survey", "--model", t5, "--attention", attention, "--texts", texts,
                       "--length", "8", "--statistic", statistics, "--zero", "value",
                       "--max-tokens", "4", "--threads", threads, "-o", out, NULL));
  return fixture_load (fixture, "survey.npz");
}

/* Of texts as sources a decoder says its own answer, which is cut as the texts are: the statistics
 * are those of that figure. */
static void
test_survey (Fixture       *fixture,
             gconstpointer  data)
{
  static const float ids[] = { 3, 9, 4, 11, 5, 8, 30, 7, 6, 21, 4, 9 };
  static const char * const sources[] = { "3,9,4,11,5,8", "30,7,6,21,4,9" };
  static const char * const attentions[] = { "decoder", "cross" };
  const gsize shape[] = { 2, 6 };
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *path = fixture_get_path (fixture, "texts.npy");
  g_autofree char *npz = fixture_get_path (fixture, "weights.npz");
  g_autofree char *out = fixture_get_path (fixture, "survey.npz");
  g_autoptr (AttnTensor) texts = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GError) error = NULL;

  memcpy (texts->data, ids, sizeof ids);
  attn_array_file_add (file, attn_array_new_from_tensor ("texts", texts), &error);
  save_arrays (file, path, &error);
  g_assert_no_error (error);
  for (gsize a = 0; a < G_N_ELEMENTS (attentions); a++)
    {
      g_autoptr (AttnArrayFile) found =
          run_survey (fixture, attentions[a], "sink,entropy,kl,loss,answer", "2");
      g_autoptr (AttnTensor) sinks = fixture_get_tensor (found, "sink.mean");
      g_autoptr (AttnTensor) kl = fixture_get_tensor (found, "kl.mean");
      double expected[8] = { 0.0 };
      double divergence = 0.0;

      for (gsize text = 0; text < 2; text++)
        {
          g_autofree char *said = fixture_run ("generate", "--model", t5, "--ids", sources[text],
                                               "--max-tokens", "7", NULL);
          g_autoptr (GString) target = g_string_new (g_strstrip (said));
          g_string_prepend (target, "0 ");
          g_string_replace (target, " ", ",", 0);

          g_free (fixture_run ("compute", "--model", t5, "--attention", attentions[a], "--ids",
                               sources[text], "--target-ids", target->str, "-o", npz, NULL));
          g_autoptr (AttnArrayFile) maps = fixture_load (fixture, "weights.npz");
          g_autoptr (AttnTensor) weights = fixture_get_tensor (maps, "weights");
          gsize n_rows = weights->shape[2], n_keys = weights->shape[3];
          for (gsize i = 0; i < 8 * n_rows; i++)
            expected[i / n_rows] += weights->data[i * n_keys] / (double) n_rows / 2.0;

          g_free (fixture_run ("compute", "--what", "kl", "--model", t5, "--attention",
                               attentions[a], "--ids", sources[text], "--target-ids", target->str,
                               "--zero", "value", "-o", npz, NULL));
          g_autoptr (AttnArrayFile) effect = fixture_load (fixture, "weights.npz");
          g_autoptr (AttnTensor) bits = fixture_get_tensor (effect, "kl");
          for (gsize i = 0; i < bits->shape[0]; i++)
            divergence += bits->data[i] / (double) bits->shape[0] / 2.0;
          fixture_remove (fixture, "weights.npz");
        }
      for (gsize head = 0; head < 8; head++)
        g_assert_cmpfloat_with_epsilon (sinks->data[head], expected[head], 1e-5);
      g_assert_cmpfloat_with_epsilon (kl->data[0], 0.0, 1e-9);
      g_assert_cmpfloat_with_epsilon (kl->data[1], divergence, 1e-4 * (1.0 + divergence));

      /* The same bytes whatever the threads. */
      g_autofree char *first = NULL, *second = NULL;
      gsize n_first, n_second;
      g_assert_true (g_file_get_contents (out, &first, &n_first, NULL));
      g_autoptr (AttnArrayFile) again =
          run_survey (fixture, attentions[a], "sink,entropy,kl,loss,answer", "1");
      g_assert_true (g_file_get_contents (out, &second, &n_second, NULL));
      g_assert_cmpmem (first, n_first, second, n_second);
      fixture_remove (fixture, "survey.npz");
    }
  fixture_fail (1, "statistic “distance” found for keys of another sequence", "survey", "--model",
                t5, "--attention", "cross", "--texts", path, "--length", "8", "--statistic",
                "sink,distance", "-o", out, NULL);
  fixture_remove (fixture, "texts.npy");
}

/* A copy of t5 that reads letters. Returns: (transfer full): its folder */
static char *
copy_with_tokenizer (Fixture *fixture)
{
  static const char * const files[] = { "config.json", "model.safetensors" };
  g_autofree char *t5 = find_model ("t5");
  char *folder = fixture_get_path (fixture, "t5");
  g_autofree char *path = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (GString) json = g_string_new (
      "{\"pre_tokenizer\": {\"type\": \"Whitespace\"}, \"model\": {\"type\": \"WordPiece\", "
      "\"unk_token\": \"?\", \"continuing_subword_prefix\": \"##\", "
      "\"max_input_chars_per_word\": 9, \"vocab\": {\"<pad>\": 0, \"</s>\": 1, \"?\": 2");
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *from = g_build_filename (t5, files[i], NULL);
      g_autofree char *to = g_build_filename (folder, files[i], NULL);
      g_autofree char *content = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (from, &content, &length, NULL));
      g_assert_true (g_file_set_contents (to, content, (gssize) length, NULL));
    }
  for (char letter = 'a'; letter <= 'z'; letter++)
    g_string_append_printf (json, ", \"%c\": %d", letter, letter - 'a' + 3);
  g_string_append (json, "}}}");
  g_assert_true (g_file_set_contents (path, json->str, -1, &error));
  g_assert_no_error (error);
  return folder;
}

static double
compute_loss (Fixture    *fixture,
              const char *model,
              const char *text,
              const char *target)
{
  g_autofree char *npz = fixture_get_path (fixture, "loss.npz");
  double sum = 0.0;

  g_free (fixture_run ("compute", "--what", "loss", "--model", model, "--attention", "cross",
                       "--text", text, "--target", target, "-o", npz, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "loss.npz");
  g_autoptr (AttnTensor) loss = fixture_get_tensor (file, "loss");
  gsize n = loss->shape[1] - 1;
  for (gsize i = 0; i < n; i++)
    sum += loss->data[i] / (double) n;
  fixture_remove (fixture, "loss.npz");
  return sum;
}

/* A file of texts says what the decoder reads. */
static void
test_survey_targets (Fixture       *fixture,
                     gconstpointer  data)
{
  static const struct
  {
    const char *name;
    const char *content;
    const char *option;
  } files[] = {
    { "t.jsonl", "{\"text\": \"a b c\", \"target\": \"d e f g\"}\n"
                 "{\"target\": \"x y\", \"text\": \"q r s t\"}\n",
      "--field=text" },
    { "t.csv", "target,text\nd e f g,a b c\nx y,q r s t\n", "--column=text" },
  };
  g_autofree char *model = copy_with_tokenizer (fixture);
  g_autofree char *out = fixture_get_path (fixture, "survey.npz");
  double first = compute_loss (fixture, model, "a b c", "d e f g");
  double second = compute_loss (fixture, model, "q r s t", "x y");

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = fixture_get_path (fixture, files[i].name);

      fixture_write_text (fixture, files[i].name, files[i].content);
      g_free (fixture_run ("survey", "--model", model, "--attention", "cross", "--texts", path,
                           files[i].option, "--length", "8", "--statistic", "loss", "-o", out,
                           NULL));
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, "survey.npz");
      g_autoptr (AttnTensor) loss = fixture_get_tensor (file, "loss.mean");
      g_assert_cmpfloat_with_epsilon (loss->data[0], (first + second) / 2.0, 1e-4);
      fixture_remove (fixture, files[i].name);
      fixture_remove (fixture, "survey.npz");
    }
  g_autoptr (GDir) dir = g_dir_open (model, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (model, name, NULL);

      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (model), ==, 0);
}

/* The figure says which attention it shows, and opens again as what it was. */
static void
test_figure (Fixture       *fixture,
             gconstpointer  data)
{
  const gsize shape[] = { 3, 5 };
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *svg = fixture_get_path (fixture, "figure.svg");
  g_autofree char *npz = fixture_get_path (fixture, "figure.npz");

  g_free (fixture_run ("render", "epsilon", "--model", t5, "--attention", "cross", "--ids",
                       SOURCE, "--target-ids", TARGET, "-o", svg, NULL));
  g_autofree char *text = fixture_read_text (svg);
  g_assert_nonnull (strstr (text, "Cross-Attention"));
  g_free (fixture_run ("compute", svg, "-o", npz, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "figure.npz");
  g_autoptr (AttnTensor) panel = fixture_get_tensor (file, "panel_0_0");
  g_assert_true (attn_tensor_has_shape (panel, 2, shape));
  fixture_remove (fixture, "figure.svg");
  fixture_remove (fixture, "figure.npz");
}

static void
test_refused (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *llama = find_model ("llama");
  g_autofree char *path = fixture_get_path (fixture, "x.npy");
  g_autofree char *png = fixture_get_path (fixture, "x.png");

  fixture_fail (1, "attention “foo” found, expected one of encoder, decoder, cross", "compute",
                "--model", t5, "--attention", "foo", "--ids", SOURCE, "-o", path, NULL);
  fixture_fail (1, "a target found for a model without a decoder", "compute", "--model", llama,
                "--ids", SOURCE, "--target-ids", TARGET, "-o", path, NULL);
  fixture_fail (2, "found without an input before it", "compute", "--model", t5, "--target-ids",
                TARGET, "--ids", SOURCE, "-o", path, NULL);
  fixture_fail (2, "a second target of input 1 found", "compute", "--model", t5, "--ids", SOURCE,
                "--target-ids", TARGET, "--target", "x", "-o", path, NULL);
  fixture_fail (1, "no tokenizer found", "compute", "--model", t5, "--attention", "cross", "--ids",
                SOURCE, "--target", "x", "-o", path, NULL);
  fixture_fail (1, "token id 31 found", "compute", "--model", t5, "--attention", "cross", "--ids",
                SOURCE, "--target-ids", "31", "-o", path, NULL);
  fixture_fail (1, "expected those of the queries for “rollout”", "compute", "--model", t5,
                "--attention", "cross", "--ids", SOURCE, "--what", "rollout", "-o", path, NULL);
  fixture_fail (1, "keys of another sequence found", "render", "score-atlas", "--measure",
                "induction", "--model", t5, "--attention", "cross", "--ids", SOURCE,
                "--target-ids", "0,1,2,3,4", "-o", png, NULL);
  fixture_fail (1, "expected one of a sequence to itself", "render", "head-groups", "--model", t5,
                "--attention", "cross", "--ids", SOURCE, "--target-ids", TARGET, "-o", png, NULL);
}

/* The half that sees has a picture as its input, the half that reads a text. */
static void
test_halves (Fixture       *fixture,
             gconstpointer  data)
{
  static const char ids[] = "1,2,3,4,5";
  const gsize shape[] = { 3, 3, 5, 5 }, seen[] = { 2, 4, 10, 10 };
  g_autofree char *clip = find_model ("clip-halves");
  g_autofree char *picture =
      g_test_build_filename (G_TEST_DIST, "picture", "landscape.png", NULL);
  g_autofree char *path = fixture_get_path (fixture, "weights.npz");
  g_autofree char *pixels = fixture_get_path (fixture, "pixels.npy");
  g_autofree char *info = fixture_run ("info", clip, NULL);
  const gsize size[] = { 3, 12, 12 };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (3, size, NULL);
  g_autoptr (AttnArrayFile) array = attn_array_file_new (pixels);

  g_assert_nonnull (strstr (info, "vision, text"));
  g_assert_true (attn_array_file_add (array, attn_array_new_from_tensor ("arr", tensor), NULL));
  g_autoptr (GBytes) bytes = attn_array_file_serialize (array, pixels, NULL);
  g_assert_true (g_file_set_contents (pixels, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));

  g_free (fixture_run ("compute", "--model", clip, "--attention", "text", "--ids", ids, "-o",
                       path, NULL));
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "weights.npz");
  g_autoptr (AttnTensor) weights = fixture_get_tensor (file, "weights");
  g_assert_true (attn_tensor_has_shape (weights, 4, shape));
  g_free (fixture_run ("compute", "--model", clip, "--pixels", pixels, "-o", path, NULL));
  g_autoptr (AttnArrayFile) other = fixture_load (fixture, "weights.npz");
  g_autoptr (AttnTensor) maps = fixture_get_tensor (other, "weights");
  g_assert_true (attn_tensor_has_shape (maps, 4, seen));
  fixture_fail (1, "a picture found, expected a text or ids", "compute", "--model", clip,
                "--attention", "text", "--image", picture, "-o", path, NULL);
  fixture_fail (1, "no picture found", "compute", "--model", clip, "--ids", ids, "-o", path, NULL);
  fixture_fail (1, "a target found for a model without a decoder", "compute", "--model", clip,
                "--attention", "text", "--ids", ids, "--target-ids", "1", "-o", path, NULL);
  fixture_fail (1, "no language-model head found", "compute", "--model", clip, "--attention",
                "text", "--ids", ids, "--what", "logits", "-o", path, NULL);
  fixture_fail (1, "expected one of vision, text", "compute", "--model", clip, "--attention",
                "encoder", "--ids", ids, "-o", path, NULL);
  fixture_remove (fixture, "weights.npz");
  fixture_remove (fixture, "pixels.npy");
}

static void
test_info (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *llama = find_model ("llama");
  g_autofree char *own = fixture_run ("info", t5, NULL);
  g_autofree char *other = fixture_run ("info", llama, NULL);

  g_assert_nonnull (strstr (own, "encoder, decoder, cross"));
  g_assert_null (strstr (other, "attentions"));
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/attentions/shapes", test_shapes);
  fixture_add ("/cli/attentions/own-answer", test_own_answer);
  fixture_add ("/cli/attentions/logits", test_logits);
  fixture_add ("/cli/attentions/effects", test_effects);
  fixture_add ("/cli/attentions/survey", test_survey);
  fixture_add ("/cli/attentions/survey-targets", test_survey_targets);
  fixture_add ("/cli/attentions/figure", test_figure);
  fixture_add ("/cli/attentions/refused", test_refused);
  fixture_add ("/cli/attentions/halves", test_halves);
  fixture_add ("/cli/attentions/info", test_info);
  return g_test_run ();
}
