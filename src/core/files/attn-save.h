/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes files so that no half-written file is ever seen. The program writes every file by these
 * functions. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_save_bytes (const char  *path,
                          GBytes      *bytes,
                          GError     **error);
gboolean attn_save_move  (const char  *source,
                          const char  *path,
                          GError     **error);
gboolean attn_save_check (const char  *path,
                          GError     **error);
char    *attn_save_make_folder   (const char  *path,
                                  GError     **error);
void     attn_save_remove_folder (char        *folder);

G_END_DECLS
