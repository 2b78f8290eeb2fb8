/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keeps regions and other settings of single panels with their panels when the grid changes. Panels
 * are identified by the values of their row and column, not by their index: inserting a row moves
 * the panels below it, and removing a row removes its panels. If only a value changes, such as an
 * ε, its panels keep their place. */

#include "config.h"

#include "attn-follow.h"

#include <string.h>

#include "attn-cell.h"
#include "attn-study-private.h"

#define NOWHERE G_MAXSIZE

/* Indices that the rows, or the columns, of a grid have after an edit. */
typedef struct
{
  gsize *to; /* [n]: new index of each row or column, or NOWHERE if it is gone */
  gsize n;
  gsize n_after;
} Moves;

static void
clear_moves (Moves *moves)
{
  g_free (moves->to);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Moves, clear_moves)

/* Tells whether two studies have the same value along @dimension, @a at the index @first and @b at
 * @second. @mapped: see attn_cell_set() */
static gboolean
is_same (const AttnStudy    *a,
         gsize               first,
         const AttnStudy    *b,
         gsize               second,
         const AttnIndexSet *mapped,
         AttnDimension       dimension)
{
  AttnCell x = { 0 };
  AttnCell y = { 0 };

  if (dimension == ATTN_DIMENSION_INPUT && first < a->inputs->len && second < b->inputs->len)
    return attn_input_equal (a->inputs->pdata[first], b->inputs->pdata[second]);
  if (dimension == ATTN_DIMENSION_MODEL && first > 0 && second > 0)
    return attn_record_equal (&attn_model_record, attn_study_get_model (a, first),
                              attn_study_get_model (b, second));
  if (dimension == ATTN_DIMENSION_NONE || dimension == ATTN_DIMENSION_MODEL ||
      dimension == ATTN_DIMENSION_COMPARISON)
    return first == second;
  attn_cell_set (&x, a, mapped, dimension, first);
  attn_cell_set (&y, b, mapped, dimension, second);
  return x.layer == y.layer && x.head == y.head && x.axis == y.axis && x.site == y.site &&
         x.epsilon == y.epsilon &&
         memcmp (x.components, y.components, sizeof x.components) == 0;
}

/* Counts the rows or columns before @index whose value along @dimension is the same as at
 * @index. */
static gsize
count_same_before (const AttnStudy    *study,
                   gsize               index,
                   const AttnIndexSet *mapped,
                   AttnDimension       dimension)
{
  gsize n = 0;

  for (gsize i = 0; i < index; i++)
    n += is_same (study, i, study, index, mapped, dimension);
  return n;
}

static void
find_moves (const AttnStudy     *before,
            const AttnStudy     *after,
            const AttnModelInfo *info,
            AttnDimension        dimension,
            Moves               *moves)
{
  moves->n = attn_cell_count (before, info, dimension);
  moves->n_after = attn_cell_count (after, info, dimension);
  moves->to = g_new (gsize, moves->n);

  /* Rows or columns do not move if the set of layers or heads is the same; this common case is
   * handled without a search. */
  if ((dimension == ATTN_DIMENSION_LAYER &&
       attn_index_set_equal (before->layers, after->layers)) ||
      (dimension == ATTN_DIMENSION_HEAD && attn_index_set_equal (before->heads, after->heads)))
    {
      for (gsize i = 0; i < moves->n; i++)
        moves->to[i] = i;
      return;
    }

  g_autofree gboolean *is_taken = g_new0 (gboolean, moves->n_after);
  for (gsize i = 0; i < moves->n; i++)
    {
      /* If a value occurs several times, its first row before the edit becomes its first row after
       * the edit, and so on. */
      gsize n_same = count_same_before (before, i, info->mapped_layers, dimension);

      moves->to[i] = NOWHERE;
      for (gsize k = 0; k < moves->n_after && moves->to[i] == NOWHERE; k++)
        if (is_same (before, i, after, k, info->mapped_layers, dimension) && n_same-- == 0)
          {
            moves->to[i] = k;
            is_taken[k] = TRUE;
          }
    }
  for (gsize i = 0; moves->n == moves->n_after && i < moves->n; i++)
    if (moves->to[i] == NOWHERE && !is_taken[i])
      moves->to[i] = i;
}

/* Adds the column of the baseline to @moves of the columns. It is the first column, before the
 * edit, after it or both. */
static void
add_baseline (Moves    *moves,
              gboolean  had_baseline,
              gboolean  has_baseline)
{
  if (!had_baseline && !has_baseline)
    return;

  gsize *to = g_new (gsize, moves->n + 1);
  to[0] = has_baseline ? 0 : NOWHERE;
  for (gsize i = 0; i < moves->n; i++)
    to[i + had_baseline] =
        moves->to[i] != NOWHERE && has_baseline ? moves->to[i] + 1 : moves->to[i];
  g_free (moves->to);
  moves->to = to;
  moves->n += had_baseline ? 1 : 0;
  moves->n_after += has_baseline ? 1 : 0;
}

static gboolean
is_unmoved (const Moves *moves)
{
  for (gsize i = 0; i < moves->n; i++)
    if (moves->to[i] != i)
      return FALSE;
  return moves->n == moves->n_after;
}

/* Returns the index of a panel after the edit, or NOWHERE. @is_turned: whether rows have become
 * columns. */
static gsize
move_panel (const Moves *rows,
            const Moves *columns,
            gboolean     is_turned,
            gsize        panel)
{
  if (columns->n == 0 || panel / columns->n >= rows->n)
    return NOWHERE;

  gsize row = rows->to[panel / columns->n];
  gsize column = columns->to[panel % columns->n];
  if (row == NOWHERE || column == NOWHERE)
    return NOWHERE;
  return is_turned ? column * rows->n_after + row : row * columns->n_after + column;
}

static gboolean
had_region (const AttnStudy       *before,
            const AttnStudyRegion *region)
{
  for (guint i = 0; i < before->regions->len; i++)
    if (attn_record_equal (&attn_region_record, before->regions->pdata[i], region))
      return TRUE;
  return FALSE;
}

static AttnIndexSet *
move_set (const AttnIndexSet *set,
          const Moves        *rows,
          const Moves        *columns,
          gboolean            is_turned)
{
  gsize n_after = rows->n_after * columns->n_after;
  g_autofree gboolean *flags = g_new0 (gboolean, n_after);

  for (gsize panel = 0; panel < rows->n * columns->n; panel++)
    {
      gsize to = attn_index_set_contains (set, panel)
                     ? move_panel (rows, columns, is_turned, panel)
                     : NOWHERE;

      if (to < n_after)
        flags[to] = TRUE;
    }
  return attn_index_set_new_from_flags (flags, n_after);
}

/* Returns the displayed part of each panel after the edit. New panels show their whole matrix. */
static GArray *
move_views (const GArray *views,
            const Moves  *rows,
            const Moves  *columns,
            gboolean      is_turned)
{
  gsize n_after = rows->n_after * columns->n_after;
  GArray *moved = g_array_sized_new (FALSE, FALSE, sizeof (AttnViewport), n_after);

  for (gsize i = 0; i < n_after; i++)
    {
      AttnViewport whole = ATTN_VIEWPORT_FIT;
      g_array_append_val (moved, whole);
    }
  for (gsize panel = 0; panel < MIN (views->len, rows->n * columns->n); panel++)
    {
      gsize to = move_panel (rows, columns, is_turned, panel);

      if (to < n_after)
        g_array_index (moved, AttnViewport, to) = g_array_index (views, AttnViewport, panel);
    }
  return moved;
}

/**
 * attn_study_follow_panels:
 * @study: @before after an edit
 * @before: the study before that edit
 * @info: what is known of the study's model, such as its number of layers
 *
 * Moves regions, pins, differences and displayed parts of single panels from the panels of @before
 * to those of @study that show the same. Those of a panel that no longer exists are removed. Those
 * that @before did not have stay as they are.
 *
 * Returns: whether panels of the two studies can be matched; %FALSE, and @study is not changed, if
 *   rows and columns have other dimensions than before
 */
gboolean
attn_study_follow_panels (AttnStudy           *study,
                          const AttnStudy     *before,
                          const AttnModelInfo *info)
{
  gboolean is_turned = study->rows == before->columns && study->columns == before->rows &&
                       study->rows != study->columns;
  g_auto (Moves) rows = { 0 };
  g_auto (Moves) columns = { 0 };

  if (study->figure != before->figure ||
      (!is_turned && (study->rows != before->rows || study->columns != before->columns)))
    return FALSE;
  if (!attn_study_get_traits (study)->has_grid)
    return TRUE;
  find_moves (before, study, info, before->rows, &rows);
  find_moves (before, study, info, before->columns, &columns);
  gboolean has_baseline = attn_study_shows_baseline_column (study);
  add_baseline (&rows, FALSE, is_turned && has_baseline);
  add_baseline (&columns, attn_study_shows_baseline_column (before), !is_turned && has_baseline);
  if (!is_turned && is_unmoved (&rows) && is_unmoved (&columns))
    return TRUE;

  for (guint i = study->regions->len; i > 0; i--)
    {
      AttnStudyRegion *region = g_ptr_array_index (study->regions, i - 1);

      if (!had_region (before, region))
        continue;
      region->panel = move_panel (&rows, &columns, is_turned, region->panel);
      if (region->panel == NOWHERE)
        g_ptr_array_remove_index (study->regions, i - 1);
    }
  if (study->differences != NULL && attn_index_set_equal (study->differences, before->differences))
    {
      AttnIndexSet *moved = move_set (study->differences, &rows, &columns, is_turned);

      attn_index_set_unref (study->differences);
      study->differences = moved;
      study->shows_differences = study->shows_differences && moved != NULL;
    }
  if (study->views != NULL &&
      attn_field_equal (attn_study_find_field ("views"), study, before))
    {
      GArray *moved = move_views (study->views, &rows, &columns, is_turned);

      g_array_unref (study->views);
      study->views = moved;
    }
  return TRUE;
}
