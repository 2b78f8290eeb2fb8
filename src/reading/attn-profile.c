/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile.h"

#include <math.h>

static AttnProfile *
new_profile (AttnPanel          *panel,
             gsize               n,
             const char * const *labels,
             gboolean            has_baseline)
{
  AttnProfile *profile = g_new0 (AttnProfile, 1);

  profile->n = n;
  profile->n_lines = 1;
  profile->values = g_new0 (double, n);
  profile->baseline = has_baseline ? g_new0 (double, n) : NULL;
  profile->is_visible = g_new0 (guint8, n);
  profile->labels = labels;
  profile->panel = attn_panel_ref (panel);
  return profile;
}

void
attn_profile_free (AttnProfile *profile)
{
  g_free (profile->values);
  g_free (profile->baseline);
  g_free (profile->is_visible);
  attn_panel_unref (profile->panel);
  g_free (profile);
}

/* A baseline of another size is none. */
static gboolean
is_alike (AttnPanel *panel,
          AttnPanel *baseline)
{
  return baseline != NULL && attn_panel_get_n_rows (panel) == attn_panel_get_n_rows (baseline) &&
         attn_panel_get_n_columns (panel) == attn_panel_get_n_columns (baseline);
}

/* -sum p log2 p of p = values / sum. */
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
  profile->baseline_sum = profile->baseline_mean = profile->baseline_entropy = NAN;
  if (profile->baseline == NULL)
    {
      profile->distance = NAN;
      return;
    }
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

/**
 * attn_profile_new_rows:
 * @baseline: (nullable): the panel without the intervention
 * @rows: (array length=n_rows): rows of the panel
 * @n_rows: at least 1
 * @cancellable: (nullable): leaves out what is not read yet
 *
 * Any thread may call, as the other two.
 *
 * Returns: (transfer full): the sum of the rows
 */
AttnProfile *
attn_profile_new_rows (AttnPanel    *panel,
                       AttnPanel    *baseline,
                       const gsize  *rows,
                       gsize         n_rows,
                       GCancellable *cancellable)
{
  gboolean has_baseline = is_alike (panel, baseline);
  AttnProfile *profile = new_profile (panel, attn_panel_get_n_columns (panel),
                                      attn_panel_get_column_labels (panel), has_baseline);

  g_auto (AttnPanelReader) reader = { .panel = panel };
  g_auto (AttnPanelReader) baseline_reader = { .panel = baseline };

  profile->n_lines = n_rows;
  profile->is_row = TRUE;
  for (gsize i = 0; i < n_rows && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const float *values = attn_panel_reader_get_row (&reader, rows[i]);
      const float *before =
          has_baseline ? attn_panel_reader_get_row (&baseline_reader, rows[i]) : NULL;

      for (gsize column = 0; column < profile->n; column++)
        {
          profile->values[column] += values[column];
          profile->is_visible[column] |= attn_panel_is_visible (panel, rows[i], column) != FALSE;
          if (has_baseline)
            profile->baseline[column] += before[column];
        }
      if (has_baseline)
        profile->distance += get_distance (values, before, profile->n) / n_rows;
    }
  sum_up (profile);
  return profile;
}

/**
 * attn_profile_new_column:
 * @baseline: (nullable): the panel without the intervention
 * @cancellable: (nullable): leaves out what is not read yet
 *
 * Returns: (transfer full): what every query gives to one key; its mean is the sink score of the
 *   key. Entropies and distance mean nothing here.
 */
AttnProfile *
attn_profile_new_column (AttnPanel    *panel,
                         AttnPanel    *baseline,
                         gsize         column,
                         GCancellable *cancellable)
{
  gboolean has_baseline = is_alike (panel, baseline);
  AttnProfile *profile = new_profile (panel, attn_panel_get_n_rows (panel),
                                      attn_panel_get_row_labels (panel), has_baseline);

  g_auto (AttnPanelReader) reader = { .panel = panel, .passes = TRUE };
  g_auto (AttnPanelReader) baseline_reader = { .panel = baseline, .passes = TRUE };

  for (gsize row = 0; row < profile->n && !g_cancellable_is_cancelled (cancellable); row++)
    {
      profile->values[row] = attn_panel_reader_get_row (&reader, row)[column];
      profile->is_visible[row] = attn_panel_is_visible (panel, row, column) != FALSE;
      if (has_baseline)
        profile->baseline[row] = attn_panel_reader_get_row (&baseline_reader, row)[column];
    }
  sum_up (profile);
  return profile;
}

/**
 * attn_profile_new_distances:
 * @baseline: (nullable): the panel without the intervention
 * @cancellable: (nullable): leaves out what is not read yet
 *
 * Returns: (transfer full): total variation distance to the baseline of every query, 0 to 1; 0
 *   without a baseline
 */
AttnProfile *
attn_profile_new_distances (AttnPanel    *panel,
                            AttnPanel    *baseline,
                            GCancellable *cancellable)
{
  AttnProfile *profile = new_profile (panel, attn_panel_get_n_rows (panel),
                                      attn_panel_get_row_labels (panel), FALSE);
  gboolean has_distances = is_alike (panel, baseline) && panel != baseline;
  g_auto (AttnPanelReader) reader = { .panel = panel, .passes = TRUE };
  g_auto (AttnPanelReader) baseline_reader = { .panel = baseline, .passes = TRUE };

  for (gsize row = 0; row < profile->n && !g_cancellable_is_cancelled (cancellable); row++)
    {
      profile->is_visible[row] = TRUE;
      if (has_distances)
        profile->values[row] = get_distance (attn_panel_reader_get_row (&reader, row),
                                             attn_panel_reader_get_row (&baseline_reader, row),
                                             attn_panel_get_n_columns (panel));
    }
  sum_up (profile);
  return profile;
}

/**
 * attn_profile_get_top:
 * @indices: (out) (array length=n_indices): filled with those of the largest values, the largest
 *   first; of equals the first
 *
 * What is masked or not a number does not count.
 *
 * Returns: how many were filled
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
 * attn_profile_get_label:
 *
 * Returns: (transfer none): the token, or ""
 */
const char *
attn_profile_get_label (const AttnProfile *profile,
                        gsize              index)
{
  return profile->labels != NULL && index < profile->n ? profile->labels[index] : "";
}

/**
 * attn_profile_get_position:
 *
 * Returns: where the token stands in the input
 */
gsize
attn_profile_get_position (const AttnProfile *profile,
                           gsize              index)
{
  return profile->is_row ? attn_panel_get_column_position (profile->panel, index)
                         : attn_panel_get_row_position (profile->panel, index);
}

/**
 * attn_profile_dup_name:
 *
 * Returns: (transfer full): position and token, or the token alone where that is a name or the
 *   position, as in arrays without tokens
 */
char *
attn_profile_dup_name (const AttnProfile *profile,
                       gsize              index)
{
  const char *label = attn_profile_get_label (profile, index);
  g_autofree char *position = g_strdup_printf ("%zu", attn_profile_get_position (profile, index));

  if (profile->has_names || g_str_equal (label, position))
    return g_strdup (label);
  return g_strdup_printf ("%s %s", position, label);
}
