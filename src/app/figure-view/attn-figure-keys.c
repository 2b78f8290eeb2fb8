/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-keys.h"

#include "attn-reading.h"

#define FACTOR   1.5
#define STEP     0.2  /* of the shown part */
#define FAR      10   /* cells */
#define FARTHEST 1e15 /* cells: a whole number, and more than any panel has */

#define CTRL  GDK_CONTROL_MASK
#define SHIFT GDK_SHIFT_MASK

/* A key, its twins on the number pad and elsewhere, and what they do. */
static const struct
{
  guint keys[3];
  GdkModifierType modifiers;
  AttnCommand command;
  double down; /* or a factor */
  double right;
} bindings[] = {
  { { GDK_KEY_Home, GDK_KEY_KP_Home }, 0, ATTN_COMMAND_MOVE, 0, -FARTHEST },
  { { GDK_KEY_End, GDK_KEY_KP_End }, 0, ATTN_COMMAND_MOVE, 0, FARTHEST },
  { { GDK_KEY_Home, GDK_KEY_KP_Home }, CTRL, ATTN_COMMAND_MOVE, -FARTHEST, -FARTHEST },
  { { GDK_KEY_End, GDK_KEY_KP_End }, CTRL, ATTN_COMMAND_MOVE, FARTHEST, FARTHEST },
  { { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up }, 0, ATTN_COMMAND_PAGE, -1, 0 },
  { { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down }, 0, ATTN_COMMAND_PAGE, 1, 0 },
  { { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up }, CTRL, ATTN_COMMAND_PANEL_ROW, -1, 0 },
  { { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down }, CTRL, ATTN_COMMAND_PANEL_ROW, 1, 0 },
  { { GDK_KEY_Tab, GDK_KEY_KP_Tab }, 0, ATTN_COMMAND_PANEL, 1, 0 },
  { { GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab }, SHIFT, ATTN_COMMAND_PANEL, -1, 0 },
  { { GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add }, 0, ATTN_COMMAND_ZOOM, FACTOR, 0 },
  { { GDK_KEY_minus, GDK_KEY_KP_Subtract }, 0, ATTN_COMMAND_ZOOM, 1 / FACTOR, 0 },
  { { GDK_KEY_0, GDK_KEY_KP_0 }, 0, ATTN_COMMAND_FIT, 0, 0 },
  { { GDK_KEY_1, GDK_KEY_KP_1 }, 0, ATTN_COMMAND_PIXELS, 0, 0 },
  { { GDK_KEY_space }, 0, ATTN_COMMAND_TOGGLE_ROW, 0, 0 },
  { { GDK_KEY_space }, CTRL, ATTN_COMMAND_TOGGLE_ROW, 0, 0 },
  { { GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter }, 0, ATTN_COMMAND_ACTIVATE, 0, 0 },
  { { GDK_KEY_Delete, GDK_KEY_KP_Delete, GDK_KEY_BackSpace }, 0, ATTN_COMMAND_REMOVE, 0, 0 },
  { { GDK_KEY_Escape }, 0, ATTN_COMMAND_ESCAPE, 0, 0 },
  { { GDK_KEY_Menu }, 0, ATTN_COMMAND_MENU, 0, 0 },
  { { GDK_KEY_F10 }, SHIFT, ATTN_COMMAND_MENU, 0, 0 },
};

static const struct
{
  guint keys[2];
  int down;
  int right;
} arrows[] = {
  { { GDK_KEY_Left, GDK_KEY_KP_Left }, 0, -1 },
  { { GDK_KEY_Right, GDK_KEY_KP_Right }, 0, 1 },
  { { GDK_KEY_Up, GDK_KEY_KP_Up }, -1, 0 },
  { { GDK_KEY_Down, GDK_KEY_KP_Down }, 1, 0 },
};

/* What is an action of the window, and so in a menu, is bound by its name: letters must not be taken
 * from the entries beside the figure. */
static const struct
{
  guint key;
  const char *action;
} letters[] = {
  { GDK_KEY_p, "win.pin" },
  { GDK_KEY_r, "win.draw-regions" },
  { GDK_KEY_z, "win.zoom-rectangle" },
  { GDK_KEY_m, "win.maximize-panel" },
  { GDK_KEY_l, "win.link-panels" },
};

/**
 * attn_figure_keys_bind:
 * @func: is called for a key with %ATTN_FIGURE_KEY_FORMAT, and returns whether the key is taken
 */
void
attn_figure_keys_bind (GtkWidgetClass  *klass,
                       GtkShortcutFunc  func)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bindings); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (bindings[i].keys) && bindings[i].keys[k] != 0; k++)
      gtk_widget_class_add_binding (klass, bindings[i].keys[k], bindings[i].modifiers, func,
                                    ATTN_FIGURE_KEY_FORMAT, bindings[i].command, bindings[i].down,
                                    bindings[i].right);
  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (arrows[i].keys); k++)
      {
        const struct
        {
          GdkModifierType modifiers;
          AttnCommand command;
          double step;
        } ways[] = {
          { 0, ATTN_COMMAND_MOVE, 1 },
          { CTRL, ATTN_COMMAND_MOVE, FAR },
          { SHIFT, ATTN_COMMAND_EXTEND, 1 },
          { CTRL | SHIFT, ATTN_COMMAND_PAN, STEP },
        };

        for (gsize way = 0; way < G_N_ELEMENTS (ways); way++)
          gtk_widget_class_add_binding (klass, arrows[i].keys[k], ways[way].modifiers, func,
                                        ATTN_FIGURE_KEY_FORMAT, ways[way].command,
                                        ways[way].step * arrows[i].down,
                                        ways[way].step * arrows[i].right);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    gtk_widget_class_add_binding_action (klass, letters[i].key, 0, letters[i].action, NULL);
}
