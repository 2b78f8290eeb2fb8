/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The factors ε of a study: sliders, their play, and the curves of a sweep. */

#pragma once

#include "attn-binder.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EPSILON_SECTION (attn_epsilon_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonSection, attn_epsilon_section, ATTN, EPSILON_SECTION, GtkBox)

void attn_epsilon_section_set_up     (AttnEpsilonSection *section,
                                      AttnSession        *session,
                                      AttnBinder         *binder);
void attn_epsilon_section_sync       (AttnEpsilonSection *section);
void attn_epsilon_section_sync_sweep (AttnEpsilonSection *section);

G_END_DECLS
