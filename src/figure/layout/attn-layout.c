/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout.h"

#include <math.h>

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes of text relative to that of the token labels. */
#define TITLE_RATIO       1.1
#define CAPTION_RATIO     1.4
#define AXIS_TITLE_RATIO  1.0
#define VALUE_LABEL_RATIO 1.1

#define MAX_MARGIN 8.0 /* points */

/* On a narrow page text is smaller than asked for: no larger than this share of the page's width,
 * but never below so many points for that. */
#define LARGEST_TEXT_SHARE   (1 / 18.0)
#define SMALLEST_NARROW_TEXT 6.0

static void
place (AttnLayout *layout)
{
  double width = layout->page_width > 0 ? layout->page_width : layout->used_width;
  double height = layout->page_height > 0 ? layout->page_height : layout->used_height;
  double x = (width - layout->used_width) / 2 + layout->margin;
  double y = (height - layout->used_height) / 2 + layout->margin;

  layout->width = width;
  layout->height = height;
  layout->diagram.x = x;
  x += attn_layout_get_diagram_room (layout);
  layout->left = x;
  if (layout->shows_axis_titles)
    x += layout->axis_title_size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_AXIS_GAP;
  x += layout->row_heading_room;
  y += layout->column_heading_room;
  for (gsize column = 0; column < layout->grid->n_columns; column++)
    {
      x += layout->row_room[column];
      layout->slot_x[column] = x;
      x += layout->slot_width + layout->gap_x + attn_layout_get_inner_room (layout);
    }
  if (layout->shows_axis_titles && layout->grid->has_top_labels)
    {
      layout->axis_title_y = y + layout->axis_title_size * ATTN_LETTERING_ASCENT;
      y += ATTN_LAYOUT_AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_HEIGHT;
    }
  for (gsize row = 0; row < layout->grid->n_rows; row++)
    {
      gboolean has_top_labels = layout->grid->has_top_labels;

      if (layout->shows_titles)
        y += layout->title_room;
      layout->slot_y[row] = y + (has_top_labels ? layout->column_room[row] : 0);
      y += layout->slot_height + layout->column_room[row];
      layout->bar_y[row] = y;
      if (row + 1 < layout->grid->n_rows)
        y += attn_layout_get_level_room (layout, row) + layout->gap_y;
    }
  layout->diagram.y = layout->slot_y[0];
  layout->diagram.height = layout->slot_y[layout->grid->n_rows - 1] + layout->slot_height -
                           layout->slot_y[0];
  if (layout->shows_axis_titles && !layout->grid->has_top_labels)
    {
      layout->axis_title_y =
          y + ATTN_LAYOUT_AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_ASCENT;
      y += ATTN_LAYOUT_AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_HEIGHT;
    }
  layout->bar_y[layout->grid->n_rows - 1] = y;
  y += attn_layout_get_level_room (layout, layout->grid->n_rows - 1);
  y += attn_layout_get_note_room (layout);
  layout->note_y = y - layout->style.font_size * ATTN_LETTERING_DESCENT;
  layout->caption_y = y + ATTN_LAYOUT_CAPTION_GAP + layout->caption_size * ATTN_LETTERING_ASCENT;
  layout->colorbar = (AttnRectangle) {
    .x =
        layout->slot_x[layout->grid->n_columns - 1] + layout->slot_width + ATTN_LAYOUT_COLORBAR_GAP,
    .y = layout->slot_y[0],
    .width = ATTN_LAYOUT_COLORBAR_WIDTH,
    .height = layout->slot_y[layout->grid->n_rows - 1] + layout->slot_height - layout->slot_y[0],
  };
}

/* Two colours, which differ for any kind of colour vision; all else about the style stays. */
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

static void
init_layout (AttnLayout         *layout,
             AttnGrid           *grid,
             const AttnStyle    *style,
             const AttnViewport *viewport,
             double              width,
             double              height)
{
  gsize n_cells = grid->n_rows * grid->n_columns;

  layout->grid = grid;
  layout->style = *style;
  if (layout->style.font_family == NULL)
    layout->style.font_family = "Sans";
  layout->style.font_size = CLAMP (style->font_size, 1, 200);
  if (width > 0)
    layout->style.font_size =
        MIN (layout->style.font_size, MAX (width * LARGEST_TEXT_SHARE, SMALLEST_NARROW_TEXT));
  if (grid->is_binary)
    set_binary (&layout->style);
  layout->difference_style = attn_style_get_difference (&layout->style);
  layout->viewport = attn_layout_check_viewport (viewport);
  layout->page_width = width;
  layout->page_height = height;
  layout->row_labels = g_new0 (AttnLayoutLabels, n_cells);
  layout->column_labels = g_new0 (AttnLayoutLabels, n_cells);
  layout->row_label_width = g_new0 (double, grid->n_columns);
  layout->column_label_width = g_new0 (double, grid->n_rows);
  layout->row_room = g_new0 (double, grid->n_columns);
  layout->column_room = g_new0 (double, grid->n_rows);
  layout->slot_x = g_new0 (double, grid->n_columns);
  layout->slot_y = g_new0 (double, grid->n_rows);
  layout->bar_y = g_new0 (double, grid->n_rows);

  double size = layout->style.font_size;
  layout->title_size = size * TITLE_RATIO;
  layout->title_room = layout->title_size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_TITLE_GAP;
  layout->caption_size = size * CAPTION_RATIO;
  layout->axis_title_size = size * AXIS_TITLE_RATIO;
  layout->value_label_size = size * VALUE_LABEL_RATIO;
  if (grid->caption != NULL)
    {
      g_autofree char *caption = attn_markup_normalize (grid->caption);

      layout->caption_width = attn_lettering_measure (layout->style.font_family, caption, 1);
    }
  attn_layout_resolve_ranges (layout);
  layout->tick_label_width = attn_layout_get_tick_label_width (layout);
  attn_layout_measure_diagram (layout);
  /* Thumbnails stand close together. */
  gsize n = MAX (grid->n_rows, grid->n_columns);
  layout->gap_x = n > 3 ? MAX (0.7 * size * 3 / n, 2) : 1.4 * size;
  layout->gap_y = n > 3 ? 0.6 * size : 1.2 * size;
  double shorter = width > 0 && height > 0   ? MIN (width, height)
                   : width > 0 || height > 0 ? MAX (width, height)
                                             : G_MAXDOUBLE;
  layout->margin = MIN (MAX_MARGIN, shorter * 0.03);
  /* Where that costs only paper, the labels at the ends of a colour bar stay on it. */
  if (!(width > 0 && height > 0))
    layout->margin = MAX (layout->margin, 0.5 * size);
}

static void
clear_layout (AttnLayout *layout)
{
  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      attn_range_clear (&layout->ranges[i]);
      attn_range_clear (&layout->difference_ranges[i]);
    }
  g_free (layout->ranges);
  g_free (layout->difference_ranges);
  g_free (layout->row_labels);
  g_free (layout->column_labels);
  g_free (layout->row_label_width);
  g_free (layout->column_label_width);
  g_free (layout->row_room);
  g_free (layout->column_room);
  g_free (layout->slot_x);
  g_free (layout->slot_y);
  g_free (layout->bar_y);
}

static AttnScene *
make_figure (AttnLayout         *layout,
             AttnGrid           *grid,
             const AttnStyle    *style,
             const AttnViewport *viewport,
             double              width,
             double              height)
{
  init_layout (layout, grid, style, viewport, MAX (width, 0), MAX (height, 0));
  attn_layout_measure_grid (layout);
  attn_layout_solve (layout);
  place (layout);
  if (layout->shows_titles && (grid->row_headings != NULL || grid->column_headings != NULL) &&
      attn_layout_are_titles_cut (layout))
    {
      layout->prefers_headings = TRUE;
      attn_layout_solve (layout);
      place (layout);
    }
  if (layout->column_heading_room > 0 && attn_layout_are_headings_cut (layout))
    {
      layout->lacks_column_headings = TRUE;
      attn_layout_solve (layout);
      place (layout);
    }
  AttnScene *scene = attn_layout_make_scene (layout);
  clear_layout (layout);
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
 * them are shown, and where both sides are given, that of an ordinary token. Tokens that a panel
 * has in common with its neighbour on the left or below are written once. Scales that depend on the
 * data come from all panels that share one, whatever the viewport: a value keeps its colour while
 * zooming, but where the style asks for the range of what is visible.
 *
 * In a small figure these are left out, in this order: numbers in cells, token labels, axis titles,
 * caption, titles, labels of colour bars, colour bars; a diagram for which even that makes no room,
 * instead of all of these. Beside a diagram, which has the tokens, the labels of rows and the axis
 * titles go before those of columns where @height is 0. Colour bars that would take more than a
 * third of the width lie below the panels, and so does a key of two colours that would take 15 %.
 * Without titles, or where these would be cut, rows and columns have the headings of the grid. The
 * caption stays where @height is 0 and @width is not small. Pure: the same arguments and fonts give
 * the same scene. Any thread may call.
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
  AttnLayout layout = { 0 };

  g_return_val_if_fail (grid != NULL && style != NULL && viewport != NULL, NULL);

  return make_figure (&layout, grid, style, viewport, width, height);
}

/**
 * attn_layout_figure_views:
 * @viewports: (array): the part of each panel that is shown, row-major in the grid
 *
 * As attn_layout_figure(), where every panel shows a part of its own and so has its own labels.
 *
 * Returns: (transfer full): the scene
 */
AttnScene *
attn_layout_figure_views (AttnGrid           *grid,
                          const AttnStyle    *style,
                          const AttnViewport *viewports,
                          double              width,
                          double              height)
{
  AttnLayout layout = { .viewports = viewports };
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  g_return_val_if_fail (grid != NULL && style != NULL && viewports != NULL, NULL);

  return make_figure (&layout, grid, style, &fit, width, height);
}

/**
 * attn_layout_panel:
 * @panel: a grid of one panel
 * @whole: the grid that it is taken from
 * @group: which panel of @whole it is
 *
 * As attn_layout_figure() of @panel, but a value has the colour that it has in @whole.
 *
 * Returns: (transfer full): the scene, in which the panel's index is 0
 */
AttnScene *
attn_layout_panel (AttnGrid           *panel,
                   AttnGrid           *whole,
                   gsize               group,
                   const AttnStyle    *style,
                   const AttnViewport *viewport,
                   double              width,
                   double              height)
{
  AttnLayout layout = { .whole = whole, .group = group };

  g_return_val_if_fail (panel->n_rows * panel->n_columns == 1, NULL);
  g_return_val_if_fail (group < whole->n_rows * whole->n_columns, NULL);

  return make_figure (&layout, panel, style, viewport, width, height);
}
