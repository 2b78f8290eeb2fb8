/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-image-read.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-jpeg-inks.h"

#define MAX_BYTES ((gsize) 1 << 29)
/* The number of bytes of a file that are given to gdk-pixbuf at a time, so that it reports the
 * picture's size before it reads the pixels. */
#define CHUNK ((gsize) 1 << 16)

typedef struct
{
  gsize width;
  gsize height;
  gboolean is_too_large;
} Size;

static void
check_size (Size *size)
{
  size->is_too_large =
      size->width == 0 || size->height == 0 || MAX (size->width, size->height) > G_MAXUINT16 ||
      size->width > ATTN_IMAGE_MAX_PIXELS / size->height;
}

/* Checks the size of a picture when it is known. If it is too large, setting a size of zero makes
 * the loader stop before it allocates memory for pixels. */
static void
size_prepared_cb (GdkPixbufLoader *loader,
                  int              width,
                  int              height,
                  Size            *size)
{
  size->width = (gsize) MAX (width, 0);
  size->height = (gsize) MAX (height, 0);
  check_size (size);
  if (size->is_too_large)
    gdk_pixbuf_loader_set_size (loader, 0, 0);
}

/* Makes a picture with the red, green and blue of each pixel. The alpha channel is ignored. */
static AttnImage *
take_pixels (const GdkPixbuf  *pixbuf,
             GError          **error)
{
  gsize width = (gsize) gdk_pixbuf_get_width (pixbuf);
  gsize height = (gsize) gdk_pixbuf_get_height (pixbuf);
  gsize n_channels = (gsize) gdk_pixbuf_get_n_channels (pixbuf);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  const guint8 *pixels = gdk_pixbuf_read_pixels (pixbuf);
  AttnImage *image = attn_image_new (width, height, error);

  for (gsize y = 0; image != NULL && y < height; y++)
    for (gsize x = 0; x < width; x++)
      memcpy (image->rgb + (y * width + x) * 3, pixels + y * stride + x * n_channels, 3);
  return image;
}

/* Decodes a picture by gdk-pixbuf. Returns NULL on failure: if the size is too large, @size says
 * so; if the file is no picture, @reason is set to why; otherwise @error is set. */
static AttnImage *
load_pixels (const guint8  *data,
             gsize          n_bytes,
             Size          *size,
             char         **reason,
             GError       **error)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr (GError) own = NULL;
  gboolean is_read = n_bytes > 0;

  g_signal_connect (loader, "size-prepared", G_CALLBACK (size_prepared_cb), size);
  for (gsize i = 0; is_read && !size->is_too_large && i < n_bytes; i += CHUNK)
    is_read = gdk_pixbuf_loader_write (loader, data + i, MIN (CHUNK, n_bytes - i), &own);
  if (!gdk_pixbuf_loader_close (loader, is_read ? &own : NULL))
    is_read = FALSE;
  if (size->is_too_large)
    return NULL;

  const GdkPixbuf *pixbuf = is_read ? gdk_pixbuf_loader_get_pixbuf (loader) : NULL;
  if (pixbuf != NULL)
    return take_pixels (pixbuf, error);
  *reason = g_strdup (own != NULL ? own->message : _("the file is empty"));
  return NULL;
}

/* Decodes a JPEG of four inks (CMYK), which gdk-pixbuf would convert otherwise than Pillow. Fails
 * in the same ways as load_pixels(). */
static AttnImage *
load_inks (const guint8  *data,
           gsize          n_bytes,
           Size          *size,
           char         **reason,
           GError       **error)
{
  g_autoptr (AttnImage) image = NULL;

  check_size (size);
  if (!size->is_too_large)
    image = attn_image_new (size->width, size->height, error);
  if (image == NULL || (*reason = attn_jpeg_read_inks (data, n_bytes, image->rgb)) != NULL)
    return NULL;
  return g_steal_pointer (&image);
}

/**
 * attn_image_read:
 * @path: the path of a PNG, a JPEG or any other picture that gdk-pixbuf reads
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for a file that is no picture,
 *   %ATTN_ERROR_LIMIT for more than %ATTN_IMAGE_MAX_PIXELS pixels, which are not decoded,
 *   %ATTN_ERROR_MEMORY
 *
 * Reads a picture with the colours that Pillow's convert("RGB") makes: grey is repeated for the
 * three channels, alpha is dropped, of 16 bits the upper 8 are kept, and four inks are converted.
 * Of an animation the first picture is read. The orientation that a camera has noted is not
 * applied, since the published image processors do not apply it. Any thread may call.
 *
 * Returns: (transfer full) (nullable): the picture
 */
AttnImage *
attn_image_read (const char  *path,
                 GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, MAX_BYTES, error);
  g_autofree char *where = g_filename_display_name (path);
  g_autofree char *reason = NULL;
  Size size = { 0 };
  gsize n_bytes = 0;

  if (bytes == NULL)
    return NULL;

  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  AttnImage *image = attn_jpeg_has_inks (data, n_bytes, &size.width, &size.height)
                         ? load_inks (data, n_bytes, &size, &reason, error)
                         : load_pixels (data, n_bytes, &size, &reason, error);
  if (size.is_too_large)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%s: a picture of %zu x %zu pixels found, expected 1 to %zu of them, "
                             "no side longer than %d"),
                           where, size.width, size.height, ATTN_IMAGE_MAX_PIXELS, G_MAXUINT16);
  if (reason != NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no picture found (%s), expected a PNG, a JPEG or another that "
                             "can be read"),
                           where, reason);
  return image;
}

/**
 * attn_image_is_file:
 * @path: the path of a file
 *
 * Returns: whether its name has a suffix of pictures, such as .png, in upper or lower case
 */
gboolean
attn_image_is_file (const char *path)
{
  static const char * const suffixes[] = { ".png", ".jpg", ".jpeg", ".webp", ".gif",
                                           ".bmp", ".tif", ".tiff" };
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  return FALSE;
}
