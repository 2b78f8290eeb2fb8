/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks that a model has everything that interventions name: components, sites, layers, heads and
 * tokens. */

#include "config.h"

#include "attn-intervention.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-model-private.h"
#include "attn-source.h"
#include "attn-text.h"
#include "attn-visible-keys.h"

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

/* Refuses an operation that is not possible on the component, such as a scale of the residual
 * stream. Queries, keys and values can have all operations but a cut, scores only a cut. */
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

/**
 * attn_intervention_pairs_up:
 * @patch: an intervention that puts values from another input into this one
 * @n_others: number of tokens of the other input
 * @n_tokens: number of tokens of this input
 *
 * Returns: whether it is said which position takes the place of which: by a list of positions, or
 *   because each is replaced by the same one, which both inputs have
 */
gboolean
attn_intervention_pairs_up (const AttnIntervention *patch,
                            gsize                   n_others,
                            gsize                   n_tokens)
{
  return patch->pairs != NULL || n_others == n_tokens ||
         (patch->tokens != NULL &&
          attn_index_set_count (patch->tokens, MAX (n_others, n_tokens)) ==
              attn_index_set_count (patch->tokens, MIN (n_others, n_tokens)));
}

/* Fails if a patched position is behind the end of the other input: it has no vectors to copy, and
 * a position left as it is would look like a patch without effect. @may_be_shorter: whether the
 * check is for several texts of up to @n_tokens, which may be shorter than the other input. */
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
  if (intervention->source == NULL ||
      attn_model_get_base (attn_source_get_model (intervention->source)) !=
          attn_model_get_base (model))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("patch: no input %zu found, expected another input"),
                      intervention->input + 1);
  gsize n_others = attn_source_count_tokens (intervention->source);
  if (intervention->component == ATTN_COMPONENT_KEY ||
      intervention->component == ATTN_COMPONENT_VALUE)
    n_others = attn_model_count_keys (attn_source_get_model (intervention->source), n_others);
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
  if (attn_intervention_pairs_up (intervention, n_others, n_tokens) ||
      (may_be_shorter && (n_others > n_tokens || n_tokens == G_MAXSIZE)))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("patch: %zu tokens found and %zu in input %zu, expected as many in both, or "
                      "positions FROM=TO that say which goes where"),
                    n_tokens, n_others, intervention->input + 1);
}

/* Fails if all layers of the scope have linear attention, since there is no softmax attention in
 * them to intervene on. If only some layers have, the intervention passes over these. */
static gboolean
check_maps (const AttnIntervention  *intervention,
            const AttnModelInfo     *info,
            GError                 **error)
{
  if (intervention->component == ATTN_COMPONENT_RESIDUAL ||
      intervention->component == ATTN_COMPONENT_MLP)
    return TRUE;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (attn_index_set_contains (intervention->layers, layer) &&
        attn_index_set_contains (info->mapped_layers, layer))
      return TRUE;
  return attn_model_info_check_maps (info, intervention->layers, error);
}

/* Fails if every layer of the scope uses the keys and values of another layer and the site is
 * before the rotation: there, keys and values can only be changed in the layer that computes
 * them. */
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

/* Checks one intervention on a text of @n_tokens. @n_most: number of tokens that the text may grow
 * to; the scope may name positions below @n_most */
static gboolean
check_one (const AttnIntervention  *intervention,
           const AttnModel         *model,
           gsize                    n_tokens,
           gsize                    n_most,
           gboolean                 may_be_shorter,
           GError                 **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;
  gsize n_keys = attn_model_count_keys (model, n_most);

  /* In cross-attention, keys and values are those of the encoder's tokens, so the number of these
   * tokens limits positions of keys. */
  if (intervention->component == ATTN_COMPONENT_KEY ||
      intervention->component == ATTN_COMPONENT_VALUE)
    {
      n_tokens = attn_model_count_keys (model, n_tokens);
      n_most = n_keys;
    }
  if (intervention->operation == ATTN_OPERATION_SCALE &&
      !(intervention->factor >= ATTN_EPSILON_MIN && intervention->factor <= ATTN_EPSILON_MAX))
    {
      g_autofree char *found = attn_text_format_epsilon (intervention->factor);
      g_autofree char *minimum = attn_text_format_epsilon (ATTN_EPSILON_MIN);
      g_autofree char *maximum = attn_text_format_epsilon (ATTN_EPSILON_MAX);

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
         attn_index_set_check (intervention->tokens, n_most,
                               is_cut ? _("queries") : _("tokens"), error) &&
         (!is_cut || attn_index_set_check (intervention->keys, n_keys, _("keys"), error));
}

/**
 * attn_intervention_check:
 * @n_tokens: length of the input
 * @error: return location for %ATTN_ERROR_ARGUMENT: a site that the model does not have, ε out of
 *   range, layers, heads or tokens that do not exist
 *
 * Returns: whether the intervention is possible on the model and the input
 */
gboolean
attn_intervention_check (const AttnIntervention  *intervention,
                         const AttnModel         *model,
                         gsize                    n_tokens,
                         GError                 **error)
{
  return check_one (intervention, model, n_tokens, n_tokens, FALSE, error);
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

/* Fails if the cuts of a layer together leave a query without any key: its softmax would be
 * undefined. */
static gboolean
check_cuts (const GPtrArray  *interventions,
            const AttnModel  *model,
            gsize             n_tokens,
            GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize n_keys = attn_model_count_keys (model, n_tokens);

  /* A cut of all keys for all queries is refused, since attn_interventions_are_cut() would leave
   * out every query, and nothing would be cut. */
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *cut = g_ptr_array_index (interventions, i);

      if (cut->operation == ATTN_OPERATION_CUT && cut->tokens == NULL &&
          attn_index_set_contains_all (cut->keys, 0, n_keys))
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

            attn_rules_get_visible_keys (rules, n_keys, query, &first, &end);
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
 * Checks each intervention as [func@attn_intervention_check] does, and that cuts leave each query
 * at least one key.
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
 * attn_interventions_check_growing:
 * @interventions: (nullable) (element-type AttnIntervention)
 * @n_tokens: length of the text now, which limits the positions of patches
 * @n_most: how many tokens it may have in the end; scopes and cuts may name tokens that are not
 *   there yet
 *
 * Checks as [func@attn_interventions_check] does, for a text to which tokens will be added.
 */
gboolean
attn_interventions_check_growing (const GPtrArray  *interventions,
                                  const AttnModel  *model,
                                  gsize             n_tokens,
                                  gsize             n_most,
                                  GError          **error)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    if (!check_one (interventions->pdata[i], model, n_tokens, n_most, FALSE, error))
      return FALSE;
  return check_cuts (interventions, model, n_most, error);
}

/**
 * attn_interventions_check_texts:
 * @interventions: (nullable) (element-type AttnIntervention)
 * @max_tokens: tokens of the longest text, %G_MAXSIZE if it is not known
 *
 * Checks as [func@attn_interventions_check] does, for texts of different lengths. In a shorter
 * text, the interventions pass over what the text does not have: tokens of the scope, and positions
 * to be patched; and a query that cuts would leave without a key sees all its keys.
 */
gboolean
attn_interventions_check_texts (const GPtrArray  *interventions,
                                const AttnModel  *model,
                                gsize             max_tokens,
                                GError          **error)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    if (!check_one (interventions->pdata[i], model, max_tokens, max_tokens, TRUE, error))
      return FALSE;
  return max_tokens == G_MAXSIZE || check_cuts (interventions, model, max_tokens, error);
}
