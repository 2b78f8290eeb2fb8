/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text of the user with what is put around it and between its parts. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnPictureMark:
 * @text: how a picture is written in a text, and by a chat template
 * @chat_text: (nullable): how it may be written in a message of a chat as well
 * @written: (nullable): what the published processor writes in place of @text; %NULL for @text
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
 * @is_picture: whether it is the mark of a picture
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
 * @own_begin: first byte of what it comes from in the text of the user
 * @own_end: one past the last
 * @is_picture: whether a picture is written there; otherwise the bytes are the user's
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
 * @spans: (element-type AttnFramedSpan): what comes from the text of the user, in ascending order
 *   in both texts
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
