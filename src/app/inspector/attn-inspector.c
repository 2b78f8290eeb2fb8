/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inspector.h"

#include "attn-answer-section.h"
#include "attn-cell-section.h"
#include "attn-change-list.h"
#include "attn-edge-section.h"
#include "attn-prediction-section.h"
#include "attn-profile-section.h"
#include "attn-readout.h"
#include "attn-region-row.h"
#include "attn-template.h"
#include "attn-texts-section.h"
#include "attn-wheel.h"

struct _AttnInspector
{
  GtkBox parent_instance;

  AttnSession *session; /* (nullable) */
  AttnReading *figure;  /* (nullable) */
  gboolean is_syncing;
  gboolean is_outdated; /* whether the inspector must be updated when it becomes visible */

  /* Template widgets */
  AttnCellSection *cell;
  AttnTextsSection *texts;
  AttnPredictionSection *prediction;
  AttnAnswerSection *answer;
  AttnEdgeSection *edge;
  AttnProfileSection *row;
  AttnProfileSection *column;
  AttnProfileSection *distances;
  AttnChangeList *changes;
  GtkSpinButton *n_last;
  GtkListBox *regions;
  GtkWidget *no_regions;
};

G_DEFINE_FINAL_TYPE (AttnInspector, attn_inspector, GTK_TYPE_BOX)

/* Lists the regions, rectangles of cells that the user has marked, of all panels. Existing rows are
 * kept, so that a name that is being typed is not lost. */
static void
read_regions (AttnInspector *self)
{
  AttnGrid *grid = attn_reading_get (self->figure).grid;
  GtkListBoxRow *row;
  int n = 0;

  for (gsize group = 0; grid != NULL && group < grid->n_rows * grid->n_columns; group++)
    for (gsize i = 0; grid->cells[group].panel != NULL && i < grid->cells[group].n_regions; i++)
      {
        if (gtk_list_box_get_row_at_index (self->regions, n) == NULL)
          gtk_list_box_append (self->regions, attn_region_row_new (self->session, self->figure));
        row = gtk_list_box_get_row_at_index (self->regions, n++);
        attn_region_row_show (ATTN_REGION_ROW (row), (int) group, i);
      }
  while ((row = gtk_list_box_get_row_at_index (self->regions, n)) != NULL)
    gtk_list_box_remove (self->regions, GTK_WIDGET (row));
  gtk_widget_set_visible (GTK_WIDGET (self->regions), n > 0);
  gtk_widget_set_visible (self->no_regions, n == 0);
}

/* Updates the sections whose contents the model has to compute for the cell under the cursor. */
static void
read_closeups (AttnInspector *self)
{
  if (self->figure == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  attn_texts_section_read (self->texts, self->session);
  attn_prediction_section_read (self->prediction, self->session, self->figure);
  attn_answer_section_read (self->answer, self->session, self->figure);
  attn_edge_section_read (self->edge, self->session, self->figure);
}

/* Updates all sections. A section that is not visible is updated only when it is shown. */
static void
read_anew (AttnInspector *self)
{
  if (self->figure == NULL)
    return;
  self->is_outdated = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->is_outdated)
    return;

  const AttnStudy *study = attn_session_get_study (self->session);
  AttnGrid *grid = attn_reading_get (self->figure).grid;
  gboolean compares = grid != NULL && attn_readout_has_distances (grid);

  gtk_widget_set_visible (GTK_WIDGET (self->distances), compares);
  gtk_widget_set_visible (GTK_WIDGET (self->changes), compares);
  attn_cell_section_read (self->cell, study, self->figure);
  attn_profile_section_read (self->row, self->figure);
  attn_profile_section_read (self->column, self->figure);
  if (compares)
    {
      attn_profile_section_read (self->distances, self->figure);
      attn_change_list_read (self->changes, attn_session_get_result (self->session),
                             self->figure);
    }
  self->is_syncing = TRUE;
  gtk_spin_button_set_value (self->n_last, study->n_last_queries);
  gtk_widget_set_sensitive (GTK_WIDGET (self->n_last), attn_study_get_traits (study)->has_grid);
  self->is_syncing = FALSE;
  read_regions (self);
  read_closeups (self);
}

static void
attn_inspector_map (GtkWidget *widget)
{
  AttnInspector *self = ATTN_INSPECTOR (widget);

  GTK_WIDGET_CLASS (attn_inspector_parent_class)->map (widget);
  if (self->is_outdated)
    read_anew (self);
}

static void
attn_inspector_unmap (GtkWidget *widget)
{
  ATTN_INSPECTOR (widget)->is_outdated = TRUE;
  GTK_WIDGET_CLASS (attn_inspector_parent_class)->unmap (widget);
}

static void
n_last_changed_cb (AttnInspector *self)
{
  if (self->is_syncing || self->session == NULL)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  study->n_last_queries = (gsize) gtk_spin_button_get_value_as_int (self->n_last);
  attn_session_edit (self->session, study, "n-last-queries");
}

static void
read_action_cb (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  read_closeups (ATTN_INSPECTOR (widget));
}

static void
attn_inspector_dispose (GObject *object)
{
  AttnInspector *self = ATTN_INSPECTOR (object);

  g_clear_object (&self->figure);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_inspector_parent_class)->dispose (object);
}

static void
attn_inspector_class_init (AttnInspectorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_inspector_dispose;
  widget_class->map = attn_inspector_map;
  widget_class->unmap = attn_inspector_unmap;

  g_type_ensure (ATTN_TYPE_ANSWER_SECTION);
  g_type_ensure (ATTN_TYPE_CELL_SECTION);
  g_type_ensure (ATTN_TYPE_CHANGE_LIST);
  g_type_ensure (ATTN_TYPE_EDGE_SECTION);
  g_type_ensure (ATTN_TYPE_PREDICTION_SECTION);
  g_type_ensure (ATTN_TYPE_PROFILE_SECTION);
  g_type_ensure (ATTN_TYPE_TEXTS_SECTION);
  attn_template_set (widget_class, "inspector.ui");
  gtk_widget_class_set_css_name (widget_class, "inspector");
  /* Sections of the inspector activate the action when they are unfolded. */
  gtk_widget_class_install_action (widget_class, "inspector.read", NULL, read_action_cb);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, prediction);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, answer);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, texts);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, edge);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, distances);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, changes);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, n_last);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, regions);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, no_regions);
  gtk_widget_class_bind_template_callback (widget_class, n_last_changed_cb);
}

static void
attn_inspector_init (AttnInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_profile_section_set_kind (self->row, ATTN_PROFILE_ROWS);
  attn_profile_section_set_kind (self->column, ATTN_PROFILE_COLUMNS);
  attn_profile_section_set_kind (self->distances, ATTN_PROFILE_DISTANCES);
  attn_wheel_ignore (self->n_last);
}

/**
 * attn_inspector_set_figure:
 * @session: the session, whose study the inspector edits
 * @figure: the figure, whose cell under the cursor the inspector shows
 */
void
attn_inspector_set_figure (AttnInspector *inspector,
                           AttnSession   *session,
                           AttnReading   *figure)
{
  inspector->session = g_object_ref (session);
  inspector->figure = g_object_ref (figure);
  g_signal_connect_object (figure, "cursor-changed", G_CALLBACK (read_anew), inspector,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (figure, "hit-changed", G_CALLBACK (read_closeups), inspector,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "closeup-changed", G_CALLBACK (read_closeups), inspector,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "addition-changed", G_CALLBACK (read_closeups), inspector,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (read_closeups), inspector,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  read_anew (inspector);
}
