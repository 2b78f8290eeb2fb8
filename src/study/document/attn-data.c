/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study.h"

/* Returns the directory of the running program, with symbolic links resolved. */
static char *
dup_program_directory (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  return program != NULL ? g_path_get_dirname (program) : NULL;
}

static char *
find_below (const char *base,
            const char *middle,
            const char *relative_path)
{
  if (base == NULL || base[0] == '\0')
    return NULL;

  g_autofree char *joined = g_build_filename (base, middle, relative_path, NULL);
  g_autofree char *path = g_canonicalize_filename (joined, NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path) : NULL;
}

/**
 * attn_data_find:
 * @relative_path: path of a file or directory that ships with the program, such as "models/rose"
 *
 * Looks below the environment variable ATTENTION_GRID_DATADIR; beside the program, first where an
 * installed one has its data, so that all of it can be moved, then where a built one has them; and
 * where the program was to be installed. Any thread can call it.
 *
 * Returns: (transfer full) (nullable): its absolute path, or %NULL where none of these has it
 */
char *
attn_data_find (const char *relative_path)
{
  g_autofree char *program_directory = dup_program_directory ();
  const struct
  {
    const char *base;
    const char *middle;
  } places[] = {
    { g_getenv ("ATTENTION_GRID_DATADIR"), "" },
    { program_directory, "../share/" GETTEXT_PACKAGE },
    { program_directory, "../data" },
    { ATTN_DATADIR, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      char *path = find_below (places[i].base, places[i].middle, relative_path);

      if (path != NULL)
        return path;
    }
  return NULL;
}

/**
 * attn_data_find_model:
 *
 * Returns: (transfer full) (nullable): the directory of the model that ships with the program
 */
char *
attn_data_find_model (void)
{
  return attn_data_find ("models/rose");
}
