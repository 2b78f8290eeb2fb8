/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A dialog that chooses how the figure is exported: format, page and text. The study in the window
 * is not changed. */

#pragma once

#include <gtk/gtk.h>

#include "attn-export-job.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EXPORT_DIALOG (attn_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (AttnExportDialog, attn_export_dialog, ATTN, EXPORT_DIALOG, GtkWindow)

AttnExportDialog *attn_export_dialog_new        (GtkWindow               *parent,
                                                 AttnSession             *session,
                                                 const AttnStudy         *before,
                                                 const AttnStudy         *chosen,
                                                 const AttnViewport      *shown,
                                                 GArray                  *views,
                                                 gboolean                 shows_baseline,
                                                 GSettings               *settings);
AttnResult       *attn_export_dialog_dup_result (AttnExportDialog        *dialog);
const AttnStudy  *attn_export_dialog_get_study  (AttnExportDialog        *dialog);
AttnExportKind    attn_export_dialog_get_kind   (AttnExportDialog        *dialog);
gssize            attn_export_dialog_get_panel  (AttnExportDialog        *dialog);

G_END_DECLS
