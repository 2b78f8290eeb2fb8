/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-readout.h"

#include <glib/gi18n.h>
#include <langinfo.h>
#include <math.h>

#include "attn-cell-cursor.h"
#include "attn-panel-name.h"
#include "attn-roles.h"
#include "attn-text.h"
#include "attn-visible.h"

#define N_DIGITS 4

/* Placeholder for a value of a long panel (one with more cells than are kept in memory) whose row
 * is not loaded yet. */
#define PENDING "…"

/* The magnitude below which a difference is float32 rounding and shown as 0. */
#define SMALLEST_DIFFERENCE 1e-9

/* Numbers whose text is the widest, for which room is reserved: a number with N_DIGITS digits after
 * three zeros, and counts for long inputs. */
#define WIDEST_NUMBER 0.0004444
#define WIDEST_COUNT  4444
#define WIDEST_EXTENT 44

/* Formats a number with a minus sign and the decimal point of the locale. @magnitude: (transfer
 * full): the number without its sign */
static char *
localize (double  value,
          char   *magnitude)
{
  g_auto (GStrv) parts = g_strsplit (magnitude, ".", 2);
  g_autofree char *local = g_strjoinv (nl_langinfo (RADIXCHAR), parts);

  g_free (magnitude);
  return g_strconcat (value < 0 ? "−" : "", local, NULL);
}

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
  if (isnan (value))
    return g_strdup (_("not a number"));
  return localize (value, attn_text_format_weight (fabs (value), n_digits));
}

/**
 * attn_readout_format_short:
 * @value: a number, not NaN
 *
 * Returns: (transfer full): @value with as many of 3 significant digits as fit into
 *   %ATTN_READOUT_SHORT characters, but no less than 2, with an exponent where it takes one
 */
char *
attn_readout_format_short (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint n_digits = 3; n_digits >= 2; n_digits--)
    {
      g_autofree char *text = attn_readout_format_digits (value, n_digits);

      if (g_utf8_strlen (text, -1) <= ATTN_READOUT_SHORT)
        return g_steal_pointer (&text);
    }
  g_ascii_formatd (buffer, sizeof buffer, "%.1e", fabs (value));
  attn_text_trim_exponent (buffer);
  return localize (value, g_strdup (buffer));
}

/**
 * attn_readout_format_beside:
 * @value: a number, not NaN
 * @other: the number that stands beside it, or NaN
 *
 * Returns: (transfer full): @value as [func@attn_readout_format_short] gives it, but with as many
 *   digits as tell it from @other
 */
char *
attn_readout_format_beside (double value,
                            double other)
{
  char *text = attn_readout_format_short (value);

  if (isnan (other))
    return text;
  g_autofree char *beside = attn_readout_format_short (other);
  guint n_digits = g_str_equal (text, beside) ? attn_text_find_digits (value, other, 3) : 0;
  if (n_digits == 0)
    return text;
  g_free (text);
  return attn_readout_format_digits (value, n_digits);
}

/**
 * attn_readout_format_change:
 *
 * Returns: (transfer full): a weight before and after, "0.123 → 0.456", with 3 decimals or as many
 *   digits as tell the two apart
 */
char *
attn_readout_format_change (double before,
                            double after)
{
  g_autofree char *first = g_strdup_printf ("%.3f", before);
  g_autofree char *second = g_strdup_printf ("%.3f", after);

  if (!g_str_equal (first, second))
    return g_strdup_printf ("%s → %s", first, second);
  guint n_digits = attn_text_find_digits (before, after, 1);
  if (n_digits == 0)
    /* Translators: a number that is the same before and after */
    return g_strdup_printf (_("%s → same"), first);
  g_autofree char *from = attn_readout_format_digits (before, n_digits);
  g_autofree char *to = attn_readout_format_digits (after, n_digits);
  return g_strdup_printf ("%s → %s", from, to);
}

/**
 * attn_readout_format_number:
 *
 * Returns: (transfer full): @value as [func@attn_readout_format_digits] gives it, with 4
 *   significant digits
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

/* Returns the label of a row or a column. If two rows, or two columns, of the panel have the same
 * label, as tokens may, the label comes with its position in the input. */
static char *
dup_label (AttnPanel *panel,
           gboolean   is_row,
           gsize      index)
{
  const char * const *labels =
      is_row ? attn_panel_get_row_labels (panel) : attn_panel_get_column_labels (panel);
  gsize position = is_row ? attn_panel_get_row_position (panel, index)
                          : attn_panel_get_column_position (panel, index);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; position != ATTN_PANEL_NO_POSITION && labels != NULL && labels[i] != NULL; i++)
    if (!g_hash_table_add (known, (gpointer) labels[i]))
      return g_strdup_printf ("%zu “%s”", position, labels[index]);
  return g_strdup (get_label (labels, index));
}

/* Returns the label of a column. If the label is the name of a role, such as "last_q", the
 * description of that role is added. */
static char *
dup_key (AttnPanel *panel,
         gsize      column)
{
  const char *label = get_label (attn_panel_get_column_labels (panel), column);
  const char *words = attn_roles_describe (label);

  return words != NULL ? g_strdup_printf ("%s, %s", label, words)
                       : dup_label (panel, FALSE, column);
}

/* Tells whether a column is the learned sink, which takes the attention that a row gives to no
 * key. */
static gboolean
is_sink (const AttnPanel *panel,
         gsize            column)
{
  return attn_panel_get_column_position (panel, column) == ATTN_PANEL_NO_POSITION;
}

/* Returns row and column of a map in words, such as "Layer 1, head 3"; axes that have no phrase are
 * told by titles and labels with an arrow. */
static char *
describe_place (const AttnGrid *grid,
                gsize           group,
                const char     *row,
                const char     *column)
{
  const char *words = attn_grid_get_place_words (grid, group);

  if (words != NULL)
    return g_strdup_printf (_(words), row, column);
  return g_strdup_printf ("%s %s → %s %s", attn_panel_name_translate_title (grid->row_title), row,
                          attn_panel_name_translate_title (grid->column_title), column);
}

/**
 * attn_readout_describe_cell:
 * @grid: the figure's panels
 * @hit: a cell of one of these panels
 *
 * Returns: (transfer full): plain text that names the panel, the query and the key; of a map
 *   without a title that is the whole figure, only row and column
 */
char *
attn_readout_describe_cell (AttnGrid      *grid,
                            const AttnHit *hit)
{
  const AttnGridCell *cell = &grid->cells[hit->group];
  const char *query = get_label (attn_panel_get_row_labels (cell->panel), hit->row);
  const char *key = get_label (attn_panel_get_column_labels (cell->panel), hit->column);

  g_autofree char *name = attn_panel_name_translate (cell->name);

  if (cell->cell_names != NULL)
    return g_strdup (cell->cell_names[hit->row * attn_panel_get_n_columns (cell->panel) +
                                      hit->column]);
  if (cell->image != NULL)
    {
      g_autofree char *patch = describe_place (grid, hit->group, query, key);

      return g_strdup_printf (_("%s: %s"), name, patch);
    }
  if (grid->row_title != NULL && grid->column_title != NULL)
    {
      g_autofree char *whole_query = dup_label (cell->panel, TRUE, hit->row);
      g_autofree char *whole_key = dup_key (cell->panel, hit->column);

      g_autofree char *place = describe_place (grid, hit->group, whole_query, whole_key);

      return grid->n_rows * grid->n_columns == 1 && cell->title == NULL
                 ? g_steal_pointer (&place)
                 /* Translators: the name of a panel, then which cell of it */
                 : g_strdup_printf (_("%s: %s"), name, place);
    }
  /* Translators: the name of a panel, then index and text of a query token and of a key token */
  return is_sink (cell->panel, hit->column)
             ? g_strdup_printf (_("%s: query %zu “%s” → no key (%s)"), name,
                                attn_panel_get_row_position (cell->panel, hit->row), query, key)
             : g_strdup_printf (_("%s: query %zu “%s” → key %zu “%s”"), name,
                                attn_panel_get_row_position (cell->panel, hit->row), query,
                                attn_panel_get_column_position (cell->panel, hit->column), key);
}

/**
 * attn_readout_describe_pair:
 * @place: the layer and head that are shown; "" where the panel's name says them
 *
 * Returns: (transfer full): plain text with the layer and head, the query and the key
 */
char *
attn_readout_describe_pair (AttnGrid      *grid,
                            const AttnHit *hit,
                            const char    *place)
{
  const AttnGridCell *cell = &grid->cells[hit->group];
  const char *query = get_label (attn_panel_get_row_labels (cell->panel), hit->row);
  const char *key = get_label (attn_panel_get_column_labels (cell->panel), hit->column);
  g_autofree char *name =
      *place != '\0' ? g_strdup (place) : attn_panel_name_translate (cell->name);

  if (cell->cell_names != NULL)
    return attn_readout_describe_cell (grid, hit);
  if (cell->image != NULL)
    {
      g_autofree char *patch = describe_place (grid, hit->group, query, key);

      return g_strdup_printf (_("%s: %s"), name, patch);
    }
  if (grid->row_title != NULL && grid->column_title != NULL)
    {
      g_autofree char *whole_query = dup_label (cell->panel, TRUE, hit->row);
      g_autofree char *whole_key = dup_label (cell->panel, FALSE, hit->column);

      return describe_place (grid, hit->group, whole_query, whole_key);
    }
  return is_sink (cell->panel, hit->column)
             ? g_strdup_printf ("%s · %zu “%s” → %s", name,
                                attn_panel_get_row_position (cell->panel, hit->row), query, key)
             : g_strdup_printf ("%s · %zu “%s” → %zu “%s”", name,
                                attn_panel_get_row_position (cell->panel, hit->row), query,
                                attn_panel_get_column_position (cell->panel, hit->column), key);
}

/**
 * attn_readout_describe_token:
 * @grid: the figure's panels
 * @format: format of printf() for the position and the text of a token
 * @panel: one of these panels
 * @is_row: whether @index is that of a row, not of a column
 *
 * Returns: (transfer full): the token; if the rows or columns are not tokens, what they are and
 *   which one it is, such as "Layer 3"
 */
char *
attn_readout_describe_token (const AttnGrid *grid,
                             const char     *format,
                             AttnPanel      *panel,
                             gboolean        is_row,
                             gsize           index)
{
  const char *title = is_row ? grid->row_title : grid->column_title;
  const char *label = get_label (
      is_row ? attn_panel_get_row_labels (panel) : attn_panel_get_column_labels (panel), index);

  if (title != NULL)
    {
      g_autofree char *whole = dup_label (panel, is_row, index);

      return g_strdup_printf ("%s %s", attn_panel_name_translate_title (title), whole);
    }
  if (!is_row && is_sink (panel, index))
    return g_strdup (label);
  return g_strdup_printf (format,
                          is_row ? attn_panel_get_row_position (panel, index)
                                 : attn_panel_get_column_position (panel, index),
                          label);
}

/**
 * attn_readout_opens_cells:
 *
 * Returns: whether a click on a cell of the figure opens the figure that the cell stands for, such
 *   as that of a head
 */
gboolean
attn_readout_opens_cells (const AttnStudy *study)
{
  const AttnFigureTraits *traits = attn_study_get_traits (study);

  return traits->has_cells_that_open ||
         (traits->has_grid &&
          ((study->rows == ATTN_DIMENSION_LAYER && study->columns == ATTN_DIMENSION_HEAD) ||
           (study->rows == ATTN_DIMENSION_HEAD && study->columns == ATTN_DIMENSION_LAYER)));
}

/**
 * attn_readout_has_scores:
 * @study: the study whose figure @grid is
 *
 * Returns: whether the weights are those of one softmax, so that scores can be computed from them:
 *   they were not averaged, added up or made into something else
 */
gboolean
attn_readout_has_scores (const AttnStudy *study,
                         const AttnGrid  *grid)
{
  gboolean is_of_heads =
      study->rows == ATTN_DIMENSION_HEAD || study->columns == ATTN_DIMENSION_HEAD;

  return grid->row_title == NULL && grid->value_word == NULL && !grid->is_binary &&
         !study->joins_words &&
         (study->head != ATTN_HEAD_MEAN || is_of_heads);
}

/**
 * attn_readout_get_score:
 *
 * Returns: the score of a cell less the largest of its row: which is all that a softmax keeps of
 *   scores; NaN where the weight is 0
 */
double
attn_readout_get_score (AttnPanel *panel,
                        gsize      row,
                        gsize      column)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  const float *values = attn_panel_reader_get_row (&reader, row);
  double largest = 0;

  for (gsize i = 0; i < attn_panel_get_n_columns (panel); i++)
    largest = MAX (largest, values[i]);
  return values[column] > 0 && largest > 0 ? log (values[column] / largest) : NAN;
}

/**
 * attn_readout_has_distances:
 *
 * Returns: whether the rows are distributions over tokens, which rows with a title of their own
 *   need not be, and a panel has a baseline to compare them with
 */
gboolean
attn_readout_has_distances (const AttnGrid *grid)
{
  for (gsize i = 0; grid->row_title == NULL && i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].baseline != NULL)
      return TRUE;
  return FALSE;
}

/**
 * attn_readout_get_panel:
 *
 * Returns: (transfer none) (nullable): the weights of a cell of the grid: if it shows differences,
 *   the panel that the baseline was subtracted from
 */
AttnPanel *
attn_readout_get_panel (const AttnGridCell *cell)
{
  return cell->is_difference && cell->minuend != NULL ? cell->minuend : cell->panel;
}

/**
 * attn_readout_has_row:
 *
 * Returns: whether the row of the panel and of its baseline can be read at once: a row of a long
 *   panel may have to be computed first
 */
gboolean
attn_readout_has_row (const AttnGridCell *cell,
                      gsize               row)
{
  const AttnSpan rows = { row, row + 1 };

  return attn_panel_has_rows (attn_readout_get_panel (cell), rows) &&
         (cell->baseline == NULL || row >= attn_panel_get_n_rows (cell->baseline) ||
          attn_panel_has_rows (cell->baseline, rows));
}

static gsize
count_visible (const AttnPanel *panel,
               gsize            row)
{
  AttnSpan span = attn_panel_get_visible (panel, row);

  return span.end - span.first;
}

/**
 * attn_readout_get_rank:
 * @cell: a cell of the grid
 * @panel: the panel of that cell, or its baseline
 * @n_places: (out) (optional): the number of values that are ranked
 *
 * Returns: the rank of a value among those of its row or, in a panel over a picture, among those of
 *   all patches, since these are the keys of one query; 1 for the largest, 0 for a masked cell and
 *   for NaN
 */
gsize
attn_readout_get_rank (const AttnGridCell *cell,
                       AttnPanel          *panel,
                       gsize               row,
                       gsize               column,
                       gsize              *n_places)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize n_rows = attn_panel_get_n_rows (panel), n_columns = attn_panel_get_n_columns (panel);
  float value = (float) attn_panel_get_value (panel, row, column);
  gsize rank = 1;

  if (n_places != NULL)
    *n_places = cell->image != NULL ? n_rows * n_columns : count_visible (panel, row);
  if (cell->image == NULL || isnan (value))
    return attn_panel_get_rank (panel, row, column);
  for (gsize i = 0; i < n_rows; i++)
    {
      const float *values = attn_panel_reader_get_row (&reader, i);

      for (gsize k = 0; k < n_columns; k++)
        rank += values[k] > value ? 1 : 0;
    }
  return rank;
}

static void
append_separator (GString *text)
{
  g_string_append (text, " · ");
}

/* Appends the value of the panel that is subtracted, and the difference. @name: (nullable): name of
 * that panel, unless it is a baseline */
static void
append_baseline (GString    *text,
                 const char *name,
                 double      value,
                 double      baseline,
                 gboolean    is_brief)
{
  double difference = fabs (value - baseline) < SMALLEST_DIFFERENCE ? 0 : value - baseline;
  g_autofree char *baseline_text = attn_readout_format_number (baseline);
  g_autofree char *number = attn_readout_format_number (difference);
  g_autofree char *signed_text = g_strconcat (difference > 0 ? "+" : "", number, NULL);

  append_separator (text);
  if (name == NULL)
    g_string_append_printf (text, _("baseline %s"), baseline_text);
  else
    g_string_append_printf (text, "%s %s", name, baseline_text);
  append_separator (text);
  if (is_brief)
    g_string_append_printf (text, "Δ %s", signed_text);
  else
    g_string_append_printf (text, _("difference %s"), signed_text);
}

static void
append_interval (GString     *text,
                 const float *interval)
{
  g_autofree char *low = attn_readout_format_number (interval[0]);
  g_autofree char *high = attn_readout_format_number (interval[1]);

  /* Translators: the ends of a confidence interval, behind a number */
  g_string_append_printf (text, _(" (%s to %s)"), low, high);
}

static void
append_rank (GString  *text,
             gsize     rank,
             gsize     n_places,
             gboolean  is_of_all)
{
  append_separator (text);
  /* Translators: place of a weight among those of its row, or of all, 1 is the largest */
  g_string_append_printf (text,
                          is_of_all ? _("rank %zu of %zu in the panel")
                                    : _("rank %zu of %zu in the row"),
                          rank, n_places);
}

static void
append_extent (GString *text,
               gsize    n_rows,
               gsize    n_columns)
{
  append_separator (text);
  g_string_append_printf (text, _("largest of %zu × %zu cells"), n_rows, n_columns);
}

/* Returns the rows under a pixel for which several cells were reduced to one, or the row of a
 * single cell. */
static AttnSpan
get_rows (const AttnHit *hit)
{
  return hit->n_rows > 1 ? (AttnSpan) { hit->first_row, hit->first_row + hit->n_rows }
                         : (AttnSpan) { hit->row, hit->row + 1 };
}

static char *
describe_value (AttnGrid      *grid,
                const AttnHit *hit,
                gboolean       is_brief)
{
  const AttnGridCell *cell = &grid->cells[hit->group];
  AttnPanel *panel = attn_readout_get_panel (cell);
  GString *text = g_string_new (NULL);

  if (!attn_panel_can_keep_rows (panel, get_rows (hit)))
    {
      g_string_append_printf (text, _("%zu × %zu cells; zoom in to read them"), hit->n_rows,
                              hit->n_columns);
      return g_string_free (text, FALSE);
    }
  if (!grid->is_unfinished && !hit->is_unread &&
      !attn_panel_is_visible (panel, hit->row, hit->column))
    {
      g_string_append (text, _("masked: this query cannot attend to this key"));
      return g_string_free (text, FALSE);
    }
  if (hit->is_unread || !attn_readout_has_row (cell, hit->row) ||
      (grid->is_unfinished && !attn_panel_is_visible (panel, hit->row, hit->column)))
    {
      g_string_append (text, PENDING);
      return g_string_free (text, FALSE);
    }

  double value = attn_panel_get_value (panel, hit->row, hit->column);
  if (grid->is_binary)
    {
      g_string_append (text, value != 0 ? _("on") : _("off"));
      return g_string_free (text, FALSE);
    }

  if (isnan (value) && grid->nan_name != NULL)
    {
      g_string_append (text, _(grid->nan_name));
      return g_string_free (text, FALSE);
    }

  g_autofree char *number = attn_readout_format_number (value);
  g_autofree char *baseline_name = NULL;
  if (cell->minuend_name != NULL)
    {
      g_autofree char *name = attn_panel_name_translate (cell->minuend_name);

      baseline_name = attn_panel_name_translate (cell->baseline_name);
      g_string_append_printf (text, "%s %s", name, number);
    }
  else
    g_string_append_printf (text,
                            is_brief                   ? "%s"
                            : grid->value_word != NULL ? _(grid->value_word)
                                                       : _("weight %s"),
                            number);
  if (cell->cell_intervals != NULL && !isnan (value))
    append_interval (text, cell->cell_intervals + 2 * (hit->row * attn_panel_get_n_columns (panel) +
                                                       hit->column));
  if (cell->cell_numbers != NULL && grid->number_word != NULL)
    {
      gsize index = hit->row * attn_panel_get_n_columns (panel) + hit->column;

      append_separator (text);
      g_string_append_printf (text, _(grid->number_word), cell->cell_numbers[index]);
    }
  if (isnan (value))
    return g_string_free (text, FALSE);
  /* If the panel is its own baseline, the difference of 0 is told only for weights. */
  if (attn_grid_is_compared (grid, hit->group) &&
      (cell->baseline != cell->panel || grid->value_word == NULL))
    append_baseline (text, baseline_name, value,
                     attn_panel_get_value (cell->baseline, hit->row, hit->column), is_brief);
  if (is_brief)
    return g_string_free (text, FALSE);
  gsize n_places;
  gsize rank = attn_readout_get_rank (cell, panel, hit->row, hit->column, &n_places);
  append_rank (text, rank, n_places, cell->image != NULL);
  if (hit->n_rows > 1 || hit->n_columns > 1)
    append_extent (text, hit->n_rows, hit->n_columns);
  return g_string_free (text, FALSE);
}

/**
 * attn_readout_describe_value:
 * @grid: the figure's panels
 * @hit: a cell of one of these panels
 *
 * Returns: (transfer full): plain text with the weight, the baseline and weight − baseline, or, for
 *   a difference of A and B, the weights of B and A by name and B − A; the rank in the row, over a
 *   picture among all patches, and whether the cell stands for several; "…" while a long panel does
 *   not have the rows in memory, and advice to zoom in if it cannot keep so many
 */
char *
attn_readout_describe_value (AttnGrid      *grid,
                             const AttnHit *hit)
{
  return describe_value (grid, hit, FALSE);
}

/**
 * attn_readout_describe_brief:
 *
 * Returns: (transfer full): the text of [func@attn_readout_describe_value] without rank and number
 *   of cells
 */
char *
attn_readout_describe_brief (AttnGrid      *grid,
                             const AttnHit *hit)
{
  return describe_value (grid, hit, TRUE);
}

/**
 * attn_readout_dup_widest_value:
 *
 * Returns: (transfer full): the longest text that attn_readout_describe_value() usually gives for a
 *   weight, to measure the room to keep for it
 */
char *
attn_readout_dup_widest_value (void)
{
  g_autofree char *number = attn_readout_format_number (WIDEST_NUMBER);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _("weight %s"), number);
  append_baseline (text, NULL, WIDEST_NUMBER, 2 * WIDEST_NUMBER, FALSE);
  append_rank (text, WIDEST_COUNT, WIDEST_COUNT, TRUE);
  append_extent (text, WIDEST_EXTENT, WIDEST_EXTENT);
  return g_string_free (text, FALSE);
}

/**
 * attn_readout_describe_panel:
 * @measures: numbers that sum up a panel
 * @has_baseline: whether the panel is compared with another
 *
 * Returns: (transfer full): plain text with the sink score of the first key, the entropy of a row,
 *   and how far the panel is from the baseline; if its rows are no distributions, that there are no
 *   such numbers; "" for a panel that was not measured
 */
char *
attn_readout_describe_panel (const AttnPanelMeasures *measures,
                             gboolean                 has_baseline)
{
  if (measures->is_unnormalised)
    return g_strdup (_("panel: its rows do not sum to 1: no sink score, no entropy"));
  if (isnan (measures->sink_score))
    return g_strdup ("");

  g_autofree char *sink_score = attn_readout_format_number (measures->sink_score);
  g_autofree char *entropy = attn_readout_format_number (measures->mean_entropy);
  if (!has_baseline)
    return g_strdup_printf (_("panel: sink score %s · entropy %s bits"), sink_score, entropy);
  g_autofree char *largest = attn_readout_format_number (measures->largest_difference);
  g_autofree char *variation = attn_readout_format_number (measures->total_variation);

  /* Translators: numbers that sum up a panel; total variation is a distance of distributions */
  return g_strdup_printf (_("panel: sink score %s · entropy %s bits · largest difference %s · "
                            "total variation %s"),
                          sink_score, entropy, largest, variation);
}

/**
 * attn_readout_describe_view:
 *
 * Returns: (transfer full) (nullable): plain text that says which rows and columns of the maximised
 *   panel, or of the first, are visible, and that a click shows all; %NULL if all are visible
 */
char *
attn_readout_describe_view (const AttnGrid  *grid,
                            const AttnViews *views)
{
  AttnCellCursor first = views->maximized >= 0
                             ? (AttnCellCursor) { views->maximized, 0, 0 }
                             : attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, grid, 1);
  AttnPanel *panel = attn_cell_cursor_get_panel (grid, first.group);
  AttnViewport view = attn_views_get (views, first.group);

  if (attn_views_has_atlas (views) && !attn_viewport_is_fit (&views->page))
    return g_strdup (_("Zoomed · Fit"));
  if (panel == NULL || attn_viewport_is_fit (&view))
    return NULL;

  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  AttnSpan rows = attn_visible_get_span (view.y, view.height, n_rows);
  AttnSpan columns = attn_visible_get_span (view.x, view.width, n_columns);
  gboolean is_cut = rows.end - rows.first < n_rows || columns.end - columns.first < n_columns;
  /* If less than a whole cell is out of view, the numbers of rows and columns would tell that all
   * are visible. */
  if (!is_cut)
    return g_strdup (_("Zoomed · Fit"));
  columns.first += is_sink (panel, columns.first) && columns.first + 1 < columns.end ? 1 : 0;
  return g_strdup_printf (_("Rows %zu–%zu, columns %zu–%zu · Fit"),
                          attn_panel_get_row_position (panel, rows.first),
                          attn_panel_get_row_position (panel, rows.end - 1),
                          attn_panel_get_column_position (panel, columns.first),
                          attn_panel_get_column_position (panel, columns.end - 1));
}

/**
 * attn_readout_dup_widest_panel:
 *
 * Returns: (transfer full): the longest text that attn_readout_describe_panel() usually gives, to
 *   measure the room to keep for it
 */
char *
attn_readout_dup_widest_panel (void)
{
  const AttnPanelMeasures widest = { .sink_score = WIDEST_NUMBER,
                                     .mean_entropy = WIDEST_NUMBER,
                                     .largest_difference = WIDEST_NUMBER,
                                     .total_variation = WIDEST_NUMBER };

  return attn_readout_describe_panel (&widest, TRUE);
}

/**
 * attn_readout_new_profile:
 *
 * Returns: (transfer full) (nullable): the profile that attn_readout_describe_selection() needs,
 *   which attn_profile_read() has yet to fill; %NULL unless several rows, or columns, are chosen
 */
AttnProfile *
attn_readout_new_profile (const AttnGrid      *grid,
                          const AttnSelection *selection)
{
  const AttnGridCell *cell = attn_cell_cursor_get_cell (grid, selection->group);

  if (cell == NULL || !attn_selection_is_several (selection))
    return NULL;
  return attn_profile_new (selection->is_column ? ATTN_PROFILE_COLUMNS : ATTN_PROFILE_ROWS,
                           attn_readout_get_panel (cell), cell->baseline,
                           (const gsize *) (void *) selection->indices->data,
                           selection->indices->len);
}

/**
 * attn_readout_describe_selection:
 * @selection: rows or columns of @grid that are read together
 * @profile: the profile of the selection, filled by attn_profile_read()
 *
 * Returns: (transfer full): which rows or columns they are, the sum of their values, and the mean
 *   over the keys of rows, or over the queries of columns
 */
char *
attn_readout_describe_selection (const AttnGrid      *grid,
                                 const AttnSelection *selection,
                                 const AttnProfile   *profile)
{
  const AttnPanel *panel = grid->cells[selection->group].panel;
  gboolean is_column = selection->is_column;
  gsize n = is_column ? attn_panel_get_n_columns (panel) : attn_panel_get_n_rows (panel);
  g_autofree gsize *positions = g_new (gsize, n);

  for (gsize i = 0; i < n; i++)
    positions[i] = is_column ? attn_panel_get_column_position (panel, i)
                             : attn_panel_get_row_position (panel, i);
  g_autofree char *which = attn_selection_to_string (selection, positions);
  g_autofree char *sum = attn_readout_format_number (profile->sum);
  g_autofree char *mean = attn_readout_format_number (profile->mean);
  /* Translators: the numbers of rows or columns, such as "2,4-6", the sum of their weights, and its
   * mean */
  return g_strdup_printf (is_column ? _("Columns %s: sum %s, mean %s per row")
                                    : _("Rows %s: sum %s, mean %s per column"),
                          which, sum, mean);
}
