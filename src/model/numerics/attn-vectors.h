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
 * @n_grouped: number of successive heads in memory before each gap of @group_gap floats, 0 for no
 *   gaps
 * @first_token: position of the first of the tokens in its text
 *
 * A view of [n_heads, T, d] float32, in whatever order the numbers are in memory.
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
 * @sums: (inout): [n_heads, d], sums over the earlier tokens, to which new ones are added
 * @n_together: how many of the first tokens share the mean over them; they are computed together
 *
 * A mean over the tokens of a text that is not complete yet: each token behind the first ones has
 * the mean of all tokens up to itself.
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
