/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window of preferences. A choice takes effect at once and is saved. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_PREFERENCES (attn_preferences_get_type ())
G_DECLARE_FINAL_TYPE (AttnPreferences, attn_preferences, ATTN, PREFERENCES, GtkWindow)

/* Called with the id of a control, the text that names it and the heading above it. @list:
 * (nullable): the control, if it is a list of values */
typedef void (*AttnPreferenceFunc) (const char  *id,
                                    const char  *name,
                                    const char  *heading,
                                    GtkDropDown *list,
                                    gpointer     user_data);

AttnPreferences *attn_preferences_new     (GtkWindow          *parent,
                                           GSettings          *settings);
void             attn_preferences_foreach (AttnPreferences    *self,
                                           AttnPreferenceFunc  func,
                                           gpointer            user_data);
void             attn_preferences_choose  (AttnPreferences    *self,
                                           const char         *id,
                                           guint               value);
void             attn_preferences_go_to   (AttnPreferences    *self,
                                           const char         *id);

G_END_DECLS
