/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attribution.h"

#include <math.h>
#include <string.h>

#include "attn-angles.h"
#include "attn-parallel.h"
#include "attn-threads.h"

static void
free_text (gpointer data)
{
  AttnAttributionText *text = data;

  g_free (text->kl);
  g_free (text->states);
  g_free (text);
}

/**
 * attn_attribution_new:
 *
 * Returns: (transfer full): an attribution without texts; attn_attribution_prepare() allocates the
 *   angles
 */
AttnAttribution *
attn_attribution_new (const char *operation,
                      gboolean    is_in_bits,
                      int         at,
                      gsize       n_steps,
                      gsize       rank,
                      gsize       width,
                      gsize       n_cells)
{
  AttnAttribution *attribution = g_new0 (AttnAttribution, 1);

  attribution->operation = g_strdup (operation);
  attribution->is_in_bits = is_in_bits;
  attribution->at = at;
  attribution->n_steps = n_steps;
  attribution->rank = rank;
  attribution->width = width;
  attribution->n_cells = n_cells;
  attribution->texts = g_ptr_array_new_with_free_func (free_text);
  return attribution;
}

void
attn_attribution_free (AttnAttribution *attribution)
{
  if (attribution == NULL)
    return;
  g_ptr_array_unref (attribution->texts);
  g_free (attribution->operation);
  g_free (attribution->chosen);
  g_free (attribution->angles);
  g_free (attribution);
}

/**
 * attn_attribution_prepare:
 *
 * Allocates the angles and the chosen heads, none of which is known yet.
 */
void
attn_attribution_prepare (AttnAttribution *attribution)
{
  gsize n = attribution->n_steps * attribution->n_cells;

  attribution->chosen = g_new (gsize, attribution->n_steps);
  attribution->angles = g_new (double, n);
  for (gsize i = 0; i < attribution->n_steps; i++)
    attribution->chosen[i] = ATTN_ATTRIBUTION_NONE;
  for (gsize i = 0; i < n; i++)
    attribution->angles[i] = NAN;
}

/**
 * attn_attribution_measure_text:
 *
 * Returns: bytes of memory for the results of one text
 */
gsize
attn_attribution_measure_text (const AttnAttribution *attribution)
{
  return attribution->n_steps * attribution->n_cells * sizeof (double) +
         (1 + attribution->n_cells) * attribution->width * sizeof (float);
}

static gsize
count_states (const AttnAttribution *attribution)
{
  return (1 + attribution->n_cells) * attribution->width;
}

/**
 * attn_attribution_take:
 * @number: number of a text in the survey
 *
 * Returns: (transfer none): results of that text, to be filled; empty ones if the text is new. They
 *   have states until all steps are complete
 */
AttnAttributionText *
attn_attribution_take (AttnAttribution *attribution,
                       guint64          number)
{
  gsize n = attribution->n_steps * attribution->n_cells;
  guint low = 0;
  guint high = attribution->texts->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const AttnAttributionText *text = attribution->texts->pdata[middle];

      if (text->number < number)
        low = middle + 1;
      else
        high = middle;
    }
  AttnAttributionText *text =
      low < attribution->texts->len ? attribution->texts->pdata[low] : NULL;
  if (text == NULL || text->number != number)
    {
      text = g_new0 (AttnAttributionText, 1);
      text->number = number;
      text->kl = g_new (double, n);
      for (gsize i = 0; i < n; i++)
        text->kl[i] = NAN;
      g_ptr_array_insert (attribution->texts, (int) low, text);
    }
  if (text->states == NULL && attribution->n_chosen < attribution->n_steps)
    text->states = g_new0 (float, count_states (attribution));
  return text;
}

static gboolean
is_zero (const float *row,
         gsize        width)
{
  gsize i = 0;

  while (i < width && row[i] == 0.0f)
    i++;
  return i == width;
}

/**
 * attn_attribution_merge:
 * @other: an attribution of the same survey with other texts or heads
 *
 * Copies the results of @other that @attribution does not have.
 */
void
attn_attribution_merge (AttnAttribution       *attribution,
                        const AttnAttribution *other)
{
  gsize width = attribution->width;

  for (guint i = 0; i < other->texts->len; i++)
    {
      const AttnAttributionText *from = other->texts->pdata[i];
      AttnAttributionText *to = attn_attribution_take (attribution, from->number);

      for (gsize k = 0; k < attribution->n_steps * attribution->n_cells; k++)
        if (isnan (to->kl[k]))
          to->kl[k] = from->kl[k];
      for (gsize k = 0; from->states != NULL && to->states != NULL && k <= attribution->n_cells;
           k++)
        if (is_zero (to->states + k * width, width))
          memcpy (to->states + k * width, from->states + k * width, width * sizeof (float));
    }
}

typedef struct
{
  const AttnAttribution *attribution;
  const double *space; /* singular vectors of the unchanged model's final states */
  double *angles;      /* (out): [cells], in degrees */
} Turn;

/* Returns the first left singular vectors of the texts' states: [r, texts]. @row: which state of
 * each text: 0 of the unchanged model, 1 + cell with that head changed */
static double *
find_space (const AttnAttribution *attribution,
            gsize                  row)
{
  guint n = attribution->texts->len;
  g_autofree const float **rows = g_new (const float *, n);

  for (guint i = 0; i < n; i++)
    rows[i] = ((const AttnAttributionText *) attribution->texts->pdata[i])->states +
              row * attribution->width;
  return attn_angles_find_space (n, attribution->width, rows, attribution->rank);
}

static void
measure_cell (gsize    cell,
              gsize    worker,
              gpointer user_data)
{
  const Turn *turn = user_data;
  const AttnAttribution *attribution = turn->attribution;
  const AttnAttributionText *first = attribution->texts->pdata[0];

  if (attn_attribution_is_chosen (attribution, attribution->n_chosen, cell) ||
      is_zero (first->states + (1 + cell) * attribution->width, attribution->width))
    return;
  g_autofree double *space = find_space (attribution, 1 + cell);
  turn->angles[cell] =
      attn_angles_measure (attribution->texts->len, attribution->rank, turn->space, space);
}

/* Clears the states with changed heads before the next step. After the last step the states of the
 * unchanged model are freed, too. */
static void
forget_states (AttnAttribution *attribution)
{
  gboolean is_over = attribution->n_chosen == attribution->n_steps;

  for (guint i = 0; i < attribution->texts->len; i++)
    {
      AttnAttributionText *text = attribution->texts->pdata[i];

      if (is_over)
        g_clear_pointer (&text->states, g_free);
      else if (text->states != NULL)
        memset (text->states + attribution->width, 0,
                attribution->n_cells * attribution->width * sizeof (float));
    }
}

/**
 * attn_attribution_finish_step:
 *
 * Measures the angles of the current step, whose states must all be known, and chooses the head
 * with the largest angle; of equal angles the first head. Each head's angle is computed by a single
 * thread.
 */
void
attn_attribution_finish_step (AttnAttribution *attribution)
{
  double *angles = attribution->angles + attribution->n_chosen * attribution->n_cells;
  gsize chosen = ATTN_ATTRIBUTION_NONE;

  if (attribution->texts->len >= attribution->rank)
    {
      g_autofree double *space = find_space (attribution, 0);
      Turn turn = { attribution, space, angles };

      attn_parallel_run (attribution->n_cells, attn_threads_get (), measure_cell, &turn);
    }
  for (gsize cell = 0; cell < attribution->n_cells; cell++)
    if (!isnan (angles[cell]) &&
        (chosen == ATTN_ATTRIBUTION_NONE || angles[cell] > angles[chosen]))
      chosen = cell;
  /* Without angles the first head that was not chosen before is chosen. Such a head exists, as
   * there are at least as many heads as steps. */
  for (gsize cell = 0; chosen == ATTN_ATTRIBUTION_NONE; cell++)
    if (!attn_attribution_is_chosen (attribution, attribution->n_chosen, cell))
      chosen = cell;
  attribution->chosen[attribution->n_chosen++] = chosen;
  forget_states (attribution);
}

/**
 * attn_attribution_is_chosen:
 *
 * Returns: whether an earlier step chose the head, so that it stays changed in @step
 */
gboolean
attn_attribution_is_chosen (const AttnAttribution *attribution,
                            gsize                  step,
                            gsize                  cell)
{
  for (gsize i = 0; i < MIN (step, attribution->n_chosen); i++)
    if (attribution->chosen[i] == cell)
      return TRUE;
  return FALSE;
}

/* Tells whether head @a precedes head @b in the ranking of a text: by descending KL divergence,
 * then by index. */
static gboolean
comes_before (const double *kl,
              gsize         a,
              gsize         b)
{
  return kl[a] > kl[b] || (kl[a] == kl[b] && a < b);
}

/**
 * attn_attribution_count_first:
 *
 * Returns: (transfer full): [cells], number of texts in which each head is among the
 *   %ATTN_ATTRIBUTION_FIRST heads with the largest KL divergence in @step; only texts count for
 *   which all heads are known
 */
guint64 *
attn_attribution_count_first (const AttnAttribution *attribution,
                              gsize                  step)
{
  guint64 *counts = g_new0 (guint64, attribution->n_cells);

  for (guint i = 0; i < attribution->texts->len; i++)
    {
      const double *kl = ((const AttnAttributionText *) attribution->texts->pdata[i])->kl +
                         step * attribution->n_cells;
      gsize first[ATTN_ATTRIBUTION_FIRST];
      gsize n = 0;
      gboolean is_known = TRUE;

      for (gsize cell = 0; cell < attribution->n_cells; cell++)
        {
          gsize place = n;

          if (isnan (kl[cell]))
            {
              is_known &= attn_attribution_is_chosen (attribution, step, cell);
              continue;
            }
          while (place > 0 && comes_before (kl, cell, first[place - 1]))
            place--;
          if (place == ATTN_ATTRIBUTION_FIRST)
            continue;
          n = MIN (n + 1, ATTN_ATTRIBUTION_FIRST);
          memmove (first + place + 1, first + place, (n - place - 1) * sizeof *first);
          first[place] = cell;
        }
      for (gsize k = 0; is_known && k < n; k++)
        counts[first[k]]++;
    }
  return counts;
}
