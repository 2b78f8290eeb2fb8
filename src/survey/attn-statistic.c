/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-statistic.h"

#include <math.h>
#include <string.h>

#include "attn-head-scores.h"
#include "attn-measures.h"

#define HEAD_NAMES                                                                             \
  "sink", "entropy", "relative-entropy", "distance", "previous", "duplicate", "induction",     \
      "previous-mass", "duplicate-mass", "induction-mass", "repeat", "variation", "delimiter", \
      "offset", "attribution"

const char * const attn_statistic_names[] = {
  HEAD_NAMES, "residual-norm", "query-norm", "key-norm", "value-norm", "massive", "kl", "loss",
  "answer", "answer-position", NULL
};

const char * const attn_head_statistic_names[] = { HEAD_NAMES, NULL };

/**
 * attn_statistic_get_range:
 * @n_tokens: largest number of tokens of a text
 * @minimum: (out): the least value that the statistic can have, or usually has if it has no bounds;
 *   histograms begin there
 * @maximum: (out): the largest value, likewise
 */
void
attn_statistic_get_range (AttnStatistic  statistic,
                          gsize          n_tokens,
                          gboolean       is_causal,
                          double        *minimum,
                          double        *maximum)
{
  double n = (double) MAX (n_tokens, 2);

  *minimum = 0.0;
  *maximum = 1.0;
  if (statistic == ATTN_STATISTIC_ENTROPY)
    *maximum = log2 (n);
  else if (statistic >= ATTN_STATISTIC_RESIDUAL_NORM && statistic <= ATTN_STATISTIC_VALUE_NORM)
    {
      *minimum = 0x1p-10;
      *maximum = 0x1p15;
    }
  else if (statistic == ATTN_STATISTIC_MASSIVE)
    *maximum = 50.0;
  else if (statistic == ATTN_STATISTIC_KL || statistic == ATTN_STATISTIC_ATTRIBUTION)
    {
      *minimum = 0x1p-20;
      *maximum = 0x1p5;
    }
  else if (statistic == ATTN_STATISTIC_LOSS)
    *maximum = 25.0;
  else if (statistic == ATTN_STATISTIC_ANSWER_POSITION)
    *maximum = 50.0;
  else if (statistic == ATTN_STATISTIC_DISTANCE)
    {
      *minimum = is_causal ? 0.0 : 1.0 - n;
      *maximum = n - 1.0;
    }
}

/**
 * attn_sinks_count:
 * @scores: (array length=n_heads): sink score of each head, see %ATTN_STATISTIC_SINK; NaN where it
 *   is not known
 * @n_known: (out): how many scores are known: the sink rate is the returned number as a part of it
 *   (arXiv 2410.10781)
 *
 * Returns: the number of heads for which the first key is a sink, see %ATTN_SINK_THRESHOLD
 */
gsize
attn_sinks_count (const float *scores,
                  gsize        n_heads,
                  gsize       *n_known)
{
  gsize n_sinks = 0;

  *n_known = 0;
  for (gsize head = 0; head < n_heads; head++)
    {
      *n_known += isfinite (scores[head]) != 0;
      n_sinks += scores[head] > ATTN_SINK_THRESHOLD;
    }
  return n_sinks;
}

/**
 * attn_statistic_is_of_pictures:
 *
 * Returns: whether the statistic has a meaning for the patches of a picture: other statistics
 *   depend on an order of the tokens, on predictions, or on words
 */
gboolean
attn_statistic_is_of_pictures (AttnStatistic statistic)
{
  const guint pictures =
      1u << ATTN_STATISTIC_SINK | 1u << ATTN_STATISTIC_ENTROPY |
      1u << ATTN_STATISTIC_RELATIVE_ENTROPY | 1u << ATTN_STATISTIC_DISTANCE |
      1u << ATTN_STATISTIC_VARIATION | 1u << ATTN_STATISTIC_RESIDUAL_NORM |
      1u << ATTN_STATISTIC_QUERY_NORM | 1u << ATTN_STATISTIC_KEY_NORM |
      1u << ATTN_STATISTIC_VALUE_NORM | 1u << ATTN_STATISTIC_MASSIVE;

  return (pictures & 1u << statistic) != 0;
}

/**
 * attn_statistic_is_of_sounds:
 *
 * Returns: whether the statistic has a meaning for the frames of a sound, which have an order but
 *   are no words
 */
gboolean
attn_statistic_is_of_sounds (AttnStatistic statistic)
{
  const guint sounds = 1u << ATTN_STATISTIC_PREVIOUS | 1u << ATTN_STATISTIC_PREVIOUS_MASS |
                       1u << ATTN_STATISTIC_OFFSET;

  return attn_statistic_is_of_pictures (statistic) || (sounds & 1u << statistic) != 0;
}

/**
 * attn_statistic_has_positions:
 *
 * Returns: whether the statistic depends on the distance between query and key, which
 *   cross-attention with its two sequences does not have
 */
gboolean
attn_statistic_has_positions (AttnStatistic statistic)
{
  const guint positions =
      1u << ATTN_STATISTIC_DISTANCE | 1u << ATTN_STATISTIC_PREVIOUS |
      1u << ATTN_STATISTIC_DUPLICATE | 1u << ATTN_STATISTIC_INDUCTION |
      1u << ATTN_STATISTIC_PREVIOUS_MASS | 1u << ATTN_STATISTIC_DUPLICATE_MASS |
      1u << ATTN_STATISTIC_INDUCTION_MASS | 1u << ATTN_STATISTIC_REPEAT |
      1u << ATTN_STATISTIC_OFFSET;

  return (positions & 1u << statistic) != 0;
}

/**
 * AttnMapReader:
 * @scorer: (nullable): computes the previous-token, duplicate and induction scores; %NULL for
 *   cross-attention
 * @columns: [keys], the sum of the weights on each key
 * @delimiters: [n_delimiters], the positions of delimiters, ascending, without position 0
 * @offsets: (nullable): the sum of the weights at each distance, from distance 0 on, or from 1 - T
 *   on in a model that sees both ways
 *
 * Reads the attention maps of one text one after the other, and sums up their rows, which come some
 * at a time in any order.
 */
struct _AttnMapReader
{
  AttnHeadScorer *scorer; /* (nullable): scorer of heads; %NULL if keys are not the text's own
                           * tokens */
  AttnHeadSums sums;
  gsize n_tokens;
  gsize n_keys;
  gsize n_repeated;
  gboolean is_causal;
  gsize n_rows;
  double *columns;
  gsize *delimiters;
  gsize n_delimiters;
  double delimited;
  gsize n_delimited;
  double *offsets;
  double first_weight; /* weight of row 0 on key 0 */
  double entropy;
  double relative_entropy;
  gsize n_relative;
  double distance;
  double mass;
  gsize n_columns;
  gsize n_leading;
  double placed; /* sum of the weights from patch to patch of a picture */
  double repeat;
  gsize n_repeat;
  double variation;
};

static gsize
count_offsets (const AttnMapReader *reader)
{
  return reader->is_causal ? reader->n_tokens : 2 * reader->n_tokens - 1;
}

/**
 * attn_map_reader_new:
 *
 * Returns: (transfer full): a reader of the attention maps of @text; it keeps no pointer into @text
 */
AttnMapReader *
attn_map_reader_new (const AttnMapText *text)
{
  AttnMapReader *reader = g_new0 (AttnMapReader, 1);
  gsize n = text->n_ids;

  reader->scorer = text->n_keys == 0 ? attn_head_scorer_new (text->ids, n) : NULL;
  reader->n_tokens = n;
  reader->n_keys = text->n_keys > 0 ? text->n_keys : n;
  reader->n_repeated = text->n_repeated;
  reader->n_columns = text->n_columns;
  reader->n_leading = text->n_leading;
  reader->is_causal = text->is_causal;
  reader->columns = g_new0 (double, reader->n_keys);
  reader->delimiters = g_new (gsize, reader->n_keys);
  for (gsize i = 1; text->delimiters != NULL && i < reader->n_keys; i++)
    if (text->delimiters[i])
      reader->delimiters[reader->n_delimiters++] = i;
  if (text->has_offsets)
    reader->offsets = g_new0 (double, count_offsets (reader));
  return reader;
}

void
attn_map_reader_free (AttnMapReader *reader)
{
  if (reader == NULL)
    return;
  g_clear_pointer (&reader->scorer, attn_head_scorer_free);
  g_free (reader->columns);
  g_free (reader->delimiters);
  g_free (reader->offsets);
  g_free (reader);
}

/* Adds the attention from one patch to the others, each weight times the distance of the two
 * patches in the picture. */
static void
add_places (AttnMapReader *reader,
            gsize          row,
            gsize          n,
            const float   *weights)
{
  if (row < reader->n_leading)
    return;

  gsize patch = row - reader->n_leading;
  double y = (double) (patch / reader->n_columns), x = (double) (patch % reader->n_columns);
  for (gsize j = reader->n_leading; j < n; j++)
    {
      gsize other = j - reader->n_leading;
      double down = (double) (other / reader->n_columns) - y;
      double across = (double) (other % reader->n_columns) - x;

      reader->placed += weights[j];
      reader->distance += weights[j] * sqrt (down * down + across * across);
    }
}

/* Adds one row of a map to the sums. @n: number of keys up to the last visible one; later weights
 * are 0. @n_visible: number of the keys that are not masked */
static void
add_row (AttnMapReader *reader,
         gsize          row,
         gsize          n,
         gsize          n_visible,
         const float   *weights)
{
  double entropy = attn_measures_get_entropy (weights, n);
  double mass = 0.0;
  double moment = 0.0; /* Σ a_j j */

  for (gsize j = 0; j < n; j++)
    {
      double weight = weights[j];

      reader->columns[j] += weight;
      mass += weight;
      moment += weight * (double) j;
    }
  reader->mass += mass;
  if (reader->n_columns > 0)
    add_places (reader, row, n, weights);
  else
    reader->distance += mass * (double) row - moment;
  reader->entropy += entropy;
  if (n_visible > 1)
    {
      reader->relative_entropy += entropy / log2 ((double) n_visible);
      reader->n_relative++;
    }
  if (reader->n_repeated > 0 && row + 1 >= reader->n_repeated)
    {
      reader->repeat += weights[row + 1 - reader->n_repeated];
      reader->n_repeat++;
    }
  for (gsize k = 0; k < reader->n_delimiters && reader->delimiters[k] < n; k++)
    {
      reader->delimited += weights[reader->delimiters[k]];
      reader->n_delimited += k == 0;
    }
  if (row == 0)
    reader->first_weight = weights[0];
  if (reader->offsets != NULL)
    {
      double *offsets = reader->offsets + row + (reader->is_causal ? 0 : reader->n_tokens - 1);

      for (gsize j = 0; j < n; j++)
        *(offsets - j) += weights[j];
    }
}

/**
 * attn_map_reader_add:
 * @rows: some rows of one attention map
 * @baseline: (nullable): [n_rows, keys], the same rows in the baseline, for
 *   %ATTN_STATISTIC_VARIATION
 *
 * Returns: whether these were the last rows of the map, so that [func@attn_map_reader_finish] is
 *   due
 */
gboolean
attn_map_reader_add (AttnMapReader         *reader,
                     const AttnWeightsRows *rows,
                     const float           *baseline)
{
  for (gsize i = 0; i < rows->n_rows; i++)
    {
      const float *weights = rows->weights + i * rows->stride;
      gsize row = rows->first_row + i;
      gsize n = reader->is_causal ? row + 1 : rows->n_columns;

      add_row (reader, row, n, rows->window > 0 ? MIN (rows->window, n) : n, weights);
      if (reader->scorer != NULL)
        attn_head_scorer_add (reader->scorer, row, weights, &reader->sums);
      for (gsize j = 0; baseline != NULL && j < n; j++)
        reader->variation += fabs ((double) weights[j] - baseline[i * reader->n_keys + j]);
    }
  reader->n_rows += rows->n_rows;
  return reader->n_rows == reader->n_tokens;
}

static double
divide (double sum,
        double n)
{
  return n > 0.0 ? sum / n : NAN;
}

/* Computes the mean weight at each distance between query and key, or NaN for the distances that
 * %ATTN_STATISTIC_OFFSET leaves out. Returns the largest mean. */
static double
finish_offsets (AttnMapReader *reader,
                double        *by_offset)
{
  gsize n = reader->n_tokens;
  gsize zero = reader->is_causal ? 0 : n - 1;
  double largest = NAN;

  for (gsize i = 0; i < count_offsets (reader); i++)
    {
      gsize distance = i >= zero ? i - zero : zero - i;
      double sum = reader->offsets[i];
      double n_rows = (double) (n - distance);

      if (distance == 0 && reader->is_causal)
        {
          sum -= reader->first_weight;
          n_rows -= 1.0;
        }
      by_offset[i] = divide (sum, n_rows);
      if (i == zero + 1 || distance > n / 2 ||
          (reader->n_repeated > 0 &&
           (distance == reader->n_repeated || distance + 1 == reader->n_repeated)))
        by_offset[i] = NAN;
      if (!(by_offset[i] <= largest) && !isnan (by_offset[i]))
        largest = by_offset[i];
    }
  memset (reader->offsets, 0, count_offsets (reader) * sizeof (double));
  return largest;
}

/**
 * attn_map_reader_finish:
 * @values: (out): by #AttnStatistic; NaN for a statistic that this text does not have, such as
 *   %ATTN_STATISTIC_REPEAT where no tokens are repeated
 * @by_key: (out) (array): [keys], the sink score of each key: its weight averaged over the queries
 *   from its own position on, where the model is causal, else over all queries
 * @by_offset: (out) (array): [T], or [2 T - 1] from the distance 1 - T on in a model that sees both
 *   ways: the mean weight at each distance, NaN for a distance that does not count; not touched
 *   without has_offsets
 *
 * Computes the statistics of a map all of whose rows were added. The reader is then ready for the
 * text's next map.
 */
void
attn_map_reader_finish (AttnMapReader *reader,
                        double         values[ATTN_N_HEAD_STATISTICS],
                        double        *by_key,
                        double        *by_offset)
{
  double n_rows = (double) reader->n_tokens;
  AttnHeadScores scores = { NAN, NAN, NAN, 0.0, 0.0, 0.0 };

  if (reader->scorer != NULL)
    scores = attn_head_sums_finish (&reader->sums);
  for (gsize j = 0; j < reader->n_keys; j++)
    by_key[j] = reader->columns[j] / (reader->is_causal ? n_rows - (double) j : n_rows);
  values[ATTN_STATISTIC_ATTRIBUTION] = NAN;
  values[ATTN_STATISTIC_SINK] = by_key[0];
  values[ATTN_STATISTIC_ENTROPY] = MAX (reader->entropy / n_rows, 0.0);
  values[ATTN_STATISTIC_RELATIVE_ENTROPY] =
      MAX (divide (reader->relative_entropy, (double) reader->n_relative), 0.0);
  if (reader->n_relative == 0)
    values[ATTN_STATISTIC_RELATIVE_ENTROPY] = NAN;
  values[ATTN_STATISTIC_DISTANCE] =
      divide (reader->distance, reader->n_columns > 0 ? reader->placed : reader->mass);
  values[ATTN_STATISTIC_PREVIOUS] = scores.previous_token;
  values[ATTN_STATISTIC_DUPLICATE] = scores.duplicate_token;
  values[ATTN_STATISTIC_INDUCTION] = scores.induction;
  values[ATTN_STATISTIC_PREVIOUS_MASS] = divide (scores.previous_sum, reader->mass);
  values[ATTN_STATISTIC_DUPLICATE_MASS] = divide (scores.duplicate_sum, reader->mass);
  values[ATTN_STATISTIC_INDUCTION_MASS] = divide (scores.induction_sum, reader->mass);
  values[ATTN_STATISTIC_REPEAT] = divide (reader->repeat, (double) reader->n_repeat);
  values[ATTN_STATISTIC_VARIATION] = reader->variation / (2.0 * n_rows);
  values[ATTN_STATISTIC_DELIMITER] = divide (reader->delimited, (double) reader->n_delimited);
  values[ATTN_STATISTIC_OFFSET] =
      reader->offsets != NULL ? finish_offsets (reader, by_offset) : NAN;

  memset (reader->columns, 0, reader->n_keys * sizeof (double));
  reader->sums = (AttnHeadSums) { 0 };
  reader->n_rows = reader->n_relative = reader->n_repeat = 0;
  reader->entropy = reader->relative_entropy = reader->distance = reader->mass = 0.0;
  reader->repeat = reader->variation = reader->delimited = reader->placed = 0.0;
  reader->n_delimited = 0;
}
