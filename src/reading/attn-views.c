/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-views.h"

/* Steps of the same kind that follow each other this closely are one: the notches of a wheel. */
#define STEP_PAUSE (700 * G_TIME_SPAN_MILLISECOND)

#define MAX_STEPS 100

/* --- What is shown ---------------------------------------------------------------------------- */

void
attn_views_init (AttnViews *views)
{
  *views = (AttnViews) { ATTN_VIEWPORT_FIT, NULL, -1 };
}

void
attn_views_clear (AttnViews *views)
{
  g_clear_pointer (&views->own, g_array_unref);
  attn_views_init (views);
}

/**
 * attn_views_assign:
 * @views: becomes a copy of @other
 */
void
attn_views_assign (AttnViews       *views,
                   const AttnViews *other)
{
  GArray *own = other->own != NULL ? g_array_copy (other->own) : NULL;

  attn_views_clear (views);
  views->shared = other->shared;
  views->own = own;
  views->maximized = other->maximized;
}

gboolean
attn_views_equal (const AttnViews *a,
                  const AttnViews *b)
{
  if (!attn_viewport_equal (&a->shared, &b->shared) || a->maximized != b->maximized ||
      (a->own == NULL) != (b->own == NULL))
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
 * attn_views_get:
 * @group: index of a panel, or %ATTN_VIEWS_ALL
 *
 * Returns: the part of it that is shown
 */
AttnViewport
attn_views_get (const AttnViews *views,
                int              group)
{
  if (views->own != NULL && group >= 0 && (guint) group < views->own->len)
    return g_array_index (views->own, AttnViewport, group);
  return views->shared;
}

/**
 * attn_views_set:
 * @group: index of a panel, or %ATTN_VIEWS_ALL
 *
 * While the panels move together, all of them show the part.
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
  views->shared = clamped;
  for (guint i = 0; views->own != NULL && i < views->own->len; i++)
    g_array_index (views->own, AttnViewport, i) = clamped;
}

/**
 * attn_views_link:
 * @group: whose part all panels show from now on
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
 * Every panel goes on from what all show.
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
 * @n_panels: that the figure has now
 *
 * New panels show what all did; a panel that is gone is not maximised.
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

/* --- History ---------------------------------------------------------------------------------- */

struct _AttnViewHistory
{
  GPtrArray *back;    /* (element-type AttnViews) */
  GPtrArray *forward; /* (element-type AttnViews) */
  const char *step;   /* interned */
  gint64 time;
};

static void
free_views (gpointer data)
{
  attn_views_clear (data);
  g_free (data);
}

static AttnViews *
copy_views (const AttnViews *views)
{
  AttnViews *copy = g_new (AttnViews, 1);

  attn_views_init (copy);
  attn_views_assign (copy, views);
  return copy;
}

AttnViewHistory *
attn_view_history_new (void)
{
  AttnViewHistory *history = g_new0 (AttnViewHistory, 1);

  history->back = g_ptr_array_new_with_free_func (free_views);
  history->forward = g_ptr_array_new_with_free_func (free_views);
  return history;
}

void
attn_view_history_free (AttnViewHistory *history)
{
  g_ptr_array_unref (history->back);
  g_ptr_array_unref (history->forward);
  g_free (history);
}

/**
 * attn_view_history_leave:
 * @views: what is shown and about to be left
 * @step: (nullable): what leads away; a quick run of the same is one step
 * @now: microseconds
 */
void
attn_view_history_leave (AttnViewHistory *history,
                         const AttnViews *views,
                         const char      *step,
                         gint64           now)
{
  const char *interned = step != NULL ? g_intern_string (step) : NULL;
  gboolean continues =
      interned != NULL && interned == history->step && now - history->time < STEP_PAUSE;

  history->step = interned;
  history->time = now;
  g_ptr_array_set_size (history->forward, 0);
  if (continues)
    return;
  if (history->back->len == MAX_STEPS)
    g_ptr_array_remove_index (history->back, 0);
  g_ptr_array_add (history->back, copy_views (views));
}

static gboolean
travel (AttnViewHistory *history,
        GPtrArray       *from,
        GPtrArray       *to,
        AttnViews       *views)
{
  history->step = NULL;
  while (from->len > 0)
    {
      AttnViews *other = g_ptr_array_steal_index (from, from->len - 1);

      /* What came to nothing is not a step. */
      if (attn_views_equal (other, views))
        {
          free_views (other);
          continue;
        }
      g_ptr_array_add (to, copy_views (views));
      attn_views_assign (views, other);
      free_views (other);
      return TRUE;
    }
  return FALSE;
}

/**
 * attn_view_history_go_back:
 * @views: (inout): what is shown, becomes what was shown before
 *
 * Returns: whether there was anything
 */
gboolean
attn_view_history_go_back (AttnViewHistory *history,
                           AttnViews       *views)
{
  return travel (history, history->back, history->forward, views);
}

/**
 * attn_view_history_go_forward:
 * @views: (inout): what is shown, becomes what was left by going back
 *
 * Returns: whether there was anything
 */
gboolean
attn_view_history_go_forward (AttnViewHistory *history,
                              AttnViews       *views)
{
  return travel (history, history->forward, history->back, views);
}

gboolean
attn_view_history_has_back (const AttnViewHistory *history)
{
  return history->back->len > 0;
}

gboolean
attn_view_history_has_forward (const AttnViewHistory *history)
{
  return history->forward->len > 0;
}
