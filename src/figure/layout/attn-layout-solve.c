/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How large the panels are, and what is given up where there is no room for all of it. */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-lettering.h"

/* The longest side of a panel at natural size, by the larger side of the grid. */
#define NATURAL_SIDE_1   300.0
#define NATURAL_SIDE_2   200.0
#define NATURAL_SIDE_3   150.0
#define NATURAL_GRID     450.0 /* a larger grid shares this width among its panels */
#define NATURAL_SMALLEST 24.0

/* Token labels take at most this share of a panel's side; longer ones are cut. */
#define MAX_LABEL_SHARE 0.28
/* On a page that is as large as its figure, or has room left. */
#define MAX_FREE_SHARE 0.5
/* Names that say what a column is do more for the figure than a larger panel; at most that share of
 * its side, and so many times their own size. */
#define MAX_NAME_SHARE 0.8
#define MAX_NAME_WIDTH 16

/* Headings of rows take at most this share of the page. */
#define LARGEST_HEADING 0.25

/* Points: on a page or panels smaller than that there is no caption. */
#define SMALLEST_CAPTION 130.0

/* Points: smaller panels have no token labels, and smaller grids no axis titles; on a narrow page,
 * those below this share of its width. */
#define ROOMY_SIDE         64.0
#define ROOMY_WIDTH        120.0
#define NARROW_SIDE        28.0 /* but not smaller */
#define NARROW_SIDE_SHARE  0.35
#define NARROW_WIDTH_SHARE 0.5

/* What is given up in a small window, in this order. Numbers in cells go by the size of the cell
 * alone. */
enum
{
  DROP_NOTHING,
  DROP_ROW_TOKENS, /* where the diagram has them, at the same heights */
  DROP_TOKENS,
  DROP_AXIS_TITLES,
  DROP_CAPTION,
  DROP_TITLES,
  DROP_VALUE_LABELS,
  DROP_COLORBAR,
};

static double
get_natural_side (const AttnLayout *layout)
{
  gsize n = MAX (layout->grid->n_rows, layout->grid->n_columns);
  gsize n_labels = MAX (layout->max_rows, layout->max_columns);
  double side = n == 1   ? NATURAL_SIDE_1
                : n == 2 ? NATURAL_SIDE_2
                : n == 3 ? NATURAL_SIDE_3
                         : MAX (NATURAL_GRID / n, NATURAL_SMALLEST);

  if (n > 3 || !layout->style.shows_tokens)
    return side;
  /* Larger where that lets every token have its label. */
  if (layout->grid->diagram != NULL)
    n_labels = MAX (n_labels, layout->grid->diagram->n_heads);
  double wanted = n_labels * ATTN_LAYOUT_SMALLEST_TEXT * 1.4;
  return wanted <= 2 * side ? MAX (wanted, side) : side;
}

/* Space to the right of the panels, for each bar that stands there. */
double
attn_layout_get_colorbar_room (const AttnLayout *layout)
{
  double room = ATTN_LAYOUT_COLORBAR_GAP + ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH +
                2 + layout->tick_label_width;

  if (layout->grid->value_label != NULL && layout->shows_value_label && !layout->grid->is_binary)
    room += 4 + layout->value_label_size * ATTN_LETTERING_HEIGHT;
  return room;
}

/* Space to the right of a panel that has a neighbour there, for a colour bar of its own. */
double
attn_layout_get_inner_room (const AttnLayout *layout)
{
  if (!layout->shows_colorbar || layout->has_level_bars ||
      layout->style.range_scope != ATTN_RANGE_SCOPE_PANEL)
    return 0;
  return ATTN_LAYOUT_COLORBAR_GAP / 2 + ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH + 2 +
         layout->tick_label_width;
}

/* What labels take beside a panel whose side is @side, more where that is @is_free. */
static double
get_label_room (const AttnLayout *layout,
                double            unit_width,
                double            side,
                gboolean          is_free)
{
  if (unit_width <= 0)
    return 0;

  double longest = MAX_NAME_WIDTH * layout->label_size;
  double widest = !layout->grid->has_names ? (is_free ? MAX_FREE_SHARE : MAX_LABEL_SHARE) * side
                  : is_free                ? longest
                                           : MIN (MAX_NAME_SHARE * side, longest);
  return ATTN_LAYOUT_LABEL_GAP + MIN (unit_width * layout->label_size, widest);
}

static double
get_row_room (const AttnLayout *layout,
              gsize             column,
              gboolean          is_free)
{
  if (!layout->shows_row_tokens)
    return 0;
  return get_label_room (layout, layout->row_label_width[column], layout->slot_width, is_free);
}

static double
get_column_room (const AttnLayout *layout,
                 gsize             row,
                 gboolean          is_free)
{
  double unit = layout->has_flat_labels && layout->column_label_width[row] > 0
                    ? ATTN_LETTERING_HEIGHT
                    : layout->column_label_width[row];

  if (!layout->shows_tokens)
    return 0;
  return get_label_room (layout, unit, MAX (layout->slot_height, layout->slot_width / 2), is_free);
}

static void
count_caption_lines (AttnLayout *layout,
                     double      width)
{
  double size = layout->caption_size;

  if (layout->n_caption_lines > 0 && layout->counted_width == width)
    return;
  layout->counted_width = width;
  layout->n_caption_lines = 1;
  if (layout->caption_width * size <= width)
    return;
  g_auto (GStrv) lines = attn_layout_wrap_caption (layout, width, &size);
  layout->n_caption_lines = MAX (g_strv_length (lines), 1);
}

/* From the top of a row of panels to that of the next. */
double
attn_layout_get_row_pitch (const AttnLayout *layout,
                           gsize             row)
{
  double room = layout->column_room[layout->grid->has_top_labels ? row + 1 : row];

  return layout->slot_height + room + attn_layout_get_level_room (layout, row) + layout->gap_y +
         (layout->shows_titles ? layout->title_room : 0);
}

/* Fills the rooms for labels of panels of the present slot size and adds up all that is not a
 * panel. @keeps: headings that had room before keep it. */
static void
add_up (AttnLayout *layout,
        gboolean    keeps,
        double     *fixed_width,
        double     *fixed_height)
{
  const AttnGrid *grid = layout->grid;
  double axis_room = layout->axis_title_size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_AXIS_GAP;

  *fixed_width =
      2 * layout->margin + (grid->n_columns - 1) * (layout->gap_x +
                                                    attn_layout_get_inner_room (layout));
  for (gsize column = 0; column < grid->n_columns; column++)
    {
      layout->row_room[column] = get_row_room (layout, column, layout->page_width <= 0);
      *fixed_width += layout->row_room[column];
    }
  *fixed_height = 2 * layout->margin + (grid->n_rows - 1) * layout->gap_y;
  for (gsize row = 0; row < grid->n_rows; row++)
    {
      layout->column_room[row] = get_column_room (layout, row, layout->page_height <= 0);
      *fixed_height += layout->column_room[row];
      if (layout->shows_titles)
        *fixed_height += layout->title_room;
    }
  if (layout->column_heading_room > 0)
    {
      layout->n_heading_lines =
          attn_layout_count_heading_lines (layout, layout->slot_width + layout->gap_x);
      layout->column_heading_room =
          layout->n_heading_lines * layout->style.font_size * ATTN_LETTERING_HEIGHT +
          ATTN_LAYOUT_LABEL_GAP;
    }
  if (layout->row_heading_room > 0)
    {
      double room = attn_layout_get_row_heading_room (layout);

      layout->row_heading_room = keeps ? MAX (layout->row_heading_room, room) : room;
    }
  *fixed_width += layout->row_heading_room;
  *fixed_height += layout->column_heading_room;
  if (layout->shows_axis_titles)
    {
      *fixed_width += axis_room;
      *fixed_height += axis_room;
    }
  *fixed_width += attn_layout_get_diagram_room (layout);
  *fixed_height += attn_layout_get_note_room (layout);
  for (gsize row = 0; row < grid->n_rows; row++)
    *fixed_height += attn_layout_get_level_room (layout, row);
  if (layout->shows_colorbar && !layout->has_level_bars)
    *fixed_width += layout->n_bars * attn_layout_get_colorbar_room (layout);
  if (layout->shows_caption)
    {
      double width = layout->page_width > 0
                         ? layout->page_width
                         : *fixed_width + grid->n_columns * layout->slot_width;

      count_caption_lines (layout, width - 2 * layout->margin);
      *fixed_height +=
          ATTN_LAYOUT_CAPTION_GAP + layout->n_caption_lines * layout->caption_size *
                                        ATTN_LETTERING_HEIGHT;
    }
}

/* The size of a panel's slot that fills the page, or the natural one. */
static void
solve_slot (AttnLayout *layout,
            double      fixed_width,
            double      fixed_height)
{
  const AttnGrid *grid = layout->grid;
  double by_width = (layout->page_width - fixed_width) / grid->n_columns;
  double by_height = (layout->page_height - fixed_height) / grid->n_rows * layout->aspect;
  double natural = get_natural_side (layout) * MIN (layout->aspect, 1);
  double width = layout->page_width > 0 && layout->page_height > 0 ? MIN (by_width, by_height)
                 : layout->page_width > 0                          ? by_width
                 : layout->page_height > 0                         ? by_height
                                                                   : natural;

  layout->slot_width = MAX (width, 1);
  layout->slot_height = MAX (layout->slot_width / layout->aspect, 1);
}

/* Token labels shrink with the cells as far as they can be read; beyond that they are thinned out,
 * on both sides of the panel only where both need that. */
static void
solve_label_size (AttnLayout *layout)
{
  double pitch = MIN (layout->slot_height / MAX (layout->max_rows, 1),
                      layout->slot_width / MAX (layout->max_columns, 1));
  double longer = MAX (layout->slot_height / MAX (layout->max_rows, 1),
                       layout->slot_width / MAX (layout->max_columns, 1));
  double size = MIN (layout->style.font_size, pitch * ATTN_LAYOUT_LABEL_PITCH);

  if (size < ATTN_LAYOUT_SMALLEST_TEXT)
    {
      size = MIN (layout->style.font_size, ATTN_LAYOUT_SMALLEST_TEXT + 1);
      if (longer * ATTN_LAYOUT_LABEL_PITCH >= ATTN_LAYOUT_SMALLEST_TEXT)
        size = MIN (size, longer * ATTN_LAYOUT_LABEL_PITCH);
    }
  layout->label_size = size;
  layout->has_flat_labels =
      layout->widest_column_pitch * layout->label_size + 3 * layout->max_columns <=
      layout->slot_width;
}

/* Labels that are cut get what a page has left beside the figure. */
static void
use_rest (AttnLayout *layout)
{
  const AttnGrid *grid = layout->grid;
  double rest = MAX (layout->page_width - layout->used_width, 0);
  double wanted = 0;

  for (gsize column = 0; column < grid->n_columns; column++)
    wanted += get_row_room (layout, column, TRUE) - layout->row_room[column];
  for (gsize column = 0; column < grid->n_columns && wanted > 0 && rest > 0; column++)
    {
      double room = get_row_room (layout, column, TRUE) - layout->row_room[column];

      layout->row_room[column] += room * MIN (1, rest / wanted);
      layout->used_width += room * MIN (1, rest / wanted);
    }

  rest = MAX (layout->page_height - layout->used_height, 0);
  wanted = 0;
  for (gsize row = 0; row < grid->n_rows; row++)
    wanted += get_column_room (layout, row, TRUE) - layout->column_room[row];
  for (gsize row = 0; row < grid->n_rows && wanted > 0 && rest > 0; row++)
    {
      double room = get_column_room (layout, row, TRUE) - layout->column_room[row];

      layout->column_room[row] += room * MIN (1, rest / wanted);
      layout->used_height += room * MIN (1, rest / wanted);
    }
}

static void
solve (AttnLayout *layout)
{
  double fixed_width, fixed_height;

  layout->label_size = layout->style.font_size;
  layout->slot_width = layout->slot_height = get_natural_side (layout);
  /* The room for labels depends on the size of the panels and the other way round; three rounds
   * settle it to a fraction of a point. After that the labels only shrink, into the room that there
   * is. */
  for (guint round = 0; round < 3; round++)
    {
      attn_layout_measure_shown_labels (layout, FALSE);
      attn_layout_size_diagram (layout, FALSE);
      add_up (layout, FALSE, &fixed_width, &fixed_height);
      solve_slot (layout, fixed_width, fixed_height);
      solve_label_size (layout);
    }
  /* Fewer labels may make room for a panel that shows more of them: both have room. */
  attn_layout_measure_shown_labels (layout, TRUE);
  attn_layout_size_diagram (layout, TRUE);
  add_up (layout, TRUE, &fixed_width, &fixed_height);
  solve_slot (layout, fixed_width, fixed_height);
  double size = layout->label_size;
  gboolean has_flat_labels = layout->has_flat_labels;
  solve_label_size (layout);
  layout->label_size = MIN (layout->label_size, size);
  layout->has_flat_labels = has_flat_labels;
  layout->used_width = fixed_width + layout->grid->n_columns * layout->slot_width;
  layout->used_height = fixed_height + layout->grid->n_rows * layout->slot_height;
  use_rest (layout);
}

/* Rows and columns of panels that are too small for titles have one heading each. */
static void
set_headings (AttnLayout *layout,
              gboolean    is_shown)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->style.font_size;

  layout->shows_headings =
      is_shown && (grid->row_headings != NULL || grid->column_headings != NULL);
  layout->row_heading_room = layout->column_heading_room = 0;
  if (layout->shows_headings && grid->row_headings != NULL)
    layout->row_heading_room = layout->row_headings.widest * size + ATTN_LAYOUT_LABEL_GAP;
  /* Beside a name as long as that there is no room for anything else. */
  if (layout->page_width > 0 && layout->row_heading_room > LARGEST_HEADING * layout->page_width)
    {
      layout->shows_headings = FALSE;
      layout->row_heading_room = 0;
    }
  if (layout->shows_headings && grid->column_headings != NULL && !layout->lacks_column_headings)
    layout->column_heading_room = size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_LABEL_GAP;
}

static void
set_drop (AttnLayout *layout,
          int         drop,
          gboolean    has_diagram)
{
  const AttnStyle *style = &layout->style;
  gboolean has_title = FALSE;

  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    has_title = has_title || layout->grid->cells[i].title != NULL;
  layout->shows_tokens = style->shows_tokens && drop < DROP_TOKENS;
  layout->shows_row_tokens = style->shows_tokens && drop < DROP_ROW_TOKENS;
  layout->shows_axis_titles =
      style->shows_tokens && drop < DROP_AXIS_TITLES && drop != DROP_ROW_TOKENS;
  /* On a page as high as it needs, a caption takes nothing from the panels. */
  layout->shows_caption =
      style->shows_caption && layout->grid->caption != NULL &&
      (drop < DROP_CAPTION ||
       (layout->page_height <= 0 && layout->page_width >= SMALLEST_CAPTION));
  layout->shows_titles = style->shows_titles && has_title && drop < DROP_TITLES &&
                         !layout->prefers_headings;
  set_headings (layout, style->shows_titles && has_title && !layout->shows_titles);
  /* "Query" beside a row of which the heading is "Query" helps nobody. */
  if (layout->shows_headings && !layout->shows_tokens)
    layout->shows_axis_titles = FALSE;
  layout->shows_colorbar = style->shows_colorbar && drop < DROP_COLORBAR;
  layout->shows_value_label = drop < DROP_VALUE_LABELS;
  layout->shows_diagram = has_diagram;
}

/* Whether colour bars below the panels leave these enough of the page, and have room for numbers at
 * both of their ends. */
static gboolean
has_level_room (const AttnLayout *layout)
{
  gboolean is_own = layout->style.range_scope == ATTN_RANGE_SCOPE_PANEL;
  double width = layout->slot_width * (is_own ? 1 : layout->grid->n_columns) / layout->n_bars;
  double height = 0;

  for (gsize row = 0; row < layout->grid->n_rows; row++)
    height += attn_layout_get_level_room (layout, row);
  return width >= 1.9 * layout->tick_label_width &&
         (layout->page_height <= 0 || layout->slot_height * layout->grid->n_rows >= height);
}

/* Whether the panels are large enough for what stands around them. */
static gboolean
is_roomy (const AttnLayout *layout)
{
  double width = layout->slot_width * layout->grid->n_columns;
  double height = layout->slot_height * layout->grid->n_rows;
  /* High panels of few columns are narrow by themselves: there is room beside them. */
  double breadth =
      MAX (width, layout->page_width > 0 ? MIN (height, layout->page_width / 2) : height);
  double side = MIN (layout->slot_width, layout->slot_height);
  double longer_side = MAX (layout->slot_width, layout->slot_height);
  /* What stands below the panels takes nothing from them where the page is as high as it needs. */
  gboolean is_high = layout->page_height <= 0;

  double smallest = ROOMY_SIDE;
  double smallest_width = ROOMY_WIDTH;

  /* A narrow page has small panels and small text. */
  if (layout->page_width > 0)
    {
      smallest = CLAMP (NARROW_SIDE_SHARE * layout->page_width, NARROW_SIDE, smallest);
      smallest_width = CLAMP (NARROW_WIDTH_SHARE * layout->page_width, 2 * NARROW_SIDE,
                              smallest_width);
    }
  return (!layout->shows_tokens || longer_side >= smallest) &&
         (!layout->shows_axis_titles ||
          (is_high ? breadth : MIN (breadth, height)) >= smallest_width) &&
         (!layout->shows_caption || is_high || height >= SMALLEST_CAPTION) &&
         (!layout->shows_titles ||
          (layout->slot_height >= 2 * layout->title_room && layout->slot_width >= 24)) &&
         (!layout->shows_diagram || side >= smallest) &&
         (!layout->shows_colorbar || !layout->has_level_bars || has_level_room (layout)) &&
         (!layout->shows_colorbar || layout->has_level_bars ||
          (breadth >= (1 + 0.5 * layout->n_bars) * attn_layout_get_colorbar_room (layout) &&
           layout->slot_width >= 1.5 * attn_layout_get_inner_room (layout)));
}

static gboolean
find_what_fits (AttnLayout *layout,
                gboolean    has_diagram)
{
  layout->has_level_bars = FALSE;
  set_drop (layout, DROP_NOTHING, has_diagram);
  layout->has_level_bars = layout->shows_colorbar && attn_layout_wants_level_bars (layout);
  for (int drop = DROP_NOTHING; drop <= DROP_COLORBAR; drop++)
    {
      /* On a page as high as it needs, the labels of columns take nothing from the panels. */
      if (drop == DROP_ROW_TOKENS && !(has_diagram && layout->page_height <= 0))
        continue;
      set_drop (layout, drop, has_diagram);
      solve (layout);
      if (is_roomy (layout))
        return TRUE;
    }
  return FALSE;
}

/* At natural size nothing is dropped but what no reader could use: labels of thumbnails. Without
 * its diagram, a figure has room for the rest. */
void
attn_layout_solve (AttnLayout *layout)
{
  if (layout->grid->diagram == NULL || !find_what_fits (layout, TRUE))
    find_what_fits (layout, FALSE);
}
