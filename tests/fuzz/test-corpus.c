/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every file of tests/fuzz/corpus through its reader: what once was found stays mended. */

#include "fuzz-corpus.h"

static void
test_corpus (gconstpointer data)
{
  const FuzzTarget *target = data;
  g_autoptr (GPtrArray) files = fuzz_load_corpus (target);

  for (guint i = 0; i < files->len; i++)
    {
      const FuzzFile *file = files->pdata[i];

      g_test_message ("%s", file->name);
      target->run (file->data, file->size);
    }
}

int
main (int    argc,
      char **argv)
{
  return fuzz_run_on_corpus (&argc, &argv, "/fuzz/corpus/", test_corpus);
}
