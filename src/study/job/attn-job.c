/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-job.h"

#include <glib/gi18n-lib.h>

#include "attn-figure-run.h"
#include "attn-workspace-private.h"

#define RUN(NAME, name, word, ...) [ATTN_FIGURE_##NAME] = attn_##name##_figure_run,

/**
 * attn_job_run:
 * @study: what is asked for, which the result keeps: it must not be changed any more
 * @workspace: what was computed before; the result does not depend on it
 * @progress: (nullable): whom to tell how far it is
 * @cancellable: (nullable): asked between layers, heads and panels
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for a study that makes no
 *   sense for its model; %ATTN_ERROR_MEMORY; errors of opening the models and of tokenising an
 *   input, the latter with the number of the input
 *
 * Computes the panels of @study. Changes of ε, of components, axis or style cost no forward pass
 * as long as the interventions stay within the layer on display. One thread at a time for each
 * workspace.
 *
 * Returns: (transfer full) (nullable): the panels
 */
AttnResult *
attn_job_run (const AttnStudy     *study,
              AttnWorkspace       *workspace,
              const AttnProgress  *progress,
              GCancellable        *cancellable,
              GError             **error)
{
  static AttnResult *(* const figures[]) (const AttnStudy *, AttnWorkspace *, const AttnProgress *,
                                          GCancellable *, GError **) = { ATTN_FIGURE_KINDS (RUN) };

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  attn_progress_report (progress, _("Opening the model"), 0);
  AttnResult *result = figures[study->figure](study, workspace, progress, cancellable, error);
  attn_workspace_trim (workspace);
  return result;
}
