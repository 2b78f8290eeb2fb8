/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model of two sequences from outside: which of its attentions, and what its decoder reads. */

#include "config.h"

#include <string.h>

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

/* The decoder's prediction: with the start token alone where there is no target. */
static void
test_logits (Fixture       *fixture,
             gconstpointer  data)
{
  const gsize one[] = { 1, 31 };
  const gsize three[] = { 3, 31 };
  g_autofree char *t5 = find_model ("t5");
  g_autofree char *path = fixture_get_path (fixture, "logits.npz");

  g_free (fixture_run ("compute", "--model", t5, "--attention", "decoder", "--ids", SOURCE,
                       "--what", "logits", "-o", path, NULL));
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
  fixture_fail (1, "expected as many keys as queries", "render", "head-groups", "--model", t5,
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
  fixture_add ("/cli/attentions/logits", test_logits);
  fixture_add ("/cli/attentions/figure", test_figure);
  fixture_add ("/cli/attentions/refused", test_refused);
  fixture_add ("/cli/attentions/halves", test_halves);
  fixture_add ("/cli/attentions/info", test_info);
  return g_test_run ();
}
