/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads and writes the .safetensors format: 8 bytes with the length of the header (little-endian),
 * the header in JSON, and the buffer, which holds the elements of all tensors.
 *
 *   {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 *    "__metadata__": {"key": "text"}}
 *
 * The offsets count from the start of the buffer; the tensors fill it without holes and in
 * little-endian C order. https://github.com/huggingface/safetensors#format */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-memory.h"
#include "attn-safetensors-header.h"

#define PREFIX_BYTES 8
/* The most bytes of a header, as in the reference implementation. */
#define MAX_HEADER_BYTES 100000000
#define METADATA         "__metadata__"

/* Reads a list of at most @max_sizes integers that are not negative. They are limited to
 * G_MAXINT64, which is more than any file has bytes. */
static guint
read_sizes (AttnJsonReader *json,
            const char     *member,
            guint           max_sizes,
            gsize          *sizes)
{
  JsonArray *array = attn_json_read_array (json, member);
  guint n = array != NULL ? json_array_get_length (array) : 0;

  if (array == NULL || n > max_sizes)
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: “%s” of %u integers found, expected one of at most %u"), json->where,
                    member, n, max_sizes);
  for (guint i = 0; i < MIN (n, max_sizes); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) == G_TYPE_INT64 && json_node_get_int (node) >= 0)
        sizes[i] = json_node_get_int (node);
      else
        attn_json_fail (json, ATTN_ERROR_FORMAT,
                        _("%s: “%s” holds something else, expected integers from 0 to 2^63 - 1"),
                        json->where, member);
    }
  return n;
}

static AttnDtype
read_dtype (AttnJsonReader *json)
{
  const char *name = attn_json_read_string (json, "dtype", NULL);
  AttnDtype dtype;

  if (name != NULL && attn_safetensors_find_dtype (name, &dtype))
    return dtype;
  if (name == NULL)
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: no “dtype” found, expected one"), json->where);
  else
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: dtype “%s” found, expected F32, F16, BF16, F64, F8_E4M3, F8_E5M2, "
                      "BOOL or an integer type"),
                    json->where, name);
  return ATTN_DTYPE_F32;
}

static void
read_offsets (AttnJsonReader *json,
              gsize           n_buffer,
              AttnSafetensor *tensor)
{
  gsize offsets[2] = { 0, 0 };
  guint n_offsets = read_sizes (json, "data_offsets", 2, offsets);

  if (n_offsets != 2 || offsets[0] > offsets[1] || offsets[1] > n_buffer)
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: data_offsets %zu to %zu found, expected two that ascend and end "
                      "within the %zu bytes of data"),
                    json->where, offsets[0], offsets[1], n_buffer);
  tensor->begin = offsets[0];
  tensor->end = offsets[1];
}

static gboolean
read_tensor (const char      *path,
             JsonNode        *node,
             gsize            n_buffer,
             AttnSafetensor  *tensor,
             GError         **error)
{
  g_autofree char *where = g_strdup_printf (_("%s: tensor “%s”"), path, tensor->name);
  AttnJsonReader json = attn_json_begin (node, where);

  tensor->dtype = read_dtype (&json);
  tensor->n_dims = read_sizes (&json, "shape", ATTN_ARRAY_MAX_DIMS, tensor->shape);
  read_offsets (&json, n_buffer, tensor);
  return attn_json_finish (&json, error);
}

static gboolean
add_tensor (AttnArrayFile         *file,
            const AttnSafetensor  *tensor,
            GBytes                *buffer,
            GError               **error)
{
  g_autoptr (GBytes) bytes =
      g_bytes_new_from_bytes (buffer, tensor->begin, tensor->end - tensor->begin);
  AttnArray *array = attn_array_new (tensor->name, tensor->dtype, tensor->n_dims, tensor->shape,
                                     bytes, error);

  if (array == NULL)
    {
      g_prefix_error (error, _("%s: tensor "), attn_array_file_get_path (file));
      return FALSE;
    }
  array->is_swapped = G_BYTE_ORDER == G_BIG_ENDIAN;
  return attn_array_file_add (file, array, error);
}

/* Adds the tensors that the header describes to @file, and checks that their bytes fill the buffer.
 * @tensors: element-type AttnSafetensor */
static gboolean
add_tensors (AttnArrayFile  *file,
             const GArray   *tensors,
             GBytes         *buffer,
             GError        **error)
{
  g_autoptr (GArray) extents =
      g_array_sized_new (FALSE, FALSE, sizeof (AttnArrayBytes), tensors->len);

  for (guint i = 0; i < tensors->len; i++)
    {
      const AttnSafetensor *tensor = &g_array_index (tensors, AttnSafetensor, i);
      AttnArrayBytes extent = { tensor->name, tensor->begin, tensor->end };

      if (!add_tensor (file, tensor, buffer, error))
        return FALSE;
      g_array_append_val (extents, extent);
    }
  return attn_array_check_bytes (extents, attn_array_file_get_path (file),
                                 g_bytes_get_size (buffer), FALSE, error);
}

static gboolean
read_metadata (AttnArrayFile  *file,
               JsonNode       *node,
               GError        **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;
  gboolean is_valid = JSON_NODE_HOLDS_OBJECT (node) || JSON_NODE_HOLDS_NULL (node);

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      json_object_iter_init (&iter, json_node_get_object (node));
      while (is_valid && json_object_iter_next (&iter, &key, &value))
        {
          is_valid = json_node_get_value_type (value) == G_TYPE_STRING;
          if (is_valid)
            attn_array_file_set_metadata (file, key, json_node_get_string (value));
        }
    }
  return is_valid ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: “%s” holds something else, expected an object of strings"),
                    attn_array_file_get_path (file), METADATA);
}

static gboolean
read_members (AttnArrayFile  *file,
              JsonObject     *header,
              GBytes         *buffer,
              GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  g_autoptr (GArray) tensors = g_array_new (FALSE, FALSE, sizeof (AttnSafetensor));
  g_autoptr (GList) names = json_object_get_members (header);

  for (GList *link = names; link != NULL; link = link->next)
    {
      AttnSafetensor tensor = { .name = link->data };
      JsonNode *node = json_object_get_member (header, tensor.name);

      if (strcmp (tensor.name, METADATA) == 0)
        {
          if (!read_metadata (file, node, error))
            return FALSE;
          continue;
        }
      if (!read_tensor (path, node, g_bytes_get_size (buffer), &tensor, error))
        return FALSE;
      g_array_append_val (tensors, tensor);
    }
  return add_tensors (file, tensors, buffer, error);
}

/* Reads a header that is not in the usual form by way of a JSON tree, which also gives exact
 * messages. */
static gboolean
read_tree (AttnArrayFile  *file,
           const char     *text,
           gsize           length,
           GBytes         *buffer,
           GError        **error)
{
  g_autofree char *where = g_strdup_printf (_("%s: header"), attn_array_file_get_path (file));
  g_autoptr (JsonNode) root = attn_json_parse_unique (where, text, length, error);

  if (root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (root, where);
  return attn_json_finish (&json, error) && read_members (file, json.object, buffer, error);
}

/**
 * attn_safetensors_read:
 * @file: the file that the arrays are added to; its path begins each message
 * @bytes: the content of the .safetensors file; the arrays are slices of it
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for an unknown dtype,
 *   %ATTN_ERROR_SHAPE for a shape whose product overflows, %ATTN_ERROR_LIMIT for a header above 100
 *   MB
 *
 * Reads a file, and refuses what the reference implementation refuses, such as tensors that
 * overlap, holes between them and bytes left over at the end.
 */
gboolean
attn_safetensors_read (AttnArrayFile  *file,
                       GBytes         *bytes,
                       GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  guint64 n_header;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (size < PREFIX_BYTES)
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: %zu bytes found, expected at least %d"),
                      path, size, PREFIX_BYTES);
  memcpy (&n_header, data, sizeof n_header);
  n_header = GUINT64_FROM_LE (n_header);
  if (n_header > size - PREFIX_BYTES || n_header > MAX_HEADER_BYTES)
    {
      gboolean is_short = n_header > size - PREFIX_BYTES;
      return attn_fail (error, is_short ? ATTN_ERROR_FORMAT : ATTN_ERROR_LIMIT,
                        _("%s: a header of %" PRIu64 " bytes found, expected at most %zu"), path,
                        n_header, MIN (size - PREFIX_BYTES, MAX_HEADER_BYTES));
    }

  /* The header is copied, since it is read more than once and the mapped file could change in
   * between. */
  g_autofree char *text = g_strndup ((const char *) data + PREFIX_BYTES, n_header);
  g_auto (AttnSafetensorsHeader) header = { NULL };
  g_autoptr (GBytes) buffer = g_bytes_new_from_bytes (bytes, PREFIX_BYTES + n_header,
                                                      size - PREFIX_BYTES - n_header);
  GHashTableIter iter;
  gpointer key, value;

  if (!attn_safetensors_header_read (&header, text, n_header, g_bytes_get_size (buffer)))
    return read_tree (file, text, n_header, buffer, error);
  g_hash_table_iter_init (&iter, header.metadata);
  while (g_hash_table_iter_next (&iter, &key, &value))
    attn_array_file_set_metadata (file, key, value);
  return add_tensors (file, header.tensors, buffer, error);
}

/* Returns the arrays in the order in which they are written: those with the widest elements first,
 * so that each begins at a multiple of its element's size; those of equal width as in @file. */
static GPtrArray *
collect_tensors (const AttnArrayFile  *file,
                 GError              **error)
{
  if (attn_array_file_lookup (file, METADATA) != NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("array “%s” found, expected another name, which safetensors does not "
                             "use itself"),
                           METADATA);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (!attn_dtype_is_block (array->dtype))
        continue;
      return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                             _("array “%s” of type %s found, expected a type that safetensors has"),
                             array->name, attn_dtype_get_name (array->dtype));
    }

  GPtrArray *tensors = g_ptr_array_new ();
  for (gsize item_size = 8; item_size > 0; item_size /= 2)
    for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
      {
        const AttnArray *array = attn_array_file_get_nth (file, i);

        if (array->dtype != ATTN_DTYPE_UNICODE && array->item_size == item_size)
          g_ptr_array_add (tensors, (gpointer) array);
      }
  return tensors;
}

static char *
dup_json (JsonNodeType type,
          gpointer     content)
{
  g_autoptr (JsonNode) node = json_node_new (type);

  if (type == JSON_NODE_ARRAY)
    json_node_set_array (node, content);
  else
    json_node_set_object (node, content);
  return json_to_string (node, FALSE);
}

/* Builds the metadata of the header, sorted by key. Arrays of text, such as labels, are stored in
 * it too, since the format has no type for text. */
static JsonObject *
new_metadata (const AttnArrayFile  *file,
              GError              **error)
{
  g_autoptr (AttnArrayFile) texts = attn_array_file_new (NULL);
  g_auto (GStrv) file_keys = attn_array_file_dup_metadata_keys (file);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      g_autoptr (JsonArray) labels = json_array_new ();

      if (array->dtype != ATTN_DTYPE_UNICODE)
        continue;
      g_auto (GStrv) strings = attn_array_dup_strings (array, error);
      if (strings == NULL)
        return NULL;
      for (char **string = strings; *string != NULL; string++)
        json_array_add_string_element (labels, *string);
      g_autofree char *text = dup_json (JSON_NODE_ARRAY, labels);
      attn_array_file_set_metadata (texts, array->name, text);
    }
  /* A text that is both metadata and an array, such as an array without dimensions of an .npz file,
   * is written once, as metadata. */
  for (char **key = file_keys; *key != NULL; key++)
    attn_array_file_set_metadata (texts, *key, attn_array_file_get_metadata (file, *key));

  g_auto (GStrv) keys = attn_array_file_dup_metadata_keys (texts);
  JsonObject *metadata = json_object_new ();
  for (char **key = keys; *key != NULL; key++)
    json_object_set_string_member (metadata, *key, attn_array_file_get_metadata (texts, *key));
  return metadata;
}

static JsonObject *
new_tensor (const AttnArray *array,
            gsize           *offset)
{
  JsonObject *tensor = json_object_new ();
  JsonArray *shape = json_array_new ();
  JsonArray *offsets = json_array_new ();

  for (guint i = 0; i < array->n_dims; i++)
    json_array_add_int_element (shape, array->shape[i]);
  json_array_add_int_element (offsets, *offset);
  *offset += g_bytes_get_size (array->bytes);
  json_array_add_int_element (offsets, *offset);
  json_object_set_string_member (tensor, "dtype", attn_dtype_get_name (array->dtype));
  json_object_set_array_member (tensor, "shape", shape);
  json_object_set_array_member (tensor, "data_offsets", offsets);
  return tensor;
}

/* Returns the header in JSON, padded with spaces so that the elements behind it begin at a multiple
 * of 8 bytes. @n_buffer: (out): the bytes of all elements */
static GString *
build_header (const AttnArrayFile  *file,
              GPtrArray            *tensors,
              gsize                *n_buffer,
              GError              **error)
{
  g_autoptr (JsonObject) root = json_object_new ();
  JsonObject *metadata = new_metadata (file, error);

  if (metadata == NULL)
    return NULL;
  json_object_set_object_member (root, METADATA, metadata);
  *n_buffer = 0;
  for (guint i = 0; i < tensors->len; i++)
    {
      const AttnArray *array = g_ptr_array_index (tensors, i);

      json_object_set_object_member (root, array->name, new_tensor (array, n_buffer));
    }

  g_autofree char *text = dup_json (JSON_NODE_OBJECT, root);
  GString *header = g_string_new (text);
  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  return header;
}

/**
 * attn_safetensors_write:
 * @error: return location: %ATTN_ERROR_MEMORY, %ATTN_ERROR_FORMAT for an array of text that is not
 *   valid Unicode, %ATTN_ERROR_ARGUMENT for an array named "__metadata__", %ATTN_ERROR_UNSUPPORTED
 *   for a block type
 *
 * Makes a .safetensors file with the arrays and metadata of @file. An array of text becomes
 * metadata that hold a JSON list of strings, since the format has only numbers.
 *
 * Returns: (transfer full) (nullable): the content of the file
 */
GBytes *
attn_safetensors_write (const AttnArrayFile  *file,
                        GError              **error)
{
  g_autoptr (GPtrArray) tensors = collect_tensors (file, error);
  gsize n_buffer;

  if (tensors == NULL)
    return NULL;
  g_autoptr (GString) header = build_header (file, tensors, &n_buffer, error);
  if (header == NULL)
    return NULL;

  gsize size = PREFIX_BYTES + header->len + n_buffer;
  guint64 n_header = GUINT64_TO_LE ((guint64) header->len);
  g_autofree guint8 *data = attn_memory_try_alloc (size, _("safetensors file"), error);
  if (data == NULL)
    return NULL;

  guint8 *out = data + PREFIX_BYTES + header->len;
  memcpy (data, &n_header, sizeof n_header);
  memcpy (data + PREFIX_BYTES, header->str, header->len);
  for (guint i = 0; i < tensors->len; i++)
    {
      const AttnArray *array = g_ptr_array_index (tensors, i);

      attn_array_gather_little_endian (array, out);
      out += g_bytes_get_size (array->bytes);
    }
  return g_bytes_new_take (g_steal_pointer (&data), size);
}
