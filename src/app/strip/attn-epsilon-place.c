/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-place.h"

#include <glib/gi18n.h>

static char *
describe (AttnEpsilonPlace place,
          guint            number,
          gboolean         is_slider)
{
  switch (place)
    {
    case ATTN_EPSILON_PLACE_COLUMNS:
      return is_slider ? g_strdup_printf (_("ε of column %u, slider"), number)
                       : g_strdup_printf (_("ε of column %u"), number);
    case ATTN_EPSILON_PLACE_ROWS:
      return is_slider ? g_strdup_printf (_("ε of row %u, slider"), number)
                       : g_strdup_printf (_("ε of row %u"), number);
    case ATTN_EPSILON_PLACE_ALONE:
    default:
      return g_strdup (is_slider ? _("ε, slider") : "ε");
    }
}

/**
 * attn_epsilon_place_name:
 * @number: number of the column or row that has the factor, from 1
 * @scale: the handle on the track
 * @entry: the entry in which the number is typed
 *
 * Gives @scale and @entry names for assistive technology that tell which factor they change, such
 * as that of column 2.
 */
void
attn_epsilon_place_name (AttnEpsilonPlace  place,
                         guint             number,
                         GtkWidget        *scale,
                         GtkWidget        *entry)
{
  g_autofree char *of_scale = describe (place, number, TRUE);
  g_autofree char *of_entry = describe (place, number, FALSE);

  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, of_scale,
                                  -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, of_entry,
                                  -1);
}
