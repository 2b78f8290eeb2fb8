/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-region-list.h"

#include "attn-region-row.h"

struct _AttnRegionList
{
  GtkBox parent_instance;

  GtkListBox *regions;
  GtkWidget *no_regions;
};

G_DEFINE_FINAL_TYPE (AttnRegionList, attn_region_list, GTK_TYPE_BOX)

static void
attn_region_list_class_init (AttnRegionListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/attentiongrid/AttentionGrid/region-list.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnRegionList, regions);
  gtk_widget_class_bind_template_child (widget_class, AttnRegionList, no_regions);
}

static void
attn_region_list_init (AttnRegionList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * attn_region_list_read:
 * @session: whose study is edited; it lives as long as the list
 * @figure: whose regions are listed; it lives as long as the list
 *
 * Rows are kept, so that what is being typed is not lost.
 */
void
attn_region_list_read (AttnRegionList *list,
                       AttnSession    *session,
                       AttnReading    *figure)
{
  AttnGrid *grid = attn_reading_get_grid (figure);
  GtkListBoxRow *row;
  int n = 0;

  for (gsize group = 0; grid != NULL && group < grid->n_rows * grid->n_columns; group++)
    for (gsize i = 0; grid->cells[group].panel != NULL && i < grid->cells[group].n_regions; i++)
      {
        if (gtk_list_box_get_row_at_index (list->regions, n) == NULL)
          gtk_list_box_append (list->regions, attn_region_row_new (session, figure));
        row = gtk_list_box_get_row_at_index (list->regions, n++);
        attn_region_row_show (ATTN_REGION_ROW (row), (int) group, i);
      }
  while ((row = gtk_list_box_get_row_at_index (list->regions, n)) != NULL)
    gtk_list_box_remove (list->regions, GTK_WIDGET (row));
  gtk_widget_set_visible (GTK_WIDGET (list->regions), n > 0);
  gtk_widget_set_visible (list->no_regions, n == 0);
}
