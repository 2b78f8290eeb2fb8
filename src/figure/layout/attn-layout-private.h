/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layout in parts: attn-layout-measure.c looks at the panels, attn-layout-solve.c finds out how
 * large they are and what there is room for, attn-layout.c where everything is, and
 * attn-layout-marks.c fills the scene with the help of attn-layout-panel.c, attn-layout-titles.c,
 * attn-layout-colorbar.c, attn-layout-level.c, attn-layout-pins.c and attn-layout-diagram.c. */

#pragma once

#include "attn-range.h"
#include "attn-scene.h"

G_BEGIN_DECLS

#define ATTN_LAYOUT_SMALLEST_TEXT 5.0 /* points that can be read in print */
#define ATTN_LAYOUT_LABEL_PITCH   0.8 /* size of a label, relative to the distance to the next */
#define ATTN_LAYOUT_TICK_LENGTH   3.0
#define ATTN_LAYOUT_LABEL_GAP     3.0
#define ATTN_LAYOUT_TITLE_GAP     4.0
#define ATTN_LAYOUT_FRAME_WIDTH   0.5
#define ATTN_LAYOUT_AXIS_GAP      5.0 /* between token labels and the axis title */
#define ATTN_LAYOUT_CAPTION_GAP   9.0
/* Text that is too wide shrinks down to this share of its size before it is cut. */
#define ATTN_LAYOUT_SMALLEST_SHRINK 0.65
#define ATTN_LAYOUT_KEY_PITCH     1.25 /* of an entry below the colour bar, of the size of text */
#define ATTN_LAYOUT_COLORBAR_GAP   12.0
#define ATTN_LAYOUT_COLORBAR_WIDTH 10.0
/* The triangle at the end of a colour bar, of the bar's width. */
#define ATTN_LAYOUT_TRIANGLE_SHARE 0.7

/**
 * AttnLayoutLabels:
 * @is_drawn: no neighbour has the same
 * @widest: at text size 1, whether shown or not
 * @step: every how many the next member has been found for; 0 for none
 * @widest_shown: at text size 1, of those at multiples of @step
 *
 * The labels along one side of a panel, or others in a column.
 */
typedef struct
{
  gboolean is_drawn;
  double widest;
  gsize step;
  double widest_shown;
} AttnLayoutLabels;

/**
 * AttnLayout:
 *
 * Widths named unit are at text size 1. Everything else is in points.
 */
typedef struct
{
  /* What was asked for */
  AttnGrid *grid;
  AttnStyle style;
  AttnStyle difference_style;
  AttnViewport viewport;
  AttnGrid *whole;               /* (nullable): that of which @grid is one panel */
  gsize group;                   /* which */
  const AttnViewport *viewports; /* (nullable): of each panel its own, instead of @viewport */
  double page_width; /* or 0 */
  double page_height;

  /* What the panels need; by panel, by column and by row of the grid */
  AttnLayoutLabels *row_labels;
  AttnLayoutLabels *column_labels;
  double *row_label_width;    /* unit; of those that are shown */
  double *column_label_width; /* unit; the same */
  double widest_column_pitch; /* unit: a panel this wide holds its column labels side by side */
  gsize max_rows;
  gsize max_columns;
  double aspect;
  AttnLayoutLabels row_headings;
  AttnLayoutLabels heads; /* of the diagram */
  AttnLayoutLabels tokens;
  double head_width; /* of the boxes of the diagram and the labels beside them */
  double token_width;
  gsize n_left_out; /* links without a line */

  /* One a grid, a row or a panel, as the style's scope has it; the same of differences */
  AttnRange *ranges;
  AttnRange *difference_ranges;
  gsize n_ranges;
  gsize n_bars; /* beside each other: of weights, of differences, or of both */
  gboolean has_weights;
  gboolean has_differences;

  /* What is shown, and how large */
  gboolean shows_titles;
  gboolean shows_headings; /* instead of them */
  gboolean prefers_headings;
  gboolean lacks_column_headings; /* there is no room for them */
  gsize n_heading_lines;
  gboolean shows_caption;
  gboolean shows_colorbar;
  gboolean has_level_bars; /* below the panels */
  gboolean shows_value_label;
  gboolean shows_tokens;
  gboolean shows_row_tokens;
  gboolean shows_axis_titles;
  gboolean shows_diagram;
  gboolean has_flat_labels; /* column labels are level, not on end */
  double title_size;
  double title_room;
  double row_heading_room; /* or 0 */
  double column_heading_room;
  double caption_size;
  double caption_width; /* unit; on one line */
  gsize n_caption_lines;
  double counted_width; /* points: for which they have been counted */
  double axis_title_size;
  double value_label_size;
  double label_size;
  double tick_label_width;
  double gap_x;
  double gap_y;
  double margin;

  /* Where it is */
  double *row_room;    /* for row labels, left of each column of the grid */
  double *column_room; /* for column labels, below each row of the grid */
  double slot_width;
  double slot_height;
  double *slot_x;
  double *slot_y;
  double *bar_y; /* of each row, where the room of its level colour bar begins */
  double used_width;
  double used_height;
  double width;
  double height;
  double left;
  double axis_title_y;
  double caption_y;
  AttnRectangle diagram;
  double note_y;
  AttnRectangle colorbar;
} AttnLayout;

AttnViewport attn_layout_check_viewport (const AttnViewport  *viewport);
AttnViewport attn_layout_get_viewport   (const AttnLayout    *layout,
                                         gsize                group);
char        *attn_layout_get_label      (const char * const  *labels,
                                         gsize                index);
char        *attn_layout_format_tick    (const AttnStyle     *style,
                                         double               value);
char       **attn_layout_wrap_caption   (const AttnLayout    *layout,
                                         double               width,
                                         double              *size);
void         attn_layout_measure_grid   (AttnLayout          *layout);
double       attn_layout_measure_labels (const char          *family,
                                         const char * const  *labels,
                                         gsize                n,
                                         gsize                step);
void         attn_layout_measure_shown_labels (AttnLayout    *layout,
                                         gboolean             keeps);
void         attn_layout_resolve_ranges (AttnLayout          *layout);
double       attn_layout_get_tick_label_width (const AttnLayout *layout);
void         attn_layout_solve          (AttnLayout          *layout);
double       attn_layout_get_inner_room (const AttnLayout    *layout);
double       attn_layout_get_row_pitch  (const AttnLayout    *layout,
                                         gsize                row);
double       attn_layout_get_row_heading_room (AttnLayout    *layout);
gsize        attn_layout_count_heading_lines (const AttnLayout *layout,
                                         double               pitch);
gboolean     attn_layout_are_headings_cut (const AttnLayout  *layout);
gboolean     attn_layout_are_titles_cut (const AttnLayout    *layout);
AttnScene   *attn_layout_make_scene     (const AttnLayout    *layout);
gboolean     attn_layout_has_own_ticks  (const AttnStyle     *style);
const AttnRange *attn_layout_get_scale  (const AttnLayout    *layout,
                                         gsize                row,
                                         gsize                column);
double       attn_layout_get_colorbar_room (const AttnLayout *layout);
gboolean     attn_layout_has_key        (const AttnLayout    *layout,
                                         const AttnRange     *range,
                                         gboolean             is_masked);

double       attn_layout_get_title_width (const AttnLayout   *layout,
                                         gsize                column);
double       attn_layout_get_title_size (const AttnLayout    *layout);
void         attn_layout_add_panel      (const AttnLayout    *layout,
                                         AttnScene           *scene,
                                         gsize                row,
                                         gsize                column,
                                         double               title_size);
void         attn_layout_add_axis_titles     (const AttnLayout *layout,
                                              AttnScene        *scene);
void         attn_layout_add_column_headings (const AttnLayout *layout,
                                              AttnScene        *scene);
void         attn_layout_add_row_headings    (const AttnLayout *layout,
                                              AttnScene        *scene);
void         attn_layout_add_caption         (const AttnLayout *layout,
                                              AttnScene        *scene);
void         attn_layout_add_colorbars  (const AttnLayout    *layout,
                                         AttnScene           *scene);
gboolean     attn_layout_wants_level_bars (const AttnLayout  *layout);
double       attn_layout_get_level_room (const AttnLayout    *layout,
                                         gsize                row);
void         attn_layout_add_level_bars (const AttnLayout    *layout,
                                         AttnScene           *scene);

/* For bars of both kinds. */
GArray      *attn_layout_get_ticks      (const AttnStyle     *style,
                                         const AttnScale     *scale,
                                         double               length,
                                         double               needed);
void         attn_layout_add_bar        (AttnScene           *scene,
                                         int                  group,
                                         const AttnRectangle *bar,
                                         const AttnScale     *scale,
                                         gboolean             is_difference,
                                         gboolean             is_level);
void         attn_layout_add_triangle   (AttnScene           *scene,
                                         int                  group,
                                         const AttnRectangle *bar,
                                         const AttnStyle     *style,
                                         gboolean             is_over,
                                         gboolean             is_level);
void         attn_layout_add_key_entry  (const AttnLayout    *layout,
                                         AttnScene           *scene,
                                         int                  group,
                                         const AttnRectangle *swatch,
                                         AttnRgb              color,
                                         const char          *name);
char        *attn_layout_get_value_label (const AttnLayout   *layout,
                                         gboolean             is_difference);

void         attn_layout_add_pin_labels (const AttnLayout    *layout,
                                         AttnScene           *scene,
                                         const AttnMark      *heatmap,
                                         const AttnGridCell  *cell);

void         attn_layout_measure_diagram  (AttnLayout       *layout);
void         attn_layout_size_diagram     (AttnLayout       *layout,
                                           gboolean          keeps);
double       attn_layout_get_diagram_room (const AttnLayout *layout);
double       attn_layout_get_note_room    (const AttnLayout *layout);
void         attn_layout_add_diagram      (const AttnLayout *layout,
                                           AttnScene        *scene);

/* For all of those that fill the scene. */
AttnRgb       attn_layout_get_text_color      (AttnRgb           color);
AttnMark     *attn_layout_add_text            (AttnScene        *scene,
                                               int               group,
                                               const char       *role,
                                               char             *markup,
                                               double            x,
                                               double            y,
                                               double            size,
                                               AttnAnchor        anchor,
                                               double            angle);
void          attn_layout_add_line            (AttnScene        *scene,
                                               int               group,
                                               const char       *role,
                                               double            x,
                                               double            y,
                                               double            dx,
                                               double            dy);
char         *attn_layout_fit_text            (const AttnLayout *layout,
                                               const char       *markup,
                                               double            width,
                                               double           *size);
AttnRectangle attn_layout_get_panel_rectangle (const AttnLayout *layout,
                                               AttnPanel        *panel,
                                               gsize             row,
                                               gsize             column);
double        attn_layout_get_aspect          (const AttnLayout *layout,
                                               AttnPanel        *panel);
gsize         attn_layout_get_label_step      (double            pitch,
                                               double            needed);
gsize         attn_layout_get_row_step        (const AttnLayout *layout,
                                               double            pitch);
gsize         attn_layout_get_column_step     (const AttnLayout *layout,
                                               double            pitch);

/* As many ticks as a colour bar has at most. */
#define ATTN_LAYOUT_MAX_TICKS 7
#define ATTN_LAYOUT_KEY_NAN    "NaN"
#define ATTN_LAYOUT_KEY_MASKED "Masked"
#define ATTN_LAYOUT_KEY_ON     "On"
#define ATTN_LAYOUT_KEY_OFF    "Off"

G_END_DECLS
