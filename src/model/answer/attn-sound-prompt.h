/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokens that precede the answer of a speech model's decoder: language, task, and whether there
 * are timestamps. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnSoundWords:
 * @language: (nullable): the language spoken, "es" or "<|es|>"; %NULL to detect it from the sound
 * @task: (nullable): "transcribe", or "translate" to translate into English; %NULL for the default
 *
 * The choice of a user about the answer of a speech model.
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
