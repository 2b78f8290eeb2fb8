/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokens that precede the answer of a speech decoder: language, task, timestamps. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnSoundWords:
 * @language: (nullable): that is spoken, "es" or "<|es|>"; %NULL for the one that is heard
 * @task: (nullable): "transcribe" or "translate", which is into English
 */
typedef struct
{
  const char *language;
  const char *task;
} AttnSoundWords;

gboolean attn_sound_prompt_extend (AttnModel             *model,
                                   const AttnSoundWords  *words,
                                   GArray                *ids,
                                   GCancellable          *cancellable,
                                   GError               **error);

G_END_DECLS
