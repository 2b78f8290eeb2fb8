/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-stage.h"

#include <math.h>

#include "attn-layout.h"
#include "attn-range.h"

/* The number of pixels per point: figures are measured in points, and a widget pixel is 1/96
 * inch. */
#define SCALE (4.0 / 3.0)

/* Largest size of token labels, which grow with the cells, relative to their size on paper. */
#define LARGEST_LABEL 1.25

/* The largest number of rows with printed numbers: with more rows, cells are too small on any
 * screen. */
#define MOST_NUMBERED ATTN_PANEL_BAND_ROWS

/* Frees the grids of some panels that were made from the whole grid. */
static void
drop_parts (AttnStage *stage)
{
  g_clear_pointer (&stage->alone, attn_grid_unref);
  g_clear_pointer (&stage->arranged, attn_grid_unref);
}

/* Frees the figure and its scene, but not the order of panels. */
void
attn_stage_clear (AttnStage *stage)
{
  g_clear_pointer (&stage->scene, attn_scene_free);
  drop_parts (stage);
  g_clear_pointer (&stage->grid, attn_grid_unref);
  g_clear_pointer (&stage->given, attn_grid_unref);
}

/**
 * attn_stage_arrange:
 * @order: (transfer full) (nullable) (element-type gsize): indices of panels, which alone are
 *   shown, in this order, as long as figures have all of these; %NULL for all panels in the order
 *   of the grid
 */
void
attn_stage_arrange (AttnStage *stage,
                    GArray    *order)
{
  attn_stage_drop_scene (stage);
  drop_parts (stage);
  g_clear_pointer (&stage->order, g_array_unref);
  stage->order = order;
}

/**
 * attn_stage_set_figure:
 * @grid: (nullable): the panels
 * @style: how they look; the colours of text and background are those of the screen
 */
void
attn_stage_set_figure (AttnStage       *stage,
                       AttnGrid        *grid,
                       const AttnStyle *style)
{
  gboolean shows_baseline = stage->given != NULL;

  if (grid != NULL)
    attn_grid_ref (grid);
  attn_stage_clear (stage);
  stage->grid = grid;
  stage->style = *style;
  for (guint i = 0; stage->order != NULL && i < stage->order->len; i++)
    if (grid == NULL || g_array_index (stage->order, gsize, i) >= grid->n_rows * grid->n_columns)
      g_clear_pointer (&stage->order, g_array_unref);
  attn_stage_show_baseline (stage, shows_baseline);
}

/**
 * attn_stage_show_baseline:
 * @is_shown: whether the baseline of each panel that has one is shown in its place, until this is
 *   called again
 *
 * Returns: whether anything has changed
 */
gboolean
attn_stage_show_baseline (AttnStage *stage,
                          gboolean   is_shown)
{
  AttnGrid *before = stage->grid != NULL && is_shown && stage->given == NULL
                         ? attn_grid_take_baseline (stage->grid)
                         : NULL;

  if (is_shown ? before == NULL : stage->given == NULL)
    return FALSE;
  attn_stage_drop_scene (stage);
  drop_parts (stage);
  if (!is_shown)
    attn_grid_unref (stage->grid);
  else
    stage->given = stage->grid;
  stage->grid = is_shown ? before : g_steal_pointer (&stage->given);
  return TRUE;
}

void
attn_stage_drop_scene (AttnStage *stage)
{
  g_clear_pointer (&stage->scene, attn_scene_free);
}

/**
 * attn_stage_step_panel:
 * @step: how many panels to go on, in the order in which they are shown; below 0 back
 *
 * Returns: @cursor moved to that panel, as [func@attn_cell_cursor_move_panel] does
 */
AttnCellCursor
attn_stage_step_panel (const AttnStage *stage,
                       AttnCellCursor   cursor,
                       int              step)
{
  const gsize *order = stage->order != NULL ? (const gsize *) (void *) stage->order->data : NULL;
  int n = order != NULL ? (int) stage->order->len : 0;
  int place = 0;

  if (order == NULL)
    return attn_cell_cursor_move_panel (cursor, stage->grid, step);
  while (place < n && order[place] != (gsize) cursor.group)
    place++;
  /* The first or last panel is used if the cursor's panel is not shown. */
  if (place == n)
    place = step < 0 ? n - 1 : 0;
  else
    place += step;
  if (place < 0 || place >= n)
    return cursor;
  cursor.group = (int) order[place];
  return attn_cell_cursor_move (cursor, stage->grid, 0, 0);
}

/* --- Missing rows of long panels -------------------------------------------------------------- */

/* Adds rows of a panel to the list of missing rows, which have to be read, unless they are in
 * memory. @panel: (nullable) */
static void
add_rows_of_panel (GPtrArray *missing,
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
  g_ptr_array_add (missing, g_memdup2 (&part, sizeof part));
}

/**
 * attn_stage_add_rows:
 * @group: index of a panel
 * @rows: rows whose numbers are to be told or drawn
 * @missing: (element-type AttnPanelPart): the list to which the rows are added that are not in
 *   memory: of the panel that is drawn, and of the panels whose numbers are told
 */
void
attn_stage_add_rows (const AttnStage  *stage,
                     const AttnPlaces *places,
                     int               group,
                     AttnSpan          rows,
                     GPtrArray        *missing)
{
  int shown = attn_places_to_scene (places, group);

  if (attn_cell_cursor_get_panel (places->grid, group) == NULL)
    return;

  const AttnGridCell *cell = &places->grid->cells[group];
  if (stage->style.scale == ATTN_SCALE_RATIO && shown >= 0)
    add_rows_of_panel (missing,
                       attn_range_get_drawn (places->shown, (gsize) shown, ATTN_SCALE_RATIO),
                       rows);
  add_rows_of_panel (missing, cell->panel, rows);
  add_rows_of_panel (missing, cell->minuend, rows);
  add_rows_of_panel (missing, cell->baseline, rows);
}

/**
 * attn_stage_find_rows:
 *
 * Returns: (transfer full) (element-type AttnPanelPart): the rows of long panels that have to be
 *   read for the scene to have numbers in its cells, if cells may be large enough for them
 */
GPtrArray *
attn_stage_find_rows (const AttnStage  *stage,
                      const AttnPlaces *places)
{
  GPtrArray *missing = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
  gsize n_panels = places->grid != NULL ? places->grid->n_rows * places->grid->n_columns : 0;

  for (gsize i = 0; i < n_panels && stage->style.shows_values; i++)
    {
      AttnPanel *panel = places->grid->cells[i].panel;
      AttnViewport viewport = attn_views_get (places->views, (int) i);

      if (panel == NULL || !attn_panel_is_long (panel) ||
          attn_places_to_scene (places, (int) i) < 0)
        continue;
      double n_rows = attn_panel_get_n_rows (panel);
      AttnSpan rows = { (gsize) (viewport.y * n_rows),
                        (gsize) ceil ((viewport.y + viewport.height) * n_rows) };
      if (rows.end - rows.first <= MOST_NUMBERED)
        attn_stage_add_rows (stage, places, (int) i, rows, missing);
    }
  return missing;
}

/* --- The scene of the figure ------------------------------------------------------------------ */

/* Returns the grid that the scene shows: the whole grid, a grid of some of its panels in another
 * order, or a grid of the maximised panel. */
static AttnGrid *
get_shown (AttnStage       *stage,
           const AttnViews *views)
{
  gboolean is_alone = attn_cell_cursor_get_panel (stage->grid, views->maximized) != NULL;

  if (!is_alone && (stage->order == NULL || stage->grid == NULL))
    return stage->grid;
  if (!is_alone && stage->arranged == NULL)
    stage->arranged = attn_grid_arrange (
        stage->grid, (const gsize *) (void *) stage->order->data, stage->order->len,
        stage->style.range_scope == ATTN_RANGE_SCOPE_GRID);
  if (!is_alone)
    return stage->arranged;
  if (stage->alone == NULL || stage->alone_group != views->maximized)
    {
      g_clear_pointer (&stage->alone, attn_grid_unref);
      stage->alone = attn_grid_take_panel (stage->grid, views->maximized);
      stage->alone_group = views->maximized;
    }
  return stage->alone;
}

/* Makes the scene of the figure. Numbers in cells are left out until the rows of long panels are
 * loaded. */
static AttnScene *
make_scene (AttnStage        *stage,
            const AttnPlaces *places)
{
  const AttnViews *views = places->views;
  AttnViewport viewport = attn_views_get (views, views->maximized);
  gboolean has_own = views->own != NULL && places->shown == stage->grid;
  const AttnViewport *viewports =
      has_own ? (const AttnViewport *) (void *) views->own->data : NULL;
  g_autoptr (GPtrArray) missing = attn_stage_find_rows (stage, places);
  AttnStyle style = stage->style;
  double closer = attn_views_has_atlas (views) ? 1 / views->page.width : 1;
  double width = closer * stage->screen.width / SCALE;
  double height = closer * stage->screen.height / SCALE;

  stage->lacks_numbers = missing->len > 0;
  style.shows_values = style.shows_values && !stage->lacks_numbers;
  style.font_size *= MAX (stage->screen.text_scale, 1);
  style.foreground = stage->screen.foreground;
  style.has_background = FALSE;
  style.largest_label = LARGEST_LABEL * style.font_size;
  return attn_layout_figure_views (places->shown, &style, &viewport, viewports, width, height);
}

/**
 * attn_stage_get_places:
 *
 * Returns: where everything stands in the scene, which is made if there is none yet; valid until
 *   the stage or @views change. There is no scene without a grid or without a size of the screen
 */
AttnPlaces
attn_stage_get_places (AttnStage       *stage,
                       const AttnViews *views)
{
  AttnPlaces places = {
    .grid = stage->grid,
    .shown = get_shown (stage, views),
    .views = views,
    .scale = SCALE,
    .pixels = SCALE * stage->screen.scale_factor,
    .window = { 0, 0, stage->screen.width, stage->screen.height },
  };

  if (places.shown == stage->arranged && places.shown != NULL)
    places.order = stage->order;
  if (attn_views_has_atlas (views))
    {
      places.window.x = round (views->page.x / views->page.width * places.window.width);
      places.window.y = round (views->page.y / views->page.height * places.window.height);
    }

  if (stage->scene == NULL && stage->grid != NULL && stage->screen.width > 0 &&
      stage->screen.height > 0)
    stage->scene = make_scene (stage, &places);
  places.scene = stage->scene;
  return places;
}
