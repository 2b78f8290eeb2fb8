/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-number-table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-panel-name.h"
#include "attn-readout.h"
#include "attn-tooltip.h"

#define NOTHING "—"

/* The largest number of characters of a heading that names a panel; longer names are cut. */
#define LONGEST_HEADING 12

/* The largest number of characters in a line of a row's name; longer names are wrapped. */
#define LONGEST_NAME 18

struct _AttnNumberTable
{
  GtkGrid parent_instance;

  int n_rows; /* including the row of the headings */
  gboolean hides_baseline;
  gboolean is_of_baseline; /* whether the panel shows the baseline, whose column then stays empty */
  GArray *values;          /* array of double[ATTN_N_SIDES]: the numbers of each row, NaN for no
                            * number */
};

G_DEFINE_FINAL_TYPE (AttnNumberTable, attn_number_table, GTK_TYPE_GRID)

static void
attn_number_table_finalize (GObject *object)
{
  g_array_unref (ATTN_NUMBER_TABLE (object)->values);

  G_OBJECT_CLASS (attn_number_table_parent_class)->finalize (object);
}

static void
attn_number_table_class_init (AttnNumberTableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = attn_number_table_finalize;
}

/* Adds a row without numbers to the array of the table's numbers. */
static void
add_values (AttnNumberTable *self)
{
  const double none[ATTN_N_SIDES] = { NAN, NAN };

  g_array_append_val (self->values, none);
}

/* Returns the number of a row in a column; NaN if the cell has none. */
static double *
get_value (AttnNumberTable *self,
           int              row,
           int              column)
{
  return &((double (*)[ATTN_N_SIDES]) (void *) self->values->data)[row][column - 1];
}

static GtkLabel *
add_label (AttnNumberTable *self,
           int              column,
           int              longest,
           const char      *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column > 0 ? 1 : 0);
  gtk_label_set_width_chars (GTK_LABEL (label), ATTN_READOUT_SHORT);
  gtk_label_set_max_width_chars (GTK_LABEL (label), longest);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (GTK_GRID (self), label, column, self->n_rows, 1, 1);
  return GTK_LABEL (label);
}

static void
attn_number_table_init (AttnNumberTable *self)
{
  gtk_grid_set_column_spacing (GTK_GRID (self), 6);
  gtk_grid_set_row_spacing (GTK_GRID (self), 2);
  for (int column = 1; column <= ATTN_N_SIDES; column++)
    {
      GtkLabel *heading = add_label (self, column, LONGEST_HEADING, "dim-label");

      gtk_label_set_ellipsize (heading, PANGO_ELLIPSIZE_MIDDLE);
      gtk_widget_add_css_class (GTK_WIDGET (heading), "caption");
    }
  self->values = g_array_new (FALSE, FALSE, sizeof (double[ATTN_N_SIDES]));
  add_values (self);
  self->n_rows = 1;
  attn_number_table_name (self, NULL, TRUE);
}

/**
 * attn_number_table_add:
 * @name: name of the row that is added, such as "Weight"
 * @tooltip: explanation of the numbers of the row
 */
void
attn_number_table_add (AttnNumberTable *table,
                       const char      *name,
                       const char      *tooltip)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (name));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_max_width_chars (label, LONGEST_NAME);
  gtk_widget_set_hexpand (GTK_WIDGET (label), TRUE);
  attn_tooltip_set (GTK_WIDGET (label), tooltip);
  gtk_widget_add_css_class (GTK_WIDGET (label), "dim-label");
  gtk_grid_attach (GTK_GRID (table), GTK_WIDGET (label), 0, table->n_rows, 1, 1);
  for (int column = 1; column <= ATTN_N_SIDES; column++)
    add_label (table, column, ATTN_READOUT_SHORT, "numeric");
  add_values (table);
  table->n_rows++;
}

/**
 * attn_number_table_rename:
 * @row: index of the row, from 1
 * @tooltip: (nullable)
 */
void
attn_number_table_rename (AttnNumberTable *table,
                          int              row,
                          const char      *name,
                          const char      *tooltip)
{
  GtkWidget *label = gtk_grid_get_child_at (GTK_GRID (table), 0, row);

  if (g_str_equal (gtk_label_get_label (GTK_LABEL (label)), name))
    return;
  gtk_label_set_label (GTK_LABEL (label), name);
  attn_tooltip_set (label, tooltip);
}

/**
 * attn_number_table_show_row:
 * @row: index of the row; 0 is that of the headings
 * @is_shown: whether the row is visible, as the figure has such numbers
 */
void
attn_number_table_show_row (AttnNumberTable *table,
                            int              row,
                            gboolean         is_shown)
{
  for (int column = row == 0 ? 1 : 0; column <= ATTN_N_SIDES; column++)
    gtk_widget_set_visible (gtk_grid_get_child_at (GTK_GRID (table), column, row),
                            is_shown && !(column == ATTN_NUMBER_BASELINE && table->hides_baseline));
}

/**
 * attn_number_table_set_text:
 * @row: index of the row, from 1; 0 is that of the headings
 * @column: %ATTN_NUMBER_NOW or %ATTN_NUMBER_BASELINE
 * @text: (nullable): %NULL for no number
 */
void
attn_number_table_set_text (AttnNumberTable *table,
                            int              row,
                            int              column,
                            const char      *text)
{
  GtkLabel *label = GTK_LABEL (gtk_grid_get_child_at (GTK_GRID (table), column, row));

  if (text == NULL)
    text = column == ATTN_NUMBER_BASELINE && table->is_of_baseline ? "" : NOTHING;
  if (row > 0)
    gtk_label_set_max_width_chars (
        label, MAX (ATTN_READOUT_SHORT, (int) g_utf8_strlen (text, -1)));
  if (!g_str_equal (gtk_label_get_label (label), text))
    gtk_label_set_label (label, text);
}

/**
 * attn_number_table_set:
 * @row: index of the row, from 1
 * @column: %ATTN_NUMBER_NOW or %ATTN_NUMBER_BASELINE
 * @value: NaN for no number
 *
 * Both numbers of the row are written with as many digits as tell them apart.
 */
void
attn_number_table_set (AttnNumberTable *table,
                       int              row,
                       int              column,
                       double           value)
{
  *get_value (table, row, column) = value;
  for (int i = 1; i <= ATTN_N_SIDES; i++)
    {
      double number = *get_value (table, row, i);
      double other = *get_value (table, row, ATTN_N_SIDES + 1 - i);
      g_autofree char *text =
          isnan (number) ? NULL : attn_readout_format_beside (number, other);

      if (i == column || text != NULL)
        attn_number_table_set_text (table, row, i, text);
    }
}

/**
 * attn_number_table_name:
 * @cell: (nullable): the cell of the grid whose panel has the numbers. In a comparison the columns
 *   are named by the two panels that are compared, in short if the names are long
 * @is_compared: whether the panel has a baseline; without one the column for it is hidden
 */
void
attn_number_table_name (AttnNumberTable    *table,
                        const AttnGridCell *cell,
                        gboolean            is_compared)
{
  const char *names[] = { [ATTN_NUMBER_NOW] = cell != NULL ? cell->minuend_name : NULL,
                          [ATTN_NUMBER_BASELINE] = cell != NULL ? cell->baseline_name : NULL };
  const char *usual[] = { [ATTN_NUMBER_NOW] = C_ ("column of numbers", "Modified"),
                          [ATTN_NUMBER_BASELINE] = C_ ("column of numbers", "Baseline") };

  /* While the user holds the key of the baseline, the panel shows the baseline, which is compared
   * with nothing; the second column stays, empty, so that nothing moves. */
  table->is_of_baseline = cell != NULL && cell->is_baseline;
  if (table->is_of_baseline)
    usual[ATTN_NUMBER_BASELINE] = "";
  else if (!is_compared)
    usual[ATTN_NUMBER_NOW] = "";
  gboolean hides = !is_compared && !table->is_of_baseline;
  if (hides != table->hides_baseline)
    {
      table->hides_baseline = hides;
      for (int row = 0; row < table->n_rows; row++)
        {
          GtkWidget *now = gtk_grid_get_child_at (GTK_GRID (table), ATTN_NUMBER_NOW, row);

          attn_number_table_show_row (table, row, gtk_widget_get_visible (now));
        }
    }

  for (int column = 1; column <= ATTN_N_SIDES; column++)
    {
      g_autofree char *name = names[column] != NULL ? attn_panel_name_translate (names[column])
                                                    : g_strdup (usual[column]);

      attn_number_table_set_text (table, 0, column, name);
      gtk_label_set_ellipsize (GTK_LABEL (gtk_grid_get_child_at (GTK_GRID (table), column, 0)),
                               names[column] != NULL ? PANGO_ELLIPSIZE_MIDDLE
                                                     : PANGO_ELLIPSIZE_NONE);
    }
}
