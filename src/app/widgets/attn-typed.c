/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-typed.h"

#include <glib/gi18n.h>
#include <langinfo.h>

#include "attn-popover.h"
#include "attn-text.h"

#define SECONDS   8  /* after which the sentence closes */
#define MAX_CHARS 44 /* of a line of the sentence */

#define POPOVER "attn-typed-popover"

/* --- Numbers that the user types -------------------------------------------------------------- */

/**
 * attn_typed_dup_number:
 * @text: a number as the user typed it
 *
 * Returns: (transfer full): the text with a point in place of the decimal sign of the locale, and a
 *   hyphen in place of a true minus sign
 */
char *
attn_typed_dup_number (const char *text)
{
  g_auto (GStrv) signs = g_strsplit (text, "−", -1);
  g_autofree char *plain = g_strjoinv ("-", signs);

  if (strchr (plain, '.') != NULL)
    return g_steal_pointer (&plain);
  g_auto (GStrv) parts = g_strsplit (plain, nl_langinfo (RADIXCHAR), -1);
  return g_strjoinv (".", parts);
}

/**
 * attn_typed_parse:
 *
 * Returns: whether @text is a number, with a decimal point or with the decimal sign of the locale;
 *   if so, @value is set
 */
gboolean
attn_typed_parse (const char *text,
                  double     *value)
{
  g_autofree char *plain = attn_typed_dup_number (text);

  return attn_text_parse_number (plain, value);
}

/* --- The sentence at an entry about a wrong text ---------------------------------------------- */

static gboolean
read_cb (gpointer user_data)
{
  GtkPopover *popover = user_data;

  if (gtk_widget_get_parent (GTK_WIDGET (popover)) != NULL)
    gtk_popover_popdown (popover);
  return G_SOURCE_REMOVE;
}

/* Closes the sentence about a wrong text at the entry, if there is one. */
static void
close_popover (GtkWidget *entry)
{
  GtkPopover *popover = g_object_get_data (G_OBJECT (entry), POPOVER);

  if (popover != NULL && gtk_widget_get_parent (GTK_WIDGET (popover)) != NULL)
    gtk_popover_popdown (popover);
  g_object_set_data (G_OBJECT (entry), POPOVER, NULL);
}

static void
flags_changed_cb (GtkWidget     *entry,
                  GtkStateFlags  before)
{
  GtkStateFlags flags = gtk_widget_get_state_flags (entry);

  if ((before & ~flags & GTK_STATE_FLAG_FOCUS_WITHIN) != 0)
    close_popover (entry);
}

/* Closes the sentence at an entry when the focus leaves it. This is watched only after the present
 * event: a typed text is often read just when the focus leaves, and the sentence about it would
 * close at once. */
static gboolean
watch_cb (gpointer entry)
{
  g_signal_connect (entry, "state-flags-changed", G_CALLBACK (flags_changed_cb), NULL);
  return G_SOURCE_REMOVE;
}

/* Tells whether a popover can point at an entry: not if the entry is scrolled out of sight, or
 * beyond the edge of the screen in a window that is larger than it, where GDK cannot place the
 * popover. */
static gboolean
is_in_sight (GtkWidget *entry)
{
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_root (entry));
  GtkWidget *list = gtk_widget_get_ancestor (entry, GTK_TYPE_VIEWPORT);
  graphene_rect_t bounds, within, common;
  GdkRectangle screen;

  if (!gtk_widget_get_mapped (entry) || !gtk_widget_compute_bounds (entry, window, &bounds) ||
      (list != NULL && (!gtk_widget_compute_bounds (list, window, &within) ||
                        !graphene_rect_intersection (&bounds, &within, &common))))
    return FALSE;
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  GdkMonitor *monitor =
      gdk_display_get_monitor_at_surface (gtk_widget_get_display (entry), surface);
  if (monitor == NULL)
    return FALSE;
  gdk_monitor_get_geometry (monitor, &screen);
  return bounds.origin.y < screen.height && bounds.origin.x < screen.width;
}

/* Shows a sentence in a popover at an entry, until the focus leaves the entry or %SECONDS have
 * passed. The popover takes no focus, so that the user can go on typing. */
static void
say (GtkWidget  *entry,
     const char *sentence)
{
  GdkRectangle place = { 0, 0, gtk_widget_get_width (entry), gtk_widget_get_height (entry) };

  close_popover (entry);
  g_signal_handlers_disconnect_by_func (entry, flags_changed_cb, NULL);
  if (!is_in_sight (entry))
    return;
  GtkWidget *label = gtk_label_new (sentence);
  GtkWidget *popover = gtk_popover_new ();
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_CHARS);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_popover_set_child (GTK_POPOVER (popover), label);
  gtk_popover_set_autohide (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_can_focus (popover, FALSE);
  g_object_ref_sink (popover);
  if (attn_popover_open (GTK_POPOVER (popover), entry, &place))
    {
      g_object_set_data_full (G_OBJECT (entry), POPOVER, g_object_ref (popover), g_object_unref);
      g_signal_connect_object (entry, "unmap", G_CALLBACK (gtk_popover_popdown), popover,
                               G_CONNECT_SWAPPED);
      g_timeout_add_seconds_full (G_PRIORITY_DEFAULT, SECONDS, read_cb, g_object_ref (popover),
                                  g_object_unref);
      g_idle_add_full (G_PRIORITY_HIGH, watch_cb, g_object_ref (entry), g_object_unref);
    }
  g_object_unref (popover);
}

/**
 * attn_typed_refuse:
 * @entry: the entry whose text cannot be used
 * @sentence: (nullable): a sentence with what was found and what was expected; %NULL if it is shown
 *   elsewhere
 *
 * Marks the entry as invalid, and shows the sentence at it.
 */
void
attn_typed_refuse (GtkWidget  *entry,
                   const char *sentence)
{
  gtk_widget_add_css_class (entry, "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               GTK_ACCESSIBLE_INVALID_TRUE, -1);
  if (sentence == NULL)
    return;
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  sentence, -1);
  say (entry, sentence);
}

gboolean
attn_typed_is_refused (GtkWidget *entry)
{
  return gtk_widget_has_css_class (entry, "error");
}

/**
 * attn_typed_accept:
 *
 * Takes back the mark and the sentence of attn_typed_refuse().
 *
 * Returns: whether the entry was marked
 */
gboolean
attn_typed_accept (GtkWidget *entry)
{
  if (!attn_typed_is_refused (entry))
    return FALSE;
  gtk_widget_remove_css_class (entry, "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               GTK_ACCESSIBLE_INVALID_FALSE, -1);
  gtk_accessible_reset_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  close_popover (entry);
  return TRUE;
}

/* --- Spin buttons with typed numbers ---------------------------------------------------------- */

/**
 * attn_typed_check_spin:
 *
 * Shows a sentence at a spin button if its text is no number or out of range. GTK does not tell of
 * that: it takes the nearest number that is allowed, or keeps the one before.
 */
void
attn_typed_check_spin (GtkSpinButton *spin)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (spin));
  int n_digits = (int) gtk_spin_button_get_digits (spin);
  double value, low, high;

  gtk_spin_button_get_range (spin, &low, &high);
  if (attn_typed_parse (text, &value) && value >= low && value <= high)
    {
      close_popover (GTK_WIDGET (spin));
      return;
    }
  g_autofree char *least = g_strdup_printf ("%.*f", n_digits, low);
  g_autofree char *most = g_strdup_printf ("%.*f", n_digits, high);
  /* Translators: what was typed, then the smallest and the largest number there may be */
  g_autofree char *sentence =
      g_strdup_printf (_("“%s” found, expected a number from %s to %s"), text, least, most);
  say (GTK_WIDGET (spin), sentence);
}

static gboolean
reading_spin_cb (GSignalInvocationHint *hint,
                 guint                  n_values,
                 const GValue          *values,
                 gpointer               user_data)
{
  GtkSpinButton *spin = g_value_get_object (&values[0]);

  /* A spin button that also reads words has a handler of its own for "input", and is left to that
   * handler. */
  if (!g_signal_has_handler_pending (spin, hint->signal_id, 0, TRUE))
    attn_typed_check_spin (spin);
  return TRUE;
}

/**
 * attn_typed_watch_spins:
 *
 * From now on every spin button shows a sentence if it does not take the typed text, see
 * attn_typed_check_spin(). To be called once.
 */
void
attn_typed_watch_spins (void)
{
  g_autoptr (GTypeClass) spins = g_type_class_ref (GTK_TYPE_SPIN_BUTTON);

  g_signal_add_emission_hook (g_signal_lookup ("input", G_TYPE_FROM_CLASS (spins)), 0,
                              reading_spin_cb, NULL, NULL);
}
