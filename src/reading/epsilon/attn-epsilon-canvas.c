/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-canvas.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/**
 * attn_epsilon_canvas_get_x:
 *
 * Returns: the x of an ε, in pixels from the left edge of the slider
 */
double
attn_epsilon_canvas_get_x (const AttnEpsilonCanvas *canvas,
                           double                   epsilon)
{
  return canvas->plan->start + attn_epsilon_track_get_x (&canvas->plan->track, epsilon);
}

/**
 * attn_epsilon_canvas_has:
 *
 * Returns: whether an ε is on the track, which has a least one
 */
gboolean
attn_epsilon_canvas_has (const AttnEpsilonCanvas *canvas,
                         double                   epsilon)
{
  return epsilon >= pow (10, canvas->plan->track.low);
}

/**
 * attn_epsilon_canvas_measure:
 *
 * Returns: the width of plain text in pixels
 */
double
attn_epsilon_canvas_measure (const AttnEpsilonCanvas *canvas,
                             const char              *text)
{
  const AttnStyle *style = &canvas->scene->style;
  g_autofree char *markup = attn_markup_from_text (text);

  return attn_lettering_measure (style->font_family, markup, style->font_size);
}

/**
 * attn_epsilon_canvas_add_text:
 * @role: role of the mark in the scene
 * @text: plain text
 * @x: of its left end, its middle or its right end, as @anchor says
 * @middle: y of the middle of its height, which is moved to whole pixels
 */
void
attn_epsilon_canvas_add_text (const AttnEpsilonCanvas *canvas,
                              const char              *role,
                              const char              *text,
                              double                   x,
                              double                   middle,
                              AttnAnchor               anchor,
                              double                   opacity)
{
  double size = canvas->scene->style.font_size;
  AttnMark *mark =
      attn_scene_add_text (canvas->scene, -1, role, attn_markup_from_text (text), x,
                           round (middle + size * ATTN_LETTERING_MIDDLE), size, anchor, 0);

  mark->opacity = opacity;
}

/**
 * attn_epsilon_canvas_add_line:
 * @dx: from the beginning of the line, (@x, @y), to its end
 * @dy: from the beginning of the line to its end
 *
 * Returns: (transfer none): the mark of the line
 */
AttnMark *
attn_epsilon_canvas_add_line (const AttnEpsilonCanvas *canvas,
                              const char              *role,
                              double                   x,
                              double                   y,
                              double                   dx,
                              double                   dy,
                              double                   width,
                              double                   opacity)
{
  AttnMark *mark = attn_scene_add_line (canvas->scene, -1, role, x, y, dx, dy);

  mark->line_width = width;
  mark->opacity = opacity;
  return mark;
}
