/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A dialog that chooses the columns of a table of answers and the quantity to probe, and computes
 * the probe. */

#pragma once

#include <gtk/gtk.h>

#include "attn-model-reference.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

#define ATTN_TYPE_PROBE_DIALOG (attn_probe_dialog_get_type ())
G_DECLARE_FINAL_TYPE (AttnProbeDialog, attn_probe_dialog, ATTN, PROBE_DIALOG, GtkWindow)

AttnProbeDialog *attn_probe_dialog_new (GtkWindow *parent,
                                        const char *table,
                                        GStrv names,
                                        const AttnModelReference *model,
                                        AttnFraming framing);
void attn_probe_dialog_compute (AttnProbeDialog *self,
                                const char *path);

G_END_DECLS
