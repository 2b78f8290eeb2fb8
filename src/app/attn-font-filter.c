/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keeps families without an upright face, like Z003, out of a font chooser: that of GTK 4.8 ends
 * the program when one is chosen by its family (selection_changed_cb describes the regular face,
 * which there is not). */

#include "config.h"

#include "attn-font-filter.h"

static gboolean
has_regular_face (const PangoFontFamily *family,
                  const PangoFontFace   *face,
                  gpointer               nothing)
{
  return pango_font_family_get_face ((PangoFontFamily *) family, NULL) != NULL;
}

/**
 * attn_font_filter_install:
 * @chooser: one that asks for a family
 */
void
attn_font_filter_install (GtkFontChooser *chooser)
{
  gtk_font_chooser_set_filter_func (chooser, has_regular_face, NULL, NULL);
}
