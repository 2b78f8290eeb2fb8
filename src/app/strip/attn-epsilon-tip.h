/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The text of the slider's tip at a point: the value of ε there, the curves, and the marks of the ε
 * at which sinks (tokens that attract most weight) end. */

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
