/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-selection.h"

#include "attn-index-set.h"

AttnSelection *
attn_selection_new (void)
{
  AttnSelection *selection = g_new0 (AttnSelection, 1);

  selection->group = -1;
  selection->indices = g_array_new (FALSE, FALSE, sizeof (gsize));
  return selection;
}

void
attn_selection_free (AttnSelection *selection)
{
  g_array_unref (selection->indices);
  g_free (selection);
}

static int
compare_indices (gconstpointer a,
                 gconstpointer b)
{
  gsize first = *(const gsize *) a;
  gsize second = *(const gsize *) b;

  return (first > second) - (first < second);
}

/**
 * attn_selection_choose:
 * @group: index of a panel; rows and columns of other panels are no longer chosen
 * @is_column: whether @index is that of a column, not of a row; if columns were chosen and this is
 *   a row, or the reverse, they no longer are
 * @choice: what becomes of that row or column, and of those that were chosen before
 */
void
attn_selection_choose (AttnSelection *selection,
                       int            group,
                       gboolean       is_column,
                       gsize          index,
                       AttnChoice     choice)
{
  GArray *indices = selection->indices;
  guint place;
  gboolean is_chosen = g_array_binary_search (indices, &index, compare_indices, &place);

  if (group != selection->group || is_column != selection->is_column)
    choice = ATTN_CHOICE_ONE;
  if (choice == ATTN_CHOICE_KEEP && is_chosen)
    return;
  if (choice == ATTN_CHOICE_TOGGLE && is_chosen)
    g_array_remove_index (indices, place);
  else if (choice == ATTN_CHOICE_TOGGLE)
    {
      g_array_append_val (indices, index);
      g_array_sort (indices, compare_indices);
    }
  else
    {
      gsize anchor = choice == ATTN_CHOICE_EXTEND ? selection->anchor : index;

      g_array_set_size (indices, 0);
      for (gsize i = MIN (anchor, index); i <= MAX (anchor, index); i++)
        g_array_append_val (indices, i);
    }
  if (choice != ATTN_CHOICE_EXTEND)
    selection->anchor = index;
  selection->is_column = is_column;
  selection->is_kept = FALSE;
  selection->group = indices->len > 0 ? group : -1;
}

/**
 * attn_selection_limit:
 * @n: how many rows, or columns, the panel has
 *
 * Rows, or columns, beyond these are no longer chosen.
 */
void
attn_selection_limit (AttnSelection *selection,
                      gsize          n)
{
  GArray *indices = selection->indices;

  while (indices->len > 0 && g_array_index (indices, gsize, indices->len - 1) >= n)
    g_array_set_size (indices, indices->len - 1);
  if (indices->len == 0)
    selection->group = -1;
  else
    selection->anchor = MIN (selection->anchor, n - 1);
}

gboolean
attn_selection_has (const AttnSelection *selection,
                    gsize                index)
{
  return g_array_binary_search (selection->indices, &index, compare_indices, NULL);
}

/**
 * attn_selection_is_several:
 *
 * Returns: whether columns or several rows are chosen, not just the row of a cell that was clicked
 */
gboolean
attn_selection_is_several (const AttnSelection *selection)
{
  return selection->group >= 0 && (selection->is_column || selection->indices->len > 1);
}

/**
 * attn_selection_to_string:
 * @positions: (nullable): where each row, or column, of the panel stands in the input, ascending
 *   but for %ATTN_PANEL_NO_POSITION, which is passed over; %NULL where that is its index
 *
 * Returns: (transfer full): the positions of what is chosen, as attn_index_set_parse() reads them,
 *   such as "1,4-6"
 */
char *
attn_selection_to_string (const AttnSelection *selection,
                          const gsize         *positions)
{
  const GArray *indices = selection->indices;
  gsize last = indices->len > 0 ? g_array_index (indices, gsize, indices->len - 1) : 0;
  gsize n = indices->len > 0 ? (positions != NULL ? positions[last] : last) + 1 : 0;
  g_autofree gboolean *is_chosen = g_new0 (gboolean, n);

  for (guint i = 0; i < indices->len; i++)
    {
      gsize index = g_array_index (indices, gsize, i);
      gsize position = positions != NULL ? positions[index] : index;

      if (position < n)
        is_chosen[position] = TRUE;
    }
  g_autoptr (AttnIndexSet) set = attn_index_set_new_from_flags (is_chosen, n);
  return set != NULL ? attn_index_set_to_string (set) : g_strdup ("");
}
