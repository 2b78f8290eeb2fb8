/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inputs of the side bar put into another order by hand: rows are dragged by their handles. */

#pragma once

#include "attn-input-row.h"

G_BEGIN_DECLS

void attn_input_drag_add (AttnInputRow *row);

G_END_DECLS
