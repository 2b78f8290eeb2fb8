/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-map.h"

#include <math.h>
#include <string.h>

/**
 * attn_head_map_build_study:
 * @result: of a grid
 * @index: of a panel, or -1 for the first that is neither a baseline nor a difference
 *
 * Returns: (transfer full): what is done to the model in that panel, to its input, for
 *   attn_head_map_run(): whole rows of tokens, whatever the study shows of them
 */
AttnStudy *
attn_head_map_build_study (const AttnResult *result,
                           int               index)
{
  gsize n = result->grid->n_rows * result->grid->n_columns;
  gsize first = 0;

  while (first + 1 < n && (result->cells[first].side == ATTN_CELL_A ||
                           result->cells[first].side == ATTN_CELL_DIFFERENCE))
    first++;
  if (index >= 0 && (gsize) index < n && result->cells[index].side != ATTN_CELL_DIFFERENCE)
    first = (gsize) index;

  AttnStudy *study = attn_study_new_single (result, first);
  study->columns = ATTN_DIMENSION_HEAD;
  g_clear_pointer (&study->heads, attn_index_set_unref);
  study->shows_differences = FALSE;
  study->joins_words = FALSE;
  study->hides_keys = FALSE;
  study->n_last_queries = 0;
  g_clear_pointer (&study->queries, attn_index_set_unref);
  g_ptr_array_set_size (study->regions, 0);
  return study;
}

/* Mean over the rows of the weight times how far the key lies before the query. */
static double
measure_distance (AttnPanel *panel)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  double sum = 0;

  for (gsize row = 0; row < n_rows; row++)
    {
      const float *weights = attn_panel_reader_get_row (&reader, row);

      for (gsize key = 0; key < n_columns && weights != NULL; key++)
        sum += weights[key] * fabs ((double) row - (double) key);
    }
  return sum / n_rows;
}

static void
take_layer (AttnHeadMap      *map,
            const AttnResult *baseline,
            const AttnResult *modified,
            gsize             layer)
{
  for (gsize head = 0; head < map->n_heads; head++)
    {
      const AttnPanelMeasures *measures = &baseline->measures[head];
      const double values[ATTN_N_HEAD_MEASURES] = {
        [ATTN_HEAD_MEASURE_SINK] = measures->sink_score,
        [ATTN_HEAD_MEASURE_ENTROPY] = measures->mean_entropy,
        [ATTN_HEAD_MEASURE_DISTANCE] = measure_distance (baseline->grid->cells[head].panel),
        [ATTN_HEAD_MEASURE_PREVIOUS] = measures->previous_token,
        [ATTN_HEAD_MEASURE_INDUCTION] = measures->induction,
        [ATTN_HEAD_MEASURE_CHANGE] = modified->measures[head].total_variation,
      };

      for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
        map->values[i][layer * map->n_heads + head] = values[i];
    }
}

/* The heads of one layer. */
static AttnResult *
run_layer (const AttnStudy  *study,
           gsize             layer,
           gboolean          is_modified,
           AttnWorkspace    *workspace,
           GCancellable     *cancellable,
           GError          **error)
{
  g_autoptr (AttnStudy) copy = attn_study_copy (study);

  copy->layer = (int) layer;
  if (!is_modified)
    {
      memset (copy->components, 0, sizeof copy->components);
      g_ptr_array_set_size (copy->extra_interventions, 0);
    }
  return attn_job_run (copy, workspace, NULL, cancellable, error);
}

/**
 * attn_head_map_run:
 * @study: by attn_head_map_build_study()
 * @workspace: what was computed before; the map does not depend on it
 * @cancellable: (nullable): asked between layers, too
 * @error: return location: errors of [func@attn_job_run]
 *
 * Measures every head of the model without an intervention, and how far that of @study moves it,
 * one layer at a time, so that there are never more panels than those of one layer.
 *
 * Returns: (transfer full) (nullable): the map
 */
AttnHeadMap *
attn_head_map_run (const AttnStudy  *study,
                   AttnWorkspace    *workspace,
                   GCancellable     *cancellable,
                   GError          **error)
{
  g_autoptr (AttnHeadMap) map = NULL;
  gsize n_layers = 1;

  for (gsize layer = 0; layer < n_layers; layer++)
    {
      g_autoptr (AttnResult) baseline =
          run_layer (study, layer, FALSE, workspace, cancellable, error);
      g_autoptr (AttnResult) modified =
          baseline != NULL ? run_layer (study, layer, TRUE, workspace, cancellable, error) : NULL;

      if (modified == NULL)
        return NULL;
      if (map == NULL)
        {
          const AttnModelInfo *info = attn_model_get_info (baseline->model);

          map = g_atomic_rc_box_new0 (AttnHeadMap);
          n_layers = map->n_layers = info->n_layers;
          map->n_heads = info->n_heads;
          for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
            map->values[i] = g_new0 (double, n_layers * map->n_heads);
        }
      take_layer (map, baseline, modified, layer);
    }
  return g_steal_pointer (&map);
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      values)
{
  gsize first = *(const gsize *) a;
  gsize second = *(const gsize *) b;
  double x = ((const double *) values)[first];
  double y = ((const double *) values)[second];

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x != y ? (x < y) - (x > y) : (first > second) - (first < second);
}

/**
 * attn_head_map_sort:
 *
 * Returns: (transfer full) (array): layer x n_heads + head of all heads, the largest value first,
 *   those without one last
 */
gsize *
attn_head_map_sort (const AttnHeadMap *map,
                    AttnHeadMeasure    measure)
{
  gsize n = map->n_layers * map->n_heads;
  gsize *order = g_new (gsize, n);

  for (gsize i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare, map->values[measure]);
  return order;
}

/**
 * attn_head_map_get_range:
 * @low: (out): the smallest value, 0 if there is none
 * @high: (out): the largest
 */
void
attn_head_map_get_range (const AttnHeadMap *map,
                         AttnHeadMeasure    measure,
                         double            *low,
                         double            *high)
{
  gboolean is_first = TRUE;

  *low = *high = 0;
  for (gsize i = 0; i < map->n_layers * map->n_heads; i++)
    {
      double value = map->values[measure][i];

      if (isnan (value))
        continue;
      *low = is_first ? value : MIN (*low, value);
      *high = is_first ? value : MAX (*high, value);
      is_first = FALSE;
    }
}

AttnHeadMap *
attn_head_map_ref (AttnHeadMap *map)
{
  return g_atomic_rc_box_acquire (map);
}

static void
clear_map (gpointer data)
{
  AttnHeadMap *map = data;

  for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
    g_free (map->values[i]);
}

void
attn_head_map_unref (AttnHeadMap *map)
{
  g_atomic_rc_box_release_full (map, clear_map);
}
