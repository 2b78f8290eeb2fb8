/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files by name: what is opened, what is refused, which suffix means what. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../save-arrays.h"
#include "attn-array-format.h"
#include "format-fixture.h"

static void
check_refused (const char *path,
               GQuark      domain,
               int         code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_file_load (path, &error));
  g_assert_error (error, domain, code);
  g_assert_true (g_str_has_prefix (error->message, path));
}

static void
test_not_a_file (void)
{
  g_autofree char *missing = fixture_path ("missing.npy");
  g_autofree char *folder = fixture_path ("folder.npy");
  g_autofree char *pipe = fixture_path ("pipe.npy");
  g_autofree char *empty = fixture_save ("empty.npy", "", 0);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  check_refused (missing, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  check_refused (folder, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  check_refused (pipe, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  check_refused (empty, ATTN_ERROR, ATTN_ERROR_FORMAT);
}

static void
test_unknown_content (void)
{
  g_autofree char *unknown = fixture_save ("unknown.data", "something else", 14);
  g_autofree char *npy = fixture_save ("wrong.npy", "something else", 14);
  g_autofree char *npz = fixture_save ("wrong.NPZ", "something else", 14);
  g_autofree char *safetensors = fixture_save ("wrong.safetensors", "abc", 3);

  check_refused (unknown, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  check_refused (npy, ATTN_ERROR, ATTN_ERROR_FORMAT);
  check_refused (npz, ATTN_ERROR, ATTN_ERROR_FORMAT);
  check_refused (safetensors, ATTN_ERROR, ATTN_ERROR_FORMAT);
}

static void
test_content_before_suffix (void)
{
  static const char * const suffixes[] = { "a.npz", "a.safetensors" };
  g_autoptr (AttnArrayFile) file = fixture_file ();

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *path = fixture_path (suffixes[i]);
      g_autofree char *renamed = fixture_path ("renamed.npy");
      g_autoptr (GError) error = NULL;

      g_assert_true (save_arrays (file, path, &error));
      g_assert_no_error (error);
      g_assert_cmpint (g_rename (path, renamed), ==, 0);
      g_autoptr (AttnArrayFile) again = attn_array_file_load (renamed, &error);
      g_assert_no_error (error);
      g_assert_nonnull (attn_array_file_lookup (again, "weights"));
      g_assert_cmpstr (attn_array_file_get_path (again), ==, renamed);
      fixture_touch (again);
    }
}

/* The mapping lives as long as an array's bytes, though the file object and the name are gone. */
static void
test_bytes_outlive_the_file (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autofree char *path = fixture_path ("gone.safetensors");
  g_autoptr (GError) error = NULL;

  g_assert_true (save_arrays (file, path, NULL));
  AttnArrayFile *again = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  const AttnArray *weights = attn_array_file_lookup (again, "weights");
  g_assert_true ((attn_array_peek_float32 (weights) != NULL) == !weights->is_swapped);
  g_autoptr (GBytes) bytes = g_bytes_ref (weights->bytes);
  attn_array_file_unref (again);
  g_assert_cmpint (g_unlink (path), ==, 0);

  const guint32 *values = g_bytes_get_data (bytes, NULL);
  g_assert_cmpuint (GUINT32_FROM_LE (values[4]), ==, 0xc0200000); /* -2.5 */
}

static void
test_duplicate_name (void)
{
  const char * const strings[] = { "x", NULL };
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GError) error = NULL;

  g_assert_false (attn_array_file_add (file, attn_array_new_strings ("mask", strings), &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 4);
}

static void
test_metadata (void)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  const char * const sorted[] = { "a", "b", NULL };

  attn_array_file_set_metadata (file, "b", "2");
  attn_array_file_set_metadata (file, "a", "1");
  attn_array_file_set_metadata (file, "c", "3");
  attn_array_file_set_metadata (file, "a", "0");
  attn_array_file_set_metadata (file, "c", NULL);
  g_auto (GStrv) keys = attn_array_file_dup_metadata_keys (file);
  g_assert_cmpstrv (keys, sorted);
  g_assert_cmpstr (attn_array_file_get_metadata (file, "a"), ==, "0");
  g_assert_null (attn_array_file_dup_labels (file, "a"));
  g_assert_null (attn_array_file_dup_labels (file, "missing"));
}

static void
check_not_saved (const AttnArrayFile *file,
                 const char          *name)
{
  g_autofree char *path = fixture_path (name);
  g_autoptr (GError) error = NULL;

  g_assert_false (save_arrays (file, path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_suffixes (void)
{
  g_autoptr (AttnArrayFile) three = fixture_file ();
  g_autoptr (AttnArrayFile) none = attn_array_file_new (NULL);

  check_not_saved (three, "a.txt");
  check_not_saved (three, "npy");
  check_not_saved (three, "three.npy");
  check_not_saved (three, "three.csv");
  check_not_saved (none, "none.npy");
}

/* Whoever asks the table finds the row; what a file manager may open the window with is a type. */
static void
test_formats (void)
{
  g_autofree char *path = g_test_build_filename (
      G_TEST_DIST, "..", "data", "io.github.attentiongrid.AttentionGrid.xml", NULL);
  g_autofree char *types = NULL;

  g_assert_true (g_file_get_contents (path, &types, NULL, NULL));
  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    {
      g_autofree char *loud = g_ascii_strup (format->suffix, -1);
      g_autofree char *name = g_strconcat ("a.odd", loud, NULL);
      g_autofree char *glob = g_strdup_printf ("pattern=\"*%s\"", format->suffix);

      g_assert_true (attn_array_format_find (name) == format);
      g_assert_true (attn_array_format_has (name, format->flags));
      g_assert_cmpint (format->write != NULL, ==,
                       attn_array_format_has (name, ATTN_ARRAY_FORMAT_WRITES));
      g_assert_true (format->open_title == NULL || strstr (types, glob) != NULL);
    }
  g_assert_null (attn_array_format_find ("npy"));
  g_assert_null (attn_array_format_find ("a.npy.odd"));
}

static void
test_one_array_and_labels (void)
{
  const gsize shape[] = { 2 };
  const float data[] = { 1, 2 };
  const char * const labels[] = { "a", "b", NULL };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autofree char *path = fixture_path ("one.NPY");
  g_autoptr (GError) error = NULL;

  attn_array_file_add (file, attn_array_new_strings ("labels", labels), NULL);
  attn_array_file_add (file, fixture_array ("x", ATTN_DTYPE_F32, 1, shape, data), NULL);
  g_assert_true (save_arrays (file, path, &error));
  g_autoptr (AttnArrayFile) again = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  fixture_assert_floats (attn_array_file_get_nth (again, 0), 2, data);
  g_assert_cmpstr (attn_array_file_get_nth (again, 0)->name, ==, "");
}

static void
test_not_writable (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autofree char *path = fixture_path ("no-such-folder/a.npz");
  g_autoptr (GError) error = NULL;

  g_assert_false (save_arrays (file, path, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/file/not-a-file", test_not_a_file);
  g_test_add_func ("/format/file/unknown-content", test_unknown_content);
  g_test_add_func ("/format/file/content-counts-before-suffix", test_content_before_suffix);
  g_test_add_func ("/format/file/bytes-outlive-the-file", test_bytes_outlive_the_file);
  g_test_add_func ("/format/file/duplicate-name-is-refused", test_duplicate_name);
  g_test_add_func ("/format/file/metadata", test_metadata);
  g_test_add_func ("/format/file/each-format-is-a-row", test_formats);
  g_test_add_func ("/format/file/suffix-and-number-of-arrays", test_suffixes);
  g_test_add_func ("/format/file/one-array-and-labels-as-npy", test_one_array_and_labels);
  g_test_add_func ("/format/file/not-writable", test_not_writable);
  return fixture_run ();
}
