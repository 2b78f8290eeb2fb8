/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-array.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-clones.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-quant.h"

/* The bytes of elements that are copied into C order at a time before they are converted to floats.
 * They fit into the first-level cache. */
#define CHUNK_BYTES 8192

/* Returns the name of the array for a message, or the word "array" if it has none. */
static const char *
get_where (const AttnArray *array)
{
  return array->name[0] != '\0' ? array->name : _("array");
}

/* Like attn_array_new(), but without the elements. @n_bytes: (nullable): the size of the elements
 * in bytes; not set for text, whose size depends on the data */
AttnArray *
attn_array_new_outline (const char   *name,
                        AttnDtype     dtype,
                        guint         n_dims,
                        const gsize  *shape,
                        gsize        *n_bytes,
                        GError      **error)
{
  g_autoptr (AttnArray) array = g_new0 (AttnArray, 1);
  gsize n_elements, n_block_elements, n_all_bytes;

  array->name = g_strdup (name);
  array->dtype = dtype;
  if (n_dims > ATTN_ARRAY_MAX_DIMS)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%s: %u dimensions found, expected at most %u"), get_where (array),
                           n_dims, ATTN_ARRAY_MAX_DIMS);

  array->n_dims = n_dims;
  if (n_dims > 0)
    memcpy (array->shape, shape, n_dims * sizeof *shape);
  attn_dtype_get_block (dtype, &n_block_elements, &array->item_size);
  /* A row of a block type must consist of whole blocks, since a block cannot reach into the next
   * row. */
  if (n_block_elements > 1 && (n_dims == 0 || shape[n_dims - 1] % n_block_elements != 0))
    {
      g_autofree char *found = attn_shape_to_string (n_dims, shape);
      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: shape %s found, expected rows of a multiple of %zu elements, "
                               "the block of type %s"),
                             get_where (array), found, n_block_elements,
                             attn_dtype_get_name (dtype));
    }
  if (!attn_shape_get_n_elements (n_dims, shape, &n_elements) ||
      !g_size_checked_mul (&n_all_bytes, n_elements / n_block_elements, array->item_size))
    {
      g_autofree char *found = attn_shape_to_string (n_dims, shape);
      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: shape %s found, expected sizes whose product fits the memory"),
                             get_where (array), found);
    }
  if (n_bytes != NULL)
    *n_bytes = dtype != ATTN_DTYPE_UNICODE ? n_all_bytes : 0;
  return g_steal_pointer (&array);
}

/**
 * attn_array_new:
 * @name: the name of the array in the file, or ""
 * @dtype: type of the elements
 * @n_dims: 0 to %ATTN_ARRAY_MAX_DIMS
 * @shape: (array length=n_dims): the number of elements along each dimension, outermost first; 0 is
 *   allowed
 * @bytes: the elements and nothing else; a reference is taken
 * @error: return location: %ATTN_ERROR_LIMIT for too many dimensions, %ATTN_ERROR_SHAPE for a
 *   product of @shape that overflows and for rows that are not whole blocks, %ATTN_ERROR_FORMAT if
 *   @bytes are more or fewer than the elements need
 *
 * The elements are taken to be in C order (the last dimension fastest) and this machine's byte
 * order, unless the caller sets @is_fortran or @is_swapped afterwards. The size of a text is the
 * size of @bytes divided by the number of elements.
 *
 * Returns: (transfer full) (nullable): the array
 */
AttnArray *
attn_array_new (const char   *name,
                AttnDtype     dtype,
                guint         n_dims,
                const gsize  *shape,
                GBytes       *bytes,
                GError      **error)
{
  gsize n_bytes = g_bytes_get_size (bytes);
  gsize expected, n_elements;
  g_autoptr (AttnArray) array =
      attn_array_new_outline (name, dtype, n_dims, shape, &expected, error);

  if (array == NULL)
    return NULL;
  array->bytes = g_bytes_ref (bytes);
  n_elements = attn_array_get_n_elements (array);
  if (dtype == ATTN_DTYPE_UNICODE && n_elements > 0)
    {
      array->item_size = n_bytes / n_elements;
      if (array->item_size > 0 && array->item_size % 4 == 0)
        expected = n_elements * array->item_size;
    }
  if (expected == n_bytes)
    return g_steal_pointer (&array);

  g_autofree char *found = attn_shape_to_string (n_dims, shape);
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: %zu bytes found, expected %zu elements of type %s for shape %s"),
                         get_where (array), n_bytes, n_elements, attn_dtype_get_name (dtype),
                         found);
}

/* Tells whether the elements are stored in C order, without gaps. The stride of a dimension of size
 * 1 is ignored, since no second element is that far away. */
static gboolean
are_row_major (guint        n_dims,
               const gsize *shape,
               const gsize *strides)
{
  gsize expected = 1;

  for (guint i = n_dims; i-- > 0;)
    {
      if (shape[i] == 0)
        return TRUE;
      if (shape[i] > 1 && strides[i] != expected)
        return FALSE;
      expected *= shape[i];
    }
  return TRUE;
}

/* Computes how many elements the memory from the first to the last element, inclusive, would hold.
 * Returns FALSE if the number overflows. */
static gboolean
measure_span (guint        n_dims,
              const gsize *shape,
              const gsize *strides,
              gsize       *n)
{
  gsize last = 0;

  for (guint i = 0; i < n_dims; i++)
    {
      gsize step;

      if (shape[i] == 0)
        {
          *n = 0;
          return TRUE;
        }
      if (!g_size_checked_mul (&step, shape[i] - 1, strides[i]) ||
          !g_size_checked_add (&last, last, step))
        return FALSE;
    }
  return g_size_checked_add (n, last, 1);
}

/**
 * attn_array_new_strided:
 * @strides: (array length=n_dims): for each dimension the distance, in elements, from one index to
 *   the next
 * @bytes: memory that begins with the first element and can be longer than needed; a reference is
 *   taken
 * @error: return location: errors of [func@attn_array_new], %ATTN_ERROR_FORMAT if elements would
 *   lie beyond @bytes
 *
 * Like [func@attn_array_new], but the elements can lie in another order and with gaps, as in a view
 * of PyTorch. Block types and text are not allowed.
 *
 * Returns: (transfer full) (nullable): the array; nothing is copied
 */
AttnArray *
attn_array_new_strided (const char   *name,
                        AttnDtype     dtype,
                        guint         n_dims,
                        const gsize  *shape,
                        const gsize  *strides,
                        GBytes       *bytes,
                        GError      **error)
{
  g_autoptr (AttnArray) array = attn_array_new_outline (name, dtype, n_dims, shape, NULL, error);
  gsize n, n_bytes;

  g_return_val_if_fail (!attn_dtype_is_block (dtype) && dtype != ATTN_DTYPE_UNICODE, NULL);

  if (array == NULL)
    return NULL;
  if (!measure_span (n_dims, shape, strides, &n) ||
      !g_size_checked_mul (&n_bytes, n, array->item_size) || n_bytes > g_bytes_get_size (bytes))
    {
      g_autofree char *found = attn_shape_to_string (n_dims, shape);
      g_autofree char *steps = attn_shape_to_string (n_dims, strides);

      return attn_fail_null (error, ATTN_ERROR_FORMAT,
                             _("%s: shape %s with strides %s of type %s found, expected elements "
                               "within %zu bytes"),
                             get_where (array), found, steps, attn_dtype_get_name (dtype),
                             g_bytes_get_size (bytes));
    }
  array->bytes = g_bytes_new_from_bytes (bytes, 0, n_bytes);
  array->is_strided = !are_row_major (n_dims, shape, strides);
  if (array->is_strided)
    memcpy (array->strides, strides, n_dims * sizeof *strides);
  return g_steal_pointer (&array);
}

/**
 * attn_array_share:
 * @array: an array that is not packed
 *
 * Returns: (transfer full): another array with the same name, type, shape and scales. Its elements
 *   are the same memory.
 */
AttnArray *
attn_array_share (const AttnArray *array)
{
  g_return_val_if_fail (array->packed == NULL, NULL);

  AttnArray *shared = g_new (AttnArray, 1);
  *shared = *array;
  shared->name = g_strdup (array->name);
  if (array->bytes != NULL)
    g_bytes_ref (array->bytes);
  if (array->scales != NULL)
    shared->scales = attn_array_share (array->scales);
  return shared;
}

static void
unref_tensor (gpointer tensor)
{
  attn_tensor_unref (tensor);
}

/**
 * attn_array_new_from_tensor:
 * @tensor: the elements; kept alive, not copied
 *
 * Returns: (transfer full): an array of type F32 with the shape of @tensor
 */
AttnArray *
attn_array_new_from_tensor (const char *name,
                            AttnTensor *tensor)
{
  gsize n_bytes = attn_tensor_get_n_elements (tensor) * sizeof (float);
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (tensor->data, n_bytes, unref_tensor,
                                                         attn_tensor_ref (tensor));

  return attn_array_new (name, ATTN_DTYPE_F32, tensor->n_dims, tensor->shape, bytes, NULL);
}

/**
 * attn_array_new_strings:
 * @strings: (array zero-terminated=1): UTF-8
 *
 * Returns: (transfer full): an array of text with one dimension, each element as wide as the
 *   longest string
 */
AttnArray *
attn_array_new_strings (const char         *name,
                        const char * const *strings)
{
  gsize n_strings = g_strv_length ((char **) strings);
  glong width = 1;

  for (gsize i = 0; i < n_strings; i++)
    width = MAX (width, g_utf8_strlen (strings[i], -1));

  guint32 *characters = g_new0 (guint32, n_strings * width);
  for (gsize i = 0; i < n_strings; i++)
    {
      guint32 *out = characters + i * width;

      for (const char *p = strings[i]; *p != '\0'; p = g_utf8_next_char (p))
        *out++ = g_utf8_get_char (p);
    }

  g_autoptr (GBytes) bytes = g_bytes_new_take (characters, n_strings * width * sizeof (guint32));
  return attn_array_new (name, ATTN_DTYPE_UNICODE, 1, &n_strings, bytes, NULL);
}

void
attn_array_free (AttnArray *array)
{
  if (array == NULL)
    return;
  g_free (array->name);
  g_clear_pointer (&array->bytes, g_bytes_unref);
  attn_array_free (array->scales);
  if (array->packed != NULL)
    array->packed_funcs->unref (array->packed);
  g_free (array);
}

/**
 * attn_array_get_n_elements:
 *
 * Returns: the number of elements, the product of the shape; 1 for a scalar
 */
gsize
attn_array_get_n_elements (const AttnArray *array)
{
  gsize n = 1;

  for (guint i = 0; i < array->n_dims; i++)
    n *= array->shape[i];
  return n;
}

/**
 * attn_array_is_row_major:
 *
 * Returns: whether the elements follow each other in memory in C order, the last dimension fastest
 */
gboolean
attn_array_is_row_major (const AttnArray *array)
{
  guint n_long = 0;

  /* Fortran order, in which the first dimension changes fastest, differs from C order only if at
   * least two dimensions have more than one index. */
  for (guint i = 0; i < array->n_dims; i++)
    n_long += array->shape[i] > 1;
  return !array->is_strided && (!array->is_fortran || n_long <= 1);
}

static void
swap_bytes (guint8 *data,
            gsize   n_units,
            gsize   unit_size)
{
  for (gsize i = 0; i < n_units; i++, data += unit_size)
    for (gsize low = 0, high = unit_size - 1; low < high; low++, high--)
      {
        guint8 byte = data[low];

        data[low] = data[high];
        data[high] = byte;
      }
}

/* Copies elements of an array that are stored in another order into C order. The index in each
 * dimension is advanced like an odometer, the last dimension fastest, together with the offset of
 * the element in the array's bytes. */
static void
gather_reordered (const AttnArray *array,
                  gsize            first,
                  gsize            n_elements,
                  guint8          *out)
{
  const guint8 *data = g_bytes_get_data (array->bytes, NULL);
  gsize index[ATTN_ARRAY_MAX_DIMS];
  gsize strides[ATTN_ARRAY_MAX_DIMS];
  gsize stride = array->item_size;
  gsize offset = 0;
  gsize rest = first;

  for (guint i = 0; i < array->n_dims; i++)
    {
      strides[i] = array->is_strided ? array->strides[i] * array->item_size : stride;
      stride *= array->shape[i];
    }
  for (guint i = array->n_dims; i-- > 0;)
    {
      index[i] = rest % array->shape[i];
      rest /= array->shape[i];
      offset += index[i] * strides[i];
    }
  for (gsize n = 0; n < n_elements; n++)
    {
      memcpy (out + n * array->item_size, data + offset, array->item_size);
      for (guint i = array->n_dims; i-- > 0;)
        {
          offset += strides[i];
          if (++index[i] < array->shape[i])
            break;
          offset -= index[i] * strides[i];
          index[i] = 0;
        }
    }
}

/* Copies elements of an array into C order, and reverses the bytes of each if @swaps. */
static void
gather (const AttnArray *array,
        gsize            first,
        gsize            n_elements,
        gboolean         swaps,
        void            *out)
{
  gsize n_block_elements;
  gsize n_block_bytes;

  if (n_elements == 0)
    return;
  attn_dtype_get_block (array->dtype, &n_block_elements, &n_block_bytes);
  if (!attn_array_is_row_major (array))
    gather_reordered (array, first, n_elements, out);
  else
    memcpy (out,
            (const guint8 *) g_bytes_get_data (array->bytes, NULL) +
                first / n_block_elements * array->item_size,
            n_elements / n_block_elements * array->item_size);
  if (swaps)
    {
      gsize unit_size = attn_dtype_get_size (array->dtype);

      swap_bytes (out, n_elements * (array->item_size / unit_size), unit_size);
    }
}

/**
 * attn_array_gather:
 * @first: index of an element, in C order whatever the order in the file
 * @n_elements: how many to copy; @first + @n_elements is at most the number of elements. For a
 *   block type, both must be multiples of the block.
 * @out: (out caller-allocates): the elements in the array's type, in C order and this machine's
 *   byte order
 */
void
attn_array_gather (const AttnArray *array,
                   gsize            first,
                   gsize            n_elements,
                   void            *out)
{
  gather (array, first, n_elements, array->is_swapped, out);
}

/**
 * attn_array_gather_little_endian:
 * @out: (out caller-allocates): all elements in the array's type, in C order, with the lowest byte
 *   of each first on every machine
 */
void
attn_array_gather_little_endian (const AttnArray *array,
                                 void            *out)
{
  gboolean is_big_endian = array->is_swapped != (G_BYTE_ORDER == G_BIG_ENDIAN);

  gather (array, 0, attn_array_get_n_elements (array), is_big_endian, out);
}

/* Converts @n_elements elements of a block type, from @first on, to floats. If only a part of a
 * block is needed, the whole block is decoded into a buffer first. */
static void
read_blocks (const AttnArray *array,
             gsize            first,
             gsize            n_elements,
             float           *out)
{
  const guint8 *data = g_bytes_get_data (array->bytes, NULL);
  float whole[ATTN_QUANT_MAX_BLOCK];
  gsize n_block_elements;
  gsize n_block_bytes;

  attn_dtype_get_block (array->dtype, &n_block_elements, &n_block_bytes);
  while (n_elements > 0)
    {
      const guint8 *block = data + first / n_block_elements * n_block_bytes;
      gsize skipped = first % n_block_elements;
      gsize n = n_elements / n_block_elements * n_block_elements;

      if (skipped > 0 || n == 0)
        {
          n = MIN (n_block_elements - skipped, n_elements);
          attn_dtype_to_float32 (array->dtype, block, n_block_elements, whole);
          memcpy (out, whole + skipped, n * sizeof *out);
        }
      else
        attn_dtype_to_float32 (array->dtype, block, n, out);
      first += n;
      out += n;
      n_elements -= n;
    }
}

static void
read_unscaled (const AttnArray *array,
               gsize            first,
               gsize            n_elements,
               float           *out)
{
  guint8 chunk[CHUNK_BYTES];

  if (attn_dtype_is_block (array->dtype))
    {
      read_blocks (array, first, n_elements, out);
      return;
    }
  if (!array->is_swapped && attn_array_is_row_major (array))
    {
      const guint8 *data = g_bytes_get_data (array->bytes, NULL);

      if (n_elements > 0)
        attn_dtype_to_float32 (array->dtype, data + first * array->item_size, n_elements, out);
      return;
    }
  while (n_elements > 0)
    {
      gsize n = MIN (n_elements, sizeof chunk / array->item_size);

      attn_array_gather (array, first, n, chunk);
      attn_dtype_to_float32 (array->dtype, chunk, n, out);
      first += n;
      out += n;
      n_elements -= n;
    }
}

/* The number of scales, one for each block of a row, that are read at a time. */
#define CHUNK_SCALES ((gsize) 64)

/* Multiplies @n numbers of a row by the scales of their blocks, which follow each other. Each block
 * has @width numbers, but the first one only @n_first. Compiled for each width of the vector
 * registers. */
ATTN_CLONES (static, void, scale_blocks,
             (float *restrict out, gsize n, gsize n_first, gsize width, const float *scales),
             (out, n, n_first, width, scales))
{
  for (gsize n_block = MIN (n_first, n); n > 0; n_block = MIN (width, n))
    {
      float scale = *scales++;

      /* Blocks of the type NVFP4 have 16 elements. For them, a loop of constant length is
       * faster. */
      if (n_block == 16)
        for (gsize i = 0; i < 16; i++)
          out[i] *= scale;
      else
        for (gsize i = 0; i < n_block; i++)
          out[i] *= scale;
      out += n_block;
      n -= n_block;
    }
}

/* Multiplies @n_elements elements, from @first on, by the scales of their blocks. @out: (inout):
 * the elements */
static void
apply_scales (const AttnArray *array,
              gsize            first,
              gsize            n_elements,
              float           *out)
{
  gsize n_columns = array->shape[array->n_dims - 1];
  gsize width = array->n_scale_columns;
  gsize n_scales = (n_columns + width - 1) / width; /* of a row of blocks */
  float scales[CHUNK_SCALES];

  while (n_elements > 0)
    {
      gsize row = first / n_columns;
      gsize column = first % n_columns;
      gsize block = column / width;
      gsize end = MIN (MIN (n_columns, column + n_elements), (block + CHUNK_SCALES) * width);
      gsize n = (end - 1) / width - block + 1;

      attn_array_read (array->scales, row / array->n_scale_rows * n_scales + block, n,
                       scales, NULL);
      scale_blocks (out, end - column, width - column % width, width, scales);
      first += end - column;
      n_elements -= end - column;
      out += end - column;
    }
}

/**
 * attn_array_set_scales:
 * @array: an array of at least two dimensions that has no scales yet
 * @scales: one number for each block, row by row; its elements are shared, not copied
 * @n_rows: the rows of a block, with all dimensions but the last taken as rows; the last block can
 *   have fewer
 * @n_columns: the columns of a block
 * @error: return location: %ATTN_ERROR_SHAPE for more or fewer scales than blocks
 *
 * From now on [func@attn_array_read] multiplies each element by the scale of the block that it lies
 * in.
 */
gboolean
attn_array_set_scales (AttnArray        *array,
                       const AttnArray  *scales,
                       gsize             n_rows,
                       gsize             n_columns,
                       GError          **error)
{
  gsize width = array->n_dims > 1 ? array->shape[array->n_dims - 1] : 0;
  gsize n_elements = attn_array_get_n_elements (array);
  gsize n_all_rows = width > 0 ? n_elements / width : 0;
  gsize n_blocks = ((n_all_rows + n_rows - 1) / n_rows) * ((width + n_columns - 1) / n_columns);

  g_return_val_if_fail (array->scales == NULL && n_rows > 0 && n_columns > 0, FALSE);

  if (n_elements == 0 || attn_array_get_n_elements (scales) != n_blocks)
    {
      g_autofree char *found = attn_shape_to_string (scales->n_dims, scales->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: scales of shape %s found, expected %zu, one for each block of %zu x "
                          "%zu"),
                        get_where (scales), found, n_blocks, n_rows, n_columns);
    }
  array->scales = attn_array_share (scales);
  array->n_scale_rows = n_rows;
  array->n_scale_columns = n_columns;
  return TRUE;
}

/**
 * attn_array_read:
 * @first: index of an element, in C order whatever the order in the file
 * @n_elements: how many to read; whole blocks are faster, but not required
 * @out: (out caller-allocates) (array length=n_elements): the values of these elements
 * @error: return location: %ATTN_ERROR_SHAPE for elements beyond the last, %ATTN_ERROR_UNSUPPORTED
 *   for text
 *
 * Converts consecutive elements, such as one row, to floats. Any thread may call.
 */
gboolean
attn_array_read (const AttnArray  *array,
                 gsize             first,
                 gsize             n_elements,
                 float            *out,
                 GError          **error)
{
  gsize n_all = attn_array_get_n_elements (array);

  if (array->dtype == ATTN_DTYPE_UNICODE)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: text found, expected numbers"),
                      get_where (array));
  if (first > n_all || n_elements > n_all - first)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: %zu elements from number %zu on asked for, expected at most %zu in "
                        "all"),
                      get_where (array), n_elements, first, n_all);
  if (array->packed != NULL)
    array->packed_funcs->read (array, first, n_elements, out);
  else
    read_unscaled (array, first, n_elements, out);
  if (array->scales != NULL)
    apply_scales (array, first, n_elements, out);
  return TRUE;
}
/**
 * attn_array_to_tensor:
 * @error: return location: %ATTN_ERROR_SHAPE for an empty array or more than %ATTN_TENSOR_MAX_DIMS
 *   dimensions, %ATTN_ERROR_UNSUPPORTED for text, %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): the elements of the array converted to float32, in row-major
 *   order; an array without dimensions gets shape [1]
 */
AttnTensor *
attn_array_to_tensor (const AttnArray  *array,
                      GError          **error)
{
  const gsize one = 1;
  gboolean is_scalar = array->n_dims == 0;
  gsize n_elements = attn_array_get_n_elements (array);

  if (array->n_dims > ATTN_TENSOR_MAX_DIMS || n_elements == 0)
    {
      g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);
      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: shape %s found, expected 1 to %d dimensions of size 1 or more"),
                             get_where (array), shape, ATTN_TENSOR_MAX_DIMS);
    }

  g_autoptr (AttnTensor) tensor = attn_tensor_new (is_scalar ? 1 : array->n_dims,
                                                   is_scalar ? &one : array->shape, error);
  if (tensor == NULL)
    {
      g_prefix_error (error, "%s: ", get_where (array));
      return NULL;
    }
  if (!attn_array_read (array, 0, n_elements, tensor->data, error))
    return NULL;
  return g_steal_pointer (&tensor);
}

/**
 * attn_array_peek_float32:
 *
 * Gives direct access to the elements, so that a matrix product can read a mapped file without a
 *   copy.
 *
 * Returns: (transfer none) (nullable): the elements in the array's own memory, valid as long as the
 *   array, if they are float32 in C order and in this machine's byte order, aligned to 4 bytes;
 *   otherwise %NULL
 */
const float *
attn_array_peek_float32 (const AttnArray *array)
{
  gsize n_bytes;
  const void *data = g_bytes_get_data (array->bytes, &n_bytes);

  if (array->dtype != ATTN_DTYPE_F32 || array->scales != NULL || array->packed != NULL ||
      array->is_swapped || !attn_array_is_row_major (array) || n_bytes == 0 ||
      GPOINTER_TO_SIZE (data) % sizeof (float) != 0)
    return NULL;
  return data;
}

/* Converts a text from UTF-32 to UTF-8. Zeros at its end are padding, as in NumPy. Returns NULL if
 * a character is not valid. */
static char *
decode_text (const guint32 *characters,
             gsize          n_characters)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (n_characters > 0 && characters[n_characters - 1] == 0)
    n_characters--;
  for (gsize i = 0; i < n_characters; i++)
    {
      if (characters[i] == 0 || !g_unichar_validate (characters[i]))
        return NULL;
      g_string_append_unichar (text, characters[i]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_array_dup_strings:
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for numbers, %ATTN_ERROR_FORMAT for text that is
 *   not valid Unicode, %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the elements as UTF-8, in C order
 */
char **
attn_array_dup_strings (const AttnArray  *array,
                        GError          **error)
{
  gsize n_elements = attn_array_get_n_elements (array);

  if (array->dtype != ATTN_DTYPE_UNICODE)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: numbers of type %s found, expected text"), get_where (array),
                           attn_dtype_get_name (array->dtype));
  /* The sum cannot overflow, since an element has at least 4 bytes in the file. A short string
   * takes 32 bytes of memory with its pointer. */
  if (!attn_memory_check (g_bytes_get_size (array->bytes) + n_elements * 32, get_where (array),
                          error))
    return NULL;

  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint32 *characters = g_malloc (array->item_size);
  for (gsize i = 0; i < n_elements; i++)
    {
      attn_array_gather (array, i, 1, characters);
      char *text = decode_text (characters, array->item_size / sizeof *characters);
      if (text == NULL)
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("%s: element %zu holds no Unicode text, expected UTF-32 "
                                 "characters without zeros between"),
                               get_where (array), i);
      g_ptr_array_add (strings, text);
    }
  g_ptr_array_add (strings, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&strings), FALSE);
}

static int
compare_extents (gconstpointer a,
                 gconstpointer b)
{
  const AttnArrayBytes *left = a;
  const AttnArrayBytes *right = b;

  if (left->begin != right->begin)
    return left->begin < right->begin ? -1 : 1;
  return (left->end > right->end) - (left->end < right->end);
}

/* Checks that the byte ranges of a file's arrays, @extents (element-type AttnArrayBytes, sorted in
 * place), do not overlap and, unless holes are allowed, that they cover all @n_bytes. @where: the
 * beginning of the message */
gboolean
attn_array_check_bytes (GArray      *extents,
                        const char  *where,
                        gsize        n_bytes,
                        gboolean     allows_holes,
                        GError     **error)
{
  const AttnArrayBytes *previous = NULL;
  gsize end = 0;

  g_array_sort (extents, compare_extents);
  for (guint i = 0; i < extents->len; i++)
    {
      const AttnArrayBytes *extent = &g_array_index (extents, AttnArrayBytes, i);

      if (extent->begin < end)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: tensor “%s” overlaps “%s”, expected bytes of its own"), where,
                          extent->name, previous->name);
      if (extent->begin > end && !allows_holes)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: tensor “%s”: a hole of %zu bytes found before it, expected none"),
                          where, extent->name, extent->begin - end);
      previous = extent;
      end = extent->end;
    }
  if (end == n_bytes || allows_holes)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: %zu bytes found after the last tensor, expected none"), where,
                    n_bytes - end);
}
