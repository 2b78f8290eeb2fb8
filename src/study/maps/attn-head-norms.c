/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-norms.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-workspace-private.h"

static const struct
{
  AttnHeadMeasure measure;
  AttnQuantity quantity;
} kinds[] = {
  { ATTN_HEAD_MEASURE_OUTPUT_NORM, ATTN_QUANTITY_OUTPUT },
  { ATTN_HEAD_MEASURE_QUERY_NORM, ATTN_QUANTITY_QUERY },
  { ATTN_HEAD_MEASURE_KEY_NORM, ATTN_QUANTITY_KEY },
  { ATTN_HEAD_MEASURE_VALUE_NORM, ATTN_QUANTITY_VALUE },
};

/* Averages the Euclidean norm over tokens. @vectors: [T, d], one vector of a head for each token */
static double
average_length (const float *vectors,
                gsize        n_tokens,
                gsize        width)
{
  double sum = 0.0;

  for (gsize token = 0; token < n_tokens; token++)
    {
      double square = 0.0;

      for (gsize i = 0; i < width; i++)
        square += (double) vectors[token * width + i] * vectors[token * width + i];
      sum += sqrt (square);
    }
  return sum / (double) n_tokens;
}

/* Measures the mean norm of the vectors of each head of a layer. If @is_relative, norms are divided
 * by their mean over the heads. Heads that share a key or value have the same norm. @values: (out):
 * [H] */
static void
measure_layer (const AttnTensor *vectors,
               gboolean          is_relative,
               gsize             n_heads,
               double           *values)
{
  gsize n_shared = n_heads / vectors->shape[0];
  gsize n = vectors->shape[1] * vectors->shape[2];
  double sum = 0.0;

  for (gsize head = 0; head < n_heads; head++)
    {
      values[head] = average_length (vectors->data + head / n_shared * n, vectors->shape[1],
                                     vectors->shape[2]);
      sum += values[head];
    }
  for (gsize head = 0; is_relative && head < n_heads; head++)
    values[head] = sum > 0.0 ? values[head] * (double) n_heads / sum : NAN;
}

/* Measures the norms of one layer. @values: [ATTN_N_HEAD_MEASURES]: arrays that get the results;
 * NULL for measures that are not requested */
static gboolean
run_layer (const AttnHeadMap  *map,
           AttnBaseline       *baseline,
           gsize               layer,
           GPtrArray          *interventions,
           double             *values[],
           GCancellable       *cancellable,
           GError            **error)
{
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .interventions = interventions,
    .layers = layers,
  };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (values[kinds[k].measure] != NULL)
      request.keep |= kinds[k].quantity;
  g_autoptr (AttnTrace) trace = attn_trace_compute (baseline->model, &request, baseline->residuals,
                                                    NULL, cancellable, error);
  if (trace == NULL)
    return FALSE;
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      double *out = values[kinds[k].measure];
      g_autoptr (AttnTensor) vectors =
          out != NULL ? attn_trace_get (trace, kinds[k].quantity, layer) : NULL;

      if (out != NULL && vectors == NULL)
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          _("%s: recorded arrays found, expected a model that computes “%s”"),
                          attn_model_get_path (baseline->model),
                          attn_head_measure_names[kinds[k].measure]);
      if (out != NULL)
        measure_layer (vectors, kinds[k].measure == ATTN_HEAD_MEASURE_OUTPUT_NORM, map->n_heads,
                       out + layer * map->n_heads);
    }
  return TRUE;
}

/**
 * attn_head_norms_fill:
 * @map: (inout): gets the norms that it asks for; if @study has interventions, norms without them
 *   go into @before of @map
 * @workspace: prepared for @study, with the residual streams of its first input computed
 * @error: return location: errors of [func@attn_trace_compute], %ATTN_ERROR_UNSUPPORTED for a
 *   recording that lacks the vectors
 *
 * Computes norms, averaged over the tokens: of queries and keys as the scores use them, of values,
 * and of the output of each head before the output projection, relative to the mean over the heads
 * of its layer (arXiv 2504.03889). An operation on the layer on display is done to each layer in
 * turn.
 */
gboolean
attn_head_norms_fill (AttnHeadMap         *map,
                      const AttnStudy     *study,
                      AttnWorkspace       *workspace,
                      const AttnProgress  *progress,
                      GCancellable        *cancellable,
                      GError             **error)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, 0);

  for (gsize layer = 0; layer < map->n_layers; layer++)
    {
      AttnCell cell = attn_cell_get_first (study, layer, ATTN_HEAD_MEAN);
      g_autoptr (GPtrArray) interventions =
          attn_workspace_build_interventions (workspace, &cell, study);

      attn_progress_report (progress, _("Computing panels"),
                            (double) layer / (double) map->n_layers);
      if (!attn_model_has_map (baseline->model, layer))
        continue;
      if (!attn_interventions_check (interventions, baseline->model, baseline->tokens->n_tokens,
                                     error) ||
          !run_layer (map, baseline, layer, interventions, map->values, cancellable, error) ||
          (attn_study_is_changed (study) &&
           !run_layer (map, baseline, layer, NULL, map->before, cancellable, error)))
        return FALSE;
    }
  return TRUE;
}
