/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dialogs for opening a file or folder and for saving. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnFileKind:
 * @name: name of the kind of files, as shown in the list of kinds
 * @suffix: (nullable): how the names of such files end, without the dot; of files to be opened,
 *   several such endings with a space between; %NULL for any file
 */
typedef struct
{
  const char *name;
  const char *suffix;
} AttnFileKind;

/**
 * AttnFileChosenFunc:
 * @object: the object given to attn_file_chooser_show()
 * @file: the chosen file; to a name to be written that has no dot the suffix of its kind has been
 *   added
 * @chooser: the chooser, which is hidden already
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
void            attn_file_chooser_open_texts (gpointer             widget,
                                        AttnFileChosenFunc   chosen);

G_END_DECLS
