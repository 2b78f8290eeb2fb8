/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-lettering.h"
#include "attn-markup.h"

/* The triangle at the end of a colour bar, of the bar's thickness. */
#define TRIANGLE_SHARE 0.7

/* Beyond the end of the bar, in the colour that these values have. */
static void
add_triangle (AttnScene           *scene,
              const AttnRectangle *bar,
              const AttnStyle     *style,
              gboolean             is_over,
              gboolean             is_level)
{
  const AttnRgb *table = attn_style_get_table (style);
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TRIANGLE, -1, "overflow");
  double length = (is_level ? bar->height : bar->width) * TRIANGLE_SHARE;

  if (is_level)
    mark->rectangle = (AttnRectangle) { is_over ? bar->x + bar->width : bar->x - length, bar->y,
                                        length, bar->height };
  else
    mark->rectangle = (AttnRectangle) { bar->x, is_over ? bar->y - length : bar->y + bar->height,
                                        bar->width, length };
  mark->angle = is_level ? (is_over ? 270 : 90) : (is_over ? 0 : 180);
  mark->color = table[is_over ? ATTN_COLORMAP_SIZE - 1 : 0];
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
}

/* The colours with their frame, and triangles where values lie beyond them. @bar: (inout): the room
 * for all of it; on return that of the colours */
void
attn_layout_add_bar (const AttnLayoutNeeds *needs,
                     AttnScene             *scene,
                     AttnRectangle         *bar,
                     const AttnRange       *range,
                     gboolean               is_difference,
                     gboolean               is_level)
{
  const AttnStyle *style = needs->scales.styles[is_difference];
  double *length = is_level ? &bar->width : &bar->height;
  double triangle = (is_level ? bar->height : bar->width) * TRIANGLE_SHARE;
  gboolean has_over = needs->in->style.marks_overflow && range->has_over;
  gboolean has_under = needs->in->style.marks_overflow && range->has_under;

  if (*length > 4 * triangle)
    {
      if (is_level)
        bar->x += has_under ? triangle : 0;
      else
        bar->y += has_over ? triangle : 0;
      *length -= (has_over + has_under) * triangle;
      if (has_over)
        add_triangle (scene, bar, style, TRUE, is_level);
      if (has_under)
        add_triangle (scene, bar, style, FALSE, is_level);
    }

  AttnMark *mark = attn_scene_add_values (scene, ATTN_MARK_COLORBAR, -1, "colorbar", &range->scale,
                                          is_difference);
  mark->rectangle = *bar;
  mark->angle = is_level ? 90 : 0;
  attn_layout_add_frame (scene, -1, bar);
}

/* A colour that is not on a bar, and its name at the right. */
void
attn_layout_add_key_entry (const AttnLayoutNeeds *needs,
                           AttnScene             *scene,
                           const AttnRectangle   *swatch,
                           AttnRgb                color,
                           const char            *name)
{
  double size = needs->in->style.font_size;
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, -1, "key");

  mark->rectangle = *swatch;
  mark->color = color;
  mark->is_filled = TRUE;
  attn_layout_add_frame (scene, -1, swatch);
  attn_layout_add_text (scene, -1, "key", g_strdup (name),
                        swatch->x + swatch->width + ATTN_LAYOUT_TICK_LENGTH + 2,
                        swatch->y + swatch->height / 2 + size * ATTN_LETTERING_DIGIT_MIDDLE, size,
                        ATTN_ANCHOR_START, 0);
}

/* Whether bars say what their numbers are. */
gboolean
attn_layout_has_value_label (const AttnLayoutFit *fit)
{
  return fit->in->grid->value_label != NULL && fit->shown.value_label && !fit->in->grid->is_binary;
}

/* The words of a figure belong to the paper: not translated. */
static char *
build_value_label (const AttnLayoutInput *in,
                   gboolean               is_difference)
{
  if (is_difference)
    return g_strdup ("Difference");

  g_autofree char *label = attn_markup_from_text (in->grid->value_label);

  switch (in->style.scale)
    {
    case ATTN_SCALE_RATIO:
      return g_strdup_printf ("%s / Uniform", label);
    case ATTN_SCALE_PERCENTILE:
      return g_strdup_printf ("%s (by Rank)", label);
    case ATTN_SCALE_LINEAR:
    case ATTN_SCALE_LOG:
    case ATTN_SCALE_SYMMETRIC:
    default:
      return g_steal_pointer (&label);
    }
}

/* What the numbers are, in @width; NULL where it would have to be cut: half a name is worse than
 * none. @size: (out) */
char *
attn_layout_fit_value_label (const AttnLayoutNeeds *needs,
                             gboolean               is_difference,
                             double                 width,
                             double                *size)
{
  g_autofree char *markup = build_value_label (needs->in, is_difference);

  *size = needs->value_label_size;
  g_autofree char *label =
      attn_layout_fit_text (needs->in->style.font_family, markup, width, size);
  return g_str_has_suffix (label, "…") && !g_str_has_suffix (markup, "…")
             ? NULL
             : g_steal_pointer (&label);
}
