/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

static const char * const dimension_names[] = {
  [ATTN_DIMENSION_NONE] = "none",
  [ATTN_DIMENSION_INPUT] = "input",
  [ATTN_DIMENSION_COMPONENT] = "component",
  [ATTN_DIMENSION_EPSILON] = "epsilon",
};

static void
free_input (gpointer input)
{
  attn_input_free (input);
}

static void
free_intervention (gpointer intervention)
{
  attn_intervention_free (intervention);
}

/**
 * attn_study_new:
 *
 * Returns: (transfer full): a study of one panel without an intervention: the head of the shipped
 * model
 *   with the strongest sink. It has no input yet.
 */
AttnStudy *
attn_study_new (void)
{
  AttnStudy *study = g_new0 (AttnStudy, 1);

  study->inputs = g_ptr_array_new_with_free_func (free_input);
  study->adds_special_tokens = TRUE;
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  study->epsilons = g_array_new (FALSE, FALSE, sizeof (double));
  study->acts_on_shown_layer = TRUE;
  study->extra_interventions = g_ptr_array_new_with_free_func (free_intervention);
  study->style = attn_style_default ();
  return study;
}

static AttnIndexSet *
ref_set (AttnIndexSet *set)
{
  return set != NULL ? attn_index_set_ref (set) : NULL;
}

static gpointer
copy_input (gconstpointer input,
            gpointer      user_data)
{
  return attn_input_copy (input);
}

static gpointer
copy_intervention (gconstpointer intervention,
                   gpointer      user_data)
{
  return attn_intervention_copy (intervention);
}

/**
 * attn_study_copy:
 *
 * Returns: (transfer full): a copy that shares nothing that can be changed
 */
AttnStudy *
attn_study_copy (const AttnStudy *study)
{
  AttnStudy *copy = g_memdup2 (study, sizeof *study);

  copy->preset = g_strdup (study->preset);
  copy->model_path = g_strdup (study->model_path);
  copy->model_fingerprint = g_strdup (study->model_fingerprint);
  copy->inputs = g_ptr_array_copy (study->inputs, copy_input, NULL);
  g_ptr_array_set_free_func (copy->inputs, free_input);
  copy->epsilons = g_array_copy (study->epsilons);
  copy->scope_layers = ref_set (study->scope_layers);
  copy->scope_heads = ref_set (study->scope_heads);
  copy->scope_tokens = ref_set (study->scope_tokens);
  copy->extra_interventions =
      g_ptr_array_copy (study->extra_interventions, copy_intervention, NULL);
  g_ptr_array_set_free_func (copy->extra_interventions, free_intervention);
  copy->title = g_strdup (study->title);
  copy->caption = g_strdup (study->caption);
  return copy;
}

void
attn_study_free (AttnStudy *study)
{
  if (study == NULL)
    return;
  g_free (study->preset);
  g_free (study->model_path);
  g_free (study->model_fingerprint);
  g_ptr_array_unref (study->inputs);
  g_array_unref (study->epsilons);
  g_clear_pointer (&study->scope_layers, attn_index_set_unref);
  g_clear_pointer (&study->scope_heads, attn_index_set_unref);
  g_clear_pointer (&study->scope_tokens, attn_index_set_unref);
  g_ptr_array_unref (study->extra_interventions);
  g_free (study->title);
  g_free (study->caption);
  g_free (study);
}

gboolean
attn_input_equal (const AttnInput *a,
                  const AttnInput *b)
{
  return g_strcmp0 (a->text, b->text) == 0 && a->n_ids == b->n_ids && a->n_tokens == b->n_tokens &&
         (a->n_ids == 0 || memcmp (a->ids, b->ids, a->n_ids * sizeof *a->ids) == 0);
}

static gboolean
inputs_equal (gconstpointer a,
              gconstpointer b)
{
  return attn_input_equal (a, b);
}

static gboolean
interventions_equal (gconstpointer a,
                     gconstpointer b)
{
  return attn_intervention_equal (a, b);
}

static gboolean
lists_equal (const GPtrArray *a,
             const GPtrArray *b,
             GEqualFunc       is_equal)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!is_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

static gboolean
epsilons_equal (const GArray *a,
                const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (g_array_index (a, double, i) != g_array_index (b, double, i))
      return FALSE;
  return TRUE;
}

static gboolean
styles_equal (const AttnStyle *a,
              const AttnStyle *b)
{
  return a->colormap == b->colormap && a->low == b->low && a->high == b->high &&
         a->tick == b->tick && g_strcmp0 (a->font_family, b->font_family) == 0 &&
         a->font_size == b->font_size && a->n_digits == b->n_digits &&
         attn_rgb_equal (a->foreground, b->foreground) &&
         attn_rgb_equal (a->background, b->background) && a->has_background == b->has_background &&
         a->shows_titles == b->shows_titles && a->shows_caption == b->shows_caption &&
         a->shows_colorbar == b->shows_colorbar && a->shows_tokens == b->shows_tokens &&
         a->shows_values == b->shows_values && a->is_reversed == b->is_reversed &&
         a->scale == b->scale && a->range == b->range && a->range_scope == b->range_scope &&
         a->clip == b->clip && a->marks_overflow == b->marks_overflow &&
         a->has_masked_color == b->has_masked_color &&
         attn_rgb_equal (a->masked_color, b->masked_color) && a->shows_key == b->shows_key;
}

static gboolean
scopes_equal (const AttnStudy *a,
              const AttnStudy *b)
{
  return a->acts_on_shown_layer == b->acts_on_shown_layer &&
         attn_index_set_equal (a->scope_layers, b->scope_layers) &&
         attn_index_set_equal (a->scope_heads, b->scope_heads) &&
         attn_index_set_equal (a->scope_tokens, b->scope_tokens);
}

/**
 * attn_study_equal:
 *
 * Returns: whether both say the same in every member
 */
gboolean
attn_study_equal (const AttnStudy *a,
                  const AttnStudy *b)
{
  return g_strcmp0 (a->preset, b->preset) == 0 && g_strcmp0 (a->model_path, b->model_path) == 0 &&
         g_strcmp0 (a->model_fingerprint, b->model_fingerprint) == 0 &&
         a->adds_special_tokens == b->adds_special_tokens && a->layer == b->layer &&
         a->head == b->head && a->rows == b->rows && a->columns == b->columns &&
         a->operation == b->operation && a->axis == b->axis && a->site == b->site &&
         memcmp (a->components, b->components, sizeof a->components) == 0 &&
         epsilons_equal (a->epsilons, b->epsilons) && scopes_equal (a, b) &&
         lists_equal (a->inputs, b->inputs, inputs_equal) &&
         lists_equal (a->extra_interventions, b->extra_interventions, interventions_equal) &&
         g_strcmp0 (a->title, b->title) == 0 && g_strcmp0 (a->caption, b->caption) == 0 &&
         styles_equal (&a->style, &b->style);
}

/* Whether @dimension changes along the rows or the columns of the grid. */
gboolean
attn_study_varies (const AttnStudy *study,
                   AttnDimension    dimension)
{
  return study->rows == dimension || study->columns == dimension;
}

/* The name as in files: "component". */
const char *
attn_dimension_get_name (AttnDimension dimension)
{
  return dimension_names[dimension];
}

gboolean
attn_dimension_parse (const char     *name,
                      AttnDimension  *dimension,
                      GError        **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dimension_names); i++)
    if (g_str_equal (name, dimension_names[i]))
      {
        *dimension = i;
        return TRUE;
      }
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("“%s” found, expected none, input, component or epsilon"), name);
  return FALSE;
}
