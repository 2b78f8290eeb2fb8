/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-layout.h"
#include "attn-readout.h"

/* Pixels that a figure needs to be of use. */
#define MINIMUM_WIDTH  260
#define MINIMUM_HEIGHT 240

guint attn_figure_view_signals[ATTN_FIGURE_VIEW_N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnFigureView, attn_figure_view, GTK_TYPE_WIDGET)

void
attn_figure_view_drop_scene (AttnFigureView *self)
{
  g_clear_pointer (&self->scene, attn_scene_free);
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

/* The grid that the scene shows: the whole one, or that of the maximised panel. */
AttnGrid *
attn_figure_view_get_shown (AttnFigureView *self)
{
  if (attn_cell_cursor_get_panel (self->grid, self->views.maximized) == NULL)
    return self->grid;
  if (self->alone == NULL)
    self->alone = attn_grid_take_panel (self->grid, self->views.maximized);
  return self->alone;
}

/* The index in the scene of a panel of the grid, or -1 while it is not shown. */
int
attn_figure_view_to_scene (AttnFigureView *self,
                           int             group)
{
  if (attn_figure_view_get_shown (self) == self->grid)
    return group;
  return group == self->views.maximized ? 0 : -1;
}

int
attn_figure_view_from_scene (AttnFigureView *self,
                             int             group)
{
  return attn_figure_view_get_shown (self) == self->grid ? group : self->views.maximized;
}

static AttnScene *
make_scene (AttnFigureView *self,
            double          width,
            double          height)
{
  AttnStyle style = get_screen_style (self);
  AttnGrid *shown = attn_figure_view_get_shown (self);
  AttnViewport viewport = attn_views_get (&self->views, self->views.maximized);

  style.shows_values = style.shows_values && attn_figure_view_has_numbers (self);
  if (shown != self->grid)
    return attn_layout_panel (shown, self->grid, self->views.maximized, &style, &viewport, width,
                              height);
  if (self->views.own != NULL)
    return attn_layout_figure_views (shown, &style,
                                     (const AttnViewport *) (void *) self->views.own->data, width,
                                     height);
  return attn_layout_figure (shown, &style, &viewport, width, height);
}

/**
 * attn_figure_view_get_scene:
 *
 * Returns: (transfer none) (nullable): the scene as shown, in points; valid until the view changes.
 *   While a panel is maximised it has that panel alone, as its first.
 */
AttnScene *
attn_figure_view_get_scene (AttnFigureView *view)
{
  int width = gtk_widget_get_width (GTK_WIDGET (view));
  int height = gtk_widget_get_height (GTK_WIDGET (view));

  if (view->scene == NULL && view->grid != NULL && width > 0 && height > 0)
    view->scene =
        make_scene (view, width / ATTN_FIGURE_VIEW_SCALE, height / ATTN_FIGURE_VIEW_SCALE);
  return view->scene;
}

/**
 * attn_figure_view_get_grid:
 *
 * Returns: (transfer none) (nullable): all panels, whether one of them is maximised or not
 */
AttnGrid *
attn_figure_view_get_grid (AttnFigureView *view)
{
  return view->grid;
}

/**
 * attn_figure_view_get_scale:
 *
 * Returns: widget pixels a point
 */
double
attn_figure_view_get_scale (AttnFigureView *view)
{
  return ATTN_FIGURE_VIEW_SCALE;
}

/* Device pixels a point. */
double
attn_figure_view_get_pixels (AttnFigureView *self)
{
  return ATTN_FIGURE_VIEW_SCALE * gtk_widget_get_scale_factor (GTK_WIDGET (self));
}

/* The scene is drawn once and kept; only what lies over it is drawn at every motion. */
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
      graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget),
                                                   gtk_widget_get_height (widget));
      cairo_t *cr = gtk_snapshot_append_cairo (own, &bounds);

      cairo_scale (cr, ATTN_FIGURE_VIEW_SCALE, ATTN_FIGURE_VIEW_SCALE);
      attn_painter_draw (self->painter, scene, cr, attn_figure_view_get_pixels (self));
      cairo_destroy (cr);
      self->node = gtk_snapshot_free_to_node (own);
      attn_figure_view_request_tiles (self);
      attn_figure_view_request_rows (self);
      g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_PAINTED], 0);
    }
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  attn_figure_view_draw_over (self, snapshot);
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
  attn_figure_view_drop_scene (ATTN_FIGURE_VIEW (widget));
}

static void
attn_figure_view_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (attn_figure_view_parent_class)->css_changed (widget, change);
  attn_figure_view_drop_scene (ATTN_FIGURE_VIEW (widget));
}

/* --- What is read ----------------------------------------------------------------------------- */

/* What assistive technology reads: the figure, or the cell that is read. */
static void
update_accessible (AttnFigureView *self)
{
  g_autofree char *cell = NULL;
  g_autofree char *value = NULL;
  g_autofree char *description = NULL;

  if (self->grid == NULL)
    description = g_strdup (_("No figure"));
  else if (self->has_read)
    {
      cell = attn_readout_describe_cell (self->grid, &self->read);
      value = attn_readout_describe_value (self->grid, &self->read);
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
         a->n_rows == b->n_rows && a->n_columns == b->n_columns && a->is_unread == b->is_unread;
}

void
attn_figure_view_tell_reading (AttnFigureView *self)
{
  update_accessible (self);
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_HIT_CHANGED], 0);
}

/* Tells what is read now, if it is not what was read before. */
void
attn_figure_view_update_reading (AttnFigureView *self)
{
  gboolean has_cursor = attn_cell_cursor_get_panel (self->grid, self->cursor.group) != NULL;
  gboolean has_read = self->has_hit || has_cursor;
  AttnHit read = { 0 };

  if (self->has_hit && !(self->reads_cursor && has_cursor))
    read = self->hit;
  else if (has_cursor)
    read = (AttnHit) { self->cursor.group, self->cursor.row, self->cursor.column, 1, 1 };
  if (has_read == self->has_read && hit_equal (&read, &self->read))
    return;
  self->has_read = has_read;
  self->read = read;
  attn_figure_view_request_rows (self);
  attn_figure_view_tell_reading (self);
}

/* Asks the scene what is under the pointer; to be called when either changes. */
void
attn_figure_view_update_hit (AttnFigureView *self)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  AttnHit hit = { 0 };
  gboolean has_hit = scene != NULL && self->has_pointer &&
                     attn_scene_hit (scene, self->pointer_x / ATTN_FIGURE_VIEW_SCALE,
                                     self->pointer_y / ATTN_FIGURE_VIEW_SCALE,
                                     attn_figure_view_get_pixels (self), &hit);

  if (has_hit)
    hit.group = attn_figure_view_from_scene (self, hit.group);
  if (has_hit != self->has_hit || (has_hit && !hit_equal (&hit, &self->hit)))
    gtk_widget_queue_draw (GTK_WIDGET (self));
  self->has_hit = has_hit;
  self->hit = hit;
  attn_figure_view_update_reading (self);
}

/* --- The widget ------------------------------------------------------------------------------- */

static void
attn_figure_view_dispose (GObject *object)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (object);

  attn_figure_view_stop_kinetic (self);
  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->scene, attn_scene_free);
  g_clear_pointer (&self->loader, attn_part_loader_free);
  g_clear_pointer (&self->alone, attn_grid_unref);
  g_clear_pointer (&self->grid, attn_grid_unref);
  g_clear_pointer (&self->painter, attn_painter_free);
  g_clear_pointer (&self->history, attn_view_history_free);
  g_clear_pointer (&self->selection, attn_row_selection_free);
  g_clear_pointer (&self->search, attn_token_search_free);
  g_clear_pointer (&self->search_text, g_free);
  attn_views_clear (&self->views);

  G_OBJECT_CLASS (attn_figure_view_parent_class)->dispose (object);
}

static void
add_signal (AttnFigureViewClass *klass,
            guint                index,
            const char          *name)
{
  attn_figure_view_signals[index] = g_signal_new (name, G_TYPE_FROM_CLASS (klass),
                                                  G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
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

  /* What is read, by pointer or by keys. */
  add_signal (klass, ATTN_FIGURE_VIEW_HIT_CHANGED, "hit-changed");
  add_signal (klass, ATTN_FIGURE_VIEW_VIEWPORT_CHANGED, "viewport-changed");
  /* A scene was drawn that had not been drawn before. */
  add_signal (klass, ATTN_FIGURE_VIEW_PAINTED, "painted");
  /* The cursor, the chosen rows or the picked region. */
  add_signal (klass, ATTN_FIGURE_VIEW_CURSOR_CHANGED, "cursor-changed");
  add_signal (klass, ATTN_FIGURE_VIEW_TOOL_CHANGED, "tool-changed");
  /* The cell of the cursor was clicked once, without a modifier. */
  add_signal (klass, ATTN_FIGURE_VIEW_CLICKED, "clicked");
  /* The cell of the cursor was clicked twice, or Return was pressed. */
  add_signal (klass, ATTN_FIGURE_VIEW_ACTIVATED, "activated");
  /* (const AttnRegionEdit *edit): a region is to be added, changed or removed. */
  attn_figure_view_signals[ATTN_FIGURE_VIEW_REGION_EDITED] =
      g_signal_new ("region-edited", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  /* (double x, double y): points in the scene, on no panel. */
  attn_figure_view_signals[ATTN_FIGURE_VIEW_BESIDE_CLICKED] =
      g_signal_new ("beside-clicked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);

  /* (double x, double y): widget pixels: a menu is wanted there, of the cell of the cursor. */
  attn_figure_view_signals[ATTN_FIGURE_VIEW_MENU_ASKED] =
      g_signal_new ("menu-asked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);

  gtk_widget_class_set_css_name (widget_class, "figureview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  attn_figure_view_add_bindings (widget_class);
}

static void
attn_figure_view_init (AttnFigureView *self)
{
  self->style = attn_style_default ();
  attn_views_init (&self->views);
  self->history = attn_view_history_new ();
  self->selection = attn_row_selection_new ();
  self->cursor = ATTN_CELL_CURSOR_NONE;
  self->painter = attn_painter_new ();
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (attn_figure_view_drop_scene), NULL);
  attn_figure_view_add_loader (self);
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
 * What is shown of the panels stays, and so do the cursor and the chosen rows as far as the panels
 * have them, so that one goes on reading the same tokens.
 */
void
attn_figure_view_set_figure (AttnFigureView  *view,
                             AttnGrid        *grid,
                             const AttnStyle *style)
{
  if (grid != NULL)
    attn_grid_ref (grid);
  g_clear_pointer (&view->grid, attn_grid_unref);
  g_clear_pointer (&view->alone, attn_grid_unref);
  attn_part_loader_forget (view->loader);
  view->grid = grid;
  view->style = *style;
  attn_views_resize (&view->views, grid != NULL ? grid->n_rows * grid->n_columns : 0);
  attn_figure_view_drop_scene (view);
  attn_figure_view_keep_reading (view);
  /* Others read it anew, even if it is the same cell: its value may not be. */
  view->has_read = FALSE;
  view->read = (AttnHit) { .group = -1 };
  attn_figure_view_update_hit (view);
}

/**
 * attn_figure_view_get_hit:
 *
 * Returns: (transfer none) (nullable): the cell that is read, of the panels of
 *   attn_figure_view_get_grid(): that under the pointer, or that of the cursor if the keyboard was
 *   used last or the pointer is on no panel
 */
const AttnHit *
attn_figure_view_get_hit (AttnFigureView *view)
{
  return view->has_read ? &view->read : NULL;
}
