/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid presets`: lists the figures that ship with the program. */

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
  gsize n_own;

  if (status != ATTN_CLI_CONTINUE)
    return status;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  attn_presets_get_own (&n_own);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *heading =
          i == n_own ? g_strdup_printf ("\n%s\n", _("From Papers")) : g_strdup ("");
      g_autofree char *cited = presets[i].paper != NULL ? attn_preset_cite (&presets[i]) : NULL;
      g_autofree char *command = attn_preset_build_command (&presets[i]);
      g_autofree char *source =
          cited != NULL ? g_strdup_printf ("%20s%s\n%20s%s\n", "", cited, "", command)
                        : g_strdup ("");
      g_autofree char *line = g_strdup_printf ("%s%-19s %s\n%s", heading, presets[i].name,
                                               _(presets[i].description), source);
      attn_cli_print (line);
    }
  return ATTN_CLI_SUCCESS;
}
