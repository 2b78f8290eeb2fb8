/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The reading of a figure: the part of it that is shown, the object under the pointer, and the
 * signals that tell of changes. */

#include "config.h"

#include "attn-reading-private.h"

#include "attn-head-place.h"
#include "attn-signal.h"

guint attn_reading_signals[ATTN_READING_N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnReading, attn_reading, G_TYPE_OBJECT)

void
attn_reading_emit (AttnReading *self,
                   guint        signal)
{
  g_signal_emit (self, attn_reading_signals[signal], 0);
}

static void
drop_scene (AttnReading *self)
{
  attn_stage_drop_scene (&self->stage);
  attn_reading_emit (self, ATTN_READING_SCENE_CHANGED);
}

/**
 * attn_reading_get_places:
 *
 * Returns: where the panels and cells of the figure are on the screen; valid until
 *   #AttnReading::scene-changed
 */
AttnPlaces
attn_reading_get_places (AttnReading *reading)
{
  return attn_stage_get_places (&reading->stage, reading->navigator.views);
}

/**
 * attn_reading_get:
 *
 * Returns: the figure, and what of it is shown, chosen and read now; valid until any of that
 *   changes
 */
AttnReadingState
attn_reading_get (AttnReading *reading)
{
  return (AttnReadingState) {
    .grid = reading->stage.grid,
    .hit = reading->has_read ? &reading->read : NULL,
    .cursor = reading->cursor,
    .selection = reading->selection,
    .search = reading->search,
    .views = reading->navigator.views,
    .regions = &reading->regions,
    .tool = reading->tool,
    .place = reading->place,
    .token_input = reading->token_input,
    .token = reading->token,
    .token_lines = reading->token_lines,
    .label = reading->label,
    .is_pointed = reading->has_hit && !reading->uses_keys && reading->drag == ATTN_DRAG_NOTHING,
    .x = reading->pointer_x,
    .y = reading->pointer_y,
  };
}

/* --- Signals that tell of changes ------------------------------------------------------------- */

/* Requests the rows of long panels that are not loaded and are needed for the current cell and for
 * numbers in cells. */
static void
request_rows (AttnReading *self)
{
  AttnPlaces places = attn_reading_get_places (self);
  AttnReadingState state = attn_reading_get (self);
  g_autoptr (GPtrArray) missing = attn_stage_find_rows (&self->stage, &places);
  const AttnHit *hit = &self->hit;

  attn_stage_add_rows (&self->stage, &places, self->cursor.group,
                       (AttnSpan) { self->cursor.row, self->cursor.row + 1 }, missing);
  if (self->has_hit)
    attn_stage_add_rows (&self->stage, &places, hit->group,
                         (AttnSpan) { hit->first_row, hit->first_row + hit->n_rows }, missing);
  AttnLine line = attn_reading_get_line (&state);
  if (line.group >= 0 && !line.is_column)
    attn_stage_add_rows (&self->stage, &places, line.group,
                         (AttnSpan) { line.index, line.index + 1 }, missing);
  AttnCellCursor pointed;
  if (attn_reading_find_pointed_cell (&state, &pointed))
    attn_stage_add_rows (&self->stage, &places, pointed.group,
                         (AttnSpan) { pointed.row, pointed.row + 1 }, missing);
  attn_part_loader_request (self->loader, ATTN_PART_ROWS, missing);
}

static gboolean
hit_equal (const AttnHit *a,
           const AttnHit *b)
{
  return a->group == b->group && a->row == b->row && a->column == b->column &&
         a->n_rows == b->n_rows && a->n_columns == b->n_columns && a->is_unread == b->is_unread;
}

/* Finds the cell that is read while a token is pointed at in its text: that of the token in the row
 * or column that is kept, or else in its own, as the tip at the token tells it. */
static gboolean
find_cell_of_token (AttnReading    *self,
                    AttnCellCursor *cell)
{
  AttnReadingState state = attn_reading_get (self);

  if (state.token < 0 || attn_reading_find_pointed_cell (&state, cell))
    return state.token >= 0;
  AttnLine line = attn_reading_get_line (&state);
  gsize across;
  if (line.group < 0)
    return FALSE;
  *cell = attn_reading_find_line (&state, line.group, !line.is_column, &across)
              ? attn_line_cross (&line, across)
              : attn_line_get_visible_cell (self->stage.grid, &line);
  return TRUE;
}

/* Emits the signal "hit-changed" if the current cell has changed. */
static void
tell_read (AttnReading *self)
{
  gboolean has_cursor = attn_cell_cursor_get_panel (self->stage.grid, self->cursor.group) != NULL;
  AttnCellCursor pointed;
  gboolean has_token = find_cell_of_token (self, &pointed);
  gboolean has_read = has_token || self->has_hit || has_cursor;
  AttnHit read = { 0 };

  if (has_token)
    read = (AttnHit) { pointed.group, pointed.row, pointed.column, 1, 1 };
  else if (self->has_hit && !(self->uses_keys && has_cursor))
    read = self->hit;
  else if (has_cursor)
    read = (AttnHit) { self->cursor.group, self->cursor.row, self->cursor.column, 1, 1 };
  if (has_read == self->has_read && hit_equal (&read, &self->read))
    return;
  self->has_read = has_read;
  self->read = read;
  request_rows (self);
  attn_reading_emit (self, ATTN_READING_HIT_CHANGED);
}

/* Finds the row or column whose label is under the pointer. */
static AttnLine
find_label (AttnReading      *self,
            const AttnPlaces *places)
{
  AttnLine label = ATTN_LINE_NONE;
  AttnCellCursor cell;
  int group =
      attn_places_find_label (places, self->pointer_x, self->pointer_y, &label.is_column);

  if (!attn_places_find_nearest (places, group, self->pointer_x, self->pointer_y, &cell))
    return ATTN_LINE_NONE;
  label.group = group;
  label.index = label.is_column ? cell.column : cell.row;
  return label;
}

/* Finds the object under the pointer. To be called when the pointer or the scene has changed. */
void
attn_reading_update_hit (AttnReading *self)
{
  AttnPlaces places = attn_reading_get_places (self);
  AttnHit hit = { 0 };
  gboolean has_hit =
      self->has_pointer && attn_places_hit (&places, self->pointer_x, self->pointer_y, &hit);
  AttnLine label = self->has_pointer && !has_hit ? find_label (self, &places) : ATTN_LINE_NONE;
  gboolean has_changed = has_hit != self->has_hit || (has_hit && !hit_equal (&hit, &self->hit)) ||
                         !attn_line_equal (&label, &self->label);

  self->has_hit = has_hit;
  self->hit = hit;
  self->label = label;
  if (has_changed)
    attn_reading_emit (self, ATTN_READING_OVERLAY_CHANGED);
  tell_read (self);
}

/* Emits the signals that are due after a change of the cursor or the selected rows. */
void
attn_reading_tell_cursor (AttnReading *self)
{
  attn_reading_emit (self, ATTN_READING_OVERLAY_CHANGED);
  request_rows (self);
  tell_read (self);
  attn_reading_emit (self, ATTN_READING_CURSOR_CHANGED);
}

/* Emits signals if the visible part of the figure has changed. @has_changed: result of the
 * navigator's function that moved it */
void
attn_reading_tell_views (AttnReading *self,
                         gboolean     has_changed)
{
  if (!has_changed)
    return;
  if (self->navigator.moves_page)
    attn_reading_emit (self, ATTN_READING_SCENE_CHANGED);
  else
    drop_scene (self);
  attn_reading_update_hit (self);
  attn_reading_emit (self, ATTN_READING_VIEWPORT_CHANGED);
}

void
attn_reading_tell_picked (AttnReading *self)
{
  attn_reading_emit (self, ATTN_READING_OVERLAY_CHANGED);
  attn_reading_emit (self, ATTN_READING_CURSOR_CHANGED);
}

/* Emits the signals that are due after a function of the region tool. @has_edit: its result:
 * whether the study is to be changed by @edit */
void
attn_reading_tell_edit (AttnReading          *self,
                        gboolean              has_edit,
                        const AttnRegionEdit *edit)
{
  attn_reading_emit (self, ATTN_READING_OVERLAY_CHANGED);
  if (has_edit)
    g_signal_emit (self, attn_reading_signals[ATTN_READING_REGION_EDITED], 0, edit);
}

/* Updates the figure after parts of long panels were loaded. */
static void
loaded_cb (AttnPartKind kind,
           gpointer     user_data)
{
  AttnReading *self = user_data;

  if (kind == ATTN_PART_TILES || self->stage.lacks_numbers)
    drop_scene (self);
  if (kind == ATTN_PART_TILES)
    return;
  attn_reading_update_hit (self);
  attn_reading_emit (self, ATTN_READING_HIT_CHANGED);
  if (self->cursor.group >= 0)
    attn_reading_emit (self, ATTN_READING_CURSOR_CHANGED);
}

/* --- The reading as an object ----------------------------------------------------------------- */

static void
attn_reading_dispose (GObject *object)
{
  AttnReading *self = ATTN_READING (object);

  g_clear_pointer (&self->loader, attn_part_loader_free);
  g_clear_pointer (&self->selection, attn_selection_free);
  g_clear_pointer (&self->search, attn_token_search_free);
  g_clear_pointer (&self->search_text, g_free);
  g_clear_pointer (&self->place, g_free);
  attn_stage_arrange (&self->stage, NULL);
  attn_stage_clear (&self->stage);
  attn_navigator_clear (&self->navigator);

  G_OBJECT_CLASS (attn_reading_parent_class)->dispose (object);
}

static void
attn_reading_class_init (AttnReadingClass *klass)
{
  guint *signals = attn_reading_signals;

  G_OBJECT_CLASS (klass)->dispose = attn_reading_dispose;

  signals[ATTN_READING_SCENE_CHANGED] = attn_signal_new (klass, "scene-changed", 0);
  /* (): emitted when the overlay, which is drawn over the scene, has changed. */
  signals[ATTN_READING_OVERLAY_CHANGED] = attn_signal_new (klass, "overlay-changed", 0);
  /* (): emitted when the current cell, chosen by pointer or keyboard, has changed. */
  signals[ATTN_READING_HIT_CHANGED] = attn_signal_new (klass, "hit-changed", 0);
  signals[ATTN_READING_VIEWPORT_CHANGED] = attn_signal_new (klass, "viewport-changed", 0);
  /* (): emitted when the cursor, the selected rows or the selected region has changed. */
  signals[ATTN_READING_CURSOR_CHANGED] = attn_signal_new (klass, "cursor-changed", 0);
  signals[ATTN_READING_TOOL_CHANGED] = attn_signal_new (klass, "tool-changed", 0);
  /* (): emitted when the cell of the cursor was clicked once, without a modifier key. */
  signals[ATTN_READING_CLICKED] = attn_signal_new (klass, "clicked", 0);
  /* (): emitted when Return was pressed at the cell of the cursor. */
  signals[ATTN_READING_ACTIVATED] = attn_signal_new (klass, "activated", 0);
  /* (): emitted when the panel of the cursor was double-clicked. */
  signals[ATTN_READING_DOUBLE_CLICKED] = attn_signal_new (klass, "double-clicked", 0);
  /* (const AttnRegionEdit *edit): a region is to be added, changed or removed. */
  signals[ATTN_READING_REGION_EDITED] =
      attn_signal_new (klass, "region-edited", 1, G_TYPE_POINTER);
  /* (double x, double y): a click in the scene, outside all panels. */
  signals[ATTN_READING_BESIDE_CLICKED] =
      attn_signal_new (klass, "beside-clicked", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  /* (double low, double high): the colour bar is to be changed to these limits; both are 0 for the
   * limits of the visible part. */
  signals[ATTN_READING_RANGE_ASKED] =
      attn_signal_new (klass, "range-asked", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  /* (double x, double y): a menu for the cell of the cursor is to be opened at this point in widget
   * pixels. */
  signals[ATTN_READING_MENU_ASKED] =
      attn_signal_new (klass, "menu-asked", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void
attn_reading_init (AttnReading *self)
{
  self->cursor = ATTN_CELL_CURSOR_NONE;
  self->token = -1;
  self->label = ATTN_LINE_NONE;
  self->selection = attn_selection_new ();
  self->loader = attn_part_loader_new (loaded_cb, self);
  attn_navigator_init (&self->navigator);
}

AttnReading *
attn_reading_new (void)
{
  return g_object_new (ATTN_TYPE_READING, NULL);
}

/* Adapts views, selection and cursor to a figure with other panels. */
static void
take_grid (AttnReading *self)
{
  AttnGrid *grid = self->stage.grid;
  AttnPanel *panel = attn_cell_cursor_get_panel (grid, self->selection->group);

  attn_part_loader_forget (self->loader);
  attn_views_resize (self->navigator.views, attn_count_panels (grid));
  attn_region_tool_set_grid (&self->regions, grid);
  self->cursor = attn_cell_cursor_move (self->cursor, grid, 0, 0);
  attn_selection_limit (self->selection,
                        attn_reading_count_lines (panel, self->selection->is_column));
  g_clear_pointer (&self->search, attn_token_search_free);
  if (self->search_text != NULL)
    self->search = attn_token_search_new (grid, self->search_text);
  /* The current cell is announced again even if it is the same, as its value may have changed. */
  self->has_read = FALSE;
  self->read = (AttnHit) { .group = -1 };
  attn_reading_emit (self, ATTN_READING_SCENE_CHANGED);
  attn_reading_emit (self, ATTN_READING_CURSOR_CHANGED);
  attn_reading_update_hit (self);
}

/**
 * attn_reading_set_figure:
 * @grid: (nullable): the panels
 * @style: how they look; the colours of text and background are those of the screen
 *
 * The views of the panels stay, and so do the cursor and the chosen rows where the panels are about
 * the same, so that the same tokens go on being read.
 */
void
attn_reading_set_figure (AttnReading     *reading,
                         AttnGrid        *grid,
                         const AttnStyle *style)
{
  g_autoptr (AttnGrid) before =
      reading->stage.grid != NULL ? attn_grid_ref (reading->stage.grid) : NULL;

  attn_stage_set_figure (&reading->stage, grid, style);
  attn_reading_carry (reading, before, reading->stage.grid);
  take_grid (reading);
}

/**
 * attn_reading_arrange:
 * @order: (transfer full) (nullable) (element-type gsize): indices of panels, at least one, which
 *   alone are shown, in this order; %NULL for all panels in the order of the grid. The order ends
 *   with a figure of fewer panels or of other dimensions.
 */
void
attn_reading_arrange (AttnReading *reading,
                      GArray      *order)
{
  attn_stage_arrange (&reading->stage, order);
  attn_reading_fit (reading);
  drop_scene (reading);
  attn_reading_update_hit (reading);
}

/* Tells whether the order of panels set by attn_reading_arrange() is still in use. */
gboolean
attn_reading_is_arranged (const AttnReading *reading)
{
  return reading->stage.order != NULL;
}

/**
 * attn_reading_show_baseline:
 * @is_shown: whether each panel is shown as its baseline, which is the same attention without the
 *   operations of the study, until this is called again
 *
 * Returns: whether the figure has changed by that
 */
gboolean
attn_reading_show_baseline (AttnReading *reading,
                            gboolean     is_shown)
{
  gboolean has_changed = attn_stage_show_baseline (&reading->stage, is_shown);

  if (has_changed)
    take_grid (reading);
  return has_changed;
}

/**
 * attn_reading_set_screen:
 * @screen: size and look of where the figure is shown, copied
 */
void
attn_reading_set_screen (AttnReading      *reading,
                         const AttnScreen *screen)
{
  reading->stage.screen = *screen;
  drop_scene (reading);
}

/**
 * attn_reading_load:
 * @missing: (element-type AttnPanelPart): the parts of long panels that the painter lacked for the
 *   scene that it has drawn; the scene changes when they have been read
 */
void
attn_reading_load (AttnReading *reading,
                   GPtrArray   *missing)
{
  attn_part_loader_request (reading->loader, ATTN_PART_TILES, missing);
  request_rows (reading);
}

/**
 * attn_reading_point_token:
 * @input: index of an input
 * @lines: where its tokens stand in the panels
 * @token: index of the token that is pointed at in the text of that input; -1 for none
 *
 * The row and the column of that token are marked in the panels.
 */
void
attn_reading_point_token (AttnReading    *reading,
                          gsize           input,
                          AttnTokenLines  lines,
                          gssize          token)
{
  if (reading->token == token && reading->token_input == input && reading->token_lines == lines)
    return;
  reading->token_input = input;
  reading->token_lines = lines;
  reading->token = token;
  request_rows (reading);
  attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
  tell_read (reading);
}

/* --- Parts of the figure that are shown ------------------------------------------------------- */

/**
 * attn_reading_set_views:
 * @shared: the part to show of all panels
 * @own: (nullable) (element-type AttnViewport): the part of each panel to show, used if there are
 *   as many as panels, which then no longer move together
 *
 * No panel is maximised any more.
 */
void
attn_reading_set_views (AttnReading        *reading,
                        const AttnViewport *shared,
                        const GArray       *own)
{
  AttnViews *views = attn_views_copy (reading->navigator.views);

  g_clear_pointer (&views->own, g_array_unref);
  views->maximized = -1;
  views->page = ATTN_VIEWPORT_FIT;
  attn_views_set (views, ATTN_VIEWS_ALL, shared);
  if (own != NULL && own->len == attn_count_panels (reading->stage.grid))
    {
      attn_views_unlink (views, own->len);
      for (guint i = 0; i < own->len; i++)
        attn_views_set (views, (int) i, &g_array_index (own, AttnViewport, i));
    }
  attn_reading_tell_views (reading, attn_navigator_set_views (&reading->navigator, views, NULL));
}

/**
 * attn_reading_set_place:
 * @study: the study that is or will be shown
 *
 * Keeps the view of before as a step to go back to if the study has another layer or head, or a
 * grid of other dimensions, which then is shown as a whole.
 */
void
attn_reading_set_place (AttnReading     *reading,
                        const AttnStudy *study)
{
  const AttnViews *old = reading->navigator.views;
  AttnViews *views = attn_views_copy (old);

  g_clear_pointer (&views->place, attn_study_unref);
  views->place = attn_study_ref (study);
  if (old->place == NULL || attn_head_place_equal (old->place, study))
    {
      attn_views_free (reading->navigator.views);
      reading->navigator.views = views;
      return;
    }
  if (!attn_head_place_has_same_grid (old->place, study))
    {
      attn_views_set (views, ATTN_VIEWS_ALL, &ATTN_VIEWPORT_FIT);
      views->page = ATTN_VIEWPORT_FIT;
      views->maximized = -1;
      attn_stage_arrange (&reading->stage, NULL);
    }
  attn_reading_tell_views (reading, attn_navigator_set_views (&reading->navigator, views, NULL));
}

/**
 * attn_reading_has_been_at:
 * @place: a study
 *
 * Returns: whether the way back leads to the layer and head of @place, in a grid of its dimensions
 */
gboolean
attn_reading_has_been_at (AttnReading     *reading,
                          const AttnStudy *place)
{
  const AttnViews *views;

  for (gsize n = 1; (views = attn_navigator_look_back (&reading->navigator, n)) != NULL; n++)
    if (views->place != NULL && attn_head_place_equal (views->place, place))
      return TRUE;
  return FALSE;
}

/**
 * attn_reading_set_readout:
 * @place: (nullable): the layer and head that are shown, "" where the panels say it; %NULL for no
 *   readout beside the pointer
 */
void
attn_reading_set_readout (AttnReading *reading,
                          const char  *place)
{
  if (g_strcmp0 (place, reading->place) == 0)
    return;
  g_free (reading->place);
  reading->place = g_strdup (place);
  attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
}

void
attn_reading_fit (AttnReading *self)
{
  AttnViews *views = attn_views_copy (self->navigator.views);

  attn_views_set (views, ATTN_VIEWS_ALL, &ATTN_VIEWPORT_FIT);
  views->page = ATTN_VIEWPORT_FIT;
  attn_reading_tell_views (self, attn_navigator_set_views (&self->navigator, views, NULL));
}

void
attn_reading_set_maximized (AttnReading *self,
                            int          group)
{
  AttnViews *views = attn_views_copy (self->navigator.views);

  views->maximized = attn_cell_cursor_get_panel (self->stage.grid, group) != NULL ? group : -1;
  attn_reading_tell_views (self, attn_navigator_set_views (&self->navigator, views, NULL));
}

/* --- Pins and regions of the figure ----------------------------------------------------------- */

/**
 * attn_reading_set_tool:
 * @tool: what dragging does from now on
 */
void
attn_reading_set_tool (AttnReading     *reading,
                       AttnReadingTool  tool)
{
  if (tool == reading->tool)
    return;
  reading->tool = tool;
  attn_region_tool_leave (&reading->regions, tool == ATTN_READING_TOOL_REGION);
  attn_reading_tell_picked (reading);
  attn_reading_emit (reading, ATTN_READING_TOOL_CHANGED);
}

/**
 * attn_reading_pick:
 * @group: index of a panel
 * @index: index of one of its regions
 *
 * Makes that region the one that is resized or removed.
 */
void
attn_reading_pick (AttnReading *reading,
                   int          group,
                   gsize        index)
{
  attn_region_tool_pick (&reading->regions, reading->stage.grid, group, index);
  attn_reading_tell_picked (reading);
}

/**
 * attn_reading_drop_pending:
 *
 * Drops a region that was drawn and is in no figure yet, as no figure with it will come.
 */
void
attn_reading_drop_pending (AttnReading *reading)
{
  if (attn_region_tool_drop (&reading->regions))
    attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
}
