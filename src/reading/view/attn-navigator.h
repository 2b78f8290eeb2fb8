/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Zooms and scrolls panels in steps or by dragging, with a history to go back and forward. */

#pragma once

#include "attn-kinetic.h"
#include "attn-places.h"

G_BEGIN_DECLS

/**
 * AttnNavigator:
 * @views: what is shown, to be changed by the functions below
 * @kinetic: how a movement goes on when the button has been released
 *
 * The functions return whether anything else is shown than before, unless their comment says what
 * they return. Points and distances are in widget pixels.
 */
typedef struct
{
  AttnViews *views;
  AttnKinetic kinetic;
  gboolean moves_page; /* whether the last change only moved the page of an atlas */

  /*< private >*/
  GPtrArray *back;    /* element-type AttnViews */
  GPtrArray *forward; /* element-type AttnViews */
  const char *step;   /* (nullable): kind of the last movement, a static string */
  gint64 time;        /* time of the last movement, in monotonic microseconds */
  AttnViewport grabbed; /* part of the panel that was visible at the beginning of the drag */
  AttnRectangle panel;  /* rectangle of the panel on which the drag began */
  int group;            /* index of the panel on which the drag began, ATTN_VIEWS_ALL or
                         * ATTN_VIEWS_PAGE */
} AttnNavigator;

void          attn_navigator_init         (AttnNavigator       *navigator);
void          attn_navigator_clear        (AttnNavigator       *navigator);
gboolean      attn_navigator_set_views    (AttnNavigator       *navigator,
                                           AttnViews           *views,
                                           const char          *step);
gboolean      attn_navigator_show_cell    (AttnNavigator       *navigator,
                                           const AttnGrid      *grid,
                                           AttnCellCursor       cell);
gboolean      attn_navigator_show_pixels  (AttnNavigator       *navigator,
                                           const AttnPlaces    *places,
                                           int                  group,
                                           AttnCellCursor       cell);
gboolean      attn_navigator_zoom         (AttnNavigator       *navigator,
                                           const AttnPlaces    *places,
                                           const AttnViewport  *from,
                                           double               factor,
                                           double               x,
                                           double               y);
gboolean      attn_navigator_pan          (AttnNavigator       *navigator,
                                           const AttnViewport  *from,
                                           int                  group,
                                           double               dx,
                                           double               dy);
const AttnViews *attn_navigator_look_back (const AttnNavigator *navigator,
                                           gsize                n_steps);
gboolean      attn_navigator_travel       (AttnNavigator       *navigator,
                                           int                  direction,
                                           gsize                n_panels);
gboolean      attn_navigator_grab         (AttnNavigator       *navigator,
                                           const AttnPlaces    *places,
                                           double               x,
                                           double               y);
gboolean      attn_navigator_drag         (AttnNavigator       *navigator,
                                           double               dx,
                                           double               dy,
                                           gint64               now);
gboolean      attn_navigator_coast        (AttnNavigator       *navigator,
                                           double               elapsed,
                                           gboolean            *goes_on);
AttnRectangle attn_navigator_get_band     (const AttnNavigator *navigator,
                                           double               x,
                                           double               y,
                                           double               to_x,
                                           double               to_y);
gboolean      attn_navigator_zoom_to_band (AttnNavigator       *navigator,
                                           const AttnGrid      *grid,
                                           const AttnRectangle *band);

G_END_DECLS
