/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes and compares interventions, and tells what a list of interventions changes in a layer. */

#include "config.h"

#include "attn-intervention.h"

#include <string.h>

#include "attn-model-private.h"
#include "attn-source.h"

const char * const attn_component_names[] = { "query", "key", "value",
                                              "output", "residual", "inner", "scores",
                                              NULL };
const char * const attn_vector_names[] = { "query", "key", "value", NULL };
const char * const attn_operation_names[] = { "mean", "scale", "zero", "patch", "cut", NULL };
const char * const attn_axis_names[] = { "feature", "token", "head", NULL };
const char * const attn_site_names[] = { "projection", "normed", "rotated", NULL };

/**
 * attn_intervention_new:
 *
 * Returns: (transfer full): an intervention on all layers, heads and tokens, with ε = 1; its
 *   members may be set until it is shared
 */
AttnIntervention *
attn_intervention_new (AttnComponent component,
                       AttnOperation operation,
                       AttnSite      site)
{
  AttnIntervention *intervention = g_new0 (AttnIntervention, 1);

  intervention->component = component;
  intervention->operation = operation;
  intervention->factor = 1.0;
  intervention->site = site;
  return intervention;
}

/**
 * attn_intervention_new_mean:
 *
 * Returns: (transfer full): a mean over @axis on all layers, heads and tokens, see
 *   [func@attn_intervention_new]
 */
AttnIntervention *
attn_intervention_new_mean (AttnComponent component,
                            AttnAxis      axis,
                            AttnSite      site)
{
  AttnIntervention *intervention = attn_intervention_new (component, ATTN_OPERATION_MEAN, site);

  intervention->axis = axis;
  return intervention;
}

/**
 * attn_intervention_new_scale:
 * @factor: ε; it is not checked here, but by [func@attn_intervention_check]
 *
 * Returns: (transfer full): a scale by ε on all layers, heads and tokens, see
 *   [func@attn_intervention_new]
 */
AttnIntervention *
attn_intervention_new_scale (AttnComponent component,
                             double        factor,
                             AttnSite      site)
{
  AttnIntervention *intervention = attn_intervention_new (component, ATTN_OPERATION_SCALE, site);

  intervention->factor = factor;
  return intervention;
}

/**
 * attn_intervention_new_cut:
 * @queries: (nullable) (transfer full): positions of queries, %NULL for all
 * @keys: (nullable) (transfer full): positions of the keys that @queries no longer see, %NULL for
 *   all
 *
 * Returns: (transfer full): a cut in all layers and heads, see [func@attn_intervention_new]
 */
AttnIntervention *
attn_intervention_new_cut (AttnIndexSet *queries,
                           AttnIndexSet *keys)
{
  AttnIntervention *intervention =
      attn_intervention_new (ATTN_COMPONENT_SCORES, ATTN_OPERATION_CUT, ATTN_SITE_PROJECTION);

  intervention->tokens = queries;
  intervention->keys = keys;
  return intervention;
}

/**
 * attn_intervention_copy:
 *
 * Returns: (transfer full): a copy, whose members can be set without a change of @intervention
 */
AttnIntervention *
attn_intervention_copy (const AttnIntervention *intervention)
{
  AttnIntervention *copy = g_new (AttnIntervention, 1);

  *copy = *intervention;
  attn_index_set_ref (copy->layers);
  attn_index_set_ref (copy->heads);
  attn_index_set_ref (copy->tokens);
  attn_index_set_ref (copy->keys);
  if (copy->pairs != NULL)
    g_array_ref (copy->pairs);
  if (copy->source != NULL)
    attn_source_ref (copy->source);
  return copy;
}

void
attn_intervention_free (AttnIntervention *intervention)
{
  if (intervention == NULL)
    return;
  g_clear_pointer (&intervention->layers, attn_index_set_unref);
  g_clear_pointer (&intervention->heads, attn_index_set_unref);
  g_clear_pointer (&intervention->tokens, attn_index_set_unref);
  g_clear_pointer (&intervention->keys, attn_index_set_unref);
  g_clear_pointer (&intervention->pairs, g_array_unref);
  g_clear_pointer (&intervention->source, attn_source_unref);
  g_free (intervention);
}

/**
 * attn_intervention_equal:
 *
 * Returns: whether both do the same; members that their operation does not use, such as the factor
 *   of a mean, are not compared
 */
gboolean
attn_intervention_equal (const AttnIntervention *a,
                         const AttnIntervention *b)
{
  if (a->component != b->component || a->operation != b->operation || a->site != b->site ||
      !attn_index_set_equal (a->layers, b->layers) || !attn_index_set_equal (a->heads, b->heads) ||
      !attn_index_set_equal (a->tokens, b->tokens))
    return FALSE;
  return (a->operation != ATTN_OPERATION_MEAN || a->axis == b->axis) &&
         (a->operation != ATTN_OPERATION_SCALE || a->factor == b->factor) &&
         (a->operation != ATTN_OPERATION_CUT || attn_index_set_equal (a->keys, b->keys)) &&
         (a->operation != ATTN_OPERATION_PATCH ||
          (a->input == b->input && attn_pairs_equal (a->pairs, b->pairs)));
}

/**
 * attn_interventions_are_cut:
 * @interventions: (nullable) (element-type AttnIntervention)
 * @first: the first key that @query sees without the interventions
 * @end: the position behind the last key that it sees without them
 *
 * A cut of keys for all queries leaves out queries that would have no key left, such as the first
 * query of a causal model, which sees only key 0, if key 0 is cut.
 *
 * Returns: whether a cut hides @key from @query in this layer and head, apart from what the model's
 *   mask hides
 */
gboolean
attn_interventions_are_cut (const GPtrArray *interventions,
                            gsize            layer,
                            gsize            head,
                            gsize            query,
                            gsize            key,
                            gsize            first,
                            gsize            end)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->operation == ATTN_OPERATION_CUT &&
          attn_index_set_contains (intervention->layers, layer) &&
          attn_index_set_contains (intervention->heads, head) &&
          attn_index_set_contains (intervention->tokens, query) &&
          attn_index_set_contains (intervention->keys, key) &&
          (intervention->tokens != NULL ||
           !attn_index_set_contains_all (intervention->keys, first, end)))
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_interventions_act_on:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: whether any of the interventions changes @component in @layer
 */
gboolean
attn_interventions_act_on (const GPtrArray *interventions,
                           AttnComponent    component,
                           gsize            layer)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->component == component &&
          attn_index_set_contains (intervention->layers, layer))
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_intervention_has_site:
 * @layer: below the number of layers
 *
 * Returns: whether the layer has the intervention's site: a layer that uses the keys and values of
 *   another layer gets them rotated and has no earlier site for them
 */
gboolean
attn_intervention_has_site (const AttnIntervention *intervention,
                            const AttnModel        *model,
                            gsize                   layer)
{
  return (intervention->component != ATTN_COMPONENT_KEY &&
          intervention->component != ATTN_COMPONENT_VALUE) ||
         intervention->site == ATTN_SITE_ROTATED ||
         attn_model_info_get_layer (&model->info, layer).key_source == layer;
}

/**
 * attn_interventions_equal:
 *
 * Returns: whether both lists have equal interventions in the same order
 */
gboolean
attn_interventions_equal (const GPtrArray *a,
                          const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!attn_intervention_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

/**
 * attn_intervention_can_change:
 *
 * Returns: %FALSE for a scale by 1, which changes nothing; %TRUE for all others
 */
gboolean
attn_intervention_can_change (const AttnIntervention *intervention)
{
  return intervention->operation != ATTN_OPERATION_SCALE || intervention->factor != 1.0;
}

/**
 * attn_intervention_changes_scores:
 *
 * Returns: whether it changes the scores of @layer directly: by its queries, its keys, the residual
 *   stream that enters it, or a cut
 */
gboolean
attn_intervention_changes_scores (const AttnIntervention *intervention,
                                  gsize                   layer)
{
  return attn_intervention_can_change (intervention) &&
         (intervention->component == ATTN_COMPONENT_QUERY ||
          intervention->component == ATTN_COMPONENT_KEY ||
          intervention->component == ATTN_COMPONENT_RESIDUAL ||
          intervention->component == ATTN_COMPONENT_SCORES) &&
         attn_index_set_contains (intervention->layers, layer);
}

/**
 * attn_interventions_change_scores:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: whether [func@attn_intervention_changes_scores] holds for any of the interventions
 */
gboolean
attn_interventions_change_scores (const GPtrArray *interventions,
                                  gsize            layer)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    if (attn_intervention_changes_scores (g_ptr_array_index (interventions, i), layer))
      return TRUE;
  return FALSE;
}

/**
 * attn_interventions_find_first_layer:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: the lowest layer in which an intervention changes anything; %G_MAXSIZE if none changes
 *   anything
 */
gsize
attn_interventions_find_first_layer (const GPtrArray *interventions)
{
  gsize first = G_MAXSIZE;

  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (attn_intervention_can_change (intervention))
        first = MIN (first, attn_index_set_get_first (intervention->layers));
    }
  return first;
}

/**
 * attn_interventions_touch:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: whether the attention weights of @layer can differ from those without interventions:
 *   whether the interventions change the scores of this layer, or anything in a layer below it
 */
gboolean
attn_interventions_touch (const GPtrArray *interventions,
                          gsize            layer)
{
  return attn_interventions_change_scores (interventions, layer) ||
         attn_interventions_find_first_layer (interventions) < layer;
}

/**
 * attn_pairs_equal:
 * @a: (nullable) (element-type AttnPair): pairs of positions
 * @b: (nullable) (element-type AttnPair): other pairs
 *
 * Returns: whether both have the same pairs in the same order, or both are %NULL
 */
gboolean
attn_pairs_equal (const GArray *a,
                  const GArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (AttnPair)) == 0;
}
