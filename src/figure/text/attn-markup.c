/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-markup.h"

#include <string.h>

#define REPLACEMENT_CHARACTER 0xfffd

typedef struct
{
  GPtrArray *runs;
  guint italic_depth;
} Parser;

static void
free_run (gpointer data)
{
  AttnRun *run = data;

  g_free (run->text);
  g_free (run);
}

static void
add_run (GPtrArray  *runs,
         const char *text,
         gssize      length,
         gboolean    is_italic)
{
  if (length == 0)
    return;

  AttnRun *run = g_new0 (AttnRun, 1);
  run->text = attn_markup_clean (text, length);
  run->is_italic = is_italic;
  g_ptr_array_add (runs, run);
}

static void
start_element_cb (GMarkupParseContext  *context,
                  const char           *element_name,
                  const char          **attribute_names,
                  const char          **attribute_values,
                  gpointer              user_data,
                  GError              **error)
{
  Parser *parser = user_data;

  if (g_str_equal (element_name, "i"))
    parser->italic_depth++;
}

static void
end_element_cb (GMarkupParseContext  *context,
                const char           *element_name,
                gpointer              user_data,
                GError              **error)
{
  Parser *parser = user_data;

  if (g_str_equal (element_name, "i"))
    parser->italic_depth--;
}

static void
text_cb (GMarkupParseContext  *context,
         const char           *text,
         gsize                 length,
         gpointer              user_data,
         GError              **error)
{
  Parser *parser = user_data;

  add_run (parser->runs, text, length, parser->italic_depth > 0);
}

/**
 * attn_markup_clean:
 * @text: text from anywhere
 * @length: bytes, or -1 for all
 *
 * Returns: (transfer full): one line of valid UTF-8: spaces for line breaks and tabs, U+FFFD for
 *   what is not UTF-8 and for characters that XML 1.0 does not allow
 */
char *
attn_markup_clean (const char *text,
                   gssize      length)
{
  gsize n_bytes = length < 0 ? strlen (text) : (gsize) length;
  gsize n_printable = 0;

  while (n_printable < n_bytes && text[n_printable] >= 0x20 && text[n_printable] < 0x7f)
    n_printable++;
  if (n_printable == n_bytes) /* as most labels are */
    return g_strndup (text, n_bytes);

  g_autofree char *valid = g_utf8_make_valid (text, length);
  GString *clean = g_string_sized_new (strlen (valid));

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029)
        c = ' ';
      else if (c < 0x20 || c == 0x7f || (c & 0xfffe) == 0xfffe)
        c = REPLACEMENT_CHARACTER;
      g_string_append_unichar (clean, c);
    }
  return g_string_free (clean, FALSE);
}

/**
 * attn_markup_parse:
 * @markup: Pango markup; what is not well-formed is taken as plain text, tags other than <i> are
 *   passed over
 *
 * Returns: (transfer full) (element-type AttnRun): its runs, each of which is italic or not
 */
GPtrArray *
attn_markup_parse (const char *markup)
{
  static const GMarkupParser callbacks = { start_element_cb, end_element_cb, text_cb, NULL, NULL };
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (free_run);
  Parser parser = { .runs = runs };

  /* Text without tags and references; a parser makes one line break of "\r\n". */
  if (strpbrk (markup, "<&\r") == NULL)
    {
      add_run (runs, markup, strlen (markup), FALSE);
      return g_steal_pointer (&runs);
    }

  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&callbacks, 0, &parser, NULL);

  if (!g_markup_parse_context_parse (context, "<m>", -1, NULL) ||
      !g_markup_parse_context_parse (context, markup, -1, NULL) ||
      !g_markup_parse_context_parse (context, "</m>", -1, NULL) ||
      !g_markup_parse_context_end_parse (context, NULL))
    {
      g_ptr_array_set_size (runs, 0);
      add_run (runs, markup, strlen (markup), FALSE);
    }
  return g_steal_pointer (&runs);
}

/**
 * attn_markup_to_text:
 * @markup: Pango markup, see [func@attn_markup_parse]
 *
 * Returns: (transfer full): its text without tags
 */
char *
attn_markup_to_text (const char *markup)
{
  g_autoptr (GPtrArray) runs = attn_markup_parse (markup);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < runs->len; i++)
    g_string_append (text, ((const AttnRun *) g_ptr_array_index (runs, i))->text);
  return g_string_free (text, FALSE);
}

/* Skips @n characters of a text, or fewer at its end. @n: (inout): becomes the number of characters
 * left to skip. Returns: the place behind the skipped characters */
static const char *
skip_characters (const char *text,
                 gsize      *n)
{
  for (; *n > 0 && *text != '\0'; --*n)
    text = g_utf8_next_char (text);
  return text;
}

/**
 * attn_markup_slice:
 * @first: how many characters to leave out at the beginning
 * @n_characters: how many to keep behind them, %G_MAXSIZE for all
 *
 * Returns: (transfer full): the characters that are kept, as markup
 */
char *
attn_markup_slice (const GPtrArray *runs,
                   gsize            first,
                   gsize            n_characters)
{
  GString *markup = g_string_new (NULL);

  for (guint i = 0; i < runs->len && n_characters > 0; i++)
    {
      const AttnRun *run = g_ptr_array_index (runs, i);
      const char *start = skip_characters (run->text, &first);
      const char *end = skip_characters (start, &n_characters);

      if (start == end)
        continue;
      g_autofree char *escaped = g_markup_escape_text (start, end - start);
      g_string_append (markup, run->is_italic ? "<i>" : "");
      g_string_append (markup, escaped);
      g_string_append (markup, run->is_italic ? "</i>" : "");
    }
  return g_string_free (markup, FALSE);
}

/**
 * attn_markup_normalize:
 * @markup: Pango markup as a user may have written it, such as a title
 *
 * Returns: (transfer full): the same text in well-formed markup in which only <i> occurs
 */
char *
attn_markup_normalize (const char *markup)
{
  g_autoptr (GPtrArray) runs = attn_markup_parse (markup);

  return attn_markup_slice (runs, 0, G_MAXSIZE);
}

/**
 * attn_markup_from_text:
 * @text: plain text such as a token
 *
 * Returns: (transfer full): markup that shows it on one line
 */
char *
attn_markup_from_text (const char *text)
{
  g_autofree char *clean = attn_markup_clean (text, -1);

  return g_markup_escape_text (clean, -1);
}
