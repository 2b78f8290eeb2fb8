/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses a cell of the figure, and rows and columns that are read together, also by their
 * tokens. */

#include "config.h"

#include "attn-reading-private.h"

/* Scrolls the page of an atlas as far as needed to show a panel. */
static void
show_panel (AttnReading *self,
            int          group)
{
  AttnPlaces places = attn_reading_get_places (self);
  const AttnRectangle *window = &places.window;
  AttnRectangle panel;

  if (!attn_views_has_atlas (places.views) || !attn_places_get_panel (&places, group, &panel))
    return;
  double dx = MIN (panel.x, MAX (panel.x + panel.width - window->width, 0));
  double dy = MIN (panel.y, MAX (panel.y + panel.height - window->height, 0));
  attn_reading_tell_views (self,
                           attn_navigator_pan (&self->navigator, NULL, ATTN_VIEWS_PAGE,
                                               dx / window->width, dy / window->height));
}

/* Moves the cursor to a cell, selects its column or row, and scrolls to it. */
void
attn_reading_go_to_line (AttnReading    *self,
                         AttnCellCursor  cursor,
                         gboolean        is_column,
                         AttnChoice      choice)
{
  if (cursor.group < 0)
    return;
  self->cursor = cursor;
  self->uses_keys = TRUE;
  attn_selection_choose (self->selection, cursor.group, is_column,
                         is_column ? cursor.column : cursor.row, choice);
  attn_reading_tell_views (self,
                           attn_navigator_show_cell (&self->navigator, self->stage.grid, cursor));
  show_panel (self, cursor.group);
  attn_region_tool_stretch (&self->regions, cursor);
  attn_reading_tell_cursor (self);
}

/**
 * attn_reading_set_cursor:
 * @cursor: the cell to go to; indices beyond its panel stand for its last row or column
 *
 * Chooses the row of that cell and no other, and scrolls to the cell if it is not visible.
 */
void
attn_reading_set_cursor (AttnReading          *reading,
                         const AttnCellCursor *cursor)
{
  attn_reading_go_to_line (reading, attn_cell_cursor_move (*cursor, reading->stage.grid, 0, 0),
                           FALSE, ATTN_CHOICE_ONE);
}

/* Tells whether a cell is on a given row or column and not masked. */
static gboolean
is_seen_on (AttnReading    *self,
            const AttnLine *line,
            int             group,
            gsize           row,
            gsize           column)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->stage.grid, line->group);

  return group == line->group && (line->is_column ? column : row) == line->index &&
         row < attn_panel_get_n_rows (panel) && column < attn_panel_get_n_columns (panel) &&
         attn_panel_is_visible (panel, row, column);
}

/* Returns the cell that is read of a row or column once it is chosen: the one that is read already
 * if it is on it; else that of the cursor's other token, the key if it is a row; if neither is
 * visible, the first key or the last query. */
static AttnCellCursor
get_chosen_cell (AttnReading    *self,
                 const AttnLine *line)
{
  AttnCellCursor kept = attn_line_cross (line, line->is_column ? self->cursor.row
                                                               : self->cursor.column);

  if (self->has_read &&
      is_seen_on (self, line, self->read.group, self->read.row, self->read.column))
    return (AttnCellCursor) { self->read.group, self->read.row, self->read.column };
  if (self->cursor.group == line->group &&
      is_seen_on (self, line, kept.group, kept.row, kept.column))
    return kept;
  return attn_line_get_visible_cell (self->stage.grid, line);
}

/* Selects the row or column whose label was clicked. */
void
attn_reading_choose_line (AttnReading *self,
                          int          group,
                          gboolean     is_column,
                          gsize        index,
                          AttnChoice   choice)
{
  const AttnLine line = { group, is_column, index };

  if (attn_cell_cursor_get_panel (self->stage.grid, group) == NULL)
    return;
  self->cursor = get_chosen_cell (self, &line);
  self->uses_keys = FALSE;
  attn_selection_choose (self->selection, group, is_column, index, choice);
  self->selection->is_kept = self->selection->indices->len == 1;
  attn_reading_tell_cursor (self);
}

/**
 * attn_reading_let_go:
 *
 * From now on no cell, row, column or region is chosen.
 */
void
attn_reading_let_go (AttnReading *reading)
{
  reading->cursor = ATTN_CELL_CURSOR_NONE;
  reading->uses_keys = FALSE;
  attn_selection_limit (reading->selection, 0);
  attn_region_tool_pick (&reading->regions, NULL, -1, 0);
  attn_reading_tell_cursor (reading);
}

/**
 * attn_reading_choose_tokens:
 * @input: index of an input
 * @lines: where its tokens stand in the panels
 * @first: index of a token
 * @last: index of another token, or the same
 *
 * Chooses the row of one token, so that its attention to others is read. Chooses the columns of
 * several tokens, whose sum is the attention that these get, or their rows if they are queries
 * alone. The panel is the one that was read last if it is of that input, or else the first that is.
 */
void
attn_reading_choose_tokens (AttnReading    *reading,
                            gsize           input,
                            AttnTokenLines  lines,
                            gsize           first,
                            gsize           last)
{
  gboolean is_column = attn_reading_is_along (lines, TRUE);
  const AttnGrid *grid = reading->stage.grid;
  AttnReadingState state = attn_reading_get (reading);
  int group = attn_reading_find_panel (&state, input);
  gsize index;

  if (first == last && attn_reading_is_along (lines, FALSE) &&
      attn_reading_find_token (grid, group, input, first, FALSE, &index))
    {
      attn_reading_choose_line (reading, group, FALSE, index, ATTN_CHOICE_ONE);
      return;
    }
  /* Rows or columns that the panel does not have are skipped. */
  gboolean is_back = last < first;
  while (first != last && !attn_reading_find_token (grid, group, input, first, is_column, &index))
    first += is_back ? -1 : 1;
  if (!attn_reading_find_token (grid, group, input, first, is_column, &index))
    return;
  attn_reading_choose_line (reading, group, is_column, index, ATTN_CHOICE_ONE);
  while (first != last && !attn_reading_find_token (grid, group, input, last, is_column, &index))
    last += is_back ? 1 : -1;
  if (last != first)
    attn_reading_choose_line (reading, group, is_column, index, ATTN_CHOICE_EXTEND);
}

/**
 * attn_reading_has_chosen:
 *
 * Returns: whether several rows or columns are chosen, and the row or column of a token is among
 * them
 */
gboolean
attn_reading_has_chosen (AttnReading    *reading,
                         gsize           input,
                         AttnTokenLines  lines,
                         gsize           token)
{
  const AttnSelection *selection = reading->selection;
  gsize index;

  return attn_selection_is_several (selection) &&
         attn_reading_is_along (lines, selection->is_column) &&
         attn_reading_find_token (reading->stage.grid, selection->group, input, token,
                                  selection->is_column, &index) &&
         attn_selection_has (selection, index);
}
