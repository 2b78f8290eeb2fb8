/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Details on one query of a panel, the predictions at its position, and on one query and key, the
 * contributions to their score. */

#pragma once

#include "attn-edge.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/* Number of most probable tokens that are listed for a position. */
#define ATTN_CLOSEUP_TOP 10

/* Number of positions around the selected one whose predictions are computed in advance. */
#define ATTN_CLOSEUP_AHEAD 128

/**
 * AttnPrediction:
 * @result: the result that has the panel
 * @index: index of the panel, row-major in the grid
 * @tokens: the tokens at whose positions predictions are made; for an encoder those of its decoder
 * @shown: for an encoder, the position of the decoder whose prediction changes most, which is shown
 *   for every query; else %G_MAXSIZE
 * @request: the n positions, and k, the number of tokens listed for each
 * @effects: (array): [n], the effect on the prediction at each position
 * @top: [2, n, k], the most probable tokens without and with interventions
 *
 * Predictions at some positions, without and with the interventions of a panel. Immutable, in an
 * atomically reference-counted box.
 */
typedef struct
{
  AttnResult *result;
  gsize index;
  AttnTokens *tokens;
  gsize shown;
  AttnPredictionRequest request;
  AttnPredictionEffect *effects;
  AttnPredictionTop top;
} AttnPrediction;

/**
 * AttnExplanation:
 * @query: position of the query
 * @key: position of the key
 * @edge: the score of that query and key in the head of the panel, as a sum of contributions
 *
 * Explanation of why a query attends to a key. Immutable, in an atomically reference-counted box.
 */
typedef struct
{
  AttnResult *result;
  gsize index;
  gsize query;
  gsize key;
  AttnEdge *edge;
} AttnExplanation;

AttnPrediction  *attn_prediction_run    (AttnResult            *result,
                                         gsize                  index,
                                         gsize                  first_row,
                                         gsize                  n_rows,
                                         AttnWorkspace         *workspace,
                                         GCancellable          *cancellable,
                                         GError               **error);
gboolean         attn_prediction_has    (const AttnPrediction  *prediction,
                                         const AttnResult      *result,
                                         gsize                  index,
                                         gsize                  row);
AttnPrediction  *attn_prediction_ref    (AttnPrediction        *prediction);
void             attn_prediction_unref  (AttnPrediction        *prediction);

AttnExplanation *attn_explanation_run   (AttnResult            *result,
                                         gsize                  index,
                                         gsize                  query,
                                         gsize                  key,
                                         AttnWorkspace         *workspace,
                                         GCancellable          *cancellable,
                                         GError               **error);
gboolean         attn_explanation_has   (const AttnExplanation *explanation,
                                         const AttnResult      *result,
                                         gsize                  index,
                                         gsize                  query,
                                         gsize                  key);
AttnExplanation *attn_explanation_ref   (AttnExplanation       *explanation);
void             attn_explanation_unref (AttnExplanation       *explanation);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPrediction, attn_prediction_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnExplanation, attn_explanation_unref)

G_END_DECLS
