/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kinetic scrolling: a velocity in pixels per second that decreases after a drag ends. */

#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

#define ATTN_KINETIC_FADING   0.25  /* seconds after which the velocity of kinetic scrolling has
                                     * fallen to 1/e */
#define ATTN_KINETIC_SLOWEST  20.0  /* velocity in pixels per second below which kinetic scrolling
                                     * stops */
#define ATTN_KINETIC_FASTEST  6000.0
#define ATTN_KINETIC_MEMORY   0.06  /* seconds at the end of a drag from which the velocity is
                                     * computed */
#define ATTN_KINETIC_N_POINTS 8

/**
 * AttnKinetic:
 * @x: velocity to the right, pixels a second
 * @y: velocity downwards, pixels a second
 */
typedef struct
{
  double x;
  double y;

  /*< private >*/
  struct
  {
    double time;
    double x;
    double y;
  } points[ATTN_KINETIC_N_POINTS];
  guint n_points;
} AttnKinetic;

static inline void
attn_kinetic_stop (AttnKinetic *kinetic)
{
  *kinetic = (AttnKinetic) { 0 };
}

/* Records the place (@x, @y) of the pointer at @time, in seconds, during a drag. */
static inline void
attn_kinetic_follow (AttnKinetic *kinetic,
                     double       time,
                     double       x,
                     double       y)
{
  if (kinetic->n_points == ATTN_KINETIC_N_POINTS)
    {
      for (guint i = 1; i < ATTN_KINETIC_N_POINTS; i++)
        kinetic->points[i - 1] = kinetic->points[i];
      kinetic->n_points--;
    }
  kinetic->points[kinetic->n_points].time = time;
  kinetic->points[kinetic->n_points].x = x;
  kinetic->points[kinetic->n_points].y = y;
  kinetic->n_points++;
}

static inline gboolean
attn_kinetic_is_moving (const AttnKinetic *kinetic)
{
  return hypot (kinetic->x, kinetic->y) > ATTN_KINETIC_SLOWEST;
}

/* Ends a drag at @time. Returns whether motion continues, which it does not if the pointer was at
 * rest. */
static inline gboolean
attn_kinetic_release (AttnKinetic *kinetic,
                      double       time)
{
  guint first = 0;

  while (first < kinetic->n_points &&
         time - kinetic->points[first].time > ATTN_KINETIC_MEMORY)
    first++;
  kinetic->x = kinetic->y = 0;
  if (first + 1 < kinetic->n_points)
    {
      guint last = kinetic->n_points - 1;
      double elapsed = MAX (time - kinetic->points[first].time, 1e-3);
      double dx = kinetic->points[last].x - kinetic->points[first].x;
      double dy = kinetic->points[last].y - kinetic->points[first].y;
      double speed = hypot (dx, dy) / elapsed;
      double limit = speed > ATTN_KINETIC_FASTEST ? ATTN_KINETIC_FASTEST / speed : 1;

      kinetic->x = dx / elapsed * limit;
      kinetic->y = dy / elapsed * limit;
    }
  kinetic->n_points = 0;
  return attn_kinetic_is_moving (kinetic);
}

/* Lets the motion go on for @elapsed seconds. @dx, @dy: (out): the distance, in pixels. Returns
 * whether motion continues. The distance is the integral of the decreasing velocity, so it does not
 * depend on the frame rate. */
static inline gboolean
attn_kinetic_step (AttnKinetic *kinetic,
                   double       elapsed,
                   double      *dx,
                   double      *dy)
{
  double rest = exp (-elapsed / ATTN_KINETIC_FADING);

  *dx = kinetic->x * ATTN_KINETIC_FADING * (1 - rest);
  *dy = kinetic->y * ATTN_KINETIC_FADING * (1 - rest);
  kinetic->x *= rest;
  kinetic->y *= rest;
  if (attn_kinetic_is_moving (kinetic))
    return TRUE;
  attn_kinetic_stop (kinetic);
  return FALSE;
}

G_END_DECLS
