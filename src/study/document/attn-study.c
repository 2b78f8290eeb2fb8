/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-private.h"

#include <string.h>

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

static void
free_model (gpointer model)
{
  attn_model_reference_free (model);
}

static void
free_region (gpointer region)
{
  attn_study_region_free (region);
}

static void
free_group (gpointer group)
{
  attn_group_free (group);
}

/**
 * attn_study_new:
 *
 * Returns: (transfer full): a study of one panel without an intervention: the head of the shipped
 *   model with the strongest sink. It has no input yet.
 */
AttnStudy *
attn_study_new (void)
{
  AttnStudy *study = g_new0 (AttnStudy, 1);

  study->other_models = g_ptr_array_new_with_free_func (free_model);
  study->inputs = g_ptr_array_new_with_free_func (free_input);
  study->adds_special_tokens = TRUE;
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  study->epsilons = g_array_new (FALSE, FALSE, sizeof (double));
  study->acts_on_shown_layer = TRUE;
  study->extra_interventions = g_ptr_array_new_with_free_func (free_intervention);
  study->groups.level = ATTN_GROUP_DEFAULT_SHARE;
  study->groups.assigned = g_ptr_array_new_with_free_func (free_group);
  study->regions = g_ptr_array_new_with_free_func (free_region);
  study->style = attn_style_default ();
  study->viewport = ATTN_VIEWPORT_FIT;
  study->page = attn_export_options_default (ATTN_EXPORT_SVG);
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
copy_model (gconstpointer model,
            gpointer      user_data)
{
  const AttnModelReference *reference = model;

  return attn_model_reference_new (reference->path, reference->fingerprint);
}

static gpointer
copy_region (gconstpointer region,
             gpointer      user_data)
{
  const AttnStudyRegion *original = region;

  return attn_study_region_new (original->panel, &original->region);
}

static gpointer
copy_group (gconstpointer group,
            gpointer      user_data)
{
  const AttnGroup *original = group;

  return attn_group_new (original->head, (const char * const *) original->tokens);
}

static GPtrArray *
copy_list (GPtrArray      *list,
           GCopyFunc       copy,
           GDestroyNotify  free_element)
{
  GPtrArray *result = g_ptr_array_copy (list, copy, NULL);

  g_ptr_array_set_free_func (result, free_element);
  return result;
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
  copy->other_models = copy_list (study->other_models, copy_model, free_model);
  copy->inputs = copy_list (study->inputs, copy_input, free_input);
  copy->layers = ref_set (study->layers);
  copy->heads = ref_set (study->heads);
  copy->differences = ref_set (study->differences);
  copy->hidden_keys = ref_set (study->hidden_keys);
  copy->queries = ref_set (study->queries);
  copy->epsilons = g_array_copy (study->epsilons);
  copy->scope_layers = ref_set (study->scope_layers);
  copy->scope_heads = ref_set (study->scope_heads);
  copy->scope_tokens = ref_set (study->scope_tokens);
  copy->extra_interventions =
      copy_list (study->extra_interventions, copy_intervention, free_intervention);
  copy->groups.assigned = copy_list (study->groups.assigned, copy_group, free_group);
  copy->roles.question = g_strdup (study->roles.question);
  copy->roles.answer = g_strdup (study->roles.answer);
  copy->roles.exact_answer = g_strdup (study->roles.exact_answer);
  copy->regions = copy_list (study->regions, copy_region, free_region);
  copy->title = g_strdup (study->title);
  copy->caption = g_strdup (study->caption);
  copy->value_label = g_strdup (study->value_label);
  copy->views = study->views != NULL ? g_array_copy (study->views) : NULL;
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
  g_ptr_array_unref (study->other_models);
  g_ptr_array_unref (study->inputs);
  g_clear_pointer (&study->layers, attn_index_set_unref);
  g_clear_pointer (&study->heads, attn_index_set_unref);
  g_clear_pointer (&study->differences, attn_index_set_unref);
  g_clear_pointer (&study->hidden_keys, attn_index_set_unref);
  g_clear_pointer (&study->queries, attn_index_set_unref);
  g_array_unref (study->epsilons);
  g_clear_pointer (&study->scope_layers, attn_index_set_unref);
  g_clear_pointer (&study->scope_heads, attn_index_set_unref);
  g_clear_pointer (&study->scope_tokens, attn_index_set_unref);
  g_ptr_array_unref (study->extra_interventions);
  g_ptr_array_unref (study->groups.assigned);
  g_free (study->roles.question);
  g_free (study->roles.answer);
  g_free (study->roles.exact_answer);
  g_ptr_array_unref (study->regions);
  g_free (study->title);
  g_free (study->caption);
  g_free (study->value_label);
  g_clear_pointer (&study->views, g_array_unref);
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
models_equal (gconstpointer a,
              gconstpointer b)
{
  return attn_model_reference_equal (a, b);
}

static gboolean
regions_equal (gconstpointer a,
               gconstpointer b)
{
  return attn_study_region_equal (a, b);
}

static gboolean
groups_equal (gconstpointer a,
              gconstpointer b)
{
  return attn_group_equal (a, b);
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

/* Whether the same part of each panel is shown. */
gboolean
attn_study_views_equal (const GArray *a,
                        const GArray *b)
{
  if (a == NULL || b == NULL || a->len != b->len)
    return a == b;
  for (guint i = 0; i < a->len; i++)
    if (!attn_viewport_equal (&g_array_index (a, AttnViewport, i),
                              &g_array_index (b, AttnViewport, i)))
      return FALSE;
  return TRUE;
}

static gboolean
grids_equal (const AttnStudy *a,
             const AttnStudy *b)
{
  return a->figure == b->figure && a->layer == b->layer && a->head == b->head &&
         a->rows == b->rows && a->columns == b->columns &&
         attn_index_set_equal (a->layers, b->layers) &&
         attn_index_set_equal (a->heads, b->heads) && a->compared == b->compared &&
         a->shows_differences == b->shows_differences &&
         attn_index_set_equal (a->differences, b->differences) && a->hides_keys == b->hides_keys &&
         attn_index_set_equal (a->hidden_keys, b->hidden_keys) &&
         a->renormalises == b->renormalises && attn_index_set_equal (a->queries, b->queries) &&
         a->n_last_queries == b->n_last_queries && a->joins_words == b->joins_words &&
         lists_equal (a->regions, b->regions, regions_equal);
}

static gboolean
group_options_equal (const AttnGroupOptions *a,
                     const AttnGroupOptions *b)
{
  return a->rule == b->rule && a->level == b->level && a->is_graded == b->is_graded &&
         a->has_mask == b->has_mask && a->mask == b->mask &&
         lists_equal (a->assigned, b->assigned, groups_equal);
}

static gboolean
role_options_equal (const AttnRoleOptions *a,
                    const AttnRoleOptions *b)
{
  return g_strcmp0 (a->question, b->question) == 0 && g_strcmp0 (a->answer, b->answer) == 0 &&
         g_strcmp0 (a->exact_answer, b->exact_answer) == 0 &&
         a->has_positions == b->has_positions && a->answer_first == b->answer_first &&
         a->exact_first == b->exact_first && a->exact_last == b->exact_last &&
         a->has_after_last == b->has_after_last && a->reduction == b->reduction;
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
         lists_equal (a->other_models, b->other_models, models_equal) &&
         lists_equal (a->inputs, b->inputs, inputs_equal) &&
         a->adds_special_tokens == b->adds_special_tokens && grids_equal (a, b) &&
         a->operation == b->operation && a->axis == b->axis && a->site == b->site &&
         memcmp (a->components, b->components, sizeof a->components) == 0 &&
         memcmp (a->axes, b->axes, sizeof a->axes) == 0 &&
         memcmp (a->sites, b->sites, sizeof a->sites) == 0 &&
         epsilons_equal (a->epsilons, b->epsilons) && scopes_equal (a, b) &&
         lists_equal (a->extra_interventions, b->extra_interventions, interventions_equal) &&
         group_options_equal (&a->groups, &b->groups) &&
         role_options_equal (&a->roles, &b->roles) &&
         g_strcmp0 (a->title, b->title) == 0 && g_strcmp0 (a->caption, b->caption) == 0 &&
         g_strcmp0 (a->value_label, b->value_label) == 0 &&
         attn_style_equal (&a->style, &b->style) &&
         attn_viewport_equal (&a->viewport, &b->viewport) &&
         attn_study_views_equal (a->views, b->views) &&
         attn_export_options_equal (&a->page, &b->page);
}

/* Whether @dimension changes along the rows or the columns of the grid. */
gboolean
attn_study_varies (const AttnStudy *study,
                   AttnDimension    dimension)
{
  return study->rows == dimension || study->columns == dimension;
}
