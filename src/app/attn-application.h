/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The application: one process with its windows, and what they share: preferences, help,
 * shortcuts. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_APPLICATION (attn_application_get_type ())
G_DECLARE_FINAL_TYPE (AttnApplication, attn_application, ATTN, APPLICATION, GtkApplication)

AttnApplication *attn_application_new (void);

G_END_DECLS
