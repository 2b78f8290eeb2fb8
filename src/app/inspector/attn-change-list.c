/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-change-list.h"

#include "attn-task.h"
#include "attn-readout.h"
#include "attn-study-edits.h"
#include "attn-template.h"

/* The number of changed cells that are listed. */
#define N_CHANGES 5

/* The number of cells whose change is found at once, in a small part of a frame; more are compared
 * in a thread. */
#define MANY_CELLS ((gsize) 1 << 20)

/* A row of the list of changes. Rows without a change stay empty, so that the layout does not
 * move. */
typedef struct
{
  GtkLabel *pair;
  GtkLabel *values;
  gboolean has_change;
  gsize row;
  gsize column;
} ChangeRow;

struct _AttnChangeList
{
  GtkBox parent_instance;

  GtkListBox *changes;
  AttnReading *figure; /* (nullable): the figure that the list reads, owned by the inspector */
  AttnTask *reading;   /* (nullable) */
  AttnPanel *panel;    /* (nullable): panel whose changes were read last or are being read */
  AttnPanel *baseline; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (AttnChangeList, attn_change_list, GTK_TYPE_BOX)

static void
show_change (GtkListBoxRow    *list_row,
             AttnPanel        *panel,
             const AttnChange *change)
{
  ChangeRow *row = g_object_get_data (G_OBJECT (list_row), "change");
  g_autofree char *pair = NULL;
  g_autofree char *values = NULL;

  row->has_change = change != NULL;
  if (change != NULL)
    {
      row->row = change->row;
      row->column = change->column;
      pair = attn_study_edits_name_pin (panel, change->row, change->column);
      values = attn_readout_format_change (change->baseline, change->modified);
    }
  gtk_label_set_label (row->pair, pair != NULL ? pair : "");
  gtk_label_set_label (row->values, values != NULL ? values : "");

  g_autofree char *name = g_strjoin (" ", gtk_label_get_label (row->pair),
                                     gtk_label_get_label (row->values), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list_row), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  gtk_widget_set_can_target (GTK_WIDGET (list_row), row->has_change);
  gtk_widget_set_focusable (GTK_WIDGET (list_row), row->has_change);
}

/* Shows the changes in the rows of the list. @changes: (nullable) (element-type AttnChange): the
 * changes of @panel, %NULL for empty rows */
static void
show_changes (AttnChangeList *self,
              AttnPanel      *panel,
              const GArray   *changes)
{
  for (guint i = 0; i < N_CHANGES; i++)
    show_change (gtk_list_box_get_row_at_index (self->changes, (int) i), panel,
                 changes != NULL && i < changes->len ? &g_array_index (changes, AttnChange, i)
                                                     : NULL);
}

/* --- Reading the changes of a panel ----------------------------------------------------------- */

/* A comparison of two panels that a task computes, and its result. */
typedef struct
{
  AttnResult *result;
  gsize group;     /* index of the panel in @result */
  GArray *changes; /* (nullable) */
} Comparison;

static void
comparison_free (gpointer data)
{
  Comparison *comparison = data;

  attn_result_unref (comparison->result);
  g_clear_pointer (&comparison->changes, g_array_unref);
  g_free (comparison);
}

static void
comparison_run (gpointer  data,
                AttnTask *task,
                gpointer  place)
{
  Comparison *comparison = data;

  comparison->changes =
      attn_result_get_changes (comparison->result, comparison->group, N_CHANGES);
}

static void
comparison_deliver (gpointer owner,
                    gpointer data)
{
  const Comparison *comparison = data;

  show_changes (owner, comparison->result->grid->cells[comparison->group].panel,
                comparison->changes);
  comparison_free (data);
}

static const AttnTaskKind task_kind = {
  .run = comparison_run,
  .deliver = comparison_deliver,
  .free = comparison_free,
};

/* Shows the changes of a panel. Drops a pending comparison of another panel. @panel: (nullable):
 * the panel whose changes are read next */
static void
set_panel (AttnChangeList *self,
           AttnPanel      *panel,
           AttnPanel      *baseline)
{
  attn_task_give_up (&self->reading);
  g_clear_pointer (&self->panel, attn_panel_unref);
  g_clear_pointer (&self->baseline, attn_panel_unref);
  self->panel = panel != NULL ? attn_panel_ref (panel) : NULL;
  self->baseline = baseline != NULL ? attn_panel_ref (baseline) : NULL;
}

/**
 * attn_change_list_read:
 * @result: (nullable): the result of the session
 * @figure: the figure, which lives as long as the list. If it shows @result, the changes of the
 *   panel under its cursor are read, once for each panel, as they do not depend on the cell
 */
void
attn_change_list_read (AttnChangeList *list,
                       AttnResult     *result,
                       AttnReading    *figure)
{
  AttnGrid *grid = attn_reading_get (figure).grid;
  int group = attn_reading_get (figure).cursor.group;
  const AttnGridCell *cell = attn_cell_cursor_get_cell (grid, group);
  AttnPanel *panel = cell != NULL ? attn_readout_get_panel (cell) : NULL;
  AttnPanel *baseline = cell != NULL ? cell->baseline : NULL;
  gboolean has_changes = cell != NULL && result != NULL && result->grid == grid;

  list->figure = figure;
  if (panel != NULL && panel == list->panel && baseline == list->baseline)
    return;
  set_panel (list, panel, baseline);
  gboolean takes_long = has_changes && (attn_panel_is_long (panel) ||
                                        attn_panel_get_n_rows (panel) >
                                            MANY_CELLS / attn_panel_get_n_columns (panel));
  if (!has_changes || takes_long)
    show_changes (list, NULL, NULL);
  if (!has_changes)
    return;

  Comparison *comparison = g_new0 (Comparison, 1);
  *comparison = (Comparison) { attn_result_ref (result), (gsize) group };
  attn_task_start (&task_kind, list, comparison, takes_long, &list->reading);
}

/* Moves the cursor of the figure to the cell of a change. */
static void
row_activated_cb (AttnChangeList *self,
                  GtkListBoxRow  *list_row)
{
  const ChangeRow *row = g_object_get_data (G_OBJECT (list_row), "change");
  AttnCellCursor cursor = { attn_reading_get (self->figure).cursor.group, row->row, row->column };

  if (row->has_change)
    attn_reading_set_cursor (self->figure, &cursor);
}

static void
attn_change_list_unmap (GtkWidget *widget)
{
  set_panel (ATTN_CHANGE_LIST (widget), NULL, NULL);
  GTK_WIDGET_CLASS (attn_change_list_parent_class)->unmap (widget);
}

static void
attn_change_list_class_init (AttnChangeListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->unmap = attn_change_list_unmap;
  attn_template_set (widget_class, "change-list.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnChangeList, changes);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
}

static void
attn_change_list_init (AttnChangeList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < N_CHANGES; i++)
    {
      GtkWidget *list_row = gtk_list_box_row_new ();
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
      ChangeRow *row = g_new0 (ChangeRow, 1);

      row->pair = GTK_LABEL (gtk_label_new (NULL));
      row->values = GTK_LABEL (gtk_label_new (NULL));
      gtk_label_set_xalign (row->pair, 0);
      gtk_label_set_ellipsize (row->pair, PANGO_ELLIPSIZE_MIDDLE);
      gtk_widget_set_hexpand (GTK_WIDGET (row->pair), TRUE);
      gtk_widget_add_css_class (GTK_WIDGET (row->values), "numeric");
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->pair));
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->values));
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (list_row), box);
      g_object_set_data_full (G_OBJECT (list_row), "change", row, g_free);
      gtk_list_box_append (self->changes, list_row);
    }
  show_changes (self, NULL, NULL);
}
