/* SPDX-License-Identifier: GPL-3.0-or-later */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

void attn_attention_choice_begin (GtkDropDown *drop_down,
                                  AttnSession *session);
void attn_attention_choice_sync  (GtkDropDown *drop_down,
                                  GtkWidget   *row,
                                  AttnSession *session);

G_END_DECLS
