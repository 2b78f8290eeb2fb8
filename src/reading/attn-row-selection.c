/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-row-selection.h"

#include "attn-index-set.h"

AttnRowSelection *
attn_row_selection_new (void)
{
  AttnRowSelection *selection = g_new0 (AttnRowSelection, 1);

  selection->group = -1;
  selection->rows = g_array_new (FALSE, FALSE, sizeof (gsize));
  return selection;
}

void
attn_row_selection_free (AttnRowSelection *selection)
{
  g_array_unref (selection->rows);
  g_free (selection);
}

static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  gsize first = *(const gsize *) a;
  gsize second = *(const gsize *) b;

  return (first > second) - (first < second);
}

/**
 * attn_row_selection_choose:
 * @group: index of a panel; if rows of another are chosen, they no longer are
 * @row: one of its rows
 * @choice: what becomes of it and of the rows that are chosen
 */
void
attn_row_selection_choose (AttnRowSelection *selection,
                           int               group,
                           gsize             row,
                           AttnChoice        choice)
{
  GArray *rows = selection->rows;
  guint place;
  gboolean is_chosen = g_array_binary_search (rows, &row, compare_rows, &place);

  if (group != selection->group)
    choice = ATTN_CHOICE_ONE;
  if (choice == ATTN_CHOICE_KEEP && is_chosen)
    return;
  if (choice == ATTN_CHOICE_TOGGLE && is_chosen)
    g_array_remove_index (rows, place);
  else if (choice == ATTN_CHOICE_TOGGLE)
    {
      g_array_append_val (rows, row);
      g_array_sort (rows, compare_rows);
    }
  else
    {
      gsize anchor = choice == ATTN_CHOICE_EXTEND ? selection->anchor : row;

      g_array_set_size (rows, 0);
      for (gsize i = MIN (anchor, row); i <= MAX (anchor, row); i++)
        g_array_append_val (rows, i);
    }
  if (choice != ATTN_CHOICE_EXTEND)
    selection->anchor = row;
  selection->group = rows->len > 0 ? group : -1;
}

/**
 * attn_row_selection_limit:
 * @n_rows: how many rows the panel has
 *
 * The rows beyond are no longer chosen.
 */
void
attn_row_selection_limit (AttnRowSelection *selection,
                          gsize             n_rows)
{
  GArray *rows = selection->rows;

  while (rows->len > 0 && g_array_index (rows, gsize, rows->len - 1) >= n_rows)
    g_array_set_size (rows, rows->len - 1);
  if (rows->len == 0)
    selection->group = -1;
}

/**
 * attn_row_selection_to_string:
 * @positions: (nullable): where each row of the panel stands in the input, ascending; %NULL where
 *   that is its index
 *
 * Returns: (transfer full): as attn_index_set_parse() reads it, "1,4-6"
 */
char *
attn_row_selection_to_string (const AttnRowSelection *selection,
                              const gsize            *positions)
{
  const GArray *rows = selection->rows;
  gsize last = rows->len > 0 ? g_array_index (rows, gsize, rows->len - 1) : 0;
  gsize n = rows->len > 0 ? (positions != NULL ? positions[last] : last) + 1 : 0;
  g_autofree gboolean *is_chosen = g_new0 (gboolean, n);

  for (guint i = 0; i < rows->len; i++)
    {
      gsize row = g_array_index (rows, gsize, i);

      is_chosen[positions != NULL ? positions[row] : row] = TRUE;
    }
  g_autoptr (AttnIndexSet) set = attn_index_set_new_from_flags (is_chosen, n);
  return set != NULL ? attn_index_set_to_string (set) : g_strdup ("");
}
