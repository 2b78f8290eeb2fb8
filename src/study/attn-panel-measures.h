/* SPDX-License-Identifier: GPL-3.0-or-later */

/* All measures of a panel in one pass, quick enough for every position of the ε slider. Private to
 * src/study. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

AttnPanelMeasures attn_panel_measures_compute (AttnPanel *panel,
                                               AttnPanel *baseline);

G_END_DECLS
