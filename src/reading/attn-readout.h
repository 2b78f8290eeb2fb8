/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Describes a cell of a figure in words and numbers. */

#pragma once

#include "attn-job.h"
#include "attn-profile.h"
#include "attn-scene.h"
#include "attn-selection.h"
#include "attn-views.h"

G_BEGIN_DECLS

/* Width in characters of a narrow column of numbers. */
#define ATTN_READOUT_SHORT 7

char *attn_readout_format_digits (double         value,
                                  guint           n_digits);
char *attn_readout_format_short  (double          value);
char *attn_readout_format_beside (double          value,
                                  double          other);
char *attn_readout_format_change (double          before,
                                  double          after);
char *attn_readout_format_number (double          value);
char *attn_readout_describe_cell (AttnGrid       *grid,
                                  const AttnHit  *hit);
gsize attn_readout_get_rank (const AttnGridCell *cell,
                             AttnPanel          *panel,
                             gsize               row,
                             gsize               column,
                             gsize              *n_places);
char *attn_readout_describe_value (AttnGrid      *grid,
                                  const AttnHit  *hit);
char *attn_readout_describe_brief (AttnGrid      *grid,
                                  const AttnHit  *hit);
char *attn_readout_describe_pair (AttnGrid       *grid,
                                  const AttnHit  *hit,
                                  const char     *place);
char *attn_readout_describe_token (const AttnGrid *grid,
                                  const char     *format,
                                  AttnPanel      *panel,
                                  gboolean        is_row,
                                  gsize           index);
gboolean attn_readout_opens_cells (const AttnStudy *study);
gboolean attn_readout_has_scores (const AttnStudy *study,
                                  const AttnGrid  *grid);
double attn_readout_get_score    (AttnPanel      *panel,
                                  gsize           row,
                                  gsize           column);
gboolean attn_readout_has_distances (const AttnGrid *grid);
AttnPanel *attn_readout_get_panel (const AttnGridCell *cell);
gboolean attn_readout_has_row (const AttnGridCell *cell,
                               gsize               row);
AttnProfile *attn_readout_new_profile (const AttnGrid      *grid,
                                       const AttnSelection *selection);
char *attn_readout_describe_selection (const AttnGrid      *grid,
                                       const AttnSelection *selection,
                                       const AttnProfile   *profile);
char *attn_readout_dup_widest_value (void);
char *attn_readout_describe_panel (const AttnPanelMeasures *measures,
                                   gboolean                 has_baseline);
char *attn_readout_dup_widest_panel (void);
char *attn_readout_describe_view (const AttnGrid *grid,
                                  const AttnViews *views);

G_END_DECLS
