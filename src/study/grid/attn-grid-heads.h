/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses the layer and the head that the panels of a grid show. Private to src/study. */

#pragma once

#include "attn-result.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

/* Share of the progress bar for finding the strongest sink; computing the panels takes the rest. */
#define ATTN_GRID_HEADS_SHARE 0.4

/**
 * AttnGridHeads:
 * @layer: the layer that the grid shows, or the first of several
 * @head: the head that the grid shows, or the first of several
 * @heads: (nullable) (array): [L]: the head with the strongest sink in each layer, if the grid
 *   shows that one
 */
typedef struct
{
  gsize layer;
  int head;
  int *heads;
} AttnGridHeads;

gboolean attn_grid_heads_choose (const AttnStudy     *study,
                                 AttnWorkspace       *workspace,
                                 gsize                n_used,
                                 const AttnProgress  *progress,
                                 GCancellable        *cancellable,
                                 AttnGridHeads       *chosen,
                                 GError             **error);
void     attn_grid_heads_mark   (AttnResult          *result,
                                 AttnWorkspace       *workspace,
                                 gsize                n_used);
void     attn_grid_heads_clear  (AttnGridHeads       *chosen);

G_END_DECLS
