/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists the pictures or sounds in a folder. A survey treats each file like a text. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char   *attn_text_folder_find_first (const char  *folder,
                                     gboolean     has_sounds,
                                     GError     **error);
GBytes *attn_text_folder_list       (const char  *folder,
                                     gboolean     has_sounds,
                                     char       **checksum,
                                     GError     **error);

G_END_DECLS
