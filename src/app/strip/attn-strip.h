/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The strip above the figure, two lines of controls: which operation is done to which components,
 * with which ε, and which layer and head are on display. Controls that have no room on the first
 * line go into its menu. */

#pragma once

#include <gtk/gtk.h>

#include "attn-binder.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_STRIP (attn_strip_get_type ())
G_DECLARE_FINAL_TYPE (AttnStrip, attn_strip, ATTN, STRIP, GtkWidget)

void attn_strip_set_session      (AttnStrip     *strip,
                                  AttnSession   *session);
void attn_strip_set_operation    (AttnStrip     *strip,
                                  AttnOperation  operation);
void attn_strip_choose_component (AttnStrip     *strip,
                                  AttnComponent  component,
                                  gboolean       toggles);
void attn_strip_show_baseline    (AttnStrip     *strip,
                                  gboolean       is_shown);
void attn_strip_type_epsilon     (AttnStrip     *strip);
void attn_strip_settle           (AttnStrip     *strip);
AttnBinder *attn_strip_get_binder (AttnStrip    *strip);

G_END_DECLS
