/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Readers and writers of the file formats that are listed in attn-array-format.c. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/* The most bytes of an .npy file before its elements. */
#define ATTN_NPY_MAX_HEADER ((gsize) 65536 + 12)

gboolean attn_safetensors_read  (AttnArrayFile        *file,
                                 GBytes               *bytes,
                                 GError              **error);
GBytes  *attn_safetensors_write (const AttnArrayFile  *file,
                                 GError              **error);
gboolean attn_npy_read          (AttnArrayFile        *file,
                                 const char           *name,
                                 GBytes               *bytes,
                                 GError              **error);
AttnArray *attn_npy_outline     (const char           *name,
                                 const char           *where,
                                 const guint8         *data,
                                 gsize                 n_data,
                                 gsize                 size,
                                 GError              **error);
GBytes  *attn_npy_write         (const AttnArray      *array,
                                 GError              **error);
gboolean attn_npz_read          (AttnArrayFile        *file,
                                 GBytes               *bytes,
                                 GError              **error);
GBytes  *attn_npz_write         (const AttnArrayFile  *file,
                                 GError              **error);
gboolean attn_gguf_read         (AttnArrayFile        *file,
                                 GBytes               *bytes,
                                 GError              **error);
gboolean attn_torch_is_content  (gboolean              is_named,
                                 GBytes               *bytes);
gboolean attn_torch_read        (AttnArrayFile        *file,
                                 GBytes               *bytes,
                                 GError              **error);
gboolean attn_csv_read          (AttnArrayFile        *file,
                                 GBytes               *bytes,
                                 GError              **error);
GBytes  *attn_csv_write         (const AttnArrayFile  *file,
                                 GError              **error);

G_END_DECLS
