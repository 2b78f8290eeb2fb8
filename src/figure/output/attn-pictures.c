/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pictures.h"

#include <math.h>
#include <string.h>

#include "attn-cairo.h"

/* The largest number of cached surfaces: one or two sizes of each picture in a figure. */
#define MAX_KEPT 16

typedef struct
{
  AttnImage *image;
  int width; /* width of @surface, in pixels */
  int height;
  cairo_surface_t *surface;
} Kept;

/**
 * AttnPictures:
 *
 * Used by one thread.
 */
struct _AttnPictures
{
  GPtrArray *kept; /* element-type Kept */
};

static void
free_kept (gpointer data)
{
  Kept *kept = data;

  attn_image_unref (kept->image);
  cairo_surface_destroy (kept->surface);
  g_free (kept);
}

AttnPictures *
attn_pictures_new (void)
{
  AttnPictures *pictures = g_new0 (AttnPictures, 1);

  pictures->kept = g_ptr_array_new_with_free_func (free_kept);
  return pictures;
}

void
attn_pictures_free (AttnPictures *pictures)
{
  g_ptr_array_unref (pictures->kept);
  g_free (pictures);
}

/**
 * attn_pictures_make:
 *
 * Returns: (transfer full): the picture in its own size; its status tells whether it could be made
 */
cairo_surface_t *
attn_pictures_make (const AttnImage *image)
{
  gsize width = MIN (image->width, G_MAXINT16);
  gsize height = MIN (image->height, G_MAXINT16);
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) width, (int) height);
  guint8 *data = cairo_image_surface_get_data (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    return surface;
  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      {
        const guint8 *rgb = image->rgb + (y * image->width + x) * 3;
        guint32 pixel = (guint32) rgb[0] << 16 | (guint32) rgb[1] << 8 | rgb[2];

        memcpy (data + y * stride + 4 * x, &pixel, sizeof pixel);
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* Scales a picture down, averaging all its pixels, once for all panels of that size. */
static cairo_surface_t *
shrink (cairo_surface_t *whole,
        int              width,
        int              height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_scale (cr, (double) width / cairo_image_surface_get_width (whole),
               (double) height / cairo_image_surface_get_height (whole));
  cairo_set_source_surface (cr, whole, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_paint (cr);
  cairo_destroy (cr);
  return surface;
}

static cairo_surface_t *
get_surface (AttnPictures *pictures,
             AttnImage    *image,
             int           width,
             int           height)
{
  Kept *kept;

  for (guint i = 0; i < pictures->kept->len; i++)
    {
      kept = g_ptr_array_index (pictures->kept, i);
      if (kept->image == image && kept->width == width && kept->height == height)
        return kept->surface;
    }
  if (pictures->kept->len >= MAX_KEPT)
    g_ptr_array_remove_index (pictures->kept, 0);
  kept = g_new0 (Kept, 1);
  kept->surface = (gsize) width == image->width && (gsize) height == image->height
                      ? attn_pictures_make (image)
                      : shrink (get_surface (pictures, image, (int) image->width,
                                             (int) image->height),
                                width, height);
  kept->image = attn_image_ref (image);
  kept->width = width;
  kept->height = height;
  g_ptr_array_add (pictures->kept, kept);
  return kept->surface;
}

/**
 * attn_pictures_draw:
 * @pictures: (nullable): the cache that keeps the picture in the size that it is drawn in; %NULL
 *   keeps nothing
 * @part: the area of @cr that is drawn on
 * @whole: where the whole picture would be
 * @is_of_pixels: whether the edges of @part and @whole are whole pixels of the device, so that a
 *   picture that is larger may be reduced to these pixels
 *
 * Draws a picture over what is there.
 */
void
attn_pictures_draw (AttnPictures        *pictures,
                    cairo_t             *cr,
                    AttnImage           *image,
                    double               opacity,
                    const AttnRectangle *part,
                    const AttnRectangle *whole,
                    gboolean             is_of_pixels)
{
  gboolean is_smaller = is_of_pixels && pictures != NULL && whole->width >= 1.0 &&
                        whole->height >= 1.0 &&
                        whole->width <= (double) image->width &&
                        whole->height <= (double) image->height;
  int width = is_smaller ? (int) whole->width : (int) image->width;
  int height = is_smaller ? (int) whole->height : (int) image->height;
  cairo_surface_t *own = pictures == NULL ? attn_pictures_make (image) : NULL;
  cairo_surface_t *surface = own;

  if (own == NULL)
    surface = get_surface (pictures, image, width, height);
  cairo_save (cr);
  cairo_rectangle (cr, part->x, part->y, part->width, part->height);
  cairo_clip (cr);
  cairo_translate (cr, whole->x, whole->y);
  cairo_scale (cr, whole->width / width, whole->height / height);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            is_smaller ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  /* Edges are extended only on targets of pixels: in a PDF, such a pattern would be stored as one
   * picture for each panel. */
  if (is_of_pixels)
    cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_paint_with_alpha (cr, opacity);
  cairo_restore (cr);
  g_clear_pointer (&own, cairo_surface_destroy);
}
