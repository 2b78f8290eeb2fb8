/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-job.h"

#include <glib/gi18n-lib.h>

#include "attn-figure-run.h"
#include "attn-workspace-private.h"

#define RUN(NAME, name, word, ...) [ATTN_FIGURE_##NAME] = attn_##name##_figure_run,

/**
 * attn_job_run:
 * @study: the study to compute, which must not be changed any more, as the result keeps it
 * @workspace: the cache of what was computed before; the result does not depend on it
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked between layers, heads and panels
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for a study whose settings
 *   do not fit its model; %ATTN_ERROR_MEMORY; errors of opening the models; errors of tokenising an
 *   input, which name its number
 *
 * Computes the panels of @study. After a change of ε, components, axis or style, no forward pass is
 * needed as long as all interventions are in the layer on display. Only one thread at a time can
 * use a workspace.
 *
 * Returns: (transfer full) (nullable): the result with the panels
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
