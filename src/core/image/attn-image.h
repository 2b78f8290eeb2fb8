/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A picture with 8 bits per channel. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnImage:
 * @rgb: [height, width, 3]: red, green and blue, 0 to 255
 *
 * Immutable once it is given away, and reference-counted; any thread may use it.
 */
typedef struct
{
  gsize width;
  gsize height;
  guint8 *rgb;

  /*< private >*/
  gatomicrefcount ref_count;
} AttnImage;

AttnImage *attn_image_new   (gsize       width,
                             gsize       height,
                             GError    **error);
AttnImage *attn_image_ref   (AttnImage  *image);
void       attn_image_unref (AttnImage  *image);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnImage, attn_image_unref)

G_END_DECLS
