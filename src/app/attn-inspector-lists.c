/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inspector-private.h"

#include <glib/gi18n.h>

#include "attn-readout.h"
#include "attn-regions.h"
#include "attn-study-edits.h"

/* As many changes as are listed. */
#define N_CHANGES 5

/* A row of the list: where its region is. */
typedef struct
{
  AttnInspector *inspector; /* unowned: the row is inside of it */
  int group;
  gsize index;
  GtkEditable *name;
  GtkLabel *measures;
} RegionRow;

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
  if (attn_study_edits_rename (study, attn_figure_view_get_grid (self->view), row->group,
                               row->index, gtk_editable_get_text (row->name)))
    attn_session_edit (self->session, study, "region-name");
  else
    attn_study_free (study);
}

static void
remove_cb (RegionRow *row)
{
  attn_figure_view_pick (row->inspector->view, row->group, row->index);
  attn_figure_view_remove_picked (row->inspector->view);
}

static void
focus_region_cb (RegionRow *row)
{
  AttnInspector *self = row->inspector;
  int group;
  gsize index;

  if (!attn_figure_view_get_picked (self->view, &group, &index) || group != row->group ||
      index != row->index)
    attn_figure_view_pick (self->view, row->group, row->index);
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
  g_object_set_data_full (G_OBJECT (list_row), "region", row, g_free);
  g_signal_connect_swapped (name, "changed", G_CALLBACK (rename_cb), row);
  g_signal_connect_swapped (remove, "clicked", G_CALLBACK (remove_cb), row);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_region_cb), row);
  gtk_widget_add_controller (name, focus);
  return list_row;
}

static char *
describe_measures (const AttnGridCell *cell,
                   const AttnRegion   *region)
{
  AttnRegionMeasures measures = attn_region_measure (cell->panel, region);
  g_autofree char *mean = attn_readout_format_number (measures.mean);
  g_autofree char *largest = attn_readout_format_number (measures.largest);

  if (region->is_pin)
    return g_strdup_printf (_("Pin: %s"), mean);
  if (measures.n_cells == 0)
    return g_strdup (_("All masked"));
  /* Translators: of the cells of a region */
  return g_strdup_printf (g_dngettext (NULL, "Mean %s · largest %s · %zu cell",
                                       "Mean %s · largest %s · %zu cells",
                                       (gulong) measures.n_cells),
                          mean, largest, measures.n_cells);
}

static void
fill_region_row (RegionRow          *row,
                 const AttnGridCell *cell,
                 int                 group,
                 gsize               index)
{
  const AttnRegion *region = &cell->regions[index];
  const char *name = region->name != NULL ? region->name : "";
  g_autofree char *measures = describe_measures (cell, region);

  row->group = group;
  row->index = index;
  /* What is being typed is ahead of the figure. */
  if (!g_str_equal (gtk_editable_get_text (row->name), name) &&
      gtk_widget_get_focus_child (GTK_WIDGET (row->name)) == NULL)
    gtk_editable_set_text (row->name, name);
  gtk_label_set_label (row->measures, measures);
}

/* Rows are kept, so that what is being typed is not lost. */
void
attn_inspector_sync_regions (AttnInspector *self)
{
  AttnGrid *grid = attn_figure_view_get_grid (self->view);
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
  AttnCellCursor cursor = attn_figure_view_get_cursor (self->view);

  if (row->has_change)
    attn_inspector_go_to (self, cursor.group, row->row, row->column);
}
