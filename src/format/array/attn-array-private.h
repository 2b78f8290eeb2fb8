/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of arrays and files of arrays that only the readers and writers of file formats use. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

AttnArray *attn_array_new_outline (const char   *name,
                                   AttnDtype     dtype,
                                   guint         n_dims,
                                   const gsize  *shape,
                                   gsize        *n_bytes,
                                   GError      **error);
void    attn_array_gather   (const AttnArray  *array,
                             gsize             first,
                             gsize             n_elements,
                             void             *out);
void    attn_array_gather_little_endian (const AttnArray *array,
                                         void      *out);

void     attn_array_file_set_outline (AttnArrayFile       *file);
gboolean attn_array_file_is_outline  (const AttnArrayFile *file);
void            attn_array_file_set_header (AttnArrayFile       *file,
                                            AttnTableHeader      header);
AttnTableHeader attn_array_file_get_header (const AttnArrayFile *file);

/**
 * AttnArrayBytes:
 *
 * The range of bytes that the elements of an array take in the file, from @begin to before @end.
 */
typedef struct
{
  const char *name;
  gsize begin;
  gsize end;
} AttnArrayBytes;

gboolean attn_array_check_bytes (GArray      *extents,
                                 const char  *where,
                                 gsize        n_bytes,
                                 gboolean     allows_holes,
                                 GError     **error);

G_END_DECLS
