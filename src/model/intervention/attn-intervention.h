/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An intervention in a forward pass: an operation, such as a scale by ε, on a component of the
 * model, such as the keys, at a site, the point of the computation where it acts, within a scope of
 * layers, heads and tokens. */

#pragma once

#include <glib.h>

#include "attn-index-set.h"
#include "attn-text.h"
#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnComponent:
 * @ATTN_COMPONENT_QUERY: queries, [heads H, tokens T, numbers d]; likewise keys and values
 * @ATTN_COMPONENT_OUTPUT: the output of each head before the output projection, [H, T, d]
 * @ATTN_COMPONENT_RESIDUAL: the residual stream entering a layer, [T, D]
 * @ATTN_COMPONENT_MLP: the output of the feed-forward layer, before the norm that it has in some
 *   models, [T, D]
 * @ATTN_COMPONENT_SCORES: the scores before the softmax, [H, T, T]; they can only be cut
 *
 * Vectors or numbers of a layer that an intervention changes.
 */
typedef enum
{
  ATTN_COMPONENT_QUERY,
  ATTN_COMPONENT_KEY,
  ATTN_COMPONENT_VALUE,
  ATTN_COMPONENT_OUTPUT,
  ATTN_COMPONENT_RESIDUAL,
  ATTN_COMPONENT_MLP,
  ATTN_COMPONENT_SCORES,
} AttnComponent;

/* The number of components that have sites: queries, keys and values, which are the first ones. */
#define ATTN_N_COMPONENTS 3

/**
 * AttnOperation:
 * @ATTN_OPERATION_MEAN: the component X becomes its mean over an axis
 * @ATTN_OPERATION_SCALE: X becomes ε X; ε = 1 leaves X exactly as it was
 * @ATTN_OPERATION_ZERO: X becomes 0, even where it is not finite
 * @ATTN_OPERATION_PATCH: X at some positions becomes what X is in the pass over another input
 * @ATTN_OPERATION_CUT: scores of some queries and keys become -INFINITY, so that their weight is 0
 * @ATTN_OPERATION_READ: X is not changed, but copied into the source of the intervention; internal,
 *   without a name, see [func@attn_interventions_prepare]
 */
typedef enum
{
  ATTN_OPERATION_MEAN,
  ATTN_OPERATION_SCALE,
  ATTN_OPERATION_ZERO,
  ATTN_OPERATION_PATCH,
  ATTN_OPERATION_CUT,
  ATTN_OPERATION_READ,
} AttnOperation;

#define ATTN_N_OPERATIONS 5

/**
 * AttnAxis:
 * @ATTN_AXIS_FEATURE: each vector becomes its own mean, repeated d times
 * @ATTN_AXIS_TOKEN: every vector becomes the mean over all tokens of its head
 * @ATTN_AXIS_HEAD: every vector becomes the mean over the heads that exist (Hk for key and value)
 *
 * The axis of a mean. It is always taken over all features, tokens or heads; the scope only says
 * which vectors become the mean.
 */
typedef enum
{
  ATTN_AXIS_FEATURE,
  ATTN_AXIS_TOKEN,
  ATTN_AXIS_HEAD,
} AttnAxis;

#define ATTN_N_AXES 3

/**
 * AttnSite:
 * @ATTN_SITE_PROJECTION: directly after the projection and its bias
 * @ATTN_SITE_NORMED: after the query/key norm
 * @ATTN_SITE_ROTATED: after the rotary embedding
 *
 * Point of the computation where queries, keys or values are changed.
 */
typedef enum
{
  ATTN_SITE_PROJECTION,
  ATTN_SITE_NORMED,
  ATTN_SITE_ROTATED,
} AttnSite;

#define ATTN_N_SITES 3

#define ATTN_EPSILON_MIN 1e-12
#define ATTN_EPSILON_MAX 1e3

/**
 * AttnPair:
 * @from: a position in the other input of a patch
 * @to: the position here that gets the vectors of @from
 */
typedef struct
{
  gsize from;
  gsize to;
} AttnPair;

/**
 * AttnIntervention:
 * @axis: of a mean
 * @factor: ε of a scale, from %ATTN_EPSILON_MIN to %ATTN_EPSILON_MAX
 * @layers: (nullable): numbers of layers from 0, %NULL for all
 * @heads: (nullable): numbers of query heads, %NULL for all. A key/value head that serves several
 *   query heads is in scope as soon as one of these query heads is.
 * @tokens: (nullable): positions from 0, %NULL for all; for a cut those of the queries
 * @keys: (nullable): of a cut: the keys that the queries do not see, %NULL for all
 * @input: of a patch: number of the other input, from 0
 * @pairs: (nullable) (element-type AttnPair): of a patch: which position of the other input goes to
 *   which position here; %NULL if each goes to the same position
 * @source: (nullable): of a patch: the other input with the same model, set from @input before the
 *   pass and not compared
 *
 * An intervention, which must not be changed once it is shared. A list of interventions is applied
 * from its first to its last.
 */
typedef struct
{
  AttnComponent component;
  AttnOperation operation;
  AttnAxis axis;
  double factor;
  AttnSite site;
  AttnIndexSet *layers;
  AttnIndexSet *heads;
  AttnIndexSet *tokens;
  AttnIndexSet *keys;
  gsize input;
  GArray *pairs;
  struct _AttnSource *source;
} AttnIntervention;

AttnIntervention *attn_intervention_new       (AttnComponent            component,
                                               AttnOperation            operation,
                                               AttnSite                 site);
AttnIntervention *attn_intervention_new_mean  (AttnComponent            component,
                                               AttnAxis                 axis,
                                               AttnSite                 site);
AttnIntervention *attn_intervention_new_scale (AttnComponent            component,
                                               double                   factor,
                                               AttnSite                 site);
AttnIntervention *attn_intervention_new_cut   (AttnIndexSet            *queries,
                                               AttnIndexSet            *keys);
AttnIntervention *attn_intervention_copy      (const AttnIntervention  *intervention);
void              attn_intervention_free      (AttnIntervention        *intervention);
gboolean          attn_intervention_equal     (const AttnIntervention  *a,
                                               const AttnIntervention  *b);
gboolean          attn_intervention_check     (const AttnIntervention  *intervention,
                                               const AttnModel         *model,
                                               gsize                    n_tokens,
                                               GError                 **error);
gboolean          attn_intervention_pairs_up  (const AttnIntervention  *patch,
                                               gsize                    n_others,
                                               gsize                    n_tokens);
gboolean          attn_interventions_equal    (const GPtrArray         *a,
                                               const GPtrArray         *b);
gboolean          attn_interventions_check    (const GPtrArray         *interventions,
                                               const AttnModel         *model,
                                               gsize                    n_tokens,
                                               GError                 **error);
gboolean          attn_interventions_check_growing (const GPtrArray    *interventions,
                                               const AttnModel         *model,
                                               gsize                    n_tokens,
                                               gsize                    n_most,
                                               GError                 **error);
gboolean          attn_interventions_check_texts (const GPtrArray      *interventions,
                                               const AttnModel         *model,
                                               gsize                    max_tokens,
                                               GError                 **error);
gboolean          attn_interventions_are_cut  (const GPtrArray         *interventions,
                                               gsize                    layer,
                                               gsize                    head,
                                               gsize                    query,
                                               gsize                    key,
                                               gsize                    first,
                                               gsize                    end);
gboolean          attn_interventions_act_on   (const GPtrArray         *interventions,
                                               AttnComponent            component,
                                               gsize                    layer);
gboolean          attn_intervention_has_site  (const AttnIntervention  *intervention,
                                               const AttnModel         *model,
                                               gsize                    layer);
gboolean          attn_intervention_can_change (const AttnIntervention *intervention);
gboolean          attn_intervention_changes_scores (const AttnIntervention *intervention,
                                               gsize                    layer);
gboolean          attn_interventions_change_scores (const GPtrArray     *interventions,
                                               gsize                    layer);
gboolean          attn_interventions_touch    (const GPtrArray         *interventions,
                                               gsize                    layer);
gsize             attn_interventions_find_first_layer (const GPtrArray  *interventions);
char             *attn_intervention_to_string (const AttnIntervention  *intervention);
AttnIntervention *attn_intervention_parse    (const char              *text);
GArray           *attn_pairs_parse            (const char              *text,
                                               GError                 **error);
char             *attn_pairs_to_string        (const GArray            *pairs);
gboolean          attn_pairs_equal            (const GArray            *a,
                                               const GArray            *b);

/* (array zero-terminated=1): names on the command line and in files, indexed by the enum.
 * attn_vector_names has only the components that have sites, “query”, “key” and “value”. */
extern const char * const attn_component_names[];
extern const char * const attn_vector_names[];
extern const char * const attn_operation_names[];
extern const char * const attn_axis_names[];
extern const char * const attn_site_names[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnIntervention, attn_intervention_free)

G_END_DECLS
