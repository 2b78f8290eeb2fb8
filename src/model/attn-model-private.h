/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the forward pass asks of a model beyond its public face. */

#pragma once

#include "attn-model.h"
#include "attn-weights.h"

G_BEGIN_DECLS

/* What stands there instead of weights; NULL for a model. */
const struct _AttnRecording *attn_model_get_recording (const AttnModel *model);
const AttnConfig  *attn_model_get_config  (const AttnModel  *model);
const AttnWeights *attn_model_get_weights (const AttnModel  *model);

G_END_DECLS
