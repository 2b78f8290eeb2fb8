/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "fuzz-corpus.h"

#include <string.h>

/* Returns: (transfer full): the path of a target's folder, or of that of all */
static char *
find_corpus (const char *name)
{
  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", name, NULL);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/* Returns: (transfer full): the names in a folder in their order, which is the same everywhere */
static GPtrArray *
list_names (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) directory = g_dir_open (path, 0, &error);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (directory)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_assert_cmpuint (names->len, >, 0);
  return names;
}

static void
free_file (gpointer data)
{
  FuzzFile *file = data;

  g_free (file->name);
  g_free (file->data);
  g_free (file);
}

/**
 * fuzz_load_corpus:
 *
 * Returns: (transfer full) (element-type FuzzFile): the files of a target in the order of their
 *   names, so that a seed means the same everywhere; one at least
 */
GPtrArray *
fuzz_load_corpus (const FuzzTarget *target)
{
  g_autofree char *folder = find_corpus (target->name);
  g_autoptr (GPtrArray) names = list_names (folder);
  GPtrArray *files = g_ptr_array_new_with_free_func (free_file);

  for (guint i = 0; i < names->len; i++)
    {
      FuzzFile *file = g_new0 (FuzzFile, 1);
      g_autoptr (GError) error = NULL;
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autofree char *content = NULL;

      g_file_get_contents (path, &content, &file->size, &error);
      g_assert_no_error (error);
      file->name = g_strdup (names->pdata[i]);
      file->data = g_memdup2 (content, file->size);
      g_ptr_array_add (files, file);
    }
  return files;
}

/**
 * fuzz_run_on_corpus:
 * @prefix: of the names of the tests, before those of the targets
 * @test: takes the target, a `const FuzzTarget *`
 *
 * Runs the test on each target that has a folder.
 *
 * Returns: what main() does
 */
int
fuzz_run_on_corpus (int             *argc,
                    char          ***argv,
                    const char      *prefix,
                    GTestDataFunc    test)
{
  g_test_init (argc, argv, NULL);
  g_autofree char *corpus = find_corpus (NULL);
  g_autoptr (GPtrArray) names = list_names (corpus);

  for (guint i = 0; i < names->len; i++)
    {
      const FuzzTarget *target = fuzz_find_target (names->pdata[i]);
      g_autofree char *path = g_strconcat (prefix, names->pdata[i], NULL);

#ifdef HAVE_SESSION
      g_assert_nonnull (target);
#endif
      if (target != NULL)
        g_test_add_data_func (path, target, test);
    }
  return g_test_run ();
}
