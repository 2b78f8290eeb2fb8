/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A widget that draws a profile as bars, and lists its largest values with their tokens. */

#pragma once

#include <gtk/gtk.h>

#include "attn-profile.h"

G_BEGIN_DECLS

#define ATTN_TYPE_PROFILE_VIEW (attn_profile_view_get_type ())
G_DECLARE_FINAL_TYPE (AttnProfileView, attn_profile_view, ATTN, PROFILE_VIEW, GtkWidget)

void attn_profile_view_set_lines   (AttnProfileView *view,
                                    guint            n_lines);
void attn_profile_view_set_profile (AttnProfileView *view,
                                    AttnProfile     *profile,
                                    gssize           mark);
void attn_profile_view_set_mark    (AttnProfileView *view,
                                    gssize           mark);

G_END_DECLS
