/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The strip and the side bar in a window of their own, with the session that they show. */

#pragma once

#include "app-fixture.h"

G_BEGIN_DECLS

/**
 * Fixture:
 * @n_failures: of the side bar and of the strip
 * @failure: (nullable): the last one, if a test asks for it
 */
typedef struct
{
  AttnSession *session;
  GtkWindow *window;
  AttnSidebar *sidebar;
  AttnStrip *strip;
  guint n_failures;
  char *failure;
} Fixture;

/* A test with the study of a preset */
#define ADD(name, preset, function) \
  g_test_add ("/app/sidebar/" name, Fixture, preset, set_up_sidebar, function, tear_down_sidebar)

void             set_up_sidebar    (Fixture       *fixture,
                                    gconstpointer  preset);
void             show_sidebar      (Fixture       *fixture);
void             tear_down_sidebar (Fixture       *fixture,
                                    gconstpointer  preset);
const AttnStudy *get_study         (Fixture       *fixture);
void             wait_for_result   (Fixture       *fixture);

GPtrArray       *find_all          (gpointer       widget,
                                    GType          type);
gpointer         find_nth          (gpointer       widget,
                                    GType          type,
                                    guint          n);
gpointer         find_control      (Fixture       *fixture,
                                    const char    *id);
void             open_reach        (Fixture       *fixture);
gpointer         find_labelled     (Fixture       *fixture,
                                    const char    *text);
gboolean         shows_text        (Fixture       *fixture,
                                    const char    *text);

G_END_DECLS
