/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resamples sounds to another number of samples per second. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

AttnTensor *attn_sound_resample (const AttnTensor *samples,
                                 gsize rate,
                                 gsize new_rate,
                                 GError **error);

G_END_DECLS
