/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pairs of key and value between the header of a GGUF file and its tensors.
 *
 *   pair    key (string), type (32 bits), value
 *   string  length (64 bits), bytes
 *   array   type of the elements (32 bits), their number (64 bits), the elements
 *
 * Arrays may hold arrays. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

#include "config.h"

#include "attn-gguf-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"

/* No file in use nests at all. */
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

/* @n_bytes: of one element; 0 where they differ. @n_least_bytes: of the shortest element. */
static const struct
{
  const char *name;
  gsize n_bytes;
  gsize n_least_bytes;
} types[N_TYPES] = {
  [TYPE_U8] = { "uint8", 1, 1 },
  [TYPE_I8] = { "int8", 1, 1 },
  [TYPE_U16] = { "uint16", 2, 2 },
  [TYPE_I16] = { "int16", 2, 2 },
  [TYPE_U32] = { "uint32", 4, 4 },
  [TYPE_I32] = { "int32", 4, 4 },
  [TYPE_F32] = { "float32", 4, 4 },
  [TYPE_BOOL] = { "bool", 1, 1 },
  [TYPE_STRING] = { "string", 0, 8 },
  [TYPE_ARRAY] = { "array", 0, 12 },
  [TYPE_U64] = { "uint64", 8, 8 },
  [TYPE_I64] = { "int64", 8, 8 },
  [TYPE_F64] = { "float64", 8, 8 },
};

/* @type: of the elements, if it is an array; @n_elements: 1 if not; @data: the elements, where they
 * lie; @text: of a string; @strings: of an array of them. */
typedef struct
{
  Type type;
  gboolean is_array;
  gsize n_elements;
  const guint8 *data;
  char *text;
  AttnGgufString *strings;
} Value;

struct _AttnGgufMetadata
{
  char *path;
  GBytes *bytes;      /* keeps the mapping */
  GHashTable *values; /* key to Value */
  gsize n_header_bytes;
};

static void
free_value (gpointer data)
{
  Value *value = data;

  g_free (value->text);
  g_free (value->strings);
  g_free (value);
}

static gboolean
read_type (AttnGgufCursor *cursor,
           const char     *what,
           Type           *type)
{
  guint32 number;

  if (!attn_gguf_cursor_read_u32 (cursor, what, &number))
    return FALSE;
  if (number >= N_TYPES)
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: type %u found for %s, expected 0 to %d"), cursor->path, number, what,
                      N_TYPES - 1);
  *type = number;
  return TRUE;
}

/* Type and number of an array's elements, no more than the bytes left can hold. */
static gboolean
read_array_head (AttnGgufCursor *cursor,
                 const char     *what,
                 Type           *type,
                 gsize          *n_elements)
{
  guint64 n;

  if (!read_type (cursor, what, type) || !attn_gguf_cursor_read_u64 (cursor, what, &n))
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

/* Elements of a type of fixed size; booleans are 0 or 1. */
static gboolean
skip_fixed (AttnGgufCursor *cursor,
            const char     *what,
            Type            type,
            gsize           n_elements)
{
  const guint8 *data = cursor->data + cursor->position;

  /* Cannot overflow: an array's number was checked, and a value is one element. */
  if (!attn_gguf_cursor_require (cursor, n_elements * types[type].n_bytes, what))
    return FALSE;
  cursor->position += n_elements * types[type].n_bytes;
  if (type != TYPE_BOOL)
    return TRUE;
  for (gsize i = 0; i < n_elements; i++)
    if (data[i] > 1)
      return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                        _("%s: byte %u found for %s, expected 0 or 1, as bools have"), cursor->path,
                        data[i], what);
  return TRUE;
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
              Value          *value)
{
  /* A string takes at least 8 bytes of the file and 16 here: this cannot overflow. */
  if (!attn_memory_check (value->n_elements * sizeof *value->strings, cursor->path, cursor->error))
    return FALSE;
  value->strings = g_new (AttnGgufString, value->n_elements);
  for (gsize i = 0; i < value->n_elements; i++)
    if (!attn_gguf_cursor_read_string (cursor, what, &value->strings[i]))
      return FALSE;
  return TRUE;
}

static gboolean
read_text (AttnGgufCursor *cursor,
           const char     *what,
           Value          *value)
{
  AttnGgufString string;

  if (!attn_gguf_cursor_read_string (cursor, what, &string))
    return FALSE;
  if (!g_utf8_validate_len (string.data, string.length, NULL))
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: other bytes found for %s, expected UTF-8 text without zeros"),
                      cursor->path, what);
  value->text = g_strndup (string.data, string.length);
  return TRUE;
}

static gboolean
read_value (AttnGgufCursor *cursor,
            const char     *what,
            Value          *value)
{
  value->n_elements = 1;
  if (!read_type (cursor, what, &value->type))
    return FALSE;
  value->is_array = value->type == TYPE_ARRAY;
  if (value->is_array && !read_array_head (cursor, what, &value->type, &value->n_elements))
    return FALSE;
  value->data = cursor->data + cursor->position;
  if (value->type != TYPE_STRING)
    return skip_elements (cursor, what, value->type, value->n_elements, 1);
  return value->is_array ? read_strings (cursor, what, value) : read_text (cursor, what, value);
}

static gboolean
read_pair (AttnGgufCursor   *cursor,
           AttnGgufMetadata *metadata)
{
  g_autofree char *key = attn_gguf_cursor_dup_name (cursor, _("a metadata key"));

  if (key == NULL)
    return FALSE;
  if (g_hash_table_contains (metadata->values, key))
    return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                      _("%s: metadata “%s” found twice, expected each key once"), cursor->path,
                      key);

  g_autofree char *what = g_strdup_printf (_("metadata “%s”"), key);
  Value *value = g_new0 (Value, 1);
  g_hash_table_insert (metadata->values, g_steal_pointer (&key), value);
  return read_value (cursor, what, value);
}

/* @n_pairs: no more than the bytes left can hold. */
AttnGgufMetadata *
attn_gguf_metadata_read (AttnGgufCursor *cursor,
                         guint64         n_pairs,
                         GBytes         *bytes)
{
  AttnGgufMetadata *metadata = g_new0 (AttnGgufMetadata, 1);

  metadata->path = g_strdup (cursor->path);
  metadata->bytes = g_bytes_ref (bytes);
  metadata->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
  for (guint64 i = 0; i < n_pairs; i++)
    if (!read_pair (cursor, metadata))
      {
        attn_gguf_metadata_free (metadata);
        return NULL;
      }
  return metadata;
}

void
attn_gguf_metadata_free (AttnGgufMetadata *metadata)
{
  g_hash_table_unref (metadata->values);
  g_bytes_unref (metadata->bytes);
  g_free (metadata->path);
  g_free (metadata);
}

static gboolean
is_integer (Type type)
{
  return type != TYPE_F32 && type != TYPE_F64 && types[type].n_bytes > 0 && type != TYPE_BOOL;
}

static guint64
read_bits (const guint8 *data,
           gsize         n_bytes)
{
  guint64 bits = 0;

  for (gsize i = 0; i < n_bytes; i++)
    bits |= (guint64) data[i] << (8 * i);
  return bits;
}

/* An integer or a boolean; TYPE_U64 comes as its two's complement. */
static gint64
get_integer (const Value *value,
             gsize        index)
{
  gsize n_bytes = types[value->type].n_bytes;
  guint64 bits = read_bits (value->data + index * n_bytes, n_bytes);

  switch (value->type)
    {
    case TYPE_I8:
      return (gint8) bits;
    case TYPE_I16:
      return (gint16) bits;
    case TYPE_I32:
      return (gint32) bits;
    default:
      return (gint64) bits;
    }
}

static double
get_number (const Value *value,
            gsize        index)
{
  gsize n_bytes = types[value->type].n_bytes;
  guint64 bits = read_bits (value->data + index * n_bytes, n_bytes);
  double number;
  float single;

  switch (value->type)
    {
    case TYPE_F32:
      {
        guint32 low = bits;
        memcpy (&single, &low, sizeof single);
        return single;
      }
    case TYPE_F64:
      memcpy (&number, &bits, sizeof number);
      return number;
    case TYPE_U64:
      return bits;
    default:
      return get_integer (value, index);
    }
}

/* Nine digits tell any two float32 apart, 17 any two float64. */
static char *
dup_text (const Value *value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  switch (value->type)
    {
    case TYPE_STRING:
      return g_strdup (value->text);
    case TYPE_BOOL:
      return g_strdup (value->data[0] != 0 ? "true" : "false");
    case TYPE_F32:
    case TYPE_F64:
      g_ascii_formatd (buffer, sizeof buffer, value->type == TYPE_F32 ? "%.9g" : "%.17g",
                       get_number (value, 0));
      return g_strdup (buffer);
    case TYPE_U64:
      return g_strdup_printf ("%" PRIu64, (guint64) get_integer (value, 0));
    default:
      return g_strdup_printf ("%" PRId64, get_integer (value, 0));
    }
}

/* Adds everything but arrays to @texts, as "info" lists it. */
void
attn_gguf_metadata_describe (const AttnGgufMetadata *metadata,
                             GHashTable             *texts)
{
  GHashTableIter iter;
  gpointer key;
  gpointer data;

  g_hash_table_iter_init (&iter, metadata->values);
  while (g_hash_table_iter_next (&iter, &key, &data))
    {
      const Value *value = data;

      if (!value->is_array)
        g_hash_table_insert (texts, g_strdup (key), dup_text (value));
    }
}

static gboolean
refuse (const AttnGgufMetadata  *metadata,
        const char              *key,
        const Value             *value,
        const char              *expected,
        GError                 **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    value->is_array ? _("%s: “%s”: an array of %s found, expected %s") : _("%s: "
                                                                                           "“%s”: a %s found, expected %s"),
                    metadata->path, key,
                    types[value->type].name, expected);
}

/**
 * attn_gguf_metadata_get_n_header_bytes:
 *
 * Returns: where the tensors begin: the metadata, the descriptions of the tensors and what pads
 *   them lie before
 */
gsize
attn_gguf_metadata_get_n_header_bytes (const AttnGgufMetadata *metadata)
{
  return metadata->n_header_bytes;
}

/* Once the descriptions of the tensors are read. */
void
attn_gguf_metadata_set_n_header_bytes (AttnGgufMetadata *metadata,
                                       gsize             n_header_bytes)
{
  metadata->n_header_bytes = n_header_bytes;
}

/**
 * attn_gguf_metadata_has:
 *
 * Returns: whether the file has a value of any type under @key
 */
gboolean
attn_gguf_metadata_has (const AttnGgufMetadata *metadata,
                        const char             *key)
{
  return g_hash_table_contains (metadata->values, key);
}

/**
 * attn_gguf_metadata_get_size:
 * @minimum: smallest value allowed
 * @maximum: largest value allowed
 * @fallback: for a missing key
 * @value: (out): the size
 * @error: return location: %ATTN_ERROR_FORMAT for anything but an integer, %ATTN_ERROR_LIMIT out of
 *   range
 */
gboolean
attn_gguf_metadata_get_size (const AttnGgufMetadata  *metadata,
                             const char              *key,
                             gsize                    minimum,
                             gsize                    maximum,
                             gsize                    fallback,
                             gsize                   *value,
                             GError                 **error)
{
  const Value *found = g_hash_table_lookup (metadata->values, key);

  *value = fallback;
  if (found == NULL)
    return TRUE;
  if (found->is_array || !is_integer (found->type))
    return refuse (metadata, key, found, _("an integer"), error);

  gint64 integer = get_integer (found, 0);
  gboolean is_negative = found->type != TYPE_U64 && integer < 0;
  if (is_negative || (guint64) integer < minimum || (guint64) integer > maximum)
    {
      g_autofree char *text = dup_text (found);
      return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %s found, expected %zu to %zu"),
                        metadata->path, key, text, minimum, maximum);
    }
  *value = integer;
  return TRUE;
}

/**
 * attn_gguf_metadata_get_number:
 * @fallback: for a missing key
 * @value: (out): the number, finite unless @fallback is not
 * @error: return location for %ATTN_ERROR_FORMAT: neither float nor integer, or not finite
 */
gboolean
attn_gguf_metadata_get_number (const AttnGgufMetadata  *metadata,
                               const char              *key,
                               double                   fallback,
                               double                  *value,
                               GError                 **error)
{
  const Value *found = g_hash_table_lookup (metadata->values, key);

  *value = fallback;
  if (found == NULL)
    return TRUE;
  if (found->is_array || types[found->type].n_bytes == 0 || found->type == TYPE_BOOL)
    return refuse (metadata, key, found, _("a number"), error);

  double number = get_number (found, 0);
  if (!isfinite (number))
    return refuse (metadata, key, found, _("a finite number"), error);
  *value = number;
  return TRUE;
}

/**
 * attn_gguf_metadata_get_boolean:
 * @fallback: for a missing key
 * @value: (out): %TRUE or %FALSE
 * @error: return location for %ATTN_ERROR_FORMAT: not a bool
 */
gboolean
attn_gguf_metadata_get_boolean (const AttnGgufMetadata  *metadata,
                                const char              *key,
                                gboolean                 fallback,
                                gboolean                *value,
                                GError                 **error)
{
  const Value *found = g_hash_table_lookup (metadata->values, key);

  *value = fallback;
  if (found == NULL)
    return TRUE;
  if (found->is_array || found->type != TYPE_BOOL)
    return refuse (metadata, key, found, _("a bool"), error);
  *value = found->data[0] != 0;
  return TRUE;
}

/**
 * attn_gguf_metadata_get_string:
 * @fallback: (nullable): for a missing key
 * @value: (out) (transfer none): UTF-8 text
 * @error: return location for %ATTN_ERROR_FORMAT: not a string
 */
gboolean
attn_gguf_metadata_get_string (const AttnGgufMetadata  *metadata,
                               const char              *key,
                               const char              *fallback,
                               const char             **value,
                               GError                 **error)
{
  const Value *found = g_hash_table_lookup (metadata->values, key);

  *value = fallback;
  if (found == NULL)
    return TRUE;
  if (found->is_array || found->type != TYPE_STRING)
    return refuse (metadata, key, found, _("a string"), error);
  *value = found->text;
  return TRUE;
}

/**
 * attn_gguf_metadata_get_strings:
 * @strings: (out) (transfer none) (array length=n_strings): slices of the mapped file, in its order
 * @n_strings: (out): how many
 * @error: return location for %ATTN_ERROR_FORMAT: not an array of strings
 */
gboolean
attn_gguf_metadata_get_strings (const AttnGgufMetadata  *metadata,
                                const char              *key,
                                const AttnGgufString   **strings,
                                gsize                   *n_strings,
                                GError                 **error)
{
  const Value *found = g_hash_table_lookup (metadata->values, key);

  *strings = NULL;
  *n_strings = 0;
  if (found == NULL)
    return TRUE;
  /* An empty array may say any type. */
  if (!found->is_array || (found->type != TYPE_STRING && found->n_elements > 0))
    return refuse (metadata, key, found, _("an array of strings"), error);
  *strings = found->strings;
  *n_strings = found->n_elements;
  return TRUE;
}

/* The array under @key: @found is %NULL for one that is missing or empty. */
static gboolean
find_numbers (const AttnGgufMetadata  *metadata,
              const char              *key,
              gboolean                 allows_floats,
              gsize                    n_bytes,
              const Value            **found,
              GError                 **error)
{
  const Value *value = g_hash_table_lookup (metadata->values, key);

  *found = NULL;
  if (value == NULL || (value->is_array && value->n_elements == 0))
    return TRUE;
  if (!value->is_array || types[value->type].n_bytes == 0 ||
      (!allows_floats && (value->type == TYPE_F32 || value->type == TYPE_F64)))
    return refuse (metadata, key, value,
                   allows_floats ? _("an array of numbers") : _("an array of integers"), error);
  *found = value;
  /* An element has at least a byte of the file: this cannot overflow. */
  return attn_memory_check (value->n_elements * n_bytes, metadata->path, error);
}

/**
 * attn_gguf_metadata_dup_integers:
 * @integers: (out) (transfer full) (array length=n_integers) (nullable): the elements; bools are 0
 *   and 1
 * @n_integers: (out): how many
 * @error: return location: %ATTN_ERROR_FORMAT for anything but an array of integers or bools,
 *   %ATTN_ERROR_LIMIT for an element above 2^63 - 1, %ATTN_ERROR_MEMORY
 */
gboolean
attn_gguf_metadata_dup_integers (const AttnGgufMetadata  *metadata,
                                 const char              *key,
                                 gint64                 **integers,
                                 gsize                   *n_integers,
                                 GError                 **error)
{
  const Value *found;

  *integers = NULL;
  *n_integers = 0;
  if (!find_numbers (metadata, key, FALSE, sizeof **integers, &found, error))
    return FALSE;
  if (found == NULL)
    return TRUE;

  g_autofree gint64 *elements = g_new (gint64, found->n_elements);
  for (gsize i = 0; i < found->n_elements; i++)
    {
      elements[i] = get_integer (found, i);
      if (found->type == TYPE_U64 && elements[i] < 0)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: “%s”: %" PRIu64 " found, expected at most %" PRId64),
                          metadata->path, key, (guint64) elements[i], G_MAXINT64);
    }
  *integers = g_steal_pointer (&elements);
  *n_integers = found->n_elements;
  return TRUE;
}

/**
 * attn_gguf_metadata_dup_floats:
 * @floats: (out) (transfer full) (array length=n_floats) (nullable): the elements, rounded to
 *   float32; NaN and infinities stay what they are
 * @n_floats: (out): how many
 * @error: return location: %ATTN_ERROR_FORMAT for anything but an array of numbers,
 *   %ATTN_ERROR_MEMORY
 */
gboolean
attn_gguf_metadata_dup_floats (const AttnGgufMetadata  *metadata,
                               const char              *key,
                               float                  **floats,
                               gsize                   *n_floats,
                               GError                 **error)
{
  const Value *found;

  *floats = NULL;
  *n_floats = 0;
  if (!find_numbers (metadata, key, TRUE, sizeof **floats, &found, error))
    return FALSE;
  if (found == NULL)
    return TRUE;

  *floats = g_new (float, found->n_elements);
  *n_floats = found->n_elements;
  for (gsize i = 0; i < found->n_elements; i++)
    (*floats)[i] = get_number (found, i);
  return TRUE;
}
