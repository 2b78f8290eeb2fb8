/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-image.h"

#include <glib/gi18n-lib.h>

#include "attn-memory.h"

/**
 * attn_image_new:
 * @width: in pixels, at least 1
 * @height: in pixels, at least 1
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): a black picture, which the caller fills before another
 *   object or thread has it
 */
AttnImage *
attn_image_new (gsize    width,
                gsize    height,
                GError **error)
{
  gsize n_bytes = 0;
  g_autofree AttnImage *image = g_new0 (AttnImage, 1);

  if (!g_size_checked_mul (&n_bytes, width, height) ||
      !g_size_checked_mul (&n_bytes, n_bytes, 3))
    n_bytes = G_MAXSIZE;
  if (!attn_memory_check (n_bytes, _("a picture"), error))
    return NULL;
  image->rgb = attn_memory_try_alloc (n_bytes, _("a picture"), error);
  if (image->rgb == NULL)
    return NULL;
  memset (image->rgb, 0, n_bytes);
  image->width = width;
  image->height = height;
  g_atomic_ref_count_init (&image->ref_count);
  return g_steal_pointer (&image);
}

AttnImage *
attn_image_ref (AttnImage *image)
{
  g_atomic_ref_count_inc (&image->ref_count);
  return image;
}

void
attn_image_unref (AttnImage *image)
{
  if (!g_atomic_ref_count_dec (&image->ref_count))
    return;
  g_free (image->rgb);
  g_free (image);
}
