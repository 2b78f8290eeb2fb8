/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks for the current cell: the labels of its row and column, its value on the colour bar, and
 * its numbers at the pointer. */

#pragma once

#include <cairo.h>

#include "attn-reading.h"

G_BEGIN_DECLS

void attn_callout_draw (AttnReading *reading,
                        cairo_t     *cr);

G_END_DECLS
