/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section that shows a profile of the panel under the cursor, which is a row, a column or the
 * weights by distance: statistics, bars, and the largest values. */

#pragma once

#include <gtk/gtk.h>

#include "attn-profile.h"
#include "attn-reading.h"

G_BEGIN_DECLS

#define ATTN_TYPE_PROFILE_SECTION (attn_profile_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnProfileSection, attn_profile_section, ATTN, PROFILE_SECTION, GtkBox)

void attn_profile_section_set_kind (AttnProfileSection *section,
                                    AttnProfileKind     kind);
void attn_profile_section_read     (AttnProfileSection *section,
                                    AttnReading        *figure);

G_END_DECLS
