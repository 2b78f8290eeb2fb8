/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tensors of one layer that outlive the pass that computed them. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

#define ATTN_N_LAYER_QUANTITIES 9

/**
 * AttnKept:
 *
 * In the order of the bits of #AttnQuantity: residual, query, key, value, scores, weights, output,
 * attention, MLP. %NULL for what is not kept.
 */
typedef struct
{
  AttnTensor *tensors[ATTN_N_LAYER_QUANTITIES];
} AttnKept;

/* Returns the place where a trace stores a quantity of a layer. */
static inline AttnTensor **
attn_kept_place (AttnKept     *kept,
                 AttnQuantity  quantity)
{
  return &kept->tensors[g_bit_nth_lsf (quantity, -1)];
}

/* Returns: (transfer none) (nullable): a quantity of a layer, %NULL if it is not kept */
static inline AttnTensor *
attn_kept_get (const AttnKept *kept,
               AttnQuantity    quantity)
{
  return *attn_kept_place ((AttnKept *) kept, quantity);
}

static inline void
attn_kept_clear (AttnKept *kept)
{
  for (gsize i = 0; i < ATTN_N_LAYER_QUANTITIES; i++)
    g_clear_pointer (&kept->tensors[i], attn_tensor_unref);
}

G_END_DECLS
