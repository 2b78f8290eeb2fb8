/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a survey counts: numbers that one map of attention weights gives. */

#pragma once

#include "attn-attention.h"

G_BEGIN_DECLS

/**
 * AttnStatistic:
 * @ATTN_STATISTIC_SINK: weight on key 0 averaged over the queries (Gu et al. 2024, arXiv
 *   2410.10781, with its code)
 * @ATTN_STATISTIC_ENTROPY: -Σ a log2 a of a row, averaged over the rows, in bits (Clark et al.
 *   2019, arXiv 1906.04341)
 * @ATTN_STATISTIC_RELATIVE_ENTROPY: of each row divided by log2 of its visible keys, averaged over
 *   the rows that see two or more
 * @ATTN_STATISTIC_DISTANCE: Σ a_ij (i - j) / Σ a_ij, in tokens (Vig & Belinkov 2019, arXiv
 *   1906.04284)
 * @ATTN_STATISTIC_PREVIOUS: and the two that follow: see #AttnHeadScores
 * @ATTN_STATISTIC_PREVIOUS_MASS: and the two that follow: the weight on the same keys divided by
 *   all weight (head_detector.py of TransformerLens)
 * @ATTN_STATISTIC_REPEAT: mean weight on the diagonal 1 - n, for n random tokens said twice (Olsson
 *   et al. 2022, arXiv 2209.11895; demos of TransformerLens)
 * @ATTN_STATISTIC_VARIATION: half the sum of |a - baseline| of a row, averaged over the rows
 */
typedef enum
{
  ATTN_STATISTIC_SINK,
  ATTN_STATISTIC_ENTROPY,
  ATTN_STATISTIC_RELATIVE_ENTROPY,
  ATTN_STATISTIC_DISTANCE,
  ATTN_STATISTIC_PREVIOUS,
  ATTN_STATISTIC_DUPLICATE,
  ATTN_STATISTIC_INDUCTION,
  ATTN_STATISTIC_PREVIOUS_MASS,
  ATTN_STATISTIC_DUPLICATE_MASS,
  ATTN_STATISTIC_INDUCTION_MASS,
  ATTN_STATISTIC_REPEAT,
  ATTN_STATISTIC_VARIATION,
} AttnStatistic;

#define ATTN_N_STATISTICS 12

/* A key is a sink where its score is above this. */
#define ATTN_SINK_THRESHOLD 0.3

/* (array zero-terminated=1): names as on the command line and in files, by value. */
extern const char * const attn_statistic_names[];

void attn_statistic_get_range (AttnStatistic statistic,
                               gsize         n_tokens,
                               gboolean      is_causal,
                               double       *minimum,
                               double       *maximum);

typedef struct _AttnMapReader AttnMapReader;

AttnMapReader *attn_map_reader_new    (const guint32          *ids,
                                       gsize                   n_ids,
                                       gsize                   n_repeated,
                                       gboolean                is_causal);
void           attn_map_reader_free   (AttnMapReader          *reader);
gboolean       attn_map_reader_add    (AttnMapReader          *reader,
                                       const AttnWeightsRows  *rows,
                                       const float            *baseline);
void           attn_map_reader_finish (AttnMapReader          *reader,
                                       double                  values[ATTN_N_STATISTICS],
                                       double                 *by_key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnMapReader, attn_map_reader_free)

G_END_DECLS
