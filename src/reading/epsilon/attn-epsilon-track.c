/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-track.h"

#include <math.h>

#include "attn-intervention.h"

/* Ends of the track as log10 of ε: the default ends, which grow if a value lies beyond, and the
 * lowest left end. */
#define USUAL_LOW  (-3.0)
#define USUAL_HIGH 1.0
#define LEAST_LOW  (-12.0)

/* Distances in pixels. */
#define SNAP       4  /* distance in pixels within which a handle snaps to a mark */
#define NEAR       2  /* distance in pixels within which a handle takes a number of one digit */
#define BREAK_SIDE 14 /* distance in pixels from the sign for a change of the scale to the place of
                       * the change, where a handle often stands */

/**
 * attn_epsilon_track_fit:
 * @epsilons: (array length=n_epsilons): the ε of the handles
 * @width: pixels from end to end
 *
 * Returns: a track from 10 to 1e-3, or to 1e-12 if a handle is at 1e-3 or below, so that it can be
 *   moved on. If @width has less than 60 pixels for each power of ten, powers below 1e-3 have less
 *   room than others.
 */
AttnEpsilonTrack
attn_epsilon_track_fit (const double *epsilons,
                        gsize         n_epsilons,
                        double        width)
{
  AttnEpsilonTrack track = { USUAL_LOW, USUAL_HIGH, USUAL_LOW, 0, MAX (width, 1) };

  for (gsize i = 0; i < n_epsilons; i++)
    {
      if (log10 (epsilons[i]) <= USUAL_LOW)
        track.low = LEAST_LOW;
      track.high = MAX (track.high, ceil (log10 (epsilons[i]) - 1e-9));
    }
  double decade = track.width / (track.high - track.low);
  double upper = ATTN_EPSILON_TRACK_DECADE * (track.high - USUAL_LOW);
  if (track.low < USUAL_LOW && decade < ATTN_EPSILON_TRACK_DECADE)
    track.bend_x = track.width - MIN (upper, 0.75 * track.width);
  else
    track.bend = track.low;
  return track;
}

/**
 * attn_epsilon_track_get_x:
 *
 * Returns: the x of @epsilon in pixels from the left end; an ε beyond the track is at its end
 */
double
attn_epsilon_track_get_x (const AttnEpsilonTrack *track,
                          double                  epsilon)
{
  double exponent = CLAMP (log10 (epsilon), track->low, track->high);

  if (exponent < track->bend)
    return track->bend_x * (exponent - track->low) / (track->bend - track->low);
  return track->bend_x +
         (track->width - track->bend_x) * (exponent - track->bend) / (track->high - track->bend);
}

/**
 * attn_epsilon_track_get_break:
 * @x: (out): where the sign stands that the scale changes, pixels from the left end
 * @share: (out): the width of a power of ten at its left, relative to one at its right
 *
 * Returns: whether the scale changes at all
 */
gboolean
attn_epsilon_track_get_break (const AttnEpsilonTrack *track,
                              double                 *x,
                              double                 *share)
{
  if (track->bend <= track->low)
    return FALSE;
  double left = track->bend_x / (track->bend - track->low);
  double right = (track->width - track->bend_x) / (track->high - track->bend);
  *x = track->bend_x - MIN (BREAK_SIDE, track->bend_x / 2);
  *share = left / right;
  return TRUE;
}

/**
 * attn_epsilon_track_get_epsilon:
 * @x: pixels from the left end, beyond the ends too
 *
 * Returns: the ε at that place, not rounded
 */
double
attn_epsilon_track_get_epsilon (const AttnEpsilonTrack *track,
                                double                  x)
{
  x = CLAMP (x, 0, track->width);
  if (x < track->bend_x)
    return pow (10, track->low + (track->bend - track->low) * x / track->bend_x);
  return pow (10, track->bend + (track->high - track->bend) * (x - track->bend_x) /
                                    (track->width - track->bend_x));
}

/**
 * attn_epsilon_track_snap:
 * @detents: (array length=n_detents): values of ε at which a handle that comes near snaps in
 *
 * Returns: the detent nearest to @x if it is within 4 pixels, or 0
 */
double
attn_epsilon_track_snap (const AttnEpsilonTrack *track,
                         double                  x,
                         const double           *detents,
                         gsize                   n_detents)
{
  double nearest = 0;
  double least = SNAP;

  for (gsize i = 0; i < n_detents; i++)
    {
      double distance = fabs (attn_epsilon_track_get_x (track, detents[i]) - x);

      if (distance > least || detents[i] < pow (10, track->low))
        continue;
      least = distance;
      nearest = detents[i];
    }
  return nearest;
}

/**
 * attn_epsilon_round:
 * @n_digits: significant digits; two are as fine as a handle can be placed by hand
 *
 * Returns: @epsilon rounded to these digits, and limited to the ε that are allowed
 */
double
attn_epsilon_round (double epsilon,
                    guint  n_digits)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char format[16];

  g_snprintf (format, sizeof format, "%%.%ue", n_digits - 1);
  g_ascii_formatd (buffer, sizeof buffer, format, epsilon);
  return CLAMP (g_ascii_strtod (buffer, NULL), ATTN_EPSILON_MIN, ATTN_EPSILON_MAX);
}

/**
 * attn_epsilon_track_get_round:
 * @x: pixels from the left end, beyond the ends too
 *
 * Returns: the ε to which a handle is dragged there: of one significant digit if there is one
 *   within 2 pixels, so that 0.5 does not need the exact pixel; otherwise of two
 */
double
attn_epsilon_track_get_round (const AttnEpsilonTrack *track,
                              double                  x)
{
  double epsilon = attn_epsilon_track_get_epsilon (track, x);
  double round = attn_epsilon_round (epsilon, 1);
  gboolean is_near = fabs (attn_epsilon_track_get_x (track, round) - x) <= NEAR;

  return is_near ? round : attn_epsilon_round (epsilon, 2);
}

/**
 * attn_epsilon_track_spread:
 * @wanted: (array length=n): centres of numbers above a track, in any order
 * @extent: the width that each number needs
 * @width: the width of the room for all numbers, from 0
 * @places: (array length=n) (out): centres near @wanted at which numbers do not overlap, as long as
 *   there is room
 */
void
attn_epsilon_track_spread (const double *wanted,
                           gsize         n,
                           double        extent,
                           double        width,
                           double       *places)
{
  g_autofree gsize *order = g_new (gsize, n + 1);
  double least = MIN (extent, n > 1 ? MAX (width - extent, 0) / (n - 1) : extent);

  for (gsize i = 0; i < n; i++)
    {
      gsize at = i;

      for (; at > 0 && wanted[order[at - 1]] > wanted[i]; at--)
        order[at] = order[at - 1];
      order[at] = i;
    }
  for (gsize i = 0; i < n; i++)
    {
      places[order[i]] = MAX (wanted[order[i]], extent / 2);
      if (i > 0)
        places[order[i]] = MAX (places[order[i]], places[order[i - 1]] + least);
    }
  for (gsize i = n; i > 0; i--)
    {
      double end = i < n ? places[order[i]] - least : width - extent / 2;

      places[order[i - 1]] = MIN (places[order[i - 1]], end);
    }
}
