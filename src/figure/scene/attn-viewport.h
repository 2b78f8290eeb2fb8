/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The visible part of a panel, as fractions of its width and height: one viewport fits panels of
 * any size, so that all panels zoom together. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnViewport:
 * @x: left edge, 0 to 1
 * @y: top edge, 0 to 1
 * @width: 0 to 1
 * @height: 0 to 1
 */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
} AttnViewport;

#define ATTN_VIEWPORT_FIT ((AttnViewport) { 0, 0, 1, 1 })

/* Tells whether the viewport shows the whole panel. */
static inline gboolean
attn_viewport_is_fit (const AttnViewport *viewport)
{
  return viewport->x <= 0 && viewport->y <= 0 && viewport->width >= 1 && viewport->height >= 1;
}

static inline gboolean
attn_viewport_equal (const AttnViewport *a,
                     const AttnViewport *b)
{
  return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

/* Moves a viewport back so that it lies within the panel. */
static inline AttnViewport
attn_viewport_clamp (AttnViewport viewport)
{
  viewport.width = CLAMP (viewport.width, 0, 1);
  viewport.height = CLAMP (viewport.height, 0, 1);
  viewport.x = CLAMP (viewport.x, 0, 1 - viewport.width);
  viewport.y = CLAMP (viewport.y, 0, 1 - viewport.height);
  return viewport;
}

/* Zooms by @factor (above 1: closer) about the point at the fractions @x, @y of the visible part,
 * which keeps its place. The viewport becomes no smaller than @min_extent. */
static inline AttnViewport
attn_viewport_zoom (AttnViewport viewport,
                    double       factor,
                    double       x,
                    double       y,
                    double       min_extent)
{
  double extent = MIN (min_extent, 1);
  double width = CLAMP (viewport.width / factor, extent, 1);
  double height = CLAMP (viewport.height / factor, extent, 1);

  viewport.x += (viewport.width - width) * x;
  viewport.y += (viewport.height - height) * y;
  viewport.width = width;
  viewport.height = height;
  return attn_viewport_clamp (viewport);
}

/* Scrolls a viewport by fractions of its visible part. */
static inline AttnViewport
attn_viewport_pan (AttnViewport viewport,
                   double       dx,
                   double       dy)
{
  viewport.x += dx * viewport.width;
  viewport.y += dy * viewport.height;
  return attn_viewport_clamp (viewport);
}

G_END_DECLS
