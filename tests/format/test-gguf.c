/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GGUF: every type of metadata, shapes, alignment, and files that lie. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-json.h"
#include "attn-readers.h"
#include "format-fixture.h"
#include "gguf-fixture.h"

static AttnArrayFile *
read_bytes (GByteArray *array)
{
  g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_gguf_read (file, bytes, &error));
  g_assert_no_error (error);
  return g_steal_pointer (&file);
}

static void
assert_refused (GByteArray *array,
                int         code,
                const char *message_part)
{
  g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);

  fixture_assert_refused (attn_gguf_read, bytes, code, message_part);
}

static void
check_tensors (guint32 version)
{
  g_autoptr (GByteArray) bytes = gguf_sample (version);
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  const AttnArray *weight = attn_array_file_lookup (file, "weight");
  const AttnArray *blocks = attn_array_file_lookup (file, "blocks");
  const float bias[] = { 1, -2 };
  float row[32];
  float next[32];

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 3);
  g_assert_true (attn_array_file_get_nth (file, 0) == weight);
  g_assert_cmpuint (weight->n_dims, ==, 2);
  g_assert_cmpuint (weight->shape[0], ==, 2);
  g_assert_cmpuint (weight->shape[1], ==, 3);
  fixture_assert_floats (weight, 6, (const float[]) { 0, 1, 2, 3, 4, 5 });
  g_assert_cmpint (blocks->dtype, ==, ATTN_DTYPE_Q8_0);
  g_assert_cmpuint (blocks->shape[0], ==, 2);
  g_assert_true (attn_array_read (blocks, 0, 32, row, NULL));
  g_assert_true (attn_array_read (blocks, 32, 32, next, NULL));
  for (guint i = 0; i < 32; i++)
    {
      g_assert_cmpfloat (row[i], ==, i);
      g_assert_cmpfloat (next[i], ==, 2 * i);
    }
  fixture_assert_floats (attn_array_file_lookup (file, "bias"), 2, bias);
}

static void
test_tensors (void)
{
  check_tensors (2);
  check_tensors (3);
}

static void
test_metadata_as_text (void)
{
  static const struct
  {
    const char *key;
    const char *text;
  } expected[] = {
    { "general.architecture", "llama" },
    { "general.alignment", "64" },
    { "a.u8", "255" },
    { "a.i8", "-128" },
    { "a.u16", "65535" },
    { "a.i16", "-2" },
    { "a.i32", "-3" },
    { "a.f32", "0.100000001" },
    { "a.bool", "true" },
    { "a.u64", "18446744073709551615" },
    { "a.i64", "-9223372036854775808" },
    { "a.f64", "0.10000000000000001" },
  };
  g_autoptr (GByteArray) bytes = gguf_sample (3);
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  g_auto (GStrv) keys = attn_array_file_dup_metadata_keys (file);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (attn_array_file_get_metadata (file, expected[i].key), ==, expected[i].text);
  /* Arrays are not among them. */
  g_assert_cmpuint (g_strv_length (keys), ==, G_N_ELEMENTS (expected));
}

static void
test_typed_metadata (void)
{
  g_autoptr (GByteArray) bytes = gguf_sample (3);
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  JsonObject *values = attn_gguf_metadata_get_values (attn_array_file_get_gguf (file));
  AttnJsonReader reader = { values, "FILE" };
  const char *text;
  gboolean is_true;
  double number;
  gsize size;

  g_assert_true (json_object_has_member (values, "a.nested"));
  g_assert_false (json_object_has_member (values, "a.missing"));
  size = attn_json_read_size (&reader, "a.u16", 0, 65535, 7);
  g_assert_cmpuint (size, ==, 65535);
  size = attn_json_read_size (&reader, "a.u64", 0, G_MAXSIZE, 7);
  g_assert_cmpuint (size, ==, G_MAXINT64);
  size = attn_json_read_size (&reader, "a.missing", 0, 9, 7);
  g_assert_cmpuint (size, ==, 7);
  number = attn_json_read_number (&reader, "a.f32", 1);
  g_assert_cmpfloat (number, ==, 0.1f);
  number = attn_json_read_number (&reader, "a.f64", 1);
  g_assert_cmpfloat (number, ==, 0.1);
  number = attn_json_read_number (&reader, "a.i64", 1);
  g_assert_cmpfloat (number, ==, -0x1p63);
  number = attn_json_read_number (&reader, "a.missing", 1);
  g_assert_cmpfloat (number, ==, 1);
  is_true = attn_json_read_boolean (&reader, "a.bool", FALSE);
  g_assert_true (is_true);
  is_true = attn_json_read_boolean (&reader, "a.missing", FALSE);
  g_assert_false (is_true);
  text = attn_json_read_string (&reader, "general.architecture", NULL);
  g_assert_cmpstr (text, ==, "llama");
  text = attn_json_read_string (&reader, "a.missing", NULL);
  g_assert_null (text);
  g_assert_true (attn_json_finish (&reader, NULL));
}

static void
test_arrays (void)
{
  g_autoptr (GByteArray) bytes = gguf_sample (3);
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  const AttnGgufMetadata *metadata = attn_array_file_get_gguf (file);
  const AttnGgufString *tokens;
  g_autofree float *scores = NULL;
  g_autofree float *types = NULL;
  g_autofree float *bools = NULL;
  float *none;
  gsize n;

  g_assert_true (
      attn_gguf_metadata_get_strings (metadata, "tokenizer.tokens", &tokens, &n, NULL));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpmem (tokens[0].data, tokens[0].length, "<s>", 3);
  g_assert_cmpuint (tokens[1].length, ==, 0);
  g_assert_cmpmem (tokens[2].data, tokens[2].length, "▁é", 5);
  g_assert_true (attn_gguf_metadata_dup_floats (metadata, "tokenizer.scores", &scores, &n, NULL));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpfloat (scores[1], ==, -1.5f);
  g_assert_cmpfloat (scores[2], ==, -1e10f);
  g_assert_true (attn_gguf_metadata_dup_floats (metadata, "tokenizer.types", &types, &n, NULL));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpfloat (types[0], ==, -1);
  g_assert_cmpfloat (types[2], ==, 1);
  g_assert_true (attn_gguf_metadata_dup_floats (metadata, "a.bools", &bools, &n, NULL));
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpfloat (bools[0], ==, 1);
  g_assert_cmpfloat (bools[1], ==, 0);
  g_assert_true (attn_gguf_metadata_dup_floats (metadata, "a.missing", &none, &n, NULL));
  g_assert_null (none);
  g_assert_cmpuint (n, ==, 0);
}

/* What a getter said that should have failed. */
static void
assert_error (gboolean     is_read,
              GError     **error,
              int          code,
              const char  *key)
{
  g_assert_false (is_read);
  g_assert_error (*error, ATTN_ERROR, code);
  g_assert_true (g_str_has_prefix ((*error)->message, "FILE"));
  g_assert_nonnull (strstr ((*error)->message, key));
  g_clear_error (error);
}

static void
test_another_type (void)
{
  g_autoptr (GByteArray) bytes = gguf_sample (3);
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  const AttnGgufMetadata *m = attn_array_file_get_gguf (file);
  AttnJsonReader reader = { attn_gguf_metadata_get_values (m), "FILE" };
  g_autoptr (GError) error = NULL;
  const AttnGgufString *strings;
  float *floats;
  gsize n;

  attn_json_read_size (&reader, "a.f32", 0, 9, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "a.f32");
  attn_json_read_size (&reader, "a.bool", 0, 9, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "a.bool");
  attn_json_read_size (&reader, "tokenizer.types", 0, 9, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "tokenizer.types");
  attn_json_read_size (&reader, "a.u8", 0, 254, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_LIMIT, "a.u8");
  attn_json_read_size (&reader, "a.u8", 256, 300, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_LIMIT, "a.u8");
  attn_json_read_size (&reader, "a.i8", 0, G_MAXSIZE, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_LIMIT, "-128");
  attn_json_read_size (&reader, "a.u64", 0, G_MAXINT32, 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_LIMIT, "a.u64");
  attn_json_read_number (&reader, "general.architecture", 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT,
                "general.architecture");
  attn_json_read_number (&reader, "a.bool", 0);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "a.bool");
  attn_json_read_boolean (&reader, "a.u8", FALSE);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "a.u8");
  attn_json_read_string (&reader, "tokenizer.tokens", NULL);
  assert_error (attn_json_finish (&reader, &error), &error, ATTN_ERROR_FORMAT, "tokenizer.tokens");
  assert_error (
      attn_gguf_metadata_get_strings (m, "general.architecture", &strings, &n, &error), &error,
      ATTN_ERROR_FORMAT, "general.architecture");
  assert_error (attn_gguf_metadata_get_strings (m, "a.nested", &strings, &n, &error), &error,
                ATTN_ERROR_FORMAT, "a.nested");
  assert_error (attn_gguf_metadata_dup_floats (m, "a.nested", &floats, &n, &error), &error,
                ATTN_ERROR_FORMAT, "a.nested");
  assert_error (attn_gguf_metadata_dup_floats (m, "tokenizer.tokens", &floats, &n, &error), &error,
                ATTN_ERROR_FORMAT, "tokenizer.tokens");
  assert_error (attn_gguf_metadata_dup_floats (m, "a.f32", &floats, &n, &error), &error,
                ATTN_ERROR_FORMAT, "a.f32");
}

static void
test_each_cut (void)
{
  for (guint32 version = 2; version <= 3; version++)
    {
      g_autoptr (GByteArray) array = gguf_sample (version);
      g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);

      fixture_assert_each_cut_refused (attn_gguf_read, bytes);
    }
}

static void
test_versions (void)
{
  static const struct
  {
    guint32 version;
    const char *message_part;
  } cases[] = {
    { 0, "version 0" },
    { 1, "version 1" },
    { 4, "version 4" },
    { 0x02000000, "big-endian" },
    { 0x03000000, "big-endian" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) bytes = gguf_sample (cases[i].version);
      assert_refused (bytes, ATTN_ERROR_UNSUPPORTED, cases[i].message_part);
    }
  g_autoptr (GByteArray) other = gguf_sample (3);
  other->data[0] = 'g';
  assert_refused (other, ATTN_ERROR_FORMAT, "first bytes");
}

/* A vocabulary without a model, and a file without anything. */
static void
test_no_tensors (void)
{
  g_autoptr (GByteArray) nothing = g_byte_array_new ();
  g_autoptr (GByteArray) vocabulary = g_byte_array_new ();
  const AttnGgufString *strings;
  gsize n;

  gguf_begin (nothing, 3, 0, 0);
  g_autoptr (AttnArrayFile) empty = read_bytes (nothing);
  g_assert_cmpuint (attn_array_file_get_n_arrays (empty), ==, 0);

  gguf_begin (vocabulary, 3, 0, 1);
  gguf_put_array (vocabulary, "t", GGUF_U8, 0);
  g_autoptr (AttnArrayFile) file = read_bytes (vocabulary);
  g_assert_true (attn_gguf_metadata_get_strings (attn_array_file_get_gguf (file), "t", &strings, &n,
                                                 NULL));
  g_assert_cmpuint (n, ==, 0);
}

/* A file of one F32 tensor of shape [8] behind one pair. */
static GByteArray *
new_aligned (guint   type,
             guint64 alignment,
             guint   n_bytes,
             guint   padding)
{
  GByteArray *out = g_byte_array_new ();

  gguf_begin (out, 3, 1, 1);
  gguf_put_key (out, "general.alignment", type);
  gguf_put (out, alignment, n_bytes);
  gguf_put_tensor (out, "x", 1, (const guint64[]) { 8 }, GGML_F32, 0);
  gguf_pad (out, padding);
  for (guint i = 0; i < 8; i++)
    gguf_put_f32 (out, i + 1);
  return out;
}

static void
test_alignment (void)
{
  static const guint right[] = { 1, 8, 32, 4096 };
  static const struct
  {
    guint64 alignment;
    int code;
  } wrong[] = {
    { 0, ATTN_ERROR_LIMIT },
    { 3, ATTN_ERROR_FORMAT },
    { 48, ATTN_ERROR_FORMAT },
    { 0xffffffff, ATTN_ERROR_LIMIT },
    { 0x80000000, ATTN_ERROR_LIMIT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (GByteArray) bytes = new_aligned (GGUF_U32, right[i], 4, right[i]);
      g_autoptr (AttnArrayFile) file = read_bytes (bytes);

      fixture_assert_floats (attn_array_file_get_nth (file, 0), 8,
                             (const float[]) { 1, 2, 3, 4, 5, 6, 7, 8 });
    }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GByteArray) bytes = new_aligned (GGUF_U32, wrong[i].alignment, 4, 32);
      assert_refused (bytes, wrong[i].code, "general.alignment");
    }
  g_autoptr (GByteArray) number = new_aligned (GGUF_F32, 0x42000000, 4, 32);
  assert_refused (number, ATTN_ERROR_FORMAT, "general.alignment");
}

/* A header with the counts given and 64 bytes behind it. */
static void
check_counts (guint64     n_tensors,
              guint64     n_pairs,
              const char *message_part)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  gguf_begin (bytes, 3, n_tensors, n_pairs);
  for (guint i = 0; i < 8; i++)
    gguf_put (bytes, 0, 8);
  assert_refused (bytes, ATTN_ERROR_FORMAT, message_part);
}

static void
test_lying_counts (void)
{
  check_counts (G_MAXUINT64, 0, "tensors");
  check_counts (G_GUINT64_CONSTANT (1) << 60, 0, "tensors");
  check_counts (3, 0, "tensors");
  check_counts (0, G_MAXUINT64, "metadata");
  check_counts (0, 5, "metadata");
}

/* One pair: the bytes of its key's length, or of a value's. */
static void
test_huge_strings_and_arrays (void)
{
  static const guint64 lengths[] = { G_MAXUINT64, G_GUINT64_CONSTANT (1) << 63, 100 };
  static const guint types[] = { GGUF_U8, GGUF_U64, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      g_autoptr (GByteArray) value = g_byte_array_new ();
      g_autoptr (GByteArray) element = g_byte_array_new ();

      gguf_begin (key, 3, 0, 1);
      gguf_put (key, lengths[i], 8);
      gguf_put (key, 0, 8);
      assert_refused (key, ATTN_ERROR_FORMAT, "key");
      gguf_begin (value, 3, 0, 1);
      gguf_put_key (value, "the.key", GGUF_STRING);
      gguf_put (value, lengths[i], 8);
      assert_refused (value, ATTN_ERROR_FORMAT, "the.key");
      gguf_begin (element, 3, 0, 1);
      gguf_put_array (element, "the.key", GGUF_STRING, 1);
      gguf_put (element, lengths[i], 8);
      assert_refused (element, ATTN_ERROR_FORMAT, "the.key");
      for (guint t = 0; t < G_N_ELEMENTS (types); t++)
        {
          g_autoptr (GByteArray) array = g_byte_array_new ();

          gguf_begin (array, 3, 0, 1);
          gguf_put_array (array, "the.key", types[t], lengths[i]);
          gguf_put (array, 0, 8);
          assert_refused (array, ATTN_ERROR_FORMAT, "the.key");
        }
    }
}

static void
test_bad_metadata (void)
{
  g_autoptr (GByteArray) twice = g_byte_array_new ();
  g_autoptr (GByteArray) nameless = g_byte_array_new ();
  g_autoptr (GByteArray) type = g_byte_array_new ();
  g_autoptr (GByteArray) element_type = g_byte_array_new ();
  g_autoptr (GByteArray) boolean = g_byte_array_new ();
  g_autoptr (GByteArray) latin = g_byte_array_new ();

  gguf_begin (twice, 3, 0, 2);
  for (guint i = 0; i < 2; i++)
    {
      gguf_put_key (twice, "the.key", GGUF_U8);
      gguf_put (twice, 0, 1);
    }
  assert_refused (twice, ATTN_ERROR_FORMAT, "“the.key” found twice");

  gguf_begin (nameless, 3, 0, 1);
  gguf_put_key (nameless, "", GGUF_U8);
  gguf_put (nameless, 0, 1);
  assert_refused (nameless, ATTN_ERROR_FORMAT, "key");

  gguf_begin (type, 3, 0, 1);
  gguf_put_key (type, "the.key", 13);
  gguf_put (type, 0, 8);
  assert_refused (type, ATTN_ERROR_FORMAT, "type 13 found for metadata “the.key”");

  gguf_begin (element_type, 3, 0, 1);
  gguf_put_array (element_type, "the.key", G_MAXUINT32, 0);
  assert_refused (element_type, ATTN_ERROR_FORMAT, "the.key");

  gguf_begin (boolean, 3, 0, 1);
  gguf_put_array (boolean, "the.key", GGUF_BOOL, 2);
  gguf_put (boolean, 0x0201, 2);
  assert_refused (boolean, ATTN_ERROR_FORMAT, "byte 2 found for metadata “the.key”");

  gguf_begin (latin, 3, 0, 1);
  gguf_put_key (latin, "the.key", GGUF_STRING);
  gguf_put_string (latin, "\xe9t\xe9");
  assert_refused (latin, ATTN_ERROR_FORMAT, "the.key");
}

/* Arrays of arrays up to eight levels, and no deeper. */
static GByteArray *
new_nested (guint n_levels)
{
  GByteArray *out = g_byte_array_new ();

  gguf_begin (out, 3, 0, 1);
  gguf_put_key (out, "the.key", GGUF_ARRAY);
  for (guint i = 1; i < n_levels; i++)
    {
      gguf_put (out, GGUF_ARRAY, 4);
      gguf_put (out, 1, 8);
    }
  gguf_put (out, GGUF_U8, 4);
  gguf_put (out, 1, 8);
  gguf_put (out, 0, 1);
  return out;
}

static void
test_depth (void)
{
  g_autoptr (GByteArray) eight = new_nested (8);
  g_autoptr (GByteArray) nine = new_nested (9);
  g_autoptr (GByteArray) many = new_nested (100000);
  g_autoptr (AttnArrayFile) file = read_bytes (eight);

  g_assert_true (json_object_has_member (
      attn_gguf_metadata_get_values (attn_array_file_get_gguf (file)), "the.key"));
  assert_refused (nine, ATTN_ERROR_LIMIT, "the.key");
  assert_refused (many, ATTN_ERROR_LIMIT, "the.key");
}

/* One tensor and 256 bytes of data. */
static void
check_tensor_refused (guint32        n_dims,
                      const guint64 *dims,
                      guint32        type,
                      guint64        offset,
                      int            code,
                      const char    *message_part)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  gguf_begin (bytes, 3, 1, 0);
  gguf_put_tensor (bytes, "the.tensor", n_dims, dims, type, offset);
  gguf_pad (bytes, 32);
  for (guint i = 0; i < 32; i++)
    gguf_put (bytes, 0, 8);
  assert_refused (bytes, code, message_part);
  assert_refused (bytes, code, "the.tensor");
}

static void
test_bad_tensors (void)
{
  const guint64 huge = G_GUINT64_CONSTANT (1) << 32;
  const guint64 dims[] = { 8, 1, 1, 1, 1 };
  const guint64 none[] = { 8, 0 };
  const guint64 large[] = { huge, huge, 2 };
  const guint64 negative[] = { G_MAXUINT64 };
  const guint64 half_block[] = { 48, 2 };
  const guint64 too_long[] = { 65 };

  check_tensor_refused (0, dims, GGML_F32, 0, ATTN_ERROR_LIMIT, "0 dimensions");
  check_tensor_refused (5, dims, GGML_F32, 0, ATTN_ERROR_LIMIT, "5 dimensions");
  check_tensor_refused (2, none, GGML_F32, 0, ATTN_ERROR_SHAPE, "size 0");
  check_tensor_refused (3, large, GGML_F32, 0, ATTN_ERROR_SHAPE, "product");
  check_tensor_refused (1, negative, GGML_F32, 0, ATTN_ERROR_SHAPE, "size");
  check_tensor_refused (2, half_block, GGML_Q8_0, 0, ATTN_ERROR_SHAPE, "Q8_0");
  check_tensor_refused (1, dims, GGML_Q8_1, 0, ATTN_ERROR_UNSUPPORTED, "Q8_1");
  check_tensor_refused (1, dims, 1000, 0, ATTN_ERROR_UNSUPPORTED, "number 1000");
  check_tensor_refused (1, dims, GGML_F32, 4, ATTN_ERROR_FORMAT, "multiple of 32");
  check_tensor_refused (1, too_long, GGML_F32, 0, ATTN_ERROR_FORMAT, "256 bytes of data");
  check_tensor_refused (1, dims, GGML_F32, 256, ATTN_ERROR_FORMAT, "256 bytes of data");
  check_tensor_refused (1, dims, GGML_F32, -(guint64) 32, ATTN_ERROR_FORMAT, "256 bytes of data");
}

static void
test_overlaps_and_duplicates (void)
{
  const guint64 dims[] = { 16 };
  g_autoptr (GByteArray) overlapping = g_byte_array_new ();
  g_autoptr (GByteArray) twice = g_byte_array_new ();

  gguf_begin (overlapping, 3, 3, 0);
  gguf_put_tensor (overlapping, "third", 1, dims, GGML_F32, 64);
  gguf_put_tensor (overlapping, "first", 1, dims, GGML_F32, 0);
  gguf_put_tensor (overlapping, "second", 1, dims, GGML_F32, 32);
  gguf_pad (overlapping, 32);
  for (guint i = 0; i < 16; i++)
    gguf_put (overlapping, 0, 8);
  assert_refused (overlapping, ATTN_ERROR_FORMAT, "“second” overlaps “first”");

  gguf_begin (twice, 3, 2, 0);
  gguf_put_tensor (twice, "first", 1, dims, GGML_F32, 0);
  gguf_put_tensor (twice, "first", 1, dims, GGML_F32, 64);
  gguf_pad (twice, 32);
  for (guint i = 0; i < 16; i++)
    gguf_put (twice, 0, 8);
  assert_refused (twice, ATTN_ERROR_FORMAT, "“first” found twice");
}

/* By content, and the mapping lives as long as the file. */
static void
test_loading (void)
{
  g_autoptr (GByteArray) bytes = gguf_sample (3);
  g_autofree char *path = fixture_save ("model.bin", bytes->data, bytes->len);
  g_autofree char *wrong = fixture_save ("wrong.gguf", "something else", 14);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  g_assert_nonnull (attn_array_file_get_gguf (file));
  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 3);
  fixture_touch (file);
  g_assert_null (attn_array_file_load (wrong, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);

  g_autoptr (AttnArrayFile) other = fixture_file ();
  g_assert_null (attn_array_file_get_gguf (other));
}

/* A vocabulary of the size of Llama 3's takes one table, not a block a string. */
static void
test_large_vocabulary (void)
{
  const gsize n_tokens = 128256;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const AttnGgufString *tokens;
  gsize n;

  gguf_begin (bytes, 3, 0, 1);
  gguf_put_array (bytes, "tokens", GGUF_STRING, n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    {
      g_autofree char *token = g_strdup_printf ("%" G_GSIZE_FORMAT, i);
      gguf_put_string (bytes, token);
    }
  g_autoptr (AttnArrayFile) file = read_bytes (bytes);
  g_assert_true (attn_gguf_metadata_get_strings (attn_array_file_get_gguf (file), "tokens", &tokens,
                                                 &n, NULL));
  g_assert_cmpuint (n, ==, n_tokens);
  g_assert_cmpmem (tokens[128000].data, tokens[128000].length, "128000", 6);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/gguf/tensors-of-both-versions", test_tensors);
  g_test_add_func ("/format/gguf/metadata-as-text", test_metadata_as_text);
  g_test_add_func ("/format/gguf/typed-metadata", test_typed_metadata);
  g_test_add_func ("/format/gguf/arrays", test_arrays);
  g_test_add_func ("/format/gguf/another-type-is-refused", test_another_type);
  g_test_add_func ("/format/gguf/each-cut-is-refused", test_each_cut);
  g_test_add_func ("/format/gguf/versions", test_versions);
  g_test_add_func ("/format/gguf/no-tensors", test_no_tensors);
  g_test_add_func ("/format/gguf/alignment", test_alignment);
  g_test_add_func ("/format/gguf/lying-counts", test_lying_counts);
  g_test_add_func ("/format/gguf/huge-strings-and-arrays", test_huge_strings_and_arrays);
  g_test_add_func ("/format/gguf/bad-metadata", test_bad_metadata);
  g_test_add_func ("/format/gguf/depth-is-bounded", test_depth);
  g_test_add_func ("/format/gguf/bad-tensors", test_bad_tensors);
  g_test_add_func ("/format/gguf/overlaps-and-duplicates", test_overlaps_and_duplicates);
  g_test_add_func ("/format/gguf/loading", test_loading);
  g_test_add_func ("/format/gguf/large-vocabulary", test_large_vocabulary);
  return fixture_run ();
}
