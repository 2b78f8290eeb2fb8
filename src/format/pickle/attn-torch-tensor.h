/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rebuilds tensors from their description in a pickle of PyTorch: each is a part of a storage,
 * which holds elements, with strides. */

#pragma once

#include "attn-array.h"
#include "attn-pickle.h"
#include "attn-zip.h"

G_BEGIN_DECLS

/**
 * AttnTorchStorages:
 * @where: the beginning of messages
 * @n_bytes: the size of the whole file
 * @pickle: the values that describe the tensors
 * @zip: (nullable): the archive that has the storages as members "FOLDER/data/KEY"
 * @folder: (nullable): the name FOLDER in @zip
 * @by_key: (nullable): the storages as #GBytes by key, if there is no @zip
 * @is_swapped: whether the bytes of elements are in the opposite of this machine's order
 *
 * The storages of a file of torch.save(), which hold the elements of its tensors.
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
