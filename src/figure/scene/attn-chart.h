/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers beside and below the panels: bars along the rows of one, curves below all. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnBarColumn:
 * @name: plain text, such as "KL (bits)"
 * @bars: [n_rows]: how long each is; NaN for none
 * @ticks: (nullable): [n_rows]: a line at each, to compare the bar with; NaN for none
 */
typedef struct
{
  char *name;
  double *bars;
  double *ticks;
} AttnBarColumn;

/**
 * AttnBars:
 * @columns: (array length=n_columns): from left to right
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
 * @is_right: it is measured at the right
 * @values: [n] of the chart; NaN for none
 */
typedef struct
{
  char *name;
  gboolean is_right;
  double *values;
} AttnCurve;

/**
 * AttnChart:
 * @n: points of each curve
 * @x: [n], above 0, on a logarithmic scale
 * @marks: (array length=n_marks): where x is marked by a line from top to bottom
 * @x_title: plain text below
 * @titles: plain text at the left and at the right
 *
 * Immutable once it is filled, in an atomically reference-counted box.
 */
typedef struct
{
  gsize n;
  double *x;
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
