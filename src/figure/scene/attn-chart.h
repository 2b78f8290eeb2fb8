/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers that are drawn beside and below the panels: bars along the rows of a panel, and charts
 * below all panels. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnBarColumn:
 * @name: plain text, such as "KL (bits)"
 * @bars: [n_rows]: the value of each row, drawn as a bar; NaN for none
 * @ticks: (nullable): [n_rows]: a value of each row, drawn as a line to compare the bar with; NaN
 *   for none
 */
typedef struct
{
  char *name;
  double *bars;
  double *ticks;
} AttnBarColumn;

/**
 * AttnBars:
 * @columns: (array length=n_columns): columns of bars from left to right
 *
 * Immutable once it is filled, in an atomically reference-counted box.
 */
typedef struct
{
  gsize n_rows;
  gsize n_columns;
  AttnBarColumn *columns;
} AttnBars;

/**
 * AttnCurve:
 * @name: plain text, such as "KL"
 * @is_right: its values are on the axis at the right
 * @key: (nullable): plain text, such as "Query": whose curve it is among several. Curves with the
 *   same key share a colour; all curves of a chart have one, or none has
 * @values: [@n of the chart]; NaN where there is no value
 */
typedef struct
{
  char *name;
  gboolean is_right;
  char *key;
  double *values;
} AttnCurve;

/**
 * AttnChartKind:
 * @ATTN_CHART_CURVES: lines through the values of each curve
 * @ATTN_CHART_POINTS: a point for each cell of a panel; one curve
 * @ATTN_CHART_BARS: a bar from each x to the next; one curve
 */
typedef enum
{
  ATTN_CHART_CURVES,
  ATTN_CHART_POINTS,
  ATTN_CHART_BARS,
} AttnChartKind;

/**
 * AttnChart:
 * @n: points of each curve
 * @n_lines: height of the chart in sizes of its text
 * @has_page: the chart matters as much as the panels, and may take half of the page
 * @is_linear: @x is on a linear scale; otherwise above 0 and on a logarithmic one
 * @has_legend: the curves are all measured at the left, and named within the chart
 * @n_columns: of points: point i is the cell i / @n_columns, i % @n_columns of a panel
 * @group: of points: index of that panel
 * @chosen: of points: index of the one that has a ring, or -1
 * @x: [@n]: the place of each value along the axis; of bars, their left ends
 * @x_end: of bars: where the last one ends
 * @marks: (array length=n_marks): where x is marked by a line from top to bottom
 * @x_title: plain text below the chart
 * @titles: (array fixed-size=2) (element-type utf8): plain text at the left and at the right;
 *   %NULL for an axis that is not there
 *
 * Immutable once it is filled, in an atomically reference-counted box.
 */
typedef struct
{
  AttnChartKind kind;
  gsize n;
  double n_lines;
  gboolean has_page;
  gboolean is_linear;
  gboolean has_legend;
  gsize n_columns;
  gsize group;
  gssize chosen;
  double *x;
  double x_end;
  gsize n_curves;
  AttnCurve *curves;
  gsize n_marks;
  double *marks;
  char *x_title;
  char *titles[2];
} AttnChart;

AttnBars *attn_bars_new   (gsize      n_rows,
                             gsize      n_columns);
AttnBars *attn_bars_ref   (AttnBars *strip);
void       attn_bars_unref (AttnBars *strip);
AttnChart *attn_chart_new   (gsize      n,
                             gsize      n_curves,
                             gsize      n_marks);
AttnChart *attn_chart_ref   (AttnChart *chart);
void       attn_chart_unref (AttnChart *chart);

G_END_DECLS
