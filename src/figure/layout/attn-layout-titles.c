/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The text around the panels: titles, headings, axis titles and the caption. */

#include "config.h"

#include "attn-layout-private.h"

#include <string.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* The smallest share of its size to which a caption is shrunk before it is wrapped. */
#define CAPTION_SHRINK    0.7
#define MAX_CAPTION_LINES 3
/* The largest number of lines of a caption if the height of the page is not bounded. */
#define MAX_FREE_LINES 20

/* The largest number of columns of which each needs a heading, as the others could not be
 * guessed. */
#define MAX_SINGLE_HEADINGS 4
/* The largest number of lines of a heading, and the text size of several lines relative to a single
 * line. */
#define MAX_HEADING_LINES 3
#define HEADING_SHRINK    0.8

/* The words before the value of ε in the title of a panel, and the longest number after them. */
#define EPSILON         "ε = "
#define LONGEST_EPSILON "8.8e-88"

/* Returns the share to which text of @size may shrink and still be legible, or 1 if the text is not
 * legible anyway. */
static double
get_smallest_shrink (double size)
{
  return MIN (MAX (ATTN_LAYOUT_SMALLEST_SHRINK, ATTN_LAYOUT_SMALLEST_TEXT / size), 1);
}

/* Returns the text size of wrapped headings if headings in one line have @size. */
static double
get_wrapped_size (double size)
{
  return size * MAX (HEADING_SHRINK, get_smallest_shrink (size));
}

/* Returns the width for a title centred above its panel: up to the middle between two panels, to
 * the colour bar if it is beside several rows (a bar does not reach above the first row), and not
 * beyond the page. */
double
attn_layout_get_title_width (const AttnLayoutPlaces *at,
                             gsize                   column)
{
  const AttnGrid *grid = at->in->grid;
  double slot_width = at->fit->slot_width;
  double center = at->slot_x[column] + slot_width / 2;
  double width = 2 * MIN (center, at->width - center) - at->needs->margin;

  if (column > 0)
    width = MIN (width, at->slot_x[column] - at->slot_x[column - 1] - 6);
  if (column + 1 < grid->n_columns)
    width = MIN (width, at->slot_x[column + 1] - at->slot_x[column] - 6);
  else if (grid->n_rows > 1 && at->fit->shown.colorbar && !at->fit->shown.level_bars)
    width = MIN (width, slot_width + 2 * ATTN_LAYOUT_COLORBAR_GAP - 6);
  return MAX (width, 0);
}

/* Returns the width of a title in points. On a screen, where a slider moves ε, the title is
 * measured with the longest number for ε: neither the size of titles nor whether there are any
 * depends on where the slider's handle stands. */
static double
measure_title (const AttnLayoutPlaces *at,
               const char             *markup)
{
  const AttnStyle *style = &at->in->style;
  double width = attn_lettering_measure (style->font_family, markup, at->needs->title_size);
  const char *epsilon = style->largest_label > 0 ? strstr (markup, EPSILON) : NULL;

  if (epsilon == NULL)
    return width;
  const char *number = epsilon + strlen (EPSILON);
  g_autofree char *longest =
      g_strdup_printf ("%.*s" LONGEST_EPSILON "%s", (int) (number - markup), markup,
                       number + strspn (number, "0123456789.e-"));
  return MAX (width,
              attn_lettering_measure (style->font_family, longest, at->needs->title_size));
}

/* Returns the factor by which all titles shrink so that the widest title fits. */
static double
get_title_shrink (const AttnLayoutPlaces *at)
{
  const AttnGrid *grid = at->in->grid;
  double shrink = 1;

  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      if (grid->cells[i].title == NULL || grid->cells[i].panel == NULL)
        continue;
      g_autofree char *normal = attn_markup_normalize (grid->cells[i].title);
      double needed = measure_title (at, normal);
      double width = attn_layout_get_title_width (at, i % grid->n_columns);
      if (needed > width)
        shrink = MIN (shrink, width / needed);
    }
  return shrink;
}

/* Tells whether a title is too wide for its panel at any legible size. */
gboolean
attn_layout_are_titles_cut (const AttnLayoutPlaces *at)
{
  return at->fit->shown.titles &&
         get_title_shrink (at) < get_smallest_shrink (at->needs->title_size);
}

/* Returns the text size of all titles: the size at which the widest fits, but not below a legible
 * size. */
double
attn_layout_get_title_size (const AttnLayoutPlaces *at)
{
  double size = at->needs->title_size;
  double smallest = size * ATTN_LAYOUT_SMALLEST_SHRINK * ATTN_LAYOUT_SMALLEST_SHRINK;

  smallest = MIN (MAX (smallest, ATTN_LAYOUT_SMALLEST_TEXT), size);
  return MAX (size * get_title_shrink (at), smallest);
}

/* Returns the baseline of text on end at the left of the panels: beside the labels of rows, or, if
 * @is_outer, as far from them as the room there allows. */
static double
get_left_baseline (const AttnLayoutPlaces *at,
                   gboolean                is_outer)
{
  double size = at->in->style.font_size;

  return is_outer ? at->left + size * ATTN_LETTERING_ASCENT
                  : at->slot_x[0] - at->fit->row_room[0] - ATTN_LAYOUT_LABEL_GAP -
                        size * ATTN_LETTERING_DESCENT;
}

/* Adds the titles of both axes. The title of the rows stays beside the labels if headings of rows
 * stand on end farther out. Text in a figure is for a paper, not for the window, and is not
 * translated. */
static void
add_axis_titles (const AttnLayoutPlaces *at,
                 AttnScene              *scene)
{
  const AttnGrid *grid = at->in->grid;
  double size = at->in->style.font_size;
  double right = at->slot_x[grid->n_columns - 1] + at->fit->slot_width;
  double bottom = at->slot_y[grid->n_rows - 1] + at->fit->slot_height;

  char *row_title = attn_markup_from_text (grid->row_title != NULL ? grid->row_title : "Query");
  attn_scene_add_text (scene, -1, "axis-label", row_title,
                       get_left_baseline (at, !at->fit->are_row_headings_on_end),
                       (at->slot_y[0] + bottom) / 2, size, ATTN_ANCHOR_MIDDLE, 90);
  char *column_title =
      attn_markup_from_text (grid->column_title != NULL ? grid->column_title : "Key");
  attn_scene_add_text (scene, -1, "axis-label", column_title, (at->slot_x[0] + right) / 2,
                       at->axis_title_y, size, ATTN_ANCHOR_MIDDLE, 0);
}

/* Returns the width of a heading above a column if columns are @pitch apart, without the gap
 * between two headings. */
static double
get_heading_room (const AttnLayoutInput *in,
                  double                 pitch)
{
  return pitch - in->style.font_size / 3;
}

/* Breaks a heading into lines no wider than @room. Returns %NULL if the heading takes more than
 * @n_lines. */
static char **
wrap_heading (const AttnLayoutInput *in,
              gsize                  column,
              double                 size,
              double                 room,
              gsize                  n_lines)
{
  g_autofree char *markup = attn_markup_from_text (in->grid->column_headings[column]);
  g_auto (GStrv) lines =
      attn_lettering_wrap (in->style.font_family, markup, size, room, n_lines);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "…") != NULL && strstr (markup, lines[i]) == NULL)
      return NULL;
  return g_steal_pointer (&lines);
}

static gboolean
do_headings_wrap (const AttnLayoutInput *in,
                  double                 room,
                  gsize                  n_lines)
{
  for (gsize column = 0; column < in->grid->n_columns; column++)
    {
      g_auto (GStrv) lines =
          wrap_heading (in, column, get_wrapped_size (in->style.font_size), room, n_lines);

      if (lines == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Finds the step between columns that have a heading, if headings are in one line, columns are
 * @pitch apart and the widest heading is @widest. */
static gsize
get_heading_step (const AttnLayoutInput *in,
                  double                 pitch,
                  double                 widest)
{
  return attn_layout_get_label_step (pitch, widest + in->style.font_size / 3);
}

/* Tells whether too few columns would have a heading, so that the others could not be guessed. */
static gboolean
is_step_too_wide (const AttnLayoutInput *in,
                  gsize                  step)
{
  gsize n_columns = in->grid->n_columns;

  return step > 1 && (2 * step > n_columns || n_columns <= MAX_SINGLE_HEADINGS);
}

/* Returns the number of lines of headings: more than 1 only if it takes that for all columns to
 * have a heading, or if headings are larger then on a page that may be higher. */
gsize
attn_layout_count_heading_lines (const AttnLayoutNeeds *needs,
                                 double                 pitch)
{
  const AttnLayoutInput *in = needs->in;
  double size = in->style.font_size;
  double widest = needs->widest_column_heading * size;
  double room = get_heading_room (in, pitch);
  double smallest =
      in->page_height > 0 ? get_smallest_shrink (size) : get_wrapped_size (size) / size;

  if (widest * smallest <= room ||
      !is_step_too_wide (in, get_heading_step (in, pitch, widest)))
    return 1;
  for (gsize n_lines = 2; n_lines <= MAX_HEADING_LINES; n_lines++)
    if (do_headings_wrap (in, room, n_lines))
      return n_lines;
  return 1;
}

/* Returns the text size of headings of columns: the size at which all columns have a heading, or
 * else the size at which every @step-th column has one. @step: (out) */
static double
get_heading_size (const AttnLayoutPlaces *at,
                  gsize                  *step)
{
  gsize n_columns = at->in->grid->n_columns;
  double size = at->in->style.font_size;
  double slot_width = at->fit->slot_width;
  double pitch = n_columns > 1 ? at->slot_x[1] - at->slot_x[0] : slot_width;
  double widest = at->needs->widest_column_heading * size;
  /* The first and the last heading of the columns must stay on the page. */
  double first = at->slot_x[0] + slot_width / 2;
  double last = at->slot_x[n_columns - 1] + slot_width / 2;
  double room = MIN (get_heading_room (at->in, pitch), 2 * MIN (first, at->width - last));

  *step = 1;
  if (at->fit->n_heading_lines > 1)
    return get_wrapped_size (size);
  if (room >= widest * get_smallest_shrink (size))
    return size * MIN (1, room / MAX (widest, 1));
  *step = get_heading_step (at->in, pitch, widest);
  return size;
}

/* Tells whether a column that needs a heading has none, or has a heading that is cut. */
gboolean
attn_layout_are_headings_cut (const AttnLayoutPlaces *at)
{
  gsize n_columns = at->in->grid->n_columns;
  gsize n_lines = at->fit->n_heading_lines;
  gsize step;

  if (!at->fit->shown.column_headings)
    return FALSE;

  double size = get_heading_size (at, &step);
  for (gsize i = 0; i < 2 && n_lines > 1; i++)
    {
      gsize column = i == 0 ? 0 : n_columns - 1;
      double middle = at->slot_x[column] + at->fit->slot_width / 2;
      g_auto (GStrv) lines =
          wrap_heading (at->in, column, size, 2 * (i == 0 ? middle : at->width - middle), n_lines);

      if (lines == NULL)
        return TRUE;
    }
  return is_step_too_wide (at->in, step);
}

/* Returns how much farther apart columns must be for all of them to have a heading: in one line if
 * the height of the page limits the panels, otherwise wrapped. Returns 0 if the page is not wide
 * enough. */
double
attn_layout_get_heading_gap (const AttnLayoutPlaces *at)
{
  const AttnLayoutInput *in = at->in;
  gsize n_columns = in->grid->n_columns;
  double size = in->style.font_size;
  double widest = at->needs->widest_column_heading * size;

  if (n_columns < 2)
    return 0;
  /* Room for headings above the panels makes the panels smaller. */
  double lines = MAX_HEADING_LINES * size * ATTN_LETTERING_HEIGHT / in->grid->n_rows;
  double loss = in->page_height > 0 ? lines * at->fit->slot_width / at->fit->slot_height : 0;
  double pitch = at->slot_x[1] - at->slot_x[0];
  double most = in->page_width > 0 ? (at->width - at->fit->used_width) / n_columns : widest;
  double gap = MAX (widest * get_smallest_shrink (size) + size / 2 - pitch, 0);
  if (in->page_height > 0 && gap <= most)
    return gap;
  for (gap = size / 2; gap <= most; gap += size / 2)
    if (do_headings_wrap (in, get_heading_room (in, pitch + gap - loss), MAX_HEADING_LINES))
      return gap;
  return 0;
}

static void
add_column_headings (const AttnLayoutPlaces *at,
                     AttnScene              *scene)
{
  const AttnLayoutInput *in = at->in;
  double slot_width = at->fit->slot_width;
  gsize step;
  double size = get_heading_size (at, &step);
  double y = at->slot_y[0] - ATTN_LAYOUT_LABEL_GAP - in->style.font_size * ATTN_LETTERING_DESCENT;
  double room = get_heading_room (in, slot_width + at->needs->gap_x);

  for (gsize column = 0; column < in->grid->n_columns; column += step)
    {
      double x = at->slot_x[column] + slot_width / 2;
      double own_size = size;
      g_auto (GStrv) lines =
          at->fit->n_heading_lines > 1
              ? wrap_heading (in, column, size, room, at->fit->n_heading_lines)
              : NULL;
      guint n = lines != NULL ? g_strv_length (lines) : 0;

      for (guint i = 0; i < n; i++)
        attn_scene_add_text (scene, -1, "heading", g_strdup (lines[i]), x,
                             y - (n - 1 - i) * size * ATTN_LETTERING_HEIGHT, size,
                             ATTN_ANCHOR_MIDDLE, 0);
      if (n > 0)
        continue;
      g_autofree char *markup = attn_markup_from_text (in->grid->column_headings[column]);
      char *text = attn_layout_fit_text (in->style.font_family, markup, 2 * MIN (x, at->width - x),
                                         &own_size);

      attn_scene_add_text (scene, -1, "heading", text, x, y, own_size, ATTN_ANCHOR_MIDDLE, 0);
    }
}

/* Returns the step between rows that have a heading if rows are @pitch apart. */
static gsize
get_row_heading_step (const AttnLayoutInput *in,
                      double                 pitch)
{
  return attn_layout_get_label_step (pitch, in->style.font_size * ATTN_LETTERING_HEIGHT);
}

/* Returns the width for headings of rows that are @pitch apart, or for headings @on_end. */
double
attn_layout_get_row_heading_room (const AttnLayoutNeeds *needs,
                                  double                 pitch,
                                  gboolean               on_end)
{
  gsize step = get_row_heading_step (needs->in, pitch);
  double width = on_end ? ATTN_LETTERING_HEIGHT
                        : attn_layout_labels_get_widest (needs->row_headings, step);

  return width * needs->in->style.font_size + ATTN_LAYOUT_LABEL_GAP;
}

/* Adds the headings of rows. */
static void
add_row_headings (const AttnLayoutPlaces *at,
                  AttnScene              *scene)
{
  const AttnLayoutInput *in = at->in;
  const AttnGrid *grid = in->grid;
  double size = in->style.font_size;
  double x = at->slot_x[0] - at->fit->row_room[0] - ATTN_LAYOUT_LABEL_GAP;
  double room = at->fit->row_heading_room - ATTN_LAYOUT_LABEL_GAP;
  gsize step = get_row_heading_step (
      in, grid->n_rows > 1 ? at->slot_y[1] - at->slot_y[0] : at->fit->slot_height);

  for (gsize row = 0; row < grid->n_rows; row += step)
    {
      g_autofree char *markup = attn_markup_from_text (grid->row_headings[row]);

      if (at->fit->are_row_headings_on_end)
        {
          attn_scene_add_text (scene, -1, "heading", g_steal_pointer (&markup),
                               get_left_baseline (at, at->fit->shown.axis_titles),
                               at->slot_y[row] + at->fit->slot_height / 2, size,
                               ATTN_ANCHOR_MIDDLE, 90);
          continue;
        }
      attn_scene_add_text (
          scene, -1, "heading",
          attn_lettering_ellipsize (in->style.font_family, markup, size, room + 0.5), x,
          at->slot_y[row] + at->fit->slot_height / 2 + size * ATTN_LETTERING_MIDDLE, size,
          ATTN_ANCHOR_END, 0);
    }
}

/* Returns the caption. It mentions bars only if the page has room for them. */
static const char *
get_caption (const AttnLayoutInput *in)
{
  const AttnGrid *grid = in->grid;

  if (grid->bars_note == NULL || !attn_layout_has_strip (in))
    return grid->caption;
  if (grid->caption == NULL)
    return grid->bars_note;
  char *caption = g_strconcat (grid->caption, ". ", grid->bars_note, NULL);
  g_ptr_array_add (in->arrays, caption);
  return caption;
}

void
attn_layout_measure_caption (AttnLayoutNeeds *needs)
{
  needs->caption = get_caption (needs->in);
  if (needs->caption == NULL)
    return;
  g_autofree char *caption = attn_markup_normalize (needs->caption);
  needs->caption_width = attn_lettering_measure (needs->in->style.font_family, caption, 1);
}

/* Fits the caption into @width: shrinks it a little, or else breaks it into lines. @size: (out):
 * the text size, in points */
char **
attn_layout_wrap_caption (const AttnLayoutNeeds *needs,
                          double                 width,
                          double                *size)
{
  const AttnLayoutInput *in = needs->in;
  double needed = needs->caption_width * needs->caption_size;
  double shrink = needed > width ? width / needed : 1;

  shrink = MAX (shrink, MAX (CAPTION_SHRINK, get_smallest_shrink (needs->caption_size)));
  *size = needs->caption_size * shrink;
  /* The text of the caption has been made to fit exactly; rounding must not break its lines
   * again. */
  return attn_lettering_wrap (in->style.font_family, needs->caption, *size, width * 1.0001,
                              in->page_height > 0 ? MAX_CAPTION_LINES : MAX_FREE_LINES);
}

/* Adds the caption, centred below the panels and the diagram. If it is too wide for this, it moves
 * towards the middle of the page. */
static void
add_caption (const AttnLayoutPlaces *at,
             AttnScene              *scene)
{
  double margin = at->needs->margin;
  double right = at->slot_x[at->in->grid->n_columns - 1] + at->fit->slot_width;
  double left = at->fit->shown.diagram ? at->diagram.x : at->slot_x[0];
  double center = (left + right) / 2;
  double size;
  double half = 0;
  g_auto (GStrv) lines = attn_layout_wrap_caption (at->needs, at->width - 2 * margin, &size);

  for (gsize i = 0; lines[i] != NULL; i++)
    half = MAX (half, attn_lettering_measure (at->in->style.font_family, lines[i], size) / 2);
  center = CLAMP (center, margin + half, MAX (at->width - margin - half, margin + half));
  for (gsize i = 0; lines[i] != NULL; i++)
    attn_scene_add_text (scene, -1, "caption", g_steal_pointer (&lines[i]), center,
                         at->caption_y + i * at->needs->caption_size * ATTN_LETTERING_HEIGHT, size,
                         ATTN_ANCHOR_MIDDLE, 0);
}

/* Adds all text around the panels except their titles. */
void
attn_layout_add_words (const AttnLayoutPlaces *at,
                       AttnScene              *scene)
{
  const AttnLayoutShown *shown = &at->fit->shown;

  if (shown->column_headings)
    add_column_headings (at, scene);
  if (shown->row_headings)
    add_row_headings (at, scene);
  if (shown->axis_titles)
    add_axis_titles (at, scene);
  if (shown->caption)
    add_caption (at, scene);
}
