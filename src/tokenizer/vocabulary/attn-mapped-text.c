/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-mapped-text.h"

#include <string.h>

/**
 * attn_mapped_text_init:
 * @bytes: (array length=length): valid UTF-8 that outlives @text
 * @origin: byte of the original text at which @bytes begins
 *
 * Makes a text in which nothing has been edited yet.
 */
void
attn_mapped_text_init (AttnMappedText *text,
                       const char     *bytes,
                       gsize           length,
                       gsize           origin)
{
  *text = (AttnMappedText) { .text = bytes, .length = length, .origin = origin };
}

/**
 * attn_mapped_text_init_slice:
 * @slice: (out caller-allocates): the bytes from @begin to @end of @text, which must outlive it
 */
void
attn_mapped_text_init_slice (AttnMappedText       *slice,
                             const AttnMappedText *text,
                             gsize                 begin,
                             gsize                 end)
{
  *slice = (AttnMappedText) {
    .text = text->text + begin,
    .length = end - begin,
    .origin = text->origin + begin,
    .begins = text->begins != NULL ? text->begins + begin : NULL,
    .ends = text->ends != NULL ? text->ends + begin : NULL,
  };
}

void
attn_mapped_text_clear (AttnMappedText *text)
{
  if (text->own_text != NULL)
    g_string_free (text->own_text, TRUE);
  g_clear_pointer (&text->own_begins, g_array_unref);
  g_clear_pointer (&text->own_ends, g_array_unref);
  *text = (AttnMappedText) { 0 };
}

/**
 * attn_mapped_text_get_origin:
 * @begin: first byte of a part of the edited text
 * @end: one past the last, greater than @begin
 * @origin_begin: (out): first byte of the original text that the part comes from
 * @origin_end: (out): one past the last byte; equal to @origin_begin if the part was inserted
 *
 * Finds the bytes of the original text that a part of an edited text comes from.
 */
void
attn_mapped_text_get_origin (const AttnMappedText *text,
                             gsize                 begin,
                             gsize                 end,
                             gsize                *origin_begin,
                             gsize                *origin_end)
{
  g_return_if_fail (begin < end && end <= text->length);

  if (text->begins == NULL)
    {
      *origin_begin = text->origin + begin;
      *origin_end = text->origin + end;
      return;
    }
  *origin_begin = text->begins[begin];
  *origin_end = text->ends[end - 1];
}

/**
 * attn_mapped_text_start_edit:
 * @edited: (out caller-allocates): an empty text to append to
 * @n_expected: about how many bytes it will have
 *
 * Begins the edit of a text: the result is appended to @edited from the beginning to the end.
 */
void
attn_mapped_text_start_edit (AttnMappedText *edited,
                             gsize           n_expected)
{
  *edited = (AttnMappedText) {
    .own_text = g_string_sized_new (n_expected),
    .own_begins = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n_expected),
    .own_ends = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n_expected),
  };
}

/**
 * attn_mapped_text_append:
 * @bytes: what stands in the edited text now
 * @origin_begin: first byte of the original that it stands for
 * @origin_end: one past the last byte; equal to @origin_begin for an insertion
 *
 * Appends bytes that are not in the text before the edit.
 */
void
attn_mapped_text_append (AttnMappedText *edited,
                         const char     *bytes,
                         gsize           n_bytes,
                         gsize           origin_begin,
                         gsize           origin_end)
{
  guint32 begin = origin_begin;
  guint32 end = origin_end;

  g_string_append_len (edited->own_text, bytes, n_bytes);
  edited->length += n_bytes;
  for (gsize i = 0; i < n_bytes; i++)
    {
      g_array_append_val (edited->own_begins, begin);
      g_array_append_val (edited->own_ends, end);
    }
}

/**
 * attn_mapped_text_append_copy:
 * @source: the text before the edit
 * @begin: first byte of @source to keep as it is
 * @end: one past the last
 *
 * Appends a part of the text before the edit.
 */
void
attn_mapped_text_append_copy (AttnMappedText       *edited,
                              const AttnMappedText *source,
                              gsize                 begin,
                              gsize                 end)
{
  g_string_append_len (edited->own_text, source->text + begin, end - begin);
  edited->length += end - begin;
  for (gsize i = begin; i < end; i++)
    {
      gboolean is_edited = source->begins != NULL;
      guint32 origin_begin = is_edited ? source->begins[i] : source->origin + i;
      guint32 origin_end = is_edited ? source->ends[i] : source->origin + i + 1;

      g_array_append_val (edited->own_begins, origin_begin);
      g_array_append_val (edited->own_ends, origin_end);
    }
}

/**
 * attn_mapped_text_replace:
 * @source: the text before the edit
 * @begin: first byte of @source that is replaced
 * @end: one past the last, greater than @begin
 * @replacement: (array length=length): what is put in its place; if these are the same bytes,
 *   nothing is edited
 *
 * Appends bytes in place of a part of the text before the edit.
 */
void
attn_mapped_text_replace (AttnMappedText       *edited,
                          const AttnMappedText *source,
                          gsize                 begin,
                          gsize                 end,
                          const char           *replacement,
                          gsize                 length)
{
  gsize origin_begin, origin_end;

  if (length == end - begin && memcmp (source->text + begin, replacement, length) == 0)
    {
      attn_mapped_text_append_copy (edited, source, begin, end);
      return;
    }
  attn_mapped_text_get_origin (source, begin, end, &origin_begin, &origin_end);
  attn_mapped_text_append (edited, replacement, length, origin_begin, origin_end);
}

/**
 * attn_mapped_text_insert:
 * @source: the text before the edit, not empty
 * @position: byte of @source before which @text is inserted, or the length of @source
 *
 * Appends an insertion. It comes from no byte of the original text, but from the place between two.
 */
void
attn_mapped_text_insert (AttnMappedText       *edited,
                         const AttnMappedText *source,
                         gsize                 position,
                         const char           *text)
{
  gsize begin, end;
  gboolean is_at_end = position == source->length;

  attn_mapped_text_get_origin (source, is_at_end ? position - 1 : position,
                               is_at_end ? position : position + 1, &begin, &end);
  attn_mapped_text_append (edited, text, strlen (text), is_at_end ? end : begin,
                           is_at_end ? end : begin);
}

/**
 * attn_mapped_text_finish_edit:
 * @text: the text before the edit; it becomes @edited
 * @edited: (transfer full): empty afterwards
 *
 * Ends an edit: the edited text takes the place of the text before it.
 */
void
attn_mapped_text_finish_edit (AttnMappedText *text,
                              AttnMappedText *edited)
{
  attn_mapped_text_clear (text);
  *text = *edited;
  text->text = text->own_text->str;
  text->begins = (const guint32 *) text->own_begins->data;
  text->ends = (const guint32 *) text->own_ends->data;
  *edited = (AttnMappedText) { 0 };
}
