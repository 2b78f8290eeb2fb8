/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-keys.h"

#include "attn-reading.h"

#define FACTOR   1.5
#define STEP     0.2  /* distance that a key moves the view, as a share of the visible part of a
                       * panel */
#define FAR      10   /* cells */
#define FARTHEST 1e15 /* distance in cells that moves the cursor to the end: more than any panel
                       * has */

/* The keys of a figure, together with those of the number pad that do the same, and their
 * commands. */
static const struct
{
  const char *keys;
  AttnCommand command;
  double down; /* cells downwards or, if the key zooms, the factor */
  double right;
} bindings[] = {
  { "Home|KP_Home", ATTN_COMMAND_MOVE, 0, -FARTHEST },
  { "End|KP_End", ATTN_COMMAND_MOVE, 0, FARTHEST },
  { "<Control>Home|<Control>KP_Home", ATTN_COMMAND_MOVE, -FARTHEST, -FARTHEST },
  { "<Control>End|<Control>KP_End", ATTN_COMMAND_MOVE, FARTHEST, FARTHEST },
  { "Left|KP_Left", ATTN_COMMAND_MOVE, 0, -1 },
  { "<Control>Left|<Control>KP_Left", ATTN_COMMAND_MOVE, 0, -FAR },
  { "<Shift>Left|<Shift>KP_Left", ATTN_COMMAND_EXTEND, 0, -1 },
  { "<Control><Shift>Left|<Control><Shift>KP_Left", ATTN_COMMAND_PAN, 0, -STEP },
  { "Right|KP_Right", ATTN_COMMAND_MOVE, 0, 1 },
  { "<Control>Right|<Control>KP_Right", ATTN_COMMAND_MOVE, 0, FAR },
  { "<Shift>Right|<Shift>KP_Right", ATTN_COMMAND_EXTEND, 0, 1 },
  { "<Control><Shift>Right|<Control><Shift>KP_Right", ATTN_COMMAND_PAN, 0, STEP },
  { "Up|KP_Up", ATTN_COMMAND_MOVE, -1, 0 },
  { "<Control>Up|<Control>KP_Up", ATTN_COMMAND_MOVE, -FAR, 0 },
  { "<Shift>Up|<Shift>KP_Up", ATTN_COMMAND_EXTEND, -1, 0 },
  { "<Control><Shift>Up|<Control><Shift>KP_Up", ATTN_COMMAND_PAN, -STEP, 0 },
  { "Down|KP_Down", ATTN_COMMAND_MOVE, 1, 0 },
  { "<Control>Down|<Control>KP_Down", ATTN_COMMAND_MOVE, FAR, 0 },
  { "<Shift>Down|<Shift>KP_Down", ATTN_COMMAND_EXTEND, 1, 0 },
  { "<Control><Shift>Down|<Control><Shift>KP_Down", ATTN_COMMAND_PAN, STEP, 0 },
  { "Page_Up|KP_Page_Up", ATTN_COMMAND_PAGE, -1, 0 },
  { "Page_Down|KP_Page_Down", ATTN_COMMAND_PAGE, 1, 0 },
  { "<Control>Page_Up|<Control>KP_Page_Up", ATTN_COMMAND_PANEL_ROW, -1, 0 },
  { "<Control>Page_Down|<Control>KP_Page_Down", ATTN_COMMAND_PANEL_ROW, 1, 0 },
  { "Tab|KP_Tab", ATTN_COMMAND_PANEL, 1, 0 },
  { "<Shift>Tab|<Shift>ISO_Left_Tab", ATTN_COMMAND_PANEL, -1, 0 },
  { "plus|equal|KP_Add", ATTN_COMMAND_ZOOM, FACTOR, 0 },
  { "minus|KP_Subtract", ATTN_COMMAND_ZOOM, 1 / FACTOR, 0 },
  { "0|KP_0", ATTN_COMMAND_FIT, 0, 0 },
  { "space|<Control>space", ATTN_COMMAND_TOGGLE_ROW, 0, 0 },
  { "Return|KP_Enter|ISO_Enter", ATTN_COMMAND_ACTIVATE, 0, 0 },
  { "Delete|KP_Delete|BackSpace", ATTN_COMMAND_REMOVE, 0, 0 },
  { "Escape", ATTN_COMMAND_ESCAPE, 0, 0 },
  { "Menu|<Shift>F10", ATTN_COMMAND_MENU, 0, 0 },
};

/**
 * attn_figure_keys_bind:
 * @func: called when a key is pressed, with arguments of the format %ATTN_KEY_FORMAT; returns
 *   whether the key has been handled
 */
void
attn_figure_keys_bind (GtkWidgetClass  *klass,
                       GtkShortcutFunc  func)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bindings); i++)
    {
      g_autoptr (GtkShortcut) shortcut =
          gtk_shortcut_new (gtk_shortcut_trigger_parse_string (bindings[i].keys),
                            gtk_callback_action_new (func, NULL, NULL));

      gtk_shortcut_set_arguments (shortcut,
                                  g_variant_new (ATTN_KEY_FORMAT, bindings[i].command,
                                                 bindings[i].down, bindings[i].right));
      gtk_widget_class_add_shortcut (klass, shortcut);
    }
}
