/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts about the model, in a popover that a button beside its name opens. */

#pragma once

#include <gtk/gtk.h>

#include "attn-model.h"

G_BEGIN_DECLS

#define ATTN_TYPE_MODEL_INFO (attn_model_info_get_type ())
G_DECLARE_FINAL_TYPE (AttnModelInfoPopover, attn_model_info, ATTN, MODEL_INFO, GtkBox)

void attn_model_info_set_model (AttnModelInfoPopover *info,
                                AttnModel            *model);

G_END_DECLS
