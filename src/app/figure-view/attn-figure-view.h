/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure on screen: drawn, read by pointer and by keys, zoomed and moved. */

#pragma once

#include <gtk/gtk.h>

#include "attn-cell-cursor.h"
#include "attn-row-selection.h"
#include "attn-scene.h"
#include "attn-study-edits.h"

G_BEGIN_DECLS

/* Points beside a line of the diagram at which a click still meets it. */
#define ATTN_FIGURE_DIAGRAM_REACH 4.0

/**
 * AttnFigureTool:
 * @ATTN_FIGURE_TOOL_MOVE: moves the shown part
 * @ATTN_FIGURE_TOOL_ZOOM: draws the rectangle that is shown next
 * @ATTN_FIGURE_TOOL_REGION: draws, moves and resizes regions
 *
 * What dragging does.
 */
typedef enum
{
  ATTN_FIGURE_TOOL_MOVE,
  ATTN_FIGURE_TOOL_ZOOM,
  ATTN_FIGURE_TOOL_REGION,
} AttnFigureTool;

#define ATTN_TYPE_FIGURE_VIEW (attn_figure_view_get_type ())
G_DECLARE_FINAL_TYPE (AttnFigureView, attn_figure_view, ATTN, FIGURE_VIEW, GtkWidget)

AttnFigureView *attn_figure_view_new            (void);
void            attn_figure_view_set_figure     (AttnFigureView       *view,
                                                 AttnGrid             *grid,
                                                 const AttnStyle      *style);
AttnGrid       *attn_figure_view_get_grid       (AttnFigureView       *view);
AttnScene      *attn_figure_view_get_scene      (AttnFigureView       *view);
double          attn_figure_view_get_scale      (AttnFigureView       *view);

/* Reading */
const AttnHit  *attn_figure_view_get_hit        (AttnFigureView       *view);
AttnCellCursor  attn_figure_view_get_cursor     (AttnFigureView       *view);
void            attn_figure_view_set_cursor     (AttnFigureView       *view,
                                                 const AttnCellCursor *cursor);
const AttnRowSelection *
                attn_figure_view_get_selection  (AttnFigureView       *view);
void            attn_figure_view_clear_reading  (AttnFigureView       *view);
gsize           attn_figure_view_search         (AttnFigureView       *view,
                                                 const char           *text);
gsize           attn_figure_view_count_found    (AttnFigureView       *view,
                                                 gsize                *n_panels);
gsize           attn_figure_view_search_step    (AttnFigureView       *view,
                                                 int                   direction);

/* Moving */
AttnViewport    attn_figure_view_get_viewport   (AttnFigureView       *view);
GArray         *attn_figure_view_dup_views      (AttnFigureView       *view);
void            attn_figure_view_set_viewport   (AttnFigureView       *view,
                                                 const AttnViewport   *viewport);
void            attn_figure_view_set_views      (AttnFigureView       *view,
                                                 const AttnViewport   *shared,
                                                 const GArray         *own);
void            attn_figure_view_zoom           (AttnFigureView       *view,
                                                 double                factor);
void            attn_figure_view_pan            (AttnFigureView       *view,
                                                 double                dx,
                                                 double                dy);
void            attn_figure_view_fit            (AttnFigureView       *view);
void            attn_figure_view_zoom_to_pixels (AttnFigureView       *view);
gboolean        attn_figure_view_is_linked      (AttnFigureView       *view);
void            attn_figure_view_set_linked     (AttnFigureView       *view,
                                                 gboolean              is_linked);
int             attn_figure_view_get_maximized  (AttnFigureView       *view);
void            attn_figure_view_set_maximized  (AttnFigureView       *view,
                                                 int                   group);
void            attn_figure_view_toggle_maximized (AttnFigureView     *view);
gboolean        attn_figure_view_can_go_back    (AttnFigureView       *view);
gboolean        attn_figure_view_can_go_forward (AttnFigureView       *view);
void            attn_figure_view_go_back        (AttnFigureView       *view);
void            attn_figure_view_go_forward     (AttnFigureView       *view);
gboolean        attn_figure_view_is_moving      (AttnFigureView       *view);

/* Pins and regions */
void            attn_figure_view_drop_pending   (AttnFigureView       *view);
AttnFigureTool  attn_figure_view_get_tool       (AttnFigureView       *view);
void            attn_figure_view_set_tool       (AttnFigureView       *view,
                                                 AttnFigureTool        tool);
gboolean        attn_figure_view_get_picked     (AttnFigureView       *view,
                                                 int                  *group,
                                                 gsize                *index);
void            attn_figure_view_pick           (AttnFigureView       *view,
                                                 int                   group,
                                                 gsize                 index);
gboolean        attn_figure_view_can_remove     (AttnFigureView       *view);
void            attn_figure_view_remove_picked  (AttnFigureView       *view);
void            attn_figure_view_toggle_pin     (AttnFigureView       *view);

G_END_DECLS
