/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section of the inspector for a survey, a measure of all heads over many texts: it lists the
 * texts with the largest and smallest values for the head on display, and some of each tenth
 * between. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_TEXTS_SECTION (attn_texts_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnTextsSection, attn_texts_section, ATTN, TEXTS_SECTION, GtkBox)

void attn_texts_section_read (AttnTextsSection *section,
                              AttnSession      *session);

G_END_DECLS
