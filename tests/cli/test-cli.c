/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The built program from outside: what it writes, what it says, how it exits. */

#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-blas.h"
#include "attn-study.h"
#include "cli-fixture.h"

static JsonObject *
parse_json (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (root));
  return json_node_dup_object (root);
}

/* -- Help and usage -- */

static void
test_version (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *output = fixture_run ("--version", NULL);

  g_assert_true (g_str_has_prefix (output, "attention-grid " ATTN_VERSION "\n"));
  g_assert_nonnull (strstr (output, attn_blas_get_config ()));
  g_assert_true (g_str_has_suffix (output, " threads\n"));
}

static void
test_help (Fixture       *fixture,
           gconstpointer  data)
{
  static const char * const subcommands[] = { "render", "compute", "info", "tokenize", "presets" };
  static const char * const shared[] = {
    "--model", "--text", "--text-file", "--ids", "--special-tokens", "--layer",
    "--head", "--mean", "--axis", "--scale", "--zero", "--patch", "--cut", "--epsilons", "--site",
    "--scope-layers", "--scope-heads", "--scope-tokens", "--threads"
  };
  g_autofree char *help = fixture_run ("--help", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (subcommands); i++)
    {
      g_autofree char *own = fixture_run (subcommands[i], "--help", NULL);
      g_autofree char *usage = g_strdup_printf ("\n  attention-grid %s [OPTION", subcommands[i]);

      g_assert_nonnull (strstr (help, subcommands[i]));
      g_assert_nonnull (strstr (own, usage));
      for (gsize k = 0; i < 2 && k < G_N_ELEMENTS (shared); k++)
        g_assert_nonnull (strstr (own, shared[k]));
    }
}

static void
test_presets (Fixture       *fixture,
              gconstpointer  data)
{
  g_autofree char *output = fixture_run ("presets", NULL);

  g_assert_nonnull (strstr (output, "mean-operation"));
  g_assert_nonnull (strstr (output, "epsilon"));
  g_assert_nonnull (strstr (output, "\nFrom Papers\nsink-rate "));
  g_assert_nonnull (strstr (output, "Language Models, arXiv 2402.17762\n"));
  g_assert_nonnull (strstr (output, " attention-grid render matrix-entropy -o "));
}

static void
test_wrong_usage (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");
  g_autofree char *npy = fixture_get_path (fixture, "a.npy");
  g_autofree char *odd = fixture_get_path (fixture, "a.odd");
  g_autofree char *bare = fixture_get_path (fixture, "a");

  fixture_fail (2, "render", "render", NULL);
  fixture_fail (2, "-o", "render", "epsilon", NULL);
  fixture_fail (2, "-o", "compute", NULL);
  fixture_fail (2, "mean-operation, epsilon", "render", "epsilom", "-o", svg, NULL);
  fixture_fail (2, "second", "render", "epsilon", "second", "-o", svg, NULL);
  fixture_fail (2, "--bogus", "render", "epsilon", "--bogus", "-o", svg, NULL);
  fixture_fail (2, "--text", "render", "epsilon", "-o", svg, "--text", NULL);
  fixture_fail (2, ".svg, .pdf, .png", "render", "epsilon", "-o", odd, NULL);
  fixture_fail (2, ".svg, .pdf, .png", "render", "epsilon", "-o", bare, NULL);
  fixture_fail (2, ".npz, .npy, .csv, .safetensors", "compute", "-o", odd, NULL);
  fixture_fail (2, "--layer", "compute", "--layer", "one", "-o", npy, NULL);
  fixture_fail (2, "--layer", "compute", "--layer", "-1", "-o", npy, NULL);
  fixture_fail (2, "--head", "compute", "--head", "x", "-o", npy, NULL);
  fixture_fail (2, "--ids", "compute", "--ids", "1,a", "-o", npy, NULL);
  fixture_fail (2, "--special-tokens", "compute", "--special-tokens", "maybe", "-o", npy, NULL);
  fixture_fail (2, "--mean", "compute", "--mean", "head", "-o", npy, NULL);
  fixture_fail (2, "--axis", "compute", "--mean", "key", "--axis", "row", "-o", npy, NULL);
  fixture_fail (2, "--scale", "compute", "--scale", "key", "-o", npy, NULL);
  fixture_fail (2, "--scale", "compute", "--scale", "key=1e-13", "-o", npy, NULL);
  fixture_fail (2, "--scale", "compute", "--scale", "key=nan", "-o", npy, NULL);
  fixture_fail (2, "--epsilons", "render", "epsilon", "--epsilons", "1,,2", "-o", svg, NULL);
  fixture_fail (2, "--epsilons", "render", "mean-operation", "--epsilons", "1", "-o", svg, NULL);
  fixture_fail (2, "--site", "compute", "--site", "output", "-o", npy, NULL);
  fixture_fail (2, "--scope-layers", "compute", "--scope-layers", "3-1", "-o", npy, NULL);
  fixture_fail (2, "--threads", "compute", "--threads", "0", "-o", npy, NULL);
  fixture_fail (2, "“257” found, expected a number of threads from 1 to 256", "compute",
                "--threads", "257", "-o", npy, NULL);
  fixture_fail (2, "--what", "compute", "--what", "gradient", "-o", npy, NULL);
  fixture_fail (2, "--layer", "compute", "--what", "logits", "--layer", "1", "-o", npy, NULL);
  fixture_fail (2, "--layer", "render", "epsilon", "--layer", "all", "-o", svg, NULL);
  fixture_fail (2, "--text", "render", "epsilon", "--text", "a", "--text", "b", "-o", svg, NULL);
  fixture_fail (2, "2 inputs", "compute", "--text", "a", "--text", "b", "-o", npy, NULL);
  fixture_fail (2, "TEXT", "tokenize", "model", NULL);
  fixture_fail (2, "info", "info", NULL);
}

static void
test_failures (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");
  g_autofree char *npy = fixture_get_path (fixture, "a.npy");
  g_autofree char *missing = fixture_get_path (fixture, "missing");
  g_autofree char *inside = g_build_filename (missing, "a.svg", NULL);

  fixture_fail (1, missing, "compute", "--model", missing, "-o", npy, NULL);
  fixture_fail (1, missing, "compute", "--text-file", missing, "-o", npy, NULL);
  fixture_fail (1, missing, "info", missing, NULL);
  fixture_fail (1, missing, "tokenize", missing, "a", NULL);
  fixture_fail (1, missing, "render", missing, "-o", svg, NULL);
  fixture_fail (1, missing, "render", "epsilon", "-o", inside, NULL);
  fixture_fail (1, "99", "compute", "--layer", "99", "-o", npy, NULL);
  fixture_fail (1, "99", "compute", "--head", "99", "-o", npy, NULL);
  fixture_fail (1, "99", "render", "epsilon", "--layer", "99", "-o", svg, NULL);
  fixture_fail (1, "input 1: token id 99999 found", "compute", "--ids", "1,99999", "-o", npy, NULL);
  fixture_fail (1, "input 2: token id 99999 found", "render", "mean-operation", "--text", "a",
                "--ids", "99999", "-o", svg, NULL);
  fixture_fail (1, "no chat template found", "compute", "--text", "x", "--chat", "-o", npy, NULL);
  fixture_fail (2, "--chat", "compute", "--ids", "2,17", "--chat", "-o", npy, NULL);
  fixture_fail (1, "input 1: 0 tokens found", "compute", "--text", "", "--special-tokens", "off",
                "-o", npy, NULL);
  fixture_fail (1, "rotated", "render", "epsilon", "--site", "rotated", "-o", svg, NULL);
  fixture_fail (1, "77", "compute", "--mean", "key", "--scope-layers", "77", "-o", npy, NULL);
  fixture_fail (2, "9 panels", "compute", "epsilon", "-o", npy, NULL);
}

static void
test_text_that_is_not_utf8 (Fixture       *fixture,
                            gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "text.txt");
  g_autofree char *npy = fixture_get_path (fixture, "a.npy");

  g_assert_true (g_file_set_contents (path, "ab\xff", 3, NULL));
  fixture_fail (1, "0xFF", "compute", "--text-file", path, "-o", npy, NULL);
  fixture_fail (1, "0xFF", "compute", "--text", "ab\xff", "-o", npy, NULL);
  g_assert_true (g_file_set_contents (path, "\n\n", 2, NULL));
  fixture_fail (1, "no text", "compute", "--text-file", path, "-o", npy, NULL);
  /* What is printed is UTF-8 even so. */
  fixture_fail (2, "“\357\277\275”", "compute", "--layers", "\xff", "-o", npy, NULL);
  fixture_fail (1, "caf\357\277\275", "compute", "--model", "caf\xe9", "-o", npy, NULL);
  fixture_fail (1, "caf\357\277\275", "compute", "-o", "caf\xe9/a.npy", NULL);
  fixture_remove (fixture, "text.txt");
}

/* Of a page as wide as the column of a journal every label is there and, at the printed size, at
 * least 5 points large. */
static void
test_column_of_a_journal (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autofree char *svg =
      fixture_run ("render", "single", "--size", "85mm", "--no-values", "-o", "-", NULL);
  const char *box = strstr (svg, "viewBox=\"0 0 ");
  double width = 85 / 25.4 * 72;
  gsize n_labels = 0;

  g_assert_nonnull (strstr (svg, "width=\"85mm\""));
  g_assert_nonnull (box);
  double scale = width / g_ascii_strtod (box + strlen ("viewBox=\"0 0 "), NULL);
  for (const char *at = strstr (svg, "font-size=\""); at != NULL;
       at = strstr (at + 1, "font-size=\""))
    {
      g_assert_cmpfloat (scale * g_ascii_strtod (at + strlen ("font-size=\""), NULL), >=, 5);
      n_labels++;
    }
  /* Of 15 queries and 15 keys; ticks and titles besides. */
  g_assert_cmpuint (n_labels, >, 30);
}

/* Byte for byte what a file has, and beside one. */
static void
test_standard_output (Fixture       *fixture,
                      gconstpointer  data)
{
  static const char * const formats[] = { "svg", "pdf", "png", "npy", "npz", "safetensors", "csv" };
  g_autofree char *none = fixture_get_path (fixture, "none.svg");

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const char *subcommand = i < 3 ? "render" : "compute";
      g_autofree char *name = g_strconcat ("f.", formats[i], NULL);
      g_autofree char *path = fixture_get_path (fixture, name);
      g_autoptr (GBytes) written = fixture_run_bytes (subcommand, "single", "-o", "-", "-o", path,
                                                      "--format", formats[i], NULL);
      g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
      g_autoptr (GBytes) expected = g_mapped_file_get_bytes (file);

      g_assert_cmpuint (g_bytes_get_size (written), >, 100);
      g_assert_true (g_bytes_equal (written, expected));
      /* The usual format needs no name. */
      if (i == 0 || i == 3)
        {
          g_autoptr (GBytes) usual = fixture_run_bytes (subcommand, "single", "-o", "-", NULL);

          g_assert_true (g_bytes_equal (usual, expected));
        }
      fixture_remove (fixture, name);
    }
  fixture_fail (2, "--format", "render", "single", "-o", none, "--format", "svg", NULL);
  fixture_fail (2, "-o -: found twice", "render", "single", "-o", "-", "-o", "-", NULL);
  fixture_fail (2, ".gif", "render", "single", "-o", "-", "--format", "gif", NULL);
  fixture_fail (2, "9 panels", "compute", "epsilon", "-o", "-", NULL);
  fixture_fail (2, "-o -", "render", "epsilon", "-o", "-", "--sweep", "1:0.1:3", NULL);
}

/* The directory is checked to be empty when it is removed. The superuser may write anywhere, so
 * that a directory takes the place of a file that must not be written. */
static void
test_unwritable_output (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "taken.svg");
  g_autofree char *array = fixture_get_path (fixture, "taken.npz");

  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (array, 0700), ==, 0);
  fixture_fail (1, path, "render", "epsilon", "-o", path, NULL);
  fixture_fail (1, array, "compute", "epsilon", "-o", array, NULL);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpint (g_rmdir (array), ==, 0);
}

/* -- render -- */

static void
assert_same_files (Fixture    *fixture,
                   const char *a,
                   const char *b)
{
  g_autofree char *a_path = fixture_get_path (fixture, a);
  g_autofree char *b_path = fixture_get_path (fixture, b);
  g_autofree char *a_content = NULL;
  g_autofree char *b_content = NULL;
  gsize a_length, b_length;

  g_assert_true (g_file_get_contents (a_path, &a_content, &a_length, NULL));
  g_assert_true (g_file_get_contents (b_path, &b_content, &b_length, NULL));
  g_assert_cmpmem (a_content, a_length, b_content, b_length);
}

/* Exits with 1 and leaves @input, which @output is, what it was. */
static void
assert_protected (Fixture    *fixture,
                  const char *subcommand,
                  const char *preset,
                  const char *option,
                  const char *input,
                  const char *output)
{
  g_autofree char *path = fixture_get_path (fixture, input);
  g_autofree char *output_path = fixture_get_path (fixture, output);
  g_autofree char *found =
      g_strdup_printf ("%s: %s found, which is being read, expected", output_path, path);
  GStatBuf before;
  GStatBuf now;

  g_assert_cmpint (g_stat (path, &before), ==, 0);
  fixture_fail (1, found, subcommand, preset, option, path, "-o", output_path, NULL);
  g_assert_cmpint (g_stat (path, &now), ==, 0);
  g_assert_true (before.st_ino == now.st_ino && before.st_size == now.st_size);
}

/* Whatever is read, under whatever name, is not written to. */
static void
test_inputs_are_protected (Fixture       *fixture,
                           gconstpointer  data)
{
  static const struct
  {
    const char *subcommand;
    const char *preset;
    const char *option;
    const char *input;
    const char *output;
  } cases[] = {
    { "compute", "single", "--model", "recording.npz", "recording.npz" },
    { "compute", "single", "--model", "recording.npz", "link.npz" },
    { "render", "single", "--model", "recording.npz", "link.svg" },
    { "render", "epsilon", "--colormap", "map.csv", "link.svg" },
    { "render", "single", "--text-file", "text.txt", "link.png" },
  };
  g_autofree char *recording = fixture_get_path (fixture, "recording.npz");
  g_autofree char *figure = fixture_get_path (fixture, "figure.svg");

  g_free (fixture_run ("compute", "-o", recording, NULL));
  g_free (fixture_run ("render", "epsilon", "-o", figure, NULL));
  fixture_write_text (fixture, "map.csv", "0,0,0\n1,1,1\n");
  fixture_write_text (fixture, "text.txt", "A rose is a rose.\n");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *input = cases[i].input;
      g_autofree char *path = fixture_get_path (fixture, input);
      g_autofree char *output = fixture_get_path (fixture, cases[i].output);
      gboolean is_link = g_str_has_prefix (cases[i].output, "link");

      for (gboolean is_hard = FALSE; is_hard <= is_link; is_hard++)
        {
          if (is_link)
            g_assert_cmpint (is_hard ? link (path, output) : symlink (input, output), ==, 0);
          assert_protected (fixture, cases[i].subcommand, cases[i].preset, cases[i].option, input,
                            cases[i].output);
          if (is_link)
            g_assert_cmpint (g_unlink (output), ==, 0);
        }
    }
  fixture_fail (1, "which is being read", "render", figure, "-o", figure, NULL);
  fixture_fail (1, "which is being read", "render", figure, "-o", figure, "--sweep", "1:0.1:3",
                NULL);
  fixture_remove (fixture, "recording.npz");
  fixture_remove (fixture, "figure.svg");
  fixture_remove (fixture, "map.csv");
  fixture_remove (fixture, "text.txt");
}

static void
test_render_twice (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *a = fixture_get_path (fixture, "a.svg");
  g_autofree char *b = fixture_get_path (fixture, "b.svg");

  g_autofree char *first = fixture_run ("render", "mean-operation", "-o", a, NULL);
  g_autofree char *second =
      fixture_run ("render", "mean-operation", "--threads", "1", "-o", b, NULL);
  g_assert_cmpstr (first, ==, "");
  assert_same_files (fixture, "a.svg", "b.svg");
  fixture_remove (fixture, "a.svg");
  fixture_remove (fixture, "b.svg");
}

static void
test_render_formats (Fixture       *fixture,
                     gconstpointer  data)
{
  static const struct
  {
    const char *name;
    const char *magic;
  } formats[] = { { "a.svg", "<?xml" }, { "a.pdf", "%PDF-" }, { "a.png", "\x89PNG" } };
  g_autofree char *svg = fixture_get_path (fixture, "a.svg");
  g_autofree char *pdf = fixture_get_path (fixture, "a.pdf");
  g_autofree char *png = fixture_get_path (fixture, "a.png");

  g_autofree char *output =
      fixture_run ("render", "epsilon", "-o", svg, "-o", pdf, "-o", png, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = fixture_get_path (fixture, formats[i].name);
      g_autofree char *content = NULL;

      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      g_assert_true (g_str_has_prefix (content, formats[i].magic));
      fixture_remove (fixture, formats[i].name);
    }
}

/* A study from a file gives the bytes of the preset that it is. */
static void
test_render_study (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);
  g_autofree char *json = fixture_get_path (fixture, "study.json");
  g_autofree char *a = fixture_get_path (fixture, "a.svg");
  g_autofree char *b = fixture_get_path (fixture, "b.svg");

  g_assert_true (attn_study_save (study, json, NULL));
  g_autofree char *first = fixture_run ("render", json, "-o", a, NULL);
  g_autofree char *second = fixture_run ("render", "epsilon", "-o", b, NULL);
  assert_same_files (fixture, "a.svg", "b.svg");

  study->model.fingerprint = g_strdup ("another");
  g_assert_true (attn_study_save (study, json, NULL));
  fixture_fail (1, "another", "render", json, "-o", a, NULL);
  fixture_remove (fixture, "study.json");
  fixture_remove (fixture, "a.svg");
  fixture_remove (fixture, "b.svg");
}

/* -- compute -- */

static void
test_compute_epsilon (Fixture       *fixture,
                      gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "e.npz");

  g_autofree char *output = fixture_run ("compute", "epsilon", "-o", path, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "e.npz");
  g_autoptr (AttnTensor) panel = fixture_get_tensor (file, "panel_0_2");
  g_auto (GStrv) rows = attn_array_file_dup_labels (file, "panel_0_2_rows");
  g_auto (GStrv) title = attn_array_file_dup_labels (file, "panel_2_1_title");

  g_assert_cmpuint (panel->shape[0], ==, 10);
  /* The limit that DESIGN gives for ε = 1e-10. */
  for (gsize row = 0; row < 10; row++)
    for (gsize column = 0; column < 10; column++)
      g_assert_cmpfloat_with_epsilon (panel->data[row * 10 + column],
                                      column <= row ? 1.0 / (row + 1) : 0, 1e-6);
  g_assert_cmpstr (rows[0], ==, "<s>");
  g_assert_cmpuint (g_strv_length (rows), ==, 10);
  g_assert_cmpstr (title[0], ==, "Modifying Value with ε = 1e-3");
  fixture_remove (fixture, "e.npz");
}

static AttnTensor *
compute (Fixture    *fixture,
         const char *option,
         const char *value,
         const char *option2,
         const char *value2)
{
  g_autofree char *path = fixture_get_path (fixture, "w.npy");
  g_autofree char *output = fixture_run ("compute", "-o", path, "--ids", "0,5,9,17,9", option,
                                         value, option2, value2, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "w.npy");
  AttnTensor *tensor = fixture_get_tensor (file, "");

  fixture_remove (fixture, "w.npy");
  return tensor;
}

static void
assert_shape (const AttnTensor *tensor,
              const char       *expected)
{
  g_autofree char *shape = attn_shape_to_string (tensor->n_dims, tensor->shape);

  g_assert_cmpstr (shape, ==, expected);
}

static void
test_compute_layers_and_heads (Fixture       *fixture,
                               gconstpointer  data)
{
  g_autoptr (AttnTensor) all = compute (fixture, NULL, NULL, NULL, NULL);
  gsize n_heads = all->shape[1];
  gsize n_cells = all->shape[2] * all->shape[3];
  g_autoptr (AttnTensor) one = compute (fixture, "--layer", "1", "--head", "2");
  g_autoptr (AttnTensor) mean = compute (fixture, "--layer", "1", "--head", "mean");
  g_autoptr (AttnTensor) sink = compute (fixture, "--head", "strongest-sink", NULL, NULL);

  g_assert_cmpuint (all->n_dims, ==, 4);
  assert_shape (one, "[1, 1, 5, 5]");
  assert_shape (mean, "[1, 1, 5, 5]");
  assert_shape (sink, "[1, 1, 5, 5]");
  g_assert_cmpmem (one->data, n_cells * sizeof (float), all->data + (n_heads + 2) * n_cells,
                   n_cells * sizeof (float));
  for (gsize i = 0; i < n_cells; i++)
    {
      double sum = 0;

      for (gsize head = 0; head < n_heads; head++)
        sum += all->data[(n_heads + head) * n_cells + i];
      /* A few float32 numbers of at most 1. */
      g_assert_cmpfloat_with_epsilon (mean->data[i], sum / n_heads, 1e-6);
    }

  double best = 0;
  for (gsize map = 0; map < all->shape[0] * n_heads; map++)
    {
      double sum = 0;

      for (gsize row = 0; row < 5; row++)
        sum += all->data[map * n_cells + row * 5];
      best = MAX (best, sum);
    }
  g_assert_cmpfloat_with_epsilon (sink->data[0] + sink->data[5] + sink->data[10] + sink->data[15] +
                                      sink->data[20],
                                  best, 1e-5);
}

static void
test_compute_quantities (Fixture       *fixture,
                         gconstpointer  data)
{
  g_autoptr (AttnTensor) scores = compute (fixture, "--what", "scores", "--layer", "0");
  g_autoptr (AttnTensor) query = compute (fixture, "--what", "query", "--head", "1");
  g_autoptr (AttnTensor) key = compute (fixture, "--what", "key", "--layer", "2");
  g_autoptr (AttnTensor) logits = compute (fixture, "--what", "logits", NULL, NULL);

  g_assert_cmpuint (scores->shape[0], ==, 1);
  g_assert_true (isinf (scores->data[1]) && scores->data[1] < 0);
  g_assert_cmpuint (query->shape[1], ==, 1);
  g_assert_cmpuint (query->shape[2], ==, 5);
  g_assert_cmpuint (key->shape[0], ==, 1);
  g_assert_cmpuint (logits->n_dims, ==, 2);
  g_assert_cmpuint (logits->shape[0], ==, 5);
}

static gboolean
layers_equal (const AttnTensor *a,
              const AttnTensor *b,
              gsize             layer)
{
  gsize n = attn_tensor_get_n_elements (a) / a->shape[0];

  return memcmp (a->data + layer * n, b->data + layer * n, n * sizeof (float)) == 0;
}

/* The default scope is the layers chosen: all where all are. */
static void
test_compute_scope (Fixture       *fixture,
                    gconstpointer  data)
{
  g_autoptr (AttnTensor) baseline = compute (fixture, NULL, NULL, NULL, NULL);
  g_autoptr (AttnTensor) one = compute (fixture, "--scale", "query=0.5", "--scope-layers", "1");
  g_autoptr (AttnTensor) all = compute (fixture, "--scale", "query=0.5", NULL, NULL);
  g_autoptr (AttnTensor) shown = compute (fixture, "--scale", "query=0.5", "--layer", "1");
  g_autoptr (AttnTensor) value = compute (fixture, "--mean", "value", "--scope-layers", "1");
  gsize n = attn_tensor_get_n_elements (shown);

  g_assert_true (layers_equal (baseline, one, 0));
  g_assert_false (layers_equal (baseline, one, 1));
  g_assert_false (layers_equal (baseline, one, 2));
  g_assert_false (layers_equal (baseline, all, 0));
  g_assert_cmpmem (shown->data, n * sizeof (float), one->data + n, n * sizeof (float));
  g_assert_true (layers_equal (baseline, value, 0));
  g_assert_true (layers_equal (baseline, value, 1));
  g_assert_false (layers_equal (baseline, value, 2));
}

/* Every score becomes 0: exactly uniform rows, in the layer of the query and for every input. */
static void
test_compute_zero (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (AttnTensor) zero = compute (fixture, "--zero", "query", "--layer", "1");
  g_autoptr (AttnTensor) rotated = compute (fixture, "--zero", "key", "--layer", "0");
  gsize n_tokens = zero->shape[3];

  for (gsize head = 0; head < zero->shape[1]; head++)
    for (gsize row = 0; row < n_tokens; row++)
      for (gsize column = 0; column < n_tokens; column++)
        {
          gsize cell = (head * n_tokens + row) * n_tokens + column;

          g_assert_cmpfloat (zero->data[cell], ==, column <= row ? 1.0f / (float) (row + 1) : 0.0f);
          g_assert_cmpfloat (rotated->data[cell], ==, zero->data[cell]);
        }
}

/* Of a head: as many dimensions as weights; rollout has one map a layer. */
static void
test_compute_maps (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "q.npz");
  g_autofree char *first = fixture_run ("compute", "--what", "logit", "--token", "3", "--head", "1",
                                        "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) logits = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) logit = fixture_get_tensor (logits, "logit");
  g_autofree char *second = fixture_run ("compute", "--what", "rollout", "--layer", "1", "--ids",
                                         "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) rollouts = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) rollout = fixture_get_tensor (rollouts, "rollout");

  g_assert_cmpuint (logit->n_dims, ==, 4);
  g_assert_cmpuint (logit->shape[1], ==, 1);
  g_assert_cmpuint (logit->shape[3], ==, 4);
  g_assert_cmpuint (rollout->n_dims, ==, 3);
  g_assert_cmpuint (rollout->shape[0], ==, 1);
  g_assert_cmpfloat (rollout->data[0], ==, 1.0f);
  fixture_fail (2, "--token", "compute", "--token", "3", "-o", path, NULL);
  fixture_fail (2, "--versus", "compute", "single", "--versus", "3", "-o", path, NULL);
  fixture_fail (2, "--quantity", "compute", "single", "--what", "logit", "-o", path, NULL);
  fixture_remove (fixture, "q.npz");
}

/* Of the residual stream: no heads, and what leaves the last layer besides. What attention and MLP
 * add is what it gains. */
static void
test_compute_stream (Fixture       *fixture,
                     gconstpointer  data)
{
  static const char * const whats[] = { "residual", "attention", "mlp" };
  AttnTensor *tensors[3];
  g_autofree char *path = fixture_get_path (fixture, "q.npz");

  for (gsize i = 0; i < G_N_ELEMENTS (whats); i++)
    {
      g_autofree char *output =
          fixture_run ("compute", "--what", whats[i], "--ids", "0,5,6,7", "-o", path, NULL);
      g_autoptr (AttnArrayFile) file = fixture_load (fixture, "q.npz");

      tensors[i] = fixture_get_tensor (file, whats[i]);
      g_assert_cmpuint (tensors[i]->n_dims, ==, 3);
      g_assert_cmpuint (tensors[i]->shape[0], ==, tensors[0]->shape[0] - (i > 0 ? 1 : 0));
      g_assert_cmpuint (tensors[i]->shape[1], ==, 4);
    }
  gsize n = 4 * tensors[0]->shape[2];
  for (gsize i = 0; i < (tensors[0]->shape[0] - 1) * n; i++)
    g_assert_cmpfloat_with_epsilon (tensors[0]->data[i + n] - tensors[0]->data[i],
                                    tensors[1]->data[i] + tensors[2]->data[i],
                                    1e-4 * (1.0 + fabs (tensors[0]->data[i])));
  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    attn_tensor_unref (tensors[i]);

  g_autofree char *output = fixture_run ("compute", "--what", "residual", "--layer", "1", "--ids",
                                         "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) one = fixture_get_tensor (file, "residual");
  g_assert_cmpuint (one->shape[0], ==, 1);
  fixture_fail (2, "the residual stream is of no head", "compute", "--what", "mlp", "--head", "1",
                "-o", path, NULL);
  fixture_remove (fixture, "q.npz");
}

/* A KL of 0 without a change, more with one; the last token has no loss. */
static void
test_compute_effects (Fixture       *fixture,
                      gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "q.npz");
  g_autofree char *npy = fixture_get_path (fixture, "q.npy");
  g_autofree char *first =
      fixture_run ("compute", "--what", "kl", "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) same = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) none = fixture_get_tensor (same, "kl");
  g_autofree char *second = fixture_run ("compute", "--what", "kl", "--zero", "value", "--ids",
                                         "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) other = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) kl = fixture_get_tensor (other, "kl");
  g_autofree char *third = fixture_run ("compute", "--what", "loss", "--zero", "value", "--ids",
                                        "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) losses = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) loss = fixture_get_tensor (losses, "loss");
  g_autofree char *fourth = fixture_run ("compute", "--what", "prediction", "--top", "3", "--zero",
                                         "value", "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) predictions = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) probabilities = fixture_get_tensor (predictions, "probabilities");

  g_assert_cmpuint (kl->shape[0], ==, 4);
  for (gsize i = 0; i < 4; i++)
    {
      g_assert_cmpfloat (none->data[i], ==, 0.0f);
      g_assert_cmpfloat (kl->data[i], >, 0.0f);
      g_assert_cmpint (isnan (loss->data[i]) != 0, ==, i == 3);
    }
  g_assert_cmpuint (loss->shape[0], ==, 2);
  g_assert_cmpuint (probabilities->shape[2], ==, 3);
  g_assert_cmpuint (attn_array_file_lookup (predictions, "ids")->shape[1], ==, 4);
  g_autofree char *fifth =
      fixture_run ("compute", "--what", "prediction", "--token", "3", "--versus", "5", "--zero",
                   "value", "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) compared = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) beside = fixture_get_tensor (compared, "logit_difference");
  g_autofree char *sixth =
      fixture_run ("compute", "--what", "logit-difference", "--versus", "5", "--token", "3",
                   "--zero",
                   "value", "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) alone = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) difference = fixture_get_tensor (alone, "logit-difference");

  g_assert_cmpuint (difference->shape[1], ==, 4);
  g_assert_cmpmem (beside->data, 8 * sizeof (float), difference->data, 8 * sizeof (float));
  g_assert_cmpfloat (difference->data[3], !=, difference->data[7]);
  fixture_fail (2, "--versus", "compute", "--what", "logit-difference", "-o", npy, NULL);
  fixture_fail (2, "expected one", "compute", "--what", "prediction", "-o", npy, NULL);
  fixture_fail (2, "--text", "compute", "single", "--what", "kl", "-o", npy, NULL);
  fixture_fail (2, "--quantity", "compute", "single", "--what", "logit", "-o", npy, NULL);
  fixture_fail (2, "--layer", "compute", "--what", "kl", "--layer", "1", "-o", npy, NULL);
  fixture_fail (2, "--top", "compute", "--what", "kl", "--top", "0", "-o", npy, NULL);
  fixture_remove (fixture, "q.npz");
}

static AttnTensor *
load_npy (Fixture *fixture)
{
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "q.npy");

  return fixture_get_tensor (file, "");
}

/* All that enters the first layer of the other input is the other input, which is not written; and
 * what a query does not see has no weight. */
static void
test_compute_patches_and_cuts (Fixture       *fixture,
                               gconstpointer  data)
{
  g_autofree char *npy = fixture_get_path (fixture, "q.npy");
  g_autofree char *svg = fixture_get_path (fixture, "q.svg");
  g_autofree char *first =
      fixture_run ("compute", "--ids", "0,5,6,7", "--ids", "3,2,1,4", "--patch",
                   "residual=1", "--scope-layers", "0", "-o", npy, NULL);
  g_autoptr (AttnTensor) patched = load_npy (fixture);
  g_autofree char *second = fixture_run ("compute", "--ids", "3,2,1,4", "-o", npy, NULL);
  g_autoptr (AttnTensor) other = load_npy (fixture);
  g_autofree char *third = fixture_run ("compute", "--ids", "0,5,6,7", "--cut", "2=0-1", "--layer",
                                        "1", "--head", "0", "-o", npy, NULL);
  g_autoptr (AttnTensor) cut = load_npy (fixture);

  g_assert_cmpuint (patched->shape[2], ==, 4);
  g_assert_cmpmem (patched->data, attn_tensor_get_n_elements (patched) * sizeof (float),
                   other->data, attn_tensor_get_n_elements (other) * sizeof (float));
  g_assert_cmpfloat (cut->data[8], ==, 0.0f);
  g_assert_cmpfloat (cut->data[10], ==, 1.0f);

  g_autofree char *fourth =
      fixture_run ("render", "single", "--ids", "0,5,6,7", "--ids", "3,2,1,4", "--patch",
                   "query=1:3=2", "--cut", "3=0", "--layer", "1", "--head", "0", "-o", svg, NULL);
  g_autofree char *drawn = fixture_read_text (svg);
  g_assert_nonnull (strstr (drawn, " from Input 2, "));
  g_assert_nonnull (strstr (drawn, "Positions 3=2"));
  g_assert_nonnull (strstr (drawn, "patch-positions"));
  g_assert_nonnull (strstr (drawn, "scores cut, layers 1, queries 3, keys 0"));
  g_autofree char *alone =
      fixture_run ("render", "single", "--ids", "0,5,6,7", "--cut", "3=0-1", "--cut", "2=1", "-o",
                   svg, NULL);
  g_autofree char *cuts = fixture_read_text (svg);
  g_assert_nonnull (strstr (cuts, "Keys 0-1 cut, Key 1 cut, "));
  g_assert_nonnull (strstr (cuts, "Cut at token 3"));
  g_assert_nonnull (strstr (cuts, "cut-keys"));
  g_autofree char *before = fixture_run ("render", "single", "--ids", "0,5,6,7", "--ids",
                                         "3,2,1,4", "--patch", "query=1:3=2", "--cut", "3=0",
                                         "--layer", "1", "--head", "0", "-o", svg, NULL);
  /* The study in the figure says all of it. */
  g_autofree char *copy = fixture_get_path (fixture, "r.svg");
  g_autofree char *fifth = fixture_run ("render", svg, "-o", copy, NULL);
  g_autofree char *again = fixture_read_text (copy);
  g_assert_cmpstr (again, ==, drawn);

  fixture_fail (1, "no input 3 found", "compute", "--ids", "0,5", "--patch", "query=2", "-o", npy,
                NULL);
  fixture_fail (1, "2 tokens found and 3 in input 2", "compute", "--ids", "0,5", "--ids", "0,5,6",
                "--patch", "query=1", "-o", npy, NULL);
  fixture_fail (1, "query 0 of layer 0, head 0 without a key", "compute", "--ids", "0,5", "--cut",
                "0=0", "-o", npy, NULL);
  g_free (fixture_run ("compute", "--ids", "0,5", "--cut", "all=0", "-o", npy, NULL));
  fixture_fail (2, "--patch", "compute", "--patch", "query", "-o", npy, NULL);
  fixture_fail (2, "--patch", "compute", "--patch", "nothing=1", "-o", npy, NULL);
  fixture_fail (2, "--cut", "compute", "--cut", "3", "-o", npy, NULL);
  fixture_fail (2, "--scope-tokens", "compute", "--cut", "3=0", "--scope-tokens", "1", "-o", npy,
                NULL);
  fixture_remove (fixture, "q.npy");
  fixture_remove (fixture, "q.svg");
  fixture_remove (fixture, "r.svg");
}

/* On a terminal a map says how far it is, and leaves nothing of that. */
static void
test_map_says_its_progress (Fixture       *fixture,
                            gconstpointer  data)
{
  g_autofree char *npy = fixture_get_path (fixture, "q.npy");
  g_autofree char *told =
      fixture_run_on_terminal ("compute", "patch-map", "-o", npy, NULL);
  guint n_told = 0;

  for (const char *place = told; (place = strstr (place, " %  ")) != NULL; place++)
    n_told++;
  g_assert_cmpuint (n_told, >, 10);
  g_assert_nonnull (strstr (told, "Patching one place after the other"));
  g_assert_true (g_str_has_suffix (told, "\r\033[K"));
  fixture_remove (fixture, "q.npy");
}

/* What the features add is the score, in formats of one array and of several. */
static void
test_compute_edge (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *npz = fixture_get_path (fixture, "q.npz");
  g_autofree char *first = fixture_run ("compute", "--what", "edge", "--edge", "3=1", "--ids",
                                        "0,5,6,7", "--scale", "key=0.5", "-o", npz, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) edge = fixture_get_tensor (file, "edge");
  g_autofree char *second = fixture_run ("compute", "--what", "scores", "--ids", "0,5,6,7",
                                         "--scale", "key=0.5", "-o", npz, NULL);
  g_autoptr (AttnArrayFile) scored = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) scores = fixture_get_tensor (scored, "scores");
  gsize n = edge->shape[2];

  g_assert_cmpuint (edge->shape[0], ==, scores->shape[0]);
  g_assert_cmpuint (edge->shape[1], ==, scores->shape[1]);
  for (gsize head = 0; head < edge->shape[0] * edge->shape[1]; head++)
    {
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += edge->data[head * n + i];
      g_assert_cmpfloat_with_epsilon (sum, scores->data[head * 16 + 13], 1e-5);
    }
  g_autofree char *csv = fixture_run ("compute", "--what", "edge", "--edge", "3=1", "--ids",
                                      "0,5,6,7", "--layer", "1", "--head", "2", "-o", "-",
                                      "--format", "csv", NULL);
  g_assert_true (g_str_has_prefix (csv, "layer,head,feature,value\n1,2,0"));

  fixture_fail (2, "--edge", "compute", "--what", "edge", "--ids", "0,5", "-o", npz, NULL);
  fixture_fail (2, "--edge", "compute", "--edge", "1=0", "--ids", "0,5", "-o", npz, NULL);
  fixture_fail (2, "QUERY=KEY", "compute", "--what", "edge", "--edge", "1", "-o", npz, NULL);
  fixture_fail (2, "mean", "compute", "--what", "edge", "--edge", "1=0", "--head", "mean", "-o",
                npz, NULL);
  fixture_fail (1, "0 to 1", "compute", "--what", "edge", "--edge", "2=0", "--ids", "0,5", "-o",
                npz, NULL);
  fixture_remove (fixture, "q.npz");
}

/* What a figure shows of the prediction is what is computed without one. */
static void
test_figure_of_effects (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "q.npz");
  g_autofree char *svg = fixture_get_path (fixture, "q.svg");
  g_autofree char *first =
      fixture_run ("compute", "--what", "kl", "--zero", "value", "--scope-layers", "1", "--ids",
                   "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) alone = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) kl = fixture_get_tensor (alone, "kl");
  g_autofree char *second =
      fixture_run ("compute", "single", "--zero", "value", "--layer", "1", "--effect",
                   "numbers,strip", "--versus", "3", "--ids", "0,5,6,7", "-o", path, NULL);
  g_autoptr (AttnArrayFile) figure = fixture_load (fixture, "q.npz");
  g_autoptr (AttnTensor) beside = fixture_get_tensor (figure, "panel_0_0_kl");
  g_autofree char *third = fixture_run ("render", "effect", "-o", svg, NULL);
  g_autofree char *text = NULL;

  g_assert_cmpmem (kl->data, 4 * sizeof (float), beside->data, 4 * sizeof (float));
  g_assert_cmpuint (attn_array_file_lookup (figure, "panel_0_0_logit_difference")->shape[1], ==,
                    4);
  g_assert_null (attn_array_file_lookup (figure, "curves"));
  g_assert_true (g_file_get_contents (svg, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "class=\"bar\""));
  g_assert_nonnull (strstr (text, "class=\"curve\""));
  g_assert_nonnull (strstr (text, "class=\"numbers\""));
  fixture_fail (2, "--effect", "render", "head-groups", "--effect", "strip", "-o", svg, NULL);
  fixture_fail (2, "numbers", "render", "single", "--effect", "bars", "-o", svg, NULL);
  fixture_remove (fixture, "q.npz");
  fixture_remove (fixture, "q.svg");
}

/* Components that no grid is about act in every panel of one, and on the prediction. */
static void
test_compute_components (Fixture       *fixture,
                         gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "q.npz");
  g_autoptr (AttnTensor) baseline = compute (fixture, NULL, NULL, NULL, NULL);
  g_autoptr (AttnTensor) output = compute (fixture, "--zero", "output", "--scope-layers", "0");
  g_autoptr (AttnTensor) stream = compute (fixture, "--mean", "residual", "--scope-layers", "1");
  g_autofree char *first = fixture_run ("compute", "epsilon", "--zero", "inner", "--scope-layers",
                                        "0", "--layer", "1", "--no-titles", "-o", path, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "q.npz");

  g_assert_true (layers_equal (baseline, output, 0));
  g_assert_false (layers_equal (baseline, output, 1));
  g_assert_true (layers_equal (baseline, stream, 0));
  g_assert_false (layers_equal (baseline, stream, 1));
  g_assert_nonnull (attn_array_file_lookup (file, "panel_2_2"));
  fixture_fail (1, "expected query, key, value or output", "compute", "--scale", "inner=0.5", "-o",
                path, NULL);
  fixture_remove (fixture, "q.npz");
}

static void
test_compute_several_inputs (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autofree char *text = fixture_get_path (fixture, "text.txt");
  g_autofree char *path = fixture_get_path (fixture, "w.safetensors");

  g_assert_true (g_file_set_contents (text, "\xEF\xBB\xBFIt is I\r\n\nThe rose is red", -1, NULL));
  g_autofree char *output = fixture_run ("compute", "--text-file", text, "--ids", "0,1", "--layer",
                                         "0", "-o", path, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "w.safetensors");
  g_autoptr (AttnTensor) first = fixture_get_tensor (file, "weights_0");
  g_autoptr (AttnTensor) second = fixture_get_tensor (file, "weights_1");
  g_autoptr (AttnTensor) third = fixture_get_tensor (file, "weights_2");
  g_auto (GStrv) tokens = attn_array_file_dup_labels (file, "query_labels_0");

  g_assert_cmpuint (first->shape[3], ==, 4);
  g_assert_cmpuint (second->shape[3], ==, 5);
  g_assert_cmpuint (third->shape[3], ==, 2);
  g_assert_cmpstr (tokens[1], ==, "It");
  fixture_remove (fixture, "text.txt");
  fixture_remove (fixture, "w.safetensors");
}

/* --mean chooses the components of a figure of means; --scale is in force in all of its panels. */
static void
test_compute_changed_preset (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autofree char *plain_path = fixture_get_path (fixture, "a.npz");
  g_autofree char *extra_path = fixture_get_path (fixture, "b.npz");

  g_autofree char *first =
      fixture_run ("compute", "mean-operation", "--mean", "value", "-o", plain_path, NULL);
  g_autofree char *second = fixture_run ("compute", "mean-operation", "--mean", "value", "--scale",
                                         "key=1e-10", "-o", extra_path, NULL);
  g_autoptr (AttnArrayFile) plain = fixture_load (fixture, "a.npz");
  g_autoptr (AttnArrayFile) extra = fixture_load (fixture, "b.npz");
  g_autoptr (AttnTensor) sink = fixture_get_tensor (plain, "panel_2_0");
  g_autoptr (AttnTensor) uniform = fixture_get_tensor (extra, "panel_2_0");

  g_assert_null (attn_array_file_lookup (plain, "panel_0_1"));
  g_assert_cmpfloat (sink->data[14 * 15], >, 0.5);
  g_assert_cmpfloat_with_epsilon (uniform->data[14 * 15], 1.0 / 15, 1e-6);
  fixture_remove (fixture, "a.npz");
  fixture_remove (fixture, "b.npz");
}

static void
test_compute_epsilons (Fixture       *fixture,
                       gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "e.npz");

  g_autofree char *output = fixture_run ("compute", "epsilon", "--scale", "key=2.5e-3", "--text",
                                         "It is I", "-o", path, NULL);
  g_autoptr (AttnArrayFile) file = fixture_load (fixture, "e.npz");
  g_auto (GStrv) title = attn_array_file_dup_labels (file, "panel_0_0_title");
  g_autoptr (AttnTensor) panel = fixture_get_tensor (file, "panel_0_0");

  g_assert_cmpstr (title[0], ==, "Modifying Key with ε = 2.5e-3");
  g_assert_cmpuint (panel->shape[0], ==, 4);
  g_assert_null (attn_array_file_lookup (file, "panel_1_0"));
  g_assert_null (attn_array_file_lookup (file, "panel_0_1"));
  fixture_remove (fixture, "e.npz");
}

/* Opens @file as a model and looks at the labels of its panel. */
static void
assert_reopened (Fixture    *fixture,
                 const char *file,
                 gsize       n_tokens)
{
  static const char * const expected[] = { "<s>", "It", "␣is", "␣I", "↵" };
  g_autofree char *path = fixture_get_path (fixture, file);
  g_autofree char *again = fixture_get_path (fixture, "again.npz");
  g_autofree char *output = fixture_run ("compute", "single", "--model", path, "-o", again, NULL);
  g_autoptr (AttnArrayFile) arrays = fixture_load (fixture, "again.npz");
  g_auto (GStrv) rows = attn_array_file_dup_labels (arrays, "panel_0_0_rows");
  g_auto (GStrv) columns = attn_array_file_dup_labels (arrays, "panel_0_0_columns");

  g_assert_cmpuint (g_strv_length (rows), ==, n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    g_assert_cmpstr (rows[i], ==, expected[i]);
  /* Queries alone have features, which have no names. */
  for (gsize i = 0; columns[i] != NULL; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);

      g_assert_cmpstr (columns[i], ==,
                       g_strv_length (columns) == n_tokens ? expected[i] : number);
    }
  fixture_remove (fixture, "again.npz");
  fixture_remove (fixture, file);
}

/* What `compute` writes is opened with the tokens it was computed from. */
static void
test_compute_is_opened_again (Fixture       *fixture,
                              gconstpointer  data)
{
  static const char * const files[] = { "w.npz", "w.safetensors" };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = fixture_get_path (fixture, files[i]);

      g_free (fixture_run ("compute", "--text", "It is I\n", "-o", path, NULL));
      assert_reopened (fixture, files[i], 5);
      g_free (fixture_run ("compute", "--text", "It is I\n", "--what", "query", "-o", path, NULL));
      assert_reopened (fixture, files[i], 5);
      g_free (fixture_run ("compute", "single", "--text", "It is I", "-o", path, NULL));
      assert_reopened (fixture, files[i], 4);
    }
}

/* -- info, tokenize -- */

static void
test_info (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *model = attn_data_find ("models/rose");
  g_autofree char *path = fixture_get_path (fixture, "w.npy");

  g_autofree char *text = fixture_run ("info", model, NULL);
  g_autofree char *json = fixture_run ("info", "--json", model, NULL);
  g_autoptr (JsonObject) facts = parse_json (json);
  g_assert_nonnull (strstr (text, "gpt2"));
  g_assert_cmpstr (json_object_get_string_member (facts, "family"), ==, "gpt2");
  g_assert_cmpint (json_object_get_int_member (facts, "heads"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (facts, "memory_1024_tokens"), >, 0);

  g_autofree char *output =
      fixture_run ("compute", "--ids", "0,5", "--layer", "0", "-o", path, NULL);
  g_autofree char *array_json = fixture_run ("info", path, "--json", NULL);
  g_autoptr (JsonObject) file = parse_json (array_json);
  JsonObject *array =
      json_array_get_object_element (json_object_get_array_member (file, "arrays"), 0);
  g_assert_cmpstr (json_object_get_string_member (array, "dtype"), ==, "F32");
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (array, "shape"), 2),
                   ==, 2);
  fixture_remove (fixture, "w.npy");
}

static void
test_tokenize (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *model = attn_data_find ("models/rose");
  g_autofree char *file = attn_data_find ("models/rose/tokenizer.json");

  g_autofree char *json = fixture_run ("tokenize", model, "It is I", "--json", NULL);
  g_autofree char *same = fixture_run ("tokenize", file, "It is I", "--json", NULL);
  g_autofree char *dashed =
      fixture_run ("tokenize", "--special-tokens", "off", "--json", "--", model, "--json", NULL);
  g_autoptr (JsonObject) tokens = parse_json (json);
  g_autoptr (JsonObject) dash = parse_json (dashed);

  g_assert_cmpstr (json, ==, same);
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (tokens, "ids")), ==, 4);
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (tokens, "tokens"),
                                                  0),
                   ==, "<s>");
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (tokens, "tokens"),
                                                  2),
                   ==, "␣is");
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (tokens, "pieces"),
                                                  2),
                   ==, "Ġis");
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (dash, "tokens"), 0),
                   ==, "-");
}

/* What was given is named, not a file that nobody asked for. */
static void
test_tokenize_without_a_tokenizer (Fixture       *fixture,
                                   gconstpointer  data)
{
  g_autofree char *pipe = fixture_get_path (fixture, "pipe");
  g_autofree char *expected =
      g_strdup_printf ("%s: something else found, expected a checkpoint or a tokenizer", pipe);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  fixture_fail (1, expected, "tokenize", pipe, "A rose", NULL);
  g_unlink (pipe);
}

/* A figure of boxes for letters is none, nor is a window. */
static void
test_no_fonts (Fixture       *fixture,
               gconstpointer  data)
{
  g_autofree char *conf = fixture_get_path (fixture, "fonts.conf");
  g_autofree char *text =
      g_strdup_printf ("<fontconfig><cachedir>%s</cachedir></fontconfig>", fixture->directory);

  fixture_write_text (fixture, "fonts.conf", text);
  g_setenv ("FONTCONFIG_FILE", conf, TRUE);
  if (ATTN_HAS_WINDOW)
    fixture_fail (1, "fonts: none found", NULL, NULL);
  for (guint i = 0; i < 3; i++)
    {
      static const char * const names[] = { "f.svg", "f.pdf", "f.png" };
      g_autofree char *path = fixture_get_path (fixture, names[i]);

      fixture_fail (1, "fonts: none found", "render", "single", "-o", path, NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
  g_unsetenv ("FONTCONFIG_FILE");
  fixture_remove (fixture, "fonts.conf");
}

/* A program that was built without a window says so. */
static void
test_no_window (Fixture       *fixture,
                gconstpointer  data)
{
  if (ATTN_HAS_WINDOW)
    return;
  fixture_fail (2, "this program was built without a window", NULL, NULL);
  fixture_fail (2, "“model.gguf” found, expected a subcommand", "model.gguf", NULL);
}

/* What a file is called, or holds, is no word to the terminal. */
static void
test_no_escape_reaches_the_terminal (Fixture       *fixture,
                                     gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "x\x1b]0;owned\x07.json");

  fixture_fail (1, "x\u241b]0;owned\u2407.json", "render", path, "-o", "x.svg", NULL);
  fixture_fail (1, "x\u241b]0;owned\u2407.json", "info", path, NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/version", test_version);
  fixture_add ("/cli/no-window", test_no_window);
  fixture_add ("/cli/help", test_help);
  fixture_add ("/cli/presets", test_presets);
  fixture_add ("/cli/wrong-usage-exits-2", test_wrong_usage);
  fixture_add ("/cli/failures-exit-1", test_failures);
  fixture_add ("/cli/no-escape-reaches-the-terminal", test_no_escape_reaches_the_terminal);
  fixture_add ("/cli/text-that-is-not-utf8", test_text_that_is_not_utf8);
  fixture_add ("/cli/standard-output", test_standard_output);
  fixture_add ("/cli/unwritable-output-leaves-nothing", test_unwritable_output);
  fixture_add ("/cli/inputs-are-protected", test_inputs_are_protected);
  fixture_add ("/cli/render/twice-gives-the-same-bytes", test_render_twice);
  fixture_add ("/cli/render/formats", test_render_formats);
  fixture_add ("/cli/render/column-of-a-journal", test_column_of_a_journal);
  fixture_add ("/cli/render/no-fonts", test_no_fonts);
  fixture_add ("/cli/render/study", test_render_study);
  fixture_add ("/cli/compute/epsilon-is-uniform", test_compute_epsilon);
  fixture_add ("/cli/compute/layers-and-heads", test_compute_layers_and_heads);
  fixture_add ("/cli/compute/scope", test_compute_scope);
  fixture_add ("/cli/compute/patches-and-cuts", test_compute_patches_and_cuts);
  fixture_add ("/cli/compute/edge", test_compute_edge);
  fixture_add ("/cli/map-says-its-progress", test_map_says_its_progress);
  fixture_add ("/cli/compute/zero", test_compute_zero);
  fixture_add ("/cli/compute/maps", test_compute_maps);
  fixture_add ("/cli/compute/stream", test_compute_stream);
  fixture_add ("/cli/compute/components", test_compute_components);
  fixture_add ("/cli/compute/effects", test_compute_effects);
  fixture_add ("/cli/figure-of-effects", test_figure_of_effects);
  fixture_add ("/cli/compute/quantities", test_compute_quantities);
  fixture_add ("/cli/compute/several-inputs", test_compute_several_inputs);
  fixture_add ("/cli/compute/changed-preset", test_compute_changed_preset);
  fixture_add ("/cli/compute/epsilons", test_compute_epsilons);
  fixture_add ("/cli/compute/is-opened-again", test_compute_is_opened_again);
  fixture_add ("/cli/info", test_info);
  fixture_add ("/cli/tokenize", test_tokenize);
  fixture_add ("/cli/tokenize-without-a-tokenizer", test_tokenize_without_a_tokenizer);
  return g_test_run ();
}
