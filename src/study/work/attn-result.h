/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Result of a study: its panels, their measures, and the models and tokens that they were computed
 * from. */

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
 * @sink_score: see attn-measures.h, also for the three members behind it; includes @sink_share if
 *   the study counts it
 * @previous_token: see attn-head-scores.h; NaN if no token has what is measured
 * @duplicate_token: likewise
 * @induction: likewise
 * @sink_share: weight that a row gives to a learned sink and not to a key, averaged over the rows;
 *   0 in a model without learned sinks
 *
 * @is_unnormalised: whether recorded rows do not sum to 1; measures that need such rows are then
 *   NaN
 *
 * Measures of one panel of the grid. They are taken of its tokens, even if words are joined or keys
 * hidden. For a difference B - A, they are those of B, with its distance from A.
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
 * @row: row of a cell of a panel
 * @column: column of that cell
 * @baseline: value of the cell without the intervention, or in A of a comparison
 * @modified: value of the cell with the intervention, or in B
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
 * @study: the study that was computed
 * @model: the study's first model
 * @models: (element-type AttnModel): @model and those that it is compared with, in the study's
 *   order
 * @grid: the panels, each with its baseline
 * @cells: (array): what each panel of the grid shows
 * @inputs: (array): the tokens of each input of the study; for a decoder those of its target
 * @sources: (nullable) (array): the tokens that the encoder of a decoder reads; %NULL for each
 *   input of another model
 * @layer: the layer on display, found if the study left it open
 * @head: the head on display or %ATTN_HEAD_MEAN
 * @is_layer_strongest: whether @layer has the strongest sink of all layers, be it found or chosen
 *   by the user; %FALSE where only a pass through all layers could tell
 * @is_head_strongest: whether @head has the strongest sink of its layer, likewise
 * @measures: (array): the measures of each panel of the grid
 * @outcomes: (nullable) (array): effects on the prediction, one for each panel of the grid, if the
 *   study shows them and they are computed; %NULL for a panel that is a difference
 * @survey: (nullable): the statistics of an %ATTN_FIGURE_SURVEY
 * @texts: (nullable): texts of that survey for the head on display, once they are looked up
 *
 * Result of a study, immutable and reference-counted.
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
  struct _AttnResult *computed; /* (nullable): the computed result whose data the present result
                                 * shares */
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
