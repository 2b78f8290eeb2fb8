/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading of a figure: its visible part, the current cell, selected rows and tokens, and the
 * regions. A cell, row or column is read if the window tells its numbers, and chosen if it was
 * clicked or gone to by keys. A widget draws the figure and passes on input from pointer and
 * keyboard; other widgets listen to the signals. */

#pragma once

#include <gio/gio.h>

#include "attn-region-tool.h"
#include "attn-selection.h"
#include "attn-stage.h"
#include "attn-token-search.h"

G_BEGIN_DECLS

/**
 * AttnReadingTool:
 * @ATTN_READING_TOOL_MOVE: moves the visible part of a panel
 * @ATTN_READING_TOOL_ZOOM: draws a rectangle to zoom to
 * @ATTN_READING_TOOL_REGION: draws, moves and resizes regions
 *
 * What dragging does.
 */
typedef enum
{
  ATTN_READING_TOOL_MOVE,
  ATTN_READING_TOOL_ZOOM,
  ATTN_READING_TOOL_REGION,
} AttnReadingTool;

/**
 * AttnCommand:
 * @ATTN_COMMAND_ZOOM: zooms by a factor, at the pointer; at the cursor if the keyboard was used
 *   last or the pointer is on no panel
 * @ATTN_COMMAND_ZOOM_AT_POINTER: zooms by a factor, at the pointer; about the middle if the pointer
 *   is on no panel
 * @ATTN_COMMAND_PAN: moves the visible part by fractions of it
 * @ATTN_COMMAND_FIT: shows the whole of all panels
 * @ATTN_COMMAND_PIXELS: shows cells of a whole number of device pixels: one value, one pixel where
 *   there are more cells than pixels
 * @ATTN_COMMAND_MAXIMIZE: shows the panel under the pointer, that of the cursor or the first alone,
 *   or all panels again
 * @ATTN_COMMAND_LINK: shows the same part of all panels, or with 0 lets each panel move by itself
 * @ATTN_COMMAND_BACK: shows the view that was shown before
 * @ATTN_COMMAND_FORWARD: shows the view again that going back has left
 * @ATTN_COMMAND_MOVE: moves the cursor within its panel, by rows and columns
 * @ATTN_COMMAND_EXTEND: moves the cursor and chooses the rows on the way
 * @ATTN_COMMAND_PAGE: moves the cursor by as many rows as are shown, less one
 * @ATTN_COMMAND_PANEL: moves the cursor by so many panels
 * @ATTN_COMMAND_PANEL_ROW: moves the cursor by so many rows of panels
 * @ATTN_COMMAND_TOGGLE_ROW: chooses the row of the cursor, or drops it if it is chosen
 * @ATTN_COMMAND_PIN: asks for the cell that is read to be pinned, or for its pin to be removed
 * @ATTN_COMMAND_REMOVE: asks for the picked region to be removed, or the pin or region that holds
 *   the cursor
 * @ATTN_COMMAND_ACTIVATE: opens the head of an overview or pins the cell; while regions are
 *   drawn, sets a corner of one
 * @ATTN_COMMAND_MENU: asks for the menu of the cell of the cursor
 * @ATTN_COMMAND_ESCAPE: leaves what was entered last: a region or rectangle that is being drawn, a
 *   tool, the maximised panel, or the chosen cells
 *
 * What a key or an entry of a menu does.
 */
typedef enum
{
  ATTN_COMMAND_ZOOM,
  ATTN_COMMAND_ZOOM_AT_POINTER,
  ATTN_COMMAND_PAN,
  ATTN_COMMAND_FIT,
  ATTN_COMMAND_PIXELS,
  ATTN_COMMAND_MAXIMIZE,
  ATTN_COMMAND_LINK,
  ATTN_COMMAND_BACK,
  ATTN_COMMAND_FORWARD,
  ATTN_COMMAND_MOVE,
  ATTN_COMMAND_EXTEND,
  ATTN_COMMAND_PAGE,
  ATTN_COMMAND_PANEL,
  ATTN_COMMAND_PANEL_ROW,
  ATTN_COMMAND_TOGGLE_ROW,
  ATTN_COMMAND_PIN,
  ATTN_COMMAND_REMOVE,
  ATTN_COMMAND_ACTIVATE,
  ATTN_COMMAND_MENU,
  ATTN_COMMAND_ESCAPE,
} AttnCommand;

/**
 * AttnTokenLines:
 * @ATTN_TOKEN_OF_BOTH: the tokens are queries and keys
 * @ATTN_TOKEN_OF_ROWS: rows alone: queries that look at another sequence
 * @ATTN_TOKEN_OF_COLUMNS: columns alone: keys that another sequence looks at
 * @ATTN_TOKEN_OF_NEITHER: tokens that stand in no panel
 *
 * The places in its panels of the tokens that are written beside an input.
 */
typedef enum
{
  ATTN_TOKEN_OF_BOTH,
  ATTN_TOKEN_OF_ROWS,
  ATTN_TOKEN_OF_COLUMNS,
  ATTN_TOKEN_OF_NEITHER,
} AttnTokenLines;

/**
 * AttnLine:
 * @group: index of a panel; -1 for no line
 * @is_column: %TRUE for a column of the panel, %FALSE for a row
 * @index: of the column or row in the panel
 */
typedef struct
{
  int group;
  gboolean is_column;
  gsize index;
} AttnLine;

#define ATTN_LINE_NONE ((AttnLine) { -1, FALSE, 0 })

static inline gboolean
attn_line_equal (const AttnLine *a,
                 const AttnLine *b)
{
  return a->group == b->group && a->is_column == b->is_column && a->index == b->index;
}

/* Returns the cell where a row or column meets the column or row with the index @across. */
static inline AttnCellCursor
attn_line_cross (const AttnLine *line,
                 gsize           across)
{
  return (AttnCellCursor) { line->group, line->is_column ? across : line->index,
                            line->is_column ? line->index : across };
}

/**
 * AttnReadingState:
 * @grid: (nullable): all panels, whether one of them is maximised or not
 * @hit: (nullable): the cell that is read: that under the pointer, one of the token that is pointed
 *   at in its text, or that of the cursor if the keyboard was used last or the pointer is on none
 * @cursor: the cell that was clicked or gone to by keys
 * @selection: the rows or columns that are read together
 * @search: (nullable): what attn_reading_search() has found
 * @views: which part of each panel is shown
 * @regions: which region is picked, and which is being drawn
 * @tool: what dragging does
 * @place: (nullable): the layer and head that are shown, "" where the panels say it; %NULL for no
 *   readout beside the pointer
 * @token: the token of input @token_input that is pointed at in the text of that input; -1 for none
 * @token_lines: where the tokens of that input stand in the panels
 * @label: the row or column whose label is under the pointer
 * @is_pointed: whether the pointer is on the cell that is read, and drags nothing
 * @x: where the pointer is then, in widget pixels
 *
 * A value that borrows its members: these are valid until the reading changes.
 */
typedef struct
{
  AttnGrid *grid;
  const AttnHit *hit;
  AttnCellCursor cursor;
  const AttnSelection *selection;
  const AttnTokenSearch *search;
  const AttnViews *views;
  const AttnRegionTool *regions;
  AttnReadingTool tool;
  const char *place;
  gsize token_input;
  gssize token;
  AttnTokenLines token_lines;
  AttnLine label;
  gboolean is_pointed;
  double x;
  double y;
} AttnReadingState;

#define ATTN_TYPE_READING (attn_reading_get_type ())
G_DECLARE_FINAL_TYPE (AttnReading, attn_reading, ATTN, READING, GObject)

AttnReading      *attn_reading_new            (void);
void              attn_reading_set_figure     (AttnReading          *reading,
                                               AttnGrid             *grid,
                                               const AttnStyle      *style);
void              attn_reading_arrange        (AttnReading          *reading,
                                               GArray               *order);
gboolean          attn_reading_is_arranged    (const AttnReading    *reading);
gboolean          attn_reading_show_baseline  (AttnReading          *reading,
                                               gboolean              is_shown);
void              attn_reading_set_screen     (AttnReading          *reading,
                                               const AttnScreen     *screen);
void              attn_reading_load           (AttnReading          *reading,
                                               GPtrArray            *missing);
AttnReadingState  attn_reading_get            (AttnReading          *reading);
AttnPlaces        attn_reading_get_places     (AttnReading          *reading);

/* The cell that is read */
void              attn_reading_set_cursor     (AttnReading          *reading,
                                               const AttnCellCursor *cursor);
gboolean          attn_reading_find_token     (const AttnGrid       *grid,
                                               int                   group,
                                               gsize                 input,
                                               gssize                token,
                                               gboolean              is_column,
                                               gsize                *index);
gboolean          attn_reading_find_line      (const AttnReadingState *state,
                                               int                   group,
                                               gboolean              is_column,
                                               gsize                *index);
int               attn_reading_find_panel     (const AttnReadingState *state,
                                               gsize                 input);
AttnLine          attn_reading_get_kept       (const AttnReadingState *state);
gboolean          attn_reading_find_pointed_cell (const AttnReadingState *state,
                                               AttnCellCursor       *cell);
AttnLine          attn_reading_get_line       (const AttnReadingState *state);
gboolean          attn_reading_keeps_token    (const AttnReadingState *state,
                                               gsize                 input,
                                               AttnTokenLines        lines,
                                               gsize                 token);
void              attn_reading_let_go         (AttnReading          *reading);
void              attn_reading_point_token    (AttnReading          *reading,
                                               gsize                 input,
                                               AttnTokenLines        lines,
                                               gssize                token);
void              attn_reading_choose_tokens  (AttnReading          *reading,
                                               gsize                 input,
                                               AttnTokenLines        lines,
                                               gsize                 first,
                                               gsize                 last);
gboolean          attn_reading_has_chosen     (AttnReading          *reading,
                                               gsize                 input,
                                               AttnTokenLines        lines,
                                               gsize                 token);
void              attn_reading_search         (AttnReading          *reading,
                                               const char           *text);
gsize             attn_reading_count_found    (AttnReading          *reading,
                                               gsize                *n_panels);
gsize             attn_reading_search_step    (AttnReading          *reading,
                                               int                   direction);

/* The views */
void              attn_reading_set_views      (AttnReading          *reading,
                                               const AttnViewport   *shared,
                                               const GArray         *own);
gboolean          attn_reading_has_been_at    (AttnReading          *reading,
                                               const AttnStudy      *place);
void              attn_reading_set_place      (AttnReading          *reading,
                                               const AttnStudy      *study);
void              attn_reading_set_readout    (AttnReading          *reading,
                                               const char           *place);

/* Pins and regions */
void              attn_reading_set_tool       (AttnReading          *reading,
                                               AttnReadingTool        tool);
void              attn_reading_pick           (AttnReading          *reading,
                                               int                   group,
                                               gsize                 index);
void              attn_reading_drop_pending   (AttnReading          *reading);

/* Commands on the figure from keyboard, menus and pointer */
gboolean          attn_reading_can            (AttnReading          *reading,
                                               AttnCommand           command);
gboolean          attn_reading_do             (AttnReading          *reading,
                                               AttnCommand           command,
                                               double                down,
                                               double                right);
void              attn_reading_point          (AttnReading          *reading,
                                               gboolean              has_pointer,
                                               double                x,
                                               double                y);
const char       *attn_reading_get_pointer_name (AttnReading        *reading);
void              attn_reading_click          (AttnReading          *reading,
                                               double                x,
                                               double                y,
                                               AttnChoice            choice);
void              attn_reading_double_click   (AttnReading          *reading,
                                               double                x,
                                               double                y);
void              attn_reading_menu_click     (AttnReading          *reading,
                                               double                x,
                                               double                y);
void              attn_reading_press          (AttnReading          *reading,
                                               double                x,
                                               double                y,
                                               gboolean              zooms);
void              attn_reading_drag           (AttnReading          *reading,
                                               double                dx,
                                               double                dy);
void              attn_reading_release        (AttnReading          *reading,
                                               gboolean              is_kept);
gboolean          attn_reading_is_coasting    (AttnReading          *reading);
gboolean          attn_reading_coast          (AttnReading          *reading,
                                               double                elapsed);
void              attn_reading_pinch          (AttnReading          *reading,
                                               double                factor,
                                               double                x,
                                               double                y);
gboolean          attn_reading_get_band       (AttnReading          *reading,
                                               AttnRectangle        *band);

G_END_DECLS
