/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Waiting for what the main loop brings. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lets the main loop run until @condition holds. The program ends, and says what it waited for,
 * where that takes far longer than anything here does. */
#define WAIT_UNTIL(condition)                            \
  G_STMT_START                                           \
  {                                                      \
    guint wait_source = fixture_begin_wait (#condition); \
    while (!(condition))                                 \
      g_main_context_iteration (NULL, TRUE);             \
    g_source_remove (wait_source);                       \
  }                                                      \
  G_STMT_END

guint fixture_begin_wait (const char *awaited);

G_END_DECLS
