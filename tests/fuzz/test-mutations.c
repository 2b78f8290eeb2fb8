/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Seeded random mutations of the files in tests/fuzz/corpus through their readers: the sanitizers
 * see a crash or a read beyond the bytes, and each target asserts the rest. A few with all other
 * tests, 10,000 of each with "-m thorough", which "./dev mutations" runs. */

#include "fuzz-targets.h"

#include <string.h>

#define N_QUICK    40
#define N_THOROUGH 10000
#define SEED       20260102

/* Headers stand at the beginning: half of the changes are made there. */
#define N_START 400

/* Parts of the formats, numbers at the edge of a type, and text that is none. */
static const char * const words[] = {
  "{", "}", "[", "]", "[[[[[[[[", "{\"a\":", "null", "true", "false", "\"\"", ",", ":", "-", "0",
  "-1", "1e308", "1e-320", "0.5", "NaN", "2147483648", "4294967295", "9223372036854775807",
  "18446744073709551615", "\xef\xbb\xbf", "\xff", "\n", "\t", "\\u0000", "\\ud800", "{{", "}}",
  "{%", "%}", "for", "if", "(", ")", "\x80\x02", ".", "e", "0'", "9999999999"
};

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/* Returns: the files in the folder in the order of their names, so that a seed means the same
 * everywhere */
static GPtrArray *
load_corpus (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) directory = g_dir_open (path, 0, &error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (directory)) != NULL)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      char *content;
      gsize length;

      g_assert_true (g_file_get_contents (names->pdata[i], &content, &length, &error));
      g_assert_no_error (error);
      g_ptr_array_add (files, g_bytes_new_take (content, length));
    }
  g_assert_cmpuint (files->len, >, 0);
  return files;
}

static void
insert (GByteArray    *array,
        guint          position,
        gconstpointer  data,
        guint          n)
{
  guint n_before = array->len;

  g_byte_array_set_size (array, n_before + n);
  memmove (array->data + position + n, array->data + position, n_before - position);
  memcpy (array->data + position, data, n);
}

/* Changes bytes, cuts, repeats, inserts a word or a part of another file. */
static void
change (GRand           *random,
        GByteArray      *array,
        const GPtrArray *files)
{
  guint reach = g_rand_boolean (random) ? MIN (array->len, N_START) : array->len;
  guint position = (guint) g_rand_int_range (random, 0, (gint32) reach);
  guint n = (guint) g_rand_int_range (random, 1, (gint32) MIN (16, array->len - position) + 1);
  const char *word = words[g_rand_int_range (random, 0, G_N_ELEMENTS (words))];
  GBytes *other = files->pdata[g_rand_int_range (random, 0, (gint32) files->len)];
  gsize size;
  const guint8 *data = g_bytes_get_data (other, &size);

  switch (g_rand_int_range (random, 0, 8))
    {
    case 0:
      g_byte_array_remove_range (array, position, n);
      break;
    case 1:
      {
        g_autofree guint8 *part = g_memdup2 (array->data + position, n);

        insert (array, position, part, n);
      }
      break;
    case 2:
      insert (array, position, word, (guint) strlen (word));
      break;
    case 3:
      array->data[position] ^= (guint8) (1u << g_rand_int_range (random, 0, 8));
      break;
    case 4:
      memset (array->data + position, g_rand_boolean (random) ? 0xff : 0, n);
      break;
    case 5:
      if (g_rand_int_range (random, 0, 10) == 0)
        g_byte_array_set_size (array, position);
      break;
    case 6:
      if (size > 0)
        {
          guint from = (guint) g_rand_int_range (random, 0, (gint32) size);

          insert (array, position, data + from, MIN (64, (guint) size - from));
        }
      break;
    default:
      array->data[position] = (guint8) g_rand_int_range (random, 0, 256);
      break;
    }
}

static void
test_mutations (gconstpointer data)
{
  const FuzzTarget *target = data;
  g_autofree char *path =
      g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", target->name, NULL);
  g_autoptr (GPtrArray) files = load_corpus (path);
  g_autoptr (GRand) random = g_rand_new_with_seed (SEED);
  guint n = g_test_thorough () ? N_THOROUGH : N_QUICK;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GByteArray) array = g_byte_array_new ();
      GBytes *file = files->pdata[i % files->len];
      gsize size;
      const guint8 *bytes = g_bytes_get_data (file, &size);

      g_byte_array_append (array, bytes, (guint) size);
      for (gint k = g_rand_int_range (random, 1, 5); k > 0 && array->len > 0; k--)
        change (random, array, files);
      /* Exactly as long as the file, so that a sanitizer sees a read behind it. */
      g_autofree guint8 *mutated =
          array->len > 0 ? g_memdup2 (array->data, array->len) : g_malloc (1);
      target->run (mutated, array->len);
    }
  g_test_message ("%u mutations of %u files", n, files->len);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *path = NULL;
  g_autoptr (GDir) directory = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", NULL);
  directory = g_dir_open (path, 0, NULL);
  g_assert_nonnull (directory);
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *test = g_strconcat ("/fuzz/mutations/", name, NULL);

      if (fuzz_find_target (name) != NULL)
        g_test_add_data_func (test, fuzz_find_target (name), test_mutations);
    }
  return g_test_run ();
}
