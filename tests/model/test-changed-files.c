/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files of an open model that another program cuts short or rewrites, and those that are not to be
 * written to. */

#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../bus-error.h"
#include "../save-arrays.h"
#include "attn-error.h"
#include "attn-save.h"
#include "attn-trace-rows.h"
#include "model-fixture.h"

static const guint32 ids[] = { 7, 3, 3, 9, 21, 0, 29, 12, 5 };

static AttnTrace *
try_trace (AttnModel  *model,
           gsize       n_ids,
           GError    **error)
{
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = n_ids,
    .keep = ATTN_QUANTITY_WEIGHTS,
  };

  return attn_trace_compute (model, &request, NULL, NULL, NULL, error);
}

static void
assert_changed (const GError *error,
                const char   *path)
{
  g_autofree char *message =
      g_strdup_printf ("%s: the file was changed while it was read", path);

  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_assert_cmpstr (error->message, ==, message);
}

/* A pass over a shard that has nothing any more. */
static void
test_shard_cut_short (void)
{
  if (skip_without_bus_error_addresses ())
    return;
  Copy copy = copy_fixture ("llama-sharded");
  g_autoptr (AttnModel) model = open_model (copy.directory);
  g_autofree char *path =
      g_build_filename (copy.directory, "model-00002-of-00003.safetensors", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (truncate (path, 0), ==, 0);
  g_assert_null (try_trace (model, G_N_ELEMENTS (ids), &error));
  assert_changed (error, path);
  remove_checkpoint (copy.directory);
}

/* The weights of another model in the same bytes: numbers that do not go with the fingerprint. */
static void
test_weights_rewritten (void)
{
  /* All of this can happen between two ticks of the clock that times of files are taken from. */
  const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  Recipe recipe = plain_recipe;
  char *directory = write_checkpoint (&recipe);
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnModel) model = open_model (directory);
  g_autoptr (AttnTrace) trace = try_trace (model, G_N_ELEMENTS (ids), NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  g_assert_nonnull (trace);
  recipe.seed = 2;
  char *other = write_checkpoint (&recipe);
  g_autofree char *other_path = g_build_filename (other, "model.safetensors", NULL);
  g_assert_true (g_file_get_contents (other_path, &text, &length, NULL));
  g_assert_true (g_file_set_contents_full (path, text, length, G_FILE_SET_CONTENTS_NONE, 0600,
                                           NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, path, long_ago, 0), ==, 0);
  g_assert_null (try_trace (model, G_N_ELEMENTS (ids), &error));
  assert_changed (error, path);
  remove_checkpoint (other);
  remove_checkpoint (directory);
}

static void
test_recording_cut_short (void)
{
  if (skip_without_bus_error_addresses ())
    return;
  const gsize shape[] = { 1, 1, 64, 64 };
  const guint32 all_ids[64] = { 0 };
  const AttnTraceRequest request = {
    .ids = all_ids,
    .n_ids = G_N_ELEMENTS (all_ids),
    .keep = ATTN_QUANTITY_RESIDUAL,
  };
  g_autofree char *directory = g_dir_make_tmp ("attn-changed-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.npy", NULL);
  g_autoptr (AttnTensor) tensor = attn_tensor_new (4, shape, NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GError) error = NULL;
  float row[64];

  for (gsize i = 0; i < 64; i++)
    tensor->data[i * 64] = 1;
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor ("weights", tensor), NULL));
  g_assert_true (save_arrays (file, path, NULL));
  g_autoptr (AttnModel) model = open_model (path);
  g_autoptr (AttnTrace) trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  AttnTraceRows *rows = attn_trace_rows_new (trace, 0, 0, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (attn_trace_rows_compute (rows, 60, 1, row, &error));
  g_assert_cmpfloat (row[0], ==, 1);

  g_assert_cmpint (truncate (path, 1000), ==, 0);
  g_assert_false (attn_trace_rows_compute (rows, 60, 1, row, &error));
  assert_changed (error, path);
  g_clear_error (&error);
  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  assert_changed (error, path);
  attn_trace_rows_free (rows);
  g_unlink (path);
  g_rmdir (directory);
}

static void
assert_protected (const char *directory,
                  const char *name,
                  gboolean    is_protected)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (attn_save_check (path, NULL), ==, !is_protected);
}

/* Not by the files beside it that it does not read. */
static void
test_files_are_protected (void)
{
  static const char * const names[] = {
    "config.json",
    "model.safetensors.index.json",
    "model-00001-of-00003.safetensors",
    "model-00002-of-00003.safetensors",
    "model-00003-of-00003.safetensors",
    "tokenizer.json",
  };
  g_autofree char *shipped = g_build_filename (g_getenv ("ATTENTION_GRID_DATADIR"), "models",
                                               "rose", "tokenizer.json", NULL);
  Copy copy = copy_fixture ("llama-sharded");
  g_autofree char *tokenizer = g_build_filename (copy.directory, "tokenizer.json", NULL);
  g_autofree char *notes = g_build_filename (copy.directory, "notes.json", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (shipped, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (tokenizer, text, -1, NULL));
  g_assert_true (g_file_set_contents (notes, "{}", -1, NULL));
  AttnModel *model = open_model (copy.directory);
  g_assert_nonnull (attn_model_get_tokenizer (model, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    assert_protected (copy.directory, names[i], TRUE);
  assert_protected (copy.directory, "notes.json", FALSE);
  attn_model_unref (model);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    assert_protected (copy.directory, names[i], FALSE);
  remove_checkpoint (copy.directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/changed-files/shard-cut-short", test_shard_cut_short);
  g_test_add_func ("/model/changed-files/weights-rewritten", test_weights_rewritten);
  g_test_add_func ("/model/changed-files/recording-cut-short", test_recording_cut_short);
  g_test_add_func ("/model/changed-files/files-are-protected", test_files_are_protected);
  return g_test_run ();
}
