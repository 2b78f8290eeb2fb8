/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-lettering.h"

/* Length in points of the longer side of a panel on a page without a given size, for 1, 2 or 3
 * panels along the longer side of the grid. */
#define NATURAL_SIDE_1   300.0
#define NATURAL_SIDE_2   200.0
#define NATURAL_SIDE_3   150.0
#define NATURAL_GRID     450.0 /* width in points that a larger grid divides among its panels */
#define NATURAL_SMALLEST 24.0

/* The largest share of a panel's side for token labels; longer labels are cut. */
#define MAX_LABEL_SHARE 0.28
/* The largest share of a panel's side for token labels if they do not make panels smaller, as the
 * page is as large as the figure or has room left. */
#define MAX_FREE_SHARE 0.5
/* The largest share of a panel's side for names of columns, which matter more than the size of the
 * panel, and their largest width in sizes of text. */
#define MAX_NAME_SHARE 0.8
#define MAX_NAME_WIDTH 16

/* The largest share of the page for headings of rows. In a figure of given width the panels are
 * small anyway, and headings may take a little more. */
#define LARGEST_HEADING        0.25
#define LARGEST_COLUMN_HEADING 0.33

/* The length, in heights of a line, from which headings of rows stand on end if the panels are high
 * enough. */
#define LONG_HEADING 2.0

/* The largest share of the page's height for the curves of an operation's effect, and for the
 * charts of a survey of many texts. */
#define LARGEST_EFFECT 0.34
#define LARGEST_CHARTS 0.5

/* The width of a label at text size 1 for which there is room even if the label is only shown when
 * a window is zoomed; longer ones are cut then. */
#define ORDINARY_WIDTH 5.0
/* A larger such width, for labels that take little from the panels: in a column of a journal,
 * labels of columns, which only make the page higher, and labels of rows that all panels share; on
 * other pages, labels of columns that all panels share. */
#define PAPER_WIDTH 7.0

/* The side of a page or panel, in points, below which a figure has no caption. */
#define SMALLEST_CAPTION 130.0

/* The side of panels, in points, below which they have neither token labels nor a diagram, and of
 * grids below which they have no axis titles. On a narrow page the limits are shares of its
 * width. */
#define ROOMY_SIDE         64.0
#define ROOMY_WIDTH        120.0
#define NARROW_SIDE        28.0 /* but no limit is smaller */
#define SCREEN_SIDE        32.0 /* smallest side of panels with row labels in a window, points */
#define COLUMN_SIDE_SHARE  0.13 /* smallest side of panels with labels, as a share of the width of a
                                 * page of any height */
#define NARROW_SIDE_SHARE  0.35
#define NARROW_WIDTH_SHARE 0.5

/* The factor by which panels have to grow for the colour bars to be put elsewhere than usual. */
#define CLEARLY_LARGER 1.2

/* The size of labels, in points, above which larger labels are no easier to read. */
#define READABLE_LABEL  (ATTN_LAYOUT_SMALLEST_TEXT + 1)
#define LABEL_TOLERANCE 1e-3

/* Parts of a figure that are left out in a small window, in this order. Numbers in cells depend
 * only on the size of the cell. */
enum
{
  DROP_NOTHING,
  DROP_ROW_TOKENS, /* row labels of tokens, left out if the diagram has the same tokens at the same
                    * heights */
  DROP_TOKENS,
  DROP_AXIS_TITLES,
  DROP_CAPTION,
  DROP_TITLES,
  DROP_VALUE_LABELS,
  DROP_COLORBAR,
};

static double
get_natural_side (const AttnLayoutNeeds *needs)
{
  const AttnGrid *grid = needs->in->grid;
  gsize n = needs->n_side;
  gsize n_labels = MAX (needs->max_rows, needs->max_columns);
  double side = n == 1   ? NATURAL_SIDE_1
                : n == 2 ? NATURAL_SIDE_2
                : n == 3 ? NATURAL_SIDE_3
                         : MAX (NATURAL_GRID / n, NATURAL_SMALLEST);

  if (n > 3 || !needs->in->style.shows_tokens)
    return side;
  /* The diagram is left out if panels then are so much larger that every token has a label. */
  if (grid->diagram != NULL)
    n_labels = MAX (n_labels, grid->diagram->n_heads);
  double wanted = n_labels * ATTN_LAYOUT_SMALLEST_TEXT * 1.4;
  return wanted <= 2 * side ? MAX (wanted, side) : side;
}

/* Tells whether the width of the page is given and its height follows from the figure, as for a
 * column of a journal. */
static gboolean
is_journal_column (const AttnLayoutInput *in)
{
  return in->page_width > 0 && in->page_height <= 0;
}

/* Returns the room for labels beside a panel of side @side; more if @is_free, that is, if the
 * labels take nothing from the panels: then on a screen enough for labels that have grown with the
 * cells. @least: the width at text size 1 that labels have at least, whatever the size of the
 * panel */
static double
get_label_room (const AttnLayoutFit *fit,
                double               unit_width,
                double               side,
                double               least,
                gboolean             is_free)
{
  if (unit_width <= 0)
    return 0;

  double size = is_free ? MAX (fit->label_size, fit->in->style.largest_label) : fit->label_size;
  double longest = MAX_NAME_WIDTH * size;
  /* In a column of a journal panels are small; without more room, little but the dots would be left
   * of their labels. */
  gboolean is_wide = is_free || (side < ROOMY_SIDE && is_journal_column (fit->in));
  double widest = !fit->in->grid->has_names ? (is_wide ? MAX_FREE_SHARE : MAX_LABEL_SHARE) * side
                  : is_free                 ? longest
                                            : MIN (MAX_NAME_SHARE * side, longest);
  return ATTN_LAYOUT_LABEL_GAP + MIN (unit_width * size, MAX (widest, least * size));
}

/* Tells whether all panels of a row share their labels in a column of a journal, so that the labels
 * take little room from each panel. */
static gboolean
has_one_label_column (const AttnLayoutFit *fit)
{
  gsize n = 0;

  for (gsize i = 0; i < fit->in->grid->n_columns; i++)
    n += fit->row_label_width[i] > 0;
  return n == 1 && fit->in->grid->n_columns > 1 && is_journal_column (fit->in);
}

/* Tells whether panels above each other share the labels of their columns, so that the labels take
 * little room from each panel. */
static gboolean
has_one_label_row (const AttnLayoutFit *fit)
{
  gsize n = 0;

  for (gsize i = 0; i < fit->in->grid->n_rows; i++)
    n += fit->column_label_width[i] > 0;
  return n == 1 && fit->in->grid->n_rows > 1;
}

static double
get_row_room (const AttnLayoutFit *fit,
              gsize                column,
              gboolean             is_free)
{
  if (!fit->shown.row_tokens)
    return 0;
  return get_label_room (fit, fit->row_label_width[column], fit->slot_width,
                         has_one_label_column (fit) ? PAPER_WIDTH : 0, is_free);
}

static double
get_column_room (const AttnLayoutFit *fit,
                 gsize                row,
                 gboolean             is_free)
{
  double unit = fit->has_flat_labels && fit->column_label_width[row] > 0
                    ? ATTN_LETTERING_HEIGHT
                    : fit->column_label_width[row];

  double labels = attn_layout_get_strip_labels (fit);
  gboolean has_room = is_journal_column (fit->in) || has_one_label_row (fit);
  if (!fit->shown.tokens)
    return labels;
  return MAX (get_label_room (fit, unit, MAX (fit->slot_height, fit->slot_width / 2),
                              has_room ? PAPER_WIDTH : 0, is_free),
              labels);
}

/* Returns the width, at text size 1, of the widest label that is shown if cells are @pitch
 * apart. */
static double
measure_shown (const AttnLayoutFit *fit,
               AttnLayoutLabels    *labels,
               double               pitch,
               gsize                unit)
{
  gboolean can_zoom = fit->in->page_width > 0 && fit->in->page_height > 0;
  double widest = attn_layout_labels_get_widest (
      labels, attn_layout_get_token_step (pitch, fit->label_size, unit));

  return can_zoom ? MAX (widest, MIN (labels->widest, ORDINARY_WIDTH)) : widest;
}

/* Finds the widest of the labels that are shown at the present sizes of panels and labels; if
 * @keeps, also of the labels shown before. The widths are those for whole panels, so that nothing
 * moves when a window is zoomed. */
static void
measure_shown_labels (AttnLayoutFit *fit,
                      gboolean       keeps)
{
  const AttnGrid *grid = fit->in->grid;
  const AttnRectangle slot = { 0, 0, fit->slot_width, fit->slot_height };

  for (gsize i = 0; i < grid->n_columns && !keeps; i++)
    fit->row_label_width[i] = 0;
  for (gsize i = 0; i < grid->n_rows && !keeps; i++)
    fit->column_label_width[i] = 0;
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      AttnLayoutLabels *rows = &fit->needs->row_labels[i];
      AttnLayoutLabels *columns = &fit->needs->column_labels[i];
      double *row_width = &fit->row_label_width[i % grid->n_columns];
      double *column_width = &fit->column_label_width[i / grid->n_columns];

      if (grid->cells[i].panel == NULL)
        continue;
      AttnRectangle room = attn_layout_fill_slot (grid, grid->cells[i].panel, &slot);
      if (rows->n > 0)
        *row_width = MAX (*row_width, measure_shown (fit, rows, room.height / rows->n,
                                                     attn_layout_get_row_unit (grid, rows->n)));
      if (columns->n > 0)
        *column_width =
            MAX (*column_width, measure_shown (fit, columns, room.width / columns->n, 1));
    }
}

static void
count_caption_lines (AttnLayoutFit *fit,
                     double         width)
{
  double size;

  if (fit->n_caption_lines > 0 && fit->caption_width == width)
    return;
  fit->caption_width = width;
  fit->n_caption_lines = 1;
  if (fit->needs->caption_width * fit->needs->caption_size <= width)
    return;
  g_auto (GStrv) lines = attn_layout_wrap_caption (fit->needs, width, &size);
  fit->n_caption_lines = MAX (g_strv_length (lines), 1);
}

/* Returns the height of the titles above each row of panels. */
double
attn_layout_get_title_room (const AttnLayoutFit *fit)
{
  if (!fit->shown.titles)
    return 0;
  return fit->needs->title_size * ATTN_LETTERING_HEIGHT +
         attn_layout_get_title_gap (&fit->in->style);
}

/* Returns the distance from the top of a row of panels to the top of the next row. */
static double
get_row_pitch (const AttnLayoutFit *fit,
               gsize                row)
{
  double room = fit->column_room[fit->in->grid->has_top_labels ? row + 1 : row];

  return fit->slot_height + room + attn_layout_get_numbers_room (fit, row) +
         attn_layout_get_level_room (fit, row) + fit->needs->gap_y +
         attn_layout_get_title_room (fit);
}

/* Tells whether headings of rows stand on end, as the names of axes do: where panels are as wide as
 * the page allows, so that long headings take from them, and rows are far enough apart for the
 * longest, without the names of numbers between them. @pitch: from the top of a row to that of the
 * next */
static gboolean
are_row_headings_on_end (const AttnLayoutFit *fit,
                         double               pitch)
{
  double widest = fit->needs->row_headings->widest;
  double size = fit->in->style.font_size;
  double room = fit->shown.numbers ? fit->slot_height : MAX (pitch - size / 3, fit->slot_height);

  return is_journal_column (fit->in) && widest > LONG_HEADING * ATTN_LETTERING_HEIGHT &&
         widest * size <= room;
}

static void
add_up_headings (AttnLayoutFit *fit,
                 gboolean       keeps)
{
  if (fit->shown.column_headings)
    {
      fit->n_heading_lines =
          attn_layout_count_heading_lines (fit->needs, fit->slot_width + fit->needs->gap_x);
      fit->column_heading_room =
          fit->n_heading_lines * fit->in->style.font_size * ATTN_LETTERING_HEIGHT +
          ATTN_LAYOUT_LABEL_GAP;
    }
  if (fit->shown.row_headings)
    {
      double pitch = fit->in->grid->n_rows > 1 ? get_row_pitch (fit, 0) : fit->slot_height;

      fit->are_row_headings_on_end = are_row_headings_on_end (fit, pitch);
      double room =
          attn_layout_get_row_heading_room (fit->needs, pitch, fit->are_row_headings_on_end);

      fit->row_heading_room = keeps ? MAX (fit->row_heading_room, room) : room;
    }
}

/* Computes the room for labels of panels of their present size, and the width and height of all
 * that is not a panel. @keeps: headings of rows keep at least the width that they had */
static void
add_up (AttnLayoutFit *fit,
        gboolean       keeps,
        double        *fixed_width,
        double        *fixed_height)
{
  const AttnLayoutInput *in = fit->in;
  const AttnLayoutNeeds *needs = fit->needs;
  const AttnGrid *grid = in->grid;
  double axis_room = in->style.font_size * ATTN_LETTERING_HEIGHT + ATTN_LAYOUT_AXIS_GAP;

  *fixed_width = 2 * needs->margin +
                 (grid->n_columns - 1) * (needs->gap_x + attn_layout_get_inner_room (fit));
  for (gsize column = 0; column < grid->n_columns; column++)
    {
      fit->row_room[column] = get_row_room (fit, column, in->page_width <= 0);
      *fixed_width += fit->row_room[column] + attn_layout_get_strip_room (fit);
    }
  *fixed_height = 2 * needs->margin + (grid->n_rows - 1) * needs->gap_y;
  for (gsize row = 0; row < grid->n_rows; row++)
    {
      fit->column_room[row] = get_column_room (fit, row, in->page_height <= 0);
      *fixed_height += fit->column_room[row];
      *fixed_height += attn_layout_get_title_room (fit) + attn_layout_get_numbers_room (fit, row);
    }
  add_up_headings (fit, keeps);
  /* The names of the table below the panels use the room for row headings and, as no row labels are
   * beside the table, the room for row labels. */
  double names_room = attn_layout_get_number_names_room (fit) - fit->row_heading_room;
  if (names_room > fit->row_room[0])
    {
      *fixed_width += names_room - fit->row_room[0];
      fit->row_room[0] = names_room;
    }
  *fixed_width += fit->row_heading_room;
  *fixed_height += fit->column_heading_room;
  if (fit->shown.axis_titles)
    {
      *fixed_width += axis_room;
      *fixed_height += axis_room;
    }
  *fixed_width += attn_layout_get_diagram_room (fit);
  fit->chart_room = attn_layout_get_chart_room (fit);
  *fixed_height += attn_layout_get_note_room (fit) + fit->chart_room;
  for (gsize row = 0; row < grid->n_rows; row++)
    *fixed_height += attn_layout_get_level_room (fit, row);
  if (fit->shown.colorbar && !fit->shown.level_bars)
    *fixed_width += needs->scales.n_bars * attn_layout_get_colorbar_room (fit);
  if (fit->shown.caption)
    {
      double width = in->page_width > 0 ? in->page_width
                                        : *fixed_width + grid->n_columns * fit->slot_width;

      count_caption_lines (fit, width - 2 * needs->margin);
      *fixed_height += ATTN_LAYOUT_CAPTION_GAP +
                       fit->n_caption_lines * needs->caption_size * ATTN_LETTERING_HEIGHT;
    }
}

/* Computes the size of the slot of each panel: the size at which panels fill the page, or their
 * natural size. */
static void
solve_slot (AttnLayoutFit *fit,
            double         fixed_width,
            double         fixed_height)
{
  const AttnLayoutInput *in = fit->in;
  double aspect = fit->needs->aspect;
  double by_width = (in->page_width - fixed_width) / in->grid->n_columns;
  double by_height = (in->page_height - fixed_height) / in->grid->n_rows * aspect;
  double natural = get_natural_side (fit->needs) * MIN (aspect, 1);
  double width = in->page_width > 0 && in->page_height > 0 ? MIN (by_width, by_height)
                 : in->page_width > 0                      ? by_width
                 : in->page_height > 0                     ? by_height
                                                           : natural;

  fit->slot_width = MAX (width, 1);
  fit->slot_height = MAX (fit->slot_width / aspect, 1);
  fit->used_width = fixed_width + in->grid->n_columns * fit->slot_width;
  fit->used_height = fixed_height + in->grid->n_rows * fit->slot_height;
}

/* Returns the largest size of labels of cells @pitch apart at which no more labels are left out
 * than at the smallest legible size. */
static double
get_thinned_size (double pitch)
{
  gsize step =
      attn_layout_get_label_step (pitch, ATTN_LAYOUT_SMALLEST_TEXT / ATTN_LAYOUT_LABEL_PITCH);

  return step * pitch * ATTN_LAYOUT_LABEL_PITCH;
}

/* Chooses the size of token labels. Labels shrink with the cells while they are legible; beyond
 * that only every nth label is shown, and on both sides of the panel only if both need it. */
static void
solve_label_size (AttnLayoutFit *fit)
{
  const AttnLayoutNeeds *needs = fit->needs;
  double row_pitch = fit->slot_height / MAX (needs->max_rows, 1);
  double column_pitch = fit->slot_width / MAX (needs->max_columns, 1);
  double largest = attn_layout_get_largest_label (&fit->in->style);
  double size = MIN (largest, MIN (row_pitch, column_pitch) * ATTN_LAYOUT_LABEL_PITCH);

  if (size < ATTN_LAYOUT_SMALLEST_TEXT)
    {
      size = MIN (fit->in->style.font_size, ATTN_LAYOUT_SMALLEST_TEXT + 1);
      size = MIN (size, MIN (get_thinned_size (row_pitch), get_thinned_size (column_pitch)));
    }
  fit->label_size = size;
  fit->has_flat_labels =
      needs->widest_column_pitch * size + ATTN_LAYOUT_FLAT_GAP * needs->max_columns <=
      fit->slot_width;
}

/* Returns the room for labels, in points: the width at the left of column @i of the grid, or the
 * height at its row @i. @is_full: as much as the labels can use */
typedef double (*GetRoomFunc) (const AttnLayoutFit *fit, gsize i, gboolean is_full);

/* Gives labels that are cut, or may grow, what is left of the page. @room: (array length=n): the
 * room for labels at each column or row of the grid. @used: (inout): how much of @page is taken */
static void
use_rest (const AttnLayoutFit *fit,
          GetRoomFunc          get_room,
          double              *room,
          gsize                n,
          double               page,
          double              *used)
{
  double rest = MAX (page - *used, 0);
  double wanted = 0;

  for (gsize i = 0; i < n; i++)
    wanted += get_room (fit, i, TRUE) - room[i];
  for (gsize i = 0; i < n && wanted > 0 && rest > 0; i++)
    {
      double more = (get_room (fit, i, TRUE) - room[i]) * MIN (1, rest / wanted);

      room[i] += more;
      *used += more;
    }
}

/* Runs one iteration: computes the room for the labels of panels of the present size, then the
 * panels that this leaves, then the labels for panels of that size. */
static void
improve (AttnLayoutFit *fit,
         gboolean       keeps)
{
  double panels_height = fit->slot_height;
  double fixed_width, fixed_height;

  measure_shown_labels (fit, keeps);
  for (gsize row = 0; row + 1 < fit->in->grid->n_rows; row++)
    panels_height += get_row_pitch (fit, row);
  attn_layout_size_diagram (fit, panels_height, keeps);
  add_up (fit, keeps, &fixed_width, &fixed_height);
  solve_slot (fit, fixed_width, fixed_height);
  solve_label_size (fit);
  attn_layout_size_numbers (fit, keeps);
}

static AttnLayoutFit
solve (const AttnLayoutNeeds *needs,
       const AttnLayoutShown *shown)
{
  const AttnLayoutInput *in = needs->in;
  gsize n_rows = in->grid->n_rows;
  gsize n_columns = in->grid->n_columns;
  double side = get_natural_side (needs);
  double *rooms = attn_layout_allocate (in, 2 * (n_rows + n_columns), sizeof *rooms);
  AttnLayoutFit fit = {
    .in = in,
    .needs = needs,
    .shown = *shown,
    .row_room = rooms,
    .column_room = rooms + n_columns,
    .row_label_width = rooms + n_columns + n_rows,
    .column_label_width = rooms + 2 * n_columns + n_rows,
    .slot_width = side,
    .slot_height = side,
    .label_size = attn_layout_get_largest_label (&in->style),
    .number_size = in->style.font_size,
  };

  /* The room for labels depends on the size of the panels and the reverse; three iterations
   * converge to a fraction of a point. After that labels only shrink, into the room that there
   * is. */
  for (guint round = 0; round < 3; round++)
    improve (&fit, FALSE);
  /* Fewer labels may leave room for a larger panel, which shows more labels: enough room is kept
   * for either number of labels. */
  double size = fit.label_size;
  gboolean has_flat_labels = fit.has_flat_labels;
  gboolean are_numbers_split = fit.are_numbers_split;
  improve (&fit, TRUE);
  /* Numbers of the table that are split into two lines in the end, or left out, change the room for
   * the rest. */
  if (fit.are_numbers_split != are_numbers_split || fit.number_size <= 0)
    improve (&fit, TRUE);
  fit.label_size = MIN (fit.label_size, size);
  fit.has_flat_labels = has_flat_labels;
  use_rest (&fit, get_row_room, fit.row_room, n_columns, in->page_width, &fit.used_width);
  use_rest (&fit, get_column_room, fit.column_room, n_rows, in->page_height, &fit.used_height);
  return fit;
}

static gboolean
has_chart_room (const AttnLayoutInput *in)
{
  const GPtrArray *charts = in->grid->charts;
  gboolean has_page = charts != NULL && ((const AttnChart *) charts->pdata[0])->has_page;

  return attn_layout_get_least_chart_height (in) <=
         (has_page ? LARGEST_CHARTS : LARGEST_EFFECT) * in->page_height;
}

/* Chooses the parts of the figure to show if all up to @drop, in the order of the enum, are left
 * out. @may: the parts that can be shown of titles, column headings and the diagram, and where the
 * colour bars are */
static AttnLayoutShown
choose (const AttnLayoutNeeds *needs,
        int                    drop,
        const AttnLayoutShown *may)
{
  const AttnLayoutInput *in = needs->in;
  const AttnStyle *style = &in->style;
  const AttnGrid *grid = in->grid;
  gboolean has_titles = style->shows_titles && needs->has_titles;
  AttnLayoutShown shown = {
    .titles = has_titles && drop < DROP_TITLES && may->titles,
    /* If the height of the page is not bounded, a caption takes nothing from the panels. */
    .caption = style->shows_caption && needs->caption != NULL &&
               (drop < DROP_CAPTION ||
                (in->page_height <= 0 && in->page_width >= SMALLEST_CAPTION)),
    .colorbar = style->shows_colorbar && drop < DROP_COLORBAR && may->colorbar,
    .level_bars = may->level_bars,
    .value_label = drop < DROP_VALUE_LABELS,
    .tokens = style->shows_tokens && drop < DROP_TOKENS,
    .row_tokens = style->shows_tokens && drop < DROP_ROW_TOKENS,
    .axis_titles = style->shows_tokens && drop < DROP_AXIS_TITLES && drop != DROP_ROW_TOKENS,
    .diagram = may->diagram,
    .numbers = drop < DROP_TITLES && grid->number_names != NULL,
    .strip = attn_layout_has_strip (in),
    .chart = may->chart && (in->page_height <= 0 || has_chart_room (in)),
  };

  /* If panels are too small for titles, each row and column has one heading. Headings are left out
   * if the heading of a row is too long to leave room for the panels. */
  if (!has_titles || shown.titles ||
      (grid->row_headings != NULL && in->page_width > 0 &&
       needs->row_headings->widest * style->font_size + ATTN_LAYOUT_LABEL_GAP >
           (is_journal_column (in) ? LARGEST_COLUMN_HEADING : LARGEST_HEADING) * in->page_width))
    return shown;
  shown.row_headings = grid->row_headings != NULL;
  shown.column_headings = grid->column_headings != NULL && may->column_headings;
  /* Headings beside panels without token labels already say what the axes are: axis titles are not
   * needed. */
  if ((grid->row_headings != NULL || grid->column_headings != NULL) && !shown.tokens)
    shown.axis_titles = FALSE;
  return shown;
}

/* Tells whether colour bars below the panels leave enough of the page to the panels, and have room
 * for numbers at both ends. */
static gboolean
has_level_room (const AttnLayoutFit *fit)
{
  const AttnLayoutInput *in = fit->in;
  const AttnLayoutScales *scales = &fit->needs->scales;
  gboolean is_own = in->style.range_scope == ATTN_RANGE_SCOPE_PANEL;
  double width = fit->slot_width * (is_own ? 1 : in->grid->n_columns) / scales->n_bars;
  double height = 0;

  for (gsize row = 0; row < in->grid->n_rows; row++)
    height += attn_layout_get_level_room (fit, row);
  return width >= 1.9 * scales->tick_width &&
         (in->page_height <= 0 || fit->slot_height * in->grid->n_rows >= height);
}

/* Tells whether the panels are large enough compared with all other parts of the figure. */
static gboolean
is_roomy (const AttnLayoutFit *fit)
{
  const AttnLayoutShown *shown = &fit->shown;
  double page_width = fit->in->page_width;
  double width = fit->slot_width * fit->in->grid->n_columns;
  double height = fit->slot_height * fit->in->grid->n_rows;
  /* Panels with few columns of cells are narrow by themselves and leave room at their sides. */
  double breadth = MAX (width, page_width > 0 ? MIN (height, page_width / 2) : height);
  double side = MIN (fit->slot_width, fit->slot_height);
  double longer_side = MAX (fit->slot_width, fit->slot_height);
  /* Parts below the panels take nothing from them if the height of the page is not bounded, or if a
   * window has room left. */
  gboolean has_rest =
      fit->in->style.largest_label > 0 && fit->used_height < fit->in->page_height - 1;
  gboolean is_high = fit->in->page_height <= 0 || has_rest;

  double smallest = ROOMY_SIDE;
  double smallest_labelled = has_rest ? SCREEN_SIDE : ROOMY_SIDE;
  double smallest_width = ROOMY_WIDTH;

  /* On a narrow page panels and text are small, and the limits of sizes as well. */
  if (page_width > 0)
    {
      smallest_labelled =
          CLAMP ((is_journal_column (fit->in) ? COLUMN_SIDE_SHARE : NARROW_SIDE_SHARE) * page_width,
                 NARROW_SIDE, smallest_labelled);
      smallest = CLAMP (NARROW_SIDE_SHARE * page_width, NARROW_SIDE, smallest);
      smallest_width = CLAMP (NARROW_WIDTH_SHARE * page_width, 2 * NARROW_SIDE, smallest_width);
    }
  return (!shown->tokens || longer_side >= smallest_labelled) &&
         (!shown->axis_titles ||
          (is_high ? breadth : MIN (breadth, height)) >= smallest_width) &&
         (!shown->caption || is_high || height >= SMALLEST_CAPTION) &&
         (!shown->titles || (fit->slot_height >= 2 * attn_layout_get_title_room (fit) &&
                             fit->slot_width >= 24)) &&
         (!shown->diagram || side >= smallest) &&
         (!shown->colorbar || !shown->level_bars || has_level_room (fit)) &&
         (!shown->colorbar || shown->level_bars ||
          (breadth >= (1 + 0.5 * fit->needs->scales.n_bars) * attn_layout_get_colorbar_room (fit) &&
           fit->slot_width >= 1.5 * attn_layout_get_inner_room (fit)));
}

/* Leaves out axis titles and caption before the token labels, and labels of columns before those of
 * rows; before the caption, too, unless columns have names, which no row says. This is for screens,
 * where cells are read, and columns of a journal. Returns %TRUE if that makes room for the
 * labels. */
static gboolean
find_fit_with_tokens (const AttnLayoutNeeds *needs,
                      const AttnLayoutShown *may,
                      AttnLayoutFit         *fit)
{
  const AttnStyle *style = &needs->in->style;
  gboolean may_drop = style->largest_label > 0 || is_journal_column (needs->in);
  gboolean has_names = needs->in->grid->has_names;

  for (int try = 0; try < 4 && may_drop && style->shows_tokens; try++)
    {
      gboolean has_caption = (has_names ? try % 2 : try / 2) == 0;
      AttnLayoutShown shown = choose (needs, has_caption ? DROP_AXIS_TITLES : DROP_CAPTION, may);

      shown.row_tokens = TRUE;
      shown.tokens = (has_names ? try / 2 : try % 2) == 0;
      *fit = solve (needs, &shown);
      if (is_roomy (fit) && fit->slot_height >= SCREEN_SIDE)
        return TRUE;
    }
  return FALSE;
}

/* Finds the first fit whose panels are large enough, leaving out one part of the figure after the
 * other, with the colour bars where @may says. @fit: (out): that fit, or the last one tried.
 * Returns %TRUE if its panels are large enough. */
static gboolean
find_beside_bars (const AttnLayoutNeeds *needs,
                  AttnLayoutShown        may,
                  AttnLayoutFit         *fit)
{
  for (int drop = DROP_NOTHING; drop <= DROP_COLORBAR; drop++)
    {
      /* If the height of the page is not bounded, labels of columns take nothing from the
       * panels. */
      if (drop == DROP_ROW_TOKENS && !(may.diagram && needs->in->page_height <= 0))
        continue;
      AttnLayoutShown shown = choose (needs, drop, &may);
      *fit = solve (needs, &shown);
      if (is_roomy (fit))
        return TRUE;
      if (drop == DROP_NOTHING && !may.diagram && find_fit_with_tokens (needs, &may, fit))
        return TRUE;
    }
  return FALSE;
}

/* Returns the step between rows that have a label: 1 if all rows have a label, 0 for no labels. */
gsize
attn_layout_get_row_thinning (const AttnLayoutFit *fit)
{
  double pitch = fit->slot_height / MAX (fit->needs->max_rows, 1);

  return fit->shown.row_tokens ? attn_layout_get_token_step (pitch, fit->label_size, 1) : 0;
}

/* Returns the step between columns that have a label: 1 if all columns have a label, 0 for no
 * labels. */
static gsize
get_column_thinning (const AttnLayoutFit *fit)
{
  double pitch = fit->slot_width / MAX (fit->needs->max_columns, 1);

  return fit->shown.tokens ? attn_layout_get_token_step (pitch, fit->label_size, 1) : 0;
}

/* Tells whether a label at every @a-th cell makes more labels than one at every @b-th cell; 0
 * stands for no labels. */
gboolean
attn_layout_is_finer (gsize a,
                      gsize b)
{
  return a > 0 && (a < b || b == 0);
}

/* Tells whether the layout @a has token labels that @b lacks, and @b none that @a lacks; or as many
 * labels that are easier to read. */
gboolean
attn_layout_says_more (const AttnLayoutFit *a,
                       const AttnLayoutFit *b)
{
  gsize rows_a = attn_layout_get_row_thinning (a), rows_b = attn_layout_get_row_thinning (b);
  gsize columns_a = get_column_thinning (a), columns_b = get_column_thinning (b);
  gboolean is_more =
      attn_layout_is_finer (rows_a, rows_b) || attn_layout_is_finer (columns_a, columns_b);
  gboolean is_less =
      attn_layout_is_finer (rows_b, rows_a) || attn_layout_is_finer (columns_b, columns_a);

  if (is_more || is_less)
    return is_more && !is_less;
  return rows_a > 0 && b->label_size < MIN (a->label_size, READABLE_LABEL) - LABEL_TOLERANCE;
}

static guint
count_parts (const AttnLayoutShown *shown)
{
  return shown->titles + shown->row_headings + shown->column_headings + shown->caption +
         shown->colorbar + shown->value_label + shown->tokens + shown->row_tokens +
         shown->axis_titles + shown->numbers + shown->chart;
}

/* Tells whether the colour bars take so much that panels might be clearly larger if the bars were
 * elsewhere. */
static gboolean
are_bars_large (const AttnLayoutFit *fit)
{
  const AttnGrid *grid = fit->in->grid;
  double room = 0;
  double panels = grid->n_columns * fit->slot_width;

  if (!fit->shown.colorbar)
    return FALSE;
  if (!fit->shown.level_bars)
    room = fit->needs->scales.n_bars * attn_layout_get_colorbar_room (fit) +
           (grid->n_columns - 1) * attn_layout_get_inner_room (fit);
  else
    panels = grid->n_rows * fit->slot_height;
  for (gsize row = 0; row < grid->n_rows; row++)
    room += attn_layout_get_level_room (fit, row);
  return room >= (CLEARLY_LARGER - 1) * panels;
}

/* Finds a fit as find_beside_bars() does, with the colour bars where they take less of the page. In
 * a window, they may be put elsewhere if that leaves room for clearly larger panels, costs at most
 * one part of the figure, or if it makes room for more parts or more labels. */
static gboolean
find_what_fits (const AttnLayoutNeeds *needs,
                AttnLayoutShown        may,
                AttnLayoutFit         *fit)
{
  const AttnLayoutInput *in = needs->in;
  AttnLayoutFit other;

  *fit = (AttnLayoutFit) {
    .in = in, .needs = needs, .shown = choose (needs, DROP_NOTHING, &may)
  };
  may.level_bars = may.level_bars || attn_layout_wants_level_bars (fit);
  gboolean is_roomy = find_beside_bars (needs, may, fit);
  if (in->style.largest_label <= 0 || in->page_width <= 0 || in->page_height <= 0 ||
      in->grid->is_binary || !are_bars_large (fit))
    return is_roomy;
  may.level_bars = !may.level_bars;
  if (!find_beside_bars (needs, may, &other) || !other.shown.colorbar)
    return is_roomy;
  guint n_parts = count_parts (&fit->shown), n_other = count_parts (&other.shown);
  gboolean is_larger = other.slot_width >= CLEARLY_LARGER * fit->slot_width;
  gboolean is_smaller = CLEARLY_LARGER * other.slot_width < fit->slot_width;
  if (!is_roomy || (is_larger && n_other + 1 >= n_parts) || (!is_smaller && n_other > n_parts) ||
      (n_other >= n_parts && attn_layout_says_more (&other, fit)))
    *fit = other;
  return TRUE;
}

/* Tells whether panels have names that the figure shows neither as titles nor as headings. */
static gboolean
lacks_names (const AttnLayoutFit *fit)
{
  return fit->in->style.shows_titles && fit->needs->has_titles && !fit->shown.titles &&
         !fit->shown.row_headings && !fit->shown.column_headings;
}

/* Chooses the parts of a figure that have room, and the sizes of panels and labels. Without a given
 * page nothing is left out but what no reader could use: labels of thumbnails. If the figure has no
 * room otherwise, it loses its diagram; if panels would have no names, which nothing else tells
 * apart, it loses its charts and then its colour bars. @may: whether there can be titles and column
 * headings, and whether the colour bars have to lie below the panels */
AttnLayoutFit
attn_layout_find_fit (const AttnLayoutNeeds *needs,
                      AttnLayoutShown        may)
{
  gboolean may_have_titles = may.titles;
  AttnLayoutFit fit;

  may.diagram = needs->in->grid->diagram != NULL;
  may.chart = needs->in->grid->has_chart;
  may.colorbar = TRUE;
  if (!find_what_fits (needs, may, &fit) && may.diagram)
    {
      may.diagram = FALSE;
      find_what_fits (needs, may, &fit);
    }
  for (may.chart = FALSE;
       may_have_titles && lacks_names (&fit) && (needs->in->grid->has_chart || may.colorbar);
       may.colorbar = FALSE)
    {
      AttnLayoutFit named;

      find_what_fits (needs, may, &named);
      if (!lacks_names (&named))
        fit = named;
      if (!may.colorbar)
        break;
    }
  return fit;
}
