/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text of the user with what a chat template puts around it and between its parts, which are
 * texts and pictures. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnPictureMark:
 * @text: what stands for a picture in a text, and in what a chat template writes
 * @chat_text: (nullable): what may stand for a picture in a message of a chat as well
 * @written: (nullable): what the published image processor writes in place of @text; %NULL if it
 *   leaves @text
 *
 * The marks that stand for a picture of a vision-language model.
 */
typedef struct
{
  const char *text;
  const char *chat_text;
  const char *written;
} AttnPictureMark;

/**
 * AttnMessagePart:
 * @begin: first byte of the part in the text
 * @end: one past the last
 * @is_picture: whether the part is the mark of a picture, not text
 *
 * A part of a text of the user: a picture, or the text between two pictures.
 */
typedef struct
{
  gsize begin;
  gsize end;
  gboolean is_picture;
} AttnMessagePart;

/**
 * AttnFramedSpan:
 * @begin: first byte of the span in the framed text
 * @end: one past the last
 * @own_begin: first byte, in the text of the user, of what the span comes from
 * @own_end: one past the last
 * @is_picture: whether the span is what is written for a picture; otherwise its bytes are the
 *   user's
 *
 * A part of a framed text that comes from the text of the user.
 */
typedef struct
{
  gsize begin;
  gsize end;
  gsize own_begin;
  gsize own_end;
  gboolean is_picture;
} AttnFramedSpan;

/**
 * AttnFramed:
 * @text: the framed text
 * @spans: (element-type AttnFramedSpan): the parts of @text that come from the text of the user, in
 *   the order that they have in both texts
 *
 * A text of the user with what is put around it, and where each part of it comes from.
 */
typedef struct
{
  GString *text;
  GArray *spans;
} AttnFramed;

GArray *attn_message_split (const char *text,
                            gsize length,
                            const AttnPictureMark *mark,
                            gboolean is_chat);
void attn_framed_init (AttnFramed *framed);
void attn_framed_clear (AttnFramed *framed);
void attn_framed_add (AttnFramed *framed,
                      const char *text,
                      gsize own_begin,
                      gsize own_end,
                      const char *picture);
gsize attn_framed_find_origin (const AttnFramed *framed,
                               gsize place);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnFramed, attn_framed_clear)

G_END_DECLS
