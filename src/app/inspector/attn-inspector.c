/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-panel-name.h"
#include "attn-readout.h"
#include "attn-wheel.h"

#define NOTHING "—"

G_DEFINE_FINAL_TYPE (AttnInspector, attn_inspector, GTK_TYPE_WIDGET)

/* --- Numbers ---------------------------------------------------------------------------------- */

void
attn_inspector_set_number (GtkLabel *label,
                           double    value)
{
  g_autofree char *text =
      isnan (value) ? g_strdup (NOTHING) : attn_readout_format_short (value);

  if (g_strcmp0 (gtk_label_get_label (label), text) != 0)
    gtk_label_set_label (label, text);
}

/* Takes the text over. */
void
attn_inspector_set_text (GtkLabel *label,
                         char     *text)
{
  if (g_strcmp0 (gtk_label_get_label (label), text) != 0)
    gtk_label_set_label (label, text);
  g_free (text);
}

/* The score of a cell less the largest of its row: what the softmax leaves of the scores. */
static double
get_score (AttnPanel *panel,
           gsize      row,
           gsize      column)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  const float *values = attn_panel_reader_get_row (&reader, row);
  double largest = 0;
  double value = values[column];

  for (gsize i = 0; i < attn_panel_get_n_columns (panel); i++)
    largest = MAX (largest, values[i]);
  return value > 0 && largest > 0 ? log (value / largest) : NAN;
}

/* Position and text, or what the rows of the figure are and which one. */
char *
attn_inspector_describe_row (AttnInspector *self,
                             const char    *format,
                             AttnPanel     *panel,
                             gsize          row)
{
  const char * const *labels = attn_panel_get_row_labels (panel);
  const char *title = attn_reading_get_grid (self->figure)->row_title;

  if (title != NULL)
    return g_strdup_printf ("%s %s", title, labels != NULL ? labels[row] : "");
  return g_strdup_printf (format, attn_panel_get_row_position (panel, row),
                          labels != NULL ? labels[row] : "");
}

char *
attn_inspector_describe_column (AttnInspector *self,
                                const char    *format,
                                AttnPanel     *panel,
                                gsize          column)
{
  const char * const *labels = attn_panel_get_column_labels (panel);
  const char *title = attn_reading_get_grid (self->figure)->column_title;

  if (title != NULL)
    return g_strdup_printf ("%s %s", title, labels != NULL ? labels[column] : "");
  return g_strdup_printf (format, attn_panel_get_column_position (panel, column),
                          labels != NULL ? labels[column] : "");
}

/* --- What is shown ---------------------------------------------------------------------------- */

/* Whether the weights are those of one softmax, so that they tell the scores: not if they were
 * averaged, added up or made into something else. */
static gboolean
has_scores (AttnInspector *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnGrid *grid = attn_reading_get_grid (self->figure);
  gboolean is_of_heads =
      study->rows == ATTN_DIMENSION_HEAD || study->columns == ATTN_DIMENSION_HEAD;

  return grid->row_title == NULL && !grid->is_binary && !study->joins_words &&
         (study->head != ATTN_HEAD_MEAN || is_of_heads);
}

static void
sync_cell_of (AttnInspector *self,
              AttnPanel     *panel,
              gsize          row,
              gsize          column,
              GtkLabel      *weight,
              GtkLabel      *rank,
              GtkLabel      *score)
{
  if (panel == NULL || row >= attn_panel_get_n_rows (panel) ||
      column >= attn_panel_get_n_columns (panel) || !attn_panel_is_visible (panel, row, column) ||
      !attn_panel_has_rows (panel, (AttnSpan) { row, row + 1 }))
    {
      attn_inspector_set_number (weight, NAN);
      attn_inspector_set_number (rank, NAN);
      attn_inspector_set_number (score, NAN);
      return;
    }

  double value = attn_panel_get_value (panel, row, column);
  attn_inspector_set_number (weight, value);
  attn_inspector_set_number (score,
                             has_scores (self) ? get_score (panel, row, column) : NAN);
  if (isnan (value))
    attn_inspector_set_number (rank, NAN);
  else
    attn_inspector_set_text (
        rank, g_strdup_printf ("%zu", attn_panel_get_rank (panel, row, column)));
}

/* @name: (nullable): of what a comparison has in this column; %NULL for @usual */
static void
set_heading (GtkLabel   *heading,
             const char *name,
             const char *usual)
{
  attn_inspector_set_text (heading,
                           name != NULL ? attn_panel_name_translate (name) : g_strdup (usual));
}

static void
sync_cell (AttnInspector      *self,
           const AttnGridCell *cell,
           AttnCellCursor      cursor)
{
  AttnPanel *panel = cell != NULL ? attn_readout_get_panel (cell) : NULL;

  set_heading (self->heading_now, cell != NULL ? cell->minuend_name : NULL,
               C_ ("column of numbers", "Now"));
  set_heading (self->heading_before, cell != NULL ? cell->baseline_name : NULL,
               C_ ("column of numbers", "Baseline"));
  sync_cell_of (self, panel, cursor.row, cursor.column, self->weight_now, self->rank_now,
                self->score_now);
  sync_cell_of (self, cell != NULL ? cell->baseline : NULL, cursor.row, cursor.column,
                self->weight_before, self->rank_before, self->score_before);
  if (panel == NULL)
    {
      attn_inspector_set_text (self->cell_panel, g_strdup (_("No Cell Chosen")));
      attn_inspector_set_text (self->cell_query, g_strdup (_("Click a cell,")));
      attn_inspector_set_text (self->cell_key, g_strdup (_("or move to it by arrow keys")));
      return;
    }
  attn_inspector_set_text (self->cell_panel, attn_panel_name_translate (cell->name));
  /* Translators: position and text of a token */
  attn_inspector_set_text (
      self->cell_query,
      attn_inspector_describe_row (self, _("Query %zu “%s”"), panel, cursor.row));
  attn_inspector_set_text (
      self->cell_key,
      attn_inspector_describe_column (self, _("Key %zu “%s”"), panel, cursor.column));
}

static void
sync_filter (AttnInspector *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  self->is_syncing = TRUE;
  gtk_spin_button_set_value (self->n_last, study->n_last_queries);
  gtk_widget_set_sensitive (GTK_WIDGET (self->n_last), study->figure == ATTN_FIGURE_GRID);
  self->is_syncing = FALSE;
}

/* Reads everything anew. What is not shown is not read before it is. */
static void
read_anew (AttnInspector *self)
{
  if (self->figure == NULL || self->session == NULL)
    return;
  self->is_outdated = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->is_outdated)
    return;

  AttnGrid *grid = attn_reading_get_grid (self->figure);
  AttnCellCursor cursor = attn_reading_get_cursor (self->figure);
  const AttnGridCell *cell =
      attn_cell_cursor_get_panel (grid, cursor.group) != NULL ? &grid->cells[cursor.group] : NULL;

  sync_cell (self, cell, cursor);
  attn_inspector_sync_profiles (self, cell, cursor);
  sync_filter (self);
  attn_inspector_sync_regions (self);
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
  AttnInspector *self = ATTN_INSPECTOR (widget);

  attn_inspector_stop_reading (self);
  self->is_outdated = TRUE;
  GTK_WIDGET_CLASS (attn_inspector_parent_class)->unmap (widget);
}

/* --- What is done ----------------------------------------------------------------------------- */

/* Moves the cursor of the figure. */
void
attn_inspector_go_to (AttnInspector *self,
                      int            group,
                      gsize          row,
                      gsize          column)
{
  AttnCellCursor cursor = { group, row, column };

  attn_reading_set_cursor (self->figure, &cursor);
}

static void
row_activated_cb (AttnInspector *self,
                  guint64        index)
{
  AttnCellCursor cursor = attn_reading_get_cursor (self->figure);

  attn_inspector_go_to (self, cursor.group, cursor.row, index);
}

static void
column_activated_cb (AttnInspector *self,
                     guint64        index)
{
  AttnCellCursor cursor = attn_reading_get_cursor (self->figure);

  attn_inspector_go_to (self, cursor.group, index, cursor.column);
}

static void
distance_activated_cb (AttnInspector *self,
                       guint64        index)
{
  column_activated_cb (self, index);
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

/* --- The widget ------------------------------------------------------------------------------- */

static void
attn_inspector_dispose (GObject *object)
{
  AttnInspector *self = ATTN_INSPECTOR (object);
  GtkWidget *child;

  g_clear_object (&self->figure);
  attn_inspector_stop_reading (self);
  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (attn_inspector_parent_class)->dispose (object);
}

static void
attn_inspector_class_init (AttnInspectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_inspector_dispose;
  widget_class->map = attn_inspector_map;
  widget_class->unmap = attn_inspector_unmap;

  g_type_ensure (ATTN_TYPE_PROFILE_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/attentiongrid/AttentionGrid/inspector.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "inspector");
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_query);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_key);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, heading_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, heading_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, weight_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, weight_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, rank_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, rank_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, score_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, score_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_title);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_sum_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_sum_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_entropy_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_entropy_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_distance);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, row_profile);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_title);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_mean_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_mean_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_sum_now);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_sum_before);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, column_profile);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, distance_section);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, distance_profile);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, changes_section);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, n_last);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, regions);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, changes);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, no_regions);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, column_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, distance_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, n_last_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, attn_inspector_activate_change);
}

static void
attn_inspector_init (AttnInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_wheel_ignore (self->n_last);
  attn_inspector_fill_changes (self);
}

/**
 * attn_inspector_set_figure:
 * @session: whose study is edited
 * @figure: what is read
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
  read_anew (inspector);
}
