/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files of arrays, as the program writes them. */

#pragma once

#include "attn-array.h"
#include "attn-save.h"

static inline gboolean
save_arrays (const AttnArrayFile  *file,
             const char           *path,
             GError              **error)
{
  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, path, error);

  return bytes != NULL && attn_save_bytes (path, bytes, error);
}
