/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section for the colours of a figure: its colour map and the ends of its range. */

#pragma once

#include "attn-binder.h"

G_BEGIN_DECLS

#define ATTN_TYPE_COLOR_SECTION (attn_color_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnColorSection, attn_color_section, ATTN, COLOR_SECTION, GtkBox)

void attn_color_section_set_up (AttnColorSection *section,
                                AttnSession      *session,
                                AttnBinder       *binder);
void attn_color_section_sync   (AttnColorSection *section);

G_END_DECLS
