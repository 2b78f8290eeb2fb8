/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One of the chips that a row of tokens is shown as: its text in a box, and the colours of both. */

#pragma once

#include <gtk/gtk.h>

#include "attn-sentence.h"

G_BEGIN_DECLS

/**
 * AttnTokenChipLook:
 * @line: border around the chip
 * @line_width: in pixels; 0 for no border
 */
typedef struct
{
  GdkRGBA fill;
  GdkRGBA text;
  GdkRGBA line;
  float line_width;
} AttnTokenChipLook;

/**
 * AttnTokenChip:
 * @box: place in the widget; its owner sets the origin
 * @node: (nullable): the chip drawn with its look and box; to be dropped when the box moves
 * @token: index of the token in the input
 * @is_own: whether the model has generated the token
 * @is_count: whether the chip shows the number of the remaining tokens
 */
typedef struct
{
  PangoLayout *layout;
  graphene_rect_t box;
  AttnTokenChipLook look;
  GskRenderNode *node;
  gsize token;
  gboolean is_special;
  gboolean is_own;
  gboolean is_count;
} AttnTokenChip;

/**
 * AttnTokenChipColors:
 * @own: of tokens that the model has generated
 * @chosen: behind tokens that are chosen
 *
 * Colours of all chips, from the theme.
 */
typedef struct
{
  GdkRGBA text;
  GdkRGBA own;
  GdkRGBA chosen;
} AttnTokenChipColors;

/**
 * AttnTokenChipState:
 * @sentence: (nullable): the colours of the token in the row or column under the figure's cursor
 * @has_sentence_values: whether any token has a value in that row or column
 * @is_lit: whether the token is pointed at
 * @is_chosen: whether the token is chosen in the figure
 *
 * The state of the figure that a chip shows by its look.
 */
typedef struct
{
  const AttnSentenceToken *sentence;
  gboolean has_sentence_values;
  gboolean is_lit;
  gboolean is_chosen;
} AttnTokenChipState;

void           attn_token_chip_set_text (AttnTokenChip             *chip,
                                         GtkWidget                 *widget,
                                         const char                *text);
gboolean       attn_token_chip_update   (AttnTokenChip             *chip,
                                         const AttnTokenChipColors *colors,
                                         const AttnTokenChipState  *state);
GskRenderNode *attn_token_chip_get_node (AttnTokenChip             *chip);
void           attn_token_chip_clear    (gpointer                   chip);

G_END_DECLS
