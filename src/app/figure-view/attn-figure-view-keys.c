/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The keyboard on the figure. What is an action of the window, and so in a menu, is bound by its
 * name: letters must not be taken from the entries beside the figure. */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#define KEY_FACTOR 1.5
#define KEY_STEP   0.2 /* of the shown part */
#define FAR        10  /* cells */
#define FARTHEST   (G_MAXSSIZE / 2)

typedef enum
{
  MOVE_ALONE,
  MOVE_EXTENDING,
} Extending;

static gboolean
zoom_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  attn_figure_view_zoom (ATTN_FIGURE_VIEW (widget), g_variant_get_double (arguments));
  return TRUE;
}

static gboolean
pan_key_cb (GtkWidget *widget,
            GVariant  *arguments,
            gpointer   user_data)
{
  double dx, dy;

  g_variant_get (arguments, "(dd)", &dx, &dy);
  attn_figure_view_pan (ATTN_FIGURE_VIEW (widget), dx, dy);
  return TRUE;
}

static gboolean
fit_key_cb (GtkWidget *widget,
            GVariant  *arguments,
            gpointer   user_data)
{
  attn_figure_view_fit (ATTN_FIGURE_VIEW (widget));
  return TRUE;
}

static gboolean
pixels_key_cb (GtkWidget *widget,
               GVariant  *arguments,
               gpointer   user_data)
{
  attn_figure_view_zoom_to_pixels (ATTN_FIGURE_VIEW (widget));
  return TRUE;
}

static gboolean
move_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  gint64 rows, columns;
  gboolean extends;

  g_variant_get (arguments, "(xxb)", &rows, &columns, &extends);
  attn_figure_view_move_cursor (ATTN_FIGURE_VIEW (widget), (gssize) rows, (gssize) columns,
                                extends);
  return TRUE;
}

/* As many rows as are shown, less one. */
static gboolean
page_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, self->cursor.group);
  AttnViewport viewport = attn_views_get (&self->views, self->cursor.group);
  gssize n = panel != NULL ? (gssize) (attn_panel_get_n_rows (panel) * viewport.height) - 1 : 0;

  attn_figure_view_move_cursor (self, g_variant_get_int32 (arguments) * MAX (n, 1), 0, FALSE);
  return TRUE;
}

/* At the last panel Tab goes on to the next widget, as anywhere. */
static gboolean
panel_key_cb (GtkWidget *widget,
              GVariant  *arguments,
              gpointer   user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);

  return self->cursor.group >= 0 &&
         attn_figure_view_move_panel (self, g_variant_get_int32 (arguments));
}

/* To the panel above or below. */
static gboolean
panel_row_key_cb (GtkWidget *widget,
                  GVariant  *arguments,
                  gpointer   user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  int n_columns = self->grid != NULL ? (int) self->grid->n_columns : 1;

  attn_figure_view_move_panel (self, g_variant_get_int32 (arguments) * n_columns);
  return TRUE;
}

static gboolean
toggle_row_key_cb (GtkWidget *widget,
                   GVariant  *arguments,
                   gpointer   user_data)
{
  attn_figure_view_toggle_row (ATTN_FIGURE_VIEW (widget));
  return TRUE;
}

static gboolean
activate_key_cb (GtkWidget *widget,
                 GVariant  *arguments,
                 gpointer   user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);

  if (self->tool == ATTN_FIGURE_TOOL_REGION)
    attn_figure_view_corner (self);
  else if (self->cursor.group >= 0)
    g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_ACTIVATED], 0);
  return TRUE;
}

static gboolean
remove_key_cb (GtkWidget *widget,
               GVariant  *arguments,
               gpointer   user_data)
{
  attn_figure_view_remove_picked (ATTN_FIGURE_VIEW (widget));
  return TRUE;
}

static gboolean
escape_key_cb (GtkWidget *widget,
               GVariant  *arguments,
               gpointer   user_data)
{
  return attn_figure_view_escape (ATTN_FIGURE_VIEW (widget));
}

/* Beside the cell of the cursor, else in the middle. */
static gboolean
menu_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  double x = gtk_widget_get_width (widget) / 2.0;
  double y = gtk_widget_get_height (widget) / 2.0;
  AttnRectangle cell;

  if (attn_figure_view_get_cell_rectangle (self, &self->cursor, &cell))
    {
      x = cell.x + cell.width / 2;
      y = cell.y + cell.height;
    }
  attn_figure_view_ask_menu (self, x, y);
  return TRUE;
}

/* A key and its twin on the number pad. */
static void
bind (GtkWidgetClass  *klass,
      guint            key,
      guint            pad_key,
      GdkModifierType  modifiers,
      GtkShortcutFunc  function,
      const char      *format,
      gint64           rows,
      gint64           columns,
      Extending        extending)
{
  const guint keys[] = { key, pad_key };

  for (gsize i = 0; i < G_N_ELEMENTS (keys) && keys[i] != 0; i++)
    gtk_widget_class_add_binding (klass, keys[i], modifiers, function, format, rows, columns,
                                  (gboolean) (extending == MOVE_EXTENDING));
}

static void
bind_cursor_keys (GtkWidgetClass *klass)
{
  static const struct
  {
    guint key;
    guint pad_key;
    int rows;
    int columns;
  } arrows[] = {
    { GDK_KEY_Left, GDK_KEY_KP_Left, 0, -1 },
    { GDK_KEY_Right, GDK_KEY_KP_Right, 0, 1 },
    { GDK_KEY_Up, GDK_KEY_KP_Up, -1, 0 },
    { GDK_KEY_Down, GDK_KEY_KP_Down, 1, 0 },
  };
  const GdkModifierType both = GDK_CONTROL_MASK | GDK_SHIFT_MASK;

  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    {
      guint keys[] = { arrows[i].key, arrows[i].pad_key };

      bind (klass, keys[0], keys[1], 0, move_key_cb, "(xxb)", arrows[i].rows, arrows[i].columns,
            MOVE_ALONE);
      bind (klass, keys[0], keys[1], GDK_CONTROL_MASK, move_key_cb, "(xxb)", FAR * arrows[i].rows,
            FAR * arrows[i].columns, MOVE_ALONE);
      bind (klass, keys[0], keys[1], GDK_SHIFT_MASK, move_key_cb, "(xxb)", arrows[i].rows,
            arrows[i].columns, MOVE_EXTENDING);
      for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
        gtk_widget_class_add_binding (klass, keys[k], both, pan_key_cb, "(dd)",
                                      arrows[i].columns * KEY_STEP, arrows[i].rows * KEY_STEP);
    }
  bind (klass, GDK_KEY_Home, GDK_KEY_KP_Home, 0, move_key_cb, "(xxb)", 0, -FARTHEST, MOVE_ALONE);
  bind (klass, GDK_KEY_End, GDK_KEY_KP_End, 0, move_key_cb, "(xxb)", 0, FARTHEST, MOVE_ALONE);
  bind (klass, GDK_KEY_Home, GDK_KEY_KP_Home, GDK_CONTROL_MASK, move_key_cb, "(xxb)", -FARTHEST,
        -FARTHEST, MOVE_ALONE);
  bind (klass, GDK_KEY_End, GDK_KEY_KP_End, GDK_CONTROL_MASK, move_key_cb, "(xxb)", FARTHEST,
        FARTHEST, MOVE_ALONE);
}

static void
bind_step (GtkWidgetClass  *klass,
           guint            key,
           guint            pad_key,
           GdkModifierType  modifiers,
           GtkShortcutFunc  function,
           int              step)
{
  gtk_widget_class_add_binding (klass, key, modifiers, function, "i", step);
  gtk_widget_class_add_binding (klass, pad_key, modifiers, function, "i", step);
}

static void
bind_panel_keys (GtkWidgetClass *klass)
{
  bind_step (klass, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, 0, page_key_cb, -1);
  bind_step (klass, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, 0, page_key_cb, 1);
  bind_step (klass, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, GDK_CONTROL_MASK, panel_row_key_cb, -1);
  bind_step (klass, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, GDK_CONTROL_MASK, panel_row_key_cb,
             1);
  bind_step (klass, GDK_KEY_Tab, GDK_KEY_KP_Tab, 0, panel_key_cb, 1);
  bind_step (klass, GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK, panel_key_cb, -1);
}

static void
bind_view_keys (GtkWidgetClass *klass)
{
  static const guint closer[] = { GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add };
  static const guint further[] = { GDK_KEY_minus, GDK_KEY_KP_Subtract };
  static const guint fit[] = { GDK_KEY_0, GDK_KEY_KP_0 };
  static const guint pixels[] = { GDK_KEY_1, GDK_KEY_KP_1 };

  for (gsize i = 0; i < G_N_ELEMENTS (closer); i++)
    gtk_widget_class_add_binding (klass, closer[i], 0, zoom_key_cb, "d", KEY_FACTOR);
  for (gsize i = 0; i < G_N_ELEMENTS (further); i++)
    gtk_widget_class_add_binding (klass, further[i], 0, zoom_key_cb, "d", 1 / KEY_FACTOR);
  for (gsize i = 0; i < G_N_ELEMENTS (fit); i++)
    gtk_widget_class_add_binding (klass, fit[i], 0, fit_key_cb, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (pixels); i++)
    gtk_widget_class_add_binding (klass, pixels[i], 0, pixels_key_cb, NULL);
}

static void
bind_other_keys (GtkWidgetClass *klass)
{
  static const guint activate[] = { GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter };
  static const guint remove[] = { GDK_KEY_Delete, GDK_KEY_KP_Delete, GDK_KEY_BackSpace };
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

  gtk_widget_class_add_binding (klass, GDK_KEY_space, 0, toggle_row_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_space, GDK_CONTROL_MASK, toggle_row_key_cb, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (activate); i++)
    gtk_widget_class_add_binding (klass, activate[i], 0, activate_key_cb, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (remove); i++)
    gtk_widget_class_add_binding (klass, remove[i], 0, remove_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, escape_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Menu, 0, menu_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_F10, GDK_SHIFT_MASK, menu_key_cb, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    gtk_widget_class_add_binding_action (klass, letters[i].key, 0, letters[i].action, NULL);
}

void
attn_figure_view_add_bindings (GtkWidgetClass *klass)
{
  bind_cursor_keys (klass);
  bind_panel_keys (klass);
  bind_view_keys (klass);
  bind_other_keys (klass);
}
