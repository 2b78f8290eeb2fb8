/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The marks on the track of ε where sinks end, and below the track their words and the powers of
 * ten. */

#pragma once

#include "attn-epsilon-canvas.h"

G_BEGIN_DECLS

void attn_epsilon_marks_add        (const AttnEpsilonCanvas *canvas,
                                    const AttnEpsilonCurves *curves,
                                    AttnRgb                  accent);
void attn_epsilon_marks_add_powers (const AttnEpsilonCanvas *canvas);

G_END_DECLS
