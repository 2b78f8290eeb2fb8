/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-scene-drawing.h"

#include <math.h>

#include "attn-accent.h"

/* The dots per inch that Pango assumes for text if the screen tells none. */
#define USUAL_RESOLUTION 96

/* Returns a colour, which may be translucent, as it looks on the opaque colour @ground. */
static AttnRgb
get_rgb (const GdkRGBA *color,
         const GdkRGBA *ground)
{
  float kept = 1 - color->alpha;

  return (AttnRgb) {
    (guint8) lroundf (255 * (color->red * color->alpha + ground->red * kept)),
    (guint8) lroundf (255 * (color->green * color->alpha + ground->green * kept)),
    (guint8) lroundf (255 * (color->blue * color->alpha + ground->blue * kept)),
  };
}

/**
 * attn_scene_drawing_get_ground:
 * @name: name of a background colour of the theme, such as "theme_base_color"
 *
 * Returns: the colour, or white if the theme has none of this name
 */
GdkRGBA
attn_scene_drawing_get_ground (GtkWidget  *widget,
                               const char *name)
{
  GdkRGBA ground = { 1, 1, 1, 1 };

  gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), name, &ground);
  return ground;
}

/**
 * attn_scene_drawing_get_style:
 * @size: size of the text, relative to that of the widget
 *
 * Returns: the style of a scene that is measured in pixels, with the font and the colours of the
 *   widget
 */
AttnStyle
attn_scene_drawing_get_style (GtkWidget *widget,
                              double     size)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double resolution = pango_cairo_context_get_resolution (context);
  double pixels = pango_font_description_get_size_is_absolute (font)
                      ? 1
                      : (resolution > 0 ? resolution : USUAL_RESOLUTION) / 72;
  GdkRGBA ground = attn_scene_drawing_get_ground (widget, "theme_bg_color");
  AttnStyle style = attn_style_default ();
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  style.font_family = g_intern_string (pango_font_description_get_family (font));
  style.font_size = size * pixels * pango_font_description_get_size (font) / PANGO_SCALE;
  style.foreground = get_rgb (&color, &ground);
  style.background = get_rgb (&ground, &ground);
  return style;
}

AttnRgb
attn_scene_drawing_get_accent (GtkWidget *widget)
{
  GdkRGBA accent = attn_accent_get (widget);

  return get_rgb (&accent, &accent);
}

/**
 * attn_scene_drawing_append:
 * @scene: a scene in pixels; its origin is the top left corner of the widget
 */
void
attn_scene_drawing_append (GtkWidget       *widget,
                           GtkSnapshot     *snapshot,
                           AttnPainter     *painter,
                           const AttnScene *scene)
{
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) scene->width, (float) scene->height));

  attn_painter_draw (painter, scene, cr, gtk_widget_get_scale_factor (widget));
  cairo_destroy (cr);
}
