/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-readout.h"

#define NOTHING  "—"
#define N_DIGITS 3

G_DEFINE_FINAL_TYPE (AttnInspector, attn_inspector, GTK_TYPE_WIDGET)

/* --- Numbers ---------------------------------------------------------------------------------- */

static void
set_number (GtkLabel *label,
            double    value)
{
  g_autofree char *text =
      isnan (value) ? g_strdup (NOTHING) : attn_readout_format_digits (value, N_DIGITS);

  if (g_strcmp0 (gtk_label_get_label (label), text) != 0)
    gtk_label_set_label (label, text);
}

static void
set_pair (GtkLabel *now,
          GtkLabel *before,
          double    value,
          double    baseline)
{
  set_number (now, value);
  set_number (before, baseline);
}

static void
set_text (GtkLabel *label,
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
static char *
describe_row (AttnInspector *self,
              const char    *format,
              AttnPanel     *panel,
              gsize          row)
{
  const char * const *labels = attn_panel_get_row_labels (panel);
  const char *title = attn_figure_view_get_grid (self->view)->row_title;

  if (title != NULL)
    return g_strdup_printf ("%s %s", title, labels != NULL ? labels[row] : "");
  return g_strdup_printf (format, attn_panel_get_row_position (panel, row),
                          labels != NULL ? labels[row] : "");
}

static char *
describe_column (AttnInspector *self,
                 const char    *format,
                 AttnPanel     *panel,
                 gsize          column)
{
  const char * const *labels = attn_panel_get_column_labels (panel);
  const char *title = attn_figure_view_get_grid (self->view)->column_title;

  if (title != NULL)
    return g_strdup_printf ("%s %s", title, labels != NULL ? labels[column] : "");
  return g_strdup_printf (format, attn_panel_get_column_position (panel, column),
                          labels != NULL ? labels[column] : "");
}

/* --- What is shown ---------------------------------------------------------------------------- */

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
      column >= attn_panel_get_n_columns (panel) || !attn_panel_is_visible (panel, row, column))
    {
      set_number (weight, NAN);
      set_number (rank, NAN);
      set_number (score, NAN);
      return;
    }

  double value = attn_panel_get_value (panel, row, column);
  set_number (weight, value);
  set_number (score, get_score (panel, row, column));
  if (isnan (value))
    set_number (rank, NAN);
  else
    set_text (rank, g_strdup_printf ("%zu", attn_panel_get_rank (panel, row, column)));
}

static void
sync_cell (AttnInspector      *self,
           const AttnGridCell *cell,
           AttnCellCursor      cursor)
{
  AttnPanel *panel = cell != NULL ? attn_readout_get_panel (cell) : NULL;

  sync_cell_of (self, panel, cursor.row, cursor.column, self->weight_now, self->rank_now,
                self->score_now);
  sync_cell_of (self, cell != NULL ? cell->baseline : NULL, cursor.row, cursor.column,
                self->weight_before, self->rank_before, self->score_before);
  if (panel == NULL)
    {
      set_text (self->cell_panel, g_strdup (_("No Cell Chosen")));
      set_text (self->cell_query, g_strdup (_("Click a cell,")));
      set_text (self->cell_key, g_strdup (_("or move to it by arrow keys")));
      return;
    }
  set_text (self->cell_panel, g_strdup (cell->name != NULL ? cell->name : _("Panel")));
  /* Translators: position and text of a token */
  set_text (self->cell_query, describe_row (self, _("Query %zu “%s”"), panel, cursor.row));
  set_text (self->cell_key, describe_column (self, _("Key %zu “%s”"), panel, cursor.column));
}

static void
sync_row (AttnInspector      *self,
          const AttnGridCell *cell,
          AttnCellCursor      cursor)
{
  gsize n_rows;
  const gsize *rows =
      attn_row_selection_get_rows (attn_figure_view_get_selection (self->view), &n_rows);

  if (cell == NULL)
    {
      set_text (self->row_title, g_strdup (_("Row")));
      set_pair (self->row_sum_now, self->row_sum_before, NAN, NAN);
      set_pair (self->row_entropy_now, self->row_entropy_before, NAN, NAN);
      set_number (self->row_distance, NAN);
      attn_profile_view_set_profile (self->row_profile, NULL, -1);
      return;
    }
  if (n_rows == 0)
    {
      rows = &cursor.row;
      n_rows = 1;
    }

  AttnProfile *profile =
      attn_profile_new_rows (attn_readout_get_panel (cell), cell->baseline, rows, n_rows);
  if (n_rows == 1)
    set_text (self->row_title,
              describe_row (self, _("Row %zu “%s”"), cell->panel, rows[0]));
  else
    set_text (self->row_title,
              g_strdup_printf (g_dngettext (NULL, "%zu Row, Summed", "%zu Rows, Summed",
                                            (gulong) n_rows),
                               n_rows));
  set_pair (self->row_sum_now, self->row_sum_before, profile->sum, profile->baseline_sum);
  profile->has_names = attn_figure_view_get_grid (self->view)->column_title != NULL;
  /* What has names need not be a distribution over tokens. */
  set_pair (self->row_entropy_now, self->row_entropy_before,
            profile->has_names ? NAN : profile->entropy,
            profile->has_names ? NAN : profile->baseline_entropy);
  set_number (self->row_distance, profile->distance);
  attn_profile_view_set_profile (self->row_profile, profile, (gssize) cursor.column);
}

static void
sync_column (AttnInspector      *self,
             const AttnGridCell *cell,
             AttnCellCursor      cursor)
{
  /* A column of a long panel would take all of its rows. */
  if (cell == NULL || attn_panel_is_long (cell->panel))
    {
      set_text (self->column_title, g_strdup (_("Column")));
      set_pair (self->column_mean_now, self->column_mean_before, NAN, NAN);
      set_pair (self->column_sum_now, self->column_sum_before, NAN, NAN);
      attn_profile_view_set_profile (self->column_profile, NULL, -1);
      attn_profile_view_set_profile (self->distance_profile, NULL, -1);
      return;
    }

  AttnPanel *panel = attn_readout_get_panel (cell);
  AttnProfile *profile = attn_profile_new_column (panel, cell->baseline, cursor.column);
  set_text (self->column_title,
            describe_column (self, _("Column %zu “%s”"), cell->panel, cursor.column));
  set_pair (self->column_mean_now, self->column_mean_before, profile->mean,
            profile->baseline_mean);
  set_pair (self->column_sum_now, self->column_sum_before, profile->sum, profile->baseline_sum);
  AttnProfile *distances = attn_profile_new_distances (panel, cell->baseline);
  profile->has_names = attn_figure_view_get_grid (self->view)->row_title != NULL;
  distances->has_names = profile->has_names;
  attn_profile_view_set_profile (self->column_profile, profile, (gssize) cursor.row);
  attn_profile_view_set_profile (self->distance_profile, distances, (gssize) cursor.row);
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
  if (self->view == NULL || self->session == NULL)
    return;
  self->is_outdated = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->is_outdated)
    return;

  AttnGrid *grid = attn_figure_view_get_grid (self->view);
  AttnCellCursor cursor = attn_figure_view_get_cursor (self->view);
  const AttnGridCell *cell =
      attn_cell_cursor_get_panel (grid, cursor.group) != NULL ? &grid->cells[cursor.group] : NULL;

  sync_cell (self, cell, cursor);
  sync_row (self, cell, cursor);
  sync_column (self, cell, cursor);
  sync_filter (self);
  attn_inspector_sync_regions (self);
  attn_inspector_sync_changes (self);
}

static void
attn_inspector_map (GtkWidget *widget)
{
  AttnInspector *self = ATTN_INSPECTOR (widget);

  GTK_WIDGET_CLASS (attn_inspector_parent_class)->map (widget);
  if (self->is_outdated)
    read_anew (self);
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

  attn_figure_view_set_cursor (self->view, &cursor);
}

static void
row_activated_cb (AttnInspector *self,
                  guint64        index)
{
  AttnCellCursor cursor = attn_figure_view_get_cursor (self->view);

  attn_inspector_go_to (self, cursor.group, cursor.row, index);
}

static void
column_activated_cb (AttnInspector *self,
                     guint64        index)
{
  AttnCellCursor cursor = attn_figure_view_get_cursor (self->view);

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

  self->view = NULL;
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

  g_type_ensure (ATTN_TYPE_PROFILE_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/attentiongrid/AttentionGrid/inspector.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "inspector");
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_panel);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_query);
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, cell_key);
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
  gtk_widget_class_bind_template_child (widget_class, AttnInspector, distance_profile);
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

/* The wheel moves the inspector, whatever the pointer passes over on the way. */
static void
ignore_wheel (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
    }
}

static void
attn_inspector_init (AttnInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ignore_wheel (GTK_WIDGET (self->n_last));
  attn_inspector_fill_changes (self);
}

/**
 * attn_inspector_set_figure:
 * @session: whose study is edited
 * @view: what is read; it must live as long as the inspector is shown
 */
void
attn_inspector_set_figure (AttnInspector  *inspector,
                           AttnSession    *session,
                           AttnFigureView *view)
{
  inspector->session = g_object_ref (session);
  inspector->view = view;
  g_signal_connect_object (view, "cursor-changed", G_CALLBACK (read_anew), inspector,
                           G_CONNECT_SWAPPED);
  read_anew (inspector);
}
