/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the metadata of a GGUF file about its model: pairs of a key and a value between the header
 * and the tensors.
 *
 *   pair    key (string), type (32 bits), value
 *   string  length (64 bits), bytes
 *   array   type of the elements (32 bits), their number (64 bits), the elements
 *
 * The elements of an array can be arrays.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

#include "config.h"

#include "attn-gguf-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "attn-error.h"
#include "attn-half.h"
#include "attn-json.h"
#include "attn-memory.h"

/* The deepest nesting of arrays in the metadata. Published files have none. */
#define MAX_DEPTH 8

typedef enum
{
  TYPE_U8,
  TYPE_I8,
  TYPE_U16,
  TYPE_I16,
  TYPE_U32,
  TYPE_I32,
  TYPE_F32,
  TYPE_BOOL,
  TYPE_STRING,
  TYPE_ARRAY,
  TYPE_U64,
  TYPE_I64,
  TYPE_F64,
  N_TYPES,
} Type;

/* The types of metadata values by their number in a GGUF file. @n_bytes: bytes of a value; 0 if
 * they vary. @n_least_bytes: bytes of the smallest value. */
static const struct
{
  const char *name;
  gsize n_bytes;
  gsize n_least_bytes;
  AttnDtype dtype; /* if n_bytes is not 0 */
} types[N_TYPES] = {
  [TYPE_U8] = { "uint8", 1, 1, ATTN_DTYPE_U8 },
  [TYPE_I8] = { "int8", 1, 1, ATTN_DTYPE_I8 },
  [TYPE_U16] = { "uint16", 2, 2, ATTN_DTYPE_U16 },
  [TYPE_I16] = { "int16", 2, 2, ATTN_DTYPE_I16 },
  [TYPE_U32] = { "uint32", 4, 4, ATTN_DTYPE_U32 },
  [TYPE_I32] = { "int32", 4, 4, ATTN_DTYPE_I32 },
  [TYPE_F32] = { "float32", 4, 4, ATTN_DTYPE_F32 },
  [TYPE_BOOL] = { "bool", 1, 1, ATTN_DTYPE_BOOL },
  [TYPE_STRING] = { "string", 0, 8 },
  [TYPE_ARRAY] = { "array", 0, 12 },
  [TYPE_U64] = { "uint64", 8, 8, ATTN_DTYPE_U64 },
  [TYPE_I64] = { "int64", 8, 8, ATTN_DTYPE_I64 },
  [TYPE_F64] = { "float64", 8, 8, ATTN_DTYPE_F64 },
};

/* An array among the metadata. @data: its elements in the mapped file; @strings: (nullable): the
 * elements, if they are strings */
typedef struct
{
  Type type;
  gsize n_elements;
  const guint8 *data;
  AttnGgufString *strings;
} Array;

static void
free_array (gpointer data)
{
  g_free (((Array *) data)->strings);
  g_free (data);
}

static gboolean
read_type (AttnGgufCursor *cursor,
           const char     *what,
           Type           *type)
{
  guint64 number;

  if (!attn_gguf_cursor_read_uint (cursor, 4, what, &number))
    return FALSE;
  if (number >= N_TYPES)
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: type %u found for %s, expected 0 to %d"), cursor->path,
                      (guint) number, what, N_TYPES - 1);
  *type = number;
  return TRUE;
}

/* Reads the type and the number of an array's elements. Fails if the rest of the file cannot hold
 * so many elements. */
static gboolean
read_array_head (AttnGgufCursor *cursor,
                 const char     *what,
                 Type           *type,
                 gsize          *n_elements)
{
  guint64 n;

  if (!read_type (cursor, what, type) || !attn_gguf_cursor_read_uint (cursor, 8, what, &n))
    return FALSE;

  gsize n_left = cursor->size - cursor->position;
  if (n > n_left / types[*type].n_least_bytes)
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: an array of %" PRIu64 " elements of type %s found for %s, expected "
                        "one that fits the %zu bytes left in the file"),
                      cursor->path, n,
                      types[*type].name, what, n_left);
  *n_elements = n;
  return TRUE;
}

static gboolean
check_bool (AttnGgufCursor *cursor,
            const char     *what,
            guint           byte)
{
  return byte <= 1 ||
         attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                    _("%s: byte %u found for %s, expected 0 or 1, as bools have"), cursor->path,
                    byte, what);
}

/* Skips array elements of a type whose size is fixed, and checks that booleans are 0 or 1. */
static gboolean
skip_fixed (AttnGgufCursor *cursor,
            const char     *what,
            Type            type,
            gsize           n_elements)
{
  gboolean is_valid = attn_gguf_cursor_require (cursor, n_elements * types[type].n_bytes, what);

  for (gsize i = 0; is_valid && type == TYPE_BOOL && i < n_elements; i++)
    is_valid = check_bool (cursor, what, cursor->data[cursor->position + i]);
  /* The product cannot overflow, since read_array_head() has checked the number of elements. */
  if (is_valid)
    cursor->position += n_elements * types[type].n_bytes;
  return is_valid;
}

static gboolean
skip_elements (AttnGgufCursor *cursor,
               const char     *what,
               Type            type,
               gsize           n_elements,
               guint           depth)
{
  if (types[type].n_bytes > 0)
    return skip_fixed (cursor, what, type, n_elements);
  if (type == TYPE_ARRAY && depth == MAX_DEPTH)
    return attn_fail (cursor->error, ATTN_ERROR_LIMIT,
                      _("%s: arrays within arrays found for %s, expected at most %d levels"),
                      cursor->path, what, MAX_DEPTH);
  for (gsize i = 0; i < n_elements; i++)
    {
      AttnGgufString string;
      Type inner_type;
      gsize n_inner;

      if (type == TYPE_STRING)
        {
          if (!attn_gguf_cursor_read_string (cursor, what, &string))
            return FALSE;
        }
      else if (!read_array_head (cursor, what, &inner_type, &n_inner) ||
               !skip_elements (cursor, what, inner_type, n_inner, depth + 1))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_strings (AttnGgufCursor *cursor,
              const char     *what,
              Array          *array)
{
  /* The product cannot overflow, since a string takes at least 8 bytes in the file and 16 here. */
  array->strings = attn_memory_try_alloc (array->n_elements * sizeof *array->strings, cursor->path,
                                          cursor->error);
  if (array->strings == NULL)
    return FALSE;
  for (gsize i = 0; i < array->n_elements; i++)
    if (!attn_gguf_cursor_read_string (cursor, what, &array->strings[i]))
      return FALSE;
  return TRUE;
}

/* Reads an array. An empty array is also added to the JSON values, so that reading its key as a
 * number fails with a message about an array. */
static gboolean
read_array (AttnGgufCursor   *cursor,
            const char       *key,
            const char       *what,
            AttnGgufMetadata *metadata)
{
  Array *array = g_new0 (Array, 1);

  g_hash_table_insert (metadata->arrays, g_strdup (key), array);
  json_object_set_array_member (metadata->values, key, json_array_new ());
  if (!read_array_head (cursor, what, &array->type, &array->n_elements))
    return FALSE;
  array->data = cursor->data + cursor->position;
  return array->type == TYPE_STRING
             ? read_strings (cursor, what, array)
             : skip_elements (cursor, what, array->type, array->n_elements, 1);
}

/* Reads a string and adds it to the JSON values. Returns a copy for the metadata of the file, which
 * are texts, or NULL with an error. */
static char *
read_string (AttnGgufCursor   *cursor,
             const char       *key,
             const char       *what,
             AttnGgufMetadata *metadata)
{
  AttnGgufString string;

  if (!attn_gguf_cursor_read_string (cursor, what, &string))
    return NULL;
  if (!g_utf8_validate_len (string.data, string.length, NULL))
    return attn_fail_null (cursor->error, ATTN_ERROR_FORMAT,
                           _("%s: other bytes found for %s, expected UTF-8 text without zeros"),
                           cursor->path, what);

  char *text = g_strndup (string.data, string.length);
  json_object_set_string_member (metadata->values, key, text);
  return text;
}

/* Reads a number or boolean, adds it to the JSON values and returns it as text. Nine digits are
 * enough to tell any two float32 apart, 17 any two float64. */
static char *
read_number (AttnGgufCursor   *cursor,
             const char       *key,
             const char       *what,
             Type              type,
             AttnGgufMetadata *metadata)
{
  guint n_unused_bits = 64 - 8 * types[type].n_bytes;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 bits;
  double number;

  if (!attn_gguf_cursor_read_uint (cursor, types[type].n_bytes, what, &bits))
    return NULL;
  if (type == TYPE_BOOL && !check_bool (cursor, what, bits))
    return NULL;
  switch (type)
    {
    case TYPE_BOOL:
      json_object_set_boolean_member (metadata->values, key, bits != 0);
      return g_strdup (bits != 0 ? "true" : "false");
    case TYPE_F32:
    case TYPE_F64:
      memcpy (&number, &bits, sizeof number);
      if (type == TYPE_F32)
        number = attn_float_from_bits (bits);
      json_object_set_double_member (metadata->values, key, number);
      return g_strdup (g_ascii_formatd (buffer, sizeof buffer,
                                        type == TYPE_F32 ? "%.9g" : "%.17g", number));
    case TYPE_I8:
    case TYPE_I16:
    case TYPE_I32:
    case TYPE_I64:
      bits = (guint64) ((gint64) (bits << n_unused_bits) >> n_unused_bits);
      json_object_set_int_member (metadata->values, key, (gint64) bits);
      return g_strdup_printf ("%" PRId64, (gint64) bits);
    default:
      json_object_set_int_member (metadata->values, key, (gint64) MIN (bits, G_MAXINT64));
      return g_strdup_printf ("%" PRIu64, bits);
    }
}

static gboolean
read_pair (AttnGgufCursor   *cursor,
           AttnGgufMetadata *metadata,
           AttnArrayFile    *file)
{
  g_autofree char *key = attn_gguf_cursor_dup_name (cursor, _("a metadata key"));
  Type type;

  if (key == NULL)
    return FALSE;
  if (json_object_has_member (metadata->values, key))
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: metadata “%s” found twice, expected each key once"), cursor->path,
                      key);

  g_autofree char *what = g_strdup_printf (_("metadata “%s”"), key);
  if (!read_type (cursor, what, &type))
    return FALSE;
  if (type == TYPE_ARRAY)
    return read_array (cursor, key, what, metadata);

  g_autofree char *text = type == TYPE_STRING ? read_string (cursor, key, what, metadata)
                                              : read_number (cursor, key, what, type, metadata);
  if (text != NULL)
    attn_array_file_set_metadata (file, key, text);
  return text != NULL;
}

static void
free_metadata (gpointer data)
{
  AttnGgufMetadata *metadata = data;

  g_hash_table_unref (metadata->arrays);
  json_object_unref (metadata->values);
  g_bytes_unref (metadata->bytes);
  g_free (metadata->path);
  g_free (metadata);
}

/* Reads @n_pairs pairs of metadata; the caller has checked that the rest of the file can hold so
 * many. Values other than arrays are also added to the metadata of @file as text. */
AttnGgufMetadata *
attn_gguf_metadata_read (AttnGgufCursor *cursor,
                         guint64         n_pairs,
                         AttnArrayFile  *file,
                         GBytes         *bytes)
{
  AttnGgufMetadata *metadata = g_new0 (AttnGgufMetadata, 1);

  metadata->path = g_strdup (cursor->path);
  metadata->bytes = g_bytes_ref (bytes);
  metadata->values = json_object_new ();
  metadata->arrays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_array);
  attn_array_file_take_gguf (file, metadata, free_metadata);
  for (guint64 i = 0; i < n_pairs; i++)
    if (!read_pair (cursor, metadata, file))
      return NULL;
  return metadata;
}

/**
 * attn_gguf_metadata_get_values:
 *
 * Returns: (transfer none): the values by key, for attn_json_read_size() and the like. Every array
 *   is empty in it: [func@attn_gguf_metadata_get_strings] and [func@attn_gguf_metadata_dup_floats]
 *   give its elements. A number of more than 63 bits is the largest of 63 bits.
 */
JsonObject *
attn_gguf_metadata_get_values (const AttnGgufMetadata *metadata)
{
  return metadata->values;
}

/**
 * attn_gguf_metadata_get_n_header_bytes:
 *
 * Returns: the byte of the file at which the elements of the tensors begin, behind the metadata,
 *   the descriptions of the tensors and padding
 */
gsize
attn_gguf_metadata_get_n_header_bytes (const AttnGgufMetadata *metadata)
{
  return metadata->n_header_bytes;
}

/* Looks up an array of strings or of numbers among the metadata. Fails if @key is something else.
 * Sets @array to NULL if it is missing or empty; the type of an empty array is ignored. */
static gboolean
find_array (const AttnGgufMetadata  *metadata,
            const char              *key,
            gboolean                 has_strings,
            const Array            **array,
            GError                 **error)
{
  const char *expected = has_strings ? _("an array of strings") : _("an array of numbers");
  const Array *found = g_hash_table_lookup (metadata->arrays, key);
  AttnJsonReader values = { metadata->values, metadata->path };

  *array = NULL;
  if (found == NULL)
    attn_json_read_array (&values, key);
  if (found == NULL)
    return attn_json_finish (&values, error);
  if (found->n_elements == 0)
    return TRUE;
  if (has_strings ? found->type != TYPE_STRING : types[found->type].n_bytes == 0)
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: “%s”: an array of %s found, expected %s"),
                      metadata->path, key, types[found->type].name, expected);
  *array = found;
  return TRUE;
}

/**
 * attn_gguf_metadata_get_strings:
 * @strings: (out) (transfer none) (array length=n_strings): the elements in their order, slices of
 *   the mapped file
 * @n_strings: (out): how many; 0 if there is no such key
 * @error: return location for %ATTN_ERROR_FORMAT if the value is not an array of strings
 */
gboolean
attn_gguf_metadata_get_strings (const AttnGgufMetadata  *metadata,
                                const char              *key,
                                const AttnGgufString   **strings,
                                gsize                   *n_strings,
                                GError                 **error)
{
  const Array *found;
  gboolean is_found = find_array (metadata, key, TRUE, &found, error);

  *strings = found != NULL ? found->strings : NULL;
  *n_strings = found != NULL ? found->n_elements : 0;
  return is_found;
}

/**
 * attn_gguf_metadata_dup_floats:
 * @floats: (out) (transfer full) (array length=n_floats) (nullable): the elements, rounded to
 *   float32; booleans are 0 and 1; NaN and infinities are kept
 * @n_floats: (out): how many; 0 if there is no such key
 * @error: return location: %ATTN_ERROR_FORMAT for a value that is not an array of numbers,
 *   %ATTN_ERROR_MEMORY
 */
gboolean
attn_gguf_metadata_dup_floats (const AttnGgufMetadata  *metadata,
                               const char              *key,
                               float                  **floats,
                               gsize                   *n_floats,
                               GError                 **error)
{
  const Array *found;

  *floats = NULL;
  *n_floats = 0;
  if (!find_array (metadata, key, FALSE, &found, error))
    return FALSE;
  if (found == NULL)
    return TRUE;

  /* The product cannot overflow, since each element takes at least one byte of the file. */
  *floats = attn_memory_try_alloc (found->n_elements * sizeof **floats, metadata->path, error);
  if (*floats == NULL)
    return FALSE;
  gsize n_bytes = found->n_elements * types[found->type].n_bytes;
  g_autoptr (GBytes) bytes = g_bytes_new_static (found->data, n_bytes);
  g_autoptr (AttnArray) array =
      attn_array_new (key, types[found->type].dtype, 1, &found->n_elements, bytes, error);
  array->is_swapped = G_BYTE_ORDER == G_BIG_ENDIAN;
  *n_floats = found->n_elements;
  return attn_array_read (array, 0, found->n_elements, *floats, error);
}
