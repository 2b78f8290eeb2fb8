/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Result of a study: its panels and their measures. */

#pragma once

#include <gio/gio.h>

#include "attn-cell.h"
#include "attn-export.h"
#include "attn-grid.h"
#include "attn-outcome.h"
#include "attn-study.h"
#include "attn-survey-data.h"
#include "attn-survey-text-list.h"

G_BEGIN_DECLS

/**
 * AttnPanelMeasures:
 *
 * @sink_score: as in attn-measures.h, and so are the three behind it; where the study counts it,
 *   with @sink_share
 * @previous_token: as in attn-head-scores.h, NaN where there is nothing to measure
 * @duplicate_token: the same
 * @induction: the same
 * @sink_share: what a row leaves to no key, averaged over the rows; 0 in a model without learned
 *   sinks
 *
 * @is_unnormalised: whether its rows, which were recorded, are no distributions; what is said of
 *   distributions alone is NaN then
 *
 * Of one panel of the grid, in the grid's order; of its tokens, whether or not words are joined and
 * keys hidden. For A − B: the measures of A, and its distance to B.
 */
typedef struct
{
  double sink_score;
  double mean_entropy;
  double largest_difference;
  double total_variation;
  double previous_token;
  double duplicate_token;
  double induction;
  double sink_share;
  gboolean is_unnormalised;
} AttnPanelMeasures;

/**
 * AttnChange:
 * @row: of a cell
 * @column: of it
 * @baseline: its value before
 * @modified: and after
 * @difference: @modified - @baseline
 */
typedef struct
{
  gsize row;
  gsize column;
  double baseline;
  double modified;
  double difference;
} AttnChange;

/**
 * AttnResult:
 * @study: what was asked for
 * @model: the model that it was computed with
 * @models: (element-type AttnModel): that one, and those that it is compared with, in the order of
 *   the study's
 * @grid: the panels, each with its baseline
 * @cells: (array): what each panel of the grid shows
 * @inputs: (array): the tokens of each input of the study; of a decoder those of its target
 * @sources: (nullable) (array): the tokens that the encoder of a decoder reads; %NULL for each
 *   input of another model
 * @layer: the layer on display, found if the study left it open
 * @head: the head on display or %ATTN_HEAD_MEAN
 * @is_layer_strongest: whether the layer was found, or has the strongest sink of all layers; %FALSE
 *   where that is not known without a pass through all of them
 * @is_head_strongest: whether the head was found, or has the strongest sink of its layer; the same
 * @measures: (array): one a panel of the grid
 * @outcomes: (nullable) (array): one a panel of the grid, where the study shows what becomes of the
 *   prediction and that is known already; %NULL for a panel that is a difference
 * @survey: (nullable): of %ATTN_FIGURE_SURVEY: what was counted
 * @texts: (nullable): the texts of the head on display there, once they are looked for
 *
 * Immutable and reference-counted.
 */
typedef struct _AttnResult
{
  const AttnStudy *study;
  AttnModel *model;
  GPtrArray *models;
  AttnGrid *grid;
  AttnCell *cells;
  AttnTokens **inputs;
  AttnTokens **sources;
  gsize n_inputs;
  gsize layer;
  int head;
  gboolean is_layer_strongest;
  gboolean is_head_strongest;
  AttnPanelMeasures *measures;
  GPtrArray *outcomes;
  AttnSurveyData *survey;
  AttnSurveyTexts *texts;

  /*< private >*/
  struct _AttnResult *computed; /* (nullable): result whose data but the study is shared */
} AttnResult;

AttnResult *attn_result_ref         (AttnResult          *result);
void        attn_result_unref       (AttnResult          *result);
const AttnOutcome *attn_result_get_outcome (const AttnResult *result,
                                     gsize                index);
AttnResult *attn_result_restyle     (const AttnResult    *result,
                                     const AttnStudy     *study);
AttnResult *attn_result_take_baseline (const AttnResult  *result);
char       *attn_result_to_metadata (const AttnResult    *result,
                                     const AttnStudy     *study);
AttnScene  *attn_result_lay_out     (const AttnResult    *result,
                                     const AttnStudy     *study,
                                     GError             **error);
/* Returns the figure as the bytes of a file. The window and `render` both use this function, so
 * that equal studies give equal bytes. */
GBytes     *attn_result_export      (const AttnResult    *result,
                                     const AttnStudy     *study,
                                     AttnExportFormat     format,
                                     const AttnSvgFrame  *frame,
                                     GError             **error);
GArray     *attn_result_get_changes (const AttnResult    *result,
                                     gsize                index,
                                     gsize                n);
double      attn_result_get_row_distance (const AttnResult *result,
                                     gsize                index,
                                     gsize                row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnResult, attn_result_unref)

G_END_DECLS
