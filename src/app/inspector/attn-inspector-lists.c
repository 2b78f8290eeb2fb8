/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-readout.h"
#include "attn-regions.h"
#include "attn-study-edits.h"

/* As many changes as are listed. */
#define N_CHANGES 5

/* Cells that are measured in a small part of a frame. */
#define MANY_CELLS ((gsize) 1 << 18)

#define PENDING "…"

/* A row of the list: where its region is, and what was measured. */
typedef struct
{
  AttnInspector *inspector; /* unowned: the row is inside of it */
  int group;
  gsize index;
  GtkEditable *name;
  GtkLabel *measures;
  AttnPanel *panel; /* (nullable): of which the measures are, or will be */
  AttnRegion region;
  GCancellable *measuring; /* (nullable) */
} RegionRow;

static void
region_row_free (gpointer data)
{
  RegionRow *row = data;

  g_cancellable_cancel (row->measuring);
  g_clear_object (&row->measuring);
  g_clear_pointer (&row->panel, attn_panel_unref);
  g_free (row);
}

static RegionRow *
get_region_row (AttnInspector *self,
                int            index)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->regions, index);

  return row != NULL ? g_object_get_data (G_OBJECT (row), "region") : NULL;
}

static void
rename_cb (RegionRow *row)
{
  AttnInspector *self = row->inspector;

  if (self->is_syncing || self->session == NULL)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  if (attn_study_edits_rename (study, attn_reading_get_grid (self->figure), row->group,
                               row->index, gtk_editable_get_text (row->name)))
    attn_session_edit (self->session, study, "region-name");
  else
    attn_study_unref (study);
}

static void
remove_cb (RegionRow *row)
{
  attn_reading_pick (row->inspector->figure, row->group, row->index);
  attn_reading_do (row->inspector->figure, ATTN_COMMAND_REMOVE, 0, 0);
}

static void
focus_region_cb (RegionRow *row)
{
  AttnInspector *self = row->inspector;
  const AttnRegionTool *regions = attn_reading_get_regions (self->figure);

  if (!regions->has_picked || regions->picked.group != row->group ||
      regions->picked.region != row->index)
    attn_reading_pick (self->figure, row->group, row->index);
}

static GtkWidget *
make_region_row (AttnInspector *self)
{
  GtkWidget *list_row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *name = gtk_entry_new ();
  GtkWidget *remove = gtk_button_new_from_icon_name ("user-trash-symbolic");
  GtkWidget *measures = gtk_label_new (NULL);
  GtkEventController *focus = gtk_event_controller_focus_new ();
  RegionRow *row = g_new0 (RegionRow, 1);

  row->inspector = self;
  row->name = GTK_EDITABLE (name);
  row->measures = GTK_LABEL (measures);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_editable_set_width_chars (row->name, 8);
  gtk_widget_set_valign (remove, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (remove, "flat");
  gtk_widget_set_tooltip_text (remove, _("Remove it from the figure"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Remove the region"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (name), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Name of the region"), -1);
  gtk_label_set_xalign (row->measures, 0);
  gtk_label_set_wrap (row->measures, TRUE);
  gtk_widget_add_css_class (measures, "numeric");
  gtk_widget_add_css_class (measures, "dim-label");
  gtk_box_append (GTK_BOX (line), name);
  gtk_box_append (GTK_BOX (line), remove);
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), measures);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (list_row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (list_row), FALSE);
  gtk_widget_set_focusable (list_row, FALSE);
  g_object_set_data_full (G_OBJECT (list_row), "region", row, region_row_free);
  g_signal_connect_swapped (name, "changed", G_CALLBACK (rename_cb), row);
  g_signal_connect_swapped (remove, "clicked", G_CALLBACK (remove_cb), row);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_region_cb), row);
  gtk_widget_add_controller (name, focus);
  return list_row;
}

static void
show_measures (RegionRow                *row,
               const AttnRegionMeasures *measures)
{
  g_autofree char *mean = attn_readout_format_number (measures->mean);
  g_autofree char *largest = attn_readout_format_number (measures->largest);
  g_autofree char *text = NULL;

  if (row->region.is_pin)
    text = g_strdup_printf (_("Pin: %s"), mean);
  else if (measures->n_cells == 0)
    text = g_strdup (_("All masked"));
  else
    /* Translators: of the cells of a region */
    text = g_strdup_printf (g_dngettext (NULL, "Mean %s · largest %s · %zu cell",
                                         "Mean %s · largest %s · %zu cells",
                                         (gulong) measures->n_cells),
                            mean, largest, measures->n_cells);
  gtk_label_set_label (row->measures, text);
}

/* What is to be measured in a thread, and what was. */
typedef struct
{
  AttnPanel *panel;
  AttnRegion region;
  AttnRegionMeasures measures;
} Measuring;

static void
measuring_free (gpointer data)
{
  Measuring *measuring = data;

  attn_panel_unref (measuring->panel);
  g_free (measuring);
}

static void
measure_thread_func (GTask        *task,
                     gpointer      source,
                     gpointer      data,
                     GCancellable *cancellable)
{
  Measuring *measuring = data;
  AttnRegionMeasures *all = &measuring->measures;
  gsize end = MIN (measuring->region.last_row + 1, attn_panel_get_n_rows (measuring->panel));
  AttnRegion part = measuring->region;

  *all = (AttnRegionMeasures) { .mean = NAN, .largest = NAN };
  for (gsize row = part.first_row; row < end && !g_cancellable_is_cancelled (cancellable);
       row = part.last_row + 1)
    {
      part.first_row = row;
      part.last_row = MIN (row + ATTN_PANEL_BAND_ROWS, end) - 1;
      AttnRegionMeasures measures = attn_region_measure (measuring->panel, &part);

      if (measures.n_cells == 0)
        continue;
      double sum = (all->n_cells > 0 ? all->mean * all->n_cells : 0) +
                   measures.mean * measures.n_cells;
      all->largest = all->n_cells > 0 ? MAX (all->largest, measures.largest) : measures.largest;
      all->n_cells += measures.n_cells;
      all->mean = sum / all->n_cells;
    }
  g_task_return_boolean (task, TRUE);
}

static void
measured_cb (GObject      *source,
             GAsyncResult *result,
             gpointer      user_data)
{
  const Measuring *measuring = g_task_get_task_data (G_TASK (result));

  /* Not if it was cancelled: the row is of another region. */
  if (g_task_propagate_boolean (G_TASK (result), NULL))
    show_measures (g_object_get_data (source, "region"), &measuring->measures);
}

/* Once, wherever the cursor goes; of a long panel, and of many cells, in a thread. */
static void
measure (RegionRow        *row,
         AttnPanel        *panel,
         const AttnRegion *region)
{
  gsize n_rows = region->last_row - region->first_row + 1;
  gsize n_columns = region->last_column - region->first_column + 1;
  gboolean is_same = region->first_row == row->region.first_row &&
                     region->last_row == row->region.last_row &&
                     region->first_column == row->region.first_column &&
                     region->last_column == row->region.last_column &&
                     region->is_pin == row->region.is_pin;

  if (panel == row->panel && is_same)
    return;
  g_cancellable_cancel (row->measuring);
  g_clear_object (&row->measuring);
  g_clear_pointer (&row->panel, attn_panel_unref);
  row->panel = attn_panel_ref (panel);
  row->region = *region;
  row->region.name = NULL;
  if (!attn_panel_is_long (panel) && n_rows <= MANY_CELLS / n_columns)
    {
      AttnRegionMeasures measures = attn_region_measure (panel, region);

      show_measures (row, &measures);
      return;
    }
  /* Of the same region of another panel the old ones stay meanwhile, as it is often that of an ε
   * nearby. */
  if (!is_same)
    gtk_label_set_label (row->measures, PENDING);

  GtkWidget *list_row = gtk_widget_get_ancestor (GTK_WIDGET (row->name), GTK_TYPE_LIST_BOX_ROW);
  Measuring *measuring = g_new0 (Measuring, 1);
  measuring->panel = attn_panel_ref (panel);
  measuring->region = row->region;
  row->measuring = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (list_row, row->measuring, measured_cb, NULL);
  g_task_set_task_data (task, measuring, measuring_free);
  g_task_run_in_thread (task, measure_thread_func);
}

static void
fill_region_row (RegionRow          *row,
                 const AttnGridCell *cell,
                 int                 group,
                 gsize               index)
{
  const AttnRegion *region = &cell->regions[index];
  const char *name = region->name != NULL ? region->name : "";

  row->group = group;
  row->index = index;
  /* What is being typed is ahead of the figure. */
  if (!g_str_equal (gtk_editable_get_text (row->name), name) &&
      gtk_widget_get_focus_child (GTK_WIDGET (row->name)) == NULL)
    gtk_editable_set_text (row->name, name);
  measure (row, cell->panel, region);
}

/* Rows are kept, so that what is being typed is not lost. */
void
attn_inspector_sync_regions (AttnInspector *self)
{
  AttnGrid *grid = attn_reading_get_grid (self->figure);
  int n = 0;

  self->is_syncing = TRUE;
  for (gsize group = 0; grid != NULL && group < grid->n_rows * grid->n_columns; group++)
    for (gsize i = 0; grid->cells[group].panel != NULL && i < grid->cells[group].n_regions; i++)
      {
        RegionRow *row = get_region_row (self, n);

        if (row == NULL)
          {
            gtk_list_box_append (self->regions, make_region_row (self));
            row = get_region_row (self, n);
          }
        fill_region_row (row, &grid->cells[group], (int) group, i);
        n++;
      }
  GtkListBoxRow *last;
  while ((last = gtk_list_box_get_row_at_index (self->regions, n)) != NULL)
    gtk_list_box_remove (self->regions, GTK_WIDGET (last));
  gtk_widget_set_visible (GTK_WIDGET (self->regions), n > 0);
  gtk_widget_set_visible (self->no_regions, n == 0);
  self->is_syncing = FALSE;
}

/* --- Changes ---------------------------------------------------------------------------------- */

/* A row of the list that is always there, so that nothing shifts. */
typedef struct
{
  GtkLabel *pair;
  GtkLabel *values;
  gboolean has_change;
  gsize row;
  gsize column;
} ChangeRow;

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
      values = g_strdup_printf ("%.3f → %.3f", change->baseline, change->modified);
    }
  gtk_label_set_label (row->pair, pair != NULL ? pair : "");
  gtk_label_set_label (row->values, values != NULL ? values : "");

  g_autofree char *name = g_strjoin (" ", gtk_label_get_label (row->pair),
                                     gtk_label_get_label (row->values), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list_row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_set_can_target (GTK_WIDGET (list_row), row->has_change);
  gtk_widget_set_focusable (GTK_WIDGET (list_row), row->has_change);
}

/* Adds the rows, empty. */
void
attn_inspector_fill_changes (AttnInspector *self)
{
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
      show_change (GTK_LIST_BOX_ROW (list_row), NULL, NULL);
    }
}

/* The pairs of a panel that changed most, as many as are listed. Any thread may call. */
GArray *
attn_inspector_get_changes (AttnResult *result,
                            gsize       group)
{
  return attn_result_get_changes (result, group, N_CHANGES);
}

/* @changes: (nullable) (element-type AttnChange): of @panel, at most as many as are listed. */
void
attn_inspector_show_changes (AttnInspector *self,
                             AttnPanel     *panel,
                             GArray        *changes)
{
  for (guint i = 0; i < N_CHANGES; i++)
    show_change (gtk_list_box_get_row_at_index (self->changes, (int) i), panel,
                 changes != NULL && i < changes->len ? &g_array_index (changes, AttnChange, i)
                                                     : NULL);
}

/* Goes to the cell of a change. */
void
attn_inspector_activate_change (AttnInspector *self,
                                GtkListBoxRow *list_row)
{
  ChangeRow *row = g_object_get_data (G_OBJECT (list_row), "change");
  AttnCellCursor cursor = attn_reading_get_cursor (self->figure);

  if (row->has_change)
    attn_inspector_go_to (self, cursor.group, row->row, row->column);
}
