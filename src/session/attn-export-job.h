/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What can be made of a result: a drawing, or its numbers. */

#pragma once

#include "attn-job.h"
#include "attn-result-data.h"

G_BEGIN_DECLS

/**
 * AttnExportKind:
 *
 * Formats of files, figures before numbers.
 */
typedef enum
{
  ATTN_EXPORT_KIND_SVG,
  ATTN_EXPORT_KIND_PDF,
  ATTN_EXPORT_KIND_PNG,
  ATTN_EXPORT_KIND_NPZ,
  ATTN_EXPORT_KIND_NPY,
  ATTN_EXPORT_KIND_CSV,
  ATTN_EXPORT_KIND_JSON,
} AttnExportKind;

#define ATTN_N_EXPORT_KINDS 7

const char *attn_export_kind_get_suffix  (AttnExportKind     kind);
const char *attn_export_kind_get_title   (AttnExportKind     kind);
gboolean    attn_export_kind_is_figure   (AttnExportKind     kind);
gboolean    attn_export_kind_needs_panel (AttnExportKind     kind);
gboolean    attn_export_kind_parse       (const char        *path,
                                          AttnExportKind    *kind,
                                          GError           **error);

GBytes     *attn_export_kind_make        (AttnExportKind     kind,
                                          const AttnResult  *result,
                                          const AttnStudy   *study,
                                          gssize             panel,
                                          GError           **error);
GBytes     *attn_export_panel            (const AttnResult  *result,
                                          gsize              panel,
                                          AttnExportFormat   format,
                                          GError           **error);

G_END_DECLS
