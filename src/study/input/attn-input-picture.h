/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a picture of an input from its file, and makes the pixels that the model takes. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

AttnTensor *attn_input_load_picture (const AttnInput  *input,
                                     gsize             index,
                                     const AttnModel  *model,
                                     AttnImage       **image,
                                     GError          **error);

G_END_DECLS
