/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A picture in memory with 8 bits for each of red, green and blue. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnImage:
 * @rgb: [height, width, 3]: red, green and blue, 0 to 255
 *
 * Reference-counted. Its maker fills it; once another object or thread has it, it does not change,
 * and any thread may use it.
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
