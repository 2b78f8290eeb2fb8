/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of all commands, searched by their words. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnPaletteEntry:
 * @title: what it does
 * @kind: (nullable): what sort of thing it is, such as "Preset"; searched, too
 * @words: (nullable): what it is called otherwise; not shown, but searched as well as the title
 * @key: (nullable): the key that does the same, as it is shown
 * @action: (nullable): name with its group
 * @target: (nullable): of @action
 * @control: (nullable): instead of @action, a control of the window, which outlives the palette
 * @place: of a drop-down, which of its entries is chosen; of one of several buttons 0; -1 to switch
 *   a switch or, of another control, to give it the focus
 * @is_current: whether it is chosen already, of several that exclude one another. A switch of the
 *   window or the application tells by its state
 */
typedef struct
{
  char *title;
  char *kind;
  const char *words;
  char *key;
  char *action;
  GVariant *target;
  GtkWidget *control;
  int place;
  gboolean is_current;
} AttnPaletteEntry;

/* Returns an entry made from the typed text, such as a number of a layer, or %NULL. (transfer
 * full) */
typedef AttnPaletteEntry *(*AttnPaletteReadFunc) (const char *typed,
                                                  gpointer    user_data);

AttnPaletteEntry *attn_palette_entry_new    (const char       *title,
                                             const char       *kind);
void              attn_palette_entry_free   (AttnPaletteEntry *entry);
char             *attn_palette_entry_get_id (const AttnPaletteEntry *entry);
GPtrArray        *attn_palette_sort         (GPtrArray          *entries,
                                             const char         *typed,
                                             const char * const *recent);
void              attn_palette_open         (GtkWidget          *widget,
                                             const GdkRectangle *place,
                                             GPtrArray          *entries,
                                             AttnPaletteReadFunc read,
                                             gpointer            user_data,
                                             GSettings          *settings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPaletteEntry, attn_palette_entry_free)

G_END_DECLS
