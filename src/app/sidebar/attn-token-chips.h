/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A widget that shows the tokens of an input as chips, boxes with the token's text, in the order of
 * the text. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-tokenizer.h"
#include "attn-words.h"

G_BEGIN_DECLS

/* The largest number of chips. Tokens beyond it are only counted, in one chip. */
#define ATTN_TOKEN_CHIPS_MAX     128
#define ATTN_TOKEN_CHIPS_MAX_OWN 1024

#define ATTN_TYPE_TOKEN_CHIPS (attn_token_chips_get_type ())
G_DECLARE_FINAL_TYPE (AttnTokenChips, attn_token_chips, ATTN, TOKEN_CHIPS, GtkWidget)

void  attn_token_chips_set_tokens (AttnTokenChips *chips,
                                   AttnTokens     *tokens,
                                   AttnWords      *words);
void  attn_token_chips_set_answer (AttnTokenChips *chips,
                                   AttnTokens     *answer);
void  attn_token_chips_set_reading (AttnTokenChips *chips,
                                    AttnReading    *reading,
                                    gsize           input);
void  attn_token_chips_set_lines (AttnTokenChips *chips,
                                  AttnTokenLines  lines);
gsize attn_token_chips_find       (AttnTokenChips *chips,
                                   double          x,
                                   double          y);
char * attn_token_chips_describe   (AttnTokenChips *chips,
                                    gsize           index);
gboolean attn_token_chips_get_colors (AttnTokenChips *chips,
                                      gsize           index,
                                      GdkRGBA        *ground,
                                      GdkRGBA        *text);

G_END_DECLS
