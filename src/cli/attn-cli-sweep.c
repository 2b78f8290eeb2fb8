/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-sweep.h"

#include <glib/gi18n.h>

#include "attn-cli-private.h"
#include "attn-error.h"

/**
 * attn_cli_sweep_add_entry:
 * @entries: (element-type GOptionEntry): options of a subcommand, to which --sweep is added
 * @range: (out): where the value of --sweep is stored when the command line is parsed
 */
void
attn_cli_sweep_add_entry (GArray  *entries,
                          char   **range)
{
  const GOptionEntry sweep = {
    "sweep", 0, 0, G_OPTION_ARG_STRING, range,
    N_("A figure for each of STEPS values of ε from FIRST to LAST; as SVG one that is animated"),
    N_("FIRST:LAST:STEPS")
  };

  g_array_append_val (entries, sweep);
}

/**
 * attn_cli_sweep_check:
 * @text: the value of --sweep
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether @text is a range of ε and a sweep can be written to each output, which standard
 *   output does not allow
 */
gboolean
attn_cli_sweep_check (const char            *text,
                      const AttnCliOptions  *options,
                      AttnSweepRange        *range,
                      GError               **error)
{
  if (!attn_sweep_parse_range (text, range, error))
    {
      g_prefix_error (error, "--sweep: ");
      return FALSE;
    }
  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      if (target->is_standard_output)
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("--sweep: -o - found, expected the name of a file"));
      if (!attn_sweep_check_path (target->name, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_cli_sweep_write:
 * @study: the study that is drawn with each ε
 *
 * Writes the figures of the sweep to each output.
 */
gboolean
attn_cli_sweep_write (const AttnStudy       *study,
                      const AttnSweepRange  *range,
                      const AttnCliOptions  *options,
                      GError               **error)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  gboolean is_good = TRUE;

  for (guint i = 0; i < options->targets->len && is_good; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      is_good = attn_sweep_export (study, range, target->name, workspace, attn_cli_get_progress (),
                                   NULL, error);
    }
  attn_cli_end_progress ();
  return is_good;
}
