/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two sides of a comparison. */

#pragma once

/* In the order in which every section of the inspector has them from left to right, as a figure
 * begins with the column of the baseline, and in which closer looks keep their results. */
typedef enum
{
  ATTN_SIDE_BASELINE,
  ATTN_SIDE_MODIFIED,
  ATTN_N_SIDES
} AttnSide;
