/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table below the panels: names of rows at the left, a column of numbers below each panel. */

#include "config.h"

#include "attn-layout-private.h"

#include <string.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* The size of the text in the table below the panels, relative to the text of the figure. */
#define NUMBER_RATIO 0.85

/* Gaps in the table below the panels, relative to the size of its numbers: between two columns of
 * numbers, and between a name and its numbers. */
#define COLUMN_GAP 1.0
#define NAME_GAP   0.8

/* The gap in points between numbers and a colour bar beside them. */
#define BAR_GAP 2.0

/* Separator in a cell of the table between the number before an intervention from the one after it.
 * The two are split into two lines if they are too wide for one. */
#define ARROW " → "

/* The texts whose room is kept while the numbers of the table are not computed, so that nothing
 * moves afterwards. */
#define USUAL_HALF    "0.123 →"
#define USUAL_NUMBERS USUAL_HALF " 0.456"

static gboolean
is_below (const AttnLayoutFit *fit,
          gsize                row)
{
  const AttnGrid *grid = fit->in->grid;

  return fit->shown.numbers && fit->number_size > 0 &&
         (!grid->has_numbers_once || row + 1 == grid->n_rows);
}

static double
measure (const AttnLayoutInput *in,
         const char            *text,
         gssize                 length)
{
  g_autofree char *part = length >= 0 ? g_strndup (text, (gsize) length) : g_strdup (text);
  g_autofree char *markup = attn_markup_from_text (part);

  return attn_lettering_measure (in->style.font_family, markup, 1);
}

/* Copies the part of a cell's @text for one line: all of it, or, on two lines, the text before or
 * behind the arrow. Returns: (transfer full) */
static char *
dup_line (const char *text,
          guint       line,
          guint       n_lines)
{
  const char *arrow = n_lines > 1 ? strstr (text, ARROW) : NULL;

  if (n_lines < 2)
    return g_strdup (text);
  if (arrow == NULL)
    return g_strdup (line == 0 ? text : "");
  return line == 0 ? g_strndup (text, (gsize) (arrow - text) + strlen (" →"))
                   : g_strdup (arrow + strlen (ARROW));
}

/* Measures the names of the table's rows, and the numbers that have been computed. */
void
attn_layout_measure_numbers (AttnLayoutNeeds *needs)
{
  const AttnLayoutInput *in = needs->in;
  const AttnGrid *grid = in->grid;
  AttnLayoutNumbers *numbers = &needs->numbers;

  if (grid->number_names == NULL)
    return;
  numbers->n = g_strv_length (grid->number_names);
  numbers->width = measure (in, USUAL_NUMBERS, -1);
  numbers->half_width = measure (in, USUAL_HALF, -1);
  numbers->n_lines = attn_layout_allocate (in, numbers->n, sizeof *numbers->n_lines);
  for (gsize i = 0; i < numbers->n; i++)
    {
      numbers->name_width = MAX (numbers->name_width, measure (in, grid->number_names[i], -1));
      numbers->n_lines[i] = 1;
    }
  for (gsize cell = 0; cell < grid->n_rows * grid->n_columns; cell++)
    for (gsize i = 0; grid->cells[cell].numbers != NULL && i < numbers->n; i++)
      {
        const char *text = grid->cells[cell].numbers[i];

        numbers->width = MAX (numbers->width, measure (in, text, -1));
        if (strstr (text, ARROW) != NULL)
          numbers->n_lines[i] = 2;
        for (guint line = 0; line < 2; line++)
          {
            g_autofree char *part = dup_line (text, line, 2);

            numbers->half_width = MAX (numbers->half_width, measure (in, part, -1));
          }
      }
}

/* Returns the distance, in points, by which numbers of the table may reach beyond the panels at
 * both ends of a row. */
static double
get_overhang (const AttnLayoutFit *fit)
{
  return MIN (fit->needs->gap_x / 2,
              MIN (fit->needs->margin, ATTN_LAYOUT_COLORBAR_GAP - BAR_GAP));
}

/* Returns the gap between the names of the rows and the place of the first of several columns of
 * numbers. The place of each column includes half of the gap between columns. */
static double
get_name_gap (const AttnLayoutFit *fit)
{
  return get_overhang (fit) + (NAME_GAP - COLUMN_GAP / 2) * fit->number_size;
}

/* Returns the text size at which numbers fit that are @width wide at text size 1, with the names if
 * these are beside the numbers. Returns 0 if that size is not legible. */
static double
find_size (const AttnLayoutFit *fit,
           double               width)
{
  const AttnLayoutNumbers *numbers = &fit->needs->numbers;
  double largest = fit->in->style.font_size * NUMBER_RATIO;
  double room = fit->slot_width + attn_layout_get_strip_room (fit);

  largest = MAX (largest, MIN (fit->in->style.font_size, ATTN_LAYOUT_SMALLEST_TEXT));
  if (fit->in->grid->n_columns > 1)
    {
      room += 2 * get_overhang (fit);
      width += COLUMN_GAP;
    }
  else
    {
      room += fit->row_room[0] + fit->row_heading_room;
      width += numbers->name_width + NAME_GAP;
    }

  double size = MIN (largest, room / width);
  return size >= MIN (largest, ATTN_LAYOUT_SMALLEST_TEXT) ? size : 0;
}

/* Chooses the size of the numbers below panels of the present size, and whether they are split into
 * two lines. @keeps: numbers that were split or left out before stay so */
void
attn_layout_size_numbers (AttnLayoutFit *fit,
                          gboolean       keeps)
{
  const AttnLayoutNumbers *numbers = &fit->needs->numbers;
  gboolean is_split = keeps && fit->are_numbers_split;
  double size = 0;

  if (!fit->shown.numbers || (keeps && fit->number_size <= 0))
    return;
  if (!is_split)
    size = find_size (fit, numbers->width);
  if (size <= 0 && numbers->half_width < numbers->width)
    {
      is_split = TRUE;
      size = find_size (fit, numbers->half_width);
    }
  fit->number_size = keeps ? MIN (fit->number_size, size) : size;
  fit->are_numbers_split = is_split;
}

static guint
count_lines (const AttnLayoutFit *fit,
             gsize                i)
{
  return fit->are_numbers_split ? fit->needs->numbers.n_lines[i] : 1;
}

/* Returns the height, in points, of the table below a row of panels; 0 if it has none. */
double
attn_layout_get_numbers_room (const AttnLayoutFit *fit,
                              gsize                row)
{
  guint n_lines = 0;

  if (!is_below (fit, row))
    return 0;
  for (gsize i = 0; i < fit->needs->numbers.n; i++)
    n_lines += count_lines (fit, i);
  return ATTN_LAYOUT_LABEL_GAP + n_lines * fit->number_size * ATTN_LETTERING_HEIGHT;
}

/* Returns the room in points for the names of the rows, at the left of the first column of
 * numbers. */
double
attn_layout_get_number_names_room (const AttnLayoutFit *fit)
{
  if (!fit->shown.numbers || fit->number_size <= 0 || fit->in->grid->n_columns < 2)
    return 0;
  return get_name_gap (fit) + fit->needs->numbers.name_width * fit->number_size;
}

/* Adds a column of numbers that end at @x. @y: top of the table; @group: index of the panel, or
 * -1 */
static void
add_column (const AttnLayoutFit  *fit,
            AttnScene            *scene,
            int                   group,
            const char           *role,
            char                **texts,
            double                x,
            double                y)
{
  double size = fit->number_size;

  y += ATTN_LAYOUT_LABEL_GAP + size * ATTN_LETTERING_ASCENT;
  for (gsize i = 0; i < fit->needs->numbers.n; i++)
    for (guint line = 0; line < count_lines (fit, i); line++)
      {
        g_autofree char *text = dup_line (texts[i], line, count_lines (fit, i));

        if (*text != '\0')
          attn_scene_add_text (scene, group, role, attn_markup_from_text (text), x, y, size,
                               ATTN_ANCHOR_END, 0);
        y += size * ATTN_LETTERING_HEIGHT;
      }
}

/* Returns the width of the widest line of a column of numbers. */
static double
measure_column (const AttnLayoutFit  *fit,
                char                **texts)
{
  double widest = 0;

  for (gsize i = 0; i < fit->needs->numbers.n; i++)
    for (guint line = 0; line < count_lines (fit, i); line++)
      {
        g_autofree char *text = dup_line (texts[i], line, count_lines (fit, i));

        widest = MAX (widest, measure (fit->in, text, -1));
      }
  return widest * fit->number_size;
}

/* Adds the table below a row of panels. Columns are centred below their panels, and their numbers
 * aligned at the right; the names are at the left, or beside the numbers of a single panel. */
void
attn_layout_add_numbers (const AttnLayoutPlaces *at,
                         AttnScene              *scene,
                         gsize                   row)
{
  const AttnLayoutFit *fit = at->fit;
  const AttnGrid *grid = at->in->grid;
  double strip_room = attn_layout_get_strip_room (fit);
  double y = at->numbers_y[row];
  double names_end = at->slot_x[0] - get_name_gap (fit);
  gboolean is_any = FALSE;

  if (!is_below (fit, row))
    return;
  for (gsize column = 0; column < grid->n_columns; column++)
    {
      gsize index = row * grid->n_columns + column;
      char **texts = grid->cells[index].numbers;

      if (texts == NULL)
        continue;
      double width = measure_column (fit, texts);
      double end = at->slot_x[column] + (fit->slot_width + strip_room + width) / 2;
      is_any = TRUE;
      if (grid->n_columns == 1)
        {
          double names = (fit->needs->numbers.name_width + NAME_GAP) * fit->number_size;
          double left = at->slot_x[0] - fit->row_room[0] - fit->row_heading_room;

          end = CLAMP (end + names / 2, left + names + width,
                       MAX (at->slot_x[0] + fit->slot_width + strip_room, left + names + width));
          names_end = end - width - NAME_GAP * fit->number_size;
        }
      add_column (fit, scene, (int) index, "numbers", texts, end, y);
    }
  if (is_any)
    add_column (fit, scene, -1, "number-name", grid->number_names, names_end, y);
}
