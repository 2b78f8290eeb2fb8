/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-drag.h"

static GdkContentProvider *
drag_prepare_cb (AttnInputRow *row,
                 double        x,
                 double        y)
{
  return gdk_content_provider_new_typed (ATTN_TYPE_INPUT_ROW, row);
}

/* Returns a picture of the row as it looks now, with the background of the side bar, to be drawn at
 * the pointer while the row is dragged. */
static GdkPaintable *
draw_icon (AttnInputRow *row)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (GTK_WIDGET (row));
  g_autoptr (GdkPaintable) image = gdk_paintable_get_current_image (paintable);
  int width = gtk_widget_get_width (GTK_WIDGET (row));
  int height = gtk_widget_get_height (GTK_WIDGET (row));
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GdkRGBA ground;

  if (gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (row)),
                                      "theme_bg_color", &ground))
    gtk_snapshot_append_color (snapshot, &ground, &GRAPHENE_RECT_INIT (0, 0, width, height));
  gdk_paintable_snapshot (image, snapshot, width, height);
  return gtk_snapshot_free_to_paintable (snapshot, &GRAPHENE_SIZE_INIT (width, height));
}

static void
drag_begin_cb (AttnInputRow  *row,
               GdkDrag       *drag,
               GtkDragSource *source)
{
  g_autoptr (GdkPaintable) icon = draw_icon (row);

  gtk_drag_source_set_icon (source, icon, 0, 0);
  gtk_widget_add_css_class (GTK_WIDGET (row), "dragged");
}

static void
drag_end_cb (AttnInputRow *row)
{
  gtk_widget_remove_css_class (GTK_WIDGET (row), "dragged");
}

static void
forget_place (AttnInputRow *row)
{
  gtk_widget_remove_css_class (GTK_WIDGET (row), "drop-above");
  gtk_widget_remove_css_class (GTK_WIDGET (row), "drop-below");
}

/* Shows on a row where another row, dragged over it, would be dropped: that takes the place of this
 * row, and so lands below it if it comes from above. */
static GdkDragAction
show_place (AttnInputRow  *row,
            double         x,
            double         y,
            GtkDropTarget *target)
{
  const GValue *value = gtk_drop_target_get_value (target);
  AttnInputRow *other = value != NULL ? g_value_get_object (value) : NULL;

  forget_place (row);
  if (other != NULL && other != row)
    gtk_widget_add_css_class (GTK_WIDGET (row),
                              attn_input_row_get_index (other) < attn_input_row_get_index (row)
                                  ? "drop-below"
                                  : "drop-above");
  return GDK_ACTION_MOVE;
}

static gboolean
drop_cb (AttnInputRow *row,
         const GValue *value)
{
  AttnInputRow *other = g_value_get_object (value);

  forget_place (row);
  if (other == NULL || other == row ||
      gtk_widget_get_parent (GTK_WIDGET (other)) != gtk_widget_get_parent (GTK_WIDGET (row)))
    return FALSE;
  g_signal_emit_by_name (row, "dropped", other);
  return TRUE;
}

/**
 * attn_input_drag_add:
 *
 * Lets the user drag @row onto another row of the same list, or another onto @row. The row that
 * another is dropped on emits [signal@AttnInputRow::dropped].
 */
void
attn_input_drag_add (AttnInputRow *row)
{
  GtkWidget *handle = attn_input_row_get_handle (row);
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (ATTN_TYPE_INPUT_ROW, GDK_ACTION_MOVE);

  gtk_drag_source_set_actions (source, GDK_ACTION_MOVE);
  g_signal_connect_swapped (source, "prepare", G_CALLBACK (drag_prepare_cb), row);
  g_signal_connect_swapped (source, "drag-begin", G_CALLBACK (drag_begin_cb), row);
  g_signal_connect_swapped (source, "drag-end", G_CALLBACK (drag_end_cb), row);
  gtk_widget_add_controller (handle, GTK_EVENT_CONTROLLER (source));
  gtk_widget_set_cursor_from_name (handle, "grab");

  gtk_drop_target_set_preload (target, TRUE);
  g_signal_connect_swapped (target, "motion", G_CALLBACK (show_place), row);
  g_signal_connect_swapped (target, "leave", G_CALLBACK (forget_place), row);
  g_signal_connect_swapped (target, "drop", G_CALLBACK (drop_cb), row);
  gtk_widget_add_controller (GTK_WIDGET (row), GTK_EVENT_CONTROLLER (target));
}
