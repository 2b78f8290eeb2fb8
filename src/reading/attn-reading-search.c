/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Search among the tokens of the panels. */

#include "config.h"

#include "attn-reading-private.h"

/**
 * attn_reading_search:
 * @text: (nullable): what to look for among the tokens of all panels; "" or %NULL ends it
 */
void
attn_reading_search (AttnReading *reading,
                     const char  *text)
{
  g_clear_pointer (&reading->search, attn_token_search_free);
  g_free (reading->search_text);
  reading->search_text = text != NULL && *text != '\0' ? g_strdup (text) : NULL;
  if (reading->search_text != NULL)
    reading->search = attn_token_search_new (reading->stage.grid, reading->search_text);
  attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
}

/**
 * attn_reading_count_found:
 * @n_panels: (out): in how many panels a token was found
 *
 * Returns: how many tokens were found in the panel of the cursor, or in the first panel if there is
 *   no cursor
 */
gsize
attn_reading_count_found (AttnReading *reading,
                          gsize       *n_panels)
{
  int group = reading->cursor.group;

  *n_panels = reading->search != NULL ? attn_token_search_count_panels (reading->search) : 0;
  if (group < 0)
    group = attn_stage_step_panel (&reading->stage, ATTN_CELL_CURSOR_NONE, 1).group;
  return reading->search != NULL ? attn_token_search_count (reading->search, group) : 0;
}

/**
 * attn_reading_search_step:
 * @direction: 1 for the next token that was found, -1 for the one before
 *
 * Moves the cursor to that token: within its panel or, if no token was found there, in the next
 * panel that has one.
 *
 * Returns: the number of that token among those found in its panel, from 1; 0 if none was found in
 *   any panel
 */
gsize
attn_reading_search_step (AttnReading *reading,
                          int          direction)
{
  gsize place = 0;
  int first = attn_stage_step_panel (&reading->stage, ATTN_CELL_CURSOR_NONE, 1).group;

  if (reading->search == NULL)
    return 0;

  AttnCellCursor cursor = attn_token_search_step (reading->search, reading->cursor,
                                                  MAX (first, 0), direction, &place);
  if (place > 0)
    attn_reading_go_to_line (reading, cursor, FALSE, ATTN_CHOICE_ONE);
  return place;
}
