/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-tip.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-text.h"

/* The distances in pixels up to which the pointer is at the end of a sink, unless it is below the
 * track, and at the sign for a change of the scale */
#define END_REACH   4
#define BREAK_REACH 7

/* Returns a text about the change of the track's scale, if @x is at the sign for that change. */
static char *
describe_break (const AttnEpsilonTrack *track,
                double                  x)
{
  double at, share;

  if (!attn_epsilon_track_get_break (track, &at, &share) || fabs (x - at) > BREAK_REACH)
    return NULL;
  g_autofree char *epsilon =
      attn_text_format_epsilon (attn_epsilon_round (pow (10, track->bend), 1));
  /* Translators: %s is a value of ε on a logarithmic axis */
  return g_strdup_printf (_("Two scales meet at ε = %s: left of it a power of ten has %.0f%% of "
                            "the room that it has right of it"),
                          epsilon, 100 * share);
}

/**
 * attn_epsilon_tip_describe:
 * @curves: (nullable): the curves over the track
 * @x: the pointer's place on the track, pixels from its start
 *
 * Returns: (transfer full) (nullable): the text of the tip at that place; while a handle is dragged
 *   it tells only of the ends of sinks
 */
char *
attn_epsilon_tip_describe (const AttnEpsilonCurves *curves,
                           const AttnEpsilonTrack  *track,
                           double                   x,
                           AttnEpsilonZone          zone,
                           gboolean                 is_dragging)
{
  double reach = zone == ATTN_EPSILON_ZONE_BELOW ? G_MAXDOUBLE : END_REACH;
  const AttnEpsilonEnd *end =
      curves != NULL ? attn_epsilon_curves_find_end (curves, track, x, reach) : NULL;
  char *text = NULL;

  if (end != NULL)
    {
      gsize n;
      gsize first =
          attn_epsilon_curves_find_mark (curves, track, (gsize) (end - curves->ends), &n);

      return attn_epsilon_curves_describe_ends (curves, first, n);
    }
  if (is_dragging)
    return NULL;
  if (curves != NULL && zone == ATTN_EPSILON_ZONE_CURVES)
    text = attn_epsilon_curves_describe_at (curves, attn_epsilon_track_get_epsilon (track, x));
  else if (zone == ATTN_EPSILON_ZONE_TRACK)
    text = describe_break (track, x);
  return text != NULL ? text
                      : g_strdup (_("Drag or scroll; with Shift ten times finer. A number can be "
                                    "typed. The handle stops at 1 and where the sink of a "
                                    "panel ends."));
}
