/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What all of those that fill the scene share, and the order in which they do. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"

#define TICK_WIDTH 0.5

/* No viewport is smaller: beyond this, doubles run out of digits. */
#define SMALLEST_VIEWPORT 1e-6

AttnViewport
attn_layout_check_viewport (const AttnViewport *viewport)
{
  AttnViewport checked = *viewport;

  if (!isfinite (checked.x) || !isfinite (checked.y) || !isfinite (checked.width) ||
      !isfinite (checked.height))
    return ATTN_VIEWPORT_FIT;
  checked.width = MAX (checked.width, SMALLEST_VIEWPORT);
  checked.height = MAX (checked.height, SMALLEST_VIEWPORT);
  return attn_viewport_clamp (checked);
}

/* What of a panel is shown: of each its own part, or the same of all. */
AttnViewport
attn_layout_get_viewport (const AttnLayout *layout,
                          gsize             group)
{
  return layout->viewports != NULL ? attn_layout_check_viewport (&layout->viewports[group])
                                   : layout->viewport;
}

/* The label of a row or column as markup: the token, or its index where there are no tokens. */
char *
attn_layout_get_label (const char * const *labels,
                       gsize               index)
{
  if (labels == NULL)
    return g_strdup_printf ("%" G_GSIZE_FORMAT, index);
  return attn_markup_from_text (labels[index]);
}

/* Which of the ranges belongs to a panel. */
static gsize
get_range (const AttnLayout *layout,
           gsize             row,
           gsize             column)
{
  switch (layout->style.range_scope)
    {
    case ATTN_RANGE_SCOPE_ROW:
      return row;
    case ATTN_RANGE_SCOPE_PANEL:
      return row * layout->grid->n_columns + column;
    case ATTN_RANGE_SCOPE_GRID:
    default:
      return 0;
    }
}

/* The scale of a panel. */
const AttnRange *
attn_layout_get_scale (const AttnLayout *layout,
                       gsize             row,
                       gsize             column)
{
  gsize range = get_range (layout, row, column);

  return layout->grid->cells[row * layout->grid->n_columns + column].is_difference
             ? &layout->difference_ranges[range]
             : &layout->ranges[range];
}

AttnMark *
attn_layout_add_text (AttnScene  *scene,
                      int         group,
                      const char *role,
                      char       *markup,
                      double      x,
                      double      y,
                      double      size,
                      AttnAnchor  anchor,
                      double      angle)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TEXT, group, role);

  mark->markup = markup;
  mark->rectangle.x = x;
  mark->rectangle.y = y;
  mark->font_size = size;
  mark->anchor = anchor;
  mark->angle = angle;
  return mark;
}

void
attn_layout_add_line (AttnScene  *scene,
                      int         group,
                      const char *role,
                      double      x,
                      double      y,
                      double      dx,
                      double      dy)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, group, role);

  mark->rectangle = (AttnRectangle) { x, y, dx, dy };
  mark->line_width = TICK_WIDTH;
}

/* Text that shrinks a little and is then cut to fit @width. */
char *
attn_layout_fit_text (const AttnLayout *layout,
                      const char       *markup,
                      double            width,
                      double           *size)
{
  const char *family = layout->style.font_family;
  g_autofree char *normal = attn_markup_normalize (markup);
  double needed = attn_lettering_measure (family, normal, *size);

  if (needed > width)
    *size = MAX (*size * width / needed, *size * ATTN_LAYOUT_SMALLEST_SHRINK);
  return attn_lettering_ellipsize (family, normal, *size, width);
}

/* A panel in its slot: as large as its aspect allows, in the middle. */
AttnRectangle
attn_layout_get_panel_rectangle (const AttnLayout *layout,
                                 AttnPanel        *panel,
                                 gsize             row,
                                 gsize             column)
{
  double aspect = attn_layout_get_aspect (layout, panel);
  double width = MIN (layout->slot_width, layout->slot_height * aspect);
  double height = MIN (layout->slot_height, layout->slot_width / aspect);

  return (AttnRectangle) {
    .x = layout->slot_x[column] + (layout->slot_width - width) / 2,
    .y = layout->slot_y[row] + (layout->slot_height - height) / 2,
    .width = width,
    .height = height,
  };
}

/* 1, 2, 5, 10, 20, ...: the step at which labels @pitch apart have room. */
gsize
attn_layout_get_label_step (double pitch,
                            double needed)
{
  static const gsize factors[] = { 2, 5, 10 };
  gsize decade = 1;

  if (pitch >= needed - 1e-6)
    return 1;
  while (decade < G_MAXSIZE / 100)
    {
      for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
        if (decade * factors[i] * pitch >= needed - 1e-6)
          return decade * factors[i];
      decade *= 10;
    }
  return decade;
}

/* Every how many rows have a label where each is @pitch high. */
gsize
attn_layout_get_row_step (const AttnLayout *layout,
                          double            pitch)
{
  gsize unit = MAX (layout->grid->row_step, 1);

  return unit * attn_layout_get_label_step (unit * pitch,
                                            layout->label_size / ATTN_LAYOUT_LABEL_PITCH);
}

/* The same of columns that are @pitch wide. */
gsize
attn_layout_get_column_step (const AttnLayout *layout,
                             double            pitch)
{
  return attn_layout_get_label_step (pitch, layout->label_size / ATTN_LAYOUT_LABEL_PITCH);
}

/* Fills a scene with the marks of @layout. */
AttnScene *
attn_layout_make_scene (const AttnLayout *layout)
{
  const AttnGrid *grid = layout->grid;
  AttnScene *scene = attn_scene_new (layout->width, layout->height, &layout->style, layout->grid);
  double title_size = layout->shows_titles ? attn_layout_get_title_size (layout) : 0;

  if (layout->shows_diagram)
    attn_layout_add_diagram (layout, scene);
  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize column = 0; column < grid->n_columns; column++)
      attn_layout_add_panel (layout, scene, row, column, title_size);
  if (layout->column_heading_room > 0)
    attn_layout_add_column_headings (layout, scene);
  if (layout->shows_headings && grid->row_headings != NULL)
    attn_layout_add_row_headings (layout, scene);
  if (layout->shows_axis_titles)
    attn_layout_add_axis_titles (layout, scene);
  if (layout->shows_caption)
    attn_layout_add_caption (layout, scene);
  if (layout->shows_colorbar)
    attn_layout_add_colorbars (layout, scene);
  return scene;
}
