/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cell.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-study-private.h"

/* Largest number of panels in a grid; a study that asks for more is refused. */
#define MAX_PANELS 65536

/* Returns the index of the @n-th flag that is TRUE, with @n counted from 0, or @n_values if there
 * are fewer. */
static gsize
find_nth_true (const gboolean *values,
               gsize           n_values,
               gsize           n)
{
  gsize i;

  for (i = 0; i < n_values; i++)
    if (values[i] && n-- == 0)
      break;
  return i;
}

/* Returns the layers along a dimension of layers: the layers that the study names, or else @mapped,
 * all layers with attention weights. */
static const AttnIndexSet *
get_layers (const AttnStudy    *study,
            const AttnIndexSet *mapped)
{
  return study->layers != NULL ? study->layers : mapped;
}

/* Returns the @n-th member of @set, counted from 0. The set NULL contains every number. */
static gsize
get_nth_member (const AttnIndexSet *set,
                gsize               n)
{
  gsize member = attn_index_set_get_first (set);

  while (n > 0)
    n -= attn_index_set_contains (set, ++member);
  return member;
}

/**
 * attn_cell_count:
 * @info: of the study's first model, which says how many layers and heads there are
 *
 * Returns: how many places the grid has along @dimension, such as the number of inputs; a recording
 *   has one input, which it brings itself
 */
gsize
attn_cell_count (const AttnStudy     *study,
                 const AttnModelInfo *info,
                 AttnDimension        dimension)
{
  switch (dimension)
    {
    case ATTN_DIMENSION_INPUT:
      return info->is_recording ? 1 : study->inputs->len;
    case ATTN_DIMENSION_COMPONENT:
      return attn_study_count_flags (study->components, ATTN_N_COMPONENTS);
    case ATTN_DIMENSION_EPSILON:
      return study->epsilons->len;
    case ATTN_DIMENSION_LAYER:
      return attn_index_set_count (get_layers (study, info->mapped_layers), info->n_layers);
    case ATTN_DIMENSION_HEAD:
      return attn_index_set_count (study->heads, info->n_heads);
    case ATTN_DIMENSION_SITE:
      return attn_study_count_flags (study->sites, ATTN_N_SITES);
    case ATTN_DIMENSION_AXIS:
      return attn_study_count_flags (study->axes, ATTN_N_AXES);
    case ATTN_DIMENSION_MODEL:
      return 1 + study->other_models->len;
    case ATTN_DIMENSION_COMPARISON:
      return 3;
    case ATTN_DIMENSION_NONE:
    default:
      return 1;
    }
}

/* Checks that the study has two values of the compared setting, and that the two sides of the
 * comparison differ in nothing else. */
static gboolean
check_comparison (const AttnStudy      *study,
                  const AttnModelInfo  *info,
                  GError              **error)
{
  const char *name = attn_dimension_names[study->compared];

  if (!attn_study_varies (study, ATTN_DIMENSION_COMPARISON) ||
      study->compared == ATTN_DIMENSION_NONE)
    return TRUE;
  if (study->compared != ATTN_DIMENSION_INPUT && study->compared != ATTN_DIMENSION_LAYER &&
      study->compared != ATTN_DIMENSION_HEAD && study->compared != ATTN_DIMENSION_MODEL)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("comparison: %s found, expected intervention, input, layer, head or model"), name);
  if (attn_study_varies (study, study->compared))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("comparison: %s found, which already changes along rows or columns, "
                        "expected another"),
                      name);
  if (attn_cell_count (study, info, study->compared) < 2)
    return attn_fail (error, ATTN_ERROR_ARGUMENT, _("comparison: one %s found, expected two"),
                      name);
  return TRUE;
}

/* Checks that the grid has at least one value along each of its dimensions. */
static gboolean
check_dimensions (const AttnStudy      *study,
                  const AttnModelInfo  *info,
                  GError              **error)
{
  static const AttnDimension uncut[] = { ATTN_DIMENSION_COMPONENT, ATTN_DIMENSION_SITE };
  gboolean needs_component = attn_study_varies (study, ATTN_DIMENSION_COMPONENT) ||
                             attn_study_varies (study, ATTN_DIMENSION_EPSILON) ||
                             attn_study_varies (study, ATTN_DIMENSION_SITE) ||
                             attn_study_varies (study, ATTN_DIMENSION_AXIS);

  if (study->rows == study->columns && study->rows != ATTN_DIMENSION_NONE)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("study: %s found along rows and columns, expected two different dimensions"),
        attn_dimension_names[study->rows]);
  if (needs_component && attn_cell_count (study, info, ATTN_DIMENSION_COMPONENT) == 0)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("study: no component found, expected at least one of query, key and value"));
  for (gsize i = 0; i < G_N_ELEMENTS (uncut); i++)
    if (study->operation == ATTN_OPERATION_CUT && attn_study_varies (study, uncut[i]))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("study: a cut found with %s along rows or columns, expected mean, scale, "
                          "zero or patch"),
                        attn_dimension_names[uncut[i]]);
  if (study->epsilons->len == 0 &&
      ((study->operation == ATTN_OPERATION_SCALE &&
        attn_cell_count (study, info, ATTN_DIMENSION_COMPONENT) > 0) ||
       attn_study_varies (study, ATTN_DIMENSION_EPSILON)))
    return attn_fail (error, ATTN_ERROR_ARGUMENT, _("study: no ε found, expected at least one"));
  for (AttnDimension i = ATTN_DIMENSION_INPUT; i <= ATTN_DIMENSION_COMPARISON; i++)
    if (attn_study_varies (study, i) && attn_cell_count (study, info, i) == 0)
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("study: no %s found along rows or columns, expected at least one"),
                        attn_dimension_names[i]);
  return TRUE;
}

/**
 * attn_cell_check_number:
 * @what: what is numbered, such as "layer" or "head", translated
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether @number, counted from 0, is below @n
 */
gboolean
attn_cell_check_number (gsize        number,
                        gsize        n,
                        const char  *what,
                        GError     **error)
{
  if (number < n)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: %zu found, expected 0 to %zu"), what, number,
                    n - 1);
}

/**
 * attn_cell_get_grid_size:
 * @info: of the study's first model, which says how many layers and heads there are
 * @error: return location for %ATTN_ERROR_ARGUMENT, where a dimension of the grid has no value,
 *   where layers or heads are asked for that the model does not have, or where there is nothing to
 *   compare; %ATTN_ERROR_LIMIT for too many panels
 *
 * Returns: whether the study has a valid grid; %FALSE with @error
 */
gboolean
attn_cell_get_grid_size (const AttnStudy      *study,
                         const AttnModelInfo  *info,
                         gsize                *n_rows,
                         gsize                *n_columns,
                         GError              **error)
{
  if ((attn_study_changes_along (study, ATTN_DIMENSION_LAYER) &&
       (!attn_index_set_check (study->layers, info->n_layers, _("layers"), error) ||
        !attn_model_info_check_maps (info, study->layers, error))) ||
      (attn_study_changes_along (study, ATTN_DIMENSION_HEAD) &&
       !attn_index_set_check (study->heads, info->n_heads, _("heads"), error)) ||
      !check_dimensions (study, info, error) || !check_comparison (study, info, error))
    return FALSE;

  *n_rows = attn_cell_count (study, info, study->rows);
  *n_columns = attn_cell_count (study, info, study->columns) +
               (attn_study_shows_baseline_column (study) ? 1 : 0);
  if (*n_rows > MAX_PANELS || *n_columns > MAX_PANELS || *n_rows * *n_columns > MAX_PANELS)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("study: %zu rows and %zu columns found, expected at most %d panels"),
                      *n_rows, *n_columns, MAX_PANELS);
  return TRUE;
}

/**
 * attn_cell_set:
 * @mapped: (nullable): layers of the first model with attention weights, %NULL for all
 * @index: which value along @dimension, from 0
 *
 * Sets the member of @cell that changes along @dimension, such as its layer, to the study's value
 * at @index.
 */
void
attn_cell_set (AttnCell           *cell,
               const AttnStudy    *study,
               const AttnIndexSet *mapped,
               AttnDimension       dimension,
               gsize               index)
{
  switch (dimension)
    {
    case ATTN_DIMENSION_INPUT:
      cell->input = index;
      break;
    case ATTN_DIMENSION_COMPONENT:
      for (gsize c = 0; c < ATTN_N_COMPONENTS; c++)
        cell->components[c] = c == find_nth_true (study->components, ATTN_N_COMPONENTS, index);
      break;
    case ATTN_DIMENSION_EPSILON:
      cell->epsilon = g_array_index (study->epsilons, double, index);
      break;
    case ATTN_DIMENSION_LAYER:
      cell->layer = get_nth_member (get_layers (study, mapped), index);
      break;
    case ATTN_DIMENSION_HEAD:
      cell->head = (int) get_nth_member (study->heads, index);
      break;
    case ATTN_DIMENSION_SITE:
      cell->site = find_nth_true (study->sites, ATTN_N_SITES, index);
      break;
    case ATTN_DIMENSION_AXIS:
      cell->axis = find_nth_true (study->axes, ATTN_N_AXES, index);
      break;
    case ATTN_DIMENSION_MODEL:
      cell->model = index;
      break;
    case ATTN_DIMENSION_COMPARISON:
      *cell = attn_cell_get_side (cell, study, mapped, ATTN_CELL_A + (AttnCellSide) index);
      break;
    case ATTN_DIMENSION_NONE:
    default:
      break;
    }
}

/**
 * attn_cell_get_first:
 * @layer: the layer on display
 * @head: the head on display or %ATTN_HEAD_MEAN
 *
 * Returns: the cell of a study without a grid: the first input and model, all components that are
 *   on, and the first ε
 */
AttnCell
attn_cell_get_first (const AttnStudy *study,
                     gsize            layer,
                     int              head)
{
  AttnCell cell = {
    .layer = layer, .head = head, .axis = study->axis, .site = study->site, .epsilon = 1
  };

  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    cell.components[c] = study->components[c] && study->operation != ATTN_OPERATION_CUT;
  if (study->epsilons->len > 0)
    cell.epsilon = g_array_index (study->epsilons, double, 0);
  return cell;
}

/**
 * attn_cell_get:
 * @study: a study that has a grid
 * @mapped: see [func@attn_cell_set]
 * @layer: the layer on display, where layers do not change along the grid
 * @head: the head on display or %ATTN_HEAD_MEAN
 *
 * Returns: what the panel at @row and @column shows: its input, model, layer, head and operation
 */
AttnCell
attn_cell_get (const AttnStudy    *study,
               const AttnIndexSet *mapped,
               gsize               layer,
               int                 head,
               gsize               row,
               gsize               column)
{
  AttnCell cell = attn_cell_get_first (study, layer, head);
  gboolean has_baseline = attn_study_shows_baseline_column (study);

  attn_cell_set (&cell, study, mapped, study->rows, row);
  if (has_baseline && column == 0)
    {
      memset (cell.components, 0, sizeof cell.components);
      cell.side = ATTN_CELL_BASELINE;
      return cell;
    }
  attn_cell_set (&cell, study, mapped, study->columns, has_baseline ? column - 1 : column);
  return cell;
}

/**
 * attn_cell_get_side:
 * @cell: a cell of a comparison
 * @mapped: see [func@attn_cell_set]
 * @side: A, B or the difference, whose members are those of B
 *
 * Returns: @cell with the values of @side, such as the other input
 */
AttnCell
attn_cell_get_side (const AttnCell     *cell,
                    const AttnStudy    *study,
                    const AttnIndexSet *mapped,
                    AttnCellSide        side)
{
  AttnCell other = *cell;

  other.side = side;
  if (study->compared != ATTN_DIMENSION_NONE)
    attn_cell_set (&other, study, mapped, study->compared, side == ATTN_CELL_A ? 0 : 1);
  return other;
}

/**
 * attn_cell_has_all_but_epsilon:
 *
 * Returns: whether two cells of a study are the same in all but ε, which may differ
 */
gboolean
attn_cell_has_all_but_epsilon (const AttnCell *cell,
                               const AttnCell *other)
{
  return cell->input == other->input && cell->model == other->model &&
         cell->layer == other->layer && cell->head == other->head && cell->axis == other->axis &&
         cell->site == other->site && cell->side == other->side &&
         memcmp (cell->components, other->components, sizeof cell->components) == 0;
}

/**
 * attn_cell_is_baseline:
 *
 * Returns: whether nothing is done to the model in that cell: A of a comparison of interventions,
 *   or the column of the baseline
 */
gboolean
attn_cell_is_baseline (const AttnCell  *cell,
                       const AttnStudy *study)
{
  return cell->side == ATTN_CELL_BASELINE ||
         (cell->side == ATTN_CELL_A && study->compared == ATTN_DIMENSION_NONE);
}

/**
 * attn_cell_need_epsilons:
 *
 * Gives a study that has no factors ε three of them, from half to as good as zero.
 */
void
attn_cell_need_epsilons (AttnStudy *study)
{
  static const double epsilons[] = { 5e-1, 1e-3, 1e-10 };

  if (study->epsilons->len == 0)
    g_array_append_vals (study->epsilons, epsilons, G_N_ELEMENTS (epsilons));
}

/* Sets all flags if none is set. */
static void
fill_empty (gboolean *flags,
            gsize     n)
{
  gboolean is_empty = attn_study_count_flags (flags, n) == 0;

  for (gsize i = 0; is_empty && i < n; i++)
    flags[i] = TRUE;
}

/**
 * attn_cell_need_members:
 *
 * Gives the study values along each dimension of its grid that has none, such as factors along ε,
 * and the operation that has such a dimension.
 */
void
attn_cell_need_members (AttnStudy *study)
{
  gboolean has_epsilons = attn_study_changes_along (study, ATTN_DIMENSION_EPSILON);
  gboolean has_axes = attn_study_changes_along (study, ATTN_DIMENSION_AXIS);
  gboolean has_sites = attn_study_changes_along (study, ATTN_DIMENSION_SITE);

  if (has_epsilons)
    {
      study->operation = ATTN_OPERATION_SCALE;
      attn_cell_need_epsilons (study);
    }
  if (has_axes)
    {
      study->operation = ATTN_OPERATION_MEAN;
      fill_empty (study->axes, ATTN_N_AXES);
    }
  /* A cut is not applied to components (query, key, value) or sites, and is replaced if components
   * or sites change along the grid. */
  if (study->operation == ATTN_OPERATION_CUT &&
      (has_sites || attn_study_changes_along (study, ATTN_DIMENSION_COMPONENT)))
    study->operation = ATTN_OPERATION_MEAN;
  if (has_sites && attn_study_count_flags (study->sites, ATTN_N_SITES) == 0)
    study->sites[study->site] = TRUE;
  if (has_epsilons || has_axes || has_sites ||
      attn_study_changes_along (study, ATTN_DIMENSION_COMPONENT))
    fill_empty (study->components, ATTN_N_COMPONENTS);
}

/**
 * attn_cell_dup_heads:
 *
 * Returns: (transfer full) (nullable): the heads that the study's own operation acts on in this
 *   cell; %NULL for all
 */
AttnIndexSet *
attn_cell_dup_heads (const AttnCell  *cell,
                     const AttnStudy *study)
{
  if (study->acts_on_shown_head && cell->head >= 0)
    return attn_index_set_new_range ((gsize) cell->head, (gsize) cell->head);
  return attn_index_set_ref (study->scope_heads);
}

static void
add_intervention (GPtrArray       *interventions,
                  const AttnCell  *cell,
                  const AttnStudy *study,
                  AttnComponent    component)
{
  gboolean is_cut = study->operation == ATTN_OPERATION_CUT;
  AttnIntervention *intervention = attn_intervention_new (
      component, study->operation, is_cut ? ATTN_SITE_PROJECTION : cell->site);

  intervention->axis = cell->axis;
  if (study->operation == ATTN_OPERATION_SCALE)
    intervention->factor = cell->epsilon;
  if (study->operation == ATTN_OPERATION_PATCH)
    intervention->input = study->patch_input;
  if (study->operation == ATTN_OPERATION_PATCH && study->patch_pairs != NULL)
    intervention->pairs = g_array_ref (study->patch_pairs);
  if (is_cut)
    intervention->keys = attn_index_set_ref (study->cut_keys);
  if (!study->acts_on_shown_layer)
    intervention->layers = attn_index_set_ref (study->scope_layers);
  else if (attn_study_get_traits (study)->has_layer) /* all layers in other figures */
    intervention->layers = attn_index_set_new_range (cell->layer, cell->layer);
  intervention->heads = attn_cell_dup_heads (cell, study);
  intervention->tokens = attn_index_set_ref (study->scope_tokens);
  g_ptr_array_add (interventions, intervention);
}

/**
 * attn_cell_add_operation:
 * @interventions: (element-type AttnIntervention): the array to which the study's own operation is
 *   added, as it acts in this cell
 */
void
attn_cell_add_operation (const AttnCell  *cell,
                         const AttnStudy *study,
                         GPtrArray       *interventions)
{
  if (study->operation == ATTN_OPERATION_CUT)
    add_intervention (interventions, cell, study, ATTN_COMPONENT_SCORES);
  for (AttnComponent c = 0; c < ATTN_N_COMPONENTS; c++)
    if (cell->components[c])
      add_intervention (interventions, cell, study, c);
}

/**
 * attn_cell_is_source:
 * @input: the input that a patch takes from
 *
 * Returns: whether the cell shows that input, of several, and so is not patched: it may lack
 *   positions that are paired in the others
 */
gboolean
attn_cell_is_source (const AttnCell  *cell,
                     const AttnStudy *study,
                     gsize            input)
{
  return study->inputs->len > 1 && cell->input == input;
}

/**
 * attn_cell_build_interventions:
 *
 * Returns: (transfer full) (element-type AttnIntervention): the study's extra interventions and
 *   behind them those of this cell; none for a baseline, and no patch for the input that it takes
 *   from, see [func@attn_cell_is_source]
 */
GPtrArray *
attn_cell_build_interventions (const AttnCell  *cell,
                               const AttnStudy *study)
{
  GPtrArray *interventions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  if (attn_cell_is_baseline (cell, study))
    return interventions;
  for (guint i = 0; i < study->extra_interventions->len; i++)
    g_ptr_array_add (interventions,
                     attn_intervention_copy (g_ptr_array_index (study->extra_interventions, i)));
  attn_cell_add_operation (cell, study, interventions);
  for (guint i = interventions->len; i > 0; i--)
    {
      const AttnIntervention *patch = g_ptr_array_index (interventions, i - 1);

      if (patch->operation == ATTN_OPERATION_PATCH &&
          attn_cell_is_source (cell, study, patch->input))
        g_ptr_array_remove_index (interventions, i - 1);
    }
  return interventions;
}
