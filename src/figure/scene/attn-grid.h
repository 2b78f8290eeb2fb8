/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A grid holds what a figure shows: rows x columns of panels with their titles. */

#pragma once

#include "attn-chart.h"
#include "attn-diagram.h"
#include "attn-image.h"
#include "attn-panel.h"
#include "attn-style.h"

G_BEGIN_DECLS

/**
 * AttnRegion:
 * @name: (nullable): plain text; the name of its object in SVG
 * @first_row: first query index
 * @last_row: last query index, inclusive
 * @first_column: first key index
 * @last_column: last key index, inclusive
 * @is_pin: a single cell that is kept in view, outlined so that it stands out on every colour
 * @value: pin: the value of its cell; filled by [func@attn_grid_add_region], since reading a long
 *   panel takes time
 *
 * A rectangle of cells with a black outline. Rows and columns beyond the panel count as its last
 * ones.
 */
typedef struct
{
  char *name;
  gsize first_row;
  gsize last_row;
  gsize first_column;
  gsize last_column;
  gboolean is_pin;
  float value;
} AttnRegion;

/**
 * AttnFactor:
 * @power: how many times ε is among the factors
 * @rest: the product of the other factors
 *
 * The factor of the query or the key of a token: @rest ε^@power.
 */
typedef struct
{
  guint power;
  double rest;
} AttnFactor;

/**
 * AttnRescaledHead:
 * @scores: [T', S], the scores of a head before any operation, for the queries that the panel shows
 *   and all keys; masked scores are -INFINITY
 * @queries: (array): [T'], the factor of each query
 * @keys: (array): [S], the factor of each key
 * @sink: a score that takes a share of every row and gives it to no key, which ε does not act on;
 *   -INFINITY if there is none
 * @row_of: (nullable) (element-type int): [T'], the row of the panel that each query is part of;
 *   %NULL if each query is a row
 * @column_of: (nullable) (element-type int): [S], the column of the panel that each key is part of,
 *   -1 for a key that is not shown; %NULL if each key is a column
 *
 * A head whose weights are softmax (@queries @scores @keys), with @sink as one more score of each
 * row. A row of the panel is the mean of its queries, a column the sum of its keys.
 */
typedef struct
{
  AttnTensor *scores;
  AttnFactor *queries;
  AttnFactor *keys;
  double sink;
  GArray *row_of;
  GArray *column_of;
} AttnRescaledHead;

/**
 * AttnRescaling:
 * @epsilon: ε, the factor of the panel's operation; 0 if there is no factor that can be changed
 *   alone
 * @heads: (nullable) (element-type AttnRescaledHead): the heads whose mean the panel is; %NULL if
 *   it does not depend on ε
 * @subtracted: (nullable) (element-type AttnRescaledHead): of a difference, the heads whose mean is
 *   subtracted; %NULL if it does not depend on ε
 * @is_of_scores: the panel holds the scaled scores themselves instead of weights
 * @renormalises: each row of the mean is divided by its sum
 *
 * The rule by which a panel follows from scores for any ε, without another pass of the model.
 */
typedef struct
{
  double epsilon;
  GArray *heads;
  GArray *subtracted;
  gboolean is_of_scores;
  gboolean renormalises;
} AttnRescaling;

/**
 * AttnGridCell:
 * @panel: (nullable): the matrix; %NULL leaves the place empty
 * @baseline: (nullable): the same matrix without the intervention, to compare with; of a
 *   difference, what was subtracted
 * @is_baseline: @panel is a baseline, shown in the place of what an intervention makes of it
 * @is_difference: @panel holds differences, which have a scale, colours and a colour bar of their
 *   own
 * @minuend: (nullable): of a difference, what @baseline was subtracted from
 * @minuend_name: (nullable): plain text that names @minuend, such as "L2", or that names a baseline
 *   if it is shown itself; %NULL if @minuend is what an intervention made of @baseline
 * @baseline_name: (nullable): the name of @baseline, where @minuend has one
 * @title: (nullable): Pango markup of which <i> is used, shown above the panel
 * @input: index of the input whose tokens its rows and columns are
 * @name: plain text that names the panel, for assistive technology and as the name of its group in
 *   SVG
 * @operation: (nullable): plain text: what is done to the model in this panel, in the words of the
 *   caption; %NULL for a baseline, and where @name has it whole
 * @value_name: (nullable): plain text: what its values are, if that differs from panel to panel
 * @column_name: (nullable): what its columns are, if that differs from panel to panel: "Position"
 *   beside panels of heads; static
 * @cell_names: (nullable) (array zero-terminated=1): row-major, plain text: what each cell is, if
 *   its row and column do not tell it
 * @cell_numbers: (nullable) (array): row-major: a second number of each cell, told in the words of
 *   the grid's @number_word
 * @cell_intervals: (nullable) (array): row-major: two numbers of each cell, the ends of the
 *   interval that its value lies in
 * @rescaling: how @panel, or @minuend and @baseline of a difference, follow from scores if ε
 *   changes
 * @lacks_distributions: the rows of @panel are no distributions, such as scores: an entropy would
 *   say nothing
 * @image: (nullable): a picture of the input, of which each cell is a part and which shows through
 *   the cells' colours
 * @picture: the number of that picture among several of the input, from 1; 0 if it is the only one
 * @numbers: (nullable) (array zero-terminated=1): a column of the table below the panels: plain
 *   text for each of the grid's number names
 * @strip: (nullable): bars beside the rows of the panel
 * @regions: (array length=n_regions): drawn over the panel, later ones over earlier ones; see
 *   [func@attn_grid_add_region]
 */
typedef struct
{
  AttnPanel *panel;
  AttnPanel *baseline;
  gboolean is_baseline;
  gboolean is_difference;
  AttnPanel *minuend;
  char *minuend_name;
  char *baseline_name;
  char *title;
  gsize input;
  char *name;
  char *operation;
  char *value_name;
  const char *column_name;
  GStrv cell_names;
  guint32 *cell_numbers;
  float *cell_intervals;
  AttnRescaling rescaling;
  gboolean lacks_distributions;
  AttnImage *image;
  gsize picture;
  GStrv numbers;
  AttnBars *strip;
  AttnRegion *regions;
  gsize n_regions;

  /*< private >*/
  AttnPanel *ratio; /* (nullable): panel of ratios that is drawn in place of the values, see
                     * attn_range_get_drawn() */
} AttnGridCell;

/**
 * AttnGrid:
 * @cells: (array): row-major, @n_rows x @n_columns
 * @caption: (nullable): Pango markup below the grid
 * @bars_note: (nullable): markup: a sentence of the caption about the bars, where there is room for
 *   these
 * @value_label: what the values are: the label of the colour bar, "Attention Weight"
 * @is_untouched: no operation changes the model, or there is no figure of the model without its
 *   operations, so that no panel is compared with a baseline that is the same
 * @value_word: (nullable): a format, to be translated, that tells one value in a sentence, such as
 *   "score %s"; static; %NULL for a weight
 * @nan_name: (nullable): what a cell that is not a number is, such as "Chosen": it has no number in
 *   it, and the key of the colour bars says so; static
 * @number_word: (nullable): a format, to be translated, that tells a cell's number, such as
 *   "channel %u"; static
 * @row_title: (nullable): what the rows are, plain text beside the grid; %NULL for "Query"
 * @column_title: (nullable): what the columns are, below the grid; %NULL for "Key"
 * @row_headings: (nullable) (array zero-terminated=1): one for each row of the grid, plain text;
 *   they stand beside it where there is no room for titles
 * @column_headings: (nullable) (array zero-terminated=1): one for each column, above it
 * @diagram: (nullable): what stands at the left of the panels
 * @charts: (nullable) (element-type AttnChart): below the panels, beside each other
 * @number_names: (nullable) (array zero-terminated=1): plain text: the rows of the table below the
 *   panels, which has its room whether the numbers are known already or not
 * @has_numbers_once: the table stands below the last row of panels alone, whose columns it is of
 * @n_strip_columns: there is room for so many columns of bars beside each panel
 * @has_chart: there is room for @charts
 * @has_key: and above them for a line that says which curve is what
 * @scope: which panels have the same unit: no others share a scale, whatever the style says
 * @has_top_labels: the labels and the title of the columns stand above the panels
 * @is_binary: values are 0 for off and 1 for on: two colours and their key, whatever the style has,
 *   lines between the cells, and no numbers in them
 * @aspect: width of a panel relative to its height; 0 for square cells
 * @row_step: only every so many rows have a label; 0 for as many as there is room for
 * @is_unfinished: what is masked is not known yet
 * @has_baseline_column: the first column stands beside those that the figure is of, which are as
 *   large without it where the page is as wide as the figure
 * @has_operation_columns: columns differ in what is done to the model, so that the baselines of a
 *   row are one
 * @has_own_titles: titles were asked for, which headings do not say
 * @has_names: columns have names, which get the room that they need, where tokens would be cut
 * @whole: (nullable): the grid that this one is taken from, whose scale it has
 * @group: the index of its first panel in @whole
 *
 * Filled by its maker, then immutable. Reference-counted; any thread may use it.
 */
typedef struct _AttnGrid AttnGrid;
struct _AttnGrid
{
  gsize n_rows;
  gsize n_columns;
  AttnGridCell *cells;
  char *caption;
  char *bars_note;
  char *value_label;
  gboolean is_untouched;
  const char *value_word;
  const char *nan_name;
  const char *number_word;
  char *row_title;
  char *column_title;
  GStrv row_headings;
  GStrv column_headings;
  AttnDiagram *diagram;
  GPtrArray *charts;
  GStrv number_names;
  gboolean has_numbers_once;
  gsize n_strip_columns;
  gboolean has_chart;
  gboolean has_key;
  AttnRangeScope scope;
  gboolean has_top_labels;
  gboolean is_binary;
  double aspect;
  gsize row_step;
  gboolean is_unfinished;
  gboolean has_baseline_column;
  gboolean has_operation_columns;
  gboolean has_own_titles;
  gboolean has_names;
  AttnGrid *whole;
  gsize group;

  /*< private >*/
  gatomicrefcount ref_count;
  GMutex mutex;      /* lock that guards @ranges and the ratio of each cell */
  GPtrArray *ranges; /* (nullable): groups of cells that share a range, see attn-range.c */
};

AttnRescaling attn_rescaling_share (const AttnRescaling *rescaling);
AttnGrid     *attn_grid_new      (gsize      n_rows,
                                  gsize      n_columns);
AttnGrid     *attn_grid_ref      (AttnGrid  *grid);
void          attn_grid_unref    (AttnGrid  *grid);
AttnGridCell *attn_grid_get_cell (AttnGrid  *grid,
                                  gsize      row,
                                  gsize      column);
AttnGrid     *attn_grid_take_panel (AttnGrid *grid,
                                    gsize     index);
/* Text in a figure is English. */
#define ATTN_GRID_BASELINE         "Baseline"
/* Names of an operation's effects on the prediction in figures: of bars, one for each token, and of
 * numbers in the table. */
#define ATTN_GRID_KL               "KL (bits)"
#define ATTN_GRID_LOSS             "Loss (bits)"
#define ATTN_GRID_LABEL            "Label"
#define ATTN_GRID_LOGIT_DIFFERENCE "Logit Diff."
/* Names of the numbers in the table of effects: means over all tokens, and values for the last
 * token. */
#define ATTN_GRID_MEAN_KL          "Mean " ATTN_GRID_KL
#define ATTN_GRID_MEAN_LOSS        "Mean " ATTN_GRID_LOSS
#define ATTN_GRID_LAST_DIFFERENCE  "Last " ATTN_GRID_LOGIT_DIFFERENCE
/* Caption of a figure that shows the baseline in every panel. */
#define ATTN_GRID_BASELINE_CAPTION "Baseline: without the operations of this figure"

AttnGrid     *attn_grid_take_baseline (AttnGrid *grid);
AttnGrid     *attn_grid_copy     (AttnGrid  *grid);
AttnGrid     *attn_grid_arrange  (AttnGrid    *grid,
                                  const gsize *order,
                                  gsize        n,
                                  gboolean     keeps_scale);
gboolean      attn_grid_is_compared (const AttnGrid *grid,
                                     int             group);
const char   *attn_grid_get_place_words (const AttnGrid *grid,
                                    gsize           index);
gboolean      attn_grid_check    (const AttnGrid  *grid,
                                  GError         **error);
void          attn_grid_add_chart (AttnGrid   *grid,
                                   AttnChart  *chart);
void          attn_grid_add_region (AttnGrid         *grid,
                                    gsize             row,
                                    gsize             column,
                                    const AttnRegion *region);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnGrid, attn_grid_unref)

G_END_DECLS
