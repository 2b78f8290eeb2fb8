/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-token-search.h"

#include <string.h>

#define SPACE "␣" /* sign for a space in a token's label, as attn_label_new() writes it */

struct _AttnTokenSearch
{
  AttnGrid *grid;
  GPtrArray *panels; /* (element-type gboolean): for each panel, which of its [columns + rows]
                      * match */
};

static char *
fold (const char *text)
{
  GString *spaced = g_string_new (text);
  g_string_replace (spaced, " ", SPACE, 0);
  g_autofree char *label = g_string_free (spaced, FALSE);
  g_autofree char *folded = g_utf8_casefold (label, -1);

  return g_utf8_normalize (folded, -1, G_NORMALIZE_ALL);
}

static void
match_labels (const char * const *labels,
              gsize               n,
              const char         *needle,
              gboolean           *matches)
{
  for (gsize i = 0; labels != NULL && i < n; i++)
    {
      g_autofree char *label = fold (labels[i]);

      matches[i] = label != NULL && strstr (label, needle) != NULL;
    }
}

/**
 * attn_token_search_new:
 * @grid: the panels
 * @text: what to look for, in whichever case; a space finds that of a token, "␣"
 *
 * Returns: (transfer full) (nullable): what was found, perhaps nothing; %NULL if @text is empty
 */
AttnTokenSearch *
attn_token_search_new (AttnGrid   *grid,
                       const char *text)
{
  g_autofree char *needle = fold (text);

  if (grid == NULL || needle == NULL || *needle == '\0')
    return NULL;

  AttnTokenSearch *search = g_new0 (AttnTokenSearch, 1);
  search->grid = attn_grid_ref (grid);
  search->panels = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      AttnPanel *panel = grid->cells[i].panel;
      gsize n_rows = panel != NULL ? attn_panel_get_n_rows (panel) : 0;
      gsize n_columns = panel != NULL ? attn_panel_get_n_columns (panel) : 0;
      gboolean *matches = g_new0 (gboolean, n_columns + n_rows);

      g_ptr_array_add (search->panels, matches);
      if (panel == NULL)
        continue;
      match_labels (attn_panel_get_column_labels (panel), n_columns, needle, matches);
      match_labels (attn_panel_get_row_labels (panel), n_rows, needle, matches + n_columns);
    }
  return search;
}

void
attn_token_search_free (AttnTokenSearch *search)
{
  g_ptr_array_unref (search->panels);
  attn_grid_unref (search->grid);
  g_free (search);
}

/**
 * attn_token_search_has:
 * @group: index of a panel
 * @is_row: whether @index is that of a row, otherwise that of a column
 *
 * Returns: whether its token holds the text
 */
gboolean
attn_token_search_has (const AttnTokenSearch *search,
                       int                    group,
                       gboolean               is_row,
                       gsize                  index)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (search->grid, group);

  if (panel == NULL ||
      index >= (is_row ? attn_panel_get_n_rows (panel) : attn_panel_get_n_columns (panel)))
    return FALSE;
  if (is_row)
    index += attn_panel_get_n_columns (panel);
  return ((const gboolean *) search->panels->pdata[group])[index];
}

/* Tells whether a column or row of a panel is a search result. Places count its columns, then its
 * rows; a row is left out if the column of the same token is a result. */
static gboolean
is_place (const AttnTokenSearch *search,
          int                    group,
          gsize                  place,
          gsize                  n_columns)
{
  if (place < n_columns)
    return attn_token_search_has (search, group, FALSE, place);
  return attn_token_search_has (search, group, TRUE, place - n_columns) &&
         !attn_token_search_has (search, group, FALSE, place - n_columns);
}

static gsize
count_up_to (const AttnTokenSearch *search,
             int                    group,
             gsize                  end)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (search->grid, group);
  gsize n = 0;

  for (gsize place = 0; panel != NULL && place < end; place++)
    n += is_place (search, group, place, attn_panel_get_n_columns (panel));
  return n;
}

/**
 * attn_token_search_count:
 *
 * Returns: how many tokens of a panel were found; a token that is a row and the column of the same
 *   index counts once
 */
gsize
attn_token_search_count (const AttnTokenSearch *search,
                         int                    group)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (search->grid, group);

  if (panel == NULL)
    return 0;
  return count_up_to (search, group,
                      attn_panel_get_n_rows (panel) + attn_panel_get_n_columns (panel));
}

/**
 * attn_token_search_count_panels:
 *
 * Returns: in how many panels a token was found
 */
gsize
attn_token_search_count_panels (const AttnTokenSearch *search)
{
  gsize n = 0;

  for (guint i = 0; i < search->panels->len; i++)
    n += attn_token_search_count (search, (int) i) > 0;
  return n;
}

/* Finds the next panel with results, beginning with @group. After the last panel the search
 * continues with the first. Returns: the index of that panel, -1 if no panel has results */
static int
find_panel (const AttnTokenSearch *search,
            int                    group,
            int                    direction)
{
  int n = (int) search->panels->len;
  int step = direction < 0 ? n - 1 : 1;

  for (int i = 0; i < n; i++, group = (group + step) % n)
    if (attn_token_search_count (search, group) > 0)
      return group;
  return -1;
}

/**
 * attn_token_search_step:
 * @cursor: the cell to go on from; without a position, the search begins with panel @first
 * @direction: 1 for the next, -1 for the one before
 * @place: (out): the number of the token among those found in its panel, from 1; 0 if none was
 *   found in any panel
 *
 * Returns: the cursor on a token that was found: in its column, and in its row where that is the
 *   same token; at the end of the panel the search begins anew. If nothing was found in the
 *   cursor's panel, the next panel with a result is used.
 */
AttnCellCursor
attn_token_search_step (const AttnTokenSearch *search,
                        AttnCellCursor         cursor,
                        int                    first,
                        int                    direction,
                        gsize                 *place)
{
  gboolean is_nowhere = attn_cell_cursor_get_panel (search->grid, cursor.group) == NULL;

  if (is_nowhere)
    direction = 1;
  *place = 0;
  int group = find_panel (search, is_nowhere ? first : cursor.group, direction);
  if (group < 0)
    return is_nowhere ? ATTN_CELL_CURSOR_NONE : cursor;

  AttnPanel *panel = attn_cell_cursor_get_panel (search->grid, group);
  gsize n_columns = attn_panel_get_n_columns (panel);
  gsize n = attn_panel_get_n_rows (panel) + n_columns;
  gsize step = direction < 0 ? n - 1 : 1;
  gsize at;

  if (is_nowhere || group != cursor.group)
    {
      cursor = (AttnCellCursor) { group, 0, 0 };
      at = direction < 0 ? n - 1 : 0;
    }
  else if (is_place (search, group, cursor.column, n_columns) ||
           !attn_token_search_has (search, group, TRUE, cursor.row))
    at = (cursor.column + step) % n;
  else
    at = (n_columns + cursor.row + step) % n;

  while (!is_place (search, group, at, n_columns))
    at = (at + step) % n;
  if (at >= n_columns)
    cursor.row = at - n_columns;
  else
    {
      cursor.column = at;
      if (attn_token_search_has (search, group, TRUE, at))
        cursor.row = at;
    }
  *place = count_up_to (search, group, at + 1);
  return cursor;
}
