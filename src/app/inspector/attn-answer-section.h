/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section with the answers, the texts that the model generates after an input, with and without
 * the intervention of a panel. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_ANSWER_SECTION (attn_answer_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnAnswerSection, attn_answer_section, ATTN, ANSWER_SECTION, GtkBox)

void attn_answer_section_read (AttnAnswerSection *section,
                               AttnSession       *session,
                               AttnReading       *figure);

G_END_DECLS
