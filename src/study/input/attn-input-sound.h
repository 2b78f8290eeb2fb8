/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the sound of an input from its file, and makes the features that the model takes. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

double      attn_input_get_seconds (const AttnModel *model);
AttnTensor *attn_input_load_sound (const AttnInput  *input,
                                   const AttnModel  *model,
                                   double           *seconds,
                                   GError          **error);

G_END_DECLS
