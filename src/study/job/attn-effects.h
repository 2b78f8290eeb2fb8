/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes a study with all effects on the prediction that it shows: the panels first, then the
 * numbers, bars and curves around them. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

gboolean    attn_effects_are_missing (const AttnResult    *result);
AttnResult *attn_effects_add         (const AttnResult    *result,
                                      AttnWorkspace       *workspace,
                                      const AttnProgress  *progress,
                                      GCancellable        *cancellable,
                                      GError             **error);
AttnResult *attn_effects_run         (const AttnStudy     *study,
                                      AttnWorkspace       *workspace,
                                      const AttnProgress  *progress,
                                      GCancellable        *cancellable,
                                      GError             **error);

G_END_DECLS
