/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-drawing.h"

#include <math.h>

#include "attn-accent.h"
#include "attn-text.h"

/* Pixels: longer names are told in full by the tooltip. */
#define LONGEST_MARK 160
#define LABEL_GAP    6

double
attn_epsilon_drawing_get_x (const AttnEpsilonTrack *track,
                            double                  epsilon)
{
  return ATTN_EPSILON_MARGIN + attn_epsilon_track_get_x (track, epsilon);
}

static PangoLayout *
new_text (GtkWidget  *widget,
          const char *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_scale_new (PANGO_SCALE_SMALL));
  pango_layout_set_attributes (layout, attributes);
  return layout;
}

/**
 * attn_epsilon_drawing_measure_label:
 *
 * Returns: the height of a label below the track
 */
int
attn_epsilon_drawing_measure_label (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = new_text (widget, "1");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

static double
get_middle (const AttnEpsilonDrawing *drawing)
{
  return drawing->top + ATTN_EPSILON_TRACK_HEIGHT / 2.0;
}

static void
set_color (AttnEpsilonDrawing *drawing,
           const GdkRGBA      *color,
           double              alpha)
{
  cairo_set_source_rgba (drawing->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* Below the track, unless it would lie on what stands there. */
static void
add_label (AttnEpsilonDrawing *drawing,
           const char         *text,
           double              x)
{
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, text);
  GArray *taken = drawing->taken;
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  if (width > LONGEST_MARK)
    {
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
      pango_layout_set_width (layout, LONGEST_MARK * PANGO_SCALE);
      pango_layout_get_pixel_size (layout, &width, NULL);
    }
  double left = CLAMP (x - width / 2.0, 0, gtk_widget_get_width (drawing->widget) - width);
  for (guint i = 0; i + 1 < taken->len; i += 2)
    if (left < g_array_index (taken, double, i + 1) + LABEL_GAP &&
        left + width + LABEL_GAP > g_array_index (taken, double, i))
      return;
  double right = left + width;
  g_array_append_val (taken, left);
  g_array_append_val (taken, right);
  cairo_move_to (drawing->cr, floor (left), drawing->top + ATTN_EPSILON_TRACK_HEIGHT);
  pango_cairo_show_layout (drawing->cr, layout);
}

/**
 * attn_epsilon_drawing_begin:
 * @drawing: (out): to be ended with [func@attn_epsilon_drawing_end]
 * @top: of the track, from that of @widget
 *
 * Draws the line.
 */
void
attn_epsilon_drawing_begin (AttnEpsilonDrawing     *drawing,
                            GtkWidget              *widget,
                            GtkSnapshot            *snapshot,
                            const AttnEpsilonTrack *track,
                            double                  top)
{
  int width = gtk_widget_get_width (widget);

  *drawing = (AttnEpsilonDrawing) {
    .widget = widget,
    .cr = gtk_snapshot_append_cairo (
        snapshot, &GRAPHENE_RECT_INIT (0, 0, width, gtk_widget_get_height (widget))),
    .track = track,
    .top = top,
    .accent = attn_accent_get (widget),
    .taken = g_array_new (FALSE, FALSE, sizeof (double)),
  };
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &drawing->color);
  if (!gtk_widget_is_sensitive (widget))
    cairo_push_group (drawing->cr);
  set_color (drawing, &drawing->color, 0.3);
  cairo_set_line_width (drawing->cr, 4);
  cairo_set_line_cap (drawing->cr, CAIRO_LINE_CAP_ROUND);
  cairo_move_to (drawing->cr, ATTN_EPSILON_MARGIN, get_middle (drawing));
  cairo_line_to (drawing->cr, width - ATTN_EPSILON_MARGIN, get_middle (drawing));
  cairo_stroke (drawing->cr);
  cairo_set_line_cap (drawing->cr, CAIRO_LINE_CAP_BUTT);
}

/**
 * attn_epsilon_drawing_add_mark:
 * @text: the name of a detent, in a colour that can be read
 */
void
attn_epsilon_drawing_add_mark (AttnEpsilonDrawing *drawing,
                               double              epsilon,
                               const char         *text)
{
  double x = attn_epsilon_drawing_get_x (drawing->track, epsilon);

  if (epsilon < pow (10, drawing->track->low))
    return;
  cairo_move_to (drawing->cr, x, get_middle (drawing) + 3);
  cairo_rel_line_to (drawing->cr, -4, 7);
  cairo_rel_line_to (drawing->cr, 8, 0);
  cairo_close_path (drawing->cr);
  set_color (drawing, &drawing->accent, 1);
  cairo_fill (drawing->cr);
  set_color (drawing, &drawing->color, 1);
  add_label (drawing, text, x);
}

/**
 * attn_epsilon_drawing_add_ticks:
 *
 * At the powers of ten.
 */
void
attn_epsilon_drawing_add_ticks (AttnEpsilonDrawing *drawing)
{
  double middle = get_middle (drawing);

  for (int exponent = (int) drawing->track->high; exponent >= drawing->track->low; exponent--)
    {
      double epsilon = pow (10, exponent);
      double x = floor (attn_epsilon_drawing_get_x (drawing->track, epsilon)) + 0.5;
      g_autofree char *text = attn_text_format_epsilon (attn_epsilon_round (epsilon, 1));

      set_color (drawing, &drawing->color, exponent == 0 ? 0.9 : 0.45);
      cairo_set_line_width (drawing->cr, exponent == 0 ? 2 : 1);
      cairo_move_to (drawing->cr, x, middle - (exponent == 0 ? 8 : 0));
      cairo_line_to (drawing->cr, x, middle + 6);
      cairo_stroke (drawing->cr);
      set_color (drawing, &drawing->color, 0.75);
      add_label (drawing, text, x);
    }
}

void
attn_epsilon_drawing_add_handle (AttnEpsilonDrawing *drawing,
                                 double              epsilon,
                                 gboolean            is_active,
                                 gboolean            has_focus)
{
  GdkRGBA ground = { 1, 1, 1, 1 };
  double x = attn_epsilon_drawing_get_x (drawing->track, epsilon);
  double middle = get_middle (drawing);

  gtk_style_context_lookup_color (gtk_widget_get_style_context (drawing->widget),
                                  "theme_base_color", &ground);
  cairo_new_path (drawing->cr);
  cairo_set_line_width (drawing->cr, 2);
  if (has_focus)
    {
      set_color (drawing, &drawing->accent, 0.6);
      cairo_arc (drawing->cr, x, middle, ATTN_EPSILON_RADIUS + 3, 0, 2 * G_PI);
      cairo_stroke (drawing->cr);
    }
  cairo_arc (drawing->cr, x, middle, ATTN_EPSILON_RADIUS - 1, 0, 2 * G_PI);
  set_color (drawing, is_active ? &drawing->accent : &ground, 1);
  cairo_fill_preserve (drawing->cr);
  set_color (drawing, &drawing->accent, 1);
  cairo_stroke (drawing->cr);
}

/**
 * attn_epsilon_drawing_end:
 *
 * A widget that is not available is paler.
 */
void
attn_epsilon_drawing_end (AttnEpsilonDrawing *drawing)
{
  if (!gtk_widget_is_sensitive (drawing->widget))
    {
      cairo_pop_group_to_source (drawing->cr);
      cairo_paint_with_alpha (drawing->cr, 0.5);
    }
  cairo_destroy (drawing->cr);
  g_array_unref (drawing->taken);
}
