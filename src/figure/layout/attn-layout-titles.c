/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words around the panels: titles, headings, axis titles and the caption. */

#include "config.h"

#include "attn-layout-private.h"

#include <string.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* A caption goes on in another line before it becomes small. */
#define CAPTION_SHRINK    0.7
#define MAX_CAPTION_LINES 3
/* Where that costs only paper. */
#define MAX_FREE_LINES 20

/* So few columns are no series of which every second could be named; their headings may take two
 * lines, this much smaller. */
#define MAX_WRAPPED_HEADINGS 4
#define HEADING_SHRINK       0.8

/* Room for a title centred over its panel: up to the middle between two panels, to the colour bar
 * that stands beside all rows but not above the first, and within the page. */
double
attn_layout_get_title_width (const AttnLayout *layout,
                             gsize             column)
{
  double center = layout->slot_x[column] + layout->slot_width / 2;
  double width = 2 * MIN (center, layout->width - center) - layout->margin;

  if (column > 0)
    width = MIN (width, layout->slot_x[column] - layout->slot_x[column - 1] - 6);
  if (column + 1 < layout->grid->n_columns)
    width = MIN (width, layout->slot_x[column + 1] - layout->slot_x[column] - 6);
  else if (layout->grid->n_rows > 1 && layout->shows_colorbar && !layout->has_level_bars)
    width = MIN (width, layout->slot_width + 2 * ATTN_LAYOUT_COLORBAR_GAP - 6);
  return MAX (width, 0);
}

/* How much smaller titles are than they should be, so that the widest of them fits. */
static double
get_title_shrink (const AttnLayout *layout)
{
  double shrink = 1;

  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    {
      const char *title = layout->grid->cells[i].title;

      if (title == NULL || layout->grid->cells[i].panel == NULL)
        continue;
      g_autofree char *normal = attn_markup_normalize (title);
      double needed =
          attn_lettering_measure (layout->style.font_family, normal, layout->title_size);
      double width = attn_layout_get_title_width (layout, i % layout->grid->n_columns);
      if (needed > width)
        shrink = MIN (shrink, width / needed);
    }
  return shrink;
}

/* Whether titles are too wide for their panels at any size that can be read. */
gboolean
attn_layout_are_titles_cut (const AttnLayout *layout)
{
  return get_title_shrink (layout) < ATTN_LAYOUT_SMALLEST_SHRINK;
}

/* All titles have one size: the one that the widest of them needs. */
double
attn_layout_get_title_size (const AttnLayout *layout)
{
  return layout->title_size * MAX (get_title_shrink (layout), ATTN_LAYOUT_SMALLEST_SHRINK);
}

/* What the axes are. The words of a figure belong to the paper, not to the window: not translated.
 */
void
attn_layout_add_axis_titles (const AttnLayout *layout,
                             AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->axis_title_size;
  double right = layout->slot_x[grid->n_columns - 1] + layout->slot_width;
  double bottom = layout->slot_y[grid->n_rows - 1] + layout->slot_height;

  char *row_title = attn_markup_from_text (grid->row_title != NULL ? grid->row_title : "Query");
  attn_layout_add_text (scene, -1, "axis-label", row_title,
                        layout->left + size * ATTN_LETTERING_ASCENT,
                        (layout->slot_y[0] + bottom) / 2, size, ATTN_ANCHOR_MIDDLE, 90);
  char *column_title =
      attn_markup_from_text (grid->column_title != NULL ? grid->column_title : "Key");
  attn_layout_add_text (scene, -1, "axis-label", column_title, (layout->slot_x[0] + right) / 2,
                        layout->axis_title_y, size, ATTN_ANCHOR_MIDDLE, 0);
}

/* What headings of columns @pitch apart have between them. */
static double
get_heading_room (const AttnLayout *layout,
                  double            pitch)
{
  return pitch - layout->style.font_size / 3;
}

static double
get_widest_heading (const AttnLayout *layout,
                    double            size)
{
  const AttnGrid *grid = layout->grid;
  double widest = 0;

  for (gsize column = 0; column < grid->n_columns; column++)
    {
      g_autofree char *markup = attn_markup_from_text (grid->column_headings[column]);

      widest =
          MAX (widest, attn_lettering_measure (layout->style.font_family, markup, size));
    }
  return widest;
}

/* The lines of a heading, each no wider than @room; NULL where two do not do. */
static char **
wrap_heading (const AttnLayout *layout,
              gsize             column,
              double            size,
              double            room)
{
  const char *family = layout->style.font_family;
  g_autofree char *markup = attn_markup_from_text (layout->grid->column_headings[column]);
  g_auto (GStrv) lines = attn_lettering_wrap (family, markup, size, room, 2);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "…") != NULL && strstr (markup, lines[i]) == NULL)
      return NULL;
  return g_steal_pointer (&lines);
}

/* 2 where only that makes the headings of all columns fit. */
gsize
attn_layout_count_heading_lines (const AttnLayout *layout,
                                 double            pitch)
{
  double size = layout->style.font_size;
  double room = get_heading_room (layout, pitch);

  if (layout->grid->n_columns > MAX_WRAPPED_HEADINGS ||
      get_widest_heading (layout, size) * ATTN_LAYOUT_SMALLEST_SHRINK <= room)
    return 1;
  for (gsize column = 0; column < layout->grid->n_columns; column++)
    {
      g_auto (GStrv) lines = wrap_heading (layout, column, size * HEADING_SHRINK, room);

      if (lines == NULL)
        return 1;
    }
  return 2;
}

/* Smaller where that makes the headings of all columns fit, else every so many has one. */
static double
get_heading_size (const AttnLayout *layout,
                  gsize            *step)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->style.font_size;
  double pitch = grid->n_columns > 1 ? layout->slot_x[1] - layout->slot_x[0] : layout->slot_width;
  double widest = get_widest_heading (layout, size);
  /* Those at the ends are bounded by the page. */
  double first = layout->slot_x[0] + layout->slot_width / 2;
  double last = layout->slot_x[grid->n_columns - 1] + layout->slot_width / 2;
  double room =
      MIN (get_heading_room (layout, pitch), 2 * MIN (first, layout->width - last));

  *step = 1;
  if (layout->n_heading_lines > 1)
    return size * HEADING_SHRINK;
  if (room >= widest * ATTN_LAYOUT_SMALLEST_SHRINK)
    return size * MIN (1, room / MAX (widest, 1));
  *step = attn_layout_get_label_step (pitch, widest + size / 3);
  return size;
}

/* Whether so few columns would have a heading that nobody learns what the others are. */
gboolean
attn_layout_are_headings_cut (const AttnLayout *layout)
{
  gsize step;
  double size = get_heading_size (layout, &step);
  double first = layout->slot_x[0] + layout->slot_width / 2;
  double last = layout->slot_x[layout->grid->n_columns - 1] + layout->slot_width / 2;

  if (layout->n_heading_lines > 1)
    for (gsize i = 0; i < 2; i++)
      {
        g_auto (GStrv) lines = wrap_heading (layout, i == 0 ? 0 : layout->grid->n_columns - 1, size,
                                             2 * (i == 0 ? first : layout->width - last));

        if (lines == NULL || g_strv_length (lines) > layout->n_heading_lines)
          return TRUE;
      }
  return step > 1 && (step >= layout->grid->n_columns ||
                      layout->grid->n_columns <= MAX_WRAPPED_HEADINGS);
}

void
attn_layout_add_column_headings (const AttnLayout *layout,
                                 AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  gsize step;
  double size = get_heading_size (layout, &step);
  double y = layout->slot_y[0] - ATTN_LAYOUT_LABEL_GAP -
             layout->style.font_size * ATTN_LETTERING_DESCENT;
  double room = get_heading_room (layout, layout->slot_width + layout->gap_x);

  for (gsize column = 0; column < grid->n_columns; column += step)
    {
      double x = layout->slot_x[column] + layout->slot_width / 2;
      double own_size = size;
      g_auto (GStrv) lines =
          layout->n_heading_lines > 1 ? wrap_heading (layout, column, size, room) : NULL;
      guint n = lines != NULL ? g_strv_length (lines) : 0;

      for (guint i = 0; i < n; i++)
        attn_layout_add_text (scene, -1, "heading", g_strdup (lines[i]), x,
                              y - (n - 1 - i) * size * ATTN_LETTERING_HEIGHT, size,
                              ATTN_ANCHOR_MIDDLE, 0);
      if (n > 0)
        continue;
      g_autofree char *markup = attn_markup_from_text (grid->column_headings[column]);
      char *text = attn_layout_fit_text (layout, markup, 2 * MIN (x, layout->width - x), &own_size);

      attn_layout_add_text (scene, -1, "heading", text, x, y, own_size, ATTN_ANCHOR_MIDDLE, 0);
    }
}

/* Where the rows are too many for their headings, every so many has one. */
static gsize
get_row_heading_step (const AttnLayout *layout)
{
  double pitch =
      layout->grid->n_rows > 1 ? attn_layout_get_row_pitch (layout, 0) : layout->slot_height;

  return attn_layout_get_label_step (pitch, layout->style.font_size * ATTN_LETTERING_HEIGHT);
}

/* What the headings take that are shown beside panels of the present size. */
double
attn_layout_get_row_heading_room (AttnLayout *layout)
{
  AttnLayoutLabels *headings = &layout->row_headings;
  gsize step = get_row_heading_step (layout);

  if (step > 1 && headings->step != step)
    {
      headings->widest_shown = attn_layout_measure_labels (
          layout->style.font_family, (const char * const *) layout->grid->row_headings,
          layout->grid->n_rows, step);
      headings->step = step;
    }
  return (step > 1 ? headings->widest_shown : headings->widest) * layout->style.font_size +
         ATTN_LAYOUT_LABEL_GAP;
}

/* Beside the rows. */
void
attn_layout_add_row_headings (const AttnLayout *layout,
                              AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double size = layout->style.font_size;
  double x = layout->slot_x[0] - layout->row_room[0] - ATTN_LAYOUT_LABEL_GAP;
  double room = layout->row_heading_room - ATTN_LAYOUT_LABEL_GAP;
  gsize step = get_row_heading_step (layout);

  for (gsize row = 0; row < grid->n_rows; row += step)
    {
      g_autofree char *markup = attn_markup_from_text (grid->row_headings[row]);

      attn_layout_add_text (
          scene, -1, "heading",
          attn_lettering_ellipsize (layout->style.font_family, markup, size, room + 0.5), x,
          layout->slot_y[row] + layout->slot_height / 2 + size * ATTN_LETTERING_MIDDLE, size,
          ATTN_ANCHOR_END, 0);
    }
}

/* The caption as it fits @width: a little smaller, else on several lines. */
char **
attn_layout_wrap_caption (const AttnLayout *layout,
                          double            width,
                          double           *size)
{
  double needed = layout->caption_width * layout->caption_size;
  double shrink = needed > width ? width / needed : 1;

  *size = layout->caption_size * MAX (shrink, CAPTION_SHRINK);
  /* By rounding, a text that has just been made to fit might not. */
  return attn_lettering_wrap (layout->style.font_family, layout->grid->caption, *size,
                              width * 1.0001,
                              layout->page_height > 0 ? MAX_CAPTION_LINES : MAX_FREE_LINES);
}

/* Centred below the panels and the diagram; a caption too wide for that moves towards the middle of
 * the page. */
void
attn_layout_add_caption (const AttnLayout *layout,
                         AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  double right = layout->slot_x[grid->n_columns - 1] + layout->slot_width;
  double left = layout->shows_diagram ? layout->diagram.x : layout->slot_x[0];
  double center = (left + right) / 2;
  double size = layout->caption_size;
  double page = layout->width - 2 * layout->margin;
  double half = 0;
  g_auto (GStrv) lines = attn_layout_wrap_caption (layout, page, &size);

  for (gsize i = 0; lines[i] != NULL; i++)
    half = MAX (half, attn_lettering_measure (layout->style.font_family, lines[i], size) / 2);
  center = CLAMP (center, layout->margin + half,
                  MAX (layout->width - layout->margin - half, layout->margin + half));
  for (gsize i = 0; lines[i] != NULL; i++)
    attn_layout_add_text (scene, -1, "caption", g_steal_pointer (&lines[i]), center,
                          layout->caption_y + i * layout->caption_size * ATTN_LETTERING_HEIGHT,
                          size, ATTN_ANCHOR_MIDDLE, 0);
}
