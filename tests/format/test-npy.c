/* SPDX-License-Identifier: GPL-3.0-or-later */

/* .npy headers by hand, round trips of .npy and .npz, and files that were cut. */

#include "config.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "attn-memory.h"
#include "attn-readers.h"
#include "format-fixture.h"

static gboolean
read_npy (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  return attn_npy_read (file, "", bytes, error);
}

/* A version 1.0 file of this header and @n_data bytes 0, 1, 2, ... */
static GBytes *
new_npy (const char *header,
         gsize       n_data)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 length[2] = { strlen (header) & 0xff, strlen (header) >> 8 };

  g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\1\0", 8);
  g_byte_array_append (bytes, length, 2);
  g_byte_array_append (bytes, (const guint8 *) header, strlen (header));
  for (gsize i = 0; i < n_data; i++)
    {
      guint8 byte = i;
      g_byte_array_append (bytes, &byte, 1);
    }
  return g_byte_array_free_to_bytes (bytes);
}

static void
check_refused (const char *header,
               gsize       n_data,
               int         code,
               const char *message_part)
{
  g_autoptr (GBytes) bytes = new_npy (header, n_data);

  fixture_assert_refused (read_npy, bytes, code, message_part);
}

static void
check_accepted (const char *header,
                gsize       n_data,
                guint       n_dims,
                gsize       n_elements)
{
  g_autoptr (GBytes) bytes = new_npy (header, n_data);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  read_npy (file, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attn_array_file_get_nth (file, 0)->n_dims, ==, n_dims);
  g_assert_cmpuint (attn_array_get_n_elements (attn_array_file_get_nth (file, 0)), ==, n_elements);
  fixture_touch (file);
}

static void
test_headers (void)
{
  check_accepted ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24, 2, 6);
  check_accepted ("{\"shape\":(2,),\"descr\":\"|u1\",\"fortran_order\":True}", 2, 1, 2);
  check_accepted (" { 'descr' : '=i2' , 'shape' : ( 2L , 1L , ) , 'fortran_order' : False } \n", 4,
                  2, 2);
  check_accepted ("{'descr': 'f8', 'fortran_order': False, 'shape': ()}", 8, 0, 1);
  check_accepted ("{'descr': '<U0', 'fortran_order': False, 'shape': (0,)}", 0, 1, 0);
}

static void
test_bad_headers (void)
{
  static const char * const headers[] = {
    "",
    "[]",
    "{}",
    "{'descr': '<f4', 'fortran_order': False}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
    "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,)}",
    "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
    "{'descr': 4, 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f4",
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    check_refused (headers[i], 4, ATTN_ERROR_FORMAT, "header");
}

#define HEADER(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"

static void
test_types_not_supported (void)
{
  check_refused (HEADER ("'|O'", "(1,)"), 8, ATTN_ERROR_UNSUPPORTED, "pickled Python objects");
  check_refused (HEADER ("[('x', '<f4')]", "(1,)"), 4, ATTN_ERROR_UNSUPPORTED, "structured");
  check_refused (HEADER ("'<c8'", "(1,)"), 8, ATTN_ERROR_UNSUPPORTED, "<c8");
  check_refused (HEADER ("'<\xe9\xff'", "(1,)"), 8, ATTN_ERROR_UNSUPPORTED, "<\357\277\275");
  check_refused (HEADER ("'<f16'", "(1,)"), 16, ATTN_ERROR_UNSUPPORTED, "<f16");
  check_refused (HEADER ("'|S3'", "(1,)"), 3, ATTN_ERROR_UNSUPPORTED, "|S3");
  check_refused (HEADER ("'<M8[s]'", "(1,)"), 8, ATTN_ERROR_UNSUPPORTED, "<M8[s]");
  check_refused (HEADER ("''", "(1,)"), 8, ATTN_ERROR_UNSUPPORTED, "type");
  check_refused (HEADER ("'<U-1'", "(1,)"), 4, ATTN_ERROR_UNSUPPORTED, "<U-1");
}

static void
test_sizes (void)
{
  check_refused (HEADER ("'<f4'", "(2, 3)"), 23, ATTN_ERROR_FORMAT,
                 "23 bytes of data found, expected 24");
  check_refused (HEADER ("'<f4'", "(2, 3)"), 25, ATTN_ERROR_FORMAT,
                 "25 bytes of data found, expected 24");
  check_refused (HEADER ("'<f4'", "(4294967296, 4294967296)"), 0, ATTN_ERROR_SHAPE, "4294967296");
  check_refused (HEADER ("'<f4'", "(4611686018427387905,)"), 4, ATTN_ERROR_SHAPE, "shape");
  check_refused (HEADER ("'<f4'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), 4, ATTN_ERROR_LIMIT,
                 "dimensions");
  check_refused (HEADER ("'<U3'", "(2,)"), 23, ATTN_ERROR_FORMAT, "expected 24");
  /* Text without characters costs no bytes; that many of it must not cost memory. */
  check_refused (HEADER ("'<U0'", "(1152921504606846976,)"), 0, ATTN_ERROR_FORMAT, "bytes of data");
}

static void
test_version (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("\x93NUMPY\4\0\0\0", 10);

  fixture_assert_refused (read_npy, bytes, ATTN_ERROR_UNSUPPORTED, "version 4.0");
}

static void
test_npy_as_numpy_writes_it (void)
{
  const gsize shape[] = { 2, 1 };
  const float data[] = { 0.5f, -1 };
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_F32, 2, shape, data);
  g_autoptr (GBytes) bytes = attn_npy_write (array, NULL);
  g_autoptr (GString) expected = g_string_new (NULL);

  g_string_append_len (expected, "\x93NUMPY\1\0\x76\0", 10);
  g_string_append_printf (expected,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (2, 1), }",
                          G_BYTE_ORDER == G_BIG_ENDIAN ? '>' : '<');
  while (expected->len < 127)
    g_string_append_c (expected, ' ');
  g_string_append_c (expected, '\n');
  g_string_append_len (expected, (const char *) data, sizeof data);
  g_assert_cmpmem (expected->str, expected->len, g_bytes_get_data (bytes, NULL),
                   g_bytes_get_size (bytes));
}

/* Whatever the order of their bytes. */
static void
assert_same_elements (const AttnArray *found,
                      const AttnArray *expected)
{
  gsize n = attn_array_get_n_elements (expected);

  if (expected->dtype == ATTN_DTYPE_UNICODE)
    {
      g_auto (GStrv) strings = attn_array_dup_strings (found, NULL);
      g_auto (GStrv) expected_strings = attn_array_dup_strings (expected, NULL);

      g_assert_cmpstrv (strings, expected_strings);
      return;
    }
  g_autofree float *values = g_new (float, n);
  g_autofree float *expected_values = g_new (float, n);
  g_assert_true (attn_array_read (found, 0, n, values, NULL));
  g_assert_true (attn_array_read (expected, 0, n, expected_values, NULL));
  g_assert_cmpmem (values, n * sizeof *values, expected_values, n * sizeof *values);
}

static void
test_npy_round_trip (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      g_autoptr (GBytes) bytes = attn_npy_write (array, NULL);
      g_autoptr (AttnArrayFile) again = attn_array_file_new ("FILE");
      g_autoptr (GError) error = NULL;

      read_npy (again, bytes, &error);
      g_assert_no_error (error);
      const AttnArray *found = attn_array_file_get_nth (again, 0);
      g_assert_cmpint (found->dtype, ==, array->dtype);
      g_assert_cmpuint (found->n_dims, ==, array->n_dims);
      g_assert_cmpmem (found->shape, sizeof found->shape, array->shape, sizeof array->shape);
      assert_same_elements (found, array);
      fixture_assert_each_cut_refused (read_npy, bytes);
    }
}

static void
test_bfloat_is_widened (void)
{
  const gsize shape[] = { 2 };
  const guint16 data[] = { 0x3f80, 0xc040 };
  const float expected[] = { 1, -3 };
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_BF16, 1, shape, data);
  g_autoptr (GBytes) bytes = attn_npy_write (array, NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");

  g_assert_true (read_npy (file, bytes, NULL));
  g_assert_true (attn_array_file_get_nth (file, 0)->dtype == ATTN_DTYPE_F32);
  fixture_assert_floats (attn_array_file_get_nth (file, 0), 2, expected);
}

static void
test_npz_round_trip (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = attn_npz_write (file, &error);
  g_assert_no_error (error);
  g_autoptr (AttnArrayFile) again = attn_array_file_new ("FILE");
  const float weights[] = { 1, 0, 0.25, 0.75, -2.5, 1e-30f };
  const char * const labels[] = { "<s>", "é 😀", "", NULL };

  attn_npz_read (again, bytes, &error);
  g_assert_no_error (error);
  g_auto (GStrv) found = attn_array_file_dup_labels (again, "labels");
  g_assert_cmpstr (attn_array_file_get_nth (again, 0)->name, ==, "mask");
  fixture_assert_floats (attn_array_file_lookup (again, "weights"), 6, weights);
  g_assert_cmpstrv (found, labels);
  g_assert_cmpstr (attn_array_file_get_metadata (again, "model"), ==, "rösé \"2\"");

  g_autoptr (GBytes) twice = attn_npz_write (again, NULL);
  g_assert_true (g_bytes_equal (bytes, twice));
}

static void
test_stored_members_are_slices (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) bytes = attn_npz_write (file, NULL);
  g_autoptr (AttnArrayFile) again = attn_array_file_new ("FILE");
  gsize size;
  const guint8 *start = g_bytes_get_data (bytes, &size);

  g_assert_true (attn_npz_read (again, bytes, NULL));
  for (gsize i = 0; i < attn_array_file_get_n_arrays (again); i++)
    {
      const guint8 *data = g_bytes_get_data (attn_array_file_get_nth (again, i)->bytes, NULL);
      g_assert_true (data > start && data < start + size);
    }
}

static void
test_npz_cut_anywhere (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) bytes = attn_npz_write (file, NULL);

  fixture_assert_each_cut_refused (attn_npz_read, bytes);
}

/* A zip archive of one member. */
static GBytes *
new_zip (const char *member,
         guint       file_type,
         const void *data,
         gsize       size)
{
  gsize n_allocated = size + 1000;
  guint8 *buffer = g_malloc (n_allocated);
  size_t n_used;
  struct archive *archive = archive_write_new ();
  struct archive_entry *entry = archive_entry_new ();

  archive_write_set_format_zip (archive);
  archive_write_set_bytes_in_last_block (archive, 1);
  g_assert_cmpint (archive_write_open_memory (archive, buffer, n_allocated, &n_used), ==,
                   ARCHIVE_OK);
  archive_entry_set_pathname (entry, member);
  archive_entry_set_filetype (entry, file_type);
  if (file_type == AE_IFLNK)
    archive_entry_set_symlink (entry, "/etc/passwd");
  else
    archive_entry_set_size (entry, size);
  g_assert_cmpint (archive_write_header (archive, entry), ==, ARCHIVE_OK);
  if (file_type != AE_IFLNK)
    g_assert_cmpint (archive_write_data (archive, data, size), ==, size);
  g_assert_cmpint (archive_write_close (archive), ==, ARCHIVE_OK);
  archive_entry_free (entry);
  archive_write_free (archive);
  return g_bytes_new_take (buffer, n_used);
}

static void
test_npz_members (void)
{
  g_autoptr (GBytes) pickle = new_zip ("archive/data.pkl", AE_IFREG, "x", 1);
  g_autoptr (GBytes) link = new_zip ("a.npy", AE_IFLNK, NULL, 0);
  g_autoptr (GBytes) no_npy = new_zip ("a.npy", AE_IFREG, "something else", 14);

  fixture_assert_refused (attn_npz_read, pickle, ATTN_ERROR_UNSUPPORTED, "archive/data.pkl");
  fixture_assert_refused (attn_npz_read, link, ATTN_ERROR_UNSUPPORTED, "a.npy");
  fixture_assert_refused (attn_npz_read, no_npy, ATTN_ERROR_FORMAT, "array “a”");
}

/* 16 MB of zeros in some 20 kB: the limit counts what comes out, before it is taken. */
static void
test_npz_bomb (void)
{
  gsize size = 16 << 20;
  g_autofree guint8 *zeros = g_malloc0 (size);
  g_autoptr (GBytes) bomb = new_zip ("a.npy", AE_IFREG, zeros, size);

  g_assert_cmpuint (g_bytes_get_size (bomb), <, 100000);
  attn_memory_set_limit (size - 1);
  fixture_assert_refused (attn_npz_read, bomb, ATTN_ERROR_MEMORY, "a.npy");
  attn_memory_set_limit (0);
  fixture_assert_refused (attn_npz_read, bomb, ATTN_ERROR_FORMAT, "array “a”");
}

/* 16 MB that say they are @n_elements of float32, damaged in the middle. */
static GBytes *
new_damaged_zip (gsize n_elements)
{
  gsize size = 16 << 20;
  g_autofree guint8 *npy = g_malloc0 (size);
  g_autofree char *header = g_strdup_printf (
      "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu,), }", n_elements);

  memcpy (npy, "\x93NUMPY\1\0\x76\0", 10);
  memset (npy + 10, ' ', 118);
  memcpy (npy + 10, header, strlen (header));
  g_autoptr (GBytes) zip = new_zip ("a.npy", AE_IFREG, npy, size);
  gsize n_zip;
  guint8 *data = g_bytes_unref_to_data (g_steal_pointer (&zip), &n_zip);
  memset (data + n_zip / 2, 0xff, 100);
  return g_bytes_new_take (data, n_zip);
}

/* What an array says of itself is asked before the rest is inflated. */
static void
test_npz_header_comes_first (void)
{
  gsize n_elements = ((16 << 20) - 128) / 4;
  g_autoptr (GBytes) wrong = new_damaged_zip (2);
  g_autoptr (GBytes) right = new_damaged_zip (n_elements);
  gsize size;
  const void *data = g_bytes_get_data (right, &size);
  g_autofree char *path = fixture_save ("damaged.npz", data, size);
  g_autoptr (GError) error = NULL;

  fixture_assert_refused (attn_npz_read, wrong, ATTN_ERROR_FORMAT, "expected 8 for shape");
  fixture_assert_refused (attn_npz_read, right, ATTN_ERROR_FORMAT, "array “a”");

  /* No more than that is looked at here. */
  attn_memory_set_limit (1 << 20);
  g_autoptr (AttnArrayFile) outline = attn_array_file_outline (path, &error);
  attn_memory_set_limit (0);
  g_assert_no_error (error);
  const AttnArray *array = attn_array_file_lookup (outline, "a");
  g_assert_cmpint (array->dtype, ==, ATTN_DTYPE_F32);
  g_assert_cmpuint (array->n_dims, ==, 1);
  g_assert_cmpuint (array->shape[0], ==, n_elements);
}

static void
test_npz_checksum (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) bytes = attn_npz_write (file, NULL);
  gsize size;
  g_autofree guint8 *data = g_bytes_unref_to_data (g_steal_pointer (&bytes), &size);
  const float weight = 0.75f;
  guint8 *place = memmem (data, size, &weight, sizeof weight);

  g_assert_nonnull (place);
  place[0] = 1;
  g_autoptr (GBytes) damaged = g_bytes_new (data, size);
  fixture_assert_refused (attn_npz_read, damaged, ATTN_ERROR_FORMAT, "array “weights”");
}

/* Whatever is wrong with compressed data is said in one line. */
static void
test_npz_damage (void)
{
  static const guint8 data[1000] = { 0 };
  g_autoptr (GBytes) whole = new_zip ("a.npy", AE_IFREG, data, sizeof data);
  gsize size = g_bytes_get_size (whole);

  for (gsize i = 0; i < size; i++)
    for (guint bit = 0; bit < 8; bit++)
      {
        g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
        g_autoptr (GError) error = NULL;
        g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (whole, NULL), size);

        copy[i] ^= (guint8) (1 << bit);
        g_autoptr (GBytes) damaged = g_bytes_new (copy, size);
        if (!attn_npz_read (file, damaged, &error))
          g_assert_null (strchr (error->message, '\n'));
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/npy/headers-as-python-writes-them", test_headers);
  g_test_add_func ("/format/npy/bad-headers-are-refused", test_bad_headers);
  g_test_add_func ("/format/npy/types-not-supported-are-named", test_types_not_supported);
  g_test_add_func ("/format/npy/bytes-must-fit-the-shape", test_sizes);
  g_test_add_func ("/format/npy/unknown-version-is-named", test_version);
  g_test_add_func ("/format/npy/written-as-numpy-writes-it", test_npy_as_numpy_writes_it);
  g_test_add_func ("/format/npy/round-trip-and-cut-anywhere", test_npy_round_trip);
  g_test_add_func ("/format/npy/bfloat16-is-widened", test_bfloat_is_widened);
  g_test_add_func ("/format/npz/round-trip", test_npz_round_trip);
  g_test_add_func ("/format/npz/stored-members-are-slices", test_stored_members_are_slices);
  g_test_add_func ("/format/npz/cut-anywhere", test_npz_cut_anywhere);
  g_test_add_func ("/format/npz/only-regular-npy-members", test_npz_members);
  g_test_add_func ("/format/npz/inflated-size-is-limited", test_npz_bomb);
  g_test_add_func ("/format/npz/header-comes-before-the-rest", test_npz_header_comes_first);
  g_test_add_func ("/format/npz/checksum-is-checked", test_npz_checksum);
  g_test_add_func ("/format/npz/damage-is-told-in-one-line", test_npz_damage);
  return fixture_run ();
}
