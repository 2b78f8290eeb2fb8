/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-reading-private.h"

/* Counts the rows or columns of a panel. @panel: (nullable) */
gsize
attn_reading_count_lines (const AttnPanel *panel,
                          gboolean         is_column)
{
  return panel == NULL ? 0
         : is_column   ? attn_panel_get_n_columns (panel)
                       : attn_panel_get_n_rows (panel);
}

/* Returns the cell of a row or column that is visible even under a causal mask: the row's cell of
 * the first key, or the column's cell of the last query. */
AttnCellCursor
attn_line_get_visible_cell (const AttnGrid *grid,
                            const AttnLine *line)
{
  const AttnPanel *panel = attn_cell_cursor_get_panel (grid, line->group);

  return attn_line_cross (line, line->is_column ? attn_panel_get_n_rows (panel) - 1 : 0);
}

static gsize
get_position (const AttnPanel *panel,
              gboolean         is_column,
              gsize            index)
{
  return is_column ? attn_panel_get_column_position (panel, index)
                   : attn_panel_get_row_position (panel, index);
}

/**
 * attn_reading_find_token:
 * @group: index of a panel
 * @input: index of an input
 * @token: index of a token of that input
 * @index: (out): index of the row, or of the column if @is_column
 *
 * Returns: whether the panel has a row, or a column, of that token
 */
gboolean
attn_reading_find_token (const AttnGrid *grid,
                         int             group,
                         gsize           input,
                         gssize          token,
                         gboolean        is_column,
                         gsize          *index)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (grid, group);

  /* Rows or columns that have their own title do not correspond to tokens. */
  if (panel == NULL || grid->cells[group].input != input ||
      (is_column ? grid->column_title : grid->row_title) != NULL)
    return FALSE;
  for (gsize i = 0; i < attn_reading_count_lines (panel, is_column); i++)
    if (get_position (panel, is_column, i) == (gsize) token)
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

/* Tells whether tokens have rows in the panels or, if @is_column, columns. @lines: whether tokens
 * are rows, columns or both */
gboolean
attn_reading_is_along (AttnTokenLines lines,
                       gboolean       is_column)
{
  return lines == ATTN_TOKEN_OF_BOTH ||
         lines == (is_column ? ATTN_TOKEN_OF_COLUMNS : ATTN_TOKEN_OF_ROWS);
}

/**
 * attn_reading_find_line:
 *
 * Returns: whether the panel has a row, or a column, of the token that is pointed at in the text of
 *   its input
 */
gboolean
attn_reading_find_line (const AttnReadingState *state,
                        int                     group,
                        gboolean                is_column,
                        gsize                  *index)
{
  return attn_reading_is_along (state->token_lines, is_column) &&
         attn_reading_find_token (state->grid, group, state->token_input, state->token, is_column,
                                  index);
}

static gboolean
is_of_input (const AttnGrid *grid,
             int             group,
             gsize           input)
{
  return attn_cell_cursor_get_panel (grid, group) != NULL && grid->cells[group].input == input;
}

/**
 * attn_reading_find_panel:
 * @input: index of an input
 *
 * Returns: the panel of that input that is maximised or was read last; if neither is of that input,
 *   its first panel, one outside the column of baselines if there is one; -1 if the input has no
 *   panel
 */
int
attn_reading_find_panel (const AttnReadingState *state,
                         gsize                   input)
{
  int group = state->views->maximized >= 0 ? state->views->maximized : state->cursor.group;

  int first = -1;

  if (is_of_input (state->grid, group, input))
    return group;
  for (group = 0; group < (int) attn_count_panels (state->grid); group++)
    {
      if (!is_of_input (state->grid, group, input))
        continue;
      if (!state->grid->has_baseline_column || group % (int) state->grid->n_columns > 0)
        return group;
      first = first < 0 ? group : first;
    }
  return first;
}

/* Returns the row of the token that is pointed at in the text of its input, or its column if it has
 * no row. */
static AttnLine
get_line_of_token (const AttnReadingState *state)
{
  AttnLine line = { attn_reading_find_panel (state, state->token_input), FALSE, 0 };

  for (guint i = 0; i < 2; i++)
    {
      line.is_column = i == 1;
      if (attn_reading_find_line (state, line.group, line.is_column, &line.index))
        return line;
    }
  return ATTN_LINE_NONE;
}

/* Returns the row or column under the pointer, by its label or by a cell. */
static AttnLine
get_line_of_pointer (const AttnReadingState *state)
{
  if (state->label.group >= 0)
    return state->label;
  if (state->is_pointed && state->hit != NULL)
    return (AttnLine) { state->hit->group, FALSE, state->hit->row };
  return ATTN_LINE_NONE;
}

/* Returns the only row or column that is chosen; none if several are. */
static AttnLine
get_chosen (const AttnReadingState *state)
{
  const AttnSelection *selection = state->selection;

  return selection->indices->len == 1
             ? (AttnLine) { selection->group, selection->is_column,
                            g_array_index (selection->indices, gsize, 0) }
             : ATTN_LINE_NONE;
}

/**
 * attn_reading_get_kept:
 *
 * Returns: the row or column that was chosen by a click on its label, or on its token in the text,
 *   not by one on its cells; its group is -1 if there is none
 */
AttnLine
attn_reading_get_kept (const AttnReadingState *state)
{
  return state->selection->is_kept ? get_chosen (state) : ATTN_LINE_NONE;
}

/**
 * attn_reading_keeps_token:
 *
 * Returns: whether the row or column that is kept, see [func@attn_reading_get_kept], belongs to a
 * token
 */
gboolean
attn_reading_keeps_token (const AttnReadingState *state,
                          gsize                   input,
                          AttnTokenLines          lines,
                          gsize                   token)
{
  AttnReadingState pointed = *state;

  pointed.token_input = input;
  pointed.token_lines = lines;
  pointed.token = (gssize) token;
  AttnLine kept = attn_reading_get_kept (state);
  AttnLine line = get_line_of_token (&pointed);
  return kept.group >= 0 && attn_line_equal (&kept, &line);
}

/**
 * attn_reading_find_pointed_cell:
 * @cell: (out): in the row or column that is kept, the cell of the token that is pointed at in the
 *   text
 *
 * Returns: whether there is such a cell: while a token is kept, the attention between it and others
 *   is read by pointing at these
 */
gboolean
attn_reading_find_pointed_cell (const AttnReadingState *state,
                                AttnCellCursor         *cell)
{
  AttnLine line = attn_reading_get_kept (state);
  gsize across;

  if (state->token < 0 || line.group < 0 ||
      !attn_reading_find_line (state, line.group, !line.is_column, &across))
    return FALSE;
  *cell = attn_line_cross (&line, across);
  return TRUE;
}

/**
 * attn_reading_get_line:
 *
 * Returns: the row or column that is read: that of the token that is pointed at in the text, unless
 *   a row or column is kept that has a cell of this token; else that of the label or the cell under
 *   the pointer; else the one that is chosen. Its group is -1 if there is none, or if several are
 *   chosen
 */
AttnLine
attn_reading_get_line (const AttnReadingState *state)
{
  AttnCellCursor cell;
  AttnLine line = attn_reading_find_pointed_cell (state, &cell) ? get_chosen (state)
                  : state->token >= 0                           ? get_line_of_token (state)
                                                                : get_line_of_pointer (state);

  if (line.group < 0 && state->token < 0)
    line = get_chosen (state);
  /* The figure may have changed since the pointer was at the row, and have fewer rows. */
  AttnPanel *panel = attn_cell_cursor_get_panel (state->grid, line.group);
  return line.index < attn_reading_count_lines (panel, line.is_column) ? line : ATTN_LINE_NONE;
}

/* --- Changes to another figure ---------------------------------------------------------------- */

static gboolean
is_like (const AttnGrid *before,
         const AttnGrid *after,
         int             group,
         int             other)
{
  const AttnGridCell *a = &before->cells[group];
  const AttnGridCell *b = attn_cell_cursor_get_cell (after, other);

  return b != NULL && a->input == b->input && (a->image != NULL) == (b->image != NULL) &&
         (a->cell_names != NULL) == (b->cell_names != NULL);
}

/* Returns the index of the panel that takes the place of another in a new figure: the one at the
 * same place if the grids have the same size, or else the one of the same name; -1 if there is
 * none. */
static int
carry_panel (const AttnGrid *before,
             const AttnGrid *after,
             int             group)
{
  if (attn_cell_cursor_get_panel (before, group) == NULL)
    return -1;
  if (before->n_rows == after->n_rows && before->n_columns == after->n_columns)
    return is_like (before, after, group, group) ? group : -1;
  for (int i = 0; i < (int) attn_count_panels (after); i++)
    if (is_like (before, after, group, i) &&
        g_strcmp0 (before->cells[group].name, after->cells[i].name) == 0)
      return i;
  return -1;
}

/* Finds the row or column of a token in another panel or, if that has none, the one of the token
 * before it. Returns %FALSE if the rows or columns of the figures are of different kinds. */
static gboolean
carry_line (const AttnGrid *before,
            const AttnGrid *after,
            AttnPanel      *panel,
            AttnPanel      *other,
            gboolean        is_column,
            gsize          *index)
{
  const char *title = is_column ? before->column_title : before->row_title;
  gsize n = attn_reading_count_lines (other, is_column);
  gsize position, found = 0;

  if (g_strcmp0 (title, is_column ? after->column_title : after->row_title) != 0)
    return FALSE;
  if (title != NULL)
    return attn_reading_count_lines (panel, is_column) == n;
  if (*index >= attn_reading_count_lines (panel, is_column) || n == 0)
    return FALSE;
  position = get_position (panel, is_column, *index);
  for (gsize i = 0; i < n; i++)
    {
      gsize place = get_position (other, is_column, i);

      if (place == position)
        {
          *index = i;
          return TRUE;
        }
      if (place < position)
        found = i;
    }
  *index = found;
  return TRUE;
}

static gboolean
carry_cursor (const AttnGrid *before,
              const AttnGrid *after,
              AttnCellCursor *cursor)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (before, cursor->group);
  int group = carry_panel (before, after, cursor->group);
  AttnPanel *other = attn_cell_cursor_get_panel (after, group);

  if (other == NULL || !carry_line (before, after, panel, other, FALSE, &cursor->row) ||
      !carry_line (before, after, panel, other, TRUE, &cursor->column))
    return FALSE;
  cursor->group = group;
  return TRUE;
}

static gboolean
carry_selection (const AttnGrid *before,
                 const AttnGrid *after,
                 AttnSelection  *selection)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (before, selection->group);
  int group = carry_panel (before, after, selection->group);
  AttnPanel *other = attn_cell_cursor_get_panel (after, group);
  GArray *indices = selection->indices;
  guint n = 0;

  for (guint i = 0; other != NULL && i < indices->len; i++)
    {
      gsize index = g_array_index (indices, gsize, i);

      if (!carry_line (before, after, panel, other, selection->is_column, &index))
        return FALSE;
      if (n == 0 || index > g_array_index (indices, gsize, n - 1))
        g_array_index (indices, gsize, n++) = index;
    }
  g_array_set_size (indices, n);
  selection->group = n > 0 ? group : -1;
  return n > 0 && carry_line (before, after, panel, other, selection->is_column,
                              &selection->anchor);
}

/**
 * attn_reading_carry:
 * @before: (nullable): the panels until now
 * @after: (nullable): the panels in their place
 *
 * Moves the cursor and the chosen rows or columns to the new figure, so that the same tokens go on
 * being read. Where panels, rows or columns are of another kind, nothing is chosen any more.
 */
void
attn_reading_carry (AttnReading    *self,
                    const AttnGrid *before,
                    const AttnGrid *after)
{
  if (before == NULL || after == NULL)
    return;
  if (!carry_cursor (before, after, &self->cursor))
    self->cursor = ATTN_CELL_CURSOR_NONE;
  if (!carry_selection (before, after, self->selection))
    attn_selection_limit (self->selection, 0);
}
