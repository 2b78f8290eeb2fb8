/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shows the tokens of an input in the colours of one row or column of the figure: the attention
 * from or to a token. */

#pragma once

#include "attn-reading.h"

G_BEGIN_DECLS

/**
 * AttnSentenceToken:
 * @has_value: the line has a cell of the token that is not masked; what follows of it is set
 * @is_line: the line is that of this token
 * @cell: where in the figure
 * @ground: its colour there
 * @text: black or white, which stands out from it
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
gboolean attn_sentence_find_largest (AttnReading    *reading,
                                     const GArray   *sentence,
                                     AttnCellCursor *cell);
char    *attn_sentence_dup_panel    (AttnReading    *reading);
char    *attn_sentence_describe     (AttnReading    *reading,
                                     AttnCellCursor  cell);

G_END_DECLS
