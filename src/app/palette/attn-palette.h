/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The palette: a list of all actions and settings of the window, searched by typing words of their
 * names. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnPaletteEntry:
 * @title: what the entry does, as shown
 * @kind: (nullable): the kind of entry, such as "Preset"; also searched
 * @words: (nullable): other words for it, not shown, but searched as the title is
 * @key: (nullable): the key that does the same, as it is shown
 * @action: (nullable): name of the action, with the prefix of its group, such as "win.save"
 * @target: (nullable): the parameter of @action
 * @control: (nullable): instead of @action, a control of the window, which outlives the palette
 * @place: what is done to @control: the index of the entry that is chosen in a drop-down; 0 to
 *   press one of several buttons; -1 to toggle a switch or move the focus to another control
 * @is_current: whether it is the chosen one of several entries that exclude one another. For an
 *   action that is a switch its state tells
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

/* Returns an entry that is made from the typed text, such as one that goes to the layer "L2", or
 * %NULL. (transfer full) */
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
