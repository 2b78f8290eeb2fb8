/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the weights of a linear layer as float32 from a file of any element type. */

#include "config.h"

#include "attn-linear-private.h"
#include "attn-packed.h"
#include "attn-weights.h"

/* The number of bytes in a cache line of the processor. */
#define CACHE_LINE 64

/**
 * attn_linear_find_row:
 *
 * Returns: the number of the row in the file that is row @row of the matrix, [n_out, n_in]
 */
gsize
attn_linear_find_row (const AttnLinear *linear,
                      gsize             row)
{
  return linear->paired_width > 0 ? attn_weights_find_row (row, linear->paired_width) : row;
}

/**
 * attn_linear_read:
 * @first_input: the first of @n_inputs inputs
 * @first_column: the first of @n_columns columns
 * @out: (out caller-allocates): [n_inputs, n_columns] of a matrix that is input-major, else
 *   [n_columns, n_inputs]
 * @stride: floats from a row of @out to the next
 *
 * Reads a part of the weights as float32. That the array is of numbers and of this shape was
 * checked when the model was opened, so that reading it cannot fail.
 */
void
attn_linear_read (const AttnLinear *linear,
                  gsize             first_input,
                  gsize             n_inputs,
                  gsize             first_column,
                  gsize             n_columns,
                  float            *out,
                  gsize             stride)
{
  gsize n_rows = linear->is_input_major ? n_inputs : n_columns;

  if (linear->array->packed != NULL)
    {
      if (linear->is_input_major)
        attn_packed_read (linear->array, first_input, n_inputs, first_column, n_columns, out,
                          stride);
      else
        attn_packed_read (linear->array, first_column, n_columns, first_input, n_inputs, out,
                          stride);
      return;
    }
  for (gsize i = 0; i < n_rows; i++, out += stride)
    if (linear->is_input_major)
      attn_array_read (linear->array, (first_input + i) * linear->n_out + first_column, n_columns,
                       out, NULL);
    else
      attn_array_read (linear->array,
                       attn_linear_find_row (linear, first_column + i) * linear->n_in +
                           first_input,
                       n_inputs, out, NULL);
}

/**
 * attn_linear_prefetch:
 *
 * Has the processor begin to fetch what [func@attn_linear_read] of the same part will read.
 */
void
attn_linear_prefetch (const AttnLinear *linear,
                      gsize             first_input,
                      gsize             n_inputs,
                      gsize             first_column,
                      gsize             n_columns)
{
  const AttnArray *array = linear->array;
  const guint8 *bytes = g_bytes_get_data (array->bytes, NULL);
  gboolean is_input_major = linear->is_input_major;
  gsize n_rows = is_input_major ? n_inputs : n_columns;
  gsize n_block_elements;
  gsize n_block_bytes;

  if (!attn_array_is_row_major (array) || array->packed != NULL)
    return;
  attn_dtype_get_block (array->dtype, &n_block_elements, &n_block_bytes);
  for (gsize i = 0; i < n_rows; i++)
    {
      gsize row =
          is_input_major ? first_input + i : attn_linear_find_row (linear, first_column + i);
      gsize first = is_input_major ? row * linear->n_out + first_column
                                   : row * linear->n_in + first_input;
      gsize n = is_input_major ? n_columns : n_inputs;
      gsize begin = first / n_block_elements * n_block_bytes;
      gsize end = (first + n) / n_block_elements * n_block_bytes;

      for (gsize offset = begin; offset < end; offset += CACHE_LINE)
        __builtin_prefetch (bytes + offset);
    }
}
