/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-heading.h"

#include <glib/gi18n-lib.h>

#include "attn-markup.h"

/* The number of panels' titles that the text about a heading lists. */
#define N_LISTED 6

/**
 * attn_heading_describe:
 * @x: a point of the figure, in widget pixels
 * @box: (out): where the heading is
 *
 * Returns: (transfer full) (nullable): the titles of the panels whose heading is at that point, as
 *   a figure with room for them has them, a line each; %NULL if there is no heading, or the panels
 *   have no titles
 */
char *
attn_heading_describe (AttnReading   *reading,
                       double         x,
                       double         y,
                       AttnRectangle *box)
{
  AttnPlaces places = attn_reading_get_places (reading);
  gboolean is_column;
  int group = attn_places_find_heading (&places, x, y, &is_column, box);
  guint n_titles = 0;

  if (group < 0 || !places.scene->style.shows_titles)
    return NULL;
  const AttnGrid *grid = places.grid;
  gsize n_columns = grid->n_columns;
  g_autoptr (GString) text = g_string_new (_("With room for them, as in a large file, panels have "
                                             "titles in place of headings:"));
  for (gsize i = 0; i < grid->n_rows * n_columns; i++)
    {
      const char *markup = grid->cells[i].title;

      if (markup == NULL || (is_column ? i % n_columns != (gsize) group % n_columns
                                       : i / n_columns != (gsize) group / n_columns))
        continue;
      g_autofree char *title = attn_markup_to_text (markup);
      if (n_titles < N_LISTED)
        g_string_append_printf (text, "\n%s", title);
      n_titles++;
    }
  if (n_titles > N_LISTED)
    g_string_append (text, "\n…");
  return n_titles > 0 ? g_strdup (text->str) : NULL;
}
