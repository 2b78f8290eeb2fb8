/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The help: how to read a map of attention weights, and what the program does to a model, in plain
 * words. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkWindow *attn_help_new        (GtkWindow *parent);
char      *attn_help_dup_system (void);

G_END_DECLS
