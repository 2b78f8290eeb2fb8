/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The language that is spoken in a sound, and what is to be said of it. */

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
