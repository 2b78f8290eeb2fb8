/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-swatch.h"

#define SWATCH_WIDTH  56
#define SWATCH_HEIGHT 12
#define N_STOPS       17

struct _AttnSwatch
{
  GtkWidget parent_instance;

  AttnColormap colormap;
  gboolean is_reversed;
};

G_DEFINE_FINAL_TYPE (AttnSwatch, attn_swatch, GTK_TYPE_WIDGET)

static void
attn_swatch_snapshot (GtkWidget   *widget,
                      GtkSnapshot *snapshot)
{
  AttnSwatch *self = ATTN_SWATCH (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  GskColorStop stops[N_STOPS];

  for (guint i = 0; i < N_STOPS; i++)
    {
      double position = i / (N_STOPS - 1.0);
      AttnRgb rgb = attn_colormap_get (self->colormap, self->is_reversed ? 1 - position : position);

      stops[i].offset = position;
      stops[i].color = (GdkRGBA) { rgb.red / 255.0f, rgb.green / 255.0f, rgb.blue / 255.0f, 1 };
    }
  gtk_snapshot_append_linear_gradient (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height),
                                       &GRAPHENE_POINT_INIT (0, 0), &GRAPHENE_POINT_INIT (width, 0),
                                       stops, N_STOPS);
}

static void
attn_swatch_measure (GtkWidget      *widget,
                     GtkOrientation  orientation,
                     int             for_size,
                     int            *minimum,
                     int            *natural,
                     int            *minimum_baseline,
                     int            *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? SWATCH_WIDTH : SWATCH_HEIGHT;
}

static void
attn_swatch_class_init (AttnSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = attn_swatch_snapshot;
  widget_class->measure = attn_swatch_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
attn_swatch_init (AttnSwatch *self)
{
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
}

GtkWidget *
attn_swatch_new (void)
{
  return g_object_new (ATTN_TYPE_SWATCH, NULL);
}

void
attn_swatch_set_colormap (AttnSwatch   *swatch,
                          AttnColormap  colormap,
                          gboolean      is_reversed)
{
  if (swatch->colormap == colormap && swatch->is_reversed == is_reversed)
    return;
  swatch->is_reversed = is_reversed;
  swatch->colormap = colormap;
  gtk_widget_queue_draw (GTK_WIDGET (swatch));
}
