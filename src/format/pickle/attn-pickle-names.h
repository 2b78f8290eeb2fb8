/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The names of Python functions and classes that a pickle of tensors is allowed to contain. A row
 * of the table tells what object a call of the name would make; no function is ever called. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnPickleMeaning:
 * @ATTN_PICKLE_MEANS_NOTHING: a harmless object, such as a set, which is never used
 * @ATTN_PICKLE_MEANS_DICT: a dictionary
 * @ATTN_PICKLE_MEANS_SAME: the first argument itself, such as the tensor of a parameter
 * @ATTN_PICKLE_MEANS_TENSOR: a tensor; the arguments are storage, offset, size, stride, ...
 * @ATTN_PICKLE_MEANS_TYPED_TENSOR: a tensor that also has its element type as an argument, number 6
 * @ATTN_PICKLE_MEANS_SUBCLASS: the result of calling its first argument, a function, with its
 *   third, a tuple of arguments
 * @ATTN_PICKLE_MEANS_STORAGE: a storage, the memory of tensors, with elements of @dtype
 * @ATTN_PICKLE_MEANS_DTYPE: an element type, @dtype
 *
 * The result that a call of a name would have.
 */
typedef enum
{
  ATTN_PICKLE_MEANS_NOTHING,
  ATTN_PICKLE_MEANS_DICT,
  ATTN_PICKLE_MEANS_SAME,
  ATTN_PICKLE_MEANS_TENSOR,
  ATTN_PICKLE_MEANS_TYPED_TENSOR,
  ATTN_PICKLE_MEANS_SUBCLASS,
  ATTN_PICKLE_MEANS_STORAGE,
  ATTN_PICKLE_MEANS_DTYPE,
} AttnPickleMeaning;

/**
 * AttnPickleName:
 * @dtype: the element type that the name stands for, if any; %ATTN_DTYPE_UNICODE for one that this
 *   program does not have
 */
typedef struct
{
  const char *module;
  const char *name;
  AttnPickleMeaning meaning;
  AttnDtype dtype;
} AttnPickleName;

/* Table of the classes and functions of Python that a file may name, and what each stands for. A
 * row without a name ends it. */
extern const AttnPickleName attn_pickle_names[];

const AttnPickleName *attn_pickle_name_find (const char *module,
                                             gsize n_module,
                                             const char *name,
                                             gsize n_name);

G_END_DECLS
