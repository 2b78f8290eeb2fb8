/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-patch-map.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-prediction.h"
#include "attn-quantities.h"
#include "attn-speaker.h"
#include "attn-workspace-private.h"

/**
 * attn_patch_map_build_patch:
 * @column: a position, or for %ATTN_PATCHED_HEADS a head
 *
 * Returns: (transfer full): the patch from input 0 that the cell of the map at @layer and @column
 *   stands for
 */
AttnIntervention *
attn_patch_map_build_patch (AttnPatched patched,
                            gsize       layer,
                            gsize       column)
{
  static const AttnComponent components[] = {
    [ATTN_PATCHED_RESIDUAL] = ATTN_COMPONENT_RESIDUAL,
    [ATTN_PATCHED_OUTPUT] = ATTN_COMPONENT_OUTPUT,
    [ATTN_PATCHED_MLP] = ATTN_COMPONENT_MLP,
    [ATTN_PATCHED_HEADS] = ATTN_COMPONENT_OUTPUT,
  };
  AttnIntervention *patch =
      attn_intervention_new (components[patched], ATTN_OPERATION_PATCH, ATTN_SITE_PROJECTION);
  AttnIndexSet *set = attn_index_set_new_range (column, column);

  patch->layers = attn_index_set_new_range (layer, layer);
  if (patched == ATTN_PATCHED_HEADS)
    patch->heads = set;
  else
    patch->tokens = set;
  return patch;
}

/* The corrupted input, into which patches are made, and the answer (two tokens) whose recovery is
 * measured. */
typedef struct
{
  AttnBaseline *corrupted;
  AttnTrace *trace; /* trace of the corrupted input, without patches */
  AttnAnswer answer;
  GCancellable *cancellable;
} Map;

/* Computes a pass through the model; for a displayed encoder, through the decoder that predicts.
 * @known: (nullable): trace without interventions */
static AttnTrace *
compute_trace (const Map        *map,
               AttnBaseline     *input,
               GPtrArray        *interventions,
               const AttnTrace  *known,
               GError          **error)
{
  AttnBaseline *said = attn_speaker_get_baseline (input, map->cancellable, error);

  return said != NULL ? attn_speaker_compute_end (input, said,
                                                  known != NULL ? known : said->residuals,
                                                  interventions, map->cancellable, error)
                      : NULL;
}

/* Computes the logit difference of the answer's two tokens after the last token of @input. */
static gboolean
get_difference (const Map        *map,
                const AttnTrace  *trace,
                AttnBaseline     *input,
                double           *difference,
                GError          **error)
{
  const AttnBaseline *said =
      trace != NULL ? attn_speaker_get_baseline (input, map->cancellable, error) : NULL;

  return said != NULL &&
         attn_trace_compute_difference (trace, said->tokens->n_tokens - 1, &map->answer,
                                        difference, map->cancellable, error);
}

static gboolean
patch_cell (const Map      *map,
            AttnWorkspace  *workspace,
            AttnPatched     patched,
            gsize           layer,
            gsize           column,
            double         *difference,
            GError        **error)
{
  g_autoptr (GPtrArray) interventions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  g_ptr_array_add (interventions, attn_patch_map_build_patch (patched, layer, column));
  attn_workspace_bind_patches (workspace, 0, interventions);
  g_autoptr (AttnTrace) trace =
      compute_trace (map, map->corrupted, interventions, map->trace, error);
  return get_difference (map, trace, map->corrupted, difference, error);
}

/* Tells whether @layer has the vectors that @patched names: layers of linear attention have no
 * heads to patch. */
static gboolean
has_place (const AttnModel *model,
           AttnPatched      patched,
           gsize            layer)
{
  return patched == ATTN_PATCHED_RESIDUAL || patched == ATTN_PATCHED_MLP ||
         attn_model_has_map (model, layer);
}

static gboolean
fill (Map                 *map,
      AttnTensor          *values,
      const AttnStudy     *study,
      AttnWorkspace       *workspace,
      const AttnProgress  *progress,
      GError             **error)
{
  AttnBaseline *clean = attn_workspace_get_baseline (workspace, 0, 0);
  gsize n_cells = values->shape[0] * values->shape[1];
  double before, best;

  map->trace = compute_trace (map, map->corrupted, NULL, NULL, error);
  g_autoptr (AttnTrace) whole =
      map->trace != NULL ? compute_trace (map, clean, NULL, NULL, error) : NULL;
  if (!get_difference (map, whole, clean, &best, error) ||
      !get_difference (map, map->trace, map->corrupted, &before, error))
    return FALSE;
  if (best == before)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("patch map: the same preference for one answer found after both inputs "
                        "(logit difference %g), expected inputs that are answered differently: "
                        "change one of them"),
                      best);
  /* The last layer comes first: a pass starts at the patched layer, so that its passes are the
   * shortest. */
  for (gsize i = n_cells; i-- > 0;)
    {
      gsize layer = i / values->shape[1];
      double after;

      if (!has_place (map->corrupted->model, study->patched, layer))
        continue;

      attn_progress_report (progress, _("Patching one place after the other"),
                            (double) (n_cells - 1 - i) / (double) n_cells);
      if (!patch_cell (map, workspace, study->patched, layer, i % values->shape[1], &after, error))
        return FALSE;
      values->data[i] = (float) ((after - before) / (best - before));
    }
  return TRUE;
}

/**
 * attn_patch_map_new:
 * @study: a study with two inputs, the clean one first
 * @workspace: prepared for @study
 * @error: return location: %ATTN_ERROR_ARGUMENT for fewer than two inputs, or inputs that differ in
 *   their number of tokens; %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): a map [layers, positions] or [layers, heads], all NaN, for
 *   [func@attn_patch_map_fill]
 */
AttnTensor *
attn_patch_map_new (const AttnStudy  *study,
                    AttnWorkspace    *workspace,
                    GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (workspace->models->pdata[0]);

  if (workspace->n_inputs < 2)
    return attn_fail_null (
        error, ATTN_ERROR_ARGUMENT,
        _("patch map: one input found, expected two: a clean and a corrupted one"));
  const AttnTokens *clean = attn_workspace_get_baseline (workspace, 0, 0)->tokens;
  const AttnTokens *corrupted = attn_workspace_get_baseline (workspace, 0, 1)->tokens;
  if (clean->n_tokens != corrupted->n_tokens)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("patch map: %zu tokens found in input 1 and %zu in input 2, expected "
                             "as many in both"),
                           clean->n_tokens, corrupted->n_tokens);

  const gsize shape[] = {
    info->n_layers, study->patched == ATTN_PATCHED_HEADS ? info->n_heads : corrupted->n_tokens
  };
  AttnTensor *values = attn_tensor_new_unset (2, shape, error);
  for (gsize i = 0; values != NULL && i < shape[0] * shape[1]; i++)
    values->data[i] = NAN;
  return values;
}

/* Finds the token with the largest logit after the last token of an input. */
static gboolean
find_next (const Map     *map,
           AttnBaseline  *input,
           gint64        *token,
           GError       **error)
{
  const AttnBaseline *said = attn_speaker_get_baseline (input, map->cancellable, error);
  g_autoptr (AttnTrace) trace =
      said != NULL ? compute_trace (map, input, NULL, NULL, error) : NULL;
  g_autoptr (AttnTensor) logits =
      trace != NULL ? attn_trace_compute_logits (trace, said->tokens->n_tokens - 1, 1,
                                                 map->cancellable, error)
                    : NULL;

  for (gsize i = 0; logits != NULL && i < logits->shape[1]; i++)
    if (i == 0 || logits->data[i] > logits->data[*token])
      *token = (gint64) i;
  return logits != NULL;
}

/**
 * attn_patch_map_find_answer:
 * @study: a study with two inputs, the clean one first
 * @workspace: prepared for @study
 * @answer: (out): the two tokens that the study chooses; else the most probable token after the
 *   clean input, and that after the corrupted input
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: %ATTN_ERROR_ARGUMENT if the two are not tokens of the model, or are the
 *   same token; errors of [func@attn_trace_compute]
 */
gboolean
attn_patch_map_find_answer (const AttnStudy  *study,
                            AttnWorkspace    *workspace,
                            AttnAnswer       *answer,
                            GCancellable     *cancellable,
                            GError          **error)
{
  AttnModel *model = workspace->models->pdata[0];
  const Map map = { .cancellable = cancellable };

  if (!attn_quantities_find_answer (study, model, answer, error) ||
      (study->token == NULL &&
       !find_next (&map, attn_workspace_get_baseline (workspace, 0, 0), &answer->token, error)) ||
      (study->versus == NULL &&
       !find_next (&map, attn_workspace_get_baseline (workspace, 0, 1), &answer->versus, error)))
    return FALSE;
  if (answer->token != answer->versus)
    return TRUE;
  g_autofree char *name = attn_model_dup_output_label (model, answer->token);
  if (study->token != NULL && study->versus != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("patch map: “%s” found as Token and as Versus, expected two different "
                        "answers, that to the first input and that to the second"),
                      name);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("patch map: the same answer “%s” found after both inputs, expected two "
                      "answers: change an input so that another word follows, or choose the two as "
                      "Token and Versus"),
                    name);
}

/**
 * attn_patch_map_fill:
 * @values: (inout): a map from [func@attn_patch_map_new]
 * @study: the study that @values was made for
 * @workspace: prepared for @study
 * @answer: the tokens from [func@attn_patch_map_find_answer]
 * @progress: (nullable): is told of each cell
 * @cancellable: (nullable): checked before and within each pass
 * @error: return location: %ATTN_ERROR_ARGUMENT if both inputs have the same logit difference;
 *   errors of [func@attn_trace_compute]
 *
 * Sets each cell to (LD_patched − LD_corrupted) / (LD_clean − LD_corrupted) after the last token: 0
 * if the patch restores nothing of the clean answer, 1 if it restores all of it (Meng et al. 2022,
 * arXiv 2202.05262; Wang et al. 2022, arXiv 2211.00593). LD is the logit difference: the logit of
 * the first token of @answer minus that of the second.
 */
gboolean
attn_patch_map_fill (AttnTensor          *values,
                     const AttnStudy     *study,
                     AttnWorkspace       *workspace,
                     const AttnAnswer    *answer,
                     const AttnProgress  *progress,
                     GCancellable        *cancellable,
                     GError             **error)
{
  Map map = { .corrupted = attn_workspace_get_baseline (workspace, 0, 1),
              .answer = *answer,
              .cancellable = cancellable };
  gboolean is_done = fill (&map, values, study, workspace, progress, error);

  g_clear_pointer (&map.trace, attn_trace_unref);
  return is_done;
}
