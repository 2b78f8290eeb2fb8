/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "window-fixture.h"

GtkApplication *application;
AttnWindow *window;

/* @preset: (nullable): %NULL for that which the program begins with */
void
set_up_window (gpointer      *fixture,
               gconstpointer  preset)
{
  window = preset != NULL ? open_preset (application, preset) : open_window (application);
}

void
tear_down_window (gpointer      *fixture,
                  gconstpointer  preset)
{
  close_window (window);
}

const AttnStudy *
get_shown_study (void)
{
  return attn_session_get_study (window->session);
}

/* An action of the window. */
void
activate (const char *action)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), action, NULL);
}

/* The keyboard reads this cell. */
void
go_to (int   group,
       gsize row,
       gsize column)
{
  const AttnCellCursor cursor = { group, row, column };

  attn_reading_set_cursor (window->reading, &cursor);
}
