/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A scene as a file: SVG, PDF or PNG. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

typedef enum
{
  ATTN_EXPORT_SVG,
  ATTN_EXPORT_PDF,
  ATTN_EXPORT_PNG,
} AttnExportFormat;

#define ATTN_EXPORT_RESOLUTION 300.0 /* dots per inch of a PNG unless said otherwise */

gboolean attn_export_parse_format (const char         *path,
                                   AttnExportFormat   *format,
                                   GError            **error);
GBytes  *attn_export_to_bytes     (const AttnScene    *scene,
                                   AttnExportFormat    format,
                                   double              resolution,
                                   const char         *title,
                                   const char         *metadata,
                                   GError            **error);

G_END_DECLS
