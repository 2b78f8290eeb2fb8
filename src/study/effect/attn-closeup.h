/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Details of one query, or one pair of query and key, in a panel: predictions and contributions. */

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
 * @result: of which it is a closer look
 * @index: of one of its panels, row-major in the grid
 * @tokens: of the text whose positions these are: of an encoder the decoder's
 * @shown: of an encoder, the position that is changed most, whichever query is asked about; else
 *   %G_MAXSIZE
 * @request: which positions, and how many tokens of each
 * @effects: (array): [n]
 * @top: [2, n, k]
 *
 * Predictions at some positions, without and with what is done to the model in a panel. Immutable,
 * in an atomically reference-counted box.
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
 * @query: a position
 * @key: a position
 * @edge: the score of the head of the panel there
 *
 * Why a query attends to a key. Immutable, in an atomically reference-counted box.
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
