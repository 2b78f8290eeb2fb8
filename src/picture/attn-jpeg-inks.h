/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JPEGs of four inks, which gdk-pixbuf turns into three colours otherwise than Pillow. */

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
