/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cell.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-study-private.h"

static gsize
count_along (const AttnStudy *study,
             AttnDimension    dimension)
{
  gsize n_components = 0;

  switch (dimension)
    {
    case ATTN_DIMENSION_INPUT:
      return study->inputs->len;
    case ATTN_DIMENSION_COMPONENT:
      for (int c = 0; c < ATTN_N_COMPONENTS; c++)
        n_components += study->components[c];
      return n_components;
    case ATTN_DIMENSION_EPSILON:
      return study->epsilons->len;
    case ATTN_DIMENSION_NONE:
    default:
      return 1;
    }
}

/**
 * attn_cell_get_grid_size:
 * @error: return location for %ATTN_ERROR_ARGUMENT, where there is nothing along a dimension
 *
 * Returns: whether the study has a grid
 */
gboolean
attn_cell_get_grid_size (const AttnStudy  *study,
                         gsize            *n_rows,
                         gsize            *n_columns,
                         GError          **error)
{
  *n_rows = count_along (study, study->rows);
  *n_columns = count_along (study, study->columns);

  if (study->inputs->len == 0)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("study: no input found, expected at least one"));
  else if (study->rows == study->columns && study->rows != ATTN_DIMENSION_NONE)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("study: %s found along rows and columns, expected two different dimensions"),
                 attn_dimension_get_name (study->rows));
  else if (attn_study_varies (study, ATTN_DIMENSION_COMPONENT) &&
           count_along (study, ATTN_DIMENSION_COMPONENT) == 0)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("study: no component found, expected at least one of query, key and value"));
  else if (study->epsilons->len == 0 && (study->operation == ATTN_OPERATION_SCALE ||
                                         attn_study_varies (study, ATTN_DIMENSION_EPSILON)))
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                 _("study: no ε found, expected at least one"));
  else
    return TRUE;
  return FALSE;
}

static void
set_component (AttnCell        *cell,
               const AttnStudy *study,
               gsize            index)
{
  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    cell->components[c] = study->components[c] && index-- == 0;
}

static void
set_dimension (AttnCell        *cell,
               const AttnStudy *study,
               AttnDimension    dimension,
               gsize            index)
{
  switch (dimension)
    {
    case ATTN_DIMENSION_INPUT:
      cell->input = index;
      break;
    case ATTN_DIMENSION_COMPONENT:
      set_component (cell, study, index);
      break;
    case ATTN_DIMENSION_EPSILON:
      cell->epsilon = g_array_index (study->epsilons, double, index);
      break;
    case ATTN_DIMENSION_NONE:
    default:
      break;
    }
}

/**
 * attn_cell_get:
 * @study: a study that has a grid
 *
 * Returns: what is asked for at a place. What does not change along the grid is the first input,
 * all
 *   components that are on, and the first ε.
 */
AttnCell
attn_cell_get (const AttnStudy *study,
               gsize            row,
               gsize            column)
{
  AttnCell cell = { .epsilon = 1 };

  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    cell.components[c] = study->components[c];
  if (study->epsilons->len > 0)
    cell.epsilon = g_array_index (study->epsilons, double, 0);
  set_dimension (&cell, study, study->rows, row);
  set_dimension (&cell, study, study->columns, column);
  return cell;
}

static AttnIndexSet *
ref_set (AttnIndexSet *set)
{
  return set != NULL ? attn_index_set_ref (set) : NULL;
}

static void
free_intervention (gpointer intervention)
{
  attn_intervention_free (intervention);
}

/**
 * attn_cell_build_interventions:
 * @layer: the layer on display
 *
 * Returns: (transfer full) (element-type AttnIntervention): the study's extra interventions and
 * behind them
 *   those of this place
 */
GPtrArray *
attn_cell_build_interventions (const AttnCell  *cell,
                               const AttnStudy *study,
                               gsize            layer)
{
  GPtrArray *interventions = g_ptr_array_new_with_free_func (free_intervention);

  for (guint i = 0; i < study->extra_interventions->len; i++)
    g_ptr_array_add (interventions,
                     attn_intervention_copy (g_ptr_array_index (study->extra_interventions, i)));
  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    {
      if (!cell->components[c])
        continue;
      AttnIntervention *intervention =
          study->operation == ATTN_OPERATION_SCALE
              ? attn_intervention_new_scale (c, cell->epsilon, study->site)
              : attn_intervention_new_mean (c, study->axis, study->site);
      intervention->layers = study->acts_on_shown_layer ? attn_index_set_new_range (layer, layer)
                                                        : ref_set (study->scope_layers);
      intervention->heads = ref_set (study->scope_heads);
      intervention->tokens = ref_set (study->scope_tokens);
      g_ptr_array_add (interventions, intervention);
    }
  return interventions;
}

static gboolean
is_identity (const AttnIntervention *intervention)
{
  return intervention->operation == ATTN_OPERATION_SCALE && intervention->factor == 1;
}

/**
 * attn_interventions_start_below:
 *
 * Returns: whether something is done in a layer below @layer
 */
gboolean
attn_interventions_start_below (const GPtrArray *interventions,
                                gsize            layer)
{
  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (!is_identity (intervention) && attn_index_set_get_first (intervention->layers) < layer)
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_interventions_touch:
 *
 * Returns: whether the attention weights of @layer can differ from the baseline's. An operation on
 * the value
 *   never changes the weights of its own layer, nor does anything above @layer.
 */
gboolean
attn_interventions_touch (const GPtrArray *interventions,
                          gsize            layer)
{
  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (!is_identity (intervention) && intervention->component != ATTN_COMPONENT_VALUE &&
          attn_index_set_contains (intervention->layers, layer))
        return TRUE;
    }
  return attn_interventions_start_below (interventions, layer);
}
