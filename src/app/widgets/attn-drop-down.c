/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-drop-down.h"

/* Returns the label in the button of a drop-down that shows the chosen entry; %NULL before the
 * button has one. */
static GtkWidget *
find_label (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *label = gtk_widget_get_child_visible (child) && !GTK_IS_POPOVER (child)
                             ? find_label (child)
                             : NULL;

      if (label != NULL)
        return label;
    }
  return NULL;
}

static int
measure_natural (GtkWidget *widget)
{
  int natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/**
 * attn_drop_down_measure_widest:
 * @drop_down: a drop-down that lists strings
 *
 * Returns: the width in pixels that the drop-down needs to show its longest entry; 0 if it has no
 *   label yet
 */
int
attn_drop_down_measure_widest (GtkDropDown *drop_down)
{
  GtkWidget *label = find_label (GTK_WIDGET (drop_down));
  GListModel *model = gtk_drop_down_get_model (drop_down);
  int widest = 0;

  if (label == NULL)
    return 0;
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (GtkStringObject) entry = g_list_model_get_item (model, i);
      g_autoptr (PangoLayout) layout =
          gtk_widget_create_pango_layout (label, gtk_string_object_get_string (entry));
      int width;

      pango_layout_get_pixel_size (layout, &width, NULL);
      widest = MAX (widest, width);
    }
  return measure_natural (GTK_WIDGET (drop_down)) - measure_natural (label) + widest;
}

/**
 * attn_drop_down_set_label:
 * @drop_down: the drop-down; its button, which takes the focus, gets the label: GTK 4.8 does not
 *   pass it on
 * @label: name of what the drop-down chooses, for assistive technology
 */
void
attn_drop_down_set_label (gpointer    drop_down,
                          const char *label)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (drop_down)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}
