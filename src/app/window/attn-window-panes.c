/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar and the inspector, which are built behind the first frame that shows a figure: they
 * have most widgets of the window, and the figure needs none of them. Until then an empty box keeps
 * the place of the side bar, so that nothing moves when it comes. Whatever needs one of the panes
 * earlier has it built then. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-key-guard.h"

/* The milliseconds after which a window gets its side bar and inspector even if no figure is
 * painted. */
#define MOST_MS 250

/**
 * attn_window_show_typed_error:
 * @error: (nullable): %NULL to remove the notice, as the value has been corrected
 *
 * Shows in a notice that a typed value is invalid.
 */
void
attn_window_show_typed_error (AttnWindow   *self,
                              const GError *error)
{
  if (error == NULL)
    attn_notices_hide (self->notices, ATTN_NOTICE_ENTRY);
  else
    attn_notices_show_error (self->notices, ATTN_NOTICE_ENTRY, _("That Cannot Be Used"), error,
                             NULL, 0);
}

static gboolean
show_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->showing = 0;
  gtk_widget_set_opacity (GTK_WIDGET (self->sidebar), 1);
  return G_SOURCE_REMOVE;
}

/* Has the side bar seen behind the frame in which it is laid out first. In that frame the texts of
 * the inputs have no height yet: GTK measures them in an idle after it, before this one. */
static gboolean
laid_out_cb (GtkWidget     *sidebar,
             GdkFrameClock *clock,
             gpointer       user_data)
{
  AttnWindow *self = user_data;

  self->showing = g_idle_add (show_cb, self);
  return G_SOURCE_REMOVE;
}

/**
 * attn_window_get_sidebar:
 *
 * Returns: (transfer none): the side bar, which is built now if it is not there yet
 */
AttnSidebar *
attn_window_get_sidebar (AttnWindow *self)
{
  if (self->sidebar != NULL)
    return self->sidebar;

  GtkWidget *place = gtk_paned_get_start_child (self->panes);
  gboolean is_visible = gtk_widget_get_visible (place);
  int width;
  gtk_widget_get_size_request (place, &width, NULL);

  self->sidebar = g_object_new (ATTN_TYPE_SIDEBAR, "width-request", width, "visible", is_visible,
                                "opacity", 0.0, NULL);
  g_signal_connect_object (self->sidebar, "failed", G_CALLBACK (attn_window_show_typed_error), self,
                           G_CONNECT_SWAPPED);
  attn_sidebar_set_session (self->sidebar, self->session, self->reading);
  attn_key_guard_add (GTK_WIDGET (self->sidebar));
  gtk_paned_set_start_child (self->panes, GTK_WIDGET (self->sidebar));
  gtk_widget_add_tick_callback (GTK_WIDGET (self->sidebar), laid_out_cb, self, NULL);
  return self->sidebar;
}

/**
 * attn_window_get_inspector:
 *
 * Returns: (transfer none): the inspector, which is built now, hidden, if it is not there yet
 */
AttnInspector *
attn_window_get_inspector (AttnWindow *self)
{
  if (self->inspector != NULL)
    return self->inspector;

  self->inspector = g_object_new (ATTN_TYPE_INSPECTOR, "visible", FALSE, NULL);
  attn_inspector_set_figure (self->inspector, self->session, self->reading);
  attn_key_guard_add (GTK_WIDGET (self->inspector));
  gtk_paned_set_end_child (self->figure_panes, GTK_WIDGET (self->inspector));
  return self->inspector;
}

/**
 * attn_window_get_inputs:
 *
 * Returns: (transfer none): the section of the inputs in the side bar, which is built now if it is
 *   not there yet
 */
AttnInputsSection *
attn_window_get_inputs (AttnWindow *self)
{
  return attn_sidebar_get_inputs (attn_window_get_sidebar (self));
}

static gboolean
build_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->building = 0;
  /* Sends the previous frame to the display server first, as GTK would do so only after the panes
   * are built. */
  gdk_display_flush (gtk_widget_get_display (GTK_WIDGET (self)));
  attn_window_get_sidebar (self);
  attn_window_get_inspector (self);
  return G_SOURCE_REMOVE;
}

/* Builds the side bar before a key is handled, since the key may be for a control in the side
 * bar. */
static gboolean
key_pressed_cb (AttnWindow *self)
{
  attn_window_get_sidebar (self);
  return GDK_EVENT_PROPAGATE;
}

static gboolean
has_panes (AttnWindow *self)
{
  return self->sidebar != NULL && self->inspector != NULL;
}

static void
map_cb (AttnWindow *self)
{
  if (!has_panes (self) && self->building == 0)
    self->building = g_timeout_add (MOST_MS, build_cb, self);
}

/**
 * attn_window_build_behind_frame:
 *
 * Has the panes built as soon as the frame that is being painted is done, before any event.
 */
void
attn_window_build_behind_frame (AttnWindow *self)
{
  if (has_panes (self))
    return;
  g_clear_handle_id (&self->building, g_source_remove);
  self->building = g_idle_add_full (G_PRIORITY_HIGH, build_cb, self, NULL);
}

/**
 * attn_window_add_panes:
 *
 * Has the panes built in any case: soon, if no figure is painted, or when a key is pressed.
 */
void
attn_window_add_panes (AttnWindow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect (self, "map", G_CALLBACK (map_cb), NULL);
}
