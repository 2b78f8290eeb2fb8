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

/* Points. */
#define AXIS_GAP    5.0 /* between token labels and the axis title */
#define CAPTION_GAP 9.0
#define MAX_MARGIN  8.0

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

/* As wide as ticks of most ranges. */
#define LONG_TICK "0.005"

/* Measuring more labels than this for the room they need is not worth its time. */
#define MAX_MEASURED_LABELS 256

/* What is given up in a small window, in this order. Numbers in cells go by the size of the cell
 * alone. */
enum
{
  DROP_NOTHING,
  DROP_TOKENS,
  DROP_AXIS_TITLES,
  DROP_CAPTION,
  DROP_TITLES,
  DROP_VALUE_LABELS,
  DROP_COLORBAR,
  DROP_DIAGRAM,
};

static gboolean
labels_equal (const char * const *a,
              const char * const *b,
              gsize               n)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!g_str_equal (a[i], b[i]))
      return FALSE;
  return TRUE;
}

/* A panel whose neighbour on the left has the same query tokens does not repeat them. */
static gboolean
shares_rows (AttnPanel *panel,
             AttnPanel *left)
{
  return left != NULL && attn_panel_get_n_rows (left) == attn_panel_get_n_rows (panel) &&
         labels_equal (attn_panel_get_row_labels (left), attn_panel_get_row_labels (panel),
                       attn_panel_get_n_rows (panel));
}

static gboolean
shares_columns (AttnPanel *panel,
                AttnPanel *below)
{
  return below != NULL && attn_panel_get_n_columns (below) == attn_panel_get_n_columns (panel) &&
         labels_equal (attn_panel_get_column_labels (below), attn_panel_get_column_labels (panel),
                       attn_panel_get_n_columns (panel));
}

/* Width of the widest label at size 1. */
static double
measure_labels (const char         *family,
                const char * const *labels,
                gsize               n)
{
  double widest = 0;
  gsize step = (n + MAX_MEASURED_LABELS - 1) / MAX_MEASURED_LABELS;

  for (gsize i = 0; i < n; i += step)
    {
      g_autofree char *markup = attn_layout_get_label (labels, i);
      widest = MAX (widest, attn_lettering_measure (family, markup, 1));
    }
  return widest;
}

/* Width of a panel relative to its height. */
double
attn_layout_get_aspect (const AttnLayout *layout,
                        AttnPanel        *panel)
{
  double aspect = (double) attn_panel_get_n_columns (panel) / attn_panel_get_n_rows (panel);

  return layout->grid->aspect > 0 ? layout->grid->aspect : CLAMP (aspect, 0.25, 4);
}

/* Looks at every panel once: which labels are drawn, how wide they are, how many tokens there are.
 */
static void
measure_grid (AttnLayout *layout)
{
  AttnGrid *grid = layout->grid;
  const char *family = layout->style.font_family;
  double log_aspect = 0;
  gsize n_panels = 0;

  layout->widest_column_pitch = 0;
  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize column = 0; column < grid->n_columns; column++)
      {
        gsize index = row * grid->n_columns + column;
        AttnPanel *panel = grid->cells[index].panel;

        if (panel == NULL)
          continue;

        AttnPanel *left = column > 0 ? grid->cells[index - 1].panel : NULL;
        AttnPanel *below =
            row + 1 < grid->n_rows ? grid->cells[index + grid->n_columns].panel : NULL;
        gsize n_rows = attn_panel_get_n_rows (panel);
        gsize n_columns = attn_panel_get_n_columns (panel);

        /* Panels that show different parts have different labels. */
        layout->has_row_labels[index] = layout->viewports != NULL || !shares_rows (panel, left);
        layout->has_column_labels[index] =
            layout->viewports != NULL || !shares_columns (panel, below);
        if (layout->has_row_labels[index])
          {
            double width = measure_labels (family, attn_panel_get_row_labels (panel), n_rows);
            layout->row_label_width[column] = MAX (layout->row_label_width[column], width);
          }
        if (layout->has_column_labels[index])
          {
            double width = measure_labels (family, attn_panel_get_column_labels (panel), n_columns);
            layout->column_label_width[row] = MAX (layout->column_label_width[row], width);
            layout->widest_column_pitch = MAX (layout->widest_column_pitch, width * n_columns);
          }
        layout->max_rows = MAX (layout->max_rows, n_rows);
        layout->max_columns = MAX (layout->max_columns, n_columns);
        log_aspect += log (attn_layout_get_aspect (layout, panel));
        n_panels++;
      }
  layout->aspect = n_panels > 0 ? exp (log_aspect / n_panels) : 1;
}

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

static double
measure_tick (const AttnLayout *layout,
              const char       *label)
{
  return attn_lettering_measure (layout->style.font_family, label, layout->style.font_size);
}

static double
get_tick_label_width_of (const AttnLayout *layout,
                         const AttnStyle  *style,
                         const AttnRange  *ranges)
{
  double widest = 0;

  for (guint i = 0; i <= 1 && attn_layout_has_own_ticks (style); i++)
    {
      g_autofree char *label = attn_layout_format_tick (style, i == 0 ? style->low : style->high);
      widest = MAX (widest, measure_tick (layout, label));
    }
  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      const AttnRange *range = &ranges[i];

      if (!attn_layout_has_own_ticks (style))
        {
          g_autoptr (GArray) ticks = attn_scale_get_ticks (&range->scale, ATTN_LAYOUT_MAX_TICKS);

          for (guint t = 0; t < ticks->len; t++)
            widest = MAX (widest, measure_tick (layout, g_array_index (ticks, AttnTick, t).label));
        }
      if (attn_layout_has_key (layout, range, FALSE))
        widest = MAX (widest, measure_tick (layout, ATTN_LAYOUT_KEY_NAN));
      if (attn_layout_has_key (layout, range, TRUE))
        widest = MAX (widest, measure_tick (layout, ATTN_LAYOUT_KEY_MASKED));
    }
  return widest;
}

/* Widest label at the colour bars. */
static double
get_tick_label_width (const AttnLayout *layout)
{
  if (layout->grid->is_binary)
    return MAX (measure_tick (layout, ATTN_LAYOUT_KEY_ON),
                measure_tick (layout, ATTN_LAYOUT_KEY_OFF));

  double weights = get_tick_label_width_of (layout, &layout->style, layout->ranges);
  double differences =
      get_tick_label_width_of (layout, &layout->difference_style, layout->difference_ranges);

  /* Nothing moves while the ends follow the viewport. */
  if (layout->style.range == ATTN_RANGE_VISIBLE)
    weights = MAX (weights, measure_tick (layout, LONG_TICK));

  return !layout->has_differences ? weights
         : !layout->has_weights   ? differences
                                  : MAX (weights, differences);
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
static double
get_inner_room (const AttnLayout *layout)
{
  if (!layout->shows_colorbar || layout->style.range_scope != ATTN_RANGE_SCOPE_PANEL)
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
  if (!layout->shows_tokens || unit_width <= 0)
    return 0;

  double longest = MAX_NAME_WIDTH * layout->label_size;
  double widest = !layout->grid->has_names ? (is_free ? MAX_FREE_SHARE : MAX_LABEL_SHARE) * side
                  : is_free                ? longest
                                           : MIN (MAX_NAME_SHARE * side, longest);
  return ATTN_LAYOUT_LABEL_GAP + MIN (unit_width * layout->label_size, widest);
}

static double
get_column_room (const AttnLayout *layout,
                 gsize             row,
                 gboolean          is_free)
{
  double unit = layout->has_flat_labels && layout->column_label_width[row] > 0
                    ? ATTN_LETTERING_HEIGHT
                    : layout->column_label_width[row];

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

/* Fills the rooms for labels of panels of the present slot size and adds up all that is not a
 * panel. */
static void
add_up (AttnLayout *layout,
        double     *fixed_width,
        double     *fixed_height)
{
  const AttnGrid *grid = layout->grid;
  double axis_room = layout->axis_title_size * ATTN_LETTERING_HEIGHT + AXIS_GAP;

  *fixed_width =
      2 * layout->margin + (grid->n_columns - 1) * (layout->gap_x + get_inner_room (layout));
  for (gsize column = 0; column < grid->n_columns; column++)
    {
      layout->row_room[column] =
          get_label_room (layout, layout->row_label_width[column], layout->slot_width,
                          layout->page_width <= 0);
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
  *fixed_width += layout->row_heading_room;
  *fixed_height += layout->column_heading_room;
  if (layout->shows_axis_titles)
    {
      *fixed_width += axis_room;
      *fixed_height += axis_room;
    }
  *fixed_width += attn_layout_get_diagram_room (layout);
  *fixed_height += attn_layout_get_note_room (layout);
  if (layout->shows_colorbar)
    *fixed_width += layout->n_bars * attn_layout_get_colorbar_room (layout);
  if (layout->shows_caption)
    {
      double width = layout->page_width > 0
                         ? layout->page_width
                         : *fixed_width + grid->n_columns * layout->slot_width;

      count_caption_lines (layout, width - 2 * layout->margin);
      *fixed_height +=
          CAPTION_GAP + layout->n_caption_lines * layout->caption_size * ATTN_LETTERING_HEIGHT;
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

/* Token labels shrink with the cells as far as they can be read; beyond that they are thinned out.
 */
static void
solve_label_size (AttnLayout *layout)
{
  double pitch = MIN (layout->slot_height / MAX (layout->max_rows, 1),
                      layout->slot_width / MAX (layout->max_columns, 1));
  double size = MIN (layout->style.font_size, pitch * ATTN_LAYOUT_LABEL_PITCH);

  layout->label_size = size >= ATTN_LAYOUT_SMALLEST_TEXT
                           ? size
                           : MIN (layout->style.font_size, ATTN_LAYOUT_SMALLEST_TEXT + 1);
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
    wanted += get_label_room (layout, layout->row_label_width[column], layout->slot_width, TRUE) -
              layout->row_room[column];
  for (gsize column = 0; column < grid->n_columns && wanted > 0 && rest > 0; column++)
    {
      double room = get_label_room (layout, layout->row_label_width[column], layout->slot_width,
                                    TRUE) -
                    layout->row_room[column];

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
      add_up (layout, &fixed_width, &fixed_height);
      solve_slot (layout, fixed_width, fixed_height);
      solve_label_size (layout);
    }
  add_up (layout, &fixed_width, &fixed_height);
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
    layout->row_heading_room =
        measure_labels (layout->style.font_family, (const char * const *) grid->row_headings,
                        grid->n_rows) *
            size +
        ATTN_LAYOUT_LABEL_GAP;
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
          int         drop)
{
  const AttnStyle *style = &layout->style;
  gboolean has_title = FALSE;

  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    has_title = has_title || layout->grid->cells[i].title != NULL;
  layout->shows_tokens = style->shows_tokens && drop < DROP_TOKENS;
  layout->shows_axis_titles = style->shows_tokens && drop < DROP_AXIS_TITLES;
  /* On a page as high as it needs, a caption takes nothing from the panels. */
  layout->shows_caption =
      style->shows_caption && layout->grid->caption != NULL &&
      (drop < DROP_CAPTION ||
       (layout->page_height <= 0 && layout->page_width >= SMALLEST_CAPTION));
  layout->shows_titles = style->shows_titles && has_title && drop < DROP_TITLES &&
                         !layout->prefers_headings;
  set_headings (layout, style->shows_titles && has_title && !layout->shows_titles);
  layout->shows_colorbar = style->shows_colorbar && drop < DROP_COLORBAR;
  layout->shows_value_label = drop < DROP_VALUE_LABELS;
  layout->shows_diagram = layout->grid->diagram != NULL && drop < DROP_DIAGRAM;
}

/* Whether the panels are large enough for what stands around them. */
static gboolean
is_roomy (const AttnLayout *layout)
{
  double width = layout->slot_width * layout->grid->n_columns;
  double height = layout->slot_height * layout->grid->n_rows;
  double side = MIN (layout->slot_width, layout->slot_height);
  /* What stands below the panels takes nothing from them where the page is as high as it needs. */
  gboolean is_high = layout->page_height <= 0;

  return (!layout->shows_tokens || side >= 64) &&
         (!layout->shows_axis_titles || (is_high ? width : MIN (width, height)) >= 120) &&
         (!layout->shows_caption || is_high || height >= SMALLEST_CAPTION) &&
         (!layout->shows_titles ||
          (layout->slot_height >= 2 * layout->title_room && layout->slot_width >= 24)) &&
         (!layout->shows_diagram || side >= 64) &&
         (!layout->shows_colorbar ||
          (width >= (1 + 0.5 * layout->n_bars) * attn_layout_get_colorbar_room (layout) &&
           layout->slot_width >= 1.5 * get_inner_room (layout)));
}

/* At natural size nothing is dropped but what no reader could use: labels of thumbnails. */
static void
choose_what_fits (AttnLayout *layout)
{
  for (int drop = DROP_NOTHING; drop <= DROP_DIAGRAM; drop++)
    {
      set_drop (layout, drop);
      solve (layout);
      if (is_roomy (layout))
        break;
    }
}

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
    x += layout->axis_title_size * ATTN_LETTERING_HEIGHT + AXIS_GAP;
  x += layout->row_heading_room;
  y += layout->column_heading_room;
  for (gsize column = 0; column < layout->grid->n_columns; column++)
    {
      x += layout->row_room[column];
      layout->slot_x[column] = x;
      x += layout->slot_width + layout->gap_x + get_inner_room (layout);
    }
  if (layout->shows_axis_titles && layout->grid->has_top_labels)
    {
      layout->axis_title_y = y + layout->axis_title_size * ATTN_LETTERING_ASCENT;
      y += AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_HEIGHT;
    }
  for (gsize row = 0; row < layout->grid->n_rows; row++)
    {
      gboolean has_top_labels = layout->grid->has_top_labels;

      if (layout->shows_titles)
        y += layout->title_room;
      layout->slot_y[row] = y + (has_top_labels ? layout->column_room[row] : 0);
      y += layout->slot_height + layout->column_room[row] + layout->gap_y;
    }
  y -= layout->gap_y;
  layout->diagram.y = layout->slot_y[0];
  layout->diagram.height = layout->slot_y[layout->grid->n_rows - 1] + layout->slot_height -
                           layout->slot_y[0];
  if (layout->shows_axis_titles && !layout->grid->has_top_labels)
    {
      layout->axis_title_y = y + AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_ASCENT;
      y += AXIS_GAP + layout->axis_title_size * ATTN_LETTERING_HEIGHT;
    }
  y += attn_layout_get_note_room (layout);
  layout->note_y = y - layout->style.font_size * ATTN_LETTERING_DESCENT;
  layout->caption_y = y + CAPTION_GAP + layout->caption_size * ATTN_LETTERING_ASCENT;
  layout->colorbar = (AttnRectangle) {
    .x =
        layout->slot_x[layout->grid->n_columns - 1] + layout->slot_width + ATTN_LAYOUT_COLORBAR_GAP,
    .y = layout->slot_y[0],
    .width = ATTN_LAYOUT_COLORBAR_WIDTH,
    .height = layout->slot_y[layout->grid->n_rows - 1] + layout->slot_height - layout->slot_y[0],
  };
}

/* Each scale comes from the panels that share it. */
static void
resolve_ranges (AttnLayout *layout)
{
  /* Where what is shown decides, a panel alone is all there is. */
  gboolean is_whole = layout->whole != NULL && layout->style.range != ATTN_RANGE_VISIBLE;
  AttnGrid *grid = is_whole ? layout->whole : layout->grid;
  AttnRangeScope scope = layout->style.range_scope;
  gsize n_cells = grid->n_rows * grid->n_columns;
  g_autofree AttnViewport *viewports = g_new (AttnViewport, n_cells);
  gsize n_ranges = scope == ATTN_RANGE_SCOPE_PANEL ? n_cells
                   : scope == ATTN_RANGE_SCOPE_ROW ? grid->n_rows
                                                   : 1;
  gsize n_shared = n_cells / n_ranges;
  gsize first = is_whole ? layout->group / n_shared : 0;

  for (gsize i = 0; i < n_cells; i++)
    viewports[i] = is_whole ? ATTN_VIEWPORT_FIT : attn_layout_get_viewport (layout, i);
  layout->n_ranges = is_whole ? 1 : n_ranges;
  layout->ranges = g_new0 (AttnRange, layout->n_ranges);
  layout->difference_ranges = g_new0 (AttnRange, layout->n_ranges);
  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      attn_range_resolve (grid, (first + i) * n_shared, n_shared, &layout->style,
                          viewports, &layout->ranges[i]);
      attn_range_resolve_differences (grid, (first + i) * n_shared, n_shared,
                                      &layout->difference_style, viewports,
                                      &layout->difference_ranges[i]);
    }
  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    {
      const AttnGridCell *cell = &layout->grid->cells[i];

      layout->has_weights |= cell->panel != NULL && !cell->is_difference;
      layout->has_differences |= cell->panel != NULL && cell->is_difference;
    }
  layout->n_bars = layout->has_weights && layout->has_differences &&
                           scope != ATTN_RANGE_SCOPE_PANEL
                       ? 2
                       : 1;
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
  if (grid->is_binary)
    set_binary (&layout->style);
  layout->difference_style = attn_style_get_difference (&layout->style);
  layout->viewport = attn_layout_check_viewport (viewport);
  layout->page_width = width;
  layout->page_height = height;
  layout->has_row_labels = g_new0 (gboolean, n_cells);
  layout->has_column_labels = g_new0 (gboolean, n_cells);
  layout->row_label_width = g_new0 (double, grid->n_columns);
  layout->column_label_width = g_new0 (double, grid->n_rows);
  layout->row_room = g_new0 (double, grid->n_columns);
  layout->column_room = g_new0 (double, grid->n_rows);
  layout->slot_x = g_new0 (double, grid->n_columns);
  layout->slot_y = g_new0 (double, grid->n_rows);

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
  resolve_ranges (layout);
  layout->tick_label_width = get_tick_label_width (layout);
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
  g_free (layout->has_row_labels);
  g_free (layout->has_column_labels);
  g_free (layout->row_label_width);
  g_free (layout->column_label_width);
  g_free (layout->row_room);
  g_free (layout->column_room);
  g_free (layout->slot_x);
  g_free (layout->slot_y);
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
  measure_grid (layout);
  choose_what_fits (layout);
  place (layout);
  if (layout->shows_titles && (grid->row_headings != NULL || grid->column_headings != NULL) &&
      attn_layout_are_titles_cut (layout))
    {
      layout->prefers_headings = TRUE;
      choose_what_fits (layout);
      place (layout);
    }
  if (layout->column_heading_room > 0 && attn_layout_are_headings_cut (layout))
    {
      layout->lacks_column_headings = TRUE;
      choose_what_fits (layout);
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
 * nothing moves while zooming. Tokens that a panel has in common with its neighbour on the left or
 * below are written once. Scales that depend on the data come from all panels that share one,
 * whatever the viewport: a value keeps its colour while zooming, but where the style asks for the
 * range of what is visible.
 *
 * In a small figure these are left out, in this order: numbers in cells, token labels, axis titles,
 * caption, titles, labels of colour bars, colour bars, diagram. Without titles, or where these would be cut, rows and columns
 * have the headings of the grid. The caption stays where @height is 0 and @width is not small. Pure: the same arguments and fonts give the same scene. Any thread
 * may call.
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
