/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads pictures from files in all formats that the library gdk-pixbuf reads, such as PNG and
 * JPEG. */

#pragma once

#include "attn-image.h"

G_BEGIN_DECLS

/* The most pixels of a picture that is read. They take 400 MB of memory. */
#define ATTN_IMAGE_MAX_PIXELS ((gsize) 1 << 27)

AttnImage *attn_image_read    (const char *path,
                               GError    **error);
gboolean   attn_image_is_file (const char *path);

G_END_DECLS
