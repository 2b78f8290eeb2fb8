/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two sides of a comparison: the model without the intervention (baseline) and with it
 * (modified). */

#pragma once

/* The sides are numbered in the order in which every section of the inspector shows them from left
 * to right, the baseline first as in a figure. Closer looks keep their results in the same
 * order. */
typedef enum
{
  ATTN_SIDE_BASELINE,
  ATTN_SIDE_MODIFIED,
  ATTN_N_SIDES
} AttnSide;
