/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-overlay.h"

#include <math.h>

/* Sizes in pixels. */
#define CURSOR_SMALLEST 9.0
#define EDGE_GAP        1.0
#define EDGE_WIDTH      4.0

/* Largest number of marks in a panel. More marks could not be told apart. */
#define MAX_MARKS 400

static void
set_gray (cairo_t *cr,
          double   gray)
{
  cairo_set_source_rgb (cr, gray, gray, gray);
}

/* Strokes the current path as a white line with a black border, which is visible on every colour.
 * @margin: width of the border */
static void
stroke_twice (cairo_t *cr,
              double   width,
              double   margin)
{
  cairo_set_line_width (cr, width + 2 * margin);
  set_gray (cr, 0);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  set_gray (cr, 1);
  cairo_stroke (cr);
}

/* Returns a rectangle with the same centre that is at least @smallest pixels wide and high. */
static AttnRectangle
enlarge (AttnRectangle rectangle,
         double        smallest)
{
  double dx = MAX (smallest - rectangle.width, 0) / 2;
  double dy = MAX (smallest - rectangle.height, 0) / 2;

  return (AttnRectangle) {
    rectangle.x - dx,
    rectangle.y - dy,
    rectangle.width + 2 * dx,
    rectangle.height + 2 * dy,
  };
}

static double
snap (double position)
{
  return floor (position) + 0.5;
}

static void
add_box (cairo_t             *cr,
         const AttnRectangle *box)
{
  double left = snap (box->x);
  double top = snap (box->y);

  cairo_rectangle (cr, left, top, MAX (snap (box->x + box->width) - left, 1),
                   MAX (snap (box->y + box->height) - top, 1));
}

/* Rows or columns of a panel that are to be marked. */
typedef struct
{
  cairo_t *cr;
  cairo_pattern_t *accent;
  const AttnPlaces *places;
  int group;
  AttnPanel *panel;
  AttnRectangle place; /* where the cells of the panel are */
  gboolean is_row;
  gboolean is_dashed;
} Marking;

/* Draws a line along each of the two long edges of a band of rows or columns: for a selected row
 * white next to black, for a search result in black and white dashes. */
static void
draw_edges (const Marking       *marking,
            const AttnRectangle *band)
{
  static const double dashes[] = { 4, 4 };
  cairo_t *cr = marking->cr;
  gboolean is_row = marking->is_row;

  for (guint i = 0; i < 2; i++)
    {
      double inwards = marking->is_dashed ? 0 : i == 0 ? 1
                                                       : -1;
      double x = snap (band->x + (is_row ? 0 : i * band->width));
      double y = snap (band->y + (is_row ? i * band->height : 0));

      cairo_set_line_width (cr, 1);
      cairo_move_to (cr, x, y);
      cairo_rel_line_to (cr, is_row ? band->width : 0, is_row ? 0 : band->height);
      set_gray (cr, 0);
      cairo_stroke (cr);
      cairo_move_to (cr, x, y + inwards);
      cairo_rel_line_to (cr, is_row ? band->width : 0, is_row ? 0 : band->height);
      if (marking->is_dashed)
        cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
      set_gray (cr, 1);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
    }
}

/* Marks the rows or columns from @first to @last by lines along them and a bar outside the panel.
 * Returns: whether they are visible */
static gboolean
draw_band (const Marking *marking,
           gsize          first,
           gsize          last)
{
  const AttnRectangle *panel = &marking->place;
  AttnRegion cells = { .last_row = attn_panel_get_n_rows (marking->panel) - 1,
                       .last_column = attn_panel_get_n_columns (marking->panel) - 1 };
  AttnRectangle band;

  *(marking->is_row ? &cells.first_row : &cells.first_column) = first;
  *(marking->is_row ? &cells.last_row : &cells.last_column) = last;
  if (!attn_places_get_cells (marking->places, marking->group, &cells, &band))
    return FALSE;
  if ((marking->is_row ? band.height : band.width) >= 4)
    draw_edges (marking, &band);
  cairo_set_source (marking->cr, marking->accent);
  if (marking->is_row)
    cairo_rectangle (marking->cr, panel->x + panel->width + EDGE_GAP, band.y, EDGE_WIDTH,
                     MAX (band.height, 1));
  else
    cairo_rectangle (marking->cr, band.x, panel->y - EDGE_GAP - EDGE_WIDTH, MAX (band.width, 1),
                     EDGE_WIDTH);
  cairo_fill (marking->cr);
  return TRUE;
}

/* Sets the panel whose rows or columns are marked. Returns: whether the panel is shown */
static gboolean
find_panel (Marking *marking,
            int      group)
{
  marking->group = group;
  marking->panel = attn_cell_cursor_get_panel (marking->places->grid, group);
  return marking->panel != NULL && attn_places_get_panel (marking->places, group, &marking->place);
}

/* Marks the rows or columns of a panel that the search has found. */
static void
draw_found (Marking               *marking,
            const AttnTokenSearch *search,
            gboolean               is_row)
{
  gsize n = is_row ? attn_panel_get_n_rows (marking->panel)
                   : attn_panel_get_n_columns (marking->panel);
  guint n_marks = 0;

  marking->is_row = is_row;
  for (gsize i = 0; i < n && n_marks < MAX_MARKS; i++)
    n_marks += attn_token_search_has (search, marking->group, is_row, i) &&
               draw_band (marking, i, i);
}

static void
draw_search (Marking               *marking,
             const AttnTokenSearch *search)
{
  gsize n = marking->places->grid->n_rows * marking->places->grid->n_columns;

  marking->is_dashed = TRUE;
  for (gsize i = 0; i < n; i++)
    if (find_panel (marking, (int) i))
      {
        draw_found (marking, search, TRUE);
        draw_found (marking, search, FALSE);
      }
}

/* Marks selected rows or columns. Adjacent ones are marked together. */
static void
draw_selection (Marking             *marking,
                const AttnSelection *selection)
{
  const gsize *indices = (const gsize *) (void *) selection->indices->data;
  gsize n = selection->indices->len;

  marking->is_row = !selection->is_column;
  marking->is_dashed = FALSE;
  if (!find_panel (marking, selection->group))
    return;
  for (gsize i = 0; i < n;)
    {
      gsize first = indices[i];
      gsize last = first;

      for (i++; i < n && indices[i] == last + 1; i++)
        last++;
      draw_band (marking, first, last);
    }
}

/* Marks the row or column whose label is under the pointer. */
static void
draw_line (Marking        *marking,
           const AttnLine *line)
{
  marking->is_row = !line->is_column;
  marking->is_dashed = FALSE;
  if (find_panel (marking, line->group))
    draw_band (marking, line->index, line->index);
}

/* Marks the row and the column of the token that is pointed at in the text, in the panels of its
 * input. */
static void
draw_token (Marking                *marking,
            const AttnReadingState *state)
{
  gsize n = marking->places->grid->n_rows * marking->places->grid->n_columns;
  gsize index;

  marking->is_dashed = FALSE;
  for (gsize i = 0; i < n; i++)
    for (guint is_row = 0; is_row < 2; is_row++)
      if (attn_reading_find_line (state, (int) i, is_row == 0, &index) &&
          find_panel (marking, (int) i))
        {
          marking->is_row = is_row != 0;
          draw_band (marking, index, index);
        }
}

/* Draws the cursor in black, white and black, which differs from the mark of the current cell and
 * is visible on every colour. */
static void
draw_cursor (cairo_t       *cr,
             AttnRectangle  box)
{
  box = enlarge (box, CURSOR_SMALLEST);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  add_box (cr, &box);
  stroke_twice (cr, 4, 1);
  add_box (cr, &box);
  cairo_set_line_width (cr, 1.5);
  set_gray (cr, 0);
  cairo_stroke (cr);
}

/* Excludes the labels of pins from drawing, so that the lines of marked rows and columns do not
 * cover them. */
static void
spare_labels (const AttnPlaces *places,
              cairo_t          *cr)
{
  double scale = places->scale;

  cairo_rectangle (cr, 0, 0, places->window.width, places->window.height);
  for (gsize i = 0; i < places->scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);

      if (mark->kind == ATTN_MARK_RECTANGLE && mark->is_filled &&
          g_strcmp0 (mark->role, "pin-label") == 0)
        cairo_rectangle (cr, mark->rectangle.x * scale - places->window.x,
                         mark->rectangle.y * scale - places->window.y,
                         mark->rectangle.width * scale, mark->rectangle.height * scale);
    }
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip (cr);
}

/* Returns the width of a device pixel in units of @cr. */
static double
get_pixel (cairo_t *cr)
{
  double width = 1;
  double height = 0;

  cairo_device_to_user_distance (cr, &width, &height);
  return fabs (width);
}

/* Marks a cell by a frame, and its row and column by bars next to the labels at the edges of the
 * panel. */
static void
draw_marker (cairo_t             *cr,
             const AttnRectangle *panel,
             const AttnRectangle *cell,
             const AttnScene     *scene)
{
  AttnRgb foreground = scene->style.foreground;
  double pixel = get_pixel (cr);
  AttnRectangle box = enlarge (*cell, 6 * pixel);
  AttnRectangle bar = enlarge (*cell, 2 * pixel);
  double top = scene->grid->has_top_labels ? panel->y - 2.5 * pixel : panel->y + panel->height;

  cairo_set_source_rgb (cr, foreground.red / 255.0, foreground.green / 255.0,
                        foreground.blue / 255.0);
  cairo_rectangle (cr, panel->x - 2.5 * pixel, bar.y, 2.5 * pixel, bar.height);
  cairo_rectangle (cr, bar.x, top, bar.width, 2.5 * pixel);
  cairo_fill (cr);

  /* The frame of a cell is aligned to whole pixels, so that its lines are sharp. */
  double left = round (box.x / pixel) * pixel;
  double right = round ((box.x + box.width) / pixel) * pixel;
  double bottom = round ((box.y + box.height) / pixel) * pixel;
  top = round (box.y / pixel) * pixel;
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  cairo_rectangle (cr, left, top, right - left, bottom - top);
  stroke_twice (cr, 2 * pixel, pixel);
}

/* Marks the cell that is read in every panel in which it is visible, and its row and column at the
 * edges. If panels are thumbnails, only the panel of the cell is marked. */
static void
draw_read (const AttnPlaces *places,
           const AttnHit    *read,
           cairo_t          *cr)
{
  gsize n = places->grid->n_rows * places->grid->n_columns;
  AttnRectangle panel, box;

  if (attn_places_are_thumbnails (places))
    {
      if (!attn_places_get_panel (places, read->group, &panel))
        return;
      cairo_rectangle (cr, panel.x - 1, panel.y - 1, panel.width + 2, panel.height + 2);
      stroke_twice (cr, 2, 1);
      return;
    }
  for (gsize i = 0; i < n; i++)
    if (attn_places_get_panel (places, (int) i, &panel) &&
        attn_places_get_cell (places, (AttnCellCursor) { (int) i, read->row, read->column }, &box))
      draw_marker (cr, &panel, &box, places->scene);
}

/* Draws handles at the corners and sides of the selected region by which it is resized, as far as
 * the handles are visible. */
static void
draw_handles (const AttnPlaces     *places,
              const AttnRegionTool *regions,
              cairo_t              *cr)
{
  const AttnSides needed[3][3] = {
    { ATTN_SIDE_TOP | ATTN_SIDE_LEFT, ATTN_SIDE_TOP, ATTN_SIDE_TOP | ATTN_SIDE_RIGHT },
    { ATTN_SIDE_LEFT, ATTN_SIDE_ALL + 1, ATTN_SIDE_RIGHT },
    { ATTN_SIDE_BOTTOM | ATTN_SIDE_LEFT, ATTN_SIDE_BOTTOM, ATTN_SIDE_BOTTOM | ATTN_SIDE_RIGHT },
  };
  int group = attn_places_to_scene (places, regions->picked.group);
  const AttnMark *mark =
      regions->has_picked ? attn_scene_get_region (places->scene, group, regions->picked.region)
                          : NULL;
  double pixel = get_pixel (cr);

  if (mark == NULL)
    return;
  cairo_set_line_width (cr, pixel);
  for (guint row = 0; row < 3; row++)
    for (guint column = 0; column < 3; column++)
      if ((mark->sides & needed[row][column]) == needed[row][column])
        {
          double x = mark->rectangle.x + mark->rectangle.width * column / 2;
          double y = mark->rectangle.y + mark->rectangle.height * row / 2;

          cairo_rectangle (cr, x * places->scale - places->window.x - 3 * pixel,
                           y * places->scale - places->window.y - 3 * pixel,
                           6 * pixel, 6 * pixel);
          set_gray (cr, 1);
          cairo_fill_preserve (cr);
          set_gray (cr, 0);
          cairo_stroke (cr);
        }
}

/**
 * attn_overlay_draw:
 * @accent: the colour of the bars beside chosen rows and tokens that were found
 * @cr: what to draw on; its unit is a widget pixel
 */
void
attn_overlay_draw (AttnReading     *reading,
                   cairo_pattern_t *accent,
                   cairo_t         *cr)
{
  AttnPlaces places = attn_reading_get_places (reading);
  AttnReadingState state = attn_reading_get (reading);
  Marking marking = { .cr = cr, .accent = accent, .places = &places };
  AttnRectangle box;

  if (places.scene == NULL)
    return;
  cairo_save (cr);
  if (state.search != NULL || state.selection->group >= 0 || state.token >= 0 ||
      state.label.group >= 0)
    spare_labels (&places, cr);
  if (state.search != NULL)
    draw_search (&marking, state.search);
  draw_selection (&marking, state.selection);
  if (state.token >= 0 && !attn_places_are_thumbnails (&places))
    draw_token (&marking, &state);
  if (!attn_places_are_thumbnails (&places))
    draw_line (&marking, &state.label);
  cairo_restore (cr);
  cairo_save (cr);
  if (state.hit != NULL)
    draw_read (&places, state.hit, cr);
  draw_handles (&places, state.regions, cr);
  cairo_restore (cr);
  if (attn_places_get_cell (&places, state.cursor, &box))
    draw_cursor (cr, box);
  if (state.regions->has_band &&
      attn_places_get_cells (&places, state.regions->group, &state.regions->band, &box))
    {
      add_box (cr, &box);
      stroke_twice (cr, 1.5, 1);
    }
  if (attn_reading_get_band (reading, &box))
    {
      add_box (cr, &box);
      stroke_twice (cr, 1, 1);
    }
}
