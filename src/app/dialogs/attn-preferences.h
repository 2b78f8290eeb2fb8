/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window of preferences. A choice takes effect and is saved at once. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_PREFERENCES (attn_preferences_get_type ())
G_DECLARE_FINAL_TYPE (AttnPreferences, attn_preferences, ATTN, PREFERENCES, GtkWindow)

AttnPreferences *attn_preferences_new   (GtkWindow       *parent,
                                         GSettings       *settings);
void             attn_preferences_go_to (AttnPreferences *self,
                                         const char      *id);

G_END_DECLS
