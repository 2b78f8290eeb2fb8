/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-intervention.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-model-private.h"
#include "attn-source.h"
#include "attn-text.h"
#include "attn-visible-keys.h"

/* Of a list of positions to patch: longer ones are refused, since each pair is compared with all
 * before it. */
#define MAX_PAIRS 4096

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
 * attn_intervention_new_cut:
 * @queries: (nullable) (transfer full): positions, %NULL for all
 * @keys: (nullable) (transfer full): which of them those do not see any more
 *
 * Returns: (transfer full): see [func@attn_intervention_new]
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
         (a->operation != ATTN_OPERATION_SCALE || a->factor == b->factor) &&
         (a->operation != ATTN_OPERATION_CUT || attn_index_set_equal (a->keys, b->keys)) &&
         (a->operation != ATTN_OPERATION_PATCH ||
          (a->input == b->input && attn_pairs_equal (a->pairs, b->pairs)));
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
  gboolean is_score = intervention->component == ATTN_COMPONENT_SCORES;
  gboolean has_heads = is_score || intervention->component == ATTN_COMPONENT_OUTPUT;

  if (is_score != (intervention->operation == ATTN_OPERATION_CUT))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      is_score ? _("%s: component scores found, which can be cut only")
                               : _("%s: component %s found, expected scores"),
                      attn_operation_names[intervention->operation], name);
  if (is_score && intervention->site != ATTN_SITE_PROJECTION)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("site %s: component %s found, expected query, key or value"),
                      attn_site_names[intervention->site], name);
  if (is_score)
    return TRUE;
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

/* A position without a partner is refused: that it stayed as it is would be seen nowhere. Texts of
 * up to @n_tokens may be shorter than the other input. */
static gboolean
check_patch (const AttnIntervention  *intervention,
             const AttnModel         *model,
             gsize                    n_tokens,
             gboolean                 may_be_shorter,
             GError                 **error)
{
  const GArray *pairs = intervention->pairs;

  if (intervention->operation != ATTN_OPERATION_PATCH)
    return TRUE;
  if (intervention->source == NULL || attn_source_get_model (intervention->source) != model)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("patch: no input %zu found, expected another input"),
                      intervention->input + 1);
  gsize n_others = attn_source_count_tokens (intervention->source);
  for (guint i = 0; pairs != NULL && i < pairs->len; i++)
    {
      const AttnPair *pair = &g_array_index (pairs, AttnPair, i);

      if (pair->from >= n_others || pair->to >= n_tokens)
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("patch: %zu=%zu found, expected 0 to %zu of input %zu and 0 to %zu "
                            "here"),
                          pair->from, pair->to, n_others - 1, intervention->input + 1,
                          n_tokens - 1);
    }
  if (pairs != NULL || n_others == n_tokens ||
      (may_be_shorter && (n_others > n_tokens || n_tokens == G_MAXSIZE)) ||
      (intervention->tokens != NULL &&
       attn_index_set_count (intervention->tokens, MAX (n_others, n_tokens)) ==
           attn_index_set_count (intervention->tokens, MIN (n_others, n_tokens))))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("patch: %zu tokens found and %zu in input %zu, expected as many, a list of "
                      "positions FROM=TO, or tokens that both have"),
                    n_tokens, n_others, intervention->input + 1);
}

/**
 * attn_interventions_are_cut:
 * @interventions: (nullable) (element-type AttnIntervention)
 * @first: the first key that @query sees without them
 * @end: behind the last one
 *
 * A cut of all queries passes over those that see none but its keys, such as the first query of a
 * causal model where key 0 is cut: it has no other.
 *
 * Returns: whether a head of a layer sees nothing of @key at @query, whatever its mask is
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
 * attn_intervention_has_site:
 * @layer: below the number of layers
 *
 * Returns: whether the layer has the site of its component: keys and values of another layer come
 *   as that one has rotated them
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

/* What is a head's is nothing in a layer of linear attention, which is passed over as long as
 * another layer is in the scope. */
static gboolean
check_maps (const AttnIntervention  *intervention,
            const AttnModelInfo     *info,
            GError                 **error)
{
  if (intervention->component == ATTN_COMPONENT_RESIDUAL ||
      intervention->component == ATTN_COMPONENT_INNER)
    return TRUE;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (attn_index_set_contains (intervention->layers, layer) &&
        attn_index_set_contains (info->mapped_layers, layer))
      return TRUE;
  return attn_model_info_check_maps (info, intervention->layers, error);
}

/* What a layer has from another is made there, as long as that is in the scope. */
static gboolean
check_sources (const AttnIntervention  *intervention,
               const AttnModel         *model,
               GError                 **error)
{
  const AttnModelInfo *info = &model->info;
  gsize first = attn_index_set_get_first (intervention->layers);

  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (attn_index_set_contains (intervention->layers, layer) &&
        attn_intervention_has_site (intervention, model, layer))
      return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("site %s: layer %zu with the keys and values of layer %zu found, expected "
                      "that layer, or site rotated"),
                    attn_site_names[intervention->site], first,
                    attn_model_info_get_layer (info, first).key_source);
}

static gboolean
check_one (const AttnIntervention  *intervention,
           const AttnModel         *model,
           gsize                    n_tokens,
           gboolean                 may_be_shorter,
           GError                 **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;

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
         check_patch (intervention, model, n_tokens, may_be_shorter, error) &&
         attn_index_set_check (intervention->layers, info->n_layers, _("layers"), error) &&
         check_maps (intervention, info, error) &&
         check_sources (intervention, model, error) &&
         attn_index_set_check (intervention->heads, info->n_heads, _("heads"), error) &&
         attn_index_set_check (intervention->tokens, n_tokens,
                               is_cut ? _("queries") : _("tokens"), error) &&
         (!is_cut || attn_index_set_check (intervention->keys, n_tokens, _("keys"), error));
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
  return check_one (intervention, model, n_tokens, FALSE, error);
}

static gboolean
fail_empty_row (gsize    query,
                gsize    layer,
                gsize    head,
                GError **error)
{
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("cut: query %zu of layer %zu, head %zu without a key found, "
                      "expected at least one that is left"),
                    query, layer, head);
}

/* No row may lose all its keys; all cuts of a layer count together. */
static gboolean
check_cuts (const GPtrArray  *interventions,
            const AttnModel  *model,
            gsize             n_tokens,
            GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  /* One that passes over each of its queries would say nothing. */
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *cut = g_ptr_array_index (interventions, i);

      if (cut->operation == ATTN_OPERATION_CUT && cut->tokens == NULL &&
          attn_index_set_contains_all (cut->keys, 0, n_tokens))
        return fail_empty_row (n_tokens - 1, attn_index_set_get_first (cut->layers),
                               attn_index_set_get_first (cut->heads), error);
    }
  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      const AttnScoreRules *rules = attn_model_get_rules (model, layer);

      if (!attn_interventions_act_on (interventions, ATTN_COMPONENT_SCORES, layer) ||
          !attn_model_has_map (model, layer))
        continue;
      for (gsize head = 0; head < info->n_heads; head++)
        for (gsize query = 0; query < n_tokens; query++)
          {
            gsize first;
            gsize end;

            attn_get_visible_keys (rules->is_causal, rules->window, n_tokens, query, &first,
                                   &end);
            gsize key = first;
            while (key < end && attn_interventions_are_cut (interventions, layer, head, query, key,
                                                            first, end))
              key++;
            if (key == end)
              return fail_empty_row (query, layer, head, error);
          }
    }
  return TRUE;
}

/**
 * attn_interventions_check:
 * @interventions: (nullable) (element-type AttnIntervention)
 *
 * [func@attn_intervention_check] of each of them, and that a cut leaves each row a key.
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
  return check_cuts (interventions, model, n_tokens, error);
}

/**
 * attn_interventions_check_texts:
 * @interventions: (nullable) (element-type AttnIntervention)
 * @max_tokens: of the longest text, %G_MAXSIZE where that is not known
 *
 * [func@attn_interventions_check] for texts of different lengths. What a text does not have is
 * passed over there: tokens in the scope, positions to be patched, and queries that a cut would
 * leave without a key, which see them all.
 */
gboolean
attn_interventions_check_texts (const GPtrArray  *interventions,
                                const AttnModel  *model,
                                gsize             max_tokens,
                                GError          **error)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    if (!check_one (interventions->pdata[i], model, max_tokens, TRUE, error))
      return FALSE;
  return max_tokens == G_MAXSIZE || check_cuts (interventions, model, max_tokens, error);
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
          intervention->component == ATTN_COMPONENT_RESIDUAL ||
          intervention->component == ATTN_COMPONENT_SCORES) &&
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
 * Inputs count from 1, as they do in titles.
 *
 * Returns: (transfer full): the intervention in one line, such as "query scale 0.5 at projection,
 *   layers 1" or "key mean feature at projection"; every part that is not the whole is named
 */
char *
attn_intervention_to_string (const AttnIntervention *intervention)
{
  GString *string = g_string_new (attn_component_names[intervention->component]);
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;

  g_string_append_printf (string, " %s", attn_operation_names[intervention->operation]);
  if (intervention->operation == ATTN_OPERATION_MEAN)
    g_string_append_printf (string, " %s", attn_axis_names[intervention->axis]);
  if (intervention->operation == ATTN_OPERATION_SCALE)
    {
      g_autofree char *factor = attn_text_format_factor (intervention->factor);
      g_string_append_printf (string, " %s", factor);
    }
  if (intervention->operation == ATTN_OPERATION_PATCH)
    {
      g_autofree char *pairs = attn_pairs_to_string (intervention->pairs);
      g_string_append_printf (string, " from input %zu%s%s", intervention->input + 1,
                              *pairs != '\0' ? ", positions " : "", pairs);
    }
  if (intervention->component < ATTN_N_COMPONENTS)
    g_string_append_printf (string, " at %s", attn_site_names[intervention->site]);
  append_scope (string, "layers", intervention->layers);
  append_scope (string, "heads", intervention->heads);
  append_scope (string, is_cut ? "queries" : "tokens", intervention->tokens);
  if (is_cut)
    append_scope (string, "keys", intervention->keys);
  return g_string_free (string, FALSE);
}

/* "layers 1,3-5" and the like. */
static gboolean
parse_scope (AttnIntervention *intervention,
             const char       *text)
{
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;
  const struct
  {
    const char *what;
    AttnIndexSet **set;
  } scopes[] = { { "layers ", &intervention->layers },
                 { "heads ", &intervention->heads },
                 { is_cut ? "queries " : "tokens ", &intervention->tokens },
                 { "keys ", &intervention->keys } };

  for (gsize i = 0; i < G_N_ELEMENTS (scopes) - !is_cut; i++)
    if (*scopes[i].set == NULL && g_str_has_prefix (text, scopes[i].what))
      {
        *scopes[i].set = attn_index_set_parse (text + strlen (scopes[i].what), NULL);
        return *scopes[i].set != NULL;
      }
  return FALSE;
}

/* "from input 1, positions 2=3", without the words before the number. */
static gboolean
parse_origin (AttnIntervention *intervention,
              const char       *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ", positions ", 2);
  guint64 number = 0;

  if (parts[0] == NULL ||
      !g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXINT32, &number, NULL))
    return FALSE;
  intervention->input = (gsize) number - 1;
  intervention->pairs = parts[1] != NULL ? attn_pairs_parse (parts[1], NULL) : NULL;
  return parts[1] == NULL || intervention->pairs != NULL;
}

/* What stands between operation and site: an axis, a factor, an input, or nothing. */
static gboolean
parse_amount (AttnIntervention *intervention,
              const char       *text)
{
  static const char origin[] = "from input ";
  int axis = ATTN_AXIS_FEATURE;

  switch (intervention->operation)
    {
    case ATTN_OPERATION_ZERO:
    case ATTN_OPERATION_CUT:
      return text == NULL;
    case ATTN_OPERATION_PATCH:
      return text != NULL && g_str_has_prefix (text, origin) &&
             parse_origin (intervention, text + strlen (origin));
    case ATTN_OPERATION_MEAN:
      if (text == NULL || !attn_text_parse_name (attn_axis_names, text, &axis, NULL))
        return FALSE;
      intervention->axis = axis;
      return TRUE;
    case ATTN_OPERATION_SCALE:
      return text != NULL && attn_text_parse_number (text, &intervention->factor) &&
             intervention->factor >= ATTN_EPSILON_MIN && intervention->factor <= ATTN_EPSILON_MAX;
    default:
      return FALSE;
    }
}

/**
 * attn_intervention_parse:
 * @text: from [func@attn_intervention_to_string]
 *
 * Returns: (transfer full) (nullable): the intervention, a patch without its source; %NULL for any
 *   other text
 */
AttnIntervention *
attn_intervention_parse (const char *text)
{
  static GRegex *form;
  g_autoptr (GMatchInfo) match = NULL;
  int component;
  int operation;
  int site = ATTN_SITE_PROJECTION;

  if (g_once_init_enter (&form))
    g_once_init_leave (&form, g_regex_new ("^(\\w+) (\\w+)(?: ((?:[^,]|,(?! )|, positions )+?))??"
                                           "(?: at (\\w+))?((?:, \\w+ [0-9,-]+)*)$",
                                           G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL));
  if (!g_regex_match (form, text, G_REGEX_MATCH_DEFAULT, &match))
    return NULL;
  g_autofree char *component_name = g_match_info_fetch (match, 1);
  g_autofree char *operation_name = g_match_info_fetch (match, 2);
  g_autofree char *amount = g_match_info_fetch (match, 3);
  g_autofree char *site_name = g_match_info_fetch (match, 4);
  g_autofree char *scopes = g_match_info_fetch (match, 5);
  if (!attn_text_parse_name (attn_component_names, component_name, &component, NULL) ||
      !attn_text_parse_name (attn_operation_names, operation_name, &operation, NULL) ||
      (*site_name != '\0') != (component < ATTN_N_COMPONENTS) ||
      (*site_name != '\0' && !attn_text_parse_name (attn_site_names, site_name, &site, NULL)))
    return NULL;

  g_autoptr (AttnIntervention) intervention = attn_intervention_new (component, operation, site);
  g_auto (GStrv) parts = g_strsplit (scopes, ", ", -1);
  gboolean is_good = parse_amount (intervention, *amount != '\0' ? amount : NULL);
  for (guint i = 1; is_good && parts[0] != NULL && parts[i] != NULL; i++)
    is_good = parse_scope (intervention, parts[i]);
  return is_good ? g_steal_pointer (&intervention) : NULL;
}

/**
 * attn_pairs_parse:
 * @text: "FROM=TO,FROM=TO", positions; runs of the same length may stand for both, "2-4=3-5"
 * @error: return location for %ATTN_ERROR_ARGUMENT, where a position is to become two others, too
 *
 * Returns: (transfer full) (nullable) (element-type AttnPair): the pairs in order
 */
GArray *
attn_pairs_parse (const char  *text,
                  GError     **error)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (AttnPair));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      g_auto (GStrv) sides = g_strsplit (*part, "=", -1);
      gboolean has_sides = g_strv_length (sides) == 2;
      g_autoptr (AttnIndexSet) from = has_sides ? attn_index_set_parse (sides[0], NULL) : NULL;
      g_autoptr (AttnIndexSet) to = has_sides ? attn_index_set_parse (sides[1], NULL) : NULL;
      AttnPair pair = { attn_index_set_get_first (from), attn_index_set_get_first (to) };
      gsize n = from != NULL ? attn_index_set_count (from, G_MAXINT32) : 0;

      if (n == 0 || n > MAX_PAIRS || to == NULL || attn_index_set_count (to, G_MAXINT32) != n)
        return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                               _("“%s” found, expected positions FROM=TO such as 2=3,5-7=6-8"),
                               *part);
      for (gsize i = 0; i < n && pairs->len < MAX_PAIRS; i++, pair.from++, pair.to++)
        {
          for (guint k = 0; k < pairs->len; k++)
            if (g_array_index (pairs, AttnPair, k).to == pair.to)
              return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                                     _("“%s” found, expected each position to be patched once"),
                                     text);
          g_array_append_val (pairs, pair);
        }
    }
  return g_steal_pointer (&pairs);
}

/**
 * attn_pairs_to_string:
 * @pairs: (nullable)
 *
 * Returns: (transfer full): what [func@attn_pairs_parse] reads; nothing for %NULL
 */
char *
attn_pairs_to_string (const GArray *pairs)
{
  GString *text = g_string_new (NULL);
  guint n;

  for (guint i = 0; pairs != NULL && i < pairs->len; i += n)
    {
      const AttnPair *pair = &g_array_index (pairs, AttnPair, i);

      for (n = 1; i + n < pairs->len; n++)
        if (pair[n].from != pair->from + n || pair[n].to != pair->to + n)
          break;
      g_string_append_printf (text, i > 0 ? ",%zu" : "%zu", pair->from);
      if (n > 1)
        g_string_append_printf (text, "-%zu", pair[n - 1].from);
      g_string_append_printf (text, "=%zu", pair->to);
      if (n > 1)
        g_string_append_printf (text, "-%zu", pair[n - 1].to);
    }
  return g_string_free (text, FALSE);
}

/**
 * attn_pairs_equal:
 * @a: (nullable)
 * @b: (nullable)
 */
gboolean
attn_pairs_equal (const GArray *a,
                  const GArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (AttnPair)) == 0;
}
