/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-intervention.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-text.h"

const char * const attn_component_names[] = { "query", "key", "value",
                                              "output", "residual", "inner", NULL };
const char * const attn_vector_names[] = { "query", "key", "value", NULL };
const char * const attn_operation_names[] = { "mean", "scale", "zero", NULL };
const char * const attn_axis_names[] = { "feature", "token", "head", NULL };
const char * const attn_site_names[] = { "projection", "normed", "rotated", NULL };

/**
 * attn_intervention_new:
 *
 * Returns: (transfer full): an operation on all layers, heads and tokens; what else it has may be
 *   set until it is shared
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
 * Returns: (transfer full): see [func@attn_intervention_new]
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
 * @factor: ε; whether it is in range is for [func@attn_intervention_check] to say
 *
 * Returns: (transfer full): see [func@attn_intervention_new]
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
 * attn_intervention_copy:
 *
 * Returns: (transfer full): a copy, whose scope can be replaced
 */
AttnIntervention *
attn_intervention_copy (const AttnIntervention *intervention)
{
  AttnIntervention *copy = g_new (AttnIntervention, 1);

  *copy = *intervention;
  attn_index_set_ref (copy->layers);
  attn_index_set_ref (copy->heads);
  attn_index_set_ref (copy->tokens);
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
  g_free (intervention);
}

/**
 * attn_intervention_equal:
 *
 * Returns: whether both do the same; an axis counts for a mean, a factor for a scale
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
         (a->operation != ATTN_OPERATION_SCALE || a->factor == b->factor);
}

static gboolean
check_site (const AttnIntervention  *intervention,
            const AttnModel         *model,
            GError                 **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  if (!info->has_queries_and_keys)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("recorded attention weights found, expected recorded queries and keys, or a "
                     "model, for an intervention"));
      g_prefix_error (error, "%s: ", attn_model_get_path (model));
      return FALSE;
    }
  if (intervention->site == ATTN_SITE_NORMED && !info->has_query_key_norm)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("site normed: a %s model without a query/key norm found, expected one "
                        "that has it"),
                      info->family);
  if (intervention->site == ATTN_SITE_ROTATED && !info->has_rotary)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("site rotated: a %s model without a rotary embedding found, expected one "
                        "that has it"),
                      info->family);
  return TRUE;
}

/* What a component other than query, key and value cannot have is refused rather than ignored. */
static gboolean
check_component (const AttnIntervention  *intervention,
                 const AttnModel         *model,
                 GError                 **error)
{
  const char *name = attn_component_names[intervention->component];
  gboolean has_heads = intervention->component == ATTN_COMPONENT_OUTPUT;

  if (intervention->component < ATTN_N_COMPONENTS)
    return TRUE;
  if (attn_model_get_info (model)->is_recording)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: component %s found with recorded arrays, expected query, key or "
                        "value"),
                      attn_model_get_path (model), name);
  if (intervention->site != ATTN_SITE_PROJECTION)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("site %s: component %s found, expected query, key or value"),
                      attn_site_names[intervention->site], name);
  if (!has_heads && intervention->heads != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("heads: component %s found, expected one that has heads"), name);
  if (!has_heads && intervention->operation == ATTN_OPERATION_MEAN &&
      intervention->axis == ATTN_AXIS_HEAD)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("axis head: component %s found, expected one that has heads"), name);
  return has_heads || intervention->operation != ATTN_OPERATION_SCALE ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("scale: component %s found, expected query, key, value or output"), name);
}

/**
 * attn_interventions_act_on:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: whether any of them changes @component of @layer
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
 * attn_intervention_check:
 * @n_tokens: length of the input
 * @error: return location for %ATTN_ERROR_ARGUMENT: a site that the model does not have, ε out of
 *   range, layers, heads or tokens that do not exist
 *
 * Returns: whether the intervention can be made
 */
gboolean
attn_intervention_check (const AttnIntervention  *intervention,
                         const AttnModel         *model,
                         gsize                    n_tokens,
                         GError                 **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  if (intervention->operation == ATTN_OPERATION_SCALE &&
      !(intervention->factor >= ATTN_EPSILON_MIN && intervention->factor <= ATTN_EPSILON_MAX))
    {
      g_autofree char *found = attn_text_format_factor (intervention->factor);
      g_autofree char *minimum = attn_text_format_factor (ATTN_EPSILON_MIN);
      g_autofree char *maximum = attn_text_format_factor (ATTN_EPSILON_MAX);

      return attn_fail (error, ATTN_ERROR_ARGUMENT, _("ε: %s found, expected %s to %s"), found,
                        minimum, maximum);
    }
  return check_site (intervention, model, error) &&
         check_component (intervention, model, error) &&
         attn_index_set_check (intervention->layers, info->n_layers, _("layers"), error) &&
         attn_index_set_check (intervention->heads, info->n_heads, _("heads"), error) &&
         attn_index_set_check (intervention->tokens, n_tokens, _("tokens"), error);
}

/**
 * attn_interventions_check:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * [func@attn_intervention_check] of each of them.
 */
gboolean
attn_interventions_check (const GPtrArray  *interventions,
                          const AttnModel  *model,
                          gsize             n_tokens,
                          GError          **error)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    if (!attn_intervention_check (interventions->pdata[i], model, n_tokens, error))
      return FALSE;
  return TRUE;
}

/**
 * attn_interventions_equal:
 *
 * Returns: whether both lists do the same in the same order
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
 * Returns: %FALSE for a scale by 1, which is the identity: as if the intervention were not there
 */
gboolean
attn_intervention_can_change (const AttnIntervention *intervention)
{
  return intervention->operation != ATTN_OPERATION_SCALE || intervention->factor != 1.0;
}

/**
 * attn_intervention_changes_scores:
 *
 * Returns: whether it changes queries or keys of @layer itself, or what they are made from
 */
gboolean
attn_intervention_changes_scores (const AttnIntervention *intervention,
                                  gsize                   layer)
{
  return attn_intervention_can_change (intervention) &&
         (intervention->component == ATTN_COMPONENT_QUERY ||
          intervention->component == ATTN_COMPONENT_KEY ||
          intervention->component == ATTN_COMPONENT_RESIDUAL) &&
         attn_index_set_contains (intervention->layers, layer);
}

/**
 * attn_interventions_change_scores:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * Returns: whether any of them changes queries or keys of @layer itself
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
 * Returns: the lowest layer of which they change queries, keys or values; %G_MAXSIZE if they change
 *   nothing
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
 *   where queries or keys of the layer are changed, or anything in a layer below it
 */
gboolean
attn_interventions_touch (const GPtrArray *interventions,
                          gsize            layer)
{
  return attn_interventions_change_scores (interventions, layer) ||
         attn_interventions_find_first_layer (interventions) < layer;
}

static void
append_scope (GString            *string,
              const char         *what,
              const AttnIndexSet *set)
{
  if (set == NULL)
    return;

  g_autofree char *text = attn_index_set_to_string (set);
  g_string_append_printf (string, ", %s %s", what, text);
}

/**
 * attn_intervention_to_string:
 *
 * Returns: (transfer full): the intervention in one line, such as "query scale 0.5 at projection,
 *   layers 1" or "key mean feature at projection"; every part that is not the whole is named
 */
char *
attn_intervention_to_string (const AttnIntervention *intervention)
{
  GString *string = g_string_new (attn_component_names[intervention->component]);

  g_string_append_printf (string, " %s", attn_operation_names[intervention->operation]);
  if (intervention->operation == ATTN_OPERATION_MEAN)
    g_string_append_printf (string, " %s", attn_axis_names[intervention->axis]);
  if (intervention->operation == ATTN_OPERATION_SCALE)
    {
      g_autofree char *factor = attn_text_format_factor (intervention->factor);
      g_string_append_printf (string, " %s", factor);
    }
  if (intervention->component < ATTN_N_COMPONENTS)
    g_string_append_printf (string, " at %s", attn_site_names[intervention->site]);
  append_scope (string, "layers", intervention->layers);
  append_scope (string, "heads", intervention->heads);
  append_scope (string, "tokens", intervention->tokens);
  return g_string_free (string, FALSE);
}
