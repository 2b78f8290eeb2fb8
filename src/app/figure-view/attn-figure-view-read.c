/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

static void
emit_cursor_changed (AttnFigureView *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  attn_figure_view_request_rows (self);
  attn_figure_view_update_reading (self);
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CURSOR_CHANGED], 0);
}

/* What is read of the new figure: the same places, as far as it has them. */
void
attn_figure_view_keep_reading (AttnFigureView *self)
{
  AttnPanel *panel =
      attn_cell_cursor_get_panel (self->grid, attn_row_selection_get_group (self->selection));

  self->cursor = attn_cell_cursor_move (self->cursor, self->grid, 0, 0);
  if (panel == NULL)
    attn_row_selection_clear (self->selection);
  else
    attn_row_selection_limit (self->selection, attn_panel_get_n_rows (panel));
  g_clear_pointer (&self->search, attn_token_search_free);
  if (self->search_text != NULL)
    self->search = attn_token_search_new (self->grid, self->search_text);
  /* What the hand or the keys are drawing goes on over the new figure. */
  if (attn_cell_cursor_get_panel (self->grid, self->band_group) == NULL)
    self->has_corner = FALSE;
  if (self->is_band_pending || (self->drag != ATTN_FIGURE_DRAG_REGION && !self->has_corner))
    self->has_band = FALSE;
  if (self->has_picked)
    {
      panel = attn_cell_cursor_get_panel (self->grid, self->picked.group);
      self->has_picked =
          panel != NULL && self->picked.region < self->grid->cells[self->picked.group].n_regions;
    }
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CURSOR_CHANGED], 0);
}

/**
 * attn_figure_view_get_cursor:
 *
 * Returns: the cell that was clicked or gone to by keys, of the panels of
 *   attn_figure_view_get_grid()
 */
AttnCellCursor
attn_figure_view_get_cursor (AttnFigureView *view)
{
  return view->cursor;
}

/**
 * attn_figure_view_get_selection:
 *
 * Returns: (transfer none): the rows that are read together
 */
const AttnRowSelection *
attn_figure_view_get_selection (AttnFigureView *view)
{
  return view->selection;
}

/* Goes to a cell and shows it. */
static void
go_to (AttnFigureView *self,
       AttnCellCursor  cursor,
       gboolean        extends)
{
  if (cursor.group < 0)
    return;
  self->cursor = cursor;
  self->reads_cursor = TRUE;
  if (extends)
    attn_row_selection_extend (self->selection, cursor.group, cursor.row);
  else
    attn_row_selection_set (self->selection, cursor.group, cursor.row);
  attn_figure_view_show_cell (self, &cursor);
  attn_figure_view_stretch (self);
  emit_cursor_changed (self);
}

/**
 * attn_figure_view_set_cursor:
 * @cursor: the cell to go to; of indices beyond its panel, the last
 *
 * Chooses its row and no other, and shows the cell if it is not shown.
 */
void
attn_figure_view_set_cursor (AttnFigureView       *view,
                             const AttnCellCursor *cursor)
{
  go_to (view, attn_cell_cursor_move (*cursor, view->grid, 0, 0), FALSE);
}

/* Moves the cursor within its panel; the first time it only appears. */
void
attn_figure_view_move_cursor (AttnFigureView *self,
                              gssize          rows,
                              gssize          columns,
                              gboolean        extends)
{
  AttnCellCursor cursor = self->cursor;

  if (cursor.group >= 0)
    cursor = attn_cell_cursor_move (cursor, self->grid, rows, columns);
  else if (self->views.maximized >= 0)
    cursor = (AttnCellCursor) { self->views.maximized, 0, 0 };
  else if (self->has_hit)
    cursor = (AttnCellCursor) { self->hit.group, self->hit.row, self->hit.column };
  else
    cursor = attn_cell_cursor_move_panel (cursor, self->grid, 1);
  go_to (self, cursor, extends);
}

/* Moves the cursor to the same cell of another panel. FALSE if there is no further one. */
gboolean
attn_figure_view_move_panel (AttnFigureView *self,
                             int             step)
{
  AttnCellCursor cursor = attn_cell_cursor_move_panel (self->cursor, self->grid, step);

  if (attn_cell_cursor_equal (&cursor, &self->cursor))
    return FALSE;
  go_to (self, cursor, FALSE);
  return TRUE;
}

/* A click: alone it chooses the cell and its row, with Ctrl it adds the row or takes it away, with
 * Shift it extends to it. */
void
attn_figure_view_click_cell (AttnFigureView  *self,
                             const AttnHit   *hit,
                             GdkModifierType  state)
{
  self->cursor = (AttnCellCursor) { hit->group, hit->row, hit->column };
  self->reads_cursor = FALSE;
  if ((state & GDK_CONTROL_MASK) != 0)
    attn_row_selection_toggle (self->selection, hit->group, hit->row);
  else if ((state & GDK_SHIFT_MASK) != 0)
    attn_row_selection_extend (self->selection, hit->group, hit->row);
  else
    attn_row_selection_set (self->selection, hit->group, hit->row);
  emit_cursor_changed (self);
}

/* A click that asks what can be done with the cell: rows that are chosen stay so, if its row is
 * among them. */
void
attn_figure_view_point_cell (AttnFigureView *self,
                             const AttnHit  *hit)
{
  if (attn_row_selection_get_group (self->selection) != hit->group ||
      !attn_row_selection_contains (self->selection, hit->row))
    attn_row_selection_set (self->selection, hit->group, hit->row);
  self->cursor = (AttnCellCursor) { hit->group, hit->row, hit->column };
  self->reads_cursor = TRUE;
  emit_cursor_changed (self);
}

/* Adds the row of the cursor or takes it away. */
void
attn_figure_view_toggle_row (AttnFigureView *self)
{
  if (self->cursor.group < 0)
    return;
  attn_row_selection_toggle (self->selection, self->cursor.group, self->cursor.row);
  emit_cursor_changed (self);
}

/**
 * attn_figure_view_clear_reading:
 *
 * Leaves the cursor and the chosen rows.
 */
void
attn_figure_view_clear_reading (AttnFigureView *view)
{
  view->cursor = ATTN_CELL_CURSOR_NONE;
  view->reads_cursor = FALSE;
  view->has_picked = FALSE;
  attn_row_selection_clear (view->selection);
  emit_cursor_changed (view);
}

/* The panel in which tokens are counted: the cursor's, else the first. */
static int
get_searched_panel (AttnFigureView *self)
{
  if (self->cursor.group >= 0)
    return self->cursor.group;
  return attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, self->grid, 1).group;
}

/**
 * attn_figure_view_search:
 * @text: (nullable): what to look for among the tokens; "" or %NULL ends it
 *
 * Marks the rows and columns of the tokens that hold the text, in all panels.
 *
 * Returns: how many tokens of the cursor's panel do
 */
gsize
attn_figure_view_search (AttnFigureView *view,
                         const char     *text)
{
  g_free (view->search_text);
  view->search_text = text != NULL && *text != '\0' ? g_strdup (text) : NULL;
  g_clear_pointer (&view->search, attn_token_search_free);
  if (view->search_text != NULL)
    view->search = attn_token_search_new (view->grid, view->search_text);
  gtk_widget_queue_draw (GTK_WIDGET (view));
  return attn_figure_view_count_found (view, NULL);
}

/**
 * attn_figure_view_count_found:
 * @n_panels: (out) (optional): in how many panels something was found
 *
 * Returns: how many tokens of the cursor's panel were found by attn_figure_view_search()
 */
gsize
attn_figure_view_count_found (AttnFigureView *view,
                              gsize          *n_panels)
{
  if (n_panels != NULL)
    *n_panels = view->search != NULL ? attn_token_search_count_panels (view->search) : 0;
  return view->search != NULL ? attn_token_search_count (view->search, get_searched_panel (view))
                              : 0;
}

/**
 * attn_figure_view_search_step:
 * @direction: 1 for the next token that was found, -1 for the one before
 *
 * Goes there: within its panel, or from a panel without any to the next one that has some.
 *
 * Returns: which of those of its panel it is, from 1; 0 if there is none in any
 */
gsize
attn_figure_view_search_step (AttnFigureView *view,
                              int             direction)
{
  gsize place = 0;

  if (view->search == NULL)
    return 0;

  AttnCellCursor cursor = attn_token_search_step (view->search, view->cursor, direction, &place);
  if (place > 0)
    go_to (view, cursor, FALSE);
  return place;
}
