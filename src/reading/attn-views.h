/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What of each panel is shown, and the way back to what was shown before. */

#pragma once

#include "attn-viewport.h"

G_BEGIN_DECLS

/* All panels, where one is asked for. */
#define ATTN_VIEWS_ALL (-1)

/**
 * AttnViews:
 * @shared: the part of every panel that is shown, while they move together
 * @own: (nullable) (element-type AttnViewport): of each panel, while they do not
 * @maximized: index of the only panel shown, or -1
 */
typedef struct
{
  AttnViewport shared;
  GArray *own;
  int maximized;
} AttnViews;

void         attn_views_init    (AttnViews          *views);
void         attn_views_clear   (AttnViews          *views);
void         attn_views_assign  (AttnViews          *views,
                                 const AttnViews    *other);
gboolean     attn_views_equal   (const AttnViews    *a,
                                 const AttnViews    *b);
AttnViewport attn_views_get     (const AttnViews    *views,
                                 int                 group);
void         attn_views_set     (AttnViews          *views,
                                 int                 group,
                                 const AttnViewport *viewport);
void         attn_views_link    (AttnViews          *views,
                                 int                 group);
void         attn_views_unlink  (AttnViews          *views,
                                 gsize               n_panels);
void         attn_views_resize  (AttnViews          *views,
                                 gsize               n_panels);

/**
 * AttnViewHistory:
 *
 * Views that one can go back to and forward again.
 */
typedef struct _AttnViewHistory AttnViewHistory;

AttnViewHistory *attn_view_history_new         (void);
void             attn_view_history_free        (AttnViewHistory       *history);
void             attn_view_history_leave       (AttnViewHistory       *history,
                                                const AttnViews       *views,
                                                const char            *step,
                                                gint64                 now);
gboolean         attn_view_history_go_back     (AttnViewHistory       *history,
                                                AttnViews             *views);
gboolean         attn_view_history_go_forward  (AttnViewHistory       *history,
                                                AttnViews             *views);
gboolean         attn_view_history_has_back    (const AttnViewHistory *history);
gboolean         attn_view_history_has_forward (const AttnViewHistory *history);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnViews, attn_views_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnViewHistory, attn_view_history_free)

G_END_DECLS
