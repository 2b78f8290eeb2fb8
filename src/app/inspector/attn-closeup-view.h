/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section of the inspector that can be folded: a closer look at a cell. Its contents are computed
 * only while it is unfolded. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

/**
 * AttnCloseupCell:
 * @index: index of the panel under the cursor
 * @query: position of the query's token in the text
 * @key: position of the key's token in the text
 */
typedef struct
{
  gsize index;
  gsize query;
  gsize key;
} AttnCloseupCell;

#define ATTN_TYPE_CLOSEUP_VIEW (attn_closeup_view_get_type ())
G_DECLARE_FINAL_TYPE (AttnCloseupView, attn_closeup_view, ATTN, CLOSEUP_VIEW, GtkBox)

AttnCloseupView *attn_closeup_view_new     (const char      *title);
GtkBox          *attn_closeup_view_get_box (AttnCloseupView *view);
GtkLabel        *attn_closeup_view_add_line (AttnCloseupView *view);
gboolean         attn_closeup_view_begin   (AttnCloseupView *view,
                                            AttnSession     *session,
                                            AttnReading     *figure,
                                            AttnCloseup      closeup,
                                            AttnCloseupCell *cell);
gboolean         attn_closeup_view_is_open (AttnCloseupView *view);
void             attn_closeup_view_tell    (AttnCloseupView *view,
                                            const char      *place,
                                            const char      *error);
void             attn_closeup_view_end     (AttnCloseupView *view,
                                            gboolean         has_content);

G_END_DECLS
