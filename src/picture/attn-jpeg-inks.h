/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads JPEGs of four inks (CMYK) with the same colours as Pillow, since gdk-pixbuf converts them
 * in another way. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_jpeg_has_inks  (const guint8 *data,
                              gsize         n_bytes,
                              gsize        *width,
                              gsize        *height);
char    *attn_jpeg_read_inks (const guint8 *data,
                              gsize         n_bytes,
                              guint8       *rgb);

G_END_DECLS
