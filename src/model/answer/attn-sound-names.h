/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of the languages and tasks that a speech model (Whisper) knows. A user chooses among them,
 * and attn_sound_prompt_extend() turns the choice into tokens. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnSoundNames:
 * @languages: (array zero-terminated=1): codes of languages, "de", "en", …, in the order of the
 *   alphabet
 * @tasks: (array zero-terminated=1): "transcribe" and "translate"
 *
 * Both are empty for a model that knows none.
 */
typedef struct
{
  char **languages;
  char **tasks;
} AttnSoundNames;

AttnSoundNames *attn_sound_names_new      (const AttnModel *model);
void            attn_sound_names_free     (AttnSoundNames  *names);
char           *attn_sound_names_dup_bare (const char      *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSoundNames, attn_sound_names_free)

G_END_DECLS
