/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Asking for a file, a folder, or where to write. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnFileChosenFunc:
 * @object: what asked
 * @file: what was chosen
 * @chooser: what it was chosen in; hidden by now
 */
typedef void (*AttnFileChosenFunc) (gpointer        object,
                                    GFile          *file,
                                    GtkFileChooser *chooser);

void attn_file_chooser_show (GtkFileChooserNative *chooser,
                             AttnFileChosenFunc    chosen,
                             gpointer              object);

G_END_DECLS
