/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Maps [T, T], a row for each query and a column for each key, of the quantities that a panel can
 * show for a head: its attention weights and others. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * AttnMapKind:
 * @ATTN_MAP_WEIGHTS: attention weights A
 * @ATTN_MAP_SCORES: S before the softmax; masked cells NaN
 * @ATTN_MAP_VALUE_NORM: A[i,j] ‖v_j W_O^h‖ (Kobayashi et al. 2020, arXiv 2004.10102); v_j with its
 *   bias, W_O^h the rows of the output projection that belong to head h
 * @ATTN_MAP_LOGIT: A[i,j] (v_j W_O^h) · (u_t − u_t') / s_i, direct logit attribution; u_t the row
 *   of the unembedding of token t, s_i the divisor of the final norm in row i of the same pass; its
 *   weight is included, and its centering where it has one
 * @ATTN_MAP_ROLLOUT: R_l = Ā_l R_(l−1), Ā_l = (mean over heads of A_l + I) / 2 (Abnar & Zuidema
 *   2020, arXiv 2005.00928); the same for all heads of a layer
 * @ATTN_MAP_COSINE: cos (q_i, k_j) of queries and keys as the scores use them; masked cells and
 *   those of a vector of zeros NaN (Gu et al. 2024, arXiv 2410.10781)
 * @ATTN_MAP_NORMS: ‖q_i‖ ‖k_j‖ times the factor of the scores, 1 / sqrt (d), so that the product
 *   with the cosine is the score where nothing else is added; masked cells NaN
 */
typedef enum
{
  ATTN_MAP_WEIGHTS,
  ATTN_MAP_SCORES,
  ATTN_MAP_VALUE_NORM,
  ATTN_MAP_LOGIT,
  ATTN_MAP_ROLLOUT,
  ATTN_MAP_COSINE,
  ATTN_MAP_NORMS,
} AttnMapKind;

#define ATTN_N_MAPS 7

/* A value of AttnMapSpec.token: the token that actually follows the token of a row. */
#define ATTN_MAP_TOKEN_NEXT (-1)

/**
 * AttnMapSpec:
 * @token: t of %ATTN_MAP_LOGIT, an id or %ATTN_MAP_TOKEN_NEXT; with the latter, the last row, which
 *   no token follows, is NaN
 * @versus: t' of %ATTN_MAP_LOGIT, an id or -1 for none
 */
typedef struct
{
  AttnMapKind kind;
  gint64 token;
  gint64 versus;
} AttnMapSpec;

/* The value that stands for the mean over the maps of all heads in place of a head's number. */
#define ATTN_MAPS_MEAN (-1)

typedef struct _AttnMaps AttnMaps;

gboolean    attn_map_check    (const AttnMapSpec   *spec,
                               const AttnModel     *model,
                               GError             **error);
AttnMaps   *attn_maps_new     (const AttnMapSpec   *spec,
                               AttnModel           *model,
                               const guint32       *ids,
                               gsize                n_ids,
                               GPtrArray           *interventions,
                               AttnIndexSet        *layers,
                               const AttnTrace     *baseline,
                               const AttnProgress  *progress,
                               GCancellable        *cancellable,
                               GError             **error);
void        attn_maps_free    (AttnMaps            *maps);
AttnTensor *attn_maps_compute (AttnMaps            *maps,
                               gsize                layer,
                               int                  head,
                               GError             **error);

/* (array zero-terminated=1): names of the kinds of maps on the command line and in files, indexed
 * by #AttnMapKind. */
extern const char * const attn_map_names[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnMaps, attn_maps_free)

G_END_DECLS
