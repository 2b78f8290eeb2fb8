/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokens that stand before the answer of a decoder of sounds: language, task, timestamps. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"

G_BEGIN_DECLS

gboolean attn_sound_prompt_extend (AttnModel     *model,
                                   GArray        *ids,
                                   GCancellable  *cancellable,
                                   GError       **error);

G_END_DECLS
