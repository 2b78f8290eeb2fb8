/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Curves over ε: measures of the panels of a figure, from a sweep (the panels for a series of ε) of
 * the whole range and a finer one. A panel is a sink while its queries give much of their attention
 * to the first key. */

#pragma once

#include "attn-epsilon-panels.h"
#include "attn-epsilon-track.h"
#include "attn-sweep.h"

G_BEGIN_DECLS

/* Largest number of curves with names. More cannot be told apart. */
#define ATTN_EPSILON_MAX_NAMED 9

/* Width in pixels of the triangle that marks where a sink ends. */
#define ATTN_EPSILON_TRIANGLE 8.0

/**
 * AttnEpsilonMeasure:
 * @ATTN_EPSILON_SINK: the sink score of the first key, 0 to 1
 * @ATTN_EPSILON_DISTANCE: the total variation distance to the baseline, 0 to 1
 * @ATTN_EPSILON_KL: KL(baseline ‖ modified) of the prediction, mean over the positions, bits
 */
typedef enum
{
  ATTN_EPSILON_SINK,
  ATTN_EPSILON_DISTANCE,
  ATTN_EPSILON_KL,
  ATTN_EPSILON_N_MEASURES
} AttnEpsilonMeasure;

/**
 * AttnEpsilonCurve:
 * @name: name of the panel, translated
 * @values: (array): by measure, at each point; %NULL for a measure that was not computed
 * @has_end: whether the panel is a sink at ε = 1 and stops being one as ε falls
 * @end: the ε at which it stops being a sink, see [func@attn_sweep_find_end]
 */
typedef struct
{
  char *name;
  double *values[ATTN_EPSILON_N_MEASURES];
  gboolean has_end;
  double end;
} AttnEpsilonCurve;

/**
 * AttnEpsilonEnd:
 * @epsilon: the ε at which the sink of a panel ends
 * @panels: (array length=n_panels): indices of the panels whose sink ends there
 */
typedef struct
{
  double epsilon;
  gsize *panels;
  guint n_panels;
} AttnEpsilonEnd;

/**
 * AttnEpsilonCurves:
 * @epsilons: (array length=n_points): from small to large
 * @curves: (array length=n_curves): one for each panel
 * @panels: what a mark calls these panels
 * @ends: (array length=n_ends): where sinks end, from small to large ε
 *
 * Immutable.
 */
typedef struct
{
  double *epsilons;
  gsize n_points;
  AttnEpsilonCurve *curves;
  gsize n_curves;
  AttnEpsilonPanels *panels;
  AttnEpsilonEnd *ends;
  gsize n_ends;
} AttnEpsilonCurves;

AttnEpsilonCurves *attn_epsilon_curves_new         (const AttnSweep         *wide,
                                                    const AttnSweep         *close);
void               attn_epsilon_curves_free        (AttnEpsilonCurves       *curves);
gboolean           attn_epsilon_curves_has         (const AttnEpsilonCurves *curves,
                                                    AttnEpsilonMeasure       measure);
double             attn_epsilon_curves_get_highest (const AttnEpsilonCurves *curves,
                                                    AttnEpsilonMeasure       measure);
double             attn_epsilon_curves_walk        (const AttnEpsilonCurves *curves,
                                                    double                   share);
char              *attn_epsilon_curves_describe    (const AttnEpsilonCurves *curves);
const AttnEpsilonEnd *attn_epsilon_curves_find_end (const AttnEpsilonCurves *curves,
                                                    const AttnEpsilonTrack  *track,
                                                    double                   x,
                                                    double                   reach);
gsize              attn_epsilon_curves_find_mark   (const AttnEpsilonCurves *curves,
                                                    const AttnEpsilonTrack  *track,
                                                    gsize                    end,
                                                    gsize                   *n);
char              *attn_epsilon_curves_format_ends (const AttnEpsilonCurves *curves,
                                                    gsize                    first,
                                                    gsize                    n);
char              *attn_epsilon_curves_name_ends   (const AttnEpsilonCurves *curves,
                                                    gsize                    first,
                                                    gsize                    n,
                                                    guint                   *n_panels,
                                                    gboolean                *is_whole);
char              *attn_epsilon_curves_describe_ends (const AttnEpsilonCurves *curves,
                                                    gsize                    first,
                                                    gsize                    n);
char              *attn_epsilon_curves_describe_at (const AttnEpsilonCurves *curves,
                                                    double                   epsilon);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnEpsilonCurves, attn_epsilon_curves_free)

G_END_DECLS
