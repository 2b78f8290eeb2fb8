/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-handle.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-epsilon-track.h"
#include "attn-error.h"
#include "attn-intervention.h"
#include "attn-signal.h"
#include "attn-text.h"
#include "attn-typed.h"

/* The width of an entry in characters: most factors fit, so that entries seldom change their
 * size. */
#define NUMBER_CHARS 5

#define PAGE 0.5 /* step of a handle by Page Up and Page Down, in powers of ten */

struct _AttnEpsilonHandle
{
  GObject parent_instance;

  double epsilon;
  GtkWidget *scale; /* the widget that has focus, keys and accessible value of the handle, which the
                     * slider draws */
  GtkWidget *entry; /* the number */
  gboolean is_syncing;
  gboolean is_typing;  /* whether the user has begun to type a number with the focus at the
                        * handle */
  gboolean has_failed; /* whether the text typed last is no valid factor */
};

enum
{
  SIGNAL_CHOSEN,
  SIGNAL_FOCUSED,
  SIGNAL_REMOVED,
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnEpsilonHandle, attn_epsilon_handle, G_TYPE_OBJECT)

static void
show (AttnEpsilonHandle *self)
{
  g_autofree char *text = attn_text_format_epsilon (self->epsilon);
  int n_chars = MAX ((int) g_utf8_strlen (text, -1), NUMBER_CHARS);

  self->is_syncing = TRUE;
  gtk_range_set_value (GTK_RANGE (self->scale), log10 (self->epsilon));
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  /* The entry is wide enough for the whole text: cut off, "5.2e-11" would read as another
   * number. */
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), n_chars);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), n_chars);
  self->is_syncing = FALSE;
  attn_typed_accept (self->entry);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
scaled_cb (AttnEpsilonHandle *self)
{
  double epsilon = pow (10, gtk_range_get_value (GTK_RANGE (self->scale)));

  if (!self->is_syncing)
    g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, attn_epsilon_round (epsilon, 2));
}

/* --- Typing of the factor's number ------------------------------------------------------------ */

/* Takes back the error about a typed text, as that text is gone. */
static void
mend (AttnEpsilonHandle *self)
{
  if (!self->has_failed)
    return;
  self->has_failed = FALSE;
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, NULL);
}

static void
take_typed (AttnEpsilonHandle *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  double epsilon;

  if (!attn_typed_parse (text, &epsilon) || epsilon < ATTN_EPSILON_MIN ||
      epsilon > ATTN_EPSILON_MAX)
    {
      g_autoptr (GError) error =
          g_error_new (ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                       _("ε: “%s” found, expected a number from 1e-12 to 1e3, such as 0.7"), text);

      attn_typed_refuse (self->entry, error->message);
      self->has_failed = TRUE;
      g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
      return;
    }
  mend (self);
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, epsilon);
  show (self);
}

/* Takes the typed number as the factor, and gives the focus to the handle, where the next number
 * can be typed. */
static void
activated_cb (AttnEpsilonHandle *self)
{
  take_typed (self);
  if (attn_typed_is_refused (self->entry))
    gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
  else
    gtk_widget_grab_focus (self->scale);
}

/* Takes the typed number when the focus leaves the entry, as with Tab. If the text is no valid
 * factor, the entry shows the factor that acts again; the message about a text that is refused only
 * now stays, to be read. */
static void
left_cb (AttnEpsilonHandle *self)
{
  g_autofree char *text = attn_text_format_epsilon (self->epsilon);

  if (attn_typed_is_refused (self->entry))
    mend (self);
  else if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->entry)), text))
    take_typed (self);
  if (attn_typed_is_refused (self->entry))
    show (self);
}

static gboolean
select_cb (gpointer entry)
{
  gtk_editable_select_region (GTK_EDITABLE (entry), 0, -1);
  return G_SOURCE_REMOVE;
}

static void
focused_cb (AttnEpsilonHandle *self)
{
  g_signal_emit (self, signals[SIGNAL_FOCUSED], 0);
}

/* Selects the number when its entry gets the focus, to be replaced by typing. This is done in an
 * idle callback, which runs after the click has placed the text cursor, but before the next key. */
static void
entered_cb (AttnEpsilonHandle *self)
{
  focused_cb (self);
  if (!self->is_typing)
    g_idle_add_full (G_PRIORITY_HIGH, select_cb, g_object_ref (self->entry), g_object_unref);
}

/* Puts a character that was typed at the handle into its entry, where the user types the rest.
 * Returns: whether a number can begin with it */
static gboolean
begin_number (AttnEpsilonHandle *self,
              guint              key)
{
  gunichar character = gdk_keyval_to_unicode (key);
  char text[7] = "";

  if (!g_unichar_isdigit (character) && character != '.' && character != ',')
    return FALSE;
  g_unichar_to_utf8 (character, text);
  self->is_typing = TRUE;
  gtk_entry_grab_focus_without_selecting (GTK_ENTRY (self->entry));
  self->is_typing = FALSE;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
  return TRUE;
}

static gboolean
entry_key_cb (AttnEpsilonHandle *self,
              guint              key)
{
  if (key != GDK_KEY_Escape)
    return FALSE;
  show (self); /* the typed text is replaced */
  mend (self);
  gtk_widget_grab_focus (self->scale);
  return TRUE;
}

static gboolean
scale_key_cb (AttnEpsilonHandle *self,
              guint              key,
              guint              code,
              GdkModifierType    state)
{
  if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter)
    gtk_widget_grab_focus (self->entry);
  else if (key == GDK_KEY_Delete)
    g_signal_emit (self, signals[SIGNAL_REMOVED], 0);
  else
    return (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0 && begin_number (self, key);
  return TRUE;
}

/* --- The life of the handle ------------------------------------------------------------------- */

static void
attn_epsilon_handle_dispose (GObject *object)
{
  AttnEpsilonHandle *self = ATTN_EPSILON_HANDLE (object);

  /* GTK may still tell the entry that the focus leaves it. */
  if (self->entry != NULL)
    {
      gtk_widget_unparent (self->scale);
      gtk_widget_unparent (self->entry);
    }
  self->scale = self->entry = NULL;

  G_OBJECT_CLASS (attn_epsilon_handle_parent_class)->dispose (object);
}

static void
attn_epsilon_handle_class_init (AttnEpsilonHandleClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_epsilon_handle_dispose;

  /* (double epsilon): emitted when the user asks for another factor by the keyboard. The handle
   * keeps its own until attn_epsilon_handle_set_epsilon(). */
  signals[SIGNAL_CHOSEN] = attn_signal_new (klass, "chosen", 1, G_TYPE_DOUBLE);
  /* (): emitted when the handle or its number gets the focus. */
  signals[SIGNAL_FOCUSED] = attn_signal_new (klass, "focused", 0);
  /* (): emitted when the handle is to be removed. */
  signals[SIGNAL_REMOVED] = attn_signal_new (klass, "removed", 0);
  /* (GError *error): emitted when the typed text is no valid factor, and with NULL when that text
   * is gone. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
}

static void
add_controller (AttnEpsilonHandle *self,
                GtkWidget         *widget,
                gpointer           controller,
                const char        *signal,
                GCallback          callback)
{
  g_signal_connect_swapped (controller, signal, callback, self);
  gtk_widget_add_controller (widget, controller);
}

static void
attn_epsilon_handle_init (AttnEpsilonHandle *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->epsilon = 1;
  self->scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, log10 (ATTN_EPSILON_MIN),
                                          log10 (ATTN_EPSILON_MAX), ATTN_EPSILON_STEP);
  gtk_widget_set_can_target (self->scale, FALSE);
  gtk_range_set_increments (GTK_RANGE (self->scale), ATTN_EPSILON_STEP, PAGE);
  g_signal_connect_swapped (self->scale, "value-changed", G_CALLBACK (scaled_cb), self);
  add_controller (self, self->scale, gtk_event_controller_key_new (), "key-pressed",
                  G_CALLBACK (scale_key_cb));
  add_controller (self, self->scale, gtk_event_controller_focus_new (), "enter",
                  G_CALLBACK (focused_cb));

  self->entry = gtk_entry_new ();
  gtk_editable_set_alignment (GTK_EDITABLE (self->entry), 0.5);
  gtk_editable_set_enable_undo (GTK_EDITABLE (self->entry), FALSE);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (activated_cb), self);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (entered_cb), self);
  add_controller (self, self->entry, focus, "leave", G_CALLBACK (left_cb));
  add_controller (self, self->entry, gtk_event_controller_key_new (), "key-pressed",
                  G_CALLBACK (entry_key_cb));
  show (self);
}

/**
 * attn_epsilon_handle_new:
 * @slider: the parent of the handle's widgets, until the handle is disposed of
 *
 * Returns: (transfer full): a handle at the factor 1
 */
AttnEpsilonHandle *
attn_epsilon_handle_new (GtkWidget *slider)
{
  AttnEpsilonHandle *handle = g_object_new (ATTN_TYPE_EPSILON_HANDLE, NULL);

  gtk_widget_set_parent (handle->scale, slider);
  gtk_widget_set_parent (handle->entry, slider);
  return handle;
}

double
attn_epsilon_handle_get_epsilon (AttnEpsilonHandle *handle)
{
  return handle->epsilon;
}

/* Sets the factor of the handle. A number that is being typed in its entry is replaced. */
void
attn_epsilon_handle_set_epsilon (AttnEpsilonHandle *handle,
                                 double             epsilon)
{
  if (epsilon == handle->epsilon)
    return;
  handle->epsilon = epsilon;
  show (handle);
}

/**
 * attn_epsilon_handle_set_high:
 * @high: the power of ten at the right end of the track; keys do not move the handle beyond it
 */
void
attn_epsilon_handle_set_high (AttnEpsilonHandle *handle,
                              double             high)
{
  handle->is_syncing = TRUE;
  gtk_range_set_range (GTK_RANGE (handle->scale), log10 (ATTN_EPSILON_MIN), high);
  handle->is_syncing = FALSE;
}

/* Returns the widget that has the handle's focus and keys. */
GtkWidget *
attn_epsilon_handle_get_scale (AttnEpsilonHandle *handle)
{
  return handle->scale;
}

/* Returns the entry of the handle's number. */
GtkWidget *
attn_epsilon_handle_get_entry (AttnEpsilonHandle *handle)
{
  return handle->entry;
}
