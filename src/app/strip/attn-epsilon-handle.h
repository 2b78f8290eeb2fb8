/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One factor ε on the track: what the keyboard does to it, and its number, which is typed in an
 * entry. The slider draws the handle and moves it by the pointer. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The distance that a key or a step of the wheel moves a handle, in powers of ten. */
#define ATTN_EPSILON_STEP 0.05

#define ATTN_TYPE_EPSILON_HANDLE (attn_epsilon_handle_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonHandle, attn_epsilon_handle, ATTN, EPSILON_HANDLE, GObject)

AttnEpsilonHandle *attn_epsilon_handle_new         (GtkWidget         *slider);
double             attn_epsilon_handle_get_epsilon (AttnEpsilonHandle *handle);
void               attn_epsilon_handle_set_epsilon (AttnEpsilonHandle *handle,
                                                    double             epsilon);
void               attn_epsilon_handle_set_high    (AttnEpsilonHandle *handle,
                                                    double             high);
GtkWidget         *attn_epsilon_handle_get_scale   (AttnEpsilonHandle *handle);
GtkWidget         *attn_epsilon_handle_get_entry   (AttnEpsilonHandle *handle);

G_END_DECLS
