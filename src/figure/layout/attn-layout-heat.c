/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The picture of an input that a panel lies on, and the colours of the cells over it. */

#include "config.h"

#include <math.h>

#include "attn-layout-private.h"

/* The pixels of a smooth picture of the values: the number per point, and the smallest and the
 * largest number per cell. */
#define SMOOTH_DENSITY   3.0
#define LEAST_TIMES      2.0
#define MOST_TIMES       16.0
#define LARGEST_SMOOTHED 512 /* largest number of cells along a side that are smoothed; more look
                              * smooth anyway */

/* Finds, of @n cells in a line, the two whose middles surround the middle of pixel @pixel; beyond
 * the outermost middles values are constant. Returns the weight of the second cell. */
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

/* Interpolates between two values: @share is the weight of @b. A value of weight 0 may be NaN. */
static double
mix (double a,
     double b,
     double share)
{
  return share > 0.0 ? (1.0 - share) * a + share * b : a;
}

/* Paints the colours of values that are interpolated between the middles of cells. Returns %NULL if
 * there are too many cells. */
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

/* Adds an image that covers the visible part of a heatmap. @image: (transfer full) */
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

/* Adds the picture of the input as a translucent image above the colours. This looks the same as
 * translucent colours above the picture, but needs one image instead of many cells without seams. A
 * smooth image hides the cells, which still respond to the pointer. */
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
