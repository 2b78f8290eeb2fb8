/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sentence.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-panel-name.h"
#include "attn-readout.h"
#include "attn-sentence-letters.h"
#include "attn-text.h"

/* The number of cells of a row or column that are listed, largest first. */
#define N_LISTED 3

/* Tells whether the values of a row or column belong to the tokens of an input: for a row, whether
 * the panel's columns are these tokens. @lines: where the tokens stand in the panels */
static gboolean
is_across (const AttnGrid *grid,
           AttnTokenLines  lines,
           gboolean        is_column)
{
  AttnTokenLines across = is_column ? ATTN_TOKEN_OF_ROWS : ATTN_TOKEN_OF_COLUMNS;

  return (lines == ATTN_TOKEN_OF_BOTH || lines == across) &&
         (is_column ? grid->row_title : grid->column_title) == NULL;
}

static gsize
get_position (const AttnPanel *panel,
              gboolean         is_column,
              gsize            index)
{
  return is_column ? attn_panel_get_column_position (panel, index)
                   : attn_panel_get_row_position (panel, index);
}

/* Tells whether a cell is not masked and its value is loaded. */
static gboolean
has_value (AttnPanel      *drawn,
           AttnCellCursor  cell)
{
  return attn_panel_is_visible (drawn, cell.row, cell.column) &&
         attn_panel_has_rows (drawn, (AttnSpan) { cell.row, cell.row + 1 });
}

static void
add_values (const AttnMark *heatmap,
            const AttnLine *line,
            GArray         *sentence)
{
  AttnPanel *drawn = attn_mark_get_drawn (heatmap);
  gsize n = line->is_column ? attn_panel_get_n_rows (drawn) : attn_panel_get_n_columns (drawn);
  g_autofree guint *colors = g_new (guint, sentence->len); /* of the tokens with a value */
  AttnRgb palette[ATTN_PALETTE_SIZE], letters[ATTN_PALETTE_SIZE];
  gboolean is_used[ATTN_PALETTE_SIZE] = { FALSE };

  for (gsize i = 0; i < n; i++)
    {
      AttnCellCursor cell = attn_line_cross (line, i);
      gsize position = get_position (heatmap->panel, !line->is_column, i);

      if (position >= sentence->len || !has_value (drawn, cell))
        continue;
      AttnSentenceToken *token = &g_array_index (sentence, AttnSentenceToken, position);
      token->has_value = TRUE;
      token->cell = cell;
      colors[position] = attn_mark_get_index (heatmap, cell.row, cell.column);
      is_used[colors[position]] = TRUE;
    }
  attn_style_get_palette (heatmap->style, palette);
  attn_sentence_letters_choose (palette, is_used, ATTN_PALETTE_SIZE, letters);
  for (guint i = 0; i < sentence->len; i++)
    {
      AttnSentenceToken *token = &g_array_index (sentence, AttnSentenceToken, i);

      if (!token->has_value)
        continue;
      token->ground = palette[colors[i]];
      token->text = letters[colors[i]];
    }
}

/* Returns the mark of a panel in the scene, or NULL if the panel is not visible or a thumbnail. */
static const AttnMark *
find_heatmap (AttnReading *reading,
              int          group)
{
  AttnPlaces places = attn_reading_get_places (reading);
  int shown = places.scene != NULL ? attn_places_to_scene (&places, group) : -1;

  return shown >= 0 && !attn_places_are_thumbnails (&places)
             ? attn_scene_get_heatmap (places.scene, shown)
             : NULL;
}

/**
 * attn_sentence_new:
 * @input: index of an input
 * @lines: where its tokens stand in the panels
 * @n_tokens: number of tokens of that input
 *
 * Gives the tokens the colours of the row or column that is read, see attn_reading_get_line(), as
 * the figure draws it. Tokens of masked cells have no colour. Rows and columns of thumbnails are
 * not read.
 *
 * Returns: (transfer full) (nullable) (element-type AttnSentenceToken): an element for each token;
 *   %NULL if no row or column is read that has cells of these tokens
 */
GArray *
attn_sentence_new (AttnReading    *reading,
                   gsize           input,
                   AttnTokenLines  lines,
                   gsize           n_tokens)
{
  AttnReadingState state = attn_reading_get (reading);
  AttnLine line = attn_reading_get_line (&state);
  AttnPanel *panel = attn_cell_cursor_get_panel (state.grid, line.group);

  if (panel == NULL || state.grid->cells[line.group].input != input)
    return NULL;
  const AttnMark *heatmap = find_heatmap (reading, line.group);
  if (heatmap == NULL)
    return NULL;

  g_autoptr (GArray) sentence = g_array_new (FALSE, TRUE, sizeof (AttnSentenceToken));
  gboolean is_across_them = is_across (state.grid, lines, line.is_column);
  gboolean is_along_them = is_across (state.grid, lines, !line.is_column);
  gsize own = get_position (panel, line.is_column, line.index);
  g_array_set_size (sentence, n_tokens);
  if (is_across_them)
    add_values (heatmap, &line, sentence);
  if (is_along_them && own < n_tokens)
    g_array_index (sentence, AttnSentenceToken, own).is_line = TRUE;
  return is_across_them || is_along_them ? g_steal_pointer (&sentence) : NULL;
}

/**
 * attn_sentence_watch:
 * @changed: called with @owner first whenever the colours may be others, or of another panel
 * @owner: a #GObject; the calls end with it
 */
void
attn_sentence_watch (AttnReading *reading,
                     GCallback    changed,
                     gpointer     owner)
{
  static const char * const signals[] = { "scene-changed", "overlay-changed", "hit-changed",
                                          "cursor-changed" };

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (reading, signals[i], changed, owner, G_CONNECT_SWAPPED);
}

/**
 * attn_sentence_find_largest:
 * @sentence: as attn_sentence_new() gives it
 * @cell: (out): the cell of the largest value among its tokens
 *
 * Returns: whether a token has a value
 */
gboolean
attn_sentence_find_largest (AttnReading    *reading,
                            const GArray   *sentence,
                            AttnCellCursor *cell)
{
  const AttnGrid *grid = attn_reading_get (reading).grid;
  gboolean has_any = FALSE;
  float largest = 0;

  for (guint i = 0; i < sentence->len; i++)
    {
      const AttnSentenceToken *token = &g_array_index (sentence, AttnSentenceToken, i);
      const AttnPanel *panel = attn_cell_cursor_get_panel (grid, token->cell.group);
      float value = token->has_value && panel != NULL
                        ? attn_panel_get_value (panel, token->cell.row, token->cell.column)
                        : 0;

      if (!token->has_value || panel == NULL || (has_any && !(value > largest)))
        continue;
      has_any = TRUE;
      largest = value;
      *cell = token->cell;
    }
  return has_any;
}

/* Finds the cells of the largest values in a row or column, in one pass; of equal values the first.
 * Returns the number of cells. */
static guint
find_largest (AttnPanel      *panel,
              const AttnLine *line,
              AttnCellCursor  cells[N_LISTED],
              float           values[N_LISTED])
{
  gsize n = line->is_column ? attn_panel_get_n_rows (panel) : attn_panel_get_n_columns (panel);
  guint n_found = 0;

  for (gsize i = 0; i < n; i++)
    {
      AttnCellCursor cell = attn_line_cross (line, i);
      float value = has_value (panel, cell) ? attn_panel_get_value (panel, cell.row, cell.column)
                                            : NAN;
      guint place = n_found;

      while (place > 0 && value > values[place - 1])
        place--;
      if (isnan (value) || place == N_LISTED)
        continue;
      n_found = MIN (n_found + 1, N_LISTED);
      for (guint k = n_found - 1; k > place; k--)
        {
          cells[k] = cells[k - 1];
          values[k] = values[k - 1];
        }
      cells[place] = cell;
      values[place] = value;
    }
  return n_found;
}

/**
 * attn_sentence_list_largest:
 *
 * Returns: (transfer full) (nullable): plain text that tells where the row or column that is read
 *   has its largest values; %NULL if nothing is read, or it has a single value
 */
char *
attn_sentence_list_largest (AttnReading *reading)
{
  AttnReadingState state = attn_reading_get (reading);
  AttnLine line = attn_reading_get_line (&state);
  AttnPanel *panel = attn_cell_cursor_get_panel (state.grid, line.group);
  g_autoptr (GString) list = g_string_new (NULL);
  AttnCellCursor cells[N_LISTED];
  float values[N_LISTED];
  guint n = panel != NULL ? find_largest (panel, &line, cells, values) : 0;

  for (guint i = 0; i < n; i++)
    {
      gsize index = line.is_column ? cells[i].row : cells[i].column;
      const char * const *labels = line.is_column ? attn_panel_get_row_labels (panel)
                                                  : attn_panel_get_column_labels (panel);
      g_autofree char *value = attn_text_format_weight (values[i], 3);

      g_string_append_printf (list, "%s%zu “%s” %s", i > 0 ? " · " : "",
                              get_position (panel, !line.is_column, index),
                              labels != NULL ? labels[index] : "", value);
    }
  if (n < 2)
    return NULL;
  /* Translators: %s are the positions, tokens and values of cells */
  return line.is_column ? g_strdup_printf (_("Largest in its column: %s"), list->str)
                        /* Translators: %s are the positions, tokens and values of cells */
                        : g_strdup_printf (_("Largest in its row: %s"), list->str);
}

/**
 * attn_sentence_dup_panel:
 *
 * Returns: (transfer full) (nullable): the name of the panel whose row or column is read; %NULL if
 *   the figure has only one panel, or nothing is read
 */
char *
attn_sentence_dup_panel (AttnReading *reading)
{
  AttnReadingState state = attn_reading_get (reading);
  int group = attn_reading_get_line (&state).group;

  if (attn_cell_cursor_get_panel (state.grid, group) == NULL ||
      state.grid->n_rows * state.grid->n_columns == 1)
    return NULL;
  return attn_panel_name_translate (state.grid->cells[group].name);
}

/* Returns the name of a panel without its input, which its text is of; a line of it ends at commas
 * alone. One that shows the baseline in place of an operation is called by it alone. */
static char *
name_in_input (const AttnGrid     *grid,
               const AttnGridCell *cell)
{
  if (cell->is_baseline && grid->has_operation_columns)
    return attn_panel_name_translate (cell->minuend_name);
  g_autofree char *input = g_strdup_printf ("Input %zu", cell->input + 1);
  g_auto (GStrv) parts = g_strsplit (cell->name, ", ", -1);
  GString *name = g_string_new (NULL);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      g_autofree char *translated = attn_panel_name_translate (parts[i]);
      g_autoptr (GString) part = g_string_new (translated);

      if (g_str_equal (parts[i], input))
        continue;
      g_string_replace (part, " ", "\u00a0", 0);
      g_string_append_printf (name, "%s%s", name->len > 0 ? ", " : "", part->str);
    }
  return g_string_free (name, FALSE);
}

/**
 * attn_sentence_dup_source:
 * @input: index of an input
 * @panel: (out) (nullable): the name of that panel
 *
 * Returns: (transfer full) (nullable): which of its panels gives the tokens of an input their
 *   colours, or will as soon as one of them is pointed at, such as "Panel: Query"; %NULL if
 *   the input has only one, or its panels are not read
 */
char *
attn_sentence_dup_source (AttnReading  *reading,
                          gsize         input,
                          char        **panel)
{
  AttnReadingState state = attn_reading_get (reading);
  int group = attn_reading_get_line (&state).group;
  guint n_panels = 0;

  *panel = NULL;
  if (attn_cell_cursor_get_panel (state.grid, group) == NULL ||
      state.grid->cells[group].input != input)
    group = attn_reading_find_panel (&state, input);
  if (group < 0 || find_heatmap (reading, group) == NULL)
    return NULL;
  for (gsize i = 0; i < state.grid->n_rows * state.grid->n_columns; i++)
    if (state.grid->cells[i].panel != NULL && state.grid->cells[i].input == input)
      n_panels++;
  const AttnGridCell *cell = &state.grid->cells[group];
  if (n_panels < 2 || cell->name == NULL)
    return NULL;
  g_autofree char *name = name_in_input (state.grid, cell);
  *panel = attn_panel_name_translate (cell->name);
  /* Translators: the name of a panel, such as “Query”, whose weights or values the tokens show */
  return g_strdup_printf (_("Panel: %s"), name);
}

/**
 * attn_sentence_describe:
 * @cell: the cell of a token of a sentence
 *
 * Returns: (transfer full): plain text that names panel, query and key and tells the value
 */
char *
attn_sentence_describe (AttnReading    *reading,
                        AttnCellCursor  cell)
{
  AttnReadingState state = attn_reading_get (reading);
  AttnHit hit = { cell.group, cell.row, cell.column, .n_rows = 1, .n_columns = 1 };
  /* Layer and head are left out here, so that the text names the panel of the value, which the
   * sentence does not name. */
  g_autofree char *pair = attn_readout_describe_pair (state.grid, &hit, "");
  g_autofree char *value = attn_readout_describe_brief (state.grid, &hit);

  return g_strdup_printf ("%s: %s", pair, value);
}
