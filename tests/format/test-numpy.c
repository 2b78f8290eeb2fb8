/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files that NumPy wrote, see make-fixtures.py. */

#include "config.h"

#include <string.h>

#include "format-fixture.h"

#define N_VALUES 24

static AttnArrayFile *
load (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "format", "fixtures", name, NULL);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/* [2, 3, 4] with 12 i + 4 j + k + @first at (i, j, k). */
static void
check_values (const AttnArray *array,
              float            first)
{
  const gsize shape[] = { 2, 3, 4 };
  float expected[N_VALUES];

  g_assert_cmpuint (array->n_dims, ==, 3);
  g_assert_cmpmem (array->shape, sizeof shape, shape, sizeof shape);
  for (int i = 0; i < N_VALUES; i++)
    expected[i] = i + first;
  fixture_assert_floats (array, N_VALUES, expected);
}

static void
test_types_and_orders (void)
{
  static const char * const names[] = {
    "f2-little-c",
    "f2-little-fortran",
    "f2-big-c",
    "f2-big-fortran",
    "f4-little-c",
    "f4-little-fortran",
    "f4-big-c",
    "f4-big-fortran",
    "f8-little-c",
    "f8-little-fortran",
    "f8-big-c",
    "f8-big-fortran",
    "i1-little-c",
    "i1-little-fortran",
    "i2-little-c",
    "i2-little-fortran",
    "i2-big-c",
    "i2-big-fortran",
    "i4-little-c",
    "i4-little-fortran",
    "i4-big-c",
    "i4-big-fortran",
    "i8-little-c",
    "i8-little-fortran",
    "i8-big-c",
    "i8-big-fortran",
    "version-1",
    "version-2",
    "version-3",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = g_strconcat (names[i], ".npy", NULL);
      g_autoptr (AttnArrayFile) file = load (name);

      check_values (attn_array_file_get_nth (file, 0), -5);
    }
}

static void
test_unsigned (void)
{
  static const char * const names[] = { "u1-big-fortran.npy", "u2-big-fortran.npy",
                                        "u4-big-fortran.npy", "u8-big-fortran.npy" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnArrayFile) file = load (names[i]);

      check_values (attn_array_file_get_nth (file, 0), 0);
    }
}

static void
test_booleans (void)
{
  g_autoptr (AttnArrayFile) file = load ("bool.npy");
  float expected[N_VALUES];

  for (int i = 0; i < N_VALUES; i++)
    expected[i] = (i - 5) % 3 == 0;
  fixture_assert_floats (attn_array_file_get_nth (file, 0), N_VALUES, expected);
}

static void
test_scalar_and_empty (void)
{
  g_autoptr (AttnArrayFile) scalar = load ("scalar.npy");
  g_autoptr (AttnArrayFile) empty = load ("empty.npy");
  const float expected[] = { 2.5f };

  g_assert_cmpuint (attn_array_file_get_nth (scalar, 0)->n_dims, ==, 0);
  fixture_assert_floats (attn_array_file_get_nth (scalar, 0), 1, expected);
  g_assert_cmpuint (attn_array_get_n_elements (attn_array_file_get_nth (empty, 0)), ==, 0);
}

static void
test_text (void)
{
  g_autoptr (AttnArrayFile) big = load ("labels-big.npy");
  g_autoptr (AttnArrayFile) fortran = load ("labels-fortran.npy");
  g_auto (GStrv) big_strings = attn_array_dup_strings (attn_array_file_get_nth (big, 0), NULL);
  g_auto (GStrv) fortran_strings =
      attn_array_dup_strings (attn_array_file_get_nth (fortran, 0), NULL);
  const char * const expected_big[] = { "<s>", "é", "日本", "😀 x", NULL };
  const char * const expected_fortran[] = { "a", "b", "c", "d", NULL };

  g_assert_cmpstrv (big_strings, expected_big);
  g_assert_cmpstrv (fortran_strings, expected_fortran);
}

static void
test_refused (void)
{
  static const char * const names[][2] = { { "structured.npy", "structured" },
                                           { "object.npy", "pickled" },
                                           { "complex.npy", "<c8" },
                                           { "date.npy", "<M8[s]" } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          g_test_build_filename (G_TEST_DIST, "format", "fixtures", names[i][0], NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_array_file_load (path, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      g_assert_true (g_str_has_prefix (error->message, path));
      g_assert_nonnull (strstr (error->message, names[i][1]));
    }
}

static void
test_npz (gconstpointer data)
{
  g_autoptr (AttnArrayFile) file = load (data);
  g_auto (GStrv) labels = attn_array_file_dup_labels (file, "row_labels");
  const char * const expected[] = { "It", "é", NULL };

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 4);
  check_values (attn_array_file_lookup (file, "attention"), -5);
  check_values (attn_array_file_lookup (file, "ärger"), -5);
  g_assert_cmpstrv (labels, expected);
  g_assert_cmpstr (attn_array_file_get_metadata (file, "model"), ==, "rose");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/numpy/types-and-orders", test_types_and_orders);
  g_test_add_func ("/format/numpy/unsigned", test_unsigned);
  g_test_add_func ("/format/numpy/booleans", test_booleans);
  g_test_add_func ("/format/numpy/scalar-and-empty", test_scalar_and_empty);
  g_test_add_func ("/format/numpy/text", test_text);
  g_test_add_func ("/format/numpy/objects-and-records-are-refused", test_refused);
  g_test_add_data_func ("/format/numpy/stored-npz", "stored.npz", test_npz);
  g_test_add_data_func ("/format/numpy/deflated-npz", "deflated.npz", test_npz);
  return fixture_run ();
}
