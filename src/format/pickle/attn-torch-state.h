/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The weights of a model among all that a training saved. */

#pragma once

#include "attn-torch-tensor.h"

G_BEGIN_DECLS

gboolean attn_torch_add_state (AttnArrayFile *file,
                               const AttnTorchStorages *storages,
                               GError **error);

G_END_DECLS
