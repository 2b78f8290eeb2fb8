/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure of 2 x 2 panels with known weights, to be read. */

#pragma once

#include "attn-grid.h"

G_BEGIN_DECLS

/* Rows and columns of a panel. */
#define N_TOKENS 12

AttnPanel *reading_fixture_panel (gsize group);
AttnGrid  *reading_fixture_grid  (void);

G_END_DECLS
