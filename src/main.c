/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The start of the program: runs its command line if the arguments have a subcommand, else opens
 * the window. */

#include "config.h"

#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "attn-blas.h"
#include "attn-cli.h"
#include "attn-clones.h"
#include "attn-confine.h"
#include "attn-memory.h"
#include "attn-study.h"
#include "attn-window-start.h"

/* Finds the folder of the translations: beside the program's data, wherever that was moved to, in
 * the build folder of a program that is not installed, else where meson was to install them. */
static char *
find_locale_directory (void)
{
  char *directory = attn_data_find ("../locale");

  if (directory == NULL)
    directory = attn_data_find ("../po");
  return directory != NULL ? directory : g_strdup (ATTN_LOCALEDIR);
}

/* When OpenBLAS is loaded it starts a thread for each processor, with 128 MiB of address space
 * each. None of these threads is of use here (see attn-blas.c), and one that does not get its
 * memory asks for it for ever; glibc gives each thread a heap of 64 MiB besides. Where the address
 * space is limited, the program therefore executes itself again with one thread and one heap. */
static void
save_address_space (char **argv)
{
  static const char * const names[] = { "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX" };

  if (attn_memory_get_address_space () == G_MAXSIZE ||
      (g_strcmp0 (g_getenv (names[0]), "1") == 0 && g_strcmp0 (g_getenv (names[1]), "1") == 0))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_setenv (names[i], "1", TRUE);
  execv ("/proc/self/exe", argv);
}

int
main (int    argc,
      char **argv)
{
  save_address_space (argv);
  attn_blas_init ();

  g_autofree char *locale_directory = find_locale_directory ();

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, locale_directory);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_autoptr (GError) error = NULL;
  if (!attn_clones_check (&error))
    {
      g_printerr ("attention-grid: %s\n", error->message);
      return EXIT_FAILURE;
    }

  if (attn_cli_handles (argc, argv))
    {
      attn_confine ();
      return attn_cli_run (argc, argv);
    }
  return attn_window_start (argc, argv);
}
