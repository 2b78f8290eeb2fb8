/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shows the tokens of an input in the colours of one row or column of the figure: the attention
 * from or to a token. */

#pragma once

#include "attn-reading.h"

G_BEGIN_DECLS

/**
 * AttnSentenceToken:
 * @has_value: the row or column has a cell of this token that is not masked; the members below
 *   describe that cell
 * @is_line: the row or column is that of this token
 * @cell: the cell in the figure
 * @ground: its colour in the figure, or a shade from it so that @text stands out
 * @text: black or white, the same for all tokens of nearly one colour
 */
typedef struct
{
  gboolean has_value;
  gboolean is_line;
  AttnCellCursor cell;
  AttnRgb ground;
  AttnRgb text;
} AttnSentenceToken;

GArray  *attn_sentence_new          (AttnReading    *reading,
                                     gsize           input,
                                     AttnTokenLines  lines,
                                     gsize           n_tokens);
void     attn_sentence_watch        (AttnReading    *reading,
                                     GCallback       changed,
                                     gpointer        owner);
gboolean attn_sentence_find_largest (AttnReading    *reading,
                                     const GArray   *sentence,
                                     AttnCellCursor *cell);
char    *attn_sentence_list_largest (AttnReading    *reading);
char    *attn_sentence_dup_panel    (AttnReading    *reading);
char    *attn_sentence_dup_source   (AttnReading    *reading,
                                     gsize           input,
                                     char          **panel);
char    *attn_sentence_describe     (AttnReading    *reading,
                                     AttnCellCursor  cell);

G_END_DECLS
