/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws, moves, resizes and removes pins and regions with pointer and keyboard. */

#pragma once

#include "attn-places.h"
#include "attn-study-edits.h"

G_BEGIN_DECLS

/**
 * AttnRegionTool:
 * @has_picked: whether a region is picked, to be moved, resized or removed
 * @picked: the region that is picked
 * @has_band: whether a region is being drawn, or is drawn and not yet in the figure
 * @band: that region
 * @group: index of its panel
 *
 * Its members are to be changed by the functions below. The tool changes no figure: where these
 * functions return an edit, a new figure is to be made with it.
 */
typedef struct
{
  gboolean has_picked;
  AttnRegionHit picked;
  gboolean has_band;
  AttnRegion band;
  int group;

  /*< private >*/
  gboolean is_held;    /* whether the pointer holds a region, or draws one */
  gboolean has_corner; /* whether the first corner of the region was set by keyboard */
  gboolean is_pending; /* whether the region is drawn but not yet in the study */
  gboolean is_new;     /* whether a new region is drawn, not an existing one changed */
  AttnRegion origin;   /* the region before the change */
  AttnSides sides;     /* sides by which the region is resized; 0 if it is moved */
  AttnCellCursor from; /* cell where the drag of a region began, or its first corner */
} AttnRegionTool;

void     attn_region_tool_set_grid (AttnRegionTool   *tool,
                                    const AttnGrid   *grid);
gboolean attn_region_tool_grab     (AttnRegionTool   *tool,
                                    const AttnPlaces *places,
                                    double            x,
                                    double            y);
void     attn_region_tool_drag     (AttnRegionTool   *tool,
                                    const AttnPlaces *places,
                                    double            x,
                                    double            y);
gboolean attn_region_tool_release  (AttnRegionTool   *tool,
                                    const AttnGrid   *grid,
                                    AttnRegionEdit   *edit);
gboolean attn_region_tool_cancel   (AttnRegionTool   *tool);
gboolean attn_region_tool_corner   (AttnRegionTool   *tool,
                                    const AttnGrid   *grid,
                                    AttnCellCursor    cursor,
                                    AttnRegionEdit   *edit);
void     attn_region_tool_stretch  (AttnRegionTool   *tool,
                                    AttnCellCursor    cursor);
gboolean attn_region_tool_drop     (AttnRegionTool   *tool);
void     attn_region_tool_leave    (AttnRegionTool   *tool,
                                    gboolean          keeps_picked);
void     attn_region_tool_pick     (AttnRegionTool   *tool,
                                    const AttnGrid   *grid,
                                    int               group,
                                    gsize             index);
gboolean attn_region_tool_remove   (const AttnRegionTool *tool,
                                    const AttnGrid   *grid,
                                    AttnCellCursor    cursor,
                                    AttnRegionEdit   *edit);
void     attn_region_tool_toggle_pin (const AttnGrid *grid,
                                    AttnCellCursor    cell,
                                    AttnRegionEdit   *edit);

G_END_DECLS
