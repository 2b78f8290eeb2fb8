/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lets the user put the inputs in the side bar into another order: their rows are dragged by
 * handles. */

#pragma once

#include "attn-input-row.h"

G_BEGIN_DECLS

void attn_input_drag_add (AttnInputRow *row);

G_END_DECLS
