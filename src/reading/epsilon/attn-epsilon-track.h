/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Track of a slider for factors ε, which converts between ε and pixels on a logarithmic scale. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Smallest width in pixels of a power of ten between 10 and 1e-3, where most changes occur. */
#define ATTN_EPSILON_TRACK_DECADE 60

/* Factor by which a handle moves more slowly during fine adjustment. */
#define ATTN_EPSILON_TRACK_FINE 0.1

/**
 * AttnEpsilonTrack:
 * @low: log10 of ε at its left end
 * @high: log10 of ε at its right end
 * @bend: log10 of ε where the scale changes: left of it a power of ten has less room; @low for none
 * @bend_x: the place where the scale changes, in pixels from the left end
 * @width: pixels from end to end
 */
typedef struct
{
  double low;
  double high;
  double bend;
  double bend_x;
  double width;
} AttnEpsilonTrack;

AttnEpsilonTrack attn_epsilon_track_fit         (const double           *epsilons,
                                                 gsize                   n_epsilons,
                                                 double                  width);
double           attn_epsilon_track_get_x       (const AttnEpsilonTrack *track,
                                                 double                  epsilon);
gboolean         attn_epsilon_track_get_break   (const AttnEpsilonTrack *track,
                                                 double                 *x,
                                                 double                 *share);
double           attn_epsilon_track_get_epsilon (const AttnEpsilonTrack *track,
                                                 double                  x);
double           attn_epsilon_track_snap        (const AttnEpsilonTrack *track,
                                                 double                  x,
                                                 const double           *detents,
                                                 gsize                   n_detents);
double           attn_epsilon_track_get_round   (const AttnEpsilonTrack *track,
                                                 double                  x);
double           attn_epsilon_round             (double                  epsilon,
                                                 guint                   n_digits);
void             attn_epsilon_track_spread      (const double           *wanted,
                                                 gsize                   n,
                                                 double                  extent,
                                                 double                  width,
                                                 double                 *places);

G_END_DECLS
