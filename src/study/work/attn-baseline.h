/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data of one input in one model that is cached. Private to src/study. */

#pragma once

#include "attn-progress.h"
#include "attn-result.h"
#include "attn-source.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/* Largest size of cached baseline panels that no figure shows, and of the panels of the last
 * plan. */
#define ATTN_BASELINE_MAX_KEPT_BYTES ((gsize) 256 << 20)

/**
 * AttnBaselinePanel:
 * @panel: the weights of a layer's head, or the mean of its heads
 * @measures: of it
 */
typedef struct
{
  AttnPanel *panel;
  AttnPanelMeasures measures;

  /*< private >*/
  gboolean is_used; /* by the job that runs or ran last */
} AttnBaselinePanel;

/**
 * AttnBaseline:
 * @model: the study's, with the source of the input where it is a decoder
 * @n_answer: of the study
 * @picture: of the study, from 1, if the tokens are those of one of several pictures
 * @tokens: of the input, cut to the length asked for, and what the model says itself; of a decoder
 *   its target
 * @source_tokens: (nullable): what the encoder of a decoder reads
 * @residuals: (nullable): a trace that keeps the residual stream of the layers below
 *   @n_residual_layers, and their sink scores; all layers after attn_baseline_need_residuals()
 * @end: (nullable): a trace that keeps what leaves the last layer, and the logits if not too many
 * @changed_end: (nullable): what leaves the last layer after @changes
 * @changes: (nullable) (element-type AttnIntervention): those that were asked for last
 * @before: (nullable): a trace of a text that begins alike, until @residuals is there
 * @shown: (nullable): a trace that keeps everything of one layer
 * @shown_layer: that layer
 * @layers: (array): such traces of layers that the figure shows, @shown among them, as many as
 *   there is room for; %NULL for the others
 * @are_used: (array): whether the job that runs or ran last asked for the layer
 * @source: (nullable): for patches from this input, once there was one
 * @said: (nullable): of an encoder, the same of the decoder beside it, once it was asked for
 * @n_layer_bytes: of @layers
 * @max_layer_bytes: what they may take
 * @groups: (nullable): what the plan that ran last computed, as attn-plan-batch.c has it
 * @groups_are_used: whether the job that runs or ran last has such a plan
 *
 * What is kept of one input in one model. Each part is made when it is first needed, and can be
 * made again from the tokens: it changes the time that a job takes and nothing else.
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
  guint32 *ids; /* of the tokens, as a trace asks for them */
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
  GHashTable *panels; /* from layer and head to AttnBaselinePanel */
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
