/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The headings of the rows and columns of panels, which stand where there is no room for the titles
 * of the panels. */

#pragma once

#include "attn-reading.h"

G_BEGIN_DECLS

char *attn_heading_describe (AttnReading   *reading,
                             double         x,
                             double         y,
                             AttnRectangle *box);

G_END_DECLS
