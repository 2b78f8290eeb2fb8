/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inline-choice.h"

#include <glib/gi18n.h>

#include "attn-reveal.h"
#include "attn-signal.h"
#include "attn-word-list.h"

struct _AttnInlineChoice
{
  GtkBox parent_instance;

  char *label; /* name of what is chosen */
  GStrv words;
  guint selected;
  GtkWidget *button; /* unfolds the list */
  GtkWidget *shown;  /* the chosen word, on the button */
  GtkListBox *list;
};

enum
{
  SIGNAL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnInlineChoice, attn_inline_choice, GTK_TYPE_BOX)

static void
show_selected (AttnInlineChoice *self)
{
  gboolean is_known = self->selected < g_strv_length (self->words);
  const char *word = is_known ? self->words[self->selected] : "";
  /* Translators: a setting, and one of its values */
  g_autofree char *name = g_strdup_printf (_("%s: %s"), self->label, word);

  gtk_label_set_label (GTK_LABEL (self->shown), word);
  gtk_list_box_select_row (self->list,
                           is_known ? gtk_list_box_get_row_at_index (self->list,
                                                                     (int) self->selected)
                                    : NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, -1);
}

static void
row_activated_cb (AttnInlineChoice *self,
                  GtkListBoxRow    *row)
{
  guint selected = (guint) gtk_list_box_row_get_index (row);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->button), FALSE);
  gtk_widget_grab_focus (self->button);
  if (selected == self->selected)
    return;
  self->selected = selected;
  show_selected (self);
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0);
}

/* Unfolds the list, with the focus on the chosen word, or folds it, as the button is on or off. */
static void
toggled_cb (AttnInlineChoice *self)
{
  gboolean is_open = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->button));
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  gtk_widget_set_visible (GTK_WIDGET (self->list), is_open);
  if (is_open && row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
  if (is_open)
    attn_reveal (GTK_WIDGET (self->list));
}

static void
attn_inline_choice_dispose (GObject *object)
{
  AttnInlineChoice *self = ATTN_INLINE_CHOICE (object);

  g_clear_pointer (&self->label, g_free);
  g_clear_pointer (&self->words, g_strfreev);

  G_OBJECT_CLASS (attn_inline_choice_parent_class)->dispose (object);
}

static void
attn_inline_choice_class_init (AttnInlineChoiceClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_inline_choice_dispose;

  /* (): emitted when the user has chosen another word. */
  signals[SIGNAL_CHOSEN] = attn_signal_new (klass, "chosen", 0);
}

static void
attn_inline_choice_init (AttnInlineChoice *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->words = g_new0 (char *, 1);
  self->button = gtk_toggle_button_new ();
  self->shown = gtk_label_new (NULL);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_label_set_xalign (GTK_LABEL (self->shown), 0);
  gtk_widget_set_hexpand (self->shown, TRUE);
  gtk_box_append (GTK_BOX (line), self->shown);
  gtk_box_append (GTK_BOX (line), gtk_image_new_from_icon_name ("pan-down-symbolic"));
  gtk_button_set_child (GTK_BUTTON (self->button), line);
  gtk_widget_set_visible (GTK_WIDGET (self->list), FALSE);
  gtk_box_append (GTK_BOX (self), self->button);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->list));
  g_signal_connect_swapped (self->button, "toggled", G_CALLBACK (toggled_cb), self);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (row_activated_cb), self);
}

/**
 * attn_inline_choice_new:
 * @label: name of what is chosen, for assistive technology
 *
 * Returns: (transfer floating): a choice whose list has no words yet
 */
GtkWidget *
attn_inline_choice_new (const char *label)
{
  AttnInlineChoice *choice = g_object_new (ATTN_TYPE_INLINE_CHOICE, NULL);

  choice->label = g_strdup (label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (choice->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  show_selected (choice);
  return GTK_WIDGET (choice);
}

/**
 * attn_inline_choice_set_words:
 * @words: (array zero-terminated=1): the words to choose from
 *
 * Replaces the words. The index of the chosen one stays the same.
 */
void
attn_inline_choice_set_words (AttnInlineChoice   *choice,
                              const char * const *words)
{
  if (g_strv_equal ((const char * const *) choice->words, words))
    return;
  g_strfreev (choice->words);
  choice->words = g_strdupv ((char **) words);
  attn_word_list_fill (choice->list, words);
  show_selected (choice);
}

/* Chooses the word with this index without emitting the signal "chosen". */
void
attn_inline_choice_set_selected (AttnInlineChoice *choice,
                                 guint             selected)
{
  if (choice->selected == selected)
    return;
  choice->selected = selected;
  show_selected (choice);
}

guint
attn_inline_choice_get_selected (AttnInlineChoice *choice)
{
  return choice->selected;
}
