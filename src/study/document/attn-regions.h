/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions of a study: rectangles of cells that are named, drawn, saved and measured. */

#pragma once

#include <gio/gio.h>

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnRegionMeasures:
 * @mean: over the cells that count; NaN where none does
 * @largest: largest value of the cells that count; NaN where none does
 * @n_cells: how many cells count: those that are neither masked nor NaN
 */
typedef struct
{
  double mean;
  double largest;
  gsize n_cells;
} AttnRegionMeasures;

AttnStudyRegion    *attn_study_parse_region  (const AttnStudy  *study,
                                              const char       *text,
                                              GError          **error);
gboolean            attn_study_move_regions  (AttnStudy   *study,
                                              const AttnModelReference *model,
                                              GError     **error);
void                attn_study_apply_regions (const AttnStudy  *study,
                                              AttnGrid         *grid);
gboolean            attn_study_find_region   (const AttnStudyRegion  *region,
                                              const AttnGrid         *grid,
                                              AttnRegion             *shown);
gboolean            attn_study_check_region  (const AttnStudyRegion  *region,
                                              const AttnGrid         *grid,
                                              GError                **error);
AttnStudyRegion    *attn_study_region_new_shown (gsize             panel,
                                                 const AttnGrid   *grid,
                                                 const AttnRegion *shown);
AttnRegionMeasures  attn_region_measure      (AttnPanel        *panel,
                                              const AttnRegion *region,
                                              GCancellable     *cancellable);

G_END_DECLS
