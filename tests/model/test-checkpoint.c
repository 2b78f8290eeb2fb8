/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where a checkpoint's files are: one or several, given by any of them, and in the Hugging Face
 * cache. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../resident.h"
#include "attn-error.h"
#include "attn-fingerprint.h"
#include "model-fixture.h"

#define INDEX         "model.safetensors.index.json"
#define SHARD(number) "model-0000" number "-of-00003.safetensors"

static void
assert_refused (const char *directory,
                const char *name,
                GQuark      domain,
                int         code,
                const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_null (attn_model_open (path, &error));
  if (strstr (error->message, part) == NULL)
    g_test_message ("“%s” lacks “%s”", error->message, part);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, part));
}

/* The whole of it opens, whichever of its files is given. */
static void
test_any_file (void)
{
  static const char * const names[] = {
    "",
    "config.json",
    INDEX,
    SHARD ("1"),
    SHARD ("3"),
    "tokenizer.json",
  };
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *tokenizer = g_build_filename (copy.directory, "tokenizer.json", NULL);
  g_autofree char *fingerprint = NULL;

  g_assert_true (g_file_set_contents (tokenizer, "{}", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = g_build_filename (copy.directory, names[i], NULL);
      g_autoptr (AttnModel) model = attn_model_open (path, &error);

      g_assert_no_error (error);
      if (fingerprint != NULL)
        g_assert_cmpstr (attn_model_get_fingerprint (model), ==, fingerprint);
      g_free (fingerprint);
      fingerprint = g_strdup (attn_model_get_fingerprint (model));
    }
  remove_checkpoint (copy.directory);
}

static void
test_missing_shard (void)
{
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *path = g_build_filename (copy.directory, SHARD ("2"), NULL);

  g_unlink (path);
  assert_refused (copy.directory, "", G_FILE_ERROR, G_FILE_ERROR_NOENT, SHARD ("2"));
  remove_checkpoint (copy.directory);
}

static void
test_surplus_shard (void)
{
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *path = g_build_filename (copy.directory, "model-00004-of-00004.safetensors",
                                            NULL);

  g_assert_true (g_file_set_contents (path, "x", -1, NULL));
  assert_refused (copy.directory, "", ATTN_ERROR, ATTN_ERROR_FORMAT,
                  "model-00004-of-00004.safetensors: a file found that");
  remove_checkpoint (copy.directory);
}

/* A tensor that the index does not place in its file, which is also one that it misses there. */
static void
test_foreign_tensor (void)
{
  Copy copy = copy_fixture ("llama-sharded");

  rename_tensor (&copy, SHARD ("1"), "embed_tokens.weight", "embed_tokens.weighs");
  assert_refused (copy.directory, "", ATTN_ERROR, ATTN_ERROR_FORMAT,
                  SHARD ("1") ": tensor “model.embed_tokens.weighs” found");
  remove_checkpoint (copy.directory);
}

/* An adapter beside the weights would change them; whoever means the weights alone gives their
 * file. */
static void
test_adapter (void)
{
  static const char * const names[] = { "adapter_config.json", "adapter_model.safetensors" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Copy copy = copy_fixture ("llama");
      g_autofree char *adapter = g_build_filename (copy.directory, names[i], NULL);
      g_autofree char *weights = g_build_filename (copy.directory, "model.safetensors", NULL);

      g_assert_true (g_file_set_contents (adapter, "{}", -1, NULL));
      assert_refused (copy.directory, "", ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, names[i]);
      assert_refused (copy.directory, "config.json", ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, names[i]);
      g_autoptr (AttnModel) model = open_model (weights);
      g_assert_nonnull (model);
      remove_checkpoint (copy.directory);
    }
}

static void
test_bad_index (void)
{
  static const struct
  {
    const char *json;
    int code;
    const char *part;
  } cases[] = {
    { "[]", ATTN_ERROR_FORMAT, "expected an object" },
    { "{}", ATTN_ERROR_FORMAT, "no “weight_map” found" },
    { "{\"weight_map\": 3}", ATTN_ERROR_FORMAT, "“weight_map”" },
    { "{\"weight_map\": {}}", ATTN_ERROR_FORMAT, "no tensor found" },
    { "{\"weight_map\": {\"a\": 3}}", ATTN_ERROR_FORMAT, "tensor “a”" },
    { "{\"weight_map\": {\"a\": \"../a.safetensors\"}}", ATTN_ERROR_FORMAT, "“../a.safetensors”" },
    { "{\"weight_map\": {\"a\": \"/a.safetensors\"}}", ATTN_ERROR_FORMAT, "“/a.safetensors”" },
    { "{\"weight_map\": {\"a\": \"..\"}}", ATTN_ERROR_FORMAT, "“..” found" },
  };
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *path = g_build_filename (copy.directory, INDEX, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_true (g_file_set_contents (path, cases[i].json, -1, NULL));
      assert_refused (copy.directory, "", ATTN_ERROR, cases[i].code, cases[i].part);
    }
  remove_checkpoint (copy.directory);
}

/* Whatever stands in the index, the outcome is an error or a model. */
static void
test_index_mutations (void)
{
  static const char letters[] = "0123456789-._eE{}[]\",: /nt\\u\x80";
  g_autoptr (GRand) rand = g_rand_new_with_seed (43);
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *path = g_build_filename (copy.directory, INDEX, NULL);
  g_autofree char *original = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &original, &length, NULL));
  for (guint i = 0; i < 500; i++)
    {
      g_autofree char *json = g_memdup2 (original, length + 1);
      g_autoptr (GError) error = NULL;

      json[g_rand_int_range (rand, 0, (gint32) length)] =
          letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
      g_assert_true (g_file_set_contents_full (path, json, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      AttnModel *model = attn_model_open (copy.directory, &error);
      g_assert_true ((model != NULL) != (error != NULL));
      g_clear_pointer (&model, attn_model_unref);
    }
  remove_checkpoint (copy.directory);
}

/* models--OWNER--NAME/{blobs,refs/main,snapshots/COMMIT}, the snapshot's files being links into
 * blobs: given by the model's folder, by the snapshot, and by a file in it. */
static void
test_cache (void)
{
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *root = g_dir_make_tmp ("attn-cache-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *cache = g_build_filename (root, "models--some-owner--tiny-llama", NULL);
  g_autofree char *refs = g_build_filename (cache, "refs", NULL);
  g_autofree char *reference = g_build_filename (refs, "main", NULL);
  g_autofree char *snapshots = g_build_filename (cache, "snapshots", NULL);
  g_autofree char *snapshot = g_build_filename (snapshots, "0123abcd", NULL);
  g_autofree char *index = g_build_filename (snapshot, INDEX, NULL);
  g_autoptr (GDir) dir = g_dir_open (copy.directory, 0, &error);
  g_autoptr (GPtrArray) links = g_ptr_array_new_with_free_func (g_free);
  const char * const paths[] = { cache, snapshot, index };
  const char *name;

  g_assert_cmpint (g_mkdir_with_parents (snapshot, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (refs, 0700), ==, 0);
  g_assert_true (g_file_set_contents (reference, "0123abcd\n", -1, NULL));
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *link = g_build_filename (snapshot, name, NULL);
      g_autofree char *target = g_build_filename (copy.directory, name, NULL);

      g_assert_cmpint (symlink (target, link), ==, 0);
      g_ptr_array_add (links, link);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (AttnModel) model = attn_model_open (paths[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (attn_model_get_name (model), ==, "tiny-llama");
      g_assert_cmpstr (attn_model_get_path (model), ==, snapshot);
    }

  /* Fetched by its commit, the model has no name for it. */
  g_unlink (reference);
  g_autoptr (AttnModel) only = attn_model_open (cache, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (attn_model_get_path (only), ==, snapshot);
  g_autofree char *other = g_build_filename (snapshots, "4567ef", NULL);
  g_assert_cmpint (g_mkdir (other, 0700), ==, 0);
  g_assert_null (attn_model_open (cache, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "2 snapshots found and no refs/main"));
  g_assert_nonnull (strstr (error->message, "0123abcd, 4567ef"));

  for (guint i = 0; i < links->len; i++)
    g_unlink (g_ptr_array_index (links, i));
  g_rmdir (other);
  g_rmdir (snapshot);
  g_rmdir (snapshots);
  g_rmdir (refs);
  g_rmdir (cache);
  g_rmdir (root);
  remove_checkpoint (copy.directory);
}

/* One file wins over an index that lies beside it: that is what the other programs do. */
static void
test_single_file_before_index (void)
{
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("llama");
  g_autofree char *path = g_build_filename (copy.directory, INDEX, NULL);

  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
  g_assert_no_error (error);
  remove_checkpoint (copy.directory);
}

/* The pieces of a large file that the fingerprint is made of, and not the megabytes around each
 * that a disk may be set to read ahead. */
static void
test_fingerprint_reads_little (void)
{
  if (skip_without_advice ())
    return;
  const gsize n_bytes = (gsize) 256 << 20;
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("llama");
  g_autofree char *path = g_build_filename (copy.directory, "sparse", NULL);
  g_autofree guint8 *is_resident = g_malloc0 (n_bytes / page);
  gsize n_resident = 0;
  int fd = g_open (path, O_RDWR | O_CREAT, 0600);

  g_assert_cmpint (ftruncate (fd, (off_t) n_bytes), ==, 0);
  void *start = mmap (NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);
  g_autofree char *fingerprint = attn_fingerprint_compute (NULL, path, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (mincore (start, n_bytes, is_resident), ==, 0);
  for (gsize i = 0; i < n_bytes / page; i++)
    n_resident += is_resident[i] & 1;
  g_test_message ("%zu of %zu pages", n_resident, n_bytes / page);
  g_assert_cmpuint (n_resident, <, n_bytes / page / 4);
  munmap (start, n_bytes);
  close (fd);
  remove_checkpoint (copy.directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/checkpoint/any-file", test_any_file);
  g_test_add_func ("/model/checkpoint/missing-shard", test_missing_shard);
  g_test_add_func ("/model/checkpoint/surplus-shard", test_surplus_shard);
  g_test_add_func ("/model/checkpoint/foreign-tensor", test_foreign_tensor);
  g_test_add_func ("/model/checkpoint/adapter", test_adapter);
  g_test_add_func ("/model/checkpoint/bad-index", test_bad_index);
  g_test_add_func ("/model/checkpoint/index-mutations", test_index_mutations);
  g_test_add_func ("/model/checkpoint/cache", test_cache);
  g_test_add_func ("/model/checkpoint/single-file-before-index", test_single_file_before_index);
  g_test_add_func ("/model/checkpoint/fingerprint-reads-little", test_fingerprint_reads_little);
  return g_test_run ();
}
