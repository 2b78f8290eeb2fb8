/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scrolls to a widget that was just unfolded. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_reveal (GtkWidget *widget);

G_END_DECLS
