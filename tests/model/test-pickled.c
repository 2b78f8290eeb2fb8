/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checkpoints whose weights torch.save wrote, see make_pickled.py: they compute what the fixtures
 * compute that they were made of. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "model-fixture.h"

/* Copies a file of pickled/ into a directory. Returns its path. */
static char *
copy_pickled (const char *directory,
              const char *name,
              const char *as)
{
  g_autofree char *from = g_test_build_filename (G_TEST_DIST, "model", "pickled", name, NULL);
  char *to = g_build_filename (directory, as, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *data = NULL;
  gsize length;

  g_file_get_contents (from, &data, &length, &error);
  g_assert_no_error (error);
  g_file_set_contents (to, data, (gssize) length, &error);
  g_assert_no_error (error);
  return to;
}

static void
remove_weights (const char *directory,
                const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* Opens @name within @directory and compares what it computes with the answers of @golden. */
static void
check_opens (const char *directory,
             const char *name,
             const char *golden)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (path, &error);

  g_test_message ("%s", name);
  g_assert_no_error (error);
  check_golden_model (model, golden, 4);
}

static void
assert_refused (const char *directory,
                const char *name,
                GQuark      domain,
                int         code,
                const char *part)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_model_open (path, &error));
  g_assert_error (error, domain, code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” found, expected “%s”", error->message, part);
}

/* The new form and the old one, beside their config.json, by any of their names. */
static void
test_whole (void)
{
  static const char * const names[] = { "gpt2-bare.pth", "gpt2-bare.bin" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Copy copy = copy_fixture ("gpt2-bare");
      g_autofree char *path = copy_pickled (copy.directory, names[i], "pytorch_model.bin");
      g_autofree char *other = copy_pickled (copy.directory, names[i], "weights.PTH");

      check_opens (copy.directory, "pytorch_model.bin", "gpt2-bare");
      check_opens (copy.directory, "weights.PTH", "gpt2-bare");
      remove_weights (copy.directory, "model.safetensors");
      check_opens (copy.directory, "", "gpt2-bare");
      check_opens (copy.directory, "config.json", "gpt2-bare");
      remove_checkpoint (copy.directory);
    }
}

/* Matrices that lie otherwise than row by row, of which a model takes rows and experts. */
static void
test_strided (void)
{
  static const char * const names[] = { "phi3", "qwen3_5_moe" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Copy copy = copy_fixture (names[i]);
      g_autofree char *pickled = g_strconcat (names[i], ".bin", NULL);
      g_autofree char *path = copy_pickled (copy.directory, pickled, "pytorch_model.bin");

      check_opens (copy.directory, "pytorch_model.bin", names[i]);
      remove_checkpoint (copy.directory);
    }
}

/* What lies beside it counts where the directory is given. */
static void
test_safetensors_come_first (void)
{
  Copy copy = copy_fixture ("gpt2-bare");
  g_autofree char *path = g_build_filename (copy.directory, "pytorch_model.bin", NULL);

  g_assert_true (g_file_set_contents (path, "damaged", -1, NULL));
  check_opens (copy.directory, "", "gpt2-bare");
  assert_refused (copy.directory, "pytorch_model.bin", ATTN_ERROR, ATTN_ERROR_FORMAT,
                  "other first bytes found");
  remove_checkpoint (copy.directory);
}

static void
test_shards (void)
{
  static const char * const files[] = {
    "pytorch_model.bin.index.json",
    "pytorch_model-00001-of-00003.bin",
    "pytorch_model-00002-of-00003.bin",
    "pytorch_model-00003-of-00003.bin",
  };
  static const char * const old[] = {
    "model.safetensors.index.json",
    "model-00001-of-00003.safetensors",
    "model-00002-of-00003.safetensors",
    "model-00003-of-00003.safetensors",
  };
  Copy copy = copy_fixture ("llama-sharded");

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = copy_pickled (copy.directory, files[i], files[i]);

      remove_weights (copy.directory, old[i]);
    }
  check_opens (copy.directory, "", "llama-sharded");
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    check_opens (copy.directory, files[i], "llama-sharded");

  g_autofree char *surplus = copy_pickled (copy.directory, files[1], "pytorch_model-00004.bin");
  assert_refused (copy.directory, "", ATTN_ERROR, ATTN_ERROR_FORMAT,
                  "pytorch_model-00004.bin: a file found that");
  g_unlink (surplus);
  remove_weights (copy.directory, files[2]);
  assert_refused (copy.directory, "", G_FILE_ERROR, G_FILE_ERROR_NOENT, files[2]);
  remove_checkpoint (copy.directory);
}

/* Its sizes stand in the file; the folder or the file are given. */
static void
test_nanogpt (void)
{
  Copy copy = copy_fixture ("nanogpt");

  check_opens (copy.directory, "", "nanogpt");
  check_opens (copy.directory, "ckpt.pt", "nanogpt");
  g_autoptr (AttnModel) model = open_fixture ("nanogpt");
  const AttnModelInfo *info = attn_model_get_info (model);
  g_assert_cmpstr (info->family, ==, "nanogpt");
  g_assert_cmpstr (info->position_scheme, ==, "learned");
  g_assert_true (info->is_causal);
  g_assert_cmpuint (info->n_positions, ==, 20);
  g_assert_false (info->has_tokenizer);
  /* wte, which is lm_head, too, and counts once; wpe; the norms; the matrices of two layers. */
  g_assert_cmpuint (info->n_parameters, ==, 29 * 24 + 20 * 24 + 5 * 24 + 2 * 12 * 24 * 24);
  g_autofree char *path = copy_pickled (copy.directory, "gpt2-bare.pth", "other.pt");
  assert_refused (copy.directory, "other.pt", ATTN_ERROR, ATTN_ERROR_FORMAT,
                  "no config.json beside it and no “model_args” in it found");
  remove_checkpoint (copy.directory);
}

/* Two files that differ in a weight differ in their fingerprint. */
static void
test_fingerprint (void)
{
  Copy copy = copy_fixture ("nanogpt");
  g_autofree char *path = g_build_filename (copy.directory, "ckpt.pt", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) before = attn_model_open (path, &error);
  g_autofree char *data = NULL;
  gsize length;

  g_assert_no_error (error);
  g_autofree char *fingerprint = g_strdup (attn_model_get_fingerprint (before));
  g_clear_pointer (&before, attn_model_unref);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  data[length / 2] ^= 1;
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  g_autoptr (AttnModel) after = attn_model_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (attn_model_get_fingerprint (after), !=, fingerprint);
  g_clear_pointer (&after, attn_model_unref);
  remove_checkpoint (copy.directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/pickled/whole", test_whole);
  g_test_add_func ("/model/pickled/strided", test_strided);
  g_test_add_func ("/model/pickled/safetensors-come-first", test_safetensors_come_first);
  g_test_add_func ("/model/pickled/shards", test_shards);
  g_test_add_func ("/model/pickled/nanogpt", test_nanogpt);
  g_test_add_func ("/model/pickled/fingerprint", test_fingerprint);
  return g_test_run ();
}
