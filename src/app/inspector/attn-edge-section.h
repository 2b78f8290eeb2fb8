/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section that shows why a query attends to a key: their score as a sum over features, the
 * dimensions of the head's queries and keys. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EDGE_SECTION (attn_edge_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnEdgeSection, attn_edge_section, ATTN, EDGE_SECTION, GtkBox)

void attn_edge_section_read (AttnEdgeSection *section,
                             AttnSession     *session,
                             AttnReading     *figure);

G_END_DECLS
