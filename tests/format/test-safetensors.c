/* SPDX-License-Identifier: GPL-3.0-or-later */

/* safetensors: what is right is read without a copy, what is wrong is refused with the tensor's
 * name. */

#include "config.h"

#include <string.h>

#include "attn-readers.h"
#include "format-fixture.h"

#define F32(name, begin, end) \
  "\"" name "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[" #begin "," #end "]}"

static void
check_refused (const char *header,
               gsize       n_buffer,
               int         code,
               const char *message_part)
{
  g_autoptr (GBytes) bytes = fixture_safetensors (header, n_buffer);

  fixture_assert_refused (attn_safetensors_read, bytes, code, message_part);
}

static AttnArrayFile *
read_file (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  AttnArrayFile *file = attn_array_file_new ("FILE");

  attn_safetensors_read (file, bytes, &error);
  g_assert_no_error (error);
  return file;
}

/* As some writers put it where they have nothing to say. */
static void
test_metadata_may_be_null (void)
{
  g_autoptr (GBytes) bytes =
      fixture_safetensors ("{\"__metadata__\":null,"
                           "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}",
                           2);
  g_autoptr (AttnArrayFile) file = read_file (bytes);

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 1);
}

static void
test_known_bytes (void)
{
  g_autoptr (GBytes) bytes = fixture_safetensors (
      "{\"b\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[2,6]},"
      "\"a\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[0,2],\"other\":1},"
      "\"none\":{\"dtype\":\"F64\",\"shape\":[0,7],\"data_offsets\":[6,6]},"
      "\"__metadata__\":{\"format\":\"pt\"}}",
      6);
  g_autoptr (AttnArrayFile) file = read_file (bytes);
  const float b[] = { 2, 3, 4, 5 };
  const float a[] = { 256 };

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 3);
  g_assert_cmpstr (attn_array_file_get_nth (file, 0)->name, ==, "b");
  g_assert_cmpstr (attn_array_file_get_metadata (file, "format"), ==, "pt");
  g_assert_null (attn_array_file_get_metadata (file, "other"));
  g_assert_null (attn_array_file_lookup (file, "__metadata__"));
  fixture_assert_floats (attn_array_file_lookup (file, "b"), 4, b);
  fixture_assert_floats (attn_array_file_lookup (file, "a"), 1, a);
  g_assert_cmpuint (attn_array_file_lookup (file, "none")->n_dims, ==, 2);
}

/* Members that mean nothing change nothing, though the header is then read in another way. */
static void
test_other_members (void)
{
  static const char * const others[] = { "", ",\"other\":null" };
  g_autoptr (GBytes) serialized = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *header = g_strdup_printf (
          "{\"__metadata__\":{\"a\":\"\\u00e4\",\"b\":\"\"},"
          "\"x.\\u00e4\":{\"data_offsets\":[4,12],\"shape\":[1,2],\"dtype\":\"F32\"%s},"
          "\"\": { \"dtype\" : \"I8\", \"shape\" : [2, 2], \"data_offsets\" : [0, 4] }}",
          others[i]);
      g_autoptr (GBytes) bytes = fixture_safetensors (header, 12);
      g_autoptr (AttnArrayFile) file = read_file (bytes);
      g_autoptr (GError) error = NULL;
      GBytes *again = attn_safetensors_write (file, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (attn_array_file_get_metadata (file, "a"), ==, "ä");
      g_assert_cmpstr (attn_array_file_get_nth (file, 0)->name, ==, "x.ä");
      if (serialized != NULL)
        g_assert_true (g_bytes_equal (serialized, again));
      g_clear_pointer (&serialized, g_bytes_unref);
      serialized = again;
    }
}

static void
test_every_dtype (void)
{
  static const char * const names[] = { "F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8",
                                        "U64", "U32", "U16", "U8", "BOOL" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      guint n_bits = g_ascii_strtoull (strpbrk (names[i], "8631L"), NULL, 10);
      gsize size = g_str_equal (names[i], "BOOL") ? 1 : n_bits / 8;
      g_autofree char *header =
          g_strdup_printf ("{\"x\":{\"dtype\":\"%s\",\"shape\":[2],\"data_offsets\":[0,%u]}}",
                           names[i], (guint) size * 2);
      g_autoptr (GBytes) bytes = fixture_safetensors (header, size * 2);
      g_autoptr (AttnArrayFile) file = read_file (bytes);

      g_assert_cmpstr (attn_dtype_get_name (attn_array_file_get_nth (file, 0)->dtype), ==,
                       names[i]);
    }
}

static void
test_is_a_slice (void)
{
  g_autoptr (GBytes) bytes = fixture_safetensors ("{" F32 ("x", 0, 4) "}", 4);
  g_autoptr (AttnArrayFile) file = read_file (bytes);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_assert_true (g_bytes_get_data (attn_array_file_get_nth (file, 0)->bytes, NULL) ==
                 data + size - 4);
}

static void
test_header_length (void)
{
  guint8 data[40] = { 33 };
  g_autoptr (GBytes) too_long = NULL;
  g_autoptr (GBytes) huge = NULL;

  memcpy (data + 8, "{}", 2);
  too_long = g_bytes_new (data, sizeof data);
  fixture_assert_refused (attn_safetensors_read, too_long, ATTN_ERROR_FORMAT, "33 bytes");
  memset (data, 0xff, 8);
  huge = g_bytes_new (data, sizeof data);
  fixture_assert_refused (attn_safetensors_read, huge, ATTN_ERROR_FORMAT, "18446744073709551615");
}

static void
test_header_is_no_object (void)
{
  check_refused ("[]", 0, ATTN_ERROR_FORMAT, "expected an object");
  check_refused ("{", 0, ATTN_ERROR_FORMAT, "header:1:");
  check_refused ("", 0, ATTN_ERROR_FORMAT, "header:1:");
  check_refused ("{\"x\":1}", 0, ATTN_ERROR_FORMAT, "“x”");
}

static void
test_deep_header (void)
{
  g_autofree char *brackets = g_strnfill (1000000, '[');
  g_autofree char *header = g_strconcat ("{\"x\":", brackets, NULL);

  check_refused (header, 0, ATTN_ERROR_LIMIT, "header:1:");
}

static void
test_duplicates (void)
{
  check_refused ("{" F32 ("x", 0, 4) "," F32 ("x", 0, 4) "}", 4, ATTN_ERROR_FORMAT,
                 "“x” found twice");
  check_refused ("{" F32 ("x", 0, 4) "," F32 ("\\u0078", 4, 8) "}", 8, ATTN_ERROR_FORMAT,
                 "“x” found twice");
  check_refused (
      "{\"x\":{\"dtype\":\"F32\",\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
      ATTN_ERROR_FORMAT, "“dtype” found twice");
  check_refused ("{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}", 0, ATTN_ERROR_FORMAT,
                 "“a” found twice");
}

static void
test_metadata (void)
{
  check_refused ("{\"__metadata__\":{\"a\":1}}", 0, ATTN_ERROR_FORMAT, "__metadata__");
  check_refused ("{\"__metadata__\":[]}", 0, ATTN_ERROR_FORMAT, "__metadata__");
}

static void
test_dtype (void)
{
  check_refused ("{\"x\":{\"dtype\":\"F6_E2M3\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
                 ATTN_ERROR_UNSUPPORTED, "tensor “x”: dtype “F6_E2M3”");
  check_refused ("{\"x\":{\"dtype\":\"UNICODE\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
                 ATTN_ERROR_UNSUPPORTED, "tensor “x”: dtype “UNICODE”");
  check_refused ("{\"x\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, ATTN_ERROR_FORMAT, "“dtype”");
  check_refused ("{\"x\":{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, ATTN_ERROR_FORMAT,
                 "“dtype”");
}

static void
test_offsets (void)
{
  check_refused ("{" F32 ("x", 0, 4) "}", 3, ATTN_ERROR_FORMAT, "tensor “x”: data_offsets 0 to 4");
  check_refused ("{" F32 ("x", 4, 0) "}", 4, ATTN_ERROR_FORMAT, "tensor “x”: data_offsets 4 to 0");
  check_refused ("{" F32 ("x", -4, 0) "}", 4, ATTN_ERROR_FORMAT, "integers");
  check_refused ("{" F32 ("x", 0, 4.0) "}", 4, ATTN_ERROR_FORMAT, "integers");
  check_refused ("{" F32 ("x", 0, 18446744073709551620) "}", 4, ATTN_ERROR_FORMAT, "tensor “x”");
  check_refused ("{" F32 ("x", 0, "4") "}", 4, ATTN_ERROR_FORMAT, "integers");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4,
                 ATTN_ERROR_FORMAT, "tensor “x”");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4,
                 ATTN_ERROR_FORMAT, "tensor “x”");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, ATTN_ERROR_FORMAT, "tensor “x”");
}

static void
test_shape (void)
{
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
                 ATTN_ERROR_FORMAT, "tensor x: 4 bytes found");
  check_refused (
      "{\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}}", 4,
      ATTN_ERROR_SHAPE, "tensor x: shape");
  check_refused (
      "{\"x\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
      ATTN_ERROR_SHAPE, "tensor x: shape");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4,
                 ATTN_ERROR_FORMAT, "“shape”");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4,
                 ATTN_ERROR_FORMAT, "“shape”");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
                 4, ATTN_ERROR_FORMAT, "“shape”");
  check_refused ("{\"x\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, ATTN_ERROR_FORMAT,
                 "“shape”");
}

static void
test_layout (void)
{
  check_refused ("{" F32 ("x", 0, 4) "," F32 ("y", 2, 6) "}", 6, ATTN_ERROR_FORMAT,
                 "“y” overlaps “x”");
  check_refused ("{" F32 ("x", 0, 4) "," F32 ("y", 0, 4) "}", 4, ATTN_ERROR_FORMAT, "overlaps");
  check_refused ("{" F32 ("x", 0, 4) "," F32 ("y", 6, 10) "}", 10, ATTN_ERROR_FORMAT,
                 "“y”: a hole of 2 bytes");
  check_refused ("{" F32 ("x", 1, 5) "}", 5, ATTN_ERROR_FORMAT, "“x”: a hole of 1 bytes");
  check_refused ("{" F32 ("x", 0, 4) "}", 7, ATTN_ERROR_FORMAT, "3 bytes found after");
  check_refused ("{}", 1, ATTN_ERROR_FORMAT, "1 bytes found after");
}

static void
test_round_trip (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = attn_safetensors_write (file, &error);
  const float weights[] = { 1, 0, 0.25, 0.75, -2.5, 1e-30f };
  const float mask[] = { 1, 0, 1 };
  const char * const labels[] = { "<s>", "é 😀", "", NULL };

  g_assert_no_error (error);
  g_autoptr (AttnArrayFile) again = read_file (bytes);
  g_auto (GStrv) found = attn_array_file_dup_labels (again, "labels");
  g_assert_cmpuint (attn_array_file_get_n_arrays (again), ==, 3);
  fixture_assert_floats (attn_array_file_lookup (again, "weights"), 6, weights);
  fixture_assert_floats (attn_array_file_lookup (again, "mask"), 3, mask);
  g_assert_true (attn_array_file_lookup (again, "halves")->dtype == ATTN_DTYPE_F16);
  g_assert_cmpstr (attn_array_file_get_metadata (again, "model"), ==, "rösé \"2\"");
  g_assert_cmpstrv (found, labels);

  /* Mapped at a page's beginning, the floats are aligned although an odd number of bytes came
   * first. */
  const guint8 *start = g_bytes_get_data (bytes, NULL);
  const guint8 *data = g_bytes_get_data (attn_array_file_lookup (again, "weights")->bytes, NULL);
  g_assert_cmpuint ((gsize) (data - start) % 8, ==, 0);

  g_autoptr (GBytes) twice = attn_safetensors_write (again, NULL);
  g_assert_true (g_bytes_equal (bytes, twice));
}

static void
test_cut_anywhere (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) bytes = attn_safetensors_write (file, NULL);

  fixture_assert_each_cut_refused (attn_safetensors_read, bytes);
}

static void
test_reserved_name (void)
{
  const gsize shape[] = { 1 };
  const float data[] = { 1 };
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GError) error = NULL;

  attn_array_file_add (file, fixture_array ("__metadata__", ATTN_DTYPE_F32, 1, shape, data), NULL);
  g_assert_null (attn_safetensors_write (file, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/safetensors/known-bytes", test_known_bytes);
  g_test_add_func ("/format/safetensors/other-members", test_other_members);
  g_test_add_func ("/format/safetensors/metadata-may-be-null", test_metadata_may_be_null);
  g_test_add_func ("/format/safetensors/every-dtype", test_every_dtype);
  g_test_add_func ("/format/safetensors/arrays-are-slices", test_is_a_slice);
  g_test_add_func ("/format/safetensors/header-longer-than-the-file", test_header_length);
  g_test_add_func ("/format/safetensors/header-that-is-no-object", test_header_is_no_object);
  g_test_add_func ("/format/safetensors/header-of-a-million-brackets", test_deep_header);
  g_test_add_func ("/format/safetensors/duplicates-are-named", test_duplicates);
  g_test_add_func ("/format/safetensors/metadata-holds-strings", test_metadata);
  g_test_add_func ("/format/safetensors/unknown-dtype-is-named", test_dtype);
  g_test_add_func ("/format/safetensors/offsets-in-the-buffer", test_offsets);
  g_test_add_func ("/format/safetensors/shape-fits-the-bytes", test_shape);
  g_test_add_func ("/format/safetensors/no-overlap-no-hole", test_layout);
  g_test_add_func ("/format/safetensors/round-trip", test_round_trip);
  g_test_add_func ("/format/safetensors/cut-anywhere", test_cut_anywhere);
  g_test_add_func ("/format/safetensors/reserved-name", test_reserved_name);
  return fixture_run ();
}
