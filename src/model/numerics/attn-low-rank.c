/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-low-rank.h"

#include <math.h>
#include <string.h>

#include "attn-parallel.h"
#include "attn-weights.h"

/* The number of outputs for which a task measures the length of their weights. */
#define GAINS_OF_A_TASK ((gsize) 64)

/* The private data of an array with a low-rank change: matrix, change and gains. */
typedef struct
{
  AttnLowRank is;
  gatomicrefcount ref_count;
  gsize rank;
  gsize n_in;
  gsize n_out;
  GMutex lock; /* protects the members that follow */
  float *gains;
} Changed;

static gsize
get_n_out (const AttnLowRank *change)
{
  return change->base->shape[change->is_input_major ? 1 : 0];
}

static gsize
get_n_in (const AttnLowRank *change)
{
  return change->base->shape[change->is_input_major ? 0 : 1];
}

/* Reads all numbers of an array of an adapter. Cannot fail, since they were checked when the
 * adapter was opened. */
static float *
read_all (const AttnArray *array)
{
  gsize n = attn_array_get_n_elements (array);
  float *numbers = g_new (float, n);

  attn_array_read (array, 0, n, numbers, NULL);
  return numbers;
}

/* -- Lengths -- */

typedef struct
{
  const Changed *changed;
  const float *a;
  const float *b;
  float *gains; /* magnitudes of the outputs, until they are divided by the lengths of their
                 * weights */
} Lengths;

static void
measure_rows (const Lengths *lengths,
              gsize          begin,
              gsize          end)
{
  const Changed *changed = lengths->changed;
  const AttnLowRank *is = &changed->is;
  gsize n_in = changed->n_in;
  g_autofree float *row = g_new (float, n_in);

  for (gsize i = begin; i < end; i++)
    {
      gsize place = is->paired_width > 0 ? attn_weights_find_row (i, is->paired_width) : i;
      double sum = 0.0;

      attn_array_read (is->base, place * n_in, n_in, row, NULL);
      for (gsize k = 0; k < changed->rank; k++)
        {
          float factor = is->scale * lengths->b[i * changed->rank + k];

          for (gsize j = 0; j < n_in; j++)
            row[j] += factor * lengths->a[k * n_in + j];
        }
      for (gsize j = 0; j < n_in; j++)
        sum += (double) row[j] * (double) row[j];
      lengths->gains[i] /= (float) sqrt (sum);
    }
}

static void
measure_columns (const Lengths *lengths,
                 gsize          begin,
                 gsize          end)
{
  const Changed *changed = lengths->changed;
  const AttnLowRank *is = &changed->is;
  float row[GAINS_OF_A_TASK];
  double sums[GAINS_OF_A_TASK] = { 0.0 };

  for (gsize j = 0; j < changed->n_in; j++)
    {
      attn_array_read (is->base, j * changed->n_out + begin, end - begin, row, NULL);
      for (gsize k = 0; k < changed->rank; k++)
        {
          float factor = is->scale * lengths->a[k * changed->n_in + j];

          for (gsize i = begin; i < end; i++)
            row[i - begin] += factor * lengths->b[i * changed->rank + k];
        }
      for (gsize i = 0; i < end - begin; i++)
        sums[i] += (double) row[i] * (double) row[i];
    }
  for (gsize i = begin; i < end; i++)
    lengths->gains[i] /= (float) sqrt (sums[i - begin]);
}

static void
measure_some (gsize    task,
              gsize    worker,
              gpointer user_data)
{
  const Lengths *lengths = user_data;
  gsize begin = task * GAINS_OF_A_TASK;
  gsize end = MIN (begin + GAINS_OF_A_TASK, lengths->changed->n_out);

  if (lengths->changed->is.is_input_major)
    measure_columns (lengths, begin, end);
  else
    measure_rows (lengths, begin, end);
}

static const float *
get_gains (Changed *changed,
           gsize    n_workers)
{
  if (changed->is.magnitude == NULL)
    return NULL;
  g_mutex_lock (&changed->lock);
  if (changed->gains == NULL)
    {
      g_autofree float *a = read_all (changed->is.a);
      g_autofree float *b = read_all (changed->is.b);
      float *gains = read_all (changed->is.magnitude);
      Lengths lengths = { changed, a, b, gains };

      attn_parallel_run ((changed->n_out + GAINS_OF_A_TASK - 1) / GAINS_OF_A_TASK, n_workers,
                         measure_some, &lengths);
      changed->gains = gains;
    }
  g_mutex_unlock (&changed->lock);
  return changed->gains;
}

/* -- Numbers of the changed matrix -- */

/* Adds the low-rank change to @n weights of one output, from input @first on, and applies the
 * output's gain. @place: number of the output's row in the file */
static void
change_row (const Changed *changed,
            const float   *gains,
            gsize          place,
            gsize          first,
            gsize          n,
            float         *out)
{
  const AttnLowRank *is = &changed->is;
  gsize row = is->paired_width > 0 ? attn_weights_find_place (place, is->paired_width) : place;
  g_autofree float *factors = g_new (float, changed->rank);
  g_autofree float *part = g_new (float, n);

  attn_array_read (is->b, row * changed->rank, changed->rank, factors, NULL);
  for (gsize k = 0; k < changed->rank; k++)
    {
      attn_array_read (is->a, k * changed->n_in + first, n, part, NULL);
      for (gsize j = 0; j < n; j++)
        out[j] += is->scale * factors[k] * part[j];
    }
  for (gsize j = 0; gains != NULL && j < n; j++)
    out[j] *= gains[row];
}

/* Adds the low-rank change to @n weights of input @input, from output @first on, and applies the
 * gains of these outputs. */
static void
change_column (const Changed *changed,
               const float   *gains,
               gsize          input,
               gsize          first,
               gsize          n,
               float         *out)
{
  const AttnLowRank *is = &changed->is;
  g_autofree float *factors = g_new (float, changed->rank);
  g_autofree float *part = g_new (float, changed->rank);

  for (gsize k = 0; k < changed->rank; k++)
    attn_array_read (is->a, k * changed->n_in + input, 1, &factors[k], NULL);
  for (gsize i = 0; i < n; i++)
    {
      float sum = 0.0f;

      attn_array_read (is->b, (first + i) * changed->rank, changed->rank, part, NULL);
      for (gsize k = 0; k < changed->rank; k++)
        sum += factors[k] * part[k];
      out[i] += is->scale * sum;
      if (gains != NULL)
        out[i] *= gains[first + i];
    }
}

static void
read_changed (const AttnArray *array,
              gsize            first,
              gsize            n_elements,
              float           *out)
{
  Changed *changed = (Changed *) array->packed;
  const float *gains = get_gains (changed, 1);
  gsize width = array->shape[1];

  attn_array_read (changed->is.base, first, n_elements, out, NULL);
  while (n_elements > 0)
    {
      gsize n = MIN (width - first % width, n_elements);

      if (changed->is.is_input_major)
        change_column (changed, gains, first / width, first % width, n, out);
      else
        change_row (changed, gains, first / width, first % width, n, out);
      first += n;
      out += n;
      n_elements -= n;
    }
}

static void
unref_changed (AttnPacked *packed)
{
  Changed *changed = (Changed *) packed;

  if (!g_atomic_ref_count_dec (&changed->ref_count))
    return;
  g_mutex_clear (&changed->lock);
  g_free (changed->gains);
  g_free (changed);
}

static const AttnPackedFuncs funcs = { read_changed, unref_changed };

/**
 * attn_low_rank_new:
 * @change: its arrays have two dimensions each, of sizes that fit each other; they are borrowed and
 *   have to outlive the returned array
 *
 * Returns: (transfer full): the changed matrix, which [func@attn_array_read] reads as any other, a
 *   row at a time, and [func@attn_linear_run] multiplies by without computing the sum of the
 *   matrices
 */
AttnArray *
attn_low_rank_new (const AttnLowRank *change)
{
  const AttnArray *base = change->base;
  AttnArray *array = g_new0 (AttnArray, 1);
  Changed *changed = g_new0 (Changed, 1);

  changed->is = *change;
  changed->rank = change->a->shape[0];
  changed->n_in = get_n_in (change);
  changed->n_out = get_n_out (change);
  g_atomic_ref_count_init (&changed->ref_count);
  g_mutex_init (&changed->lock);
  array->name = g_strdup (base->name);
  array->dtype = base->dtype;
  array->n_dims = base->n_dims;
  memcpy (array->shape, base->shape, sizeof array->shape);
  array->item_size = base->item_size;
  array->bytes = g_bytes_ref (base->bytes);
  array->packed = (AttnPacked *) changed;
  array->packed_funcs = &funcs;
  return array;
}

/**
 * attn_low_rank_get:
 *
 * Returns: (transfer none) (nullable): the matrix and the change that @array is made of, if
 *   [func@attn_low_rank_new] made it
 */
const AttnLowRank *
attn_low_rank_get (const AttnArray *array)
{
  return array->packed_funcs == &funcs ? &((const Changed *) array->packed)->is : NULL;
}

/**
 * attn_low_rank_get_gains:
 * @array: an array from [func@attn_low_rank_new]
 * @n_workers: how many threads at most
 *
 * Reads the whole matrix, a row at a time, the first time that it is called. Any thread may call.
 *
 * Returns: (transfer none) (nullable) (array): [n_out], the factors of the outputs, which bring
 *   their weights to the length of the magnitudes; %NULL if the change has none
 */
const float *
attn_low_rank_get_gains (const AttnArray *array,
                         gsize            n_workers)
{
  return get_gains ((Changed *) array->packed, n_workers);
}
