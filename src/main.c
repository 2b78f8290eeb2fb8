/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Starts the command line or the window. */

#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "attn-application.h"
#include "attn-cli.h"

int
main (int    argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, ATTN_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  if (attn_cli_handles (argc, argv))
    return attn_cli_run (argc, argv);

  g_autoptr (AttnApplication) application = attn_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
