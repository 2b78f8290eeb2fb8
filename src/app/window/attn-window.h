/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The main window: controls at the left, the figure, and a readout below it. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_WINDOW (attn_window_get_type ())
G_DECLARE_FINAL_TYPE (AttnWindow, attn_window, ATTN, WINDOW, GtkApplicationWindow)

AttnWindow *attn_window_new (GtkApplication *application);
void attn_window_open (AttnWindow *window,
                       GFile *file);
GStrv attn_window_list_documents (AttnWindow *self,
                                  AttnWindow *except);
AttnWindow *attn_window_find_document (AttnWindow *self,
                                       const char *path);
void attn_window_offer_leftovers (AttnWindow *window);
void attn_window_end (AttnWindow *window);

G_END_DECLS
