/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-framed.h"

#include <string.h>

static gboolean
starts_with (const char *text,
             gsize       length,
             const char *mark)
{
  gsize n = mark != NULL ? strlen (mark) : 0;

  return n > 0 && n <= length && memcmp (text, mark, n) == 0;
}

/**
 * attn_message_split:
 * @text: (array length=length): a text of the user
 * @mark: (nullable): how a picture is written in @text; %NULL for a text without pictures
 * @is_chat: whether @text is a message of a chat, where @mark->chat_text marks a picture as well
 *
 * Returns: (transfer full) (element-type AttnMessagePart): its parts one after the other: marks of
 *   pictures and the texts between them, no part empty; together they are the whole text
 */
GArray *
attn_message_split (const char            *text,
                    gsize                  length,
                    const AttnPictureMark *mark,
                    gboolean               is_chat)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (AttnMessagePart));
  gsize done = 0, i = 0;

  while (i < length && mark != NULL)
    {
      const char *own = starts_with (text + i, length - i, mark->text) ? mark->text : NULL;

      if (own == NULL && is_chat && starts_with (text + i, length - i, mark->chat_text))
        own = mark->chat_text;
      if (own == NULL)
        {
          i++;
          continue;
        }
      AttnMessagePart before = { done, i, FALSE };
      if (i > done)
        g_array_append_val (parts, before);
      AttnMessagePart picture = { i, i + strlen (own), TRUE };
      g_array_append_val (parts, picture);
      done = i = picture.end;
    }
  AttnMessagePart last = { done, length, FALSE };
  if (length > done)
    g_array_append_val (parts, last);
  return parts;
}

void
attn_framed_init (AttnFramed *framed)
{
  framed->text = g_string_new (NULL);
  framed->spans = g_array_new (FALSE, FALSE, sizeof (AttnFramedSpan));
}

void
attn_framed_clear (AttnFramed *framed)
{
  if (framed->text != NULL)
    g_string_free (framed->text, TRUE);
  framed->text = NULL;
  g_clear_pointer (&framed->spans, g_array_unref);
}

/**
 * attn_framed_add:
 * @text: the whole text of the user
 * @own_begin: first byte of the part of @text that comes next
 * @own_end: one past its last byte
 * @picture: (nullable): what is written in place of that part, which is the mark of a picture
 *
 * Appends a part of the user's text, or a picture.
 */
void
attn_framed_add (AttnFramed *framed,
                 const char *text,
                 gsize       own_begin,
                 gsize       own_end,
                 const char *picture)
{
  AttnFramedSpan span = { framed->text->len, 0, own_begin, own_end, picture != NULL };

  if (picture != NULL)
    g_string_append (framed->text, picture);
  else
    g_string_append_len (framed->text, text + own_begin, (gssize) (own_end - own_begin));
  span.end = framed->text->len;
  g_array_append_val (framed->spans, span);
}

/**
 * attn_framed_find_origin:
 * @place: offset of a byte in the framed text
 *
 * Returns: the offset in the text of the user that the byte comes from. A byte that the framing
 *   wrote comes from the end of the span before it, or from the beginning of the first span; the
 *   first byte that is written for a picture comes from the beginning of its mark, the others from
 *   the end of its mark.
 */
gsize
attn_framed_find_origin (const AttnFramed *framed,
                         gsize             place)
{
  const AttnFramedSpan *spans = (const AttnFramedSpan *) framed->spans->data;
  gsize low = 0, high = framed->spans->len;

  /* After the search, spans[low - 1] is the last span that begins at or before @place. */
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (spans[middle].begin <= place)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return framed->spans->len > 0 ? spans[0].own_begin : 0;
  const AttnFramedSpan *span = &spans[low - 1];
  if (place >= span->end)
    return span->own_end;
  return !span->is_picture      ? span->own_begin + (place - span->begin)
         : place == span->begin ? span->own_begin
                                : span->own_end;
}
