/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks about the cell that is read where it stands: its row's and its column's label, its place on
 * the colour bar, and its numbers beside the pointer. */

#pragma once

#include <cairo.h>

#include "attn-reading.h"

G_BEGIN_DECLS

void attn_callout_draw (AttnReading *reading,
                        cairo_t     *cr);

G_END_DECLS
