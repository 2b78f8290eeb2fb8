/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Sizes in points: a dash of the first dashed curve, and the gap behind each dash. */
#define DASH     2.0
#define DASH_GAP 1.5

void
attn_layout_add_frame (AttnScene           *scene,
                       int                  group,
                       const AttnRectangle *rectangle)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "frame");

  mark->rectangle = *rectangle;
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
}

/* Fits markup into @width points: shrinks the text while it stays legible, and cuts it if it is
 * still too wide. @size: (inout): size of the text in points. Returns: (transfer full): markup */
char *
attn_layout_fit_text (const char *family,
                      const char *markup,
                      double      width,
                      double     *size)
{
  g_autofree char *normal = attn_markup_normalize (markup);
  double needed = attn_lettering_measure (family, normal, *size);
  double smallest = MAX (*size * ATTN_LAYOUT_SMALLEST_SHRINK, ATTN_LAYOUT_SMALLEST_TEXT);

  if (needed > width)
    *size = MAX (*size * width / needed, MIN (*size, smallest));
  return attn_lettering_ellipsize (family, normal, *size, width);
}

/* Adds a filled rectangle that is a bar or a point. */
AttnMark *
attn_layout_add_bar_mark (AttnScene           *scene,
                          int                  group,
                          const AttnRectangle *rectangle,
                          AttnRgb              color)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "bar");

  mark->rectangle = *rectangle;
  mark->is_filled = TRUE;
  mark->color = color;
  return mark;
}

/* Sets the colour of a curve, and dashes if curves before it have the same colour: the more there
 * are, the longer the dashes, so that no two look alike. @n_before: the number of curves before it
 * with the same colour */
void
attn_layout_set_distinct (const AttnStyle *style,
                          gsize            index,
                          gsize            n_before,
                          AttnMark        *mark)
{
  mark->color = attn_style_get_distinct (style, index);
  if (n_before == 0)
    return;
  mark->dashes[0] = DASH * (double) n_before;
  mark->dashes[1] = DASH_GAP;
}

/* Replaces the hyphen of a printed number by a minus sign. (transfer full) */
char *
attn_layout_set_minus (const char *number)
{
  return *number == '-' ? g_strconcat (ATTN_LAYOUT_MINUS, number + 1, NULL) : g_strdup (number);
}

/* Formats a number in two digits as plain text. (transfer full) */
char *
attn_layout_format_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.2g", value);
  attn_text_trim_exponent (buffer);
  return attn_layout_set_minus (buffer);
}

/* Adds plain text beside an axis. (@x, @y): the anchor point on the baseline */
void
attn_layout_add_small_text (AttnScene  *scene,
                            int         group,
                            const char *text,
                            double      x,
                            double      y,
                            double      size,
                            AttnAnchor  anchor)
{
  attn_scene_add_text (scene, group, "axis-label", attn_markup_from_text (text), x, y, size,
                       anchor, 0);
}
