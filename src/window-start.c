/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The start of the program that was built with a window. */

#include "config.h"

#include "attn-window-start.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "attn-application.h"
#include "attn-export.h"
#include "attn-memory.h"
#include "attn-model-reference.h"

/* The bytes of address space that the program takes at least with a window, its libraries and their
 * threads. */
#define WINDOW_ADDRESS_SPACE ((gsize) 3 << 28)

/* Copies the arguments and makes the names of existing files with a colon absolute paths: GLib
 * takes such a name for an address (URI), but "F.npz:NAME" and "a:b.npz" are files. */
static char **
dup_arguments (char **argv)
{
  char **arguments = g_strdupv (argv);

  for (char **argument = arguments; *argument != NULL; argument++)
    {
      g_auto (AttnModelReference) reference = { NULL };
      char *given = *argument;

      if (*given == '-' || strchr (given, ':') == NULL)
        continue;
      attn_model_reference_parse (&reference, given);
      if (!g_file_test (reference.path, G_FILE_TEST_EXISTS))
        continue;
      *argument = g_canonicalize_filename (given, NULL);
      g_free (given);
    }
  return arguments;
}

/**
 * attn_window_start:
 * @argv: the arguments as main() got them
 *
 * Opens the window and returns when the last window is closed.
 *
 * Returns: the exit status of the process
 */
int
attn_window_start (int    argc,
                   char **argv)
{
  g_autoptr (GError) error = NULL;

  /* GTK and its libraries end the process if they do not get the memory that they request. */
  if (attn_memory_get_address_space () < WINDOW_ADDRESS_SPACE)
    {
      g_printerr (_("attention-grid: %.1f MB of address space found (ulimit -v), expected at least "
                    "%.1f MB for a window\n"),
                  (double) attn_memory_get_address_space () / 1e6,
                  (double) WINDOW_ADDRESS_SPACE / 1e6);
      return EXIT_FAILURE;
    }

  /* Without an installed font, GTK 4.8 may measure the window for ever. */
  if (!attn_export_check_fonts (&error))
    {
      g_printerr ("attention-grid: %s\n", error->message);
      return EXIT_FAILURE;
    }

  g_autoptr (AttnApplication) application = attn_application_new ();
  g_auto (GStrv) arguments = dup_arguments (argv);
  return g_application_run (G_APPLICATION (application), argc, arguments);
}
