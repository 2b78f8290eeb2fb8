/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dialogs for opening a file or folder and for saving. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnFileKind:
 * @name: as shown in a list
 * @suffix: (nullable): how the names of such files end, without the dot; %NULL for any file
 */
typedef struct
{
  const char *name;
  const char *suffix;
} AttnFileKind;

/**
 * AttnFileChosenFunc:
 * @object: what asked
 * @file: what was chosen; a name to write without a dot has got the suffix of its kind, unless
 *   there is such a file
 * @chooser: what it was chosen in; hidden by now
 */
typedef void (*AttnFileChosenFunc) (gpointer        object,
                                    GFile          *file,
                                    GtkFileChooser *chooser);

GtkFileChooser *attn_file_chooser_new  (const char           *title,
                                        GtkWindow            *parent,
                                        GtkFileChooserAction  action,
                                        const char           *accept_label,
                                        const AttnFileKind   *kinds);
void            attn_file_chooser_show (GtkFileChooser       *chooser,
                                        AttnFileChosenFunc    chosen,
                                        gpointer              object);
void            attn_file_chooser_open (gpointer             widget,
                                        const char          *title,
                                        GtkFileChooserAction action,
                                        const AttnFileKind  *kinds,
                                        AttnFileChosenFunc   chosen);
void            attn_file_chooser_open_model (gpointer             widget,
                                        const char          *title,
                                        GtkFileChooserAction action,
                                        const AttnFileKind  *kinds,
                                        AttnFileChosenFunc   chosen);

G_END_DECLS
