/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The alphabet in which byte-level vocabularies spell bytes: one printable character for each byte,
 * such as "Ġ" for a space. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gunichar attn_byte_level_get_char (guint8       byte);
int      attn_byte_level_get_byte (gunichar     character);
gboolean attn_byte_level_decode   (const char  *piece,
                                   GString     *bytes);

G_END_DECLS
