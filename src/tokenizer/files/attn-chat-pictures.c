/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Messages with pictures in them: the template gets a list of pictures and texts, as the published
 * processors hand it over, and places each where it belongs. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-chat.h"
#include "attn-error.h"
#include "attn-jinja.h"

/* Mark in place of the text that is part number %u of a message. The spaces around the mark show
 * whether the template strips the text. */
#define MARK             "Attention-Grid-marks-part-%u."
#define MARK_WITH_SPACES ATTN_CHAT_SPACE_START MARK ATTN_CHAT_SPACE_END

static gboolean
fail_changed (const AttnChat  *chat,
              GError         **error)
{
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a chat template that changes this text found, expected one that puts it "
                      "between others"),
                    chat->where);
}

/* Runs the template. @text: (nullable): the message; NULL for marks in place of its texts. */
static char *
render (const AttnChat  *chat,
        const char      *text,
        const GArray    *parts,
        GError         **error)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree AttnJinjaPart *contents = g_new (AttnJinjaPart, parts->len);

  for (guint i = 0; i < parts->len; i++)
    {
      const AttnMessagePart *part = &g_array_index (parts, AttnMessagePart, i);
      char *own = text != NULL ? g_strndup (text + part->begin, part->end - part->begin)
                               : g_strdup_printf (MARK_WITH_SPACES, i);

      g_ptr_array_add (texts, own);
      contents[i] = (AttnJinjaPart) { part->is_picture ? NULL : own };
    }
  const AttnJinjaMessage message = { .role = "user", .parts = contents, .n_parts = parts->len };
  return attn_chat_render (chat, &message, error);
}

/* Appends what the template writes between two texts of the message, pictures included. @own_end:
 * where the second of these texts begins in @text; @n_pictures: (inout): how many pictures were
 * written so far */
static void
add_literal (AttnFramed            *framed,
             const char            *literal,
             gsize                  length,
             const char            *text,
             const GArray          *parts,
             const AttnPictureMark *mark,
             gsize                  own_end,
             gsize                 *n_pictures)
{
  const char *at = literal, *end = literal + length, *found;
  gsize n_mark = strlen (mark->text);

  while ((found = g_strstr_len (at, end - at, mark->text)) != NULL)
    {
      const AttnMessagePart *picture = NULL;
      gsize n = 0, begin = 0;
      const AttnFramedSpan *last =
          framed->spans->len > 0
              ? &g_array_index (framed->spans, AttnFramedSpan, framed->spans->len - 1)
              : NULL;

      for (guint i = 0; i < parts->len && picture == NULL; i++)
        if (g_array_index (parts, AttnMessagePart, i).is_picture && n++ == *n_pictures)
          picture = &g_array_index (parts, AttnMessagePart, i);
      (*n_pictures)++;
      g_string_append_len (framed->text, at, found - at);
      /* If the template has moved the picture, it comes from no byte of the message, but from the
       * end of the part that the template has put before it. */
      begin = last != NULL ? last->own_end : 0;
      if (picture != NULL && picture->begin >= begin && picture->end <= own_end)
        attn_framed_add (framed, text, picture->begin, picture->end,
                         mark->written != NULL ? mark->written : mark->text);
      else
        attn_framed_add (framed, text, begin, begin,
                         mark->written != NULL ? mark->written : mark->text);
      at = found + n_mark;
    }
  g_string_append_len (framed->text, at, end - at);
}

/* Shortens a part of the text by the white space that the template strips at the selected ends. */
static void
strip (const char *text,
       gsize      *begin,
       gsize      *end,
       gboolean    at_begin,
       gboolean    at_end)
{
  while (at_begin && *begin < *end &&
         attn_jinja_is_space (g_utf8_get_char (text + *begin)))
    *begin += g_utf8_skip[(guint8) text[*begin]];
  while (at_end && *begin < *end)
    {
      const char *last = g_utf8_prev_char (text + *end);

      if (!attn_jinja_is_space (g_utf8_get_char (last)))
        break;
      *end = (gsize) (last - text);
    }
}

/**
 * attn_chat_frame_pictures:
 * @text: (array length=length): a message of the user, UTF-8
 * @parts: (element-type AttnMessagePart): one or more, as [func@attn_message_split] returns them
 * @mark: how the template writes a picture
 * @framed: (inout): an empty one, which receives what the template writes
 * @error: return location for errors of [func@attn_jinja_render], %ATTN_ERROR_UNSUPPORTED where the
 *   template changes a text of the message, leaves one out, moves it behind another, or writes
 *   another number of pictures
 *
 * Runs the template on a message whose content is a list of {"type": "image"} and {"type": "text"},
 * as transformers' processors have it.
 */
gboolean
attn_chat_frame_pictures (const AttnChat         *chat,
                          const char             *text,
                          gsize                   length,
                          const GArray           *parts,
                          const AttnPictureMark  *mark,
                          AttnFramed             *framed,
                          GError                **error)
{
  g_autofree char *whole = NULL;
  g_autofree char *outline = NULL;
  gsize n_pictures = 0, n_expected = 0;
  g_autoptr (GString) expected = g_string_new (NULL);

  if (memchr (text, '\0', length) != NULL)
    return fail_changed (chat, error);
  if ((whole = render (chat, text, parts, error)) == NULL ||
      (outline = render (chat, NULL, parts, error)) == NULL)
    return FALSE;
  const char *at = outline;
  for (guint i = 0; i < parts->len; i++)
    {
      const AttnMessagePart *part = &g_array_index (parts, AttnMessagePart, i);
      g_autofree char *own = g_strdup_printf (MARK, i);
      const char *found = part->is_picture ? NULL : strstr (at, own);

      n_expected += part->is_picture ? 1 : 0;
      if (part->is_picture)
        continue;
      if (found == NULL)
        return fail_changed (chat, error);
      gsize begin = part->begin, end = part->end, n_literal = (gsize) (found - at);
      const char *after = found + strlen (own);
      gboolean keeps_begin =
          n_literal >= strlen (ATTN_CHAT_SPACE_START) &&
          g_str_has_prefix (found - strlen (ATTN_CHAT_SPACE_START), ATTN_CHAT_SPACE_START);
      gboolean keeps_end = g_str_has_prefix (after, ATTN_CHAT_SPACE_END);

      n_literal -= keeps_begin ? strlen (ATTN_CHAT_SPACE_START) : 0;
      strip (text, &begin, &end, !keeps_begin, !keeps_end);
      g_string_append_len (expected, at, (gssize) n_literal);
      g_string_append_len (expected, text + begin, (gssize) (end - begin));
      add_literal (framed, at, n_literal, text, parts, mark, begin, &n_pictures);
      attn_framed_add (framed, text, begin, end, NULL);
      at = after + (keeps_end ? strlen (ATTN_CHAT_SPACE_END) : 0);
    }
  g_string_append (expected, at);
  add_literal (framed, at, strlen (at), text, parts, mark, length, &n_pictures);
  if (strcmp (expected->str, whole) != 0)
    return fail_changed (chat, error);
  return n_pictures == n_expected ||
         attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a chat template that writes %zu tokens of pictures found, expected %zu, "
                      "as the message has"),
                    chat->where, n_pictures, n_expected);
}
