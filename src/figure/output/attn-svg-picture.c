/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes pictures into an SVG, each once, however many panels show it. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-cairo.h"
#include "attn-error.h"
#include "attn-pictures.h"
#include "attn-svg-private.h"

static cairo_status_t
append_cb (void                *closure,
           const unsigned char *data,
           unsigned int         length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Defines a picture of the figure as an object of width and height 1, to be reused. */
static gboolean
define_picture (GString          *svg,
                const char       *id_prefix,
                guint             number,
                const AttnImage  *image,
                GError          **error)
{
  g_autoptr (cairo_surface_t) surface = attn_pictures_make (image);
  g_autoptr (GByteArray) png = g_byte_array_new ();
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, append_cb, png);

  if (status != CAIRO_STATUS_SUCCESS)
    return attn_fail (error,
                      status == CAIRO_STATUS_NO_MEMORY ? ATTN_ERROR_MEMORY : ATTN_ERROR_LIMIT,
                      _("%s: Cairo says “%s”, expected that it can be drawn"), "SVG",
                      cairo_status_to_string (status));
  g_autofree char *data = g_base64_encode (png->data, png->len);
  g_string_append_printf (svg,
                          "<defs><image id=\"%spicture-%u\" width=\"1\" height=\"1\" "
                          "preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,",
                          id_prefix, number);
  g_string_append (svg, data);
  g_string_append (svg, "\"/></defs>\n");
  return TRUE;
}

/**
 * attn_svg_write_picture:
 * @pictures: (inout) (element-type AttnImage): the pictures that stand in the file already
 * @error: return location: %ATTN_ERROR_MEMORY, %ATTN_ERROR_LIMIT
 *
 * Writes a <use> of the mark's picture, and before the first one the picture itself.
 */
gboolean
attn_svg_write_picture (GString         *svg,
                        const char      *id_prefix,
                        GPtrArray       *pictures,
                        const AttnMark  *mark,
                        GError         **error)
{
  const AttnViewport *viewport = &mark->viewport;
  const AttnRectangle *part = &mark->rectangle;
  double width = part->width / viewport->width, height = part->height / viewport->height;
  gboolean is_cut = !attn_viewport_is_fit (viewport);
  guint number;

  if (!g_ptr_array_find (pictures, mark->image, &number))
    {
      number = pictures->len;
      if (!define_picture (svg, id_prefix, number, mark->image, error))
        return FALSE;
      g_ptr_array_add (pictures, mark->image);
    }
  if (is_cut)
    {
      g_string_append_printf (svg, "<clipPath id=\"%spicture-clip-%d\"><rect", id_prefix,
                              mark->group);
      attn_svg_append_rectangle (svg, part->x, part->y, part->width, part->height);
      g_string_append_printf (svg, "/></clipPath>\n<g clip-path=\"url(#%spicture-clip-%d)\">\n",
                              id_prefix, mark->group);
    }
  g_string_append_printf (svg, "<use class=\"picture\" xlink:href=\"#%spicture-%u\"", id_prefix,
                          number);
  attn_svg_append_attribute (svg, "opacity", mark->opacity);
  attn_svg_append_transform (svg, part->x - viewport->x * width, part->y - viewport->y * height,
                             width, height);
  g_string_append (svg, "/>\n");
  if (is_cut)
    g_string_append (svg, "</g>\n");
  return TRUE;
}
