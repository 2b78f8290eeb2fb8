/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads GGUF, the format of llama.cpp's files. A file consists of "GGUF", the version (32 bits),
 * the numbers of tensors and of metadata pairs (64 bits each), the pairs, a description of each
 * tensor, padding, and the elements of the tensors. Little-endian.
 *
 *   tensor  name (string), number of dimensions (32 bits), sizes (64 bits each, the innermost
 *           first), type (32 bits), offset from the end of the padding (64 bits)
 *
 * Tensors begin at multiples of "general.alignment" (32 unless the metadata say otherwise).
 * Versions 2 and 3 differ only in that a file of version 3 can be big-endian.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

#include "config.h"

#include "attn-gguf.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-gguf-private.h"
#include "attn-json.h"
#include "attn-readers.h"

#define MAGIC             "GGUF"
#define MAGIC_BYTES       4
#define MAX_DIMS          4
#define DEFAULT_ALIGNMENT 32
#define MAX_ALIGNMENT     (1u << 30)
/* The fewest bytes of a pair of metadata (an empty key, a type and one byte) and of the description
 * of a tensor (an empty name and one dimension). */
#define LEAST_PAIR_BYTES   (8 + 4 + 1)
#define LEAST_TENSOR_BYTES (8 + 4 + 8 + 4 + 8)

/* The element types of tensors by their number in the file. @other: the name of a type that this
 * program does not read */
static const struct
{
  AttnDtype dtype;
  const char *other;
} types[] = {
  [0] = { ATTN_DTYPE_F32 },
  [1] = { ATTN_DTYPE_F16 },
  [2] = { ATTN_DTYPE_Q4_0 },
  [3] = { ATTN_DTYPE_Q4_1 },
  [4] = { .other = "Q4_2" },
  [5] = { .other = "Q4_3" },
  [6] = { ATTN_DTYPE_Q5_0 },
  [7] = { ATTN_DTYPE_Q5_1 },
  [8] = { ATTN_DTYPE_Q8_0 },
  [9] = { .other = "Q8_1" },
  [10] = { ATTN_DTYPE_Q2_K },
  [11] = { ATTN_DTYPE_Q3_K },
  [12] = { ATTN_DTYPE_Q4_K },
  [13] = { ATTN_DTYPE_Q5_K },
  [14] = { ATTN_DTYPE_Q6_K },
  [15] = { .other = "Q8_K" },
  [16] = { ATTN_DTYPE_IQ2_XXS },
  [17] = { ATTN_DTYPE_IQ2_XS },
  [18] = { ATTN_DTYPE_IQ3_XXS },
  [19] = { ATTN_DTYPE_IQ1_S },
  [20] = { ATTN_DTYPE_IQ4_NL },
  [21] = { ATTN_DTYPE_IQ3_S },
  [22] = { ATTN_DTYPE_IQ2_S },
  [23] = { ATTN_DTYPE_IQ4_XS },
  [24] = { ATTN_DTYPE_I8 },
  [25] = { ATTN_DTYPE_I16 },
  [26] = { ATTN_DTYPE_I32 },
  [27] = { ATTN_DTYPE_I64 },
  [28] = { ATTN_DTYPE_F64 },
  [29] = { ATTN_DTYPE_IQ1_M },
  [30] = { ATTN_DTYPE_BF16 },
  [31] = { .other = "Q4_0_4_4" },
  [32] = { .other = "Q4_0_4_8" },
  [33] = { .other = "Q4_0_8_8" },
  [34] = { ATTN_DTYPE_TQ1_0 },
  [35] = { ATTN_DTYPE_TQ2_0 },
  [36] = { .other = "IQ4_NL_4_4" },
  [37] = { .other = "IQ4_NL_4_8" },
  [38] = { .other = "IQ4_NL_8_8" },
  [39] = { ATTN_DTYPE_MXFP4 },
  [40] = { ATTN_DTYPE_NVFP4 },
  [41] = { ATTN_DTYPE_Q1_0 },
  [42] = { ATTN_DTYPE_Q2_0 },
};

static gboolean
find_dtype (AttnGgufCursor *cursor,
            const char     *what,
            guint32         number,
            AttnDtype      *dtype)
{
  const char *name = number < G_N_ELEMENTS (types) ? types[number].other : _("unknown");

  if (name == NULL)
    {
      *dtype = types[number].dtype;
      return TRUE;
    }
  g_autoptr (GString) known = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].other == NULL)
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "",
                              attn_dtype_get_name (types[i].dtype));
  return attn_fail (cursor->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: type %s (number %u) found for %s, expected one of %s"), cursor->path,
                    name, number, what, known->str);
}

/* Reads the shape of a tensor, which the file stores with the innermost dimension first. @shape:
 * (out): the sizes with the outermost dimension first */
static gboolean
read_shape (AttnGgufCursor *cursor,
            const char     *what,
            gsize          *shape,
            guint64        *n_dims)
{
  if (!attn_gguf_cursor_read_uint (cursor, 4, what, n_dims))
    return FALSE;
  if (*n_dims < 1 || *n_dims > MAX_DIMS)
    return attn_fail (cursor->error, ATTN_ERROR_LIMIT,
                      _("%s: %u dimensions found for %s, expected 1 to %d"), cursor->path,
                      (guint) *n_dims, what, MAX_DIMS);
  for (guint i = *n_dims; i-- > 0;)
    {
      guint64 size;

      if (!attn_gguf_cursor_read_uint (cursor, 8, what, &size))
        return FALSE;
      if (size < 1 || size > G_MAXSSIZE)
        return attn_fail (cursor->error, ATTN_ERROR_SHAPE,
                          _("%s: a dimension of size %" PRIu64 " found for %s, expected 1 to 2^63 "
                            "- 1"),
                          cursor->path, size, what);
      shape[i] = size;
    }
  return TRUE;
}

/* Reads the description of a tensor. Adds an array without elements to @file, and the range of
 * bytes of its elements to @extents (element-type AttnArrayBytes). */
static gboolean
read_tensor (AttnGgufCursor *cursor,
             gsize           alignment,
             AttnArrayFile  *file,
             GArray         *extents)
{
  g_autofree char *name = attn_gguf_cursor_dup_name (cursor, _("a tensor’s name"));
  g_autofree char *what = g_strdup_printf (_("tensor “%s”"), name);
  gsize shape[MAX_DIMS];
  guint64 n_dims, type, offset;
  AttnDtype dtype;
  gsize n_bytes;

  if (name == NULL || !read_shape (cursor, what, shape, &n_dims) ||
      !attn_gguf_cursor_read_uint (cursor, 4, what, &type) ||
      !attn_gguf_cursor_read_uint (cursor, 8, what, &offset) ||
      !find_dtype (cursor, what, type, &dtype))
    return FALSE;
  if (offset % alignment != 0)
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: offset %" PRIu64 " found for %s, expected a multiple of %zu"),
                      cursor->path, offset, what, alignment);

  AttnArray *array =
      attn_array_new_outline (name, dtype, n_dims, shape, &n_bytes, cursor->error);
  if (array == NULL)
    {
      g_prefix_error (cursor->error, _("%s: tensor "), cursor->path);
      return FALSE;
    }
  array->is_swapped = G_BYTE_ORDER == G_BIG_ENDIAN && !attn_dtype_is_block (dtype);
  AttnArrayBytes extent = { array->name, offset, offset + n_bytes };
  if (extent.end < offset)
    extent.end = G_MAXSIZE;
  g_array_append_val (extents, extent);
  return attn_array_file_add (file, array, cursor->error);
}

static gboolean
read_alignment (AttnGgufCursor         *cursor,
                const AttnGgufMetadata *metadata,
                gsize                  *alignment)
{
  AttnJsonReader values = { metadata->values, cursor->path };

  *alignment = attn_json_read_size (&values, "general.alignment", 1, MAX_ALIGNMENT,
                                    DEFAULT_ALIGNMENT);
  if ((*alignment & (*alignment - 1)) != 0)
    attn_json_fail (&values, ATTN_ERROR_FORMAT,
                    _("%s: “general.alignment”: %zu found, expected a power of two"), cursor->path,
                    *alignment);
  return attn_json_finish (&values, cursor->error);
}

/* Gives the arrays of @file their elements, slices of @bytes. @start: the byte at which elements
 * begin. Fails if those of a tensor do not lie within the file, or overlap with another
 * tensor's. */
static gboolean
set_elements (AttnGgufCursor *cursor,
              AttnArrayFile  *file,
              GArray         *extents,
              GBytes         *bytes,
              gsize           start)
{
  gsize n_data = cursor->size - start;

  for (guint i = 0; i < extents->len; i++)
    {
      const AttnArrayBytes *extent = &g_array_index (extents, AttnArrayBytes, i);
      AttnArray *array = (AttnArray *) attn_array_file_get_nth (file, i);

      if (extent->end > n_data)
        return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                          _("%s: tensor “%s” of %zu bytes at offset %" PRIu64 " found, expected "
                            "it to end within the %zu bytes of data"),
                          cursor->path, extent->name, extent->end - extent->begin,
                          (guint64) extent->begin, n_data);
      array->bytes =
          g_bytes_new_from_bytes (bytes, start + extent->begin, extent->end - extent->begin);
    }
  return attn_array_check_bytes (extents, cursor->path, n_data, TRUE, cursor->error);
}

static gboolean
read_tensors (AttnGgufCursor   *cursor,
              AttnGgufMetadata *metadata,
              guint64           n_tensors,
              AttnArrayFile    *file,
              GBytes           *bytes)
{
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (AttnArrayBytes));
  gsize alignment;

  if (!read_alignment (cursor, metadata, &alignment))
    return FALSE;
  for (guint64 i = 0; i < n_tensors; i++)
    if (!read_tensor (cursor, alignment, file, extents))
      return FALSE;
  /* A file without tensors, such as one with only a vocabulary, can end here, with or without
   * padding. */
  metadata->n_header_bytes = cursor->position;
  if (n_tensors == 0)
    return TRUE;

  gsize padding = (alignment - cursor->position % alignment) % alignment;
  if (!attn_gguf_cursor_require (cursor, padding, _("the padding before the tensors")))
    return FALSE;
  metadata->n_header_bytes = cursor->position + padding;
  return set_elements (cursor, file, extents, bytes, metadata->n_header_bytes);
}

static gboolean
check_version (AttnGgufCursor *cursor,
               guint32         version)
{
  if (version == 2 || version == 3)
    return TRUE;
  if (version == GUINT32_SWAP_LE_BE (2) || version == GUINT32_SWAP_LE_BE (3))
    return attn_fail (cursor->error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: a big-endian GGUF file found, expected a little-endian one"),
                      cursor->path);
  if (version == 1)
    return attn_fail (cursor->error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: GGUF version 1 found, expected 2 or 3; convert the model again with "
                        "a current llama.cpp"),
                      cursor->path);
  return attn_fail (cursor->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: GGUF version %u found, expected 2 or 3"), cursor->path, version);
}

static gboolean
check_count (AttnGgufCursor *cursor,
             guint64         n,
             const char     *what,
             gsize           n_least_bytes)
{
  gsize n_left = cursor->size - cursor->position;

  if (n <= n_left / n_least_bytes)
    return TRUE;
  return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                    _("%s: a number of %s of %" PRIu64 " found, expected at most what %zu bytes "
                      "can hold"),
                    cursor->path, what, n, n_left);
}

/**
 * attn_gguf_is_file:
 *
 * Returns: whether @path is a regular file that begins with "GGUF" or whose name ends in .gguf
 */
gboolean
attn_gguf_is_file (const char *path)
{
  return attn_file_begins_with (path, MAGIC, MAGIC_BYTES) ||
         (g_str_has_suffix (path, ".gguf") && g_file_test (path, G_FILE_TEST_IS_REGULAR));
}

/**
 * attn_gguf_read:
 * @file: the file that the arrays and the metadata are added to; its path begins each message
 * @bytes: the content of the GGUF file; arrays and strings are slices of it
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for another version or byte
 *   order and for an unknown type of a tensor, which the message names, %ATTN_ERROR_SHAPE,
 *   %ATTN_ERROR_LIMIT, %ATTN_ERROR_MEMORY
 *
 * Reads a file. Shapes have the outermost dimension first, as everywhere in this program: a matrix
 * that llama.cpp calls [768, 50257] has shape [50257, 768]. Metadata that are not arrays are also
 * added to @file's metadata as text.
 */
gboolean
attn_gguf_read (AttnArrayFile  *file,
                GBytes         *bytes,
                GError        **error)
{
  AttnGgufCursor cursor = { .path = attn_array_file_get_path (file), .error = error };
  guint64 version, n_tensors, n_pairs;

  cursor.data = g_bytes_get_data (bytes, &cursor.size);
  if (cursor.size < MAGIC_BYTES || memcmp (cursor.data, MAGIC, MAGIC_BYTES) != 0)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other first bytes found, expected those of the GGUF format"),
                      cursor.path);
  cursor.position = MAGIC_BYTES;
  if (!attn_gguf_cursor_read_uint (&cursor, 4, _("the version"), &version) ||
      !check_version (&cursor, version) ||
      !attn_gguf_cursor_read_uint (&cursor, 8, _("the number of tensors"), &n_tensors) ||
      !attn_gguf_cursor_read_uint (&cursor, 8, _("the number of metadata"), &n_pairs) ||
      !check_count (&cursor, n_pairs, _("metadata"), LEAST_PAIR_BYTES) ||
      !check_count (&cursor, n_tensors, _("tensors"), LEAST_TENSOR_BYTES))
    return FALSE;

  AttnGgufMetadata *metadata = attn_gguf_metadata_read (&cursor, n_pairs, file, bytes);
  return metadata != NULL && read_tensors (&cursor, metadata, n_tensors, file, bytes);
}
