/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An array as an input, which the model takes as it is. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

AttnTensor *attn_input_load_array (const char  *path,
                                   guint        n_dims,
                                   const char  *dims,
                                   GError     **error);

G_END_DECLS
