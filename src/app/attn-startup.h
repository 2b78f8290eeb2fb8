/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures the time from the start of the program to its first figure. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_startup_trace (GtkWidget *widget);

G_END_DECLS
