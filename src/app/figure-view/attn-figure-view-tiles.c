/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is seen of a long panel from near, and the rows that are read cell by cell, are read by a
 * worker of the view's own. Until they are there, the panel is drawn as it is seen from afar, and a
 * cell has no value. */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#include "attn-range.h"

/* Rows: the cells of more have no room for numbers, on the largest of screens. */
#define MOST_NUMBERED ATTN_PANEL_BAND_ROWS

static GPtrArray *
new_parts (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
}

static void
read_cb (AttnPartKind kind,
         gpointer     user_data)
{
  AttnFigureView *self = user_data;

  if (kind == ATTN_PART_TILES || self->lacks_numbers)
    attn_figure_view_drop_scene (self);
  if (kind == ATTN_PART_TILES)
    return;
  attn_figure_view_update_hit (self);
  attn_figure_view_tell_reading (self);
  if (self->cursor.group >= 0)
    g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CURSOR_CHANGED], 0);
}

/* To be called before anything is drawn. */
void
attn_figure_view_add_loader (AttnFigureView *self)
{
  self->loader = attn_part_loader_new (read_cb, self);
}

/* To be called when a scene was drawn: asks for what it lacked. */
void
attn_figure_view_request_tiles (AttnFigureView *self)
{
  attn_part_loader_request (self->loader, ATTN_PART_TILES,
                            attn_painter_get_missing (self->painter));
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

  add_numbered_rows (self, missing);
  add_rows_of_cell (self, missing, self->cursor.group,
                    (AttnSpan) { self->cursor.row, self->cursor.row + 1 });
  if (self->has_hit)
    add_rows_of_cell (self, missing, self->hit.group,
                      (AttnSpan) { self->hit.first_row, self->hit.first_row + self->hit.n_rows });
  attn_part_loader_request (self->loader, ATTN_PART_ROWS, missing);
}
