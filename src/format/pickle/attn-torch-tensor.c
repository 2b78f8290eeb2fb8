/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads tensors from a pickle, in which they are calls of torch._utils._rebuild_tensor_v2 (storage,
 * storage_offset, size, stride, ...). Offset and strides are counted in elements. The storage,
 * which holds the elements, is described by ("storage", type, key, location, numel); the location,
 * such as "cuda:1", is ignored. */

#include "config.h"

#include "attn-torch-tensor.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/* The deepest nesting of calls around a tensor. A parameter that is of a subclass of tensors has
 * several. */
#define MAX_CALLS 4

/* Indices of the arguments of a call that rebuilds a tensor. The last depends on the function: an
 * element type, or a dictionary. */
enum
{
  STORAGE,
  OFFSET,
  SIZE,
  STRIDE,
  TYPE = 6,
  METADATA = 6,
};

/* The call that rebuilds a tensor, without other calls around it, such as that of a parameter. */
typedef struct
{
  AttnPickleMeaning meaning;
  const AttnPickleValue *arguments;
} Call;

static gboolean
find_call (const AttnPickle      *pickle,
           const AttnPickleValue *value,
           Call                  *call)
{
  for (gsize i = 0; i < MAX_CALLS && value != NULL && value->kind == ATTN_PICKLE_CALL; i++)
    {
      call->meaning = value->name->meaning;
      call->arguments = attn_pickle_get (pickle, value->arguments);
      if (call->meaning == ATTN_PICKLE_MEANS_SUBCLASS)
        {
          const AttnPickleValue *called = attn_pickle_get_item (pickle, call->arguments, 0);
          const AttnPickleValue *arguments = attn_pickle_get_item (pickle, call->arguments, 2);

          if (arguments == NULL || called->kind != ATTN_PICKLE_NAME)
            return FALSE;
          call->meaning = called->name->meaning;
          call->arguments = arguments;
        }
      if (call->meaning == ATTN_PICKLE_MEANS_TENSOR ||
          call->meaning == ATTN_PICKLE_MEANS_TYPED_TENSOR)
        return TRUE;
      if (call->meaning != ATTN_PICKLE_MEANS_SAME)
        return FALSE;
      value = attn_pickle_get_item (pickle, call->arguments, 0);
    }
  return FALSE;
}

gboolean
attn_torch_is_tensor (const AttnPickle      *pickle,
                      const AttnPickleValue *value)
{
  Call call;

  return find_call (pickle, value, &call);
}

static gboolean
fail_description (const char  *where,
                  GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: a damaged description found, expected a storage, its type, an offset, a "
                      "shape and strides of at most %d dimensions"),
                    where, ATTN_ARRAY_MAX_DIMS);
}

/* Reads an integer of at least 0. */
static gboolean
read_size (const AttnPickleValue *value,
           gsize                 *size)
{
  if (value == NULL || value->kind != ATTN_PICKLE_INTEGER || value->integer < 0)
    return FALSE;
  *size = value->integer;
  return TRUE;
}

/* Reads a tuple of integers of at least 0, such as a shape. @n: (inout): the most that @sizes can
 * hold; set to the number of integers read */
static gboolean
read_sizes (const AttnPickle      *pickle,
            const AttnPickleValue *value,
            gsize                 *sizes,
            guint                 *n)
{
  if (value == NULL || value->kind != ATTN_PICKLE_TUPLE || value->n > *n)
    return FALSE;
  *n = value->n;
  for (guint i = 0; i < value->n; i++)
    if (!read_size (attn_pickle_get_item (pickle, value, i), &sizes[i]))
      return FALSE;
  return TRUE;
}

/**
 * attn_torch_describe:
 * @storage: (nullable): a value of any kind
 * @key: (out): the name of the storage in the file
 * @dtype: (out): the type of its elements; %ATTN_DTYPE_UNICODE for one that this program does not
 *   have
 * @n: (out): the number of its elements
 *
 * Returns: whether @storage is a storage, and not a view of a part of one
 */
gboolean
attn_torch_describe (const AttnPickle       *pickle,
                     const AttnPickleValue  *storage,
                     char                  **key,
                     AttnDtype              *dtype,
                     gsize                  *n)
{
  if (storage == NULL || storage->kind != ATTN_PICKLE_STORAGE)
    return FALSE;

  const AttnPickleValue *arguments = attn_pickle_get (pickle, storage->arguments);
  const AttnPickleValue *kind = attn_pickle_get_item (pickle, arguments, 0);
  const AttnPickleValue *type = attn_pickle_get_item (pickle, arguments, 1);
  const AttnPickleValue *own_key = attn_pickle_get_item (pickle, arguments, 2);
  const AttnPickleValue *view = attn_pickle_get_item (pickle, arguments, 5);
  if (kind == NULL || !attn_pickle_is_text (kind, "storage") || type == NULL ||
      type->kind != ATTN_PICKLE_NAME || type->name->meaning != ATTN_PICKLE_MEANS_STORAGE ||
      own_key == NULL || !read_size (attn_pickle_get_item (pickle, arguments, 4), n) ||
      (view != NULL && view->kind != ATTN_PICKLE_NONE))
    return FALSE;
  *dtype = type->name->dtype;
  *key = attn_pickle_dup_text (own_key);
  return *key != NULL;
}

static GBytes *
get_storage (const AttnTorchStorages  *self,
             const char               *where,
             const char               *key,
             GError                  **error)
{
  if (self->zip != NULL)
    {
      g_autofree char *member = g_strdup_printf ("%s/data/%s", self->folder, key);

      return attn_zip_get (self->zip, member, where, error);
    }

  GBytes *bytes = g_hash_table_lookup (self->by_key, key);
  if (bytes == NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no storage “%s” found, expected it after the pickle"), where,
                           key);
  return g_bytes_ref (bytes);
}

/* Returns the bytes of a storage's elements. Fails if the file has fewer than the pickle says. */
static GBytes *
load_storage (const AttnTorchStorages  *self,
              const char               *where,
              const AttnPickleValue    *storage,
              AttnDtype                *dtype,
              GError                  **error)
{
  g_autofree char *key = NULL;
  gsize n, n_bytes;

  if (!attn_torch_describe (self->pickle, storage, &key, dtype, &n))
    {
      fail_description (where, error);
      return NULL;
    }
  /* An unknown type of the storage is not an error yet, since the tensor can have its own element
   * type. */
  gsize item_size = *dtype == ATTN_DTYPE_UNICODE ? 1 : attn_dtype_get_size (*dtype);
  g_autoptr (GBytes) bytes = get_storage (self, where, key, error);
  if (bytes == NULL)
    return NULL;
  if (!g_size_checked_mul (&n_bytes, n, item_size) || g_bytes_get_size (bytes) < n_bytes)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: storage “%s” of %zu bytes found, expected %zu elements of type "
                             "%s"),
                           where, key, g_bytes_get_size (bytes), n,
                           attn_dtype_get_name (*dtype));
  return *dtype == ATTN_DTYPE_UNICODE ? g_steal_pointer (&bytes)
                                      : g_bytes_new_from_bytes (bytes, 0, n_bytes);
}

/* Determines the element type of a tensor. @dtype: (inout): the type of its storage, which is
 * replaced if the tensor has one of its own */
static gboolean
read_dtype (const AttnTorchStorages  *self,
            const Call               *call,
            const char               *where,
            AttnDtype                *dtype,
            GError                  **error)
{
  const AttnPickleValue *argument = attn_pickle_get_item (self->pickle, call->arguments, TYPE);

  if (call->meaning == ATTN_PICKLE_MEANS_TYPED_TENSOR)
    {
      if (argument == NULL || argument->kind != ATTN_PICKLE_NAME ||
          argument->name->meaning != ATTN_PICKLE_MEANS_DTYPE)
        return fail_description (where, error);
      *dtype = argument->name->dtype;
    }
  /* For a tensor without an element type, the argument is a dictionary. A dictionary that is not
   * empty asks for negated or conjugated elements. */
  else if (argument != NULL && argument->kind == ATTN_PICKLE_DICT && argument->n > 0)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: a tensor found whose elements are to be conjugated or negated when "
                        "it is read, expected the numbers themselves (resolve_conj() and "
                        "resolve_neg() of PyTorch make them)"),
                      where);
  return *dtype != ATTN_DTYPE_UNICODE ||
         attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: complex numbers or numbers of an unknown type found, expected real "
                      "numbers or integers"),
                    where);
}

/**
 * attn_torch_new_array:
 * @name: the name that the array gets
 * @value: a value that is a tensor, as [func@attn_torch_is_tensor] tells
 * @error: return location: %ATTN_ERROR_FORMAT for a shape, an offset or strides beyond the storage,
 *   %ATTN_ERROR_UNSUPPORTED for a type of numbers that this program does not have,
 *   %ATTN_ERROR_LIMIT and %ATTN_ERROR_SHAPE for too many dimensions or elements
 *
 * Returns: (transfer full) (nullable): an array whose elements are those of the tensor in the
 *   mapped file
 */
AttnArray *
attn_torch_new_array (const AttnTorchStorages  *self,
                      const char               *name,
                      const AttnPickleValue    *value,
                      GError                  **error)
{
  g_autofree char *where = g_strdup_printf (_("%s: tensor “%s”"), self->where, name);
  gsize shape[ATTN_ARRAY_MAX_DIMS], strides[ATTN_ARRAY_MAX_DIMS];
  guint n_dims = ATTN_ARRAY_MAX_DIMS, n_strides = ATTN_ARRAY_MAX_DIMS;
  gsize offset, n_skipped, n_elements, n_bytes;
  AttnDtype dtype;
  Call call;

  g_return_val_if_fail (find_call (self->pickle, value, &call), NULL);

  if (!read_size (attn_pickle_get_item (self->pickle, call.arguments, OFFSET), &offset) ||
      !read_sizes (self->pickle, attn_pickle_get_item (self->pickle, call.arguments, SIZE), shape,
                   &n_dims) ||
      !read_sizes (self->pickle, attn_pickle_get_item (self->pickle, call.arguments, STRIDE),
                   strides, &n_strides) ||
      n_dims != n_strides)
    {
      fail_description (where, error);
      return NULL;
    }
  g_autoptr (GBytes) storage =
      load_storage (self, where, attn_pickle_get_item (self->pickle, call.arguments, STORAGE),
                    &dtype, error);
  if (storage == NULL || !read_dtype (self, &call, where, &dtype, error))
    return NULL;

  gsize size = g_bytes_get_size (storage);
  gsize item_size = attn_dtype_get_size (dtype);
  gboolean is_inside = g_size_checked_mul (&n_skipped, offset, item_size) && n_skipped <= size;
  /* If strides are 0, a small storage can be described as a tensor of any size. So a tensor may not
   * have more bytes than the file. */
  if (!is_inside || !attn_shape_get_n_elements (n_dims, shape, &n_elements) ||
      !g_size_checked_mul (&n_bytes, n_elements, item_size) || n_bytes > self->n_bytes)
    {
      g_autofree char *found = attn_shape_to_string (n_dims, shape);

      return attn_fail_null (error, ATTN_ERROR_FORMAT,
                             _("%s: shape %s of type %s from element %zu on found, expected one "
                               "within the %zu bytes of its storage"),
                             where, found, attn_dtype_get_name (dtype), offset, size);
    }
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (storage, n_skipped, size - n_skipped);
  AttnArray *array =
      attn_array_new_strided (name, dtype, n_dims, shape, strides, bytes, error);
  if (array == NULL)
    g_prefix_error (error, _("%s: tensor "), self->where);
  else
    array->is_swapped = self->is_swapped;
  return array;
}
