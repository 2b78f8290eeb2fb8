/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the weights of a model among the objects of a training checkpoint that torch.save()
 * wrote. */

#pragma once

#include "attn-torch-tensor.h"

G_BEGIN_DECLS

gboolean attn_torch_add_state (AttnArrayFile *file,
                               const AttnTorchStorages *storages,
                               GError **error);

G_END_DECLS
