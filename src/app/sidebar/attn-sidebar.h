/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The controls of a study in the order of the work: model, inputs, figure, intervention, colour. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_SIDEBAR (attn_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (AttnSidebar, attn_sidebar, ATTN, SIDEBAR, GtkWidget)

void attn_sidebar_set_session     (AttnSidebar *sidebar,
                                   AttnSession *session);
void attn_sidebar_add_input       (AttnSidebar *sidebar);
gboolean
     attn_sidebar_takes_inputs    (AttnSidebar *sidebar);
void attn_sidebar_load_texts      (AttnSidebar *sidebar,
                                   GFile       *file);
void attn_sidebar_load_colormap   (AttnSidebar *sidebar,
                                   const char  *path);
gboolean
     attn_sidebar_is_text         (GFile       *file);

G_END_DECLS
