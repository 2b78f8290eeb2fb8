/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pickle-names.h"

#include <string.h>

#define STORAGE(name, dtype)  "torch", name "Storage", ATTN_PICKLE_MEANS_STORAGE, dtype
#define DTYPE(name, dtype)    "torch", name, ATTN_PICKLE_MEANS_DTYPE, dtype
#define NOTHING(module, name) module, name, ATTN_PICKLE_MEANS_NOTHING, 0

/* The names of functions and classes that PyTorch 0.4 to 2.9 writes for tensors and for other
 * objects of a training, such as the state of a random number generator. They are a subset of those
 * that torch.load() allows with weights_only (torch/_weights_only_unpickler.py). */
const AttnPickleName attn_pickle_names[] = {
  { "torch._utils", "_rebuild_tensor", ATTN_PICKLE_MEANS_TENSOR, 0 },
  { "torch._utils", "_rebuild_tensor_v2", ATTN_PICKLE_MEANS_TENSOR, 0 },
  { "torch._utils", "_rebuild_tensor_v3", ATTN_PICKLE_MEANS_TYPED_TENSOR, 0 },
  { "torch._utils", "_rebuild_parameter", ATTN_PICKLE_MEANS_SAME, 0 },
  { "torch._utils", "_rebuild_parameter_with_state", ATTN_PICKLE_MEANS_SAME, 0 },
  { "torch.nn.parameter", "Parameter", ATTN_PICKLE_MEANS_SAME, 0 },
  { "torch._tensor", "_rebuild_from_type_v2", ATTN_PICKLE_MEANS_SUBCLASS, 0 },
  { "collections", "OrderedDict", ATTN_PICKLE_MEANS_DICT, 0 },
  { "collections", "defaultdict", ATTN_PICKLE_MEANS_DICT, 0 },
  { "collections", "Counter", ATTN_PICKLE_MEANS_DICT, 0 },
  { "__builtin__", "dict", ATTN_PICKLE_MEANS_DICT, 0 },
  { "builtins", "dict", ATTN_PICKLE_MEANS_DICT, 0 },

  { STORAGE ("Float", ATTN_DTYPE_F32) },
  { STORAGE ("Half", ATTN_DTYPE_F16) },
  { STORAGE ("BFloat16", ATTN_DTYPE_BF16) },
  { STORAGE ("Double", ATTN_DTYPE_F64) },
  { STORAGE ("Long", ATTN_DTYPE_I64) },
  { STORAGE ("Int", ATTN_DTYPE_I32) },
  { STORAGE ("Short", ATTN_DTYPE_I16) },
  { STORAGE ("Char", ATTN_DTYPE_I8) },
  { STORAGE ("Byte", ATTN_DTYPE_U8) },
  { STORAGE ("Bool", ATTN_DTYPE_BOOL) },
  { STORAGE ("Untyped", ATTN_DTYPE_U8) },
  { STORAGE ("ComplexFloat", ATTN_DTYPE_UNICODE) },
  { STORAGE ("ComplexDouble", ATTN_DTYPE_UNICODE) },
  { "torch.storage", "UntypedStorage", ATTN_PICKLE_MEANS_STORAGE, ATTN_DTYPE_U8 },
  { "torch.storage", "_UntypedStorage", ATTN_PICKLE_MEANS_STORAGE, ATTN_DTYPE_U8 },
  { "torch.storage", "TypedStorage", ATTN_PICKLE_MEANS_STORAGE, ATTN_DTYPE_UNICODE },
  { "torch.storage", "_TypedStorage", ATTN_PICKLE_MEANS_STORAGE, ATTN_DTYPE_UNICODE },

  { DTYPE ("float32", ATTN_DTYPE_F32) },
  { DTYPE ("float", ATTN_DTYPE_F32) },
  { DTYPE ("float16", ATTN_DTYPE_F16) },
  { DTYPE ("half", ATTN_DTYPE_F16) },
  { DTYPE ("bfloat16", ATTN_DTYPE_BF16) },
  { DTYPE ("float64", ATTN_DTYPE_F64) },
  { DTYPE ("double", ATTN_DTYPE_F64) },
  { DTYPE ("int64", ATTN_DTYPE_I64) },
  { DTYPE ("int32", ATTN_DTYPE_I32) },
  { DTYPE ("int16", ATTN_DTYPE_I16) },
  { DTYPE ("int8", ATTN_DTYPE_I8) },
  { DTYPE ("uint8", ATTN_DTYPE_U8) },
  { DTYPE ("uint16", ATTN_DTYPE_U16) },
  { DTYPE ("uint32", ATTN_DTYPE_U32) },
  { DTYPE ("uint64", ATTN_DTYPE_U64) },
  { DTYPE ("bool", ATTN_DTYPE_BOOL) },
  { DTYPE ("float8_e4m3fn", ATTN_DTYPE_F8_E4M3) },
  { DTYPE ("float8_e5m2", ATTN_DTYPE_F8_E5M2) },
  { DTYPE ("float8_e8m0fnu", ATTN_DTYPE_F8_E8M0) },
  { DTYPE ("complex64", ATTN_DTYPE_UNICODE) },
  { DTYPE ("complex128", ATTN_DTYPE_UNICODE) },

  { NOTHING ("torch", "Size") },
  { NOTHING ("torch", "Tensor") },
  { NOTHING ("torch._tensor", "Tensor") },
  { NOTHING ("torch", "device") },
  { NOTHING ("torch", "strided") },
  { NOTHING ("torch.serialization", "_get_layout") },
  { NOTHING ("numpy", "dtype") },
  { NOTHING ("numpy", "ndarray") },
  { NOTHING ("numpy.core.multiarray", "scalar") },
  { NOTHING ("numpy.core.multiarray", "_reconstruct") },
  { NOTHING ("numpy._core.multiarray", "scalar") },
  { NOTHING ("numpy._core.multiarray", "_reconstruct") },
  { NOTHING ("_codecs", "encode") },
  { NOTHING ("__builtin__", "set") },
  { NOTHING ("builtins", "set") },
  { NOTHING ("__builtin__", "frozenset") },
  { NOTHING ("builtins", "frozenset") },
  { NOTHING ("__builtin__", "complex") },
  { NOTHING ("builtins", "complex") },
  { NOTHING ("__builtin__", "bytearray") },
  { NOTHING ("builtins", "bytearray") },
  { NOTHING ("__builtin__", "bytes") },
  { NOTHING ("builtins", "bytes") },
  { NOTHING ("__builtin__", "list") },
  { NOTHING ("builtins", "list") },
  { NOTHING ("__builtin__", "int") },
  { NOTHING ("builtins", "int") },
  { NOTHING ("__builtin__", "float") },
  { NOTHING ("builtins", "float") },
  { NULL },
};

static gboolean
is_word (const char *word,
         const char *text,
         gsize       n_text)
{
  return strlen (word) == n_text && memcmp (word, text, n_text) == 0;
}

/**
 * attn_pickle_name_find:
 * @module: (array length=n_module): the name of a Python module, not terminated by a zero
 * @name: (array length=n_name): the name of a function or class in that module, likewise
 *
 * Returns: (transfer none) (nullable): the row of the table with that name, or %NULL if it is not
 *   in the table
 */
const AttnPickleName *
attn_pickle_name_find (const char *module,
                       gsize       n_module,
                       const char *name,
                       gsize       n_name)
{
  for (const AttnPickleName *row = attn_pickle_names; row->name != NULL; row++)
    if (is_word (row->name, name, n_name) && is_word (row->module, module, n_module))
      return row;
  return NULL;
}
