/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-drawing.h"

#include <math.h>

#include "attn-accent.h"
#include "attn-scene-drawing.h"

/* Pixels */
#define NUMBER_FRAME 12 /* width of an entry beside its number: padding, border, text cursor */
#define REASON_GAP   6  /* gap in pixels between a handle and the sentence that says why there are
                         * no curves */
#define BREAK_GAP    2  /* half the width in pixels of the gap in the track where its scale
                         * changes */
#define BREAK_SLANT  2  /* half the width in pixels of each slanted stroke at the gap in the
                         * track */
#define BREAK_HEIGHT 5  /* half the height of these strokes */

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

/* The text of a widget that was measured last, and its size in pixels. Texts are not measured anew
 * for each frame of a drag: that would take a fifth of the frame. */
typedef struct
{
  guint serial; /* serial number of the widget's Pango context, which changes with the font */
  char *text;
  int width;
  int height;
} TextSize;

static void
text_size_free (gpointer data)
{
  TextSize *size = data;

  g_free (size->text);
  g_free (size);
}

/* Returns the size of the only text of @widget that is measured. @is_small: whether the text is set
 * as new_text() does */
static const TextSize *
measure_text (GtkWidget  *widget,
              const char *text,
              gboolean    is_small)
{
  static const char key[] = "attn-text-size";
  guint serial = pango_context_get_serial (gtk_widget_get_pango_context (widget));
  TextSize *size = g_object_get_data (G_OBJECT (widget), key);

  if (size != NULL && size->serial == serial && g_str_equal (size->text, text))
    return size;
  g_autoptr (PangoLayout) layout =
      is_small ? new_text (widget, text) : gtk_widget_create_pango_layout (widget, text);
  size = g_new (TextSize, 1);
  size->serial = serial;
  size->text = g_strdup (text);
  pango_layout_get_pixel_size (layout, &size->width, &size->height);
  g_object_set_data_full (G_OBJECT (widget), key, size, text_size_free);
  return size;
}

/**
 * attn_epsilon_drawing_measure_label:
 *
 * Returns: the height of a label below the track, pixels
 */
int
attn_epsilon_drawing_measure_label (GtkWidget *widget)
{
  return measure_text (widget, "1", TRUE)->height;
}

/**
 * attn_epsilon_drawing_measure_number:
 * @entry: the entry of a handle's number
 *
 * Returns: the width of the number in pixels. GTK itself would reserve a width for each character,
 *   which may be that of another script
 */
int
attn_epsilon_drawing_measure_number (GtkWidget *entry)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (entry));
  int natural;

  gtk_widget_measure (entry, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return MAX (natural, measure_text (entry, text, FALSE)->width + NUMBER_FRAME);
}

static double
get_x (const AttnEpsilonDrawing *drawing,
       double                    epsilon)
{
  return drawing->plan->start + attn_epsilon_track_get_x (&drawing->plan->track, epsilon);
}

static void
set_color (AttnEpsilonDrawing *drawing,
           const GdkRGBA      *color,
           double              alpha)
{
  cairo_set_source_rgba (drawing->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* Draws the line of the track, with a gap between two slanted strokes where its scale changes. */
static void
add_track (AttnEpsilonDrawing *drawing)
{
  const AttnEpsilonPlan *plan = drawing->plan;
  double x = plan->start;
  double end = plan->start + plan->track.width;
  double at, share;

  set_color (drawing, &drawing->color, 0.3);
  cairo_set_line_width (drawing->cr, 4);
  if (attn_epsilon_track_get_break (&plan->track, &at, &share))
    {
      at += plan->start;
      cairo_move_to (drawing->cr, x, plan->line);
      cairo_line_to (drawing->cr, at - BREAK_GAP, plan->line);
      x = at + BREAK_GAP;
    }
  cairo_move_to (drawing->cr, x, plan->line);
  cairo_line_to (drawing->cr, end, plan->line);
  cairo_stroke (drawing->cr);
  if (x == plan->start)
    return;
  set_color (drawing, &drawing->color, 0.6);
  cairo_set_line_width (drawing->cr, 1);
  for (int side = -1; side <= 1; side += 2)
    {
      cairo_move_to (drawing->cr, at + side * BREAK_GAP - BREAK_SLANT, plan->line + BREAK_HEIGHT);
      cairo_rel_line_to (drawing->cr, 2 * BREAK_SLANT, -2 * BREAK_HEIGHT);
    }
  cairo_stroke (drawing->cr);
}

/**
 * attn_epsilon_drawing_begin:
 * @drawing: (out): to be ended with [func@attn_epsilon_drawing_end]
 * @plan: what is drawn on the track; it must live until that call
 *
 * Begins the drawing of a slider with the line of its track.
 */
void
attn_epsilon_drawing_begin (AttnEpsilonDrawing    *drawing,
                            GtkWidget             *widget,
                            GtkSnapshot           *snapshot,
                            const AttnEpsilonPlan *plan)
{
  *drawing = (AttnEpsilonDrawing) {
    .widget = widget,
    .cr = gtk_snapshot_append_cairo (
        snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) plan->width, gtk_widget_get_height (widget))),
    .plan = plan,
    .accent = attn_accent_get (widget),
  };
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &drawing->color);
  if (!gtk_widget_is_sensitive (widget))
    cairo_push_group (drawing->cr);
  add_track (drawing);
}

/**
 * attn_epsilon_drawing_add_scene:
 * @curves: (nullable): the curves to draw over the track
 * @measure: which measure of @curves is drawn; the curves must have it
 *
 * Draws the curves over the track and the ticks on it.
 */
void
attn_epsilon_drawing_add_scene (AttnEpsilonDrawing      *drawing,
                                AttnPainter             *painter,
                                const AttnEpsilonCurves *curves,
                                AttnEpsilonMeasure       measure)
{
  const AttnStyle style = attn_scene_drawing_get_style (drawing->widget, PANGO_SCALE_SMALL);
  g_autoptr (AttnScene) scene =
      attn_epsilon_scene_new (drawing->plan, &style,
                              attn_scene_drawing_get_accent (drawing->widget), curves, measure);

  attn_painter_draw (painter, scene, drawing->cr, gtk_widget_get_scale_factor (drawing->widget));
}

/**
 * attn_epsilon_drawing_add_reason:
 * @reason: text that is drawn in place of the curves: why there are none
 */
void
attn_epsilon_drawing_add_reason (AttnEpsilonDrawing *drawing,
                                 const char         *reason)
{
  const AttnEpsilonPlan *plan = drawing->plan;
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, reason);
  double left = plan->start;
  double right = left + plan->track.width;
  int height;

  /* The sentence about missing curves stands on the side of the handles, left or right, that has
   * more room. */
  for (gsize i = 0; i < plan->n_handles; i++)
    {
      double x = get_x (drawing, plan->handles[i]);

      if (x - left >= right - x)
        right = MIN (right, x - REASON_GAP);
      else
        left = MAX (left, x + REASON_GAP);
    }
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (layout, (int) MAX (right - left, 0) * PANGO_SCALE);
  pango_layout_set_height (layout, (int) plan->plot_height * PANGO_SCALE);
  pango_layout_get_pixel_size (layout, NULL, &height);
  set_color (drawing, &drawing->color, 1);
  cairo_move_to (drawing->cr, left, plan->line - (plan->plot_height + height) / 2);
  pango_cairo_show_layout (drawing->cr, layout);
}

/* Draws a line from a handle up to its number. The names of curves are drawn later, over the
 * line. */
void
attn_epsilon_drawing_add_stem (AttnEpsilonDrawing *drawing,
                               double              epsilon,
                               gboolean            is_active)
{
  cairo_new_path (drawing->cr);
  set_color (drawing, &drawing->accent, is_active ? 0.8 : 0.4);
  cairo_set_line_width (drawing->cr, 1);
  cairo_move_to (drawing->cr, floor (get_x (drawing, epsilon)) + 0.5, drawing->plan->line);
  cairo_rel_line_to (drawing->cr, 0, -drawing->plan->plot_height);
  cairo_stroke (drawing->cr);
}

void
attn_epsilon_drawing_add_handle (AttnEpsilonDrawing *drawing,
                                 double              epsilon,
                                 gboolean            is_active,
                                 gboolean            has_focus)
{
  GdkRGBA ground = attn_scene_drawing_get_ground (drawing->widget, "theme_base_color");
  double x = get_x (drawing, epsilon);
  double middle = drawing->plan->line;

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
 * Ends the drawing. The slider is paler if its widget is insensitive.
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
}
