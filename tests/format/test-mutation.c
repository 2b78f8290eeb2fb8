/* SPDX-License-Identifier: GPL-3.0-or-later */

/* 10,000 seeded random mutations of each format: an error or a right answer, nothing else. What a
 * crash or a read beyond the bytes would be, the sanitizers see; the rest is asserted here. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-json.h"
#include "attn-readers.h"
#include "format-fixture.h"
#include "gguf-fixture.h"

#define N_MUTATIONS 10000
#define SEED        20260101

static gboolean
read_npy (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  return attn_npy_read (file, "", bytes, error);
}

/* Changes bytes, cuts, inserts or repeats a part: one to four times. */
static GBytes *
mutate (GRand  *random,
        GBytes *bytes)
{
  GByteArray *array = g_byte_array_new ();
  guint n_changes = g_rand_int_range (random, 1, 5);

  g_byte_array_append (array, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  for (guint i = 0; i < n_changes && array->len > 1; i++)
    {
      guint position = g_rand_int_range (random, 0, array->len);
      guint n = g_rand_int_range (random, 1, MIN (16, array->len - position) + 1);

      switch (g_rand_int_range (random, 0, 6))
        {
        case 0:
          g_byte_array_remove_range (array, position, n);
          break;
        case 1:
          {
            g_autofree guint8 *part = g_memdup2 (array->data + position, n);
            g_byte_array_append (array, part, n);
          }
          break;
        case 2:
          array->data[position] =
              "\0\xff\x7f\x80[]{}\",:'()0139-"[g_rand_int_range (random, 0, 20)];
          break;
        case 3:
          array->data[position] ^= 1u << g_rand_int_range (random, 0, 8);
          break;
        case 4:
          memset (array->data + position, g_rand_boolean (random) ? 0xff : 0, n);
          break;
        default:
          array->data[position] = g_rand_int_range (random, 0, 256);
          break;
        }
    }
  return g_byte_array_free_to_bytes (array);
}

/* What the header promised lies in the bytes that the file has. */
static void
check_right (AttnArrayFile *file,
             GBytes        *bytes,
             gboolean       is_slice)
{
  gsize size;
  const guint8 *start = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n_bytes;
      const guint8 *data = g_bytes_get_data (array->bytes, &n_bytes);
      gsize n_block_elements;
      gsize n_block_bytes;

      attn_dtype_get_block (array->dtype, &n_block_elements, &n_block_bytes);
      if (!array->is_strided)
        g_assert_cmpuint (attn_array_get_n_elements (array) / n_block_elements * array->item_size,
                          ==, n_bytes);
      if (is_slice && n_bytes > 0)
        g_assert_true (data >= start && data + n_bytes <= start + size);
    }
  fixture_touch (file);
}

/* Each getter answers or explains itself, whatever is there. */
static void
touch_metadata (const AttnGgufMetadata *metadata)
{
  static const char * const keys[] = { "general.architecture", "a.f32", "a.bool", "a.u64",
                                       "tokenizer.tokens", "tokenizer.scores", "tokenizer.types",
                                       "a.bools", "a.nested" };

  AttnJsonReader reader = { attn_gguf_metadata_get_values (metadata), "FILE" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const AttnGgufString *strings;
      g_autofree float *floats = NULL;
      gboolean is_true;
      guint sum = 0;
      gsize size;
      gsize n;

      if (attn_gguf_metadata_get_strings (metadata, keys[i], &strings, &n, NULL))
        for (gsize k = 0; k < n; k++)
          for (gsize c = 0; c < strings[k].length; c++)
            sum += (guint8) strings[k].data[c];
      g_assert_true (g_utf8_validate (attn_json_read_string (&reader, keys[i], ""), -1, NULL));
      attn_json_finish (&reader, NULL);
      size = attn_json_read_size (&reader, keys[i], 1, 9, 5);
      g_assert_true (size >= 1 && size <= 9);
      attn_json_finish (&reader, NULL);
      g_assert_true (isfinite (attn_json_read_number (&reader, keys[i], 0)));
      attn_json_finish (&reader, NULL);
      is_true = attn_json_read_boolean (&reader, keys[i], FALSE);
      g_assert_true (is_true == FALSE || is_true == TRUE);
      attn_json_finish (&reader, NULL);
      attn_gguf_metadata_dup_floats (metadata, keys[i], &floats, &n, NULL);
      g_assert_cmpuint (sum, <, G_MAXUINT);
    }
}

/* As many labels as rows and columns. */
static void
check_labels (AttnArrayFile *file)
{
  const AttnArray *matrix = attn_array_file_get_nth (file, 0);
  const AttnArray *rows = attn_array_file_lookup (file, "row_labels");
  const AttnArray *columns = attn_array_file_lookup (file, "column_labels");

  g_assert_cmpuint (matrix->n_dims, ==, 2);
  g_assert_cmpuint (attn_array_get_n_elements (matrix), >, 0);
  if (rows != NULL)
    g_assert_cmpuint (attn_array_get_n_elements (rows), ==, matrix->shape[0]);
  if (columns != NULL)
    g_assert_cmpuint (attn_array_get_n_elements (columns), ==, matrix->shape[1]);
}

static void
check_mutations (FixtureReadFunc  read,
                 GBytes          *bytes,
                 gboolean         is_slice)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (SEED);
  guint n_refused = 0;

  for (guint i = 0; i < N_MUTATIONS; i++)
    {
      g_autoptr (GBytes) mutated = mutate (random, bytes);
      g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
      g_autoptr (GError) error = NULL;

      if (read (file, mutated, &error))
        {
          g_assert_no_error (error);
          check_right (file, mutated, is_slice);
          if (read == attn_gguf_read)
            touch_metadata (attn_array_file_get_gguf (file));
          if (read == attn_csv_read)
            check_labels (file);
          continue;
        }
      n_refused++;
      g_assert_nonnull (error);
      if (error->domain != ATTN_ERROR || !g_str_has_prefix (error->message, "FILE"))
        g_error ("mutation %u: “%s” found, expected a message that begins with FILE", i,
                 error->message);
    }
  g_test_message ("%u of %u refused", n_refused, N_MUTATIONS);
  /* Both outcomes occur, else the mutations are too wild or too tame to test anything. */
  g_assert_cmpuint (n_refused, >, N_MUTATIONS / 10);
  g_assert_cmpuint (n_refused, <, N_MUTATIONS);
}

static void
test_safetensors (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) bytes = attn_safetensors_write (file, NULL);

  check_mutations (attn_safetensors_read, bytes, TRUE);
}

static void
test_npy (void)
{
  g_autoptr (AttnArrayFile) file = fixture_file ();
  g_autoptr (GBytes) numbers = attn_npy_write (attn_array_file_lookup (file, "weights"), NULL);
  g_autoptr (GBytes) text = attn_npy_write (attn_array_file_lookup (file, "labels"), NULL);

  check_mutations (read_npy, numbers, TRUE);
  check_mutations (read_npy, text, TRUE);
}

static void
check_file (const char      *name,
            FixtureReadFunc  read,
            gboolean         is_slice)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "format", "fixtures", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) mapped = g_mapped_file_new (path, FALSE, &error);

  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = g_mapped_file_get_bytes (mapped);
  check_mutations (read, bytes, is_slice);
}

static void
test_npz (gconstpointer name)
{
  check_file (name, attn_npz_read, FALSE);
}

static void
test_torch (gconstpointer name)
{
  check_file (name, attn_torch_read, TRUE);
}

static void
test_gguf (void)
{
  g_autoptr (GByteArray) array = gguf_sample (3);
  g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);

  check_mutations (attn_gguf_read, bytes, TRUE);
}

/* A block of each type that has any. */
static void
test_gguf_blocks (void)
{
  static const guint32 types[] = { 2, 3, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 19,
                                   20, 21, 22, 23, 29, 34, 35, 39, 40, 41, 42 };
  g_autoptr (GRand) random = g_rand_new_with_seed (SEED);
  g_autoptr (GByteArray) array = g_byte_array_new ();
  g_autoptr (GByteArray) data = g_byte_array_new ();

  gguf_begin (array, 3, G_N_ELEMENTS (types), 0);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *name = g_strdup_printf ("t%zu", i);
      const guint64 dims[] = { 256 };

      gguf_put_tensor (array, name, 1, dims, types[i], data->len);
      /* No type takes more. */
      for (guint k = 0; k < 320; k++)
        gguf_put (data, g_rand_int (random) & 0xff, 1);
    }
  gguf_pad (array, 32);
  g_byte_array_append (array, data->data, data->len);
  g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);
  check_mutations (attn_gguf_read, bytes, TRUE);
}

static void
test_csv (void)
{
  static const char text[] = "\xef\xbb\xbf,It,\" say \"\"é\"\"\",I\r\n"
                             "It,1,0,1e-3\r\n"
                             "\"a,b\",0.25,,NaN\r\n"
                             "I,-2.5e10,inf,.5";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, sizeof text - 1);

  check_mutations (attn_csv_read, bytes, FALSE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/mutation/safetensors", test_safetensors);
  g_test_add_func ("/format/mutation/npy", test_npy);
  g_test_add_data_func ("/format/mutation/stored-npz", "stored.npz", test_npz);
  g_test_add_data_func ("/format/mutation/deflated-npz", "deflated.npz", test_npz);
  g_test_add_data_func ("/format/mutation/torch", "state.pt", test_torch);
  g_test_add_data_func ("/format/mutation/torch-old", "state-old-4.pt", test_torch);
  g_test_add_func ("/format/mutation/gguf", test_gguf);
  g_test_add_func ("/format/mutation/gguf-blocks", test_gguf_blocks);
  g_test_add_func ("/format/mutation/csv", test_csv);
  return fixture_run ();
}
