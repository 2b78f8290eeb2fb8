/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is seen of a long panel from near, and the rows that are read cell by cell, are read by a
 * worker of the view's own. Until they are there, the panel is drawn as it is seen from afar, and a
 * cell has no value. */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#include "attn-range.h"

/* Of the part that is shown, what is asked for beside it on every side, for the next steps of a
 * movement. */
#define MARGIN 4

/* Rows: the cells of more have no room for numbers, on the largest of screens. */
#define MOST_NUMBERED ATTN_PANEL_BAND_ROWS

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
new_parts (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
}

static GPtrArray *
copy_parts (GPtrArray *parts,
            gboolean   has_margin)
{
  GPtrArray *copy = new_parts ();

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

/* What came and is not kept for good is asked for again when it is wanted again; what did not come
 * is not. */
static void
forget_rows_that_came (AttnFigureView *self)
{
  for (guint i = self->asked_rows != NULL ? self->asked_rows->len : 0; i > 0; i--)
    {
      const AttnPanelPart *part = g_ptr_array_index (self->asked_rows, i - 1);

      if (attn_panel_has_rows (part->panel, part->rows))
        g_ptr_array_remove_index_fast (self->asked_rows, i - 1);
    }
}

static void
rows_cb (AttnFigureView *self)
{
  forget_rows_that_came (self);
  if (self->lacks_numbers)
    attn_figure_view_drop_scene (self);
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
  if (rows.first >= rows.end || attn_panel_has_rows (panel, rows) ||
      !attn_panel_can_keep_rows (panel, rows))
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

/* The rows of the long panels whose cells may be seen so large that they have numbers. */
static void
add_numbered_rows (AttnFigureView *self,
                   GPtrArray      *parts)
{
  gsize n_panels = self->grid != NULL ? self->grid->n_rows * self->grid->n_columns : 0;

  for (gsize i = 0; i < n_panels && self->style.shows_values; i++)
    {
      AttnPanel *panel = self->grid->cells[i].panel;
      AttnViewport viewport = attn_views_get (&self->views, (int) i);

      if (panel == NULL || !attn_panel_is_long (panel) ||
          attn_figure_view_to_scene (self, (int) i) < 0)
        continue;
      double n_rows = attn_panel_get_n_rows (panel);
      AttnSpan rows = { (gsize) (viewport.y * n_rows),
                        (gsize) ceil ((viewport.y + viewport.height) * n_rows) };
      if (rows.end - rows.first <= MOST_NUMBERED)
        add_rows_of_cell (self, parts, (int) i, rows);
    }
}

/* Whether numbers can be drawn at once; not while a long panel would have to be read for them,
 * which is asked for when the scene was drawn. */
gboolean
attn_figure_view_has_numbers (AttnFigureView *self)
{
  g_autoptr (GPtrArray) missing = new_parts ();

  add_numbered_rows (self, missing);
  self->lacks_numbers = missing->len > 0;
  return !self->lacks_numbers;
}

/* To be called when another cell is read, and when a scene was drawn: asks for the rows that a long
 * panel does not have. */
void
attn_figure_view_request_rows (AttnFigureView *self)
{
  g_autoptr (GPtrArray) missing = new_parts ();
  gboolean is_new = FALSE;

  add_numbered_rows (self, missing);
  add_rows_of_cell (self, missing, self->cursor.group,
                    (AttnSpan) { self->cursor.row, self->cursor.row + 1 });
  if (self->has_hit)
    add_rows_of_cell (self, missing, self->hit.group,
                      (AttnSpan) { self->hit.first_row, self->hit.first_row + self->hit.n_rows });
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
