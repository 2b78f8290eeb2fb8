/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-packed.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-clones.h"
#include "attn-error.h"

/* The number of codes of a line, a row or column of the stored matrix, that are unpacked at a time.
 * They fit into the first-level cache. */
#define CHUNK ((gsize) 512)

/* The number of groups, of codes that share a scale, whose scales are read at a time. */
#define GROUPS ((gsize) 32)

/* The tensors in which a packed matrix is stored, shared by all slices of the matrix. Its
 * AttnArrays refer to the mapped file. @pairs: the two values that each byte of codes stands for;
 * @nested: the value of each byte if scales are quantized themselves */
struct _AttnPacked
{
  gatomicrefcount ref_count;
  AttnPacking is; /* with references to @arrays */
  GPtrArray *arrays;
  gsize n_outputs; /* number of outputs of the whole matrix, not of a slice */
  gsize n_inputs;
  gsize n_groups;
  float pairs[256][2];
  float nested[256];
};

static guint32
read_word (const guint8 *words,
           gsize         index)
{
  guint32 word;

  memcpy (&word, words + index * sizeof word, sizeof word);
  return GUINT32_FROM_LE (word);
}

static const guint8 *
get_bytes (const AttnArray *array)
{
  return g_bytes_get_data (array->bytes, NULL);
}

/* Returns the number of 32-bit words that a line of @n codes takes. */
static gsize
count_words (gsize n,
             guint bits)
{
  return (n * bits + 31) / 32;
}

/* Unpacks a row of codes, one from each column of words: from bit @shift of the words @low on, and
 * continued in the words @high if a code reaches into them. Compiled for each width of the vector
 * registers. */
ATTN_CLONES (static, void, unpack_down,
             (const guint8 *low, const guint8 *high, guint shift, guint32 mask, gsize n,
              float *restrict out),
             (low, high, shift, mask, n, out))
{
  guint rest = 32 - shift;

  if (high == NULL)
    for (gsize i = 0; i < n; i++)
      out[i] = (float) (gint32) (read_word (low, i) >> shift & mask);
  else
    for (gsize i = 0; i < n; i++)
      {
        guint32 bits = read_word (low, i) >> shift | read_word (high, i) << rest;

        out[i] = (float) (gint32) (bits & mask);
      }
}

/* Reads a row of codes that are packed along columns. @line: number of the row, counted in codes;
 * @first: column of the first code */
static void
read_down (const guint8 *words,
           gsize         n_columns,
           guint         bits,
           gsize         line,
           gsize         first,
           gsize         n,
           float        *out)
{
  gsize bit = line * bits;
  guint shift = bit % 32;
  const guint8 *low = words + (bit / 32 * n_columns + first) * sizeof (guint32);
  const guint8 *high = shift + bits > 32 ? low + n_columns * sizeof (guint32) : NULL;

  unpack_down (low, high, shift, (1u << bits) - 1, n, out);
}

/* Unpacks codes of @bits bits each that are stored one after the other in a row of bytes. */
ATTN_CLONES (static, void, unpack_across,
             (const guint8 *row, guint bits, gsize first, gsize n, float *restrict out),
             (row, bits, first, n, out))
{
  guint32 mask = (1u << bits) - 1;

  if (bits == 8)
    for (gsize i = 0; i < n; i++)
      out[i] = row[first + i];
  else if (bits == 4 && first % 2 == 0)
    {
      row += first / 2;
      for (gsize i = 0; i < n / 2; i++)
        {
          out[2 * i] = (float) (row[i] & 15);
          out[2 * i + 1] = (float) (row[i] >> 4);
        }
      if (n % 2 != 0)
        out[n - 1] = (float) (row[n / 2] & 15);
    }
  else
    for (gsize i = 0; i < n; i++)
      {
        gsize bit = (first + i) * bits;
        guint32 two = row[bit / 8];

        if (bit % 8 + bits > 8)
          two |= (guint32) row[bit / 8 + 1] << 8;
        out[i] = (float) (gint32) (two >> bit % 8 & mask);
      }
}

/* Unpacks 4-bit codes of the AWQ format. The bits of a word hold the codes of columns 0 2 4 6 1 3 5
 * 7, lowest bits first: see awq/modules/linear/gemm.py of AutoAWQ. */
ATTN_CLONES (static, void, unpack_interleaved,
             (const guint8 *words, gsize first, gsize n, float *restrict out),
             (words, first, n, out))
{
  for (; n > 0 && first % 8 != 0; first++, n--)
    *out++ = (float) (gint32) (read_word (words, first / 8) >>
                                   4 * (first % 8 / 2 + first % 2 * 4) &
                               15);
  words += first / 8 * sizeof (guint32);
  for (; n >= 8; n -= 8, out += 8, words += sizeof (guint32))
    {
      guint32 word = read_word (words, 0);

      for (guint i = 0; i < 8; i++)
        out[i] = (float) (gint32) (word >> (i / 2 + i % 2 * 4) * 4 & 15);
    }
  for (gsize i = 0; i < n; i++)
    out[i] = (float) (gint32) (read_word (words, 0) >> 4 * (i / 2 + i % 2 * 4) & 15);
}

ATTN_CLONES (static, void, scale_columns,
             (const float *scales, const float *zeros, gsize n, float *restrict out),
             (scales, zeros, n, out))
{
  for (gsize i = 0; i < n; i++)
    out[i] = (out[i] - zeros[i]) * scales[i];
}

ATTN_CLONES (static, void, scale_run,
             (float scale, float zero, float bias, gsize n, float *restrict out),
             (scale, zero, bias, n, out))
{
  for (gsize i = 0; i < n; i++)
    out[i] = (out[i] - zero) * scale + bias;
}

static gsize
find_group (const AttnPacked *packed,
            gsize             input)
{
  if (packed->is.groups != NULL)
    return read_word (get_bytes (packed->is.groups), input);
  return input / packed->is.group_size;
}

static float
read_one (const AttnArray *array,
          gsize            index)
{
  float value = 0.0f;

  attn_array_read (array, index, 1, &value, NULL);
  return value;
}

/* Computes weights of a matrix that is stored as [in, out]: for each of some inputs (lines), those
 * of a range of outputs. Scales and zero points are read once for all inputs of a group. */
static void
read_inputs (const AttnPacked *packed,
             gsize             first_line,
             gsize             n_lines,
             gsize             first,
             gsize             n,
             float            *out,
             gsize             stride)
{
  const AttnPacking *is = &packed->is;
  const guint8 *words = get_bytes (is->words);
  gsize n_words = is->order == ATTN_PACKED_DOWN ? packed->n_outputs : packed->n_outputs / 8;
  gsize current = G_MAXSIZE;
  float scales[CHUNK], zeros[CHUNK];

  for (gsize i = 0; i < n_lines; i++, out += stride)
    {
      gsize line = first_line + i;
      gsize group = find_group (packed, line);

      if (group != current)
        {
          attn_array_read (is->scales, group * packed->n_outputs + first, n, scales, NULL);
          if (is->zeros != NULL)
            {
              gsize n_row_bytes = count_words (packed->n_outputs, is->bits) * sizeof (guint32);
              const guint8 *row = get_bytes (is->zeros) + group * n_row_bytes;

              if (is->order == ATTN_PACKED_DOWN)
                unpack_across (row, is->bits, first, n, zeros);
              else
                unpack_interleaved (row, first, n, zeros);
            }
          for (gsize j = 0; j < n; j++)
            zeros[j] = (is->zeros != NULL ? zeros[j] : 0.0f) + (float) is->zero;
          current = group;
        }
      if (is->order == ATTN_PACKED_DOWN)
        read_down (words, n_words, is->bits, line, first, n, out);
      else
        unpack_interleaved (words + line * n_words * sizeof (guint32), first, n, out);
      scale_columns (scales, zeros, n, out);
    }
}

/* Reads the zero points of some groups of an output, the numbers that are subtracted from its
 * codes. */
static void
read_zeros (const AttnPacked *packed,
            gsize             line,
            gsize             group,
            gsize             n,
            float            *out)
{
  const AttnPacking *is = &packed->is;

  if (is->zeros != NULL && is->order == ATTN_PACKED_ACROSS)
    read_down (get_bytes (is->zeros), packed->n_groups, is->bits, line, group, n, out);
  else if (is->zeros != NULL)
    attn_array_read (is->zeros, line * packed->n_groups + group, n, out, NULL);
  else
    for (gsize i = 0; i < n; i++)
      out[i] = (float) is->zero;
}

/* Computes weights from codes of an output: subtracts zero points and applies scales, for at most
 * %GROUPS groups. If the file lists the group of each input, the codes must be of a single
 * group. */
static void
scale_groups (const AttnPacked *packed,
              gsize             line,
              gsize             first,
              gsize             end,
              float            *out)
{
  const AttnPacking *is = &packed->is;
  gsize group = find_group (packed, first);
  gsize n = is->groups != NULL ? 1 : MIN ((end - 1) / is->group_size - group + 1, GROUPS);
  float scales[GROUPS], zeros[GROUPS], biases[GROUPS] = { 0.0f };

  attn_array_read (is->scales, line * packed->n_groups + group, n, scales, NULL);
  if (is->biases != NULL)
    attn_array_read (is->biases, line * packed->n_groups + group, n, biases, NULL);
  read_zeros (packed, line, group, n, zeros);
  for (gsize i = 0; i < n; i++)
    {
      gsize stop = is->groups != NULL ? end : MIN (end, (group + i + 1) * is->group_size);

      scale_run (scales[i], zeros[i], biases[i], stop - first, out);
      out += stop - first;
      first = stop;
    }
}

/* Computes the weights of some inputs of one output, for a matrix that is stored as [out, in]. */
static void
read_output (const AttnPacked *packed,
             gsize             line,
             gsize             first,
             gsize             n,
             float            *out)
{
  const AttnPacking *is = &packed->is;

  if (is->order == ATTN_PACKED_ACROSS)
    unpack_across (get_bytes (is->words) +
                       line * count_words (packed->n_inputs, is->bits) * sizeof (guint32),
                   is->bits, first, n, out);
  else
    attn_array_read (is->words, line * packed->n_inputs + first, n, out, NULL);
  for (gsize end = first + n, stop; first < end; first = stop)
    {
      gsize group = find_group (packed, first);

      stop = is->groups == NULL ? MIN (end, (group + GROUPS) * is->group_size) : first + 1;
      while (is->groups != NULL && stop < end && find_group (packed, stop) == group)
        stop++;
      scale_groups (packed, line, first, stop, out);
      out += stop - first;
    }
}

/* Reads the scales of consecutive blocks, which can be quantized themselves: see functional.py of
 * bitsandbytes. A scale is the largest magnitude of the weights in its block. */
static void
read_block_scales (const AttnPacked *packed,
                   gsize             block,
                   gsize             n,
                   float            *out)
{
  const AttnPacking *is = &packed->is;
  float outer = 0.0f;

  if (is->nested == NULL)
    attn_array_read (is->scales, block, n, out, NULL);
  for (gsize i = 0; is->nested != NULL && i < n; i++)
    {
      if (i == 0 || (block + i) % is->nested_size == 0)
        outer = read_one (is->nested_scales, (block + i) / is->nested_size);
      out[i] = packed->nested[get_bytes (is->scales)[block + i]] * outer + is->nested_offset;
    }
}

ATTN_CLONES (static, void, unpack_pairs,
             (const guint8 *bytes, gsize n, const float (*pairs)[2], float scale,
              float *restrict out),
             (bytes, n, pairs, scale, out))
{
  /* The two values of each byte are copied first, so that the compiler can vectorize the loop that
   * multiplies them. */
  for (gsize i = 0; i < n; i++)
    memcpy (out + 2 * i, pairs[bytes[i]], sizeof pairs[0]);
  for (gsize i = 0; i < 2 * n; i++)
    out[i] *= scale;
}

static void
read_flat (const AttnPacked *packed,
           gsize             first,
           gsize             n,
           float            *out)
{
  gsize group_size = packed->is.group_size;
  const guint8 *bytes = get_bytes (packed->is.words);
  float scales[GROUPS];

  for (gsize end = first + n; first < end;)
    {
      gsize block = first / group_size;
      gsize n_blocks = MIN ((end - 1) / group_size - block + 1, GROUPS);

      read_block_scales (packed, block, n_blocks, scales);
      for (gsize i = 0; i < n_blocks; i++)
        {
          gsize stop = MIN (end, (block + i + 1) * group_size);

          /* A block can begin or end in the middle of a byte, which holds two codes. */
          if (first % 2 != 0 && first < stop)
            *out++ = packed->pairs[bytes[first++ / 2]][1] * scales[i];
          unpack_pairs (bytes + first / 2, (stop - first) / 2, packed->pairs, scales[i], out);
          out += (stop - first) / 2 * 2;
          if ((stop - first) % 2 != 0)
            *out++ = packed->pairs[bytes[stop / 2]][0] * scales[i];
          first = stop;
        }
    }
}

/**
 * attn_packed_is_input_major:
 * @array: a matrix of packed codes
 *
 * Returns: whether the codes of a packed matrix are stored as [in, out], although its shape is
 *   [out, in]
 */
gboolean
attn_packed_is_input_major (const AttnArray *array)
{
  return array->packed->is.order <= ATTN_PACKED_INTERLEAVED;
}

/**
 * attn_packed_read:
 * @array: a matrix of packed codes
 * @first_line: number of the first line: an input if the codes are stored as [in, out], else an
 *   output
 * @first: number of the first weight of each line
 * @out: (out caller-allocates): [n_lines, n]: the weights, with rows @stride floats apart
 *
 * Computes weights in the order in which their codes are stored, which is quickest. All lines and
 * weights must exist. Any thread may call.
 */
void
attn_packed_read (const AttnArray *array,
                  gsize            first_line,
                  gsize            n_lines,
                  gsize            first,
                  gsize            n,
                  float           *out,
                  gsize            stride)
{
  const AttnPacked *packed = array->packed;

  if (attn_packed_is_input_major (array))
    for (gsize i = 0; i < n; i += CHUNK)
      read_inputs (packed, first_line, n_lines, array->first_packed_row + first + i,
                   MIN (CHUNK, n - i), out + i, stride);
  else
    for (gsize i = 0; i < n_lines; i++)
      {
        gsize line = array->first_packed_row + first_line + i;

        if (packed->is.order == ATTN_PACKED_FLAT)
          read_flat (packed, line * packed->n_inputs + first, n, out + i * stride);
        else
          read_output (packed, line, first, n, out + i * stride);
      }
}

/* Implements attn_array_read() for packed arrays: reads consecutive elements of the matrix [out,
 * in], row by row, however the codes are stored. */
static void
read_run (const AttnArray *array,
          gsize            first,
          gsize            n,
          float           *out)
{
  gsize n_inputs = array->shape[1];

  for (gsize end = first + n; first < end;)
    {
      gsize row = first / n_inputs, column = first % n_inputs;
      gsize n_run = MIN (end - first, n_inputs - column);

      if (attn_packed_is_input_major (array))
        attn_packed_read (array, column, n_run, row, 1, out, 1);
      else
        attn_packed_read (array, row, 1, column, n_run, out, n_run);
      first += n_run;
      out += n_run;
    }
}

typedef enum
{
  KIND_NUMBER,
  KIND_WORD,
  KIND_BYTE,
  KIND_SIGNED_BYTE,
} Kind;

static const char * const kind_names[] = {
  [KIND_NUMBER] = "F32, F16, BF16",
  [KIND_WORD] = "I32, U32",
  [KIND_BYTE] = "U8, I8",
  [KIND_SIGNED_BYTE] = "I8",
};

static gboolean
is_of_kind (AttnDtype dtype,
            Kind      kind)
{
  switch (kind)
    {
    case KIND_NUMBER:
      return dtype <= ATTN_DTYPE_F64;
    case KIND_WORD:
      return dtype == ATTN_DTYPE_I32 || dtype == ATTN_DTYPE_U32;
    case KIND_BYTE:
      return dtype == ATTN_DTYPE_U8 || dtype == ATTN_DTYPE_I8;
    case KIND_SIGNED_BYTE:
    default:
      return dtype == ATTN_DTYPE_I8;
    }
}

/* Checks the type and the number of elements of a tensor, and of a matrix also its columns. Another
 * number of dimensions is accepted, since the tensor is read as a flat array. @tensor:
 * (nullable) */
static gboolean
check (const AttnArray  *tensor,
       gsize             n_rows,
       gsize             n_columns,
       Kind              kind,
       GError          **error)
{
  if (tensor == NULL)
    return TRUE;

  gboolean is_rows = tensor->n_dims != 2 || tensor->shape[1] == n_columns;

  if (attn_array_get_n_elements (tensor) != n_rows * n_columns || !is_rows)
    {
      const gsize shape[] = { n_rows, n_columns };
      g_autofree char *found = attn_shape_to_string (tensor->n_dims, tensor->shape);
      g_autofree char *expected = attn_shape_to_string (2, shape);

      return attn_fail (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"),
                        tensor->name, found, expected);
    }
  if (!is_of_kind (tensor->dtype, kind) || tensor->is_swapped ||
      !attn_array_is_row_major (tensor) || tensor->scales != NULL)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                      tensor->name, "dtype", attn_dtype_get_name (tensor->dtype),
                      kind_names[kind]);
  return TRUE;
}

static gboolean
check_tensors (const AttnPacked  *packed,
               GError           **error)
{
  const AttnPacking *is = &packed->is;
  gsize out = packed->n_outputs, in = packed->n_inputs, n = packed->n_groups;
  gsize n_out_words = count_words (out, is->bits);
  gsize n_in_words = count_words (in, is->bits);
  gboolean is_down = is->order == ATTN_PACKED_DOWN;
  gboolean is_across = is->order == ATTN_PACKED_ACROSS;
  Kind kind = is_across ? KIND_WORD : KIND_SIGNED_BYTE;

  switch (is->order)
    {
    case ATTN_PACKED_DOWN:
    case ATTN_PACKED_INTERLEAVED:
      return check (is->words, is_down ? n_in_words : in, is_down ? out : n_out_words, KIND_WORD,
                    error) &&
             check (is->scales, n, out, KIND_NUMBER, error) &&
             check (is->zeros, n, n_out_words, KIND_WORD, error) &&
             check (is->groups, 1, in, KIND_WORD, error);
    case ATTN_PACKED_ACROSS:
    case ATTN_PACKED_BYTES:
      return check (is->words, out, is_across ? n_in_words : in, kind, error) &&
             check (is->scales, out, n, KIND_NUMBER, error) &&
             check (is->zeros, is_across ? n_out_words : out, n, kind, error) &&
             check (is->biases, out, n, KIND_NUMBER, error) &&
             check (is->groups, 1, in, KIND_WORD, error);
    case ATTN_PACKED_FLAT:
    default:
      n = (out * in + is->group_size - 1) / is->group_size;
      return check (is->words, (out * in + 1) / 2, 1, KIND_BYTE, error) &&
             check (is->table, 16, 1, KIND_NUMBER, error) &&
             check (is->scales, n, 1, is->nested == NULL ? KIND_NUMBER : KIND_BYTE, error) &&
             check (is->nested, 256, 1, KIND_NUMBER, error) &&
             check (is->nested_scales, (n + is->nested_size - 1) / is->nested_size, 1, KIND_NUMBER,
                    error);
    }
}

/* Checks that the group that the file names for each input exists. */
static gboolean
check_groups (const AttnPacked  *packed,
              GError           **error)
{
  for (gsize i = 0; packed->is.groups != NULL && i < packed->n_inputs; i++)
    if (find_group (packed, i) >= packed->n_groups)
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: %zu found, expected 0 to %zu"), packed->is.groups->name,
                        find_group (packed, i), packed->n_groups - 1);
  return TRUE;
}

/* Fills the tables of the values of each byte of codes, if the order is %ATTN_PACKED_FLAT. */
static void
fill_tables (AttnPacked *packed)
{
  float table[16];

  if (packed->is.order != ATTN_PACKED_FLAT)
    return;
  attn_array_read (packed->is.table, 0, 16, table, NULL);
  for (guint byte = 0; byte < 256; byte++)
    {
      packed->pairs[byte][0] = table[byte >> 4];
      packed->pairs[byte][1] = table[byte & 15];
    }
  if (packed->is.nested != NULL)
    attn_array_read (packed->is.nested, 0, 256, packed->nested, NULL);
}

static void
keep (AttnPacked       *packed,
      const AttnArray **array)
{
  if (*array == NULL)
    return;
  AttnArray *own = attn_array_share (*array);
  g_ptr_array_add (packed->arrays, own);
  *array = own;
}

static void
free_array (gpointer array)
{
  attn_array_free (array);
}

/* Releases a reference to the tensors of a packed matrix. They keep the file mapped until the last
 * reference is released. */
static void
unref (AttnPacked *packed)
{
  if (!g_atomic_ref_count_dec (&packed->ref_count))
    return;
  g_ptr_array_unref (packed->arrays);
  g_free (packed);
}

static const AttnPackedFuncs funcs = { read_run, unref };

static AttnArray *
new_part (const char *name,
          AttnPacked *packed,
          gsize       first_row,
          gsize       n_rows)
{
  const gsize shape[] = { n_rows, packed->n_inputs };
  AttnArray *array = attn_array_new_outline (name, ATTN_DTYPE_I32, 2, shape, NULL, NULL);

  g_atomic_ref_count_inc (&packed->ref_count);
  array->packed = packed;
  array->packed_funcs = &funcs;
  array->first_packed_row = first_row;
  array->bytes = g_bytes_ref (packed->is.words->bytes);
  return array;
}

/**
 * attn_packed_new:
 * @name: the name of the matrix
 * @packing: the tensors in which the matrix is stored, and how; their elements are shared, not
 *   copied
 * @error: return location: %ATTN_ERROR_SHAPE for a tensor of another shape, %ATTN_ERROR_UNSUPPORTED
 *   for one of another type, %ATTN_ERROR_FORMAT for a group that does not exist
 *
 * Returns: (transfer full) (nullable): a matrix [n_outputs, n_inputs], whose weights
 *   [func@attn_array_read] computes
 */
AttnArray *
attn_packed_new (const char         *name,
                 const AttnPacking  *packing,
                 gsize               n_outputs,
                 gsize               n_inputs,
                 GError            **error)
{
  const gsize shape[] = { n_outputs, n_inputs };
  gsize n_elements;
  AttnPacked *packed = g_new0 (AttnPacked, 1);
  AttnArray *array = NULL;

  g_atomic_ref_count_init (&packed->ref_count);
  packed->is = *packing;
  packed->arrays = g_ptr_array_new_with_free_func (free_array);
  packed->n_outputs = n_outputs;
  packed->n_inputs = n_inputs;
  const AttnArray **arrays[] = { &packed->is.words, &packed->is.scales, &packed->is.zeros,
                                 &packed->is.biases, &packed->is.groups, &packed->is.table,
                                 &packed->is.nested, &packed->is.nested_scales };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    keep (packed, arrays[i]);
  packed->is.group_size = CLAMP (packing->group_size, 1, MAX (n_inputs * n_outputs, 1));
  packed->n_groups = (n_inputs + packed->is.group_size - 1) / packed->is.group_size;
  if (n_outputs == 0 || n_inputs == 0 || !attn_shape_get_n_elements (2, shape, &n_elements) ||
      n_elements > G_MAXSIZE / 64)
    {
      g_autofree char *sizes = attn_shape_to_string (2, shape);

      attn_set_error (error, ATTN_ERROR_SHAPE,
                      _("%s: shape %s found, expected sizes whose product fits the memory"), name,
                      sizes);
    }
  else if (check_tensors (packed, error) && check_groups (packed, error))
    {
      fill_tables (packed);
      array = new_part (name, packed, 0, n_outputs);
    }
  unref (packed);
  return array;
}

/**
 * attn_packed_take_rows:
 * @array: a matrix of packed codes
 *
 * Returns: (transfer full): a matrix of @n rows (outputs) of @array, from @first on
 */
AttnArray *
attn_packed_take_rows (const AttnArray *array,
                       gsize            first,
                       gsize            n)
{
  g_return_val_if_fail (first + n <= array->shape[0], NULL);

  return new_part (array->name, array->packed, array->first_packed_row + first, n);
}
