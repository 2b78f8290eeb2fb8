/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-page-size.h"

#include <glib/gi18n.h>

#include "attn-drop-down.h"
#include "attn-typed.h"

/* The widths of the page that are offered, in millimetres: those of the columns of most journals.
 * @text: the size of text at this width, relative to that in a figure of the full width */
static const struct
{
  double width;
  double text;
} columns[] = { { 85, 7 / 9.0 }, { 114, 8 / 9.0 }, { 180, 1 } };

/**
 * attn_page_size_set_up:
 *
 * Lists the units, and names their drop-down for assistive technology.
 */
void
attn_page_size_set_up (AttnPageSize *size)
{
  g_autoptr (GtkStringList) units = gtk_string_list_new (NULL);

  attn_drop_down_set_label (size->unit_choice, _("Unit"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (size->unit_choice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Unit"), -1);
  for (AttnUnit i = 0; i < ATTN_N_UNITS; i++)
    gtk_string_list_append (units, attn_unit_names[i]);
  gtk_drop_down_set_model (size->unit_choice, G_LIST_MODEL (units));
}

static void
show_length (GtkEntry *entry,
             double    length)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "";
  double present;

  if (length > 0)
    g_ascii_formatd (text, sizeof text, "%.6g", length);
  /* The entry is left alone if its text already stands for the length, even in another notation. */
  if (attn_typed_parse (gtk_editable_get_text (GTK_EDITABLE (entry)), &present) &&
      present == length)
    return;
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

/**
 * attn_page_size_show:
 *
 * Shows the size of @page and its unit.
 */
void
attn_page_size_show (AttnPageSize            *size,
                     const AttnExportOptions *page)
{
  size->unit = page->unit;
  gtk_drop_down_set_selected (size->unit_choice, page->unit);
  show_length (size->width, page->width);
  show_length (size->height, page->height);
}

/* Reads a length of the page. An empty entry gives 0, with which the figure has its own size.
 * Returns %FALSE, and marks the entry, if the text is no positive number. */
static gboolean
read_length (GtkEntry *entry,
             double   *length)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));
  double value = 0;
  gboolean is_good = g_strstrip (text)[0] == '\0' ||
                     (attn_typed_parse (text, &value) && value > 0);

  if (is_good)
    {
      *length = value;
      attn_typed_accept (GTK_WIDGET (entry));
    }
  else
    attn_typed_refuse (GTK_WIDGET (entry), NULL);
  return is_good;
}

/**
 * attn_page_size_read:
 * @page: (inout): gets the unit, and each length that is valid
 *
 * Reads the size, and marks an entry whose text is neither empty nor a number above 0.
 *
 * Returns: whether both lengths are valid
 */
gboolean
attn_page_size_read (const AttnPageSize *size,
                     AttnExportOptions  *page)
{
  gboolean is_good = read_length (size->width, &page->width) &
                     read_length (size->height, &page->height);

  page->unit = size->unit;
  return is_good;
}

static void
convert_length (GtkEntry *entry,
                double    factor)
{
  double length;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!attn_typed_parse (gtk_editable_get_text (GTK_EDITABLE (entry)), &length))
    return;
  g_ascii_formatd (text, sizeof text, "%.4g", length * factor);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

/**
 * attn_page_size_convert:
 * @resolution: pixels per inch of the page
 *
 * Converts the lengths in the entries to the unit that is chosen, so that the page stays as large
 * as it is.
 *
 * Returns: whether that is another unit than before
 */
gboolean
attn_page_size_convert (AttnPageSize *size,
                        double        resolution)
{
  guint chosen = gtk_drop_down_get_selected (size->unit_choice);

  if (chosen >= ATTN_N_UNITS || chosen == size->unit)
    return FALSE;
  double factor =
      attn_unit_get_points (size->unit, resolution) / attn_unit_get_points (chosen, resolution);
  convert_length (size->width, factor);
  convert_length (size->height, factor);
  size->unit = chosen;
  return TRUE;
}

/**
 * attn_page_size_find_column:
 *
 * Returns: which of the offered widths @page has: 0 for the figure's own width, the number of a
 *   column width from 1 on, or -1 for any other size
 */
int
attn_page_size_find_column (const AttnExportOptions *page)
{
  if (page->height > 0)
    return -1;
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    if (page->unit == ATTN_UNIT_MILLIMETRES && page->width == columns[i].width)
      return i + 1;
  return page->width > 0 ? -1 : 0;
}

/**
 * attn_page_size_choose_column:
 * @page: (inout): gets the width, and the height that the figure has at it
 * @column: one of the offered widths, as attn_page_size_find_column() numbers them
 *
 * Returns: the size of text that belongs to the width, relative to the usual one
 */
double
attn_page_size_choose_column (AttnExportOptions *page,
                              int                column)
{
  page->height = 0;
  page->width = column > 0 ? columns[column - 1].width : 0;
  if (column > 0)
    page->unit = ATTN_UNIT_MILLIMETRES;
  return column > 0 ? columns[column - 1].text : 1;
}
