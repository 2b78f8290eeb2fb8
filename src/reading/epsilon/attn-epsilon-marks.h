/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stands on and below the track of ε: marks where sinks end, their words, and the powers of
 * ten. */

#pragma once

#include "attn-epsilon-canvas.h"

G_BEGIN_DECLS

void attn_epsilon_marks_add        (const AttnEpsilonCanvas *canvas,
                                    const AttnEpsilonCurves *curves,
                                    AttnRgb                  accent);
void attn_epsilon_marks_add_powers (const AttnEpsilonCanvas *canvas);

G_END_DECLS
