/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a decoder of sounds is told before it answers. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"

G_BEGIN_DECLS

gboolean attn_sound_prompt_extend (AttnModel     *model,
                                   GArray        *ids,
                                   GCancellable  *cancellable,
                                   GError       **error);

G_END_DECLS
