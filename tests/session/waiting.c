/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "waiting.h"

/* Some wait for a computation under a sanitizer. */
#define PATIENCE_SECONDS 60

static gboolean
out_of_patience_cb (gpointer awaited)
{
  g_error ("waited in vain for %s", (const char *) awaited);
  return G_SOURCE_REMOVE;
}

/* Ends the program after a while, unless the source that it returns is removed. @awaited: static */
guint
fixture_begin_wait (const char *awaited)
{
  return g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, (gpointer) awaited);
}
