/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layer-token figure: attn-layer-token-choose.c selects what is shown, attn-layer-token-map.c
 * computes it, attn-layer-token-texts.c describes it, and attn-layer-token.c builds the figure. */

#pragma once

#include "attn-progress.h"
#include "attn-workspace.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/**
 * AttnLayerTokenUnits:
 * @tokens: the tokens of the queries or of the keys, or their words if the study joins tokens
 * @starts: (array): [units + 1], position of the first token of each unit; the last is the number
 *   of tokens
 */
typedef struct
{
  AttnTokens *tokens;
  gsize *starts;
} AttnLayerTokenUnits;

/* Data of the job that computes a layer-token figure. Units are words if the study joins tokens,
 * else tokens. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnModel *model;
  AttnBaseline *baseline;
  GPtrArray *interventions;
  const AttnProgress *progress;
  GCancellable *cancellable;
  AttnLayerTokenUnits query_units;
  AttnLayerTokenUnits key_units; /* units of the keys, equal to query_units except in recordings
                                  * with separate keys */
  AttnIndexSet *heads; /* heads whose weights are reduced to one number a cell; NULL for all */
  gsize *layers;       /* [n_layers]: number of the layer of each row of the map */
  gsize n_layers;
  gsize *queries;
  gsize n_queries;
  gsize n_columns;
  gsize *columns;   /* [n_columns]: numbers of the roles that are shown */
  gsize *positions; /* [n_columns]: unit of the keys for the token of each role */
  GString *absent;  /* names of roles that no token has */
  GString *unseen;  /* names of roles whose token is masked for all queries */
} AttnLayerTokenJob;

gboolean attn_layer_token_choose      (AttnLayerTokenJob        *job,
                                       GError                  **error);
gboolean attn_layer_token_is_hidden   (const AttnLayerTokenJob  *job,
                                       gsize                     unit);
gboolean attn_layer_token_fill_cell   (const AttnLayerTokenJob  *job,
                                       AttnGridCell             *cell,
                                       GError                  **error);
void     attn_layer_token_write_texts (const AttnLayerTokenJob  *job,
                                       AttnGrid                 *grid);

G_END_DECLS
