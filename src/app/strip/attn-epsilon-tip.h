/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Words that tell the value of ε, the curves and the marks at a point of the slider. */

#pragma once

#include "attn-epsilon-curves.h"

G_BEGIN_DECLS

/**
 * AttnEpsilonZone:
 * @ATTN_EPSILON_ZONE_CURVES: between the numbers and the track
 * @ATTN_EPSILON_ZONE_TRACK: the track, or the numbers of its handles
 * @ATTN_EPSILON_ZONE_BELOW: the labels below the track
 */
typedef enum
{
  ATTN_EPSILON_ZONE_CURVES,
  ATTN_EPSILON_ZONE_TRACK,
  ATTN_EPSILON_ZONE_BELOW,
} AttnEpsilonZone;

char *attn_epsilon_tip_describe (const AttnEpsilonCurves *curves,
                                 const AttnEpsilonTrack  *track,
                                 double                   x,
                                 AttnEpsilonZone          zone,
                                 gboolean                 is_dragging);

G_END_DECLS
