/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of words, one in each row, of which the user chooses one. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_WORD_MARGIN 6 /* the margin around a word, pixels */

/* Replaces the rows of a list. @words: (array zero-terminated=1): a word for each new row */
static inline void
attn_word_list_fill (GtkListBox         *list,
                     const char * const *words)
{
  GtkWidget *old;

  while ((old = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_list_box_remove (list, old);
  for (guint i = 0; words[i] != NULL; i++)
    {
      GtkWidget *row = gtk_list_box_row_new ();
      GtkWidget *word = gtk_label_new (words[i]);

      gtk_label_set_xalign (GTK_LABEL (word), 0);
      gtk_widget_set_margin_start (word, ATTN_WORD_MARGIN);
      gtk_widget_set_margin_end (word, ATTN_WORD_MARGIN);
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), word);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      words[i], -1);
      gtk_list_box_append (list, row);
    }
}

G_END_DECLS
