/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The visible part of each panel of a figure, as it is zoomed and scrolled. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/* The index that stands for all panels. */
#define ATTN_VIEWS_ALL (-1)
/* The index that stands for the page of an atlas, which can be zoomed like a panel. */
#define ATTN_VIEWS_PAGE (-2)

/**
 * AttnViews:
 * @shared: the part of every panel that is shown, while they move together
 * @own: (nullable) (element-type AttnViewport): the part of each panel that is shown, while they do
 *   not move together
 * @page: the part of an atlas that is shown, as high as it is wide
 * @maximized: index of the only panel that is shown, or -1
 * @place: (nullable): the study that was shown with these parts, which says which layer and head
 */
typedef struct
{
  AttnViewport shared;
  GArray *own;
  AttnViewport page;
  int maximized;
  const AttnStudy *place;
} AttnViews;

AttnViews   *attn_views_new     (void);
AttnViews   *attn_views_copy    (const AttnViews    *views);
void         attn_views_free    (AttnViews          *views);
gboolean     attn_views_equal   (const AttnViews    *a,
                                 const AttnViews    *b);
gboolean     attn_views_has_atlas (const AttnViews  *views);
AttnViewport attn_views_get     (const AttnViews    *views,
                                 int                 group);
GArray      *attn_views_dup_own (const AttnViews    *views);
void         attn_views_set     (AttnViews          *views,
                                 int                 group,
                                 const AttnViewport *viewport);
void         attn_views_link    (AttnViews          *views,
                                 int                 group);
void         attn_views_unlink  (AttnViews          *views,
                                 gsize               n_panels);
void         attn_views_resize  (AttnViews          *views,
                                 gsize               n_panels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnViews, attn_views_free)

G_END_DECLS
