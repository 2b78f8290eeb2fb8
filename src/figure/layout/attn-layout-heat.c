/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A picture and the colours that are seen over it. */

#include "config.h"

#include <math.h>

#include "attn-layout-private.h"

/* Pixels of a smooth picture of the values: so many a point, within bounds a cell. */
#define SMOOTH_DENSITY   3.0
#define LEAST_TIMES      2.0
#define MOST_TIMES       16.0
#define LARGEST_SMOOTHED 512 /* cells along a side; more of them are smooth by themselves */

/* Between the middles of the two cells of @n that surround the middle of pixel @pixel; beyond those
 * at the edges nothing changes. Returns the share of the second. */
static double
find_between (gsize  pixel,
              gsize  times,
              gsize  n,
              gsize *first,
              gsize *second)
{
  double at = ((double) pixel + 0.5) / (double) times - 0.5;

  at = CLAMP (at, 0.0, (double) (n - 1));
  *first = (gsize) at;
  *second = MIN (*first + 1, n - 1);
  return at - (double) *first;
}

/* A value between two; one that counts for nothing may be no number. */
static double
mix (double a,
     double b,
     double share)
{
  return share > 0.0 ? (1.0 - share) * a + share * b : a;
}

/* The colours of values that are interpolated between the middles of cells; %NULL for more cells
 * than are made smooth. */
static AttnImage *
paint_smooth (const AttnMark *heatmap)
{
  AttnPanel *panel = heatmap->drawn != NULL ? heatmap->drawn : heatmap->panel;
  gsize n_rows = attn_panel_get_n_rows (panel), n_columns = attn_panel_get_n_columns (panel);
  double width = heatmap->rectangle.width / heatmap->viewport.width;
  double pixels = ceil (SMOOTH_DENSITY * width / (double) n_columns);
  gsize times = (gsize) CLAMP (pixels, LEAST_TIMES, MOST_TIMES);
  AttnRgb palette[ATTN_PALETTE_SIZE];

  if (MAX (n_rows, n_columns) > LARGEST_SMOOTHED)
    return NULL;
  g_autofree float *values = g_new (float, n_rows *n_columns);
  AttnImage *image = attn_image_new (times * n_columns, times * n_rows, NULL);
  if (image == NULL || !attn_panel_read_rows (panel, 0, n_rows, values, NULL))
    {
      g_clear_pointer (&image, attn_image_unref);
      return NULL;
    }
  attn_style_get_palette (heatmap->style, palette);
  for (gsize y = 0; y < image->height; y++)
    for (gsize x = 0; x < image->width; x++)
      {
        gsize rows[2], columns[2];
        double down = find_between (y, times, n_rows, &rows[0], &rows[1]);
        double across = find_between (x, times, n_columns, &columns[0], &columns[1]);
        const float *above = values + rows[0] * n_columns, *below = values + rows[1] * n_columns;
        double value = mix (mix (above[columns[0]], above[columns[1]], across),
                            mix (below[columns[0]], below[columns[1]], across), down);
        AttnRgb color = palette[attn_scale_get_index (&heatmap->scale, value)];
        guint8 *rgb = image->rgb + 3 * (y * image->width + x);

        rgb[0] = color.red;
        rgb[1] = color.green;
        rgb[2] = color.blue;
      }
  return image;
}

/* @image: (transfer full) */
static void
add_image (AttnScene      *scene,
           const AttnMark *heatmap,
           const char     *role,
           AttnImage      *image,
           double          opacity)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_PICTURE, heatmap->group, role);

  mark->rectangle = heatmap->rectangle;
  mark->viewport = heatmap->viewport;
  mark->image = image;
  mark->opacity = opacity;
}

/* The picture stands over the colours and lets them through: the same as colours over the picture,
 * but for one image in place of many cells that would have to meet without a seam. Smooth colours
 * hide the cells, which stay what is pointed at. */
void
attn_layout_add_picture (const AttnStyle *style,
                         AttnScene       *scene,
                         const AttnMark  *heatmap,
                         AttnImage       *image)
{
  AttnImage *smooth = style->has_smooth_heat ? paint_smooth (heatmap) : NULL;

  if (smooth != NULL)
    add_image (scene, heatmap, "heat", smooth, 1.0);
  if (style->heat_opacity < 1.0)
    add_image (scene, heatmap, "picture", attn_image_ref (image), 1.0 - style->heat_opacity);
}
