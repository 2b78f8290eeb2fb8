/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pictures of a folder, each of which is what a text is elsewhere. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char   *attn_text_folder_find_first (const char  *folder,
                                     GError     **error);
GBytes *attn_text_folder_list       (const char  *folder,
                                     char       **checksum,
                                     GError     **error);

G_END_DECLS
