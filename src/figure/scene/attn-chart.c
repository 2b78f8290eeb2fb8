/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-chart.h"

static void
clear_bars (gpointer data)
{
  AttnBars *strip = data;

  for (gsize i = 0; i < strip->n_columns; i++)
    {
      g_free (strip->columns[i].name);
      g_free (strip->columns[i].bars);
      g_free (strip->columns[i].ticks);
    }
  g_free (strip->columns);
}

/**
 * attn_bars_new:
 *
 * Returns: (transfer full): columns of bars that are all 0, to be filled before other threads see
 *   them
 */
AttnBars *
attn_bars_new (gsize n_rows,
               gsize n_columns)
{
  AttnBars *strip = g_atomic_rc_box_new0 (AttnBars);

  strip->n_rows = n_rows;
  strip->n_columns = n_columns;
  strip->columns = g_new0 (AttnBarColumn, n_columns);
  for (gsize i = 0; i < n_columns; i++)
    strip->columns[i].bars = g_new0 (double, n_rows);
  return strip;
}

AttnBars *
attn_bars_ref (AttnBars *strip)
{
  return g_atomic_rc_box_acquire (strip);
}

void
attn_bars_unref (AttnBars *strip)
{
  g_atomic_rc_box_release_full (strip, clear_bars);
}

static void
clear_chart (gpointer data)
{
  AttnChart *chart = data;

  for (gsize i = 0; i < chart->n_curves; i++)
    {
      g_free (chart->curves[i].name);
      g_free (chart->curves[i].key);
      g_free (chart->curves[i].values);
    }
  g_free (chart->curves);
  g_free (chart->x);
  g_free (chart->marks);
  g_free (chart->x_title);
  for (gsize i = 0; i < 2; i++)
    g_free (chart->titles[i]);
}

/**
 * attn_chart_new:
 *
 * Returns: (transfer full): a chart whose curves are all 0, to be filled before other threads see
 *   it
 */
AttnChart *
attn_chart_new (gsize n,
                gsize n_curves,
                gsize n_marks)
{
  AttnChart *chart = g_atomic_rc_box_new0 (AttnChart);

  chart->n = n;
  chart->n_lines = 7;
  chart->chosen = -1;
  chart->x = g_new0 (double, n);
  chart->n_curves = n_curves;
  chart->curves = g_new0 (AttnCurve, n_curves);
  chart->n_marks = n_marks;
  chart->marks = g_new0 (double, n_marks);
  for (gsize i = 0; i < n_curves; i++)
    chart->curves[i].values = g_new0 (double, n);
  return chart;
}

AttnChart *
attn_chart_ref (AttnChart *chart)
{
  return g_atomic_rc_box_acquire (chart);
}

void
attn_chart_unref (AttnChart *chart)
{
  g_atomic_rc_box_release_full (chart, clear_chart);
}
