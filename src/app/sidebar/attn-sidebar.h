/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar: the controls of a study, in the order in which one works with them: model, inputs,
 * figure, intervention, colour. */

#pragma once

#include "attn-inputs-section.h"

G_BEGIN_DECLS

#define ATTN_TYPE_SIDEBAR (attn_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (AttnSidebar, attn_sidebar, ATTN, SIDEBAR, GtkBox)

void               attn_sidebar_set_session (AttnSidebar *sidebar,
                                             AttnSession *session,
                                             AttnReading *reading);
AttnInputsSection *attn_sidebar_get_inputs  (AttnSidebar *sidebar);
AttnBinder        *attn_sidebar_get_binder  (AttnSidebar *sidebar);

G_END_DECLS
