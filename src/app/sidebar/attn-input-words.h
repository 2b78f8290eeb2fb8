/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Controls for a sound: the language that is spoken in it, and the task of the model, such as to
 * transcribe or to translate it. */

#pragma once

#include <gtk/gtk.h>

#include "attn-sound-names.h"
#include "attn-study.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INPUT_WORDS (attn_input_words_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputWords, attn_input_words, ATTN, INPUT_WORDS, GtkBox)

void attn_input_words_set_index (AttnInputWords       *self,
                                 guint                 index);
void attn_input_words_set_input (AttnInputWords       *self,
                                 const AttnInput      *input,
                                 const AttnSoundNames *names);
void attn_input_words_add_to    (AttnInputWords       *self,
                                 AttnInput            *input);

G_END_DECLS
