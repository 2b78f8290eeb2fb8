/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Appends the basic parts of an SVG: numbers, colours, text. */

#include "config.h"

#include <string.h>

#include "attn-markup.h"
#include "attn-svg-private.h"

/* Appends a number with at most 3 decimals: a thousandth of a point is finer than any printer. */
void
attn_svg_append_number (GString *svg,
                        double   value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.3f", value);

  gsize length = strlen (buffer);
  while (length > 0 && buffer[length - 1] == '0')
    length--;
  if (length > 0 && buffer[length - 1] == '.')
    length--;
  buffer[length] = '\0';
  g_string_append (svg, g_str_equal (buffer, "-0") ? "0" : buffer);
}

void
attn_svg_append_point (GString    *svg,
                       const char *before,
                       double      x,
                       double      y,
                       const char *after)
{
  g_string_append (svg, before);
  attn_svg_append_number (svg, x);
  g_string_append_c (svg, ' ');
  attn_svg_append_number (svg, y);
  g_string_append (svg, after);
}

/* Appends a factor of a transform. The size of a cell is multiplied by the number of cells, and so
 * needs more digits than a position. */
void
attn_svg_append_factor (GString *svg,
                        double   value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (svg, g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

void
attn_svg_append_transform (GString *svg,
                           double   x,
                           double   y,
                           double   x_scale,
                           double   y_scale)
{
  attn_svg_append_point (svg, " transform=\"translate(", x, y, ") scale(");
  attn_svg_append_factor (svg, x_scale);
  g_string_append_c (svg, ' ');
  attn_svg_append_factor (svg, y_scale);
  g_string_append (svg, ")\"");
}

void
attn_svg_append_attribute (GString    *svg,
                           const char *name,
                           double      value)
{
  g_string_append_printf (svg, " %s=\"", name);
  attn_svg_append_number (svg, value);
  g_string_append_c (svg, '"');
}

void
attn_svg_append_rectangle (GString *svg,
                           double   x,
                           double   y,
                           double   width,
                           double   height)
{
  attn_svg_append_attribute (svg, "x", x);
  attn_svg_append_attribute (svg, "y", y);
  attn_svg_append_attribute (svg, "width", width);
  attn_svg_append_attribute (svg, "height", height);
}

void
attn_svg_append_color (GString    *svg,
                       const char *name,
                       AttnRgb     color)
{
  g_string_append_printf (svg, " %s=\"#%02x%02x%02x\"", name, color.red, color.green, color.blue);
}

void
attn_svg_append_text (GString    *svg,
                      const char *text)
{
  g_autofree char *clean = attn_markup_clean (text, -1);
  g_autofree char *escaped = g_markup_escape_text (clean, -1);

  g_string_append (svg, escaped);
}

void
attn_svg_append_element (GString    *svg,
                         const char *name,
                         const char *text)
{
  g_string_append_printf (svg, "<%s>", name);
  attn_svg_append_text (svg, text);
  g_string_append_printf (svg, "</%s>\n", name);
}
