/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-layout.h"
#include "attn-readout.h"

/* Figures are measured in points; a CSS pixel is 1/96 inch. */
#define PIXELS_PER_POINT (4.0 / 3.0)

/* Never closer than this many cells of the largest panel. */
#define CLOSEST_CELLS 2.0

/* Pixels that a figure needs to be of use. */
#define MINIMUM_WIDTH  280
#define MINIMUM_HEIGHT 240

enum
{
  SIGNAL_HIT_CHANGED,
  SIGNAL_VIEWPORT_CHANGED,
  SIGNAL_PAINTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnFigureView, attn_figure_view, GTK_TYPE_WIDGET)

static void
drop_scene (AttnFigureView *self)
{
  g_clear_pointer (&self->scene, attn_scene_unref);
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Text and lines take the colour of the theme's text, so that the figure follows light and dark. */
static AttnStyle
get_screen_style (AttnFigureView *self)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  AttnStyle style = self->style;
  GdkRGBA color;

  gtk_style_context_get_color (context, &color);
  style.foreground =
      (AttnRgb) { (guint8) lround (color.red * 255), (guint8) lround (color.green * 255),
                  (guint8) lround (color.blue * 255) };
  style.has_background = FALSE;
  return style;
}

/**
 * attn_figure_view_get_scene:
 *
 * Returns: (transfer none) (nullable): the scene as shown, in points; valid until the view changes
 */
AttnScene *
attn_figure_view_get_scene (AttnFigureView *view)
{
  int width = gtk_widget_get_width (GTK_WIDGET (view));
  int height = gtk_widget_get_height (GTK_WIDGET (view));

  if (view->scene == NULL && view->grid != NULL && width > 0 && height > 0)
    {
      AttnStyle style = get_screen_style (view);

      view->scene = attn_layout_figure (view->grid, &style, &view->viewport,
                                        width / PIXELS_PER_POINT, height / PIXELS_PER_POINT);
    }
  return view->scene;
}

/**
 * attn_figure_view_get_scale:
 *
 * Returns: widget pixels a point
 */
double
attn_figure_view_get_scale (AttnFigureView *view)
{
  return PIXELS_PER_POINT;
}

static double
get_device_scale (AttnFigureView *self)
{
  return PIXELS_PER_POINT * gtk_widget_get_scale_factor (GTK_WIDGET (self));
}

static cairo_t *
append_cairo (AttnFigureView *self,
              GtkSnapshot    *snapshot)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (GTK_WIDGET (self)),
                                               gtk_widget_get_height (GTK_WIDGET (self)));
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);

  cairo_scale (cr, PIXELS_PER_POINT, PIXELS_PER_POINT);
  return cr;
}

/* The scene is drawn once and kept; only the mark under the pointer is drawn at every motion. */
static void
attn_figure_view_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  AttnScene *scene = attn_figure_view_get_scene (self);

  if (scene == NULL)
    return;
  if (self->node == NULL)
    {
      GtkSnapshot *own = gtk_snapshot_new ();
      cairo_t *cr = append_cairo (self, own);

      attn_painter_draw (self->painter, scene, cr, get_device_scale (self));
      cairo_destroy (cr);
      self->node = gtk_snapshot_free_to_node (own);
      g_signal_emit (self, signals[SIGNAL_PAINTED], 0);
    }
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  if (self->has_hit)
    {
      cairo_t *cr = append_cairo (self, snapshot);

      attn_painter_draw_highlight (self->painter, scene, &self->hit, cr);
      cairo_destroy (cr);
    }
}

static void
attn_figure_view_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MINIMUM_WIDTH : MINIMUM_HEIGHT;
  *natural = *minimum;
}

static void
attn_figure_view_size_allocate (GtkWidget *widget,
                                int        width,
                                int        height,
                                int        baseline)
{
  drop_scene (ATTN_FIGURE_VIEW (widget));
}

static void
attn_figure_view_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (attn_figure_view_parent_class)->css_changed (widget, change);
  drop_scene (ATTN_FIGURE_VIEW (widget));
}

/* What assistive technology reads: the figure, and the cell under the pointer. */
static void
update_accessible (AttnFigureView *self)
{
  g_autofree char *cell = NULL;
  g_autofree char *value = NULL;
  g_autofree char *description = NULL;

  if (self->grid == NULL)
    description = g_strdup (_("No figure"));
  else if (self->has_hit)
    {
      cell = attn_readout_describe_cell (self->grid, &self->hit);
      value = attn_readout_describe_value (self->grid, &self->hit);
      description = g_strdup_printf ("%s: %s", cell, value);
    }
  else
    description = g_strdup_printf (_("%zu × %zu panels of attention weights"),
                                   self->grid->n_rows, self->grid->n_columns);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _("Figure"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static gboolean
hit_equal (const AttnHit *a,
           const AttnHit *b)
{
  return a->group == b->group && a->row == b->row && a->column == b->column &&
         a->n_rows == b->n_rows && a->n_columns == b->n_columns;
}

/* Asks the scene what is under the pointer; to be called when either changes. */
void
attn_figure_view_update_hit (AttnFigureView *self)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  AttnHit hit = { 0 };
  gboolean has_hit =
      scene != NULL && self->has_pointer &&
      attn_scene_hit (scene, self->pointer_x / PIXELS_PER_POINT, self->pointer_y / PIXELS_PER_POINT,
                      get_device_scale (self), &hit);

  if (has_hit == self->has_hit && (!has_hit || hit_equal (&hit, &self->hit)))
    return;
  self->has_hit = has_hit;
  self->hit = hit;
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[SIGNAL_HIT_CHANGED], 0);
}

static void
attn_figure_view_dispose (GObject *object)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (object);

  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->scene, attn_scene_unref);
  g_clear_pointer (&self->grid, attn_grid_unref);
  g_clear_pointer (&self->painter, attn_painter_free);

  G_OBJECT_CLASS (attn_figure_view_parent_class)->dispose (object);
}

static guint
add_signal (AttnFigureViewClass *klass,
            const char          *name)
{
  return g_signal_new (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
}

static void
attn_figure_view_class_init (AttnFigureViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_figure_view_dispose;
  widget_class->snapshot = attn_figure_view_snapshot;
  widget_class->measure = attn_figure_view_measure;
  widget_class->size_allocate = attn_figure_view_size_allocate;
  widget_class->css_changed = attn_figure_view_css_changed;

  signals[SIGNAL_HIT_CHANGED] = add_signal (klass, "hit-changed");
  signals[SIGNAL_VIEWPORT_CHANGED] = add_signal (klass, "viewport-changed");
  /* A scene was drawn that had not been drawn before. */
  signals[SIGNAL_PAINTED] = add_signal (klass, "painted");

  gtk_widget_class_set_css_name (widget_class, "figureview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  attn_figure_view_add_bindings (widget_class);
}

static void
attn_figure_view_init (AttnFigureView *self)
{
  self->style = attn_style_default ();
  self->viewport = ATTN_VIEWPORT_FIT;
  self->painter = attn_painter_new ();
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (drop_scene), NULL);
  attn_figure_view_add_controllers (self);
  update_accessible (self);
}

AttnFigureView *
attn_figure_view_new (void)
{
  return g_object_new (ATTN_TYPE_FIGURE_VIEW, NULL);
}

/**
 * attn_figure_view_set_figure:
 * @grid: (nullable): the panels
 * @style: how they look; the colours of text and background are the theme's on screen
 *
 * The viewport stays, so that one goes on reading the same tokens.
 */
void
attn_figure_view_set_figure (AttnFigureView  *view,
                             AttnGrid        *grid,
                             const AttnStyle *style)
{
  if (grid != NULL)
    attn_grid_ref (grid);
  g_clear_pointer (&view->grid, attn_grid_unref);
  view->grid = grid;
  view->style = *style;
  drop_scene (view);
  view->has_hit = FALSE;
  attn_figure_view_update_hit (view);
  if (!view->has_hit)
    {
      update_accessible (view);
      g_signal_emit (view, signals[SIGNAL_HIT_CHANGED], 0);
    }
}

/**
 * attn_figure_view_get_hit:
 *
 * Returns: (transfer none) (nullable): the cell under the pointer
 */
const AttnHit *
attn_figure_view_get_hit (AttnFigureView *view)
{
  return view->has_hit ? &view->hit : NULL;
}

AttnViewport
attn_figure_view_get_viewport (AttnFigureView *view)
{
  return view->viewport;
}

void
attn_figure_view_set_viewport (AttnFigureView     *view,
                               const AttnViewport *viewport)
{
  AttnViewport clamped = attn_viewport_clamp (*viewport);

  if (attn_viewport_equal (&clamped, &view->viewport))
    return;
  view->viewport = clamped;
  drop_scene (view);
  attn_figure_view_update_hit (view);
  g_signal_emit (view, signals[SIGNAL_VIEWPORT_CHANGED], 0);
}

/* Finds the panel at a point, in widget pixels. */
gboolean
attn_figure_view_find_panel (AttnFigureView *self,
                             double          x,
                             double          y,
                             AttnRectangle  *panel)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  AttnViewport viewport;
  int group = -1;

  if (scene != NULL)
    group = attn_scene_find_heatmap (scene, x / PIXELS_PER_POINT, y / PIXELS_PER_POINT);
  if (group < 0 || !attn_scene_get_heatmap (scene, group, panel, &viewport))
    return FALSE;
  panel->x *= PIXELS_PER_POINT;
  panel->y *= PIXELS_PER_POINT;
  panel->width *= PIXELS_PER_POINT;
  panel->height *= PIXELS_PER_POINT;
  return TRUE;
}

static double
get_smallest_extent (AttnFigureView *self)
{
  gsize most = 1;

  for (gsize i = 0; self->grid != NULL && i < self->grid->n_rows * self->grid->n_columns; i++)
    {
      AttnPanel *panel = self->grid->cells[i].panel;

      if (panel != NULL)
        most = MAX (most, MAX (attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel)));
    }
  return MIN (CLOSEST_CELLS / most, 1);
}

/* Zooms @viewport so that the cell at the point, in widget pixels, stays under it in its panel and
 * in all others; about the middle of the panels if the point is on none. */
void
attn_figure_view_zoom_at (AttnFigureView *self,
                          AttnViewport    viewport,
                          double          factor,
                          double          x,
                          double          y)
{
  AttnRectangle panel;
  double x_fraction = 0.5;
  double y_fraction = 0.5;

  if (attn_figure_view_find_panel (self, x, y, &panel))
    {
      x_fraction = (x - panel.x) / panel.width;
      y_fraction = (y - panel.y) / panel.height;
    }
  viewport =
      attn_viewport_zoom (viewport, factor, x_fraction, y_fraction, get_smallest_extent (self));
  attn_figure_view_set_viewport (self, &viewport);
}

/**
 * attn_figure_view_zoom:
 * @factor: above 1 for closer
 *
 * Zooms at the pointer if it is on a panel, else about the middle.
 */
void
attn_figure_view_zoom (AttnFigureView *view,
                       double          factor)
{
  double x = view->has_pointer ? view->pointer_x : -1;
  double y = view->has_pointer ? view->pointer_y : -1;

  attn_figure_view_zoom_at (view, view->viewport, factor, x, y);
}

/**
 * attn_figure_view_pan:
 * @dx: fraction of the shown part, to the right
 * @dy: fraction of the shown part, down
 */
void
attn_figure_view_pan (AttnFigureView *view,
                      double          dx,
                      double          dy)
{
  AttnViewport viewport = attn_viewport_pan (view->viewport, dx, dy);

  attn_figure_view_set_viewport (view, &viewport);
}

void
attn_figure_view_fit (AttnFigureView *view)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  attn_figure_view_set_viewport (view, &fit);
}
