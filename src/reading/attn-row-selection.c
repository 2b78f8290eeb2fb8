/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-row-selection.h"

struct _AttnRowSelection
{
  int group;    /* -1 while nothing is chosen */
  gsize anchor; /* from which a run of rows is extended */
  GArray *rows; /* (element-type gsize): ascending, each once */
};

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

/* Where @row is or would be. */
static guint
find (const AttnRowSelection *selection,
      gsize                   row)
{
  guint low = 0;
  guint high = selection->rows->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (selection->rows, gsize, middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
contains (const AttnRowSelection *selection,
          gsize                   row)
{
  guint index = find (selection, row);

  return index < selection->rows->len && g_array_index (selection->rows, gsize, index) == row;
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
  gboolean is_chosen = contains (selection, row);

  if (group != selection->group)
    choice = ATTN_CHOICE_ONE;
  if (choice == ATTN_CHOICE_KEEP && is_chosen)
    return;
  if (choice == ATTN_CHOICE_TOGGLE && is_chosen)
    g_array_remove_index (rows, find (selection, row));
  else if (choice == ATTN_CHOICE_TOGGLE)
    g_array_insert_val (rows, find (selection, row), row);
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
  g_array_set_size (selection->rows, find (selection, n_rows));
  if (selection->rows->len == 0)
    selection->group = -1;
}

/**
 * attn_row_selection_get_group:
 *
 * Returns: index of the panel, or -1 where nothing is chosen
 */
int
attn_row_selection_get_group (const AttnRowSelection *selection)
{
  return selection->group;
}

/**
 * attn_row_selection_get_rows:
 * @n_rows: (out)
 *
 * Returns: (transfer none) (array length=n_rows): ascending
 */
const gsize *
attn_row_selection_get_rows (const AttnRowSelection *selection,
                             gsize                  *n_rows)
{
  *n_rows = selection->rows->len;
  return (const gsize *) (void *) selection->rows->data;
}

/**
 * attn_row_selection_to_string:
 * @positions: (nullable): where each row of the panel stands in the input; %NULL where that is its
 *   index
 *
 * Returns: (transfer full): as attn_index_set_parse() reads it, "1,4-6"
 */
char *
attn_row_selection_to_string (const AttnRowSelection *selection,
                              const gsize            *positions)
{
  GString *text = g_string_new (NULL);
  guint n = selection->rows->len;

  for (guint i = 0; i < n;)
    {
      gsize row = g_array_index (selection->rows, gsize, i);
      gsize first = positions != NULL ? positions[row] : row;
      gsize last = first;

      for (i++; i < n; i++)
        {
          row = g_array_index (selection->rows, gsize, i);
          gsize next = positions != NULL ? positions[row] : row;

          if (next != last + 1)
            break;
          last = next;
        }
      g_string_append_printf (text, "%s%zu", text->len > 0 ? "," : "", first);
      if (last > first)
        g_string_append_printf (text, "-%zu", last);
    }
  return g_string_free (text, FALSE);
}
