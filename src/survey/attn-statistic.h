/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statistics that a survey computes for each text: from the attention maps of heads, from the
 * vectors of a layer, or from the predictions of a whole pass through the model. */

#pragma once

#include "attn-attention.h"

G_BEGIN_DECLS

/**
 * AttnStatistic:
 * @ATTN_STATISTIC_SINK: weight on key 0 averaged over the queries (Gu et al. 2024, arXiv
 *   2410.10781, with its code)
 * @ATTN_STATISTIC_ENTROPY: -Σ a log2 a of a row, averaged over the rows, in bits (Clark et al.
 *   2019, arXiv 1906.04341)
 * @ATTN_STATISTIC_RELATIVE_ENTROPY: entropy of each row divided by log2 of the number of its
 *   visible keys, averaged over the rows that see two keys or more
 * @ATTN_STATISTIC_DISTANCE: Σ a_ij (i - j) / Σ a_ij, in tokens (Vig & Belinkov 2019, arXiv
 *   1906.04284); of a picture the distance between the middles of two patches, in patches (the mean
 *   attention distance of Dosovitskiy et al. 2020, arXiv 2010.11929, appendix D.7)
 * @ATTN_STATISTIC_PREVIOUS: this score and the two that follow are described at #AttnHeadScores
 * @ATTN_STATISTIC_PREVIOUS_MASS: in this statistic and the two that follow, the weight on the keys
 *   of the scores above divided by all weight (head_detector.py of TransformerLens)
 * @ATTN_STATISTIC_REPEAT: mean weight on the diagonal 1 - n, in texts of n random tokens that are
 *   repeated once (Olsson et al. 2022, arXiv 2209.11895; demos of TransformerLens)
 * @ATTN_STATISTIC_VARIATION: half the sum of |a - baseline| of a row, averaged over the rows
 * @ATTN_STATISTIC_DELIMITER: weight on punctuation, ends of lines and special tokens, key 0 left
 *   out, averaged over the rows that see such a key (the periods, commas and [SEP] of Clark et al.
 *   2019)
 * @ATTN_STATISTIC_OFFSET: the largest mean weight at one distance i - j, of all distances of at
 *   most T / 2 tokens but 1, which is that of @ATTN_STATISTIC_PREVIOUS. In a causal model row 0,
 *   which can only see itself, does not count; in texts of n tokens that are repeated once the
 *   distances n and n - 1, which are those of duplicates and induction, do not count.
 * @ATTN_STATISTIC_ATTRIBUTION: KL divergence of the prediction with that head alone changed from
 *   the baseline's, at one position or all, in nats or bits; surveyed without other statistics, see
 *   #AttnAttribution (arXiv 2410.13708)
 * @ATTN_STATISTIC_RESIDUAL_NORM: Euclidean norm of the residual stream that enters a layer, at each
 *   position
 * @ATTN_STATISTIC_QUERY_NORM: in this statistic and the two that follow, the norm of the vector
 *   that the attention uses, as the mean over the heads, at each position
 * @ATTN_STATISTIC_MASSIVE: numbers of the residual stream entering a layer that are above 100 and
 *   above 1,000 times the median of the text's absolute values in that layer, at each position (Sun
 *   et al. 2024, arXiv 2402.17762)
 * @ATTN_STATISTIC_KL: KL divergence of the prediction from the baseline's in bits, averaged over
 *   the positions
 * @ATTN_STATISTIC_LOSS: -log2 of the probability of the token that follows, or in a model that sees
 *   both ways of the token itself, averaged over the positions that have such a token
 * @ATTN_STATISTIC_ANSWER: 1 where the greedy answer to the text is another one than the baseline's,
 *   else 0
 * @ATTN_STATISTIC_ANSWER_POSITION: in texts with another answer than the baseline's, the first
 *   token of the answer that differs, counted from 0
 *
 * The statistics of a head come first, then those of a layer and position, then those of a text.
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
  ATTN_STATISTIC_DELIMITER,
  ATTN_STATISTIC_OFFSET,
  ATTN_STATISTIC_ATTRIBUTION,
  ATTN_N_HEAD_STATISTICS,
  ATTN_STATISTIC_RESIDUAL_NORM = ATTN_N_HEAD_STATISTICS,
  ATTN_STATISTIC_QUERY_NORM,
  ATTN_STATISTIC_KEY_NORM,
  ATTN_STATISTIC_VALUE_NORM,
  ATTN_STATISTIC_MASSIVE,
  ATTN_N_MAP_STATISTICS,
  ATTN_STATISTIC_KL = ATTN_N_MAP_STATISTICS,
  ATTN_STATISTIC_LOSS,
  ATTN_STATISTIC_ANSWER,
  ATTN_STATISTIC_ANSWER_POSITION,
} AttnStatistic;

#define ATTN_N_STATISTICS 24

/* Default and upper limit of the number of tokens in a generated answer. */
#define ATTN_SURVEY_ANSWER      16
#define ATTN_SURVEY_MOST_ANSWER 4096

/* A key is a sink if the mean weight on it is above this threshold. A head has a fixed offset if
 * the mean weight at a distance between query and key is above the threshold. */
#define ATTN_SINK_THRESHOLD 0.3

gsize attn_sinks_count (const float *scores,
                        gsize        n_heads,
                        gsize       *n_known);

/* Limits that a massive activation exceeds: an absolute value, and a multiple of the median of all
 * absolute values. */
#define ATTN_MASSIVE_LEAST  100.0f
#define ATTN_MASSIVE_FACTOR 1000.0f

/* (array zero-terminated=1): names of the statistics on the command line and in files, indexed by
 * #AttnStatistic. */
extern const char * const attn_statistic_names[];

/* (array zero-terminated=1): names of the statistics of single heads. */
extern const char * const attn_head_statistic_names[];

gboolean attn_statistic_is_of_pictures (AttnStatistic statistic);
gboolean attn_statistic_is_of_sounds   (AttnStatistic statistic);
gboolean attn_statistic_has_positions (AttnStatistic statistic);
void attn_statistic_get_range (AttnStatistic statistic,
                               gsize         n_tokens,
                               gboolean      is_causal,
                               double       *minimum,
                               double       *maximum);

/* Tells whether a bit mask of statistics has one that needs generated answers. */
static inline gboolean
attn_statistics_need_answers (guint statistics)
{
  return (statistics & (1u << ATTN_STATISTIC_ANSWER | 1u << ATTN_STATISTIC_ANSWER_POSITION)) != 0;
}

/* Tells whether a bit mask of statistics has one that needs heads: attention maps, or queries, keys
 * or values of a layer. */
static inline gboolean
attn_statistics_need_maps (guint statistics)
{
  return (statistics & ~(1u << ATTN_STATISTIC_RESIDUAL_NORM | 1u << ATTN_STATISTIC_MASSIVE |
                         1u << ATTN_STATISTIC_KL | 1u << ATTN_STATISTIC_LOSS |
                         1u << ATTN_STATISTIC_ANSWER | 1u << ATTN_STATISTIC_ANSWER_POSITION)) != 0;
}

/**
 * AttnMapText:
 * @ids: (array length=n_ids): token ids of the queries
 * @n_keys: S, the number of keys, if they are of another sequence (cross-attention); 0 if they are
 *   the tokens in @ids
 * @n_repeated: n, where the text is n tokens that are repeated once; 0 for any other text
 * @delimiters: (nullable): for each key 1 if it is a delimiter, else 0; %NULL if
 *   %ATTN_STATISTIC_DELIMITER is not wanted
 * @has_offsets: whether to compute %ATTN_STATISTIC_OFFSET, which takes time
 * @n_columns: number of columns of the patches that a picture is cut into: %ATTN_STATISTIC_DISTANCE
 *   is then the distance between the middles of patches; 0 for a text
 * @n_leading: number of tokens before the patches, such as a class token, which have no place in
 *   the picture
 */
typedef struct
{
  const guint32 *ids;
  gsize n_ids;
  gsize n_keys;
  gsize n_repeated;
  gboolean is_causal;
  const guint8 *delimiters;
  gboolean has_offsets;
  gsize n_columns;
  gsize n_leading;
} AttnMapText;

typedef struct _AttnMapReader AttnMapReader;

AttnMapReader *attn_map_reader_new    (const AttnMapText      *text);
void           attn_map_reader_free   (AttnMapReader          *reader);
gboolean       attn_map_reader_add    (AttnMapReader          *reader,
                                       const AttnWeightsRows  *rows,
                                       const float            *baseline);
void           attn_map_reader_finish (AttnMapReader          *reader,
                                       double                  values[ATTN_N_HEAD_STATISTICS],
                                       double                 *by_key,
                                       double                 *by_offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnMapReader, attn_map_reader_free)

G_END_DECLS
