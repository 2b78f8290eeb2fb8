/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile.h"

#include <math.h>

/* Number of cells that can be read without delaying a frame. */
#define MANY_CELLS ((gsize) 1 << 20)

/**
 * attn_profile_new:
 * @baseline: (nullable): the panel without the intervention; ignored if it has another size
 * @indices: (array length=n_indices) (nullable): the rows of %ATTN_PROFILE_ROWS, or the columns of
 *   %ATTN_PROFILE_COLUMNS
 *
 * Returns: (transfer full): an empty profile, which attn_profile_read() is to fill
 */
AttnProfile *
attn_profile_new (AttnProfileKind  kind,
                  AttnPanel       *panel,
                  AttnPanel       *baseline,
                  const gsize     *indices,
                  gsize            n_indices)
{
  AttnProfile *profile = g_new0 (AttnProfile, 1);
  gboolean is_row = kind == ATTN_PROFILE_ROWS;
  gboolean is_alike = baseline != NULL &&
                      attn_panel_get_n_rows (panel) == attn_panel_get_n_rows (baseline) &&
                      attn_panel_get_n_columns (panel) == attn_panel_get_n_columns (baseline);

  profile->kind = kind;
  profile->panel = attn_panel_ref (panel);
  profile->other = is_alike ? attn_panel_ref (baseline) : NULL;
  profile->indices = g_memdup2 (indices, n_indices * sizeof *indices);
  profile->n_indices = n_indices;
  profile->n = is_row ? attn_panel_get_n_columns (panel) : attn_panel_get_n_rows (panel);
  profile->labels =
      is_row ? attn_panel_get_column_labels (panel) : attn_panel_get_row_labels (panel);
  profile->values = g_new0 (double, profile->n);
  profile->baseline =
      is_alike && kind != ATTN_PROFILE_DISTANCES ? g_new0 (double, profile->n) : NULL;
  profile->is_visible = g_new0 (guint8, profile->n);
  profile->sum = profile->mean = profile->entropy = profile->distance = NAN;
  profile->baseline_sum = profile->baseline_mean = profile->baseline_entropy = NAN;
  return profile;
}

void
attn_profile_free (AttnProfile *profile)
{
  g_free (profile->values);
  g_free (profile->baseline);
  g_free (profile->is_visible);
  g_free (profile->indices);
  g_clear_pointer (&profile->other, attn_panel_unref);
  attn_panel_unref (profile->panel);
  g_free (profile);
}

/**
 * attn_profile_takes_long:
 *
 * Returns: whether attn_profile_read() takes so long that it would delay a frame
 */
gboolean
attn_profile_takes_long (const AttnProfile *profile)
{
  gsize n_rows = profile->kind == ATTN_PROFILE_ROWS      ? profile->n_indices
                 : profile->kind == ATTN_PROFILE_COLUMNS ? 1
                                                         : profile->n;

  return attn_panel_is_long (profile->panel) ||
         n_rows > MANY_CELLS / attn_panel_get_n_columns (profile->panel);
}

/* Returns the entropy in bits, -sum p log2 p of p = values / sum; NaN if the sum is not
 * positive. */
static double
get_entropy (const double *values,
             gsize         n,
             double        sum)
{
  double entropy = 0;

  if (!(sum > 0))
    return NAN;
  for (gsize i = 0; i < n; i++)
    {
      if (values[i] < 0 || isnan (values[i]))
        return NAN;
      if (values[i] > 0)
        entropy -= values[i] / sum * log2 (values[i] / sum);
    }
  return MAX (entropy, 0);
}

static double
add_up (const double *values,
        gsize         n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

static void
sum_up (AttnProfile *profile)
{
  gsize n = profile->n;

  for (gsize i = 0; i < n; i++)
    profile->n_visible += profile->is_visible[i] != 0;
  profile->sum = add_up (profile->values, n);
  profile->mean = profile->n_visible > 0 ? profile->sum / profile->n_visible : NAN;
  profile->entropy = get_entropy (profile->values, n, profile->sum);
  if (profile->baseline == NULL)
    return;
  profile->baseline_sum = add_up (profile->baseline, n);
  profile->baseline_mean = profile->n_visible > 0 ? profile->baseline_sum / profile->n_visible
                                                  : NAN;
  profile->baseline_entropy = get_entropy (profile->baseline, n, profile->baseline_sum);
}

static double
get_distance (const float *after,
              const float *before,
              gsize        n)
{
  double distance = 0;

  for (gsize i = 0; i < n; i++)
    distance += fabs ((double) after[i] - before[i]);
  return distance / 2;
}

/* State for reading the rows of a panel one after the other. */
typedef struct
{
  AttnPanelReader values;
  AttnPanelReader baseline;
} Readers;

static void
add_row (AttnProfile *profile,
         Readers     *readers,
         gsize        row)
{
  const float *values = attn_panel_reader_get_row (&readers->values, row);
  const float *before =
      profile->other != NULL ? attn_panel_reader_get_row (&readers->baseline, row) : NULL;

  for (gsize column = 0; column < profile->n; column++)
    {
      profile->values[column] += values[column];
      profile->is_visible[column] |= attn_panel_is_visible (profile->panel, row, column) != FALSE;
      if (before != NULL)
        profile->baseline[column] += before[column];
    }
  if (before != NULL)
    profile->distance += get_distance (values, before, profile->n) / profile->n_indices;
}

static void
add_cells (AttnProfile *profile,
           Readers     *readers,
           gsize        row)
{
  const float *values = attn_panel_reader_get_row (&readers->values, row);
  const float *before =
      profile->other != NULL ? attn_panel_reader_get_row (&readers->baseline, row) : NULL;

  for (gsize i = 0; i < profile->n_indices; i++)
    {
      gsize column = profile->indices[i];

      profile->values[row] += values[column];
      profile->is_visible[row] |= attn_panel_is_visible (profile->panel, row, column) != FALSE;
      if (before != NULL)
        profile->baseline[row] += before[column];
    }
}

static void
add_distance (AttnProfile *profile,
              Readers     *readers,
              gsize        row)
{
  profile->is_visible[row] = TRUE;
  if (profile->other != NULL && profile->other != profile->panel)
    profile->values[row] = get_distance (attn_panel_reader_get_row (&readers->values, row),
                                         attn_panel_reader_get_row (&readers->baseline, row),
                                         attn_panel_get_n_columns (profile->panel));
}

/**
 * attn_profile_read:
 * @profile: a new profile, which no other thread uses meanwhile; any thread may call
 * @cancellable: (nullable): if it is canceled, rows that are not read yet are left out
 */
void
attn_profile_read (AttnProfile  *profile,
                   GCancellable *cancellable)
{
  gboolean is_row = profile->kind == ATTN_PROFILE_ROWS;
  gsize n = is_row ? profile->n_indices : profile->n;
  Readers readers = { { .panel = profile->panel, .passes = !is_row },
                      { .panel = profile->other, .passes = !is_row } };

  profile->distance = is_row && profile->other != NULL ? 0 : NAN;
  for (gsize i = 0; i < n && !g_cancellable_is_cancelled (cancellable); i++)
    if (is_row)
      add_row (profile, &readers, profile->indices[i]);
    else if (profile->kind == ATTN_PROFILE_COLUMNS)
      add_cells (profile, &readers, i);
    else
      add_distance (profile, &readers, i);
  attn_panel_reader_clear (&readers.values);
  attn_panel_reader_clear (&readers.baseline);
  sum_up (profile);
}

/**
 * attn_profile_run:
 * @profile: (type AttnProfile)
 *
 * Does what attn_profile_read() does, as a task.
 */
void
attn_profile_run (gpointer  profile,
                  AttnTask *task,
                  gpointer  place)
{
  attn_profile_read (profile, attn_task_get_cancellable (task));
}

/**
 * attn_profile_get_top:
 * @indices: (out) (array length=n_indices): filled with the indices of the largest values, the
 *   largest first; of equal values the first comes first
 *
 * Masked values, and those that are not a number, do not count.
 *
 * Returns: how many of @indices were filled
 */
gsize
attn_profile_get_top (const AttnProfile *profile,
                      gsize             *indices,
                      gsize              n_indices)
{
  gsize n = 0;

  for (gsize i = 0; i < profile->n; i++)
    {
      gsize place = n;

      if (!profile->is_visible[i] || isnan (profile->values[i]))
        continue;
      while (place > 0 && profile->values[i] > profile->values[indices[place - 1]])
        place--;
      if (place == n_indices)
        continue;
      for (gsize k = MIN (n, n_indices - 1); k > place; k--)
        indices[k] = indices[k - 1];
      indices[place] = i;
      n = MIN (n + 1, n_indices);
    }
  return n;
}

/**
 * attn_profile_dup_name:
 *
 * Returns: (transfer full): position and token, or the label alone if it is a name or the position
 *   itself, as in arrays without tokens
 */
char *
attn_profile_dup_name (const AttnProfile *profile,
                       gsize              index)
{
  const char *label = profile->labels != NULL ? profile->labels[index] : "";
  g_autofree char *position =
      g_strdup_printf ("%zu", profile->kind == ATTN_PROFILE_ROWS
                                  ? attn_panel_get_column_position (profile->panel, index)
                                  : attn_panel_get_row_position (profile->panel, index));

  if (profile->has_names || g_str_equal (label, position) ||
      (profile->kind == ATTN_PROFILE_ROWS &&
       attn_panel_get_column_position (profile->panel, index) == ATTN_PANEL_NO_POSITION))
    return g_strdup (label);
  return g_strdup_printf ("%s %s", position, label);
}
