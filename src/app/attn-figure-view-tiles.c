/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is seen of a long panel from near, and the rows that are read cell by cell, are read by a worker
 * of the view's own. Until they are there, the panel is drawn as it is seen from afar, and a cell has
 * no value. */

#include "config.h"

#include "attn-figure-view-private.h"

#include "attn-range.h"

/* Of the part that is shown, what is asked for beside it on every side, for the next steps of a
 * movement. */
#define MARGIN 4

static AttnSpan
widen (AttnSpan span,
       gsize    n)
{
  gsize margin = (span.end - span.first) / MARGIN;

  return (AttnSpan) { span.first - MIN (margin, span.first), MIN (span.end + margin, n) };
}

static gboolean
includes (AttnSpan outer,
          AttnSpan inner)
{
  return outer.first <= inner.first && outer.end >= inner.end;
}

/* Whether the part is on its way, or cannot be read. */
static gboolean
is_asked_for (GPtrArray           *all,
              const AttnPanelPart *part)
{
  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const AttnPanelPart *asked = g_ptr_array_index (all, i);

      if (asked->panel == part->panel && asked->level <= part->level &&
          includes (asked->rows, part->rows) && includes (asked->columns, part->columns))
        return TRUE;
    }
  return FALSE;
}

static GPtrArray *
copy_parts (GPtrArray *parts,
            gboolean   has_margin)
{
  GPtrArray *copy =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);

  for (guint i = 0; i < parts->len; i++)
    {
      AttnPanelPart *part = g_memdup2 (parts->pdata[i], sizeof *part);

      attn_panel_ref (part->panel);
      if (has_margin)
        {
          part->rows = widen (part->rows, attn_panel_get_n_rows (part->panel));
          part->columns = widen (part->columns, attn_panel_get_n_columns (part->panel));
        }
      g_ptr_array_add (copy, part);
    }
  return copy;
}

static void
rows_cb (AttnFigureView *self)
{
  attn_figure_view_update_hit (self);
  attn_figure_view_tell_reading (self);
  if (self->cursor.group >= 0)
    g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CURSOR_CHANGED], 0);
}

static AttnWorker *
get_worker (AttnFigureView *self)
{
  if (self->worker == NULL)
    {
      self->worker = attn_worker_new ();
      g_signal_connect_object (self->worker, "tiles", G_CALLBACK (attn_figure_view_drop_scene),
                               self, G_CONNECT_SWAPPED);
      g_signal_connect_object (self->worker, "rows", G_CALLBACK (rows_cb), self,
                               G_CONNECT_SWAPPED);
    }
  return self->worker;
}

/* To be called when a scene was drawn: asks for what it lacked. */
void
attn_figure_view_request_tiles (AttnFigureView *self)
{
  GPtrArray *missing = attn_painter_get_missing (self->painter);
  gboolean is_new = FALSE;

  for (guint i = 0; i < missing->len; i++)
    is_new = is_new || !is_asked_for (self->asked, g_ptr_array_index (missing, i));
  if (!is_new)
    return;
  g_clear_pointer (&self->asked, g_ptr_array_unref);
  self->asked = copy_parts (missing, TRUE);
  attn_worker_request_tiles (get_worker (self), copy_parts (missing, TRUE));
}

static void
add_rows (GPtrArray *parts,
          AttnPanel *panel,
          AttnSpan   rows)
{
  if (panel == NULL)
    return;
  rows.end = MIN (rows.end, attn_panel_get_n_rows (panel));
  if (rows.first >= rows.end || attn_panel_has_rows (panel, rows))
    return;

  AttnPanelPart part = { attn_panel_ref (panel), 0, rows, { 0, attn_panel_get_n_columns (panel) } };
  g_ptr_array_add (parts, g_memdup2 (&part, sizeof part));
}

/* What is read of a panel: the cells that are drawn, and the weights that they stand for. */
static void
add_rows_of_cell (AttnFigureView *self,
                  GPtrArray      *parts,
                  int             group,
                  AttnSpan        rows)
{
  const AttnGridCell *cell;
  int shown = attn_figure_view_to_scene (self, group);

  if (attn_cell_cursor_get_panel (self->grid, group) == NULL)
    return;
  cell = &self->grid->cells[group];
  if (self->style.scale == ATTN_SCALE_RATIO && shown >= 0)
    add_rows (parts,
              attn_range_get_drawn (attn_figure_view_get_shown (self), (gsize) shown,
                                    ATTN_SCALE_RATIO),
              rows);
  add_rows (parts, cell->panel, rows);
  add_rows (parts, cell->minuend, rows);
  add_rows (parts, cell->baseline, rows);
}

/* To be called when another cell is read: asks for its row where a long panel does not have it. */
void
attn_figure_view_request_rows (AttnFigureView *self)
{
  g_autoptr (GPtrArray) missing =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
  gboolean is_new = FALSE;

  add_rows_of_cell (self, missing, self->cursor.group,
                    (AttnSpan) { self->cursor.row, self->cursor.row + 1 });
  if (self->has_hit)
    add_rows_of_cell (self, missing, self->hit.group,
                      (AttnSpan) { self->hit.row, self->hit.row + self->hit.n_rows });
  for (guint i = 0; i < missing->len; i++)
    is_new = is_new || !is_asked_for (self->asked_rows, g_ptr_array_index (missing, i));
  if (!is_new)
    return;
  g_clear_pointer (&self->asked_rows, g_ptr_array_unref);
  self->asked_rows = copy_parts (missing, FALSE);
  attn_worker_request_rows (get_worker (self), copy_parts (missing, FALSE));
}

void
attn_figure_view_forget_tiles (AttnFigureView *self)
{
  g_clear_pointer (&self->asked, g_ptr_array_unref);
  g_clear_pointer (&self->asked_rows, g_ptr_array_unref);
  g_clear_object (&self->worker);
}
