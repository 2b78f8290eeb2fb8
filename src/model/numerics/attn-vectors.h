/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The queries, keys or values of a layer in place, and how interventions change them. */

#pragma once

#include "attn-intervention.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnVectors:
 * @data: the vector of head 0, token 0
 * @n_heads: heads that exist: H for queries, Hk for keys and values
 * @n_tokens: T
 * @width: d
 * @head_stride: floats from a head to the next
 * @token_stride: floats from a token to the next
 * @n_shared: query heads that one of the heads serves: 1 for queries, H / Hk for keys and values
 * @n_grouped: heads in a row after which @group_gap floats are passed over, 0 for none
 * @first_token: position of the first of the tokens in its text
 *
 * A view of [n_heads, T, d] float32, whatever the order in memory.
 */
typedef struct
{
  float *data;
  gsize n_heads;
  gsize n_tokens;
  gsize width;
  gsize head_stride;
  gsize token_stride;
  gsize n_shared;
  gsize n_grouped;
  gsize group_gap;
  gsize first_token;
} AttnVectors;

/**
 * AttnRunningMean:
 * @sums: (inout): [n_heads, d], over the tokens before those at hand
 * @n_together: tokens from the first one on that share their mean; they come at once
 *
 * The mean over the tokens of a text of which not all are at hand: each behind the first ones has
 * that of all tokens up to itself.
 */
typedef struct
{
  double *sums;
  gsize n_together;
} AttnRunningMean;

static inline float *
attn_vectors_get (const AttnVectors *vectors,
                  gsize              head,
                  gsize              token)
{
  gsize n_gaps = vectors->n_grouped > 0 ? head / vectors->n_grouped : 0;

  return vectors->data + head * vectors->head_stride + n_gaps * vectors->group_gap +
         token * vectors->token_stride;
}

AttnVectors attn_vectors_wrap (const AttnTensor        *tensor,
                               gsize                    n_heads);
void attn_vectors_copy_head (const AttnVectors      *vectors,
                             gsize                   head,
                             float                  *out);
void attn_vectors_intervene (const AttnVectors      *vectors,
                             const AttnIntervention *intervention,
                             gsize                   layer,
                             const AttnRunningMean  *running);

G_END_DECLS
