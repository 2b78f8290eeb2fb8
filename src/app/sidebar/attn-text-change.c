/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-text-change.h"

#include <string.h>

/* Returns the number of characters of @after up to the end of the part that differs from
 * @before. */
static int
find_end_of_change (const char *before,
                    const char *after)
{
  const char *b = before + strlen (before);
  const char *a = after + strlen (after);
  const char *shared_b = before;
  const char *shared_a = after;

  while (*shared_a != '\0' && g_utf8_get_char (shared_a) == g_utf8_get_char (shared_b))
    {
      shared_a = g_utf8_next_char (shared_a);
      shared_b = g_utf8_next_char (shared_b);
    }
  while (a > shared_a && b > shared_b)
    {
      const char *previous_a = g_utf8_prev_char (a);
      const char *previous_b = g_utf8_prev_char (b);

      if (g_utf8_get_char (previous_a) != g_utf8_get_char (previous_b))
        break;
      a = previous_a;
      b = previous_b;
    }
  return g_utf8_pointer_to_offset (after, a);
}

/**
 * attn_text_change_show:
 * @before: the text that @view shows
 * @text: the text that it is to show
 *
 * Replaces the text of @view and puts the text cursor at the end of the part that changed, for a
 * user who goes on typing after an undo. If the view does not have the focus, a long text is
 * scrolled to its beginning.
 */
void
attn_text_change_show (GtkTextView *view,
                       const char  *before,
                       const char  *text)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  gboolean has_cursor = gtk_widget_is_focus (GTK_WIDGET (view));
  GtkTextIter cursor;

  gtk_text_buffer_set_text (buffer, text, -1);
  gtk_text_buffer_get_iter_at_offset (buffer, &cursor,
                                      has_cursor ? find_end_of_change (before, text) : 0);
  gtk_text_buffer_place_cursor (buffer, &cursor);
}
