/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure view by concern: attn-figure-view.c shows and says what is read, -draw draws what lies
 * over the scene, -tiles asks for what long panels do not have, -move changes what is shown, -read
 * the cursor and the rows, -regions pins and regions, -input takes the pointer and -keys the
 * keyboard. */

#pragma once

#include "attn-figure-view.h"
#include "attn-kinetic.h"
#include "attn-painter.h"
#include "attn-part-loader.h"
#include "attn-token-search.h"
#include "attn-views.h"

G_BEGIN_DECLS

/* Figures are measured in points; a CSS pixel is 1/96 inch. */
#define ATTN_FIGURE_VIEW_SCALE (4.0 / 3.0)

/* What the hand that holds the button down does. */
typedef enum
{
  ATTN_FIGURE_DRAG_NOTHING,
  ATTN_FIGURE_DRAG_PAN,
  ATTN_FIGURE_DRAG_ZOOM,
  ATTN_FIGURE_DRAG_REGION,
} AttnFigureDrag;

enum
{
  ATTN_FIGURE_VIEW_HIT_CHANGED,
  ATTN_FIGURE_VIEW_VIEWPORT_CHANGED,
  ATTN_FIGURE_VIEW_PAINTED,
  ATTN_FIGURE_VIEW_CURSOR_CHANGED,
  ATTN_FIGURE_VIEW_TOOL_CHANGED,
  ATTN_FIGURE_VIEW_CLICKED,
  ATTN_FIGURE_VIEW_ACTIVATED,
  ATTN_FIGURE_VIEW_REGION_EDITED,
  ATTN_FIGURE_VIEW_BESIDE_CLICKED,
  ATTN_FIGURE_VIEW_MENU_ASKED,
  ATTN_FIGURE_VIEW_N_SIGNALS
};

struct _AttnFigureView
{
  GtkWidget parent_instance;

  /* What is shown */
  AttnGrid *grid;  /* (nullable) */
  AttnGrid *alone; /* (nullable): the maximised panel as a grid of its own */
  AttnStyle style;
  AttnViews views;
  AttnViewHistory *history;

  /* Made from it when needed, dropped when it changes */
  AttnScene *scene;    /* (nullable) */
  GskRenderNode *node; /* (nullable): the scene drawn */
  AttnPainter *painter;

  /* What long panels show from near */
  AttnPartLoader *loader;
  gboolean lacks_numbers; /* the scene has none, as rows of a long panel are not there */

  /* The pointer: widget pixels; scroll events of GTK 4.8 do not say where they are */
  gboolean has_pointer;
  double pointer_x;
  double pointer_y;
  gboolean has_hit; /* under the pointer */
  AttnHit hit;

  /* What is read; panels are those of @grid everywhere but in the scene */
  AttnCellCursor cursor;
  AttnRowSelection *selection;
  AttnTokenSearch *search; /* (nullable) */
  char *search_text;       /* (nullable) */
  gboolean reads_cursor;   /* the keyboard was used last, not the pointer */
  gboolean has_read;       /* what was last told to others */
  AttnHit read;

  /* A gesture under way */
  AttnFigureDrag drag;
  gboolean has_moved;            /* far enough not to be a click */
  AttnViewport gesture_viewport; /* when it began */
  AttnRectangle gesture_panel;   /* widget pixels */
  int gesture_group;
  double gesture_x;
  double gesture_y;
  AttnKinetic kinetic;
  guint tick; /* while it moves on by itself */
  gint64 tick_time;

  /* Pins and regions */
  AttnFigureTool tool;
  gboolean has_picked;
  AttnRegionHit picked;
  gboolean has_band; /* a region is being drawn, or is drawn and not yet in the figure */
  gboolean is_band_pending;
  AttnRegion band;
  AttnRegion band_origin;
  int band_group;
  AttnHandle band_handle;
  gboolean is_band_new;
  gsize band_row; /* where the hand took hold */
  gsize band_column;
  gboolean has_corner; /* the keyboard has set the first corner */
};

extern guint attn_figure_view_signals[ATTN_FIGURE_VIEW_N_SIGNALS];

/* attn-figure-view.c */
void     attn_figure_view_drop_scene     (AttnFigureView       *view);
double   attn_figure_view_get_pixels     (AttnFigureView       *view);
void     attn_figure_view_update_hit     (AttnFigureView       *view);
void     attn_figure_view_update_reading (AttnFigureView       *view);
void     attn_figure_view_tell_reading   (AttnFigureView       *view);
int      attn_figure_view_to_scene       (AttnFigureView       *view,
                                          int                   group);
int      attn_figure_view_from_scene     (AttnFigureView       *view,
                                          int                   group);
AttnGrid *attn_figure_view_get_shown     (AttnFigureView       *view);

/* attn-figure-view-draw.c */
void     attn_figure_view_draw_over      (AttnFigureView       *view,
                                          GtkSnapshot          *snapshot);

/* attn-figure-view-tiles.c */
void     attn_figure_view_request_tiles  (AttnFigureView       *view);
void     attn_figure_view_request_rows   (AttnFigureView       *view);
gboolean attn_figure_view_has_numbers    (AttnFigureView       *view);
void     attn_figure_view_add_loader     (AttnFigureView       *view);

/* attn-figure-view-move.c */
void     attn_figure_view_change_views   (AttnFigureView       *view,
                                          AttnViews            *views,
                                          const char           *step);
gboolean attn_figure_view_find_panel     (AttnFigureView       *view,
                                          double                x,
                                          double                y,
                                          int                  *group,
                                          AttnRectangle        *panel);
gboolean attn_figure_view_get_cell_rectangle (AttnFigureView   *view,
                                          const AttnCellCursor *cursor,
                                          AttnRectangle        *cell);
gboolean attn_figure_view_get_panel_rectangle (AttnFigureView  *view,
                                          int                   group,
                                          AttnRectangle        *panel);
void     attn_figure_view_zoom_at        (AttnFigureView       *view,
                                          const AttnViewport   *from,
                                          double                factor,
                                          double                x,
                                          double                y);
void     attn_figure_view_show_part      (AttnFigureView       *view,
                                          int                   group,
                                          const AttnViewport   *viewport,
                                          const char           *step);
void     attn_figure_view_show_cell      (AttnFigureView       *view,
                                          const AttnCellCursor *cell);
void     attn_figure_view_start_kinetic  (AttnFigureView       *view);
void     attn_figure_view_stop_kinetic   (AttnFigureView       *view);

/* attn-figure-view-read.c */
void     attn_figure_view_move_cursor    (AttnFigureView       *view,
                                          gssize                rows,
                                          gssize                columns,
                                          gboolean              extends);
gboolean attn_figure_view_move_panel     (AttnFigureView       *view,
                                          int                   step);
void     attn_figure_view_click_cell     (AttnFigureView       *view,
                                          const AttnHit        *hit,
                                          GdkModifierType       state);
void     attn_figure_view_point_cell     (AttnFigureView       *view,
                                          const AttnHit        *hit);
void     attn_figure_view_toggle_row     (AttnFigureView       *view);
void     attn_figure_view_keep_reading   (AttnFigureView       *view);

/* attn-figure-view-regions.c */
void     attn_figure_view_begin_region   (AttnFigureView       *view,
                                          double                x,
                                          double                y);
void     attn_figure_view_update_region  (AttnFigureView       *view,
                                          double                x,
                                          double                y);
void     attn_figure_view_end_region     (AttnFigureView       *view,
                                          gboolean              is_kept);
void     attn_figure_view_corner         (AttnFigureView       *view);
void     attn_figure_view_stretch        (AttnFigureView       *view);
gboolean attn_figure_view_escape         (AttnFigureView       *view);
gboolean attn_figure_view_find_cell      (AttnFigureView       *view,
                                          int                   group,
                                          double                x,
                                          double                y,
                                          gsize                *row,
                                          gsize                *column);
gboolean attn_figure_view_hit_region     (AttnFigureView       *view,
                                          double                x,
                                          double                y,
                                          AttnRegionHit        *hit);

/* attn-figure-view-input.c, attn-figure-view-keys.c */
void     attn_figure_view_ask_menu       (AttnFigureView       *view,
                                          double                x,
                                          double                y);
void     attn_figure_view_add_controllers (AttnFigureView      *view);
void     attn_figure_view_add_bindings   (GtkWidgetClass       *klass);

G_END_DECLS
