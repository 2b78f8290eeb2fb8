/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a colour map from a CSV file with columns red, green and blue. */

#include "config.h"

#include "attn-colormap.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"

/* The largest file that is read: four times what the largest number of colours takes at 64
 * characters a line. */
#define MAX_BYTES (1024 * 1024)

/* The number of characters of the file that an error message quotes. */
#define MAX_QUOTED 40

typedef struct
{
  double channels[3];
} Color;

typedef struct
{
  const char *name;
  GArray *colors; /* element-type Color */
  gboolean has_header;
  double largest;
  gsize line_of_largest;
} Reader;

static gboolean
fail (const Reader  *reader,
      gsize          line,
      const char    *found,
      const char    *expected,
      GError       **error)
{
  g_autofree char *valid = g_utf8_make_valid (found, strnlen (found, MAX_QUOTED));

  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: line %zu: found “%s”, expected %s"),
                    reader->name, line, valid, expected);
}

static gboolean
read_line (Reader      *reader,
           const char  *line,
           gsize        number,
           GError     **error)
{
  /* Fields of a colour map's file are separated by commas or semicolons, or by white space if the
   * line has neither. */
  gboolean is_blank = strpbrk (line, ",;") == NULL;
  g_auto (GStrv) parts = g_strsplit_set (line, is_blank ? " \t" : ",;", -1);
  const char *fields[4];
  guint n = 0;
  Color color;

  for (gsize i = 0; parts[i] != NULL && n < G_N_ELEMENTS (fields); i++)
    if (*g_strstrip (parts[i]) != '\0' || !is_blank)
      fields[n++] = parts[i];
  if (n != 3)
    return fail (reader, number, line, _("three numbers: red, green, blue"), error);
  for (guint i = 0; i < 3; i++)
    {
      if (!attn_text_parse_number (fields[i], &color.channels[i]))
        {
          /* The first line may be a header that names the columns. */
          if (reader->colors->len == 0 && !reader->has_header && g_ascii_isalpha (*fields[i]))
            {
              reader->has_header = TRUE;
              return TRUE;
            }
          return fail (reader, number, fields[i], _("a number"), error);
        }
      if (color.channels[i] < 0 || color.channels[i] > 255)
        return fail (reader, number, fields[i], _("0 to 1, or 0 to 255"), error);
      if (color.channels[i] > reader->largest)
        {
          reader->largest = color.channels[i];
          reader->line_of_largest = number;
        }
    }
  if (reader->colors->len == ATTN_COLORMAP_MAX_COLORS)
    return fail (reader, number, line, _("at most 4096 colours"), error);
  g_array_append_val (reader->colors, color);
  return TRUE;
}

/* Checks that all values are in one unit, fractions or numbers up to 255: 1.5 in a file of
 * fractions is an error. */
static gboolean
check_unit (Reader  *reader,
            double  *unit,
            GError **error)
{
  gboolean has_fraction = FALSE;

  *unit = reader->largest > 1 ? 255 : 1;
  for (guint i = 0; i < reader->colors->len && *unit == 255; i++)
    {
      const double *channels = g_array_index (reader->colors, Color, i).channels;

      for (guint c = 0; c < 3; c++)
        has_fraction = has_fraction || (channels[c] > 0 && channels[c] < 1);
    }
  if (!has_fraction || reader->largest > 2)
    return TRUE;

  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  return fail (reader, reader->line_of_largest,
               g_ascii_formatd (buffer, sizeof buffer, "%g", reader->largest),
               _("at most 1 among fractions"), error);
}

/**
 * attn_colormap_parse_csv:
 * @name: what the map is called, and the first word of messages
 * @text: lines of red, green and blue, all from 0 to 1 or all from 0 to 255, from the lower to the
 *   upper end; a line of names may stand above them; empty lines and those that begin with "#" are
 *   passed over
 * @length: bytes of @text
 * @colormap: (out): the map
 * @error: return location: %ATTN_ERROR_FORMAT names the line; those of
 *   [func@attn_colormap_register]
 *
 * Numbers stand between commas, semicolons or spaces and have a point. There are 2 to 4096 colours.
 */
gboolean
attn_colormap_parse_csv (const char    *name,
                         const char    *text,
                         gsize          length,
                         AttnColormap  *colormap,
                         GError       **error)
{
  g_autoptr (GArray) colors = g_array_new (FALSE, FALSE, sizeof (Color));
  Reader reader = { .name = name, .colors = colors };
  gsize number = 0;
  double unit;

  for (const char *p = text + attn_text_get_mark (text, length), *end = text + length; p < end;)
    {
      const char *stop = memchr (p, '\n', end - p);
      stop = stop != NULL ? stop : end;
      g_autofree char *line = g_strndup (p, stop - p);

      number++;
      if (memchr (p, '\0', stop - p) != NULL)
        return fail (&reader, number, line, _("text without null bytes"), error);
      g_strstrip (line);
      if (*line != '\0' && *line != '#' && !read_line (&reader, line, number, error))
        return FALSE;
      p = stop + 1;
    }
  if (colors->len < 2)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: found %u colours in %zu lines, expected 2 to 4096"), name,
                      colors->len, number);
  if (!check_unit (&reader, &unit, error))
    return FALSE;
  for (guint i = 0; i < colors->len; i++)
    for (guint c = 0; c < 3; c++)
      g_array_index (colors, Color, i).channels[c] /= unit;
  return attn_colormap_register (name, (const double *) (gpointer) colors->data, colors->len,
                                 colormap, error);
}

/**
 * attn_colormap_load_csv:
 * @path: a file of at most a megabyte, see [func@attn_colormap_parse_csv]
 * @colormap: (out): the map; its name is @path
 * @error: return location: errors of [func@attn_file_read], or of [func@attn_colormap_parse_csv]
 *
 * From then on the file counts as being read and is not written over, since the map stays known.
 */
gboolean
attn_colormap_load_csv (const char    *path,
                        AttnColormap  *colormap,
                        GError       **error)
{
  g_autofree char *display = g_filename_display_name (path);
  AttnFileList *files = attn_file_list_new ();
  gsize length;

  attn_file_list_begin (files);
  g_autoptr (GBytes) bytes = attn_file_read (path, MAX_BYTES, error);
  attn_file_list_end (files);
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  gboolean is_read =
      text != NULL && attn_colormap_parse_csv (display, text, length, colormap, error);
  /* If the colour map was read, the list of files is kept for good, as the map is, so that nothing
   * is written over its file. */
  if (!is_read)
    attn_file_list_free (files);
  return is_read;
}
