/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads an array that a model takes as an input without preprocessing. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

AttnTensor *attn_input_load_array (const char  *path,
                                   guint        n_dims,
                                   const char  *dims,
                                   GError     **error);

G_END_DECLS
