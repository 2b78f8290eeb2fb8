/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-views.h"

#include "attn-head-place.h"

AttnViews *
attn_views_new (void)
{
  AttnViews *views = g_new (AttnViews, 1);

  *views = (AttnViews) { ATTN_VIEWPORT_FIT, NULL, ATTN_VIEWPORT_FIT, -1, NULL };
  return views;
}

AttnViews *
attn_views_copy (const AttnViews *views)
{
  AttnViews *copy = g_memdup2 (views, sizeof *views);

  copy->own = views->own != NULL ? g_array_copy (views->own) : NULL;
  copy->place = views->place != NULL ? attn_study_ref (views->place) : NULL;
  return copy;
}

void
attn_views_free (AttnViews *views)
{
  g_clear_pointer (&views->own, g_array_unref);
  g_clear_pointer (&views->place, attn_study_unref);
  g_free (views);
}

gboolean
attn_views_equal (const AttnViews *a,
                  const AttnViews *b)
{
  if (!attn_viewport_equal (&a->shared, &b->shared) ||
      !attn_viewport_equal (&a->page, &b->page) || a->maximized != b->maximized ||
      (a->own == NULL) != (b->own == NULL) || (a->place == NULL) != (b->place == NULL) ||
      (a->place != NULL && !attn_head_place_equal (a->place, b->place)))
    return FALSE;
  if (a->own == NULL)
    return TRUE;
  for (guint i = 0; i < MIN (a->own->len, b->own->len); i++)
    if (!attn_viewport_equal (&g_array_index (a->own, AttnViewport, i),
                              &g_array_index (b->own, AttnViewport, i)))
      return FALSE;
  return a->own->len == b->own->len;
}

/**
 * attn_views_has_atlas:
 *
 * Returns: whether the figure is an atlas, a panel for each layer and head: then the page is
 *   zoomed, not the panels
 */
gboolean
attn_views_has_atlas (const AttnViews *views)
{
  return views->maximized < 0 && views->place != NULL &&
         attn_study_get_traits (views->place)->has_grid &&
         !attn_head_place_has_layer (views->place) &&
         !attn_head_place_has_head (views->place);
}

/**
 * attn_views_get:
 * @group: index of a panel, %ATTN_VIEWS_ALL or %ATTN_VIEWS_PAGE
 *
 * Returns: the part of that panel, of all panels or of the page that is shown
 */
AttnViewport
attn_views_get (const AttnViews *views,
                int              group)
{
  if (views->own != NULL && group >= 0 && (guint) group < views->own->len)
    return g_array_index (views->own, AttnViewport, group);
  return group == ATTN_VIEWS_PAGE ? views->page : views->shared;
}

/**
 * attn_views_dup_own:
 *
 * Returns: (transfer full) (nullable) (element-type AttnViewport): the part of each panel that is
 *   shown; %NULL if all show the same part
 */
GArray *
attn_views_dup_own (const AttnViews *views)
{
  for (guint i = 0; views->own != NULL && i < views->own->len; i++)
    if (!attn_viewport_equal (&views->shared, &g_array_index (views->own, AttnViewport, i)))
      return g_array_copy (views->own);
  return NULL;
}

/**
 * attn_views_set:
 * @group: index of a panel, %ATTN_VIEWS_ALL or %ATTN_VIEWS_PAGE
 *
 * Shows a part of a panel; while the panels move together, all of them show it.
 */
void
attn_views_set (AttnViews          *views,
                int                 group,
                const AttnViewport *viewport)
{
  AttnViewport clamped = attn_viewport_clamp (*viewport);

  if (views->own != NULL && group >= 0)
    {
      if ((guint) group < views->own->len)
        g_array_index (views->own, AttnViewport, group) = clamped;
      return;
    }
  if (group == ATTN_VIEWS_PAGE)
    {
      views->page = clamped;
      return;
    }
  views->shared = clamped;
  for (guint i = 0; views->own != NULL && i < views->own->len; i++)
    g_array_index (views->own, AttnViewport, i) = clamped;
}

/**
 * attn_views_link:
 * @group: index of the panel whose visible part all panels show from now on
 */
void
attn_views_link (AttnViews *views,
                 int        group)
{
  views->shared = attn_views_get (views, group);
  g_clear_pointer (&views->own, g_array_unref);
}

/**
 * attn_views_unlink:
 *
 * From now on every panel moves by itself, beginning with the part that all show.
 */
void
attn_views_unlink (AttnViews *views,
                   gsize      n_panels)
{
  if (views->own != NULL)
    return;
  views->own = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  attn_views_resize (views, n_panels);
}

/**
 * attn_views_resize:
 * @n_panels: the number of panels that the figure has now
 *
 * New panels show the part that all showed while they moved together; a panel that is gone is not
 * maximised.
 */
void
attn_views_resize (AttnViews *views,
                   gsize      n_panels)
{
  if (views->maximized >= 0 && (gsize) views->maximized >= n_panels)
    views->maximized = -1;
  if (views->own == NULL)
    return;
  if (views->own->len > n_panels)
    g_array_set_size (views->own, n_panels);
  while (views->own->len < n_panels)
    g_array_append_val (views->own, views->shared);
}
