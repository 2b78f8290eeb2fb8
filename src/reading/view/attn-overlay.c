/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-overlay.h"

#include <math.h>

/* Pixels. */
#define CURSOR_SMALLEST 9.0
#define EDGE_GAP        1.0
#define EDGE_WIDTH      4.0

/* More marks than this in a panel say nothing. */
#define MAX_MARKS 400

static void
set_gray (cairo_t *cr,
          double   gray)
{
  cairo_set_source_rgb (cr, gray, gray, gray);
}

/* A line in white within black, which can be seen on every colour. */
static void
stroke_twice (cairo_t *cr,
              double   width)
{
  cairo_set_line_width (cr, width + 2);
  set_gray (cr, 0);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  set_gray (cr, 1);
  cairo_stroke (cr);
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

/* Rows of a panel, or columns, to be marked. */
typedef struct
{
  cairo_t *cr;
  cairo_pattern_t *accent;
  const AttnPlaces *places;
  int group;
  AttnPanel *panel;
  AttnRectangle place; /* of the panel */
  gboolean is_row;
  gboolean is_dashed;
} Marking;

/* A line along each of the two long edges: of a chosen row white beside black, of a token that was
 * found black and white in turn. */
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

/* Marks some rows or columns by lines along them and a bar outside the panel. Returns: whether they
 * are shown */
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

/* Returns: whether the panel is shown */
static gboolean
find_panel (Marking *marking,
            int      group)
{
  marking->group = group;
  marking->panel = attn_cell_cursor_get_panel (marking->places->grid, group);
  return marking->panel != NULL && attn_places_get_panel (marking->places, group, &marking->place);
}

/* Marks the rows of a panel that were found, or its columns. */
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

/* Rows that follow each other are one band. */
static void
draw_selection (Marking                *marking,
                const AttnRowSelection *selection)
{
  gsize n;
  const gsize *rows = attn_row_selection_get_rows (selection, &n);

  marking->is_row = TRUE;
  marking->is_dashed = FALSE;
  if (!find_panel (marking, attn_row_selection_get_group (selection)))
    return;
  for (gsize i = 0; i < n;)
    {
      gsize first = rows[i];
      gsize last = first;

      for (i++; i < n && rows[i] == last + 1; i++)
        last++;
      draw_band (marking, first, last);
    }
}

/* Black, white, black: unlike the cell under the pointer, and to be seen on every colour. */
static void
draw_cursor (cairo_t       *cr,
             AttnRectangle  box)
{
  double dx = MAX (CURSOR_SMALLEST - box.width, 0) / 2;
  double dy = MAX (CURSOR_SMALLEST - box.height, 0) / 2;

  box = (AttnRectangle) { box.x - dx, box.y - dy, box.width + 2 * dx, box.height + 2 * dy };
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  add_box (cr, &box);
  stroke_twice (cr, 4);
  add_box (cr, &box);
  cairo_set_line_width (cr, 1.5);
  set_gray (cr, 0);
  cairo_stroke (cr);
}

/* Lines along rows and columns leave the labels of pins legible. */
static void
spare_labels (const AttnPlaces *places,
              cairo_t          *cr)
{
  double scale = places->scale;

  cairo_rectangle (cr, 0, 0, places->scene->width * scale,
                   places->scene->height * scale);
  for (gsize i = 0; i < places->scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);

      if (mark->kind == ATTN_MARK_RECTANGLE && mark->is_filled &&
          g_strcmp0 (mark->role, "pin-label") == 0)
        cairo_rectangle (cr, mark->rectangle.x * scale, mark->rectangle.y * scale,
                         mark->rectangle.width * scale, mark->rectangle.height * scale);
    }
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip (cr);
}

/* What the painter draws, in points. */
static void
draw_marks (AttnReading      *reading,
            const AttnPlaces *places,
            AttnPainter      *painter,
            cairo_t          *cr)
{
  const AttnRegionTool *regions = attn_reading_get_regions (reading);
  const AttnHit *read = attn_reading_get_hit (reading);
  int picked = attn_places_to_scene (places, regions->picked.group);

  cairo_scale (cr, places->scale, places->scale);
  if (read != NULL)
    {
      AttnHit shown = *read;

      shown.group = attn_places_to_scene (places, read->group);
      attn_painter_draw_highlight (painter, places->scene, &shown, cr);
    }
  if (regions->has_picked && picked >= 0)
    attn_painter_draw_handles (painter, places->scene, picked, regions->picked.region, cr);
}

/**
 * attn_overlay_draw:
 * @painter: that drew the scene
 * @accent: the colour of the bars beside chosen rows and tokens that were found
 * @cr: whose unit is a widget pixel
 */
void
attn_overlay_draw (AttnReading     *reading,
                   AttnPainter     *painter,
                   cairo_pattern_t *accent,
                   cairo_t         *cr)
{
  AttnPlaces places = attn_reading_get_places (reading);
  const AttnTokenSearch *search = attn_reading_get_search (reading);
  const AttnRowSelection *selection = attn_reading_get_selection (reading);
  const AttnRegionTool *regions = attn_reading_get_regions (reading);
  Marking marking = { .cr = cr, .accent = accent, .places = &places };
  AttnRectangle box;

  if (places.scene == NULL)
    return;
  cairo_save (cr);
  if (search != NULL || attn_row_selection_get_group (selection) >= 0)
    spare_labels (&places, cr);
  if (search != NULL)
    draw_search (&marking, search);
  draw_selection (&marking, selection);
  cairo_restore (cr);
  cairo_save (cr);
  draw_marks (reading, &places, painter, cr);
  cairo_restore (cr);
  if (attn_places_get_cell (&places, attn_reading_get_cursor (reading), &box))
    draw_cursor (cr, box);
  if (regions->has_band && attn_places_get_cells (&places, regions->group, &regions->band, &box))
    {
      add_box (cr, &box);
      stroke_twice (cr, 1.5);
    }
  if (attn_reading_get_band (reading, &box))
    {
      add_box (cr, &box);
      stroke_twice (cr, 1);
    }
}
