/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section that shows the next token that the model predicts at the query under the cursor, before
 * and after the intervention. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_PREDICTION_SECTION (attn_prediction_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnPredictionSection, attn_prediction_section, ATTN, PREDICTION_SECTION,
                      GtkBox)

void attn_prediction_section_read (AttnPredictionSection *section,
                                   AttnSession           *session,
                                   AttnReading           *figure);

G_END_DECLS
