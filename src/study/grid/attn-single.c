/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes a study that shows a single panel of a grid. */

#include "config.h"

#include "attn-single.h"

#include <string.h>

#include "attn-study-private.h"

static AttnInput *
dup_input (const AttnStudy *study,
           gsize            index)
{
  return attn_input_copy (g_ptr_array_index (study->inputs, index));
}

/* Gives @single the input of @study at the index @first and, if @second differs, the input at
 * @second, too. */
static void
set_inputs (AttnStudy       *single,
            const AttnStudy *study,
            gsize            first,
            gsize            second)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_input_free);

  if (first < study->inputs->len)
    g_ptr_array_add (inputs, dup_input (study, first));
  if (second != first && second < study->inputs->len)
    g_ptr_array_add (inputs, dup_input (study, second));
  /* Inputs from which a patch takes values are kept, too, and the numbers in the patches are
   * changed to their new places. */
  g_autoptr (GPtrArray) patches = attn_study_list_patches (single);
  for (guint i = 0; i < patches->len; i++)
    {
      gsize *input = g_ptr_array_index (patches, i);
      gsize from = *input;

      if (from >= study->inputs->len)
        continue;
      *input = from == first ? 0 : from == second ? 1
                                                  : inputs->len;
      if (*input == inputs->len)
        g_ptr_array_add (inputs, dup_input (study, from));
    }
  g_ptr_array_unref (single->inputs);
  single->inputs = inputs;
}

static void
set_model (AttnStudy       *single,
           const AttnStudy *study,
           gsize            model)
{
  if (model == 0 || model > study->other_models->len)
    return;

  const AttnModelReference *other = attn_study_get_model (study, model);
  attn_model_reference_take (&single->model, other);
  single->model.fingerprint = g_strdup (other->fingerprint);
}

/* Keeps only the regions on the panel with @index, whose index becomes 0. */
static void
keep_regions (AttnStudy *single,
              gsize      index)
{
  for (guint i = single->regions->len; i > 0; i--)
    {
      AttnStudyRegion *region = g_ptr_array_index (single->regions, i - 1);

      if (region->panel == index)
        region->panel = 0;
      else
        g_ptr_array_remove_index (single->regions, i - 1);
    }
}

/* Removes the patches that are not applied in @cell, since it shows the input from which they take:
 * alone, it would be patched from itself. @study: the study of the grid */
static void
drop_patches (AttnStudy       *single,
              const AttnStudy *study,
              const AttnCell  *cell)
{
  if (study->operation == ATTN_OPERATION_PATCH &&
      attn_cell_is_source (cell, study, study->patch_input))
    attn_study_end_operation (single);
  for (guint i = study->extra_interventions->len; i > 0; i--)
    {
      const AttnIntervention *extra = g_ptr_array_index (study->extra_interventions, i - 1);

      if (extra->operation == ATTN_OPERATION_PATCH &&
          attn_cell_is_source (cell, study, extra->input))
        g_ptr_array_remove_index (single->extra_interventions, i - 1);
    }
}

/* Sets the interventions of @single to those of @cell, a cell of @study. A baseline cell has
 * none. */
static void
set_interventions (AttnStudy       *single,
                   const AttnStudy *study,
                   const AttnCell  *cell)
{
  memcpy (single->components, cell->components, sizeof single->components);
  single->axis = cell->axis;
  single->site = cell->site;
  if (single->epsilons->len > 0)
    {
      g_array_set_size (single->epsilons, 0);
      g_array_append_val (single->epsilons, cell->epsilon);
    }
  if (cell->side != ATTN_CELL_DIFFERENCE)
    drop_patches (single, study, cell);
  if (!attn_cell_is_baseline (cell, single))
    return;
  attn_study_end_operation (single);
  g_ptr_array_set_size (single->extra_interventions, 0);
}

/**
 * attn_study_new_single:
 * @result: the result of a study with a grid
 * @index: index of a panel, row-major in the grid
 *
 * Makes the study that shows this panel alone, with its input, model, layer, head and
 * interventions. The difference of a comparison is shown together with the two panels that it is
 * made from.
 *
 * Returns: (transfer full): the study, as if it came from the preset `single`, with the titles of
 *   that preset
 */
AttnStudy *
attn_study_new_single (const AttnResult *result,
                       gsize             index)
{
  g_return_val_if_fail (index < result->grid->n_rows * result->grid->n_columns, NULL);

  const AttnStudy *study = result->study;
  const AttnCell *cell = &result->cells[index];
  AttnStudy *single = attn_study_copy (study);
  gboolean is_pair = cell->side == ATTN_CELL_DIFFERENCE;
  AttnCell first = is_pair ? attn_cell_get_side (
                                 cell, study, attn_model_get_info (result->model)->mapped_layers,
                                 ATTN_CELL_A)
                           : *cell;
  gboolean keeps_model = is_pair && study->compared == ATTN_DIMENSION_MODEL;

  g_free (single->preset);
  single->preset = g_strdup (is_pair ? "compare" : "single");
  set_inputs (single, study, first.input, cell->input);
  if (!keeps_model)
    {
      set_model (single, study, cell->model);
      g_ptr_array_set_size (single->other_models, 0);
    }
  if (!is_pair || study->compared != ATTN_DIMENSION_LAYER)
    single->layer = (int) cell->layer;
  if (!is_pair || study->compared != ATTN_DIMENSION_HEAD)
    single->head = cell->head;
  set_interventions (single, study, cell);
  single->has_baseline_column = FALSE;
  single->rows = ATTN_DIMENSION_NONE;
  single->columns = is_pair ? ATTN_DIMENSION_COMPARISON : ATTN_DIMENSION_NONE;
  if (!is_pair)
    single->compared = ATTN_DIMENSION_NONE;
  single->shows_differences = study->shows_differences && result->grid->cells[index].is_difference;
  g_clear_pointer (&single->differences, attn_index_set_unref);
  keep_regions (single, index);
  g_clear_pointer (&single->title, g_free);
  g_clear_pointer (&single->caption, g_free);
  single->viewport = ATTN_VIEWPORT_FIT;
  g_clear_pointer (&single->views, g_array_unref);
  single->style.shows_tokens = TRUE;
  return single;
}
