/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of a study made in the figure: pins, regions, visible rows. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

typedef enum
{
  ATTN_REGION_EDIT_ADD,
  ATTN_REGION_EDIT_CHANGE,
  ATTN_REGION_EDIT_REMOVE,
} AttnRegionEditKind;

/**
 * AttnRegionEdit:
 * @group: index of the panel, row-major in the grid
 * @index: index among the regions of the panel, of a region to change or remove
 * @region: the region to add, or the changed region; without a name
 */
typedef struct
{
  AttnRegionEditKind kind;
  int group;
  gsize index;
  AttnRegion region;
} AttnRegionEdit;

gboolean attn_study_edits_find_region (const AttnStudy      *study,
                                       const AttnGrid       *grid,
                                       int                   group,
                                       gsize                 index,
                                       guint                *place);
gboolean attn_study_edits_apply       (AttnStudy            *study,
                                       const AttnGrid       *grid,
                                       const AttnRegionEdit *edit,
                                       const char           *name);
gboolean attn_study_edits_rename      (AttnStudy            *study,
                                       const AttnGrid       *grid,
                                       int                   group,
                                       gsize                 index,
                                       const char           *name);
char    *attn_study_edits_name_pin    (AttnPanel            *panel,
                                       gsize                 row,
                                       gsize                 column);
char    *attn_study_edits_name_region (const AttnStudy      *study);

G_END_DECLS
