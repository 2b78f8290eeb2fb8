/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the effects of interventions on the prediction as numbers into files. Private to
 * src/study. */

#pragma once

#include "attn-array.h"
#include "attn-grid.h"
#include "attn-json-writer.h"
#include "attn-outcome.h"

G_BEGIN_DECLS

void     attn_outcome_write      (const AttnOutcome  *outcome,
                                  AttnJsonWriter     *writer);
void     attn_outcome_write_charts (const GPtrArray *charts,
                                   AttnJsonWriter  *writer);
gboolean attn_outcome_add_arrays (const AttnOutcome  *outcome,
                                  const char         *prefix,
                                  AttnArrayFile      *file,
                                  GError            **error);
gboolean attn_outcome_add_curves (const AttnChart    *chart,
                                  guint               number,
                                  AttnArrayFile      *file,
                                  GError            **error);

G_END_DECLS
