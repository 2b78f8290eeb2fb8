/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every file of tests/fuzz/corpus through its reader: what once was found stays mended. */

#include "fuzz-targets.h"

static void
test_corpus (gconstpointer data)
{
  const FuzzTarget *target = fuzz_find_target (data);
  g_autofree char *path =
      g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", data, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) directory = g_dir_open (path, 0, &error);
  const char *name;
  guint n_files = 0;

  g_assert_no_error (error);
  g_assert_nonnull (target);
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autofree char *content = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (file, &content, &length, &error));
      g_assert_no_error (error);
      /* Exactly as long as the file, so that a sanitizer sees what is read behind it. */
      g_autofree guint8 *bytes = g_memdup2 (content, length);
      g_test_message ("%s", name);
      target->run (bytes, length);
      n_files++;
    }
  g_assert_cmpuint (n_files, >, 0);
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
      g_autofree char *test = g_strconcat ("/fuzz/corpus/", name, NULL);

#ifndef HAVE_SESSION
      if (fuzz_find_target (name) == NULL)
        continue;
#endif
      g_test_add_data_func_full (test, g_strdup (name), test_corpus, g_free);
    }
  return g_test_run ();
}
