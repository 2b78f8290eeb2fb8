/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows, columns and all of a panel, summed up. Of a long panel this takes a pass over its rows, and
 * of many cells longer than a frame: in a thread of its own. */

#include "config.h"

#include "attn-inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-readout.h"

/* Cells that are read in a small part of a frame. */
#define MANY_CELLS ((gsize) 1 << 20)

/* --- What is shown ---------------------------------------------------------------------------- */

static void
set_pair (GtkLabel *now,
          GtkLabel *before,
          double    value,
          double    baseline)
{
  attn_inspector_set_number (now, value);
  attn_inspector_set_number (before, baseline);
}

/* @profile: (nullable) (transfer full). */
static void
show_row (AttnInspector *self,
          AttnProfile   *profile)
{
  gssize column = (gssize) attn_reading_get_cursor (self->figure).column;

  if (profile == NULL)
    {
      set_pair (self->row_sum_now, self->row_sum_before, NAN, NAN);
      set_pair (self->row_entropy_now, self->row_entropy_before, NAN, NAN);
      attn_inspector_set_number (self->row_distance, NAN);
      attn_profile_view_set_profile (self->row_profile, NULL, -1);
      return;
    }
  profile->has_names = attn_reading_get_grid (self->figure)->column_title != NULL;
  set_pair (self->row_sum_now, self->row_sum_before, profile->sum, profile->baseline_sum);
  /* What has names need not be a distribution over tokens. */
  set_pair (self->row_entropy_now, self->row_entropy_before,
            profile->has_names ? NAN : profile->entropy,
            profile->has_names ? NAN : profile->baseline_entropy);
  attn_inspector_set_number (self->row_distance, profile->has_names ? NAN : profile->distance);
  attn_profile_view_set_profile (self->row_profile, profile, column);
}

/* @profile: (nullable) (transfer full). */
static void
show_column (AttnInspector *self,
             AttnProfile   *profile)
{
  gssize row = (gssize) attn_reading_get_cursor (self->figure).row;

  if (profile == NULL)
    {
      set_pair (self->column_mean_now, self->column_mean_before, NAN, NAN);
      set_pair (self->column_sum_now, self->column_sum_before, NAN, NAN);
      attn_profile_view_set_profile (self->column_profile, NULL, -1);
      return;
    }
  profile->has_names = attn_reading_get_grid (self->figure)->row_title != NULL;
  set_pair (self->column_mean_now, self->column_mean_before, profile->mean,
            profile->baseline_mean);
  set_pair (self->column_sum_now, self->column_sum_before, profile->sum, profile->baseline_sum);
  attn_profile_view_set_profile (self->column_profile, profile, row);
}

/* @distances: (nullable) (transfer full). */
static void
show_panel (AttnInspector *self,
            AttnPanel     *panel,
            AttnProfile   *distances,
            GArray        *changes)
{
  gssize row = (gssize) attn_reading_get_cursor (self->figure).row;

  attn_profile_view_set_profile (self->distance_profile, distances, distances != NULL ? row : -1);
  attn_inspector_show_changes (self, panel, changes);
}

/* --- Reading ---------------------------------------------------------------------------------- */

typedef enum
{
  READ_ROWS,
  READ_COLUMN,
  READ_PANEL,
} ReadKind;

/* What is to be read, and what was. */
typedef struct
{
  ReadKind kind;
  AttnPanel *panel;
  AttnPanel *baseline; /* (nullable) */
  gsize *rows;         /* of READ_ROWS */
  gsize n_rows;
  gsize column;       /* of READ_COLUMN */
  AttnResult *result; /* (nullable): of READ_PANEL: that changes are asked of */
  gsize group;
  AttnPanel *shown; /* that changes are named by */
  AttnProfile *profile;
  GArray *changes; /* (nullable) */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  attn_panel_unref (reading->panel);
  attn_panel_unref (reading->shown);
  g_clear_pointer (&reading->baseline, attn_panel_unref);
  g_clear_pointer (&reading->result, attn_result_unref);
  g_clear_pointer (&reading->profile, attn_profile_free);
  g_clear_pointer (&reading->changes, g_array_unref);
  g_free (reading->rows);
  g_free (reading);
}

static void
reading_run (Reading      *reading,
             GCancellable *cancellable)
{
  switch (reading->kind)
    {
    case READ_ROWS:
      reading->profile = attn_profile_new_rows (reading->panel, reading->baseline, reading->rows,
                                                reading->n_rows, cancellable);
      break;
    case READ_COLUMN:
      reading->profile = attn_profile_new_column (reading->panel, reading->baseline,
                                                  reading->column, cancellable);
      break;
    case READ_PANEL:
    default:
      reading->profile =
          attn_profile_new_distances (reading->panel, reading->baseline, cancellable);
      if (reading->result != NULL && !g_cancellable_is_cancelled (cancellable))
        reading->changes = attn_inspector_get_changes (reading->result, reading->group);
      break;
    }
}

/* Nothing while it is not read. */
static void
reading_show (Reading       *reading,
              AttnInspector *self)
{
  AttnProfile *profile = g_steal_pointer (&reading->profile);

  if (reading->kind == READ_ROWS)
    show_row (self, profile);
  else if (reading->kind == READ_COLUMN)
    show_column (self, profile);
  else
    show_panel (self, reading->shown, profile, reading->changes);
}

static void
reading_thread_func (GTask        *task,
                     gpointer      source,
                     gpointer      data,
                     GCancellable *cancellable)
{
  reading_run (data, cancellable);
  g_task_return_boolean (task, TRUE);
}

static void
read_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      user_data)
{
  AttnInspector *self = ATTN_INSPECTOR (source);

  /* Not if it was cancelled, and the cursor is elsewhere. */
  if (g_task_propagate_boolean (G_TASK (result), NULL) && self->figure != NULL)
    reading_show (g_task_get_task_data (G_TASK (result)), self);
}

static gboolean
takes_long (const Reading *reading)
{
  gsize n_rows = attn_panel_get_n_rows (reading->panel);
  gsize n_columns = attn_panel_get_n_columns (reading->panel);

  switch (reading->kind)
    {
    case READ_ROWS:
      return attn_panel_is_long (reading->panel) || reading->n_rows > MANY_CELLS / n_columns;
    case READ_COLUMN:
      return attn_panel_is_long (reading->panel);
    case READ_PANEL:
    default:
      return attn_panel_is_long (reading->panel) || n_rows > MANY_CELLS / n_columns;
    }
}

/* Takes the reading over. */
static void
start (AttnInspector *self,
       Reading       *reading,
       GCancellable  *cancellable)
{
  if (!takes_long (reading))
    {
      reading_run (reading, NULL);
      reading_show (reading, self);
      reading_free (reading);
      return;
    }
  reading_show (reading, self);

  g_autoptr (GTask) task = g_task_new (self, cancellable, read_cb, NULL);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, reading_thread_func);
}

static Reading *
reading_new (ReadKind            kind,
             const AttnGridCell *cell)
{
  Reading *reading = g_new0 (Reading, 1);

  reading->kind = kind;
  reading->panel = attn_panel_ref (attn_readout_get_panel (cell));
  reading->shown = attn_panel_ref (cell->panel);
  reading->baseline = cell->baseline != NULL ? attn_panel_ref (cell->baseline) : NULL;
  return reading;
}

static void
sync_row (AttnInspector      *self,
          const AttnGridCell *cell,
          AttnCellCursor      cursor)
{
  gsize n_rows;
  const gsize *rows =
      attn_row_selection_get_rows (attn_reading_get_selection (self->figure), &n_rows);

  if (n_rows == 0)
    {
      rows = &cursor.row;
      n_rows = 1;
    }
  if (n_rows == 1)
    attn_inspector_set_text (
        self->row_title,
        attn_inspector_describe_row (self, _("Row %zu “%s”"), cell->panel, rows[0]));
  else
    attn_inspector_set_text (
        self->row_title, g_strdup_printf (g_dngettext (NULL, "%zu Row, Summed", "%zu Rows, Summed",
                                                       (gulong) n_rows),
                                          n_rows));

  Reading *reading = reading_new (READ_ROWS, cell);
  reading->rows = g_memdup2 (rows, n_rows * sizeof *rows);
  reading->n_rows = n_rows;
  start (self, reading, self->reading);
}

static void
sync_column (AttnInspector      *self,
             const AttnGridCell *cell,
             AttnCellCursor      cursor)
{
  Reading *reading = reading_new (READ_COLUMN, cell);

  attn_inspector_set_text (
      self->column_title,
      attn_inspector_describe_column (self, _("Column %zu “%s”"), cell->panel, cursor.column));
  reading->column = cursor.column;
  start (self, reading, self->reading);
}

static void
stop_panel_reading (AttnInspector *self)
{
  g_cancellable_cancel (self->panel_reading);
  g_clear_object (&self->panel_reading);
  g_clear_pointer (&self->read_panel, attn_panel_unref);
  g_clear_pointer (&self->read_baseline, attn_panel_unref);
}

/* Once, wherever the cursor goes in it. */
static void
sync_panel (AttnInspector      *self,
            const AttnGridCell *cell,
            AttnCellCursor      cursor)
{
  AttnResult *result = attn_session_get_result (self->session);
  Reading *reading = reading_new (READ_PANEL, cell);

  reading->group = (gsize) cursor.group;
  if (result != NULL && result->grid == attn_reading_get_grid (self->figure))
    reading->result = attn_result_ref (result);
  if (self->read_panel == reading->panel && self->read_baseline == reading->baseline)
    {
      attn_profile_view_set_mark (self->distance_profile, (gssize) cursor.row);
      reading_free (reading);
      return;
    }
  stop_panel_reading (self);
  self->panel_reading = g_cancellable_new ();
  self->read_panel = attn_panel_ref (reading->panel);
  self->read_baseline = reading->baseline != NULL ? attn_panel_ref (reading->baseline) : NULL;
  start (self, reading, self->panel_reading);
}

static void
stop_cell_reading (AttnInspector *self)
{
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

/* What is on its way is not waited for any more. */
void
attn_inspector_stop_reading (AttnInspector *self)
{
  stop_cell_reading (self);
  stop_panel_reading (self);
}

/* Whether there are distributions over tokens, which what has names need not be, and others to
 * compare them with. */
static gboolean
has_distances (AttnGrid *grid)
{
  for (gsize i = 0; grid != NULL && grid->row_title == NULL && i < grid->n_rows * grid->n_columns;
       i++)
    if (grid->cells[i].baseline != NULL)
      return TRUE;
  return FALSE;
}

/* @cell: (nullable): the panel of the cursor. */
void
attn_inspector_sync_profiles (AttnInspector      *self,
                              const AttnGridCell *cell,
                              AttnCellCursor      cursor)
{
  gboolean compares = has_distances (attn_reading_get_grid (self->figure));

  gtk_widget_set_visible (self->distance_section, compares);
  gtk_widget_set_visible (self->changes_section, compares);
  stop_cell_reading (self);
  if (cell == NULL)
    {
      stop_panel_reading (self);
      attn_inspector_set_text (self->row_title, g_strdup (_("Row")));
      attn_inspector_set_text (self->column_title, g_strdup (_("Column")));
      show_row (self, NULL);
      show_column (self, NULL);
      show_panel (self, NULL, NULL, NULL);
      return;
    }
  self->reading = g_cancellable_new ();
  sync_row (self, cell, cursor);
  sync_column (self, cell, cursor);
  sync_panel (self, cell, cursor);
}
