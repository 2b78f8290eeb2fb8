/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A window for each test. */

#pragma once

#include "app-fixture.h"

G_BEGIN_DECLS

extern GtkApplication *application;
extern AttnWindow *window;

void             set_up_window    (gpointer      *fixture,
                                   gconstpointer  preset);
void             tear_down_window (gpointer      *fixture,
                                   gconstpointer  preset);
const AttnStudy *get_shown_study  (void);
void             activate         (const char    *action);
void             go_to            (int            group,
                                   gsize          row,
                                   gsize          column);

/* A test of @path with @preset, or with what the program begins with where that is %NULL. */
#define ADD_TO(path, name, preset, function) \
  g_test_add (path name, gpointer, preset, set_up_window, function, tear_down_window)

G_END_DECLS
