/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The Python names that a pickle of tensors may contain. Each row tells how a call of the name is
 * represented; no function is called. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnPickleMeaning:
 * @ATTN_PICKLE_MEANS_NOTHING: of no interest, harmless: what is made of it is never looked at
 * @ATTN_PICKLE_MEANS_DICT: a dictionary
 * @ATTN_PICKLE_MEANS_SAME: what its first argument is
 * @ATTN_PICKLE_MEANS_TENSOR: a tensor: storage, offset, size, stride, ...
 * @ATTN_PICKLE_MEANS_TYPED_TENSOR: a tensor, the type of which is the argument behind two others
 * @ATTN_PICKLE_MEANS_SUBCLASS: what the call of its first argument with its third is
 * @ATTN_PICKLE_MEANS_STORAGE: the numbers of tensors, of @dtype
 * @ATTN_PICKLE_MEANS_DTYPE: @dtype
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
 * @dtype: of numbers; %ATTN_DTYPE_UNICODE for a type that this program does not have
 */
typedef struct
{
  const char *module;
  const char *name;
  AttnPickleMeaning meaning;
  AttnDtype dtype;
} AttnPickleName;

/* The last row has no name. */
extern const AttnPickleName attn_pickle_names[];

const AttnPickleName *attn_pickle_name_find (const char *module,
                                             gsize n_module,
                                             const char *name,
                                             gsize n_name);

G_END_DECLS
