/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads files and detects those that change meanwhile. The program reads every file by these
 * functions. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char    *attn_file_dup_stamp (const char *path);
GBytes  *attn_file_map   (const char  *path,
                          GError     **error);
GBytes  *attn_file_read  (const char  *path,
                          gsize        max_bytes,
                          GError     **error);
gboolean attn_file_check (GBytes      *mapped,
                          GError     **error);
gboolean attn_file_is_mapped (GBytes  *bytes);
void     attn_file_expect    (const void  *start,
                              gsize        n_bytes);
GBytes  *attn_file_read_text (const char  *path,
                              GError     **error);
gboolean attn_file_begins_with (const char *path,
                                const void *start,
                                gsize       n_bytes);
GBytes  *attn_file_read_start (const char  *path,
                               gsize        max_bytes,
                               gsize       *size,
                               GError     **error);
gboolean attn_file_check_size (const char  *path,
                               gsize        size,
                               gsize        max_bytes,
                               GError     **error);

/**
 * AttnFileList:
 *
 * The files that a model or the like was read from. As long as the list exists,
 * [func@attn_save_bytes] refuses to write to any of them.
 */
typedef struct _AttnFileList AttnFileList;

AttnFileList *attn_file_list_new   (void);
void          attn_file_list_free  (AttnFileList        *list);
void          attn_file_list_begin (AttnFileList        *list);
void          attn_file_list_end   (AttnFileList        *list);
gboolean      attn_file_list_check (const AttnFileList  *list,
                                    GError             **error);
char         *attn_file_list_find  (const char          *path);
void          attn_file_list_forget (const char         *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnFileList, attn_file_list_free)

G_END_DECLS
