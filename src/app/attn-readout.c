/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-readout.h"

#include <glib/gi18n.h>
#include <langinfo.h>
#include <math.h>

#include "attn-text.h"

#define N_DIGITS 4

/* Differences below this are rounding of float32, not something to read. */
#define SMALLEST_DIFFERENCE 1e-9

/**
 * attn_readout_format_digits:
 *
 * Returns: (transfer full): @value with @n_digits significant digits and the locale's decimal
 *   point, "not a number" for NaN
 */
char *
attn_readout_format_digits (double value,
                            guint  n_digits)
{
  const char *point = nl_langinfo (RADIXCHAR);

  if (isnan (value))
    return g_strdup (_("not a number"));

  g_autofree char *magnitude = attn_text_format_weight (fabs (value), n_digits);
  g_auto (GStrv) parts = g_strsplit (magnitude, ".", 2);
  g_autofree char *local = g_strjoinv (point, parts);
  return g_strconcat (value < 0 ? "−" : "", local, NULL);
}

/**
 * attn_readout_format_number:
 *
 * Returns: (transfer full): the same with 4 significant digits
 */
char *
attn_readout_format_number (double value)
{
  return attn_readout_format_digits (value, N_DIGITS);
}

static const char *
get_label (const char * const *labels,
           gsize               index)
{
  return labels != NULL ? labels[index] : "";
}

/**
 * attn_readout_describe_cell:
 * @grid: the figure's panels
 * @hit: a cell of one of them
 *
 * Returns: (transfer full): plain text that names the panel, the query and the key
 */
char *
attn_readout_describe_cell (AttnGrid      *grid,
                            const AttnHit *hit)
{
  const AttnGridCell *cell = &grid->cells[hit->group];
  const char *query = get_label (attn_panel_get_row_labels (cell->panel), hit->row);
  const char *key = get_label (attn_panel_get_column_labels (cell->panel), hit->column);

  const char *name = cell->name != NULL ? cell->name : _("Panel");

  if (grid->row_title != NULL && grid->column_title != NULL)
    /* Translators: the name of a panel, then what its rows are and which one, and its columns */
    return g_strdup_printf (_("%s: %s %s → %s %s"), name, grid->row_title, query,
                            grid->column_title, key);
  /* Translators: the name of a panel, then index and text of a query token and of a key token */
  return g_strdup_printf (_("%s: query %zu “%s” → key %zu “%s”"), name,
                          attn_panel_get_row_position (cell->panel, hit->row), query,
                          attn_panel_get_column_position (cell->panel, hit->column), key);
}

/**
 * attn_readout_get_panel:
 *
 * Returns: (transfer none) (nullable): the weights of a place in the grid: where differences are
 *   shown, what the baseline was subtracted from
 */
AttnPanel *
attn_readout_get_panel (const AttnGridCell *cell)
{
  return cell->is_difference && cell->minuend != NULL ? cell->minuend : cell->panel;
}

static gsize
count_visible (const AttnPanel *panel,
               gsize            row)
{
  AttnSpan span = attn_panel_get_visible (panel, row);

  return span.end - span.first;
}

static void
append_baseline (GString            *text,
                 const AttnGridCell *cell,
                 const AttnHit      *hit,
                 double              value)
{
  double baseline = attn_panel_get_value (cell->baseline, hit->row, hit->column);
  double difference = value - baseline;
  g_autofree char *baseline_text = attn_readout_format_number (baseline);

  if (fabs (difference) < SMALLEST_DIFFERENCE)
    difference = 0;
  g_autofree char *difference_text = attn_readout_format_number (difference);
  g_string_append_printf (text, _(" · baseline %s · difference %s%s"), baseline_text,
                          difference > 0 ? "+" : "", difference_text);
}

/**
 * attn_readout_describe_value:
 * @grid: the figure's panels
 * @hit: a cell of one of them
 *
 * Returns: (transfer full): plain text with the weight, the baseline and the difference to it, the
 *   rank in the row, and whether the cell stands for several
 */
char *
attn_readout_describe_value (AttnGrid      *grid,
                             const AttnHit *hit)
{
  const AttnGridCell *cell = &grid->cells[hit->group];
  AttnPanel *panel = attn_readout_get_panel (cell);
  double value = attn_panel_get_value (panel, hit->row, hit->column);
  GString *text = g_string_new (NULL);

  if (!attn_panel_is_visible (panel, hit->row, hit->column))
    {
      g_string_append (text, _("masked: this query does not see this key"));
      return g_string_free (text, FALSE);
    }

  if (grid->is_binary)
    {
      g_string_append (text, value != 0 ? _("on") : _("off"));
      return g_string_free (text, FALSE);
    }

  g_autofree char *number = attn_readout_format_number (value);
  g_string_append_printf (text, _("weight %s"), number);
  if (isnan (value))
    return g_string_free (text, FALSE);
  if (cell->baseline != NULL)
    append_baseline (text, cell, hit, value);
  /* Translators: place of a weight among those of its row, 1 is the largest */
  g_string_append_printf (text, _(" · rank %zu of %zu"),
                          attn_panel_get_rank (panel, hit->row, hit->column),
                          count_visible (panel, hit->row));
  if (hit->n_rows > 1 || hit->n_columns > 1)
    g_string_append_printf (text, _(" · largest of %zu × %zu cells"),
                            hit->n_rows, hit->n_columns);
  return g_string_free (text, FALSE);
}

/**
 * attn_readout_describe_panel:
 * @measures: of a panel
 *
 * Returns: (transfer full): plain text with the sink score of the first key, the entropy of a row, and how
 *   far the panel is from the baseline; "" for a panel that has no such numbers
 */
char *
attn_readout_describe_panel (const AttnPanelMeasures *measures)
{
  if (isnan (measures->sink_score))
    return g_strdup ("");

  g_autofree char *sink_score = attn_readout_format_number (measures->sink_score);
  g_autofree char *entropy = attn_readout_format_number (measures->mean_entropy);
  g_autofree char *largest = attn_readout_format_number (measures->largest_difference);
  g_autofree char *variation = attn_readout_format_number (measures->total_variation);

  /* Translators: numbers that sum up a panel; total variation is the distance between distributions */
  return g_strdup_printf (_("panel: sink score %s · entropy %s bits · largest difference %s · "
                            "total variation %s"),
                          sink_score, entropy, largest, variation);
}
