/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-statistic.h"

#include <math.h>
#include <string.h>

#include "attn-head-scores.h"
#include "attn-measures.h"

const char * const attn_statistic_names[] = {
  "sink", "entropy", "relative-entropy", "distance", "previous", "duplicate",
  "induction", "previous-mass", "duplicate-mass", "induction-mass", "repeat", "variation",
  NULL
};

/**
 * attn_statistic_get_range:
 * @n_tokens: the most tokens of a text
 * @minimum: (out): the least that the statistic can be
 * @maximum: (out): the most
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
  else if (statistic == ATTN_STATISTIC_DISTANCE)
    {
      *minimum = is_causal ? 0.0 : 1.0 - n;
      *maximum = n - 1.0;
    }
}

/**
 * AttnMapReader:
 * @n_repeated: n, where the text is n tokens said twice; 0 for any other
 * @columns: [T], the sum of each key's weights
 *
 * Reads one map after the other of one text, some rows at a time in any order.
 */
struct _AttnMapReader
{
  AttnHeadScorer *scorer;
  gsize n_tokens;
  gsize n_repeated;
  gboolean is_causal;
  gsize n_rows;
  double *columns;
  double entropy;
  double relative_entropy;
  gsize n_relative;
  double distance;
  double mass;
  double repeat;
  gsize n_repeat;
  double variation;
};

/**
 * attn_map_reader_new:
 * @ids: (array length=n_ids): the text
 * @n_repeated: n, where the text is n tokens said twice; 0 for any other
 *
 * Returns: (transfer full): a reader of this text's maps
 */
AttnMapReader *
attn_map_reader_new (const guint32 *ids,
                     gsize          n_ids,
                     gsize          n_repeated,
                     gboolean       is_causal)
{
  AttnMapReader *reader = g_new0 (AttnMapReader, 1);

  reader->scorer = attn_head_scorer_new (ids, n_ids);
  reader->n_tokens = n_ids;
  reader->n_repeated = n_repeated;
  reader->is_causal = is_causal;
  reader->columns = g_new0 (double, n_ids);
  return reader;
}

void
attn_map_reader_free (AttnMapReader *reader)
{
  if (reader == NULL)
    return;
  attn_head_scorer_free (reader->scorer);
  g_free (reader->columns);
  g_free (reader);
}

/* @n: keys up to the last that the row sees; the rest of the row is 0. @n_visible: those of them
 * that are not masked. */
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
}

/**
 * attn_map_reader_add:
 * @rows: of one map
 * @baseline: (nullable): the same rows without an intervention, [n_rows, T]
 *
 * Returns: whether these were the last rows of the map, so that
 *   [func@attn_map_reader_finish] is due
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
      attn_head_scorer_add (reader->scorer, row, weights);
      for (gsize j = 0; baseline != NULL && j < n; j++)
        reader->variation += fabs ((double) weights[j] - baseline[i * reader->n_tokens + j]);
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

/**
 * attn_map_reader_finish:
 * @values: (out): by #AttnStatistic; NaN for one that this text does not have, such as that of a
 *   repeat where nothing is repeated
 * @by_key: (out) (array): [T], the sink score of each key: its weight averaged over the queries
 *   from its own position on, where the model is causal, else over all
 *
 * The reader is then ready for the text's next map.
 */
void
attn_map_reader_finish (AttnMapReader *reader,
                        double         values[ATTN_N_STATISTICS],
                        double        *by_key)
{
  double n_rows = (double) reader->n_tokens;
  AttnHeadScores scores = attn_head_scorer_take (reader->scorer);

  for (gsize j = 0; j < reader->n_tokens; j++)
    by_key[j] = reader->columns[j] / (reader->is_causal ? n_rows - (double) j : n_rows);
  values[ATTN_STATISTIC_SINK] = by_key[0];
  values[ATTN_STATISTIC_ENTROPY] = MAX (reader->entropy / n_rows, 0.0);
  values[ATTN_STATISTIC_RELATIVE_ENTROPY] =
      MAX (divide (reader->relative_entropy, (double) reader->n_relative), 0.0);
  if (reader->n_relative == 0)
    values[ATTN_STATISTIC_RELATIVE_ENTROPY] = NAN;
  values[ATTN_STATISTIC_DISTANCE] = divide (reader->distance, reader->mass);
  values[ATTN_STATISTIC_PREVIOUS] = scores.previous_token;
  values[ATTN_STATISTIC_DUPLICATE] = scores.duplicate_token;
  values[ATTN_STATISTIC_INDUCTION] = scores.induction;
  values[ATTN_STATISTIC_PREVIOUS_MASS] = divide (scores.previous_sum, reader->mass);
  values[ATTN_STATISTIC_DUPLICATE_MASS] = divide (scores.duplicate_sum, reader->mass);
  values[ATTN_STATISTIC_INDUCTION_MASS] = divide (scores.induction_sum, reader->mass);
  values[ATTN_STATISTIC_REPEAT] = divide (reader->repeat, (double) reader->n_repeat);
  values[ATTN_STATISTIC_VARIATION] = reader->variation / (2.0 * n_rows);

  memset (reader->columns, 0, reader->n_tokens * sizeof (double));
  reader->n_rows = reader->n_relative = reader->n_repeat = 0;
  reader->entropy = reader->relative_entropy = reader->distance = reader->mass = 0.0;
  reader->repeat = reader->variation = 0.0;
}
