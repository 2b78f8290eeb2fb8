/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An array that is an input as it is, without preprocessing. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

AttnTensor *attn_input_load_array (const char  *path,
                                   guint        n_dims,
                                   const char  *dims,
                                   GError     **error);

G_END_DECLS
