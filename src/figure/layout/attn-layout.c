/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout.h"

#include <math.h>

#include "attn-layout-private.h"
#include "attn-lettering.h"

/* The smallest width or height of a viewport; doubles are not precise enough for a smaller one. */
#define SMALLEST_VIEWPORT 1e-6

/* On a narrow page the size of text is at most this share of the page's width, but at least
 * SMALLEST_NARROW_TEXT points. */
#define LARGEST_TEXT_SHARE   (1 / 18.0)
#define SMALLEST_NARROW_TEXT 6.0

/* The factor by which panels have to grow for headings to take the place of titles. */
#define CLEARLY_LARGER 1.1

/* Sets two colours that differ for any kind of colour vision; other members of the style stay. */
static void
set_binary (AttnStyle *style)
{
  style->colormap = ATTN_COLORMAP_ON_OFF;
  style->is_reversed = FALSE;
  style->low = 0;
  style->high = 1;
  style->scale = ATTN_SCALE_LINEAR;
  style->range = ATTN_RANGE_FIXED;
  style->range_scope = ATTN_RANGE_SCOPE_GRID;
  style->has_masked_color = FALSE;
  style->shows_values = FALSE;
}

static AttnViewport
check_viewport (AttnViewport viewport)
{
  if (!isfinite (viewport.x) || !isfinite (viewport.y) || !isfinite (viewport.width) ||
      !isfinite (viewport.height))
    return ATTN_VIEWPORT_FIT;
  viewport.width = MAX (viewport.width, SMALLEST_VIEWPORT);
  viewport.height = MAX (viewport.height, SMALLEST_VIEWPORT);
  return attn_viewport_clamp (viewport);
}

/* Completes the input of a layout by what follows from the style, and by either @viewport or
 * @viewports. */
static void
complete_input (AttnLayoutInput    *in,
                const AttnStyle    *style,
                const AttnViewport *viewport,
                const AttnViewport *viewports)
{
  gsize n_cells = in->grid->n_rows * in->grid->n_columns;

  in->page_width = MAX (in->page_width, 0);
  in->page_height = MAX (in->page_height, 0);
  in->arrays = g_ptr_array_new_with_free_func (g_free);
  in->style = *style;
  in->style.range_scope = MAX (style->range_scope, in->grid->scope);
  if (style->font_family == NULL)
    in->style.font_family = "Sans";
  in->style.font_size = CLAMP (style->font_size, 1, 200);
  if (in->page_width > 0)
    in->style.font_size =
        MIN (in->style.font_size, MAX (in->page_width * LARGEST_TEXT_SHARE, SMALLEST_NARROW_TEXT));
  if (in->grid->is_binary)
    set_binary (&in->style);
  in->difference_style = attn_style_get_difference (&in->style);
  in->has_views = viewports != NULL;
  in->viewports = attn_layout_allocate (in, n_cells, sizeof (AttnViewport));
  for (gsize i = 0; i < n_cells; i++)
    in->viewports[i] = check_viewport (viewports != NULL ? viewports[i] : *viewport);
}

static AttnLayoutPlaces
place (const AttnLayoutFit *fit)
{
  const AttnLayoutInput *in = fit->in;
  const AttnLayoutNeeds *needs = fit->needs;
  gsize n_rows = in->grid->n_rows;
  gsize n_columns = in->grid->n_columns;
  double size = in->style.font_size;
  double axis_room = ATTN_LAYOUT_AXIS_GAP + size * ATTN_LETTERING_HEIGHT;
  double strip_room = attn_layout_get_strip_room (fit);
  double *edges = attn_layout_allocate (in, n_columns + 3 * n_rows, sizeof *edges);
  AttnLayoutPlaces at = {
    .in = in,
    .needs = needs,
    .fit = fit,
    .width = in->page_width > 0 ? in->page_width : fit->used_width,
    .height = in->page_height > 0 ? in->page_height : MAX (fit->used_height, in->room_height),
    .slot_x = edges,
    .slot_y = edges + n_columns,
    .bar_y = edges + n_columns + n_rows,
    .numbers_y = edges + n_columns + 2 * n_rows,
  };
  double x = (at.width - fit->used_width) / 2 + needs->margin;
  double y = (at.height - fit->used_height) / 2 + needs->margin;

  at.diagram.x = x;
  at.diagram.width = fit->diagram_width;
  x += attn_layout_get_diagram_room (fit);
  at.left = x;
  if (fit->shown.axis_titles)
    x += size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_AXIS_GAP;
  x += fit->row_heading_room;
  y += fit->column_heading_room;
  for (gsize column = 0; column < n_columns; column++)
    {
      x += fit->row_room[column];
      at.slot_x[column] = x;
      x += fit->slot_width + strip_room + needs->gap_x + attn_layout_get_inner_room (fit);
    }
  if (fit->shown.axis_titles && in->grid->has_top_labels)
    {
      at.axis_title_y = y + size * ATTN_LETTERING_ASCENT;
      y += axis_room;
    }
  for (gsize row = 0; row < n_rows; row++)
    {
      y += attn_layout_get_title_room (fit);
      at.slot_y[row] = y + (in->grid->has_top_labels ? fit->column_room[row] : 0);
      y += fit->slot_height + fit->column_room[row];
      if (row + 1 == n_rows)
        break;
      at.numbers_y[row] = y;
      y += attn_layout_get_numbers_room (fit, row);
      at.bar_y[row] = y;
      y += attn_layout_get_level_room (fit, row) + needs->gap_y;
    }
  at.diagram.y = at.slot_y[0];
  at.diagram.height = at.slot_y[n_rows - 1] + fit->slot_height - at.slot_y[0];
  if (fit->shown.axis_titles && !in->grid->has_top_labels)
    {
      at.axis_title_y = y + ATTN_LAYOUT_AXIS_GAP + size * ATTN_LETTERING_ASCENT;
      y += axis_room;
    }
  at.numbers_y[n_rows - 1] = y;
  y += attn_layout_get_numbers_room (fit, n_rows - 1);
  at.bar_y[n_rows - 1] = y;
  y += attn_layout_get_level_room (fit, n_rows - 1);
  at.chart = (AttnRectangle) {
    .x = at.slot_x[0],
    .y = y,
    .width = at.slot_x[n_columns - 1] + fit->slot_width + strip_room - at.slot_x[0],
    .height = fit->chart_room,
  };
  y += at.chart.height;
  y += attn_layout_get_note_room (fit);
  at.note_y = y - size * ATTN_LETTERING_DESCENT;
  at.caption_y = y + ATTN_LAYOUT_CAPTION_GAP + needs->caption_size * ATTN_LETTERING_ASCENT;
  at.colorbar = (AttnRectangle) {
    .x = at.slot_x[n_columns - 1] + fit->slot_width + strip_room + ATTN_LAYOUT_COLORBAR_GAP,
    .y = at.slot_y[0],
    .width = ATTN_LAYOUT_COLORBAR_WIDTH,
    .height = at.diagram.height,
  };
  return at;
}

static AttnScene *
make_scene (const AttnLayoutPlaces *at)
{
  const AttnLayoutInput *in = at->in;
  const AttnLayoutShown *shown = &at->fit->shown;
  AttnScene *scene = attn_scene_new (at->width, at->height, &in->style, in->grid);
  double title_size = shown->titles ? attn_layout_get_title_size (at) : 0;

  AttnLayoutWriting writings[2];

  attn_layout_find_writings (at, 0, writings);
  if (shown->diagram)
    attn_layout_add_diagram (at, scene);
  for (gsize row = 0; row < in->grid->n_rows; row++)
    for (gsize column = 0; column < in->grid->n_columns; column++)
      {
        if (in->has_views)
          attn_layout_find_writings (at, row * in->grid->n_columns + column, writings);
        attn_layout_add_panel (at, scene, row, column, title_size, writings);
      }
  for (gsize row = 0; row < in->grid->n_rows; row++)
    attn_layout_add_numbers (at, scene, row);
  if (shown->chart && in->grid->charts != NULL)
    attn_layout_add_charts (at, scene);
  attn_layout_add_words (at, scene);
  if (shown->colorbar && shown->level_bars)
    attn_layout_add_level_bars (at, scene);
  else if (shown->colorbar)
    attn_layout_add_colorbars (at, scene);
  return scene;
}

/**
 * attn_layout_figure:
 * @grid: the panels
 * @style: how they look
 * @viewport: the part of every panel that is shown
 * @width: points, or 0 for the natural width
 * @height: points, or 0 for the natural height
 *
 * All panels have the same size; cells are square where a panel's sides are within 1:4 of each
 * other. Where the panels and what stands around them are does not depend on @viewport, so that
 * nothing moves while zooming: labels have the room that those of whole panels need, however few of
 * them are shown, and where @width and @height are given, at least that of an ordinary token.
 * Tokens that a panel has in common with its neighbour on the left or below are written once.
 * Scales that depend on the data come from all panels that share one, whatever the viewport: a
 * value keeps its colour while zooming, but where the style asks for the range of what is visible.
 *
 * In a small figure these parts are left out, in this order: numbers in cells, token labels, axis
 * titles, caption, titles, labels of colour bars, colour bars; a diagram for which even that makes
 * no room, instead of all of these. Beside a diagram, which has the tokens, the labels of rows and
 * the axis titles go before those of columns where @height is 0. Colour bars that would take more
 * than a third of the width lie below the panels, and so does a key of two colours that would take
 * 15 %. Where @height is 0, colour bars whose label has more room below the panels than beside them
 * lie there, too, and those that would leave fewer labels or hardly legible ones, so that a wider
 * page never says less. Without titles, or where these would be cut or take much of a given height,
 * rows and columns have the headings of the grid; where @height is 0, long ones of rows stand on
 * end. The caption stays where @height is 0 and @width is not small. On paper, a page that is
 * higher than the figure of @height 0 has the figure in its middle. Pure: the same arguments and
 * fonts give the same scene. Any thread may call.
 *
 * Returns: (transfer full): the scene
 */
AttnScene *
attn_layout_figure (AttnGrid           *grid,
                    const AttnStyle    *style,
                    const AttnViewport *viewport,
                    double              width,
                    double              height)
{
  return attn_layout_figure_views (grid, style, viewport, NULL, width, height);
}

/* Tells whether colour bars below the panels leave room for more labels, on a page whose width
 * alone is given, so that bars below cost only height, which is free. The bars stay below until no
 * label is lost with them beside the panels, so that a wider page does not say less. */
static gboolean
are_level_bars_better (const AttnLayoutFit   *fit,
                       const AttnLayoutShown *may)
{
  const AttnLayoutInput *in = fit->in;
  AttnLayoutShown level = *may;

  if (in->page_width <= 0 || in->page_height > 0 || in->grid->is_binary || may->level_bars ||
      !fit->shown.colorbar || fit->shown.level_bars)
    return FALSE;
  level.level_bars = TRUE;
  AttnLayoutFit other = attn_layout_find_fit (fit->needs, level);
  return other.shown.colorbar && attn_layout_says_more (&other, fit);
}

/* Tells whether the label that all colour bars share has more room below the panels than beside
 * them, on a page that is as high as the figure: where it would be left out, or smaller if the
 * width of the page is given. */
static gboolean
is_level_label_better (const AttnLayoutPlaces *at,
                       const AttnLayoutShown  *may)
{
  const AttnLayoutInput *in = at->in;
  AttnLayoutShown level = *may;

  if (in->page_height > 0 || !at->fit->shown.colorbar || at->fit->shown.level_bars)
    return FALSE;
  double share = attn_layout_get_value_label_share (at);
  if (in->page_width > 0 ? share >= 1 : share > 0)
    return FALSE;
  level.level_bars = TRUE;
  AttnLayoutFit fit = attn_layout_find_fit (at->needs, level);
  AttnLayoutPlaces below = place (&fit);
  return fit.shown.colorbar && attn_layout_has_value_label (&fit) &&
         attn_layout_get_level_label_share (&below) > share;
}

/* Tells whether headings of rows and columns, which say what titles say, leave more to the panels
 * where the height of the page bounds them: a title above each of several rows takes height from
 * all panels. Titles that were asked for stay. */
static gboolean
are_headings_better (const AttnLayoutFit *headed,
                     const AttnLayoutFit *titled)
{
  const AttnGrid *grid = headed->in->grid;

  if (grid->has_own_titles || headed->shown.titles ||
      headed->shown.row_headings != (grid->row_headings != NULL) ||
      headed->shown.column_headings != (grid->column_headings != NULL))
    return FALSE;
  return headed->slot_width >= CLEARLY_LARGER * titled->slot_width ||
         attn_layout_is_finer (attn_layout_get_row_thinning (headed),
                               attn_layout_get_row_thinning (titled));
}

/* Chooses the parts of the figure that are shown, and computes their places. @needs, @fit: (out) */
static AttnLayoutPlaces
arrange (const AttnLayoutInput *in,
         AttnLayoutNeeds       *needs,
         AttnLayoutFit         *fit)
{
  const AttnGrid *grid = in->grid;
  AttnLayoutShown may = { .titles = TRUE, .column_headings = TRUE };
  gboolean has_headings = grid->row_headings != NULL || grid->column_headings != NULL;

  *needs = attn_layout_find_needs (in);
  attn_layout_measure_caption (needs);
  attn_layout_measure_numbers (needs);
  *fit = attn_layout_find_fit (needs, may);
  if (has_headings && in->page_height > 0 && fit->shown.titles)
    {
      may.titles = FALSE;
      AttnLayoutFit headed = attn_layout_find_fit (needs, may);
      may.titles = !are_headings_better (&headed, fit);
      if (!may.titles)
        *fit = headed;
    }
  AttnLayoutPlaces at = place (fit);
  /* Titles that would be cut are replaced by headings. If headings are cut, columns are moved apart
   * if the page is wider than the panels; otherwise there are no headings. Colour bars whose label
   * is longer than they are high, or that leave room for fewer labels, lie below the panels, if the
   * page can be higher. */
  for (double gap = 0;;)
    {
      if (has_headings && attn_layout_are_titles_cut (&at))
        may.titles = FALSE;
      else if (!may.level_bars && (is_level_label_better (&at, &may) ||
                                   are_level_bars_better (fit, &may)))
        may.level_bars = TRUE;
      else if (!attn_layout_are_headings_cut (&at))
        return at;
      else if (gap == 0 && (gap = attn_layout_get_heading_gap (&at)) > 0)
        needs->gap_x += gap;
      else
        {
          needs->gap_x -= gap;
          may.column_headings = FALSE;
        }
      *fit = attn_layout_find_fit (needs, may);
      at = place (fit);
    }
}

/**
 * attn_layout_figure_views:
 * @viewports: (array) (nullable): the part of each panel that is shown, row-major in the grid;
 *   %NULL if all show @viewport
 *
 * As attn_layout_figure(), where every panel shows a part of its own and so has its own labels.
 *
 * Returns: (transfer full): the scene
 */
AttnScene *
attn_layout_figure_views (AttnGrid           *grid,
                          const AttnStyle    *style,
                          const AttnViewport *viewport,
                          const AttnViewport *viewports,
                          double              width,
                          double              height)
{
  AttnLayoutInput in = { .grid = grid, .page_width = width, .page_height = height };
  AttnLayoutNeeds needs;
  AttnLayoutFit fit;

  g_return_val_if_fail (grid != NULL && style != NULL && viewport != NULL, NULL);

  complete_input (&in, style, viewport, viewports);
  /* On paper, a figure is centred on a page that is higher, so that its height is computed first as
   * if no height were given. */
  if (in.page_width > 0 && in.page_height > 0 && in.style.largest_label <= 0)
    {
      in.room_height = in.page_height;
      in.page_height = 0;
    }
  AttnLayoutPlaces at = arrange (&in, &needs, &fit);
  if (in.room_height > 0 && fit.used_height > in.room_height)
    {
      in.page_height = in.room_height;
      attn_layout_scales_clear (&needs.scales);
      at = arrange (&in, &needs, &fit);
    }
  AttnScene *scene = make_scene (&at);
  attn_layout_scales_clear (&needs.scales);
  g_ptr_array_unref (in.arrays);
  return scene;
}
