/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program without a window, as it is built for clusters (-Dgui=disabled). */

#include "config.h"

#include "attn-window-start.h"

#include <glib/gi18n.h>

/* Tells the user that the program was built without a window. Returns: the exit status of wrong
 * usage */
int
attn_window_start (int    argc,
                   char **argv)
{
  if (argc > 1)
    g_printerr (_("attention-grid: “%s” found, expected a subcommand: this program was built "
                  "without a window; “attention-grid --help” lists them\n"),
                argv[1]);
  else
    g_printerr (_("attention-grid: no subcommand found, expected one: this program was built "
                  "without a window; “attention-grid --help” lists them\n"));
  return 2;
}
