/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lays out the track of a slider for ε: curves over it with their names, powers of ten, and where
 * sinks end. */

#pragma once

#include "attn-epsilon-curves.h"
#include "attn-epsilon-track.h"
#include "attn-scene.h"

G_BEGIN_DECLS

/* The height in pixels below which curves over the track are left out, as they would show
 * nothing. */
#define ATTN_EPSILON_LEAST_PLOT 24

/**
 * AttnEpsilonPlan:
 * @track: the scale of the track, whose left end is at @start
 * @start: x of the left end of the track, in pixels like all below
 * @width: of the whole slider
 * @line: y of the line of the track
 * @plot_height: height of the curves, from the line up
 * @labels: y of the middle of the numbers below the track
 * @marks: y of the middle of the words of marks, below the numbers; 0 if there is no room for words
 * @reach: how far the handles reach above the line
 * @handles: (array length=n_handles): ε of the handles, of which the names of curves keep clear
 *
 * The room that a slider has for the parts of its scene.
 */
typedef struct
{
  AttnEpsilonTrack track;
  double start;
  double width;
  double line;
  double plot_height;
  double labels;
  double marks;
  double reach;
  const double *handles;
  gsize n_handles;
} AttnEpsilonPlan;

AttnScene *attn_epsilon_scene_new (const AttnEpsilonPlan   *plan,
                                   const AttnStyle         *style,
                                   AttnRgb                  accent,
                                   const AttnEpsilonCurves *curves,
                                   AttnEpsilonMeasure       measure);

G_END_DECLS
