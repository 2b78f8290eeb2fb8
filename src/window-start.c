/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program with a window. */

#include "config.h"

#include "attn-window-start.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "attn-application.h"
#include "attn-export.h"
#include "attn-memory.h"
#include "attn-model-reference.h"

/* The address space that a window takes in the smallest case, with its libraries and their
 * threads. */
#define WINDOW_ADDRESS_SPACE ((gsize) 3 << 28)

/* GLib takes a name with a colon for an address, but "F.npz:NAME" and "a:b.npz" are files. */
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
 * @argv: as main() got it
 *
 * Opens the window and stays until it is closed.
 *
 * Returns: the exit status
 */
int
attn_window_start (int    argc,
                   char **argv)
{
  g_autoptr (GError) error = NULL;

  /* GTK and its libraries end the process where they do not get what they ask for. */
  if (attn_memory_get_address_space () < WINDOW_ADDRESS_SPACE)
    {
      g_printerr (_("attention-grid: %.1f MB of address space found (ulimit -v), expected at least "
                    "%.1f MB for a window\n"),
                  (double) attn_memory_get_address_space () / 1e6,
                  (double) WINDOW_ADDRESS_SPACE / 1e6);
      return EXIT_FAILURE;
    }

  /* Where no font is installed, GTK 4.8 may not come back from measuring the window. */
  if (!attn_export_check_fonts (&error))
    {
      g_printerr ("attention-grid: %s\n", error->message);
      return EXIT_FAILURE;
    }

  g_autoptr (AttnApplication) application = attn_application_new ();
  g_auto (GStrv) arguments = dup_arguments (argv);
  return g_application_run (G_APPLICATION (application), argc, arguments);
}
