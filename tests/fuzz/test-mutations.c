/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Seeded random mutations of the files in tests/fuzz/corpus through their readers: the sanitizers
 * see a crash or a read beyond the bytes, and each target asserts the rest. A few with all other
 * tests, 10,000 of each with "-m thorough", which "./dev mutations" runs. */

#include "fuzz-corpus.h"

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
  const FuzzFile *other = files->pdata[g_rand_int_range (random, 0, (gint32) files->len)];

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
      if (other->size > 0)
        {
          guint from = (guint) g_rand_int_range (random, 0, (gint32) other->size);

          insert (array, position, other->data + from, MIN (64, (guint) other->size - from));
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
  g_autoptr (GPtrArray) files = fuzz_load_corpus (target);
  g_autoptr (GRand) random = g_rand_new_with_seed (SEED);
  guint n = g_test_thorough () ? N_THOROUGH : N_QUICK;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GByteArray) array = g_byte_array_new ();
      const FuzzFile *file = files->pdata[i % files->len];

      g_byte_array_append (array, file->data, (guint) file->size);
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
  return fuzz_run_on_corpus (&argc, &argv, "/fuzz/mutations/", test_mutations);
}
