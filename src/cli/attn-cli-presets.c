/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid presets`: the figures that ship with the program. */

#include "config.h"

#include <glib/gi18n.h>

#include "attn-cli-private.h"
#include "attn-study.h"

int
attn_cli_presets (int    argc,
                  char **argv)
{
  const GOptionEntry entries[] = { { NULL } };
  const AttnCliSyntax syntax = {
    .subcommand = "presets",
    .operands = "",
    .summary = _("Lists the figures that ship with the program, each with what it shows."),
    .entries = entries,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);
  gsize n_presets;

  if (status != ATTN_CLI_CONTINUE)
    return status;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *line =
          g_strdup_printf ("%-16s %s\n", presets[i].name, _(presets[i].description));
      attn_cli_print (line);
    }
  return ATTN_CLI_SUCCESS;
}
