/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One input in the side bar: its text, its tokens, how many of them are used, and what can be done
 * with it. */

#pragma once

#include <gtk/gtk.h>

#include "attn-addition.h"
#include "attn-reading.h"
#include "attn-sound-names.h"
#include "attn-study.h"
#include "attn-tokenizer.h"
#include "attn-words.h"

G_BEGIN_DECLS

/**
 * AttnInputCommand:
 *
 * Commands of the user about an input, which its row emits with its signal "command".
 */
typedef enum
{
  ATTN_INPUT_REMOVE,
  ATTN_INPUT_DUPLICATE,
  ATTN_INPUT_MOVE_UP,
  ATTN_INPUT_MOVE_DOWN,
  ATTN_INPUT_CONTINUE,
  ATTN_INPUT_STOP,
  ATTN_INPUT_KEEP,
  ATTN_INPUT_DISCARD,
} AttnInputCommand;

#define ATTN_TYPE_INPUT_ROW (attn_input_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputRow, attn_input_row, ATTN, INPUT_ROW, GtkBox)

AttnInputRow *attn_input_row_new        (guint             index,
                                         AttnReading      *reading);
guint         attn_input_row_get_index  (AttnInputRow     *row);
GtkWidget    *attn_input_row_get_handle (AttnInputRow     *row);
void          attn_input_row_set_input  (AttnInputRow     *row,
                                         const AttnInput  *input,
                                         gsize             n_inputs,
                                         gboolean          is_used,
                                         gboolean          is_recorded);
void          attn_input_row_set_names  (AttnInputRow     *row,
                                         const AttnInput  *input,
                                         const AttnSoundNames *names);
void          attn_input_row_set_tokens (AttnInputRow     *row,
                                         AttnTokens       *tokens,
                                         AttnWords        *words,
                                         gsize             n_most,
                                         gboolean          are_awaited);
void  attn_input_row_set_target (AttnInputRow *row,
                                 gboolean      has_target,
                                 AttnTokens   *tokens,
                                 AttnTokenLines lines,
                                 AttnTokenLines target_lines);
void          attn_input_row_set_addition (AttnInputRow *row,
                                         const AttnAddition *addition,
                                         gboolean          can_continue);
void          attn_input_row_bind_length (AttnInputRow    *row,
                                          GSettings       *settings);
AttnInput    *attn_input_row_dup_input  (AttnInputRow     *row,
                                         GError          **error);
void          attn_input_row_take_focus (AttnInputRow     *row,
                                         gboolean          selects);

G_END_DECLS
