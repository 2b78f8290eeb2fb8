/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members that the files of AttnReading share. Private to src/reading. */

#pragma once

#include "attn-navigator.h"
#include "attn-part-loader.h"
#include "attn-reading.h"

G_BEGIN_DECLS

/* Action of a drag with the mouse button held down. */
typedef enum
{
  ATTN_DRAG_NOTHING,
  ATTN_DRAG_PAN,
  ATTN_DRAG_ZOOM,
  ATTN_DRAG_REGION,
  ATTN_DRAG_BAR,
  ATTN_DRAG_LABELS,
  ATTN_DRAG_MAP,
} AttnDrag;

enum
{
  ATTN_READING_SCENE_CHANGED,
  ATTN_READING_OVERLAY_CHANGED,
  ATTN_READING_HIT_CHANGED,
  ATTN_READING_VIEWPORT_CHANGED,
  ATTN_READING_CURSOR_CHANGED,
  ATTN_READING_TOOL_CHANGED,
  ATTN_READING_CLICKED,
  ATTN_READING_ACTIVATED,
  ATTN_READING_DOUBLE_CLICKED,
  ATTN_READING_REGION_EDITED,
  ATTN_READING_BESIDE_CLICKED,
  ATTN_READING_MENU_ASKED,
  ATTN_READING_RANGE_ASKED,
  ATTN_READING_N_SIGNALS
};

struct _AttnReading
{
  GObject parent_instance;

  AttnStage stage;
  AttnNavigator navigator;
  AttnPartLoader *loader;
  AttnRegionTool regions;
  AttnReadingTool tool;

  /* The cell that is read */
  AttnCellCursor cursor;
  AttnSelection *selection;
  char *search_text;       /* (nullable) */
  AttnTokenSearch *search; /* (nullable) */
  gboolean has_hit;
  AttnHit hit; /* the cell under the pointer */
  gboolean has_read;
  AttnHit read;       /* cell for which "hit-changed" was last emitted */
  gboolean uses_keys; /* whether the last input came from the keyboard, not the pointer */
  char *place;        /* (nullable): layer and head, told in the readout beside the pointer */
  gsize token_input;
  AttnTokenLines token_lines;
  gssize token;   /* index of the token pointed at in the text of its input; -1 for none */
  AttnLine label; /* row or column whose label is pointed at */

  /* The pointer, in widget pixels */
  gboolean has_pointer;
  double pointer_x;
  double pointer_y;
  AttnDrag drag;
  gboolean has_moved; /* whether the pointer has moved too far for a click */
  double drag_x;      /* x where the button was pressed */
  double drag_y;
  AttnScale bar;       /* scale of the colour bar that is dragged */
  double bar_position; /* place on the colour bar where the drag began, 0 to 1 */
  double bar_length;   /* length of the colour bar in widget pixels, below 0 for an upright bar */
};

extern guint attn_reading_signals[ATTN_READING_N_SIGNALS];

static inline gsize
attn_count_panels (const AttnGrid *grid)
{
  return grid != NULL ? grid->n_rows * grid->n_columns : 0;
}

gsize attn_reading_count_lines (const AttnPanel *panel, gboolean is_column);
gboolean attn_reading_is_along (AttnTokenLines lines, gboolean is_column);
AttnCellCursor attn_line_get_visible_cell (const AttnGrid *grid, const AttnLine *line);
void attn_reading_carry (AttnReading *self, const AttnGrid *before, const AttnGrid *after);
void attn_reading_emit (AttnReading *self, guint signal);
void attn_reading_update_hit (AttnReading *self);
void attn_reading_tell_cursor (AttnReading *self);
void attn_reading_tell_edit (AttnReading *self, gboolean has_edit, const AttnRegionEdit *edit);
void attn_reading_tell_picked (AttnReading *self);
void attn_reading_tell_views (AttnReading *self, gboolean has_changed);
void attn_reading_choose_line (AttnReading *self, int group, gboolean is_column,
                               gsize index, AttnChoice choice);
void attn_reading_set_maximized (AttnReading *self, int group);
void attn_reading_fit (AttnReading *self);
void attn_reading_go_to_line (AttnReading *self, AttnCellCursor cursor, gboolean is_column,
                              AttnChoice choice);

G_END_DECLS
