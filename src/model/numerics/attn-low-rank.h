/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A matrix with a low-rank change, which is added on reading and never stored. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnLowRank:
 * @base: W, [n_out, n_in], or [n_in, n_out] if @is_input_major
 * @a: A, [rank, n_in]
 * @b: B, [n_out, rank]
 * @magnitude: (nullable): m, [n_out]: the length that each output's weights are brought to
 * @scale: s, the factor of B A
 * @paired_width: the head width if rows of @base lie in the order of
 *   [func@attn_weights_find_row], else 0
 *
 * W + s B A (Hu et al. 2021, arXiv 2106.09685), or, with magnitudes, each row of that times
 * m / ‖row‖₂ (Liu et al. 2024, arXiv 2402.09353, section 4).
 */
typedef struct
{
  const AttnArray *base;
  const AttnArray *a;
  const AttnArray *b;
  const AttnArray *magnitude;
  float scale;
  gboolean is_input_major;
  gsize paired_width;
} AttnLowRank;

AttnArray         *attn_low_rank_new       (const AttnLowRank *change);
const AttnLowRank *attn_low_rank_get       (const AttnArray   *array);
const float       *attn_low_rank_get_gains (const AttnArray   *array,
                                            gsize              n_workers);

G_END_DECLS
