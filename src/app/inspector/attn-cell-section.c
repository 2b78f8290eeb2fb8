/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cell-section.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-number-table.h"
#include "attn-panel-name.h"
#include "attn-readout.h"
#include "attn-template.h"

/* Indices of the rows of the table of a cell; row 0 has the headings. */
#define WEIGHT 1
#define RANK   2
#define SCORE  3

struct _AttnCellSection
{
  GtkBox parent_instance;

  GtkLabel *panel;
  GtkLabel *query;
  GtkLabel *key;
  AttnNumberTable *numbers;
};

G_DEFINE_FINAL_TYPE (AttnCellSection, attn_cell_section, GTK_TYPE_BOX)

static void
attn_cell_section_class_init (AttnCellSectionClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (ATTN_TYPE_NUMBER_TABLE);
  attn_template_set (widget_class, "cell-section.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnCellSection, panel);
  gtk_widget_class_bind_template_child (widget_class, AttnCellSection, query);
  gtk_widget_class_bind_template_child (widget_class, AttnCellSection, key);
  gtk_widget_class_bind_template_child (widget_class, AttnCellSection, numbers);
}

static const char weight_tooltip[] =
    N_("The share of the query’s attention that goes to the key");

static const char rank_tooltip[] =
    N_("The place of the weight among those of its row, or of all patches of a "
        "picture; 1 is the largest");

/* Names the rows of the table: the value by its name in the figure, if it is no attention weight,
 * and its rank in a row or in a panel. */
static void
name_values (AttnCellSection    *self,
             const AttnGrid     *grid,
             const AttnGridCell *cell)
{
  const char *name = cell != NULL && cell->value_name != NULL   ? cell->value_name
                     : grid != NULL && grid->value_word != NULL ? grid->value_label
                                                                : NULL;

  if (name != NULL)
    attn_number_table_rename (self->numbers, WEIGHT, _(name), NULL);
  else
    attn_number_table_rename (self->numbers, WEIGHT, _("Weight"), _(weight_tooltip));
  attn_number_table_rename (
      self->numbers, RANK,
      cell != NULL && cell->image != NULL ? _("Rank in panel") : _("Rank in row"),
      _(rank_tooltip));
}

static void
attn_cell_section_init (AttnCellSection *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_number_table_add (self->numbers, _("Weight"), _(weight_tooltip));
  attn_number_table_add (self->numbers, _("Rank in row"), _(rank_tooltip));
  attn_number_table_add (self->numbers, _("Score − max"),
                         _("The logit before the softmax, minus the largest of its row"));
}

/* Fills a column of the table with the numbers of the cell at the cursor. @panel: (nullable): the
 * panel of @cell or its baseline; a panel that is still being computed may not have the row yet,
 * and then there are no numbers */
static void
read_numbers (AttnCellSection    *self,
              int                 column,
              const AttnGridCell *cell,
              AttnPanel          *panel,
              AttnCellCursor      cursor,
              gboolean            has_scores)
{
  g_autofree char *text = NULL;
  double weight = NAN;
  double score = NAN;

  if (panel != NULL && cursor.row < attn_panel_get_n_rows (panel) &&
      cursor.column < attn_panel_get_n_columns (panel) &&
      attn_panel_is_visible (panel, cursor.row, cursor.column) &&
      attn_panel_has_rows (panel, (AttnSpan) { cursor.row, cursor.row + 1 }))
    {
      weight = attn_panel_get_value (panel, cursor.row, cursor.column);
      if (!isnan (weight))
        {
          gsize rank = attn_readout_get_rank (cell, panel, cursor.row, cursor.column, NULL);

          text = g_strdup_printf ("%zu", rank);
        }
      if (has_scores)
        score = attn_readout_get_score (panel, cursor.row, cursor.column);
    }
  attn_number_table_set (self->numbers, WEIGHT, column, weight);
  attn_number_table_set_text (self->numbers, RANK, column, text);
  attn_number_table_set (self->numbers, SCORE, column, score);
}

static void
set_text (GtkLabel   *label,
          const char *text)
{
  if (g_strcmp0 (gtk_label_get_label (label), text) != 0)
    gtk_label_set_label (label, text);
}

/**
 * attn_cell_section_read:
 * @study: the study that @figure shows
 * @figure: the figure; the numbers are those of the cell under its cursor
 */
void
attn_cell_section_read (AttnCellSection *section,
                        const AttnStudy *study,
                        AttnReading     *figure)
{
  AttnGrid *grid = attn_reading_get (figure).grid;
  AttnCellCursor cursor = attn_reading_get (figure).cursor;
  const AttnGridCell *cell = attn_cell_cursor_get_cell (grid, cursor.group);
  AttnPanel *panel = cell != NULL ? attn_readout_get_panel (cell) : NULL;
  gboolean has_scores = grid != NULL && attn_readout_has_scores (study, grid);
  gboolean is_compared =
      grid == NULL || attn_grid_is_compared (grid, cell != NULL ? cursor.group : -1);
  attn_number_table_name (section->numbers, cell, is_compared);
  name_values (section, grid, cell);
  attn_number_table_show_row (section->numbers, SCORE, has_scores || grid == NULL);
  read_numbers (section, ATTN_NUMBER_NOW, cell, panel, cursor, has_scores);
  read_numbers (section, ATTN_NUMBER_BASELINE, cell, cell != NULL ? cell->baseline : NULL, cursor,
                has_scores);
  if (panel == NULL)
    {
      set_text (section->panel, _("No Cell Selected"));
      gboolean opens = attn_readout_opens_cells (study);

      set_text (section->query, opens ? _("Choose one with the arrow keys;") : _("Click a cell,"));
      set_text (section->key, opens ? _("a click opens it") : _("or use the arrow keys"));
      return;
    }
  g_autofree char *name = attn_panel_name_translate (cell->name);
  /* Translators: position and text of a token */
  g_autofree char *query =
      attn_readout_describe_token (grid, _("Query %zu “%s”"), panel, TRUE, cursor.row);
  g_autofree char *key =
      attn_readout_describe_token (grid, _("Key %zu “%s”"), panel, FALSE, cursor.column);
  set_text (section->panel, name);
  set_text (section->query, query);
  set_text (section->key, key);
}
