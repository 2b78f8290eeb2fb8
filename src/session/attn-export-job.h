/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exports a result as a drawing (such as PDF or SVG) or as numbers (arrays, JSON). */

#pragma once

#include "attn-job.h"
#include "attn-result-data.h"

G_BEGIN_DECLS

/**
 * AttnExportKind:
 *
 * Kinds of files that a result can be exported as, numbered: first the formats of figures
 * (#AttnExportFormat), then the formats of arrays that have an export title (#AttnArrayFormat),
 * last JSON.
 */
typedef guint AttnExportKind;

guint       attn_export_kind_get_n       (void);
const char *attn_export_kind_get_suffix  (AttnExportKind     kind);
const char *attn_export_kind_get_title   (AttnExportKind     kind);
gboolean    attn_export_kind_is_figure   (AttnExportKind     kind);
gboolean    attn_export_kind_needs_panel (AttnExportKind     kind);
gboolean    attn_export_kind_parse       (const char        *path,
                                          AttnExportKind    *kind,
                                          GError           **error);

char       *attn_export_dup_name         (const AttnStudy   *study,
                                          const AttnStudy   *preset,
                                          const char        *model,
                                          const char        *path);
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
