/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cached data of one input in one model without interventions. A trace is what was kept of one pass
 * of the input through the model, such as scores of a layer. Private to src/study. */

#pragma once

#include "attn-progress.h"
#include "attn-result.h"
#include "attn-source.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/* Largest size in bytes of cached baseline panels before those that no figure shows are dropped,
 * and of the panels that are kept from the last plan. */
#define ATTN_BASELINE_MAX_KEPT_BYTES ((gsize) 256 << 20)

/**
 * AttnBaselinePanel:
 * @panel: the weights of one head of a layer, or of the mean of its heads
 * @measures: measures of @panel
 */
typedef struct
{
  AttnPanel *panel;
  AttnPanelMeasures measures;

  /*< private >*/
  gboolean is_used; /* whether the running or last job used the panel */
} AttnBaselinePanel;

/**
 * AttnBaseline:
 * @model: the study's model, with the source of the input if it is a decoder
 * @n_answer: the member of the same name of the study
 * @picture: number of the picture that the study chooses, from 1, if the tokens are those of one of
 *   several
 * @tokens: the tokens of the input, cut to the number that it asks for, and the answer that the
 *   model generates; for a decoder those of its target
 * @source_tokens: (nullable): the tokens that the encoder of a decoder reads
 * @residuals: (nullable): a trace that keeps the residual stream of the layers below
 *   @n_residual_layers, and their sink scores; all layers after attn_baseline_need_residuals()
 * @end: (nullable): a trace that keeps the output of the last layer, and the logits if these fit
 *   into memory
 * @changed_end: (nullable): the output of the last layer with the interventions of @changes
 * @changes: (nullable) (element-type AttnIntervention): the interventions that were computed last
 * @before: (nullable): a trace of another text with the same beginning, until @residuals is
 *   computed
 * @shown: (nullable): a trace that keeps everything of one layer
 * @shown_layer: the layer of @shown
 * @layers: (array): traces like @shown for the layers of the figure, as many as fit into memory;
 *   %NULL for the others
 * @are_used: (array): whether the job that runs or ran last asked for the layer
 * @source: (nullable): data for patches that take from this input, once there was one
 * @said: (nullable): for an encoder, the baseline of its decoder, once it was needed
 * @n_layer_bytes: bytes that @layers take
 * @max_layer_bytes: most bytes that @layers can take
 * @groups: (nullable): the groups of cells that the last plan computed, see attn-plan-batch.c
 * @groups_are_used: whether the job that runs or ran last has such a plan
 *
 * Data that is kept of one input in one model. Each member is computed when it is first needed, and
 * can be computed again from the tokens: the cache changes how long a job takes, but not its
 * result.
 */
typedef struct AttnBaseline
{
  AttnModel *model;
  AttnInput *input;
  AttnFraming framing;
  gsize n_answer;
  gsize picture;
  AttnTokens *tokens;
  AttnTokens *source_tokens;
  guint32 *ids; /* ids of the input's tokens, in the form that a trace takes */
  AttnTrace *residuals;
  gsize n_residual_layers;
  AttnTrace *end;
  AttnTrace *changed_end;
  GPtrArray *changes;
  AttnTrace *before;
  AttnTrace *shown;
  gsize shown_layer;
  AttnTrace **layers;
  gboolean *are_used;
  AttnSource *source;
  struct AttnBaseline *said;
  gsize n_layer_bytes;
  gsize max_layer_bytes;
  GHashTable *panels; /* table from layer and head to AttnBaselinePanel */
  GPtrArray *groups;
  gboolean groups_are_used;
} AttnBaseline;

AttnBaseline *attn_baseline_new          (AttnModel            *model,
                                          const AttnInput      *input,
                                          AttnTokens           *tokens,
                                          AttnTokens           *source,
                                          AttnFraming           framing);
void          attn_baseline_release      (gpointer              baseline);
const char * const *attn_baseline_get_key_labels (const AttnBaseline *baseline);
gsize         attn_baseline_count_keys   (const AttnBaseline   *baseline);
void          attn_baseline_begin_job    (AttnBaseline         *baseline,
                                          gsize                 n_baselines);
void          attn_baseline_end_job      (AttnBaseline         *baseline,
                                          gboolean              drops_panels);
gsize         attn_baseline_count_panel_bytes (const AttnBaseline *baseline);
gboolean      attn_baseline_need_residuals (AttnBaseline        *baseline,
                                            const AttnProgress  *progress,
                                            GCancellable        *cancellable,
                                            GError             **error);
gboolean      attn_baseline_need_end       (AttnBaseline        *baseline,
                                            GCancellable        *cancellable,
                                            GError             **error);
gboolean      attn_baseline_need_layer     (AttnBaseline        *baseline,
                                            gsize                layer,
                                            const AttnProgress  *progress,
                                            GCancellable        *cancellable,
                                            GError             **error);
AttnBaselinePanel *attn_baseline_find_panel (AttnBaseline       *baseline,
                                            gsize                layer,
                                            int                  head);
AttnBaselinePanel *attn_baseline_add_panel (AttnBaseline        *baseline,
                                            gsize                layer,
                                            int                  head,
                                            AttnPanel           *panel);

G_END_DECLS
