/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rebuilds tensors from PyTorch's description in a pickle: a part of a storage, with strides. */

#pragma once

#include "attn-array.h"
#include "attn-pickle.h"
#include "attn-zip.h"

G_BEGIN_DECLS

/**
 * AttnTorchStorages:
 * @where: what messages begin with
 * @n_bytes: of the whole file
 * @zip: (nullable): has the storages as members "FOLDER/data/KEY"
 * @folder: (nullable): of @zip
 * @by_key: (nullable): storages as #GBytes where there is no @zip
 * @is_swapped: whether they are in the order of bytes that this machine does not use
 */
typedef struct
{
  const char *where;
  gsize n_bytes;
  const AttnPickle *pickle;
  const AttnZip *zip;
  const char *folder;
  GHashTable *by_key;
  gboolean is_swapped;
} AttnTorchStorages;

gboolean attn_torch_is_tensor (const AttnPickle *pickle,
                               const AttnPickleValue *value);
gboolean attn_torch_describe (const AttnPickle *pickle,
                              const AttnPickleValue *storage,
                              char **key,
                              AttnDtype *dtype,
                              gsize *n);
AttnArray *attn_torch_new_array (const AttnTorchStorages *storages,
                                 const char *name,
                                 const AttnPickleValue *value,
                                 GError **error);

G_END_DECLS
