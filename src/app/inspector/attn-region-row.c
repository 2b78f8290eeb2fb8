/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-region-row.h"

#include <glib/gi18n.h>

#include "attn-task.h"
#include "attn-readout.h"
#include "attn-region-drag.h"
#include "attn-regions.h"
#include "attn-template.h"

/* The number of cells of a region that are measured at once, in a small part of a frame; more are
 * measured in a thread. */
#define MANY_CELLS ((gsize) 1 << 18)

#define PENDING "…"

struct _AttnRegionRow
{
  GtkListBoxRow parent_instance;

  AttnSession *session; /* session of the inspector, unowned, as is @figure */
  AttnReading *figure;
  gboolean is_syncing;
  int group;   /* index of the panel with the region */
  gsize index; /* index of the region in the panel */

  /* The region that was measured last, or is being measured. */
  AttnPanel *panel; /* (nullable) */
  AttnRegion region;
  AttnTask *measuring; /* (nullable) */

  /* Template widgets */
  GtkEditable *name;
  GtkLabel *measures;
};

G_DEFINE_FINAL_TYPE (AttnRegionRow, attn_region_row, GTK_TYPE_LIST_BOX_ROW)

static void
renamed_cb (AttnRegionRow *self)
{
  if (self->is_syncing)
    return;

  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));
  if (attn_study_edits_rename (study, attn_reading_get (self->figure).grid, self->group,
                               self->index, gtk_editable_get_text (self->name)))
    attn_session_edit (self->session, g_steal_pointer (&study), "region-name");
}

static void
removed_cb (AttnRegionRow *self)
{
  attn_reading_pick (self->figure, self->group, self->index);
  attn_reading_do (self->figure, ATTN_COMMAND_REMOVE, 0, 0);
}

static void
focused_cb (AttnRegionRow *self)
{
  const AttnRegionTool *regions = attn_reading_get (self->figure).regions;

  if (!regions->has_picked || regions->picked.group != self->group ||
      regions->picked.region != self->index)
    attn_reading_pick (self->figure, self->group, self->index);
}

/* --- Measuring a region ----------------------------------------------------------------------- */

/* A region that a task measures, and the values found. */
typedef struct
{
  AttnPanel *panel;
  AttnRegion region;
  AttnRegionMeasures measures;
} Measure;

static void
measure_free (gpointer data)
{
  Measure *measure = data;

  attn_panel_unref (measure->panel);
  g_free (measure);
}

static void
measure_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Measure *measure = data;

  measure->measures =
      attn_region_measure (measure->panel, &measure->region, attn_task_get_cancellable (task));
}

static void
measure_deliver (gpointer owner,
                 gpointer data)
{
  AttnRegionRow *self = owner;
  const AttnRegionMeasures *measures = &((const Measure *) data)->measures;
  g_autofree char *mean = attn_readout_format_number (measures->mean);
  g_autofree char *largest = attn_readout_format_number (measures->largest);
  g_autofree char *text = NULL;

  if (self->region.is_pin)
    text = g_strdup_printf (_("Pin: %s"), mean);
  else if (measures->n_cells == 0)
    text = g_strdup (_("All masked"));
  else
    /* Translators: of the cells of a region */
    text = g_strdup_printf (g_dngettext (NULL, "Mean %s · largest %s · %zu cell",
                                         "Mean %s · largest %s · %zu cells",
                                         (gulong) measures->n_cells),
                            mean, largest, measures->n_cells);
  gtk_label_set_label (self->measures, text);
  measure_free (data);
}

static const AttnTaskKind task_kind = {
  .run = measure_run,
  .deliver = measure_deliver,
  .free = measure_free,
};

/* Measures the region, unless the same cells of the same panel have been measured already. */
static void
measure (AttnRegionRow    *self,
         AttnPanel        *panel,
         const AttnRegion *region)
{
  gsize n_rows = region->last_row - region->first_row + 1;
  gsize n_columns = region->last_column - region->first_column + 1;
  gboolean takes_long = attn_panel_is_long (panel) || n_rows > MANY_CELLS / n_columns;
  gboolean is_same = attn_region_is_same_place (region, &self->region) &&
                     region->is_pin == self->region.is_pin;

  if (panel == self->panel && is_same)
    return;
  g_clear_pointer (&self->panel, attn_panel_unref);
  self->panel = attn_panel_ref (panel);
  self->region = *region;
  self->region.name = NULL;
  /* The old measures of the region stay until those of a new panel are there: while the user drags
   * the slider of ε, panels differ little, so that old measures are nearly right. */
  if (takes_long && !is_same)
    gtk_label_set_label (self->measures, PENDING);

  Measure *data = g_new0 (Measure, 1);
  *data = (Measure) { attn_panel_ref (panel), self->region };
  attn_task_start (&task_kind, self, data, takes_long, &self->measuring);
}

/* --- The row of a region as a widget ---------------------------------------------------------- */

static void
attn_region_row_dispose (GObject *object)
{
  AttnRegionRow *self = ATTN_REGION_ROW (object);

  attn_task_give_up (&self->measuring);
  g_clear_pointer (&self->panel, attn_panel_unref);

  G_OBJECT_CLASS (attn_region_row_parent_class)->dispose (object);
}

static void
attn_region_row_class_init (AttnRegionRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_region_row_dispose;
  attn_template_set (widget_class, "region-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnRegionRow, name);
  gtk_widget_class_bind_template_child (widget_class, AttnRegionRow, measures);
  gtk_widget_class_bind_template_callback (widget_class, renamed_cb);
  gtk_widget_class_bind_template_callback (widget_class, removed_cb);
  gtk_widget_class_bind_template_callback (widget_class, focused_cb);
}

static void
attn_region_row_init (AttnRegionRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * attn_region_row_new:
 * @session: the session whose study the row edits; it lives as long as the row
 * @figure: the figure with the region; it lives as long as the row
 */
GtkWidget *
attn_region_row_new (AttnSession *session,
                     AttnReading *figure)
{
  AttnRegionRow *row = g_object_new (ATTN_TYPE_REGION_ROW, NULL);

  row->session = session;
  row->figure = figure;
  return GTK_WIDGET (row);
}

/**
 * attn_region_row_show:
 * @group: index of the panel with the region
 * @index: index of the region in the panel
 */
void
attn_region_row_show (AttnRegionRow *row,
                      int            group,
                      gsize          index)
{
  const AttnGridCell *cell =
      attn_cell_cursor_get_cell (attn_reading_get (row->figure).grid, group);
  const AttnRegion *region = &cell->regions[index];
  const char *name = region->name != NULL ? region->name : "";

  row->group = group;
  row->index = index;
  row->is_syncing = TRUE;
  /* The entry is left alone while the user types a name in it, which is newer than the name in the
   * figure. */
  if (!g_str_equal (gtk_editable_get_text (row->name), name) &&
      gtk_widget_get_focus_child (GTK_WIDGET (row->name)) == NULL)
    gtk_editable_set_text (row->name, name);
  row->is_syncing = FALSE;
  measure (row, cell->panel, region);
}
