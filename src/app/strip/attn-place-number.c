/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-place-number.h"

#include <glib/gi18n.h>

#include "attn-cell.h"
#include "attn-head-place.h"
#include "attn-tooltip.h"

static void
setup_number_cb (GtkDropDown *number,
                 GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (g_object_get_data (G_OBJECT (number), "text"));

  gtk_label_set_width_chars (GTK_LABEL (label), 4);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
  g_object_set_data (G_OBJECT (number), "number", label);
}

/**
 * attn_place_number_begin:
 * @number: the list of the layers or heads that the user can choose
 * @name: the label that names the list
 * @initial: the one that does where room is short
 * @meaning: a sentence about the list, translated
 *
 * Makes the button of the list show the number of the layer or head on display, even if the program
 * chose it. The list and its labels explain it and the star that stands alone beside it, also for
 * assistive technology.
 */
void
attn_place_number_begin (GtkDropDown *number,
                         GtkWidget   *name,
                         GtkWidget   *initial,
                         const char  *meaning)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  g_autofree char *text =
      g_strdup_printf ("%s\n%s", meaning, attn_head_place_explain_strongest ());

  g_signal_connect_swapped (factory, "setup", G_CALLBACK (setup_number_cb), number);
  gtk_drop_down_set_factory (number, factory);
  attn_tooltip_set (GTK_WIDGET (number), text);
  attn_tooltip_set (name, text);
  attn_tooltip_set (initial, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (number), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text, -1);
}

/**
 * attn_place_number_show:
 * @applies: whether the figure has one layer, or one head, to choose
 * @shown: the number; below 0 with @applies for the strongest sink or the mean, without it for all
 * @is_strongest: whether it is that of the strongest sink
 *
 * Shows the number on the button.
 */
void
attn_place_number_show (GtkDropDown *number,
                        gboolean     applies,
                        int          shown,
                        gboolean     is_strongest)
{
  GtkLabel *label = g_object_get_data (G_OBJECT (number), "number");
  g_autofree char *text = NULL;

  if (!applies && shown < 0)
    text = g_strdup (_("all"));
  else if (shown == ATTN_HEAD_MEAN)
    text = g_strdup (_("mean"));
  else if (shown < 0)
    text = g_strdup ("★");
  else
    text = g_strdup_printf ("%d%s", shown, is_strongest ? " ★" : "");
  if (label != NULL)
    gtk_label_set_label (label, text);
  /* The text is kept with the widget: a label for the text is created only when the drop-down is
   * opened. */
  g_object_set_data_full (G_OBJECT (number), "text", g_steal_pointer (&text), g_free);
  gtk_widget_set_sensitive (GTK_WIDGET (number), applies);
}
