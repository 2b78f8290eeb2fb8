/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The section of the side bar for the inputs of a study, or for the texts of a question and its
 * answer. */

#pragma once

#include "attn-binder.h"
#include "attn-reading.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INPUTS_SECTION (attn_inputs_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputsSection, attn_inputs_section, ATTN, INPUTS_SECTION, GtkBox)

void     attn_inputs_section_set_up       (AttnInputsSection *section,
                                           AttnSession       *session,
                                           AttnBinder        *binder,
                                           AttnReading       *reading);
void     attn_inputs_section_sync         (AttnInputsSection *section);
void     attn_inputs_section_sync_tokens  (AttnInputsSection *section);
void     attn_inputs_section_add          (AttnInputsSection *section);
void     attn_inputs_section_focus        (AttnInputsSection *section,
                                           guint              index,
                                           gboolean           selects);
void     attn_inputs_section_load         (AttnInputsSection *section,
                                           GFile             *file);
void     attn_inputs_section_continue     (AttnInputsSection *section,
                                           guint              index);
gboolean attn_inputs_section_paste        (AttnInputsSection *section);

G_END_DECLS
