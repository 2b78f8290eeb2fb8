/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layout has five steps: what is asked for (AttnLayoutInput), what the panels need
 * (AttnLayoutNeeds), how large they are and which parts of the figure there is room for
 * (AttnLayoutFit), where everything is (AttnLayoutPlaces), and the scene. Each of these values is
 * made by one file, points to those before it, and is const afterwards. Prototypes are in the order
 * in which files may call one another, earlier ones from later ones. Widths "at size 1" are those
 * that texts have at size 1, to be multiplied by their size; everything else is in points. */

#pragma once

#include "attn-contrast.h"
#include "attn-lettering.h"
#include "attn-range.h"
#include "attn-scene.h"

G_BEGIN_DECLS

#define ATTN_LAYOUT_SMALLEST_TEXT 5.0 /* smallest legible size in print */
#define ATTN_LAYOUT_LABEL_PITCH   0.8 /* largest size of a label, relative to the distance to the
                                       * next label */
#define ATTN_LAYOUT_TICK_LENGTH   3.0
#define ATTN_LAYOUT_LABEL_GAP     3.0
#define ATTN_LAYOUT_FLAT_GAP      3.0 /* gap between horizontal labels */
#define ATTN_LAYOUT_TITLE_GAP     4.0
#define ATTN_LAYOUT_FRAME_WIDTH   0.5
#define ATTN_LAYOUT_AXIS_GAP      5.0 /* gap between token labels and the axis title, points */
#define ATTN_LAYOUT_CAPTION_GAP   9.0
/* The smallest share of its size to which text that is too wide is shrunk before it is cut. */
#define ATTN_LAYOUT_SMALLEST_SHRINK 0.65
#define ATTN_LAYOUT_COLORBAR_GAP   12.0
#define ATTN_LAYOUT_COLORBAR_WIDTH 10.0

/* The figure to lay out. */
typedef struct
{
  AttnGrid *grid;
  double page_width;  /* width of the page in points; 0 for the natural width of the figure */
  double page_height; /* 0 for the natural height */
  double room_height; /* height in points of a page that may be higher than the figure in its
                       * middle */
  AttnStyle style;
  AttnStyle difference_style;
  AttnViewport *viewports; /* the visible part of each panel */
  gboolean has_views;      /* whether panels may have different viewports */
  GPtrArray *arrays;       /* arrays allocated for the layout, freed with it */
} AttnLayoutInput;

/* Allocates @n zeroed elements that are freed with the layout. */
static inline gpointer
attn_layout_allocate (const AttnLayoutInput *in,
                      gsize                  n,
                      gsize                  size)
{
  gpointer array = g_malloc0_n (n, size);

  g_ptr_array_add (in->arrays, array);
  return array;
}

#define ATTN_LAYOUT_MINUS "−"

/* Functions of attn-layout-marks.c: marks (drawn parts) that several parts of a figure need */

void      attn_layout_add_frame      (AttnScene   *scene,
                                      int          group,
                                      const AttnRectangle *rectangle);
char     *attn_layout_fit_text       (const char  *family,
                                      const char  *markup,
                                      double       width,
                                      double      *size);
AttnMark *attn_layout_add_bar_mark   (AttnScene   *scene,
                                      int          group,
                                      const AttnRectangle *rectangle,
                                      AttnRgb      color);
void      attn_layout_set_distinct   (const AttnStyle *style,
                                      gsize        index,
                                      gsize        n_before,
                                      AttnMark    *mark);
char     *attn_layout_set_minus      (const char  *number);
char     *attn_layout_format_number  (double       value);
void      attn_layout_add_small_text (AttnScene   *scene,
                                      int          group,
                                      const char  *text,
                                      double       x,
                                      double       y,
                                      double       size,
                                      AttnAnchor   anchor);

/* Returns the text size, in points, of a token label that has enough room. */
static inline double
attn_layout_get_largest_label (const AttnStyle *style)
{
  return MAX (style->font_size, style->largest_label);
}

/* Returns the gap between a title and its panel: the number at the upper end of a colour bar
 * reaches half into it. */
static inline double
attn_layout_get_title_gap (const AttnStyle *style)
{
  return MAX (ATTN_LAYOUT_TITLE_GAP,
              style->font_size * (ATTN_LETTERING_ASCENT - ATTN_LETTERING_DIGIT_MIDDLE));
}

/* Functions of attn-layout-labels.c: labels of rows or columns */

typedef struct
{
  const char *family;
  const char * const *texts; /* (nullable): plain texts of the labels; NULL for numbers from 0 */
  AttnPanel *panel;          /* (nullable): panel with the positions in the input, which are put
                              * before the labels */
  gboolean is_column;
  gsize n;                   /* number of labels; 0 if a neighbouring panel shows the same labels */
  double widest;             /* width of the widest label, at text size 1 */

  /*< private >*/
  gsize step;
  double widest_shown; /* width of the widest label at multiples of @step, at text size 1 */
} AttnLayoutLabels;

AttnLayoutLabels attn_layout_labels_new        (const char         *family,
                                                const char * const *texts,
                                                gsize               n);
AttnLayoutLabels attn_layout_labels_new_of     (const AttnLayoutInput *in,
                                                AttnPanel          *panel,
                                                gboolean            is_column,
                                                const AttnLayoutLabels *like);
double           attn_layout_labels_get_widest (AttnLayoutLabels   *labels,
                                                gsize               step);
char            *attn_layout_get_label         (const AttnLayoutLabels *labels,
                                                gsize               index);
gsize            attn_layout_get_label_step    (double              pitch,
                                                double              needed);
gsize            attn_layout_get_row_unit      (const AttnGrid     *grid,
                                                gsize               n_rows);
gsize            attn_layout_get_token_step    (double              pitch,
                                                double              size,
                                                gsize               unit);

/* Functions of attn-layout-scales.c: scales and ticks of the colour bars */

/* The largest number of ticks of a colour bar. */
#define ATTN_LAYOUT_MAX_TICKS 7

/* Default names of the colours of NaN and of masked cells in the key. */
#define ATTN_LAYOUT_KEY_NAN    "NaN"
#define ATTN_LAYOUT_KEY_MASKED "Masked"
#define ATTN_LAYOUT_KEY_ON     "On"
#define ATTN_LAYOUT_KEY_OFF    "Off"

/* Scales of the colours. Arrays of two are for weights and for differences. */
typedef struct
{
  const AttnLayoutInput *in;
  const AttnStyle *styles[2];
  gboolean is_used[2];  /* the grid has such panels */
  AttnRange *ranges[2]; /* ranges of values: one for the grid, for each row or for each panel, by
                         * the style's scope */
  gsize n_ranges;
  gsize n_bars;      /* colour bars beside each other */
  double tick_width; /* width of the widest number at a colour bar, at text size 1 */
} AttnLayoutScales;

const char      *attn_layout_scales_get_nan_name (const AttnLayoutScales *scales);
AttnLayoutScales attn_layout_scales_new       (const AttnLayoutInput  *in);
void             attn_layout_scales_clear     (AttnLayoutScales       *scales);
const AttnRange *attn_layout_scales_get       (const AttnLayoutScales *scales,
                                               gsize                   row,
                                               gsize                   column);
gboolean         attn_layout_scales_has_key   (const AttnLayoutScales *scales,
                                               const AttnRange        *range,
                                               gboolean                is_masked);
GArray          *attn_layout_scales_get_ticks (const AttnStyle        *style,
                                               const AttnRange        *range,
                                               double                  length,
                                               double                  needed);

/* Functions of attn-layout-key.c: the key above a chart */

typedef struct
{
  const AttnLayoutInput *in;
  gsize n;             /* number of entries; 0 for no key */
  const char **names;  /* plain text */
  double *widths;      /* width of each entry of the key with the sample of its curve, at text size
                        * 1 */
  gsize *of_curve;     /* index of the key's entry that each curve belongs to */
  gsize *colors;       /* index of the first panel of each entry of the key, which gives the entry
                        * its colour */
  gsize n_panels;      /* number of panels that have curves */
  gboolean is_counted; /* whether curves are too many to be named: one entry then gives their
                        * number */
} AttnLayoutKey;

AttnLayoutKey attn_layout_key_new        (const AttnLayoutInput *in);
double        attn_layout_key_get_line   (const AttnLayoutInput *in);
double        attn_layout_key_get_height (const AttnLayoutKey   *key,
                                          double                 width);
void          attn_layout_key_set_look   (const AttnLayoutKey   *key,
                                          gsize                  entry,
                                          AttnMark              *mark);
void          attn_layout_key_add        (const AttnLayoutKey   *key,
                                          AttnScene             *scene,
                                          const AttnRectangle   *room);

/* Functions of attn-layout-needs.c: the room that the panels need */

/* Sizes of the table below the panels, for the numbers that have been computed. */
typedef struct
{
  gsize n;           /* number of rows of the table; 0 for none */
  guint *n_lines;    /* number of lines of each row if numbers are split into two lines */
  double name_width; /* width of the widest name of a row of the table, at text size 1 */
  double width;      /* width of the widest number of the table on one line, at text size 1 */
  double half_width; /* width of the widest half of a number that is split into two lines, at text
                      * size 1 */
} AttnLayoutNumbers;

typedef struct
{
  const AttnLayoutInput *in;
  AttnLayoutScales scales;
  AttnLayoutLabels *row_labels; /* the labels of each panel's rows */
  AttnLayoutLabels *column_labels;
  AttnLayoutLabels *row_headings;
  AttnLayoutLabels *heads;  /* labels of the diagram's heads */
  AttnLayoutLabels *tokens; /* labels of the diagram's tokens */
  gboolean *has_line;       /* (nullable): for each link of the diagram, whether a line is drawn for
                             * it */
  gsize n_left_out;         /* number of links of the diagram that have no line */
  double smallest_share;    /* the share of a head's attention below which links have no line */
  double widest_column_heading; /* width of the widest heading of a column, at text size 1 */
  double widest_column_pitch;   /* width of a panel, at text size 1, at which all column labels fit
                                 * in a row */
  gsize max_rows;
  gsize max_columns;
  gsize n_side;  /* number of panels along the longer side of the grid, without a column of
                  * baselines */
  double aspect; /* width of a panel's slot divided by its height */
  gboolean has_titles;
  double title_size;
  double caption_size;
  const char *caption; /* (nullable): markup of the caption; explains the bars if there are any */
  double caption_width; /* width of the caption on one line, at text size 1 */
  AttnLayoutNumbers numbers;
  AttnLayoutKey key; /* the key of the chart */
  double value_label_size;
  double gap_x; /* gap between panels */
  double gap_y;
  double margin; /* margin around the figure */
} AttnLayoutNeeds;

AttnLayoutNeeds attn_layout_find_needs       (const AttnLayoutInput *in);
AttnRectangle   attn_layout_fill_slot        (const AttnGrid        *grid,
                                              AttnPanel             *panel,
                                              const AttnRectangle   *slot);

/* Parts of a figure, each TRUE if it is shown, as there is room for it. */
typedef struct
{
  gboolean titles;
  gboolean row_headings; /* if there are no titles */
  gboolean column_headings;
  gboolean caption;
  gboolean colorbar;
  gboolean level_bars; /* colour bars lie below the panels */
  gboolean value_label;
  gboolean row_tokens;
  gboolean tokens; /* token labels of the columns */
  gboolean axis_titles;
  gboolean diagram;
  gboolean numbers; /* a table below the panels */
  gboolean strip;   /* bars beside each panel */
  gboolean chart;   /* charts below all panels */
} AttnLayoutShown;

typedef struct
{
  const AttnLayoutInput *in;
  const AttnLayoutNeeds *needs;
  AttnLayoutShown shown;
  double slot_width; /* width of the slot of a panel; the panel fills it in at least one
                      * direction */
  double slot_height;
  double *row_room;           /* width of the row labels left of each column of the grid */
  double *column_room;        /* height of the column labels below or above each row of the grid */
  double *row_label_width;    /* width of the widest row label that is shown, at text size 1 */
  double *column_label_width; /* the same for column labels */
  double label_size;          /* text size of token labels */
  double number_size;         /* text size of the table below the panels; 0 if the table has no
                               * room */
  gboolean are_numbers_split; /* whether numbers of the table before and after the operation are on
                               * two lines */
  gboolean has_flat_labels;   /* whether column labels are horizontal, not vertical */
  double row_heading_room;
  gboolean are_row_headings_on_end;
  double column_heading_room;
  gsize n_heading_lines;
  gsize n_caption_lines;
  double caption_width; /* width in points for which the lines of the caption have been counted */
  double head_width;    /* width of the diagram's boxes and labels of heads, points */
  double token_width;
  double diagram_width;
  double chart_room; /* height of the charts below all panels, points */
  double used_width; /* width of the whole figure */
  double used_height;
} AttnLayoutFit;

typedef struct
{
  const AttnLayoutInput *in;
  const AttnLayoutNeeds *needs;
  const AttnLayoutFit *fit;
  double width;
  double height;
  double *slot_x; /* x of the panels' slots in each column of the grid */
  double *slot_y; /* y of the panels' slots in each row of the grid */
  double *numbers_y; /* y of the table of numbers below each row of panels */
  double *bar_y;  /* y of the colour bars below each row of panels */
  double left;    /* x at which the panels begin with their labels, right of the diagram */
  double axis_title_y; /* y of the baseline of the columns' axis title; for the caption and the
                        * note below it, the two members below */
  double caption_y;    /* ... the caption, ... */
  double note_y;       /* ... the note below it */
  AttnRectangle diagram;
  AttnRectangle colorbar;
  AttnRectangle chart;
} AttnLayoutPlaces;

AttnRectangle attn_layout_get_panel_rectangle (const AttnLayoutPlaces *at,
                                               gsize                   row,
                                               gsize                   column);

/* Functions of attn-layout-diagram.c: the diagram of heads and tokens */

void   attn_layout_size_diagram     (AttnLayoutFit          *fit,
                                     double                  height,
                                     gboolean                keeps);
double attn_layout_get_diagram_room (const AttnLayoutFit    *fit);
double attn_layout_get_note_room    (const AttnLayoutFit    *fit);
void   attn_layout_add_diagram      (const AttnLayoutPlaces *at,
                                     AttnScene              *scene);

/* Functions of attn-layout-effect.c: bars beside a panel */

gboolean attn_layout_has_strip       (const AttnLayoutInput  *in);
double attn_layout_get_strip_width  (const AttnLayoutInput  *in);
double attn_layout_get_strip_room   (const AttnLayoutFit    *fit);
double attn_layout_get_strip_labels (const AttnLayoutFit    *fit);
void   attn_layout_add_beside       (const AttnLayoutPlaces *at,
                                     AttnScene              *scene,
                                     gsize                   row,
                                     gsize                   column);

/* Functions of attn-layout-numbers.c: the table below the panels */

void   attn_layout_measure_numbers       (AttnLayoutNeeds        *needs);
void   attn_layout_size_numbers          (AttnLayoutFit          *fit,
                                          gboolean                keeps);
double attn_layout_get_numbers_room      (const AttnLayoutFit    *fit,
                                          gsize                   row);
double attn_layout_get_number_names_room (const AttnLayoutFit    *fit);
void   attn_layout_add_numbers           (const AttnLayoutPlaces *at,
                                          AttnScene              *scene,
                                          gsize                   row);

/* Functions of attn-layout-chart.c: charts below all panels */

double attn_layout_get_least_chart_height (const AttnLayoutInput *in);
double attn_layout_get_chart_room   (const AttnLayoutFit    *fit);
void   attn_layout_add_charts       (const AttnLayoutPlaces *at,
                                     AttnScene              *scene);

/* Functions of attn-layout-colorbar.c: parts of all colour bars, and the bars at the right */

void     attn_layout_add_bar         (const AttnLayoutNeeds  *needs,
                                      AttnScene              *scene,
                                      AttnRectangle          *bar,
                                      const AttnRange        *range,
                                      gboolean                is_difference,
                                      gboolean                is_level);
void     attn_layout_add_key_entry   (const AttnLayoutNeeds  *needs,
                                      AttnScene              *scene,
                                      const AttnRectangle    *swatch,
                                      AttnRgb                 color,
                                      const char             *name);
gboolean attn_layout_has_value_label (const AttnLayoutFit    *fit);
char    *attn_layout_fit_value_label (const AttnLayoutNeeds  *needs,
                                      gboolean                is_difference,
                                      double                  width,
                                      double                 *size);
double   attn_layout_get_colorbar_room (const AttnLayoutFit    *fit);
double   attn_layout_get_inner_room    (const AttnLayoutFit    *fit);
gboolean attn_layout_wants_level_bars  (const AttnLayoutFit    *fit);
double   attn_layout_get_value_label_share (const AttnLayoutPlaces *at);
void     attn_layout_add_colorbars     (const AttnLayoutPlaces *at,
                                        AttnScene              *scene);

/* Functions of attn-layout-level.c: colour bars below the panels */

double attn_layout_get_level_label_share (const AttnLayoutPlaces *at);
double attn_layout_get_level_room (const AttnLayoutFit    *fit,
                                   gsize                   row);
void   attn_layout_add_level_bars (const AttnLayoutPlaces *at,
                                   AttnScene              *scene);

/* Functions of attn-layout-titles.c: titles, headings and the caption of a figure */

void     attn_layout_measure_caption      (AttnLayoutNeeds        *needs);
char   **attn_layout_wrap_caption         (const AttnLayoutNeeds  *needs,
                                           double                  width,
                                           double                 *size);
gsize    attn_layout_count_heading_lines  (const AttnLayoutNeeds  *needs,
                                           double                  pitch);
double   attn_layout_get_row_heading_room (const AttnLayoutNeeds  *needs,
                                           double                  pitch,
                                           gboolean                on_end);
gboolean attn_layout_are_titles_cut       (const AttnLayoutPlaces *at);
gboolean attn_layout_are_headings_cut     (const AttnLayoutPlaces *at);
double   attn_layout_get_heading_gap      (const AttnLayoutPlaces *at);
double   attn_layout_get_title_size       (const AttnLayoutPlaces *at);
double   attn_layout_get_title_width      (const AttnLayoutPlaces *at,
                                           gsize                   column);
void     attn_layout_add_words            (const AttnLayoutPlaces *at,
                                           AttnScene              *scene);

/* Functions of attn-layout-pins.c: labels of marked cells */

void   attn_layout_add_pin_labels   (const AttnLayoutFit    *fit,
                                     AttnScene              *scene,
                                     const AttnMark         *heatmap,
                                     const AttnGridCell     *cell);

/* Functions of attn-layout-panel.c: the marks (drawn parts) of a panel */

/* The size and direction of the labels of a panel's rows or columns. */
typedef struct
{
  double size;
  gboolean is_flat; /* whether labels of columns are horizontal, not vertical */
} AttnLayoutWriting;

void attn_layout_add_panel      (const AttnLayoutPlaces *at,
                                 AttnScene              *scene,
                                 gsize                   row,
                                 gsize                   column,
                                 double                  title_size,
                                 const AttnLayoutWriting writings[2]);
void attn_layout_add_picture    (const AttnStyle        *style,
                                 AttnScene              *scene,
                                 const AttnMark         *heatmap,
                                 AttnImage              *image);
void attn_layout_find_writings  (const AttnLayoutPlaces *at,
                                 gsize                   group,
                                 AttnLayoutWriting       writings[2]);

/* Functions of attn-layout-fit.c: sizes, and the parts of the figure that have room */

AttnLayoutFit attn_layout_find_fit       (const AttnLayoutNeeds *needs,
                                          AttnLayoutShown        may);
double        attn_layout_get_title_room (const AttnLayoutFit   *fit);
gsize         attn_layout_get_row_thinning (const AttnLayoutFit *fit);
gboolean      attn_layout_is_finer       (gsize                  a,
                                          gsize                  b);
gboolean      attn_layout_says_more      (const AttnLayoutFit   *a,
                                          const AttnLayoutFit   *b);

G_END_DECLS
